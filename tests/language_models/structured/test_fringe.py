"""Which analyses reach the next word, and how does a sentence end?"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from hengliang.language_models.structured import beam_search as fringe
from hengliang.language_models.structured.beam_search import Analyses, Beam, Trails, collect, finished_scores
from hengliang.language_models.structured.derivations import (
    CLOSE,
    NOTHING,
    OPEN,
    SHIFT,
    Limits,
    Progress,
    Session,
    beginning,
)
from tests.language_models.structured.toy_sessions import (
    PHRASE,
    SENTENCE,
    Broken,
    EvenSession,
    Grammar,
    Scrambled,
    ShortOfBreath,
)

FULL = Beam(action=0, word=0)


def begun(session: Session, lanes: int = 1) -> Analyses:
    """Return an analysis without any step in each of so many lanes."""
    states = np.full(lanes, session.begin(), np.int64)
    return Analyses(
        np.arange(lanes, dtype=np.int64), states, np.zeros(lanes), beginning(lanes), np.full(lanes, -1, np.int64)
    )


def after(session: Session, steps: list[tuple[int, int]]) -> Analyses:
    """Return the one analysis that took these steps, as if they were certain."""
    states, progress = np.array([session.begin()]), beginning(1)
    for step, word in steps:
        states = session.advance(states, np.array([step]), np.array([word]))
        progress = progress.after(np.array([step]))
    return Analyses(np.zeros(1, np.int64), states, np.zeros(1), progress, np.full(1, -1, np.int64))


def collected_ways(session: Session, beam: Beam, words: list[int] | None = None) -> list[tuple[tuple[int, ...], float]]:
    """Return steps and probability of each analysis that reaches the first word, in order."""
    trails = Trails(kept=True)
    found = collect(session, begun(session), 1, beam, None if words is None else np.array(words), trails).analyses
    ways = trails.ways(found.trails.tolist())
    return list(zip(ways, np.exp(found.scores).tolist(), strict=True))


def test_all_analyses_that_reach_the_first_word() -> None:
    # Probabilities of the grammar's tables; after two OPENs a SHIFT is certain.
    sentence, phrase = OPEN + SENTENCE, OPEN + PHRASE
    expected = {
        (sentence,): 0.9 * 0.35,
        (phrase,): 0.1 * 0.8,
        (sentence, phrase): 0.9 * 0.6,
        (sentence, sentence): 0.9 * 0.05,
        (phrase, phrase): 0.1 * 0.13,
        (phrase, sentence): 0.1 * 0.07,
    }
    found = collected_ways(Grammar(), FULL)
    assert dict(found) == pytest.approx(expected)
    # Those that take fewer rounds come first, and of a round the best.
    assert [way for way, _ in found] == list(expected)


def test_a_fringe_of_one() -> None:
    # 0.9 · 0.6 for one more OPEN is above 0.9 · 0.35 for the SHIFT.
    assert [way for way, _ in collected_ways(Grammar(), Beam(1, 1, 0))] == [(OPEN + SENTENCE, OPEN + PHRASE)]
    # On the fast track the SHIFT leaves first; 0.54 is above its 0.315, so the OPEN is followed all the same.
    ways = [way for way, _ in collected_ways(Grammar(), Beam(1, 1, 1))]
    assert ways == [(OPEN + SENTENCE,), (OPEN + SENTENCE, OPEN + PHRASE)]


def test_the_word_counts_where_it_is_to_count() -> None:
    # Word 2: 0.9 · 0.35 · 0.3 = 0.0945 in the sentence; not at all where a phrase has just been opened; in a second
    # sentence in a row 0.9 · 0.05 · 1 · 0.3 = 0.0135; in a sentence in a phrase 0.1 · 0.07 · 1 · 0.3 = 0.0021.
    found = collected_ways(Grammar(), Beam(0, 0, 0, "word"), [2])
    assert [way for way, _ in found] == [
        (OPEN + SENTENCE,),
        (OPEN + SENTENCE, OPEN + SENTENCE),
        (OPEN + PHRASE, OPEN + SENTENCE),
    ]
    assert [share for _, share in found] == pytest.approx([0.0945, 0.0135, 0.0021])


def test_the_root_is_not_closed_while_words_are_to_come() -> None:
    session = EvenSession(Limits(1, 1, 1))
    start = after(session, [(OPEN, NOTHING), (SHIFT, 0)])
    found = collect(session, start, 1, FULL, None, Trails(kept=False)).analyses
    # CLOSE and SHIFT are possible, and alike; CLOSE would end the sentence.
    assert np.exp(found.scores).tolist() == pytest.approx([1 / 2])


def test_lanes_do_not_disturb_each_other() -> None:
    session = Scrambled(8, Limits(4, 3, 5))
    beam = Beam(action=6, word=3, fast_track=2)
    alone = collect(session, begun(session), 1, beam, None, Trails(kept=False)).analyses
    three = begun(session, 3)
    three = replace(three, scores=np.array([0.0, -1.0, 0.0])).take([0, 2])  # one lane is empty
    together = collect(session, three, 3, beam, None, Trails(kept=False)).analyses
    assert together.lanes.tolist() == [0] * len(alone) + [2] * len(alone)
    assert together.scores.tolist() == alone.scores.tolist() * 2


@pytest.mark.parametrize("width", [1, 5, 20])
def test_who_cannot_be_among_the_best_is_not_followed(width: int) -> None:
    session = Scrambled(8, Limits(4, 3, 5))
    beam = Beam(width, width, 10_000)
    found = collect(session, begun(session), 1, beam, None, Trails(kept=False)).analyses
    everything = collect(session, begun(session), 1, FULL, None, Trails(kept=False)).analyses
    assert width <= len(found) < len(everything)
    # With a fringe as wide as the beam the best analyses are found: who leads to them is better than they are.
    assert np.sort(found.scores)[-width:].tolist() == np.sort(everything.scores)[-width:].tolist()


def test_states_are_forgotten_within_a_word_when_they_become_many(monkeypatch: pytest.MonkeyPatch) -> None:
    generous, thrifty = Scrambled(2, Limits(6, 6, 8)), Scrambled(2, Limits(6, 6, 8))
    beam = Beam(action=20, word=3, fast_track=1)
    expected = collect(generous, begun(generous), 1, beam, None, Trails(kept=False)).analyses
    monkeypatch.setattr(fringe, "MOST_STATES", 10)
    found = collect(thrifty, begun(thrifty), 1, beam, None, Trails(kept=False)).analyses
    assert found.scores.tolist() == expected.scores.tolist()
    assert thrifty.most_held < generous.most_held
    # What is returned is still known.
    assert np.array_equal(thrifty.step_logits(found.states), generous.step_logits(expected.states))


def test_a_score_that_is_no_number_spoils_its_lane_alone() -> None:
    session = Broken(of_words=False)
    fine, late = after(session, [(OPEN, NOTHING)]), after(session, [(OPEN, NOTHING), (SHIFT, 0), (SHIFT, 1)])
    both = Analyses(
        np.array([0, 1]),
        np.concatenate([fine.states, late.states]),
        np.zeros(2),
        Progress(np.array([1, 1]), np.array([1, 0])),
        np.full(2, -1, np.int64),
    )
    found = collect(session, both, 2, FULL, None, Trails(kept=False))
    assert found.faulty.tolist() == [False, True]
    assert set(found.analyses.lanes.tolist()) == {0}


def test_no_analyses_to_begin_with() -> None:
    session = Grammar()
    found = collect(session, begun(session).take([]), 2, FULL, None, Trails(kept=False))
    assert len(found.analyses) == 0
    assert found.faulty.tolist() == [False, False]
    assert session.asked == 0


def test_the_end_is_every_constituent_closed() -> None:
    session = Grammar()
    # A phrase in a sentence, after a word: CLOSE 0.65 (an OPEN is possible, too), then CLOSE 0.5.
    inner = after(session, [(OPEN + SENTENCE, NOTHING), (OPEN + PHRASE, NOTHING), (SHIFT, 0)])
    assert np.exp(finished_scores(session, inner)).tolist() == pytest.approx([0.65 * 0.5])
    # A sentence after its first word: CLOSE 0.4. Before the first step there is no end.
    outer = after(session, [(OPEN + SENTENCE, NOTHING), (SHIFT, 0)])
    assert np.exp(finished_scores(session, outer)).tolist() == pytest.approx([0.4])
    assert finished_scores(session, begun(session)).tolist() == [-math.inf]


def test_an_end_that_the_model_does_not_reach() -> None:
    session = ShortOfBreath(3)
    inner = after(session, [(OPEN, NOTHING), (OPEN, NOTHING), (SHIFT, 0)])
    assert finished_scores(session, inner).tolist() == [-math.inf]
    assert CLOSE == 0


def test_no_more_say_the_word_than_the_beam_has_room_for() -> None:
    # Six analyses reach the first word; the best of them are 0.54 (S P), 0.315 (S) and 0.08 (P), and come as they came.
    whole = collected_ways(Grammar(), FULL)
    few = collected_ways(Grammar(), Beam(action=2, word=0, fast_track=1))
    best = sorted(whole, key=lambda found: -found[1])[:3]
    assert few == [found for found in whole if found in best]
    assert [share for _, share in few] == pytest.approx([0.315, 0.08, 0.54])
