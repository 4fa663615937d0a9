"""Do lists of allocated pairs keep what an allocation promises?

This reads the tables of an experiment as they lie in a folder and counts; it shares no code with `pair_allocation`. A
stimulus is a pair; its `item` is the scene, `scene_size` in its details the size. The plan says how many readers a pair
has; a list is one participant's.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from hengliang.core.terms import Bilingual
from hengliang.experiments import Experiment

ALLOCATED = "allocated"
"""What a design calls lists of this kind."""


def allocation_faults(experiment: Experiment) -> Iterator[str]:
    """Yield everything in which the lists break an allocation."""
    shown = _targets(experiment)
    wanted = experiment.plan.raters_per_item
    if wanted is None:
        yield "the plan does not say how many readers a pair has"
        return
    read = Counter(about for held in shown.values() for about in held)
    beside = set(experiment.versions.filter(pl.col("role") != "target")["about"].to_list())
    for about in experiment.stimuli["about"].to_list():
        if read[about] != wanted and about not in beside:
            yield f"'{about}' is read by {read[about]} participants, not by {wanted}"
    for version, held in shown.items():
        twice = [about for about, count in Counter(held).items() if count > 1]
        yield from (f"version {version} shows '{about}' {Counter(held)[about]} times" for about in twice)
    yield from _uneven("pairs", [len(held) for held in shown.values()])
    sizes = sizes_of(experiment)
    for size in sorted(set(sizes.values())):
        counts = [sum(sizes.get(about) == size for about in held) for held in shown.values()]
        yield from _uneven(f"pairs of size {size}", counts)
    yield from _scene_faults(experiment, shown, wanted)
    yield from _block_faults(experiment, sizes)


def allocation_summary(experiment: Experiment) -> Bilingual:
    """Return in a few words what was found: pairs, readers, and how many readings are of a scene met before."""
    shown = _targets(experiment)
    scenes = dict(experiment.stimuli.select("about", "item").iter_rows())
    again = sum(len(held) - len({scenes[about] for about in held}) for held in shown.values())
    pairs = {about for held in shown.values() for about in held}
    readers = experiment.plan.raters_per_item
    met = Bilingual("nobody meets a scene twice", "没有人两次遇到同一场景")
    if again:
        met = Bilingual(f"{again} readings of a scene met before", f"{again} 次读到已见过的场景")
    return Bilingual(
        f"{len(pairs)} pairs with {readers} readers each; {met.en}", f"{len(pairs)} 对，每对 {readers} 位读者；{met.zh}"
    )


def sizes_of(experiment: Experiment) -> dict[str, int]:
    """Return the size of the scene of each stimulus that tells one."""
    told = {about: json.loads(details or "{}") for about, details in _details(experiment)}
    return {about: held["scene_size"] for about, held in told.items() if isinstance(held.get("scene_size"), int)}


def _details(experiment: Experiment) -> Iterable[tuple[str, str]]:
    return experiment.stimuli.select("about", "details").iter_rows()


def _targets(experiment: Experiment) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {version: [] for version in experiment.versions["version"].to_list()}
    for version, about in experiment.versions.filter(role="target").select("version", "about").iter_rows():
        found[version].append(about)
    return found


def _uneven(what: str, counts: Sequence[int]) -> Iterator[str]:
    if counts and max(counts) - min(counts) > 1:
        yield f"lists have {min(counts)} to {max(counts)} {what}"


def _scene_faults(experiment: Experiment, shown: Mapping[str, Sequence[str]], wanted: int) -> Iterator[str]:
    """A scene with d descriptions has d times the wanted readings: that many people, or else everybody evenly."""
    scenes = dict(experiment.stimuli.select("about", "item").iter_rows())
    described = Counter(scenes[about] for about in {about for held in shown.values() for about in held})
    for scene, descriptions in sorted(described.items()):
        counts = [sum(scenes[about] == scene for about in held) for held in shown.values()]
        fair = -(-descriptions * wanted // len(counts))
        if max(counts) > fair:
            yield f"a list has {max(counts)} descriptions of the scene '{scene}', where {fair} would do"


def _block_faults(experiment: Experiment, sizes: Mapping[str, int]) -> Iterator[str]:
    block_of: dict[int, set[int]] = {}
    for about, block in experiment.versions.filter(role="target").select("about", "block").iter_rows():
        block_of.setdefault(block, set()).add(sizes.get(about, 0))
    for block, held in block_of.items():
        if len(held) > 1:
            yield f"block {block} mixes the sizes {', '.join(map(str, sorted(held)))}"
    order = [min(block_of[block]) for block in sorted(block_of)]
    if order != sorted(order):
        yield f"the sizes of the blocks are {', '.join(map(str, order))}: they do not ascend"
