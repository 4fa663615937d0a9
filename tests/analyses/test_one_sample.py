"""Is the mean tested over independent observations, and is it said which these are?"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

from hengliang import Estimate, Tables, UserError
from hengliang.analyses.comparison import CHOSEN, CONVENTION
from hengliang.analyses.one_sample import OneSample, garden_path_effects, one_sample
from hengliang.core import estimate_records, sample_tables
from hengliang.report import estimate_table, figure_plan
from tests.analyses.shared_answers import reversed_tables
from tests.grammar.judged_suites import simulated_rows, tables_of

MEASURE = "surprisal difference"


def difference_rows(seed: int = 4, frames: int = 6, classes: tuple[str, str] = ("object", "subject")) -> pl.DataFrame:
    """Return differences of surprisal: those of the first class lie above zero."""
    rows = simulated_rows(seed, frames)
    noise = np.random.default_rng(seed).normal(0, 1, rows.height)
    of_class = pl.when(pl.col("class") == "object").then(1.5).otherwise(0.0)
    rows = rows.with_columns(value=of_class + pl.Series(noise))
    return rows.with_columns(
        pl.col("class", "frame").str.replace("object", classes[0]).str.replace("subject", classes[1])
    )


def run_of(rows: pl.DataFrame, parts: tuple[str, ...] = ("1",)) -> Tables:
    return tables_of(rows, MEASURE, parts)


def numbers(analysis: OneSample, tables: Tables) -> dict[tuple[str, ...], Estimate]:
    return chosen(analysis.estimate(tables))


def chosen(estimates: pl.DataFrame) -> dict[tuple[str, ...], Estimate]:
    """Return the numbers by group and statistic, without those of other conventions."""
    return {
        (*(level for factor, level in row.by.items() if factor != CONVENTION), row.statistic): row
        for row in estimate_records(estimates)
        if row.by.get(CONVENTION, CHOSEN) == CHOSEN
    }


def by_hand(rows: pl.DataFrame, *, unit: str) -> list[float]:
    """Average in plain Python: seeds within sets, then sets within frames."""
    sets: dict[tuple[str, str], list[float]] = {}
    for row in rows.iter_rows(named=True):
        sets.setdefault((row["frame"], row["modifier"]), []).append(row["value"])
    means = {key: sum(values) / len(values) for key, values in sets.items()}
    if unit == "set":
        return list(means.values())
    frames: dict[str, list[float]] = {}
    for (frame, _), mean in means.items():
        frames.setdefault(frame, []).append(mean)
    return [sum(values) / len(values) for values in frames.values()]


@pytest.mark.parametrize(("unit", "n"), [("cluster", 6), ("set", 12), ("judgement", 24)])
def test_observations_are_averaged_before_they_are_tested(unit: Any, n: int) -> None:
    rows = difference_rows()
    found = numbers(one_sample(unit=unit), run_of(rows))
    own = rows.filter((pl.col("model") == "LSTM") & (pl.col("class") == "object"))
    values = own["value"].to_list() if unit == "judgement" else by_hand(own, unit=unit)
    expected = stats.ttest_1samp(values, 0.0)
    t, mean = found["LSTM", "object", "t"], found["LSTM", "object", "mean"]
    assert (t.value, t.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)
    assert (t.df, t.n) == ((n - 1,), n)
    interval = expected.confidence_interval(0.95)
    assert (mean.value, mean.low, mean.high) == pytest.approx((np.mean(values), *interval), rel=1e-9)
    ranks = stats.wilcoxon(values, method="exact")
    assert found["LSTM", "object", "signed rank"].p == pytest.approx(ranks.pvalue, rel=1e-9)
    above = sum(value > 0 for value in values)
    assert found["LSTM", "object", "sign"].value == above
    assert found["LSTM", "object", "sign"].p == pytest.approx(stats.binomtest(above, n).pvalue, rel=1e-9)
    assert found["LSTM", "object", "cohen-d"].value == pytest.approx(np.mean(values) / np.std(values, ddof=1), rel=1e-9)


def test_a_set_with_more_judgements_has_no_more_weight() -> None:
    # Frame 0: sets of means 4 (judged once) and 1 (judged twice) give 2.5, not the 2 of all three judgements.
    rows = pl.DataFrame(
        [
            {"class": "object", "modifier": modifier, "frame": frame, "model": "LSTM", "seed": seed,
             "structured": False, "value": value}
            for frame, modifier, seed, value in [
                ("0", "none", 0, 4.0), ("0", "adjective", 0, 0.0), ("0", "adjective", 2, 2.0), ("1", "none", 0, 1.5),
            ]
        ]
    )  # fmt: skip
    assert numbers(one_sample(), run_of(rows))["LSTM", "object", "mean"].value == pytest.approx(2.0)


def test_parts_are_averaged_and_controls_left_out() -> None:
    rows = difference_rows()
    run = run_of(rows, ("1", "2", "control: interaction"))
    assert numbers(one_sample(), run)["LSTM", "object", "t"].n == 6
    assert numbers(one_sample(unit="judgement"), run)["LSTM", "object", "t"].n == 48
    assert numbers(one_sample(unit="judgement", part="1"), run)["LSTM", "object", "t"].n == 24


@given(seed=st.integers(0, 500), mu=st.integers(-3, 3))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_constant_in_values_and_mu_changes_only_the_mean(seed: int, mu: int) -> None:
    rows = difference_rows(seed)
    one = numbers(one_sample(), run_of(rows))
    two = numbers(one_sample(mu=float(mu)), run_of(rows.with_columns(pl.col("value") + mu)))
    for key in [("LSTM", "object"), ("RNNG", "subject")]:
        assert two[*key, "t"].value == pytest.approx(one[*key, "t"].value, rel=1e-6)
        assert two[*key, "signed rank"].p == pytest.approx(one[*key, "signed rank"].p, rel=1e-6)
        assert two[*key, "mean"].value == pytest.approx((one[*key, "mean"].value or 0) + mu, abs=1e-9)


@pytest.mark.untraced
@given(seed=st.integers(0, 500), dropped=st.sampled_from(["object", "subject"]))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_neither_other_groups_nor_the_order_of_rows_matter(seed: int, dropped: str) -> None:
    rows = difference_rows(seed)
    whole = numbers(one_sample(), run_of(rows))
    part = numbers(one_sample(), run_of(rows.filter(pl.col("class") != dropped)))
    turned = numbers(one_sample(), reversed_tables(run_of(rows)))
    for key, row in part.items():
        assert (row.value, row.low, row.p, row.n) == (whole[key].value, whole[key].low, whole[key].p, whole[key].n)
    assert {(key, row.value, row.p) for key, row in whole.items()} == {
        (key, row.value, row.p) for key, row in turned.items()
    }


def test_a_convention_that_decides_otherwise_has_a_row() -> None:
    # One system, one class, 31 frames of which 21 lie above zero: see test_location_tests.
    rows = pl.DataFrame(
        [
            {"class": "object", "modifier": "none", "frame": f"{frame:02}", "model": "LSTM", "seed": 0,
             "structured": False, "value": 1.0 + frame / 100 if frame < 21 else -1.0}
            for frame in range(31)
        ]
    )  # fmt: skip
    estimates = one_sample(tests="sign").estimate(run_of(rows))
    other = [row for row in estimate_records(estimates) if row.by.get(CONVENTION, CHOSEN) != CHOSEN]
    assert [row.statistic for row in other] == ["sign"]
    assert other[0].p == pytest.approx(2 * stats.norm.sf(11 / 31**0.5))
    assert chosen(estimates)["LSTM", "object", "sign"].p == pytest.approx(0.0708, abs=5e-4)


def test_groups_by_one_test_are_a_family() -> None:
    run = run_of(difference_rows())
    found = one_sample(correction="bonferroni", tests=("t", "sign")).conclude(run)
    rows = chosen(found.estimates)
    p = rows["LSTM", "object", "t"].p
    assert p is not None
    assert rows["LSTM", "object", "adjusted p, t"].value == pytest.approx(min(1.0, 4 * p))
    assert found.sentences[-2].en.startswith("one-sample t-test: ")
    assert "LSTM · object" in found.sentences[-2].en
    assert not any(key[-1] == "signed rank" for key in rows)


def test_a_group_without_a_test_keeps_its_row() -> None:
    rows = difference_rows().with_columns(value=pl.when(pl.col("class") == "object").then(0.0).otherwise("value"))
    found = one_sample(correction="holm").conclude(run_of(rows))
    held = chosen(found.estimates)
    assert (held["LSTM", "object", "mean"].value, held["LSTM", "object", "mean"].low) == (0.0, None)
    assert held["LSTM", "object", "t"].value is None
    assert held["LSTM", "object", "t"].method == (
        "no test: All 6 values are 0: there is no error to hold their mean against."
    )
    assert "family of 4" in held["LSTM", "subject", "adjusted p, t"].method
    assert any(one.zh.startswith("LSTM，object：未作检验") for one in found.sentences)


def test_missing_units_are_counted() -> None:
    rows = difference_rows().with_columns(value=pl.when(pl.col("frame") != "object 1").then("value"))
    found = numbers(one_sample(), run_of(rows))["LSTM", "object", "t"]
    assert (found.n, found.n_missing) == (5, 1)


def test_the_sentences_say_what_an_observation_is() -> None:
    run = run_of(difference_rows())
    first = [one_sample(unit=unit).conclude(run).sentences[0].en for unit in ("cluster", "set", "judgement")]
    assert first[0].startswith("One observation is a frame, the mean of its sets")
    assert first[1].startswith("One observation is a set, the mean of its seeds and parts")
    assert first[2].startswith("One observation is a judgement")
    assert all("makes p too small" in sentence for sentence in first[1:])
    said = one_sample().conclude(run).sentences[1]
    assert said.en.startswith(
        "The mean surprisal difference of LSTM, object lies above 0 (one-sample t-test, two-sided: t(5"
    )
    assert "Beside it, Wilcoxon's signed-rank test: p = " in said.en
    assert said.zh.startswith("LSTM，object的惊异度差的均值显著高于 0（单样本 t 检验，双侧：t(5")


def test_table_and_figure() -> None:
    analysis = garden_path_effects()
    run = run_of(difference_rows(classes=("garden path object", "garden path subject")))
    estimates = analysis.estimate(run)
    table = estimate_table(estimates, analysis.layout())
    assert table.frame.height == 4
    assert {"mean", "t", "cohen-d", "signed rank", "sign"} <= set(table.frame.columns)
    plan = figure_plan(estimates, analysis.layout())
    assert plan is not None
    assert [panel.statistic for panel in plan.panels] == ["mean"]
    assert len(plan.panels[0].points) == 4
    assert all(point.low is not None for point in plan.panels[0].points)


def test_garden_paths_are_the_two_classes() -> None:
    rows = difference_rows(classes=("garden path object", "subordination"))
    with pytest.raises(UserError, match="No level of 'class' is called 'garden path subject'"):
        garden_path_effects().estimate(run_of(rows))


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"tests": "median"}, "The test 'median' does not exist"),
        ({"unit": "item"}, "The unit 'item' does not exist"),
        ({"correction": "tukey"}, "The correction 'tukey' does not exist"),
        ({"alternative": "above"}, "The alternative 'above' does not exist"),
        ({"mu": float("nan")}, "mu = nan is no number to test against"),
        ({"alpha": 5}, "alpha = 5 is no probability of error"),
        ({"cluster": "fram"}, "No column is called 'fram'. Did you mean frame"),
        ({"measure": "surprisal"}, "No measure is called 'surprisal'"),
        ({"by": "clas"}, "No column is called 'clas'. Did you mean class"),
        ({"part": "9"}, "No part of 'surprisal difference' is called '9'"),
    ],
)
def test_mistakes_are_told(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        one_sample(**arguments).estimate(run_of(difference_rows()))


def test_a_cluster_that_is_empty_is_told() -> None:
    run = run_of(difference_rows())
    items = run.items.with_columns(frame=pl.when(pl.col("frame") != "object 1").then("frame"))
    with pytest.raises(UserError, match="The attribute 'frame' is empty for the set 'object 1"):
        one_sample().estimate(Tables(items, run.systems, run.responses, run.judgements))


@pytest.mark.parametrize("analysis", [one_sample(), one_sample("match", by="system", cluster="block", mu=0.5)])
def test_it_keeps_the_promises_of_every_analysis(analysis: OneSample) -> None:
    assert [finding for finding in analysis.conformance() if not finding.kept] == []


def test_it_takes_any_measure_of_any_study() -> None:
    # System one: 3 of 8 right; the four blocks have the means 1/2, 1/2, 0, 1/2.
    found = numbers(one_sample("match", by="system", cluster="block"), sample_tables())
    assert found["one", "mean"].value == pytest.approx(3 / 8)
    assert found["one", "t"].value == pytest.approx((3 / 8) / (0.25 / 2))


def test_ties_of_predictions_count_half() -> None:
    rows = simulated_rows().filter(pl.col("class") == "object")
    run = tables_of(rows)
    tied = pl.col("about").str.starts_with("object 1 ")
    labelled = run.judgements.with_columns(
        value=pl.when(tied).then(0.0).otherwise("value"), label=pl.when(tied).then(pl.lit("tie"))
    )
    run = Tables(run.items, run.systems, {}, labelled)
    halves = rows.with_columns(value=pl.when(pl.col("frame") == "object 1").then(0.5).otherwise("value"))
    analysis = one_sample("prediction", by=(), mu=0.5, tests="t")
    found = numbers(analysis, run)
    assert found["mean",].value == pytest.approx(np.mean(by_hand(halves, unit="cluster")))
    # One frame with two modifiers, two models and two seeds.
    assert "8 of 48 observations are ties and count half." in [told.en for told in analysis.conclude(run).sentences]
    failures = numbers(one_sample("prediction", by=(), mu=0.5, tests="t", ties="failure"), run)
    assert failures["mean",].value == pytest.approx(np.mean(by_hand(halves, unit="cluster")) - 0.5 / 6)


def test_a_reason_is_said_in_chinese() -> None:
    run = run_of(difference_rows().with_columns(value=pl.lit(0.0)))
    told = one_sample(by=()).conclude(run).sentences
    assert told[1].zh == "全部：未作检验（全部 12 个值均为 0，无误差可与均值相比）"


def test_garden_paths_may_be_one_class() -> None:
    rows = difference_rows(classes=("garden path object", "garden path subject"))
    run = run_of(rows.filter(pl.col("class") == "garden path object"))
    found = garden_path_effects(classes=("garden path object",)).estimate(run)
    assert found.height > 0


def test_garden_paths_may_be_those_of_one_material() -> None:
    run = run_of(difference_rows(classes=("garden path object", "garden path subject")))
    both, one = garden_path_effects(), garden_path_effects(where={"material": "suite"})
    assert (one.name, one.title.zh) == ("garden-path effects (suite)", "花园幽径效应（suite）")
    assert both.estimate(run)["value"].equals(one.estimate(run)["value"])
    with pytest.raises(UserError, match="'others'"):
        garden_path_effects(where={"material": "others"}).estimate(run)
