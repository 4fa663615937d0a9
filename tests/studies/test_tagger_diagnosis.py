"""Does the study of common errors ask the taggers what it says?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from hengliang.core import estimate_records
from hengliang.study import load_study
from hengliang.tagging import ALL_ITEMS, VOTERS, open_set, tagging_items

NAME = "tagger_diagnosis"


def test_the_five_and_our_own() -> None:
    study = load_study(NAME)
    assert [system.name for system in study.systems] == [*VOTERS, "crf"]
    # SnowNLP learned from the very corpus; the report must say so.
    assert any("snownlp was trained on these very sentences" in str(note) for note in study.notes)


def test_the_set_is_ours_and_by_reference() -> None:
    held = open_set("default")
    counts = held.summary()
    # `hengliang taggers build --review default --votes 2 --words 40` printed these, docs/tagger-diagnosis.md has them.
    assert (counts.items, counts.words, counts.entries, counts.sentences) == (156, 2365, 7154, 4369)
    assert not held.has_text
    assert set(held.entries["corpus_part"]) == {"dev", "test"}


@pytest.mark.untraced
def test_a_part_of_it_runs(tmp_path: Path) -> None:
    study = load_study(NAME, quick=True)
    pairs = ["v:p", "p:v", "d+v:d"]
    few = replace(
        study,
        materials=tagging_items(open_set("default").of_pairs(pairs).of_parts(["test"])),
        systems=[system for system in study.systems if system.name == "rjieba"],
        analyses=study.analyses[:2],
    )
    run = few.run(tmp_path / "run")
    found = {
        (row.by["pair"], row.statistic): row for row in estimate_records(run.estimates) if row.analysis != "totals"
    }
    asked = dict(run.items["pair"].value_counts().rows())
    for pair in pairs:
        counts = [found[pair, name].value or 0 for name in ("correct", "wrong", "record")]
        assert sum(counts) == found[pair, "total"].value == asked[pair]
        assert found[pair, "D published"].value == pytest.approx(100 * counts[0] / sum(counts))
    scores = [found[pair, "D published"].value or 0 for pair in pairs]
    assert found[ALL_ITEMS, "D published"].value == pytest.approx(sum(scores) / 3)
    assert run.judgements.filter(pl.col("status") != "ok").height == 0
