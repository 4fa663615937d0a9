"""How probable are the words of a sentence to a model that also builds its tree?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import Offsets
from hengliang.language_models.scores import Numbers
from hengliang.language_models.structured.beam_search import Beam, Found, next_words, search
from hengliang.language_models.structured.derivations import CLOSE, SHIFT, Limits, Session, allowed, beginning
from hengliang.language_models.structured.enumeration import (
    all_derivations,
    exact_logprob,
    exact_prefix_logprobs,
    one_at_a_time,
)
from tests.killed import goes_on_within_a_batch
from tests.language_models.structured.toy_sessions import (
    Broken,
    EvenSession,
    Grammar,
    Scrambled,
    ShortOfBreath,
    grammar_probability,
)

FULL = Beam(action=0, word=0)
WIDTHS = st.integers(1, 12)
BEAMS = st.builds(
    Beam,
    action=st.one_of(st.just(0), WIDTHS),
    word=st.one_of(st.just(0), WIDTHS),
    fast_track=st.integers(0, 4),
    ranking=st.sampled_from(["step", "word"]),
)
SENTENCE = st.lists(st.integers(0, 2), min_size=1, max_size=3)
LONGER = st.lists(st.integers(0, 2), max_size=6)
EVERY = [list(words) for length in range(1, 5) for words in itertools.product(range(3), repeat=length)]


def total(logprobs: Numbers) -> float:
    return float(logprobs.sum())


@cache
def grammar_at_full_width() -> Found:
    """Return what the whole search finds of every sentence of the grammar up to four words."""
    return search(Grammar(), EVERY, FULL, parse=True)


def mass_by_width(
    session: Callable[[], Session], sentences: list[list[int]], widths: Sequence[int]
) -> dict[int, float]:
    """Return the probability that each width of the beam finds, of each that there is to find, on the average."""
    exact = np.array([exact_logprob(session(), words) for words in sentences])
    found = {width: search(session(), sentences, Beam(width, width, min(width, 5))) for width in widths}
    masses = {
        width: np.array([math.exp(total(each)) if len(each) else 0.0 for each in here.logprobs])
        for width, here in found.items()
    }
    return {width: float(np.mean(mass / np.exp(exact))) for width, mass in masses.items()}


def same(one: Found, other: Found) -> bool:
    """Tell whether two searches found the same, but for the rounding of the last digits."""
    close = [np.allclose(a, b, rtol=0, atol=1e-10) for a, b in zip(one.logprobs, other.logprobs, strict=True)]
    return all(close) and one.problems == other.problems and one.parses == other.parses


def test_by_hand() -> None:
    # All possible steps alike, two words, one label, one constituent: OPEN 1, SHIFT 1, word 1/2; then CLOSE or SHIFT.
    flat = EvenSession(Limits(1, 1, 1))
    found = search(flat, [[0], [0, 1]], FULL)
    assert np.exp(found.logprobs[0]).tolist() == pytest.approx([1 / 2, 1 / 2])
    assert np.exp(found.logprobs[1]).tolist() == pytest.approx([1 / 2, 1 / 4, 1 / 2])
    # With two open at most: (w) has 1/2 · 1/2 · 1/3 and ((w)) has 1/2 · 1/2 · 1/2 · 1/3, the word 1/4 + 1/4.
    deeper = search(EvenSession(Limits(1, 2, 2)), [[1]], FULL)
    assert np.exp(deeper.logprobs[0]).tolist() == pytest.approx([1 / 2, (1 / 12 + 1 / 24) / (1 / 2)])


def test_at_full_width_the_grammar_is_exact_for_every_sentence_of_four_words() -> None:
    found = grammar_at_full_width()
    assert set(found.problems) == {""}
    totals = [total(each) for each in found.logprobs]
    # All of them in fractions, by a table over stacks; all up to three words, and some of four, by enumeration.
    fractions = [math.log(grammar_probability(tuple(words))) for words in EVERY]
    assert totals == pytest.approx(fractions, abs=1e-9, rel=0)
    some = [row for row, words in enumerate(EVERY) if len(words) < 4 or row % 16 == 0]
    exact = [exact_logprob(Grammar(), EVERY[row]) for row in some]
    assert [totals[row] for row in some] == pytest.approx(exact, abs=1e-9, rel=0)
    by_word = search(Grammar(), EVERY[:39], Beam(0, 0, 0, "word"))
    assert [total(each) for each in by_word.logprobs] == pytest.approx(fractions[:39], abs=1e-9, rel=0)


@settings(max_examples=10)
@given(st.integers(0, 10**6), SENTENCE, st.sampled_from(["step", "word"]))
@example(5, [0, 1, 2], "step")
@example(5, [0, 1, 2], "word")
def test_at_full_width_any_model_is_exact(seed: int, words: list[int], ranking: str) -> None:
    (found,) = search(Scrambled(seed), [words], Beam(0, 0, 0, ranking)).logprobs  # type: ignore[arg-type]
    assert total(found) == pytest.approx(exact_logprob(Scrambled(seed), words), abs=1e-9, rel=0)
    prefixes = exact_prefix_logprobs(Scrambled(seed), words)
    assert np.cumsum(found[:-1]).tolist() == pytest.approx(prefixes, abs=1e-9, rel=0)


@settings(max_examples=25)
@given(st.one_of(st.none(), st.integers(0, 10**6)), SENTENCE, BEAMS)
def test_no_beam_finds_more_than_there_is(seed: int | None, words: list[int], beam: Beam) -> None:
    session = Grammar() if seed is None else Scrambled(seed)
    found = search(session, [words], beam)
    if found.problems[0]:
        return  # a beam that died found nothing
    assert total(found.logprobs[0]) <= exact_logprob(session, words) + 1e-9
    prefixes = np.array(exact_prefix_logprobs(session, words))
    assert (np.cumsum(found.logprobs[0][:-1]) <= prefixes + 1e-9).all()
    assert (found.logprobs[0] <= 0).all()


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.lists(st.integers(0, 2), min_size=1, max_size=5), BEAMS)
def test_the_same_as_one_analysis_at_a_time(seed: int, words: list[int], beam: Beam) -> None:
    words = words if beam.action and beam.word else words[:3]
    expected = one_at_a_time(Scrambled(seed), words, beam)
    found = search(Scrambled(seed), [words], beam)
    if found.problems[0]:
        assert any(math.isnan(each) for each in expected)
    else:
        assert found.logprobs[0].tolist() == pytest.approx(expected, abs=1e-10, rel=0)


def test_a_wide_beam_over_long_sentences_is_the_same_as_one_analysis_at_a_time() -> None:
    sentences = [[0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 7, 7, 3], [5]]
    for ranking in ("step", "word"):
        beam = Beam(30, 7, 3, ranking)
        limits = Limits(labels=5, chain=4, depth=7)
        found = search(Scrambled(2, limits, 8), sentences, beam)
        for words, logprobs in zip(sentences, found.logprobs, strict=True):
            expected = one_at_a_time(Scrambled(2, limits, 8), words, beam)
            assert logprobs.tolist() == pytest.approx(expected, abs=1e-10, rel=0)


@settings(max_examples=30)
@given(
    st.one_of(st.none(), st.integers(0, 10**6)),
    st.lists(LONGER, min_size=1, max_size=8),
    BEAMS,
    st.integers(1, 9),
    st.randoms(use_true_random=False),
)
def test_a_sentence_has_its_score_whoever_stands_beside_it(
    seed: int | None, sentences: list[list[int]], beam: Beam, lanes: int, random: object
) -> None:
    # Where all steps are alike nothing but the order decides, which must not depend on the batch either.
    def session() -> Session:
        return EvenSession(words=3) if seed is None else Scrambled(seed)

    sentences = sentences if beam.action and beam.word else [words[:3] for words in sentences]
    together = search(session(), sentences, beam, parse=True, lanes=lanes)
    order = list(range(len(sentences)))
    random.shuffle(order)  # type: ignore[attr-defined]
    shuffled = search(session(), [sentences[row] for row in order], beam, parse=True)
    alone = [search(session(), [words], beam, parse=True) for words in sentences]
    assert all(
        same(one, Found((together.logprobs[row],), (together.problems[row],), (together.parses[row],)))
        for row, one in enumerate(alone)
    )
    rows = [order.index(row) for row in range(len(sentences))]
    again = Found(*(tuple(column[row] for row in rows) for column in columns_of(shuffled)))  # type: ignore[arg-type]
    assert same(together, again)


def columns_of(found: Found) -> tuple[Sequence[object], ...]:
    return found.logprobs, found.problems, found.parses


@pytest.mark.parametrize("beam", [FULL, Beam(8, 3, 1)], ids=["full", "narrow"])
def test_all_sentences_together_have_at_most_probability_one(beam: Beam) -> None:
    found = grammar_at_full_width() if beam == FULL else search(Grammar(), EVERY, beam)
    shares = [math.exp(total(each)) if len(each) else 0.0 for each in found.logprobs]
    by_length = [
        sum(share for share, words in zip(shares, EVERY, strict=True) if len(words) <= n) for n in (1, 2, 3, 4)
    ]
    assert by_length == sorted(by_length)
    assert by_length[-1] <= 1
    if beam == FULL:
        assert by_length[-1] > 0.8  # 0.37, 0.58, 0.71, 0.80: most sentences of this grammar are short


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.lists(st.lists(st.integers(0, 2), max_size=3), min_size=1, max_size=5), BEAMS)
def test_the_next_word_is_as_probable_as_the_search_finds_it(seed: int, prefixes: list[list[int]], beam: Beam) -> None:
    beam = Beam(beam.action, beam.word, beam.fast_track)
    foretold = next_words(Scrambled(seed), prefixes, beam)
    assert foretold.shape == (len(prefixes), 4)
    assert (np.exp(foretold).sum(axis=1) <= 1 + 1e-9).all()
    if not beam.action and not beam.word:
        assert np.exp(foretold).sum(axis=1).tolist() == pytest.approx([1.0] * len(prefixes), abs=1e-9)
    for prefix, row in zip(prefixes, foretold, strict=True):
        longer = search(Scrambled(seed), [[*prefix, word] for word in range(3)], beam)
        assert row[:3].tolist() == pytest.approx([each[len(prefix)] for each in longer.logprobs], abs=1e-10)
        if prefix:
            assert row[3] == pytest.approx(search(Scrambled(seed), [prefix], beam).logprobs[0][-1], abs=1e-10)
        else:
            assert row[3] == -math.inf  # a tree has at least one word


def test_many_distributions_are_asked_for_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    prefixes = [[0], [], [0, 1], [2]]
    expected = next_words(Scrambled(3), prefixes, FULL)
    monkeypatch.setattr("hengliang.language_models.structured.beam_search.MOST_DISTRIBUTIONS", 7)
    assert np.allclose(next_words(Scrambled(3), prefixes, FULL), expected, rtol=0, atol=1e-12)


def test_the_next_word_of_a_beam_that_died_is_not_known() -> None:
    # One analysis without a fast track reaches word 2 nowhere, as test_enumeration derives by hand.
    found = next_words(Grammar(), [[2], [0], [2, 1]], Beam(1, 1, 0))
    assert np.isnan(found).all(axis=1).tolist() == [True, False, True]
    assert np.isnan(next_words(Broken(of_words=True), [[0, 0], [0]], FULL)).any(axis=1).tolist() == [True, False]
    assert np.isnan(next_words(Broken(of_words=False), [[0, 0], [0]], FULL)).any(axis=1).tolist() == [True, False]
    # Every analysis of four words has at least five steps.
    assert np.isnan(next_words(ShortOfBreath(4), [[0] * 3, [0] * 4, [0] * 5], FULL)).all(axis=1).tolist() == [
        False,
        True,
        True,
    ]


def test_a_beam_that_dies_is_a_problem_and_no_zero() -> None:
    found = search(Grammar(), [[2], [0], [0, 2]], Beam(1, 1, 0), parse=True)
    assert found.problems[:2] == ("no analysis is left at word 1 of 1", "")
    assert [len(each) for each in found.logprobs[:2]] == [0, 2]
    assert found.parses[0] == ()
    # Six steps at most: the sixth word would be the seventh step, and is said, but nothing goes on from there.
    breathless = search(ShortOfBreath(6), [[0] * 5, [0] * 6, [0] * 7, [0] * 8], FULL)
    assert breathless.problems == (
        "",
        "no analysis is left at the end, after word 6",
        "no analysis is left at word 7 of 7",
        "no analysis is left at word 7 of 8",
    )


@pytest.mark.parametrize("ranking", ["step", "word"])
def test_a_model_that_gives_no_number_is_a_problem(ranking: str) -> None:
    beam = Beam(20, 5, 5, ranking)  # type: ignore[arg-type]
    of_steps = search(Broken(of_words=False), [[0], [0, 1], [1, 1, 1], [0, 0, 1, 0]], beam)
    late = "the model gives no number at"
    assert of_steps.problems == ("", f"{late} the end, after word 2", f"{late} word 3 of 3", f"{late} word 3 of 4")
    of_words = search(Broken(of_words=True), [[0], [0, 1], [1, 1, 1]], beam)
    assert of_words.problems == ("", "", f"{late} word 3 of 3")


def test_no_words_and_no_sentences() -> None:
    found = search(Grammar(), [[], [0]], FULL, parse=True)
    assert found.problems == ("it has no words, and a tree has at least one", "")
    assert len(found.logprobs[0]) == 0
    assert search(Grammar(), [], FULL).problems == ()
    assert next_words(Grammar(), [], FULL).shape == (0, 4)


def faults_of_parse(session: Session, steps: tuple[int, ...], words: list[int]) -> list[str]:
    """Return what keeps steps from being those of a tree of these words."""
    here, faults = beginning(1), []
    for place, step in enumerate(steps):
        if not allowed(here, session.limits)[0, step] or (place and not here.opened[0]):
            faults.append(f"step {place + 1} is not possible")
        here = here.after(np.array([step]))
    if here.opened[0] or not steps:
        faults.append("not ended")
    if steps.count(SHIFT) != len(words):
        faults.append("other words")
    return faults


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.lists(SENTENCE, min_size=1, max_size=2))
def test_at_full_width_the_best_parse_is_the_best_of_all(seed: int, sentences: list[list[int]]) -> None:
    found = search(Scrambled(seed), sentences, FULL, parse=True)
    for words, parse in zip(sentences, found.parses, strict=True):
        ended = [each for each in all_derivations(Scrambled(seed), words) if not each.opened]
        assert parse == max(ended, key=lambda each: each.score).steps


def test_the_best_parses_of_the_grammar() -> None:
    found = grammar_at_full_width()
    for words, parse in list(zip(EVERY, found.parses, strict=True))[::11]:
        scores = {each.steps: each.score for each in all_derivations(Grammar(), words) if not each.opened}
        assert scores[parse] == pytest.approx(max(scores.values()), abs=1e-12)


@given(st.integers(0, 10**6), st.lists(LONGER, max_size=4), BEAMS)
def test_every_parse_is_a_tree_of_its_words(seed: int, sentences: list[list[int]], beam: Beam) -> None:
    beam = Beam(beam.action or 15, beam.word or 15, beam.fast_track, beam.ranking)
    session = Scrambled(seed)
    found = search(session, sentences, beam, parse=True, lanes=3)
    for words, parse, problem in zip(sentences, found.parses, found.problems, strict=True):
        assert problem or faults_of_parse(session, parse, words) == []
        assert not parse or parse[-1] == CLOSE
    assert set(search(session, sentences, beam).parses) <= {()}


def test_shared_beginnings_are_searched_once() -> None:
    sentences = [[0, 1, 2, 0, 1], [0, 1, 2, 0, 2], [0, 1, 2, 0]]
    shared, apart, one = CountingSession(1), CountingSession(1), CountingSession(1)
    search(shared, sentences, Beam(20, 5, 2))
    for words in sentences:
        search(apart, [words], Beam(20, 5, 2))
    search(one, sentences[:1], Beam(20, 5, 2))
    # Beyond those of one sentence there are the states after the other last word, five at most, and those on the way
    # to the ends of two more sentences: of five analyses each, with at most two constituents to close before the root.
    assert one.made <= shared.made <= one.made + 5 + 2 * 5 * 2
    assert shared.made < apart.made / 2


class CountingSession(Scrambled):
    """Counts the states it was asked to make."""

    made = 0

    def advance(self, states: Offsets, steps: Offsets, words: Offsets) -> Offsets:
        self.made += len(states)
        return super().advance(states, steps, words)


def test_memory_does_not_grow_with_the_sentences() -> None:
    few, many = Scrambled(1), Scrambled(1)
    sentences = [list(words) for words in itertools.product(range(3), repeat=5)]
    search(few, sentences[:16], Beam(10, 4, 2), lanes=4)
    search(many, sentences * 2, Beam(10, 4, 2), lanes=4)
    # Four lanes of ten analyses in each of at most depth + chain + 1 rounds, and those kept and collected.
    assert many.most_held <= 4 * 10 * 6 + 4 * 4 * 4
    assert many.most_held <= 2 * few.most_held
    long = Scrambled(1)
    search(long, [[0, 1, 2] * 20], Beam(10, 4, 2))
    assert long.most_held <= 10 * 6 + 4 * 4


def test_how_the_mass_grows_with_the_beam() -> None:
    sentences = [words for words in EVERY if len(words) <= 3]
    shares = mass_by_width(Grammar, sentences, [1, 2, 4, 8, 16, 64, 1000])
    assert all(share <= 1 + 1e-9 for share in shares.values())
    # A wider beam need not find more of a single sentence, but on the average 0.32, 0.43, 0.58, 0.72, 0.84, 0.98, 1.
    assert 0.2 < shares[1] < 0.5 < shares[8] < 0.9 < shares[64]
    assert shares[1000] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    ("beam", "lanes", "says"),
    [
        (Beam(action=-1), 4, "action is -1"),
        (Beam(word=-2), 4, "word is -2"),
        (Beam(fast_track=-3), 4, "fast_track is -3"),
        (Beam(ranking="steps"), 4, "No ranking is called 'steps'. Did you mean step"),  # type: ignore[arg-type]
        (Beam(), 0, "0 lanes"),
    ],
)
def test_settings_that_do_not_exist(beam: Beam, lanes: int, says: str) -> None:
    with pytest.raises(UserError, match=says):
        search(Grammar(), [[0]], beam, lanes=lanes)


def test_words_that_do_not_exist() -> None:
    with pytest.raises(UserError, match=r"Word 2 of sentence 2 has the number 3\. The model knows 3 words"):
        search(Grammar(), [[0], [1, 3]], FULL)
    with pytest.raises(UserError, match="Word 1 of sentence 1 has the number -1"):
        next_words(Grammar(), [[-1]], FULL)


def test_a_ranking_by_the_next_word_does_not_foretell_it() -> None:
    with pytest.raises(UserError, match="depend on the next word"):
        next_words(Grammar(), [[0]], Beam(ranking="word"))


@pytest.mark.parametrize("ranking", ["step", "word"])
def test_what_a_slow_batch_has_computed_is_kept(
    ranking: Literal["step", "word"], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work() -> Numbers:
        return np.concatenate(search(Grammar(), EVERY[:60], Beam(4, 3, 1, ranking), lanes=8).logprobs)

    assert goes_on_within_a_batch(work, tmp_path, monkeypatch) > 3
