"""Laplace approximation of the likelihood of cumulative-link mixed models, and its gradient.

The integral over the random effects u is replaced by the Laplace approximation [1, 2]: with û the mode of
h(u) = Σ log pᵢ(u) − ½u'u and H the matrix of minus its second derivatives there,

    log L = h(û) − ½ log|H|,   H = Λ'Z'WZΛ + I,

where W holds the observed (not the expected) curvature of each log pᵢ. That is what R's `clmm` maximises. The gradient
is exact: û and W move with the parameters, which brings in the third derivatives of log p. Only one system of equations
has to be solved for that (the adjoint v = H⁻¹ ∂(−½ log|H|)/∂u), whatever the number of parameters.

The chapter builds this up: the structure of Z'WZ, the factorisation of H, the problem with its parameters, and the
approximation itself.

[1] Tierney, L., Kadane, J. B. (1986). Accurate approximations for posterior moments and marginal densities. JASA 81.
[2] Christensen, R. H. B. (2022). ordinal: regression models for ordinal data. R package 2022.11-16.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from hengliang.statistics.models.design import Floats, Integers, RandomTerm
from hengliang.statistics.models.ordinal.links import LINKS, Link, ThresholdKind, Thresholds, make_thresholds

# --- structure of the random effects ----------------------------------------------------------------------------------
# Z'WZ is summed up from the weights W of the observations: for each grouping factor a small square for each level, for
# each pair of factors a small rectangle for each pair of levels that occurs. That costs a few passes over the
# observations, whatever the number of levels. Terms of the same factor are put side by side into one block.


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """All random effects of one grouping factor: `terms` are the places of its terms among those of the model.

    `widths` is how many columns each term has; `start` is where the block's effects begin in the vector of all random
    effects (level by level). `plain` says that its one column is a column of ones, which spares a multiplication for
    each observation.
    """

    codes: Integers
    levels: int
    columns: Floats
    terms: tuple[int, ...]
    widths: tuple[int, ...]
    start: int
    plain: bool

    @property
    def width(self) -> int:
        """How many effects each level has."""
        return int(self.columns.shape[1])

    @property
    def size(self) -> int:
        """How many effects there are in all."""
        return self.levels * self.width

    def sums(self, values: Floats) -> Floats:
        """Return Z'v: the columns' sums of products with `values` by level, one row per level."""
        if self.plain:
            return _by_level(self, values)[:, None]
        products = [_by_level(self, values * column) for column in self.columns.T]
        return np.column_stack(products)

    def spread(self, effects: Floats) -> Floats:
        """Return Zb: what effects (one row per level) add to each observation."""
        if self.plain:
            return np.asarray(effects[:, 0][self.codes])
        return np.asarray(np.einsum("na,na->n", self.columns, effects[self.codes]))


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The pairs of levels of two blocks that occur together: each observation's pair, and each pair's two levels."""

    ids: Integers
    first: Integers
    second: Integers
    trivial: bool
    """Whether each observation is a pair of its own, in order."""

    @property
    def count(self) -> int:
        """How many pairs occur."""
        return len(self.first)


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Z'WZ: a square for each level of each block, a rectangle for each pair of levels of each two blocks."""

    squares: tuple[Floats, ...]
    crosses: Mapping[tuple[int, int], Floats]


Inverse = tuple[tuple[Floats, ...], Mapping[tuple[int, int], Floats]]
"""The parts of a matrix that meet an observation, laid out as in `Moments`."""


@dataclass(frozen=True, slots=True, eq=False)
class RandomStructure:
    """The blocks of a model, the largest first, and the pairs between them."""

    blocks: tuple[Block, ...]
    pairs: Mapping[tuple[int, int], Pairs]
    size: int

    @classmethod
    def of(cls, terms: Sequence[RandomTerm], n: int) -> RandomStructure:
        """Lay out the random terms of a model with n observations."""
        grouped: list[list[int]] = []
        for index, term in enumerate(terms):
            for held in grouped:
                if term.levels == terms[held[0]].levels and np.array_equal(term.codes, terms[held[0]].codes):
                    held.append(index)
                    break
            else:
                grouped.append([index])
        grouped.sort(key=lambda held: -len(terms[held[0]].levels) * sum(terms[index].width for index in held))
        blocks, start = [], 0
        for held in grouped:
            columns = np.hstack([terms[index].columns for index in held]).astype(np.float64)
            widths = tuple(terms[index].width for index in held)
            plain = columns.shape[1] == 1 and bool((columns == 1.0).all())
            codes = terms[held[0]].codes.astype(np.int64)
            block = Block(
                codes, len(terms[held[0]].levels), np.asfortranarray(columns), tuple(held), widths, start, plain
            )
            blocks.append(block)
            start += block.size
        pairs = {
            (first, second): _pairs(blocks[first], blocks[second])
            for first in range(len(blocks))
            for second in range(first + 1, len(blocks))
        }
        return cls(tuple(blocks), pairs, start)

    def factors(self, by_term: Sequence[Floats]) -> tuple[Floats, ...]:
        """Return Λ of each block from those of the terms."""
        return tuple(_diagonal([by_term[index] for index in block.terms]) for block in self.blocks)

    def by_block(self, vector: Floats) -> tuple[Floats, ...]:
        """Cut a vector of all random effects into blocks, one row per level."""
        return tuple(
            vector[block.start : block.start + block.size].reshape(block.levels, block.width) for block in self.blocks
        )

    def by_term(self, vector: Floats) -> Floats:
        """Return a vector of all random effects in the order of the model's terms: term, level, effect."""
        pieces: dict[int, Floats] = {}
        for block, effects in zip(self.blocks, self.by_block(vector), strict=True):
            start = 0
            for term, width in zip(block.terms, block.widths, strict=True):
                pieces[term] = effects[:, start : start + width].ravel()
                start += width
        return np.concatenate([np.zeros(0), *(pieces[term] for term in sorted(pieces))])

    def entries(self, by_block: Sequence[Floats]) -> list[Floats]:
        """Pick the free entries of Λ from matrices like it, one per block: the triangles, in the order of the terms."""
        triangles: dict[int, Floats] = {}
        for block, whole in zip(self.blocks, by_block, strict=True):
            start = 0
            for term, width in zip(block.terms, block.widths, strict=True):
                own = slice(start, start + width)
                triangles[term] = whole[own, own][np.tril_indices(width)]
                start += width
        return [triangles[term] for term in sorted(triangles)]

    def shift(self, factors: Sequence[Floats], unit: Floats) -> Floats:
        """Return ZΛu: what random effects of unit variance add to each observation."""
        blocks = zip(self.blocks, factors, self.by_block(unit), strict=True)
        return np.asarray(sum(block.spread(effects @ factor.T) for block, factor, effects in blocks))

    def sums(self, factors: Sequence[Floats], values: Floats) -> Floats:
        """Return Λ'Z'v."""
        blocks = zip(self.blocks, factors, strict=True)
        return np.concatenate([np.zeros(0), *((block.sums(values) @ factor).ravel() for block, factor in blocks)])

    def moments(self, weights: Floats) -> Moments:
        """Sum up Z'WZ."""
        squares = []
        for block in self.blocks:
            square = np.empty((block.levels, block.width, block.width))
            for row in range(block.width):
                for column in range(row + 1):
                    weighted = weights if block.plain else weights * block.columns[:, row] * block.columns[:, column]
                    square[:, row, column] = square[:, column, row] = _by_level(block, weighted)
            squares.append(square)
        return Moments(tuple(squares), {key: self._cross(key, weights) for key in self.pairs})

    def _cross(self, key: tuple[int, int], weights: Floats) -> Floats:
        first, second, pairs = self.blocks[key[0]], self.blocks[key[1]], self.pairs[key]
        cross = np.empty((pairs.count, first.width, second.width))
        for row in range(first.width):
            left = weights if first.plain else weights * first.columns[:, row]
            for column in range(second.width):
                weighted = left if second.plain else left * second.columns[:, column]
                cross[:, row, column] = weighted if pairs.trivial else np.bincount(pairs.ids, weighted, pairs.count)
        return cross

    def leverage(self, factors: Sequence[Floats], inverse: Inverse) -> Floats:
        """Return zᵢ'ΛH⁻¹Λ'zᵢ of each observation."""
        squares, crosses = inverse
        outer = [left @ square @ left.T for left, square in zip(factors, squares, strict=True)]
        return self.quadratic(
            outer, {key: factors[key[0]] @ cross @ factors[key[1]].T for key, cross in crosses.items()}
        )

    def slopes_of_determinant(self, factors: Sequence[Floats], moments: Moments, inverse: Inverse) -> list[Floats]:
        """Return the derivative of ½ log|Λ'Z'WZΛ + I| by each entry of each block's Λ, the weights W held fixed."""
        squares, crosses = inverse
        result = [
            np.einsum("lab,bc,lcd->ad", moments.squares[index], factors[index], square)
            for index, square in enumerate(squares)
        ]
        for (first, second), cross in crosses.items():
            summed = moments.crosses[first, second]
            result[first] = result[first] + _trace(summed, factors[second], cross.transpose(0, 2, 1))
            result[second] = result[second] + _trace(summed.transpose(0, 2, 1), factors[first], cross)
        return result

    def quadratic(self, squares: Sequence[Floats], crosses: Mapping[tuple[int, int], Floats]) -> Floats:
        """Return zᵢ'Pzᵢ of each observation for a symmetric P, given as `Moments` are."""
        total = np.zeros(len(self.blocks[0].codes))
        for block, square in zip(self.blocks, squares, strict=True):
            form = square[:, 0, 0][block.codes] if block.plain else _bilinear(block, block, square[block.codes])
            total += form
        for (first, second), cross in crosses.items():
            pairs = self.pairs[first, second]
            left, right = self.blocks[first], self.blocks[second]
            if left.plain and right.plain:
                total += 2 * (cross[:, 0, 0] if pairs.trivial else cross[:, 0, 0][pairs.ids])
            else:
                total += 2 * _bilinear(left, right, cross if pairs.trivial else cross[pairs.ids])
        return total


def _by_level(block: Block, values: Floats) -> Floats:
    return np.asarray(np.bincount(block.codes, values, block.levels), dtype=np.float64)


def _bilinear(left: Block, right: Block, matrices: Floats) -> Floats:
    return np.asarray(np.einsum("na,nab,nb->n", left.columns, matrices, right.columns))


def _trace(left: Floats, middle: Floats, right: Floats) -> Floats:
    """Return Σ left · middle · right over stacks of small matrices."""
    if left.shape[1:] == (1, 1) and right.shape[1:] == (1, 1):
        return np.array([[float(left.ravel() @ right.ravel()) * middle[0, 0]]])
    return np.asarray((left @ middle @ right).sum(axis=0))


def _diagonal(squares: Sequence[Floats]) -> Floats:
    if len(squares) == 1:
        return squares[0]
    width = sum(len(square) for square in squares)
    whole, start = np.zeros((width, width)), 0
    for square in squares:
        whole[start : start + len(square), start : start + len(square)] = square
        start += len(square)
    return whole


def _pairs(first: Block, second: Block) -> Pairs:
    key = first.codes * second.levels + second.codes
    unique, ids = np.unique(key, return_inverse=True)
    if len(unique) == len(key):
        # One observation per pair: the pairs may as well stand in the observations' order.
        return Pairs(np.arange(len(key)), first.codes, second.codes, True)
    return Pairs(ids.astype(np.int64), unique // second.levels, unique % second.levels, False)


# --- sparse factorisation of the Hessian ------------------------------------------------------------------------------
# In H = Λ'Z'WZΛ + I the block with the most effects (usually the items or the raters) is block-diagonal: each level is
# linked to itself only. It is eliminated first, level by level; what remains for all other blocks is a Schur
# complement, which is dense and small. With R the Cholesky factors of the levels and B the links to the rest:
#
#     H = [D  B ]    D = RR',   C = R⁻¹B,   S = A − C'C,   log|H| = log|D| + log|S|.
#         [B' A ]
#
# C is kept sparse when few of the pairs occur. Of H⁻¹ only the parts that meet an observation are ever made: the
# diagonal squares of each block, and the rectangles of the pairs that occur.

SPARSE_BELOW = 0.08
"""Share of pairs that occur below which sparse products are faster than dense ones."""
DENSE_CELLS = 20_000
"""Matrices smaller than this are always dense: the overhead of a sparse one is larger than its work."""

Crosses = Mapping[tuple[int, int], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """H taken apart.

    `roots` holds R⁻¹ of each level of the first block, `links` is C (one row per effect of the first block), `lower`
    the Cholesky factor of S.
    """

    structure: RandomStructure
    roots: Floats
    links: Any
    lower: Floats
    log_determinant: float

    def solve(self, vector: Floats) -> Floats:
        """Return H⁻¹v."""
        lead = self.structure.blocks[0]
        first = vector[: lead.size].reshape(lead.levels, lead.width)
        inner = _apply(self.roots, first).ravel()
        rest = vector[lead.size :]
        if len(rest):
            rest = scipy.linalg.cho_solve((self.lower, True), rest - self.links.T @ inner, check_finite=False)
            inner = inner - self.links @ rest
        outer = _apply(self.roots.transpose(0, 2, 1), inner.reshape(lead.levels, lead.width))
        return np.concatenate([outer.ravel(), rest])

    def inverse(self) -> tuple[tuple[Floats, ...], Crosses]:
        """Return the parts of H⁻¹ that meet an observation, laid out as `Moments` are."""
        lead, others = self.structure.blocks[0], self.structure.blocks[1:]
        turned = self.roots.transpose(0, 2, 1)
        if not others:
            return (turned @ self.roots,), {}
        small = _inverse(self.lower)
        through = (self.links @ small).reshape(lead.levels, lead.width, -1)
        middle = self._middle(through)
        middle += np.eye(lead.width)
        squares = [turned @ middle @ self.roots]
        for block in others:
            own = small[_slice(block.start - lead.size, block.size)][:, _slice(block.start - lead.size, block.size)]
            by_levels = own.reshape(block.levels, block.width, block.levels, block.width)
            each = np.arange(block.levels)
            squares.append(by_levels[each, :, each, :])
        return tuple(squares), {key: self._cross(key, through, small) for key in self.structure.pairs}

    def _middle(self, through: Floats) -> Floats:
        lead = self.structure.blocks[0]
        if isinstance(self.links, scipy.sparse.csr_array):
            if lead.width == 1:
                sums = self.links.multiply(through.reshape(self.links.shape)).sum(axis=1)
                return np.asarray(sums).reshape(lead.levels, 1, 1)
            return np.asarray(through @ self.links.toarray().reshape(through.shape).transpose(0, 2, 1))
        links = self.links.reshape(through.shape)
        if lead.width == 1:
            return np.asarray(np.einsum("lwq,lwq->l", through, links))[:, None, None]
        return np.asarray(through @ links.transpose(0, 2, 1))

    def _cross(self, key: tuple[int, int], through: Floats, small: Floats) -> Floats:
        lead, pairs = self.structure.blocks[0], self.structure.pairs[key]
        second = self.structure.blocks[key[1]]
        columns = (second.start - lead.size + pairs.second * second.width)[:, None] + np.arange(second.width)
        if key[0] == 0:
            rectangles = through[pairs.first[:, None, None], np.arange(lead.width)[:, None], columns[:, None, :]]
            if lead.width == 1:
                return np.asarray(-self.roots[pairs.first] * rectangles)
            return np.asarray(-self.roots.transpose(0, 2, 1)[pairs.first] @ rectangles)
        first = self.structure.blocks[key[0]]
        rows = (first.start - lead.size + pairs.first * first.width)[:, None] + np.arange(first.width)
        return np.asarray(small[rows[:, :, None], columns[:, None, :]])


def factorise(structure: RandomStructure, moments: Moments, factors: Sequence[Floats]) -> Factor:
    """Take apart Λ'Z'WZΛ + I; `factors` are the Λ of the blocks."""
    squares = [_sandwich(left, square, left) for left, square in zip(factors, moments.squares, strict=True)]
    for square in squares:
        square += np.eye(square.shape[1])
    roots, log_determinant = _roots(squares[0])
    if len(squares) == 1:
        return Factor(structure, roots, None, np.zeros((0, 0)), log_determinant)
    scaled = {key: _sandwich(factors[key[0]], cross, factors[key[1]]) for key, cross in moments.crosses.items()}
    links = _links(structure, roots, scaled)
    rest = _rest(structure, squares, scaled)
    product = links.T @ links
    rest -= product.toarray() if isinstance(product, scipy.sparse.csr_array) else product
    lower = scipy.linalg.cholesky(rest, lower=True, overwrite_a=True, check_finite=False)
    log_determinant += 2 * float(np.log(np.diag(lower)).sum())
    return Factor(structure, roots, links, lower, log_determinant)


def _sandwich(left: Floats, middle: Floats, right: Floats) -> Floats:
    """Return left' · middle · right for each matrix of a stack."""
    if left.size == right.size == 1:
        return np.asarray(middle * (left[0, 0] * right[0, 0]))
    return np.asarray(left.T @ middle @ right)


def _roots(squares: Floats) -> tuple[Floats, float]:
    """Return the inverse Cholesky factors of a stack of matrices, and the logarithm of their determinants' product."""
    if squares.shape[1] == 1:
        return 1 / np.sqrt(squares), float(np.log(squares).sum())
    lower = np.linalg.cholesky(squares)
    diagonal = np.diagonal(lower, axis1=1, axis2=2)
    return np.linalg.inv(lower), 2 * float(np.log(diagonal).sum())


def _apply(matrices: Floats, vectors: Floats) -> Floats:
    if vectors.shape[1] == 1:
        return np.asarray(matrices[:, :, 0] * vectors)
    return np.asarray((matrices @ vectors[:, :, None])[:, :, 0])


def _links(structure: RandomStructure, roots: Floats, crosses: Crosses) -> Any:
    """Return C = R⁻¹B, dense or sparse."""
    lead, others = structure.blocks[0], structure.blocks[1:]
    width = structure.size - lead.size
    rows, columns, values = [], [], []
    for index, block in enumerate(others, start=1):
        pairs = structure.pairs[0, index]
        rectangles = crosses[0, index]
        rectangles = roots[pairs.first] * rectangles if lead.width == 1 else roots[pairs.first] @ rectangles
        row, column = _places(pairs.first * lead.width, lead.width, pairs.second, block.width)
        rows.append(row)
        columns.append(column + block.start - lead.size)
        values.append(rectangles.ravel())
    count = sum(len(value) for value in values)
    cells = lead.size * width
    if cells > DENSE_CELLS and count < SPARSE_BELOW * cells:
        row, column = np.concatenate(rows), np.concatenate(columns)
        return scipy.sparse.csr_array((np.concatenate(values), (row, column)), shape=(lead.size, width))
    dense = np.zeros((lead.size, width))
    for row, column, value in zip(rows, columns, values, strict=True):
        dense[row, column] = value
    return dense


def _places(row: Integers, height: int, second: Integers, width: int) -> tuple[Integers, Integers]:
    """Return row and column of every entry of a stack of rectangles."""
    if height == width == 1:
        return row, second
    rows = np.broadcast_to((row[:, None] + np.arange(height))[:, :, None], (len(row), height, width))
    columns = np.broadcast_to((second[:, None] * width + np.arange(width))[:, None, :], (len(row), height, width))
    return rows.ravel(), columns.ravel()


def _rest(structure: RandomStructure, squares: Sequence[Floats], crosses: Crosses) -> Floats:
    """Return the part of H that belongs to all blocks but the first."""
    lead, others = structure.blocks[0], structure.blocks[1:]
    dense = np.zeros((structure.size - lead.size,) * 2)
    for block, square in zip(others, squares[1:], strict=True):
        each = np.arange(block.levels)
        row, column = _places(each * block.width, block.width, each, block.width)
        start = block.start - lead.size
        dense[row + start, column + start] = square.ravel()
    for (first, second), cross in crosses.items():
        if first == 0:
            continue
        left, right, pairs = structure.blocks[first], structure.blocks[second], structure.pairs[first, second]
        row, column = _places(pairs.first * left.width, left.width, pairs.second, right.width)
        row, column = row + left.start - lead.size, column + right.start - lead.size
        dense[row, column] = cross.ravel()
        dense[column, row] = cross.ravel()
    return dense


def _slice(start: int, length: int) -> slice:
    return slice(start, start + length)


def _inverse(lower: Floats) -> Floats:
    """Return S⁻¹ from its Cholesky factor."""
    triangle, _ = scipy.linalg.lapack.dpotri(lower, lower=1)
    whole = np.tril(triangle)
    return np.asarray(whole + np.tril(triangle, -1).T)


# --- the problem and its parameters -----------------------------------------------------------------------------------
# P(yᵢ ≤ k) = F(θᵢₖ − xᵢβ − zᵢb), b = Λu, u standard normal. An `OrdinalProblem` holds the observations; its parameter
# vector is (α, β, λ): the threshold parameters, the coefficients of the fixed columns, and the entries of the Cholesky
# factors Λ of the random terms' covariance matrices, row by row. The diagonal of Λ may take either sign: the likelihood
# does not change with it, so a variance of zero is an ordinary point inside the space and not a wall.


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
        factors, start = [], self.n_location
        for term in self.random:
            count = term.width * (term.width + 1) // 2
            factor = np.zeros((term.width, term.width))
            factor[np.tril_indices(term.width)] = parameters[start : start + count]
            factors.append(factor)
            start += count
        return alpha, beta, tuple(factors)

    def points(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Return the upper and lower points of all observations at b = 0."""
        alpha, beta = parameters[: self.n_alpha], parameters[self.n_alpha : self.n_location]
        shift = self.fixed @ beta
        return (self.upper @ alpha + self.upper_offset) - shift, (self.lower @ alpha + self.lower_offset) - shift

    def canonical(self, parameters: Floats) -> Floats:
        """Turn the signs of Λ's columns so that its diagonal is not negative; the model stays the same."""
        result, start = parameters.copy(), self.n_location
        for term in self.random:
            rows, columns = np.tril_indices(term.width)
            entries = slice(start, start + len(rows))
            diagonal = result[entries][rows == columns]
            result[entries] *= np.where(diagonal < 0, -1.0, 1.0)[columns]
            start += len(rows)
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


# --- mode, log-likelihood and gradient --------------------------------------------------------------------------------


INNER_TOLERANCE = 1e-9
"""The largest slope of h that is taken for zero at the mode, in units of u."""
INNER_STEPS = 100
CHORD = 0.1
"""A step with an old factor is taken as long as each one shrinks the slope at least to this share."""


@dataclass(frozen=True, slots=True, eq=False)
class Mode:
    """The mode of the random effects at one point of the parameters, with what was computed on the way.

    `first` and `weight` are the derivative of each log p by the linear predictor and minus the second one.
    """

    u: Floats
    log_likelihood: float
    slope: float
    upper: Floats
    lower: Floats
    first: Floats
    weight: Floats
    moments: Moments | None
    factor: Factor | None
    factors: tuple[Floats, ...]


def log_likelihood(problem: OrdinalProblem, parameters: Floats, near: Mode | None = None) -> float:
    """Return the Laplace log-likelihood; −∞ where thresholds are out of order."""
    mode = find_mode(problem, parameters, near)
    return -math.inf if mode is None else mode.log_likelihood


def find_mode(problem: OrdinalProblem, parameters: Floats, near: Mode | None = None) -> Mode | None:
    """Find û by Newton steps with halving, from the mode of a point near by; None where p is not positive."""
    if not np.isfinite(parameters).all():
        return None
    upper, lower = problem.points(parameters)
    if not (upper > lower).all():
        return None
    if not problem.random:
        first, weight = problem.link.common(upper, lower)
        total = float(problem.link.log_probability(upper, lower).sum())
        return Mode(np.zeros(0), total, 0.0, upper, lower, -first, weight, None, None, ())
    factors = problem.structure.factors(problem.parts(parameters)[2])
    # A step may lead to where p is zero and derivatives are not numbers; it is taken back.
    with np.errstate(over="ignore", invalid="ignore"):
        return _Search(problem, upper, lower, factors).run(near)


class _Search:
    """Climbs h(u) for one vector of parameters."""

    def __init__(self, problem: OrdinalProblem, upper: Floats, lower: Floats, factors: tuple[Floats, ...]) -> None:
        self.problem = problem
        self.structure = problem.structure
        self.upper, self.lower = upper, lower
        self.factors = factors

    def at(self, u: Floats) -> tuple[float, Floats, Floats, Floats, Floats]:
        """Return h, the two points, and the first derivative and the weight of each log p."""
        shift = self.structure.shift(self.factors, u)
        upper, lower = self.upper - shift, self.lower - shift
        value = float(self.problem.link.log_probability(upper, lower).sum()) - 0.5 * float(u @ u)
        first, weight = self.problem.link.common(upper, lower)
        return value, upper, lower, -first, weight

    def run(self, near: Mode | None) -> Mode | None:
        u = np.zeros(self.structure.size) if near is None else near.u
        factor = None if near is None else near.factor
        moments: Moments | None = None
        state = self.at(u)
        if not math.isfinite(state[0]):
            u, factor = np.zeros_like(u), None
            state = self.at(u)
        slope = self.structure.sums(self.factors, state[3]) - u
        steepness = float(np.abs(slope).max())
        fresh = False
        for _ in range(INNER_STEPS):
            if steepness < INNER_TOLERANCE or not math.isfinite(state[0]):
                break
            if factor is None:
                moments = self.structure.moments(state[4])
                factor = factorise(self.structure, moments, self.factors)
                fresh = True
            climbed = self._climb(u, state, factor.solve(slope), slope)
            if climbed is None:
                if fresh:
                    break
                factor = None
                continue
            u, state = climbed
            slope = self.structure.sums(self.factors, state[3]) - u
            before, steepness = steepness, float(np.abs(slope).max())
            if steepness > CHORD * before and steepness > INNER_TOLERANCE:
                factor = None
            fresh = False
        return self._finish(u, state, steepness)

    def _climb(
        self, u: Floats, state: tuple[float, Floats, Floats, Floats, Floats], step: Floats, slope: Floats
    ) -> tuple[Floats, tuple[float, Floats, Floats, Floats, Floats]] | None:
        """Take the step, or the first of its halves that does not lose; rounding near the mode is forgiven."""
        size = 1.0
        slack = 1e-12 * (1 + abs(state[0])) if float(slope @ step) < 1e-9 * (1 + abs(state[0])) else 0.0
        for _ in range(40):
            moved = u + size * step
            tried = self.at(moved)
            if tried[0] >= state[0] - slack:
                return moved, tried
            size *= 0.5
        return None

    def _finish(self, u: Floats, state: tuple[float, Floats, Floats, Floats, Floats], steepness: float) -> Mode | None:
        value, upper, lower, first, weight = state
        if not math.isfinite(value):
            return None
        moments = self.structure.moments(weight)
        factor = factorise(self.structure, moments, self.factors)
        total = value - 0.5 * factor.log_determinant
        return Mode(u, total, steepness, upper, lower, first, weight, moments, factor, self.factors)


def gradient(problem: OrdinalProblem, mode: Mode) -> Floats:
    """Return the derivative of the Laplace log-likelihood by all parameters, at the mode that belongs to them."""
    slopes = problem.link.slopes(mode.upper, mode.lower)
    if mode.factor is None or mode.moments is None:
        return _location(problem, slopes.upper, slopes.lower)
    structure, factors = problem.structure, mode.factors
    inverse = mode.factor.inverse()
    leverage = structure.leverage(factors, inverse)
    by_predictor = 0.5 * leverage * -(slopes.upper_2 + slopes.lower_2)
    adjoint = mode.factor.solve(structure.sums(factors, by_predictor))
    moved = structure.shift(factors, adjoint)
    location = _location(
        problem,
        slopes.upper + 0.5 * leverage * slopes.upper_2 - moved * slopes.upper_1,
        slopes.lower + 0.5 * leverage * slopes.lower_2 - moved * slopes.lower_1,
    )
    predictor = mode.first + by_predictor - mode.weight * moved
    by_block = structure.slopes_of_determinant(factors, mode.moments, inverse)
    effects, adjoints = structure.by_block(mode.u), structure.by_block(adjoint)
    for index, block in enumerate(structure.blocks):
        direct = block.sums(predictor).T @ effects[index] + block.sums(mode.first).T @ adjoints[index]
        by_block[index] = direct - by_block[index]
    return np.concatenate([location, *structure.entries(by_block)])


def _location(problem: OrdinalProblem, by_upper: Floats, by_lower: Floats) -> Floats:
    """Return the derivative by thresholds and coefficients from those by the two points of each observation."""
    alpha = problem.upper.T @ by_upper + problem.lower.T @ by_lower
    return np.concatenate([alpha, -((by_upper + by_lower) @ problem.fixed)])
