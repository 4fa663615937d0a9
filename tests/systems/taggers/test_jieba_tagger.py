"""Do jieba and rjieba tag as their libraries do, untouched by what others in the process add?"""

from __future__ import annotations

import logging

import pytest

from hengliang.systems.taggers import jieba_tagger
from hengliang.systems.taggers.jieba_tagger import JiebaTagger, RjiebaTagger
from tests.systems.taggers.library_words import (
    broken_promises,
    differences,
    packed_size,
    said_without,
    same_elsewhere,
    words,
)

jieba = pytest.importorskip("jieba")
rjieba = pytest.importorskip("rjieba")
jieba.setLogLevel(logging.CRITICAL)


def test_jieba_agrees_with_its_library() -> None:
    import jieba.posseg

    def direct(sentence: str) -> list[tuple[str, str]]:
        return [(pair.word, pair.flag) for pair in jieba.posseg.cut(sentence)]

    assert differences(JiebaTagger(), direct) == []


def test_rjieba_agrees_with_its_library() -> None:
    assert differences(RjiebaTagger(), rjieba.tag) == []


@pytest.mark.parametrize("found", [JiebaTagger(), RjiebaTagger()], ids=["jieba", "rjieba"])
def test_all_promises_are_kept(found: JiebaTagger | RjiebaTagger) -> None:
    assert broken_promises(found) == []
    assert packed_size(found) < 1000


@pytest.mark.parametrize("name", ["jieba", "rjieba"])
def test_other_processes_say_the_same_and_nothing_else(name: str) -> None:
    assert same_elsewhere(name, ["张小明去年三月从北京搬到了上海。", "龘靐很好，小行星撞击坑。"]) == ""


def test_words_that_others_add_are_not_ours() -> None:
    before = [words(found, "他很喜欢龙门阵山") for found in (JiebaTagger(), RjiebaTagger())]
    jieba.add_word("喜欢龙门阵山", 10**8, "nz")
    rjieba.add_word("喜欢龙门阵山", 10**8, "nz")
    try:
        assert ("喜欢龙门阵山", "nz") in rjieba.tag("他很喜欢龙门阵山")
        assert [words(found, "他很喜欢龙门阵山") for found in (JiebaTagger(), RjiebaTagger())] == before
    finally:
        jieba.del_word("喜欢龙门阵山")
        rjieba.clear()
        rjieba._DEFAULT_JIEBA = rjieba.Jieba()


def test_signatures_name_the_libraries() -> None:
    keys = dict(JiebaTagger().signature().pairs)
    assert keys["jieba"] == jieba.__version__
    assert len(keys["dictionary"]) == 16
    assert "rjieba" in dict(RjiebaTagger().signature().pairs)


@pytest.mark.parametrize(
    ("found", "loader", "extra"),
    [(JiebaTagger(), "_posseg", "taggers"), (RjiebaTagger(), "_rust", "chinese")],
    ids=["jieba", "rjieba"],
)
def test_a_missing_library_is_named(
    found: JiebaTagger | RjiebaTagger, loader: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    getattr(jieba_tagger, loader).cache_clear()
    for said in said_without(found, found.name, monkeypatch):
        assert f"needs the library {found.name}" in said
        assert f"pip install 'hengliang[{extra}]'" in said
