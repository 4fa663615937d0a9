"""Which words with tags has each sentence of a text, and where in the text as it was written?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hengliang.core.labelling.remembered_spans import remembered_tags
from hengliang.core.labelling.spans import LabelledSpans
from hengliang.core.labelling.taggers import Tagger
from hengliang.core.text.characters import Normalised
from hengliang.core.text.segmentation import sentences
from hengliang.systems.slot_finding.simplified import simplified
from hengliang.systems.slot_finding.splitting import Word, split_fused_words
from hengliang.systems.slot_finding.tags import pku_tags


@dataclass(frozen=True, slots=True, eq=False)
class TaggedSentence:
    """A sentence in simplified characters with its words, fused ones split; places are bytes of `content`.

    `text` is the number of its text from 1. `problem` says why it could not be tagged; it has no words then.
    """

    text: int
    content: str
    words: tuple[Word, ...]
    problem: str
    _piece: _Piece

    def place(self, offset: int) -> int:
        """Return the byte of the text as written at which this byte of the sentence stands."""
        return (
            self._piece.start + self._piece.form.to_original(self._piece.begin + offset, self._piece.begin + offset)[1]
        )


class _Piece(NamedTuple):
    """A sentence of a line: the number of the text, where the line starts in it, the line, and the sentence in it."""

    text: int
    start: int
    form: Normalised
    begin: int
    content: str


def tag_texts(texts: Sequence[str], tagger: Tagger) -> list[TaggedSentence]:
    """Return the tagged sentences of the texts, in order."""
    pieces = [piece for number, text in enumerate(texts, 1) for piece in _pieces(number, text)]
    tagged = remembered_tags(tagger, [piece.content for piece in pieces])
    return [
        TaggedSentence(
            piece.text,
            piece.content,
            () if tagged.problems[row] else _words(piece.content, tagged, row, tagger.name),
            tagged.problems[row],
            piece,
        )
        for row, piece in enumerate(pieces)
    ]


def _pieces(number: int, text: str) -> Iterator[_Piece]:
    start = 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            form = simplified(line)
            raw = form.text.encode()
            for begin, end in sentences(form.text):
                yield _Piece(number, start, form, begin, raw[begin:end].decode())
        start += len(line.encode())


def _words(content: str, tagged: LabelledSpans, row: int, tagger: str) -> tuple[Word, ...]:
    raw = content.encode()
    plain = []
    for start, end, tag in tagged.of(row):
        body = raw[start:end].decode()
        first = end - len(body.lstrip().encode())
        word = body.strip()
        if word:
            plain.append(Word(word, tag, first, first + len(word.encode())))
    tags = pku_tags([word.text for word in plain], [word.tag for word in plain], tagger)
    return tuple(split_fused_words(word._replace(tag=tag) for word, tag in zip(plain, tags, strict=True)))
