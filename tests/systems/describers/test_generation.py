"""Is what both algorithms say true, complete when they say so, and the same each time?"""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import closure
from hengliang.materials.quantified_expressions import consistent, denotation, is_true
from hengliang.materials.quantifiers import READINGS, Reading
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.materials.scenes import Scene, read_scene, scene_space
from hengliang.systems.describers.candidate_tables import candidate_table
from hengliang.systems.describers.candidates import INVENTORIES, quantifiers_of
from hengliang.systems.describers.generation import LONGEST, QuantifiedDescriber
from hengliang.systems.describers.greedy import Greedy
from hengliang.systems.describers.incremental import Incremental
from tests.systems.describers.scene_strategies import COLOURS, every_scene, scenes

ALGORITHMS: tuple[type[QuantifiedDescriber], ...] = (Incremental, Greedy)


def faults(describer: QuantifiedDescriber, scene: Scene) -> list[str]:
    """Return what is wrong with what is said of a scene, found without the describer's own table."""
    said, left = describer.logical_form(scene)
    space = scene_space(scene.domain, scene.size)
    found = [f"{scene.code}: {one} is false" for one in said if not is_true(one, scene, describer.reading)]
    if consistent(said, space, describer.reading).bit_count() != left:
        found.append(f"{scene.code}: {left} scenes are not what is left")
    for number, one in enumerate(said):
        before = consistent(said[:number], space, describer.reading)
        if before == consistent(said[: number + 1], space, describer.reading):
            found.append(f"{scene.code}: {one} removes nothing")
    if not 1 <= len(said) <= describer.longest:
        found.append(f"{scene.code}: {len(said)} expressions")
    return found


@settings(max_examples=120)
@given(
    scene=scenes(),
    algorithm=st.sampled_from(ALGORITHMS),
    reading=st.sampled_from(READINGS),
    inventory=st.sampled_from(sorted(INVENTORIES)),
    longest=st.integers(1, 8),
    seed=st.integers(0, 1000),
)
def test_what_is_said_is_true_and_helps(
    scene: Scene, algorithm: Any, reading: Reading, inventory: str, longest: int, seed: int
) -> None:
    describer = algorithm(scene.domain, "en", reading, longest, inventory, seed)
    assert faults(describer, scene) == []
    # Shorter than the limit and not complete: then nothing true that asserts something new would have helped.
    said, left = describer.logical_form(scene)
    if left > 1 and len(said) < longest:
        table = candidate_table(scene.domain, scene.size, quantifiers_of(inventory), reading)
        rest = consistent(said, table.space, reading)
        true = [table.expression(one) for one in table.true_of(scene.counts).tolist()]
        helping = [one for one in true if rest & denotation(one, table.space, reading) != rest]
        # What it asserts, and not only what it takes for granted, must be new as well.
        assert [one for one in helping if rest & denotation(one, table.space, "semantic") != rest] == []


@pytest.mark.parametrize("size", [4, 6, 9, 10, 16, 20])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_both_end_within_the_limit_for_all_scenes(algorithm: type[QuantifiedDescriber], size: int) -> None:
    describer = algorithm(seed=size)
    held = every_scene(size)
    assert [fault for scene in held for fault in faults(describer, scene)] == []
    assert describer.longest == LONGEST


@pytest.mark.parametrize("size", [4, 9, 20])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("reading", READINGS)
def test_with_numbers_every_scene_becomes_complete(algorithm: Any, size: int, reading: Reading) -> None:
    # The greedy one needs four at most, the incremental one up to 17, since much of what people prefer says little.
    describer = algorithm(reading=reading, inventory="with numbers", longest=25)
    held = every_scene(size)[:: 1 if size < 10 else 5]
    assert [scene.code for scene in held if describer.logical_form(scene)[1] != 1] == []


@given(scenes(domains=(DEFAULT_DOMAIN,)), st.sampled_from(ALGORITHMS), st.integers(0, 50))
def test_chance_follows_from_seed_and_scene(scene: Scene, algorithm: Any, seed: int) -> None:
    describer = algorithm(seed=seed)
    said = describer.logical_form(scene)
    assert said == describer.logical_form(scene) == pickle.loads(pickle.dumps(describer)).logical_form(scene)
    # What is said before does not matter, and neither do language and wording.
    describer.logical_form(Scene((1, 2, 3, 4)))
    assert (
        said == describer.logical_form(scene) == algorithm(language="zh", seed=seed, varied=False).logical_form(scene)
    )


def test_endings() -> None:
    def ended(code: str, **options: Any) -> tuple[str, int, int]:
        said = Greedy(reading="semantic", **options).describe([read_scene(code)])[0]
        return said.ending, said.left, len(said.expressions)

    # All of them are blue squares: one scene, and the end is complete even at the limit.
    assert ended("BS=4", inventory=("all",)) == ended("BS=4", inventory=("all",), longest=1) == ("complete", 1, 1)
    # All are squares: five scenes of four things. Nothing else is true of all objects, all blue or all red ones.
    assert ended("BS=1 RS=3", inventory=("all",)) == ("exhausted", 5, 1)
    assert ended("BS=1 RS=3", inventory=("all",), longest=1) == ("limit", 5, 1)
    # Nothing is true of all of four different things: C(4 + 3, 3) scenes are left, and nothing is said.
    assert ended("BS=1 BC=1 RS=1 RC=1", inventory=("all",)) == ("exhausted", 35, 0)
    # There are some of each kind, said of one kind after the other: then sixteen things are free, C(16 + 3, 3) scenes.
    every = "BS=5 BC=5 RS=5 RC=5"
    assert ended(every, inventory=("some",), longest=5) == ("exhausted", 969, 4)
    # After three of them seventeen things are free: C(17 + 3, 3).
    assert ended(every, inventory=("some",), longest=3) == ("limit", 1140, 3)


def test_a_limit_is_a_limit() -> None:
    described = Incremental(longest=1, moving=0).describe([read_scene("BS=5 BC=7 RS=2 RC=6")])[0]
    assert described.ending == "limit" and len(described.expressions) == 1 and described.left > 1


def test_settings_are_checked_when_they_are_used() -> None:
    scene = [read_scene("BS=4")]
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"language": "fr"}, "No language of descriptions is called 'fr'"),
        ({"reading": "logical"}, "No reading is called 'logical'"),
        ({"longest": 0}, "A description of 0 expressions"),
        ({"longest": None}, "A description of None expressions"),
        ({"inventory": "crips"}, "Did you mean crisp"),
        ({"inventory": ("al",)}, "No quantifier is called 'al'"),
    ]
    for options, message in wrong:
        for algorithm in ALGORITHMS:
            with pytest.raises(UserError, match=message):
                algorithm(**options).describe(scene)


def test_a_scene_of_another_domain_is_refused() -> None:
    with pytest.raises(UserError, match="of the domain 'colours'"):
        Greedy().describe([Scene((1, 2, 3), COLOURS)])
    with pytest.raises(UserError, match="are no scene"):
        Greedy().describe([Scene((1, 2, 3))])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_signatures_tell_all_that_matters(algorithm: Any) -> None:
    plain = algorithm()
    other: list[dict[str, Any]] = [
        {"domain": COLOURS},
        {"language": "zh"},
        {"reading": "semantic"},
        {"longest": 3},
        {"inventory": ("all",)},
        {"seed": 1},
        {"varied": False},
    ]
    hashes = {algorithm(**options).signature().hash for options in other}
    assert len(hashes | {plain.signature().hash}) == len(other) + 1
    assert plain.signature() == algorithm().signature()
    assert closure(algorithm).reaches(denotation)
