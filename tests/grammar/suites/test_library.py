"""Are the suites that come with the package whole, right by the lint, and items of the right form?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import Finding, check_items, slices
from hengliang.grammar.suites.json_format import write_json_suite
from hengliang.grammar.suites.library import Suites, open_suites, suite_of_file, suites, written_suites
from hengliang.grammar.suites.suite import Suite
from hengliang.grammar.suites.text_format import parse_suite, write_suite

# Table 2 of Wang et al. (2021): six classes with four modifiers each.
MODIFIERS = ("none", "adjective", "object relative", "subject relative")
GROWING = ("none", "subject relative", "coordinated relatives", "embedded relatives")
TABLE_2 = [
    *(("classifier–noun", modifier) for modifier in MODIFIERS),
    *(("garden path object", modifier) for modifier in MODIFIERS),
    *(("garden path subject", modifier) for modifier in MODIFIERS),
    *(("verb–noun", modifier) for modifier in MODIFIERS),
    *(("missing object", modifier) for modifier in GROWING),
    *(("subordination", modifier) for modifier in MODIFIERS),
]
DOMAINS = {
    "classifier–noun": "semantic",
    "garden path object": "hybrid",
    "garden path subject": "hybrid",
    "verb–noun": "semantic",
    "missing object": "syntactic",
    "subordination": "syntactic",
}
CONTROLLED = {"classifier–noun", "missing object", "subordination"}


def test_there_are_the_suites_of_table_2_in_its_order() -> None:
    assert [(suite.class_.en, suite.modifier.en) for suite in written_suites()] == TABLE_2


@pytest.mark.parametrize("suite", written_suites(), ids=[suite.name for suite in written_suites()])
def test_each_suite_is_whole(suite: Suite) -> None:
    assert len(suite.items) >= 30
    assert all(item.gloss for item in suite.items)
    assert suite.class_.zh != suite.class_.en and suite.modifier.zh != suite.modifier.en
    assert suite.domain == DOMAINS[suite.class_.en]
    assert any(not prediction.counts for prediction in suite.predictions) == (suite.class_.en in CONTROLLED)
    counted = [prediction for prediction in suite.predictions if prediction.counts]
    assert len(counted) == (4 if suite.class_.en == "classifier–noun" else 1)
    assert parse_suite(write_suite(suite), suite.name).predictions == suite.predictions


@pytest.mark.parametrize("name", list(DOMAINS))
def test_items_keep_their_ids_across_modifiers(name: str) -> None:
    held = open_suites(name)
    assert len({tuple(item.id for item in suite.items) for suite in held}) == 1


@pytest.mark.parametrize("suite", written_suites(), ids=[suite.name for suite in written_suites()])
def test_only_the_modified_suites_have_a_modifier(suite: Suite) -> None:
    region = "relative" if suite.class_.en == "missing object" else "modifier"
    place = suite.regions.index(region)
    filled = {bool(sentence[place]) for item in suite.items for sentence in item.sentences.values()}
    assert filled == {suite.modifier.en != "none"}


def test_items_have_regions_words_and_what_is_predicted() -> None:
    frame = check_items(suites("missing object").items())
    assert frame["set"].n_unique() == sum(len(suite.items) for suite in open_suites("missing_object"))
    suite = open_suites("missing_object.none")[0]
    row = frame.filter(pl.col("id") == f"missing_object.none/{suite.items[0].id}/missing").row(0, named=True)
    spans = {span["name"]: (span["start"], span["end"]) for span in row["spans"] if span["name"] != "word"}
    assert list(spans) == list(suite.regions)
    assert slices(row["content"], [spans["stop"]]) == ["。"]
    assert spans["object"][0] == spans["object"][1]
    assert (row["class"], row["modifier"], row["modified"], row["acceptable"]) == (
        "missing object",
        "none",
        False,
        False,
    )
    assert row["predictions"].startswith("predict 1: missing.stop > complete.stop\ncontrol interaction: ")
    # The same item of another suite of the class is of the same frame.
    assert frame.filter(pl.col("frame") == row["frame"])["suite"].n_unique() == 4


def test_suites_are_named_in_several_ways(tmp_path: Path) -> None:
    name = "subordination.adjective"
    assert [suite.name for suite in open_suites(name)] == [name]
    assert len(open_suites("Garden-Path_object")) == len(open_suites("花园幽径（宾语）")) == 4
    assert len(open_suites("missing object", "missing_object.none")) == 4
    assert open_suites() == written_suites()
    file = tmp_path / "mine.suite"
    file.write_text(write_suite(open_suites(name)[0]), encoding="utf-8")
    assert open_suites(str(file))[0].items == suite_of_file(file).items
    assert open_suites(str(file))[0].name == "mine"


def test_unknown_names_and_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="missing object"):
        open_suites("mising object")
    with pytest.raises(UserError, match="is no suite"):
        suite_of_file(tmp_path / "suite.csv")
    with pytest.raises(UserError, match=r"lost\.json"):
        suite_of_file(tmp_path / "lost.json")


def test_two_suites_of_one_name_are_refused(tmp_path: Path) -> None:
    text = write_suite(open_suites("subordination.none")[0])
    for folder, wording in (("one", text), ("two", text.replace("老师", "工人")), ("three", text)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.suite").write_text(wording, encoding="utf-8")
    one, two, three = (str(tmp_path / folder / "mine.suite") for folder in ("one", "two", "three"))
    with pytest.raises(UserError, match="Two different suites are called 'mine'"):
        open_suites(one, two)
    assert [suite.name for suite in open_suites(one, three, "subordination.none")] == ["mine", "subordination.none"]


def test_a_suite_that_the_text_format_cannot_hold_is_asked(tmp_path: Path) -> None:
    suite = open_suites("subordination.none")[0]
    names = {item.id: replace(item, id=f"item {item.id}") for item in suite.items}
    suite = replace(suite, name="mine", items=tuple(names.values()))
    write_json_suite(suite, tmp_path / "mine.json")
    material = suites(str(tmp_path / "mine.json"))
    assert material.items()["set"][0] == "mine/item 1"
    assert "mine" in str(material.signature())


def test_what_a_report_says_of_suites(tmp_path: Path) -> None:
    ours = suites("subordination")
    assert ours.licence == "MIT"
    assert {title.en: value for title, value in ours.facts(ours.items())}["Classes"] == "subordination 从属"
    file = tmp_path / "mine.suite"
    file.write_text(write_suite(open_suites("subordination.none")[0]), encoding="utf-8")
    assert suites(str(file)).licence == "that of your files"


def test_a_file_of_json_in_another_encoding_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_bytes('{"class": "宾语"}'.encode("gb18030"))
    with pytest.raises(UserError, match=r"mine\.json"):
        suite_of_file(file)


def test_the_signature_follows_the_text(tmp_path: Path) -> None:
    file = tmp_path / "mine.suite"
    text = write_suite(open_suites("subordination.none")[0])
    file.write_text(text, encoding="utf-8")
    before = str(suites(str(file)).signature())
    file.write_text(text.replace("。", "！", 1), encoding="utf-8")
    assert str(suites(str(file)).signature()) != before


def test_the_material_keeps_its_promises() -> None:
    findings: list[Finding] = list(Suites(("verb–noun",)).conformance())
    assert findings and all(finding.kept for finding in findings), findings
