"""Which observations have a value on every side, and are they fit for a correlation?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hengliang.analysis.crossed_resampling import Way, ways_of
from hengliang.analysis.resampling import Floats
from hengliang.analysis.results import check_alpha, check_magnitude, check_sidedness, is_missing, unmasked
from hengliang.core.errors import UserError

Column = ArrayLike | Sequence[float | None]
"""Numbers, one an observation; None and NaN are missing."""

FEWEST = 4
"""Below this neither Fisher's z nor Williams' t has a standard error."""


@dataclass(frozen=True, slots=True, eq=False)
class Complete:
    """The observations without a missing value, how they are clustered, and how many were left out."""

    columns: tuple[Floats, ...]
    ways: tuple[Way, ...]
    n_missing: int

    @property
    def n(self) -> int:
        """How many complete observations there are."""
        return len(self.columns[0])


def complete(columns: Sequence[Column], names: Sequence[str], clusterings: Mapping[str, Any] | None = None) -> Complete:
    """Take the observations that have every value; too few of them or a column without variation are refused."""
    numbers = [as_numbers(column, name) for column, name in zip(columns, names, strict=True)]
    for column, name in zip(numbers, names, strict=True):
        if len(column) != len(numbers[0]):
            raise UserError(
                f"'{names[0]}' has {len(numbers[0])} values, '{name}' has {len(column)}.",
                valid="As many values on every side, in the same order; a missing one is None or NaN.",
            )
    present = np.flatnonzero(~np.isnan(np.vstack(numbers)).any(axis=0))
    held = tuple(column[present] for column in numbers)
    n = len(present)
    if n < FEWEST:
        raise UserError(
            f"{n} complete observations of {', '.join(names)} are too few for a correlation.",
            valid=f"{FEWEST} or more observations without a missing value.",
        )
    for column, name in zip(held, names, strict=True):
        if is_constant(column):
            raise UserError(
                f"All values of '{name}' are {column[0]:g}: a constant correlates with nothing.",
                valid="Two or more different values in every column.",
            )
    ways = tuple(way.keep(present) for way in ways_of(dict(clusterings or {}), len(numbers[0])))
    return Complete(held, ways, len(numbers[0]) - n)


def check_squares(data: Complete, names: Sequence[str]) -> None:
    """Refuse columns whose squares are beyond what a computer can hold; ranks do not mind them."""
    for column, name in zip(data.columns, names, strict=True):
        check_magnitude(column, f"'{name}'")


def is_constant(column: Floats) -> bool:
    """Whether all values are equal but for the noise of binary fractions, as 0.3 and 0.1 + 0.2 are."""
    return bool(np.ptp(column) <= 1e-14 * np.abs(column).max())


def as_numbers(values: Column, name: str) -> Floats:
    """Return the numbers with NaN for what is missing; text and infinite values are the user's mistake."""
    try:
        numbers = np.asarray(
            [np.nan if is_missing(value) else value for value in np.ravel(np.asarray(unmasked(values), dtype=object))],
            dtype=np.float64,
        )
    except (TypeError, ValueError) as error:
        raise UserError(f"'{name}' holds something that is no number: {error}.", valid="Numbers only.") from error
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0]) + 1
        raise UserError(
            f"'{name}' holds an infinite value in row {row}.", valid="Finite numbers; a missing one is None or NaN."
        )
    return numbers


def check_settings(alternative: str, alpha: float, level: float) -> None:
    """Refuse a direction, an alpha or a level that does not exist."""
    check_sidedness(alternative)
    check_alpha(alpha)
    if not 0 < level < 1:
        raise UserError(f"The level {level} is no probability.", valid="0 < level < 1, for example 0.95.")
