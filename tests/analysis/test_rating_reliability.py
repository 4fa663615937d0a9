"""Are reliability and ceiling those of the published deviations, by group, with what is missing counted?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from hengliang import Estimate, Tables, UserError
from hengliang.analysis.rating_reliability import rating_reliability
from hengliang.core import estimate_records
from hengliang.materials.rated_sentences.material import RatedSentences
from hengliang.report import estimate_table
from hengliang.statistics import reliability_by
from tests.analysis.rated_scores import rated, turned

Column = Sequence[float | None]


def tables(means: Column, deviations: Column, raters: Sequence[int | None], **options: Any) -> Tables:
    held = rated(means, {"A": list(range(len(means)))}, **options)
    columns = {"rating": means, "rating_sd": deviations, "raters": raters}
    types = {"rating": pl.Float64, "rating_sd": pl.Float64, "raters": pl.Int64}
    added = [pl.Series(name, values, dtype=types[name]) for name, values in columns.items()]
    return replace(held, items=held.items.with_columns(added))


def by_hand(n: int = 1, **options: Any) -> Tables:
    # Means 1, 2, 3: variance 1. Errors s²/n: 0.5/2, 1/4, 0.75/3 = .25 each. Reliability .75, its root .866.
    return tables([1.0, 2.0, 3.0] * n, [math.sqrt(0.5), 1.0, math.sqrt(0.75)] * n, [2, 4, 3] * n, **options)


def found(held: Tables, **options: Any) -> dict[tuple[str, ...], Estimate]:
    frame = rating_reliability(**{"draws": 50, **options}).estimate(held)
    return {(*row.by.values(), row.statistic): row for row in estimate_records(frame)}


def test_by_hand_by_group() -> None:
    rows = found(by_hand(2, mode=["MOP2"] * 3 + ["MOP100"] * 3, sources=list("aabccd")))
    # Modes in the order in which the run has them.
    assert list(dict.fromkeys(key[1] for key in rows)) == ["MOP2", "MOP100"]
    for mode in ("MOP2", "MOP100"):
        assert rows["BNC", mode, "raters"].value == 3
        assert rows["BNC", mode, "reliability"].value == pytest.approx(0.75)
        assert rows["BNC", mode, "ceiling"].value == pytest.approx(math.sqrt(0.75))
        assert (rows["BNC", mode, "ceiling"].n, rows["BNC", mode, "ceiling"].n_missing) == (3, 0)
    assert "2 clusters (source_sentence)" in rows["BNC", "MOP2", "ceiling"].method


def test_it_agrees_with_the_function() -> None:
    generator = np.random.default_rng(3)
    means = [float(one) for one in generator.normal(size=40)]
    deviations = [float(one) for one in generator.uniform(0.5, 1.5, 40)]
    held = tables(means, deviations, [12] * 40, sources=[f"q{number // 4}" for number in range(40)])
    ((_, expected),) = reliability_by(held.items, draws=50)
    rows = found(held)
    for statistic, value in (("ceiling", expected.values[0]), ("reliability", expected.values[1])):
        row = rows["BNC", "MOP2", statistic]
        assert (row.value, row.low, row.high) == pytest.approx((value.value, value.low, value.high))


def test_what_is_missing_is_counted_and_small_groups_say_why() -> None:
    means: Column = [1.0, 2.0, 3.0, None, 2.5, 1.0, 2.0]
    deviations: Column = [0.1, 0.1, 0.1, 0.1, None, 0.1, 0.1]
    held = tables(means, deviations, [5, 5, 5, 5, 5, 1, 5], mode=["a"] * 6 + ["b"])
    rows = found(held)
    # Without a mean, without a deviation, and with one rater only.
    assert (rows["BNC", "a", "reliability"].n, rows["BNC", "a", "reliability"].n_missing) == (3, 3)
    assert rows["BNC", "b", "ceiling"].value is None
    assert "no number: 1 sentences" in rows["BNC", "b", "ceiling"].method
    told = rating_reliability(draws=50).conclude(held).sentences
    assert told[1].en == "BNC, b: no ceiling can be told." and told[1].zh == "BNC、b：无法确定上限。"


def test_noise_alone_has_no_ceiling() -> None:
    rows = found(tables([1.0, 1.1, 0.9, 1.0], [2.0] * 4, [4] * 4))
    assert rows["BNC", "MOP2", "reliability"].value < 0  # type: ignore[operator]
    assert rows["BNC", "MOP2", "ceiling"].value is None
    assert "disagreement alone" in rows["BNC", "MOP2", "ceiling"].method
    same = found(tables([1.0] * 4, [2.0] * 4, [4] * 4))
    assert same["BNC", "MOP2", "reliability"].value is None and "the same" in same["BNC", "MOP2", "reliability"].method


def test_table_and_words() -> None:
    analysis = rating_reliability(draws=50)
    conclusion = analysis.conclude(by_hand(4))
    table = estimate_table(conclusion.estimates, analysis.layout())
    assert [table.heading(column) for column in table.columns][:5] == [
        *("Dataset", "Mode of presentation", "Raters a sentence", "Reliability of the mean", "Ceiling of r"),
    ]
    (told,) = conclusion.sentences
    assert told.en.startswith(
        "BNC, MOP2: no score can be expected to correlate better with the mean ratings than r = ."
    )
    assert "3.0 raters a sentence, n = 12" in told.en
    assert told.zh.startswith("BNC、MOP2：任何分数与平均评分的相关预期都不会高于 r = .") and "3.0 名评分者" in told.zh


def test_without_groups_and_with_some_sentences_only() -> None:
    held = by_hand(2, mode=["MOP2"] * 3 + ["MOP4"] * 3)
    assert found(held, by=())["ceiling",].n == 6
    assert {key[1] for key in found(held, where={"mode": "MOP4"})} == {"MOP4"}


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="no attribute 'rating'"):
        rating_reliability().estimate(rated([1.0, 2.0, 3.0], {"A": [1.0, 2.0, 3.0]}))
    with pytest.raises(UserError, match="No attribute of items is called 'genre'"):
        rating_reliability(by="genre").estimate(by_hand())
    with pytest.raises(UserError, match="No sentence has a rating"):
        rating_reliability().estimate(tables([None] * 3, [1.0] * 3, [4] * 3))
    with pytest.raises(UserError):
        rating_reliability(draws=0).estimate(by_hand())


def test_it_keeps_the_promises_of_an_analysis() -> None:
    analysis = rating_reliability(draws=50)
    assert [finding for finding in analysis.conformance() if not finding.kept] == []
    assert analysis.estimate(turned(by_hand(3))).equals(analysis.estimate(by_hand(3)))


@pytest.mark.mirror
def test_the_published_ratings_of_the_textbook(mirror: Path) -> None:
    # The rows are enough, as words do not matter here.
    read = list(RatedSentences("smog", "adger filtered").rows())
    columns = [[getattr(row, name) for row in read] for name in ("rating", "rating_sd", "raters")]
    held = tables(*columns, dataset="smog-adger-filtered", mode="MOP4")
    rows = found(held)
    # docs/rated-sentences.md
    assert rows["smog-adger-filtered", "MOP4", "reliability"].value == pytest.approx(0.963, abs=5e-4)
    assert rows["smog-adger-filtered", "MOP4", "ceiling"].value == pytest.approx(0.981, abs=5e-4)
