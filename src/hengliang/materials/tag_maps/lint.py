"""What is wrong with a tag map, and what is lost by it?

Errors make a map unusable or wrong: rows that contradict each other, targets that the target tag set does not have,
tags that occur and that no row names. Notes say what nobody can mend, but a reader of results must know: which
distinctions of the tagger are lost, and which tags of the corpus it can never give.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from hengliang.materials.tag_maps.tables import ANY, TagMap, TagRow
from hengliang.materials.tag_maps.tagsets import TAG_SETS, UNUSED_PKU_TAGS

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)


@dataclass(frozen=True, slots=True)
class MapFinding:
    """Something that is wrong with a tag map or worth knowing; `line` is 0 where it concerns the map as a whole."""

    code: str
    severity: Severity
    message: str
    line: int = 0
    path: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the finding as a JSON object."""
        return asdict(self)


def lint_map(tag_map: TagMap, counts: Mapping[str, int] | None = None) -> list[MapFinding]:
    """Return what is to be said about a map, errors first; `counts` says how often each own tag occurs somewhere."""
    found = [*_rows(tag_map), *_tag_sets(tag_map), *(_occurring(tag_map, counts) if counts is not None else [])]
    found += [*_lost(tag_map), *_unreachable(tag_map)]
    return sorted(found, key=_gravity)


def lost_distinctions(tag_map: TagMap) -> dict[str, list[str]]:
    """Return the targets that several own tags share, with those tags."""
    sharing: dict[str, list[str]] = {}
    for row in tag_map.rows:
        held = sharing.setdefault(row.target, [])
        if row.own not in held:
            held.append(row.own)
    return {target: held for target, held in sorted(sharing.items()) if len(held) > 1}


def unreachable_tags(tag_map: TagMap) -> list[str]:
    """Return the tags of the target tag set that no row gives, except those that its corpus does without as well."""
    unused = UNUSED_PKU_TAGS if tag_map.target == "pku" else frozenset()
    return sorted(TAG_SETS.get(tag_map.target, frozenset()) - tag_map.targets - unused)


def _gravity(finding: MapFinding) -> tuple[int, int]:
    return SEVERITIES.index(finding.severity), finding.line


def _rows(tag_map: TagMap) -> Iterator[MapFinding]:
    """Look for rows that say the same thing twice or two things of the same words, and for words nothing is said of."""
    first: dict[tuple[str, str], TagRow] = {}
    for row in tag_map.rows:
        held = first.setdefault((row.own, row.form), row)
        if held is row:
            continue
        where = f"{row.own} ({row.form}) in line {held.line}"
        if held.target == row.target:
            message = f"The row repeats that of {where}."
            yield MapFinding("duplicate", "warning", message, row.line, tag_map.path)
        else:
            message = f"The row says {row.target}, that of {where} says {held.target}."
            yield MapFinding("contradiction", "error", message, row.line, tag_map.path)
    for own in dict.fromkeys(row.own for row in tag_map.rows):
        if (own, ANY) not in first:
            line = next(row.line for row in tag_map.rows if row.own == own)
            message = f"{own} has rows for some words, but none for any other."
            yield MapFinding("gap", "error", message, line, tag_map.path)


def _tag_sets(tag_map: TagMap) -> Iterator[MapFinding]:
    if tag_map.target not in TAG_SETS:
        message = f"No tag set is called '{tag_map.target}' (the line # to:). Tag sets: {', '.join(TAG_SETS)}."
        yield MapFinding("tag set", "error", message, 0, tag_map.path)
        return
    for row in tag_map.rows:
        if row.target not in TAG_SETS[tag_map.target]:
            message = f"{row.own} becomes {row.target}, which is no {tag_map.target} tag."
            yield MapFinding("target", "error", message, row.line, tag_map.path)
    missing = sorted(TAG_SETS.get(tag_map.origin, frozenset()) - tag_map.own_tags)
    if missing:
        message = f"Of the {tag_map.origin} tags no row names {', '.join(missing)}."
        yield MapFinding("incomplete", "error", message, 0, tag_map.path)


def _occurring(tag_map: TagMap, counts: Mapping[str, int]) -> Iterator[MapFinding]:
    for tag, count in sorted(counts.items()):
        if count and tag not in tag_map.own_tags:
            message = (
                f"{tag} occurs {count:,} time{'s' * (count != 1)} and no row names it: it becomes {tag_map.one(tag)}."
            )
            yield MapFinding("unmapped", "error", message, 0, tag_map.path)
    for own in dict.fromkeys(row.own for row in tag_map.rows):
        if not counts.get(own):
            line = next(row.line for row in tag_map.rows if row.own == own)
            yield MapFinding("unseen", "note", f"{own} never occurs here.", line, tag_map.path)


def _lost(tag_map: TagMap) -> Iterator[MapFinding]:
    for target, held in lost_distinctions(tag_map).items():
        yield MapFinding("many to one", "note", f"{', '.join(held)} all become {target}.", 0, tag_map.path)


def _unreachable(tag_map: TagMap) -> Iterator[MapFinding]:
    missing = unreachable_tags(tag_map)
    if missing:
        yield MapFinding("unreachable", "note", f"No tag becomes {', '.join(missing)}.", 0, tag_map.path)
