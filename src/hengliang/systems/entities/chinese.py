"""What are the entities of a Chinese text, given its words and the names that a tagger has found?

Names come from tags, numbers from rules; here they become one list. A number wins against a name that it overlaps
(LAC takes 三点五 in 百分之三点五 for a time), and dates and times that touch are one entity: １９９８年 １月 is a date,
今天 下午 a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from hengliang.core.labelling.spans import Labelled
from hengliang.core.text.characters import byte_offsets, bytes_to_characters
from hengliang.systems.entities.chinese_numbers import Word, number_entities

_TEMPORAL = frozenset(("DATE", "TIME"))


def words_of_spans(content: str, spans: Sequence[Labelled]) -> list[Word]:
    """Return tagged words, given as byte spans that may begin with spaces, as characters without the spaces."""
    places = np.array([span[:2] for span in spans], np.int64).reshape(-1, 2)
    words = []
    for (start, end), (_, _, tag) in zip(bytes_to_characters(content, places).tolist(), spans, strict=True):
        body = content[start:end]
        first = start + len(body) - len(body.lstrip())
        words.append(Word(first, max(first, start + len(body.rstrip())), tag))
    return words


def chinese_entities(content: str, words: Sequence[Word], names: Iterable[Labelled]) -> list[Labelled]:
    """Return the entities of a text as byte spans: its names, given as character spans in order, and its numbers."""
    numbers = number_entities(content, words)
    taken = {place for start, end, _ in numbers for place in range(start, end)}
    kept = [name for name in names if name[1] > name[0] and taken.isdisjoint(range(name[0], name[1]))]
    merged = _with_whole_times(sorted([*numbers, *kept]))
    offsets = byte_offsets(content).tolist()
    return [(offsets[start], offsets[end], kind) for start, end, kind in merged]


def _with_whole_times(entities: Iterable[Labelled]) -> list[Labelled]:
    merged: list[Labelled] = []
    for start, end, kind in entities:
        before = merged[-1] if merged else (0, -1, "")
        if before[1] == start and kind in _TEMPORAL and before[2] in _TEMPORAL:
            merged[-1] = (before[0], end, max(kind, before[2]))  # TIME wins: it comes after DATE in the alphabet
        else:
            merged.append((start, end, kind))
    return merged
