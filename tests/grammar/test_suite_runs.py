"""Does a run of suites ask what was named, and analyse what it asked?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import Silent, estimate_records
from hengliang.grammar.pairs.material import MinimalPairs
from hengliang.grammar.runs import (
    FIGURES,
    default_folder,
    models_as_lines,
    names_pairs,
    names_published,
    recorded_suite_study,
    remarks,
    suite_analyses,
    suite_materials,
    suite_study,
)
from hengliang.grammar.suites.library import Suites
from hengliang.grammar.suites.published import PublishedSuites
from hengliang.grammar.suites.text_format import write_suite
from hengliang.study import gather_items, load_study
from tests.grammar.suites.test_suite import small_suite
from tests.language_models.small_models import CharacterPairs, SmallBigrams
from tests.recorded_toy import MISSING, SUBORDINATION, write_recorded

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


def test_a_folder_does_not_hide_a_class_of_its_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for name in ("subordination", "missing_object.none"):
        (folder / name).mkdir()
        assert not names_pairs(name)
        assert names_pairs(f"./{name}")


def test_published_suites_are_a_material_of_their_own(folder: Path) -> None:
    (folder / "texts").mkdir()
    lines = [words for words, _ in MISSING]
    (folder / "texts" / "mobj_none_txt.txt").write_text("\n".join(lines), encoding="utf-8")
    texts = str(folder / "texts")
    assert names_published(texts) and names_published("wang2021") and names_published("wang2021-suites")
    assert not names_published(str(folder)) and not names_published("missing object")
    materials = suite_materials([texts, str(folder / "pairs.jsonl")])
    assert [type(material) for material in materials] == [PublishedSuites, MinimalPairs]
    assert [analysis.name for analysis in suite_analyses(materials[:1])] == [
        "suite accuracy by class",
        "suite accuracy",
        "ties by class",
    ]
    for other in ("missing object", "wang2021"):
        with pytest.raises(UserError, match="classes of the same names"):
            suite_materials([texts, other])


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


def test_two_sets_of_pairs_are_asked_in_one_study(folder: Path) -> None:
    first = folder / "pairs.jsonl"
    second = folder / "others.jsonl"
    second.write_text(first.read_text(encoding="utf-8"), encoding="utf-8")
    materials = suite_materials([str(first), str(second), str(first)])
    assert len(materials) == 2 and len({material.name for material in materials}) == 2
    assert suite_materials([str(first)])[0].name == "minimal pairs"
    assert gather_items(materials)["set"].n_unique() == 2 * gather_items(materials[:1])["set"].n_unique()


def test_a_folder_with_a_part_of_the_suites_is_asked_what_can_be_asked(tmp_path: Path) -> None:
    folder = write_recorded(
        tmp_path / "mine", {name: {"sd_none": SUBORDINATION} for name in ("lstm-trial0", "rnng-trial0")}
    )
    study = recorded_suite_study(str(folder))
    names = [analysis.name for analysis in study.analyses]
    assert "suite accuracy by class" in names and "structural supervision" in names
    assert not any("missing object" in name or "garden" in name or "domain" in name for name in names)
    run = study.run(tmp_path / "run")
    assert run.estimates.filter(analysis="suite accuracy by class").height == 2


def test_the_reports_say_which_figures_of_the_paper_they_draw(tmp_path: Path) -> None:
    folder = write_recorded(tmp_path, {"lstm-trial0": {"mobj_none": MISSING}})
    assert FIGURES in recorded_suite_study(str(folder)).notes
    assert FIGURES in load_study("mandarin_grammar", quick=True).notes
    assert all(f"{number} " in FIGURES.en and f"图 {number} " in FIGURES.zh for number in (1, 2, 3, 4, 6, 7))


def test_many_models_have_a_line_each(folder: Path) -> None:
    models = [SmallBigrams() for _ in range(5)]
    for number, model in enumerate(models):
        model.name = f"model {number}"
    run = suite_study(models, [str(folder / "mine.suite")]).run(folder / "run", watcher=Silent())
    lines = list(models_as_lines(run, "suite accuracy by class", "zh"))
    assert lines[0] == "  1  宾语缺失"
    assert len(lines) == 2 + 5
    accuracy = run.estimates.filter(pl.col("analysis") == "suite accuracy by class")["value"][0]
    assert lines[2] == f"model 0{100 * accuracy:7.1f}"


CROSSED = """class: word order / 语序
conditions: good *bad
regions: subject rest stop
predict: bad.rest > good.rest
predict: bad.stop > good.stop
control twice: bad.stop > good.rest

1  A.
   good  他 | 来 了 | 。
   bad   他 | 了 来 | 。

2  B.
   good  我们 | 来 了 | 。
   bad   我们 | 了 来 | 。

3  C.
   good  他 | 买 了 书 | 。
   bad   他 | 了 书 买 | 。
"""


def test_a_comparison_that_cannot_be_judged_is_missing_once(tmp_path: Path) -> None:
    (tmp_path / "crossed.suite").write_text(CROSSED, encoding="utf-8")
    study = suite_study([CharacterPairs(), SmallBigrams()], [str(tmp_path / "crossed.suite")])
    run = study.run(tmp_path / "run", watcher=Silent())
    # Units of two characters: 1 is cut 他来/了。 (rest and stop are crossed), 2 我们/来了/。 (neither is),
    # 3 他买/了书/。 (rest is crossed). So 3 of the 6 comparisons are lost, and the control (both) in 1 and 3.
    crossing = "a unit of the model crosses the edge of the region"
    told = [line.en for line in remarks(run) if "missing" in line.en]
    assert told == [
        f"pairs of characters: 3 of 6 comparisons are missing: {crossing}.",
        f"pairs of characters: 2 of 3 controls are missing: {crossing}.",
    ]
    assert f"pairs of characters：6 项比较中缺失 3 项：{crossing}。" in [line.zh for line in remarks(run)]
    counts = {
        (row.analysis, row.by["system"]): (row.n, row.n_missing)
        for row in estimate_records(run.estimates)
        if row.statistic in {"accuracy", "ties"}
    }
    assert counts["suite accuracy by class", "pairs of characters"] == (3, 3)
    assert counts["ties by class", "pairs of characters"] == (3, 3)
    assert counts["controls by class and part", "pairs of characters"] == (1, 2)
    # Sets 2 and 3 have a comparison left; what is missing are comparisons here too.
    assert counts["suite accuracy", "pairs of characters"] == (2, 3)
    assert counts["suite accuracy", "small bigrams"] == (3, 0)
