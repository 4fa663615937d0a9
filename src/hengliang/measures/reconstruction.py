"""How far is a rebuilt scene from the one that was described, and how far apart are several readers?

A scene of n things of some kinds is described, and somebody rebuilds it from the description. A swap turns a thing of
one kind into one of another; half the sum of the differences of the counts is how many swaps the answer is away
[1, section 3.4]. Where scenes of several sizes are compared, swaps are given as a percentage

    of n          as the paper has it; it reaches 100 only where some kind is absent from the scene
    of maximum    of the swaps that are possible, n minus the smallest count: all things became the rarest kind

The spread of the answers to one description is the sum over kinds of the sample standard deviations of the counts,
which is what the tables of [1] print (one deviant reader of four is 1.0, two readers one swap apart are 1.414), or
their mean, which is what its text describes.

[1] Pel, R. (2020). A task-based evaluation of algorithms that generate quantifiable expressions. Utrecht University.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from hengliang.core.base_classes import Measure
from hengliang.core.errors import UserError
from hengliang.core.judging import NO_GOLD, NO_ITEM, judgements, with_each_part
from hengliang.core.records import ResponseKind
from hengliang.core.registry import register
from hengliang.core.terms import Bilingual
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import Scene, read_scene

SWAPS = "swaps"
PERCENTAGE = "swap percentage"
PERCENTAGE_OF_MAXIMUM = "swap percentage of maximum"
PARTS = (SWAPS, PERCENTAGE, PERCENTAGE_OF_MAXIMUM)


def swaps_between(scene: Sequence[int], answer: Sequence[int]) -> int:
    """Return how many things have to be exchanged to turn one scene into another of the same size.

    >>> swaps_between((2, 1, 0, 1), (2, 1, 1, 0))
    1
    """
    if len(scene) != len(answer) or sum(scene) != sum(answer):
        raise UserError(
            f"The counts {tuple(scene)} and {tuple(answer)} cannot be turned into each other by swaps.",
            valid="The same kinds, and the same number of things in all.",
        )
    return sum(abs(one - other) for one, other in zip(scene, answer, strict=True)) // 2


def greatest_swaps(scene: Sequence[int]) -> int:
    """Return how many swaps an answer can be away at most: all things become the rarest kind.

    >>> greatest_swaps((9, 2, 8, 1))
    19
    """
    return sum(scene) - min(scene)


def swap_percentage(swaps: float, scene: Sequence[int]) -> float:
    """Return swaps as a percentage of the things in the scene, as paper 001 has it."""
    return 100 * swaps / sum(scene)


def swap_percentage_of_maximum(swaps: float, scene: Sequence[int]) -> float:
    """Return swaps as a percentage of those that are possible."""
    return 100 * swaps / greatest_swaps(scene)


@dataclass(frozen=True, slots=True)
class AnswerSpread:
    """How far apart the answers to one description are: the deviations of the kinds, their sum and their mean."""

    deviations: tuple[float, ...]
    readers: int

    @property
    def summed(self) -> float:
        """The sum over kinds, as the tables of paper 001 print it."""
        return sum(self.deviations)

    @property
    def mean(self) -> float:
        """The mean over kinds, as its text describes it."""
        return self.summed / len(self.deviations)


def spread_of_answers(answers: Iterable[Sequence[float] | None]) -> AnswerSpread | None:
    """Return how far apart readers are, from a row of counts a reader; a missing answer (None) is left out.

    One reader alone has no spread: then there is none, and not 0.

    >>> spread_of_answers([(2, 1, 0, 1), (2, 1, 0, 1), (2, 1, 0, 1), (2, 1, 1, 0)]).summed
    1.0
    """
    given = [tuple(answer) for answer in answers if answer is not None]
    if len(given) < 2:
        return None
    if len({len(answer) for answer in given}) > 1:
        raise UserError("The answers count different numbers of kinds.", valid="One count a kind in every answer.")
    deviations = np.asarray(given, float).std(axis=0, ddof=1)
    return AnswerSpread(tuple(deviations.tolist()), len(given))


def counted_scene(counts: Sequence[Mapping[str, Any]], domain: Domain, size: int | None = None) -> Scene:
    """Return the scene that counts by kind make, in whatever order, or say what is wrong with them.

    A kind goes by its name (blue square) or its code (BS); one that is not counted is absent.
    """
    places = {name: place for names in (domain.codes, domain.kind_names) for place, name in enumerate(names)}
    found: dict[int, int] = {}
    for row in counts:
        kind, count = row["kind"], row["count"]
        if kind not in places:
            raise UserError(f"No kind is called '{kind}'.", valid=f"Kinds: {', '.join(domain.kind_names)}.")
        if places[kind] in found:
            raise UserError(f"The kind '{kind}' is counted twice.")
        if count is None or count < 0:
            raise UserError(f"{'nothing' if count is None else count} cannot be the count of '{kind}'.")
        found[places[kind]] = count
    scene = Scene(tuple(found.get(place, 0) for place in range(len(domain.kinds))), domain)
    if size is not None and scene.size != size:
        raise UserError(f"The counts add up to {scene.size}, not to {size}.")
    return scene


@register("swaps")
class Swaps(Measure):
    """How many swaps an answer is away from the scene, in numbers and as a percentage of n and of the maximum.

    The gold answer of an item is the code of the scene (BS=2 RC=2), a response counts the kinds by name. A missing
    answer gives a missing judgement and never a 0, and so do counts that do not add up to the size of the scene.
    """

    kinds: ClassVar[tuple[ResponseKind, ...]] = ("counts",)
    title = Bilingual("Swaps", "互换次数")

    def __init__(self, domain: Domain = DEFAULT_DOMAIN, name: str = "swaps") -> None:
        self.domain = domain
        self.name = name

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return three judgements for each answer of each system: `PARTS`."""
        gold = dict(items.select("id", "gold").iter_rows())
        scenes: dict[str, Scene | str] = {code: self._scene(code) for code in set(gold.values()) if code is not None}
        said: list[Mapping[str, float | str]] = []
        for item, status, content in responses.select("item", "status", "content").iter_rows():
            code = gold.get(item)
            scene = NO_ITEM if item not in gold else NO_GOLD if code is None else scenes[code]
            said.append({} if status != "ok" else self._values(scene, content))
        rows = with_each_part(responses, PARTS, said)
        return judgements(rows, self.name, "half the absolute differences", part=pl.col("part"))

    def _scene(self, code: str) -> Scene | str:
        try:
            return read_scene(code, self.domain)
        except UserError as error:
            return f"the gold answer is no scene: {error.problem}"

    def _values(self, scene: Scene | str, content: Sequence[Mapping[str, Any]]) -> Mapping[str, float | str]:
        if isinstance(scene, str):
            return dict.fromkeys(PARTS, scene)
        try:
            answer = counted_scene(content, self.domain, scene.size)
        except UserError as error:
            return dict.fromkeys(PARTS, error.problem)
        swaps = swaps_between(scene.counts, answer.counts)
        return {
            SWAPS: swaps,
            PERCENTAGE: swap_percentage(swaps, scene.counts),
            PERCENTAGE_OF_MAXIMUM: swap_percentage_of_maximum(swaps, scene.counts),
        }


# What users write among the measures of a study.
swaps = Swaps
