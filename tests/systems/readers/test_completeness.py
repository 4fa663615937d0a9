"""Is a description complete in the stated reading alone, and true and complete of the right scene only?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.materials.quantified_expressions import is_true, read_expression
from hengliang.materials.quantifiers import READINGS, Reading
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.materials.scenes import Scene, read_scene, scene_space
from hengliang.systems.readers.completeness import Completeness, completeness
from hengliang.systems.readers.understanding import understand

WRITTEN = (
    "all(object, square)",
    "all(object, circle)",
    "half(object, blue)",
    "some(circle, red)",
    "exactly(1; object, circle)",
    "no(square, red)",
)


@pytest.mark.parametrize(
    ("written", "code", "left", "true"),
    [
        (("all(object, blue square)",), "BS=4", 1, True),
        (("all(object, blue circle)",), "BS=4", 1, False),
        (("all(object, square)",), "BS=4", 5, True),
        (("all(object, red)", "all(object, blue)"), "BS=4", 0, False),
        ((), "BS=4", 35, True),
    ],
)
def test_by_hand(written: tuple[str, ...], code: str, left: int, true: bool) -> None:
    said = tuple(read_expression(one, DEFAULT_DOMAIN) for one in written)
    for reading in READINGS:
        found = completeness(said, read_scene(code), reading)
        assert found == Completeness(left, true)
        assert (found.complete, found.complete_and_true) == (left == 1, left == 1 and true)


def test_nothing_is_read_another_way_where_no_scene_is_left() -> None:
    # Some of the circles would not be all of them, but there is one.
    said = tuple(read_expression(WRITTEN[place], DEFAULT_DOMAIN) for place in (3, 4, 5))
    scene = read_scene("BS=3 RC=1")
    assert understand(said, 4).fell_back
    assert understand(said, 4).number == 1
    assert completeness(said, scene, "pragmatic") == Completeness(0, False)
    assert completeness(said, scene, "semantic") == Completeness(1, True)


@given(
    st.lists(st.sampled_from(WRITTEN), max_size=4),
    st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(any),
    st.sampled_from(READINGS),
)
def test_it_is_what_one_finds_by_trying_each_scene(written: list[str], counts: list[int], reading: Reading) -> None:
    said = tuple(read_expression(one, DEFAULT_DOMAIN) for one in written)
    scene = Scene(tuple(counts))
    space = scene_space(DEFAULT_DOMAIN, scene.size)
    every = [Scene(tuple(row)) for row in space.counts.tolist()]
    left = [one for one in every if all(is_true(form, one, reading) for form in said)]
    found = completeness(said, scene, reading)
    assert (found.left, found.true, found.complete_and_true) == (len(left), scene in left, left == [scene])
