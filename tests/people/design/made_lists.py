"""Lists and stimuli of our own making, and a slow check of orders that shares nothing with the code under test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, permutations

import polars as pl

from hengliang.experiments import stimuli_frame
from hengliang.people.sessions.steps import Presentation

SYSTEMS = ("CORPUS", "GE", "RULE", "BERT")


def stimuli(sizes: Sequence[int], systems: Sequence[str] = SYSTEMS) -> pl.DataFrame:
    """Return items with so many variants; the first variant is that of all systems that are not alone."""
    rows = []
    for number, size in enumerate(sizes):
        for variant in range(size):
            alone = len(systems) - size + variant
            givers = list(systems[: len(systems) + 1 - size]) if variant == 0 else [systems[alone]]
            about = f"{number}-{variant}"
            rows.append({"about": about, "item": str(number), "text": about, "spans": [], "systems": givers})
    return stimuli_frame(rows)


def items_of(rows: Iterable[Presentation]) -> dict[str, str]:
    """Return the item of each stimulus: what stands before the hyphen."""
    return {row.about: row.about.split("-")[0] for row in rows}


def keeps(rows: Sequence[Presentation], order: Sequence[int], distance: int, repeat_distance: int) -> bool:
    """Return whether an order keeps every rule, by comparing every row with every other."""
    shown = [rows[place] for place in order]
    items = items_of(rows)
    practice = [row for row in rows if row.role == "practice"]
    if sorted(order) != list(range(len(rows))) or shown[: len(practice)] != practice:
        return False
    rest = shown[len(practice) :]
    if any(one.block > other.block for one, other in pairwise(rest)):
        return False
    for late, other in enumerate(shown):
        for early, one in enumerate(shown[:late]):
            if items[one.about] == items[other.about] and late - early < distance:
                return False
            if one.about == other.about and (one.occurrence > other.occurrence or late - early < repeat_distance):
                return False
    return all(_spread([row for row in rest if row.block == block]) for block in {row.block for row in rest})


def _spread(block: Sequence[Presentation]) -> bool:
    """Each of as many stretches as there are catch items has one."""
    caught = sum(row.role == "catch" for row in block)
    held: Mapping[int, list[str]] = {number: [] for number in range(caught)}
    for place, row in enumerate(block):
        if caught:
            held[place * caught // len(block)].append(row.role)
    return all(roles.count("catch") == 1 for roles in held.values())


def all_orders(rows: Sequence[Presentation], distance: int, repeat_distance: int) -> set[tuple[int, ...]]:
    """Return every order that keeps the rules, by trying all of them."""
    return {order for order in permutations(range(len(rows))) if keeps(rows, order, distance, repeat_distance)}
