"""Is a recomputed number the printed one, to the printed digit?

A printed number stands for every value that rounds to it: `53.33` for 53.325 to 53.335, `< .001` for anything below.
What was recomputed may itself be a range, where the inputs were printed rounded, or a bound, where only an inequality
follows. The comparison gives one of five verdicts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Self

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.results import MINUS, signed

Verdict = Literal["same", "within rounding", "compatible", "differs", "not recomputable"]
VERDICTS: Mapping[Verdict, Bilingual] = {
    "same": Bilingual("same", "一致"),
    "within rounding": Bilingual("within rounding", "在舍入范围内"),
    "compatible": Bilingual("compatible", "不矛盾"),
    "differs": Bilingual("differs", "不一致"),
    "not recomputable": Bilingual("not recomputable", "无法重算"),
}
"""The five verdicts: the value follows; it follows from some values that the printed inputs can stand for; only a bound
follows, which it keeps; it does not follow; nothing follows."""

_NUMBER = re.compile(r"(?P<relation>[<>≤≥]?)\s*(?P<digits>[-−+]?\d*\.?\d+(?:[eE][-+]?\d+)?)\s*(?P<percent>%?)")
_SLACK = 1e-9
"""A value on the border between two printed numbers agrees with both: rounding half up and half to even both occur."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as a paper prints it: what stands there, and half a unit of its last digit."""

    text: str
    relation: str
    value: float
    half_unit: float

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `53.33`, `.21`, `< .001`, `2.2167e-06`, `8.33%`; a percentage keeps its scale.

        >>> Printed.parse(".21").half_unit, Printed.parse("2.2167e-06").half_unit
        (0.005, 5e-11)
        """
        found = _NUMBER.fullmatch(text.strip())
        if found is None:
            raise UserError(
                f"'{text}' is no printed number.", valid="For example 53.33, .21, < .001, 2.2167e-06, 8.33%."
            )
        digits = Decimal(found["digits"].replace(MINUS, "-"))
        exponent = digits.as_tuple().exponent
        half_unit = float(Decimal(5).scaleb(int(exponent) - 1))
        return cls(text.strip(), found["relation"] or "=", float(digits), half_unit)

    @property
    def low(self) -> float:
        """The least value that the printed text can stand for."""
        return {"=": self.value - self.half_unit, ">": self.value, "≥": self.value}.get(self.relation, -math.inf)

    @property
    def high(self) -> float:
        """The greatest value that the printed text can stand for."""
        return {"=": self.value + self.half_unit, "<": self.value, "≤": self.value}.get(self.relation, math.inf)

    @property
    def places(self) -> int:
        """How many digits stand after the point."""
        return max(0, round(-math.log10(2 * self.half_unit)))

    def agrees(self, low: float, high: float | None = None) -> bool:
        """Return whether a value, or some value of a range, would be printed so."""
        slack = _SLACK * max(self.half_unit, abs(self.value)) if self.relation == "=" else 0.0
        return low <= self.high + slack and (low if high is None else high) >= self.low - slack

    def rounded_twice(self, value: float) -> bool:
        """Return whether the text follows by rounding to one digit more first, and only so: 59.91496, 59.915, 59.92."""
        if self.relation != "=" or self.agrees(value):
            return False
        unit = Decimal(str(2 * self.half_unit))
        first = Decimal(repr(value)).quantize(unit / 10, rounding="ROUND_HALF_UP")
        return math.isclose(float(first.quantize(unit, rounding="ROUND_HALF_UP")), self.value, rel_tol=1e-12)

    def write(self, value: float) -> str:
        """Write a value with one digit more than were printed (59.91496 with more), in the printed style."""
        if "e" in self.text.lower():
            return f"{value:.{len(self.text.lower().split('e')[0].partition('.')[2]) + 1}e}"
        if self.relation == "<":
            return f"{value:.2g}"
        if value and abs(value) < 0.5 * 10.0 ** -(self.places + 1):
            return f"{value:.2g}"
        whole = self.places == 0 and math.isclose(value, round(value), abs_tol=1e-9)
        text = f"{value:.0f}" if whole else f"{value:.{self.places + (3 if self.rounded_twice(value) else 1)}f}"
        percent = "%" if self.text.endswith("%") else ""
        if self.text.lstrip("<>≤≥ -−").startswith("."):
            text = re.sub(r"^(-?)0\.", r"\1.", text)
        return signed(text) + percent


@dataclass(frozen=True, slots=True)
class Recomputed:
    """What follows from a paper's other numbers for one claim.

    Nothing follows where `value` is None; then `note` says what is missing. `low` and `high` are the range within
    which the value lies because its inputs were printed rounded, or, with `bound`, all that follows. A text is
    compared as it stands. `note` is how the value was made, and where it differs, why.
    """

    value: float | str | None
    note: Bilingual
    low: float | None = None
    high: float | None = None
    bound: bool = False

    def ends(self) -> tuple[float, float]:
        """Return the range of a number; where there is none, the number twice."""
        if not isinstance(self.value, int | float):
            raise TypeError("only a number has a range")
        return (
            float(self.value) if self.low is None else self.low,
            float(self.value) if self.high is None else self.high,
        )

    def write(self, published: str) -> str:
        """Write the value in the style of the published one."""
        if self.value is None:
            return "—"
        if isinstance(self.value, str):
            return self.value
        printed = Printed.parse(published)
        if self.bound:
            return _write_range(printed, self.low, self.high)
        return printed.write(float(self.value))


def _write_range(printed: Printed, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "—" if low is None and high is None else _one_end(printed, low, high)
    return printed.write(low) if low == high else f"{printed.write(low)} … {printed.write(high)}"


def _one_end(printed: Printed, low: float | None, high: float | None) -> str:
    return f"≥ {printed.write(low)}" if low is not None else f"≤ {printed.write(high or 0.0)}"


def judge(published: str, recomputed: Recomputed) -> Verdict:
    """Compare a published text with what was recomputed."""
    value = recomputed.value
    if value is None:
        return "not recomputable"
    if isinstance(value, str):
        if recomputed.bound:
            return "compatible" if value == published else "differs"
        return "same" if value == published else "differs"
    printed = Printed.parse(published)
    if recomputed.bound:
        low = -math.inf if recomputed.low is None else recomputed.low
        high = math.inf if recomputed.high is None else recomputed.high
        return "compatible" if printed.agrees(low, high) else "differs"
    if printed.agrees(float(value)):
        return "same"
    return "within rounding" if printed.agrees(*recomputed.ends()) else "differs"
