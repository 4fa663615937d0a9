"""Is the ceiling that of the true reliability, and does it hold on real ratings?"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hengliang import UserError
from hengliang.statistics.inter_rater.intraclass import intraclass_correlation
from hengliang.statistics.inter_rater.noise_ceiling import (
    means_of_first,
    noise_ceiling,
    shuffled_ratings,
    smaller_half,
    stepped_up,
)
from hengliang.statistics.inter_rater.score_tables import RatingLists, ScoreTable


def people(scores: np.ndarray) -> ScoreTable:
    """Return a table from a row a rater and a column an item."""
    raters, items = scores.shape
    frame = pl.DataFrame(
        {
            "rater": np.repeat([f"r{n}" for n in range(raters)], items),
            "item": np.tile([f"i{n:04}" for n in range(items)], raters),
            "score": scores.ravel(),
        }
    )
    return ScoreTable.of(frame, name="people")


def test_shuffling_keeps_every_rating_with_its_unit() -> None:
    held = RatingLists(np.arange(9.0), np.array([2, 3, 4]))
    rows = shuffled_ratings(held, 50, seed=1)
    for row in rows:
        assert [sorted(part) for part in np.split(row, [2, 5])] == [[0, 1], [2, 3, 4], [5, 6, 7, 8]]
    # Every rating is the first one in its turn.
    assert set(rows[:, 5]) == {5, 6, 7, 8}
    first, rest = means_of_first(rows, held, np.array([1, 1, 2]))
    assert first[0].tolist() == [rows[0, 0], rows[0, 2], rows[0, 5:7].mean()]
    assert rest[0].tolist() == [rows[0, 1], rows[0, 3:5].mean(), rows[0, 7:].mean()]


def test_two_raters_have_one_split() -> None:
    # A half of two raters is one rater, so that two of the numbers are one.
    scores = np.random.default_rng(3).normal(size=(2, 15))
    found = noise_ceiling(people(scores), splits=40, draws=10)
    values = {value.statistic: value.value for value in found.values}
    # Which rater is in which half is drawn for every item: on average, the table beside itself with the rows exchanged.
    assert values["split-half correlation"] == pytest.approx(values["one rater with the mean of the others"], abs=1e-12)
    double = np.hstack([scores, scores[::-1]])
    expected = float(np.corrcoef(double[0], double[1])[0, 1])
    assert values["split-half correlation"] == pytest.approx(expected, abs=0.05)


def test_reliability_is_that_of_the_true_model() -> None:
    generator = np.random.default_rng(8)
    # Items with variance 1 and raters' noise with variance 2: the mean of 6 has the reliability 1 / (1 + 2/6) = .75.
    scores = generator.normal(size=3000) + generator.normal(0, math.sqrt(2), (6, 3000))
    found = {value.statistic: value for value in noise_ceiling(people(scores), splits=20, draws=100).values}
    reliability = found["reliability of the mean"]
    assert reliability.low < 0.75 < reliability.high
    assert reliability.value == pytest.approx(0.75, abs=0.02)
    assert found["noise ceiling"].value == pytest.approx(math.sqrt(reliability.value))
    # One rater with the mean of five others: 1 / √(3 · 1.4).
    assert found["one rater with the mean of the others"].value == pytest.approx(1 / math.sqrt(3 * 1.4), abs=0.04)
    # The same reliability from the analysis of variance, one-way because raters are shuffled within items.
    icc = intraclass_correlation(scores, form="ICC(1,k)").value
    assert reliability.value == pytest.approx(icc, abs=0.005)


def test_seeds_and_signature() -> None:
    scores = np.random.default_rng(2).normal(size=(4, 20)) + np.arange(20)
    one, two = (noise_ceiling(people(scores), splits=5, draws=20, seed=4) for _ in range(2))
    assert one.values == two.values
    pairs = dict(one.signature().pairs)
    assert (pairs["splits"], pairs["seed"], pairs["split"]) == ("5", "4", "within items")
    assert "(people: noise ceiling r = ." in one.sentence().en
    assert "（people：噪声上限 r = ." in one.sentence().zh
    assert "one rater with the mean of all: r = ." in one.summary()


def test_raters_without_agreement_have_no_ceiling() -> None:
    generator = np.random.default_rng(5)
    noise = generator.normal(size=(1, 40))
    found = noise_ceiling(people(np.vstack([noise, -noise])), splits=10, draws=20)
    assert math.isnan(found.value)
    assert "do not correlate positively" in found.sentence().en


def test_mistakes_are_named() -> None:
    alone = ScoreTable.of(pl.DataFrame({"item": ["a", "b"], "score": [1, 2]}), name="machine")
    with pytest.raises(UserError, match="'machine' has no single ratings"):
        noise_ceiling(alone)
    single = ScoreTable.of(pl.DataFrame({"item": ["a", "b", "c"], "rater": ["x", "y", "z"], "score": [1, 2, 3]}))
    with pytest.raises(UserError, match="0 items of 'score' have two ratings"):
        noise_ceiling(single)
    with pytest.raises(UserError, match="0 splits"):
        noise_ceiling(people(np.ones((3, 4))), splits=0)


def test_shared_answers_count_once() -> None:
    scores = np.random.default_rng(1).normal(size=(3, 8)) + np.arange(8)
    plain = people(scores).frame.with_columns(response=pl.col("item") + "r", system=pl.lit("M"))
    doubled = pl.concat([plain, plain.with_columns(system=pl.lit("N"))])
    one, two = (noise_ceiling(ScoreTable.of(frame), splits=5, draws=10) for frame in (plain, doubled))
    assert [value.value for value in one.values] == [value.value for value in two.values]
    assert two.n == 8


@pytest.mark.mirror
def test_ratings_of_sentences_in_context(mirror: Path) -> None:
    """Lau et al. (2020): 250 sentences without context, 10 to 20 ratings each, on a scale of four."""
    table = pl.read_csv(mirror / "lau2020" / "context-none-ratings.csv", infer_schema_length=None)
    ratings = table.select(item="ID", score=pl.col("full-ratings").str.split(",")).explode("score")
    held = ScoreTable.of(ratings, name="acceptability", anonymous=True)
    found = {value.statistic: value for value in noise_ceiling(held, draws=200).values}
    assert found["noise ceiling"].n == 250
    # An independent estimate: one-way analysis of variance with unequal numbers of ratings.
    scores = [np.array(group["score"].to_list()) for _, group in held.frame.group_by("item", maintain_order=True)]
    counts = np.array([len(own) for own in scores])
    within = sum(float(((own - own.mean()) ** 2).sum()) for own in scores) / (counts.sum() - len(scores))
    grand = np.concatenate(scores).mean()
    between = sum(len(own) * (own.mean() - grand) ** 2 for own in scores) / (len(scores) - 1)
    assert found["reliability of the mean"].value == pytest.approx(1 - within / between, abs=0.01)
    assert found["noise ceiling"].value > found["split-half correlation"].value
    assert found["split-half correlation"].value > found["one rater with the mean of the others"].value


@pytest.mark.parametrize(("single", "raters", "smaller"), [(0.5, 3, 1), (0.2, 5, 2), (0.9, 7, 3), (0.3, 4, 2)])
def test_unequal_halves_are_stepped_up_to_what_all_raters_have(single: float, raters: int, smaller: int) -> None:
    # Spearman and Brown: k raters have k·s / (1 + (k − 1)·s); two halves correlate by the root of the product.
    def of(k: int) -> float:
        return k * single / (1 + (k - 1) * single)

    half = np.array([math.sqrt(of(smaller) * of(raters - smaller))])
    assert stepped_up(half, smaller / raters)[0] == pytest.approx(of(raters), rel=1e-12)
    assert smaller_half(np.full(5, raters)) == smaller / raters


def test_correlations_at_the_edge() -> None:
    assert stepped_up(np.array([1.0, 0.0]), 1 / 3).tolist() == [1.0, 0.0]
    assert math.isnan(stepped_up(np.array([-1.0]), 1 / 3)[0])


def test_three_raters_have_the_reliability_of_the_true_model() -> None:
    # Items and noise of variance 1: 1 / (1 + 1/3) = .75. Spearman and Brown's formula would give .732.
    generator = np.random.default_rng(4)
    scores = generator.normal(size=20_000) + generator.normal(size=(3, 20_000))
    found = {value.statistic: value.value for value in noise_ceiling(people(scores), splits=5, draws=2).values}
    assert found["reliability of the mean"] == pytest.approx(0.75, abs=0.008)
