"""How is the random-effects Hessian H = Λ'Z'WZΛ + I taken apart fast?

The block with the most effects (usually the items or the raters) is block-diagonal: each level is linked to itself
only. It is eliminated first, level by level; what remains for all other blocks is a Schur complement, which is dense
and small. With R the Cholesky factors of the levels and B the links to the rest:

    H = [D  B ]    D = RR',   C = R⁻¹B,   S = A − C'C,   log|H| = log|D| + log|S|.
        [B' A ]

C is kept sparse when few of the pairs occur. Of H⁻¹ only the parts that meet an observation are ever made: the
diagonal squares of each block, and the rectangles of the pairs that occur.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from hengliang.analysis.models.design import Floats, Integers
from hengliang.analysis.models.ordinal.structure import Moments, RandomStructure

SPARSE_BELOW = 0.08
"""Share of pairs that occur below which sparse products are faster than dense ones."""
DENSE_CELLS = 20_000
"""Matrices smaller than this are always dense: the overhead of a sparse one is larger than its work."""

Crosses = Mapping[tuple[int, int], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """H taken apart.

    `roots` holds R⁻¹ of each level of the first block, `links` is C (a row an effect of the first block), `lower` the
    Cholesky factor of S.
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
            held = own.reshape(block.levels, block.width, block.levels, block.width)
            each = np.arange(block.levels)
            squares.append(held[each, :, each, :])
        return tuple(squares), {key: self._cross(key, through, small) for key in self.structure.pairs}

    def _middle(self, through: Floats) -> Floats:
        lead = self.structure.blocks[0]
        if isinstance(self.links, scipy.sparse.csr_array):
            if lead.width == 1:
                held = self.links.multiply(through.reshape(self.links.shape)).sum(axis=1)
                return np.asarray(held).reshape(lead.levels, 1, 1)
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
            held = through[pairs.first[:, None, None], np.arange(lead.width)[:, None], columns[:, None, :]]
            if lead.width == 1:
                return np.asarray(-self.roots[pairs.first] * held)
            return np.asarray(-self.roots.transpose(0, 2, 1)[pairs.first] @ held)
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
    for place, block in enumerate(others, start=1):
        pairs = structure.pairs[0, place]
        held = crosses[0, place]
        held = roots[pairs.first] * held if lead.width == 1 else roots[pairs.first] @ held
        row, column = _places(pairs.first * lead.width, lead.width, pairs.second, block.width)
        rows.append(row)
        columns.append(column + block.start - lead.size)
        values.append(held.ravel())
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
