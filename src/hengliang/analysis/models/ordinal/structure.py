"""Which observations share a level of a grouping factor, alone and in pairs of factors?

The random-effects Hessian is Λ'Z'WZΛ + I. Here Z'WZ is summed up from the weights W of the observations: for each
factor a small square for each level, for each pair of factors a small rectangle for each pair of levels that occurs.
That costs a few passes over the observations, whatever the number of levels. Terms of the same factor are put side by
side into one block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hengliang.analysis.models.design import Floats, Integers, RandomTerm


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
        """Return Z'v: the columns' sums of products with `values` by level, a row a level."""
        if self.plain:
            return _by_level(self, values)[:, None]
        products = [_by_level(self, values * column) for column in self.columns.T]
        return np.column_stack(products)

    def spread(self, effects: Floats) -> Floats:
        """Return Zb: what effects (a row a level) add to each observation."""
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
        for place, term in enumerate(terms):
            for held in grouped:
                if term.levels == terms[held[0]].levels and np.array_equal(term.codes, terms[held[0]].codes):
                    held.append(place)
                    break
            else:
                grouped.append([place])
        grouped.sort(key=lambda held: -len(terms[held[0]].levels) * sum(terms[place].width for place in held))
        blocks, start = [], 0
        for held in grouped:
            columns = np.hstack([terms[place].columns for place in held]).astype(np.float64)
            widths = tuple(terms[place].width for place in held)
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
        return tuple(_diagonal([by_term[place] for place in block.terms]) for block in self.blocks)

    def by_block(self, vector: Floats) -> tuple[Floats, ...]:
        """Cut a vector of all random effects into blocks, a row a level."""
        return tuple(
            vector[block.start : block.start + block.size].reshape(block.levels, block.width) for block in self.blocks
        )

    def by_term(self, vector: Floats) -> Floats:
        """Return a vector of all random effects in the order of the model's terms: term, level, effect."""
        pieces: dict[int, Floats] = {}
        for block, effects in zip(self.blocks, self.by_block(vector), strict=True):
            place = 0
            for term, width in zip(block.terms, block.widths, strict=True):
                pieces[term] = effects[:, place : place + width].ravel()
                place += width
        return np.concatenate([np.zeros(0), *(pieces[term] for term in sorted(pieces))])

    def entries(self, by_block: Sequence[Floats]) -> list[Floats]:
        """Pick the free entries of Λ from matrices like it, one a block: the triangles, in the order of the terms."""
        triangles: dict[int, Floats] = {}
        for block, whole in zip(self.blocks, by_block, strict=True):
            place = 0
            for term, width in zip(block.terms, block.widths, strict=True):
                own = slice(place, place + width)
                triangles[term] = whole[own, own][np.tril_indices(width)]
                place += width
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
            np.einsum("lab,bc,lcd->ad", moments.squares[place], factors[place], square)
            for place, square in enumerate(squares)
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
            held = square[:, 0, 0][block.codes] if block.plain else _bilinear(block, block, square[block.codes])
            total += held
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
    whole, place = np.zeros((width, width)), 0
    for square in squares:
        whole[place : place + len(square), place : place + len(square)] = square
        place += len(square)
    return whole


def _pairs(first: Block, second: Block) -> Pairs:
    key = first.codes * second.levels + second.codes
    unique, ids = np.unique(key, return_inverse=True)
    if len(unique) == len(key):
        # One observation a pair: the pairs may as well stand in the observations' order.
        return Pairs(np.arange(len(key)), first.codes, second.codes, True)
    return Pairs(ids.astype(np.int64), unique // second.levels, unique % second.levels, False)
