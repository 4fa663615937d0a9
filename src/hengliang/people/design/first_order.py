"""Is there an order that keeps the rules, and which would be one?

Bounds come first: they say at once, with numbers, why a list cannot be ordered. Then places are filled from first to
last, each with the row whose item has the longest way to go. That settles all but crowded lists; those are searched
exhaustively, items that are alike counting as one, so that "there is none" is as certain as an order that was found.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace

from hengliang.core.errors import UserError
from hengliang.people.design.order_rules import Rules, least_rows

_STEPS = 30_000
"""After so many steps of a search a list is refused as too crowded to decide."""

Draw = Callable[[], float]


def first_order(rules: Rules, draw: Draw, name: str = "") -> list[int]:
    """Return an order that keeps the rules, or raise a UserError that says why there is none.

    `draw` gives numbers between 0 and 1 that settle what the rules leave open; `name` is what the list is called.
    """
    found = _searched(rules, draw)
    if found is None:
        reason = f"{name}: {refused(rules) or _crowded(rules)}." if name else f"{refused(rules) or _crowded(rules)}."
        raise UserError(
            reason[0].upper() + reason[1:],
            valid=_valid(rules, draw),
            remedy="Choose a smaller --distance or --repeat-distance, fewer repeats, or fewer lists.",
        )
    return found


def refused(rules: Rules) -> str:
    """Return why bounds alone rule out every order, or nothing."""
    for number, (start, end) in enumerate(rules.spans):
        rows = end - start
        counts = Counter(item for item, block in zip(rules.item, rules.block, strict=True) if block == number)
        block = f"block {rules.names[number]}" if len(rules.spans) > 1 else "the list"
        least = least_rows(list(counts.values()), rules.distance)
        if least > rows:
            item, most = max(counts.items(), key=_count_of)
            as_often = sum(count == most for count in counts.values())
            return (
                f"'{item}' has {most} of the {rows} rows of {block}: {rules.distance} places apart they need at least "
                f"({most} − 1) · {rules.distance} + {as_often} = {least} rows"
            )
        # Of three showings the first and the second count: the bound is about pairs that share no row.
        repeated = sum(
            rules.block[row] == number == rules.block[before] and not _same_block(rules, rules.before[before], number)
            for row, before in enumerate(rules.before)
            if before >= 0
        )
        if repeated and rules.repeat_distance + repeated > rows:
            return (
                f"{block} has {rows} rows, and {repeated} of its stimuli are repeated at least {rules.repeat_distance} "
                f"places later: that needs at least {rules.repeat_distance} + {repeated} rows"
            )
    return ""


def _same_block(rules: Rules, row: int, block: int) -> bool:
    return row >= 0 and rules.block[row] == block


def _count_of(counted: tuple[str, int]) -> int:
    return counted[1]


def _crowded(rules: Rules) -> str:
    blocks = ", ".join(str(end - start) for start, end in rules.spans)
    repeats = sum(before >= 0 for before in rules.before)
    said = f"; {repeats} repeats at least {rules.repeat_distance} places later" if repeats else ""
    caught = f"; {sum(rules.catch)} catch items spread evenly" if any(rules.catch) else ""
    return (
        f"no order of {rules.rows} rows (practice {len(rules.practice)}, blocks {blocks}) keeps variants of an item "
        f"{rules.distance} places apart{said}{caught}"
    )


def _valid(rules: Rules, draw: Draw) -> str:
    """Return how far apart variants, and then repeats, could be."""
    for distance in range(rules.distance - 1, 0, -1):
        if _found(replace(rules, distance=distance), draw):
            return f"Possible is a distance of {distance}."
    for later in range(rules.repeat_distance - 1, 0, -1):
        if _found(replace(rules, distance=1, repeat_distance=later), draw):
            return f"Possible is a distance of 1 with repeats at least {later} places later."
    return ""


def _found(rules: Rules, draw: Draw) -> bool:
    try:
        return _searched(rules, draw) is not None
    except UserError:
        return False


def _searched(rules: Rules, draw: Draw) -> list[int] | None:
    if refused(rules):
        return None
    filling = Filling(rules, draw)
    if not filling.practised():
        return None
    return filling.straight() or filling.exhaustive()


Chain = tuple[int, ...]
"""The showings of one stimulus: a row and its repeats."""


class Filling:
    """A partly filled order: which row is at which place, and what every item still needs."""

    def __init__(self, rules: Rules, draw: Draw) -> None:
        self.rules = rules
        self.draw = draw
        self.order: list[int] = []
        self.where: dict[int, int] = {}
        self.chains: dict[str, list[Chain]] = defaultdict(list)
        self.left: list[dict[str, int]] = [defaultdict(int) for _ in rules.spans]
        self.last: dict[str, list[int]] = {item: [] for item in rules.item}
        self.luck = [draw() for _ in rules.item]
        self.block_of = [-1] * len(rules.practice)
        for number, (start, end) in enumerate(rules.spans):
            self.block_of += [number] * (end - start)

    def practised(self) -> bool:
        """Put practice first, and return whether its own order keeps the distance."""
        rules = self.rules
        for row, block in enumerate(rules.block):
            if block >= 0:
                self.left[block][rules.item[row]] += 1
            if rules.before[row] < 0:
                self.chains[rules.item[row]].append(self._chain(row))
        for row in rules.practice:
            if not self._rested(rules.item[row]):
                return False
            self._put(row)
        return True

    def straight(self) -> list[int] | None:
        """Fill all places without ever taking a row back; None when that leads nowhere."""
        start = len(self.order)
        for _ in range(start, self.rules.rows):
            row = next(iter(self._candidates()), None)
            if row is None:
                while len(self.order) > start:
                    self._take_back()
                return None
            self._put(row)
        return list(self.order)

    def exhaustive(self) -> list[int] | None:
        """Try all that is not alike; None means that no order keeps the rules."""
        start = len(self.order)
        failed: set[object] = set()
        waiting = [iter(self._unlike())]
        keys = [self._state()]
        for _ in range(_STEPS):
            if len(self.order) == self.rules.rows:
                return list(self.order)
            row = next(waiting[-1], None)
            if row is not None:
                self._put(row)
                state = self._state()
                if state in failed:
                    self._take_back()
                else:
                    keys.append(state)
                    waiting.append(iter(self._unlike()))
                continue
            failed.add(keys.pop())
            waiting.pop()
            if len(self.order) == start:
                return None
            self._take_back()
        raise UserError(
            f"Whether {self.rules.rows} rows can be ordered at a distance of {self.rules.distance} was not decided in "
            f"{_STEPS} steps: the list is too crowded.",
            remedy="Choose a smaller --distance or --repeat-distance, or fewer repeats.",
        )

    # --- what may come next ----------------------------------------------------------------------------------------

    def _candidates(self) -> list[int]:
        """Return the rows that may come next, those with the longest way to go first; none if one comes too late."""
        place, rules = len(self.order), self.rules
        block = self.block_of[place]
        end, distance = rules.spans[block][1], rules.distance
        later_items = self.left[block + 1] if block + 1 < len(self.left) else {}
        catch_allowed, other_allowed = self._catches()
        ranked: list[tuple[int, float, int]] = []
        urgent = 0
        for item, count in self.left[block].items():
            if not count:
                continue
            places = self.last[item]
            rested = places[-1] + distance if places else 0
            way = (count - 1) * distance
            if (rested if rested > place else place) + way >= end:
                return []
            if later_items.get(item):
                way += distance
            for chain in self.chains[item]:
                row, wait, later = self._next(chain, block) if len(chain) > 1 else (chain[0], 0, 0)
                if row < 0 or row in self.where or rules.block[row] != block:
                    continue
                if later or wait:
                    urgent += later > 0
                    if max(place, wait) + later >= end:
                        return []
                if rested <= place >= wait and (catch_allowed if rules.catch[row] else other_allowed):
                    ranked.append((-max(way, later), self.luck[row], row))
        if urgent and place + urgent + rules.repeat_distance > end:
            return []
        ranked.sort()
        return [row for _, _, row in ranked]

    def _next(self, chain: Chain, block: int) -> tuple[int, int, int]:
        """Return the next showing (−1: none), from when it may come, and how long its repeats in the block take."""
        shown = sum(row in self.where for row in chain)
        if shown == len(chain):
            return -1, 0, 0
        wait = self.where[chain[shown - 1]] + self.rules.repeat_distance if shown else 0
        repeats = sum(self.rules.block[row] == block for row in chain[shown + 1 :])
        return chain[shown], wait, repeats * self.rules.repeat_distance

    def _catches(self) -> tuple[bool, bool]:
        """Return whether the stretch of the next place allows a catch item, and whether it allows another row."""
        place, rules = len(self.order), self.rules
        stretch = rules.stretch[place]
        if stretch < 0:
            return True, True
        caught = sum(rules.catch[held] for held in self.order[rules.stretch.index(stretch) :])
        closing = place + 1 == rules.rows or rules.stretch[place + 1] != stretch
        return not caught, bool(caught) or not closing

    def _rested(self, item: str) -> bool:
        return self._rested_at(item) <= len(self.order)

    def _rested_at(self, item: str) -> int:
        places = self.last[item]
        return places[-1] + self.rules.distance if places else 0

    # --- what is alike ---------------------------------------------------------------------------------------------

    def _unlike(self) -> Iterable[int]:
        """Return candidates, one of those that lead to the same."""
        if len(self.order) == self.rules.rows:
            return []
        known: dict[object, int] = {}
        for row in self._candidates():
            chain = next(chain for chain in self.chains[self.rules.item[row]] if row in chain)
            known.setdefault((self._chain_state(chain), self._item_state(self.rules.item[row])), row)
        return list(known.values())

    def _state(self) -> object:
        """Return all that the rest of the order depends on."""
        items = (self._item_state(item) for item in self.chains)
        return len(self.order), tuple(sorted(state for state in items if state[1]))

    def _item_state(self, item: str) -> tuple[int, tuple[tuple[int, tuple[tuple[int, bool], ...]], ...]]:
        chains = sorted(self._chain_state(chain) for chain in self.chains[item])
        rest = max(0, self._rested_at(item) - len(self.order))
        return rest, tuple(chain for chain in chains if chain[1])

    def _chain_state(self, chain: Chain) -> tuple[int, tuple[tuple[int, bool], ...]]:
        shown = [self.where[row] for row in chain if row in self.where]
        wait = max(0, shown[-1] + self.rules.repeat_distance - len(self.order)) if shown else 0
        return wait, tuple((self.rules.block[row], self.rules.catch[row]) for row in chain[len(shown) :])

    # --- filling ---------------------------------------------------------------------------------------------------

    def _chain(self, row: int) -> Chain:
        found = [row]
        while self.rules.after[found[-1]] >= 0:
            found.append(self.rules.after[found[-1]])
        return tuple(found)

    def _put(self, row: int) -> None:
        item, block = self.rules.item[row], self.rules.block[row]
        self.where[row] = len(self.order)
        self.last[item].append(len(self.order))
        self.order.append(row)
        if block >= 0:
            self.left[block][item] -= 1

    def _take_back(self) -> None:
        row = self.order.pop()
        item, block = self.rules.item[row], self.rules.block[row]
        del self.where[row]
        self.last[item].pop()
        self.left[block][item] += 1
