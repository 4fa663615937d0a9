"""Does an n-gram model leave as an ARPA file, and a neural one with a reason why not?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hengliang import places
from hengliang.errors import UserError
from hengliang.systems.language_models import cards
from hengliang.systems.language_models.export import export_arpa
from hengliang.systems.language_models.ngram.model import ArpaModel, NgramModel
from hengliang.systems.language_models.ngram.store import write_model
from hengliang.systems.language_models.ngram.tables import Level, NgramTables
from hengliang.systems.language_models.texts import read_texts


def unigrams(folder: Path) -> Path:
    """Store four symbols of probability ¼, <s> aside."""
    zeros = np.zeros(5, np.uint32)
    logprobs = np.array([np.log(0.25), -np.inf, *[np.log(0.25)] * 3], np.float32)
    level = Level(zeros, np.arange(5, dtype=np.uint32), logprobs, np.zeros(5, np.float32))
    words = pl.Series("symbol", ["<unk>", "<s>", "</s>", "他", "来"])
    write_model(NgramTables(words, np.array([1, 0, 1, 1, 1]), (level,)), folder)
    cards.write_card(folder, kind="ngram", script="simplified")
    return folder


def test_a_folder_and_a_stored_name_are_written_and_read_back(tmp_path: Path) -> None:
    folder = unigrams(tmp_path / "model")
    unigrams(places.models() / "small")
    texts = read_texts(["他 来 了"])
    expected = NgramModel(folder).score(texts).logprobs
    for number, reference in enumerate([str(folder), "small"]):
        file = tmp_path / f"{number}.arpa"
        export_arpa(reference, file)
        assert "ngram 1=5" in file.read_text(encoding="utf-8")
        assert ArpaModel(file).score(texts).logprobs == pytest.approx(expected, abs=1e-5)


def test_a_neural_model_says_why_not(tmp_path: Path) -> None:
    cards.write_card(tmp_path, kind="lstm")
    with pytest.raises(UserError, match="kind 'lstm' and cannot be written as an ARPA file"):
        export_arpa(str(tmp_path), tmp_path / "model.arpa")
    assert not (tmp_path / "model.arpa").exists()


def test_an_unknown_name_lists_the_models(tmp_path: Path) -> None:
    unigrams(places.models() / "small")
    with pytest.raises(UserError, match="Models: small"):
        export_arpa("smal", tmp_path / "model.arpa")
