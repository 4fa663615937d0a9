"""How is a measure of agreement told, with its interval or with the reason why it is not defined?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hengliang.analysis.wording import DASH, p_remark, write_bounded, write_percent_level, write_statistic
from hengliang.core.records import Estimate
from hengliang.core.signature import Signature, Value, version
from hengliang.core.terms import Bilingual

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
    """Return the name of a number, for a sentence that tells several."""
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
        told = [(_called(value, self.shown), value) for value in self.values[: self.shown]]
        told_en = "; ".join(f"{called.en}{value}" for called, value in told)
        told_zh = "；".join(f"{called.zh}{value}" for called, value in told)
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
        lines += [f"  convention {name}: {held}" for name, held in self.conventions.items()]
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
