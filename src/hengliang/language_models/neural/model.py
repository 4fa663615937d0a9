"""Neural language models of words (LSTM, Transformer): scores and next-word probabilities.

Words are looked up in the model's vocabulary, sentences of like length are read side by side, in single precision and
over the whole vocabulary. An LSTM reads a text of any length to its end. A Transformer knows a limited number of
places: a longer text is read in windows that overlap by half, as `hengliang.language_models.neural.batches` explains.
The network opens when it is first asked something, and travels to another process by the name of its folder.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hengliang.core.labelling.texts import Texts
from hengliang.core.learning import check_stored
from hengliang.language_models.base import Conventions, LanguageModel, NextUnits
from hengliang.language_models.manner import Manner, folded, manner_of
from hengliang.language_models.neural.batches import last_windows, sequences_of
from hengliang.language_models.neural.settings import Architecture
from hengliang.language_models.scores import Scores
from hengliang.language_models.vocabulary import (
    BEGIN_ID,
    END_ID,
    UNKNOWN_ID,
    Vocabulary,
    scores_of_words,
    words_of_texts,
)

if TYPE_CHECKING:
    from hengliang.language_models.neural.networks import WordNetwork

_OPENED = ("_architecture", "_vocabulary", "_network")


class NeuralModel(LanguageModel):
    """An LSTM or a Transformer in the folder into which it was trained.

    `places` is how many words, with the padding, are read at once: it changes memory and speed, and no score by more
    than rounding. With `fold` words are looked up in the width that it learned
    (`hengliang.language_models.manner`).
    """

    def __init__(
        self, folder: Path, name: str = "", seed: int | None = None, places: int = 4096, fold: bool = True
    ) -> None:
        self.folder = Path(folder)
        self.name = name or self.folder.name
        self.seed = seed
        self.places = places
        self.fold = fold

    @property
    def manner(self) -> Manner:
        """Who finds the words of raw text, and in which widths words are looked up, by the model's card."""
        return manner_of(self.folder, fold=self.fold)

    @cached_property
    def _architecture(self) -> Architecture:
        check_stored(self.folder)
        return Architecture.read(self.folder)

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        vocabulary = Vocabulary.read(self.folder)
        self._architecture.check_symbols(len(vocabulary), self.folder)
        return vocabulary

    @cached_property
    def _network(self) -> WordNetwork:
        from hengliang.language_models.neural.networks import read_network

        check_stored(self.folder)
        return read_network(self.folder)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the open network behind: a copy opens its own."""
        return {name: value for name, value in self.__dict__.items() if name not in _OPENED}

    def conventions(self) -> Conventions:
        """Return how the log-probabilities are to be read; this needs no torch."""
        built = self._architecture
        context = "the whole text"
        if built.context:
            least = built.context - built.stride
            context = (
                f"{built.context - 1} words; a longer text in windows that move on by {built.stride} words, "
                f"so that each unit sees at least {least}"
            )
        unknown, manner = self._vocabulary.unknown, self.manner
        unigrams = "relative frequency in training"
        conventions = Conventions("causal", "word", True, True, unknown, unigrams, context, manner.segmenter)
        return replace(conventions, widths=manner.widths)

    def score(self, texts: Texts) -> Scores:
        """Return the log-probability of each word of each text and of its end."""
        from hengliang.language_models.neural.networks import target_logprobs

        manner = self.manner
        texts = words_of_texts(texts, manner.segmenter)
        ids, unknown = self._vocabulary.encode(folded(texts.words, manner.widths))
        sequences = sequences_of(ids, texts.offsets, self._architecture.context, self._architecture.stride)
        return scores_of_words(
            texts,
            target_logprobs(self._network, sequences, self.places),
            self._vocabulary.unigram_logprobs[sequences.targets],
            np.insert(unknown, texts.offsets[1:], False),
        )

    def next_units(self, prefixes: Texts) -> NextUnits:
        """Return the probability of every word, and of the end, after each of these beginnings of a sentence."""
        from hengliang.language_models.neural.networks import last_distributions

        manner = self.manner
        prefixes = words_of_texts(prefixes, manner.segmenter)
        ids, _ = self._vocabulary.encode(folded(prefixes.words, manner.widths))
        sequences = sequences_of(ids, prefixes.offsets, self._architecture.context, self._architecture.stride)
        logprobs = last_distributions(self._network, last_windows(sequences), self.places)
        # <s> never comes next; <unk> takes its column, and the first column is left off.
        logprobs[:, BEGIN_ID] = logprobs[:, UNKNOWN_ID]
        symbols = self._vocabulary.symbols.to_list()
        return NextUnits([symbols[UNKNOWN_ID], *symbols[END_ID:]], logprobs[:, BEGIN_ID:])
