"""All scenes of a size, their codes and sets of them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Attribute, Domain, Value
from hengliang.materials.scenes import LARGEST_SCENE, Scene, SceneSpace, checked_scene, read_scene, scene_space
from tests.quantifiers_in_words import ANIMALS, as_scene, scenes_as_lists

DOMAINS = (DEFAULT_DOMAIN, ANIMALS)


def numbered(kinds: int) -> Domain:
    values = tuple(Value(f"v{place}", chr(65 + place // 26) + chr(97 + place % 26), "", "") for place in range(kinds))
    return Domain(f"{kinds} kinds", (Attribute("kind", values),))


# --- enumeration ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: domain.name)
@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_the_enumeration_is_complete_ordered_and_without_doubles(domain: Domain, size: int) -> None:
    rows = [tuple(row) for row in scene_space(domain, size).counts.tolist()]
    assert rows == sorted({as_scene(things, domain).counts for things in scenes_as_lists(domain, size)})


@given(st.integers(2, 7), st.integers(1, 9))
def test_there_are_as_many_scenes_as_ways_to_put_things_into_kinds(kinds: int, size: int) -> None:
    space = scene_space(numbered(kinds), size)
    assert space.number == math.comb(size + kinds - 1, kinds - 1) == len(space.counts)
    assert space.everything.bit_count() == space.number
    assert space.counts.min() >= 0
    assert (space.counts.sum(axis=1) == size).all()


# C(n + 3, 3): 4·5·6·7/(4·6) = 35 and so on, the sizes of both experiments of paper 001.
@pytest.mark.parametrize(("size", "number"), [(4, 35), (6, 84), (9, 220), (10, 286), (16, 969), (20, 1771)])
def test_so_many_scenes_of_the_papers_sizes(size: int, number: int) -> None:
    assert scene_space(DEFAULT_DOMAIN, size).number == number


@given(st.integers(2, 6), st.integers(1, 8), st.data())
def test_the_place_of_a_scene_inverts_the_enumeration(kinds: int, size: int, data: st.DataObject) -> None:
    space = scene_space(numbered(kinds), size)
    place = data.draw(st.integers(0, space.number - 1))
    scene = Scene(tuple(space.counts[place].tolist()), space.domain)
    assert space.place(scene.counts) == place
    assert list(space.scenes(space.bit(scene))) == [scene]


def test_places_of_all_scenes_of_twenty_things() -> None:
    space = scene_space(DEFAULT_DOMAIN, 20)
    assert [space.place(row) for row in space.counts.tolist()] == list(range(1771))


def test_a_large_scene_has_its_place_without_enumeration() -> None:
    space = SceneSpace(DEFAULT_DOMAIN, LARGEST_SCENE)
    assert space.place((0, 0, 0, LARGEST_SCENE)) == 0
    assert space.place((LARGEST_SCENE, 0, 0, 0)) == space.number - 1


# --- sets -----------------------------------------------------------------------------------------------------------


@given(st.sampled_from(DOMAINS), st.integers(1, 4), st.data())
def test_sets_of_scenes_behave_as_sets(domain: Domain, size: int, data: st.DataObject) -> None:
    space = scene_space(domain, size)
    scenes = list(space.scenes(space.everything))
    chosen = [set(data.draw(st.lists(st.sampled_from(range(space.number))))) for _ in range(2)]
    bits = [space.set_of(np.isin(np.arange(space.number), list(one))) for one in chosen]
    for operation, found in (
        (chosen[0] & chosen[1], bits[0] & bits[1]),
        (chosen[0] | chosen[1], bits[0] | bits[1]),
        (chosen[0] - chosen[1], bits[0] & ~bits[1]),
        (set(range(space.number)) - chosen[0], space.everything & ~bits[0]),
    ):
        assert space.places(found).tolist() == sorted(operation)
        assert list(space.scenes(found)) == [scenes[place] for place in sorted(operation)]
        assert found.bit_count() == len(operation)
        assert space.rows(found).shape == (len(operation), len(domain.kinds))


@given(st.sampled_from(DOMAINS), st.integers(1, 5), st.data())
def test_sums_count_the_things_of_the_kinds_in_a_mask(domain: Domain, size: int, data: st.DataObject) -> None:
    space = scene_space(domain, size)
    mask = data.draw(st.integers(0, domain.everything))
    inside = [place for place in range(len(domain.kinds)) if mask >> place & 1]
    expected = [sum(row[place] for place in inside) for row in space.counts.tolist()]
    assert space.sums(mask).tolist() == expected
    assert [scene.number_of(mask) for scene in space.scenes(space.everything)] == expected
    assert space.sums(mask) is space.sums(mask)


def test_a_scene_of_another_size_is_in_no_set() -> None:
    with pytest.raises(UserError, match="The scene BS=3 is not among the scenes of 4 things"):
        scene_space(DEFAULT_DOMAIN, 4).bit(read_scene("BS=3"))


# --- codes ----------------------------------------------------------------------------------------------------------


@given(st.sampled_from(DOMAINS), st.data())
def test_a_code_is_read_back(domain: Domain, data: st.DataObject) -> None:
    kinds = len(domain.kinds)
    counts = tuple(data.draw(st.lists(st.integers(0, 9), min_size=kinds, max_size=kinds).filter(any)))
    scene = Scene(counts, domain)
    assert read_scene(scene.code, domain) == scene
    assert read_scene(scene.code.lower().replace(" ", ", "), domain, scene.size) == scene
    assert scene.size == sum(counts)


@pytest.mark.parametrize(
    "text",
    ["BS=2 RC=2", "RC=2 BS=2", "bs=2,rc=2", "BS: 2; RC: 2", "BS=2、RC=2", "ＢＳ＝２，ＲＣ＝２", " BS = 2\nRC=+2 RS=0"],
)
def test_ways_to_write_a_scene(text: str) -> None:
    assert read_scene(text, size=4).counts == (2, 0, 0, 2)


@pytest.mark.parametrize(
    ("text", "size", "told"),
    [
        ("", None, "'' is no scene. Counts of kinds: BS=2 RC=2."),
        ("two blue squares", None, "is no scene"),
        ("BS=2.5", None, "is no scene"),
        ("BS=2 and RC=2", None, "is no scene"),
        ("BS=" + "9" * 5000, None, "…: the number is too large. A scene holds 1 to 400 things."),
        ("BS=9999999999999999999999", None, "BS=9999999999999999999999: the number is too large."),
        ("BS=-9999999999999999999999", None, "there cannot be fewer than 0 of a kind"),
        ("BS=-2 RC=6", None, "BS=-2: there cannot be fewer than 0 of a kind"),
        ("BS=2 GS=2", None, "No kind has the code 'GS'. Kinds: BS (blue square), BC (blue circle), RS (red square)"),
        ("BS=2 bs=2", None, "The kind bs is counted twice"),
        ("BS=0", None, "A scene cannot hold 0 things. 1 to 400 things."),
        ("BS=401", None, "A scene cannot hold 401 things"),
        ("BS=2 RC=3", 4, "The counts BS=2 RC=3 add up to 5, not to 4. Change the counts or the size."),
    ],
)
def test_what_is_no_scene_is_told(text: str, size: int | None, told: str) -> None:
    with pytest.raises(UserError) as error:
        read_scene(text, size=size)
    assert told in str(error.value)


@pytest.mark.parametrize("counts", [(), (1, 2), (1, 2, 3, 4, 5), (1, -1, 2, 2)])
def test_counts_that_are_no_scene_are_told(counts: tuple[int, ...]) -> None:
    with pytest.raises(UserError, match="4 counts from 0, one for each of BS, BC, RS, RC"):
        checked_scene(Scene(counts))


# --- limits ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, -1, LARGEST_SCENE + 1])
def test_scenes_of_no_things_or_too_many_are_none(size: int) -> None:
    with pytest.raises(UserError, match=f"A scene cannot hold {size} things"):
        scene_space(DEFAULT_DOMAIN, size)


# C(400 + 3, 3) = 10,827,401 scenes; C(20 + 9, 9) = 10,015,005 scenes of ten kinds.
@pytest.mark.parametrize(("kinds", "size", "number"), [(4, 400, "10,827,401"), (10, 20, "10,015,005")])
def test_a_space_that_is_too_large_is_refused(kinds: int, size: int, number: str) -> None:
    with pytest.raises(UserError, match=f"There are {number} scenes of {size} things of {kinds} kinds"):
        scene_space(numbered(kinds), size)


def test_few_scenes_of_very_many_kinds_are_refused_too() -> None:
    # C(600 + 1, 2) = 180,300 scenes, but 600 counts each: 108 million.
    with pytest.raises(UserError, match="180,300 scenes of 2 things of 600 kinds"):
        scene_space(numbered(600), 2)


def test_numbers_of_kinds_agree_with_plain_enumeration() -> None:
    # Independent of the formula: count the multisets.
    assert scene_space(numbered(3), 6).number == len(list(itertools.combinations_with_replacement("abc", 6)))
