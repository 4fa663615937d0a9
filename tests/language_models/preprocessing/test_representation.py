"""Are symbols reserved, so that no word of a text can pass for one?"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Signature
from hengliang.language_models import Texts, read_segmented_texts
from hengliang.language_models.preprocessing.representation import (
    SYMBOL,
    Coarse,
    Representation,
    symbol,
    without_reserved,
)
from hengliang.language_models.vocabulary import UNKNOWN


@pytest.mark.parametrize(
    ("kind", "label", "written"),
    [("ne", "PERSON", "<ne:PERSON>"), ("pos", "VERB", "<pos:VERB>"), ("class", "17", "<class:17>")],
)
def test_a_symbol_is_written_in_angle_brackets(kind: str, label: str, written: str) -> None:
    assert symbol(kind, label) == written
    assert re.match(SYMBOL, written)


def test_a_word_that_looks_like_a_symbol_is_unknown() -> None:
    texts = read_segmented_texts(["他 写 <ne:PERSON> 。", "<pos:v> <b> <class:> <ner:PERSON> <class:17>"])
    held = without_reserved(texts)
    # <b>, an empty label and another prefix are words like others.
    assert held.words.to_list() == ["他", "写", UNKNOWN, "。", UNKNOWN, "<b>", "<class:>", "<ner:PERSON>", UNKNOWN]
    assert held.contents.to_list() == texts.contents.to_list()
    assert held.starts.tolist() == texts.starts.tolist()
    assert held.ends.tolist() == texts.ends.tolist()


def test_texts_without_such_words_are_given_back_as_they_are() -> None:
    texts = read_segmented_texts(["他 来 了 。"])
    assert without_reserved(texts) is texts


@given(st.lists(st.sampled_from(["他", "<ne:X>", "<pos:v>", "<class:1>", "<x>", "来"]), min_size=1, max_size=6))
def test_what_is_left_has_no_symbol_and_stays_so(words: list[str]) -> None:
    once = without_reserved(read_segmented_texts([" ".join(words)]))
    assert not once.words.str.contains(SYMBOL).any()
    assert without_reserved(once) is once
    assert [word == UNKNOWN for word in once.words] == [bool(re.match(SYMBOL, word)) for word in words]


class _Plain(Representation):
    """All words as they are."""

    def coarsen(self, texts: Texts) -> Coarse:
        return Coarse(without_reserved(texts), ("",) * len(texts), texts.words)

    def signature(self) -> Signature:
        return Signature.of(replaced="nothing")


def test_most_representations_learn_nothing() -> None:
    assert _Plain().learn(read_segmented_texts(["他 来 了"])) == {}
