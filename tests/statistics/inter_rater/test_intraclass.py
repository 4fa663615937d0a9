"""Are the intraclass correlations those of Shrout and Fleiss, of mixed models, and do their intervals cover?"""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.statistics.inter_rater.intraclass import FORMS, MeanSquares, intraclass_correlation
from tests import ORACLES

ORACLE = json.loads((ORACLES / "agreement.json").read_text(encoding="utf-8"))
# Shrout and Fleiss (1979), table 2: four judges, six targets.
TARGETS = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]).T
# Their table 4 has the coefficients to two digits; the bounds are those that R's psych::ICC prints for this table.
PUBLISHED = {
    "ICC(1)": (0.17, -0.133, 0.72),
    "ICC(A,1)": (0.29, 0.019, 0.76),
    "ICC(C,1)": (0.71, 0.342, 0.95),
    "ICC(1,k)": (0.44, -0.884, 0.91),
    "ICC(A,k)": (0.62, 0.071, 0.93),
    "ICC(C,k)": (0.91, 0.676, 0.99),
}


def test_the_example_of_shrout_and_fleiss() -> None:
    found = {value.statistic: value for value in intraclass_correlation(TARGETS).values}
    for form, (value, low, high) in PUBLISHED.items():
        assert round(found[form].value, 2) == value
        assert round(found[form].low, 3) == low
        assert round(found[form].high, 2) == high
    # Shrout and Fleiss, table 3: the mean squares 11.24, 6.26, 32.49 and 1.02.
    squares = MeanSquares.of(TARGETS.astype(float))
    held = (squares.units, squares.within, squares.raters, squares.residual)
    assert [round(square, 2) for square in held] == [11.24, 6.26, 32.49, 1.02]


@pytest.mark.parametrize("case", ORACLE["intraclass"], ids=["12x4", "30x3", "8x6"])
def test_variance_components_of_lme4_and_f_of_aov(case: dict[str, dict[str, float]]) -> None:
    found = {value.statistic: value for value in intraclass_correlation(np.array(case["ratings"])).values}
    for form, value in {**case["single"], **case["average"]}.items():
        # lme4 stops within about 1e-5 of the exact variances; in a balanced table these are ours.
        assert found[form].value == pytest.approx(value, abs=1e-4)
    for form, name in (("ICC(C,1)", "two_way"), ("ICC(1)", "one_way")):
        assert found[form].test_value == pytest.approx(case[name]["F"], rel=1e-9)
        assert found[form].p == pytest.approx(case[name]["p"], rel=1e-6)


# psych::ICC names them by Shrout and Fleiss.
PSYCH = {"ICC1": "ICC(1)", "ICC2": "ICC(A,1)", "ICC3": "ICC(C,1)"}
PSYCH |= {"ICC1k": "ICC(1,k)", "ICC2k": "ICC(A,k)", "ICC3k": "ICC(C,k)"}


@pytest.mark.parametrize("case", ORACLE["intraclass"], ids=["12x4", "30x3", "8x6"])
def test_values_bounds_and_f_of_psych(case: dict[str, dict[str, list[float]]]) -> None:
    found = {value.statistic: value for value in intraclass_correlation(np.array(case["ratings"])).values}
    theirs = case["psych"]
    for place, name in enumerate(theirs["form"]):
        ours = found[PSYCH[str(name)]]
        assert ours.value == pytest.approx(theirs["value"][place], abs=1e-9)
        assert ours.test_value == pytest.approx(theirs["F"][place], rel=1e-9)
        assert (ours.low, ours.high) == pytest.approx((theirs["low"][place], theirs["high"][place]), abs=1e-6)


TABLES = st.tuples(st.integers(2, 5), st.integers(3, 8), st.integers(0, 10_000))


@settings(max_examples=40)
@given(TABLES)
def test_invariants(size: tuple[int, int, int]) -> None:
    k, n, seed = size
    table = np.random.default_rng(seed).normal(size=(k, n)).round(2)
    one = {value.statistic: value.value for value in intraclass_correlation(table).values}
    turned = {value.statistic: value.value for value in intraclass_correlation(3 - 2 * table[::-1, ::-1]).values}
    shifted = table + np.arange(k)[:, None] * 5
    moved = {value.statistic: value.value for value in intraclass_correlation(shifted).values}
    for form in FORMS:
        assert one[form] == pytest.approx(turned[form], rel=1e-6, abs=1e-6, nan_ok=True)
        assert not one[form] > 1
    # Consistency does not see that one rater is stricter; absolute agreement does.
    assert moved["ICC(C,1)"] == pytest.approx(one["ICC(C,1)"], abs=1e-6)
    for value in intraclass_correlation(table).values:
        assert math.isnan(value.low) or value.low <= value.value + 1e-9


def test_intervals_of_absolute_agreement_cover() -> None:
    generator = np.random.default_rng(11)
    truth = 1 / (1 + 0.25 + 1)
    hits = 0
    for _ in range(300):
        table = generator.normal(0, 0.5, (8, 1)) + generator.normal(size=20) + generator.normal(size=(8, 20))
        value = intraclass_correlation(table).main
        hits += value.low <= truth <= value.high
    # 95 % of 300 is 285; the binomial standard deviation is 3.8, and the interval is approximate.
    assert 270 <= hits <= 298


def test_perfect_agreement_and_none() -> None:
    perfect = intraclass_correlation([[1, 2, 3], [1, 2, 3]])
    assert [value.value for value in perfect.values] == [1.0] * 6
    equal = intraclass_correlation([[4, 4, 4], [4, 4, 4]])
    assert math.isnan(equal.value)
    assert "all ratings are the same" in equal.sentence().en


def test_raters_who_contradict_each_other_have_no_reliable_mean() -> None:
    # ICC(A,k) = (MSR − MSE) / (MSR + (MSC − MSE) / n); here MSR + (MSC − MSE) / n < 0.
    table = np.array([[1.0, 2, 3], [3, 2, 1.1], [2, 2, 2]])
    squares = MeanSquares.of(table)
    assert squares.units + (squares.raters - squares.residual) / 3 < 0
    found = intraclass_correlation(table, form="ICC(A,k)")
    assert math.isnan(found.value)
    assert "contradict each other" in found.sentence().en


def test_incomplete_tables_are_refused_or_cut() -> None:
    table: list[list[int | None]] = [[1, 2, 3, 4], [2, 2, 4, None]]
    with pytest.raises(UserError, match="'2' did not judge the unit '4'") as error:
        intraclass_correlation(table)
    assert "incomplete='drop'" in error.value.remedy
    found = intraclass_correlation(table, incomplete="drop")
    assert (found.n, found.n_missing) == (3, 1)
    assert "1 incomplete units were left out" in found.sentence().en
    assert found.value == intraclass_correlation([[1, 2, 3], [2, 2, 4]]).value


@pytest.mark.parametrize(
    ("table", "settings", "problem"),
    [
        ([[1, 2, 3]], {}, "1 raters"),
        ([[1], [2]], {}, "1 complete units"),
        ([["a", "b"], ["a", "b"]], {}, "needs numbers"),
        ([[1, 2], [1, 2]], {"form": "ICC(4)"}, "form 'ICC\\(4\\)' does not exist"),
        ([[1, 2], [1, 2]], {"level": 1.5}, "no probability"),
    ],
)
def test_mistakes_are_named(table: list[list[float]], settings: dict[str, object], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        intraclass_correlation(table, **settings)  # type: ignore[arg-type]


def test_the_chosen_form_comes_first() -> None:
    found = intraclass_correlation(TARGETS, form="ICC(C,k)")
    assert found.main.statistic == "ICC(C,k)"
    assert dict(found.signature().pairs)["shrout and fleiss"] == "ICC(3,k)"
    assert "F(5, 15) = 11.03" in found.sentence().en
