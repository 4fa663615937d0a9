"""Do finished lists and orders keep what the design promises?

This reads the table of versions as it lies in a folder and counts; it shares no code with what made the lists. `proof`
says in one line what was found, with a digest of the lists it is about; `check_proof` says whether a folder still is
what was proved.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.signature import digest
from hengliang.core.terms import Bilingual
from hengliang.experiments import Experiment
from hengliang.people.design.allocation_proof import ALLOCATED, allocation_faults, allocation_summary
from hengliang.people.sessions.survey import Design

Row = Mapping[str, object]
_WAYS = {"clusters": "同一条目的变体同列", "latin": "拉丁方", ALLOCATED: "逐人分配"}
"""What the kinds of lists are called in Chinese."""


def faults(experiment: Experiment, design: Design) -> list[str]:
    """Return everything that is wrong with the lists and with the order in which the folder holds them."""
    lists = _lists(experiment)
    items = dict(experiment.stimuli.select("about", "item").iter_rows())
    found = [*_division_faults(experiment, design, lists, items), *_role_faults(lists)]
    for version, rows in lists.items():
        if [row["position"] for row in rows] != list(range(1, len(rows) + 1)):
            found.append(f"version {version}: positions are not 1 to {len(rows)}")
        found += [f"version {version}: {fault}" for fault in order_faults(rows, items, design)]
    return found


def order_faults(rows: Sequence[Row], items: Mapping[str, str], design: Design) -> list[str]:
    """Return what is wrong with the order of these rows (`about`, `role`, `block`, `occurrence`), first to last."""
    found = []
    practice = [place for place, row in enumerate(rows) if row["role"] == "practice"]
    if practice != list(range(len(practice))):
        found.append("practice does not come first")
    blocks = [int(str(row["block"])) for row in rows if row["role"] != "practice"]
    if blocks != sorted(blocks):
        found.append("blocks are not in their order")
    nearest = smallest_distance(rows, items)
    if nearest is not None and nearest < design.distance:
        found.append(f"variants of an item are {nearest} apart, not {design.distance}")
    later = smallest_repeat_distance(rows)
    if later is not None and later < design.repeat_distance:
        found.append(f"a repeat comes {later} places after its first showing, not {design.repeat_distance}")
    return [*found, *_catch_faults(rows)]


def smallest_distance(rows: Sequence[Row], items: Mapping[str, str]) -> int | None:
    """Return how near two rows of one item come to each other; None where every item is shown once."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        places[items[str(row["about"])]].append(place)
    return min((b - a for held in places.values() for a, b in combinations(held, 2)), default=None)


def smallest_repeat_distance(rows: Sequence[Row]) -> int | None:
    """Return how many places a repeat is after its first showing; None without repeats, negative in a wrong order."""
    places = {(row["about"], row["occurrence"]): place for place, row in enumerate(rows)}
    return min(
        (place - places[about, 1] for (about, time), place in places.items() if time != 1 and (about, 1) in places),
        default=None,
    )


def _catch_faults(rows: Sequence[Row]) -> Iterable[str]:
    """In a block of n rows with c catch items, the k-th (from 0) is at one of the places from kn/c to (k + 1)n/c."""
    for block in sorted({str(row["block"]) for row in rows}):
        shown = [row for row in rows if str(row["block"]) == block and row["role"] != "practice"]
        caught = [place for place, row in enumerate(shown) if row["role"] == "catch"]
        for number, place in enumerate(caught):
            if place * len(caught) // len(shown) != number:
                yield f"catch items of block {block} are not spread: one stands at {place + 1} of {len(shown)}"


def _lists(experiment: Experiment) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = defaultdict(list)
    for row in experiment.versions.sort("version", "position").iter_rows(named=True):
        found[row["version"]].append(row)
    return found


def _targets(rows: Iterable[Row]) -> list[str]:
    return [str(row["about"]) for row in rows if row["role"] == "target"]


def _division_faults(
    experiment: Experiment, design: Design, lists: Mapping[str, Sequence[Row]], items: Mapping[str, str]
) -> Iterable[str]:
    if design.lists == ALLOCATED:
        yield from allocation_faults(experiment)
        return
    targets = {version: _targets(rows) for version, rows in lists.items()}
    sizes = {len(shown) for shown in targets.values()}
    if sizes and max(sizes) - min(sizes) > 1 and not design.uneven:
        yield f"lists have {min(sizes)} to {max(sizes)} targets"
    times = Counter(about for shown in targets.values() for about in shown)
    others = {str(row["about"]) for rows in lists.values() for row in rows if row["role"] in _BESIDE}
    for about, systems in experiment.stimuli.select("about", "systems").iter_rows():
        wanted = 1 if design.lists == "clusters" else max(1, len(systems or ()))
        if times[about] != wanted and about not in others:
            yield f"'{about}' is a target of {times[about]} lists, not of {wanted}"
    if design.lists == "clusters":
        where: dict[str, set[str]] = defaultdict(set)
        for version, shown in targets.items():
            for about in shown:
                where[items[about]].add(version)
        yield from (f"variants of '{item}' are in several lists" for item, held in where.items() if len(held) > 1)
    else:
        for version, shown in targets.items():
            twice = [item for item, count in Counter(items[about] for about in shown).items() if count > 1]
            yield from (f"version {version} shows two variants of '{item}'" for item in twice)


_BESIDE = ("practice", "filler", "catch")


def _role_faults(lists: Mapping[str, Sequence[Row]]) -> Iterable[str]:
    """Practice, fillers and catch items are the same in every list; a repeat is a target of the same list and block."""
    beside = {
        version: sorted((str(row["role"]), str(row["about"])) for row in rows if row["role"] in _BESIDE)
        for version, rows in lists.items()
    }
    if len({repr(rows) for rows in beside.values()}) > 1:
        yield "lists differ in practice, fillers or catch items"
    for version, rows in lists.items():
        first = {(row["about"], row["block"]) for row in rows if row["role"] == "target" and row["occurrence"] == 1}
        for row in rows:
            if (row["role"] == "repeat") != (row["occurrence"] != 1):
                yield f"version {version}: '{row['about']}' is a {row['role']} of occurrence {row['occurrence']}"
            elif row["role"] == "repeat" and (row["about"], row["block"]) not in first:
                yield f"version {version}: the repeat of '{row['about']}' is of nothing in its block"


def proof(experiment: Experiment, design: Design) -> str:
    """Return what holds of the lists in one line, with a digest of them; lists with a fault are refused."""
    wrong = faults(experiment, design)
    if wrong:
        raise UserError(f"The lists do not keep the design: {wrong[0]}.", remedy="Design the survey anew.")
    return _found(experiment, design).en


def stated_proof(experiment: Experiment, design: Design) -> Bilingual:
    """Return the proof that a design holds, in both languages where the lists are those that it is about."""
    found = _found(experiment, design) if design.proof else Bilingual("", "")
    return found if found.en == design.proof else Bilingual(design.proof, design.proof)


def _found(experiment: Experiment, design: Design) -> Bilingual:
    """Return what can be counted in the lists."""
    lists = _lists(experiment)
    items = dict(experiment.stimuli.select("about", "item").iter_rows())
    targets = [_targets(rows) for rows in lists.values()]
    numbers = [Counter(Counter(items[about] for about in shown).values()) for shown in targets]
    way = _WAYS.get(design.lists, design.lists)
    sizes = [len(shown) for shown in targets]
    parts = [
        Bilingual(f"{len(lists)} list{'s' * (len(lists) != 1)} ({design.lists})", f"{len(lists)} 个列表（{way}）"),
        Bilingual(f"targets {_listed(sizes)}", f"各列表的目标数 {_listed(sizes)}"),
    ]
    if design.lists == ALLOCATED:
        parts.append(allocation_summary(experiment))
    else:
        for variants in sorted({number for held in numbers for number in held}):
            counts = _listed([held[variants] for held in numbers])
            plural = "s" * (variants > 1)
            parts.append(
                Bilingual(f"items with {variants} variant{plural} {counts}", f"有 {variants} 个变体的条目数 {counts}")
            )
    nearest = [near for rows in lists.values() if (near := smallest_distance(rows, items)) is not None]
    apart = Bilingual("no item twice in a list", "没有条目在一个列表中出现两次")
    if nearest:
        apart = Bilingual(f"rows of an item at least {min(nearest)} apart", f"同一条目的各行至少相隔 {min(nearest)} 位")
    parts.append(apart)
    later = [near for rows in lists.values() if (near := smallest_repeat_distance(rows)) is not None]
    if later:
        parts.append(Bilingual(f"repeats at least {min(later)} later", f"重复项至少在 {min(later)} 位之后"))
    seal = _digest(experiment.versions, items)
    parts += [
        Bilingual(f"seed {design.seed}", f"随机种子 {design.seed}"),
        Bilingual(f"lists {seal}", f"列表摘要 {seal}"),
    ]
    return Bilingual("; ".join(part.en for part in parts), "；".join(part.zh for part in parts))


def check_proof(experiment: Experiment, design: Design) -> None:
    """Refuse lists that are not those of the design's proof, or that do not keep the design."""
    found = proof(experiment, design)
    if design.proof != found:
        raise UserError(
            f"The lists are not those that were proved. Proved: {design.proof or 'nothing'}. Found: {found}.",
            remedy="Design the survey anew.",
        )


def _listed(numbers: Iterable[int]) -> str:
    held: Sequence[int] = list(numbers)
    return str(held[0]) if len(held) == 1 else ", ".join(map(str, held))


def _digest(versions: pl.DataFrame, items: Mapping[str, str]) -> str:
    rows = versions.sort("version", "position").iter_rows(named=True)
    return digest(*(repr((*row.values(), items[row["about"]])) for row in rows))
