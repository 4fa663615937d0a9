"""In which order does one participant see the rows of a list?

A first order that keeps the rules (`order_rules`) is constructed, never tried for; a list that has none is refused
with the numbers that make it so. Then it is made random. Rows of one block change places, two at a time, seldom three,
four or all of a block, or the rows of two items; a change that would break a rule is not made. Each change is as
likely as its undoing, so the Markov chain is symmetric, and as any order can become any other in one step, all orders
that keep the rules are equally likely in the long run [1]. There are some 4 n ln n steps for n rows: a shuffle by
transpositions without rules needs ½ n ln n [2]. In a list so crowded that hardly any change is allowed, what is random
is mostly the first order, whose ties are drawn, too.

[1] Levin, D. A., & Peres, Y. (2017). Markov Chains and Mixing Times (2nd ed.). American Mathematical Society. Section
    1.5.
[2] Diaconis, P., & Shahshahani, M. (1981). Generating a random permutation with random transpositions. Zeitschrift für
    Wahrscheinlichkeitstheorie und verwandte Gebiete, 57, 159–179.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from hengliang.core.signature import number_of
from hengliang.experiments import versions_frame
from hengliang.people.design.first_order import Draw, first_order
from hengliang.people.design.order_rules import Rules, rules_of
from hengliang.people.sessions.steps import Presentation

if TYPE_CHECKING:
    from hengliang.people.sessions.survey import Survey

REPEAT_DISTANCE = 10
"""How many places after its first showing a repeat comes at least, unless a design says otherwise."""


def order_of(
    presentations: Sequence[Presentation],
    items: Mapping[str, str],
    *,
    distance: int = 2,
    repeat_distance: int = REPEAT_DISTANCE,
    seed: int = 1,
    name: str = "",
) -> tuple[int, ...]:
    """Return a random order that keeps the rules, as places in the list; a UserError says why there is none.

    `items` says to which item each stimulus belongs. `name` is what the list is called in an error.
    """
    rules = rules_of(presentations, items, distance, repeat_distance)
    draw = random.Random(seed).random  # the same numbers on every machine
    order = first_order(rules, draw, name)
    _Shuffle(rules, order, draw).run()
    return tuple(order)


def ordered_versions(
    lists: Mapping[str, Sequence[Presentation]],
    items: Mapping[str, str],
    *,
    distance: int = 2,
    repeat_distance: int = REPEAT_DISTANCE,
    seed: int = 1,
) -> pl.DataFrame:
    """Return the table of versions: every list in a random order of its own."""
    rows = []
    for version, shown in lists.items():
        order = order_of(
            shown,
            items,
            distance=distance,
            repeat_distance=repeat_distance,
            seed=number_of(f"{seed}\n{version}"),
            name=f"Version {version}",
        )
        for position, row in enumerate(order, 1):
            each = shown[row]
            row_of_table = {"about": each.about, "role": each.role, "block": each.block, "occurrence": each.occurrence}
            rows.append({"version": version, "position": position, **row_of_table})
    return versions_frame(rows)


def participant_order(survey: Survey, version: str, number: int) -> tuple[int, ...]:
    """Return the order in which the participant with this number sees a list, as places in the design's own order.

    Every participant has an order of their own, drawn from the design's seed, the list and the number; unless the
    design wants everybody on a list to see the same one.
    """
    rows = survey.lists[version]
    if survey.design.order == "version":
        return tuple(range(len(rows)))
    return order_of(
        rows,
        {about: stimulus.item for about, stimulus in survey.stimuli.items()},
        distance=survey.design.distance,
        repeat_distance=survey.design.repeat_distance,
        seed=number_of(f"{survey.design.seed}\n{version}\n{number}"),
        name=f"Version {version}",
    )


class _Shuffle:
    """An order that is made random, a step at a time."""

    def __init__(self, rules: Rules, order: list[int], draw: Draw) -> None:
        self.rules = rules
        self.order = order
        self.draw = draw
        self.where = [0] * rules.rows

    def run(self) -> None:
        """Make so many steps that nothing of the first order is left but the rules."""
        rules, draw = self.rules, self.draw
        for place, row in enumerate(self.order):
            self.where[row] = place
        first = len(rules.practice)
        free = rules.rows - first
        if free < 2:
            return
        span = [block for block in rules.spans for _ in range(block[1] - block[0])]
        for _ in range(200 + 4 * free * math.ceil(math.log(free))):
            chance = draw()
            one = first + int(draw() * free)
            start, end = span[one - first]
            if chance < 0.94:
                self._swap(one, start + int(draw() * (end - start)))
            elif chance < 0.97:
                self._exchange(one, first + int(draw() * free))
            elif chance < 0.99:
                some = self._drawn(range(start, end), 3 + int(draw() * 2))
                self._rearrange(some, self._drawn(some, len(some)))
            else:
                self._rearrange_all()

    def _swap(self, one: int, other: int) -> None:
        """Let the rows at two places of a block change places, if the rules allow it."""
        rules, order, where = self.rules, self.order, self.where
        first, second = order[one], order[other]
        if rules.catch[first] != rules.catch[second] and rules.stretch[one] != rules.stretch[other]:
            return
        where[first], where[second] = other, one
        if self._kept(first) and self._kept(second):
            order[one], order[other] = second, first
        else:
            where[first], where[second] = one, other

    def _exchange(self, one: int, other: int) -> None:
        """Let two items with as many rows exchange all their places, in an order that is drawn."""
        rules, order = self.rules, self.order
        groups = [(order[place], *rules.mates[order[place]]) for place in (one, other)]
        if rules.item[groups[0][0]] == rules.item[groups[1][0]] or len(groups[0]) != len(groups[1]):
            return
        places = [[self.where[row] for row in group] for group in groups]
        if min(map(min, places)) < len(rules.practice):
            return
        drawn = [self._drawn(places[1], len(places[1])), self._drawn(places[0], len(places[0]))]
        self._rearrange(places[0] + places[1], drawn[0] + drawn[1])

    def _rearrange_all(self) -> None:
        old: list[int] = []
        new: list[int] = []
        for start, end in self.rules.spans:
            old += range(start, end)
            new += self._drawn(range(start, end), end - start)
        self._rearrange(old, new)

    def _rearrange(self, old: Sequence[int], new: Sequence[int]) -> None:
        """Move the rows at the old places to the new ones, if the rules allow it."""
        rules, where = self.rules, self.where
        rows = [self.order[place] for place in old]
        for row, place in zip(rows, new, strict=True):
            where[row] = place
        caught = [
            (rules.stretch[a], rules.stretch[b]) for row, a, b in zip(rows, old, new, strict=True) if rules.catch[row]
        ]
        if (
            sorted(before for before, _ in caught) == sorted(after for _, after in caught)
            and all(rules.spans[rules.block[row]][0] <= where[row] < rules.spans[rules.block[row]][1] for row in rows)
            and all(self._kept(row) for row in rows)
        ):
            for row in rows:
                self.order[where[row]] = row
        else:
            for row, place in zip(rows, old, strict=True):
                where[row] = place

    def _kept(self, row: int) -> bool:
        """Return whether a row is far enough from the other rows of its item and from its other showings."""
        rules, where = self.rules, self.where
        place, distance = where[row], rules.distance
        for mate in rules.mates[row]:
            if -distance < place - where[mate] < distance:
                return False
        before, after = rules.before[row], rules.after[row]
        if before >= 0 and place - where[before] < rules.repeat_distance:
            return False
        return after < 0 or where[after] - place >= rules.repeat_distance

    def _drawn(self, places: Sequence[int], count: int) -> list[int]:
        """Return so many of the places, or all if there are fewer, in an order that is drawn."""
        held = list(places)
        count = min(count, len(held))
        for place in range(count):
            other = place + int(self.draw() * (len(held) - place))
            held[place], held[other] = held[other], held[place]
        return held[:count]
