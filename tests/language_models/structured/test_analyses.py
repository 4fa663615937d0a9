"""What is known of each analysis, which are the best of a lane, and how probable are all of them together?"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.language_models.structured.beam_search import (
    NO_TRAIL,
    Analyses,
    Trails,
    advanced,
    best_of_lanes,
    by_lane,
    highest,
    joined,
    lane_masses,
    ranked,
    remembered,
    step_logprobs,
)
from hengliang.language_models.structured.derivations import CLOSE, NOTHING, OPEN, SHIFT, Limits, Progress, beginning
from tests.language_models.structured.toy_sessions import Broken, EvenSession, Scrambled, ShortOfBreath

# Few different scores, so that many are equal; some analyses have no probability.
SCORES = st.sampled_from([-math.inf, -3.0, -2.0, -1.5, -1.0])
LANES = st.lists(st.lists(SCORES, max_size=6), max_size=5)


def analyses(lanes: list[list[float]]) -> Analyses:
    """Return analyses with these scores, whose states are numbered from 0 on."""
    scores = np.array([score for lane in lanes for score in lane])
    rows = np.repeat(np.arange(len(lanes)), [len(lane) for lane in lanes]).astype(np.int64)
    numbers = np.arange(len(scores), dtype=np.int64)
    return Analyses(rows, numbers, scores, beginning(len(scores)), numbers + 100)


def test_of_lanes_takes_a_lane_twice_and_an_empty_one_not_at_all() -> None:
    found = analyses([[-1.0, -2.0], [], [-3.0]]).of_lanes(np.array([2, 1, 0, 2]))
    assert found.lanes.tolist() == [0, 2, 2, 3]
    assert found.states.tolist() == [2, 0, 1, 2]
    assert found.trails.tolist() == [102, 100, 101, 102]


def test_joined_keeps_the_order_of_the_parts_within_a_lane() -> None:
    first, second = analyses([[-1.0], [-2.0]]), analyses([[-3.0], [-4.0]])
    together = joined([second, first])
    assert together.lanes.tolist() == [0, 0, 1, 1]
    assert together.scores.tolist() == [-3.0, -1.0, -4.0, -2.0]


@given(LANES, st.integers(0, 7))
def test_the_best_of_each_lane(lanes: list[list[float]], most: int) -> None:
    found = best_of_lanes(analyses(lanes), most)
    numbers = iter(range(100))
    expected = []
    for lane in lanes:
        here = [(score, next(numbers)) for score in lane]
        possible = [each for each in here if each[0] > -math.inf]
        best = sorted(possible, key=lambda each: -each[0])  # stable: of equals the first
        expected += [number for _, number in (best[:most] if most else best)]
    assert found.states.tolist() == expected


@given(st.lists(st.lists(SCORES, min_size=4, max_size=4), min_size=1, max_size=5), st.integers(0, 6))
def test_highest_of_a_row(rows: list[list[float]], most: int) -> None:
    found = highest(np.array(rows), most)
    for row, chosen in zip(rows, found.tolist(), strict=True):
        places = sorted((place for place in range(4) if row[place] > -math.inf), key=lambda place: -row[place])
        assert [place for place in range(4) if chosen[place]] == sorted(places[:most])


def test_scores_by_lane_and_back() -> None:
    scores = np.array([[-1.0, -5.0], [-2.0, -0.5], [-3.0, -np.inf]])
    dense, starts = by_lane(scores, np.array([4, 4, 9]))
    assert dense.tolist() == [[[-1.0, -5.0], [-2.0, -0.5]], [[-3.0, -math.inf], [-math.inf, -math.inf]]]
    rows, columns = ranked(dense, starts, dense > -np.inf)
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == [(1, 1), (0, 0), (1, 0), (0, 1), (2, 0)]


@given(LANES)
def test_masses_are_sums_of_probabilities(lanes: list[list[float]]) -> None:
    given_ = analyses(lanes)
    found = lane_masses(given_.scores, given_.lanes, len(lanes))
    expected = [sum(math.exp(score) for score in lane) for lane in lanes]
    assert np.exp(found).tolist() == pytest.approx(expected)
    in_columns = lane_masses(np.stack([given_.scores, given_.scores - 1], 1), given_.lanes, len(lanes))
    assert np.exp(in_columns[:, 1]).tolist() == pytest.approx([each / math.e for each in expected])


def test_masses_of_very_improbable_analyses_do_not_vanish() -> None:
    assert lane_masses(np.array([-5000.0, -5000.0]), np.array([0, 0]), 1)[0] == pytest.approx(-5000 + math.log(2))


def test_a_mass_with_a_score_that_is_no_number_is_none() -> None:
    found = lane_masses(np.array([-1.0, math.nan, -2.0]), np.array([0, 0, 1]), 3)
    assert [math.isnan(each) for each in found] == [True, False, False]
    assert found[2] == -math.inf


def test_trails_lead_back() -> None:
    trails = Trails(kept=True)
    first = trails.add(np.array([NO_TRAIL]), np.array([OPEN]))
    both = trails.add(first.repeat(2), np.array([SHIFT, OPEN + 1]))
    last = trails.add(both, np.array([CLOSE, SHIFT]))
    assert trails.ways([*last.tolist(), NO_TRAIL]) == [(OPEN, SHIFT, CLOSE), (OPEN, OPEN + 1, SHIFT), ()]
    unkept = Trails(kept=False)
    assert unkept.add(np.array([NO_TRAIL]), np.array([OPEN])).tolist() == [NO_TRAIL]
    assert unkept.ways([NO_TRAIL]) == [()]


def test_analyses_that_the_model_cannot_go_on_with_fall_out() -> None:
    session = ShortOfBreath(1)
    start = replace(analyses([[-1.0]]), states=np.array([session.begin()]))
    nothing = np.array([NOTHING])
    one = advanced(session, start, np.array([OPEN]), nothing, Trails(kept=False))
    assert one.progress.opened.tolist() == one.progress.chain.tolist() == [1]
    assert len(advanced(session, one, np.array([OPEN]), nothing, Trails(kept=False))) == 0
    assert len(advanced(session, one.take([]), nothing[:0], nothing[:0], Trails(kept=False))) == 0


def test_a_state_that_several_analyses_have_is_kept_once() -> None:
    session = Scrambled(3)
    first, second = session.begin(), session.begin()
    shared = replace(analyses([[-1.0, -2.0]]), states=np.array([second, second]))
    other = replace(analyses([[-1.0]]), states=np.array([first]))
    session.begin()
    found = remembered(session, [shared, other])
    assert session.most_held == 3
    states = np.concatenate([part.states for part in found])
    assert states[0] == states[1] != states[2]
    assert remembered(session, []) == []


def test_step_probabilities_are_shared_by_the_possible_steps() -> None:
    session = EvenSession(Limits(2, 2, 3))
    states = np.full(3, session.begin())
    # Nothing open: two labels. Just opened: SHIFT and two labels. Three open, after a word: CLOSE and SHIFT.
    progress = Progress(np.array([0, 1, 3]), np.array([0, 1, 0]))
    found = np.exp(step_logprobs(session, replace(analyses([[0.0] * 3]), states=states, progress=progress)))
    expected = [[0, 0, 1 / 2, 1 / 2], [0, 1 / 3, 1 / 3, 1 / 3], [1 / 2, 1 / 2, 0, 0]]
    assert found.ravel().tolist() == pytest.approx(np.ravel(expected).tolist())


class Mute(EvenSession):
    """No step has any probability."""

    def step_row(self, derivation: tuple[tuple[int, int], ...]) -> list[float]:
        return [-math.inf] * self.limits.steps


def test_steps_without_probability_and_without_number() -> None:
    mute, broken = Mute(), Broken(of_words=False)
    start = replace(analyses([[0.0]]), states=np.array([mute.begin()]))
    assert (step_logprobs(mute, start) == -np.inf).all()
    state = np.array([broken.begin()])
    for step, word in ((OPEN, NOTHING), (SHIFT, 0), (SHIFT, 0)):
        state = broken.advance(state, np.array([step]), np.array([word]))
    late = replace(start, states=state, progress=Progress(np.array([1]), np.array([0])))
    assert np.isnan(step_logprobs(broken, late)).any()
    assert step_logprobs(mute, start.take([])).shape == (0, mute.limits.steps)
