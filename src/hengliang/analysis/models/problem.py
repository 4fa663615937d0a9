"""In which form are fixed and random effects computed, whatever the distribution of the response?

Columns are brought to one scale before anything is fitted: the fixed columns X = QR become Q, each random column is
divided by its root mean square. The random effects of a level are b = Λu with u of unit variance [1]; `theta` holds the
lower triangles of the blocks of Λ, row by row, term by term.

[1] Bates, D., Mächler, M., Bolker, B. and Walker, S. (2015). Fitting linear mixed-effects models using lme4.
    Journal of Statistical Software 67(1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hengliang.analysis.models.design import Design, Floats, Integers, RandomTerm
from hengliang.analysis.models.ordinal.structure import RandomStructure


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A design on one scale: `fixed` @ `triangle` gives the fixed columns back.

    `offsets` is where the entries of each term begin in u.
    """

    fixed: Floats
    triangle: Floats
    terms: tuple[RandomTerm, ...]
    scales: tuple[Floats, ...]
    offsets: tuple[int, ...]

    @property
    def n(self) -> int:
        """How many observations there are."""
        return len(self.fixed)

    @property
    def width(self) -> int:
        """How many fixed effects there are."""
        return int(self.fixed.shape[1])

    @property
    def size(self) -> int:
        """How many random effects there are, over all levels."""
        return self.offsets[-1]

    @property
    def counts(self) -> tuple[int, ...]:
        """How many parameters of covariance each term has."""
        return tuple(term.width * (term.width + 1) // 2 for term in self.terms)

    @classmethod
    def of(cls, design: Design) -> Problem:
        """Bring a design to one scale."""
        n = design.n
        if design.fixed.shape[1]:
            basis, triangle = np.linalg.qr(design.fixed)
            basis, triangle = basis * np.sqrt(n), triangle / np.sqrt(n)
        else:
            basis, triangle = np.zeros((n, 0)), np.zeros((0, 0))
        scales = tuple(np.sqrt(np.mean(term.columns**2, axis=0)) for term in design.random)
        scales = tuple(np.where(scale > 0, scale, 1.0) for scale in scales)
        offsets = np.cumsum([0, *(len(term.levels) * term.width for term in design.random)])
        return cls(
            basis,
            triangle,
            design.random,
            scales,
            tuple(int(offset) for offset in offsets),
        )

    def factors(self, theta: Floats) -> list[Floats]:
        """Return the block of Λ of each term."""
        blocks, start = [], 0
        for term, count in zip(self.terms, self.counts, strict=True):
            block = np.zeros((term.width, term.width))
            block[np.tril_indices(term.width)] = theta[start : start + count]
            blocks.append(block)
            start += count
        return blocks

    def covariances(self, theta: Floats, variance: float = 1.0) -> list[Floats]:
        """Return the covariance of the random effects of each term, on the scale of the user's columns."""
        blocks = []
        for factor, scale in zip(self.factors(theta), self.scales, strict=True):
            block = factor / scale[:, None]
            blocks.append(variance * block @ block.T)
        return blocks

    def effects(self, theta: Floats, unit: Floats) -> list[Floats]:
        """Return b = Λu of each term on the user's scale: a row a level, a column an effect."""
        effects = []
        for place, (factor, scale) in enumerate(zip(self.factors(theta), self.scales, strict=True)):
            held = unit[self.offsets[place] : self.offsets[place + 1]].reshape(-1, len(scale))
            effects.append(held @ factor.T / scale)
        return effects

    def structure(self) -> RandomStructure:
        """Return the random effects in blocks, the largest first."""
        terms = [
            replace(term, columns=term.columns / scale) for term, scale in zip(self.terms, self.scales, strict=True)
        ]
        return RandomStructure.of(terms, self.n)

    def start(self) -> Floats:
        """Return where a search may begin: Λ as the identity."""
        blocks = [np.eye(term.width)[np.tril_indices(term.width)] for term in self.terms]
        return np.concatenate([np.zeros(0), *blocks])

    def back(self) -> Floats:
        """Return what turns coefficients of Q into coefficients of X."""
        return np.asarray(np.linalg.inv(self.triangle)) if self.width else self.triangle

    def diagonal(self) -> Integers:
        """Return the places of the deviations in `theta`: the diagonals of the blocks."""
        places, start = [np.zeros(0, dtype=np.int64)], 0
        for term, count in zip(self.terms, self.counts, strict=True):
            rows, columns = np.tril_indices(term.width)
            places.append(start + np.flatnonzero(rows == columns))
            start += count
        return np.concatenate(places)

    def upright(self, theta: Floats) -> Floats:
        """Return the same covariances with no negative number on a diagonal: a column of Λ may change its sign."""
        blocks = []
        for block in self.factors(theta):
            turned = block * np.where(np.diag(block) < 0, -1.0, 1.0)
            blocks.append(turned[np.tril_indices(len(turned))])
        return np.concatenate([np.zeros(0), *blocks])


def unscaled(problem: Problem, inverse: Floats) -> Floats:
    """Turn a covariance of the coefficients of Q into that of the coefficients of X."""
    back = problem.back()
    return np.asarray(back @ inverse @ back.T)
