"""Does the proof see every way in which lists can be wrong?"""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from hengliang import Bilingual, UserError
from hengliang.experiments import Experiment, stimuli_frame, versions_frame
from hengliang.people.design.list_proof import (
    check_proof,
    faults,
    order_faults,
    proof,
    smallest_distance,
    smallest_repeat_distance,
)
from hengliang.people.sessions.survey import Design
from hengliang.people.tasks.likert import LikertRating
from tests.people.design.made_lists import stimuli

DESIGN = Design(distance=2, repeat_distance=3, seed=7)

BESIDE = [("p-0", "practice"), ("x-0", "catch")]
"""Beside the targets, every list has these."""

LISTS = {
    "1": ["p-0", "0-0", "1-0", "2-0", "1-1", "0-0", "x-0"],
    "2": ["p-0", "3-0", "x-0", "4-0", "3-1", "5-0"],
}


def experiment(lists: dict[str, list[str]] | None = None, sizes: tuple[int, ...] = (1, 2, 1, 2, 1, 1)) -> Experiment:
    """Return an experiment of two lists by hand; list 1 shows 0-0 again."""
    rows = []
    for version, shown in (lists or LISTS).items():
        for position, about in enumerate(shown, 1):
            role = dict(BESIDE).get(about, "target")
            seen = shown[: position - 1].count(about)
            rows.append(
                {
                    "version": version,
                    "position": position,
                    "about": about,
                    "role": "repeat" if seen else role,
                    "occurrence": seen + 1,
                }
            )
    beside = [{"about": a, "item": a[0], "text": a, "spans": [], "systems": [], "details": "{}"} for a, _ in BESIDE]
    shown_stimuli = pl.concat([stimuli(sizes), stimuli_frame(beside)])
    scales = LikertRating().scales()
    return Experiment("made", Bilingual("made", "自拟"), scales, shown_stimuli, versions=versions_frame(rows))


def test_what_is_right_has_no_fault_and_a_proof() -> None:
    held = experiment()
    assert faults(held, DESIGN) == []
    line = proof(held, DESIGN)
    # By hand: targets 0-0 1-0 2-0 1-1 and 3-0 4-0 3-1 5-0; 1-0 and 1-1 are two places apart, 0-0 comes back after four.
    assert line.startswith(
        "2 lists (clusters); targets 4, 4; items with 1 variant 2, 2; items with 2 variants 1, 1; "
        "rows of an item at least 2 apart; repeats at least 4 later; seed 7; lists "
    )
    check_proof(held, replace(DESIGN, proof=line))


def swapped(version: str, one: int, other: int) -> Experiment:
    lists = {name: list(shown) for name, shown in LISTS.items()}
    lists[version][one], lists[version][other] = lists[version][other], lists[version][one]
    return experiment(lists)


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (swapped("1", 0, 1), "version 1: practice does not come first"),
        (swapped("1", 3, 4), "version 1: variants of an item are 1 apart, not 2"),
        (swapped("1", 1, 4), "version 1: a repeat comes 1 places after its first showing, not 3"),
        (experiment({**LISTS, "1": ["p-0", "0-0", "1-0", "2-0", "1-1", "x-0"]}), ""),
        (experiment({**LISTS, "2": ["p-0", "3-0", "4-0", "3-1", "5-0"]}), "lists differ in practice, fillers or catch"),
        (experiment({**LISTS, "2": ["p-0", "3-0", "x-0", "4-0", "5-0"]}), "'3-1' is a target of 0 lists, not of 1"),
        (
            experiment({"1": [*LISTS["1"][:-3], "x-0"], "2": ["p-0", "3-0", "1-1", "4-0", "3-1", "x-0", "5-0"]}),
            "variants of '1' are in several lists",
        ),
        (
            experiment(
                {"1": ["p-0", "1-0", "2-0", "1-1", "x-0"], "2": ["p-0", "3-0", "0-0", "4-0", "3-1", "x-0", "5-0"]}
            ),
            "lists have 3 to 5 targets",
        ),
    ],
)
def test_every_fault_is_seen(wrong: Experiment, fault: str) -> None:
    found = faults(wrong, DESIGN)
    assert (found == []) if not fault else any(one.startswith(fault) for one in found), found
    if fault:
        with pytest.raises(UserError, match="The lists do not keep the design"):
            proof(wrong, DESIGN)


def test_sizes_may_be_uneven_when_the_design_says_so() -> None:
    lists = {"1": ["p-0", "1-0", "2-0", "1-1", "x-0"], "2": ["p-0", "3-0", "0-0", "4-0", "3-1", "x-0", "5-0"]}
    assert faults(experiment(lists), replace(DESIGN, uneven=True)) == []


def changed(**columns: pl.Expr) -> Experiment:
    held = experiment()
    return replace(held, versions=held.versions.with_columns(**columns))


def test_blocks_positions_and_occurrences() -> None:
    here = (pl.col("version") == "1") & (pl.col("about") == "1-0")
    blocks = changed(block=pl.when(here).then(2).otherwise(pl.col("block")))
    assert "version 1: blocks are not in their order" in faults(blocks, DESIGN)
    moved = changed(position=pl.col("position") + 1)
    assert faults(moved, DESIGN) == ["version 1: positions are not 1 to 7", "version 2: positions are not 1 to 6"]
    roles = changed(role=pl.when(here).then(pl.lit("repeat")).otherwise(pl.col("role")))
    assert "version 1: '1-0' is a repeat of occurrence 1" in faults(roles, DESIGN)
    alone = changed(about=pl.when(pl.col("role") == "repeat").then(pl.lit("5-0")).otherwise(pl.col("about")))
    assert "version 1: the repeat of '5-0' is of nothing in its block" in faults(alone, DESIGN)


def test_a_latin_square() -> None:
    # Item 0 has one variant of all four systems, item 1 has two: that of three systems, and that of BERT.
    lists = {"1": ["0-0", "1-0"], "2": ["1-0", "0-0"], "3": ["0-0", "1-0"], "4": ["0-0", "1-1"]}
    right = replace(experiment(lists, (1, 2)), stimuli=stimuli((1, 2)))
    latin = Design(lists="latin")
    assert faults(right, latin) == []
    assert "no item twice in a list" in proof(right, latin)
    twice = replace(right, versions=experiment({**lists, "4": ["1-1", "0-0", "1-0"]}, (1, 2)).versions)
    assert faults(twice, latin) == ["'1-0' is a target of 4 lists, not of 3", "version 4 shows two variants of '1'"]


def test_catch_items_that_stand_together() -> None:
    rows = [{"about": f"{n}-0", "role": role, "block": 1, "occurrence": 1} for n, role in enumerate("tttcct")]
    named = [{**row, "role": "catch" if row["role"] == "c" else "target"} for row in rows]
    items = {f"{n}-0": str(n) for n in range(6)}
    # Six places, two catch items: one belongs to places 1 to 3, the other to 4 to 6; these are at 4 and 5.
    assert order_faults(named, items, DESIGN) == ["catch items of block 1 are not spread: one stands at 4 of 6"]


def test_distances() -> None:
    rows = [{"about": about, "occurrence": time} for about, time in (("a", 1), ("b", 1), ("c", 1), ("a", 2))]
    assert smallest_distance(rows, {"a": "1", "b": "2", "c": "2"}) == 1
    assert smallest_repeat_distance(rows) == 3 and smallest_repeat_distance(rows[:3]) is None
    assert smallest_distance(rows[:2], {"a": "1", "b": "2"}) is None


def test_lists_that_were_changed_afterwards_are_refused() -> None:
    design = replace(DESIGN, proof=proof(experiment(), DESIGN))
    # 2-0 and 0-0 change places: still without a fault, but not what was proved.
    with pytest.raises(UserError, match="not those that were proved"):
        check_proof(swapped("2", 3, 5), design)
    with pytest.raises(UserError, match="Proved: nothing"):
        check_proof(experiment(), DESIGN)
