"""Tables of ratings by rater and unit, with gaps, and the results of measures of agreement.

`Ratings` is what the coefficients of this folder read; `AgreementValue` and `AgreementResult` are what they return.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate
from hengliang.core.signature import Signature, Value, digest, version
from hengliang.core.terms import Bilingual
from hengliang.statistics.results import DASH, p_remark, write_bounded, write_percent_level, write_statistic

# --- ratings by rater and unit ----------------------------------------------------------------------------------------


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Table = Sequence[Sequence[Any]] | NDArray[Any]

MISSING = -1
"""The code of a rating that is not there."""


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Ratings as codes of answers, one row per rater, one column per unit; -1 is a rating that is not there.

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
        """Take a table with one row per rater and one column per unit; None and NaN are missing.

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
        code_of = {answer: number for number, answer in enumerate(known)}
        codes = np.array([[MISSING if cell is None else code_of[cell] for cell in row] for row in rows], dtype=np.int64)
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
        """Take a long table with one rating per row; a rater who rated a unit twice is refused."""
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
        row, column = ({name: n for n, name in enumerate(names)} for names in (raters, units))
        triples = frame.select(pl.col(rater).cast(pl.String), pl.col(unit).cast(pl.String), pl.col(rating))
        for who, what, answer in triples.iter_rows():
            rows[row[who]][column[what]] = answer
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
        """Return how often each answer was given to each unit, one row per unit."""
        flat = self.codes + np.arange(len(self.units)) * len(self.answers)
        flat = flat[self.codes != MISSING]
        counts = np.bincount(flat, minlength=len(self.units) * len(self.answers))
        return counts.reshape(len(self.units), len(self.answers)).astype(np.float64)

    def numbers(self) -> Floats:
        """Return the ratings as numbers, NaN where there is none."""
        self.need_numbers("This")
        by_code = np.append(self.values, np.nan)
        numbers: Floats = by_code[self.codes]
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
    occurring = {value for row in rows for value in row if value is not None}
    if not occurring:
        raise UserError("All ratings are missing.", valid="At least two ratings of one unit.")
    if categories is not None:
        known = [value for value in (_answer(category) for category in categories) if value is not None]
        strange = sorted(map(_shown, occurring - set(known)))
        if strange:
            listed = ", ".join(map(_shown, known))
            raise UserError(f"The rating '{strange[0]}' is not among the categories.", valid=f"Categories: {listed}.")
        if len(set(known)) != len(known):
            raise UserError("A category is named twice.", valid="Every category once, in their order.")
        return known
    words = sorted(value for value in occurring if isinstance(value, str))
    numbers = sorted(value for value in occurring if isinstance(value, float))
    if words and numbers:
        raise UserError(
            f"The ratings mix words such as '{words[0]}' and numbers such as {numbers[0]:g}.",
            valid="All numbers, or all words.",
        )
    return [*numbers, *words]


# --- values and results of agreement ----------------------------------------------------------------------------------
# A measure of agreement comes with its interval, or with the reason why it is not defined.

NOT_KNOWN = math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementValue:
    """One number of agreement. What could not be computed is NaN, and `reason` says why.

    `statistic` is the plain name, `symbol` what a results section writes, `by` what the number is about (a pair of
    raters, a category). `test` is the statistic that p comes from (`F(5, 15)`, `z`). `bounded` says that the value
    cannot exceed 1 and is written without the zero before the point.
    """

    statistic: str
    symbol: str
    value: float
    n: int
    low: float = NOT_KNOWN
    high: float = NOT_KNOWN
    level: float = 0.95
    error: float = NOT_KNOWN
    test: str = ""
    test_value: float = NOT_KNOWN
    p: float | None = None
    df: tuple[float, ...] = ()
    by: Mapping[str, str] = field(default_factory=dict)
    method: str = ""
    bounded: bool = True
    digits: int = 3
    reason: Bilingual | None = None
    title: Bilingual | None = None
    """What the number is called where several stand side by side."""

    @property
    def is_defined(self) -> bool:
        """Whether there is a number."""
        return not math.isnan(self.value)

    def about(self) -> str:
        """Return what the number is about, as text."""
        return ", ".join(f"{factor} {level}" for factor, level in self.by.items())

    def __str__(self) -> str:
        if not self.is_defined:
            return f"{self.symbol} = {DASH}"
        parts = [f"{self.symbol} = {self._bound(self.value)}"]
        if not (math.isnan(self.low) or math.isnan(self.high)):
            parts.append(f"{write_percent_level(self.level)} CI [{self._bound(self.low)}, {self._bound(self.high)}]")
        if not math.isnan(self.error):
            parts.append(f"SE = {self._bound(self.error)}")
        if self.p is not None:
            parts += [f"{self.test} = {write_statistic(self.test_value)}"] if self.test else []
            parts.append(p_remark(self.p))
        return ", ".join(parts)

    def _bound(self, number: float) -> str:
        return (write_bounded if self.bounded else write_statistic)(number, self.digits)

    def estimate(
        self, analysis: str, by: Mapping[str, str] | None, signature: str, n_missing: int | None = None
    ) -> Estimate:
        """Return the number as an estimate."""
        return Estimate(
            analysis,
            {**(by or {}), **self.by},
            self.statistic,
            _known(self.value),
            _known(self.low),
            _known(self.high),
            df=self.df,
            p=self.p,
            n=self.n,
            n_missing=n_missing,
            method=self.method if self.reason is None else f"{self.method}; not defined: {self.reason.en}",
            signature=signature,
        )


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _called(value: AgreementValue, shown: int) -> Bilingual:
    """Return the name of a number, for a sentence that reports several."""
    if shown < 2 or value.title is None:
        return Bilingual("", "")
    return Bilingual(f"{value.title.en} ", f"{value.title.zh} ")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementResult:
    """How far some raters agree: the main number first, further ones (pairs, categories, forms) after it.

    `subject` is what the sentence begins with (`8 raters judged 40 units`). `conventions` holds every choice that can
    change a number, `notes` what the reader should know, `data` the checksum of the ratings.
    """

    measure: str
    title: Bilingual
    subject: Bilingual
    values: tuple[AgreementValue, ...]
    n: int
    raters: int
    n_missing: int = 0
    shown: int = 1
    """How many of the values the sentence tells."""
    conventions: Mapping[str, Value] = field(default_factory=dict)
    notes: tuple[Bilingual, ...] = ()
    data: str = ""

    @property
    def main(self) -> AgreementValue:
        """The number that the result is about."""
        return self.values[0]

    @property
    def value(self) -> float:
        """The main number itself; NaN when it is not defined."""
        return self.main.value

    def sentence(self) -> Bilingual:
        """Return the finding as a results section would say it."""
        named_values = [(_called(value, self.shown), value) for value in self.values[: self.shown]]
        told_en = "; ".join(f"{called.en}{value}" for called, value in named_values)
        told_zh = "；".join(f"{called.zh}{value}" for called, value in named_values)
        notes_en = "".join(f" {note.en}" for note in self.notes)
        notes_zh = "".join(note.zh for note in self.notes)
        reason = self.main.reason
        if reason is not None:
            notes_en, notes_zh = f" It is not defined: {reason.en}{notes_en}", f"该值无定义：{reason.zh}{notes_zh}"
        return Bilingual(
            f"{self.subject.en} ({self.title.en}: {told_en}).{notes_en}",
            f"{self.subject.zh}（{self.title.zh}：{told_zh}）。{notes_zh}",
        )

    def summary(self) -> str:
        """Return all numbers and conventions as a block of text."""
        lines = [f"{self.title.en} · {self.title.zh}", f"  {self.raters} raters, {self.n} units"]
        lines[-1] += f", {self.n_missing} missing or left out" if self.n_missing else ""
        for value in self.values:
            about = f" ({value.about()})" if value.by else ""
            method = f"  [{value.method}]" if value.method and value is self.main else ""
            name = f"{value.statistic}: " if value.title else ""
            lines.append(f"  {name}{value}{about}{method}" + (f": {value.reason.en}" if value.reason else ""))
        lines += [f"  convention {name}: {setting}" for name, setting in self.conventions.items()]
        return "\n".join([*lines, "  " + self.sentence().en, "  " + self.sentence().zh])

    def signature(self) -> Signature:
        """Return the measure, its conventions and the checksum of the ratings."""
        parts: dict[str, Value | Signature] = {"hengliang": version(), "measure": self.measure}
        return Signature.of(**parts, **dict(self.conventions), data=self.data)

    def estimates(self, analysis: str, by: Mapping[str, str] | None = None) -> Iterator[Estimate]:
        """Give every number as an estimate."""
        signature = str(self.signature())
        for value in self.values:
            yield value.estimate(analysis, by, signature, self.n_missing if value is self.main else None)

    def __str__(self) -> str:
        return self.summary()
