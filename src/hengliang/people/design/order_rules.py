"""What must hold of the order of a list?

Practice comes first, as it was written. Blocks follow in their order. Two rows of one item are at least `distance`
places apart (2: not adjacent), also over the border of two blocks; a repeat comes at least `repeat_distance` places
after the showing before it. A block with so many catch items falls into as many stretches of equal length, each with
one of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hengliang.people.sessions.steps import Presentation


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules for one list. Rows are numbered as the list has them, places are those of the order."""

    distance: int
    repeat_distance: int
    practice: tuple[int, ...]
    """The rows that come first, in their order."""
    block: tuple[int, ...]
    """The block of each row, counted from 0; practice has −1."""
    item: tuple[str, ...]
    catch: tuple[bool, ...]
    before: tuple[int, ...]
    """The showing before it, for a repeat; else −1."""
    after: tuple[int, ...]
    """The showing after it, for what is repeated; else −1."""
    mates: tuple[tuple[int, ...], ...]
    """The other rows of the same item."""
    spans: tuple[tuple[int, int], ...]
    """The first place of each block, and the place after its last."""
    stretch: tuple[int, ...]
    """The stretch of each place, within which one catch item is shown; −1 where there is none."""
    names: tuple[int, ...]
    """What the list itself calls the blocks."""

    @property
    def rows(self) -> int:
        """How many rows the list has."""
        return len(self.item)


def rules_of(
    presentations: Sequence[Presentation], items: Mapping[str, str], distance: int, repeat_distance: int
) -> Rules:
    """Return the rules for a list; `items` says to which item each stimulus belongs."""
    practice = tuple(row for row, shown in enumerate(presentations) if shown.role == "practice")
    rest = [row for row, shown in enumerate(presentations) if shown.role != "practice"]
    names = tuple(sorted({presentations[row].block for row in rest}))
    number = {name: place for place, name in enumerate(names)}
    block = [-1] * len(presentations)
    for row in rest:
        block[row] = number[presentations[row].block]
    catch = tuple(shown.role == "catch" for shown in presentations)
    spans, stretch = _layout(block, catch, len(practice), len(names))
    item = tuple(items[shown.about] for shown in presentations)
    of_item: dict[str, list[int]] = defaultdict(list)
    for row, name in enumerate(item):
        of_item[name].append(row)
    mates = tuple(tuple(other for other in of_item[name] if other != row) for row, name in enumerate(item))
    showings = {(shown.about, shown.occurrence): row for row, shown in enumerate(presentations)}
    before = tuple(showings.get((shown.about, shown.occurrence - 1), -1) for shown in presentations)
    after = tuple(showings.get((shown.about, shown.occurrence + 1), -1) for shown in presentations)
    return Rules(
        *(distance, repeat_distance, practice, tuple(block), item, catch),
        *(before, after, mates, tuple(spans), tuple(stretch), names),
    )


def _layout(
    block: Sequence[int], catch: Sequence[bool], practice: int, blocks: int
) -> tuple[list[tuple[int, int]], list[int]]:
    """Return where blocks begin and end, and to which stretch each place belongs."""
    spans: list[tuple[int, int]] = []
    stretch = [-1] * practice
    start, used = practice, 0
    for number in range(blocks):
        rows = sum(each == number for each in block)
        caught = sum(each == number and is_catch for each, is_catch in zip(block, catch, strict=True))
        spans.append((start, start + rows))
        stretch += [used + place * caught // rows if caught else -1 for place in range(rows)]
        start, used = start + rows, used + caught
    return spans, stretch


def least_rows(counts: Sequence[int], distance: int) -> int:
    """Return how many rows a list has at least, in which items with so many rows each keep the distance.

    With m rows of the most frequent items, and c such items, m − 1 stretches of `distance` places are followed by one
    place for each of the c: (m − 1) · distance + c. A list of at least this length can be ordered, by taking at each
    place an item that is far enough from its last showing and has most rows left.
    """
    most = max(counts, default=0)
    return max(sum(counts), (most - 1) * distance + sum(count == most for count in counts)) if most else 0
