"""How are the findings on descriptions said in words?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from hengliang.analysis.descriptions.argument_order import BOTH_PLACES, SHAPE_FIRST
from hengliang.analysis.descriptions.finding_titles import LEVELS
from hengliang.analysis.descriptions.size_trends import ALL, COEFFICIENT, SLOPE, TREND
from hengliang.core.records import Estimate, estimate_records
from hengliang.core.terms import Bilingual
from hengliang.statistics.results import p_remark, write_statistic

ALPHA = 0.05
SAID: tuple[str, ...] = (
    "parsed whole",
    "vague expressions (narrow)",
    "vague expressions (wide)",
    "descriptions with a vague word (narrow)",
    "complete, of those parsed whole (pragmatic)",
    "complete, none of the others (pragmatic)",
    "complete, all of the others (pragmatic)",
    "complete and true of the scene, of those parsed whole (pragmatic)",
    "complete, of those parsed whole (semantic)",
    "words",
    "expressions, of those parsed whole",
)
"""The measures of which there is a sentence, in this order."""

Found = Mapping[tuple[str, str, str], Estimate]
"""Estimates by measure, size and statistic."""


def finding_sentences(estimates: pl.DataFrame) -> tuple[Bilingual, ...]:
    """Return a sentence for each of the measures that matter most, then those on the order of arguments."""
    found = {(one.by["measure"], one.by["size"], one.statistic): one for one in estimate_records(estimates)}
    told = [_by_size(found, measure) for measure in SAID if any(key[0] == measure for key in found)]
    return (*told, *_order(found))


def _by_size(found: Found, measure: str) -> Bilingual:
    sized = [one for (name, size, _), one in found.items() if name == measure and size.isdecimal()]
    title = LEVELS[measure]
    trend = _trend(found, measure)
    english = "; ".join(f"{one.by['size']} things {write_value(one)}" for one in sized)
    chinese = "；".join(f"{one.by['size']} 个物体 {write_value(one)}" for one in sized)
    return Bilingual(f"{title.en}: {english}{trend.en}.", f"{title.zh}：{chinese}{trend.zh}。")


def write_value(one: Estimate) -> str:
    """Write a share in per cent or a mean, with its interval.

    >>> write_value(Estimate("", {}, "share", 0.125, 0.1, 0.15))
    '12.5 % [10.0, 15.0]'
    """
    factor, digits, unit = (100, 1, " %") if one.statistic == "share" else (1, 2, "")
    if one.value is None:
        return "–"
    value = f"{write_statistic(factor * one.value, digits)}{unit}"
    if one.low is None or one.high is None:
        return value
    return f"{value} [{write_statistic(factor * one.low, digits)}, {write_statistic(factor * one.high, digits)}]"


def _trend(found: Found, measure: str) -> Bilingual:
    """Say whether it rises or falls with the size: by the mixed model, or by the slope where there is no model."""
    held = [found.get((measure, TREND, statistic)) for statistic in (COEFFICIENT, SLOPE)]
    one = next((one for one in held if one is not None and one.value is not None and one.p is not None), None)
    if one is None or one.value is None or one.p is None:
        return Bilingual("", "")
    words = _direction(one.value, one.p)
    numbers = f"b = {write_statistic(one.value)}{_interval(one)}, {p_remark(one.p)}"
    how = _MODEL if one.statistic == COEFFICIENT else _LEAST_SQUARES
    return Bilingual(f"; {words.en} ({how.en}: {numbers})", f"；{words.zh}（{how.zh}：{numbers}）")


_MODEL = Bilingual("mixed model, for each doubling", "混合模型，每翻一倍")
_LEAST_SQUARES = Bilingual("least squares, for each doubling", "最小二乘，每翻一倍")


def _direction(value: float, p: float) -> Bilingual:
    if p > ALPHA:
        return Bilingual("no trend over sizes is certain", "随规模变化的趋势不能确定")
    rises, falls = Bilingual("rises with the size", "随规模上升"), Bilingual("falls with the size", "随规模下降")
    return rises if value > 0 else falls


def _interval(one: Estimate) -> str:
    if one.low is None or one.high is None:
        return ""
    return f" [{write_statistic(one.low)}, {write_statistic(one.high)}]"


def _order(found: Found) -> Iterable[Bilingual]:
    for measure in (SHAPE_FIRST, BOTH_PLACES):
        share, test = found.get((measure, ALL, "share")), found.get((measure, ALL, COEFFICIENT))
        if share is None:
            continue
        title = LEVELS[measure]
        tested = ""
        if test is not None and test.value is not None and test.p is not None:
            tested = f"; b = {write_statistic(test.value)}{_interval(test)}, {p_remark(test.p)}"
        yield Bilingual(
            f"{title.en}: {write_value(share)} of {share.n} ({_NULL[measure].en}{tested}).",
            f"{title.zh}：{share.n} 例中 {write_value(share)}（{_NULL[measure].zh}{tested.replace('; ', '；', 1)}）。",
        )


_NULL = {
    SHAPE_FIRST: Bilingual("indifference would give 50 %", "若无偏好应为 50 %"),
    BOTH_PLACES: Bilingual("indifference would give 0", "若无偏好应为 0"),
}
