"""Syntactic language models (RNNG, PLM): word probabilities and parses by word-synchronous beam search.

The probability of a word is the sum over all trees of what has been read, and a beam of analyses stands for them
(`hengliang.language_models.structured.beam_search`). A sentence for which no analysis is left has a reason instead of a
score. The network opens when it is first asked something, and travels to another process by the name of its folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hengliang.core.labelling.texts import Texts
from hengliang.core.learning import check_stored
from hengliang.core.text.characters import Offsets
from hengliang.corpora.trees.constituents import Tree
from hengliang.language_models.base import END, Conventions, LanguageModel, NextUnits
from hengliang.language_models.manner import Manner, folded, manner_of
from hengliang.language_models.scores import Numbers, Scores
from hengliang.language_models.streaming import SEARCHED
from hengliang.language_models.structured.architectures import StructuredArchitecture
from hengliang.language_models.structured.beam_search import NO_ANALYSIS, Beam, Ranking, next_words, search
from hengliang.language_models.structured.derivations import tree_of_steps
from hengliang.language_models.structured.enumeration import MOST, count_derivations, exact_logprob
from hengliang.language_models.vocabulary import END_ID, UNKNOWN_ID, Ids, Vocabulary, scores_of_words, words_of_texts

if TYPE_CHECKING:
    from hengliang.language_models.structured.networks import StructuredNetwork

_OPENED = ("_architecture", "_vocabulary", "_network")


class StructuredModel(LanguageModel):
    """An RNNG or a PLM in the folder into which it was trained.

    `action_beam`, `word_beam`, `fast_track` and `ranking` are those of the search; 0 is a beam that drops nothing.
    `lanes` is how many sentences are searched at once: it changes memory and speed, and no score by more than rounding.
    With `fold` words are looked up in the width that it learned (`hengliang.language_models.manner`).
    """

    batch_size = SEARCHED

    def __init__(
        self,
        folder: Path,
        name: str = "",
        seed: int | None = None,
        action_beam: int = 100,
        word_beam: int = 10,
        fast_track: int = 5,
        ranking: Ranking = "step",
        lanes: int = 64,
        fold: bool = True,
    ) -> None:
        self.folder = Path(folder)
        self.name = name or self.folder.name
        self.seed = seed
        self.action_beam = action_beam
        self.word_beam = word_beam
        self.fast_track = fast_track
        self.ranking = ranking
        self.lanes = lanes
        self.fold = fold

    @property
    def beam(self) -> Beam:
        """The settings of the search."""
        return Beam(self.action_beam, self.word_beam, self.fast_track, self.ranking)

    @property
    def manner(self) -> Manner:
        """Who finds the words of raw text, and in which widths words are looked up, by the model's card."""
        return manner_of(self.folder, fold=self.fold)

    @cached_property
    def _architecture(self) -> StructuredArchitecture:
        check_stored(self.folder)
        return StructuredArchitecture.read(self.folder)

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        vocabulary = Vocabulary.read(self.folder)
        self._architecture.check_symbols(len(vocabulary), self.folder)
        return vocabulary

    @cached_property
    def _network(self) -> StructuredNetwork:
        from hengliang.language_models.structured.building import read_structured

        check_stored(self.folder)
        return read_structured(self.folder)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the open network behind: a copy opens its own."""
        return {name: value for name, value in self.__dict__.items() if name not in _OPENED}

    def conventions(self) -> Conventions:
        """Return how the log-probabilities are to be read; this needs no torch."""
        width = f"{self.action_beam or 'all'} steps, {self.word_beam or 'all'} analyses a word"
        context = f"the whole text by a beam of {width}, fast track {self.fast_track}, ranked by {self.ranking}"
        if self._architecture.context:
            context += f"; at most {self._architecture.context} steps"
        unknown, manner = self._vocabulary.unknown, self.manner
        unigrams = "relative frequency in training"
        conventions = Conventions("beam", "word", True, True, unknown, unigrams, context, manner.segmenter)
        return replace(conventions, widths=manner.widths)

    @property
    def foretells(self) -> bool:
        """Whether the model says which word comes next: a search that looks at the word first cannot."""
        return self.ranking == "step"

    def score(self, texts: Texts) -> Scores:
        """Return the log-probability of each word of each text and of its end."""
        return self._searched(texts, parse=False)[0]

    def parse(self, texts: Texts) -> list[Tree | None]:
        """Return the best tree that the beam finds of each text, or nothing where it finds none."""
        return self._searched(texts, parse=True)[1]

    def score_and_parse(self, texts: Texts) -> tuple[Scores, list[Tree | None]]:
        """Return the scores of texts and their best trees by one search, which takes half as long as two."""
        return self._searched(texts, parse=True)

    def _searched(self, texts: Texts, parse: bool) -> tuple[Scores, list[Tree | None]]:
        texts = words_of_texts(texts, self.manner.segmenter)
        ids, unknown = self._encoded(texts)
        searched = search(self._network.session(), _rows(ids, texts.offsets), self.beam, lanes=self.lanes, parse=parse)
        # A text with a problem gets places for its words all the same, and loses them below.
        counts = np.diff(texts.offsets) + 1
        logprobs = [
            values if not problem else np.full(count, np.nan)
            for values, problem, count in zip(searched.logprobs, searched.problems, counts.tolist(), strict=True)
        ]
        targets = np.insert(ids.astype(np.int64), texts.offsets[1:], END_ID)
        scores = scores_of_words(
            texts,
            np.concatenate([*logprobs, np.zeros(0)]),
            self._vocabulary.unigram_logprobs[targets],
            np.insert(unknown, texts.offsets[1:], False),
        )
        return without_problems(scores, self._explained(searched.problems)), self._trees(texts, searched.parses)

    def _encoded(self, texts: Texts) -> tuple[Ids, npt.NDArray[np.bool_]]:
        return self._vocabulary.encode(folded(texts.words, self.manner.widths))

    def _explained(self, problems: Sequence[str]) -> list[str]:
        """Return the problems; where a network has a longest row of steps, a wider beam may not be what is missing."""
        limit = self._architecture.context
        ending = f" (the model reads at most {limit} steps)" if limit else ""
        return [problem + ending if problem.startswith(NO_ANALYSIS) else problem for problem in problems]

    def _trees(self, texts: Texts, parses: Sequence[Sequence[int]]) -> list[Tree | None]:
        words, labels = texts.words.to_list(), self._architecture.labels
        edges = zip(texts.offsets[:-1].tolist(), texts.offsets[1:].tolist(), strict=True)
        return [
            tree_of_steps(steps, words[first:last], labels) if len(steps) else None
            for steps, (first, last) in zip(parses, edges, strict=True)
        ]

    def next_units(self, prefixes: Texts) -> NextUnits:
        """Return the probability of every word, and of the end, after each of these beginnings of a sentence."""
        prefixes = words_of_texts(prefixes, self.manner.segmenter)
        ids, _ = self._encoded(prefixes)
        logprobs = next_words(self._network.session(), _rows(ids, prefixes.offsets), self.beam, lanes=self.lanes)
        symbols = self._vocabulary.symbols.to_list()
        # <s> and </s> are not words of the network; its end stands in the last column.
        columns = [UNKNOWN_ID, *range(END_ID + 1, len(symbols)), len(symbols)]
        return NextUnits([symbols[UNKNOWN_ID], *symbols[END_ID + 1 :], END], logprobs[:, columns])

    # --- for the conformance tests of beams ---------------------------------------------------------------------------

    def enumerable(self) -> bool:
        """Say whether all trees of a sentence of two words can be enumerated."""
        return count_derivations(self._architecture.limits, 2) <= MOST

    def exact_logprobs(self, texts: Texts) -> Numbers:
        """Return the log-probability of each text over all its trees; NaN where these are too many."""
        texts = words_of_texts(texts, self.manner.segmenter)
        ids, _ = self._encoded(texts)
        session = self._network.session()
        return np.array([exact_logprob(session, row.tolist()) for row in _rows(ids, texts.offsets)])

    def at_full_width(self) -> StructuredModel:
        """Return the same model with a beam that drops no analysis."""
        kept = (self.fast_track, self.ranking, self.lanes, self.fold)
        return StructuredModel(self.folder, self.name, self.seed, 0, 0, *kept)


def _rows(ids: np.ndarray[Any, Any], offsets: Offsets) -> list[Offsets]:
    return np.split(ids.astype(np.int64), offsets[1:-1]) if len(offsets) > 1 else []


def without_problems(scores: Scores, problems: Sequence[str]) -> Scores:
    """Return the scores with these problems; a text that has one keeps no units."""
    if not any(problems):
        return scores
    kept = np.array([not problem for problem in problems], np.bool_)
    units = np.repeat(kept, scores.counts)
    counts = np.where(kept, scores.counts, 0)
    return Scores(
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        scores.starts[units],
        scores.ends[units],
        scores.logprobs[units],
        scores.unigram_logprobs[units],
        scores.unknown[units],
        tuple(problems),
    )
