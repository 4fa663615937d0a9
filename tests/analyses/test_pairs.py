"""Is a pair right when both order it alike or both hold it equal, and is the threshold for ties the best there is?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.analyses import judge_levels as module
from hengliang.analyses.judge_levels import Differences, all_pairs, best_threshold, pairs_within
from hengliang.statistics.inter_rater import PairCounts

SCORES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4), st.integers(0, 3)), min_size=2, max_size=14)


def arrays(rows: list[tuple[int, int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    first, second, group = (np.array(column) for column in zip(*rows, strict=True))
    return first.astype(float), second.astype(float), group


@given(SCORES)
def test_all_pairs_have_the_accuracy_of_the_counts(rows: list[tuple[int, int, int]]) -> None:
    first, second, _ = arrays(rows)
    found = all_pairs(first, second)
    assert found is not None
    assert found.right.mean() == pytest.approx(PairCounts.of(first, second).accuracy)


@settings(max_examples=60)
@given(SCORES)
def test_the_threshold_is_the_best_of_all(rows: list[tuple[int, int, int]]) -> None:
    first, second, _ = arrays(rows)
    found = all_pairs(first, second)
    assert found is not None
    threshold, accuracy = best_threshold(found)
    tried = {value: found.with_ties(value).right.mean() for value in (0.0, *np.abs(found.first))}
    assert accuracy == pytest.approx(max(tried.values()))
    assert found.with_ties(threshold).right.mean() == pytest.approx(accuracy)
    assert threshold == min(value for value, held in tried.items() if math.isclose(held, accuracy))


def test_calibration_by_hand() -> None:
    # Differences of the score .1, .2, 3 and of people 0, 0, 2: ties up to .2 make all three right.
    found = Differences(np.array([0.1, -0.2, 3.0]), np.array([0.0, 0.0, 2.0]), np.zeros(3, dtype=int))
    assert found.right.tolist() == [False, False, True]
    assert best_threshold(found) == (0.2, 1.0)
    turned = found.turned()
    threshold, accuracy = best_threshold(turned)
    assert threshold == 0
    assert accuracy == pytest.approx(1 / 3)


@given(SCORES)
def test_pairs_within_groups_are_all_of_them_once(rows: list[tuple[int, int, int]]) -> None:
    first, second, group = arrays(rows)
    found = pairs_within(group, first, second)
    expected = sorted(
        (group[i], abs(first[i] - first[j]), abs(second[i] - second[j]))
        for i in range(len(rows))
        for j in range(i)
        if group[i] == group[j]
    )
    assert sorted(zip(found.group, np.abs(found.first), np.abs(found.second), strict=True)) == expected
    accuracy = found.group_accuracy(4)
    for code in range(4):
        own = group == code
        if own.sum() > 1:
            assert accuracy[code] == pytest.approx(PairCounts.of(first[own], second[own]).accuracy)
        else:
            assert math.isnan(accuracy[code])


def test_too_many_pairs_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PAIRS", 5)
    assert all_pairs(np.arange(3.0), np.arange(3.0)) is not None
    assert all_pairs(np.arange(4.0), np.arange(4.0)) is None


def test_no_pairs_no_threshold() -> None:
    nothing = pairs_within(np.array([0, 1]), np.array([1.0, 2]), np.array([1.0, 2]))
    assert math.isnan(best_threshold(nothing)[0])
