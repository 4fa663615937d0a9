"""What does a figure draw: which numbers, in which panels, under which labels?

The plan is independent of the drawing library. It also gives the figure in words and as a table, for readers who cannot
see it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

import polars as pl

from hengliang.core.base_classes import FigureKind, Layout
from hengliang.core.errors import unknown_name
from hengliang.core.records import Estimate, estimate_records
from hengliang.core.terms import Bilingual, Language
from hengliang.report import words
from hengliang.report.formats import Style, with_unit, write_interval
from hengliang.report.pivot import (
    STATISTIC,
    Dimension,
    Level,
    dimension_title,
    dimensions_of,
    level_of,
    level_title,
    ordered_statistics,
    statistic_label,
    statistic_style,
    titled_with_unit,
)
from hengliang.report.tables import Column, Table

MOST_SERIES = 6
MOST_ROWS = 80
SEPARATOR = " · "


@dataclass(frozen=True, slots=True)
class Point:
    """One number of a figure: its row, its series (empty when there is one), and what a reader is told about it."""

    row: int
    series: int
    value: float
    low: float | None
    high: float | None
    n: int | None
    statistic: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One statistic of a figure."""

    statistic: str
    title: Bilingual
    style: Style
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class FigurePlan:
    """What a figure draws. `rows` and `series` are labels; a figure without series has one that is not named."""

    kind: FigureKind
    panels: tuple[Panel, ...]
    rows: tuple[Bilingual, ...]
    row_title: Bilingual
    series: tuple[Bilingual, ...]
    series_title: Bilingual
    undrawn: tuple[Bilingual, ...] = ()
    simulated: bool = False
    """Whether programs gave the answers that are drawn; the figure then says so, in the picture and in words."""

    @property
    def is_too_large(self) -> bool:
        """Return whether nobody could read so many rows."""
        return len(self.rows) > MOST_ROWS


def figure_plan(estimates: pl.DataFrame, layout: Layout, *, simulated: bool = False) -> FigurePlan | None:
    """Return what the layout's figure draws; nothing when it wants none or there is nothing to draw."""
    if layout.figure not in get_args(FigureKind):
        raise unknown_name("figure", layout.figure, get_args(FigureKind))
    rows = list(estimate_records(estimates))
    statistics = _drawn_statistics(rows, layout)
    rows = [row for row in rows if row.statistic in statistics]
    drawn = [row for row in rows if _can_be_drawn(row)]
    if layout.figure == "none" or not drawn:
        return None
    dimensions = _dimensions(rows, layout)
    series_by = _series_dimension(drawn, dimensions)
    row_by = _row_dimensions(drawn, [dimension for dimension in dimensions if dimension not in series_by])
    row_keys, series_keys = _keys(drawn, row_by), _keys(drawn, series_by)
    panels = tuple(
        Panel(
            name,
            statistic_label(layout, name).title,
            statistic_style(layout, name),
            tuple(
                _point(row, row_keys[_key(row, row_by)], series_keys[_key(row, series_by)])
                for row in drawn
                if row.statistic == name
            ),
        )
        for name in statistics
    )
    return FigurePlan(
        layout.figure,
        tuple(panel for panel in panels if panel.points),
        _labels(row_keys, layout),
        _joined(dimension_title(layout, dimension) for dimension in row_by),
        _labels(series_keys, layout) if series_by else (),
        _joined(dimension_title(layout, dimension) for dimension in series_by),
        tuple(_place_name(row, dimensions, layout) for row in rows if not _can_be_drawn(row)),
        simulated,
    )


def _can_be_drawn(row: Estimate) -> bool:
    return row.value is not None and math.isfinite(row.value)


def _drawn_statistics(rows: Sequence[Estimate], layout: Layout) -> tuple[str, ...]:
    present = ordered_statistics(rows, layout)
    if layout.figure_statistics:
        return tuple(name for name in layout.figure_statistics if name in present)
    return tuple(name for name in present if statistic_label(layout, name).format != "p")


def _dimensions(rows: Sequence[Estimate], layout: Layout) -> tuple[Dimension, ...]:
    found = list(dimensions_of(rows, layout))
    if any(layout.columns in row.by for row in rows):
        found.append(Dimension(layout.columns))
    return tuple(dimension for dimension in dict.fromkeys(found) if dimension != STATISTIC)


def _series_dimension(rows: Sequence[Estimate], dimensions: Sequence[Dimension]) -> tuple[Dimension, ...]:
    """Choose the factor that is told by colour and shape: the systems if there are, for they are what is compared."""
    if len(dimensions) < 2:
        return ()
    candidates = sorted(dimensions, key=lambda dimension: dimension.name != "system")
    few = (one for one in candidates if 1 < len({level_of(row, one) for row in rows}) <= MOST_SERIES)
    return tuple(few)[:1]


def _row_dimensions(rows: Sequence[Estimate], dimensions: Sequence[Dimension]) -> tuple[Dimension, ...]:
    """Leave out what is the same in all rows, unless nothing tells rows apart: labels of many lines are not read."""
    varied = tuple(one for one in dimensions if len({level_of(row, one) for row in rows}) > 1)
    return varied or tuple(dimensions)


def _key(row: Estimate, dimensions: Sequence[Dimension]) -> tuple[Level, ...]:
    return tuple(level_of(row, dimension) for dimension in dimensions)


def _keys(rows: Iterable[Estimate], dimensions: Sequence[Dimension]) -> dict[tuple[Level, ...], int]:
    found = dict.fromkeys(_key(row, dimensions) for row in rows)
    return {key: number for number, key in enumerate(found)}


def _point(row: Estimate, place: int, series: int) -> Point:
    low, high = (None if bound is None or not math.isfinite(bound) else bound for bound in (row.low, row.high))
    return Point(place, series, float(row.value or 0.0), low, high, row.n, row.statistic)


def _joined(titles: Iterable[Bilingual]) -> Bilingual:
    given = list(titles)
    return Bilingual(SEPARATOR.join(title.en for title in given), SEPARATOR.join(title.zh for title in given))


def _labels(keys: Iterable[tuple[Level, ...]], layout: Layout) -> tuple[Bilingual, ...]:
    """Return the labels; two levels that share a title get their names beside it, for a figure merges equal labels."""
    pairs = [(_joined(level_title(layout, level) for level in key) if key else words.ALL, key) for key in keys]
    en, zh = Counter(label.en for label, _ in pairs), Counter(label.zh for label, _ in pairs)
    found = []
    for label, key in pairs:
        name = SEPARATOR.join(level or "" for level in key)
        found.append(
            Bilingual(
                label.en if en[label.en] == 1 else f"{label.en} ({name})",
                label.zh if zh[label.zh] == 1 else f"{label.zh}（{name}）",
            )
        )
    return tuple(found)


def _place_name(row: Estimate, dimensions: Sequence[Dimension], layout: Layout) -> Bilingual:
    levels = [level_title(layout, level_of(row, name)) for name in dimensions]
    return _joined([*levels, statistic_label(layout, row.statistic).title])


# --- in words -------------------------------------------------------------------------------------------------------


def point_name(plan: FigurePlan, point: Point, language: Language) -> str:
    """Return which row and series a point belongs to."""
    names = [plan.series[point.series][language]] if plan.series else []
    # Where rows have no factor there is one row, and its label would say nothing.
    names += [plan.rows[point.row][language]] if plan.row_title.en else []
    return SEPARATOR.join(names) or words.ALL[language]


def point_text(plan: FigurePlan, panel: Panel, point: Point, language: Language) -> str:
    """Return what a reader is told who points at a mark."""
    interval = write_interval(point.low, point.high, panel.style)
    lines = [point_name(plan, point, language)]
    lines.append(
        " ".join(part for part in (panel.title[language], with_unit(point.value, panel.style), interval) if part)
    )
    if point.n is not None:
        lines.append(f"n = {point.n:,}")
    return "\n".join(lines)


def figure_sentence(plan: FigurePlan) -> Bilingual:
    """Return the figure in words: whether its data are made up, and the lowest and highest number of each statistic."""
    mark = words.SIMULATED_MARK if plan.simulated else Bilingual("", "")
    english = [f"{mark.en}."] if mark.en else []
    chinese = [f"{mark.zh}。"] if mark.zh else []
    return Bilingual(
        " ".join([*english, *(_panel_sentence(plan, panel, "en") for panel in plan.panels)]),
        "".join([*chinese, *(_panel_sentence(plan, panel, "zh") for panel in plan.panels)]),
    )


def _panel_sentence(plan: FigurePlan, panel: Panel, language: Language) -> str:
    title = panel.title[language]
    lowest = min(panel.points, key=lambda point: point.value)
    highest = max(panel.points, key=lambda point: point.value)
    low, high = (with_unit(point.value, panel.style) for point in (lowest, highest))
    low_name, high_name = (point_name(plan, point, language) for point in (lowest, highest))
    if len(panel.points) == 1:
        return f"{title}: {low} ({low_name})." if language == "en" else f"{title}：{low}（{low_name}）。"
    if language == "en":
        return f"{title}: from {low} ({low_name}) to {high} ({high_name})."
    return f"{title}：最低 {low}（{low_name}），最高 {high}（{high_name}）。"


def figure_table(plan: FigurePlan) -> Table:
    """Return the figure as a table: one line a mark, raw values within."""
    marks = [(panel, point) for panel in plan.panels for point in panel.points]
    styles = tuple(panel.style for panel, _ in marks)
    headers = [
        (
            "statistic",
            words.STATISTIC,
            [(panel.statistic, titled_with_unit(panel.title, panel.style)) for panel, _ in marks],
        )
    ]
    if plan.series:
        names = [(str(point.series), plan.series[point.series]) for _, point in marks]
        headers.append(("series", plan.series_title, names))
    if plan.row_title.en:
        headers.append(("row", plan.row_title, [(str(point.row), plan.rows[point.row]) for _, point in marks]))
    columns = [Column(name, title, header=True, labels=dict(pairs)) for name, title, pairs in headers]
    columns += [
        Column("value", words.VALUE, Style("number", 3), styles, beside={"low": "low", "high": "high"}),
        Column("n", words.N, Style("integer")),
    ]
    frame = pl.DataFrame(
        [pl.Series(name, [key for key, _ in pairs], dtype=pl.String) for name, _, pairs in headers]
        + [
            pl.Series(name, [getattr(point, name) for _, point in marks], dtype=pl.Int64 if name == "n" else pl.Float64)
            for name in ("value", "low", "high", "n")
        ]
    )
    return Table(frame, tuple(columns))
