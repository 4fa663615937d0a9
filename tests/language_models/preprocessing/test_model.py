"""Does a model that sees types instead of names score names alike, and still point to the text?"""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from hengliang import UserError
from hengliang.core import write_text
from hengliang.language_models import Texts, read_texts
from hengliang.language_models.base import Conventions, LanguageModel
from hengliang.language_models.opening import model
from hengliang.language_models.preprocessing.model import FILE, CoarseModel, read_learned, write_learned
from hengliang.language_models.recipes import Recipe, train
from hengliang.language_models.scores import Scores
from tests.language_models.preprocessing.recognisers import BREAKS_ON
from tests.language_models.small_models import CharacterPairs

# Sentences of our own: one country is frequent, one rare, one never mentioned.
LESSON = ["他 是 法国 公民 。", "她 去 过 法国 。", "我 爱 法国 菜 。", "他 是 图瓦卢 公民 。", "她 在 北京 工作 。"]
LINES = [*LESSON, "今天 天气 很 好 。", "我 喜欢 看 书 。"] * 12


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("corpus") / "lessons.txt"
    write_text(file, "\n".join(LINES) + "\n")
    return file


def trained(text: Path, folder: Path, preprocess: str) -> LanguageModel:
    return model(str(train(Recipe("ngram", "3", data=str(text), preprocess=preprocess), folder)))


@pytest.fixture
def coarse(text: Path, tmp_path: Path) -> LanguageModel:
    return trained(text, tmp_path / "coarse", "rne:listed names")


NAMED = ["他 是 法国 公民 。", "他 是 图瓦卢 公民 。", "他 是 基里巴斯 公民 。"]


def test_the_name_does_not_matter_any_more(coarse: LanguageModel, text: Path, tmp_path: Path) -> None:
    seen = coarse.score(read_texts(NAMED))
    per_sentence = seen.logprobs.reshape(3, -1)
    assert np.array_equal(per_sentence[0], per_sentence[1])
    assert np.array_equal(per_sentence[0], per_sentence[2])
    plain = trained(text, tmp_path / "plain", "").score(read_texts(NAMED)).logprobs.reshape(3, -1)
    assert len({float(row.sum()) for row in plain}) == 3


def test_units_point_to_the_text_as_it_was_written(coarse: LanguageModel) -> None:
    found = coarse.score(read_texts(["王 小明 是 基里巴斯 公民 。"]))
    raw = "王小明是基里巴斯公民。".encode()
    pieces = [raw[start:end].decode() for start, end in zip(found.starts.tolist(), found.ends.tolist(), strict=True)]
    assert pieces == ["王小明", "是", "基里巴斯", "公民", "。", ""]


def test_a_sentence_on_which_the_recogniser_fails_has_no_score_and_the_others_do(coarse: LanguageModel) -> None:
    lines = ["他 是 法国 公民 。", f"{BREAKS_ON} 一 声 。", "她 在 北京 工作 。"]
    found = coarse.score(read_texts(lines))
    assert [bool(problem) for problem in found.problems] == [False, True, False]
    assert found.counts.tolist() == [6, 0, 6]
    alone = coarse.score(read_texts([lines[2]]))
    assert np.array_equal(found.take([2]).logprobs, alone.logprobs)


def test_it_keeps_the_promises_of_a_language_model(coarse: LanguageModel) -> None:
    assert [finding for finding in coarse.conformance() if not finding.kept] == []


def test_the_view_is_in_conventions_signature_and_traits(coarse: LanguageModel) -> None:
    assert coarse.conventions().representation == "rne:listed names"
    assert "representation:rne\\clisted names" in str(coarse.signature())
    assert coarse.traits()["representation"] == "rne:listed names"


def test_a_recogniser_that_has_changed_since_training_is_noticed(coarse: LanguageModel) -> None:
    assert isinstance(coarse, CoarseModel)
    assert coarse.changed_view() == ""
    older = CoarseModel(coarse.model, coarse.preprocess, {}, "another view")
    assert "train it again" in older.changed_view()
    assert [finding.promise for finding in older.conformance() if not finding.kept] == [
        "sees texts as it did in training"
    ]


def test_a_copy_scores_alike(coarse: LanguageModel) -> None:
    copy = pickle.loads(pickle.dumps(coarse))
    assert np.array_equal(copy.score(read_texts(NAMED)).logprobs, coarse.score(read_texts(NAMED)).logprobs)


def test_a_model_of_other_units_cannot_be_wrapped() -> None:
    with pytest.raises(UserError, match="cannot see symbols"):
        CoarseModel(CharacterPairs(), "rne:listed names").score(read_texts(["他 来 了"]))


class Recorded(LanguageModel):
    """Keeps the words it was given, so that a test can see them."""

    def __init__(self) -> None:
        self.name = "recorded"

    def conventions(self) -> Conventions:
        return Conventions("causal", "word", True, True, "<unk>", "none", "0 words", "characters")

    def score(self, texts: Texts) -> Scores:
        raise UserError(" ".join(texts.words.to_list()))


def test_raw_text_is_cut_by_the_segmenter_of_the_model() -> None:
    with pytest.raises(UserError, match="他 是 <ne:GPE> 人"):
        CoarseModel(Recorded(), "rne:listed names").score(read_texts(["他是法国人"]))


def test_what_was_learned_is_kept_with_the_model(tmp_path: Path) -> None:
    assert read_learned(tmp_path) == {}
    write_learned(tmp_path, {})
    assert not (tmp_path / FILE).exists()
    write_learned(tmp_path, {"words": {"书": 3}})
    assert read_learned(tmp_path) == {"words": {"书": 3}}
    write_text(tmp_path / FILE, "[]")
    with pytest.raises(UserError, match="damaged"):
        read_learned(tmp_path)
