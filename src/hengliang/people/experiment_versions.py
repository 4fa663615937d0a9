"""Which of the items does one reader see, and in which order?

An experiment with too many items for one reader is divided into versions [1, sections 5.2 and 6.2]. There are two ways.

apart  All variants of a sentence are in one version, so that one reader compares them; no item directly follows a
       variant of the same sentence. Sentences are dealt out so that versions have the same number of items, and as
       many sentences with one, two, three … distinct choices. This is how the paper did it, by hand.
latin  A reader sees every sentence once, with the choice of one system; over the versions each system has its turn with
       each sentence. The number of versions is a multiple of the number of systems.

[1] de Bruijn, A. (2023). Human evaluation of automatically generated classifiers in Mandarin Chinese. Master's thesis,
    Utrecht University.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal, get_args

import polars as pl

from hengliang.errors import UserError, unknown_name
from hengliang.experiments import versions_frame
from hengliang.signature import digest

Lists = Literal["apart", "latin"]
LISTS: tuple[Lists, ...] = get_args(Lists)


def divide(
    stimuli: pl.DataFrame,
    groups: int = 1,
    seed: int = 1,
    lists: Lists = "apart",
    strata: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """Return the versions: `version` (from 1), `position` in it (from 1) and the stimulus.

    `strata` says of sentences to which sample they belong; versions have as many of each. The same stimuli and seed
    give the same versions, whatever the order of the rows.
    """
    if lists not in LISTS:
        raise unknown_name("kind of list", lists, LISTS)
    if groups < 1:
        raise UserError(f"{groups} versions are not possible.", valid="A whole number from 1.")
    sentences = stimuli["item"].n_unique()
    if groups > sentences:
        raise UserError(f"{groups} versions are wanted of {sentences} sentences.", valid=f"At most {sentences}.")
    deal = _dealt if lists == "apart" else _rotated
    rows = [
        {"version": str(version), "position": position, "about": about}
        for version, members in enumerate(deal(stimuli, groups, seed, strata or {}), 1)
        for position, (_, about) in enumerate(_spread(_shuffled(members, seed, version)), 1)
    ]
    return versions_frame(rows)


def neighbours(versions: pl.DataFrame, stimuli: pl.DataFrame) -> int:
    """Return how many items directly follow a variant of the same sentence: none, unless it cannot be avoided."""
    held = versions.join(stimuli.select("about", "item"), on="about", how="left", maintain_order="left")
    held = held.sort("version", "position")
    return sum(one == other for one, other in pairwise(held.select("version", "item").rows()))


# --- who sees what --------------------------------------------------------------------------------------------------

Member = tuple[str, str]
"""A sentence and one of its stimuli."""


def _clusters(stimuli: pl.DataFrame) -> list[tuple[str, list[str], list[list[str]]]]:
    """Return each sentence with its stimuli and their systems."""
    grouped = stimuli.group_by("item", maintain_order=True).agg("about", "systems")
    return [(item, about, systems) for item, about, systems in grouped.iter_rows()]


def _dealt(stimuli: pl.DataFrame, groups: int, seed: int, strata: Mapping[str, str]) -> Iterator[list[Member]]:
    """Deal whole sentences, those with most variants first, to the version with fewest of their kind, then of items."""

    def place(cluster: tuple[str, list[str], list[list[str]]]) -> tuple[int, str, str, str]:
        item, about, systems = cluster
        # Sentences in which the same systems agree stand side by side, so that they go to different versions.
        agreed = repr(sorted(sorted(names) for names in systems))
        return -len(about), strata.get(item, ""), agreed, digest(str(seed), item)

    held: list[list[Member]] = [[] for _ in range(groups)]
    kinds: list[Counter[tuple[int, str]]] = [Counter() for _ in range(groups)]
    for item, about, _ in sorted(_clusters(stimuli), key=place):
        kind = (len(about), strata.get(item, ""))
        fewest = min((kinds[group][kind], len(held[group]), group) for group in range(groups))[-1]
        kinds[fewest][kind] += 1
        held[fewest].extend((item, one) for one in about)
    yield from held


def _rotated(stimuli: pl.DataFrame, groups: int, seed: int, strata: Mapping[str, str]) -> Iterator[list[Member]]:
    """Give each version one system's choice of every sentence, the next version that of the next system."""
    systems = sorted(set(stimuli["systems"].explode().to_list()))
    if groups % len(systems):
        several = ", ".join(str(len(systems) * times) for times in (1, 2, 3))
        raise UserError(
            f"A Latin square of {len(systems)} systems cannot have {groups} versions.",
            valid=f"A multiple of the number of systems: {several} …",
        )

    def place(cluster: tuple[str, list[str], list[list[str]]]) -> tuple[str, str]:
        return strata.get(cluster[0], ""), digest(str(seed), cluster[0])

    clusters = sorted(_clusters(stimuli), key=place)
    for version in range(groups):
        members = []
        for number, (item, about, givers) in enumerate(clusters):
            system = systems[(number + version) % len(systems)]
            members += [(item, one) for one, names in zip(about, givers, strict=True) if system in names]
        yield members


# --- in which order -------------------------------------------------------------------------------------------------


def _shuffled(members: Sequence[Member], seed: int, version: int) -> list[Member]:
    def key(member: Member) -> str:
        return digest(str(seed), str(version), member[1])

    return sorted(members, key=key)


def _spread(members: Sequence[Member]) -> list[Member]:
    """Keep the order as far as no sentence follows itself; where that is impossible, as few do as can be.

    An order exists as long as no sentence has more than half of what remains, rounded up; so the first item is taken
    that is not of the sentence before and after which this still holds.
    """
    waiting = deque(members)
    left = Counter(item for item, _ in members)
    largest = max(left.values(), default=0)
    found: list[Member] = []
    while waiting:
        before = found[-1][0] if found else None
        # Only near the end can a sentence be too frequent among what remains.
        near = 2 * largest > len(waiting)
        crowded = {item for item, count in left.items() if 2 * count > len(waiting)} if near else set()
        place = _first(waiting, before, crowded)
        member = waiting[place]
        del waiting[place]
        left[member[0]] -= 1
        found.append(member)
    return found


def _first(waiting: Iterable[Member], before: str | None, crowded: set[str]) -> int:
    """Return the place of the first item that may come next: of the crowded sentence, if there is one."""
    fallback = None
    for place, (item, _) in enumerate(waiting):
        if item != before:
            if crowded <= {item}:
                return place
            fallback = place if fallback is None else fallback
    return fallback or 0
