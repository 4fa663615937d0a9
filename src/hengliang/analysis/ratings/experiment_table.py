"""How do the answers of an experiment become ratings that can be analysed?

The experiment knows what a file must be told: which scales there are and from where to where they go, which systems
gave what was rated, who rated it, and what was decided beforehand. A rating of a response that several systems gave is
one rating: it stands under each of them with the response beside it, so that `copies.py` counts it once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from hengliang.analyses.ratings.reading import EXPERIMENT, ROW, RatingsFile, write_rating
from hengliang.analyses.ratings.table import Columns, Ratings, ratings_table
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.files import read_table
from hengliang.core.records import CORPUS
from hengliang.core.signature import digest
from hengliang.core.terms import Bilingual
from hengliang.experiments import Experiment, Scale
from hengliang.people.collected.run_records import ITEMS_FILE
from hengliang.people.stimulus_ratings import stimulus_ratings

SYSTEM, ITEM, RATER, RESPONSE, MATCH = "system", "item", "rater", "response", "match"
OWN = (SYSTEM, ITEM, RATER, RESPONSE, MATCH)
YES, NO = "match", "no match"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody wants otherwise than the experiment says; empty where it is as the experiment says."""

    measures: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    scale: str | None = None
    split: str | None = None


def experiment_ratings(experiment: Experiment, folder: Path, wanted: Wanted | None = None) -> Ratings:
    """Return the ratings of an experiment's targets, checked, with notes on what follows from its plan."""
    asked = wanted or Wanted()
    scales, other = rated_scales(experiment, asked.measures)
    frame = _frame(experiment, [scale.name for scale in scales], folder)
    split = MATCH if frame[MATCH].drop_nulls().n_unique() == 2 else None
    if asked.split is not None and asked.split != split:
        frame = _with_split(frame, asked.split, folder)
        split = asked.split
    columns = Columns(
        tuple(scale.name for scale in scales), SYSTEM, (ITEM, RATER), split, RESPONSE, item=ITEM, rater=RATER
    )
    # Under this name in messages and in the report; a folder may be given as a dot.
    place = folder.resolve()
    file = RatingsFile(place, frame, EXPERIMENT, digest(frame.write_csv()))
    points = scales[0].points
    ratings = ratings_table(
        file, columns, scale=asked.scale or (f"1-{points}" if points else None), levels=asked.levels
    )
    return replace(ratings, notes=(*_notes(experiment, scales, other, split), *ratings.notes))


def rated_scales(experiment: Experiment, named: Sequence[str] = ()) -> tuple[list[Scale], list[Scale]]:
    """Return the scales to analyse, the primary outcome first, and the numeric ones that go another way.

    Without names these are all scales with numbers that have as many points as the first: one analysis has one scale.
    """
    known = {scale.name: scale for scale in experiment.scales}
    for name in named:
        if name not in known:
            raise unknown_name("scale", name, list(known))
    if named:
        chosen = [known[name] for name in dict.fromkeys(named)]
        apart = [scale for scale in chosen if scale.points != chosen[0].points]
        if apart:
            raise UserError(
                f"'{chosen[0].name}' and '{apart[0].name}' are scales of different length.",
                valid="One analysis has one scale.",
                remedy=f"Analyse them one by one: --measure {chosen[0].name}",
            )
        return chosen, []
    with_numbers = experiment.answers.filter(pl.col("value").is_not_null())["scale"].unique().to_list()
    numeric = [scale for scale in experiment.scales if scale.points or scale.name in with_numbers]
    if not numeric:
        raise UserError(
            f"No scale of '{experiment.name}' is one of numbers.",
            valid="Ratings are numbers; texts and choices are exported: hengliang survey export DIR --out FOLDER",
        )
    numeric.sort(key=lambda scale: scale.name != experiment.plan.primary_outcome)
    same = [scale for scale in numeric if scale.points == numeric[0].points]
    return same, [scale for scale in numeric if scale not in same]


def _frame(experiment: Experiment, measures: Sequence[str], folder: Path) -> pl.DataFrame:
    """Return one row a rating and system that it is about, as a file would hold it: cells as text."""
    taken = [name for name in measures if name in OWN]
    if taken:
        raise UserError(f"A scale is called '{taken[0]}', a name that we need ourselves.", remedy="Rename the scale.")
    key = [ITEM, RATER, RESPONSE]
    held: pl.DataFrame | None = None
    for name in measures:
        found = stimulus_ratings(experiment, name).ratings.rename({"rating": name})
        held = (
            found if held is None else held.join(found, on=key, how="full", coalesce=True, maintain_order="left_right")
        )
    if held is None or not held.height:
        raise UserError(
            f"Nobody has rated anything in {folder} yet.",
            valid="Answers about targets, of the kind of participants that is asked for.",
            remedy=f"See who has taken part: hengliang survey progress {folder}",
        )
    givers = stimulus_ratings(experiment, measures[0]).givers
    systems = _systems(givers)
    if len(systems) < 2:
        raise UserError(
            f"The stimuli of {folder} name {len(systems)} systems.",
            valid="Two systems or more, for there is nothing to compare otherwise.",
            remedy="Export the answers and name what is compared: hengliang survey export, then hengliang analyse",
        )
    corpus = givers.filter(pl.col(SYSTEM) == CORPUS).select(ITEM, RESPONSE, corpus=pl.lit(YES))
    rows = held.join(givers, on=[ITEM, RESPONSE], how="inner", maintain_order="left_right")
    rows = rows.join(corpus, on=[ITEM, RESPONSE], how="left", maintain_order="left")
    match = pl.col("corpus").fill_null(NO) if CORPUS in systems else pl.lit(None, dtype=pl.String)
    order = pl.col(SYSTEM).replace_strict({name: place for place, name in enumerate(systems)}, return_dtype=pl.Int64)
    rows = rows.with_columns(match.alias(MATCH)).sort(order, maintain_order=True)
    numbers = [
        pl.col(name).map_elements(write_rating, return_dtype=pl.String).fill_null("").alias(name) for name in measures
    ]
    return rows.select(pl.int_range(1, pl.len() + 1).alias(ROW), ITEM, RATER, SYSTEM, RESPONSE, MATCH, *numbers)


def _with_split(frame: pl.DataFrame, name: str, folder: Path) -> pl.DataFrame:
    """Return the ratings with a column of the items of the experiment beside them, `sample` say."""
    path = folder / ITEMS_FILE
    held = read_table(path) if path.exists() else pl.DataFrame({"id": []})
    plain = [column for column, kind in held.schema.items() if not kind.is_nested()]
    known = [column for column in plain if column not in ("id", *frame.columns)]
    if name not in known:
        raise UserError(
            f"The items of {folder} have no column '{name}' to split ratings by.",
            valid=f"Columns of {ITEMS_FILE}: {', '.join(known)}."
            if known
            else f"There is no {ITEMS_FILE} in the folder.",
            remedy="Export the answers, add the column, and split them there: hengliang survey export, then "
            f"hengliang analyse FILE --split {name}",
        )
    column = held.select(pl.col("id").cast(pl.String).alias(ITEM), pl.col(name).cast(pl.String).fill_null(""))
    return frame.join(column, on=ITEM, how="left", maintain_order="left").with_columns(pl.col(name).fill_null(""))


def _systems(givers: pl.DataFrame) -> list[str]:
    """Return the systems in the order of the stimuli, CORPUS before all others."""
    names: list[str] = givers[SYSTEM].unique(maintain_order=True).to_list()
    return sorted(names, key=lambda name: name != CORPUS)


def _notes(
    experiment: Experiment, scales: Sequence[Scale], other: Sequence[Scale], split: str | None
) -> list[Bilingual]:
    notes = []
    plan = experiment.plan
    if plan.primary_outcome:
        shown = plan.primary_outcome in [scale.name for scale in scales]
        absent = Bilingual("", "") if shown else Bilingual(" It is not among these.", "此处未包含。")
        notes.append(
            Bilingual(
                f"The plan names '{plan.primary_outcome}' as the primary outcome.{absent.en}",
                f"研究计划指定的主要结果为“{plan.primary_outcome}”。{absent.zh}",
            )
        )
    if plan.family:
        notes.append(Bilingual(f"The planned family of tests: {plan.family}", f"计划的检验族：{plan.family}"))
    if split == MATCH:
        notes.append(
            Bilingual(
                f"'{MATCH}' says whether a response is that of {CORPUS}.", f"“{MATCH}”表示该回答是否与 {CORPUS} 相同。"
            )
        )
    if other:
        names = ", ".join(f"'{scale.name}'" for scale in other)
        notes.append(
            Bilingual(
                f"Left out, because they are scales of another length: {names}. Analyse them with --measure.",
                f"因量表长度不同而略去：{names}。可用 --measure 单独分析。",
            )
        )
    return notes
