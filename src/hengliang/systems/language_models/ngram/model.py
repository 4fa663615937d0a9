"""How does a model of n-grams answer as a language model?

Words are looked up in its vocabulary and then in its n-grams, a whole batch at once. Sentences begin after <s> and end
with </s>, which is a unit of its own. The model opens when it is first asked something, and travels to another process
by the name of its file.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts, edges_of
from hengliang.core.learning import check_stored
from hengliang.core.text.characters import Offsets
from hengliang.systems.language_models.base import Conventions, LanguageModel, NextUnits
from hengliang.systems.language_models.manner import Manner, folded, manner_of
from hengliang.systems.language_models.ngram.arpa import MISSING_UNKNOWN, read_arpa
from hengliang.systems.language_models.ngram.lookup import Trie, index_tables, next_logprobs, score_sentences
from hengliang.systems.language_models.ngram.store import read_model
from hengliang.systems.language_models.ngram.tables import BEGIN_ID, END_ID, UNKNOWN_ID
from hengliang.systems.language_models.scores import Numbers, Scores
from hengliang.systems.language_models.vocabulary import Vocabulary
from hengliang.systems.language_models.word_units import scores_of_words, words_of_texts


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
        held = Conventions("causal", "word", True, True, unknown, unigrams, context, manner.segmenter)
        return replace(held, widths=manner.widths)

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

    With `fold` words are looked up in the width that it learned (`hengliang.systems.language_models.manner`).
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
