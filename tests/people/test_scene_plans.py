"""Do the plans have the pairs and readers of the published experiment?"""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest

from hengliang import UserError
from hengliang.materials.elicited_descriptions import read_descriptions
from hengliang.people.scene_plans import PLANS, ScenePlan, planned_pairs, planned_scenes, scene_plan
from hengliang.surveys import Pair, allocate


def told_of(plan: ScenePlan, seed: int) -> pl.DataFrame:
    """Return a description by a person for each scene of a plan."""
    rows = [(scene.code, scene.code, scene.size, f"About {scene.code}.") for scene in planned_scenes(plan, seed)]
    return pl.DataFrame(rows, schema=["description_id", "scene", "scene_size", "text"], orient="row")


def test_the_scenes_of_the_plans() -> None:
    # By the ids of Tables 4 and 5: 9, 12 and 9 pairs of three describers; 12 pairs of two describers a size.
    first, second = planned_scenes(PLANS["A"]), planned_scenes(PLANS["B"])
    assert Counter(scene.size for scene in first) == {4: 3, 9: 4, 20: 3}
    assert Counter(scene.size for scene in second) == {6: 6, 10: 6, 16: 6}
    assert len({scene.code for scene in (*first, *second)}) == 28
    assert planned_scenes(PLANS["A"]) == first
    # Ten scenes of a size in the corpus, three or four drawn: over a few seeds all are taken.
    drawn = {scene.code for seed in range(40) for scene in planned_scenes(PLANS["A"], seed)}
    assert len(drawn) == 30


def test_the_pairs_of_the_plans_in_both_languages() -> None:
    first = planned_pairs(PLANS["A"], descriptions=told_of(PLANS["A"], 1))
    assert Counter(pair.describer for pair in first) == {"Human": 10, "QDG-IA": 10, "QDG-GREEDY": 10}
    chinese = planned_pairs(PLANS["A"], language="zh")
    assert Counter(pair.describer for pair in chinese) == {"QDG-IA": 10, "QDG-GREEDY": 10}
    assert all("\u4e00" <= pair.text[0] <= "\u9fff" for pair in chinese)
    second = planned_pairs(PLANS["B"])
    assert len(second) == 36 and planned_pairs(PLANS["B"]) == second
    made = allocate([Pair(pair.id, pair.scene.code, pair.scene.size) for pair in second], 2, 20)
    assert set(made.loads) == {3, 4} and made.again == 0


def test_a_plan_that_cannot_be() -> None:
    with pytest.raises(UserError, match=r"No plan of an experiment is called 'C'"):
        scene_plan("C")
    with pytest.raises(UserError, match="Plan A needs descriptions"):
        planned_pairs(PLANS["A"])
    wanted = ScenePlan("X", "qtuna", {4: 11}, False, 1, 1)
    with pytest.raises(UserError, match="wants 11 scenes of size 4; there are 10"):
        planned_scenes(wanted)


@pytest.mark.mirror
def test_people_described_every_scene_of_the_corpus(mirror: object) -> None:
    descriptions = read_descriptions()
    for seed in range(5):
        pairs = planned_pairs(PLANS["A"], seed=seed, descriptions=descriptions)
        assert len(pairs) == 30 and all(pair.text for pair in pairs)
