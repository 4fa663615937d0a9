"""Which warnings does a fit deserve?"""

from __future__ import annotations

import numpy as np
import polars as pl

from hengliang.statistics.models.design import Design, design
from hengliang.statistics.models.diagnosis import run_away, separated, warnings_of
from hengliang.statistics.models.problem import Problem


def held(levels: int, formula: str = "y ~ x + (1 + x | g)") -> Design:
    rng = np.random.default_rng(levels)
    return design(
        formula, pl.DataFrame({"y": rng.normal(size=60), "x": rng.normal(size=60), "g": np.arange(60) % levels})
    )


def said(levels: int, theta: list[float], converged: bool = True) -> str:
    return " ".join(w.en for w in warnings_of(Problem.of(held(levels)), np.array(theta), converged))


def test_a_sound_fit_has_no_warning() -> None:
    assert said(10, [1.0, 0.2, 0.7]) == ""


def test_a_variance_of_zero_is_named() -> None:
    assert "the variance of x between the levels of 'g'" in said(10, [1.0, 0.0, 0.0])


def test_a_perfect_correlation_is_named() -> None:
    assert "the two random effects of 'g' are correlated perfectly" in said(10, [1.0, 0.5, 0.0])


def test_few_levels_and_no_convergence_are_named() -> None:
    told = said(4, [1.0, 0.2, 0.7], converged=False)
    assert "'g' has 4 levels only" in told
    assert "did not settle" in told
    assert "levels only" not in said(5, [1.0, 0.2, 0.7])


def test_warnings_speak_chinese() -> None:
    warnings = warnings_of(Problem.of(held(3)), np.array([0.0, 0.0, 0.0]), False)
    assert [any("一" <= sign <= "鿿" for sign in w.zh) for w in warnings] == [True] * 3


def test_separation_looks_at_the_reach_of_a_column() -> None:
    design_ = held(10)
    assert separated(design_, np.array([40.0, 0.5])) == ()  # a large intercept is no separation
    assert "x predict" in separated(design_, np.array([0.0, 30.0]))[0].en
    assert "x predict" in separated(design_, np.array([0.0, 0.5]), ["x"])[0].en


def test_a_variance_that_runs_away_is_not_called_separation() -> None:
    data = pl.DataFrame({"y": [0, 0] + [1] * 58, "g": np.arange(60) % 10})
    design_ = design("y ~ 1 + (1 | g)", data)
    assert run_away(design_, [14.0]) == ()
    (warning,) = run_away(design_, [67.692])
    assert "between the levels of 'g' runs away (standard deviation 67.7" in warning.en
    assert "of 60 answers 2 are of the rarer kind" in warning.en
    assert "Do not trust" in warning.en and "不可信" in warning.zh
    assert "eparation" not in warning.en


def test_a_response_may_be_called_count() -> None:
    data = pl.DataFrame({"count": [0, 0] + [1] * 58, "g": np.arange(60) % 10})
    (warning,) = run_away(design("count ~ 1 + (1 | g)", data), [67.692])
    assert "of 60 answers 2 are of the rarer kind" in warning.en
