"""Which categories does a response have, and in which order?

Numbers are ordered by value; an Enum by its own order; text needs the order to be said. Categories of the scale that
nobody gave carry no information and are left out of the model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from hengliang.analysis.models.coding import level_text
from hengliang.analysis.models.design import Design, Integers
from hengliang.core.errors import UserError

MOST_CATEGORIES = 50
"""More distinct values than this are a measurement, not a rating."""

Scale = tuple[int, int] | Sequence[str] | None


@dataclass(frozen=True, slots=True, eq=False)
class CodedResponse:
    """The category of each observation from 0, the names of the categories, and those of the scale nobody gave."""

    codes: Integers
    categories: tuple[str, ...]
    unused: tuple[str, ...]


def code_response(design: Design, scale: Scale = None) -> CodedResponse:
    """Give each rating its place on the scale."""
    texts = _texts(design.response)
    if texts.is_empty():
        raise UserError("There are no ratings.", valid="A model needs at least two categories that were given.")
    order = _order(design, texts, scale)
    places = {name: place for place, name in enumerate(order)}
    unique = texts.unique().to_list()
    for name in unique:
        if name not in places:
            _refuse(design, texts, name, order, scale)
    given = set(unique)
    categories = tuple(name for name in order if name in given)
    if len(categories) < 2:
        raise UserError(
            f"All ratings in column '{design.response_name}' are equal: {categories[0]}.",
            valid="A model needs at least two categories that were given.",
        )
    return CodedResponse(
        texts.replace_strict(list(categories), list(range(len(categories))), return_dtype=pl.Int64).to_numpy(),
        categories,
        tuple(name for name in order if name not in given),
    )


def _texts(response: pl.Series) -> pl.Series:
    """Return the ratings as text, 3.0 as `3`, also where the numbers are text already."""
    if response.dtype in (pl.String, pl.Categorical) or isinstance(response.dtype, pl.Enum):
        return _plain_texts(response.cast(pl.String))
    values = response.unique().to_list()
    return response.replace_strict(values, [level_text(value) for value in values], return_dtype=pl.String)


def _plain_texts(texts: pl.Series) -> pl.Series:
    """Write equal numbers alike: `3`, `3.0` and ` 3` are one answer."""
    plain = texts.str.strip_chars()
    numbers = plain.cast(pl.Float64, strict=False)
    if not numbers.is_finite().fill_null(False).all():
        return plain
    values = numbers.unique().to_list()
    return numbers.replace_strict(values, [level_text(value) for value in values], return_dtype=pl.String)


def _order(design: Design, texts: pl.Series, scale: Scale) -> list[str]:
    if scale is not None:
        held: list[object] = list(scale)
        ends = [end for end in held if isinstance(end, int) and not isinstance(end, bool)]
        if len(held) == len(ends) == 2:
            low, high = ends
            if low >= high:
                raise UserError(
                    f"The scale ({low}, {high}) has no width.", valid="(lowest, highest), for example (1, 7)."
                )
            return [str(number) for number in range(low, high + 1)]
        names = _plain_texts(pl.Series([level_text(name) for name in held], dtype=pl.String)).to_list()
        if len(set(names)) < max(2, len(names)):
            raise UserError(
                f"The scale {names} does not name two or more different categories.",
                valid='All categories from lowest to highest: ("poor", "fair", "good").',
            )
        return names
    response = design.response
    if isinstance(response.dtype, pl.Enum):
        return _plain_texts(response.dtype.categories).to_list()
    if response.dtype == pl.Boolean:
        return ["false", "true"]
    if response.dtype.is_numeric():
        return _by_value(design, response)
    numbers = texts.cast(pl.Float64, strict=False)
    wrong = (~numbers.is_finite().fill_null(False)).arg_true()
    if len(wrong):
        raise UserError(
            f"Column '{design.response_name}', row {design.rows[wrong[0]] + 1}: '{texts[int(wrong[0])]}' is text, "
            "and nothing says which category is higher.",
            valid='scale=("poor", "fair", "good") names all categories from lowest to highest.',
            remedy="Give the scale, or an Enum column; empty the cell if it is a mistake in a column of numbers.",
        )
    return _by_value(design, numbers)


def _by_value(design: Design, response: pl.Series) -> list[str]:
    values = sorted(response.unique().to_list())
    if len(values) > MOST_CATEGORIES:
        raise UserError(
            f"Column '{design.response_name}' has {len(values)} different values: a measurement rather than a rating.",
            valid=f"At most {MOST_CATEGORIES} categories.",
            remedy="Fit a linear mixed model (family gaussian), or put the values into classes first.",
        )
    if not all(math.isfinite(value) for value in values):
        raise UserError(
            f"Column '{design.response_name}' holds an infinite value.", valid="Finite numbers; a missing one is empty."
        )
    return [level_text(value) for value in values]


def _refuse(design: Design, texts: pl.Series, name: str, order: list[str], scale: Scale) -> None:
    rows = (texts == name).arg_true()
    more = f" ({len(rows)} such rows)" if len(rows) > 1 else ""
    span = f"{order[0]} to {order[-1]}" if len(order) > 12 else ", ".join(order)
    raise UserError(
        f"Column '{design.response_name}', row {design.rows[rows[0]] + 1}: '{name}' is not on the scale{more}.",
        valid=f"The scale: {span}.",
        remedy="Correct or empty these cells, or give the scale that was used.",
    )


def describe_categories(coded: CodedResponse) -> str:
    """Write the categories in their order."""
    return " < ".join(coded.categories)
