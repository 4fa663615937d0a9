"""Is each preprocessing what its name says, in the right order, and refused when it says nothing?"""

from __future__ import annotations

import pytest

from hengliang import UserError
from hengliang.language_models import read_texts
from hengliang.language_models.preprocessing.entities import ReplacedEntities
from hengliang.language_models.preprocessing.preprocessing import (
    Preprocessing,
    Preprocessor,
    lowercased,
    preprocessing,
    representation,
)
from tests.language_models.preprocessing.recognisers import ListedNames

STANDARD = Preprocessing(lowercase=True, shortest=7, least=4, unknown="symbol")


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("", Preprocessing()),
        ("sp", STANDARD),
        ("rne:lac", Preprocessing(coarse="rne:lac")),
        ("sp+rne:spacy:en_core_web_sm", Preprocessing(True, 7, 4, "symbol", "rne:spacy:en_core_web_sm")),
        (" pos:lac + sp ", Preprocessing(True, 7, 4, "symbol", "pos:lac")),
        ("classes:100", Preprocessing(coarse="classes:100")),
    ],
)
def test_a_name_stands_for_its_steps(name: str, steps: Preprocessing) -> None:
    assert preprocessing(name) == steps


def test_the_order_of_the_steps_does_not_matter() -> None:
    assert preprocessing("rne:lac+sp").name == preprocessing("sp+rne:lac").name == "sp+rne:lac"


@pytest.mark.parametrize("name", ["sq", "rne", "rne:", "sp+sp", "rne:lac+pos:lac", "classes:many", "classes:1", "sp+"])
def test_what_is_no_preprocessing_is_refused_with_the_valid_steps(name: str) -> None:
    with pytest.raises(UserError) as caught:
        preprocessing(name)
    assert "classes:" in str(caught.value)


def test_entities_are_recognised_before_capitals_go() -> None:
    worker = Preprocessor(preprocessing("sp+rne:listed names"), ReplacedEntities(ListedNames()))
    seen = worker.see(read_texts(["We may GO in May"]))
    # May is a month and may is none: in lower case both would be the same.
    assert seen.texts.words.to_list() == ["we", "may", "go", "in", "<ne:DATE>"]
    plain = Preprocessor(preprocessing("sp"), None).see(read_texts(["We may GO in May"]))
    assert plain.texts.words.to_list() == ["we", "may", "go", "in", "may"]
    assert plain.original_words.to_list() == [5]


def test_symbols_keep_their_capitals_and_words_in_angle_brackets_do_not_become_symbols() -> None:
    assert lowercased(read_texts(["<ne:GPE> IS <B>"])).words.to_list() == ["<ne:GPE>", "is", "<b>"]
    seen = Preprocessor(preprocessing("sp"), None).see(read_texts(["<ne:GPE> IS"]))
    assert seen.texts.words.to_list() == ["<unk>", "is"]


def test_short_sentences_are_left_out_by_words_of_the_original() -> None:
    texts = read_texts(["一 二 三 四 五 六 七", "一 二 三 四 五 六"])
    assert len(Preprocessor(preprocessing("sp"), None).long_enough(texts)) == 1
    assert len(Preprocessor(preprocessing(""), None).long_enough(texts)) == 2


def test_a_representation_is_found_by_its_name() -> None:
    assert representation("") is None
    found = representation("rne:listed names")
    assert isinstance(found, ReplacedEntities)
    with pytest.raises(UserError, match="listed names"):
        representation("rne:nobody")


def test_the_view_is_in_the_signature() -> None:
    plain, coarse = (
        Preprocessor(preprocessing(name), representation(preprocessing(name).coarse))
        for name in ("sp", "sp+rne:listed names")
    )
    assert str(plain.signature()) != str(coarse.signature())
    assert "ListedNames" in str(coarse.signature())
