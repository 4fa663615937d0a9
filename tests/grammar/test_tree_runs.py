"""Do the studies of treebanks ask all kinds of model for sentences of the right corpus, and tell perplexity and F1?"""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest

from hengliang import Bilingual, Study
from hengliang.core import Silent, estimate_records
from hengliang.corpora import CorpusSentences
from hengliang.grammar import runs as tree_runs
from hengliang.grammar.runs import NEWSPAPER, SMALL_TREEBANK, Training, missing_treebank, treebank_study
from hengliang.language_models import TrainedModel
from hengliang.study import load_study, missing_for
from tests.language_models.structured.toy_treebank import trees, write_bank

STUDIES = {"treebank_newspaper": "peoples-daily-199801", "treebank_sinica": "sinica-treebank"}
STUDIES |= {"treebank_ud": "ud-chinese-gsd-2016"}


def models_of(study: Study) -> list[TrainedModel]:
    return [system for system in study.systems if isinstance(system, TrainedModel)]


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("name", STUDIES)
def test_each_study_asks_five_kinds_of_model_of_one_corpus(name: str, quick: bool) -> None:
    study = load_study(name, quick=quick)
    models = models_of(study)
    assert models[0].name == "5-gram"
    assert {model.name for model in models} >= {"LSTM", "Transformer", "RNNG", "PLM"}
    assert {model.data for model in models} == {STUDIES[name]}
    assert len({model.sentences for model in models}) == 1
    assert isinstance(study.materials, CorpusSentences)
    assert (study.materials.data, study.materials.part) == (STUDIES[name], "test")
    twice = name == "treebank_newspaper" and not quick
    assert {model.seed for model in models if model.name == "RNNG"} == ({1, 2} if twice else {1})


def test_small_treebanks_are_read_more_often_by_all_networks_alike() -> None:
    found = {model.architecture: model.epochs for model in SMALL_TREEBANK.models()}
    assert found == {"ngram": 0, **dict.fromkeys(("lstm", "transformer", "rnng", "plm"), SMALL_TREEBANK.epochs)}


def test_controls_learn_from_the_same_sentences() -> None:
    controls = [model for model in NEWSPAPER.models() if model.trees]
    assert {(model.architecture, model.trees) for model in controls} == {
        (kind, kind_of_trees) for kind in ("rnng", "plm") for kind_of_trees in ("right-branching", "shuffled")
    }
    assert {model.sentences for model in NEWSPAPER.models()} == {NEWSPAPER.sentences}


def test_a_treebank_that_is_not_here_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("HENGLIANG_MIRROR", raising=False)
    monkeypatch.setenv("HENGLIANG_HOME", str(tmp_path))
    assert missing_treebank("sinica-treebank") == "the data sinica-treebank: hengliang data get sinica-treebank"
    assert missing_for("treebank_ud").endswith("hengliang data get ud-chinese-gsd-2016")


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="the extra neural is missing")
def test_the_study_tells_perplexity_and_how_well_trees_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HENGLIANG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HENGLIANG_CACHE", str(tmp_path / "cache"))
    data = write_bank(tmp_path / "toy.brackets", trees(300))
    training = Training(data, size="tiny", seeds=(1,), controls=("right-branching",), control_seeds=(1,))
    study = treebank_study("toy", Bilingual("How?", "如何？"), training, quick=True, notes=[])
    rows = estimate_records(study.run(tmp_path / "run", watcher=Silent()).estimates)
    held = {(row.by["system"], row.statistic): row for row in rows}
    systems = {name for name, _ in held}
    assert systems == {"5-gram", "LSTM", "Transformer", "RNNG", "PLM", "RNNG, right-branching", "PLM, right-branching"}
    for system in systems:
        found = held[system, "word"]
        assert found.value is not None and found.value > 1
        assert (found.n, found.n_missing) == (tree_runs.QUICK_ASKED, 0)
    # Only models of trees find any. Right-branching ones say nothing, and are soon learned.
    assert held["LSTM", "labelled_f1"].value is None
    assert 0 < (held["RNNG", "labelled_f1"].value or 0) < 1
    assert (held["PLM, right-branching", "labelled_f1"].value or 0) > 0.9


@pytest.mark.usefixtures("mirror")
def test_a_treebank_of_annotators_is_learned_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HENGLIANG_HOME", str(tmp_path))
    training = replace(SMALL_TREEBANK, data="sinica-treebank", size="tiny", sentences=60, epochs=1)
    folder = training.model("plm", "PLM", 1)
    folder.prepare(Silent())
    assert folder.traits()["data"] == "sinica-treebank"
    assert 0 <= float(str(folder.traits()["labelled_f1"])) <= 1
