"""N-gram language models: scores and next-word probabilities from a trained folder or an ARPA file.

Words are looked up in the model's vocabulary and then in its n-grams, a whole batch at once. Sentences begin after <s>
and end with </s>, which is a unit of its own. The model opens when it is first asked something, and travels to another
process by the name of its file.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts, edges_of
from hengliang.core.learning import check_stored
from hengliang.core.text.characters import Offsets
from hengliang.language_models.base import Conventions, LanguageModel, NextUnits
from hengliang.language_models.manner import Manner, folded, manner_of
from hengliang.language_models.ngram.arpa import MISSING_UNKNOWN, read_arpa
from hengliang.language_models.ngram.lookup import (
    BEGIN_ID,
    END_ID,
    UNKNOWN_ID,
    Flags,
    Level,
    NgramTables,
    Rows,
    Trie,
    find,
    index_level,
    index_tables,
    next_logprobs,
    pack,
    score_sentences,
)
from hengliang.language_models.ngram.store import read_model
from hengliang.language_models.scores import Numbers, Scores
from hengliang.language_models.vocabulary import SPECIAL, Vocabulary, scores_of_words, words_of_texts

# --- the models -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """What a model needs to score: its n-grams, its words, and the unigram log-probability of each word."""

    trie: Trie
    vocabulary: Vocabulary
    unigram_logprobs: Numbers


class TrieModel(LanguageModel):
    """A language model over n-grams, wherever they come from: derive from it and say how they are opened."""

    @abstractmethod
    def open(self) -> Opened:
        """Read the n-grams and the vocabulary."""

    @property
    @abstractmethod
    def _file(self) -> Path:
        """What to name in a message about a damaged model."""

    @cached_property
    def _opened(self) -> Opened:
        return self.open()

    def __getstate__(self) -> dict[str, Any]:
        """Leave the open model behind: a copy opens its own."""
        return {name: value for name, value in self.__dict__.items() if name != "_opened"}

    @property
    def manner(self) -> Manner:
        """Who finds the words of raw text, and in which widths words are looked up."""
        return Manner()

    def _conventions(self, unknown: str, unigrams: str) -> Conventions:
        context, manner = f"{self._opened.trie.order - 1} words", self.manner
        conventions = Conventions("causal", "word", True, True, unknown, unigrams, context, manner.segmenter)
        return replace(conventions, widths=manner.widths)

    def score(self, texts: Texts) -> Scores:
        """Return the log-probability of each word of each text and of its end."""
        manner = self.manner
        texts = words_of_texts(texts, manner.segmenter)
        ids, unknown = self._opened.vocabulary.encode(folded(texts.words, manner.widths))
        units = np.insert(ids, texts.offsets[1:], END_ID)
        return scores_of_words(
            texts,
            self.logprobs(ids, texts.offsets),
            self._opened.unigram_logprobs.take(units),
            np.insert(unknown, texts.offsets[1:], False),
        )

    def logprobs(self, ids: npt.NDArray[np.integer], offsets: Offsets) -> Numbers:
        """Return the log-probability of each word and each end of sentences given by the ids of their words."""
        try:
            return score_sentences(self._opened.trie, ids, offsets)
        except IndexError as error:
            raise _damaged(self._file) from error

    def line_logprobs(self, lines: pl.Series) -> Numbers:
        """Return the log-probability of each line, whose words stand apart by spaces, with its end.

        The same as the sum over the units of `score`, without the byte spans that a corpus of millions of lines can do
        without. Words are put into NFC only if they are not known as they are.
        """
        split = lines.str.split(" ")
        words = split.explode(empty_as_null=False, keep_nulls=False)
        offsets = edges_of(split.list.len().to_numpy())
        filled = (words != "").to_numpy()
        if not filled.all():
            words, offsets = words.filter(filled), edges_of(filled)[offsets]
        words = folded(words, self.manner.widths)
        ids, unknown = self._opened.vocabulary.encode(words)
        strange = words.filter(unknown)
        distinct = strange.unique()
        if (distinct.str.normalize("NFC") != distinct).any():
            ids[unknown] = self._opened.vocabulary.encode(strange.str.normalize("NFC"))[0]
        logprobs = self.logprobs(ids, offsets)
        # Each line has an end, so that no group is empty.
        sums: Numbers = np.add.reduceat(logprobs, offsets[:-1] + np.arange(len(lines))) if len(lines) else logprobs
        return sums

    def next_units(self, prefixes: Texts) -> NextUnits:
        """Return the probability of every word, and of the end, after each of these beginnings of a sentence."""
        manner = self.manner
        prefixes = words_of_texts(prefixes, manner.segmenter)
        ids, _ = self._opened.vocabulary.encode(folded(prefixes.words, manner.widths))
        try:
            logprobs = next_logprobs(self._opened.trie, ids, prefixes.offsets)
        except IndexError as error:
            raise _damaged(self._file) from error
        # <s> never comes next; <unk> takes its column, and the first column is left off.
        logprobs[:, BEGIN_ID] = logprobs[:, UNKNOWN_ID]
        symbols = self._opened.vocabulary.symbols.to_list()
        return NextUnits([symbols[UNKNOWN_ID], *symbols[END_ID:]], logprobs[:, BEGIN_ID:])


def _damaged(path: Path) -> UserError:
    return UserError(f"{path} is damaged: its n-grams point outside of the file.", remedy="Train or copy it again.")


class NgramModel(TrieModel):
    """An n-gram model in the folder into which it was trained.

    With `fold` words are looked up in the width that it learned (`hengliang.language_models.manner`).
    """

    def __init__(self, folder: Path, name: str = "", fold: bool = True) -> None:
        self.folder = Path(folder)
        self.name = name or self.folder.name
        self.fold = fold

    @property
    def _file(self) -> Path:
        return self.folder

    @property
    def manner(self) -> Manner:
        """Who finds the words of raw text, and in which widths words are looked up, by the model's card."""
        return manner_of(self.folder, fold=self.fold)

    def open(self) -> Opened:
        """Map the n-grams into memory and read the vocabulary."""
        check_stored(self.folder)
        trie, vocabulary = read_model(self.folder)
        return Opened(trie, vocabulary, vocabulary.unigram_logprobs)

    def conventions(self) -> Conventions:
        """Return how the log-probabilities are to be read."""
        return self._conventions(self._opened.vocabulary.unknown, "relative frequency in training")


class ArpaModel(TrieModel):
    """An n-gram model in an ARPA file, plain or compressed by gzip, read as every other program reads it.

    A word that the file does not list is <unk>, whatever else the file may list.
    """

    def __init__(self, file: Path, name: str = "") -> None:
        self.file = Path(file)
        self.name = name or self.file.name

    @property
    def _file(self) -> Path:
        return self.file

    def open(self) -> Opened:
        """Read the whole file."""
        tables = read_arpa(self.file)
        unigrams = tables.levels[0].logprobs.astype(np.float64)
        unigrams[BEGIN_ID] = np.nan
        words = pl.Series("symbol", tables.words)
        return Opened(index_tables(tables), Vocabulary(words, tables.counts, classed=False), unigrams)

    def conventions(self) -> Conventions:
        """Return how the log-probabilities are to be read; they say so if the file has no <unk>."""
        unknown = self._opened.vocabulary.unknown
        if self._opened.trie.levels[0].logprobs[UNKNOWN_ID] == np.float32(MISSING_UNKNOWN * np.log(10.0)):
            unknown += f", not in the file: log10 probability {MISSING_UNKNOWN:g}"
        return self._conventions(unknown, "order 1 of the ARPA file")


# --- classes of unknown words joined to one <unk> ---------------------------------------------------------------------
# Rewrites a model with classes of unknown words for a program that knows only one, <unk>.
#
# The classes are joined. Let U be <unk> and all classes. After words that the model knows, the probability of <unk> is
# the sum of theirs, p'(<unk> | h) = Σ p(c | h) over c in U, and that of every other word is what it was. With the
# recursion of back-off the sum S(h) needs only the classes that are listed after h, h' being h without its first word:
#
#     S(h) = b(h) S(h') + Σ [p(c | h) − b(h) p(c | h')]  over the c in U listed after h
#
# After an unknown word the model is the mixture of what it was after each class, by how often training saw them:
#
#     p'(w | <unk>) = Σ v(c) p(w | c) = B p'(w) + Σ v(c) [p(w | c) − b(c) p(w)]  over the c after which w is listed
#
# with B = Σ v(c) b(c), the back-off weight of <unk>. All of these sum to 1. What is lost: longer contexts that hold an
# unknown word are left out, so that two words later it is forgotten, and the word after it sees nothing before it.


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
    contexts = _Contexts(~unknown, new_ids, np.zeros(len(below), np.uint32), np.full(len(below), mass))
    for order, level in enumerate(tables.levels[1:], 2):
        suffixes = level.words if order == 2 else _suffixes(tables.levels[order - 2], level, contexts.suffixes)
        known, joined, masses = _joined(below, level, unknown, contexts, suffixes)
        entries = [
            _Entries(
                contexts.places[level.prefixes[known]],
                new_ids[level.words[known]],
                level.logprobs[known].astype(np.float64),
                level.backoffs[known].astype(np.float64),
            ),
            _unknown_after(contexts.places[joined], masses[joined]),
        ]
        if order == 2:
            entries.append(_after_unknown(below, level, weights, new_ids, made[0]))
        built, order_of_rows = _sorted(entries)
        places = np.full(len(level), -1, np.int64)
        rows = np.empty(len(order_of_rows), np.int64)
        rows[order_of_rows] = np.arange(len(order_of_rows))
        places[known] = rows[: int(known.sum())]
        made.append(built)
        contexts = _Contexts(known, places, suffixes, masses[suffixes])
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
    rows, is_listed = find(index_level(below), suffixes[level.prefixes], level.words)
    if not is_listed.all():
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
