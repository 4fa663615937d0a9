"""What does a suite of SyntaxGym say by itself, and where is it not as it should be?

Real files differ in some ways from the description of the format: names of regions are empty or occur twice, formulas
stand as plain texts, or only in `meta.string_predictions`; regions carry surprisals of some model beside their content.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from hengliang.core.io.json_values import Value
from hengliang.materials.suites.syntaxgym_formulas import Metric

_METRICS: tuple[Metric, ...] = ("sum", "mean")


class ReadSuite(NamedTuple):
    """What stands in a suite of SyntaxGym; `items` are number and contents of regions by condition."""

    name: str
    metric: Metric
    regions: Mapping[int, str]
    conditions: tuple[str, ...]
    formulas: tuple[Value, ...]
    items: tuple[tuple[int, dict[str, list[str]]], ...]
    remarks: tuple[str, ...]


def read_layout(root: Mapping[str, Value], default: str) -> ReadSuite:
    """Read the four parts of a suite; it is called `default` where it has no name."""
    meta = root["meta"].object()
    metric = meta["metric"].text() if "metric" in meta else "sum"
    if metric not in _METRICS:
        raise meta["metric"].error(f"the metric '{metric}' cannot be translated", f"{', '.join(_METRICS)}.")
    regions = _regions(root["region_meta"])
    items = tuple(_sentences(one, regions) for one in root["items"].array(at_least=1))
    remarks = _remarks(meta)
    formulas = _formulas(root["predictions"], meta)
    if not root["predictions"].array() and formulas:
        remarks.append("The predictions are those of meta.string_predictions.")
    conditions = tuple(items[0][1])
    for place, (_, sentences) in enumerate(items):
        if set(sentences) != set(conditions):
            named = ", ".join(sentences)
            raise root["items"].array()[place].error(f"the conditions are {named}", f"{', '.join(conditions)}.")
    name = meta["name"].text().strip() if "name" in meta else ""
    return ReadSuite(
        name or default, "mean" if metric == "mean" else "sum", regions, conditions, formulas, items, tuple(remarks)
    )


def _regions(value: Value) -> dict[int, str]:
    """Return the names by number, in order: without spaces, none empty and none twice."""
    held = value.object()
    if sorted(held, key=_as_number) != [str(number) for number in range(1, len(held) + 1)] or not held:
        raise value.error(f"the regions are numbered {', '.join(held) or 'not at all'}", "1, 2, 3 and so on.")
    names: dict[int, str] = {}
    for number in range(1, len(held) + 1):
        plain = re.sub(r'[\s"\x00-\x1f]+', "_", held[str(number)].text().strip()) or f"region_{number}"
        name = plain
        while name in names.values():
            name = f"{plain}_{number}" if name == plain else f"{name}_"
        names[number] = name
    return names


def _as_number(key: str) -> int:
    return int(key) if key.isascii() and key.isdigit() else -1


def _sentences(value: Value, regions: Mapping[int, str]) -> tuple[int, dict[str, list[str]]]:
    """Return number and sentences of an item: by condition the contents of its regions."""
    parts = value.object(("item_number", "conditions"))
    found: dict[str, list[str]] = {}
    for condition in parts["conditions"].array(at_least=1):
        named = condition.object(("condition_name", "regions"))
        name = named["condition_name"].name()
        if name in found:
            raise condition.error(f"the condition '{name}' stands here a second time")
        found[name] = _contents(named["regions"], regions)
    return parts["item_number"].whole(), found


def _contents(value: Value, regions: Mapping[int, str]) -> list[str]:
    contents, last = dict.fromkeys(regions, ""), 0
    for region in value.array():
        parts = region.object(("region_number", "content"))
        number = parts["region_number"].whole()
        if number not in regions:
            raise region.error(f"there is no region {number} in region_meta", f"1–{len(regions)}.")
        if number <= last:
            raise region.error(f"region {number} stands after region {last}", "Every region once, in order.")
        contents[number], last = " ".join(parts["content"].text().split()), number
    return list(contents.values())


def _formulas(value: Value, meta: Mapping[str, Value]) -> tuple[Value, ...]:
    """Return the formulas; early suites give them as texts, or among the meta information only."""
    found = value.array() or (meta["string_predictions"].array() if "string_predictions" in meta else [])
    formulas = []
    for one in found:
        if isinstance(one.held, str):
            formulas.append(one)
            continue
        parts = one.object(("type", "formula"))
        if parts["type"].text() != "formula":
            raise parts["type"].error(f"the type '{parts['type'].text()}' is unknown", "formula.")
        formulas.append(parts["formula"])
    return tuple(formulas)


def _remarks(meta: Mapping[str, Value]) -> list[str]:
    found = [f"{key}: {meta[key].text()}" for key in ("author", "reference") if key in meta and meta[key].text()]
    for key in ("comment", "comments"):
        found += meta[key].text().splitlines() if key in meta else []
    return [remark.strip() for remark in found if remark.strip()]
