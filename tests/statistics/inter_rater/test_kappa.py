"""Are Cohen's and Fleiss' κ those of the literature and of other packages?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.statistics.inter_rater.kappa import WEIGHTS, Weights, cohen_kappa, fleiss_kappa

# Fleiss (1971), table 1: 30 patients, 6 psychiatrists, 5 categories; how often each patient was put into each.
DIAGNOSES = """
0 0 0 6 0  0 3 0 0 3  0 1 4 0 1  0 0 0 0 6  0 3 0 3 0  2 0 4 0 0  0 0 4 0 2  2 0 3 1 0  2 0 0 4 0  0 0 0 0 6
1 0 0 5 0  1 1 0 4 0  0 3 3 0 0  1 0 0 5 0  0 2 0 3 1  0 0 5 0 1  3 0 0 1 2  5 1 0 0 0  0 2 0 4 0  1 0 2 0 3
0 0 0 0 6  0 1 0 5 0  0 2 0 1 3  2 0 0 4 0  1 0 0 4 1  0 5 0 1 0  4 0 0 0 2  0 2 0 4 0  1 0 5 0 0  0 0 0 0 6
"""


def diagnoses() -> np.ndarray:
    """Return one row a psychiatrist; who is who is not known and does not matter."""
    counts = np.array(DIAGNOSES.split(), dtype=int).reshape(30, 5)
    return np.array([np.repeat(np.arange(1, 6), row) for row in counts]).T


# --- Cohen ----------------------------------------------------------------------------------------------------------

PAIRS = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=4, max_size=60)


@settings(max_examples=60)
@given(PAIRS, st.sampled_from(WEIGHTS))
def test_cohen_is_that_of_statsmodels_and_scikit_learn(pairs: list[tuple[int, int]], weights: Weights) -> None:
    from sklearn.metrics import cohen_kappa_score
    from statsmodels.stats.inter_rater import cohens_kappa

    first, second = zip(*pairs, strict=True)
    found = cohen_kappa(first, second, weights=weights, categories=range(1, 6))
    if not found.main.is_defined:
        assert len({*first, *second}) == 1
        return
    table = np.zeros((5, 5))
    np.add.at(table, (np.array(first) - 1, np.array(second) - 1), 1)
    with np.errstate(all="ignore"):
        other = cohens_kappa(table, wt=None if weights == "none" else weights)
    assert found.value == pytest.approx(other.kappa, abs=1e-9)
    if math.isnan(found.main.low):  # both have nothing but rounding for a standard error
        assert math.isnan(other.std_kappa) or other.std_kappa < 1e-6
        return
    assert found.main.error == pytest.approx(other.std_kappa, abs=1e-7)
    named = None if weights == "none" else weights
    score = cohen_kappa_score(first, second, weights=named, labels=range(1, 6))
    assert found.value == pytest.approx(score, abs=1e-9)
    if found.main.p is not None:
        assert found.main.p == pytest.approx(other.pvalue_two_sided, abs=1e-9)
    if other.kappa_upp < 1:
        assert found.main.high == pytest.approx(other.kappa_upp, abs=1e-7)


def test_a_hand_calculation() -> None:
    # Observed agreement (20 + 15) / 50 = .7; by chance .5·.6 + .5·.4 = .5; κ = .2 / .5 = .4.
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    found = cohen_kappa(first, second, names=("Li", "Wu"))
    assert found.value == pytest.approx(0.4)
    assert "Li and Wu gave the same category to 35 of 50 units" in found.sentence().en
    assert "35 个给出了相同类别" in found.sentence().zh


@given(PAIRS, st.sampled_from(WEIGHTS))
def test_exchanging_the_raters_changes_nothing(pairs: list[tuple[int, int]], weights: Weights) -> None:
    first, second = zip(*pairs, strict=True)
    one, two = cohen_kappa(first, second, weights=weights), cohen_kappa(second, first, weights=weights)
    assert one.value == pytest.approx(two.value, abs=1e-9, nan_ok=True)


def test_an_unused_category_keeps_its_distance() -> None:
    # 1 and 3 are two apart although nobody said 2: numbers, not places, are the distance.
    first, second = [1, 1, 3, 7, 7, 3], [1, 3, 3, 7, 3, 7]
    with_scale = cohen_kappa(first, second, weights="linear", categories=range(1, 8))
    assert cohen_kappa(first, second, weights="linear").value == pytest.approx(with_scale.value)
    as_places = cohen_kappa([1, 1, 2, 3, 3, 2], [1, 2, 2, 3, 2, 3], weights="linear")
    assert with_scale.value != pytest.approx(as_places.value)


def test_missing_pairs_are_left_out_and_counted() -> None:
    found = cohen_kappa([1, 2, None, 1], [1, 2, 2, None])
    assert (found.n, found.n_missing, found.value) == (2, 2, 1)


def test_complete_agreement_has_no_interval() -> None:
    found = cohen_kappa([1, 2, 3, 3], [1, 2, 3, 3])
    assert (found.value, found.main.error) == (1, 0)
    assert math.isnan(found.main.low)
    assert found.main.method.startswith("no interval, the standard error is 0")
    assert found.main.p is not None


def test_one_category_only_is_not_defined() -> None:
    found = cohen_kappa([7, 7], [7, 7])
    assert math.isnan(found.value)
    assert "only one category was used" in found.sentence().en


@pytest.mark.parametrize(
    ("first", "second", "weights", "problem"),
    [
        ([1, 2], [1], "none", "A has 2 ratings and B 1"),
        ([1, None], [None, 1], "none", "No unit was judged by both"),
        (["a", "b"], ["a", "b"], "linear", "have no order"),
        ([1, 2], [1, 2], "cubic", "weights 'cubic' does not exist"),
    ],
)
def test_mistakes_in_cohen(first: list[object], second: list[object], weights: Weights, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        cohen_kappa(first, second, weights=weights)


# --- Fleiss ---------------------------------------------------------------------------------------------------------


def test_the_diagnoses_of_fleiss() -> None:
    found = fleiss_kappa(diagnoses(), draws=500)
    # R, irr: kappam.fleiss(diagnoses): Kappa = 0.4302445, z = 17.65183 (as recorded in the tests of statsmodels).
    assert found.value == pytest.approx(0.4302445, abs=5e-8)
    assert found.main.test_value == pytest.approx(17.65183, abs=5e-6)
    # Fleiss (1971), by category in order: .245, .245, .520, .471, .566.
    values = [value.value for value in found.values[1:]]
    assert np.round(values, 3).tolist() == [0.245, 0.245, 0.520, 0.471, 0.566]
    assert found.main.low < found.value < found.main.high
    assert (found.n, found.raters) == (30, 6)


@settings(max_examples=30)
@given(st.integers(2, 6), st.integers(2, 15), st.integers(0, 10_000))
def test_fleiss_is_that_of_statsmodels(raters: int, units: int, seed: int) -> None:
    from statsmodels.stats.inter_rater import aggregate_raters
    from statsmodels.stats.inter_rater import fleiss_kappa as other

    table = np.random.default_rng(seed).integers(1, 4, (raters, units))
    found = fleiss_kappa(table, draws=20)
    if len(np.unique(table)) > 1:
        assert found.value == pytest.approx(other(aggregate_raters(table.T)[0]), abs=1e-9)
    else:
        assert math.isnan(found.value)


def test_the_interval_resamples_units() -> None:
    table = diagnoses()
    found = fleiss_kappa(table, draws=200, seed=3)
    columns = np.random.default_rng(3).integers(0, 30, (200, 30))
    drawn = [fleiss_kappa(table[:, chosen], categories=range(1, 6), draws=1).value for chosen in columns]
    assert (found.main.low, found.main.high) == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=1e-9)


def test_units_with_unequal_numbers_of_ratings_are_refused() -> None:
    with pytest.raises(UserError, match="'2' has 1 ratings and '1' 2") as error:
        fleiss_kappa([[1, 2], [1, None]])
    assert "krippendorff_alpha" in error.value.remedy
    with pytest.raises(UserError, match="one rating only"):
        fleiss_kappa([[1, 2]])


def test_a_category_that_nobody_uses_has_no_value() -> None:
    found = fleiss_kappa([[1, 2, 1], [1, 2, 2]], categories=[1, 2, 3], draws=20)
    third = found.values[-1]
    assert third.by == {"category": "3"}
    assert math.isnan(third.value)
    assert third.reason is not None
