"""Do the analyses of variance of paper 001 follow from its standard deviations?"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import f_oneway, tukey_hsd
from statsmodels.stats.libqsturng import psturng

from hengliang.analysis.replication.spread_001 import columns_of, model_spreads, smallest_p, tukey_p_values
from hengliang.analysis.replication.swaps import ModelSpread
from hengliang.replication import Replicated, recompute, replicate
from hengliang.replication import published_numbers as published

PAPER = published("001")


def of(name: str) -> Replicated:
    return recompute(PAPER, PAPER.claim(name))


def test_all_averages_follow() -> None:
    rows = [row for row in replicate(("001",), "spread") if "-mean-" in row.claim.id]
    assert len(rows) == 6
    assert {row.verdict for row in rows} == {"same"}


def test_the_analyses_of_variance() -> None:
    for name, table, verdict in (("A", "4", "within rounding"), ("B", "5", "same")):
        row = of(f"spread.{name}-anova")
        assert row.recomputed.value == pytest.approx(f_oneway(*columns_of(PAPER, table).values()).pvalue, rel=1e-9)
        assert row.verdict == verdict
    low, high = of("spread.A-anova").recomputed.ends()
    assert low < 2.2167e-06 < high


def test_the_range_holds_what_rounding_can_do() -> None:
    low, high = of("spread.A-anova").recomputed.ends()
    generator = np.random.default_rng(1)
    columns = [np.array(column) for column in columns_of(PAPER, "4").values()]
    for _ in range(200):
        moved = [column + np.where(column > 0, generator.uniform(-5e-4, 5e-4, len(column)), 0) for column in columns]
        assert low <= f_oneway(*moved).pvalue <= high


@pytest.mark.parametrize("table", ["4", "5"])
def test_tukeys_comparisons(table: str) -> None:
    columns = columns_of(PAPER, table)
    expected = tukey_hsd(*columns.values()).pvalue
    for (i, first), (j, second) in itertools.combinations(enumerate(columns), 2):
        assert tukey_p_values(PAPER, table)[first, second] == pytest.approx(expected[i, j], rel=1e-4)


def test_the_printed_values_are_those_of_an_approximation() -> None:
    # statsmodels' psturng interpolates between quantiles, and gives .001 and .900 beyond them.
    def approximate(table: str, first: str, second: str) -> float:
        columns = {size: np.array(column) for size, column in columns_of(PAPER, table).items()}
        df = sum(map(len, columns.values())) - len(columns)
        variance = sum(((column - column.mean()) ** 2).sum() for column in columns.values()) / df
        one, other = columns[first], columns[second]
        error = np.sqrt(variance / 2 * (1 / len(one) + 1 / len(other)))
        return float(np.ravel(psturng(abs(one.mean() - other.mean()) / error, len(columns), df))[0])

    for claim in (claim for claim in PAPER.claims if claim.kind == "tukey_p"):
        value = approximate(claim.inputs["table"], *claim.inputs["pair"])
        assert f"{value:.3f}" == claim.published


def test_the_verdicts_on_tukey() -> None:
    told = {
        row.claim.id.partition("-")[2]: row.text() for row in replicate(("001",), "spread") if row.verdict == "differs"
    }
    assert told == {
        "tukey-4-20": "4.2e-06",
        "tukey-9-20": "3.4e-05",
        "tukey-4-9": "0.4560",
        "tukey-6-10": "0.9543",
        "insignificant": "4 and 9",
        "": "sum",
    }


def test_entries_are_sums() -> None:
    # As means, the two 1.414 at n = 6 would be readers 4 swaps apart, 8 swaps at least; Table 3 has 1.39 % of 144 = 2.
    assert of("spread.definition").text() == "sum"
    assert "2 swaps apart in all if entries are sums, 8 if" in of("spread.definition").recomputed.note.en


def test_the_smallest_p_by_construction() -> None:
    # Ten pairs with the least spread: 3, 4 and 3 equal values. One-way analysis of these is the bound itself.
    def pairs(values: tuple[float, float, float]) -> list[float]:
        return [value for value, count in zip(values, (3, 4, 3), strict=True) for _ in range(count)]

    human, model = pairs((100 / 12, 6.25, 15.0)), pairs((0.0, 100 * 17 / 144, 100 * 44 / 240))
    spreads = model_spreads(PAPER)
    assert spreads["Human"].mean == pytest.approx(9.5)
    assert smallest_p(spreads["Human"], spreads["QDG-IA"]) == pytest.approx(f_oneway(human, model).pvalue)
    assert smallest_p(spreads["Human"], spreads["QDG-IA"], 4) == pytest.approx(f_oneway(human * 4, model * 4).pvalue)


def test_more_spread_means_a_larger_p() -> None:
    near, far = ModelSpread(10, 50, 10), ModelSpread(10, 500, 10)
    other = ModelSpread(12, 50, 10)
    assert smallest_p(near, other) < smallest_p(far, other)


def test_the_comparison_with_people_counted_reconstructions() -> None:
    row = of("models.QDG-IA")
    assert row.verdict == "compatible"
    # With pairs as units p ≥ .792, above the printed .760.
    assert "p ≥ .792: pairs were not what was counted" in row.recomputed.note.en
    assert "not what was counted" not in of("models.QDG-GREEDY").recomputed.note.en
