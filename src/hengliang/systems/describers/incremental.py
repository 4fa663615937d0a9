"""What is said of a scene by somebody who tries what is usually said, one pattern after the other?

QDG-IA (Chen, van Deemter and Lin 2019 [1]; Pel 2020, section 2.3.1), after the incremental algorithm of Dale and Reiter
(1995). Patterns are tried in the order in which people prefer them, for each pattern the properties that may fill it.
An expression is taken when it is true of the scene, removes at least one of the scenes that are still possible, and
asserts something new; nothing that was passed over can help later, so one walk is enough.

[1] Chen, G., van Deemter, K., & Lin, C. (2019). Generating quantified descriptions of abstract visual scenes. INLG.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

import numpy as np
from numpy.typing import NDArray

from hengliang.core.errors import UserError
from hengliang.core.registry import register
from hengliang.core.signature import Signature
from hengliang.core.terms import Bilingual, Language
from hengliang.materials.quantifiers import Reading
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.systems.classifier_choosers.base import ClassifierChooser
from hengliang.systems.describers.candidate_tables import CandidateTable, Statement
from hengliang.systems.describers.candidates import Inventory
from hengliang.systems.describers.generation import LONGEST, QuantifiedDescriber
from hengliang.systems.describers.preferences import Preferences, shipped_preferences

Ranks = NDArray[np.int64]


@register("QDG-IA")
class Incremental(QuantifiedDescriber):
    """Says what is true and helps, in the order in which people prefer patterns and what fills them.

    With the probability `moving` one pattern is moved up before a description: it is drawn from the lower half of the
    order, each alike, and put before a pattern that is drawn from the upper half, each alike. All others keep their
    order. So patterns of low preference are used now and then. `preferences` are those that ship, unless given.
    """

    title = Bilingual("Incremental quantified descriptions", "增量式量化描述")

    def __init__(
        self,
        domain: Domain = DEFAULT_DOMAIN,
        language: Language = "en",
        reading: Reading = "pragmatic",
        longest: int = LONGEST,
        inventory: Inventory = "crisp",
        seed: int = 0,
        chooser: ClassifierChooser | None = None,
        varied: bool = True,
        moving: float = 0.1,
        preferences: Preferences | None = None,
        name: str = "QDG-IA",
    ) -> None:
        super().__init__(domain, language, reading, longest, inventory, seed, chooser, varied, name)
        self.moving = moving
        self.preferences = preferences

    def select(self, table: CandidateTable, counts: Sequence[int], random: Random) -> tuple[list[Statement], int]:
        """Return the first statements of a scene that help, in order of preference, and the scenes that are left."""
        left, many = table.space.everything, table.space.number
        said: list[Statement] = []
        useless: set[int] = set()
        for statement in self._ordered(table, table.true_of(counts), random):
            if many == 1 or len(said) == self.longest:
                break
            number = table.set_number(statement)
            if number in useless:
                continue
            fewer = left & table.sets[number]
            if fewer != left and table.is_new(statement, left):
                said.append(statement)
                left, many = fewer, fewer.bit_count()
            if fewer == left:
                # What this set could remove has been removed by now, whoever asks for it next.
                useless.add(number)
        return said, left

    def _ordered(self, table: CandidateTable, statements: Ranks, random: Random) -> list[Statement]:
        """Return statements in the order of preference, after the move that chance may have made."""
        order = _order(table, self._preferred())
        places = order.places if random.random() >= self.moving else moved_up(order.places, random)
        chosen = table.places_of(statements)
        keys = places[order.patterns[chosen]] * len(order.patterns) + order.fillers[chosen]
        ordered: list[Statement] = statements[np.argsort(keys)].tolist()
        return ordered

    def _preferred(self) -> Preferences:
        return shipped_preferences() if self.preferences is None else self.preferences

    def check(self) -> None:
        """Refuse settings with which nothing can be described."""
        super().check()
        if not isinstance(self.moving, int | float) or not 0 <= self.moving <= 1:
            raise UserError(f"{self.moving} is no probability.", valid="moving lies between 0 and 1.")

    def signature(self) -> Signature:
        """Return what can change a description, and so the order that ships when no other is given."""
        signature = super().signature()
        return signature if self.preferences else signature.and_(shipped=self._preferred().signature())


@dataclass(frozen=True)
class _Order:
    """The order of preference for the candidates of a table."""

    places: Ranks
    """At which place each pattern stands; patterns are numbered by preference, so it is 0, 1, 2, …"""
    patterns: Ranks
    """The pattern of each candidate."""
    fillers: Ranks
    """At which place of its pattern each candidate stands."""


@lru_cache(maxsize=32)
def _order(table: CandidateTable, preferred: Preferences) -> _Order:
    held = table.candidates
    names = preferred.order_of(candidate.pattern for candidate in held)
    numbers = {name: number for number, name in enumerate(names)}
    patterns = np.array([numbers[candidate.pattern] for candidate in held], np.int64)
    fillers = np.array(preferred.filler_ranks(held, table.space.domain), np.int64)
    return _Order(np.arange(len(names)), patterns, fillers)


def moved_up(places: Ranks, random: Random) -> Ranks:
    """Return at which place each pattern stands after one of the lower half has been moved into the upper half.

    `places[i]` is the place of pattern i. With fewer than two patterns there is nothing to move.
    """
    order = np.argsort(places).tolist()
    half = (len(order) + 1) // 2
    if half == len(order):
        return places
    moved = order.pop(random.randrange(half, len(order)))
    order.insert(random.randrange(half), moved)
    found = np.empty_like(places)
    found[order] = np.arange(len(order))
    return found
