"""Is α what its definition says, for every metric and with gaps?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hengliang import UserError
from hengliang.statistics.inter_rater.krippendorff import METRICS, Metric, alpha_value, krippendorff_alpha
from hengliang.statistics.inter_rater.ratings import Ratings

N = None
# Four observers and twelve units, the example of Krippendorff (2011), section C and D; the last unit has one rating.
PUBLISHED: list[list[int | None]] = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
ALPHAS: dict[Metric, float] = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}


def slow_alpha(ratings: Sequence[Sequence[float | None]], metric: Metric) -> float:
    """Compute α pair by pair, straight from the definition."""
    units = [[value for value in column if value is not None] for column in zip(*ratings, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    pooled = [value for unit in units for value in unit]
    if not pooled:
        return math.nan

    def distance(one: float, two: float) -> float:
        if metric == "nominal":
            return float(one != two)
        if metric == "interval":
            return (one - two) ** 2
        if metric == "ratio":
            return ((one - two) / (one + two)) ** 2 if one + two else 0.0
        low, high = min(one, two), max(one, two)
        between = sum(1 for value in pooled if low <= value <= high)
        return (between - (pooled.count(low) + pooled.count(high)) / 2) ** 2 if low != high else 0.0

    observed = sum(
        sum(distance(one, two) for one, two in itertools.permutations(unit, 2)) / (len(unit) - 1) for unit in units
    ) / len(pooled)
    expected = sum(distance(one, two) for one, two in itertools.permutations(pooled, 2)) / (
        len(pooled) * (len(pooled) - 1)
    )
    return 1 - observed / expected if expected else math.nan


@pytest.mark.parametrize("metric", METRICS)
def test_the_published_example(metric: Metric) -> None:
    found = krippendorff_alpha(PUBLISHED, metric=metric, draws=200)
    assert round(found.value, 3) == ALPHAS[metric]
    assert found.value == pytest.approx(slow_alpha(PUBLISHED, metric), abs=1e-12)
    # 48 places less 7 gaps; the twelfth unit has one rating and says nothing.
    assert (found.raters, found.n, found.n_missing) == (4, 11, 7)


RATINGS = arrays(np.int64, st.tuples(st.integers(2, 4), st.integers(1, 8)), elements=st.integers(0, 5))


@settings(max_examples=60)
@given(RATINGS, st.sampled_from(METRICS))
def test_the_definition_pair_by_pair(table: np.ndarray, metric: Metric) -> None:
    ratings = [[None if value == 0 else float(value) for value in row] for row in table.tolist()]
    slow = slow_alpha(ratings, metric)
    if all(value is None for row in ratings for value in row):
        return
    assert alpha_value(Ratings.of(ratings), metric) == pytest.approx(slow, abs=1e-9, nan_ok=True)


@settings(max_examples=40)
@given(RATINGS, st.permutations(range(4)), st.sampled_from(METRICS))
def test_order_of_raters_and_units_does_not_matter(table: np.ndarray, order: list[int], metric: Metric) -> None:
    rows = [row for row in order if row < len(table)]
    turned = table[rows][:, ::-1]
    one, two = (alpha_value(Ratings.of(held), metric) for held in (table, turned))
    assert one == pytest.approx(two, abs=1e-9, nan_ok=True)


@settings(max_examples=40)
@given(RATINGS)
def test_invariances_of_the_metrics(table: np.ndarray) -> None:
    def alpha(values: np.ndarray, metric: Metric) -> float:
        return alpha_value(Ratings.of(values), metric)

    relabelled = np.array([3, 0, 5, 1, 4, 2])[table]
    assert alpha(table, "nominal") == pytest.approx(alpha(relabelled, "nominal"), abs=1e-9, nan_ok=True)
    assert alpha(table, "ordinal") == pytest.approx(alpha(table**3, "ordinal"), abs=1e-9, nan_ok=True)
    assert alpha(table, "interval") == pytest.approx(alpha(7 - 2 * table, "interval"), abs=1e-9, nan_ok=True)
    assert alpha(table, "ratio") == pytest.approx(alpha(5 * table, "ratio"), abs=1e-9, nan_ok=True)


def test_two_raters_who_agree_have_1_and_all_equal_ratings_are_not_defined() -> None:
    assert krippendorff_alpha([[1, 2, 3], [1, 2, 3]], draws=50).value == 1
    found = krippendorff_alpha([[7, 7, 7], [7, 7, 7]], draws=50)
    assert math.isnan(found.value)
    assert "all ratings are the same" in found.sentence().en
    assert "所有评分都相同" in found.sentence().zh


def test_pairs_of_raters_have_their_own_value() -> None:
    found = krippendorff_alpha(PUBLISHED, metric="interval", raters=["a", "b", "c", "d"], draws=50)
    pairs = {tuple(value.by.values()): value for value in found.values[1:]}
    assert len(pairs) == 6
    for (one, two), value in pairs.items():
        rows = [PUBLISHED["abcd".index(name)] for name in (one, two)]
        assert value.value == pytest.approx(slow_alpha(rows, "interval"))
    assert pairs["a", "b"].n == 9
    assert len(krippendorff_alpha(PUBLISHED, pairs=False, draws=50).values) == 1


def test_a_pair_without_common_units_says_so() -> None:
    found = krippendorff_alpha([[1, 2, None], [None, None, 3], [1, 1, 3]], draws=50)
    pair = found.values[1]
    assert math.isnan(pair.value)
    assert pair.reason is not None
    assert pair.reason.en == "no unit has two ratings."


def test_the_interval_is_that_of_resampled_units() -> None:
    generator = np.random.default_rng(5)
    truth = generator.integers(1, 6, 40)
    table = np.clip(truth + generator.integers(-1, 2, (3, 40)), 1, 5)
    found = krippendorff_alpha(table, metric="ordinal", draws=300, seed=9)
    # The same draws by hand: columns with replacement, α from scratch each time.
    again = np.random.default_rng(9)
    columns = again.integers(0, 40, (300, 40))
    drawn = [alpha_value(Ratings.of(table[:, chosen]), "ordinal") for chosen in columns]
    assert (found.main.low, found.main.high) == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=1e-12)
    assert krippendorff_alpha(table, metric="ordinal", draws=300, seed=9).main == found.main
    assert dict(found.signature().pairs)["seed"] == "9"


@pytest.mark.parametrize(
    ("alpha", "words"), [(0.5, "too little"), (0.74, "tentative"), (0.9, "sound")], ids=["low", "middle", "high"]
)
def test_the_sentence_names_krippendorffs_bounds(alpha: float, words: str) -> None:
    generator = np.random.default_rng(1)
    truth = generator.normal(size=3000)
    # Two raters with noise of variance (1 − α)/α about the truth have interval α near α.
    table = truth + generator.normal(0, math.sqrt((1 - alpha) / alpha), (2, 3000))
    assert words in krippendorff_alpha(table, metric="interval", draws=20).sentence().en


@pytest.mark.parametrize(
    ("table", "metric", "problem"),
    [
        ([[1, 2, 3]], "nominal", "One rater alone"),
        ([[1, None], [None, 2]], "nominal", "No unit has two ratings"),
        ([["a", "b"], ["a", "a"]], "interval", "needs numbers"),
        ([[-1, 2], [1, 2]], "ratio", "no place for -1"),
        ([[1, 2], [1, 2]], "cubic", "metric 'cubic' does not exist"),
        ([list(range(400)), list(range(400))], "ordinal", "400 different answers"),
    ],
)
def test_what_cannot_be_measured_is_refused(table: list[list[float]], metric: Metric, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        krippendorff_alpha(table, metric=metric)


def test_words_can_be_nominal_and_with_categories_ordinal() -> None:
    table = [["low", "high", "low"], ["low", "high", "middle"]]
    numbers = [[1, 3, 1], [1, 3, 2]]
    order = ["low", "middle", "high"]
    found = krippendorff_alpha(table, metric="ordinal", categories=order, draws=20)
    assert found.value == pytest.approx(slow_alpha(numbers, "ordinal"))
