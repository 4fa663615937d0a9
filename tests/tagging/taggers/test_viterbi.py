"""Is the path that is found the best of all paths, and the same in every company?"""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.tagging.taggers.libraries import Emissions, best_paths


def score(path: tuple[int, ...], emissions: Emissions, transitions: Emissions) -> float:
    steps = sum(float(transitions[one, other]) for one, other in pairwise(path))
    return steps + sum(float(emissions[place, tag]) for place, tag in enumerate(path))


def tables(seed: int, lengths: list[int], tags: int) -> tuple[list[Emissions], Emissions]:
    numbers = np.random.default_rng(seed)
    transitions = numbers.normal(size=(tags, tags)).astype(np.float32)
    return [numbers.normal(size=(length, tags)).astype(np.float32) for length in lengths], transitions


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 5), min_size=1, max_size=5), st.integers(1, 4))
def test_no_path_is_better(seed: int, lengths: list[int], tags: int) -> None:
    emissions, transitions = tables(seed, lengths, tags)
    for table, path in zip(emissions, best_paths(emissions, transitions), strict=True):
        every = product(range(tags), repeat=len(table))
        best = max(score(one, table, transitions) for one in every)
        assert score(tuple(path.tolist()), table, transitions) == pytest.approx(best, abs=1e-4)


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 12), min_size=1, max_size=8))
def test_a_path_does_not_depend_on_its_neighbours(seed: int, lengths: list[int]) -> None:
    emissions, transitions = tables(seed, lengths, 6)
    together = best_paths(emissions, transitions)
    alone = [best_paths([table], transitions)[0] for table in emissions]
    assert [path.tolist() for path in together] == [path.tolist() for path in alone]


def test_a_forbidden_step_is_not_taken() -> None:
    # Tag 1 fits both characters best, but may not follow itself: 5 + 5 − 100 < 5 + 4.
    emissions = np.array([[0, 5], [4, 5]], np.float32)
    transitions = np.array([[0, 0], [0, -100]], np.float32)
    assert best_paths([emissions], transitions)[0].tolist() == [1, 0]


def test_no_sentences_have_no_paths() -> None:
    assert best_paths([], np.zeros((2, 2), np.float32)) == []
