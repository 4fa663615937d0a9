"""Are fused words split where they hold a classifier, and left whole where they do not?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.systems.slot_finding.splitting import Word, split_fused_words


def split(*words: str) -> str:
    placed: list[Word] = []
    for word in words:
        text, _, tag = word.rpartition("/")
        start = placed[-1].end if placed else 0
        placed.append(Word(text, tag, start, start + len(text.encode())))
    found = split_fused_words(placed)
    joined = "".join(word.text for word in placed).encode()
    assert [joined[word.start : word.end].decode() for word in found] == [word.text for word in found]
    return " ".join(f"{word.text}/{word.tag}" for word in found)


@pytest.mark.parametrize(
    ("fused", "apart"),
    [
        ("三本/m", "三/m 本/q"),
        ("第一次/m", "第一/m 次/q"),
        ("一大批/m", "一/m 大/a 批/q"),
        ("３０多名/m", "３０多/m 名/q"),
        ("首批/m", "首/m 批/q"),
        ("一位八十岁/m", "一/m 位/q 八十岁/m"),
        ("这本书/r", "这/r 本/q 书/n"),
        ("另一个人/r", "另/r 一/m 个/q 人/n"),
        ("一匹马/n", "一/m 匹/q 马/n"),
        ("三十多个人/m", "三十多/m 个/q 人/n"),
        ("一系列/a", "一/m 系列/q"),
        ("3个小时/t", "3/m 个/q 小时/n"),
        ("上个月/t", "上/f 个/q 月/n"),
        ("一个半小时/t", "一/m 个/q 半/m 小时/n"),
        ("近两个月来/t", "近/t 两/m 个/q 月/n 来/f"),
        ("一个多世纪以来/m", "一/m 个/q 多/m 世纪/n 以来/f"),
        ("那个晚上/t", "那/r 个/q 晚上/t"),
    ],
)
def test_fused_words_are_split(fused: str, apart: str) -> None:
    assert split(fused) == apart


@pytest.mark.parametrize(
    "word",
    [
        *(
            "三轮车/n",
            "一把手/n",
            "一部分/n",
            "这样/r",
            "各方面/r",
            "各部门/r",
            "一个个/m",
            "一些/m",
            "去年/t",
            "个人/n",
        ),
        *("一起/d", "这部分/r", "三月/t", "三位一体/n", "首席执行官/n", "一次性/a", "两块四/m"),
    ],
)
def test_other_words_stay_whole(word: str) -> None:
    assert split(word) == word


def test_what_stands_before_decides() -> None:
    assert split("两三/m", "个人/n") == "两三/m 个/q 人/n"
    assert split("每/r", "个人/n") == "每/r 个/q 人/n"
    assert split("２００米/m", "个人/n", "混合泳/n") == "２００米/m 个人/n 混合泳/n"
    assert split("买/v", "了/u", "本书/r") == "买/v 了/u 本/q 书/n"
    assert split("一/m", "台/n", "电脑/n") == "一/m 台/q 电脑/n"
    assert split("电视/n", "台/n") == "电视/n 台/n"
    assert split("本书/r", "讲/v") == "本书/r 讲/v"
    assert split("那/r", "家/q", "店里/s") == "那/r 家/q 店/n 里/f"


@given(
    st.lists(
        st.tuples(st.text("一三个本书这月人多半第上", min_size=1, max_size=6), st.sampled_from("mrntaq")), max_size=5
    )
)
def test_nothing_is_lost(drawn: list[tuple[str, str]]) -> None:
    words = [f"{text}/{tag}" for text, tag in drawn]
    assert "".join(piece.rpartition("/")[0] for piece in split(*words).split()) == "".join(text for text, _ in drawn)
