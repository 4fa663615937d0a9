"""Which n-grams does a text hold, how often, and which shorter n-grams begin and end them?

The places of the text are kept in the order of the n-grams that begin there, as in a suffix array: those of one n-gram
stand side by side. To go from n-grams to those one word longer, each such group is sorted by its next word. That is one
sort of 64-bit numbers a level, in blocks that fit the cache, and leaves the n-grams in the order of
`hengliang.systems.language_models.ngram.tables`: by the row of the first n − 1 words, then by the last word.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import UserError
from hengliang.core.text.characters import Offsets
from hengliang.systems.language_models.ngram.tables import BEGIN_ID, END_ID, Rows

Ids = npt.NDArray[np.int32]
Keys = npt.NDArray[np.uint64]
Result = TypeVar("Result")

BLOCK = 1 << 19
"""How many places are sorted at a time: their keys, and what belongs to them, then stay in the cache of a core."""

MOST_WORDS = 1 << 26
"""The vocabulary must be smaller, so that a group and a place of a block and a word fit in 64 bits."""

MOST_PLACES = 1 << 32
"""The text must be shorter, since rows of tables have 32 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class CountedLevel:
    """All n-grams of one length that a text holds, sorted by (prefix, word).

    `prefixes` and `suffixes` are the rows, in the level below, of the n-gram without its last and without its first
    word; `counts` say how often it occurs. An n-gram may begin with <s> and end with </s>. The first level has a row
    for each word of the vocabulary. `last` is the row of the n-gram that comes last when n-grams are compared from
    their last word to their first, and words by where they first appear; −1 where it would begin before <s>, and at
    the highest level.
    """

    prefixes: Rows
    words: Rows
    suffixes: Rows
    counts: Rows
    last: int

    def __len__(self) -> int:
        return len(self.words)


def count_levels(ids: Ids, offsets: Offsets, vocabulary: int, order: int) -> Iterator[CountedLevel]:
    """Yield the n-grams of length 1 to `order`. Sentence `i` is `ids[offsets[i]:offsets[i + 1]]`, without <s> and </s>.

    A level is made when it is asked for, so that only what is in use takes memory.
    """
    size = len(ids) + 2 * (len(offsets) - 1)
    _check_size(size, vocabulary)
    text = with_edges(ids, offsets, padding=order)
    last_end = _end_of_last(text[:size], vocabulary, order)
    counts = np.bincount(text[:size], minlength=vocabulary).astype(np.uint32)
    nothing = np.zeros(vocabulary, np.uint32)
    last = int(text[last_end]) if order > 1 else -1
    yield CountedLevel(nothing, np.arange(vocabulary, dtype=np.uint32), nothing, counts, last)
    if order == 1:
        return
    rows = text.copy()
    places = _by_first_word(text[:size], counts)
    for length in range(2, order + 1):
        places, level = _longer(text, places, counts, rows, length)
        counts = level.counts
        if length < order:
            _number(rows, places, counts)
            level = replace(level, last=_last_row(text, rows, last_end, length))
        yield level


def with_edges(ids: Ids, offsets: Offsets, *, padding: int = 0) -> Rows:
    """Return the sentences one after the other, each with <s> before it and </s> after it, and then so many <s>."""
    shifts = 2 * np.arange(len(offsets) - 1)
    begins, ends = offsets[:-1] + shifts, offsets[1:] + shifts + 1
    text = np.full(len(ids) + 2 * len(shifts) + padding, BEGIN_ID, np.uint32)
    text[ends] = END_ID
    inside = np.ones(len(text), np.bool_)
    inside[begins] = inside[ends] = inside[len(text) - padding :] = False
    text[inside] = ids
    return text


def parallel(work: Callable[[int, int], Result], cuts: Sequence[int]) -> list[Result]:
    """Return `work(start, end)` for each stretch between two cuts, in order, done on all cores.

    Threads are enough, since numpy lets go of Python's lock while it sorts and computes.
    """
    stretches = list(pairwise(cuts))
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as threads:
        return list(threads.map(lambda stretch: work(*stretch), stretches))


def _check_size(places: int, vocabulary: int) -> None:
    if places >= MOST_PLACES:
        raise UserError(
            f"The text has {places:,} words with the edges of its sentences.",
            valid=f"An n-gram model can be trained on fewer than {MOST_PLACES:,}.",
            remedy="Train on a part of the text.",
        )
    if vocabulary >= MOST_WORDS:
        raise UserError(
            f"The text has {vocabulary:,} different words.",
            valid=f"An n-gram model can have fewer than {MOST_WORDS:,}.",
            remedy="Check that the words of the text stand apart by spaces.",
        )


# --- the groups of places that share an n-gram ------------------------------------------------------------------------


def _by_first_word(text: Rows, counts: Rows) -> Rows:
    """Return the places of the text in the order of their words: a counting sort, block by block."""
    places = np.empty(len(text), np.uint32)
    free = np.cumsum(counts, dtype=np.int64) - counts
    for start in range(0, len(text), BLOCK):
        piece = text[start : start + BLOCK]
        keys = (piece.astype(np.uint64) << np.uint64(32)) | np.arange(len(piece), dtype=np.uint64)
        keys.sort()
        words = (keys >> np.uint64(32)).astype(np.int64)
        begins = _begins(words)
        sizes = np.diff(begins, append=len(words))
        present = words[begins]
        targets = np.repeat(free[present] - begins, sizes) + np.arange(len(words))
        places[targets] = start + (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
        free[present] += sizes
    return places


def _longer(text: Rows, places: Rows, counts: Rows, rows: Rows, length: int) -> tuple[Rows, CountedLevel]:
    """Return the places and the n-grams of this length, from the places and counts of those one word shorter."""
    edges = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
    word_bits = np.uint64(max(1, int(text.max()).bit_length()))

    def sort_block(first: int, after: int) -> tuple[npt.NDArray[np.generic], ...]:
        old = places[edges[first] : edges[after]].astype(np.int64)
        nexts = text[old + (length - 1)]
        stays = nexts != BEGIN_ID
        groups = np.repeat(np.arange(after - first, dtype=np.uint64), counts[first:after])[stays]
        old = old[stays]
        place_bits = np.uint64(len(old).bit_length())
        keys = (groups << word_bits) | nexts[stays]
        keys <<= place_bits
        keys |= np.arange(len(old), dtype=np.uint64)
        keys.sort()
        new = old[(keys & ((np.uint64(1) << place_bits) - np.uint64(1))).astype(np.int64)]
        keys >>= place_bits
        begins = _begins(keys)
        distinct = keys[begins]
        return (
            new.astype(np.uint32),
            (distinct >> word_bits).astype(np.uint32) + np.uint32(first),
            (distinct & ((np.uint64(1) << word_bits) - np.uint64(1))).astype(np.uint32),
            rows[new[begins] + 1],
            np.diff(begins, append=len(new)).astype(np.uint32),
        )

    blocks = parallel(sort_block, _cuts(edges)) or [sort_block(0, 0)]
    columns = [list(column) for column in zip(*blocks, strict=True)]
    # Nobody else must hold the blocks, so that each column's are given back once it is put together.
    blocks.clear()
    new, prefixes, words, suffixes, found = (np.concatenate(columns.pop(0)) for _ in range(len(columns)))
    return new, CountedLevel(prefixes, words, suffixes, found, last=-1)


def _begins(keys: npt.NDArray[np.generic]) -> Offsets:
    """Return where each run of equal keys begins."""
    different = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=different[1:])
    return np.flatnonzero(different)


def _cuts(edges: Offsets) -> list[int]:
    """Return groups at which to cut into blocks. A group that is larger than a block is a block of its own."""
    marks = np.arange(0, edges[-1] + BLOCK, BLOCK)
    after = np.searchsorted(edges, marks, side="left")
    before = np.searchsorted(edges, marks, side="right") - 1
    return sorted({*np.minimum(after, len(edges) - 1).tolist(), *before.tolist()})


def _number(rows: Rows, places: Rows, counts: Rows) -> None:
    """Write at each place the row of the n-gram that begins there."""
    edges = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])

    def number_block(first: int, after: int) -> None:
        numbers = np.repeat(np.arange(first, after, dtype=np.uint32), counts[first:after])
        rows[places[edges[first] : edges[after]]] = numbers

    parallel(number_block, _cuts(edges))


# --- the n-gram that comes last ---------------------------------------------------------------------------------------


def _end_of_last(text: Rows, vocabulary: int, order: int) -> int:
    """Return a place at which the n-gram ends that comes last, words being compared backwards and by first appearance.

    Sentences are thought to begin with as many <s> as needed.
    """
    appears = np.full(vocabulary, -1, np.int64)
    # Of several values for one index numpy keeps the last, which backwards is the first appearance.
    appears[text[::-1]] = np.arange(len(text) - 1, -1, -1)
    appears[BEGIN_ID] = -1
    appears[END_ID] = 0
    ends = np.flatnonzero(text == np.argmax(appears))
    for back in range(1, order):
        if (text[ends - back + 1] == BEGIN_ID).any():
            break
        before = appears[text[ends - back]]
        ends = ends[before == before.max()]
    return int(ends[0])


def _last_row(text: Rows, rows: Rows, end: int, length: int) -> int:
    start = end - length + 1
    inside = start >= 0 and BEGIN_ID not in text[start + 1 : end + 1]
    return int(rows[start]) if inside else -1
