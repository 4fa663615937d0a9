"""Does the study of the Sinica treebank ask models of that treebank for its sentences?"""

from __future__ import annotations

import pytest

from hengliang.corpora import CorpusSentences
from hengliang.language_models import TrainedModel
from hengliang.studies import treebank_sinica as page


@pytest.mark.parametrize("quick", [True, False])
def test_models_and_sentences_are_of_one_treebank(quick: bool) -> None:
    study = page.study(quick)
    assert isinstance(study.materials, CorpusSentences)
    assert study.materials.data == page.DATA == "sinica-treebank"
    models = [system for system in study.systems if isinstance(system, TrainedModel)]
    assert {model.data for model in models} == {page.DATA}
    assert [model.name for model in models] == ["5-gram", "LSTM", "Transformer", "RNNG", "PLM"]


def test_without_the_treebank_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HENGLIANG_MIRROR", raising=False)
    assert page.missing() == "the data sinica-treebank: hengliang data get sinica-treebank"
