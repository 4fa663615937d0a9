"""Are people's descriptions and those of describers counted alike, on the same scenes?"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest

from hengliang import Bilingual, Estimate
from hengliang.analysis.descriptions.beside_describers import (
    BY_COLUMN,
    DESCRIBERS,
    PEOPLE,
    DescriberCompleteness,
    describer_completeness,
    describer_rows,
    differences,
    less_people,
)
from hengliang.analysis.descriptions.findings import bounded
from hengliang.analysis.descriptions.observed import observe
from hengliang.core import LANGUAGES, estimate_records
from hengliang.core import find_registered as find
from hengliang.materials.quantified_expressions import is_true
from hengliang.materials.scenes import Scene, read_scene
from hengliang.report import estimate_table
from hengliang.systems.describers import greedy, incremental
from hengliang.systems.describers.base import Described, Describer
from tests.analysis.descriptions.described import corpus, forms, parse, random_corpus
from tests.analysis.descriptions.test_findings import tables

FAST = DescriberCompleteness(seeds=(1, 2), draws=100)


class Shape(Describer):
    """Says of every scene that all its things are squares, whether or not they are."""

    name = "SHAPE"
    title = Bilingual("Shape", "形状")

    def describe(self, scenes: Sequence[Scene]) -> list[Described]:
        return [Described("All objects are squares.", forms("all(object, square)"), "limit", 5) for _ in scenes]


def found(estimates: pl.DataFrame) -> dict[tuple[str, str, str], Estimate]:
    return {(one.by["measure"], one.by["describer"], one.by["size"]): one for one in estimate_records(estimates)}


def test_each_scene_is_described_once() -> None:
    frame = corpus([("a", "BS=4", "x"), ("b", "BS=4", "y"), ("a", "BS=2 RC=2", "z"), ("c", "RC=9", "w")])
    rows = describer_rows([Shape(), Shape()], frame)
    assert rows["scene"].to_list() == ["BS=4", "BS=2 RC=2", "RC=9"] * 2
    # All squares: five of the scenes of four things have only squares; true of the first scene alone.
    assert rows["left_pragmatic"].to_list()[:2] == [5, 5]
    assert rows["holds_pragmatic"].to_list()[:3] == [True, False, False]
    assert rows["words"].unique().to_list() == [4]


def test_by_hand() -> None:
    frame = corpus([("a", "BS=2 RS=2", "All squares, half blue."), ("b", "BS=2 RS=2", "?"), ("c", "BS=4", "Squares.")])
    parses = [parse("all(object, square)", "half(square, blue)"), parse(unread=("?",)), parse("all(object, square)")]
    held = found(FAST.of_descriptions(frame, parses))
    people = {key[0]: one.value for key, one in held.items() if key[1:] == (PEOPLE, "4")}
    # Of two parsed whole one is complete; of three descriptions one, or with the unread two.
    assert people["complete (pragmatic)"] == 0.5
    assert people["complete, none of the others (pragmatic)"] == pytest.approx(1 / 3)
    assert people["complete, all of the others (pragmatic)"] == pytest.approx(2 / 3)
    assert (people["expressions"], held["expressions", PEOPLE, "4"].n) == (1.5, 2)
    # Two scenes, two seeds.
    assert {held["words", name, "4"].n for name in DESCRIBERS} == {4}


def test_differences_are_paired_by_scene() -> None:
    rows = pl.DataFrame(
        {
            "describer": [PEOPLE, PEOPLE, PEOPLE, "D", "D", "D", "E", "D"],
            "scene_key": ["4-1", "4-1", "4-2", "4-1", "4-2", "4-2", "4-1", "4-3"],
            "x": [1.0, 2.0, 5.0, 4.0, 5.0, 6.0, 9.0, 1.0],
        }
    )
    # 4 − 1.5 and 5.5 − 5; people described the third scene not at all.
    assert differences(rows, "D", "x").rows() == [("4-1", 2.5), ("4-2", 0.5), ("4-3", None)]


def test_a_difference_that_all_scenes_share_is_certain() -> None:
    # Words of people vary between scenes, 2, 4, 6 and 8, and a describer needs as many and two more.
    codes = ["BS=4", "BS=3 RS=1", "BS=2 RS=2", "BS=1 RS=3"]
    frame = corpus([("a", code, "word " * (2 * place + 2)) for place, code in enumerate(codes)])
    rows = observe(frame, [parse("all(object, square)")] * 4)
    people = rows.with_columns(describer=pl.lit(PEOPLE))
    machine = rows.with_columns(pl.col("words") + 2, describer=pl.lit("D")).drop("subject")
    held = {
        (one.by["measure"], one.by["describer"]): one
        for one in FAST._estimates(bounded(pl.concat([people, machine], how="diagonal")))
    }
    one, alone = held["words", less_people("D")], held["words", "D"]
    assert (one.value, one.low, one.high, one.n) == (2, 2, 2, 4)
    assert (alone.low or 0) < (alone.value or 0) == 7
    assert one.method.startswith("mean of paired differences of scenes; ")


def test_describers_are_complete_and_true() -> None:
    frame, parses = random_corpus(1)
    held = found(FAST.of_descriptions(frame, parses))
    # Four things of at most two kinds are told apart in a sentence or two.
    assert [held["complete (pragmatic)", name, "4"].value for name in DESCRIBERS] == [1, 1]
    for one in (greedy.Greedy(seed=1), incremental.Incremental(seed=1)):
        rows = describer_rows([one], frame)
        scenes = [read_scene(code) for code in rows["scene"]]
        said = one.describe(scenes)
        assert [own.ending == "complete" for own in said] == rows["complete_pragmatic"].to_list()
        assert all(is_true(form, scene) for scene, own in zip(scenes, said, strict=True) for form in own.expressions)


def test_tables_sentences_and_layout() -> None:
    estimates, told = FAST.conclude(tables(random_corpus(2)[0]))
    assert len(told) == 3
    assert all(name in told[0].en for name in (PEOPLE, *DESCRIBERS, *map(less_people, DESCRIBERS)))
    assert "QDG-IA − 人" in told[0].zh
    assert all(sentence[language] for sentence in told for language in LANGUAGES)
    assert {one.by["measure"] for one in estimate_records(estimates)} == {measure for measure, _ in BY_COLUMN.values()}
    for language in LANGUAGES:
        assert estimate_table(estimates, FAST.layout(), language)


def test_promises() -> None:
    assert find("analysis", "describer completeness").kind is DescriberCompleteness is describer_completeness
    assert [finding.detail for finding in FAST.conformance() if not finding.kept] == []
