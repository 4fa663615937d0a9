"""Which score did each system give to each sentence, and how did people rate the same sentence?

Scores are a machine's judgements of answers (`acceptability`, in parts); ratings are people's judgements of the
sentence, which is a set of its own. Both are brought into one row for each system, seed, part and sentence. A score or
a rating that is missing keeps its row, so that it is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from hengliang.analyses import outcomes
from hengliang.analyses.observations import observations
from hengliang.analyses.subsets import Where, restricted
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.measures.acceptability import SENTENCE_PARTS
from hengliang.statistics.correlation.coefficients import is_constant
from hengliang.statistics.resampling import Floats, Way

MEAN = "mean"
"""The part of people's ratings that is taken when there are several and none is named."""

FEWEST = 3
"""Two sentences correlate perfectly whatever they are."""

SOURCE = "source_sentence"
"""The attribute that sentences made from one sentence share."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which scores are held against which ratings, and of which sentences.

    `rating` is a measure, or `measure:part`. `parts` are those of the measure of scores; none named means all.
    """

    measure: str = "acceptability"
    rating: str = "rating"
    parts: tuple[str, ...] = SENTENCE_PARTS
    by: tuple[str, ...] = ("dataset", "mode")
    cluster: str = SOURCE
    where: Where | None = None


def rating_rows(tables: Tables, asked: Asked) -> pl.DataFrame:
    """Return one row a system, seed, part and sentence: `system seed part item score rating cluster` and the factors.

    Rows come in the order of systems, parts and items. A sentence without the attribute `cluster` stands for itself.
    """
    measure, part = _rating_part(tables, asked.rating)
    tables = restricted(tables, measure, asked.where or {})
    ratings = _ratings(tables, measure, part)
    factors = [name for name in asked.by if name not in {"system", "part"}]
    wanted = list(dict.fromkeys([*factors, asked.cluster]))
    rows = observations(tables, asked.measure, columns=wanted, parts=_known_parts(tables, asked))
    if rows["system"].null_count() or "rater" in rows.columns:
        raise UserError(
            f"'{asked.measure}' does not judge the answers of systems.", valid="A measure such as acceptability."
        )
    own = pl.col(asked.cluster).cast(pl.String)
    rows = rows.with_columns(
        score=_finite("value"),
        cluster=pl.when(own.is_null()).then(pl.format("item {}", "item")).otherwise(pl.format("cluster {}", own)),
    ).join(ratings, on="set", how="left", maintain_order="left")
    if not rows["rating"].count():
        raise UserError(
            f"No sentence with a score has a rating of '{asked.rating}'.",
            valid="People rate the sentences that systems score.",
        )
    rows = outcomes.in_order(rows, tables, factors)
    parts = list(asked.parts) or rows["part"].unique().sort().to_list()
    rows = rows.with_columns(pl.col("part").cast(pl.Enum(parts)))
    columns = ["system", "seed", "part", "item", "score", "rating", "cluster"]
    return rows.sort("system", "part", "item", "seed").select(columns + [f for f in factors if f not in columns])


def _finite(name: str) -> pl.Expr:
    return pl.when(pl.col(name).is_finite()).then(pl.col(name))


def _known_parts(tables: Tables, asked: Asked) -> tuple[str, ...]:
    found = tables.judgements.filter(pl.col("measure") == asked.measure)
    if not found.height:
        raise UserError(
            f"There are no judgements by the measure '{asked.measure}'.",
            valid=f"Measures: {', '.join(tables.judgements['measure'].unique().sort()) or 'none'}.",
            remedy="Put acceptability() among the measures of the study.",
        )
    known = found["part"].unique().sort().to_list()
    for part in asked.parts:
        if part not in known:
            raise unknown_name(f"part of '{asked.measure}'", part, known)
    return asked.parts


def _rating_part(tables: Tables, rating: str) -> tuple[str, str]:
    """Return the measure of people's ratings and its part."""
    measures = tables.judgements["measure"].unique().to_list()
    measure, part = rating, ""
    if rating not in measures and ":" in rating:
        measure, _, part = rating.rpartition(":")
    if measure not in measures:
        raise UserError(
            f"There are no ratings: nobody judged '{measure}'.",
            valid=f"Measures: {', '.join(sorted(measures)) or 'none'}.",
            remedy="Take rated sentences as material and put the measure of their ratings among the measures.",
        )
    known = tables.judgements.filter(pl.col("measure") == measure)["part"].unique().sort().to_list()
    if not part:
        part = MEAN if MEAN in known else known[0]
        if len(known) > 1 and part != MEAN:
            raise unknown_name(f"part of '{measure}'", "", known, remedy=f"Name one: rating='{measure}:PART'")
    elif part not in known:
        raise unknown_name(f"part of '{measure}'", part, known)
    return measure, part


def _ratings(tables: Tables, measure: str, part: str) -> pl.DataFrame:
    """Return one rating a set: people's mean, or the mean of the judges where several stand there one by one."""
    found = tables.judgements.filter((pl.col("measure") == measure) & (pl.col("part") == part))
    lost = found.join(tables.items, left_on="about", right_on="set", how="anti")
    if lost.height:
        raise UserError(
            f"A rating of '{measure}' is about '{lost['about'][0]}', which is no sentence of this run.",
            valid="Ratings are about sentences, each a set of its own.",
        )
    several = tables.items.filter(pl.struct("set").is_duplicated()).join(found, left_on="set", right_on="about")
    if several.height:
        raise UserError(
            f"The rating of '{several['set'].sort()[0]}' is about a set of several sentences.",
            valid="A rating is about one sentence.",
        )
    # A judgement that was written down once for each system is one rating.
    ratings = found.select("judge", _finite("value").alias("rating"), set="about").drop_nulls().unique()
    ratings = ratings.sort("set", "judge", "rating")
    return ratings.group_by("set", maintain_order=True).agg(pl.col("rating").mean())


# --- a table of sentences -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The sentences of one cell: their ratings, clusters and scores, in one order; NaN is missing.

    `scores` holds a table for each system and part: a row a seed, a column a sentence.
    """

    items: tuple[str, ...]
    ratings: Floats
    clusters: pl.Series
    scores: Mapping[tuple[str, str], Floats]

    def complete(self, *keys: tuple[str, str]) -> np.ndarray:
        """Return the places of the sentences that have a rating and all of these scores."""
        missing = np.isnan(self.ratings)
        for key in keys:
            missing = missing | np.isnan(self.scores[key]).any(axis=0)
        return np.flatnonzero(~missing)

    def way(self, places: np.ndarray, name: str) -> Way:
        """Return how some of the sentences are clustered."""
        return Way.of(name, self.clusters.gather(places))


def scored_cells(rows: pl.DataFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, str], Scored]]:
    """Give the sentences of each combination of levels, in the order of levels."""
    factors = [name for name in by if name not in {"system", "part"}]
    groups = rows.sort(factors, nulls_last=True, maintain_order=True).group_by(factors, maintain_order=True)
    for key, cell in groups if factors else [((), rows)]:
        yield {name: outcomes.level_name(level) for name, level in zip(factors, key, strict=True)}, _scored(cell)


def _scored(cell: pl.DataFrame) -> Scored:
    items = cell.select("item", "rating", "cluster").unique("item").sort("item")
    place = {item: number for number, item in enumerate(items["item"])}
    scores: dict[tuple[str, str], Floats] = {}
    for (system, part), own in cell.group_by("system", "part", maintain_order=True):
        seeds = own["seed"].unique().sort()
        table = np.full((len(seeds), items.height), np.nan)
        rows = own["seed"].replace_strict(seeds, range(len(seeds)), return_dtype=pl.Int64).to_numpy()
        columns = own["item"].replace_strict(place, return_dtype=pl.Int64).to_numpy()
        table[rows, columns] = own["score"].to_numpy()
        scores[str(system), str(part)] = table
    ratings = items["rating"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    return Scored(tuple(items["item"]), ratings, items["cluster"], scores)


def problem_of(ratings: Floats, scores: Mapping[str, Floats]) -> Bilingual | None:
    """Return why these sentences have no correlation; `scores` are tables with a row a seed, by system."""
    n = len(ratings)
    if n < FEWEST:
        return Bilingual(
            f"too few sentences have a score and a rating ({n})",
            f"既有分数又有评分的句子过少（{n} 个）",
        )
    if is_constant(ratings):
        return Bilingual(f"all {n} ratings are {ratings[0]:g}", f"全部 {n} 个评分均为 {ratings[0]:g}")
    for system, table in scores.items():
        for column in table:
            if is_constant(column):
                return Bilingual(
                    f"all {n} scores of {system} are {column[0]:g}", f"{system} 的全部 {n} 个分数均为 {column[0]:g}"
                )
    return None
