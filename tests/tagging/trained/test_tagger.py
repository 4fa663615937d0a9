"""Does the tagger crf find words and tags, keep a tagger's promises, and know what it has learned from?"""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError, tagger
from hengliang.core import Silent
from hengliang.language_models import model_folder, write_card
from hengliang.tagging.trained.tagger import CrfTagger
from tests.tagging.trained.lessons import items, lessons


def words(crf: CrfTagger, text: str) -> list[tuple[str, str]]:
    raw = text.encode()
    return [(raw[start:end].decode(), tag) for start, end, tag in crf.tag([text]).of(0)]


def test_a_word_is_tagged_by_its_context(crf: CrfTagger) -> None:
    # Neither sentence is a lesson, both are like lessons.
    assert ("过去", "t") in words(crf, "老师过去写两张画。")
    assert words(crf, "老师从上海过去。")[-2:] == [("过去", "v"), ("。", "w")]
    assert crf.seen(["老师从上海过去。"]).tolist() == [True]
    assert words(crf, "张小明在院子里画画。")[-3:] == [("画", "v"), ("画", "n"), ("。", "w")]


def test_it_keeps_the_promises_of_a_tagger(crf: CrfTagger) -> None:
    broken = [finding for finding in crf.conformance() if not finding.kept]
    assert broken == []
    assert sum(1 for _ in crf.conformance()) > 15


@settings(max_examples=60)
@given(
    texts=st.lists(
        st.text(st.sampled_from("我他一三百 \t\n　北京Ab1。，\u0301\U0001f600é\x00"), max_size=12), max_size=4
    )
)
def test_words_cover_every_text(small: Path, texts: list[str]) -> None:
    found = CrfTagger(str(small)).tag(texts)
    assert found.problems == ("",) * len(texts)
    for row, text in enumerate(texts):
        spans = found.of(row)
        edges = [0, *(end for _, end, _ in spans)]
        assert [start for start, _, _ in spans] == edges[:-1]
        assert edges[-1] == (len(text.encode()) if text.strip() else 0)


def test_white_space_parts_words_whatever_was_learned(crf: CrfTagger) -> None:
    assert [word for word, _ in words(crf, "老 师 看了 书 ")] == ["老", " 师", " 看", "了", " 书 "]


def test_half_a_character_is_a_problem_and_the_rest_goes_on(crf: CrfTagger) -> None:
    found = crf.tag(["他看\ud800书", "他写信。", "长" * 20_000])
    assert "half a character" in found.problems[0]
    assert found.problems[1] == ""
    assert "20,000 characters" in found.problems[2]


def test_it_knows_the_sentences_it_learned_from(crf: CrfTagger) -> None:
    contents = items(lessons())["content"].to_list()
    assert crf.seen(contents).all()
    assert crf.seen([contents[0] + "好", "这是新的。"]).sum() == 0
    assert crf.seen([]).tolist() == []


def test_traits_name_all_tags_that_it_can_give(crf: CrfTagger) -> None:
    tags = sorted({token.rpartition("/")[2] for line in lessons() for token in line.split()})
    assert crf.traits()["tags"] == " ".join(tags)
    assert crf.traits()["training_words"] == sum(len(line.split()) for line in lessons())


def test_a_copy_reads_its_own_model_and_has_the_same_signature(crf: CrfTagger, small: Path, tmp_path: Path) -> None:
    crf.prepare(Silent())
    copy = pickle.loads(pickle.dumps(crf))
    assert "_model" in crf.__dict__
    assert "_model" not in copy.__dict__
    assert copy.signature() == crf.signature()
    assert words(copy, "他写信。") == words(crf, "他写信。")


def test_how_long_it_was_trained_does_not_change_the_signature(small: Path, tmp_path: Path) -> None:
    def stored(folder: Path) -> str:
        return dict(CrfTagger(str(folder)).signature().pairs)["stored"]

    other = tmp_path / "other"
    shutil.copytree(small, other)
    card = json.loads((other / "card.json").read_text(encoding="utf-8"))
    write_card(other, **{**card, "training_seconds": {"words": 9.9}})
    assert stored(other) == stored(small)
    text = (other / "words.tsv").read_text(encoding="utf-8")
    (other / "words.tsv").write_text(text.replace("看\tv", "看\tn"), encoding="utf-8")
    write_card(other, **card)
    assert stored(other) != stored(small)


def test_a_changed_byte_of_any_file_is_found(small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(small, folder)
    for file in sorted(file for file in folder.iterdir() if not file.name.startswith(".")):
        whole = file.read_bytes()
        for place in (0, len(whole) // 3, len(whole) // 2, len(whole) - 1):
            damaged = bytearray(whole)
            damaged[place] ^= 2
            file.write_bytes(damaged)
            with pytest.raises(UserError):
                CrfTagger(str(folder)).tag(["他写信。"])
        file.write_bytes(whole)
    assert CrfTagger(str(folder)).tag(["他写信。"]).problems == ("",)


def test_a_stored_tagger_is_found_by_name(small: Path) -> None:
    shutil.copytree(small, model_folder("tagger-crf"))
    shutil.copytree(small, model_folder("mended"))
    assert tagger("crf").name == "crf"
    assert tagger("crf:mended").name == "crf:mended"
    assert tagger("crf:mended").tag(["他写信。"]).of(0) == tagger("crf").tag(["他写信。"]).of(0)


def test_a_missing_or_strange_model_is_named(small: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"There is no trained tagger in .*tagger-crf") as raised:
        CrfTagger().tag(["他写信。"])
    assert "hengliang taggers train" in str(raised.value)
    strange = tmp_path / "strange"
    shutil.copytree(small, strange)
    card = json.loads((strange / "card.json").read_text(encoding="utf-8"))
    write_card(strange, **{**card, "kind": "language model"})
    with pytest.raises(UserError, match="holds no tagger, but a model of the kind 'language model'"):
        CrfTagger(str(strange)).prepare(Silent())
    write_card(strange, **{**card, "recipe": {**card["recipe"], "features": 0}})
    with pytest.raises(UserError, match="features of version 0"):
        CrfTagger(str(strange)).prepare(Silent())
    write_card(strange, **card)
    (strange / "tags.crfsuite").write_bytes(b"")
    with pytest.raises(UserError, match=r"is damaged: tags\.crfsuite has 0 bytes"):
        CrfTagger(str(strange)).prepare(Silent())
