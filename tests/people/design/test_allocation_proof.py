"""Does the proof of an allocation see every way in which it can be wrong?"""

from __future__ import annotations

import json
from dataclasses import replace

import polars as pl
import pytest

from hengliang import Bilingual, UserError
from hengliang.experiments import Experiment, Plan, stimuli_frame, versions_frame
from hengliang.people.design.allocation_proof import ALLOCATED, allocation_faults, allocation_summary, sizes_of
from hengliang.people.design.list_proof import check_proof, faults, proof
from hengliang.people.sessions.survey import Design
from hengliang.scenes import Reconstruction

DESIGN = Design(lists=ALLOCATED, distance=1)
# Two scenes of size 4 and two of 9, each described by I and G; every pair has 1 reader, 4 people read 2 pairs each.
LISTS = {"1": ["4a-I", "9a-I"], "2": ["4a-G", "9a-G"], "3": ["4b-I", "9b-I"], "4": ["4b-G", "9b-G"]}


def experiment(
    lists: dict[str, list[str]], readers: int | None = 1, blocks: dict[int, int] | None = None
) -> Experiment:
    """Return an experiment by hand; the first sign of a stimulus is its size, the first two are its scene."""
    abouts = sorted({about for shown in LISTS.values() for about in shown})
    stimuli = [
        {
            "about": about,
            "item": about[:2],
            "text": about,
            "spans": [],
            "systems": [about[-1]],
            "details": json.dumps({"scene_size": int(about[0])}),
        }
        for about in abouts
    ]
    block = blocks or {4: 1, 9: 2}
    rows = [
        {"version": version, "position": place, "about": about, "block": block[int(about[0])]}
        for version, shown in lists.items()
        for place, about in enumerate(shown, 1)
    ]
    task = Reconstruction()
    return Experiment(
        "made",
        Bilingual("made", "自拟"),
        task.scales(),
        stimuli_frame(stimuli),
        Plan(raters_per_item=readers),
        versions=versions_frame(rows),
    )


def changed(**lists: list[str]) -> dict[str, list[str]]:
    return {**LISTS, **{name.removeprefix("list_"): shown for name, shown in lists.items()}}


def test_what_is_right_has_no_fault_and_a_proof() -> None:
    held = experiment(LISTS)
    assert list(allocation_faults(held)) == [] == faults(held, DESIGN)
    assert allocation_summary(held).en == "8 pairs with 1 readers each; nobody meets a scene twice"
    assert sizes_of(held)["9b-G"] == 9
    line = proof(held, DESIGN)
    assert line.startswith("4 lists (allocated); targets 2, 2, 2, 2; 8 pairs with 1 readers each; ")
    check_proof(held, replace(DESIGN, proof=line))
    with pytest.raises(UserError, match="not those that were proved"):
        check_proof(experiment(changed(list_1=["4b-I", "9a-I"], list_3=["4a-I", "9b-I"])), replace(DESIGN, proof=line))


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (experiment(LISTS, readers=2), "'4a-G' is read by 1 participants, not by 2"),
        (experiment(LISTS, readers=None), "the plan does not say how many readers a pair has"),
        (experiment(changed(list_1=["4a-I"])), "'9a-I' is read by 0 participants, not by 1"),
        (experiment(changed(list_1=["4a-I", "4b-I", "9a-I"], list_3=["9b-I"])), "lists have 1 to 3 pairs"),
        (
            experiment(changed(list_1=["4a-I", "4b-I"], list_3=["9a-I", "9b-I"])),
            "lists have 0 to 2 pairs of size 4",
        ),
        (
            experiment(changed(list_1=["4a-I", "9a-I"], list_2=["4a-I", "9a-G"], list_3=["4a-G", "9b-I"])),
            "'4b-I' is read by 0 participants, not by 1",
        ),
        (experiment(LISTS, blocks={4: 2, 9: 1}), "the sizes of the blocks are 9, 4: they do not ascend"),
        (experiment(LISTS, blocks={4: 1, 9: 1}), "block 1 mixes the sizes 4, 9"),
    ],
)
def test_every_fault_is_seen(wrong: Experiment, fault: str) -> None:
    assert fault in list(allocation_faults(wrong))
    with pytest.raises(UserError, match="do not keep the design"):
        proof(wrong, DESIGN)


def test_a_scene_that_is_met_twice_without_need() -> None:
    # Two people read two pairs of size 4 each: person 1 has both descriptions of scene 4a, although 2 readings of a
    # scene over 2 people would be 1 each.
    lists = {"1": ["4a-I", "4a-G"], "2": ["4b-I", "4b-G"]}
    held = experiment(lists)
    held = replace(held, stimuli=held.stimuli.filter(pl.col("item").is_in(["4a", "4b"])))
    assert list(allocation_faults(held)) == [
        "a list has 2 descriptions of the scene '4a', where 1 would do",
        "a list has 2 descriptions of the scene '4b', where 1 would do",
    ]
    assert allocation_summary(held).en.endswith("2 readings of a scene met before")
    twice = replace(held, versions=pl.concat([held.versions, held.versions.head(1)]))
    assert "version 1 shows '4a-I' 2 times" in list(allocation_faults(twice))
