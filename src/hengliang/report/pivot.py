"""How do estimates become a table of rows and columns, with nothing lost on the way?

The layout names the factors of the rows and what makes the columns. A factor it forgets joins the rows, and so does the
method when the same number was made in two ways: no estimate is dropped and none hides another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from hengliang.core.base_classes import Layout, StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate, estimate_records
from hengliang.core.terms import Bilingual, Language, both
from hengliang.report import words
from hengliang.report.formats import PERCENT, Style, is_missing
from hengliang.report.tables import Column, Table
from hengliang.statistics.results import write_df

_COMPANIONS: dict[str, Any] = {
    "low": pl.Float64,
    "high": pl.Float64,
    "df": pl.String,
    "p": pl.Float64,
    "n": pl.Int64,
    "n_missing": pl.Int64,
    "reason": pl.String,
}

Level = str | None


@dataclass(frozen=True, slots=True)
class Dimension:
    """Something by which estimates differ: a factor of `by`, or the field `statistic` or `method`."""

    name: str
    is_field: bool = False


STATISTIC = Dimension("statistic", is_field=True)
METHOD = Dimension("method", is_field=True)


@dataclass(frozen=True, slots=True)
class Grid:
    """Where every estimate stands: the dimensions of rows and columns, and the estimate's number in each place."""

    dimensions: tuple[Dimension, ...]
    columns: Dimension
    row_levels: tuple[tuple[Level, ...], ...]
    column_levels: tuple[Level, ...]
    places: dict[tuple[tuple[Level, ...], Level], int]


def statistic_label(layout: Layout, statistic: str) -> StatisticLabel:
    """Return the label of a statistic; one without a label goes by its name."""
    return layout.statistics.get(statistic) or StatisticLabel(both(statistic))


def statistic_style(layout: Layout, statistic: str) -> Style:
    """Return how the values of a statistic are written."""
    label = statistic_label(layout, statistic)
    return Style(label.format, label.digits)


def statistic_title(layout: Layout, statistic: str) -> Bilingual:
    """Return the title of a statistic with its unit."""
    return titled_with_unit(statistic_label(layout, statistic).title, statistic_style(layout, statistic))


def titled_with_unit(title: Bilingual, style: Style) -> Bilingual:
    """Return a title that says when the values below it are percentages."""
    unit = PERCENT if style.format == "percent" else ""
    return Bilingual(title.en + unit, title.zh + unit)


def factor_title(layout: Layout, factor: str) -> Bilingual:
    """Return the title of a factor."""
    return layout.factors.get(factor) or both(factor)


def dimension_title(layout: Layout, dimension: Dimension) -> Bilingual:
    """Return the title of a dimension."""
    own = {STATISTIC: words.STATISTIC, METHOD: words.METHOD}
    return own.get(dimension) or factor_title(layout, dimension.name)


def level_title(layout: Layout, level: Level) -> Bilingual:
    """Return the title of a level; an estimate without the factor is about all of its levels together."""
    if level is None:
        return words.ALL
    return layout.levels.get(level) or both(level)


def level_of(estimate: Estimate, dimension: Dimension) -> Level:
    """Return where the estimate stands on a dimension."""
    if dimension.is_field:
        return str(getattr(estimate, dimension.name))
    return estimate.by.get(dimension.name)


def missing_reason(estimate: Estimate | None) -> str | None:
    """Return why there is no value, as a code of `words.REASONS`; nothing when there is one."""
    if estimate is None:
        return "not_estimated"
    if not is_missing(estimate.value):
        return None
    return "no_data" if estimate.n == 0 else "not_computable"


def dimension_named(name: str, factors: Collection[str]) -> Dimension:
    """Return what a layout means by a name: `statistic` always the field, `method` the field unless a factor has it."""
    return Dimension(name, is_field=name == "statistic" or (name == "method" and name not in factors))


def dimensions_of(estimates: Sequence[Estimate], layout: Layout) -> tuple[Dimension, ...]:
    """Return the dimensions of the rows: those of the layout that occur, then whatever it takes to keep all apart."""
    factors = dict.fromkeys(factor for estimate in estimates for factor in estimate.by)
    columns = dimension_named(layout.columns, factors)
    named = [dimension_named(name, factors) for name in layout.rows]
    found = [dimension for dimension in named if dimension.is_field or dimension.name in factors]
    # The statistic leads the rows when it does not head the columns, for a number must say what it is.
    found = found if STATISTIC in found else [STATISTIC, *found]
    found += [Dimension(factor) for factor in factors]
    dimensions = [dimension for dimension in dict.fromkeys(found) if dimension != columns]
    if METHOD not in dimensions and _clash(estimates, [*dimensions, columns]):
        dimensions.append(METHOD)
    clash = _clash(estimates, [*dimensions, columns])
    if clash:
        raise UserError(
            f"The analysis '{clash.analysis}' gives the number '{clash.statistic}' of {dict(clash.by)} twice.",
            valid="Estimates of one analysis differ in a factor, in the statistic or in the method.",
            remedy="Add a factor to Estimate.by that tells the two apart.",
        )
    return tuple(dimensions)


def _clash(estimates: Sequence[Estimate], dimensions: Sequence[Dimension]) -> Estimate | None:
    keys = [tuple(level_of(estimate, dimension) for dimension in dimensions) for estimate in estimates]
    counts = Counter(keys)
    return next((estimate for estimate, key in zip(estimates, keys, strict=True) if counts[key] > 1), None)


def ordered_statistics(estimates: Iterable[Estimate], layout: Layout) -> tuple[str, ...]:
    """Return the statistics that occur: those of the layout first, in its order."""
    present = dict.fromkeys(estimate.statistic for estimate in estimates)
    named = [name for name in layout.statistics if name in present]
    return tuple(dict.fromkeys([*named, *present]))


def grid_of(estimates: Sequence[Estimate], layout: Layout) -> Grid:
    """Return the place of every estimate. Levels keep the order in which they first occur."""
    dimensions = dimensions_of(estimates, layout)
    columns = dimension_named(layout.columns, {factor for estimate in estimates for factor in estimate.by})
    rank: dict[Dimension, dict[Level, int]] = {
        dimension: _ranks(level_of(row, dimension) for row in estimates) for dimension in (*dimensions, columns)
    }
    rank[STATISTIC] = _ranks(ordered_statistics(estimates, layout))
    places = {
        (tuple(level_of(estimate, dimension) for dimension in dimensions), level_of(estimate, columns)): number
        for number, estimate in enumerate(estimates)
    }

    def position(levels: tuple[Level, ...]) -> tuple[int, ...]:
        return tuple(rank[dimension][level] for dimension, level in zip(dimensions, levels, strict=True))

    rows = sorted({levels for levels, _ in places}, key=position)
    return Grid(dimensions, columns, tuple(rows), tuple(rank[columns]), places)


def _ranks(levels: Iterable[Level]) -> dict[Level, int]:
    return {level: number for number, level in enumerate(dict.fromkeys(levels))}


def estimate_table(estimates: pl.DataFrame, layout: Layout, language: Language = "en") -> Table:
    """Return estimates laid out as rows and columns, each cell `value [low, high]` with what else is known of it."""
    rows = list(estimate_records(estimates))
    return _table(rows, grid_of(rows, layout), layout, language) if rows else Table(pl.DataFrame(), (), language)


def _table(rows: list[Estimate], grid: Grid, layout: Layout, language: Language) -> Table:
    taken: set[str] = set()
    series: list[pl.Series] = []
    columns: list[Column] = []
    for number, dimension in enumerate(grid.dimensions):
        name = _free(dimension.name, taken)
        levels = [row[number] for row in grid.row_levels]
        series.append(pl.Series(name, levels, dtype=pl.String))
        columns.append(_header(name, dimension, levels, layout))
    shared = _shares_n(rows, grid)
    for level in grid.column_levels:
        places = [grid.places.get((row, level)) for row in grid.row_levels]
        held = [None if place is None else rows[place] for place in places]
        styles = _styles(held, layout) if grid.columns != STATISTIC else ()
        title = statistic_title(layout, str(level)) if grid.columns == STATISTIC else level_title(layout, level)
        style = statistic_style(layout, str(level)) if grid.columns == STATISTIC else Style("number", 3)
        name = _free("all" if level is None else level, taken)
        added, names = _companions(name, held, taken, shared)
        series += [pl.Series(name, [row.value if row else None for row in held], dtype=pl.Float64), *added]
        columns.append(Column(name, title, style, styles, beside=names, keys=tuple(places)))
    if shared:
        _add_counts(rows, grid, taken, series, columns)
    return Table(pl.DataFrame(series), tuple(columns), language)


def _header(name: str, dimension: Dimension, levels: Iterable[Level], layout: Layout) -> Column:
    present = [level for level in dict.fromkeys(levels) if level is not None]
    if dimension == STATISTIC:
        labels = {level: statistic_title(layout, level) for level in present}
    else:
        labels = {level: layout.levels[level] for level in present if level in layout.levels}
    return Column(name, dimension_title(layout, dimension), header=True, labels=labels, empty=words.ALL)


def _styles(held: Sequence[Estimate | None], layout: Layout) -> tuple[Style, ...]:
    return tuple(statistic_style(layout, row.statistic) if row else Style("number", 3) for row in held)


def _companions(
    name: str, held: Sequence[Estimate | None], taken: set[str], shared: bool
) -> tuple[list[pl.Series], dict[str, str]]:
    """Return the columns beside a value, and their names; a column with nothing in it is left out."""
    added, names = [], {}
    for part, dtype in _COMPANIONS.items():
        if shared and part in {"n", "n_missing"}:
            continue
        values = [_part(row, part) for row in held]
        if all(value is None for value in values):
            continue
        names[part] = _free(f"{name}.{part}", taken)
        added.append(pl.Series(names[part], values, dtype=dtype))
    return added, names


def _part(row: Estimate | None, part: str) -> Any:
    if part == "reason":
        return missing_reason(row)
    if row is None:
        return None
    return (write_df(row.df) or None) if part == "df" else getattr(row, part)


def _row_counts(rows: Sequence[Estimate], grid: Grid, name: str) -> list[list[int]]:
    """Return for every row of the table the different counts that its numbers have."""
    found = []
    for levels in grid.row_levels:
        places = (grid.places.get((levels, level)) for level in grid.column_levels)
        counts = (getattr(rows[place], name) for place in places if place is not None)
        found.append(list(dict.fromkeys(count for count in counts if count is not None)))
    return found


def _shares_n(rows: Sequence[Estimate], grid: Grid) -> bool:
    """Return whether the numbers of each row rest on the same n, so that one column can say it for all."""
    return all(len(counts) <= 1 for name in ("n", "n_missing") for counts in _row_counts(rows, grid, name))


def _add_counts(
    rows: Sequence[Estimate], grid: Grid, taken: set[str], series: list[pl.Series], columns: list[Column]
) -> None:
    for name, title in (("n", words.N), ("n_missing", words.MISSING)):
        counts = _row_counts(rows, grid, name)
        if any(counts):
            free = _free(name, taken)
            series.append(pl.Series(free, [values[0] if values else None for values in counts], dtype=pl.Int64))
            columns.append(Column(free, title, Style("integer")))


def _free(name: str, taken: set[str]) -> str:
    """Return the name, or with a number when a factor and a statistic share it, for columns are named once."""
    free, number = name, 2
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    taken.add(free)
    return free
