"""Does the kit find models that foretell otherwise than they score, and beams that hold too much?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hengliang.core import Finding, examine
from hengliang.language_models import Texts
from hengliang.language_models.base import END, Conventions, LanguageModel, NextUnits
from hengliang.language_models.conformance import SHORT_SENTENCES, BeamModel, next_unit_promises, segmented_texts
from hengliang.language_models.regions import sentence_logprobs
from hengliang.language_models.scores import Numbers, Scores
from tests.language_models.tiny_language_models import Beam, Bigrams, Subwords, UniformCharacters

SUM = "the probabilities of the next unit sum to one"
ALONE = "the next unit is the same alone as in a batch"
CHAIN = "a unit is scored as it is foretold"
MASS = "the mass of the beam is never above the exact marginal"
FULL = "at full width the mass is the exact marginal"


def findings(model: LanguageModel) -> dict[str, Finding]:
    return {finding.promise: finding for finding in examine(next_unit_promises(model))}


def broken_promises(model: LanguageModel) -> set[str]:
    return {promise for promise, finding in findings(model).items() if not finding.kept}


class Foretelling(Bigrams):
    """A model of words with one fault in what it foretells."""

    def __init__(self, fault: str = "") -> None:
        self.fault = fault
        self.corpus, self.name = Bigrams().corpus, "foretelling"

    def next_units(self, prefixes: Texts) -> NextUnits:
        found = super().next_units(prefixes)
        units, logprobs = list(found.units), found.logprobs
        if self.fault == "too much":
            return NextUnits([*units, "鬼"], np.column_stack([logprobs, np.full(len(logprobs), np.log(1e-4))]))
        if self.fault == "no end":
            # The mass of the end goes to the first word, so that the sum is right.
            first, end = np.exp(logprobs[:, 0]), np.exp(logprobs[:, -1])
            return NextUnits(units[:-1], np.column_stack([np.log(first + end), logprobs[:, 1:-1]]))
        if self.fault == "twice":
            return NextUnits([*units, units[0]], np.column_stack([logprobs, np.full(len(logprobs), -np.inf)]))
        if self.fault == "not a number":
            return NextUnits(units, np.where(logprobs < -2.3, np.nan, logprobs))
        if self.fault == "probabilities":
            return NextUnits(units, np.exp(logprobs))
        if self.fault == "transposed":
            return NextUnits(units, logprobs.T)
        if self.fault == "alone":
            return NextUnits(units, logprobs - np.log(2) if len(prefixes) == 1 else logprobs)
        if self.fault == "order of units":
            return NextUnits(units[::-1], logprobs[:, ::-1]) if len(prefixes) == 1 else found
        if self.fault == "other word":
            return NextUnits(units, np.roll(logprobs, 1, axis=1))
        if self.fault == "forgets a word":
            return NextUnits(["鬼" if unit == "了" else unit for unit in units], logprobs)
        return found

    def score(self, texts: Texts) -> Scores:
        scores = super().score(texts)
        if self.fault == "end is too likely":
            return replace(scores, logprobs=np.where(scores.starts == scores.ends, -0.5, scores.logprobs))
        return scores


def test_right_models_break_nothing() -> None:
    for model in (Foretelling(), Bigrams(), UniformCharacters(), Subwords(), Beam()):
        assert broken_promises(model) == set()
        assert len(findings(model)) >= 3


@pytest.mark.parametrize(
    ("fault", "promise"),
    [
        ("too much", SUM),
        ("alone", ALONE),
        ("order of units", ALONE),
        ("other word", CHAIN),
        ("forgets a word", CHAIN),
        ("end is too likely", CHAIN),
    ],
)
def test_the_kit_finds_a_fault_and_only_that(fault: str, promise: str) -> None:
    assert broken_promises(Foretelling(fault)) == {promise}


@pytest.mark.parametrize("fault", ["no end", "twice", "not a number", "probabilities", "transposed"])
def test_the_kit_finds_distributions_that_are_none(fault: str) -> None:
    assert SUM in broken_promises(Foretelling(fault))


def test_a_broken_promise_shows_the_counterexample() -> None:
    assert findings(Foretelling("too much"))[SUM].detail.startswith("after '' they sum to 1.000")
    assert findings(Foretelling("no end"))[SUM].detail == f"the end of a sentence, '{END}', is not among the units"
    # 了 comes after 成为, which is an unknown word: (0 + 1) / (0 + 9)
    detail = findings(Foretelling("forgets a word"))[CHAIN].detail
    assert detail == "after '他终于成为': '了' is scored as a known unit and not foretold"
    # p(</s> | 。) = (3 + 1) / (3 + 9), ln 1/3 = -1.098612
    detail = findings(Foretelling("end is too likely"))[CHAIN].detail
    assert detail == "after '他终于成为了医生。': '</s>' is foretold with -1.098612 and scored with -0.500000"


# --- subwords ---


class SubwordsShifted(Subwords):
    """Foretells each piece with the probability of its neighbour."""

    def next_units(self, prefixes: Texts) -> NextUnits:
        found = super().next_units(prefixes)
        return NextUnits(found.units, np.roll(found.logprobs, 1, axis=1))


class SubwordsAfterAMark(Subwords):
    """Puts a piece of its own before each text, which makes one unit with the first piece."""

    def score(self, texts: Texts) -> Scores:
        scores = super().score(texts)
        first = np.isin(np.arange(len(scores.starts)), scores.offsets[:-1][scores.counts > 1])
        return replace(scores, logprobs=scores.logprobs + np.where(first, -1.0, 0.0))


class SubwordsLookingAhead(Subwords):
    """Scores each piece by the one after it."""

    def score(self, texts: Texts) -> Scores:
        scores = super().score(texts)
        following = np.append(scores.logprobs[1:], -1.0)
        return replace(scores, logprobs=scores.logprobs + np.where(scores.ends > scores.starts, 0.1 * following, 0))


def test_models_of_subwords_are_tried_where_their_pieces_coincide() -> None:
    # 终于 is one piece: its prefix 他终 is cut up otherwise, and nothing follows from that.
    whole, prefix = (Subwords().pieces(segmented_texts([line]))[0] for line in ("他 终于", "他 终"))
    assert whole[1][:2] == (3, 9)
    assert prefix[1][:2] == (3, 6)
    assert broken_promises(SubwordsShifted()) == {CHAIN}
    assert broken_promises(SubwordsAfterAMark()) == set()
    assert "what comes later does not change a score" in broken_promises(SubwordsLookingAhead())


# --- beams ---


class Heavy(Beam):
    """A beam that counts the dropped analyses as if they were kept, twice."""

    def score(self, texts: Texts) -> Scores:
        scores = super().score(texts)
        return replace(scores, logprobs=scores.logprobs + np.where(scores.starts == scores.ends, np.log(1.9), 0))

    def at_full_width(self) -> Beam:
        return Beam(2**20)


class Narrow(Beam):
    """Says that it is at full width when it is not."""

    def at_full_width(self) -> Beam:
        return Beam(1)


class Silent(Beam):
    """Knows no exact marginal."""

    def exact_logprobs(self, texts: Texts) -> Numbers:
        return np.full(len(texts), np.nan)


class TooMany(Silent):
    """Says that even short sentences have too many analyses to try them all."""

    def enumerable(self) -> bool:
        return False


class Foretold(Beam):
    """A beam that foretells only half of the mass of each word."""

    def __init__(self, share: float = 0.5) -> None:
        super().__init__()
        self.share = share

    def next_units(self, prefixes: Texts) -> NextUnits:
        count = len(self.vocabulary)
        return NextUnits(self.vocabulary, np.full((len(prefixes), count), np.log(self.share / count)))


def test_a_narrow_beam_loses_mass_and_a_full_one_none() -> None:
    texts = segmented_texts(SHORT_SENTENCES)
    exact = Beam().exact_logprobs(texts)
    narrow, wide, full = (sentence_logprobs(Beam(width).score(texts)) for width in (1, 3, 2**20))
    assert (narrow < wide - 1e-3).all()
    assert (wide <= exact).all()
    np.testing.assert_allclose(full, exact, rtol=1e-12)
    assert isinstance(Beam(), BeamModel)
    assert not isinstance(Bigrams(), BeamModel)


@pytest.mark.parametrize(("model", "promises"), [(Heavy(), {MASS}), (Narrow(), {FULL}), (Silent(), {MASS, FULL})])
def test_the_kit_weighs_beams(model: LanguageModel, promises: set[str]) -> None:
    assert broken_promises(model) == promises


def test_a_beam_need_not_foretell_all_but_not_more() -> None:
    promise = "the probabilities of the next unit sum to no more than one"
    assert findings(Foretold())[promise].kept
    assert "they sum to 1.5" in findings(Foretold(1.5))[promise].detail


def test_a_beam_without_an_exact_marginal_promises_nothing_of_it() -> None:
    class Plain(Bigrams):
        def conventions(self) -> Conventions:
            return replace(super().conventions(), scoring="beam")

    assert not {MASS, FULL} & set(findings(Plain()))


def test_a_beam_with_too_many_analyses_is_not_weighed() -> None:
    assert {MASS, FULL} <= set(findings(Beam()))
    assert not {MASS, FULL} & set(findings(TooMany()))
    assert broken_promises(TooMany()) == set()
