"""How probable is a sentence exactly, and what does the beam search find when it goes one analysis at a time?"""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.language_models.structured import enumeration
from hengliang.language_models.structured.beam_search import Beam
from hengliang.language_models.structured.derivations import SHIFT, Limits
from hengliang.language_models.structured.enumeration import (
    all_derivations,
    count_derivations,
    exact_logprob,
    exact_prefix_logprobs,
    one_at_a_time,
)
from tests.language_models.structured.toy_sessions import (
    TREES,
    EvenSession,
    Grammar,
    Scrambled,
    ShortOfBreath,
    grammar_probability,
)

LIMITS = st.builds(Limits, labels=st.integers(1, 2), chain=st.integers(1, 3), depth=st.integers(1, 3))
FULL = Beam(action=0, word=0)


def test_trees_counted_by_hand() -> None:
    # One label, at most two open. One word: (w), ((w)). Two: (ww), (w(w)), ((w)w), ((w)(w)), ((ww)).
    assert count_derivations(Limits(1, 2, 2), 1) == 2
    assert count_derivations(Limits(1, 2, 2), 2) == 5
    # Each constituent has one of three labels: 3 + 9 trees of one word.
    assert count_derivations(Limits(3, 2, 2), 1) == 12
    assert count_derivations(Limits(3, 5, 1), 4) == 3  # a root and nothing else
    assert count_derivations(Limits(1, 2, 2), 0) == 0


@settings(max_examples=25)
@given(LIMITS, st.integers(1, 3))
def test_as_many_trees_as_are_enumerated(limits: Limits, words: int) -> None:
    ended = [each for each in all_derivations(EvenSession(limits), [0] * words) if not each.opened]
    assert len(ended) == count_derivations(limits, words)
    assert len({each.steps for each in ended}) == len(ended)
    assert all(each.steps.count(SHIFT) == words == each.said for each in ended)


def test_a_sentence_of_one_word_by_hand() -> None:
    # One label, two open at most, all possible steps alike, two words. (w): OPEN 1, SHIFT 1/2, word 1/2, CLOSE 1/3
    # (or SHIFT, or OPEN): 1/12. ((w)): OPEN 1, OPEN 1/2, SHIFT 1, word 1/2, CLOSE 1/2 (no third OPEN), CLOSE 1/3:
    # 1/24.
    session = EvenSession(Limits(1, 2, 2))
    assert math.exp(exact_logprob(session, [1])) == pytest.approx(1 / 12 + 1 / 24)
    assert math.exp(exact_prefix_logprobs(session, [1])[0]) == pytest.approx(1 / 2)
    assert one_at_a_time(session, [1], FULL) == pytest.approx([math.log(1 / 2), math.log(1 / 4)])


def test_exact_probabilities_of_the_grammar_in_fractions() -> None:
    sentences = [words for length in (1, 2, 3) for words in itertools.product(range(3), repeat=length)]
    found = [math.exp(exact_logprob(Grammar(), words)) for words in sentences]
    assert found == pytest.approx([float(grammar_probability(words)) for words in sentences], abs=1e-12)


@settings(max_examples=12)
@given(st.integers(0, 99), st.lists(st.integers(0, 2), max_size=2))
def test_a_beginning_is_as_probable_as_all_that_comes_after_it(seed: int, words: list[int]) -> None:
    # p(w1 … wn) = p(w1 … wn and the end) + the sum over all next words of p(w1 … wn w).
    session = Scrambled(seed)
    before = math.exp(exact_prefix_logprobs(session, words)[-1]) if words else 1.0
    ended = math.exp(exact_logprob(session, words))
    longer = [math.exp(exact_prefix_logprobs(session, [*words, word])[-1]) for word in range(3)]
    assert ended + sum(longer) == pytest.approx(before, abs=1e-12)


def test_too_many_derivations_are_not_tried() -> None:
    session = Scrambled(1)
    assert count_derivations(TREES, 3) == 554
    assert math.isnan(exact_logprob(session, [0, 1, 2], most=553))
    assert not math.isnan(exact_logprob(session, [0, 1, 2], most=554))
    assert session.asked
    untouched = Scrambled(1)
    assert all(math.isnan(each) for each in exact_prefix_logprobs(untouched, [0] * 30))
    assert untouched.asked == 0


def test_no_words() -> None:
    assert exact_logprob(Grammar(), []) == -math.inf
    assert exact_prefix_logprobs(Grammar(), []) == []
    assert [math.isnan(each) for each in one_at_a_time(Grammar(), [], FULL)] == [True]


def test_what_is_not_needed_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    generous, thrifty = Scrambled(4), Scrambled(4)
    expected = exact_logprob(generous, [0, 2, 1])
    monkeypatch.setattr(enumeration, "MOST_STATES", 50)
    assert exact_logprob(thrifty, [0, 2, 1]) == pytest.approx(expected, abs=1e-12)
    assert thrifty.most_held < 150 < generous.most_held


@settings(max_examples=8)
@given(st.integers(0, 99), st.lists(st.integers(0, 2), min_size=1, max_size=3), st.sampled_from(["step", "word"]))
def test_a_full_beam_is_exact(seed: int, words: list[int], ranking: str) -> None:
    beam = Beam(0, 0, 0, ranking)  # type: ignore[arg-type]
    found = one_at_a_time(Scrambled(seed), words, beam)
    assert sum(found) == pytest.approx(exact_logprob(Scrambled(seed), words), abs=1e-9)
    assert list(itertools.accumulate(found[:-1])) == pytest.approx(exact_prefix_logprobs(Scrambled(seed), words))


def test_a_narrow_beam_by_hand() -> None:
    # The grammar, one analysis and no fast track. After OPEN S (0.9) comes OPEN P (0.6) and not SHIFT (0.35), then
    # SHIFT (1, for a third OPEN in a row is barred): a phrase does not begin with word 2, so nothing is left; word 0
    # has 0.9 · 0.6 · 0.7.
    narrow = Beam(action=1, word=1, fast_track=0)
    assert [math.isnan(each) for each in one_at_a_time(Grammar(), [2], narrow)] == [True, True]
    first, end = one_at_a_time(Grammar(), [0], narrow)
    assert math.exp(first) == pytest.approx(0.9 * 0.6 * 0.7)
    # CLOSE the phrase (0.65), CLOSE the sentence (0.5).
    assert math.exp(end) == pytest.approx(0.65 * 0.5)
    # With one fast SHIFT the word is said in the sentence itself, as the only analysis.
    fast = one_at_a_time(Grammar(), [2], Beam(action=1, word=1, fast_track=1))
    assert math.exp(fast[0]) == pytest.approx(0.9 * 0.35 * 0.3)
    # The word counted in makes the only analysis that has it no better: 0.35 · 0.3 is below 0.6.
    assert math.isnan(one_at_a_time(Grammar(), [2], Beam(1, 1, 0, "word"))[0])


def test_a_model_that_cannot_go_on() -> None:
    # Each word takes a step: after six steps none is possible any more.
    found = one_at_a_time(ShortOfBreath(6), [0] * 8, FULL)
    assert [math.isnan(each) for each in found] == [False] * 6 + [True] * 3
    assert exact_logprob(ShortOfBreath(6), [0] * 3) < exact_logprob(EvenSession(), [0] * 3)
    assert exact_logprob(ShortOfBreath(2), [0, 0]) == -math.inf
