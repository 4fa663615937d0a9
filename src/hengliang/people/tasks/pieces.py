"""Which stretches of a text stand out, and in which language is it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hengliang.core.records import Span
from hengliang.core.terms import Language
from hengliang.people.tasks.base import Stimulus


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text, and whether it is a target."""

    text: str
    target: bool


def pieces_of(text: str, spans: Sequence[Span]) -> tuple[Piece, ...]:
    """Return the text in pieces, those within a span being targets; spans that overlap make one piece.

    >>> pieces_of("一匹马", [Span("classifier", 3, 6)])
    (Piece(text='一', target=False), Piece(text='匹', target=True), Piece(text='马', target=False))
    """
    raw = text.encode()
    found: list[Piece] = []
    at = 0
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        start, end = max(span.start, at), min(span.end, len(raw))
        if start < end:
            found += [Piece(_cut(raw, at, start), False), Piece(_cut(raw, start, end), True)]
            at = end
    found.append(Piece(_cut(raw, at, len(raw)), False))
    return tuple(piece for piece in found if piece.text)


def _cut(raw: bytes, start: int, end: int) -> str:
    return raw[start:end].decode(errors="replace")


def span_fault(stimulus: Stimulus) -> str | None:
    """Return which span of a stimulus lies outside its text or cuts a character in two, or nothing."""
    raw = stimulus.text.encode()
    for span in stimulus.spans:
        if not 0 <= span.start <= span.end <= len(raw):
            return f"its span '{span.name}' ({span.start} to {span.end}) lies outside its {len(raw)} bytes"
        if any(edge < len(raw) and raw[edge] & 0xC0 == 0x80 for edge in (span.start, span.end)):
            return f"its span '{span.name}' ({span.start} to {span.end}) cuts a character in two"
    return None


def language_of(text: str) -> Language:
    """Return in which language a text is read aloud: Chinese, as soon as it holds Chinese characters."""
    return "zh" if any("\u3400" <= sign <= "\u9fff" or sign >= "\U00020000" for sign in text) else "en"
