"""How does a model with classes of unknown words look to a program that knows only one, <unk>?

The classes are joined. Let U be <unk> and all classes. After words that the model knows, the probability of <unk> is
the sum of theirs, p'(<unk> | h) = Σ p(c | h) over c in U, and that of every other word is what it was. With the
recursion of back-off the sum S(h) needs only the classes that are listed after h, h' being h without its first word:

    S(h) = b(h) S(h') + Σ [p(c | h) − b(h) p(c | h')]  over the c in U listed after h

After an unknown word the model is the mixture of what it was after each class, by how often training saw them:

    p'(w | <unk>) = Σ v(c) p(w | c) = B p'(w) + Σ v(c) [p(w | c) − b(c) p(w)]  over the c after which w is listed

with B = Σ v(c) b(c), the back-off weight of <unk>. All of these sum to 1. What is lost: longer contexts that hold an
unknown word are left out, so that two words later it is forgotten, and the word after it sees nothing before it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hengliang.systems.language_models.ngram.lookup import Flags, find, index_level, pack
from hengliang.systems.language_models.ngram.tables import UNKNOWN_ID, Level, NgramTables, Rows
from hengliang.systems.language_models.scores import Numbers
from hengliang.systems.language_models.vocabulary import SPECIAL, Vocabulary


class _Contexts(NamedTuple):
    """The rows of a level as contexts: which are kept and where, their suffix a level below, the S of that suffix."""

    kept: Flags
    places: npt.NDArray[np.int64]
    suffixes: Rows
    shorter: Numbers


class _Entries(NamedTuple):
    """New n-grams of one length, in any order."""

    prefixes: npt.NDArray[np.int64]
    words: npt.NDArray[np.int64]
    logprobs: Numbers
    backoffs: Numbers


def with_one_unknown(tables: NgramTables) -> NgramTables:
    """Return the model with all classes of unknown words joined to <unk>; one that has none is returned as it is."""
    classes = Vocabulary(tables.words, tables.counts).classes
    if not classes:
        return tables
    first = len(SPECIAL) + classes
    ids = np.arange(len(tables.words), dtype=np.int64)
    unknown = (ids == UNKNOWN_ID) | ((ids >= len(SPECIAL)) & (ids < first))
    new_ids = np.where(unknown, UNKNOWN_ID, np.where(ids < first, ids, ids - classes))
    levels = _levels(tables, unknown, new_ids)
    counts = np.bincount(new_ids, tables.counts).astype(np.int64)
    words = tables.words.filter((~unknown) | (ids == UNKNOWN_ID))
    return NgramTables(words, counts, tuple(levels))


def _levels(tables: NgramTables, unknown: Flags, new_ids: npt.NDArray[np.int64]) -> list[Level]:
    below = tables.levels[0]
    weights = _weights(tables, unknown)
    mass = float(_exp(below.logprobs)[unknown].sum())
    made = [_first_level(below, unknown, mass, float(weights @ _exp(below.backoffs)))]
    held = _Contexts(~unknown, new_ids, np.zeros(len(below), np.uint32), np.full(len(below), mass))
    for order, level in enumerate(tables.levels[1:], 2):
        suffixes = level.words if order == 2 else _suffixes(tables.levels[order - 2], level, held.suffixes)
        known, joined, masses = _joined(below, level, unknown, held, suffixes)
        entries = [
            _Entries(
                held.places[level.prefixes[known]],
                new_ids[level.words[known]],
                level.logprobs[known].astype(np.float64),
                level.backoffs[known].astype(np.float64),
            ),
            _unknown_after(held.places[joined], masses[joined]),
        ]
        if order == 2:
            entries.append(_after_unknown(below, level, weights, new_ids, made[0]))
        built, order_of_rows = _sorted(entries)
        places = np.full(len(level), -1, np.int64)
        rows = np.empty(len(order_of_rows), np.int64)
        rows[order_of_rows] = np.arange(len(order_of_rows))
        places[known] = rows[: int(known.sum())]
        made.append(built)
        held = _Contexts(known, places, suffixes, masses[suffixes])
        below = level
    return made


def _exp(logs: npt.NDArray[np.float32]) -> Numbers:
    values: Numbers = np.exp(logs.astype(np.float64))
    return values


def _weights(tables: NgramTables, unknown: Flags) -> Numbers:
    """Return how the unknown symbols share the word before: by their counts, or where nobody counted by probability."""
    shares = np.where(unknown, tables.counts, 0).astype(np.float64)
    if not shares.sum():
        shares = np.where(unknown, _exp(tables.levels[0].logprobs), 0.0)
    share: Numbers = shares / shares.sum()
    return share


def _first_level(level: Level, unknown: Flags, mass: float, backoff: float) -> Level:
    kept = ~unknown
    kept[UNKNOWN_ID] = True
    logprobs, backoffs = level.logprobs[kept].copy(), level.backoffs[kept].copy()
    logprobs[UNKNOWN_ID], backoffs[UNKNOWN_ID] = np.log(mass), np.log(backoff)
    count = int(kept.sum())
    return Level(np.zeros(count, np.uint32), np.arange(count, dtype=np.uint32), logprobs, backoffs)


def _suffixes(below: Level, level: Level, suffixes: Rows) -> Rows:
    """Return where in the level below each n-gram stands without its first word: a whole model has them all."""
    rows, found = find(index_level(below), suffixes[level.prefixes], level.words)
    if not found.all():
        raise AssertionError("an n-gram without its first word is not in the model")
    return rows


def _joined(
    below: Level, level: Level, unknown: Flags, held: _Contexts, suffixes: Rows
) -> tuple[Flags, npt.NDArray[np.int64], Numbers]:
    """Return which n-grams stay, after which contexts <unk> is listed, and S of every context."""
    backoffs = _exp(below.backoffs)
    last, clean = unknown[level.words], held.kept[level.prefixes]
    more = _exp(level.logprobs) - backoffs[level.prefixes] * _exp(below.logprobs)[suffixes]
    masses = backoffs * held.shorter
    masses += np.bincount(level.prefixes[last], more[last], minlength=len(below))
    return clean & ~last, np.unique(level.prefixes[clean & last]).astype(np.int64), masses


def _unknown_after(prefixes: npt.NDArray[np.int64], masses: Numbers) -> _Entries:
    return _Entries(prefixes, np.full(len(prefixes), UNKNOWN_ID, np.int64), np.log(masses), np.zeros(len(prefixes)))


def _after_unknown(
    below: Level, level: Level, weights: Numbers, new_ids: npt.NDArray[np.int64], first: Level
) -> _Entries:
    """Return the bigrams that begin with <unk>."""
    chosen = np.flatnonzero(weights[level.prefixes] > 0)
    prefixes, words = level.prefixes[chosen], level.words[chosen]
    lower = _exp(below.backoffs)[prefixes] * _exp(below.logprobs)[words]
    more = weights[prefixes] * (_exp(level.logprobs[chosen]) - lower)
    sums = np.bincount(new_ids[words], more, minlength=len(first))
    listed = np.unique(new_ids[words])
    probabilities = _exp(first.backoffs)[UNKNOWN_ID] * _exp(first.logprobs) + sums
    return _Entries(
        np.full(len(listed), UNKNOWN_ID, np.int64), listed, np.log(probabilities[listed]), np.zeros(len(listed))
    )


def _sorted(entries: list[_Entries]) -> tuple[Level, npt.NDArray[np.int64]]:
    """Return the n-grams as a level, and the order into which they were brought."""
    prefixes, words, logprobs, backoffs = (np.concatenate(columns) for columns in zip(*entries, strict=True))
    order = np.argsort(pack(prefixes, words), kind="stable").astype(np.int64)
    level = Level(
        prefixes[order].astype(np.uint32),
        words[order].astype(np.uint32),
        logprobs[order].astype(np.float32),
        backoffs[order].astype(np.float32),
    )
    return level, order
