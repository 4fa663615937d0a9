"""Does a model learn from what it will see, and from no sentence too short or not to be seen?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.core import Silent, write_text
from hengliang.language_models import read_card, read_texts
from hengliang.language_models.opening import model
from hengliang.language_models.preprocessing.model import preprocessed_corpus
from hengliang.language_models.recipes import Recipe, train
from hengliang.language_models.trained import trained
from hengliang.language_models.training_texts import read_corpus
from tests.language_models.preprocessing.recognisers import BREAKS_ON, ListedNames

LONG = "他 是 法国 公民 ， 她 也 是 。"
SHORT = "他 去 北京 。"
BROKEN = f"{BREAKS_ON} 一 声 ， 门 关 上 了 。"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    file = tmp_path / "lessons.txt"
    write_text(file, "\n".join([LONG, SHORT, BROKEN] * 40) + "\n")
    return file


def test_short_sentences_go_from_the_training_part_only(text: Path) -> None:
    corpus = read_corpus(str(text))
    found = preprocessed_corpus(corpus, "sp+rne:listed names", Silent())
    seen = found.corpus
    assert found.learned == {}
    assert len(found.view) == 16
    # A third of the lines are short and a third cannot be recognised; one in ten blocks each is dev and test.
    assert len(seen.parts["train"]) == sum(line == LONG for line in _lines(corpus.parts["train"]))
    for part in ("dev", "test"):
        assert len(seen.parts[part]) == sum(line != BROKEN for line in _lines(corpus.parts[part]))
    assert "<ne:GPE>" in seen.parts["train"].words.to_list()


def _lines(texts: object) -> list[str]:
    return [" ".join(segmented.words) for segmented in texts]  # type: ignore[attr-defined]


def test_a_corpus_of_which_nothing_is_left_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "short.txt"
    write_text(file, "\n".join([SHORT] * 60) + "\n")
    with pytest.raises(UserError, match="No sentence of the part 'train' is left"):
        preprocessed_corpus(read_corpus(str(file)), "sp", Silent())


def test_the_card_names_the_preprocessing_and_the_vocabulary_follows_it(text: Path, tmp_path: Path) -> None:
    folder = train(Recipe("ngram", "2", data=str(text), preprocess="rne:listed names+sp"), tmp_path / "model")
    card = read_card(folder)
    assert card["preprocess"] == "sp+rne:listed names"
    assert card["unknown_words"] == "<unk>"
    assert card["conventions"]["representation"] == "sp+rne:listed names"
    # 他 是 公民 ， 她 也 。 and the symbol of a country, <unk>, <s>, </s>.
    assert card["vocabulary"] == 11
    assert model(str(folder)).score(read_texts([LONG])).problems == ("",)


def test_the_same_recipe_finds_its_model_and_another_preprocessing_is_another_model(text: Path, tmp_path: Path) -> None:
    folder = train(Recipe("ngram", "2", data=str(text), preprocess="sp"), tmp_path / "model")
    assert train(Recipe("ngram", "2", data=str(text), preprocess="sp"), tmp_path / "model") == folder
    with pytest.raises(UserError, match="preprocess"):
        train(Recipe("ngram", "2", data=str(text)), tmp_path / "model")


def test_names_tell_preprocessings_apart() -> None:
    plain, standard, coarse = (Recipe("ngram", "4", preprocess=name).name for name in ("", "sp", "sp+rne:lac"))
    assert (plain, standard, coarse) == ("ngram-4", "ngram-4-sp", "ngram-4-sp-rne.lac")


def test_a_masked_model_sees_no_symbols() -> None:
    with pytest.raises(UserError, match="masked"):
        Recipe("masked", preprocess="sp").settled()


def test_a_study_names_a_preprocessing_and_the_recogniser_is_in_the_signature(text: Path) -> None:
    held = trained("ngram", "2", data=str(text), preprocess="rne:listed names", name="RNE")
    before = str(held.signature())
    held.prepare(Silent())
    assert held.traits()["representation"] == "rne:listed names"
    assert ListedNames.__qualname__ in str(held.signature()) != before


def test_a_model_may_learn_from_the_first_sentences_only(text: Path, tmp_path: Path) -> None:
    folder = train(Recipe("ngram", "2", data=str(text), sentences=30), tmp_path / "model")
    assert read_card(folder)["sentences"] == {"train": 30, "dev": 3, "test": 3}
    assert Recipe("ngram", "2", sentences=30).name == "ngram-2-30s"
    with pytest.raises(UserError, match="-1 sentences"):
        Recipe("ngram", sentences=-1).settled()
