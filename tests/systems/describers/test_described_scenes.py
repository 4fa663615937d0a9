"""Does every description become an item that readers can be asked, with its scene and its describer?"""

from __future__ import annotations

from pathlib import Path

from hengliang.core import response_id
from hengliang.materials.elicited_descriptions import elicited_descriptions
from hengliang.materials.scene_sets import scenes
from hengliang.systems.describers.described_scenes import DescribedScenes, described_scenes
from hengliang.systems.describers.greedy import Greedy
from hengliang.systems.describers.incremental import Incremental

WRITTEN = """subject,scene,text
ann,BS=4,Everything is a blue square.
bo,BS=2 RS=2,There are only squares.
cy,BS=1 RS=8,One thing is blue.
"""


def test_each_describer_describes_each_scene_once() -> None:
    four = scenes("qtuna", sizes=(4,))
    made = described_scenes(four, [Greedy(seed=1), Greedy(seed=2), Incremental(seed=1)])
    items = made.items()
    assert items.height == 30
    assert items["condition"].value_counts().sort("condition").rows() == [("QDG-GREEDY", 20), ("QDG-IA", 10)]
    assert items["set"].n_unique() == 10
    assert set(items["gold"]) == set(four.items()["content"])
    assert set(items["scene_size"]) == {4}


def test_an_item_is_what_the_describer_said_and_where_it_comes_from() -> None:
    four = scenes("qtuna", sizes=(4,))
    items = described_scenes(four, [Greedy(seed=3)]).items()
    said = {row["id"]: row for row in Greedy(seed=3).answer(four.items()).rename({"item": "id"}).iter_rows(named=True)}
    for row in items.iter_rows(named=True):
        assert row["content"] == said[row["set"]]["content"]
        assert row["source"] == response_id(row["set"], "text", row["content"])
        assert row["pair"] == row["id"]


def test_what_people_wrote_of_these_scenes_stands_beside(tmp_path: Path) -> None:
    file = tmp_path / "written.csv"
    file.write_text(WRITTEN, encoding="utf-8")
    items = described_scenes(scenes("qtuna", sizes=(4,)), [Greedy()], elicited_descriptions(file)).items()
    people = items.filter(condition="Human")
    # The third is of a scene of nine things, which is none of these ten.
    assert people["content"].to_list() == ["Everything is a blue square.", "There are only squares."]
    assert people["subject"].to_list() == ["ann", "bo"]
    assert people["ending"].null_count() == 2


def test_without_arguments_both_algorithms_describe_all_our_scenes() -> None:
    items = DescribedScenes().items()
    assert items.height == 2 * 48
    assert sorted(set(items["scene_size"])) == [4, 6, 9, 10, 16, 20]


def test_the_signature_names_everything_that_can_change_a_text(tmp_path: Path) -> None:
    file = tmp_path / "written.csv"
    file.write_text(WRITTEN, encoding="utf-8")
    four, nine = scenes("qtuna", sizes=(4,)), scenes("qtuna", sizes=(9,))
    made = [
        described_scenes(four, [Greedy(seed=1)]),
        described_scenes(nine, [Greedy(seed=1)]),
        described_scenes(four, [Greedy(seed=2)]),
        described_scenes(four, [Greedy(seed=1)], elicited_descriptions(file)),
    ]
    assert len({str(one.signature()) for one in made}) == 4
    assert made[0].signature() == described_scenes(four, [Greedy(seed=1)]).signature()


def test_the_facts_count_by_describer() -> None:
    made = described_scenes(scenes("qtuna", sizes=(4,)), [Greedy(), Incremental()])
    told = {title.en: text for title, text in made.facts(made.items())}
    assert told["Scenes"] == "10"
    assert told["Descriptions"] in ("QDG-GREEDY 10, QDG-IA 10", "QDG-IA 10, QDG-GREEDY 10")


def test_promises_are_kept() -> None:
    made = described_scenes(scenes("qtuna", sizes=(4,)), [Greedy()])
    assert [finding for finding in made.conformance() if not finding.kept] == []
