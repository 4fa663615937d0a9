"""How many items of each kind go to each list, so that all lists are of one size and alike?

The numbers are the solution of an integer programme. Sizes are a condition: they differ by one at most. What is
minimised is the spread (largest less smallest number over the lists), summed over the numbers of variants, the strata,
the kinds and the numbers of items. HiGHS [1] solves it by branch and bound, so a refusal is a proof that there is no
such division.

[1] Huangfu, Q., & Hall, J. A. J. (2018). Parallelizing the dual revised simplex method. Mathematical Programming
    Computation, 10, 119–142.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from hengliang.core.errors import Failure, UserError

_NODES = 5_000
"""How far a search goes: then the spread found so far is taken; sizes not decided by then are refused as such."""

Counts = NDArray[np.int64]


class Kind(NamedTuple):
    """What items have in common: their number of variants, stratum, and the turns of a Latin square that they lack."""

    variants: int
    stratum: str = ""
    gaps: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Shares:
    """What is to be divided: so many items of each kind, among so many lists; turns of a Latin square, or 0."""

    kinds: tuple[Kind, ...]
    items: tuple[int, ...]
    lists: int
    turns: int = 0

    def rows(self, kind: Kind, column: int) -> dict[int, int]:
        """Return how many rows an item of the kind adds to which lists when it is dealt to the column."""
        if not self.turns:
            return {column: kind.variants}
        part, first = divmod(column, self.turns)
        seen = ((place, (first + place) % self.turns) for place in range(self.turns))
        return {part * self.turns + place: 1 for place, turn in seen if turn not in kind.gaps}

    def total(self) -> int:
        """Return how many rows all lists have together."""
        return sum(sum(self.rows(kind, 0).values()) * items for kind, items in zip(self.kinds, self.items, strict=True))

    def sizes(self, counts: Counts) -> list[int]:
        """Return how many rows each list has when items are dealt in these numbers."""
        found = [0] * self.lists
        for kind, row in zip(self.kinds, counts.tolist(), strict=True):
            for column, count in enumerate(row):
                for place, rows in self.rows(kind, column).items():
                    found[place] += rows * count
        return found


@lru_cache(maxsize=256)
def most_even(shares: Shares, *, uneven: bool = False) -> Counts:
    """Return how many items of each kind (row) each column gets.

    Columns are lists; in a Latin square they are first turns, of which each list shows all of its part. Without
    `uneven`, sizes that must differ by more than one are refused, with the sizes that are possible.
    """
    if not shares.kinds:
        return np.zeros((0, shares.lists), dtype=np.int64)
    found = _Programme(shares).solved(_even_sizes(shares), alike=True)
    if found is not None:
        return found
    best = _Programme(shares).solved(None, alike=False)
    if best is None:
        raise Failure(f"No division of {shares.total()} rows into {shares.lists} lists was found.")
    sizes = shares.sizes(best)
    if not uneven:
        raise UserError(
            f"Lists of {_even(shares)} rows are not possible: {_described(shares)} cannot be divided so"
            f"{' without taking items apart' if not shares.turns else ''}.",
            valid=f"The most even sizes of {shares.lists} lists are {_listed(sizes)}.{_other_numbers(shares)}",
            remedy="Choose another number of lists, other items, or --uneven.",
        )
    again = _Programme(shares).solved([(min(sizes), max(sizes))] * shares.lists, alike=True)
    return best if again is None else again


def possible(shares: Shares) -> bool:
    """Return whether the lists can be of one size, or differ by one row."""
    return _Programme(shares).solved(_even_sizes(shares), alike=False) is not None


def _even_sizes(shares: Shares) -> list[tuple[int, int]]:
    """Return the least and the largest size of each list.

    Lists of whole items may change names, so the first are the longer ones; of a Latin square this cannot be said.
    """
    size, more = divmod(shares.total(), shares.lists)
    if shares.turns:
        return [(size, size + bool(more))] * shares.lists
    return [(size + (number < more),) * 2 for number in range(shares.lists)]


class _Programme:
    """The integer programme: a variable for each kind and column, and a largest and smallest value for each spread."""

    def __init__(self, shares: Shares) -> None:
        self.shares = shares
        self.entries: list[tuple[int, int, float]] = []
        self.low: list[float] = []
        self.high: list[float] = []
        self.cost = [0.0] * (len(shares.kinds) * shares.lists)

    def solved(self, sizes: Sequence[tuple[int, int]] | None, *, alike: bool) -> Counts | None:
        """Return numbers with lists of these sizes, or None when there are none; without sizes, the most even ones.

        `alike` asks for lists that are as alike as can be, and not for any.
        """
        shares = self.shares
        for number, items in enumerate(shares.items):
            self._limit({self._place(number, column): 1 for column in range(shares.lists)}, items, items)
        by_list = self._sizes()
        for row, (low, high) in zip(by_list, sizes or (), strict=bool(sizes)):
            self._limit(row, low, high)
        if sizes is None:
            self._spread(by_list, shares.total())
        if alike:
            for among in self._measures():
                total = sum(shares.items[number] for number in among)
                rows = [{self._place(number, column): 1.0 for number in among} for column in range(shares.lists)]
                self._spread(rows, total)
        return self._answer()

    def _place(self, kind: int, column: int) -> int:
        return kind * self.shares.lists + column

    def _sizes(self) -> list[dict[int, float]]:
        rows: list[dict[int, float]] = [{} for _ in range(self.shares.lists)]
        for number, kind in enumerate(self.shares.kinds):
            for column in range(self.shares.lists):
                for place, count in self.shares.rows(kind, column).items():
                    rows[place][self._place(number, column)] = count
        return rows

    def _measures(self) -> list[tuple[int, ...]]:
        """Return the sets of kinds whose items are to be as many in each column."""
        grouped: dict[object, list[int]] = defaultdict(list)
        for number, kind in enumerate(self.shares.kinds):
            for key in (("variants", kind.variants), ("stratum", kind.stratum), kind, "all"):
                grouped[key].append(number)
        return list(dict.fromkeys(tuple(among) for among in grouped.values()))

    def _limit(self, row: dict[int, float], low: float, high: float) -> None:
        self.entries += [(len(self.low), place, weight) for place, weight in row.items()]
        self.low.append(low)
        self.high.append(high)

    def _spread(self, rows: Sequence[dict[int, float]], total: int) -> None:
        largest, smallest = len(self.cost), len(self.cost) + 1
        self.cost += [1.0, -1.0]
        for row in rows:
            self._limit({**row, largest: -1}, -np.inf, 0)
            self._limit({**row, smallest: -1}, 0, np.inf)
        # What does not come out even has a spread of one at least; saying so spares the solver most of the search.
        self._limit({largest: 1, smallest: -1}, float(total % len(rows) != 0), np.inf)

    def _answer(self) -> Counts | None:
        places, columns, weights = zip(*self.entries, strict=True)
        matrix = scipy.sparse.coo_array((weights, (places, columns)), shape=(len(self.low), len(self.cost))).tocsr()
        result: scipy.optimize.OptimizeResult = scipy.optimize.milp(
            np.array(self.cost),
            integrality=np.ones(len(self.cost)),
            bounds=scipy.optimize.Bounds(0, np.inf),
            constraints=scipy.optimize.LinearConstraint(matrix, self.low, self.high),
            options={"node_limit": _NODES},
        )
        if result.x is not None:
            cells = len(self.shares.kinds) * self.shares.lists
            counts: Counts = np.rint(result.x[:cells]).astype(np.int64).reshape(-1, self.shares.lists)
            counts.flags.writeable = False  # it is remembered: seeds share it
            return counts
        if result.status == 1:
            raise Failure(
                f"Whether {_described(self.shares)} can be divided into {self.shares.lists} lists of one size was not "
                "decided.",
                remedy="Choose another number of lists, or fewer strata.",
            )
        return None


def _even(shares: Shares) -> str:
    sizes = sorted({size for low, high in _even_sizes(shares) for size in (low, high)})
    return " or ".join(map(str, sizes))


def _described(shares: Shares) -> str:
    counted: dict[tuple[int, int], int] = defaultdict(int)
    for kind, items in zip(shares.kinds, shares.items, strict=True):
        counted[kind.variants, len(kind.gaps)] += items
    parts = []
    for (variants, gaps), items in sorted(counted.items()):
        lacking = f" ({gaps} system{'s' * (gaps > 1)} without an answer)" if gaps else ""
        parts.append(f"{items} × {variants} variant{'s' * (variants > 1)}{lacking}")
    return ", ".join(parts)


def _listed(sizes: Sequence[int]) -> str:
    return ", ".join(map(str, sorted(sizes, reverse=True)))


def _other_numbers(shares: Shares, reach: int = 4) -> str:
    """Return the nearest numbers of lists that come out even."""
    step = max(1, shares.turns)
    near = (shares.lists + step * sign * away for away in range(1, reach + 1) for sign in (-1, 1))
    found = [
        lists
        for lists in near
        if 1 < lists <= sum(shares.items) * step and possible(Shares(shares.kinds, shares.items, lists, shares.turns))
    ]
    return f" Even sizes are possible with {' or '.join(map(str, sorted(found[:2])))} lists." if found else ""
