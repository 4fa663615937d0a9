"""Is separation found where estimates do not exist, and only there?"""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.statistics.models.ordinal.checks import is_suspicious, separated
from hengliang.statistics.models.ordinal.laplace import OrdinalProblem, make_problem
from hengliang.statistics.models.ordinal.optimisation import fit_fixed


def problem_of(codes: list[int], **columns: list[float]) -> OrdinalProblem:
    categories = [str(place) for place in range(max(codes) + 1)]
    return make_problem(np.array(codes), categories, np.column_stack(list(columns.values())), tuple(columns))


def test_complete_separation() -> None:
    problem = problem_of([0, 0, 1, 1, 2, 2], x=[1, 2, 3, 4, 5, 6], z=[1, -1, 1, -1, 1, -1])
    assert "x" in separated(problem)
    assert is_suspicious(problem, *fit_fixed(problem))


def test_a_level_that_always_gets_the_highest_rating() -> None:
    level = [0.0] * 6 + [1.0] * 3
    problem = problem_of([0, 1, 2, 0, 1, 2, 2, 2, 2], level=level, z=[1, 2, 3, 3, 1, 2, 1, 3, 2])
    assert separated(problem) == ("level",)
    assert is_suspicious(problem, *fit_fixed(problem))


def test_overlap_is_no_separation() -> None:
    problem = problem_of([0, 1, 2, 0, 1, 2, 2, 2, 1], level=[0.0] * 6 + [1.0] * 3)
    assert separated(problem) == ()
    assert not is_suspicious(problem, *fit_fixed(problem))


def test_a_column_that_shifts_one_threshold_without_end() -> None:
    # Whoever has the mark never gives 0: as a nominal effect its first threshold goes to −∞.
    codes, mark = np.array([0, 1, 2, 0, 1, 2, 1, 2, 1, 2]), np.array([0.0] * 6 + [1.0] * 4)
    problem = make_problem(codes, list("012"), np.zeros((10, 0)), (), nominal=mark[:, None], nominal_names=("mark",))
    assert separated(problem) == ("0|1: mark",)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_separated_means_that_the_likelihood_has_no_maximum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = [0, 1, 2, *rng.integers(0, 3, 5).tolist()]
    problem = problem_of(codes, x=rng.integers(0, 3, 8).tolist() if seed % 2 else rng.normal(size=8).tolist())
    if np.ptp(problem.fixed) == 0:
        return
    _, hessian = fit_fixed(problem)
    # Where the maximum exists Newton's method ends with curvature in every direction.
    flat = bool(np.linalg.eigvalsh(-hessian)[0] < 1e-5)
    assert bool(separated(problem)) == flat


def test_a_column_far_from_zero_separates_as_one_near_it() -> None:
    # Seconds since 1970 of six answers in a row: those before a moment are 0, those after it 1.
    near = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert separated(problem_of([0, 0, 0, 1, 1, 1], time=[1.7e9 + second for second in near])) == ("time",)
    assert separated(problem_of([0, 1, 0, 1, 0, 1], time=[1.7e9 + second for second in near])) == ()
