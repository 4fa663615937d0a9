"""Are whole, plain sentences kept, everything else left out, and the draw the same each time?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.materials.perturbations.sentences import (
    Sentence,
    corpus_contents,
    corpus_path,
    draw,
    is_entity,
    is_plain,
    plain_sentences,
    read_text,
)
from tests.materials.perturbations.toys import TOLD, tagged, write_corpus


@pytest.mark.parametrize("text", TOLD)
def test_our_sentences_are_plain(text: str) -> None:
    assert is_plain(tagged(text), 6, 30)


@pytest.mark.parametrize(
    "text",
    [
        "春天/t 来/v 了/y 的/u 消息/n 到/v 处/n",  # no stop
        "美丽/a 的/u 春天/t 和/c 秋天/t 。/w",  # no verb
        "“/w 我/r 不/d 去/v 了/y ，/w 他/r 说/v 。/w",  # half a quotation, and a mark in front
        "他/r 说/v ：/w “/w 我/r 不/d 去/v 了/y 。/w",  # half a quotation
        "他/r （/w 小林/nr ）/w 不/d 去/v 了/y 。/w",  # a remark in brackets
        "一/m 、/w 他们/r 先/d 去/v 上海/ns 。/w",  # an entry of a list
        "我/r 买/v 梨/n 、/w 桃/n 、/w 枣/n 、/w 杏/n 、/w 瓜/n 。/w",  # a list
        "本报/r 上海/ns 一月/t 二日/t 电/n 他/r 来/v 了/y 。/w",  # a dateline
        "吾/Rg 日/Ng 三/m 省/Vg 吾/Rg 身/Ng 看/v 。/w",  # single morphemes
        "他/r 走/v 。/w",  # too short
    ],
)
def test_what_is_no_whole_sentence_is_left_out(text: str) -> None:
    assert not is_plain(tagged(text), 6, 30)


def test_a_sentence_that_goes_on_another_is_left_out() -> None:
    sentence = tagged(TOLD[0])
    assert is_plain(sentence, 6, 30, "。")
    assert not is_plain(sentence, 6, 30, "；")
    assert not is_plain(sentence, 6, 9)


def test_entities_go_by_the_gold_tags() -> None:
    assert tagged("小林/nr 在/p 上海/ns 住/v 了/u ３/m 年/q 三/m 天/q 。/w").entities == (
        *(True, False, True, False, False),
        *(True, False, False, False, False),
    )
    assert is_entity("今天", "t") and is_entity("1998", "m") and not is_entity("三", "m") and not is_entity("书", "n")


def test_words_between_quotation_marks_are_closed() -> None:
    sentence = tagged("他/r 读/v 《/w 家/n 》/w 了/y 。/w")
    assert sentence.quoted == (False, False, True, True, True, False, False)
    assert sentence.is_open(0, 1, 5)
    assert not sentence.is_open(1, 3)
    assert not sentence.is_open(7)
    assert sentence.clauses == (range(0, 6),)


def test_clauses_lie_between_the_marks() -> None:
    sentence = tagged(TOLD[2])
    assert [sentence.words[clause.start] for clause in sentence.clauses] == ["邻居", "可是"]
    assert (sentence.tag(-1), sentence.word(-1), sentence.tag(99)) == ("w", "", "w")


def test_sentences_of_a_file_come_with_their_tags(tmp_path: Path) -> None:
    data = write_corpus(tmp_path / "toy.pku")
    found = plain_sentences(data, "test", 6, 30)
    # 120 paragraphs make twenty blocks of six; the tenth and the twentieth are the test part.
    assert len(found) == 12
    assert found[0].id == "toy.pku-55-1"
    assert found[0].words[:3] == ("第54", "天", "，")
    assert found[0].tags[:3] == ("m", "q", "w")
    assert len(corpus_contents(data)) == 120
    assert read_text(data).segmenter == "given"


def test_a_sentence_that_occurs_twice_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "twice.pku"
    path.write_text((TOLD[0] + "\n") * 40, encoding="utf-8")
    assert plain_sentences(str(path), "test", 6, 30) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"part": "exam"}, "exam"),
        ({"shortest": 9, "longest": 8}, "9 to 8 words"),
        ({"shortest": 1}, "1 to 30 words"),
        ({"longest": 1000}, "6 to 1000 words"),
    ],
)
def test_wrong_arguments_are_named(tmp_path: Path, change: dict[str, object], said: str) -> None:
    arguments = {"part": "test", "shortest": 6, "longest": 30} | change
    with pytest.raises(UserError, match=said):
        plain_sentences(write_corpus(tmp_path / "toy.pku"), **arguments)  # type: ignore[arg-type]


def test_a_file_without_tags_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plain.txt"
    path.write_text("他走了。\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"no corpus with PKU tags"):
        corpus_path(str(path))


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 5), st.sets(st.integers(0, 999), max_size=60).map(sorted))
def test_a_larger_draw_holds_every_smaller_one(one: int, other: int, seed: int, numbers: list[int]) -> None:
    sentences = [Sentence(f"toy-{number}-1", ("好", "。"), ("a", "w")) for number in numbers]
    small, large = draw(sentences, min(one, other), seed), draw(sentences, max(one, other), seed)
    assert {sentence.id for sentence in small} <= {sentence.id for sentence in large}
    assert len(large) == min(max(one, other), len(sentences))
    assert [sentence for sentence in sentences if sentence in large] == large
