"""How many raters does each item need, by a power analysis that was done before?

`hengliang power plan.toml --json > power.json` simulates experiments of several sizes. What is taken from it is the
smallest number of raters with which every comparison is found often enough, at a number of items that the survey has.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hengliang.core.errors import UserError, file_errors

POWER = 0.8
"""How often an effect is to be found, where the plan does not say."""


@dataclass(frozen=True, slots=True)
class PlannedRaters:
    """How many raters judge each stimulus, and the row of the power analysis that says so."""

    each: int
    raters: int
    items: int
    power: float
    false_positives: float | None = None
    """How often the test finds an effect where there is none."""

    def __str__(self) -> str:
        share = f"{100 * self.power:.0f} %"
        found = f"{self.raters} raters and {self.items} items find every effect in {share} of experiments"
        if self.false_positives is None:
            return found
        return f"{found}, and one that is not there in {100 * self.false_positives:.0f} %"


def raters_from_power(file: Path, items: int) -> PlannedRaters:
    """Return the raters that an experiment of so many items needs.

    Sizes with more items than there are do not count. In a plan with the assignment "latin square" a rater judges one
    version of each item, so that a stimulus has as many raters as there are raters a system.
    """
    with file_errors(file, "read"):
        content = file.read_bytes()
    try:
        rows = json.loads(content)["estimates"]
        powers = {size: min(found) for size, found in _by_size(rows, "power").items()}
        wrong = {size: max(found) for size, found in _by_size(rows, "false positives").items()}
        plan = dict(part.split(":", 1) for part in rows[0]["signature"].split("|"))
        systems = len(plan["systems"].split(", ")) if plan["assignment"] == "latin square" else 1
        wanted = float(plan.get("power", POWER))
        least = min(size[1] for size in powers)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise UserError(
            f"{file} is not a result of a power analysis.", remedy="hengliang power plan.toml --json > power.json"
        ) from error
    sizes = sorted(size for size in powers if size[1] <= items)
    if not sizes:
        raise UserError(
            f"{file} is about experiments of {least} items or more; this one has {items}.",
            remedy="Simulate smaller experiments, or add items.",
        )
    enough = [size for size in sizes if powers[size] >= wanted]
    if not enough:
        best = max(sizes, key=powers.__getitem__)
        raise UserError(
            f"{file}: no number of raters reaches a power of {wanted:g} with at most {items} items.",
            valid=f"The best is {powers[best]:.2f}, with {best[0]} raters and {best[1]} items.",
            remedy="Simulate more raters, or give --raters.",
        )
    fewest = min(raters for raters, _ in enough)
    raters, chosen = max(size for size in enough if size[0] == fewest)
    return PlannedRaters(
        math.ceil(raters / systems), raters, chosen, powers[raters, chosen], wrong.get((raters, chosen))
    )


def _by_size(rows: Sequence[Mapping[str, Any]], statistic: str) -> dict[tuple[int, int], list[float]]:
    """Return a statistic of all comparisons, by numbers of raters and items."""
    found: dict[tuple[int, int], list[float]] = {}
    for row in rows:
        if row["statistic"] == statistic:
            found.setdefault((int(row["by"]["raters"]), int(row["by"]["items"])), []).append(float(row["value"]))
    return found
