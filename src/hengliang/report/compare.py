"""Where do the numbers of two runs differ, and what could have made the difference?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from hengliang.core.records import Estimate, estimate_records
from hengliang.core.signature import Signature
from hengliang.core.terms import Language
from hengliang.report import words
from hengliang.report.formats import Style, is_missing
from hengliang.report.pivot import missing_reason
from hengliang.report.tables import Column, Table

_NUMBER = Style("exact", 4)
_SCHEMA: dict[str, Any] = {
    "analysis": pl.String,
    "by": pl.String,
    "statistic": pl.String,
    "left": pl.Float64,
    "left.low": pl.Float64,
    "left.high": pl.Float64,
    "left.reason": pl.String,
    "right": pl.Float64,
    "right.low": pl.Float64,
    "right.high": pl.Float64,
    "right.reason": pl.String,
    "difference": pl.Float64,
    "intervals": pl.String,
    "signatures": pl.String,
}


def _beside(side: str) -> dict[str, str]:
    return {part: f"{side}.{part}" for part in ("low", "high", "reason")}


_COLUMNS = (
    Column("analysis", words.ANALYSIS, header=True),
    Column("by", words.BY, header=True, labels={"": words.ALL}),
    Column("statistic", words.STATISTIC, header=True),
    Column("left", words.LEFT, _NUMBER, beside=_beside("left")),
    Column("right", words.RIGHT, _NUMBER, beside=_beside("right")),
    Column("difference", words.DIFFERENCE, _NUMBER),
    Column("intervals", words.INTERVALS, labels=words.INTERVAL_RELATIONS),
    Column("signatures", words.SIGNATURES_DIFFER, labels={"same": words.SAME}),
)

_Key = tuple[str, tuple[tuple[str, str], ...], str, int]


def compare_estimates(left: pl.DataFrame, right: pl.DataFrame, language: Language = "en") -> Table:
    """Line up the estimates of two runs by analysis, factors and statistic.

    The columns `intervals` (`overlap` or `apart`) and `difference` describe; neither is a test. `signatures` is `same`
    or names the keys in which the two signatures differ. A number that only one run has is shown with a dash for the
    other. Numbers that share all three keys (made by two methods) are lined up in their order.
    """
    before, after = _keyed(estimate_records(left)), _keyed(estimate_records(right))
    keys = list(dict.fromkeys([*before, *after]))
    rows = [_row(key, before.get(key), after.get(key)) for key in keys]
    frame = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    return Table(frame, _COLUMNS, language, note=words.COMPARE_NOTE)


def _keyed(estimates: Iterable[Estimate]) -> dict[_Key, Estimate]:
    found: dict[_Key, Estimate] = {}
    for estimate in estimates:
        by = tuple(sorted(estimate.by.items()))
        number = 0
        while (estimate.analysis, by, estimate.statistic, number) in found:
            number += 1
        found[estimate.analysis, by, estimate.statistic, number] = estimate
    return found


def _row(key: _Key, left: Estimate | None, right: Estimate | None) -> dict[str, Any]:
    analysis, _, statistic, _ = key
    either = left or right
    row: dict[str, Any] = {
        "analysis": analysis,
        "by": " · ".join(f"{factor}: {level}" for factor, level in (either.by.items() if either else ())),
        "statistic": statistic,
        "difference": _difference(left, right),
        "intervals": interval_relation(left, right),
        "signatures": differing_keys(left.signature, right.signature) if left and right else None,
    }
    for side, estimate, other in (("left", left, "only_right"), ("right", right, "only_left")):
        row[side] = estimate.value if estimate else None
        row[f"{side}.low"] = estimate.low if estimate else None
        row[f"{side}.high"] = estimate.high if estimate else None
        row[f"{side}.reason"] = missing_reason(estimate) if estimate else other
    return row


def _difference(left: Estimate | None, right: Estimate | None) -> float | None:
    if left is None or right is None or left.value is None or right.value is None:
        return None
    return right.value - left.value


def interval_relation(left: Estimate | None, right: Estimate | None) -> str | None:
    """Return whether two intervals `overlap` or lie `apart`; nothing when a bound is not known. This is no test."""
    bounds = [bound for side in (left, right) if side for bound in (side.low, side.high) if bound is not None]
    if len(bounds) < 4 or any(map(is_missing, bounds)):
        return None
    return "overlap" if max(bounds[0], bounds[2]) <= min(bounds[1], bounds[3]) else "apart"


def differing_keys(left: str, right: str) -> str:
    """Return the keys in which two signature lines differ, or `same`."""
    if left == right:
        return "same"
    before, after = dict(Signature.parse(left).pairs), dict(Signature.parse(right).pairs)
    keys = [key for key in dict.fromkeys([*before, *after]) if before.get(key) != after.get(key)]
    # Lines can differ and the pairs agree, when only their order does; equal pairs promise equal numbers.
    return ", ".join(keys) if keys else "same"
