"""Does a model of subwords get its unigrams from the corpus that a user names, counted once?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

pytest.importorskip("transformers")

from hengliang import UserError
from hengliang.core import Silent, places
from hengliang.language_models import raw_texts, write_card
from hengliang.language_models.huggingface.unigram_counts import TEXTS, model_with_unigrams
from hengliang.language_models.manner import as_written
from hengliang.language_models.opening import model
from tests.language_models.huggingface.tiny_models import SENTENCES, bert, gpt2, word_piece
from tests.language_models.small_models import SmallBigrams


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gpt")
    gpt2(path)
    return path


def test_tokens_are_counted_once_a_corpus(folder: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join([*SENTENCES, "他 成为 了 医生 。"]) + "\n", encoding="utf-8")
    found = model_with_unigrams(f"hf:{folder}", str(corpus), Silent())
    (counted,) = (places.cache() / "unit counts").glob("*.parquet")
    table = pl.read_parquet(counted)
    assert table.filter(pl.col("id") == TEXTS)["count"].item() == len(SENTENCES) + 1
    # The spaces between Chinese words are no text: the last line counts as the first one does.
    scores = found.score(raw_texts(["他成为了医生。"]))
    assert np.isfinite(scores.unigram_logprobs).all()
    written = counted.stat().st_mtime_ns
    again = model_with_unigrams(f"hf:{folder}", str(corpus), Silent())
    assert counted.stat().st_mtime_ns == written
    assert again.signature() == found.signature()
    given = model_with_unigrams(f"hf:{folder}", str(counted), Silent())
    np.testing.assert_array_equal(given.score(raw_texts(["他成为了医生。"])).unigram_logprobs, scores.unigram_logprobs)


def test_a_masked_model_of_ours_counts_units_as_it_reads_them(tmp_path: Path) -> None:
    folder, corpus = bert(tmp_path / "full"), tmp_path / "corpus.txt"
    write_card(folder, kind="masked", widths="marks=full", segmenter="characters")
    corpus.write_text("他,她\n他,她\n她，他\n", encoding="utf-8")
    counted: dict[bool, float] = {}
    for fold in (True, False):
        held = model_with_unigrams(str(folder), str(corpus), Silent(), fold=fold)
        scores = (held if fold else as_written(held)).score(raw_texts(["，"]))
        counted[fold] = float(np.exp(scores.unigram_logprobs[0]))
    # Nine tokens, and one more of each in the vocabulary. As the model reads the corpus three are ，, as written one.
    tokens = len(word_piece())
    assert counted == {True: pytest.approx((3 + 1) / (9 + tokens)), False: pytest.approx((1 + 1) / (9 + tokens))}
    assert len(list((places.cache() / "unit counts").glob("*.parquet"))) == 2


def test_without_unigrams_there_is_none(folder: Path) -> None:
    assert np.isnan(model(f"hf:{folder}").score(raw_texts(["他"])).unigram_logprobs).all()


def test_a_corpus_that_is_not_there_and_a_model_that_takes_none(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"There is no corpus none\.txt"):
        model_with_unigrams(f"hf:{folder}", "none.txt", Silent())
    with pytest.raises(UserError, match="'small bigrams' has unigrams of its own"):
        model_with_unigrams(SmallBigrams.name, "none.txt", Silent())
