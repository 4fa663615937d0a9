"""Which numbers does a cumulative-link mixed model estimate, and from which?

P(yᵢ ≤ k) = F(θᵢₖ − xᵢβ − zᵢb), b = Λu, u standard normal. An `OrdinalProblem` holds the observations; its
parameter vector is (α, β, λ): the threshold parameters, the coefficients of the fixed columns, and the entries of the
Cholesky factors Λ of the random terms' covariance matrices, row by row. The diagonal of Λ may take either
sign: the likelihood does not change with it, so a variance of zero is an ordinary point inside the space and no wall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from hengliang.analysis.models.design import Floats, Integers, RandomTerm
from hengliang.analysis.models.ordinal.links import LINKS, Link
from hengliang.analysis.models.ordinal.structure import RandomStructure
from hengliang.analysis.models.ordinal.thresholds import ThresholdKind, Thresholds, make_thresholds


@dataclass(frozen=True, slots=True, eq=False)
class OrdinalProblem:
    """The observations of one model, ready to be fitted and fitted again.

    `codes` are the categories from 0. `cells` is the set of thresholds that each observation has and `nominal` the
    numeric columns that shift each threshold by its own amount. `upper` and `lower` say how the threshold above and
    below each observation is made from α; the offsets are 0, or ±∞ where there is none.
    """

    codes: Integers
    fixed: Floats
    fixed_names: tuple[str, ...]
    random: tuple[RandomTerm, ...]
    thresholds: Thresholds
    cells: Integers
    nominal: Floats
    link: Link
    upper: scipy.sparse.csr_array
    lower: scipy.sparse.csr_array
    upper_offset: Floats
    lower_offset: Floats
    structure: RandomStructure

    @property
    def n(self) -> int:
        """How many observations there are."""
        return len(self.codes)

    @property
    def n_alpha(self) -> int:
        """How many threshold parameters there are."""
        return len(self.thresholds.names)

    @property
    def n_location(self) -> int:
        """How many parameters belong to thresholds and fixed effects."""
        return self.n_alpha + len(self.fixed_names)

    @property
    def size(self) -> int:
        """How many parameters there are."""
        return self.n_location + sum(term.width * (term.width + 1) // 2 for term in self.random)

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters' names; those of Λ name the group and the two effects."""
        spread = tuple(
            f"{term.group}: {term.names[row]}" + ("" if row == column else f" by {term.names[column]}")
            for term in self.random
            for row, column in zip(*np.tril_indices(term.width), strict=True)
        )
        return self.thresholds.names + self.fixed_names + spread

    def parts(self, parameters: Floats) -> tuple[Floats, Floats, tuple[Floats, ...]]:
        """Return α, β, and the Cholesky factor of each random term."""
        alpha, beta = parameters[: self.n_alpha], parameters[self.n_alpha : self.n_location]
        factors, place = [], self.n_location
        for term in self.random:
            count = term.width * (term.width + 1) // 2
            factor = np.zeros((term.width, term.width))
            factor[np.tril_indices(term.width)] = parameters[place : place + count]
            factors.append(factor)
            place += count
        return alpha, beta, tuple(factors)

    def points(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Return the upper and lower points of all observations at b = 0."""
        alpha, beta = parameters[: self.n_alpha], parameters[self.n_alpha : self.n_location]
        shift = self.fixed @ beta
        return (self.upper @ alpha + self.upper_offset) - shift, (self.lower @ alpha + self.lower_offset) - shift

    def canonical(self, parameters: Floats) -> Floats:
        """Turn the signs of Λ's columns so that its diagonal is not negative; the model stays the same."""
        result, place = parameters.copy(), self.n_location
        for term in self.random:
            rows, columns = np.tril_indices(term.width)
            entries = slice(place, place + len(rows))
            diagonal = result[entries][rows == columns]
            result[entries] *= np.where(diagonal < 0, -1.0, 1.0)[columns]
            place += len(rows)
        return result

    def without_random(self) -> OrdinalProblem:
        """Return the problem without its random terms."""
        return replace(self, random=(), structure=RandomStructure.of((), self.n))


def make_problem(
    codes: Integers,
    categories: Sequence[str],
    fixed: Floats,
    fixed_names: Sequence[str],
    random: Sequence[RandomTerm] = (),
    *,
    link: str = "logit",
    threshold: ThresholdKind = "flexible",
    cells: Integers | None = None,
    cell_names: Sequence[str] = ("",),
    nominal: Floats | None = None,
    nominal_names: Sequence[str] = (),
) -> OrdinalProblem:
    """Lay out a problem from arrays.

    `cells` gives each observation its set of thresholds (rater-specific thresholds); `nominal` holds numeric columns
    whose effect differs from threshold to threshold (R's `nominal`, with R's sign: it is added to the threshold).
    """
    n = len(codes)
    cells = np.zeros(n, dtype=np.int64) if cells is None else cells
    nominal = np.zeros((n, 0)) if nominal is None else nominal
    used = np.zeros((len(cell_names), len(categories)))
    np.add.at(used, (cells, codes), 1.0)
    thresholds = make_thresholds(threshold, categories, used, cell_names, nominal_names)
    upper, upper_offset = thresholds.incidence(codes, cells, nominal)
    lower, lower_offset = thresholds.incidence(codes - 1, cells, nominal)
    return OrdinalProblem(
        codes=codes,
        fixed=np.ascontiguousarray(fixed, dtype=np.float64),
        fixed_names=tuple(fixed_names),
        random=tuple(random),
        thresholds=thresholds,
        cells=cells,
        nominal=nominal,
        link=LINKS[link],
        upper=upper,
        lower=lower,
        upper_offset=upper_offset,
        lower_offset=lower_offset,
        structure=RandomStructure.of(random, n),
    )
