"""What stands on a list besides its targets, and in which block?

Practice, fillers and catch items are on every list. Blocks come in the order of the values of a column, numbers
ascending; what names no block is spread over all of them. Repeats are drawn from the targets of the list and stay in
their block.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hengliang.core.errors import UserError
from hengliang.core.signature import digest
from hengliang.people.design.item_files import Items
from hengliang.people.sessions.steps import Presentation

MOST_REPEATS = 0.2
BLOCK = "block"


@dataclass(frozen=True, slots=True)
class Blocks:
    """The block of each stimulus that has one, and how many stimuli each block has."""

    of: Mapping[str, int] = field(default_factory=dict)
    names: tuple[Any, ...] = ()

    def __getitem__(self, about: str) -> int:
        return self.of.get(about, 1)

    def spread(self, abouts: Sequence[str], targets: Iterable[str]) -> dict[str, int]:
        """Return the blocks of stimuli beside the targets: their own, or else at even steps through the targets."""
        way = sorted(self[about] for about in targets) or [1]
        homeless = [about for about in abouts if about not in self.of]
        found = {about: self.of[about] for about in abouts if about in self.of}
        for place, about in enumerate(homeless):
            found[about] = way[int((place + 0.5) * len(way) / len(homeless))]
        return found


def blocks_of(items: Items, column: str | None) -> Blocks:
    """Return the blocks by a column of the items; without one, by `block`, if there is such a column."""
    values = items.values(column or BLOCK)
    targets = items.of_role("target")
    lacking = [about for about in targets if about not in values]
    if column is not None and not values:
        raise UserError(f"No target has a '{column}' by which blocks could be made.", valid=_columns(items))
    if lacking and (column is not None or len(lacking) < len(targets)):
        row = items.stimuli.filter(about=lacking[0]).row(0, named=True)
        raise UserError(
            f"The item '{row['item']}' ('{row['text']}') has no {column or BLOCK}.",
            valid=f"Blocks need a value of '{column or BLOCK}' for every target.",
        )
    if lacking:
        return Blocks()
    names = sorted(set(values.values()), key=_rank)
    number = {name: place for place, name in enumerate(names, 1)}
    return Blocks({about: number[value] for about, value in values.items()}, tuple(names))


def _columns(items: Items) -> str:
    held = {name for details in items.stimuli["details"] for name in json.loads(details or "{}")}
    held |= {name for row in items.attributes.values() for name in row}
    return f"Columns: {', '.join(sorted(held)) or 'none'}."


def _rank(value: Any) -> tuple[bool, float, str]:
    """Numbers come first, ascending; then texts."""
    is_number = isinstance(value, int | float)
    return not is_number, float(value) if is_number else 0.0, str(value)


def repeated(
    version: str,
    targets: Sequence[str],
    rows: Mapping[int, int],
    blocks: Blocks,
    share: float,
    distance: int,
    seed: int,
) -> list[Presentation]:
    """Return the repeats of a list: a share of its targets, drawn from blocks that are long enough for the distance.

    `rows` says how many rows each block has without repeats. A block with r repeats at a distance of d needs d + r
    rows, and r of them are the repeats themselves.
    """
    if not 0 <= share <= MOST_REPEATS:
        raise UserError(f"A share of {share} cannot be repeated.", valid=f"From 0 to {MOST_REPEATS}.")
    wanted = max(1, round(share * len(targets))) if share else 0
    long = [about for about in targets if rows[blocks[about]] >= distance]
    if len(long) < wanted:
        raise UserError(
            f"Version {version}: {wanted} targets are to be shown again at least {distance} places later, but only "
            f"{len(long)} are in blocks of {distance} rows or more.",
            valid=f"A distance of at most {max(rows.values(), default=0)}.",
            remedy="Choose a smaller --repeat-distance, or --repeats 0.",
        )
    drawn = sorted(long, key=lambda about: digest(str(seed), "repeat", version, about))[:wanted]
    return [Presentation(about, "repeat", blocks[about], 2) for about in drawn]


def rows_of(
    version: str, targets: Sequence[str], items: Items, blocks: Blocks, share: float, distance: int, seed: int
) -> list[Presentation]:
    """Return all rows of a list, not yet in an order."""
    practice = items.of_role("practice")
    every_target = items.of_role("target")
    rows = [Presentation(about, "practice", blocks.of.get(about, 1)) for about in practice]
    rows += [Presentation(about, "target", blocks[about]) for about in targets]
    for role in ("filler", "catch"):
        spread = blocks.spread(items.of_role(role), every_target)
        rows += [Presentation(about, role, block) for about, block in spread.items()]
    counted = Counter(shown.block for shown in rows if shown.role != "practice")
    return rows + repeated(version, targets, counted, blocks, share, distance, seed)
