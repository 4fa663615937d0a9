"""Score tables: which judge gave which score to which item, and two judges side by side.

A `ScoreTable` is what one judge, or one group of raters, said; the judge may be a machine or a person. `paired_scores`
puts two of them side by side. An answer that several systems gave and that was judged once stays one observation:
systems share it, and it is counted for each of them only where systems are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.runs import Tables
from hengliang.core.signature import digest
from hengliang.statistics.inter_rater.ratings import Floats, Integers

KEYS = ("item", "system", "response")
Side = Literal["first", "second"]
SIDES: tuple[Side, Side] = ("first", "second")


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """Scores in long form: item, system, response, rater, score. A column that does not apply holds empty text.

    `n_missing` counts the rows that had no score.
    """

    name: str
    frame: pl.DataFrame
    n_missing: int = 0

    @classmethod
    def of(
        cls,
        frame: pl.DataFrame,
        *,
        name: str = "",
        score: str = "score",
        item: str = "item",
        system: str | None = None,
        rater: str | None = None,
        response: str | None = None,
        anonymous: bool = False,
    ) -> ScoreTable:
        """Take a table with one score per row.

        Columns `system`, `rater` and `response` are used when they are there; a name that is given must be there. With
        `anonymous`, several scores of one item are those of raters whose names are not known.
        """
        for wanted in (score, item, *(column for column in (system, rater, response) if column)):
            if wanted not in frame.columns:
                raise unknown_name("column", wanted, frame.columns)
        columns = {"item": item, "system": system, "rater": rater, "response": response}
        selected = frame.select(
            *(_text(frame, column or kind).alias(kind) for kind, column in columns.items()),
            score=_numbers(frame, score),
        )
        known = selected.drop_nulls("score")
        if not known.height:
            raise UserError(f"The column '{score}' has no number in it.", valid="One score a row.")
        if anonymous:
            number = pl.int_range(pl.len()).over(KEYS)
            known = known.with_columns(rater=(number + 1).cast(pl.String))
        _refuse_duplicates(known, has_raters=anonymous or bool((known["rater"] != "").any()))
        ordered = known.select(*KEYS, "rater", "score").sort(*KEYS, "rater")
        return cls(name or score, ordered, selected.height - known.height)

    @property
    def has_systems(self) -> bool:
        """Whether the scores are of answers of named systems."""
        return bool((self.frame["system"] != "").any())

    @property
    def has_raters(self) -> bool:
        """Whether single ratings are known."""
        return bool((self.frame["rater"] != "").any())

    @property
    def has_responses(self) -> bool:
        """Whether it is known which systems share an answer."""
        return bool((self.frame["response"] != "").any())

    def means(self) -> pl.DataFrame:
        """Return the mean score of each answer over its raters."""
        return self.frame.group_by(*KEYS).agg(pl.col("score").mean()).sort(*KEYS)

    def checksum(self) -> str:
        """Return the checksum of the scores, for signatures."""
        texts = (self.frame[name].str.join("\n").item() for name in (*KEYS, "rater"))
        return digest(*(text or "" for text in texts), self.frame["score"].to_numpy().tobytes())


def _text(frame: pl.DataFrame, name: str) -> pl.Expr:
    if name not in frame.columns:
        return pl.lit("")
    return pl.col(name).cast(pl.String).fill_null("")


def _numbers(frame: pl.DataFrame, score: str) -> pl.Series:
    column = frame[score]
    if column.dtype.is_numeric() or column.dtype == pl.Boolean:
        numbers = column.cast(pl.Float64).fill_nan(None)
    else:
        text = column.cast(pl.String).str.strip_chars()
        text = text.set(text == "", None)
        numbers = text.cast(pl.Float64, strict=False)
        wrong = (text.is_not_null() & numbers.is_null()).arg_true()
        if len(wrong):
            raise UserError(
                f"Row {int(wrong[0]) + 1} has the {score} '{column[int(wrong[0])]}'.",
                valid="Scores are numbers; a missing one is empty.",
            )
        numbers = numbers.fill_nan(None)
    if numbers.is_infinite().any():
        row = int(numbers.is_infinite().fill_null(False).arg_true()[0]) + 1
        raise UserError(f"Row {row} has an infinite {score}.", valid="Finite numbers; a missing one is empty.")
    return numbers


def _refuse_duplicates(frame: pl.DataFrame, *, has_raters: bool) -> None:
    keys = [*KEYS, *(["rater"] if has_raters else [])]
    twice = frame.filter(pl.struct(keys).is_duplicated())
    if not twice.height:
        return
    row = twice.row(0, named=True)
    about = ", ".join(f"{name} '{row[name]}'" for name in keys if row[name])
    raise UserError(
        f"There are {frame.filter(*(pl.col(name) == row[name] for name in keys)).height} scores of {about}.",
        valid="One score for each item, system and rater.",
        remedy="Keep one of them."
        if has_raters
        else "Name the column of the raters (--rater NAME), or say that they are not known (--anonymous).",
    )


def scores_of_run(tables: Tables, measure: str, part: str = "") -> ScoreTable:
    """Return the scores that a measure of a run gave: to which item, of which systems, by which judge.

    A judgement of a shared answer belongs to all systems that gave it. A measure with several parts needs one named.
    """
    judged = tables.judgements.filter(pl.col("measure") == measure)
    if not judged.height:
        raise unknown_name("measure", measure, tables.judgements["measure"].unique().to_list())
    parts = judged["part"].unique().sort().to_list()
    if part not in parts:
        if part or len(parts) > 1:
            raise unknown_name(f"part of '{measure}'", part, parts, remedy=f"Name one: {measure}:{parts[0]}")
        part = parts[0]
    judged = judged.filter(pl.col("part") == part)
    known = judged.drop_nulls("value")
    if not known.height:
        raise UserError(f"The measure '{measure}' has no numbers.", valid="A measure whose judgements are numbers.")
    rows = _with_answers(known, tables)
    several = known["judge"].n_unique() > 1 or "person" in known["judge_kind"].to_list()
    rater = "judge" if several else "nobody"
    scores = rows.select(*KEYS, rater=pl.col("judge") if rater == "judge" else pl.lit(""), score="value")
    name = f"{measure}:{part}" if part and len(parts) > 1 else measure
    # One response of a system under two seeds is one answer.
    table = ScoreTable.of(scores.unique(), name=name)
    return ScoreTable(name, table.frame, judged.height - known.height)


def _with_answers(judged: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    """Add item, system and response to judgements of responses; a judgement of a set has the set as its item."""
    frames = [frame.select(about="id", item="item", system="system") for frame in tables.responses.values()]
    empty = pl.DataFrame(schema={"about": pl.String, "item": pl.String, "system": pl.String})
    answers = pl.concat([empty, *frames]).unique()
    of_answers = judged.join(answers, on="about", how="inner")
    of_answers = of_answers.filter((pl.col("scored_system") == "") | (pl.col("scored_system") == pl.col("system")))
    of_sets = judged.join(answers, on="about", how="anti")
    return pl.concat(
        [
            of_answers.with_columns(response="about"),
            of_sets.with_columns(item="about", system="scored_system", response=pl.lit("")),
        ],
        how="diagonal",
    )


@dataclass(frozen=True, slots=True, eq=False)
class RatingLists:
    """The single ratings of each unit: all values in one row, unit after unit, and how many each unit has."""

    values: Floats
    counts: Integers

    @property
    def starts(self) -> Integers:
        """Where each unit's ratings begin."""
        return np.cumsum(self.counts) - self.counts

    def only(self, chosen: NDArray[np.bool_]) -> RatingLists:
        """Return the ratings of some units."""
        return RatingLists(self.values[np.repeat(chosen, self.counts)], self.counts[chosen])

    def means(self) -> Floats:
        """Return the mean of each unit."""
        return np.add.reduceat(self.values, self.starts) / self.counts


@dataclass(frozen=True, slots=True, eq=False)
class PairedScores:
    """Two score tables side by side.

    `units` has one row for each observation: item, system (all that share it, joined), response, first, second.
    `cells` has one row for each item and system, for comparing systems; it is empty without systems. `ratings` holds
    the single ratings of each unit for each side that has them. `left_out` counts the answers that only one side
    scored, `n_missing` the rows without a score.
    """

    names: tuple[str, str]
    units: pl.DataFrame
    cells: pl.DataFrame
    ratings: dict[Side, RatingLists]
    left_out: int
    n_missing: int

    @property
    def clusters(self) -> Integers:
        """The number of each unit's item, from 0."""
        codes: Integers = self.units["item"].rank("dense").cast(pl.Int64).to_numpy() - 1
        return codes

    def scores(self, side: Side) -> Floats:
        """Return the scores of one side, unit by unit."""
        return self.units[side].to_numpy()


def paired_scores(first: ScoreTable, second: ScoreTable) -> PairedScores:
    """Put two score tables side by side; items that only one of them scored are left out and counted."""
    for one, other in ((first, second), (second, first)):
        if one.has_systems and not other.has_systems:
            raise UserError(
                f"'{one.name}' names systems and '{other.name}' does not.",
                valid="Both tables have a column for the system, or neither has.",
                remedy=f"Add the system to '{other.name}', or keep the rows of one system of '{one.name}'.",
            )
    keys = [key for key in KEYS if key != "response" or (first.has_responses and second.has_responses)]
    tables = [table.means().rename({"score": side}) for side, table in zip(SIDES, (first, second), strict=True)]
    if "response" not in keys:
        kept = int(second.has_responses)
        tables[1 - kept] = tables[1 - kept].drop("response")
    both = tables[0].join(tables[1], on=keys, how="inner")
    if not both.height:
        _refuse_strangers(first, second)
    left_out = sum(table.join(both, on=keys, how="anti").height for table in tables)
    shared = first.has_responses or second.has_responses
    unit = ["item", "response"] if shared else ["item", "system"]
    units = both.group_by(unit).agg(_others(unit), pl.col("first").mean(), pl.col("second").mean()).sort(unit)
    units = units.select(*KEYS, *SIDES)
    members = both.join(units.select(*unit, place=pl.int_range(pl.len(), dtype=pl.Int64)), on=unit)
    cells = both.group_by("item", "system").agg(pl.col("first").mean(), pl.col("second").mean())
    named = cells.filter(pl.col("system") != "").sort("system", "item")
    with_raters = {side: table for side, table in zip(SIDES, (first, second), strict=True) if table.has_raters}
    ratings = {side: _rating_lists(table, members, units.height) for side, table in with_raters.items()}
    return PairedScores((first.name, second.name), units, named, ratings, left_out, first.n_missing + second.n_missing)


def _others(unit: list[str]) -> pl.Expr:
    other = "system" if "response" in unit else "response"
    return pl.col(other).unique().sort().str.join(", ")


def _refuse_strangers(first: ScoreTable, second: ScoreTable) -> None:
    shown = [sorted(set(table.frame["item"].to_list()))[:3] for table in (first, second)]
    if reduce(set.intersection, (set(table.frame["item"].to_list()) for table in (first, second))):
        systems = [", ".join(sorted(set(table.frame["system"].to_list()))[:5]) for table in (first, second)]
        raise UserError(
            f"'{first.name}' and '{second.name}' scored no answer of the same system ({systems[0]}; {systems[1]}).",
            valid="The same names of systems in both tables.",
        )
    raise UserError(
        f"'{first.name}' and '{second.name}' have no item in common.",
        valid=f"Items of the first: {', '.join(shown[0])} …; of the second: {', '.join(shown[1])} …",
        remedy="Name the columns that hold the same ids (--item NAME).",
    )


def _rating_lists(table: ScoreTable, members: pl.DataFrame, n_units: int) -> RatingLists:
    keys = ["item", "response"] if table.has_responses else ["item", "system"]
    ratings = table.frame.join(members.select(*keys, "place").unique(), on=keys, how="inner")
    # The rating of an answer that several systems share is one rating.
    ratings = ratings.unique(["place", "rater"], keep="first", maintain_order=True).sort("place", "rater")
    counts = np.bincount(ratings["place"].to_numpy(), minlength=n_units)
    return RatingLists(ratings["score"].to_numpy(), counts.astype(np.int64))
