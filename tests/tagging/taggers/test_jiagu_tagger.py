"""Does Jiagu tag as its library does, untouched by what others in the process add?"""

from __future__ import annotations

import pytest

from hengliang.tagging.taggers import jiagu as jiagu_tagger
from hengliang.tagging.taggers.jiagu import JiaguTagger
from tests.tagging.taggers.library_words import (
    broken_promises,
    differences,
    packed_size,
    said_without,
    same_elsewhere,
    words,
)

jiagu = pytest.importorskip("jiagu")

TAGGER = JiaguTagger()


@pytest.mark.untraced
def test_it_agrees_with_its_library() -> None:
    def direct(sentence: str) -> list[tuple[str, str]]:
        found = jiagu.seg(sentence)
        return list(zip(found, jiagu.pos(found), strict=True))

    assert differences(TAGGER, direct) == []


def test_words_that_others_add_are_not_ours() -> None:
    before = words(TAGGER, "他很喜欢龙门阵山")
    jiagu.load_userdict([["喜欢龙门阵山", 10**8]])
    try:
        assert "喜欢龙门阵山" in jiagu.seg("他很喜欢龙门阵山")
        assert words(TAGGER, "他很喜欢龙门阵山") == before
    finally:
        jiagu.any.seg_nroute.del_userdict([["喜欢龙门阵山", 10**8]])


def test_other_processes_say_the_same_and_nothing_else() -> None:
    assert same_elsewhere("jiagu", ["张小明去年三月从北京搬到了上海。", "龘靐很好，小行星撞击坑。"]) == ""


def test_all_promises_are_kept() -> None:
    assert broken_promises(TAGGER) == []
    assert packed_size(TAGGER) < 1000


def test_the_signature_names_the_library_and_its_files() -> None:
    keys = dict(TAGGER.signature().pairs)
    assert keys["jiagu"]
    assert len(keys["pos_model"]) == len(keys["jiagu_dict"]) == 16


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    jiagu_tagger._model.cache_clear()
    for said in said_without(TAGGER, "jiagu", monkeypatch):
        assert "needs the library jiagu" in said
        assert "pip install 'hengliang[taggers]'" in said
