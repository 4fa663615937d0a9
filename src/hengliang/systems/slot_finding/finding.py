"""Where in plain text does a classifier stand, and which noun does it count?

Each line is put into simplified characters if need be, cut into sentences, and tagged; fused words are split; then the
rules of `hengliang.materials.slot_extraction` find the slots as in a tagged corpus. The items point into the text as it
was written: a traditional text stays traditional, and its spaces stay where they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.labelling.remembered_spans import remembered_tags
from hengliang.core.labelling.spans import LabelledSpans
from hengliang.core.labelling.taggers import Tagger
from hengliang.core.labelling.taggers import tagger as tagger_named
from hengliang.core.progress import Watcher
from hengliang.core.records import ITEM_SCHEMA, check_items
from hengliang.core.text.characters import Normalised, byte_offsets, joins_previous, utf8
from hengliang.core.text.segmentation import join_words, sentences
from hengliang.corpora.plain_text import OnBroken
from hengliang.corpora.tagged import TaggedParagraph
from hengliang.materials.slot_compatibility import Compatibility
from hengliang.materials.slot_extraction import ATTRIBUTES, extract
from hengliang.systems.slot_finding.simplified import simplified
from hengliang.systems.slot_finding.splitting import Word, split_fused_words
from hengliang.systems.slot_finding.tags import pku_tags
from hengliang.systems.slot_finding.usual_counts import usual_compatibility

MATERIAL = "found slots"
WRITTEN = "written"
"""The attribute that holds the classifier as the text writes it; gold is its simplified form."""


class Line(NamedTuple):
    """A line of a text: the number of its text, where in that text it starts, and its simplified form."""

    text: int
    start: int
    form: Normalised


def find_slots(
    texts: str | Sequence[str],
    tagger: Tagger | str = "lac",
    *,
    compatibility: Compatibility | None = None,
    source: str = "text",
    as_written: bool = True,
    errors: OnBroken = "raise",
    watcher: Watcher | None = None,
) -> pl.DataFrame:
    """Return the classifier slots of texts as an item table with the columns of `ClassifierSlots` and `written`.

    `paragraph` is the number of the text, from 1, and `offset` the byte of the text at which the classifier stands. The
    content is the sentence as it was written, without this one classifier; with `as_written=False` it is in simplified
    characters. `gold`, `head` and `segmented` are always simplified. `compatibility` settles heads with several
    readings; without it the texts' own counts and those of the default corpus do. A sentence that the tagger fails on
    is an error, or is left out with `errors="skip"`.
    """
    given = [texts] if isinstance(texts, str) else list(texts)
    used = tagger_named(tagger) if isinstance(tagger, str) else tagger
    lines = [line for number, text in enumerate(given, 1) for line in _lines(number, text)]
    words = _tagged_lines(used, lines, errors, watcher)
    paragraphs = [_paragraph(number, held) for number, held in enumerate(words)]
    known = compatibility if compatibility is not None else usual_compatibility(paragraphs)
    found = list(extract(paragraphs, known, source=source, material=MATERIAL))
    if not found:
        return _empty()
    placed: list[dict[str, Any]] = []
    for number, rows in groupby(pl.concat(found).iter_rows(named=True), key=itemgetter("paragraph")):
        places = _Places(lines[number], words[number])
        placed.extend(_placed(row, places, source, as_written) for row in rows)
    return check_items(pl.DataFrame(placed, schema=_schema()))


def _schema() -> dict[str, pl.DataType]:
    whole_numbers = {"paragraph", "offset"}
    return {
        **ITEM_SCHEMA,
        **{name: pl.Int64() if name in whole_numbers else pl.String() for name in ATTRIBUTES},
        WRITTEN: pl.String(),
    }


def _empty() -> pl.DataFrame:
    return pl.DataFrame(schema=_schema())


# --- words ----------------------------------------------------------------------------------------------------------


def _lines(number: int, text: str) -> Iterator[Line]:
    utf8(text)
    start = 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            yield Line(number, start, simplified(line))
        start += len(line.encode())


def _tagged_lines(tagger: Tagger, lines: Sequence[Line], errors: OnBroken, watcher: Watcher | None) -> list[list[Word]]:
    """Return the words of each line, in bytes of its simplified form."""
    cuts = [sentences(line.form.text) for line in lines]
    raws = [line.form.text.encode() for line in lines]
    pieces = [raw[start:end].decode() for raw, spans in zip(raws, cuts, strict=True) for start, end in spans]
    tagged = remembered_tags(tagger, pieces, watcher)
    edges = np.cumsum([0, *(len(spans) for spans in cuts)]).tolist()
    found = []
    for line, spans, (first, last) in zip(lines, cuts, pairwise(edges), strict=True):
        words: list[Word] = []
        for row, (start, _) in zip(range(first, last), spans, strict=True):
            if tagged.problems[row] and errors == "raise":
                raise UserError(
                    f"Text {line.text} cannot be tagged: {tagged.problems[row]}.",
                    remedy="Mend the text, or leave out such sentences with errors='skip'.",
                )
            words.extend(_words(tagger.name, pieces[row], tagged, row, start))
        found.append(words)
    return found


def _words(tagger: str, piece: str, tagged: LabelledSpans, row: int, shift: int) -> list[Word]:
    raw = piece.encode()
    plain: list[Word] = []
    for start, end, tag in tagged.of(row):
        text = raw[start:end].decode()
        body = text.lstrip()
        while body and joins_previous(body[0]):
            body = body[1:]  # a mark on its own would join the word before it
        first = shift + end - len(body.encode())
        body = body.rstrip()
        if body:
            plain.append(Word(body, tag, first, first + len(body.encode())))
    tags = pku_tags([word.text for word in plain], [word.tag for word in plain], tagger)
    return split_fused_words(word._replace(tag=tag) for word, tag in zip(plain, tags, strict=True))


def _paragraph(number: int, words: Sequence[Word]) -> TaggedParagraph:
    return TaggedParagraph(number, tuple(_closed(word) for word in words), tuple(word.tag for word in words))


def _closed(word: Word) -> str:
    return "".join(word.text.split())


# --- places ---------------------------------------------------------------------------------------------------------


class _Places:
    """Where in the simplified line, and in the line as written, the bytes of the joined words are."""

    def __init__(self, line: Line, words: Sequence[Word]) -> None:
        self.line = line
        joined = join_words(_closed(word) for word in words)
        self.bounds = byte_offsets(joined.content)
        self.starts: list[int] = []
        self.ends: list[int] = []
        for word, (begin, end) in zip(words, joined.spans, strict=True):
            if end - begin > len(_closed(word).encode()):  # the space that joining puts in
                self.starts.append(word.start)
                self.ends.append(word.start)
            at = word.start
            for character in word.text:
                size = len(character.encode())
                if not character.isspace():
                    self.starts.append(at)
                    self.ends.append(at + size)
                at += size

    def simplified(self, start: int, end: int) -> tuple[int, int]:
        """Return the bytes of the simplified line."""
        first, last = np.searchsorted(self.bounds, (start, end)).tolist()
        return self.starts[first], self.ends[last - 1]

    def written(self, start: int, end: int) -> tuple[int, int]:
        """Return the bytes of the line as it was written."""
        return self.line.form.to_original(*self.simplified(start, end))


def _placed(row: Mapping[str, Any], places: _Places, source: str, as_written: bool) -> dict[str, Any]:
    """Return the row of an item whose places are those of the text, not of the joined words."""
    line = places.line
    raw = (line.form.original if as_written else line.form.text).encode()
    to_text = places.written if as_written else places.simplified
    slot, head = row["spans"]
    size, offset = len(row["gold"].encode()), row["offset"]
    begin = offset - slot["start"]
    first, last = to_text(begin, begin + len(row["content"].encode()) + size)
    left, right = to_text(offset, offset + size)
    shift = begin + (size if head["start"] >= slot["start"] else 0)
    head_start, head_end = to_text(head["start"] + shift, head["end"] + shift)
    back = first + (right - left if head_start >= right else 0)
    original = places.written(offset, offset + size)
    at = line.start + original[0]
    name = f"{source}:p{line.text:05d}:o{at:04d}"
    return {
        **row,
        "id": name,
        "set": name,
        "content": (raw[first:left] + raw[right:last]).decode(),
        "spans": [
            {"name": "slot", "start": left - first, "end": left - first},
            {"name": "head", "start": head_start - back, "end": head_end - back},
        ],
        "paragraph": line.text,
        "offset": at,
        WRITTEN: line.form.original.encode()[slice(*original)].decode(),
    }
