"""Lint of tag maps: contradictions, tags without a row, lost distinctions, and evidence from a corpus.

The lint looks at the map alone, or with the counts of its tags; the evidence looks at what a corpus says of them.

Errors make a map unusable or wrong: rows that contradict each other, targets that the target tag set does not have,
tags that occur and that no row names. Notes say what nobody can repair, but a reader of results must know: which
distinctions of the tagger are lost, and which tags of the corpus it can never give.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import polars as pl

from hengliang.core.text.characters import utf8
from hengliang.core.text.segmentation import align
from hengliang.tagging.sentences import TaggedSpan, gold_spans
from hengliang.tagging.tag_maps.tables import ANY, TAG_SETS, UNUSED_PKU_TAGS, TagMap, TagRow

# --- findings ---------------------------------------------------------------------------------------------------------


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
    findings = [*_rows(tag_map), *_tag_sets(tag_map), *(_occurring(tag_map, counts) if counts is not None else [])]
    findings += [*_lost(tag_map), *_unreachable(tag_map)]
    return sorted(findings, key=_gravity)


def lost_distinctions(tag_map: TagMap) -> dict[str, list[str]]:
    """Return the targets that several own tags share, with those tags."""
    sharing: dict[str, list[str]] = {}
    for row in tag_map.rows:
        own_tags = sharing.setdefault(row.target, [])
        if row.own not in own_tags:
            own_tags.append(row.own)
    return {target: own_tags for target, own_tags in sorted(sharing.items()) if len(own_tags) > 1}


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
        earlier = first.setdefault((row.own, row.form), row)
        if earlier is row:
            continue
        where = f"{row.own} ({row.form}) in line {earlier.line}"
        if earlier.target == row.target:
            message = f"The row repeats that of {where}."
            yield MapFinding("duplicate", "warning", message, row.line, tag_map.path)
        else:
            message = f"The row says {row.target}, that of {where} says {earlier.target}."
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
    for target, own_tags in lost_distinctions(tag_map).items():
        yield MapFinding("many to one", "note", f"{', '.join(own_tags)} all become {target}.", 0, tag_map.path)


def _unreachable(tag_map: TagMap) -> Iterator[MapFinding]:
    missing = unreachable_tags(tag_map)
    if missing:
        yield MapFinding("unreachable", "note", f"No tag becomes {', '.join(missing)}.", 0, tag_map.path)


# --- evidence from a corpus -------------------------------------------------------------------------------------------
# Counts which tag of the corpus each tag of a tagger most often stands for. What a tag means is said by its tag set;
# what it stands for can be counted. Sentences as cut by the annotators and by a tagger are laid beside each other;
# where one word of either side is one word of the other, their tags are a pair. A map that disagrees with the majority
# is not wrong for that reason (a tagger may err, and a map must not correct it), but its maker should know.

EVIDENCE_SCHEMA = {
    "own": pl.String(),
    "form": pl.String(),
    "target": pl.String(),
    "n": pl.Int64(),
    "aligned": pl.Int64(),
    "target_share": pl.Float64(),
    "gold": pl.String(),
    "gold_share": pl.Float64(),
    "agrees": pl.Boolean(),
}


def tag_evidence(
    tag_map: TagMap, sentences: Iterable[tuple[str, str, Sequence[TaggedSpan]]], gold_map: TagMap | None = None
) -> pl.DataFrame:
    """Return for each own tag, and each form that a row distinguishes, what the corpus says of such words.

    A sentence is its content, its gold (`就/p 此/r`) and the tagger's words with their own tags; one without words is
    passed over. `n` counts the tagger's words, `aligned` those that are one word in the corpus as well; of these
    `gold` is the most frequent tag of the corpus, null where there are none, and the shares are shares of them.
    `gold_map` maps the tags of the corpus where they are not those of the map's target.
    """
    words: Counter[tuple[str, str]] = Counter()
    pairs: dict[tuple[str, str], Counter[str]] = {}
    for content, gold, tagged in sentences:
        if not tagged:
            continue
        raw, annotated = utf8(content), gold_spans(gold)
        keys = [(tag, tag_map.form_that_decides(tag, raw[start:end].decode())) for start, end, tag in tagged]
        words.update(keys)
        for gold_group, own_group in align([span[:2] for span in annotated], [span[:2] for span in tagged]):
            if len(gold_group) == len(own_group) == 1:
                tag = annotated[gold_group[0]][2]
                gold_tag = tag if gold_map is None else gold_map.one(tag)
                pairs.setdefault(keys[own_group[0]], Counter())[gold_tag] += 1
    rows = [_row(tag_map, key, count, pairs.get(key, Counter())) for key, count in words.most_common()]
    return pl.DataFrame(rows, schema=EVIDENCE_SCHEMA, orient="row")


def _row(tag_map: TagMap, key: tuple[str, str], count: int, golds: Counter[str]) -> tuple[object, ...]:
    own, form = key
    target = next((row.target for row in tag_map.rows if (row.own, row.form) == key), tag_map.one(own))
    aligned = golds.total()
    if not aligned:
        return own, form, target, count, 0, None, None, None, None
    most = max(golds.values())
    # Of several tags that are equally frequent, the map's own target counts as the most frequent one.
    gold = target if golds[target] == most else min(tag for tag, times in golds.items() if times == most)
    return own, form, target, count, aligned, golds[target] / aligned, gold, most / aligned, gold == target
