"""How is a number written for a reader?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from hengliang.core.terms import Bilingual, Language
from hengliang.statistics.results import DASH, HUGE, MINUS, signed, write_p, write_power

CellFormat = Literal["text", "percent", "number", "p", "integer", "exact"]

PERCENT = " (%)"

_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


@dataclass(frozen=True, slots=True)
class Style:
    """How the values of one column, or of one row of it, are written; `exact` counts significant digits."""

    format: CellFormat = "text"
    digits: int = 0


@dataclass(frozen=True, slots=True)
class CellText:
    """What a reader sees of one cell: the value, its interval, remarks such as `p < .001`, or why there is no value."""

    value: str
    interval: str = ""
    remarks: tuple[str, ...] = ()
    reason: str = ""

    def __str__(self) -> str:
        main = " ".join(part for part in (self.value, self.interval, f"({self.reason})" if self.reason else "") if part)
        return ", ".join((main, *self.remarks))


def is_missing(value: float | None) -> bool:
    """Return whether there is no number; a NaN is none."""
    return value is None or math.isnan(value)


def write_number(value: float, style: Style) -> str:
    """Write a number without its unit: `0.8416` as a percentage with one digit is `84.2`."""
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if style.format == "p":
        return write_p(value, style.digits)
    if style.format == "exact":
        return write_exact(value, style.digits)
    if style.format == "integer":
        return signed(f"{value:,.0f}")
    shown = value * 100 if style.format == "percent" else value
    return write_power(shown) if abs(shown) > HUGE else signed(f"{shown:,.{style.digits}f}")


def with_unit(value: float, style: Style) -> str:
    """Write a number for running text, where a percentage carries its sign."""
    return write_number(value, style) + ("%" if style.format == "percent" else "")


def write_interval(low: float | None, high: float | None, style: Style) -> str:
    """Write `[82.0, 86.1]`; a bound that is not known is a dash, and an interval without bounds is nothing."""
    if is_missing(low) and is_missing(high):
        return ""
    bounds = (DASH if bound is None or math.isnan(bound) else write_number(bound, style) for bound in (low, high))
    return f"[{', '.join(bounds)}]"


def write_exact(value: float, digits: int = 6) -> str:
    """Write a number with up to so many significant digits, for lists whose numbers are of many kinds."""
    return write_number(value, Style("number")) if math.isinf(value) else signed(f"{value:.{digits}g}")


def write_seconds(seconds: float, language: Language) -> str:
    """Write a duration in the two largest units that say something."""
    units = Bilingual("s min h", "秒 分 小时")[language].split()
    if seconds < 60:
        return f"{seconds:.1f} {units[0]}"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} {units[1]} {rest} {units[0]}"
    return f"{minutes // 60} {units[2]} {minutes % 60} {units[1]}"


def write_date(iso: str, language: Language) -> str:
    """Write an ISO time for a reader, in the zone in which it was noted; other text is left as it is."""
    try:
        time = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    day = (
        f"{time.year}年{time.month}月{time.day}日"
        if language == "zh"
        else f"{time.day} {_MONTHS[time.month - 1]} {time.year}"
    )
    if "T" not in iso and " " not in iso.strip():
        return day
    zone = time.tzname() or ""
    return f"{day} {time:%H:%M}" + (f" {zone}" if zone else "")
