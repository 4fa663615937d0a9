"""Does SnowNLP tag as its library does, and the same in every process?"""

from __future__ import annotations

import pytest

from hengliang.tagging.taggers import snownlp as snownlp_tagger
from hengliang.tagging.taggers.snownlp import SnowNlpTagger
from tests.tagging.taggers.library_words import (
    broken_promises,
    differences,
    packed_size,
    said_without,
    same_elsewhere,
    words,
)

snownlp = pytest.importorskip("snownlp")

TAGGER = SnowNlpTagger()
# To none of the tags has SnowNLP seen these ends of a sentence, and the rarest tags draw.
TIED = "他说：“走！”"


def test_it_agrees_with_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    from snownlp import tag

    # The library's own order of tags is another in each process; in the order of the alphabet it must say the same.
    monkeypatch.setattr(tag.tagger, "status", sorted(tag.tagger.status))
    monkeypatch.setattr(tag.tagger, "word", {word: sorted(tags) for word, tags in tag.tagger.word.items()})
    assert differences(TAGGER, lambda sentence: snownlp.SnowNLP(sentence).tags) == []


def test_it_leaves_the_library_as_it_was() -> None:
    from snownlp import tag

    TAGGER.tag(["好"])
    assert isinstance(tag.tagger.status, set)


@pytest.mark.untraced
def test_other_processes_say_the_same_although_sets_have_another_order() -> None:
    assert same_elsewhere("snownlp", [TIED, "дом", "他花３９．２％。", "张小明去年三月从北京搬到了上海。"]) == ""


def test_it_cuts_what_is_not_chinese_at_white_space_alone() -> None:
    assert [word for word, _ in words(TAGGER, "他２００４年花ＡＢＣ３．１４％。")][-1] == "ＡＢＣ３．１４％。"


@pytest.mark.untraced
@pytest.mark.untraced
def test_all_promises_are_kept() -> None:
    assert broken_promises(TAGGER) == []
    assert packed_size(TAGGER) < 1000


def test_the_signature_names_the_library_and_its_models() -> None:
    keys = dict(TAGGER.signature().pairs)
    assert keys["snownlp"]
    assert len(keys["tagger"]) == len(keys["segmenter"]) == 16


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for cached in (snownlp_tagger._cut, snownlp_tagger._tagger):
        cached.cache_clear()
    for said in said_without(TAGGER, "snownlp", monkeypatch):
        assert "needs the library snownlp" in said
        assert "pip install 'hengliang[taggers]'" in said
