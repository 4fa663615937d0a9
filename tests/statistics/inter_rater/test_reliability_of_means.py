"""Is the reliability that of the analysis of variance, and the ceiling that of the true scores?"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.acceptability import RatedSentences
from hengliang.statistics.inter_rater.intraclass import intraclass_correlation
from hengliang.statistics.inter_rater.raters_worth import reliability_by, reliability_of_means


def told(scores: np.ndarray, **options: object) -> tuple[float, float]:
    """Return ceiling and reliability of a table with a row a rater."""
    found = reliability_of_means(
        scores.mean(axis=0),
        scores.std(axis=0, ddof=1),
        np.full(scores.shape[1], len(scores)),
        draws=20,
        **options,  # type: ignore[arg-type]
    )
    return found.values[0].value, found.values[1].value


def test_by_hand() -> None:
    # Means 1, 2, 3: variance 1. Errors s²/n: 0.5/2, 1/4, 0.75/3 = .25 each. Reliability 1 − .25/1 = .75, root .866.
    found = reliability_of_means([1, 2, 3], [math.sqrt(0.5), 1, math.sqrt(0.75)], [2, 4, 3], draws=10)
    assert found.values[1].value == pytest.approx(0.75)
    assert found.value == pytest.approx(math.sqrt(0.75))
    assert (found.n, found.raters, found.n_missing) == (3, 4, 0)
    assert "mean of the 2–4 raters" in found.sentence().en
    assert "2–4 名评分者" in found.sentence().zh


@settings(max_examples=30)
@given(st.integers(2, 6), st.integers(3, 12), st.integers(0, 2**32 - 1))
def test_with_as_many_raters_everywhere_it_is_the_intraclass_correlation(raters: int, items: int, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(raters, items)) + 2 * np.arange(items)
    expected = intraclass_correlation(scores, form="ICC(1,k)").value
    assert told(scores)[1] == pytest.approx(expected, abs=1e-9)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.floats(0.01, 100), st.floats(-50, 50))
def test_it_depends_on_no_unit_and_no_order(seed: int, factor: float, shift: float) -> None:
    generator = np.random.default_rng(seed)
    scores = generator.normal(size=(4, 9)) + np.arange(9)
    ceiling, reliability = told(scores)
    changed = told((factor * scores + shift)[:, generator.permutation(9)])
    assert changed == pytest.approx((ceiling, reliability), abs=1e-6)
    assert reliability <= 1
    assert ceiling == pytest.approx(math.sqrt(reliability))


def test_no_score_correlates_better_than_the_ceiling_and_the_true_scores_reach_it() -> None:
    generator = np.random.default_rng(5)
    items = 40_000
    counts = generator.integers(8, 21, items)
    deviation = generator.uniform(0.5, 2, items)
    true = generator.normal(size=items)
    # Var(τ) = 1; the mean of σ²/n is E[σ²]·E[1/n], as the two are independent: ∫σ² over (0.5, 2) is 1.75.
    error = 1.75 * np.mean(1 / np.arange(8, 21))
    expected = 1 / (1 + error)
    rows = np.repeat(np.arange(items), counts)
    ratings = true[rows] + generator.normal(size=len(rows)) * deviation[rows]
    means = np.bincount(rows, ratings) / counts
    spread = np.sqrt(np.bincount(rows, (ratings - means[rows]) ** 2) / (counts - 1))
    found = reliability_of_means(means, spread, counts, draws=50)
    assert found.values[1].value == pytest.approx(expected, abs=0.01)
    assert found.value == pytest.approx(np.corrcoef(true, means)[0, 1], abs=0.01)


def test_the_interval_covers_what_the_model_says() -> None:
    # Items with variance 1 and noise with variance 4: the mean of 8 has the reliability 1 / (1 + 4/8) = 2/3.
    covered = 0
    for seed in range(40):
        generator = np.random.default_rng(seed)
        scores = generator.normal(size=60) + 2 * generator.normal(size=(8, 60))
        found = reliability_of_means(scores.mean(0), scores.std(0, ddof=1), np.full(60, 8), draws=200).values[1]
        covered += found.low < 2 / 3 < found.high
    # Of 40 intervals of 95 % fewer than 32 cover once in 10,000 times.
    assert covered >= 32


def test_items_of_one_source_are_resampled_together() -> None:
    generator = np.random.default_rng(3)
    base = generator.normal(size=30)
    scores = np.repeat(base, 10) + 0.3 * generator.normal(size=(5, 300))
    ratings = scores.mean(0), scores.std(0, ddof=1), np.full(300, 5)
    alone = reliability_of_means(*ratings, draws=300).values[1]
    together = reliability_of_means(*ratings, clusters=np.repeat(np.arange(30), 10).tolist(), draws=300).values[1]
    assert alone.value == together.value
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_what_is_not_known_is_left_out_and_counted() -> None:
    whole = reliability_of_means([1, 2, 3], [1, 1, 1], [4, 4, 4], draws=10)
    more = reliability_of_means([1, 2, 3, np.nan, 5, 6], [1, 1, 1, 1, np.nan, 1], [4, 4, 4, 4, 4, 1], draws=10)
    assert more.values[1].value == whole.values[1].value
    assert (more.n, more.n_missing) == (3, 3)


def test_means_that_say_nothing_have_no_ceiling() -> None:
    # Means 1, 2, 3 with errors 9/4 each: 1 − 2.25/1 = −1.25.
    noisy = reliability_of_means([1, 2, 3], [3, 3, 3], [4, 4, 4], draws=10)
    assert noisy.values[1].value == pytest.approx(-1.25)
    assert not noisy.values[0].is_defined
    assert noisy.values[0].reason is not None and "disagreement" in noisy.values[0].reason.en
    equal = reliability_of_means([2.1, 2.1, 2.1], [1, 1, 1], [4, 4, 4], draws=10)
    assert not equal.values[1].is_defined
    assert equal.values[1].reason is not None and equal.values[1].reason.en == "all means are the same."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], [1, 1], [4, 4]), "2 items of 'ratings' have a mean"),
        (([], [], []), "0 items"),
        (([1, 2, 3], [1, 1], [4, 4, 4]), "the shapes (3,), (2,), (3,)"),
        (([1, 2, 3], [1, -1, 1], [4, 4, 4]), "negative"),
        ((["a", "b", "c"], [1, 1, 1], [4, 4, 4]), "no number"),
    ],
)
def test_mistakes_are_named(arguments: tuple[list[object], ...], message: str) -> None:
    with pytest.raises(UserError) as caught:
        reliability_of_means(*arguments)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_a_wrong_number_of_clusters_is_named() -> None:
    with pytest.raises(UserError, match="3 items and 2 clusters"):
        reliability_of_means([1, 2, 3], [1, 1, 1], [4, 4, 4], clusters=["a", "b"])


def rated(dataset: str, mode: str, means: list[float], raters: int | None) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": [f"{dataset}-{mode}-{number}" for number in range(len(means))],
            "dataset": dataset,
            "mode": mode,
            "rating": means,
            "rating_sd": [1.0 if raters else None] * len(means),
            "raters": [raters] * len(means),
            "source_sentence": [f"s{number}" for number in range(len(means))],
        },
        schema_overrides={"rating_sd": pl.Float64, "raters": pl.Int64},
    )


def test_groups_are_told_apart_and_those_without_raters_left_out() -> None:
    items = pl.concat([rated("a", "x", [1, 2, 3], 4), rated("a", "y", [1, 3, 5], 2), rated("b", "x", [1, 2, 4], None)])
    found = reliability_by(items, draws=10)
    assert [by for by, _ in found] == [{"dataset": "a", "mode": "x"}, {"dataset": "a", "mode": "y"}]
    # 1 − (1/4)/1 and 1 − (1/2)/4.
    assert [result.values[1].value for _, result in found] == pytest.approx([0.75, 0.875])
    rows = list(found[1][1].estimates("reliability", found[1][0]))
    assert rows[0].by == {"dataset": "a", "mode": "y"}
    assert "seed:1" in rows[0].signature
    with pytest.raises(UserError, match="no attribute 'rating_sd'"):
        reliability_by(items.drop("rating_sd"))


@pytest.mark.mirror
def test_the_ceilings_of_published_ratings(mirror: Path) -> None:
    # The table of docs/rated-sentences.md; the rows are enough, as words do not matter here.
    found = {}
    parts = [("smog", part) for part in ("bnc", "enwiki", "adger", "adger filtered")]
    for data, part in [*parts, ("lau2020", "all")]:
        material = RatedSentences(data, part)
        names = ["mode", "rating", "rating_sd", "raters", "source_sentence"]
        rows = pl.DataFrame([[getattr(row, name) for name in names] for row in material.rows()], names, orient="row")
        items = rows.with_columns(dataset=pl.lit(material.dataset))
        for by, result in reliability_by(items, draws=20):
            found[by["dataset"], by["mode"]] = tuple(round(value.value, 3) for value in result.values)
    assert found == {
        ("smog-bnc", "MOP2"): (0.956, 0.913),
        ("smog-bnc", "MOP4"): (0.966, 0.934),
        ("smog-bnc", "MOP100"): (0.959, 0.919),
        ("smog-enwiki", "MOP4"): (0.978, 0.956),
        ("smog-adger", "MOP2"): (0.987, 0.974),
        ("smog-adger", "MOP4"): (0.987, 0.974),
        ("smog-adger", "MOP100"): (0.986, 0.973),
        ("smog-adger-filtered", "MOP4"): (0.981, 0.963),
        ("lau2020", "none"): (0.979, 0.959),
        ("lau2020", "random"): (0.978, 0.956),
        ("lau2020", "real"): (0.978, 0.957),
    }
