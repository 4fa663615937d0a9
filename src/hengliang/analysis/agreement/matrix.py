"""Which rater said what about which unit, as a table that may have gaps?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.signature import digest

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Table = Sequence[Sequence[Any]] | NDArray[Any]

MISSING = -1
"""The code of a rating that is not there."""


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Ratings as codes of answers, a row a rater, a column a unit; -1 is a rating that is not there.

    `answers` are the different answers in their order: numbers by size, words as given or by the alphabet. `values`
    are their numbers, or NaN where the answers are words.
    """

    codes: Integers
    raters: tuple[str, ...]
    units: tuple[str, ...]
    answers: tuple[str, ...]
    values: Floats

    @classmethod
    def of(
        cls,
        ratings: Table | Ratings,
        *,
        raters: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
        categories: Sequence[Any] | None = None,
    ) -> Ratings:
        """Take a table with a row a rater and a column a unit; None and NaN are missing.

        `categories` names all answers that could be given, in their order; it is needed for words with an order.
        """
        if isinstance(ratings, Ratings):
            return ratings
        rows = _rows(ratings)
        names = tuple(map(str, raters)) if raters is not None else tuple(f"{n + 1}" for n in range(len(rows)))
        labels = tuple(map(str, units)) if units is not None else tuple(f"{n + 1}" for n in range(len(rows[0])))
        if len(names) != len(rows) or len(labels) != len(rows[0]):
            raise UserError(
                f"{len(names)} names of raters and {len(labels)} of units do not fit a table of "
                f"{len(rows)} × {len(rows[0])}.",
                valid="One name a row and one a column.",
            )
        known = _answers(rows, categories)
        place = {answer: number for number, answer in enumerate(known)}
        codes = np.array([[MISSING if held is None else place[held] for held in row] for row in rows], dtype=np.int64)
        numeric = all(isinstance(answer, float) for answer in known)
        values = np.array(known if numeric else [np.nan] * len(known), dtype=np.float64)
        return cls(codes, names, labels, tuple(map(_shown, known)), values)

    @classmethod
    def from_frame(
        cls,
        frame: pl.DataFrame,
        *,
        rater: str = "rater",
        unit: str = "item",
        rating: str = "score",
        categories: Sequence[Any] | None = None,
    ) -> Ratings:
        """Take a long table with one rating a row; a rater who judged a unit twice is refused."""
        for name in (rater, unit, rating):
            if name not in frame.columns:
                raise unknown_name("column", name, frame.columns)
        twice = frame.filter(pl.struct(rater, unit).is_duplicated())
        if twice.height:
            raise UserError(
                f"The rater '{twice[rater][0]}' judged '{twice[unit][0]}' more than once.",
                valid="One rating for each rater and unit.",
                remedy="Keep one of them, or name a column that tells the two apart as unit.",
            )
        raters = frame[rater].cast(pl.String).unique(maintain_order=True).sort().to_list()
        units = frame[unit].cast(pl.String).unique(maintain_order=True).sort().to_list()
        rows: list[list[Any]] = [[None] * len(units) for _ in raters]
        row, column = ({name: n for n, name in enumerate(held)} for held in (raters, units))
        given = frame.select(pl.col(rater).cast(pl.String), pl.col(unit).cast(pl.String), pl.col(rating))
        for who, what, said in given.iter_rows():
            rows[row[who]][column[what]] = said
        return cls.of(rows, raters=raters, units=units, categories=categories)

    @property
    def is_numeric(self) -> bool:
        """Whether all answers are numbers."""
        return not bool(np.isnan(self.values).any())

    @property
    def n_missing(self) -> int:
        """How many ratings are not there."""
        return int((self.codes == MISSING).sum())

    def counts(self) -> Floats:
        """Return how often each answer was given to each unit, a row a unit."""
        flat = self.codes + np.arange(len(self.units)) * len(self.answers)
        flat = flat[self.codes != MISSING]
        counts = np.bincount(flat, minlength=len(self.units) * len(self.answers))
        return counts.reshape(len(self.units), len(self.answers)).astype(np.float64)

    def numbers(self) -> Floats:
        """Return the ratings as numbers, NaN where there is none."""
        self.need_numbers("This")
        held = np.append(self.values, np.nan)
        numbers: Floats = held[self.codes]
        return numbers

    def need_numbers(self, what: str) -> None:
        """Refuse answers that are words."""
        if not self.is_numeric:
            raise UserError(
                f"{what} needs numbers, and there are answers such as '{self.answers[0]}'.",
                valid="Numbers, or categories in their order where only the order counts.",
            )

    def only(self, rows: Sequence[int] | Integers) -> Ratings:
        """Return the ratings of some raters."""
        chosen = np.asarray(rows, dtype=np.int64)
        raters = tuple(self.raters[row] for row in chosen)
        return Ratings(self.codes[chosen], raters, self.units, self.answers, self.values)

    def checksum(self) -> str:
        """Return the checksum of the ratings, for signatures."""
        return digest(np.ascontiguousarray(self.codes).tobytes(), *self.answers)


def _shown(answer: float | str) -> str:
    return f"{answer:.12g}" if isinstance(answer, float) else answer


def _rows(ratings: Table) -> list[list[float | str | None]]:
    table = ratings.tolist() if isinstance(ratings, np.ndarray) else list(ratings)
    if not table or not all(isinstance(row, list | tuple | np.ndarray | pl.Series) for row in table):
        raise UserError(
            "The ratings are no table.", valid="A row a rater and a column a unit, for example [[1, 2], …]."
        )
    rows = [[_answer(value) for value in row] for row in table]
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise UserError(
            f"The rows of the ratings have {min(lengths)} to {max(lengths)} values.",
            valid="Every row has a place for every unit; a missing rating is None.",
        )
    if lengths == {0}:
        raise UserError("There are no ratings.", valid="A row a rater and a column a unit.")
    return rows


def _answer(value: Any) -> float | str | None:
    if value is None or isinstance(value, str):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise UserError(f"'{value}' is no rating.", valid="A number, a word, or None where there is none.") from error
    if np.isinf(number):
        raise UserError("A rating is infinite.", valid="Finite numbers; a missing one is None or NaN.")
    return None if np.isnan(number) else number


def _answers(rows: list[list[float | str | None]], categories: Sequence[Any] | None) -> list[float | str]:
    given = {value for row in rows for value in row if value is not None}
    if not given:
        raise UserError("All ratings are missing.", valid="At least two ratings of one unit.")
    if categories is not None:
        known = [value for value in (_answer(category) for category in categories) if value is not None]
        strange = sorted(map(_shown, given - set(known)))
        if strange:
            listed = ", ".join(map(_shown, known))
            raise UserError(f"The rating '{strange[0]}' is not among the categories.", valid=f"Categories: {listed}.")
        if len(set(known)) != len(known):
            raise UserError("A category is named twice.", valid="Every category once, in their order.")
        return known
    words = sorted(value for value in given if isinstance(value, str))
    numbers = sorted(value for value in given if isinstance(value, float))
    if words and numbers:
        raise UserError(
            f"The ratings mix words such as '{words[0]}' and numbers such as {numbers[0]:g}.",
            valid="All numbers, or all words.",
        )
    return [*numbers, *words]
