"""Which classifier slots does a tagged corpus hold, and what is the head noun of each?

Two passes. The first, `count_compatibility`, learns from the slots that have one reading which classifiers go with
which nouns. The second, `extract`, finds all slots, settles the head where there are several readings, and gives item
tables in chunks: the memory does not grow with the corpus.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

import polars as pl

from hengliang.core.records import ITEM_SCHEMA
from hengliang.core.text.characters import SLOT_MARK
from hengliang.core.text.segmentation import join_words, sentences
from hengliang.corpora.tagged import TaggedParagraph
from hengliang.materials.slot_candidates import PossibleSlot, possible_slot
from hengliang.materials.slot_compatibility import Compatibility, choose
from hengliang.materials.slot_heads import Bridge
from hengliang.materials.slot_triggers import occurrences

Construction = Literal[
    "plain", "modified", "through 的", "coordinated", "compound", "nominalised", "title", "noun first"
]

_CHUNK = 8192
_LATIN = re.compile(r"[0-9A-Za-z\s\u00c0-\u024f]")
_CONSTRUCTIONS: dict[Bridge, Construction] = {
    "before": "noun first",
    "title": "title",
    "verb": "nominalised",
    "compound": "compound",
    "and": "coordinated",
}
_THROUGH: frozenset[Bridge] = frozenset(("的", "之", "locative", "predicate"))

_COLUMNS: dict[str, pl.DataType] = {
    "id": pl.String(),
    "content": pl.String(),
    "slot": pl.Int64(),
    "head_start": pl.Int64(),
    "head_end": pl.Int64(),
    "gold": pl.String(),
    "head": pl.String(),
    "construction": pl.String(),
    "trigger": pl.String(),
    "alternative": pl.String(),
    "segmented": pl.String(),
    "paragraph": pl.Int64(),
    "offset": pl.Int64(),
}
ATTRIBUTES = tuple(name for name in _COLUMNS if name not in ITEM_SCHEMA and not name.startswith(("slot", "head_")))
"""The attribute columns of the slots, in order."""


def count_compatibility(paragraphs: Iterable[TaggedParagraph]) -> Compatibility:
    """Count which classifiers stand before which nouns, over the slots that have a single reading."""
    return Compatibility.of(Counter(pair for paragraph in paragraphs for pair in certain_pairs(paragraph)))


def certain_pairs(paragraph: TaggedParagraph) -> Iterator[tuple[str, str]]:
    """Yield classifier and head noun of the slots of a paragraph that have a single reading."""
    words, tags = paragraph.words, paragraph.tags
    for found in occurrences(words, tags):
        slot = possible_slot(words, tags, found, 0, len(words))
        if slot is not None and len(slot.candidates) == 1 and not slot.candidates[0].bridge:
            yield found.classifier, slot.candidates[0].noun


def extract(
    paragraphs: Iterable[TaggedParagraph],
    compatibility: Compatibility,
    *,
    source: str,
    material: str = "classifier slots",
) -> Iterator[pl.DataFrame]:
    """Yield the slots of a corpus as item tables of some thousand rows, in the order of the text.

    `compatibility` settles ambiguous heads; `count_compatibility` of the same corpus is the usual one. `source` begins
    every item's id. Copies of a caption are all there: `hengliang.materials.classifier_slots.merge_copies` merges them.
    """
    rows: list[tuple[str | int | None, ...]] = []
    for paragraph in paragraphs:
        rows.extend(_rows(paragraph, compatibility, source))
        if len(rows) >= _CHUNK:
            yield _table(rows, material)
            rows = []
    if rows:
        yield _table(rows, material)


def _rows(
    paragraph: TaggedParagraph, compatibility: Compatibility, source: str
) -> Iterator[tuple[str | int | None, ...]]:
    words, tags = paragraph.words, paragraph.tags
    found = list(occurrences(words, tags))
    if not found:
        return
    text = _text(words)
    for occurrence in found:
        sentence, begin, end = text.sentence_of(occurrence.place)
        slot = possible_slot(words, tags, occurrence, begin, end)
        if slot is None:
            continue
        chosen = choose(compatibility, occurrence.classifier, occurrence.trigger, slot.candidates)
        if chosen >= 0:
            yield _row(paragraph, text, slot, chosen, sentence, source)


class _Text(NamedTuple):
    """A paragraph as running text: its bytes, the bytes of each word, and its sentences."""

    raw: bytes
    starts: Sequence[int]
    ends: Sequence[int]
    sentences: Sequence[tuple[int, int]]
    first_words: Sequence[int]

    def sentence_of(self, word: int) -> tuple[int, int, int]:
        """Return the number of the sentence of a word, its first word, and the first word after it."""
        number = bisect_right(self.first_words, word) - 1
        after = self.first_words[number + 1] if number + 1 < len(self.first_words) else len(self.starts)
        return number, self.first_words[number], after


def _text(words: Sequence[str]) -> _Text:
    joined = "".join(words)
    if _LATIN.search(joined) or not unicodedata.is_normalized("NFC", joined):
        pieces = join_words("".join(word.split()) for word in words)
        joined = pieces.content
        raw = joined.encode()
        ends: Sequence[int] = [end for _, end in pieces.spans]
        starts: Sequence[int] = [start + (raw[start : start + 1] == b" ") for start, _ in pieces.spans]
    else:
        raw = joined.encode()
        # Chinese text is three bytes a character throughout, nearly always; then no word need be encoded.
        even = len(raw) == 3 * len(joined)
        ends = list(accumulate(3 * len(word) if even else len(word.encode()) for word in words))
        starts = [0, *ends[:-1]]
    found = sentences(joined)
    return _Text(raw, starts, ends, found, [bisect_left(starts, start) for start, _ in found])


def _row(
    paragraph: TaggedParagraph, text: _Text, slot: PossibleSlot, chosen: int, sentence: int, source: str
) -> tuple[str | int | None, ...]:
    words = paragraph.words
    found, reading = slot.occurrence, slot.readings[chosen]
    size = len(found.classifier.encode())
    offset = text.ends[found.place] - size
    begin, end = text.sentences[sentence]
    content = text.raw[begin:offset] + text.raw[offset + size : end]
    # What follows the classifier moves to the left by its size.
    shift = begin + (size if reading.first > found.place else 0)
    construction, alternative = _construction(words, slot, chosen)
    return (
        f"{source}:p{paragraph.number:05d}:o{offset:04d}",
        content.decode(),
        offset - begin,
        text.starts[reading.first] - shift,
        text.ends[reading.last] - shift,
        found.classifier,
        slot.candidates[chosen].noun,
        construction,
        found.trigger,
        alternative,
        _segmented(words, text, found.place, found.classifier, sentence),
        paragraph.number,
        offset,
    )


def _construction(words: Sequence[str], slot: PossibleSlot, chosen: int) -> tuple[Construction, str | None]:
    """Return how the head was found, and the noun that would be the head by the other reading, if there is one."""
    bridge = slot.candidates[chosen].bridge
    beyond = [index for index, candidate in enumerate(slot.candidates) if index and candidate.bridge != "run"]
    rival = beyond[0] if beyond and chosen < beyond[0] else 0
    other = slot.candidates[rival].noun if rival != chosen else None
    if bridge in _CONSTRUCTIONS:
        return _CONSTRUCTIONS[bridge], other
    crossed = slot.candidates[rival].bridge if rival else bridge
    if crossed in _THROUGH or (crossed == "clause" and not rival):
        return "through 的", other
    if crossed == "and":
        return "coordinated", other
    other = slot.candidates[0].noun if chosen else None
    between = words[slot.start : slot.readings[chosen].first]
    return ("modified" if "的" in between else "plain"), other


def _segmented(words: Sequence[str], text: _Text, index: int, classifier: str, sentence: int) -> str:
    """Return the words of the sentence apart by spaces, with the mark where the classifier was."""
    _, first, after = text.sentence_of(index)
    rest = words[index].removesuffix(classifier)
    middle = [rest, SLOT_MARK] if rest else [SLOT_MARK]
    return " ".join([*words[first:index], *middle, *words[index + 1 : after]])


def _table(rows: Sequence[tuple[str | int | None, ...]], material: str) -> pl.DataFrame:
    frame = pl.DataFrame(rows, schema=_COLUMNS, orient="row")
    place = pl.col("slot")
    spans = pl.concat_list(
        pl.struct(name=pl.lit("slot"), start=place, end=place),
        pl.struct(name=pl.lit("head"), start=pl.col("head_start"), end=pl.col("head_end")),
    )
    return frame.select(
        "id",
        pl.col("id").alias("set"),
        pl.lit(material).alias("material"),
        pl.lit("").alias("condition"),
        "content",
        spans.alias("spans"),
        "gold",
        pl.lit("").alias("source"),
        *ATTRIBUTES,
    )
