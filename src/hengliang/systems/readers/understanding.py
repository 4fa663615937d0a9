"""Which scenes does a reader think of who understands a description?

A reader takes what is said pragmatically first (*some* excludes *all*): each expression by itself, and if no scene is
left, several *there are* jointly, so that nothing else is there than what all of them name. People speak loosely, so
when no scene is left that way, the semantic reading is tried; when that leaves none either, the description contradicts
itself, and the expressions that clash are named.

The scenes that are left need not be alike. A vague word fits some of them better than others, and a reader may have a
notion of which scenes there are at all: each scene alike ("scenes"), or each thing of some kind independently of the
others ("things"), by which a scene of n things with the counts c has the weight n! / (c₁! c₂! …) and even scenes are
likelier. Weights are products of the two and add up to 1.

The number of swaps between two scenes is half the sum over kinds of the differences of their counts, so the expected
number of swaps is a sum over kinds too. One table a kind says how far each possible count is from those expected; with
these tables, the distance of any scene to all others is as many additions as there are kinds, and the most typical of N
scenes is found in N steps and not in N².
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import and_
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from hengliang.core.errors import UserError, unknown_name
from hengliang.materials.quantified_expressions import Description, counting, taken_together
from hengliang.materials.quantifiers import READINGS, Reading, quantifier
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import Scene, SceneSpace, scene_space
from hengliang.materials.vague_quantifiers import membership

Prior = Literal["scenes", "things"]
"""What is alike before anything is said: every scene, or every kind for each single thing."""
PRIORS: tuple[Prior, ...] = get_args(Prior)

TIED = 1e-9
"""Expected swaps that differ by no more are the same; the last digits depend on the order of additions."""


@dataclass(frozen=True, eq=False)
class Understanding:
    """The scenes that a reader thinks possible, and how likely each is.

    `scenes` is a set of scenes of `space`, and `weights` has a number for each of them, in their order; they add up
    to 1. `reading` is the one in which they are consistent. `fell_back` says that none was in the pragmatic reading
    that was wanted. `clash` is then a smallest part of the description that no scene satisfies, in the pragmatic
    reading where it fell back and in the semantic one where it contradicts itself: nothing can be left out of it.
    `joint` says that the reading is the pragmatic one and that *there are* had to be taken jointly with the rest of the
    description.
    """

    space: SceneSpace
    scenes: int
    weights: NDArray[np.float64]
    reading: Reading
    fell_back: bool = False
    clash: Description = ()
    joint: bool = False

    @property
    def contradictory(self) -> bool:
        """Whether no scene is left in any reading."""
        return self.scenes == 0

    @property
    def number(self) -> int:
        """How many scenes are left."""
        return self.scenes.bit_count()

    @cached_property
    def rows(self) -> NDArray[np.int16]:
        """The counts of the scenes, a row each, in the order of the weights."""
        return self.space.rows(self.scenes)

    @property
    def entropy(self) -> float:
        """How uncertain a reader is, in bits: 0 when one scene is left, log₂ N when N are alike."""
        likely = self.weights[self.weights > 0]
        return abs(float(-(likely * np.log2(likely)).sum()))

    @cached_property
    def distances(self) -> NDArray[np.float64]:
        """Half the expected difference of the count of each kind (row) from each possible count (column)."""
        possible = np.arange(self.space.size + 1)
        apart = np.abs(possible[:, None] - possible[None, :])
        chances = [np.bincount(kind, self.weights, minlength=self.space.size + 1) for kind in self.rows.T]
        return np.array([chance @ apart / 2 for chance in chances])

    def typical(self) -> Scene:
        """Return the scene from which the others are fewest swaps away on average.

        Of several such the one with the greatest weight, and of those that weigh the same the first of the enumeration.
        """
        _refuse_contradiction(self)
        costs = np.sum([table[kind] for table, kind in zip(self.distances, self.rows.T, strict=True)], axis=0)
        places = np.flatnonzero(costs <= costs.min() + TIED)
        weights = self.weights[places]
        heaviest = places[weights >= weights.max() * (1 - TIED)]
        return Scene(tuple(self.rows[heaviest[0]].tolist()), self.space.domain)

    def likeliest(self, most: int = 10) -> list[tuple[Scene, float]]:
        """Return the scenes of the greatest weight with it, the first of the enumeration first where they are alike."""
        order = np.argsort(-self.weights, kind="stable")[:most]
        return [
            (Scene(tuple(self.rows[place].tolist()), self.space.domain), float(self.weights[place])) for place in order
        ]

    def drawn(self, chance: float) -> Scene:
        """Return the scene on which a number from 0 up to 1 falls when the weights are laid end to end."""
        _refuse_contradiction(self)
        ends = np.cumsum(self.weights)
        place = int(np.searchsorted(ends, chance * ends[-1], side="right"))
        # Rounded up to 1, the number would fall beyond the last scene that weighs something.
        last = int(np.flatnonzero(self.weights)[-1])
        return Scene(tuple(self.rows[min(place, last)].tolist()), self.space.domain)


def understand(
    expressions: Description,
    size: int,
    domain: Domain = DEFAULT_DOMAIN,
    reading: Reading = "pragmatic",
    prior: Prior = "scenes",
) -> Understanding:
    """Return what a reader makes of a description of a scene of this size.

    With `reading="semantic"` nothing is read into what is said, and there is nothing to fall back to.
    """
    if reading not in READINGS:
        raise unknown_name("reading", str(reading), READINGS)
    if prior not in PRIORS:
        raise unknown_name("prior", str(prior), PRIORS)
    space = scene_space(domain, size)
    clash: Description = ()
    for tried in ("pragmatic", "semantic") if reading == "pragmatic" else ("semantic",):
        held = taken_together(expressions, space, tried)
        if held.scenes:
            weights = _weights(expressions, space, held.scenes, tried, prior)
            return Understanding(space, held.scenes, weights, tried, tried != reading, clash, held.joint)
        clash = tuple(expressions[place] for place in _clashing(held.sets, space))
    return Understanding(space, 0, np.zeros(0), "semantic", reading == "pragmatic", clash)


def _clashing(sets: tuple[int, ...], space: SceneSpace) -> list[int]:
    """Return the places of sets without a common scene, of which none can be left out."""
    kept = list(range(len(sets)))
    for place in range(len(sets)):
        others = [one for one in kept if one != place]
        if not reduce(and_, (sets[one] for one in others), space.everything):
            kept = others
    return kept


def _weights(
    expressions: Description, space: SceneSpace, scenes: int, reading: Reading, prior: Prior
) -> NDArray[np.float64]:
    """Return how likely each scene of a set is: the prior times how well the vague words fit it."""
    places = space.places(scenes)
    logs = np.zeros(len(places))
    if prior == "things":
        factorials = np.array([math.lgamma(count + 1) for count in range(space.size + 1)])
        logs -= factorials[space.counts[places]].sum(axis=1)
    for expression in expressions:
        if quantifier(expression.quantifier).vague:
            seen = counting(expression, space.domain)
            x, y = space.sums(seen.x)[places], space.sums(seen.y)[places]
            # Scenes that are left satisfy the word, so the membership is above 0.
            fits = membership(expression.quantifier, x, y, space.size, conveyed=reading == "pragmatic")
            logs += np.log(fits)
    weights: NDArray[np.float64] = np.exp(logs - logs.max())
    weights /= weights.sum()
    return weights


def expected_swaps(understanding: Understanding, scene: Scene) -> float:
    """Return how many swaps away from a scene the answer will be on average, when it is drawn by the weights."""
    _check(understanding, scene)
    tables = understanding.distances
    return float(sum(table[count] for table, count in zip(tables, scene.counts, strict=True)))


def swap_distribution(understanding: Understanding, scene: Scene) -> Mapping[int, float]:
    """Return how likely each number of swaps from a scene is, the smallest first; those that cannot be are left out."""
    _check(understanding, scene)
    swaps = np.abs(understanding.rows - np.array(scene.counts)).sum(axis=1) // 2
    chances = np.bincount(swaps, understanding.weights)
    return MappingProxyType({int(count): float(chances[count]) for count in np.unique(swaps)})


def _check(understanding: Understanding, scene: Scene) -> None:
    _refuse_contradiction(understanding)
    space = understanding.space
    if scene.size != space.size or scene.domain != space.domain:
        raise UserError(
            f"The scene {scene.code} holds {scene.size} things of {scene.domain.name}; "
            f"the description was read as one of {space.size} things of {space.domain.name}.",
            remedy=f"Read it as a description of {scene.size} things.",
        )


def _refuse_contradiction(understanding: Understanding) -> None:
    if understanding.contradictory:
        raise UserError(
            contradiction(understanding), valid="A scene is left when what is said can be true of one together."
        )


def contradiction(understanding: Understanding) -> str:
    """Say which expressions clash, and in scenes of which size."""
    named = " and ".join(map(str, understanding.clash))
    together = " together" if len(understanding.clash) > 1 else ""
    return f"No scene of {understanding.space.size} things is left: {named} cannot be true{together}."
