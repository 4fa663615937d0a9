"""Does a run of suites ask what was named, and analyse what it asked?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang.errors import UserError
from hengliang.materials.pairs.material import MinimalPairs
from hengliang.materials.suites.library import Suites
from hengliang.materials.suites.text_format import write_suite
from hengliang.suite_runs import default_folder, names_pairs, suite_analyses, suite_materials, suite_study
from tests.materials.suites.test_suite import small_suite

PAIR = '{"sentence_good": "他来了", "sentence_bad": "他了来", "UID": "order", "field": "syntax"}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.suite").write_text(write_suite(small_suite()), encoding="utf-8")
    (tmp_path / "pairs.jsonl").write_text(PAIR, encoding="utf-8")
    (tmp_path / "theirs.json").write_text('{"region_meta": {}}', encoding="utf-8")
    return tmp_path


def test_names_of_suites_and_of_pairs_are_told_apart(folder: Path) -> None:
    assert not names_pairs("missing object")
    assert not names_pairs(str(folder / "mine.suite"))
    assert not names_pairs(str(folder / "theirs.json"))
    assert names_pairs("sling")
    assert names_pairs(str(folder / "pairs.jsonl"))
    assert names_pairs(str(folder))


def test_nothing_named_means_all_our_suites() -> None:
    (material,) = suite_materials([])
    assert isinstance(material, Suites) and material.names == ()


def test_suites_come_as_one_material_and_pairs_after_them(folder: Path) -> None:
    pairs = str(folder / "pairs.jsonl")
    materials = suite_materials([pairs, "verb–noun", "subordination.none"], limit=3)
    assert [type(material) for material in materials] == [Suites, MinimalPairs]
    assert materials[0].names == ("verb–noun", "subordination.none")  # type: ignore[attr-defined]
    assert materials[1].limit == 3  # type: ignore[attr-defined]


def test_analyses_follow_what_is_asked(folder: Path) -> None:
    def names(*asked: str) -> list[str]:
        return [analysis.name for analysis in suite_analyses(suite_materials(asked))]

    assert names(str(folder / "mine.suite")) == ["suite accuracy by class", "suite accuracy", "ties by class"]
    assert "suite accuracy by class and modifier" in names("verb–noun")
    assert "controls by class and part" in names("missing_object.none")
    assert {"suite accuracy by class and suite", "controls by class and part"} <= set(
        names(str(folder / "pairs.jsonl"))
    )


def test_a_run_without_models_is_refused() -> None:
    with pytest.raises(UserError, match="No language model"):
        suite_study([])


def test_folders_are_named_after_what_is_asked() -> None:
    assert default_folder([]) == Path("runs/suites")
    assert default_folder(["missing object", "a/mine.suite"]) == Path("runs/missing_object-mine")
