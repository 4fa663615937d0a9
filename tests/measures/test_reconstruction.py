"""Are swaps counted as paper 001 counts them, and is an answer that is missing never a zero?"""

from __future__ import annotations

import itertools
import math
import statistics

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Item, Response, UserError
from hengliang.core import Count, check_judgements, items_frame, responses_frame, with_response_ids
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.materials.scenes import Scene, read_scene
from hengliang.measures.reconstruction import (
    PARTS,
    Swaps,
    counted_scene,
    greatest_swaps,
    spread_of_answers,
    swap_percentage,
    swap_percentage_of_maximum,
    swaps_between,
)
from hengliang.people.tasks.scenes import KINDS

Counts = tuple[int, ...]


def scenes_of(size: int, kinds: int = 4) -> st.SearchStrategy[Counts]:
    cuts = st.lists(st.integers(0, size), min_size=kinds - 1, max_size=kinds - 1).map(sorted)
    return cuts.map(lambda held: tuple(b - a for a, b in itertools.pairwise([0, *held, size])))


def several(number: int) -> st.SearchStrategy[tuple[Counts, ...]]:
    shapes = st.tuples(st.integers(1, 20), st.integers(2, 6))
    return shapes.flatmap(lambda shape: st.tuples(*[scenes_of(*shape)] * number))


def all_scenes(size: int) -> list[Counts]:
    return [counts for counts in itertools.product(range(size + 1), repeat=4) if sum(counts) == size]


def by_single_swaps(start: Counts, goal: Counts) -> int:
    """Return the fewest swaps from one scene to another, by trying all single ones step by step."""
    reached, steps = {start}, 0
    while goal not in reached:
        steps += 1
        reached |= {
            tuple(count - (kind == away) + (kind == to) for kind, count in enumerate(scene))
            for scene in reached
            for away, to in itertools.permutations(range(len(scene)), 2)
            if scene[away]
        }
    return steps


# --- swaps ----------------------------------------------------------------------------------------------------------


def test_the_worked_example_of_the_paper() -> None:
    # Section 3.4: BS 2, RS 1, BC 0, RC 1 against BS 2, RS 1, BC 1, RC 0: (0 + 0 + 1 + 1) / 2.
    scene, answer = read_scene("BS=2 RS=1 RC=1"), read_scene("BS=2 RS=1 BC=1")
    assert swaps_between(scene.counts, answer.counts) == 1
    assert swap_percentage(1, scene.counts) == 25
    assert swap_percentage_of_maximum(1, scene.counts) == 25  # a kind is absent, so 4 is the maximum


@given(several(3))
def test_swaps_are_a_metric(scenes: tuple[Counts, Counts, Counts]) -> None:
    one, two, three = scenes
    assert (swaps_between(one, two) == 0) == (one == two)
    assert swaps_between(one, two) == swaps_between(two, one) >= 0
    assert swaps_between(one, three) <= swaps_between(one, two) + swaps_between(two, three)


@pytest.mark.parametrize(("start", "goal"), list(itertools.product(all_scenes(3)[::3], all_scenes(3)[::4])))
def test_swaps_are_the_fewest_exchanges_of_one_thing(start: Counts, goal: Counts) -> None:
    assert swaps_between(start, goal) == by_single_swaps(start, goal)


@given(several(2))
def test_no_answer_is_further_than_the_greatest(scenes: tuple[Counts, Counts]) -> None:
    scene, answer = scenes
    assert swaps_between(scene, answer) <= greatest_swaps(scene) <= sum(scene)
    rarest = scene.index(min(scene))
    furthest = tuple(sum(scene) * (kind == rarest) for kind in range(len(scene)))
    assert swaps_between(scene, furthest) == greatest_swaps(scene)
    assert swap_percentage_of_maximum(swaps_between(scene, furthest), scene) == 100
    assert (greatest_swaps(scene) == sum(scene)) == (0 in scene)


@pytest.mark.parametrize("answer", [(2, 1, 0), (2, 1, 0, 2), (4, 4, 4, 4)])
def test_scenes_of_other_sizes_have_no_swaps(answer: Counts) -> None:
    with pytest.raises(UserError, match="cannot be turned into each other by swaps"):
        swaps_between((2, 1, 0, 1), answer)


# --- spread ---------------------------------------------------------------------------------------------------------


def test_the_spread_as_the_tables_have_it() -> None:
    # Three readers say (2, 1, 0, 1), one says (2, 1, 1, 0): two kinds deviate by √(3·(1/4)² + (3/4)²)/√3 = 1/2 each.
    readers = [(2, 1, 0, 1)] * 3 + [(2, 1, 1, 0)]
    found = spread_of_answers(readers)
    assert found is not None
    assert found.deviations == pytest.approx((0, 0, 0.5, 0.5))
    assert (found.summed, found.mean) == pytest.approx((1.0, 0.25))
    assert found.readers == 4
    # Two readers one swap apart: two kinds at 1/√2 each.
    two = spread_of_answers(readers[2:])
    assert two is not None
    assert two.summed == pytest.approx(1.414, abs=5e-4)
    assert two.mean == pytest.approx(math.sqrt(2) / 4)


@given(several(4))
def test_the_spread_is_that_of_the_standard_library(answers: tuple[Counts, ...]) -> None:
    found = spread_of_answers(answers)
    assert found is not None
    assert found.summed == pytest.approx(sum(map(statistics.stdev, zip(*answers, strict=True))))
    assert found.mean == pytest.approx(statistics.mean(map(statistics.stdev, zip(*answers, strict=True))))
    two = spread_of_answers(answers[:2])
    assert two is not None
    # Two readers: each kind deviates by its difference over √2, and s swaps differ by 2s in all.
    assert two.summed == pytest.approx(math.sqrt(2) * swaps_between(*answers[:2]))


def test_a_missing_answer_is_left_out_and_one_reader_has_no_spread() -> None:
    assert spread_of_answers([(2, 2), None, (3, 1), None]) == spread_of_answers([(2, 2), (3, 1)])
    assert spread_of_answers([(2, 2), None]) is None
    assert spread_of_answers([]) is None
    with pytest.raises(UserError, match="different numbers of kinds"):
        spread_of_answers([(2, 2), (3, 1, 0)])


# --- the measure ----------------------------------------------------------------------------------------------------

ITEMS = items_frame(
    [
        Item("a", "a", "mine", "", "Half are …", gold="BS=2 RS=1 RC=1", attributes={"scene_size": 4}),
        Item("b", "b", "mine", "", "Most are …", gold="BS=3 BC=2 RS=2 RC=1", attributes={"scene_size": 8}),
        Item("c", "c", "mine", "", "Some are …", attributes={"scene_size": 4}),
        Item("d", "d", "mine", "", "All are …", gold="four", attributes={"scene_size": 4}),
    ]
)


def counts(scene: str) -> tuple[Count, ...]:
    names = DEFAULT_DOMAIN.kind_names
    return tuple(Count(name, count) for name, count in zip(names, read_scene(scene).counts, strict=True))


def judged(*answers: tuple[str, tuple[Count, ...] | None]) -> pl.DataFrame:
    rows = [
        Response("", item, "R", None, f"p{place}", "counts", content, "ok" if content is not None else "missing",
                 "" if content is not None else "I did not understand")
        for place, (item, content) in enumerate(answers)
    ]  # fmt: skip
    responses = with_response_ids(responses_frame(rows, "counts"), "counts")
    return check_judgements(Swaps().judge(ITEMS, responses))


def values(found: pl.DataFrame) -> dict[str, float | None]:
    return dict(found.select("part", "value").iter_rows())


def test_three_parts_for_each_answer() -> None:
    found = judged(("a", counts("BS=2 RS=1 BC=1")))
    assert values(found) == {"swaps": 1.0, "swap percentage": 25.0, "swap percentage of maximum": 25.0}
    assert tuple(found["part"]) == PARTS
    # All kinds are there: 8 things, at most 8 − 1 = 7 swaps; RS=8 is 8 − 2 = 6 away.
    found = judged(("b", counts("RS=8")))
    assert values(found) == pytest.approx({"swaps": 6, "swap percentage": 75, "swap percentage of maximum": 600 / 7})


def test_the_kinds_are_those_of_the_reconstruction_task() -> None:
    assert {kind.name for kind in KINDS} == set(DEFAULT_DOMAIN.kind_names)
    answer = read_scene("BS=2 RS=1 RC=1")
    held = dict(zip(answer.domain.kind_names, answer.counts, strict=True))
    found = judged(("a", tuple(Count(kind.name, held[kind.name]) for kind in KINDS)))
    assert values(found)["swaps"] == 0


@given(st.permutations(counts("BS=1 BC=1 RS=1 RC=1")), st.booleans())
def test_kinds_in_any_order_by_name_or_by_code(shuffled: list[Count], coded: bool) -> None:
    codes = dict(zip(DEFAULT_DOMAIN.kind_names, DEFAULT_DOMAIN.codes, strict=True))
    answer = tuple(Count(codes[one.kind], one.count) if coded else one for one in shuffled)
    assert values(judged(("a", answer)))["swaps"] == 1


def test_a_kind_that_is_not_counted_is_absent() -> None:
    assert values(judged(("a", (Count("red circle", 4),))))["swaps"] == 3


@pytest.mark.parametrize(
    ("item", "answer", "reason"),
    [
        ("a", None, "I did not understand"),
        ("a", counts("BS=3"), "The counts add up to 3, not to 4."),
        ("a", (), "The counts add up to 0, not to 4."),
        ("a", (Count("green star", 4),), "No kind is called 'green star'."),
        ("a", (Count("blue square", 2), Count("BS", 2)), "The kind 'BS' is counted twice."),
        ("a", (Count("blue square", 5), Count("red square", -1)), "-1 cannot be the count of 'red square'."),
        ("c", counts("BS=4"), "the item has no gold answer"),
        ("d", counts("BS=4"), "the gold answer is no scene: 'four' is no scene."),
        ("e", counts("BS=4"), "there is no item with this id"),
    ],
)
def test_what_cannot_be_judged_is_missing_and_never_zero(
    item: str, answer: tuple[Count, ...] | None, reason: str
) -> None:
    found = judged((item, answer), ("a", counts("BS=4")))
    missing = found.head(3)
    assert missing["value"].to_list() == [None] * 3
    assert missing["status"].to_list() == ["missing"] * 3
    assert missing["reason"].to_list() == [reason] * 3
    assert found["value"].to_list()[3:] == [2.0, 50.0, 50.0]


def test_the_measure_keeps_the_promises_of_measures() -> None:
    assert [finding for finding in Swaps().conformance() if not finding.kept] == []


def test_counted_scenes() -> None:
    rows = [{"kind": "red circle", "count": 2}, {"kind": "BS", "count": 1}]
    assert counted_scene(rows, DEFAULT_DOMAIN) == Scene((1, 0, 0, 2))
    with pytest.raises(UserError, match="nothing cannot be the count"):
        counted_scene([{"kind": "BS", "count": None}], DEFAULT_DOMAIN)
