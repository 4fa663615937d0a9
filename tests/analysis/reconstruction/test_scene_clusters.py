"""Are scenes told from pairs and from sizes?"""

from __future__ import annotations

import polars as pl
import pytest

from hengliang.analysis.reconstruction.scene_clusters import (
    drawn_unit,
    pair_scenes,
    scenes_are_pairs,
    scenes_are_sizes,
    shared_sizes,
    with_scenes,
)


def frame(scenes: str, sizes: list[int], describers: str = "") -> pl.DataFrame:
    """Return one answer a pair; each letter is the scene or the describer of one."""
    pairs = [f"p{number}" for number in range(len(scenes))]
    who = list(describers or "h" * len(scenes))
    return pl.DataFrame({"pair": pairs, "scene": list(scenes), "size": sizes, "describer": who})


@pytest.mark.parametrize(
    ("held", "are_pairs", "are_sizes", "unit"),
    [
        (frame("aabbcc", [4, 4, 4, 4, 9, 9]), False, False, "scene"),
        (frame("aabb", [4, 4, 9, 9]), False, True, "pair"),
        (frame("aa", [4, 4]), False, True, "pair"),
        (frame("abcd", [4, 4, 9, 9]), True, False, "pair"),
        (frame("ab", [4, 9]), True, False, "pair"),
    ],
)
def test_what_scenes_are(held: pl.DataFrame, are_pairs: bool, are_sizes: bool, unit: str) -> None:
    assert (scenes_are_pairs(held), scenes_are_sizes(held), drawn_unit(held)) == (are_pairs, are_sizes, unit)


def test_where_the_scene_is_not_known_the_pair_stands_for_it() -> None:
    held = frame("aab", [4, 4, 9])
    assert with_scenes(held.drop("scene"))["scene"].to_list() == ["p0", "p1", "p2"]
    some = held.with_columns(scene=pl.Series(["a", None, ""]))
    assert with_scenes(some)["scene"].to_list() == ["a", "p1", "p2"]
    assert pair_scenes(held) == {"p0": "a", "p1": "a", "p2": "b"}
    assert pair_scenes(held.with_columns(plain_pair=pl.Series(["1", "2", "3"]))) == {"1": "a", "2": "a", "3": "b"}


def test_sizes_that_all_describers_have() -> None:
    assert shared_sizes(frame("abcde", [9, 4, 4, 9, 20], "xxyyx")) == [4, 9]
    assert shared_sizes(frame("ab", [4, 9], "xy")) == []
    assert shared_sizes(frame("ab", [9, 4])) == [4, 9]
