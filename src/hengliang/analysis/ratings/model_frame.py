"""Which columns of a file are numbers and which are names, for a model?

A column in which every cell is a number (or missing) is one of numbers, every other is a factor. A response that is
numbers but for a few cells is a mistake in those cells, and is named with its row.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from hengliang.analysis.ratings.numbers import Scale, as_numbers, write_rating
from hengliang.analysis.ratings.reading import ROW, RatingsFile
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.terms import Bilingual

_MOSTLY = 0.5


def model_frame(
    file: RatingsFile, response: str, others: Iterable[str], *, scale: Scale | None = None
) -> tuple[pl.DataFrame, tuple[Bilingual, ...]]:
    """Return the columns that a model uses, and notes on columns that are numbers but for some cells.

    `scale` bounds the response where it is one of numbers.
    """
    names = [response, *(name for name in dict.fromkeys(others) if name != response)]
    notes = []
    columns = []
    for name in names:
        if name not in file.columns:
            remedy = f"Name columns of {file.path}; one with spaces or signs stands in `backticks`."
            raise unknown_name("column", name, file.columns, remedy=remedy)
        column, wrong = _typed(file, name)
        columns.append(column)
        if wrong is not None and name == response:
            cell, row = file.frame[name][wrong], file.frame[ROW][wrong]
            raise UserError(
                f"The column '{name}' holds '{cell}' in row {row} of {file.path}, where a number belongs.",
                valid="Numbers; an empty cell or NA is missing.",
                remedy="Correct the cell, or empty it.",
            )
        if wrong is not None:
            notes.append(_note(file, name, wrong))
    if scale is not None:
        _check_scale(columns[0], file, scale)
    return pl.DataFrame(columns), tuple(notes)


def _typed(file: RatingsFile, name: str) -> tuple[pl.Series, int | None]:
    """Return a column as numbers, or as names with the place of the first cell that keeps it from being numbers."""
    cells = file.frame[name].str.strip_chars()
    labels = file.labels.get(name)
    numbers, wrong = as_numbers(cells, decimal_comma=file.decimal_comma)
    present = (cells != "").to_numpy().sum()
    if not wrong.len() and not labels:
        whole = numbers.drop_nulls()
        return (numbers.cast(pl.Int64) if len(whole) and (whole == whole.round()).all() else numbers).alias(name), None
    names = cells.replace(["", "NA"], None)
    names = names.replace(labels) if labels else names
    mostly = present - wrong.len() > _MOSTLY * present
    return names.alias(name), int(wrong[0]) if wrong.len() and mostly else None


def _note(file: RatingsFile, name: str, wrong: int) -> Bilingual:
    cell, row = file.frame[name][wrong], file.frame[ROW][wrong]
    return Bilingual(
        f"The column '{name}' is taken for names, because row {row} holds '{cell}'; most of its cells are numbers.",
        f"“{name}”列按名称处理，因为第 {row} 行为“{cell}”；该列大多数单元格是数字。",
    )


def _check_scale(response: pl.Series, file: RatingsFile, scale: Scale) -> None:
    if not response.dtype.is_numeric():
        return
    outside = ((response < scale.low) | (response > scale.high)).fill_null(value=False).arg_true()
    if outside.len():
        at = int(outside[0])
        more = f"; {outside.len() - 1} more such cells." if outside.len() > 1 else "."
        raise UserError(
            f"The column '{response.name}' holds {write_rating(response[at])} in row {file.frame[ROW][at]} of "
            f"{file.path}, outside the scale {scale}{more}",
            valid=f"Ratings from {write_rating(scale.low)} to {write_rating(scale.high)}.",
            remedy="Correct the cell, or give the true scale: --scale LOW-HIGH",
        )
