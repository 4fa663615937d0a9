"""Do the t-tests agree with R and SciPy?"""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_ind, ttest_rel

from hengliang import UserError
from hengliang.statistics.conventions import multiverse
from hengliang.statistics.effect_sizes import cohens_d
from hengliang.statistics.results import Sidedness
from hengliang.statistics.variance.anova import Summary
from hengliang.statistics.variance.t_tests import CONVENTIONS, paired_t_test, t_test
from tests.statistics.variance.oracle import SETS, oracle

FIRST, SECOND = SETS["two"]["data"].values()
T = oracle()["t"]
SIDES: tuple[Sidedness, ...] = ("two-sided", "greater", "less")
values = st.lists(st.integers(-20, 20).map(float), min_size=3, max_size=9).filter(lambda each: len(set(each)) > 1)


@pytest.mark.parametrize("kind", ["unequal", "equal", "paired"])
def test_against_r(kind: Any) -> None:
    for side in SIDES:
        result = (
            paired_t_test(FIRST, SECOND, alternative=side, level=0.9)
            if kind == "paired"
            else t_test(FIRST, SECOND, variances=kind, alternative=side, level=0.9)
        )
        truth = T[kind]
        assert result.statistic == pytest.approx(truth["t"])
        assert result.df == pytest.approx((truth["df"],))
        assert result.p == pytest.approx(truth["p"][side.replace("-", ".")], rel=1e-9)
        effect = result.effect("mean-difference")
        assert [effect.low, effect.high] == pytest.approx(truth["interval_90"])


@pytest.mark.untraced
@given(values, values, st.sampled_from(SIDES))
def test_against_scipy(x: list[float], y: list[float], side: Sidedness) -> None:
    for variances in ("equal", "unequal"):
        theirs = ttest_ind(x, y, equal_var=variances == "equal", alternative=side)
        ours = t_test(x, y, variances=variances, alternative=side)
        assert ours.p == pytest.approx(theirs.pvalue, rel=1e-8, abs=1e-12)
    turned = t_test(y, x, alternative={"greater": "less", "less": "greater"}.get(side, side))  # type: ignore[arg-type]
    assert t_test(x, y, alternative=side).p == pytest.approx(turned.p)
    assert turned.effect("cohen-d").value == pytest.approx(-cohens_d(x, y).value)


@given(st.lists(st.tuples(st.integers(1, 7), st.integers(1, 7)), min_size=3, max_size=12), st.sampled_from(SIDES))
def test_paired_against_scipy(pairs: list[tuple[int, int]], side: Sidedness) -> None:
    x, y = np.array(pairs, dtype=float).T
    if len(set((x - y).tolist())) < 2:
        with pytest.raises(UserError, match="differences within pairs are equal"):
            paired_t_test(x, y)
        return
    assert paired_t_test(x, y, alternative=side).p == pytest.approx(ttest_rel(x, y, alternative=side).pvalue, rel=1e-8)


def test_summaries_missing_values_and_sentences() -> None:
    told = t_test(
        Summary(6, float(np.mean(FIRST)), float(np.std(FIRST, ddof=1))),
        Summary(6, float(np.mean(SECOND)), float(np.std(SECOND, ddof=1))),
        names=("RULE", "BERT"),
    )
    assert told.p == pytest.approx(t_test(FIRST, SECOND).p)
    assert told.sentence().en.startswith("The mean of BERT is higher than that of RULE (Welch's t-test, two-sided: t(")
    assert "BERT的均值显著高于RULE" in told.sentence().zh
    less = t_test(FIRST, SECOND, alternative="less", names=("RULE", "BERT"))
    assert less.sentence().en.startswith("The mean of RULE is lower than that of BERT")
    greater = t_test(FIRST, SECOND, alternative="greater", names=("RULE", "BERT"))
    assert (
        "was not shown to be higher" in greater.sentence().en and "未能证明RULE的均值高于BERT" in greater.sentence().zh
    )
    paired = paired_t_test([*FIRST, math.nan], [*SECOND, 3.0])
    assert (paired.n, paired.n_missing) == (6, 1)
    assert paired.effect("cohen-d").symbol == "d_z"
    assert len(multiverse(t_test, CONVENTIONS, FIRST, SECOND).variants) == 2


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="3 and 2 values"):
        paired_t_test([1, 2, 3], [1, 2])
    with pytest.raises(UserError, match="1 complete pairs"):
        paired_t_test([1, math.nan], [2, 3])
    with pytest.raises(UserError, match="do not vary"):
        t_test([0.1, 0.1], [0.3, 0.3], variances="equal")
    with pytest.raises(UserError, match="alternative 'larger'"):
        t_test([1, 2], [2, 3], alternative="larger")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="variances 'both'"):
        t_test([1, 2], [2, 3], variances="both")  # type: ignore[arg-type]


@pytest.mark.parametrize("scale", [1e-90, 1e90])
def test_the_scale_changes_nothing(scale: float) -> None:
    x, y = np.array([1.0, 2, 4, 3, 7]), np.array([2.0, 6, 5, 4, 9, 8])
    plain, scaled = t_test(x, y), t_test(scale * x, scale * y)
    assert (scaled.statistic, scaled.df[0], scaled.p) == pytest.approx((plain.statistic, plain.df[0], plain.p))


def test_values_whose_squares_are_no_numbers_are_refused() -> None:
    for test in (t_test, paired_t_test, cohens_d):
        with pytest.raises(UserError, match="of the size 4e-170"):
            test([1e-170, 2e-170, 4e-170], [1e-170, 3e-170, 1e-170])
