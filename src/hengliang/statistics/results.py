"""Test results: what every statistical test returns, and how its numbers are written.

Every test of the package gives a `TestResult`: the statistic, p, effect sizes with intervals, and all choices that
could have been made otherwise. A result can describe itself: as a block of text (`summary`), as a sentence of a results
section in English and Chinese (`sentence`), as one line that names everything behind it (`signature`), and as
estimates. The chapter begins with the wording of numbers and ends with the checks that tests share.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from hengliang.core.errors import UserError
from hengliang.core.records import Estimate
from hengliang.core.signature import Signature, Value, digest, version
from hengliang.core.terms import Bilingual

# --- wording of numbers -----------------------------------------------------------------------------------------------
# Statistics are written as in the results section of a paper, in English and in Chinese:
#
#     χ²(1, N = 1200) = 51.39, p < .001, φ = .21
#
# Quantities that cannot exceed 1 (probabilities, correlations, φ) lose the zero before the point; all others keep it.

MINUS = "−"
DASH = "—"
HUGE = 1e9
"""Beyond this the digits of a number hide its size, as those of an estimate that has run away."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def signed(text: str) -> str:
    """Use a real minus sign, and none before a zero.

    >>> signed("-0.30"), signed("-0.00")
    ('−0.30', '0.00')
    """
    if text.startswith("-"):
        return text[1:] if not text.strip("-0.,") else MINUS + text[1:]
    return text


def write_p(value: float, digits: int = 3) -> str:
    """Write a probability of a test: no zero before the point, and never a plain zero.

    >>> write_p(0.0004), write_p(0.0342), write_p(1.0)
    ('< .001', '.034', '1.000')
    """
    if value < 10.0**-digits:
        return "< ." + "0" * (digits - 1) + "1"
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("0.") else text


def p_remark(value: float) -> str:
    """Write `p = .034` or `p < .001`."""
    text = write_p(value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def write_power(value: float) -> str:
    """Write a number with a power of ten.

    >>> write_power(-607_292_740_253.0)
    '−6.1 × 10¹¹'
    """
    digits, exponent = f"{value:.1e}".split("e")
    return signed(f"{digits} × 10{str(int(exponent)).translate(_RAISED)}")


def write_statistic(value: float, digits: int = 2) -> str:
    """Write a number that may exceed 1, with a real minus sign; what is not known is a dash.

    Beyond `HUGE` it has a power of ten.
    """
    if math.isnan(value):
        return DASH
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if abs(value) > HUGE:
        return write_power(value)
    return signed(f"{value:.{digits}f}")


def write_bounded(value: float, digits: int = 2) -> str:
    """Write a number between −1 and 1 without the zero before the point.

    >>> write_bounded(0.207), write_bounded(-0.3), write_bounded(1.0)
    ('.21', '−.30', '1.00')
    """
    text = write_statistic(value, digits)
    sign, rest = (MINUS, text[1:]) if text.startswith(MINUS) else ("", text)
    return sign + (rest[1:] if rest.startswith("0.") else rest)


def write_df(df: Iterable[float]) -> str:
    """Write degrees of freedom: `2, 57` or `14.3`; fractions have two decimals at most."""
    return ", ".join(f"{number:.2f}".rstrip("0").rstrip(".") for number in df)


def write_percent_level(level: float) -> str:
    """Write the level of an interval: `95 %`."""
    return f"{level * 100:.6g} %"


def listed(names: Iterable[str]) -> Bilingual:
    """Join names as a sentence does: `A, B and C`, `A、B和C`."""
    items = list(names)
    if len(items) < 2:
        return Bilingual("".join(items), "".join(items))
    return Bilingual(f"{', '.join(items[:-1])} and {items[-1]}", f"{'、'.join(items[:-1])}和{items[-1]}")


# --- results, samples and checks --------------------------------------------------------------------------------------


Sidedness = Literal["two-sided", "greater", "less"]
SIDES: Mapping[str, Bilingual] = {
    "two-sided": Bilingual("two-sided", "双侧"),
    "greater": Bilingual("one-sided, greater", "单侧（大于）"),
    "less": Bilingual("one-sided, less", "单侧（小于）"),
    "undirected": Bilingual("no direction", "无方向"),
}
"""How a test may look at differences; `undirected` is for tests whose statistic has no sign (χ², F, H)."""


class Result(Protocol):
    """What every result can do, whatever was computed."""

    def summary(self) -> str:
        """Return all numbers and conventions as a block of text."""
        ...

    def sentence(self) -> Bilingual:
        """Return what follows, as a results section would say it."""
        ...

    def signature(self) -> Signature:
        """Return everything that can change a number of this result."""
        ...

    def estimates(self, analysis: str, by: Mapping[str, str] | None = None) -> Iterator[Estimate]:
        """Give the numbers as estimates."""
        ...


@dataclass(frozen=True, slots=True)
class Effect:
    """How large a difference is, with its sign and its interval.

    `bounded` says that the value cannot exceed 1 and is written without the zero before the point. `method` says how
    the interval was made, or why there is none.
    """

    name: str
    symbol: str
    value: float
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    method: str = ""
    bounded: bool = True

    def __str__(self) -> str:
        write = write_bounded if self.bounded else write_statistic
        interval = ""
        if self.low is not None and self.high is not None:
            interval = f", {write_percent_level(self.level)} CI [{write(self.low)}, {write(self.high)}]"
        return f"{self.symbol} = {write(self.value)}{interval}"


@dataclass(frozen=True, slots=True)
class Variant:
    """The same test on the same data under another convention: what `users` (SPSS, R, SciPy) would print."""

    settings: Mapping[str, Value]
    users: tuple[str, ...]
    statistic: float
    p: float | None

    def describe(self) -> str:
        """Return the settings as text, with who uses them."""
        settings = ", ".join(f"{name} = {value}" for name, value in self.settings.items()) or "as it stands"
        return settings + (f" ({', '.join(self.users)})" if self.users else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """What one test found.

    `significant` and `otherwise` are the two sentences, without numbers and full stop, of which `sentence` chooses one
    by p and `alpha`. `conventions` holds every choice that can change a number, spelled out; `details` further numbers
    worth showing (medians, counts of cells) under plain names; `notes` warnings to the reader. `variants` are the
    common conventions under which p falls on the other side of `alpha` (`hengliang.statistics.conventions`). `data` is
    the checksum of what was tested. A test that belongs to a family has `adjusted_p`, by which its sentence then
    decides, and `correction` says how it was adjusted.
    """

    __test__ = False  # pytest takes every class of such a name for tests

    test: str
    title: Bilingual
    symbol: str
    statistic: float
    p: float | None
    alternative: str
    n: int
    significant: Bilingual
    otherwise: Bilingual
    df: tuple[float, ...] = ()
    n_missing: int = 0
    effects: tuple[Effect, ...] = ()
    conventions: Mapping[str, Value] = field(default_factory=dict)
    details: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[Bilingual, ...] = ()
    alpha: float = 0.05
    variants: tuple[Variant, ...] = ()
    data: str = ""
    adjusted_p: float | None = None
    correction: Bilingual | None = None

    @property
    def is_significant(self) -> bool:
        """Whether p is known and not above alpha; within a family that is the adjusted p."""
        p = self.p if self.adjusted_p is None else self.adjusted_p
        return p is not None and p <= self.alpha

    def effect(self, name: str) -> Effect:
        """Return the effect size of this name."""
        for effect in self.effects:
            if effect.name == name:
                return effect
        raise KeyError(name)

    def statistic_text(self) -> str:
        """Return `χ²(1, N = 1200) = 51.39, p < .001, φ = .21`."""
        inside = ", ".join(part for part in (write_df(self.df), f"N = {self.n}") if part)
        parts = []
        if self.symbol and not math.isnan(self.statistic):
            parts.append(f"{self.symbol}({inside}) = {write_statistic(self.statistic)}")
        else:
            parts.append(f"N = {self.n}")
        parts.append(_p_text(self.p))
        return ", ".join([*parts, *map(str, self.effects[:1])])

    def sentence(self) -> Bilingual:
        """Return the finding with its numbers, and what another convention would have found."""
        finding = self.significant if self.is_significant else self.otherwise
        side = SIDES[self.alternative]
        numbers = self.statistic_text()
        title_en, title_zh = self.title.en, self.title.zh
        adjusted = Bilingual("", "")
        if self.correction is not None and self.adjusted_p is not None:
            p = p_remark(self.adjusted_p)
            adjusted = Bilingual(f"; {self.correction.en}: {p}", f"；{self.correction.zh}：{p}")
        english = f"{finding.en} ({title_en}, {side.en}: {numbers}{adjusted.en})."
        chinese = f"{finding.zh}（{title_zh}，{side.zh}：{numbers.replace(_NO_P.en, _NO_P.zh)}{adjusted.zh}）。"
        if self.variants:
            variants = "; ".join(f"{variant.describe()}: {_p_text(variant.p)}" for variant in self.variants)
            alone = Bilingual("Without correction, o", "未校正时，") if self.correction else Bilingual("O", "")
            english += f" {alone.en}ther conventions decide otherwise at α = {self.alpha:g}: {variants}."
            chinese += f"{alone.zh}在 α = {self.alpha:g} 下，其他惯例会得出不同结论：{variants}。"
        return Bilingual(english, chinese)

    def summary(self) -> str:
        """Return everything as lines of text."""
        lines = [f"{self.title.en} · {self.title.zh}", "  " + self.statistic_text()]
        lines += [f"  {effect}" + (f" ({effect.method})" if effect.method else "") for effect in self.effects[1:]]
        lines += [f"  {name}: {value:.6g}" for name, value in self.details.items()]
        lines.append(f"  {SIDES[self.alternative].en}; {self.n} observations" + self._missing_text())
        lines += [f"  convention {name}: {value}" for name, value in self.conventions.items()]
        lines += [f"  sensitivity: {variant.describe()} gives {_p_text(variant.p)}" for variant in self.variants]
        lines += [f"  note: {note.en}" for note in self.notes]
        return "\n".join([*lines, "  " + self.sentence().en, "  " + self.sentence().zh])

    def _missing_text(self) -> str:
        return f", {self.n_missing} missing left out" if self.n_missing else ""

    def signature(self) -> Signature:
        """Return the test, its conventions and the checksum of the data."""
        parts: dict[str, Value | Signature] = {"hengliang": version(), "test": self.test}
        parts |= {"alternative": self.alternative, **dict(self.conventions)}
        return Signature.of(**parts, data=self.data)

    def method(self) -> str:
        """Return in a line how the numbers were made."""
        conventions = ", ".join(f"{name} {value}" for name, value in self.conventions.items())
        return f"{self.title.en}, {SIDES[self.alternative].en}" + (f"; {conventions}" if conventions else "")

    def estimates(self, analysis: str, by: Mapping[str, str] | None = None) -> Iterator[Estimate]:
        """Give the statistic with p, each effect size with its interval, and a row for each deviating convention."""
        levels = dict(by or {})
        signature = str(self.signature())
        yield Estimate(
            analysis,
            levels,
            self.test,
            None if math.isnan(self.statistic) else self.statistic,
            df=self.df,
            p=self.p,
            n=self.n,
            n_missing=self.n_missing,
            method=self.method(),
            signature=signature,
        )
        for effect in self.effects:
            yield Estimate(
                analysis,
                levels,
                effect.name,
                None if math.isnan(effect.value) else effect.value,
                effect.low,
                effect.high,
                n=self.n,
                n_missing=self.n_missing,
                method=effect.method or self.method(),
                signature=signature,
            )
        for variant in self.variants:
            yield Estimate(
                analysis,
                {**levels, "convention": variant.describe()},
                self.test,
                None if math.isnan(variant.statistic) else variant.statistic,
                p=variant.p,
                n=self.n,
                n_missing=self.n_missing,
                method=f"sensitivity: {variant.describe()}; otherwise {self.method()}",
                signature=signature,
            )

    def __str__(self) -> str:
        return self.summary()


_NO_P = Bilingual("p not defined", "p 无定义")


def _p_text(p: float | None) -> str:
    return _NO_P.en if p is None else p_remark(p)


@dataclass(frozen=True, slots=True)
class Sample:
    """Numbers ready for a test, and how many were left out because they were missing."""

    values: np.ndarray
    n_missing: int

    @classmethod
    def of(cls, values: ArrayLike, name: str = "the sample") -> Self:
        """Take the finite numbers; text and infinite values are the user's mistake, NaN and None are missing."""
        try:
            flat = np.ravel(unmasked(values))
            cleaned = flat if flat.dtype.kind in "biuf" else [np.nan if is_missing(value) else value for value in flat]
            numbers = np.asarray(cleaned, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise UserError(f"{name} holds something that is no number: {error}.", valid="Numbers only.") from error
        if np.isinf(numbers).any():
            raise UserError(f"{name} holds an infinite value.", valid="Finite numbers; a missing one is None or NaN.")
        present = numbers[~np.isnan(numbers)]
        return cls(present, len(numbers) - len(present))


def unmasked(values: Any) -> Any:
    """Return a masked array with NaN for what it masks, and anything else as it is."""
    if isinstance(values, np.ma.MaskedArray):
        return np.where(np.ma.getmaskarray(values), np.nan, np.asarray(values, dtype=np.float64))
    return values


def is_missing(value: object) -> bool:
    """Whether a value stands for nothing: None, NaN of any kind of number, pandas' NA."""
    try:
        return value is None or bool(value != value)  # NaN is the one number that differs from itself
    except TypeError:  # pandas' NA is neither equal nor unequal to itself
        return True


def checksum(*arrays: ArrayLike) -> str:
    """Return the checksum of what was tested, for signatures."""
    return digest(*(np.ascontiguousarray(np.asarray(array, dtype=np.float64)).tobytes() for array in arrays))


def check_magnitude(values: np.ndarray, name: str) -> None:
    """Refuse numbers so small or large that their squares, and with them variances, are not numbers any more."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest > 0 and not 1e-140 <= largest <= 1e140:
        raise UserError(
            f"The values of {name} are of the size {largest:.0e}: their squares are beyond what a computer can hold.",
            valid="Numbers whose largest lies between 1e-140 and 1e140.",
            remedy="Rescale them, take logarithms of probabilities, or use a test by ranks.",
        )


def check_sidedness(alternative: str) -> None:
    """Refuse a direction that does not exist."""
    check_choice("alternative", alternative, get_args(Sidedness))


def check_choice(what: str, value: str, known: tuple[str, ...]) -> None:
    """Refuse a value of a convention that does not exist."""
    if value not in known:
        raise UserError(f"The {what} '{value}' does not exist.", valid=f"{what}: {', '.join(known)}.")


def check_alpha(alpha: float) -> None:
    """Refuse an alpha that is not a probability."""
    if not 0 < alpha < 1:
        raise UserError(f"alpha = {alpha} is no probability of error.", valid="0 < alpha < 1, for example 0.05.")
