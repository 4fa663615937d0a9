"""Are means, intervals and trends over sizes right, and do they know that descriptions come in clusters?"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hengliang import Estimate
from hengliang.analysis.descriptions.size_trends import (
    ALL,
    COEFFICIENT,
    SLOPE,
    TREND,
    Measured,
    mixed_estimate,
    mixed_trend,
    size_estimates,
    slope_estimate,
    t_interval,
    trials,
)
from hengliang.statistics import Resampling

HOW = Resampling(draws=200)


def table(seed: int, effect: float = 0.0, subjects: int = 15, spread: float = 1.0) -> pl.DataFrame:
    """Return five descriptions of each of many subjects at sizes 4, 8 and 16, with a length and a yes or no."""
    generator = np.random.default_rng(seed)
    rows = []
    for subject in range(subjects):
        size = (4, 8, 16)[subject % 3]
        own = generator.normal(0, spread)
        for scene in range(5):
            length = 10 + effect * np.log2(size) + own + generator.normal()
            rows.append((f"s{subject}", f"{size}-{scene}", size, float(length), bool(generator.random() < 0.5)))
    return pl.DataFrame(rows, schema=["subject", "scene_key", "scene_size", "length", "yes"], orient="row")


def found(measured: Measured, rows: pl.DataFrame, how: Resampling = HOW) -> dict[tuple[str, str], Estimate]:
    return {(one.by["size"], one.statistic): one for one in size_estimates("a", measured, rows, how, pooled=True)}


LENGTH, YES = Measured("length", "length", False), Measured("yes", "yes", True)


def test_means_by_hand() -> None:
    rows = table(1)
    held = found(LENGTH, rows)
    means = dict(rows.group_by("scene_size").agg(pl.col("length").mean()).iter_rows())
    assert {int(size): held[size, "mean"].value for size in ("4", "8", "16")} == pytest.approx(means)
    assert held[ALL, "mean"].value == pytest.approx(rows["length"].mean())
    differences = [held[name, "mean"].value for name in ("8 − 4", "16 − 8", "16 − 4")]
    assert differences == pytest.approx([means[8] - means[4], means[16] - means[8], means[16] - means[4]])
    assert (held["4", "mean"].n, held[ALL, "mean"].n) == (25, 75)
    assert "subject" in held["4", "mean"].method


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_slope_is_that_of_least_squares(seed: int) -> None:
    rows = table(seed)
    reference = stats.linregress(np.log2(rows["scene_size"].to_numpy()), rows["length"].to_numpy())
    assert found(LENGTH, rows)[TREND, SLOPE].value == pytest.approx(reference.slope)


def test_slope_error_with_one_description_a_subject_is_the_heteroscedastic_one() -> None:
    # With every row in clusters of its own the two-way variance is White's: Σ (x e)² / (Σ x²)².
    rows = table(3).with_columns(subject=pl.int_range(pl.len()).cast(pl.String)).with_columns(scene_key="subject")
    x = np.log2(rows["scene_size"].to_numpy())
    x = x - x.mean()
    y = rows["length"].to_numpy()
    slope = x @ y / (x @ x)
    error = np.sqrt(np.sum((x * (y - y.mean() - slope * x)) ** 2)) / (x @ x)
    one = found(LENGTH, rows)[TREND, SLOPE]
    reach = stats.t.ppf(0.975, rows.height - 1) * error
    assert (one.low, one.high) == pytest.approx((slope - reach, slope + reach))


def test_clusters_widen_what_they_should() -> None:
    rows = table(5, spread=3.0)
    alone = rows.with_columns(subject=pl.int_range(pl.len()).cast(pl.String))
    widths = [_width(found(LENGTH, held)["4", "mean"]) for held in (rows, alone)]
    assert widths[0] > 1.4 * widths[1]


def _width(one: Estimate) -> float:
    return (one.high or 0.0) - (one.low or 0.0)


def test_an_effect_is_found_by_both() -> None:
    held = found(LENGTH, table(7, effect=2.0, subjects=30))
    assert held[TREND, SLOPE].value == pytest.approx(2.0, abs=0.6)
    pytest.importorskip("formulaic")
    assert held[TREND, COEFFICIENT].value == pytest.approx(2.0, abs=0.6)
    assert (held[TREND, COEFFICIENT].p or 1) < 0.001


def test_without_an_effect_five_per_cent_are_significant() -> None:
    # 300 corpora without a trend, 45 subjects each and 15 scenes: a binomial(300, .05) has 6 to 26 in 99.9 % of cases.
    # The clustered slope is known to be somewhat liberal with few clusters.
    ps = [slope_estimate("a", LENGTH, table(seed, subjects=45), 0, 0.95).p or 1.0 for seed in range(300)]
    assert 6 <= sum(p < 0.05 for p in ps) <= 33


def test_missing_values_and_weights() -> None:
    rows = pl.DataFrame(
        {
            "subject": ["a", "a", "b", "c"],
            "scene_key": ["4-1", "4-2", "4-1", "9-1"],
            "scene_size": [4, 4, 4, 9],
            "hits": [1, None, 3, 2],
            "of": [2, 5, 4, 2],
        }
    )
    held = found(Measured("h", "hits", True, "of"), rows)
    # (1 + 3) / (2 + 4); the row without hits is missing.
    assert held["4", "share"].value == pytest.approx(4 / 6)
    assert (held["4", "share"].n, held["4", "share"].n_missing) == (2, 1)
    assert held["9", "share"].value == 1


def test_trials_are_the_counts() -> None:
    rows = pl.DataFrame(
        {"subject": ["a", "b"], "scene_key": ["x", "y"], "scene_size": [4, 9], "k": [1, 0], "n": [3, 2]}
    )
    one = trials(Measured("k", "k", True, "n"), rows)
    assert one.select("subject", "value").rows() == [("a", 1.0), ("a", 0.0), ("a", 0.0), ("b", 0.0), ("b", 0.0)]
    assert trials(Measured("k", "k", True), rows)["value"].to_list() == [1.0, 0.0]


def test_nothing_and_one_size() -> None:
    empty = table(1).with_columns(length=pl.lit(None, dtype=pl.Float64))
    assert size_estimates("a", LENGTH, empty, HOW) == []
    one = found(LENGTH, table(1).filter(pl.col("scene_size") == 4))
    assert set(one) == {("4", "mean"), (ALL, "mean")}


def test_no_model_is_told() -> None:
    constant = table(1).with_columns(yes=pl.lit(True))
    one = found(YES, constant)[TREND, COEFFICIENT]
    assert (one.value, one.p) == (None, None)
    assert one.method.startswith("no model:")


def test_coefficients_are_those_of_the_mixed_model() -> None:
    pytest.importorskip("formulaic")
    from hengliang.statistics import fit_mixed

    rows = table(2, effect=1.0).with_columns(doubling=pl.col("scene_size").log(2), value="length")
    formula = "value ~ doubling + (1 | subject) + (1 | scene_key)"
    one = mixed_estimate("a", {}, formula, "doubling", rows, "gaussian", 0.95)
    expected = fit_mixed(formula, rows).coefficient("doubling")
    assert (one.value, one.p, one.low) == (expected.estimate, expected.p, expected.low)


def expressions(seed: int, between: float) -> pl.DataFrame:
    """Return three yes-or-no expressions of each of eight descriptions of 24 subjects, which differ by description."""
    generator = np.random.default_rng(seed)
    rows = []
    for subject in range(24):
        size = (4, 8, 16)[subject % 3]
        for scene in range(8):
            chance = 1 / (1 + np.exp(-generator.normal(0, between)))
            rows.append(
                (f"d{subject}-{scene}", f"s{subject}", f"{size}-{scene}", size, generator.binomial(3, chance), 3)
            )
    names = ["description_id", "subject", "scene_key", "scene_size", "k", "n"]
    return pl.DataFrame(rows, schema=names, orient="row")


def test_expressions_of_one_description_are_not_independent() -> None:
    pytest.importorskip("formulaic")
    from hengliang.statistics import fit_mixed

    rows = expressions(1, 3.0)
    measured = Measured("k", "k", True, "n")
    one = mixed_trend("a", measured, rows, 0.95)
    assert "(1 | description_id)" in one.method
    assert "192 description_id" in one.method
    table = trials(measured, rows).with_columns(doubling=pl.col("scene_size").log(2))
    formula = "value ~ doubling + (1 | subject) + (1 | scene_key)"
    assert (
        one.value
        == fit_mixed(f"{formula} + (1 | description_id)", table, family="binomial").coefficient("doubling").estimate
    )
    alone = mixed_estimate("a", {}, formula, "doubling", table.drop("description_id"), "binomial", 0.95)
    assert _width(one) > _width(alone)


def test_an_effect_of_descriptions_that_cannot_be_estimated_is_left_out_and_said() -> None:
    pytest.importorskip("formulaic")
    # Each description has two of one answer and one of the other, or the other way round: less spread than chance has.
    rows = expressions(1, 0.0).with_columns(k=1 + pl.int_range(pl.len()) % 2)
    one = mixed_trend("a", Measured("k", "k", True, "n"), rows, 0.95)
    assert one.value is not None
    assert "(1 | description_id)" not in one.method
    assert "no random effect of the description: its variance is estimated as zero" in one.method


def test_one_row_a_description_needs_no_effect_of_it() -> None:
    rows = table(1).with_columns(description_id=pl.int_range(pl.len()).cast(pl.String))
    assert "description" not in mixed_trend("a", LENGTH, rows, 0.95).method


def test_t_interval() -> None:
    # t(10) at .975 is 2.2281; two-sided p of t = 2.2281 is .05.
    assert t_interval(2.2281, 1.0, 10, 0.95) == pytest.approx((0, 4.4562, 0.05), abs=1e-4)
    assert t_interval(1.0, 0.0, 10, 0.95) == t_interval(1.0, 1.0, 0, 0.95) == (None, None, None)
