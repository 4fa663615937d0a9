"""Which of the stimuli does one participant see?

An experiment with too many items for one participant is divided into versions (lists) [1, sections 5.2 and 6.2]. There
are two ways.

clusters  All variants of an item are in one list, so that one participant compares them. This is how the paper did it,
          by hand.
latin     Nobody sees two variants of an item; over the lists each system has its turn with each item. The number of
          lists is a multiple of the number of systems; with twice as many lists, each shows half of the items.

Lists differ in size by one at most. Under this condition they have as equal numbers as can be of items with one, two,
three … variants and of items of each stratum: `list_counts` solves for the numbers exactly. Which items of a kind go
where is then drawn by the seed.

[1] de Bruijn, A. (2023). Human evaluation of automatically generated classifiers in Mandarin Chinese. Master's thesis,
    Utrecht University.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.signature import digest
from hengliang.people.design.list_counts import Kind, Shares, most_even

Lists = Literal["clusters", "latin"]
LISTS: tuple[Lists, ...] = get_args(Lists)


@dataclass(frozen=True, slots=True)
class Cluster:
    """An item with its variants, in the order of the turns of a Latin square; a turn without a variant is empty."""

    item: str
    stratum: str
    agreement: str
    """Which systems agree: items that are alike in this go to different lists."""
    turns: tuple[str, ...]
    variants: tuple[str, ...]


def divide(
    stimuli: pl.DataFrame,
    groups: int = 1,
    seed: int = 1,
    lists: Lists = "clusters",
    strata: Mapping[str, str] | None = None,
    *,
    uneven: bool = False,
) -> list[list[str]]:
    """Return what each list shows, as the column `about` of the stimuli has it.

    `strata` says of items to which sample or block they belong; lists have as many of each as can be. The same stimuli
    and seed give the same lists, whatever the order of the rows. `uneven` allows sizes that differ by more than one
    where intact clusters leave no other way; they then differ as little as can be.
    """
    if lists not in LISTS:
        raise unknown_name("kind of list", lists, LISTS)
    if groups < 1:
        raise UserError(f"{groups} versions are not possible.", valid="A whole number from 1.")
    clusters = _clusters(stimuli, seed, strata or {})
    if groups > len(clusters) and lists == "clusters":
        raise UserError(
            f"{groups} versions are wanted of {len(clusters)} sentences.", valid=f"At most {len(clusters)}."
        )
    if lists == "latin":
        _check_turns(clusters)
    turns = len(clusters[0].turns) if lists == "latin" and clusters else 1
    if groups % turns:
        several = ", ".join(str(turns * times) for times in (1, 2, 3))
        raise UserError(
            f"A Latin square of {turns} systems cannot have {groups} versions.",
            valid=f"A multiple of the number of systems: {several} …",
        )
    if groups // turns > max(1, len(clusters)):
        raise UserError(
            f"{groups} versions are wanted of {len(clusters)} sentences and {turns} systems.",
            valid=f"At most {len(clusters) * turns}.",
        )
    dealt = _dealt(clusters, groups, seed, turns if lists == "latin" else 0, uneven)
    return _intact(dealt) if lists == "clusters" else _rotated(dealt, turns)


def neighbours(versions: pl.DataFrame, stimuli: pl.DataFrame) -> int:
    """Return how many rows directly follow a variant of the same item."""
    held = versions.join(stimuli.select("about", "item"), on="about", how="left", maintain_order="left")
    held = held.sort("version", "position").with_columns(before=pl.col("item").shift().over("version"))
    return held.filter(pl.col("item") == pl.col("before")).height


def _clusters(stimuli: pl.DataFrame, seed: int, strata: Mapping[str, str]) -> list[Cluster]:
    """Return the items, in an order that depends on the seed and on nothing else."""
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for about, item, systems in stimuli.select("about", "item", "systems").iter_rows():
        found[item].append((about, tuple(sorted(systems or ()))))
    names = sorted({name for members in found.values() for _, systems in members for name in systems})
    most = max((len(members) for members in found.values()), default=1)
    made = []
    for item, members in found.items():
        drawn = sorted(members, key=lambda member: digest(str(seed), member[0]))
        # Variants that nobody is named for take turns as they are drawn.
        turns = (
            tuple(next((about for about, systems in drawn if name in systems), "") for name in names)
            if names
            else tuple(about for about, _ in drawn) + ("",) * (most - len(drawn))
        )
        agreement = repr(sorted(systems for _, systems in members))
        made.append(Cluster(item, strata.get(item, ""), agreement, turns, tuple(about for about, _ in drawn)))
    return sorted(made, key=lambda cluster: digest(str(seed), cluster.item))


def _check_turns(clusters: Sequence[Cluster]) -> None:
    """Refuse an item with a text that has no turn: its system has another one, or it has none."""
    for cluster in clusters:
        if set(cluster.variants) - set(cluster.turns):
            raise UserError(
                f"The item '{cluster.item}' has a text without a system, or two texts of one system: in a Latin square "
                "each system has one text of each item.",
                remedy="Name the systems, or take --lists clusters.",
            )


def _dealt(clusters: Sequence[Cluster], groups: int, seed: int, turns: int, uneven: bool) -> list[list[Cluster]]:
    """Deal the items to as many columns as there are lists: a column is a list, or in `latin` a first turn."""
    of_kind: dict[Kind, list[Cluster]] = defaultdict(list)
    for cluster in clusters:
        gaps = tuple(turn for turn, about in enumerate(cluster.turns) if not about) if turns else ()
        of_kind[Kind(len(cluster.variants), cluster.stratum, gaps)].append(cluster)
    kinds = sorted(of_kind)
    shares = Shares(tuple(kinds), tuple(len(of_kind[kind]) for kind in kinds), groups, turns)
    counts = most_even(shares, uneven=uneven)
    columns: list[list[Cluster]] = [[] for _ in range(groups)]
    names = _permuted(groups, turns, seed)
    for kind, row in zip(kinds, counts, strict=True):
        held = sorted(of_kind[kind], key=lambda cluster: (digest(str(seed), cluster.agreement), _draw(seed, cluster)))
        for cluster, column in zip(held, _interleaved(row, f"{seed} {kind}"), strict=True):
            columns[names[column]].append(cluster)
    return columns


def _draw(seed: int, cluster: Cluster) -> str:
    return digest(str(seed), "dealt", cluster.item)


def _permuted(groups: int, turns: int, seed: int) -> list[int]:
    """Return which column is called which, so that the longer lists are not always the first ones.

    Columns of a Latin square may change places in whole parts only: within a part the turns follow each other.
    """
    width = max(1, turns)
    parts = sorted(range(groups // width), key=lambda part: digest(str(seed), "list", str(part)))
    return [part * width + turn for part in parts for turn in range(width)]


def _interleaved(row: np.ndarray, salt: str) -> list[int]:
    """Return column numbers, each as often as the row says, such that every stretch has its share of every column.

    Items that are alike stand side by side when they are dealt, and so are spread.
    """
    places = [
        ((use + 0.5) / count, digest(salt, str(column)), column)
        for column, count in enumerate(row.tolist())
        for use in range(count)
    ]
    return [column for _, _, column in sorted(places)]


def _intact(columns: Sequence[Sequence[Cluster]]) -> list[list[str]]:
    return [[about for cluster in column for about in cluster.variants] for column in columns]


def _rotated(columns: Sequence[Sequence[Cluster]], turns: int) -> list[list[str]]:
    """Give each list of a part the items of all columns of the part, each column at its own turn."""
    made: list[list[str]] = []
    for part in range(0, len(columns), turns):
        for place in range(turns):
            shown = [
                cluster.turns[(first + place) % turns] for first in range(turns) for cluster in columns[part + first]
            ]
            made.append([about for about in shown if about])
    return made


def numbers_of_variants(shown: Sequence[str], items: Mapping[str, str]) -> Counter[int]:
    """Return how many items of a list have one, two, three … variants in it."""
    return Counter(Counter(items[about] for about in shown).values())
