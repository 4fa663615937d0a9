from __future__ import annotations

import polars as pl
import pytest

from hengliang.analyses.classification import Accuracy, PrecisionRecall
from hengliang.analyses.clustered import mean_with_interval
from hengliang.core import closure
from hengliang.statistics import Resampling, bootstrap
from tests.analyses.answers import tables


def test_a_mean_has_an_interval_and_nothing_has_none() -> None:
    found = mean_with_interval(pl.Series([1.0, 0.0, 1.0]), pl.Series(["a", "a", "b"]), Resampling())
    assert found is not None and found.value[0] == 2 / 3
    # Two clusters with the means 1/2 and 1: every resample lies between.
    assert (found.low[0], found.high[0]) == (0.5, 1.0)
    assert mean_with_interval(pl.Series([], dtype=pl.Float64), pl.Series([], dtype=pl.String), Resampling()) is None


def test_the_signature_holds_arguments_conventions_and_computing_code() -> None:
    pairs = dict(Accuracy(by=("category",), seed=3).signature().pairs)
    assert pairs["by"] == "[category]"
    assert (pairs["cluster"], pairs["draws"], pairs["seed"], pairs["level"]) == ("block", "2000", "3", "0.95")
    assert pairs["unanswered"] == "left out and counted"
    assert pairs["generator"] == "PCG64" and closure(Accuracy).reaches(bootstrap)


def test_anything_that_changes_a_number_changes_the_signature() -> None:
    others = [Accuracy(), Accuracy(cluster="id"), Accuracy(draws=10), Accuracy(level=0.9), Accuracy(interval="bca")]
    assert len({analysis.signature().hash for analysis in others}) == 5


def test_a_value_without_interval_says_why() -> None:
    one_block = tables(blocks=["a"] * 5)
    row = Accuracy().estimate(one_block).row(0, named=True)
    assert (row["value"], row["low"], row["high"]) == (2 / 5, None, None)
    assert "no interval: 1 cluster (block)" in row["method"]


def test_a_withheld_interval_says_why() -> None:
    # Forty blocks, each with one item of a common class, which is always answered, and one of a class of its own. Macro
    # recall is 1/41; a resample lacks some of the 41 classes and so has more.
    golds = [gold for n in range(40) for gold in ("个", f"类{n}")]
    blocks = [str(n // 2) for n in range(80)]
    held = tables(gold=golds, answers={"A": ["个"] * 80}, blocks=blocks, category=["x"] * 80)
    recall = PrecisionRecall().estimate(held).filter(pl.col("statistic") == "macro recall").row(0, named=True)
    assert recall["value"] == pytest.approx(1 / 41)
    assert (recall["low"], recall["high"]) == (None, None)
    assert "withheld" in recall["method"]
