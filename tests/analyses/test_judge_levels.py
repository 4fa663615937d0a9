"""Are the correlations at each level those of SciPy on the same numbers?"""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from hengliang.analyses.judge_levels import LevelSettings, item_level, pair_level, system_level, within_systems
from hengliang.statistics import Resampling, ScoreTable
from hengliang.statistics.inter_rater import AgreementValue, PairedScores, paired_scores
from tests import ORACLES

ORACLE = json.loads((ORACLES / "agreement.json").read_text(encoding="utf-8"))
SETTINGS = LevelSettings(Resampling(100, 1), "first")


def scores(items: int = 12, systems: int = 4, seed: int = 1, missing: int = 0) -> PairedScores:
    generator = np.random.default_rng(seed)
    keys = [(f"i{n:02}", f"S{m}") for n in range(items) for m in range(systems)]
    quality = generator.normal(size=len(keys)) + np.tile(np.arange(systems), items)
    frames = []
    for noise in (0.7, 1.0):
        values = np.round(quality + generator.normal(0, noise, len(keys)), 1)
        frame = pl.DataFrame({"item": [i for i, _ in keys], "system": [s for _, s in keys], "score": values})
        frames.append(frame)
    first = ScoreTable.of(frames[0].head(len(keys) - missing), name="first")
    return paired_scores(first, ScoreTable.of(frames[1], name="second"))


def by_name(values: list[AgreementValue]) -> dict[tuple[str, str], AgreementValue]:
    return {(value.by["level"], value.statistic): value for value in values}


def test_items_against_scipy() -> None:
    both = scores()
    found = by_name(item_level(both, SETTINGS))
    one, two = both.scores("first"), both.scores("second")
    assert found["items", "pearson"].value == pytest.approx(stats.pearsonr(one, two).statistic)
    assert found["items", "spearman"].value == pytest.approx(stats.spearmanr(one, two).statistic)
    assert found["items", "kendall"].value == pytest.approx(stats.kendalltau(one, two).statistic)
    for value in found.values():
        assert value.low < value.value < value.high
        assert value.n == 48
        assert "12 items drawn with replacement" in value.method


def test_items_against_r() -> None:
    held = ORACLE["correlations"]
    frames = [pl.DataFrame({"item": [f"{n:02}" for n in range(12)], "score": held[name]}) for name in "xy"]
    both = paired_scores(*(ScoreTable.of(frame) for frame in frames))
    found = by_name(item_level(both, SETTINGS))
    for name, value in held["values"].items():
        assert found["items", name].value == pytest.approx(value, abs=1e-10)


def test_intervals_draw_all_answers_to_an_item_together() -> None:
    both = scores(items=15)
    found = by_name(item_level(both, LevelSettings(Resampling(150, 7), "none")))
    drawn = np.random.default_rng(7).integers(0, 15, (150, 15))
    one, two = (both.scores(side).reshape(15, 4) for side in ("first", "second"))
    for name, of in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        values = [of(one[rows].ravel(), two[rows].ravel()).statistic for rows in drawn]
        value = found["items", name]
        assert (value.low, value.high) == pytest.approx(np.quantile(values, [0.025, 0.975]), abs=1e-9)


def test_pairs_within_items() -> None:
    both = scores()
    found = by_name(pair_level(both, SETTINGS))
    one, two = (both.scores(side).reshape(12, 4) for side in ("first", "second"))
    right = [
        np.mean([np.sign(a[i] - a[j]) == np.sign(b[i] - b[j]) for i in range(4) for j in range(i)])
        for a, b in zip(one, two, strict=True)
    ]
    plain = found["pairs within an item", "accuracy with ties"]
    assert plain.value == pytest.approx(np.mean(right))
    assert plain.n == 12 * 6
    calibrated = found["pairs within an item", "accuracy with calibrated ties"]
    assert calibrated.value >= plain.value
    assert "differences of the first score up to" in calibrated.method
    assert math.isnan(found["pairs of items", "accuracy with calibrated ties"].low)
    assert len(pair_level(both, LevelSettings(Resampling(10), "none"))) == 1


def test_items_within_systems() -> None:
    both = scores(missing=3)
    found = by_name(within_systems(both, SETTINGS))
    groups = [group for _, group in both.cells.group_by("system")]
    for name, of in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        value = found["items within a system", name]
        expected = np.mean([of(group["first"], group["second"]).statistic for group in groups])
        assert value.value == pytest.approx(expected)
        assert value.low <= value.value <= value.high
        assert "mean over 4 systems" in value.method


def test_systems() -> None:
    both = scores(missing=3)
    found = by_name(system_level(both, SETTINGS))
    means = both.cells.group_by("system").agg(pl.col("first").mean(), pl.col("second").mean()).sort("system")
    one, two = means["first"], means["second"]
    for name, of in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        assert found["systems", name].value == pytest.approx(of(one, two).statistic)
        assert found["systems", name].n == 4
    accuracy = (found["systems", "kendall"].value + 1) / 2  # without ties
    assert found["systems", "accuracy without ties"].value == pytest.approx(accuracy)
    assert "systems are held fixed" in found["systems", "pearson"].method


def test_two_systems_have_no_correlation() -> None:
    found = by_name(system_level(scores(systems=2), SETTINGS))
    value = found["systems", "pearson"]
    assert math.isnan(value.value)
    assert value.reason is not None
    assert "three systems" in value.reason.en
    assert found["systems", "accuracy without ties"].value in {0.0, 1.0}


def test_one_judge_who_gives_all_the_same_within_a_system() -> None:
    both = scores()
    flat = both.cells.with_columns(first=pl.col("second"), second=pl.lit(3.0))
    held = PairedScores(both.names, both.units, flat, {}, 0, 0)
    value = by_name(within_systems(held, SETTINGS))["items within a system", "pearson"]
    assert math.isnan(value.value)
    assert value.reason is not None
