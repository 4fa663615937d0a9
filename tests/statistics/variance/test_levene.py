"""Does Levene's test agree with R's car and SciPy, and does it warn of many equal values?"""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import levene as scipy_levene

from hengliang import UserError
from hengliang.statistics.conventions import multiverse
from hengliang.statistics.variance.levene import CONVENTIONS, levene_test
from tests.statistics.variance.oracle import SETS, TABLE_4

samples = st.lists(st.lists(st.integers(0, 40).map(float), min_size=3, max_size=8), min_size=2, max_size=4)


@pytest.mark.parametrize("center", ["mean", "median", "trimmed"])
@pytest.mark.parametrize("case", SETS.values(), ids=SETS.keys())
def test_against_r(case: dict[str, Any], center: Any) -> None:
    result = levene_test(*case["data"].values(), center=center)
    assert result.statistic == pytest.approx(case["levene"][center]["f"], rel=1e-9)
    assert result.p == pytest.approx(case["levene"][center]["p"], rel=1e-8)


def test_table_4_of_paper_001() -> None:
    result = levene_test(*TABLE_4.values(), names=list(TABLE_4))
    assert result.p == pytest.approx(0.0003, abs=0.00005)
    assert "8 of 9 values of 4 are 0" in result.notes[0].en
    assert len(result.notes) == 1
    assert result.sentence().en.startswith("The spread of 4, 9 and 20 differs")
    # With the mean as centre, SPSS's default, p = .00013; no centre changes the conclusion.
    found = multiverse(levene_test, CONVENTIONS, *TABLE_4.values())
    assert found.variants[1].p == pytest.approx(0.000126765, rel=1e-5)
    assert found.deviating == ()


@given(samples, st.sampled_from(["mean", "median"]))
def test_against_scipy(values: list[list[float]], center: Any) -> None:
    assume(all(len(set(each)) > 2 for each in values))
    theirs = scipy_levene(*values, center=center)
    assume(theirs.statistic < 1e6)
    ours = levene_test(*values, center=center)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-7, abs=1e-9)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-6)


@given(samples, st.floats(-5, 5), st.floats(0.5, 3))
def test_moving_and_turning_the_groups_does_not_matter(values: list[list[float]], shift: float, scale: float) -> None:
    assume(all(len(set(each)) > 2 for each in values))
    moved = [[place * shift - scale * value for value in each] for place, each in enumerate(values)][::-1]
    one, other = levene_test(*values), levene_test(*moved)
    assert other.statistic == pytest.approx(one.statistic, rel=1e-6, abs=1e-6)


def test_trimming_nothing_is_the_mean() -> None:
    values = list(SETS["four"]["data"].values())
    assert levene_test(*values, center="trimmed", trim=0).p == pytest.approx(levene_test(*values, center="mean").p)
    assert "trim:0.1" in str(levene_test(*values, center="trimmed").signature())


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="equally far"):
        levene_test([1, 2], [3, 4])
    with pytest.raises(UserError, match="equally far"):
        levene_test([0.1] * 3, [0.2] * 3)
    with pytest.raises(UserError, match="Sample B holds 1"):
        levene_test([1, 2, 4], [3])
    with pytest.raises(UserError, match=r"trim = 0\.7"):
        levene_test([1, 2, 4], [3, 4, 9], center="trimmed", trim=0.7)
    with pytest.raises(UserError, match="center 'mode'"):
        levene_test([1, 2, 4], [3, 4, 9], center="mode")  # type: ignore[arg-type]
