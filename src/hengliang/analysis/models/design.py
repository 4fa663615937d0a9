"""What does a formula become on a table of data: which columns, which groups, which rows?

A `Design` is what a model is fitted to. It is made by `hengliang.analysis.models.formulas` and knows nothing of
distributions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

INTERCEPT = "(Intercept)"


@dataclass(frozen=True, slots=True, eq=False)
class RandomTerm:
    """The effects that vary by the levels of one grouping factor, correlated with each other.

    `(1 + x | rater)` is one term with two columns; `(x || rater)` is two terms with one column each. `columns` has a
    row an observation, `codes` the level of each observation as a place in `levels`.
    """

    group: str
    names: tuple[str, ...]
    columns: Floats
    codes: Integers
    levels: tuple[str, ...]

    @property
    def width(self) -> int:
        """How many effects each level has."""
        return len(self.names)


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """The observations of one model.

    `fixed` holds the columns of the fixed effects, the intercept first if there is one; `terms` maps each term of the
    formula (`system`, `system:modifier`) to its columns. `rows` are the rows of the table that are used, counted from
    0; those with a missing value in any used column are left out and counted. `frame` is the table of those rows.
    """

    formula: str
    response_name: str
    response: pl.Series
    fixed: Floats
    fixed_names: tuple[str, ...]
    terms: Mapping[str, tuple[int, ...]]
    random: tuple[RandomTerm, ...]
    rows: Integers
    n_missing: int
    frame: pl.DataFrame

    @property
    def n(self) -> int:
        """How many observations there are."""
        return len(self.rows)
