"""How do windows of different lengths become tables of numbers that a network reads at once?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Sequences:
    """Symbols of many slots, one after the other.

    `symbols` and `segments` (0: the sentence, 1: the noun) are as long as all together; slot n has those from
    `offsets[n]` to `offsets[n + 1]`; `places[n]` says which of them stands for the slot.
    """

    symbols: Numbers
    segments: Numbers
    offsets: Numbers
    places: Numbers

    def __len__(self) -> int:
        return len(self.places)

    @property
    def lengths(self) -> Numbers:
        """How many symbols each slot has."""
        return np.diff(self.offsets)


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some slots as tables, a row a slot; `present` says where a row has symbols, and `lengths` how many."""

    symbols: Numbers
    segments: Numbers
    present: NDArray[np.bool_]
    lengths: Numbers
    places: Numbers


def sequences_of(rows: Sequence[tuple[Sequence[int], int, int]]) -> Sequences:
    """Return sequences of rows: the symbols, from which of them on they belong to the noun, and the slot's place."""
    lengths = [len(symbols) for symbols, _, _ in rows]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    symbols = np.fromiter((symbol for row in rows for symbol in row[0]), np.int64, int(offsets[-1]))
    within = np.arange(len(symbols)) - np.repeat(offsets[:-1], lengths)
    segments = within >= np.repeat(np.array([noun for _, noun, _ in rows], np.int64), lengths)
    return Sequences(symbols, segments.astype(np.int64), offsets, np.array([place for _, _, place in rows], np.int64))


def padded(sequences: Sequences, rows: Numbers, padding: int) -> Batch:
    """Return these slots as tables that are as wide as the longest."""
    lengths = sequences.lengths[rows]
    present = np.arange(lengths.max()) < lengths[:, None]
    chosen = (sequences.offsets[:-1][rows][:, None] + np.arange(lengths.max()))[present]
    symbols = np.full(present.shape, padding, np.int64)
    segments = np.zeros(present.shape, np.int64)
    symbols[present], segments[present] = sequences.symbols[chosen], sequences.segments[chosen]
    return Batch(symbols, segments, present, lengths, sequences.places[rows])


def shuffled_batches(lengths: Numbers, size: int, spread: int, random: np.random.Generator) -> list[Numbers]:
    """Return all rows in batches of similar length, in an order that is drawn.

    Who comes into one batch is drawn too, the more freely, the larger `spread`, by which lengths may be off.
    """
    order = np.lexsort((random.random(len(lengths)), lengths + spread * random.random(len(lengths))))
    batches = [order[start : start + size] for start in range(0, len(order), size)]
    return [batches[number] for number in random.permutation(len(batches))]


def even_batches(lengths: Numbers, size: int) -> list[Numbers]:
    """Return all rows in batches of one length each: nothing is padded, so that nobody's numbers depend on others."""
    order = np.argsort(lengths, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1) if len(order) else []
    return [group[start : start + size] for group in groups for start in range(0, len(group), size)]
