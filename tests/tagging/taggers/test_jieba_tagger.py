"""Do jieba and rjieba tag as their libraries do, untouched by what others in the process add?"""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from hengliang.tagging.taggers import jieba as jieba_tagger
from hengliang.tagging.taggers.jieba import JiebaTagger, RjiebaTagger
from tests.tagging.taggers.library_words import broken_promises, differences, packed_size, said_without, same_elsewhere

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


# In a process of its own: what is added to the libraries' own dictionaries would stay there for all other tests.
_OTHERS = """
import jieba, rjieba
from hengliang.tagging.taggers.jieba import JiebaTagger, RjiebaTagger
SENTENCE, WORD = "他很喜欢龙门阵山", "喜欢龙门阵山"
taggers = JiebaTagger(), RjiebaTagger()
before = [list(found.words(SENTENCE)) for found in taggers]
jieba.add_word(WORD, 10**8, "nz")
rjieba.add_word(WORD, 10**8, "nz")
print((WORD, "nz") in rjieba.tag(SENTENCE), [list(found.words(SENTENCE)) for found in taggers] == before)
"""


def test_words_that_others_add_are_not_ours() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", _OTHERS], capture_output=True, text=True, check=True)
    assert done.stdout == "True True\n"


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
