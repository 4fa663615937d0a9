"""Does a language model score units as it foretells them?

The promises about what comes next: no unit is scored by what stands after it, the probabilities of the next unit sum to
one, a unit is scored as it is foretold, and a beam holds no more mass than there is. They belong to the kit in
`hengliang.systems.language_models.conformance`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np

from hengliang.core.conformance import Promise
from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts, texts_of
from hengliang.core.text.characters import utf8
from hengliang.core.text.segmentation import Segmented
from hengliang.systems.language_models.base import END, LanguageModel, NextUnits
from hengliang.systems.language_models.conformance_texts import (
    SENTENCES,
    SHORT_SENTENCES,
    checked_scores,
    close,
    cut,
    places_to_cut,
    segmented_texts,
)
from hengliang.systems.language_models.regions import sentence_logprobs
from hengliang.systems.language_models.scores import Numbers, Scores

SUM_TOLERANCE = 1e-5
"""How far from one a sum of probabilities may lie: a table in single precision over a hundred thousand words does."""

# How vocabularies of subwords mark a piece that begins a word or goes on with one.
_MARKS = ("", " ", "▁", "Ġ", "##")


@runtime_checkable
class BeamModel(Protocol):
    """What a model with the scoring `beam` may offer so that the kit can weigh its beam; optional."""

    def enumerable(self) -> bool:
        """Say whether short sentences have so few analyses that all of them can be tried."""

    def exact_logprobs(self, texts: Texts) -> Numbers:
        """Return the log-probability of each text over all analyses; NaN where that would take too long."""

    def at_full_width(self) -> LanguageModel:
        """Return the same model with a beam that drops no analysis."""


def next_unit_promises(model: LanguageModel) -> list[Promise]:
    """Return what a model that reads from left to right promises about what comes next."""
    kit = _Kit(model)
    scoring = model.conventions().scoring
    promises: list[Promise] = [("what comes later does not change a score", kit.prefix_invariance)]
    if model.foretells:
        whole = "sum to one" if scoring == "causal" else "sum to no more than one"
        promises += [
            (f"the probabilities of the next unit {whole}", kit.sums_to_one),
            ("the next unit is the same alone as in a batch", kit.same_alone),
            ("a unit is scored as it is foretold", kit.chain_rule),
        ]
    if scoring == "beam" and isinstance(model, BeamModel) and model.enumerable():
        promises += [
            ("the mass of the beam is never above the exact marginal", kit.mass_of_the_beam),
            ("at full width the mass is the exact marginal", kit.mass_at_full_width),
        ]
    return promises


@dataclass(frozen=True)
class _Kit:
    """The promises about one model; each method returns a counterexample or nothing."""

    model: LanguageModel

    @property
    def _cuts_at_words(self) -> bool:
        conventions = self.model.conventions()
        return conventions.unit == "word" or bool(conventions.segmenter)

    @property
    def _has_plain_units(self) -> bool:
        return self.model.conventions().unit in {"word", "character"}

    # --- prefixes ---

    def prefix_invariance(self) -> str:
        texts = segmented_texts()
        scores = checked_scores(self.model, texts)
        for row, text in enumerate(texts):
            places = places_to_cut(text, at_words=self._cuts_at_words)
            places = places[len(places) // 3 :: max(1, len(places) // 3)]
            shortened = checked_scores(self.model, texts_of(cut(text, place) for place in places))
            for number, place in enumerate(places):
                problem = self._prefix_difference(scores.take([row]), shortened.take([number]), place)
                if problem:
                    return f"{text.content!r}, cut after byte {place}: {problem}"
        return ""

    def _prefix_difference(self, whole: Scores, prefix: Scores, place: int) -> str:
        # The last subword of a prefix may be another one than in the whole, although it stands at the same place.
        inside = prefix.ends <= place if self._has_plain_units else prefix.ends < place
        count = min(int((inside & (prefix.ends > prefix.starts)).sum()), len(whole.starts))
        same = (whole.starts[:count] == prefix.starts[:count]) & (whole.ends[:count] == prefix.ends[:count])
        shared = int(np.argmin(np.append(same, False)))
        for unit in np.flatnonzero(~close(whole.logprobs[:shared], prefix.logprobs[:shared])).tolist():
            return f"unit {unit + 1} had {whole.logprobs[unit]:.6f} and has {prefix.logprobs[unit]:.6f}"
        return ""

    # --- next units ---

    @cached_property
    def prefixes(self) -> list[tuple[Segmented, Scores, int]]:
        """Some sentences with their scores and the number of each unit before which they can be cut."""
        texts = segmented_texts([SENTENCES[0], SENTENCES[6], SENTENCES[9]])
        scores = checked_scores(self.model, texts)
        # Without a begin symbol a model need not know how a sentence begins.
        first = 0 if self.model.conventions().bos else 1
        found = []
        for row, text in enumerate(texts):
            places = {0, *places_to_cut(text, at_words=self._cuts_at_words)}
            single = scores.take([row])
            starts = enumerate(single.starts.tolist())
            found += [(text, single, unit) for unit, start in starts if unit >= first and start in places]
        return found

    @cached_property
    def foretold(self) -> tuple[Texts, NextUnits]:
        texts = texts_of(cut(text, int(scores.starts[unit])) for text, scores, unit in self.prefixes)
        return texts, self.model.next_units(texts)

    def sums_to_one(self) -> str:
        texts, following = self.foretold
        units, conventions = list(following.units), self.model.conventions()
        if following.logprobs.shape != (len(texts), len(units)):
            return f"{following.logprobs.shape} log-probabilities for {len(texts)} prefixes and {len(units)} units"
        if conventions.eos and END not in units:
            return f"the end of a sentence, {END!r}, is not among the units"
        if self._has_plain_units and len(set(units)) < len(units):
            return "a unit comes twice"
        totals = np.exp(following.logprobs.astype(np.float64)).sum(axis=1)
        # Written so that a NaN, which is not within any distance of 1, is caught.
        right = totals <= 1 + SUM_TOLERANCE
        if conventions.scoring == "causal":
            right &= totals >= 1 - SUM_TOLERANCE
        for row in np.flatnonzero(~right).tolist():
            return f"after {texts.contents[row]!r} they sum to {float(totals[row])!r}"
        return ""

    def same_alone(self) -> str:
        texts, following = self.foretold
        for row in range(0, len(texts), 3):
            alone = self.model.next_units(texts.take([row]))
            if list(alone.units) != list(following.units):
                return f"after {texts.contents[row]!r}: other units"
            if not close(alone.logprobs[0], following.logprobs[row]).all():
                return f"after {texts.contents[row]!r}: other probabilities"
        return ""

    def chain_rule(self) -> str:
        texts, following = self.foretold
        shortened = checked_scores(self.model, texts)
        places = {unit: place for place, unit in enumerate(following.units)}
        for row, (text, scores, unit) in enumerate(self.prefixes):
            prefix = shortened.take([row])
            # A prefix of subwords may be cut up otherwise than the whole, and then foretells something else. Before a
            # text some tokenizers put a piece of their own, which is one unit with the first piece.
            alike = np.array_equal(prefix.ends[prefix.ends > prefix.starts], scores.ends[:unit])
            if alike and (unit > 0 or self._has_plain_units):
                problem = self._foretold_difference(text, scores, unit, following.logprobs[row], places)
                if problem:
                    return f"after {texts.contents[row]!r}: {problem}"
        return ""

    def _foretold_difference(
        self, text: Segmented, scores: Scores, unit: int, logprobs: Numbers, places: dict[str, int]
    ) -> str:
        start, end = int(scores.starts[unit]), int(scores.ends[unit])
        name = utf8(text.content)[start:end].decode(errors="replace").strip() if end > start else END
        marks = _MARKS[:1] if self._has_plain_units or name == END else _MARKS
        found = [places[mark + name] for mark in marks if mark + name in places]
        if not found:
            missing = self._has_plain_units and not scores.unknown[unit]
            return f"{name!r} is scored as a known unit and not foretold" if missing else ""
        if close(logprobs[found], scores.logprobs[[unit]]).any():
            return ""
        return f"{name!r} is foretold with {logprobs[found[0]]:.6f} and scored with {scores.logprobs[unit]:.6f}"

    # --- beams ---

    @cached_property
    def exact(self) -> Numbers:
        """The log-probabilities of the short sentences over all analyses, which take a while."""
        return _beam(self.model).exact_logprobs(segmented_texts(SHORT_SENTENCES))

    def mass_of_the_beam(self) -> str:
        return self._weigh(self.model, equal=False)

    def mass_at_full_width(self) -> str:
        return self._weigh(_beam(self.model).at_full_width(), equal=True)

    def _weigh(self, model: LanguageModel, *, equal: bool) -> str:
        texts = segmented_texts(SHORT_SENTENCES)
        exact, mass = self.exact, sentence_logprobs(checked_scores(model, texts))
        known = ~np.isnan(exact)
        if not known.any():
            return "the exact marginal of no short sentence is known"
        right = close(exact, mass) if equal else (mass <= exact) | close(exact, mass)
        for row in np.flatnonzero(known & ~right).tolist():
            return f"{texts.contents[row]!r}: the beam holds {mass[row]:.6f}, the exact marginal is {exact[row]:.6f}"
        return ""


def _beam(model: object) -> BeamModel:
    if not isinstance(model, BeamModel):
        raise UserError("The model has no methods enumerable, exact_logprobs and at_full_width.")
    return model
