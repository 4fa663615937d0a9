"""N-gram tables and lookup: back-off scores of whole corpora, and next-word distributions.

The tables of a model, then the lookup for all words at once, level after level: the row of the n-gram that ends at a
word is found from the row of the (n − 1)-gram that ends at the word before it. Where it is found its log-probability
replaces that of the shorter n-gram, and where it is not the back-off weight of the context is added; that is the
recursion of back-off from below [1].

Rows are found by open addressing with linear probing. With a 5-gram model of 0.9 million words and 1.1 million words to
score, that took less than half the processor time of a binary search among the continuations of each context, and a
third of that of searching sorted keys with sorted queries.

[1] Katz, S. (1987). Estimation of probabilities from sparse data for the language model component of a speech
    recognizer. IEEE Transactions on Acoustics, Speech, and Signal Processing, 35(3), 400-401.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.labelling.texts import ranges
from hengliang.core.text.characters import Offsets
from hengliang.language_models.scores import Numbers

# --- tables: the trie in columns --------------------------------------------------------------------------------------
# Each length of n-gram is a level: arrays sorted by the row of the first n − 1 words in the level below, then by the
# last word. So a prefix has its continuations side by side, and the whole model is a trie without pointers.

UNKNOWN_ID, BEGIN_ID, END_ID = 0, 1, 2
"""The first three words of every model: <unk>, <s> and </s>."""

Rows = npt.NDArray[np.uint32]
Logs = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """All n-grams of one length, sorted by (prefix, word), with natural-log probabilities and back-off weights.

    `prefixes` are rows of the level below (zeros at the first level, whose row is the word itself). `backoffs` are
    zeros at the highest level. The log-probability of <s>, which is never predicted, is minus infinity.
    """

    prefixes: Rows
    words: Rows
    logprobs: Logs
    backoffs: Logs

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, slots=True, eq=False)
class NgramTables:
    """An n-gram model: the words by their ids, how often each was seen in training (0: not known), and the levels."""

    words: pl.Series
    counts: npt.NDArray[np.int64]
    levels: tuple[Level, ...]

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.levels)


# --- hash index -------------------------------------------------------------------------------------------------------


Keys = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]

PIECE = 1 << 18
"""About how many words are looked up at a time, so that memory stays small; fewer or more are no faster."""

_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_NO_KEY = np.uint64(0xFFFFFFFFFFFFFFFF)
# 2^64 divided by the golden ratio, the multiplier of Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4).
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SLOTS_PER_ROW = 3


@dataclass(frozen=True, slots=True, eq=False)
class IndexedLevel:
    """A level that can be searched.

    `keys` are `prefix << 32 | word`, in order, and one more that no n-gram has. `slots` are rows in the order of their
    hash; an empty slot names the row of that last key. Both are empty at the first level, where the row is the word.
    """

    keys: Keys
    slots: Rows
    logprobs: Logs
    backoffs: Logs

    def __len__(self) -> int:
        return len(self.logprobs)


@dataclass(frozen=True, slots=True, eq=False)
class Trie:
    """The levels of an n-gram model, ready to be searched."""

    levels: tuple[IndexedLevel, ...]

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.levels)


def index_tables(tables: NgramTables) -> Trie:
    """Make the levels of a model searchable."""
    first, *longer = tables.levels
    nothing = IndexedLevel(np.zeros(0, np.uint64), np.zeros(0, np.uint32), first.logprobs, first.backoffs)
    return Trie((nothing, *(index_level(level) for level in longer)))


def plain_levels(trie: Trie) -> tuple[Level, ...]:
    """Return the levels without what is only needed for searching."""
    first, *longer = trie.levels
    words = np.arange(len(first), dtype=np.uint32)
    plain = [Level(np.zeros(len(first), np.uint32), words, first.logprobs, first.backoffs)]
    for level in longer:
        keys = level.keys[:-1]
        prefixes = (keys >> _HALF).astype(np.uint32)
        plain.append(Level(prefixes, (keys & _LOW).astype(np.uint32), level.logprobs, level.backoffs))
    return tuple(plain)


def pack(prefixes: npt.NDArray[np.integer], words: npt.NDArray[np.integer]) -> Keys:
    """Return prefix and word of each n-gram as one number, in whose order a level is sorted."""
    keys: Keys = prefixes.astype(np.uint64)
    keys <<= _HALF
    keys |= words.astype(np.uint64)
    return keys


def index_level(level: Level) -> IndexedLevel:
    """Make a level above the first searchable.

    All rows are placed at once: in the order of their hash each takes its own slot or the one after its predecessor's.
    """
    count = len(level)
    keys = np.append(pack(level.prefixes, level.words), _NO_KEY)
    size = _SLOTS_PER_ROW * count
    homes = _homes(keys[:-1], size)
    order = np.argsort(homes, kind="stable")
    numbers = np.arange(count, dtype=np.int64)
    places = numbers + np.maximum.accumulate(homes[order] - numbers)
    # The last run may go beyond the table; one empty slot after it ends every search.
    slots = np.full(max(size, int(places[-1]) + 1 if count else 0) + 1, count, np.uint32)
    slots[places] = order
    return IndexedLevel(keys, slots, level.logprobs, level.backoffs)


def _homes(keys: Keys, size: int) -> Offsets:
    # The upper half of the product is spread evenly; scaling it instead of cutting it allows any size of table.
    hashes = keys * _MULTIPLIER
    hashes >>= _HALF
    hashes *= np.uint64(size)
    hashes >>= _HALF
    return hashes.view(np.int64)


def find(level: IndexedLevel, prefixes: Rows, words: Rows) -> tuple[Rows, Flags]:
    """Return the row of each n-gram of a level above the first, and whether it has one (else the row is any).

    Clipping is faster than checking each index, and in a whole file no index needs either.
    """
    keys = pack(prefixes, words)
    nowhere = len(level)
    places = _homes(keys, _SLOTS_PER_ROW * nowhere)
    rows = level.slots.take(places, mode="clip")
    is_listed = level.keys.take(rows, mode="clip") == keys
    open_ = np.flatnonzero(~is_listed & (rows != nowhere))
    places, keys = places.take(open_), keys.take(open_)
    while len(open_):
        places += 1
        tried = level.slots.take(places)
        same = level.keys.take(tried, mode="clip") == keys
        hits = np.flatnonzero(same)
        settled = open_.take(hits)
        rows[settled] = tried.take(hits)
        is_listed[settled] = True
        going = np.flatnonzero(~same & (tried != nowhere))
        open_, places, keys = open_.take(going), places.take(going), keys.take(going)
    return rows, is_listed


# --- scores of sentences ----------------------------------------------------------------------------------------------


def score_sentences(trie: Trie, words: npt.NDArray[np.integer], offsets: Offsets) -> Numbers:
    """Return the log-probability of each word of each sentence and of its end, sentence after sentence.

    The words of sentence `i` are the entries `offsets[i]:offsets[i + 1]`. A sentence begins after <s> and ends with
    </s>, so that one of n words has n + 1 log-probabilities.
    """
    units: Rows = np.insert(words.astype(np.uint32), offsets[1:], END_ID)
    edges = offsets + np.arange(len(offsets), dtype=np.int64)
    logprobs = np.empty(len(units), np.float64)
    first = np.zeros(len(units), np.bool_)
    first[edges[:-1]] = True
    for start, end in _pieces(edges):
        logprobs[start:end] = _score_piece(trie, units[start:end], first[start:end])
    return logprobs


def _pieces(edges: Offsets) -> Iterator[tuple[int, int]]:
    cuts = np.searchsorted(edges, np.arange(0, int(edges[-1]) + PIECE, PIECE))
    yield from pairwise(np.unique(edges[np.minimum(cuts, len(edges) - 1)]).tolist())


def _score_piece(trie: Trie, units: Rows, first: Flags) -> Numbers:
    logprobs: Numbers = trie.levels[0].logprobs.take(units).astype(np.float64)
    places, words = np.arange(len(units), dtype=np.int64), units
    contexts = np.concatenate([units[:1], units[:-1]])
    contexts[first] = BEGIN_ID
    followed = np.append(~first[1:], False)
    for below, level in pairwise(trie.levels):
        rows, is_listed = find(level, contexts, words)
        missed = np.flatnonzero(~is_listed)
        logprobs[places.take(missed)] += below.backoffs.take(contexts.take(missed))
        hits = np.flatnonzero(is_listed)
        places, rows = places.take(hits), rows.take(hits)
        logprobs[places] = level.logprobs.take(rows)
        # What was found is a context of the next level for the next word, unless a sentence begins there.
        inner = np.flatnonzero(followed.take(places))
        places, contexts = places.take(inner) + 1, rows.take(inner)
        words = units.take(places)
    return logprobs


# --- next-word distributions ------------------------------------------------------------------------------------------


def next_logprobs(trie: Trie, words: npt.NDArray[np.integer], offsets: Offsets) -> Numbers:
    """Return the log-probability of every word (columns: ids) after each of these beginnings of sentences (rows)."""
    lines = np.arange(len(offsets) - 1, dtype=np.int64)
    logprobs = np.repeat(trie.levels[0].logprobs.astype(np.float64)[None, :], len(lines), axis=0)
    recent = _recent(words, offsets, trie.order - 1)
    for length, (below, level) in enumerate(pairwise(trie.levels), 1):
        rows, there = _context_rows(trie, recent[:, recent.shape[1] - length :])
        contexts, kept = rows[there], lines[there]
        logprobs[kept] += below.backoffs.take(contexts)[:, None]
        first = np.searchsorted(level.keys[:-1], pack(contexts, np.zeros_like(contexts)))
        last = np.searchsorted(level.keys[:-1], pack(contexts, np.full_like(contexts, _LOW)), "right")
        children = ranges(first, last - first)
        following = (level.keys.take(children) & _LOW).astype(np.int64)
        logprobs[np.repeat(kept, last - first), following] = level.logprobs.take(children)
    return logprobs


def _recent(words: npt.NDArray[np.integer], offsets: Offsets, length: int) -> Offsets:
    """Return the last words of each beginning, one row each: <s> is before the first word, and −1 before that."""
    places = offsets[1:, None] + np.arange(-length, 0, dtype=np.int64)[None, :]
    before = places - offsets[:-1, None]
    padded = np.append(words.astype(np.int64), 0)
    inside = padded[np.where(before >= 0, places, len(words))]
    return np.where(before >= 0, inside, np.where(before == -1, BEGIN_ID, -1))


def _context_rows(trie: Trie, contexts: Offsets) -> tuple[Rows, Flags]:
    there: Flags = np.all(contexts >= 0, axis=1)
    words = np.where(there[:, None], contexts, 0).astype(np.uint32)
    rows = words[:, 0].copy()
    for level, word in zip(trie.levels[1:], words[:, 1:].T, strict=False):
        rows, is_listed = find(level, np.where(there, rows, 0).astype(np.uint32), word)
        there = there & is_listed
    return rows, there
