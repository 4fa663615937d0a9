from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from hengliang import Tables, UserError
from hengliang.analyses.calibration import Binning, Bins, Calibration, Reliability, calibration, reliability
from hengliang.classifiers import LabelMatch, ProbabilityScores
from hengliang.core import ESTIMATE_SCHEMA, check_judgements, estimate_records
from hengliang.core import find_registered as find
from hengliang.report import figure_plan
from hengliang.statistics import Floats
from tests.analyses.answers import tables as label_tables
from tests.analysis.ranked_answers import Answer, numbers, ranked_run, shuffled

# Six answers: confidences .2 .4 | .6 .6 | .9 .9, right 0 1 | 0 1 | 1 1; by equal width in five bins.
CONFIDENCES = (0.2, 0.4, 0.6, 0.6, 0.9, 0.9)
RIGHT = (False, True, False, True, True, True)


def run(confidences: tuple[float, ...] = CONFIDENCES, right: tuple[bool, ...] = RIGHT, **settings: object) -> Tables:
    answers: list[Answer] = [("本" if good else "个", p) for p, good in zip(confidences, right, strict=True)]
    blocks = [n // 2 for n in range(len(answers))]
    measures = (LabelMatch(), ProbabilityScores(classes=("个", "本")))
    return ranked_run(["本"] * len(answers), {("A", None): answers}, blocks, measures)


def test_calibration_by_hand() -> None:
    found = numbers(Calibration(bins=5, binning="width").estimate(run()))
    # Borders are .2 .4 .6 .8, and an answer on a border belongs to the lower bin: {.2} {.4} {.6 .6} {} {.9 .9}.
    # Gaps: |0 − .2| = .2, |1 − .4| = .6, |.5 − .6| = .1, |1 − .9| = .1; weighted (.2 + .6 + 2 × .1 + 2 × .1) / 6 = .2.
    assert found["A", "ECE"] == pytest.approx(0.2)
    assert found["A", "MCE"] == pytest.approx(0.6)
    assert found["A", "accuracy"] == pytest.approx(4 / 6)
    assert found["A", "confidence"] == pytest.approx(3.6 / 6)
    assert found["A", "overconfidence"] == pytest.approx(-0.4 / 6)
    # √(2/π) (√(.2 × .8) + √(.4 × .6) + √(2 × .6 × .4) + √(2 × .9 × .1)) / 6
    spread = math.sqrt(0.16) + math.sqrt(0.24) + math.sqrt(0.48) + math.sqrt(0.18)
    assert found["A", "ECE if calibrated"] == pytest.approx(math.sqrt(2 / math.pi) * spread / 6)


def test_proper_scores_stand_beside_where_they_were_judged() -> None:
    found = numbers(Calibration().estimate(run()))
    # Two classes: the gold answer has the confidence where it was named, else the rest.
    gold = [p if good else 1 - p for p, good in zip(CONFIDENCES, RIGHT, strict=True)]
    assert found["A", "log loss"] == pytest.approx(-np.log(gold).mean())
    assert found["A", "Brier"] == pytest.approx(np.mean([2 * (1 - p) ** 2 for p in gold]))
    plain = run()
    plain = replace(plain, judgements=check_judgements(plain.judgements.filter(pl.col("measure") == "match")))
    assert ("A", "log loss") not in numbers(Calibration().estimate(plain))


def test_reliability_by_hand() -> None:
    found = numbers(Reliability(bins=5, binning="width").estimate(run()))
    assert found["A", "0.4–0.6", "confidence"] == pytest.approx(0.6)
    assert found["A", "0.4–0.6", "accuracy"] == 0.5
    assert found["A", "0.4–0.6", "gap"] == pytest.approx(-0.1)
    assert found["A", "0.6–0.8", "accuracy"] is None
    assert (found["A", "0.8–1", "from"], found["A", "0.8–1", "to"]) == (0.9, 0.9)
    # Three bins of equal count: two answers each.
    equal = Reliability(bins=3).estimate(run())
    assert [row.n for row in estimate_records(equal) if row.statistic == "accuracy"] == [2, 2, 2]
    assert numbers(equal)["A", "1", "confidence"] == pytest.approx(0.3)


def test_equal_confidences_stay_together() -> None:
    found = Reliability(bins=4).estimate(run(confidences=(1.0,) * 6))
    assert [(row.by["bin"], row.n) for row in estimate_records(found) if row.statistic == "gap"] == [("1", 6)]


CASES = st.lists(st.tuples(st.integers(0, 100), st.booleans()), min_size=1, max_size=40)


def curve(held: Bins) -> tuple[Floats, Floats]:
    n, right, confidence = (np.bincount(held.codes, w, held.count) for w in (None, held.right, held.confidence))
    return right[n > 0] / n[n > 0], confidence[n > 0] / n[n > 0]


@given(CASES, st.integers(1, 8))
@settings(max_examples=40, deadline=None)
def test_bins_of_equal_width_are_those_of_scikit_learn(cases: list[tuple[int, bool]], bins: int) -> None:
    confidence, right = np.array([p / 100 for p, _ in cases]), np.array([good for _, good in cases], float)
    accuracy, mean = curve(Bins.of(confidence, right, bins, "width"))
    theirs = calibration_curve(right, confidence, n_bins=bins, strategy="uniform")
    assert accuracy == pytest.approx(theirs[0]) and mean == pytest.approx(theirs[1])


@given(st.integers(1, 6), st.integers(1, 6), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_bins_of_equal_count_are_those_of_scikit_learn(bins: int, size: int, random: Random) -> None:
    # Where all confidences differ and the bins come out even, interpolated quantiles lie between the same two answers.
    confidence = np.array(random.sample(range(1000), bins * size)) / 1000
    right = np.array([random.random() < 0.5 for _ in confidence], float)
    held = Bins.of(confidence, right, bins, "count")
    theirs = calibration_curve(right, confidence, n_bins=bins, strategy="quantile")
    assert curve(held)[0] == pytest.approx(theirs[0]) and curve(held)[1] == pytest.approx(theirs[1])
    assert np.bincount(held.codes).tolist() == [size] * bins


@given(CASES, st.integers(1, 8))
@settings(max_examples=40, deadline=None)
def test_borders_of_equal_count_by_counting(cases: list[tuple[int, bool]], bins: int) -> None:
    values = [p / 100 for p, _ in cases]
    # The border k is the smallest value that at least k of `bins` parts of the answers do not exceed.
    borders = [
        min(v for v in values if Fraction(sum(w <= v for w in values), len(values)) >= Fraction(k, bins))
        for k in range(1, bins)
    ]
    places = [sum(border < v for border in borders) for v in values]
    expected = [sorted(set(places)).index(place) for place in places]
    assert Bins.of(np.array(values), np.zeros(len(values)), bins, "count").codes.tolist() == expected


@given(CASES, st.integers(1, 8), st.sampled_from(["count", "width"]))
@settings(max_examples=20, deadline=None)
def test_errors_lie_between_their_bounds(cases: list[tuple[int, bool]], bins: int, binning: Binning) -> None:
    held = run(tuple(p / 100 for p, _ in cases), tuple(good for _, good in cases))
    found = numbers(Calibration(bins=bins, binning=binning, draws=20).estimate(held))
    ece, mce, over = (found["A", name] for name in ("ECE", "MCE", "overconfidence"))
    assert ece is not None and mce is not None and over is not None
    # The mean of absolute gaps is at least the absolute mean gap, and at most the largest gap.
    assert abs(over) - 1e-12 <= ece <= mce + 1e-12 <= 1 + 2e-12


def test_intervals_come_from_whole_clusters() -> None:
    # Three blocks with the accuracies 1/2, 1/2 and 1: a resample of one block thrice gives the bounds of the accuracy,
    # (1/3)³ = .037 > .025 for each.
    row = Calibration(draws=4000).estimate(run()).filter(pl.col("statistic") == "accuracy").row(0, named=True)
    assert (row["low"], row["high"]) == (0.5, 1.0) and "3 clusters (block)" in row["method"]
    single = run(confidences=(0.5, 0.5), right=(True, False))
    assert Calibration().estimate(single)["low"].null_count() == Calibration().estimate(single).height


def test_answers_without_confidence_are_counted_and_left_out() -> None:
    answers: list[Answer] = [("本", 0.5), None, ("本", float("nan")), ("本", 7.0), ("个", 0.5)]
    held = ranked_run(["本", "本", "本", "本", None], {("A", None): answers, ("S", None): [None] * 5}, [1, 2, 3, 4, 5])
    rows = {row.by["system"]: row for row in estimate_records(Calibration().estimate(held)) if row.statistic == "ECE"}
    assert (rows["A"].value, rows["A"].n, rows["A"].n_missing) == (0.5, 1, 4)
    assert (rows["S"].value, rows["S"].n, rows["S"].n_missing) == (None, 0, 5)
    assert {row.by["system"] for row in estimate_records(Reliability().estimate(held))} == {"A"}


def test_the_order_of_the_tables_and_other_systems_do_not_matter() -> None:
    one, two = (Calibration(draws=50).estimate(held) for held in (run(), shuffled(run())))
    assert one.equals(two)


def test_systems_that_give_labels_have_no_calibration() -> None:
    with pytest.raises(UserError, match="kind ranking"):
        Calibration().estimate(label_tables())


@pytest.mark.parametrize("analysis", [Calibration(bins=0), Reliability(bins=2.5)])  # type: ignore[arg-type]
def test_impossible_bins_are_refused(analysis: Calibration) -> None:
    with pytest.raises(UserError, match="whole number from 1"):
        analysis.estimate(run())


def test_an_unknown_binning_is_refused() -> None:
    with pytest.raises(UserError, match="count, width"):
        Calibration(binning="depth").estimate(run())  # type: ignore[arg-type]


def test_both_are_registered_keep_their_promises_and_can_be_drawn() -> None:
    assert find("analysis", "calibration").kind is Calibration is calibration
    assert find("analysis", "reliability").kind is Reliability is reliability
    for analysis in (Calibration(), Reliability()):
        assert [finding for finding in analysis.conformance() if not finding.kept] == []
        found = analysis.estimate(run())
        assert dict(found.schema) == ESTIMATE_SCHEMA
        plan = figure_plan(found, analysis.layout())
        assert plan is not None and plan.panels[0].statistic in {"ECE", "gap"}
        assert all(label.title.zh for label in analysis.layout().statistics.values())
