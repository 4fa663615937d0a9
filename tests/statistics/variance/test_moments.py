"""Are groups read right, whether as samples or as summaries?"""

import math

import numpy as np
import pytest

from hengliang import UserError
from hengliang.statistics.variance.anova import Summary, take_moments


def test_samples_and_summaries_give_the_same_moments() -> None:
    values = [1.0, 2.0, 4.0, 9.0]
    summary = Summary(4, float(np.mean(values)), float(np.std(values, ddof=1)))
    moments = take_moments((values, summary), None)
    assert moments.names == ("A", "B")
    assert moments.means.tolist() == [4.0, 4.0]
    assert moments.variances[0] == pytest.approx(moments.variances[1])
    assert moments.total == 8


def test_missing_values_are_counted_and_one_value_has_no_variance() -> None:
    moments = take_moments(([1.0, math.nan, 2.0], [3.0]), ["x", "y"])
    assert moments.n.tolist() == [2, 1]
    assert moments.n_missing == 1
    assert math.isnan(moments.variances[1])
    assert "standard deviation y" not in moments.details()
    with pytest.raises(UserError, match="y has only one observation"):
        moments.separate_variances()


def test_equal_decimals_have_no_variance() -> None:
    # np.var([0.1] * 3, ddof=1) is 2.9e-34, not 0.
    moments = take_moments(([0.1] * 3, [0.2] * 4), None)
    assert moments.variances.tolist() == [0.0, 0.0]
    with pytest.raises(UserError, match="do not vary"):
        moments.pooled_variance()
    with pytest.raises(UserError, match="A has no spread"):
        moments.separate_variances()


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="1 group"):
        take_moments(([1, 2],), None)
    with pytest.raises(UserError, match="Group B holds no observation"):
        take_moments(([1, 2], []), None)
    with pytest.raises(UserError, match="sd = -1"):
        take_moments(([1, 2], Summary(3, 1.0, -1.0)), None)
    with pytest.raises(UserError, match="no number"):
        take_moments((["good", "bad"], [1, 2]), None)
    with pytest.raises(UserError, match="more than one observation"):
        take_moments(([1], [2]), None).pooled_variance()
