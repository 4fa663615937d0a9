"""Does a language model keep its promises?

The kit puts sentences of our own making to the model, ordinary and awkward ones, and tries one promise at a time. Which
promises there are follows from the model's conventions: a masked model sees both sides and promises no chain rule, a
beam may lose mass. Ours and a user's own models run it alike: `hengliang check NAME`.
"""

from __future__ import annotations

import inspect
import pickle
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np

from hengliang.core.base_classes import check_answers
from hengliang.core.conformance import Promise
from hengliang.core.labelling.texts import WORD, Texts
from hengliang.core.labelling.texts import concat as concat_texts
from hengliang.core.records import Item, Span, items_frame
from hengliang.core.text.characters import utf8
from hengliang.core.text.segmentation import words_of
from hengliang.systems.language_models.base import LanguageModel, Scoring, Unit
from hengliang.systems.language_models.conformance_next_units import next_unit_promises
from hengliang.systems.language_models.conformance_texts import (
    SAME_TOLERANCE,
    awkward_texts,
    checked_scores,
    difference,
    long_text,
    ordinary_texts,
    segmented_texts,
    shown,
)
from hengliang.systems.language_models.scores import Numbers, Scores, concat, scores_of_content

_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def language_model_promises(model: LanguageModel) -> list[Promise]:
    """Return what every language model of this kind promises; `hengliang.core.conformance.examine` tries it."""
    kit = _Kit(model)
    promises: list[Promise] = [
        ("states its conventions", kit.states_conventions),
        ("scores ordinary sentences", kit.scores_ordinary_sentences),
        ("units follow each other and cover the text", kit.each_text(_gap)),
        ("the end of a sentence is a unit of no width, if it is scored", kit.each_text(kit.wrong_end)),
        ("log-probabilities are numbers not above 0", kit.each_text(_wrong_logprobs)),
        ("unigram log-probabilities are known, if the conventions say so", kit.each_text(kit.wrong_unigrams)),
        ("gives the same scores the second time", kit.same_again),
        ("gives the same scores alone as in a batch", kit.same_alone),
        ("gives the same scores in batches of another size", kit.same_in_other_batches),
        ("gives the same scores in another order", kit.same_in_another_order),
        ("gives the same scores beside a much longer text", kit.same_beside_a_long_text),
        ("gives the same scores beside awkward texts", kit.same_beside_awkward_texts),
        ("a copy made by pickling gives the same scores", kit.same_when_pickled),
        ("a new one made with the same arguments gives the same scores", kit.same_when_made_again),
        ("answers items as it scores texts", kit.answers_as_it_scores),
        ("no texts give no scores", kit.nothing_for_nothing),
        ("awkward texts get a score or a reason", kit.survives_awkward_texts),
    ]
    conventions = model.conventions()
    if conventions.representation:
        # What stands for a word, and whether two words are one, is decided by the whole sentence.
        return promises
    if conventions.unit == "word":
        promises.append(("given words are its units", kit.respects_words))
    elif not conventions.segmenter:
        promises.append(("given words make no difference", kit.ignores_words))
    return promises if conventions.scoring == "masked" else [*promises, *next_unit_promises(model)]


@dataclass(frozen=True)
class _Kit:
    """The promises about one model; each method returns a counterexample or nothing."""

    model: LanguageModel

    @cached_property
    def texts(self) -> Texts:
        return ordinary_texts()

    @cached_property
    def scores(self) -> Scores:
        return checked_scores(self.model, self.texts)

    @cached_property
    def awkward(self) -> list[tuple[Texts, Scores | Exception]]:
        """Each awkward text with its score by itself, or with what went wrong."""
        texts = awkward_texts(self.model.conventions().scoring)
        found: list[tuple[Texts, Scores | Exception]] = []
        for row in range(len(texts)):
            text = texts.take([row])
            try:
                found.append((text, checked_scores(self.model, text)))
            except Exception as error:  # a stranger's model may raise anything, and one promise is about that
                found.append((text, error))
        return found

    @property
    def awkward_scores(self) -> list[tuple[Texts, Scores]]:
        return [(text, found) for text, found in self.awkward if isinstance(found, Scores)]

    # --- each text by itself ---

    def states_conventions(self) -> str:
        stated = self.model.conventions()
        if stated != self.model.conventions():
            return "the conventions change from call to call"
        if stated.scoring not in get_args(Scoring) or stated.unit not in get_args(Unit):
            return f"the scoring is {stated.scoring!r} and the unit {stated.unit!r}"
        silent = [name for name in ("unknown", "unigrams", "context") if not getattr(stated, name)]
        if stated.unit == "word" and not stated.segmenter:
            silent.append("segmenter")
        return f"nothing is said about {', '.join(silent)}" if silent else ""

    def scores_ordinary_sentences(self) -> str:
        for content, problem in zip(self.texts.contents, self.scores.problems, strict=True):
            if problem:
                return f"{content!r}: {problem}"
        return ""

    def survives_awkward_texts(self) -> str:
        for text, found in self.awkward:
            if isinstance(found, Exception):
                return f"{shown(text.contents[0])}: {type(found).__name__}: {found}"
        return ""

    def each_text(self, fault: Callable[[str, Scores], str]) -> Callable[[], str]:
        def counterexample() -> str:
            for texts, scores in [(self.texts, self.scores), *self.awkward_scores]:
                for row in np.flatnonzero(scores.scored).tolist():
                    problem = fault(texts.contents[row], scores.take([row]))
                    if problem:
                        return f"{shown(texts.contents[row])}: {problem}"
            return ""

        return counterexample

    def wrong_end(self, content: str, scores: Scores) -> str:
        eos = self.model.conventions().eos
        empty = np.flatnonzero(scores.starts == scores.ends).tolist()
        if empty == ([len(scores.starts) - 1] if eos else []):
            return ""
        return f"units of no width: {len(empty)}, where the conventions say eos={eos}"

    def wrong_unigrams(self, content: str, scores: Scores) -> str:
        unknown = np.isnan(scores.unigram_logprobs)
        if self.model.conventions().unigrams == "none":
            return "" if unknown.all() else "there are some, although the conventions say none"
        return f"unit {int(np.argmax(unknown)) + 1} has none" if unknown.any() else _above_zero(scores.unigram_logprobs)

    # --- the same score ---

    def same_again(self) -> str:
        first, second = checked_scores(self.model, self.texts), checked_scores(self.model, self.texts)
        checked_scores(self.model, self.texts.take([3, 0]))
        third = checked_scores(self.model, self.texts)
        return difference(self.texts, first, second) or difference(self.texts, first, third)

    def same_alone(self) -> str:
        return self._same_in_batches(1)

    def same_in_other_batches(self) -> str:
        return self._same_in_batches(5) or self._same_in_batches(9)

    def _same_in_batches(self, size: int) -> str:
        rows = np.arange(len(self.texts))
        batches = [self.texts.take(rows[start : start + size]) for start in rows[::size].tolist()]
        return difference(self.texts, self.scores, concat([checked_scores(self.model, batch) for batch in batches]))

    def same_in_another_order(self) -> str:
        rows = np.arange(len(self.texts))
        for order in (rows[::-1], np.roll(rows, 5)):
            scores = checked_scores(self.model, self.texts.take(order)).take(np.argsort(order))
            problem = difference(self.texts, self.scores, scores)
            if problem:
                return problem
        return ""

    def same_beside_a_long_text(self) -> str:
        return self._same_beside(long_text())

    def same_beside_awkward_texts(self) -> str:
        short = [pair for pair in self.awkward_scores if len(pair[0].contents[0]) < 100]
        if not short:
            return ""
        texts, scores = concat_texts([text for text, _ in short]), concat([score for _, score in short])
        return self._same_beside(texts) or difference(texts, scores, checked_scores(self.model, texts))

    def _same_beside(self, texts: Texts) -> str:
        both = checked_scores(self.model, concat_texts([texts, self.texts]))
        return difference(self.texts, self.scores, both.take(np.arange(len(texts), len(both))))

    def same_when_pickled(self) -> str:
        return self._same_as(pickle.loads(pickle.dumps(self.model)))

    def same_when_made_again(self) -> str:
        kind = type(self.model)
        names = [name for name, held in inspect.signature(kind).parameters.items() if held.kind not in _VARIADIC]
        return self._same_as(kind(**{name: getattr(self.model, name) for name in names}))

    def _same_as(self, other: LanguageModel) -> str:
        return difference(self.texts, self.scores, checked_scores(other, self.texts))

    def answers_as_it_scores(self) -> str:
        for prefix in ("text", "other"):
            items = items_frame(_items(self.texts, prefix))
            answers = check_answers(self.model.answer(items), items, self.model)
            problem = difference(self.texts, self.scores, scores_of_content(answers["content"]))
            if problem:
                return problem
        return ""

    def nothing_for_nothing(self) -> str:
        nothing = self.texts.take([])
        count = len(checked_scores(self.model, nothing)) + self.model.answer(items_frame([])).height
        return f"{count} scores of nothing" if count else ""

    # --- words ---

    def respects_words(self) -> str:
        texts = segmented_texts()
        scores = checked_scores(self.model, texts)
        for row, text in enumerate(texts):
            units = [(unit.start, unit.end) for unit in scores.units(row) if unit.end > unit.start]
            if scores.scored[row] and units != text.spans:
                return f"{' '.join(text.words)!r} became {' '.join(words_of(text.content, units))!r}"
        return ""

    def ignores_words(self) -> str:
        texts = segmented_texts()
        rows = np.arange(len(texts))
        return difference(texts, self.scores.take(rows), self.scores.take(rows + len(texts)))


def _items(texts: Texts, prefix: str) -> Iterator[Item]:
    for number, (text, has_words) in enumerate(zip(texts, texts.segmented.tolist(), strict=True)):
        spans = tuple(Span(WORD, start, end) for start, end in text.spans) if has_words else ()
        yield Item(f"{prefix}-{number}", f"{prefix}-{number}", "conformance", "", text.content, spans)


def _gap(content: str, scores: Scores) -> str:
    if all(unicodedata.category(character)[0] in "ZC" for character in content):
        return ""  # a model may have no unit for white space and control characters
    size, place, before = len(utf8(content)), 0, (0, 0)
    for start, end in zip(scores.starts.tolist(), scores.ends.tolist(), strict=True):
        # The pieces of one character may all have the span of that character.
        if start != place and (start, end) != before:
            return f"a unit starts at byte {start}, where {place} was expected"
        if end < start:
            return f"a unit starts at byte {start} and ends at {end}"
        place, before = end, (start, end)
    return f"the units end at byte {place} of {size}" if place != size else ""


def _wrong_logprobs(content: str, scores: Scores) -> str:
    return _above_zero(scores.logprobs)


def _above_zero(logprobs: Numbers) -> str:
    # Written so that a NaN, which is not below anything, is caught.
    for unit in np.flatnonzero(~(logprobs <= SAME_TOLERANCE)).tolist():
        return f"unit {unit + 1} has {float(logprobs[unit])!r}"
    return ""
