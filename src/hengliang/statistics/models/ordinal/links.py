"""Links, thresholds and responses of ordinal models: category probabilities and their derivatives.

A category lies between an upper and a lower point on the latent scale: p = F(upper) − F(lower), with F logistic or
normal. The fit needs log p and its derivatives where both differences and tails are tiny, so nothing here subtracts two
probabilities. Write D for the derivative when both points move together; the linear predictor moves them by −1. For the
logistic F, log p splits into log F(upper) + log(1 − F(lower)) + a function of the distance, which D does not see: its
derivatives are then plain logistic densities. After the links come the thresholds that make the points, and the coding
of ratings as categories.

[1] Christensen, R. H. B. (2022). ordinal: regression models for ordinal data. R package 2022.11-16.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, Protocol

import numpy as np
import polars as pl
import scipy

from hengliang.core.errors import UserError
from hengliang.statistics.models.design import Design, Floats, Integers, level_text

# --- logit and probit links -------------------------------------------------------------------------------------------


LinkName = Literal["logit", "probit"]

_LOG_ROOT_TWO_PI = 0.5 * math.log(2 * math.pi)
_NARROW = 1e-5
"""Below this width a normal interval is its height in the middle times its width, to better than 1e-16."""


@dataclass(frozen=True, slots=True)
class Slopes:
    """How log p changes with the two points.

    `upper` and `lower` are the derivatives by each point; `upper_1`, `upper_2` are D and D² of `upper`, and the same
    for `lower`.
    """

    upper: Floats
    lower: Floats
    upper_1: Floats
    lower_1: Floats
    upper_2: Floats
    lower_2: Floats


@dataclass(frozen=True, slots=True)
class Curvature:
    """The second derivatives of log p by the two points."""

    upper_upper: Floats
    upper_lower: Floats
    lower_lower: Floats


class Link(Protocol):
    """A distribution function on the latent scale; all functions take the upper and the lower points."""

    @property
    def name(self) -> LinkName:
        """What the link is called."""
        ...

    @property
    def spread(self) -> float:
        """The variance of the latent error."""
        ...

    def cumulative(self, point: Floats) -> Floats:
        """Return F."""
        ...

    def log_probability(self, upper: Floats, lower: Floats) -> Floats:
        """Return log p; the upper points lie above the lower ones."""
        ...

    def common(self, upper: Floats, lower: Floats) -> tuple[Floats, Floats]:
        """Return D log p, and the weight −D² log p, which is not negative."""
        ...

    def slopes(self, upper: Floats, lower: Floats) -> Slopes:
        """Return what a gradient of the Laplace approximation needs."""
        ...

    def curvature(self, upper: Floats, lower: Floats) -> Curvature:
        """Return what the Hessian of a model without random effects needs."""
        ...


@dataclass(frozen=True, slots=True)
class Logit:
    """The logistic distribution: coefficients are log odds ratios."""

    name: LinkName = "logit"
    spread: float = math.pi**2 / 3

    def cumulative(self, point: Floats) -> Floats:
        """Return F."""
        return np.asarray(scipy.special.expit(point))

    def log_probability(self, upper: Floats, lower: Floats) -> Floats:
        """Return log p."""
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            distance = np.log(-np.expm1(lower - upper))
        return np.asarray(scipy.special.log_expit(upper) + scipy.special.log_expit(-lower) + distance)

    def common(self, upper: Floats, lower: Floats) -> tuple[Floats, Floats]:
        """Return D log p and the weight."""
        above, below = scipy.special.expit(-upper), scipy.special.expit(lower)
        return above - below, above * (1 - above) + below * (1 - below)

    def slopes(self, upper: Floats, lower: Floats) -> Slopes:
        """Return the derivatives by each point, and D and D² of them."""
        above, below = scipy.special.expit(-upper), scipy.special.expit(lower)
        with np.errstate(over="ignore"):
            distance = 1 / np.expm1(upper - lower)
        density_above, density_below = above * (1 - above), below * (1 - below)
        return Slopes(
            above + distance,
            -below - distance,
            -density_above,
            -density_below,
            density_above * (1 - 2 * above),
            -density_below * (1 - 2 * below),
        )

    def curvature(self, upper: Floats, lower: Floats) -> Curvature:
        """Return the second derivatives."""
        above, below = scipy.special.expit(-upper), scipy.special.expit(lower)
        # cosh − 1 = 2 sinh²(x/2): this form neither overflows early nor cancels at a small distance.
        with np.errstate(over="ignore"):
            distance = 0.25 / np.sinh(0.5 * (upper - lower)) ** 2
        return Curvature(-above * (1 - above) - distance, distance, -below * (1 - below) - distance)


@dataclass(frozen=True, slots=True)
class Probit:
    """The normal distribution: coefficients are in standard deviations of the latent scale."""

    name: LinkName = "probit"
    spread: float = 1.0

    def cumulative(self, point: Floats) -> Floats:
        """Return F."""
        return np.asarray(scipy.special.ndtr(point))

    def log_probability(self, upper: Floats, lower: Floats) -> Floats:
        """Return log p."""
        # The interval is mirrored into the lower tail, where the logarithm of F keeps all its digits.
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            mirror = lower > -upper
            high = np.where(mirror, -lower, upper)
            log_high, log_low = scipy.special.log_ndtr(high), scipy.special.log_ndtr(np.where(mirror, -upper, lower))
            wide = log_high + np.log(-np.expm1(log_low - log_high))
            width = upper - lower
            middle = 0.5 * (upper + lower)
            narrow = -0.5 * middle**2 - _LOG_ROOT_TWO_PI + np.log(width) + np.log1p(width**2 * (middle**2 - 1) / 24)
            return np.where(width < _NARROW, narrow, wide)

    def common(self, upper: Floats, lower: Floats) -> tuple[Floats, Floats]:
        """Return D log p and the weight."""
        above, below, rate_above, rate_below = self._densities(upper, lower)
        first = above + below
        return first, np.maximum(first * first - above * rate_above - below * rate_below, 0.0)

    def slopes(self, upper: Floats, lower: Floats) -> Slopes:
        """Return the derivatives by each point, and D and D² of them."""
        above, below, rate_above, rate_below = self._densities(upper, lower)
        first = above + below
        above_1, below_1 = above * (rate_above - first), below * (rate_below - first)
        second = above_1 + below_1
        return Slopes(
            above,
            below,
            above_1,
            below_1,
            above_1 * (rate_above - first) - above * (1 + second),
            below_1 * (rate_below - first) - below * (1 + second),
        )

    def curvature(self, upper: Floats, lower: Floats) -> Curvature:
        """Return the second derivatives."""
        above, below, rate_above, rate_below = self._densities(upper, lower)
        return Curvature(above * (rate_above - above), -above * below, below * (rate_below - below))

    def _densities(self, upper: Floats, lower: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the densities at both points over p (the lower with a minus), and minus the points where finite."""
        log_p = self.log_probability(upper, lower)
        with np.errstate(over="ignore", invalid="ignore"):
            above = np.exp(-0.5 * upper * upper - _LOG_ROOT_TWO_PI - log_p)
            below = -np.exp(-0.5 * lower * lower - _LOG_ROOT_TWO_PI - log_p)
        return above, below, np.where(np.isinf(upper), 0.0, -upper), np.where(np.isinf(lower), 0.0, -lower)


LINKS: dict[str, Link] = {"logit": Logit(), "probit": Probit()}


# --- thresholds -------------------------------------------------------------------------------------------------------
# A model with K categories has K − 1 thresholds θ = Jα. `flexible` leaves them free; `symmetric` puts them in mirrored
# pairs round a centre; `equidistant` sets them one spacing apart. The matrices J are those of R's `ordinal` package
# [1].
#
# Thresholds may differ between cells of the data (each rater has their own) and may shift with numeric columns. Where a
# cell never uses a category, the likelihood is greatest when that category has no width: its two thresholds are one,
# and a threshold beyond the last category used lies at infinity. Such thresholds are not parameters.

ThresholdKind = Literal["flexible", "symmetric", "equidistant"]


def threshold_matrix(kind: ThresholdKind, categories: int) -> tuple[Floats, tuple[str, ...]]:
    """Return J (one row per threshold) and the names of its columns; a flexible column has an empty name."""
    borders = categories - 1
    if kind == "flexible" or borders == 1:
        return np.eye(borders), ("",) * borders
    if kind == "equidistant":
        return np.column_stack([np.ones(borders), np.arange(borders, dtype=np.float64)]), ("threshold.1", "spacing")
    half = borders // 2
    centres = 1 if borders % 2 else 2
    matrix = np.zeros((borders, centres + (borders - centres) // 2))
    for border in range(borders):
        mirrored = min(border, borders - 1 - border)
        side = -1.0 if border < half else 1.0
        matrix[border, 0 if centres == 1 or border < half else 1] = 1.0
        distance = half - mirrored - (0 if centres == 1 else 1)
        if distance:
            matrix[border, centres + distance - 1] = side
    spacings = tuple(f"spacing.{number + 1}" for number in range(matrix.shape[1] - centres))
    return matrix, (("central",) if centres == 1 else ("central.1", "central.2")) + spacings


@dataclass(frozen=True, slots=True, eq=False)
class Thresholds:
    """All thresholds of a model as a linear function of its threshold parameters α.

    `matrix` has a row for each cell and threshold (cell by cell) and a column for each parameter; `offset` is 0, or ±∞
    where the threshold is at infinity. `nominal` has a row for each numeric column and threshold: how much a unit of
    the column shifts that threshold.
    """

    kind: ThresholdKind
    categories: tuple[str, ...]
    cells: tuple[str, ...]
    columns: tuple[str, ...]
    matrix: scipy.sparse.csr_array
    offset: Floats
    nominal: scipy.sparse.csr_array
    names: tuple[str, ...]

    @property
    def borders(self) -> int:
        """How many thresholds a cell has."""
        return len(self.categories) - 1

    @property
    def border_names(self) -> tuple[str, ...]:
        """The thresholds' names, `1|2`."""
        return tuple(f"{low}|{high}" for low, high in pairwise(self.categories))

    def values(self, alpha: Floats) -> Floats:
        """Return the thresholds, one row per cell."""
        return np.asarray(self.matrix @ alpha + self.offset).reshape(len(self.cells), self.borders)

    def shifts(self, alpha: Floats) -> Floats:
        """Return how much a unit of each numeric column shifts each threshold, one row per column."""
        return np.asarray(self.nominal @ alpha).reshape(len(self.columns), self.borders)

    def at(self, alpha: Floats, cells: Integers, nominal: Floats) -> Floats:
        """Return the thresholds of observations, one row each."""
        thresholds = self.values(alpha)[cells]
        return np.asarray(thresholds + nominal @ self.shifts(alpha)) if self.columns else np.asarray(thresholds)

    def incidence(self, border: Integers, cells: Integers, nominal: Floats) -> tuple[scipy.sparse.csr_array, Floats]:
        """Return which parameters make threshold number `border` of each observation, and what is added.

        Border −1 lies at −∞, the last but one after the top category at +∞.
        """
        low, high = border < 0, border >= self.borders
        inside = ~(low | high)
        row = np.where(inside, cells * self.borders + border, 0)
        rows = _scale_rows(self.matrix[row], inside.astype(np.float64))
        offset = np.where(inside, self.offset[row], np.where(low, -np.inf, np.inf))
        finite = np.isfinite(offset)
        for column in range(len(self.columns)):
            shift = self.nominal[np.where(inside, column * self.borders + border, 0)]
            rows = rows + _scale_rows(shift, np.where(finite, nominal[:, column], 0.0))
        return scipy.sparse.csr_array(rows), offset


def _scale_rows(rows: scipy.sparse.csr_array, factors: Floats) -> scipy.sparse.csr_array:
    scaled = scipy.sparse.csr_array(
        (rows.data * np.repeat(factors, np.diff(rows.indptr)), rows.indices, rows.indptr), rows.shape
    )
    scaled.eliminate_zeros()
    return scaled


def make_thresholds(
    kind: ThresholdKind,
    categories: Sequence[str],
    used: Floats,
    cells: Sequence[str] = ("",),
    columns: Sequence[str] = (),
) -> Thresholds:
    """Lay out the thresholds: `used` counts, one row per cell, how often each category was given there."""
    jacobian, labels = threshold_matrix(kind, len(categories))
    borders = len(categories) - 1
    plain = [f"{low}|{high}" for low, high in pairwise(categories)]
    labels = tuple(label or plain[place] for place, label in enumerate(labels))
    blocks, offsets, names = [], [], []
    for cell, counts in zip(cells, used, strict=True):
        columns_of_cell, offset, kept = _cell(kind, counts > 0, jacobian, cell)
        blocks.append(columns_of_cell)
        offsets.append(offset)
        names += [f"{cell}: {labels[place]}" if cell else labels[place] for place in kept]
    own = sum(block.shape[1] for block in blocks)
    matrix = np.zeros((len(cells) * borders, own))
    place = 0
    for number, block in enumerate(blocks):
        matrix[number * borders : (number + 1) * borders, place : place + block.shape[1]] = block
        place += block.shape[1]
    shifted = np.kron(np.eye(len(columns)), jacobian)
    return Thresholds(
        kind,
        tuple(categories),
        tuple(cells),
        tuple(columns),
        scipy.sparse.csr_array(
            scipy.sparse.hstack(
                [scipy.sparse.csr_array(matrix), scipy.sparse.csr_array((len(matrix), shifted.shape[1]))]
            )
        ),
        np.concatenate(offsets),
        scipy.sparse.csr_array(np.hstack([np.zeros((len(shifted), own)), shifted])),
        (*names, *(f"{label}: {column}" for column in columns for label in labels)),
    )


def _cell(kind: str, used: np.ndarray, jacobian: Floats, cell: str) -> tuple[Floats, Floats, list[int]]:
    """Return J of one cell, what is added to its thresholds, and which columns of J it keeps."""
    present = np.flatnonzero(used)
    offset = np.zeros(len(jacobian))
    if kind != "flexible" or len(present) == len(used):
        if kind != "flexible" and len(present) < min(3, len(used)):
            raise UserError(
                f"{cell or 'The response'} uses {len(present)} of {len(used)} categories: too few for {kind} ones.",
                remedy='Use threshold="flexible", or leave these ratings out.',
            )
        return jacobian, offset, list(range(jacobian.shape[1]))
    if len(present) < 2:
        raise UserError(
            f"All ratings of {cell or 'the response'} are equal, so there is no threshold to estimate.",
            remedy="Leave these ratings out, or do not let the thresholds differ by this column.",
        )
    # Threshold k parts category k from k + 1; it is free where k is used, and follows the last one used before.
    borders = np.arange(len(jacobian))
    offset[borders < present[0]] = -np.inf
    offset[borders >= present[-1]] = np.inf
    free = [int(category) for category in present[:-1]]
    owner = np.searchsorted(present, borders, side="right") - 1
    rows = np.zeros((len(jacobian), len(free)))
    inside = np.isfinite(offset)
    rows[borders[inside], owner[inside]] = 1.0
    return rows, offset, free


# --- responses and their categories -----------------------------------------------------------------------------------
# Numbers are ordered by value; an Enum by its own order; text needs the order to be stated. Categories of the scale
# that nobody gave carry no information and are left out of the model.

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
    places = {name: index for index, name in enumerate(order)}
    unique = texts.unique().to_list()
    for name in unique:
        if name not in places:
            _refuse(design, texts, name, order, scale)
    occurring = set(unique)
    categories = tuple(name for name in order if name in occurring)
    if len(categories) < 2:
        raise UserError(
            f"All ratings in column '{design.response_name}' are equal: {categories[0]}.",
            valid="A model needs at least two categories that were given.",
        )
    return CodedResponse(
        texts.replace_strict(list(categories), list(range(len(categories))), return_dtype=pl.Int64).to_numpy(),
        categories,
        tuple(name for name in order if name not in occurring),
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
        stated: list[object] = list(scale)
        ends = [end for end in stated if isinstance(end, int) and not isinstance(end, bool)]
        if len(stated) == len(ends) == 2:
            low, high = ends
            if low >= high:
                raise UserError(
                    f"The scale ({low}, {high}) has no width.", valid="(lowest, highest), for example (1, 7)."
                )
            return [str(number) for number in range(low, high + 1)]
        names = _plain_texts(pl.Series([level_text(name) for name in stated], dtype=pl.String)).to_list()
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
