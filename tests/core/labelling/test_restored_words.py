"""Are the words of a tagger put back onto the right bytes, and is every other change named?"""

from __future__ import annotations

import sys
import unicodedata
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core.labelling.words import characters_changed, restored, without_bare_spaces
from hengliang.core.text.characters import joins_previous

# Han, full-width and half-width, characters that grow in their compatibility form, marks, white space, emoji.
CHARACTERS = "他走了的Ａ１，％A1,%㎏½①…ﬁガｶﾞ\u0301é\u00b4 \t\n\u3000\u00a0👍𠮷。"
SENTENCES = st.text(st.sampled_from(CHARACTERS), max_size=14)


def pieces(sentence: str, words: list[tuple[str, str]]) -> list[tuple[str, str]] | str:
    found = restored(sentence, words)
    raw = sentence.encode()
    return found if isinstance(found, str) else [(raw[start:end].decode(), tag) for start, end, tag in found]


@st.composite
def cut_sentences(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Draw a sentence and its words as a tagger may cut it: between any two characters."""
    sentence = draw(SENTENCES)
    places = draw(st.sets(st.integers(1, max(1, len(sentence) - 1))))
    edges = [0, *sorted(place for place in places if place < len(sentence)), len(sentence)]
    return sentence, [sentence[start:end] for start, end in pairwise(edges)]


def expected(sentence: str, words: list[str]) -> list[str]:
    """Cut the sentence independently: a word begins where its first visible character does; its spaces go with it."""
    starts: list[int] = []
    place = 0
    for word in words:
        if word.strip():
            first = place + len(word) - len(word.lstrip())
            clings = first > 0 and joins_previous(sentence[first]) and not sentence[first - 1].isspace()
            if not (starts and clings and not word[0].isspace()):
                starts.append(first)
        place += len(word)
    edges = [0, *(start - _spaces_before(sentence, start) for start in starts[1:]), len(sentence)]
    return [sentence[start:end] for start, end in pairwise(edges)] if starts else []


def _spaces_before(sentence: str, place: int) -> int:
    return len(sentence[:place]) - len(sentence[:place].rstrip())


@given(cut_sentences(), st.sampled_from(["kept", "dropped", "apart"]), st.sampled_from(["", "NFKC", "NFKD", "NFC"]))
def test_whatever_is_dropped_or_changed_in_width_the_words_are_those_that_were_cut(
    drawn: tuple[str, list[str]], spaces: str, form: Literal["", "NFKC", "NFKD", "NFC"]
) -> None:
    sentence, words = drawn
    given_words = words
    if spaces == "dropped":
        given_words = ["".join(word.split()) for word in words]
    elif spaces == "apart":
        given_words = [piece for word in words for piece in _apart(word)]
    changed = [unicodedata.normalize(form, word) if form else word for word in given_words]
    numbered = [(word, f"t{place}") for place, word in enumerate(changed)]
    found = pieces(sentence, numbered)
    if not isinstance(found, str):
        assert "".join(word for word, _ in found) == (sentence if sentence.strip() else "")
        assert [word for word, _ in found] == expected(sentence, given_words if spaces == "apart" else words)
        # Each word has the tag of the piece that holds its first visible character.
        for word, tag in found:
            assert _first(word) == _first(changed[int(tag[1:])])
    else:
        # A mark may be put in another order by a normal form of a word, and then the texts differ in truth.
        joined = "".join("".join(unicodedata.normalize("NFKD", character) for character in word) for word in changed)
        plain = "".join(unicodedata.normalize("NFKD", character) for character in sentence)
        no_words = sentence.strip() and not joined.strip()
        assert no_words or "".join(joined.split()) != "".join(plain.split())


def _first(word: str) -> str:
    return "".join(unicodedata.normalize("NFKD", word).split())[0]


def _apart(word: str) -> list[str]:
    """Return a word's white space as words of its own, as jieba does."""
    found: list[str] = []
    for character in word:
        if found and not character.isspace() and not found[-1].isspace():
            found[-1] += character
        else:
            found.append(character)
    return found


@given(cut_sentences(), st.data())
def test_any_other_change_is_a_problem(drawn: tuple[str, list[str]], data: st.DataObject) -> None:
    sentence, words = drawn
    visible = [place for place, word in enumerate(words) if word.strip()]
    if not visible:
        return
    place = data.draw(st.sampled_from(visible))
    kind = data.draw(st.sampled_from(["other", "added", "lost"]))
    other = {"other": "狗", "added": words[place] + "狗", "lost": ""}[kind]
    found = restored(sentence, [(word, "n") for word in [*words[:place], other, *words[place + 1 :]]])
    assert isinstance(found, str)
    assert found.startswith("the tagger ")


@given(SENTENCES, st.lists(st.tuples(SENTENCES, st.sampled_from("nv")), max_size=5))
def test_strange_words_never_give_a_wrong_span(sentence: str, words: list[tuple[str, str]]) -> None:
    found = restored(sentence, words)
    if isinstance(found, str):
        return
    raw = sentence.encode()
    assert [start for start, _, _ in found] == [0, *(end for _, end, _ in found)][:-1] if found else True
    assert not found or found[-1][1] == len(raw)
    for start, end, _ in found:
        assert raw[start:end].decode().strip()


@pytest.mark.parametrize(
    ("sentence", "words", "cut"),
    [
        ("他 走了", ["他", "走", "了"], ["他", " 走", "了"]),
        ("  他走了 ", ["他", "走了"], ["  他", "走了 "]),
        ("他 走", ["他", " ", "走"], ["他", " 走"]),
        ("他 走", ["他 ", "走"], ["他", " 走"]),
        ("花３００元", ["花", "300", "元"], ["花", "３００", "元"]),
        ("ＡＢＣ公司", ["ABC", "公司"], ["ＡＢＣ", "公司"]),
        ("ABC公司", ["ＡＢＣ", "公司"], ["ABC", "公司"]),
        ("５㎏米", ["5", "kg", "米"], ["５", "㎏", "米"]),
        ("好…… 吧", ["好", "......", "吧"], ["好", "……", " 吧"]),
        ("ｶﾞス", ["ガ", "ス"], ["ｶﾞ", "ス"]),
        ("e\u0301走", ["é", "走"], ["e\u0301", "走"]),
        ("é走", ["e", "\u0301", "走"], ["é", "走"]),
        ("臺灣的鄉下", ["台湾", "的", "乡下"], ["臺灣", "的", "鄉下"]),
        ("头发", ["頭髮"], ["头发"]),
        ("他", ["他", ""], ["他"]),
        ("", [], []),
        (" \n", [], []),
        (" ", [" "], []),
    ],
)
def test_words_come_back_to_their_places(sentence: str, words: list[str], cut: list[str]) -> None:
    assert pieces(sentence, [(word, "n") for word in words]) == [(word, "n") for word in cut]


def test_the_tag_of_a_word_stays_with_it() -> None:
    assert pieces("他　走", [("他", "r"), ("\u3000", "x"), ("走", "v")]) == [("他", "r"), ("　走", "v")]
    assert pieces("１ 走", [("1", "m"), (" ", "x"), ("走", "v")]) == [("１", "m"), (" 走", "v")]


@pytest.mark.parametrize(
    ("sentence", "words", "problem"),
    [
        ("他走了", [], "the tagger returned no words"),
        ("他走了", [(" ", "n"), ("", "n")], "the tagger returned no words"),
        (
            "他走了",
            [("他", "r"), ("跑", "v"), ("了", "u")],
            "the tagger changed the text: it returned '跑了' where the sentence has '走了' (character 2)",
        ),
        ("他走了", [("他", "r"), ("走", "v")], "the tagger left out '了' (character 3) at the end of the sentence"),
        ("他走", [("他", "r"), ("走了", "v")], "the tagger added '了' at the end of the sentence"),
        (
            "他也走了",
            [("他", "r"), ("走", "v"), ("了", "u")],
            "the tagger changed the text: it returned '走了' where the sentence has '也走了' (character 2)",
        ),
        ("五㎏", [("五k", "m"), ("g", "q")], "the tagger cut within the character '㎏' of the sentence, before 'g'"),
        ("他走", [("他", ""), ("走", "v")], "the tagger gave the word '他' no tag"),
        (
            "他\x00走",
            [("他", "r"), ("走", "v")],
            "the tagger changed the text: it returned '走' where the sentence has '\N{REPLACEMENT CHARACTER}走' "
            "(character 2)",
        ),
        (
            "x" + "长" * 20,
            [("y" + "长" * 20, "n")],
            "the tagger changed the text: it returned 'y长长长长长长长长长长长…' where the sentence has "
            "'x长长长长长长长长长长长…' (character 1)",
        ),
    ],
)
def test_a_problem_names_the_place(sentence: str, words: list[tuple[str, str]], problem: str) -> None:
    assert restored(sentence, words) == problem


def test_without_the_library_for_script_such_a_change_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    from hengliang.core.labelling import words as restored_words
    from hengliang.core.text import characters as text

    monkeypatch.setitem(sys.modules, "opencc", None)
    for cached in (text._converter, restored_words._same_but_for_script):
        cached.cache_clear()
    try:
        assert isinstance(restored("鄉下", [("乡下", "n")]), str)
    finally:
        restored_words._same_but_for_script.cache_clear()


def test_changed_characters_are_told_from_changed_spaces() -> None:
    assert not characters_changed("他 走", [("他", "r"), ("走", "v")])
    assert characters_changed("３", [("3", "m")])
    assert characters_changed("鄉", [("乡", "n")])


def test_only_white_space_folds_to_nothing() -> None:
    from hengliang.core.labelling.words import _fold

    wrong = [code for code in range(0x20000) if bool(_fold(chr(code))) == chr(code).isspace()]
    assert wrong == []


def test_bare_spaces_and_marks_begin_no_word() -> None:
    # 他 | space | 走 | acute: the space goes to 走, and the acute stays with it.
    assert without_bare_spaces("他 走\u0301", [0, 1, 2, 3, 4], ["r", "x", "v", "x"]) == ([0, 1], ["r", "v"])
    assert without_bare_spaces("  ", [0, 1, 2], ["x", "x"]) == ([], [])
