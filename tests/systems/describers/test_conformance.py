"""Does each fault of a describer break the promise that is about it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from hengliang.core import examine
from hengliang.materials.quantified_expressions import read_expression
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.materials.scenes import Scene, read_scene
from hengliang.systems.describers.base import Described, Describer
from hengliang.systems.describers.conformance import describer_promises
from hengliang.systems.describers.greedy import Greedy
from hengliang.systems.describers.incremental import Incremental
from tests.systems.describers.scene_strategies import TWO_BY_THREE


def broken_promises(describer: Describer) -> set[str]:
    return {finding.promise for finding in examine(describer_promises(describer)) if not finding.kept}


@pytest.mark.parametrize(
    "describer",
    [
        Greedy(),
        Incremental(),
        Greedy(language="zh", inventory="with numbers", seed=2),
        Incremental(language="zh", reading="semantic", inventory="with vague", seed=3),
        Greedy(TWO_BY_THREE, longest=2),
        Incremental(TWO_BY_THREE, language="zh", varied=False),
    ],
    ids=lambda describer: f"{describer.name} {describer.language} {describer.domain.name}",
)
def test_our_describers_keep_all_promises(describer: Describer) -> None:
    findings = list(describer.conformance())
    assert [finding for finding in findings if not finding.kept] == []
    assert len(findings) >= 18


class Broken(Describer):
    """A describer with one fault; without a fault it says what the greedy one says."""

    name = "broken"
    longest = 4

    def __init__(self, fault: str = "") -> None:
        self.fault = fault
        self.__dict__["_calls"] = 0

    def describe(self, scenes: Sequence[Scene]) -> list[Described]:
        self.__dict__["_calls"] += 1
        said = Greedy().describe(scenes)
        return getattr(self, f"_{self.fault}")(scenes, said) if self.fault else said

    def _silent(self, scenes: Sequence[Scene], said: list[Described]) -> list[Described]:
        return [replace(one, text=" ") for one in said]

    def _false(self, scenes: Sequence[Scene], said: list[Described]) -> list[Described]:
        lie = read_expression("no(object, blue square)", DEFAULT_DOMAIN)
        return [replace(one, expressions=(*one.expressions[:-1], lie)) for one in said]

    def _miscounted(self, scenes: Sequence[Scene], said: list[Described]) -> list[Described]:
        return [replace(one, left=one.left + 1) for one in said]

    def _boasting(self, scenes: Sequence[Scene], said: list[Described]) -> list[Described]:
        return [
            replace(one, ending="complete", left=2) if scene.size == 9 else one
            for scene, one in zip(scenes, said, strict=True)
        ]

    def _giving_up(self, scenes: Sequence[Scene], said: list[Described]) -> list[Described]:
        return [replace(one, ending="limit") for one in said]

    def _nameless_ending(self, scenes: Sequence[Scene], said: list[Described]) -> list[Described]:
        return [replace(one, ending="bored") for one in said]  # type: ignore[arg-type]

    def _long(self, scenes: Sequence[Scene], said: list[Described]) -> list[Described]:
        return [replace(one, expressions=one.expressions[:1] * 5) for one in said]

    def _unreadable(self, scenes: Sequence[Scene], said: list[Described]) -> list[Described]:
        return [replace(one, text="Colourless ideas sleep.") for one in said]

    def _misread(self, scenes: Sequence[Scene], said: list[Described]) -> list[Described]:
        other = Greedy().describe([read_scene("BS=4")])[0]
        return [replace(one, text=other.text) for one in said]

    def _moody(self, scenes: Sequence[Scene], said: list[Described]) -> list[Described]:
        return Greedy(seed=self.__dict__["_calls"]).describe(scenes)

    def _crowd(self, scenes: Sequence[Scene], said: list[Described]) -> list[Described]:
        return Greedy(seed=len(scenes)).describe(scenes)

    def _queue(self, scenes: Sequence[Scene], said: list[Described]) -> list[Described]:
        return [Greedy(seed=place).describe([scene])[0] for place, scene in enumerate(scenes)]

    def _short(self, scenes: Sequence[Scene], said: list[Described]) -> list[Described]:
        return said[1:]

    def _invention(self, scenes: Sequence[Scene], said: list[Described]) -> list[Described]:
        return said or Greedy().describe([read_scene("BS=4")])


@pytest.mark.parametrize(
    ("fault", "promise"),
    [
        ("silent", "describes ordinary scenes"),
        ("false", "what it says is true of the scene"),
        ("miscounted", "tells how many scenes are left"),
        ("boasting", "is complete when exactly one scene is left"),
        ("giving_up", "tells truly why it ended"),
        ("nameless_ending", "tells truly why it ended"),
        ("long", "stays within its length"),
        ("unreadable", "its text can be read back"),
        ("misread", "its text can be read back"),
        ("moody", "gives the same answer the second time"),
        ("crowd", "gives the same answer alone as in a batch"),
        ("queue", "gives the same answer in another order"),
        ("short", "describes ordinary scenes"),
        ("invention", "an empty table gives an empty table"),
    ],
)
def test_each_fault_breaks_its_promise(fault: str, promise: str) -> None:
    assert promise in broken_promises(Broken(fault))


def test_without_a_fault_all_promises_are_kept() -> None:
    assert broken_promises(Broken()) == set()


def test_who_looks_at_ids_or_swallows_bad_codes_is_found() -> None:
    import polars as pl

    class ByName(Broken):
        def answer(self, items: pl.DataFrame) -> pl.DataFrame:
            return super().answer(items).with_columns(content=pl.concat_str("item", "content"))

    class Polite(Broken):
        def answer(self, items: pl.DataFrame) -> pl.DataFrame:
            return super().answer(items).with_columns(status=pl.lit("ok"), reason=pl.lit(""))

    assert {"does not look at the ids of items", "its answer is the text of its description"} <= broken_promises(
        ByName()
    )
    assert "a code that is no scene gets a reason" in broken_promises(Polite())
