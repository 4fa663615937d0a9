"""Which participant reads which pairs of a scene and a description?

Paper 001 (section 3.2.3) gave each pair to the same number of people at random, so that nobody saw a pair twice, with
the sizes of scenes ascending and a random order within a size. `allocate` does this, and keeps more:

- every pair has exactly as many readers as are wanted, all of them different people;
- the numbers of pairs that two participants read differ by one at most, over all and within each size;
- nobody reads two descriptions of one scene, as long as the descriptions of a scene have no more readings than there
  are participants; where they have more, as few people as possible read about a scene again, no more often than they
  must.

Such an allocation always exists when a pair wants no more readers than there are participants: readings sorted by size,
scene and pair are dealt round the table like cards, and any stretch of readings, be it a pair's, a scene's or a size's,
is spread evenly. From there it is made random. A reading goes to somebody else, or two people exchange readings; what
would break a rule is not done. Each step is as likely as its undoing, so that of all allocations that can be reached
none is preferred; tests count that in small cases all are reached. Participants are numbered at random, too.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hengliang.core.errors import UserError
from hengliang.core.signature import number_of

_STEPS = 10
"""Steps for each reading, times the logarithm of their number; a shuffle by transpositions needs a half of one [1]."""
# [1] Diaconis, P., & Shahshahani, M. (1981). Generating a random permutation with random transpositions. Zeitschrift
#     für Wahrscheinlichkeitstheorie und verwandte Gebiete, 57, 159–179.


@dataclass(frozen=True, slots=True)
class Pair:
    """A description of a scene: what it is called, of which scene, and how many things the scene holds."""

    id: str
    scene: str
    size: int


@dataclass(frozen=True, slots=True)
class Allocation:
    """What each participant reads, in ascending order of size, at random within a size."""

    lists: tuple[tuple[str, ...], ...]
    readers: int
    seed: int
    again: int = 0
    """How many readings are of a scene that the participant has read about before; 0 unless that is inevitable."""

    @property
    def loads(self) -> tuple[int, ...]:
        """How many pairs each participant reads."""
        return tuple(len(shown) for shown in self.lists)


def allocate(pairs: Sequence[Pair], readers: int, participants: int, seed: int = 1) -> Allocation:
    """Return who reads what; a request that cannot be met is refused with its numbers.

    The same pairs, numbers and seed give the same allocation, whatever the order of the pairs.
    """
    _check(pairs, readers, participants)
    draw = random.Random(number_of(f"{seed}\n{readers}\n{participants}"))
    ordered = sorted(pairs, key=lambda pair: pair.id)
    table = _Table(ordered, participants, _dealt(ordered, readers, participants, draw))
    readings = readers * len(ordered)
    for _ in range(_STEPS * readings * math.ceil(math.log(readings + 1))):
        table.step(draw)
    sizes = {pair.id: pair.size for pair in ordered}
    lists = []
    for held in table.held:
        shown = [ordered[pair].id for pair in sorted(held)]
        draw.shuffle(shown)
        # Sorting keeps the order of what is equal: random within a size.
        lists.append(tuple(sorted(shown, key=sizes.__getitem__)))
    return Allocation(tuple(lists), readers, seed, again_by_scene(ordered, lists))


def again_by_scene(pairs: Sequence[Pair], lists: Sequence[Sequence[str]]) -> int:
    """Return how many readings are of a scene that the same participant reads about already."""
    scene_of = {pair.id: pair.scene for pair in pairs}
    return sum(len(shown) - len({scene_of[pair] for pair in shown}) for shown in lists)


def inevitable_repeats(pairs: Sequence[Pair], readers: int, participants: int) -> int:
    """Return how many readings must be of a scene that their reader has met: what a scene has beyond one a person."""
    described = Counter(pair.scene for pair in pairs)
    return sum(max(0, count * readers - participants) for count in described.values())


def _check(pairs: Sequence[Pair], readers: int, participants: int) -> None:
    if not pairs:
        raise UserError("There are no pairs to read.", valid="At least one description of a scene.")
    for name, number in (("readers of a pair", readers), ("participants", participants)):
        if number < 1:
            raise UserError(f"{number} {name} are none.", valid="A whole number from 1.")
    twice = next((id for id, count in Counter(pair.id for pair in pairs).items() if count > 1), None)
    if twice is not None:
        raise UserError(f"Two pairs are called '{twice}'.")
    size_of: dict[str, int] = {}
    for pair in pairs:
        if size_of.setdefault(pair.scene, pair.size) != pair.size:
            raise UserError(f"The scene '{pair.scene}' has the sizes {size_of[pair.scene]} and {pair.size}.")
    if readers > participants:
        raise UserError(
            f"Each pair wants {readers} different readers, but there are {participants} participants.",
            valid=f"At least {readers} participants, or at most {participants} readers of a pair.",
        )
    readings = len(pairs) * readers
    if participants > readings:
        raise UserError(
            f"{len(pairs)} pairs with {readers} readers each are {readings} readings: of {participants} participants "
            f"{participants - readings} would have nothing to read.",
            valid=f"From {readers} to {readings} participants.",
        )


def _dealt(pairs: Sequence[Pair], readers: int, participants: int, draw: random.Random) -> list[set[int]]:
    """Deal all readings round the table: each size, scene and pair in one stretch, in an order that is drawn."""
    ranks: dict[object, float] = {}
    for key in [pair.size for pair in pairs] + [pair.scene for pair in pairs]:
        if key not in ranks:
            ranks[key] = draw.random()
    ties = [draw.random() for _ in pairs]
    order = sorted(range(len(pairs)), key=lambda n: (ranks[pairs[n].size], ranks[pairs[n].scene], ties[n]))
    seats = list(range(participants))
    draw.shuffle(seats)
    held: list[set[int]] = [set() for _ in seats]
    for reading, pair in enumerate(pair for pair in order for _ in range(readers)):
        held[seats[reading % participants]].add(pair)
    return held


class _Table:
    """Who holds which pairs, and what keeps a step from being made."""

    def __init__(self, pairs: Sequence[Pair], participants: int, held: list[set[int]]) -> None:
        sizes = sorted({pair.size for pair in pairs})
        scenes = sorted({pair.scene for pair in pairs})
        self.size = [sizes.index(pair.size) for pair in pairs]
        self.scene = [scenes.index(pair.scene) for pair in pairs]
        self.held = held
        self.readings = [[person, pair] for person, pairs_held in enumerate(held) for pair in sorted(pairs_held)]
        self.load = [len(each) for each in held]
        self.by_size = [[0] * len(sizes) for _ in range(participants)]
        self.by_scene = [[0] * len(scenes) for _ in range(participants)]
        for person, pair in self.readings:
            self.by_size[person][self.size[pair]] += 1
            self.by_scene[person][self.scene[pair]] += 1
        # Within these bounds everything is as even as can be; they are reached by the deal, whatever it was.
        self.loads = _bounds(self.load)
        self.size_bounds = [_bounds([row[size] for row in self.by_size]) for size in range(len(sizes))]
        self.scene_bounds = [_bounds([row[scene] for row in self.by_scene]) for scene in range(len(scenes))]

    def step(self, draw: random.Random) -> None:
        """Give one reading to somebody else, or let two people exchange readings, if the rules allow it."""
        one = self.readings[int(draw.random() * len(self.readings))]
        if draw.random() < 0.5:
            self._move([(one, int(draw.random() * len(self.held)))])
        else:
            other = self.readings[int(draw.random() * len(self.readings))]
            self._move([(one, other[0]), (other, one[0])])

    def _move(self, moves: Sequence[tuple[list[int], int]]) -> None:
        before = [reading[0] for reading, _ in moves]
        if before == [person for _, person in moves]:
            return
        people = {*before, *(person for _, person in moves)}
        for reading, _ in moves:
            self._count(reading[0], reading[1], -1)
        for reading, person in moves:
            self._count(person, reading[1], 1)
        pairs = [reading[1] for reading, _ in moves]
        taken = any(reading[1] in self.held[person] for reading, person in moves)
        if not taken and len(set(pairs)) == len(pairs) and all(self._kept(person, pairs) for person in people):
            for reading, _ in moves:
                self.held[reading[0]].discard(reading[1])
            for reading, person in moves:
                self.held[person].add(reading[1])
                reading[0] = person
            return
        for reading, person in moves:
            self._count(person, reading[1], -1)
        for reading, _ in moves:
            self._count(reading[0], reading[1], 1)

    def _count(self, person: int, pair: int, change: int) -> None:
        self.load[person] += change
        self.by_size[person][self.size[pair]] += change
        self.by_scene[person][self.scene[pair]] += change

    def _kept(self, person: int, pairs: Sequence[int]) -> bool:
        """Return whether all numbers of a participant that these pairs change are within their bounds."""
        return self.loads[0] <= self.load[person] <= self.loads[1] and all(
            low <= row[place] <= high
            for pair in pairs
            for row, place, (low, high) in (
                (self.by_size[person], self.size[pair], self.size_bounds[self.size[pair]]),
                (self.by_scene[person], self.scene[pair], self.scene_bounds[self.scene[pair]]),
            )
        )


def _bounds(numbers: Sequence[int]) -> tuple[int, int]:
    """Return between which numbers a total is spread evenly over so many."""
    low, more = divmod(sum(numbers), len(numbers))
    return low, low + bool(more)
