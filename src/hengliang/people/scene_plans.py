"""Which scenes, describers and readers had the published experiment, and how are such pairs made anew?

Experiment A of paper 001 (sections 3.1 and 3.2.3): 30 pairs of ten scenes of the sizes 4, 9 and 20, each described by a
person, QDG-IA and QDG-GREEDY, with four readers each. By the ids in its tables there were three, four and three scenes
of these sizes. Experiment B: six scenes of each of the sizes 6, 10 and 16, described by the two algorithms, with two
readers each; by the ids these are 36 pairs, where the text says 66. Twenty people took part in both.

The paper's own pairs are not published. Scenes of A are drawn from those of the corpus from which it drew its own; for
B there are scenes of ours.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.terms import Language
from hengliang.materials.scene_sets import NEW_SIZES, QTUNA, Scenes
from hengliang.materials.scenes import Scene
from hengliang.people.scene_pairs import ScenePair, make_pairs
from hengliang.systems.describers.greedy import Greedy
from hengliang.systems.describers.incremental import Incremental


@dataclass(frozen=True, slots=True)
class ScenePlan:
    """So many scenes of each size out of a set, who describes them, and how many read each description."""

    name: str
    collection: str
    scenes: Mapping[int, int]
    by_people: bool
    readers: int
    participants: int


PLANS: Mapping[str, ScenePlan] = MappingProxyType(
    {
        plan.name: plan
        for plan in (
            ScenePlan("A", QTUNA, MappingProxyType({4: 3, 9: 4, 20: 3}), True, 4, 20),
            ScenePlan("B", NEW_SIZES, MappingProxyType({6: 6, 10: 6, 16: 6}), False, 2, 20),
        )
    }
)


def scene_plan(name: str) -> ScenePlan:
    """Return the plan of this name."""
    if name not in PLANS:
        raise unknown_name("plan of an experiment", name, PLANS)
    return PLANS[name]


def planned_scenes(plan: ScenePlan, seed: int = 1) -> tuple[Scene, ...]:
    """Return the scenes of a plan, drawn from its set, none of them twice."""
    known = [one.scene for one in Scenes(tuple(plan.scenes), plan.collection).numbered()]
    drawn: list[Scene] = []
    for size, number in plan.scenes.items():
        there = sorted({scene.code: scene for scene in known if scene.size == size}.items())
        if number > len(there):
            raise UserError(f"Plan {plan.name} wants {number} scenes of size {size}; there are {len(there)}.")
        drawn += [scene for _, scene in random.Random(f"{seed} {plan.name} {size}").sample(there, number)]
    return tuple(drawn)


def planned_pairs(
    plan: ScenePlan,
    *,
    language: Language = "en",
    seed: int = 1,
    descriptions: pl.DataFrame | None = None,
    **options: Any,
) -> tuple[ScenePair, ...]:
    """Return the pairs of a plan; `descriptions` are those of people, `options` go to the describers.

    People described in English: pairs in Mandarin have descriptions by the algorithms only.
    """
    by_people = descriptions if plan.by_people and language == "en" else None
    if plan.by_people and language == "en" and descriptions is None:
        raise UserError(f"Plan {plan.name} needs descriptions that people gave.", remedy="hengliang data get qtuna")
    algorithms = [kind(language=language, seed=seed, **options) for kind in (Incremental, Greedy)]
    return make_pairs(planned_scenes(plan, seed), algorithms, by_people, seed)
