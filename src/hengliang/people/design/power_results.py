"""How many raters does each item need, by a power analysis that was done before?

`hengliang power plan.toml --json > power.json` simulates experiments of several sizes. What is taken from it is the
smallest number of raters with which every comparison is found often enough, at a number of items that the survey has.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hengliang.errors import UserError
from hengliang.files import read_json

POWER = 0.8
"""How often an effect is to be found."""


@dataclass(frozen=True, slots=True)
class PlannedRaters:
    """How many raters judge each stimulus, and the row of the power analysis that says so."""

    each: int
    raters: int
    items: int
    power: float

    def __str__(self) -> str:
        share = f"{100 * self.power:.0f} %"
        return f"{self.raters} raters and {self.items} items find every effect in {share} of experiments"


def raters_from_power(file: Path, items: int) -> PlannedRaters:
    """Return the raters that an experiment of so many items needs.

    Sizes with more items than there are do not count. In a plan with the assignment "latin square" a rater judges one
    version of each item, so that a stimulus has as many raters as there are raters a system.
    """
    held = read_json(file)
    try:
        rows = [row for row in held["estimates"] if row["statistic"] == "power"]
        powers: dict[tuple[int, int], float] = {}
        for row in rows:
            size = (int(row["by"]["raters"]), int(row["by"]["items"]))
            powers[size] = min(powers.get(size, 1.0), float(row["value"]))
        systems = _systems(rows[0])
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise UserError(
            f"{file} is not a result of a power analysis.", remedy=f"hengliang power plan.toml --json > {file}"
        ) from error
    sizes = sorted(size for size in powers if size[1] <= items)
    if not sizes:
        least = min(size[1] for size in powers)
        raise UserError(
            f"{file} is about experiments of {least} items or more; this one has {items}.",
            remedy="Simulate smaller experiments, or add items.",
        )
    enough = [size for size in sizes if powers[size] >= POWER]
    if not enough:
        best = max(sizes, key=powers.__getitem__)
        raise UserError(
            f"{file}: no number of raters reaches a power of {POWER} with at most {items} items.",
            valid=f"The best is {powers[best]:.2f}, with {best[0]} raters and {best[1]} items.",
            remedy="Simulate more raters, or give --raters.",
        )
    fewest = min(raters for raters, _ in enough)
    raters, chosen = max(size for size in enough if size[0] == fewest)
    return PlannedRaters(math.ceil(raters / systems), raters, chosen, powers[raters, chosen])


def _systems(row: Mapping[str, Any]) -> int:
    """Return among how many versions of an item the raters are divided."""
    parts = dict(part.split(":", 1) for part in row["signature"].split("|"))
    return len(parts["systems"].split(", ")) if parts["assignment"] == "latin square" else 1
