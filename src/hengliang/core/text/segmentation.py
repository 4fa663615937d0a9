"""Segmentation of text into words and sentences, and the alignment of two segmentations.

A segmentation is a list of byte spans that follow each other without a gap. A space belongs to the word after it.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib import metadata
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import Failure, UserError, unknown_name
from hengliang.core.signature import Signature
from hengliang.core.text.characters import (
    ByteSpan,
    Offsets,
    byte_offsets,
    is_han,
    missing_chinese_library,
    slices,
    utf8,
)

Group = tuple[range, range]

USUAL_SEGMENTER = "rjieba"
SEGMENTERS = (USUAL_SEGMENTER, "characters", "english")
SPACED = ("english",)
"""The segmenters of languages that are written with spaces: there a space does not say that the words stand apart."""


class Segmented(NamedTuple):
    """A text without spaces between its Chinese words, and the byte span of every word."""

    content: str
    spans: list[ByteSpan]

    @property
    def words(self) -> list[str]:
        """The words without the spaces that belong to them."""
        return words_of(self.content, self.spans)


# --- words ------------------------------------------------------------------------------------------------------------

# rjieba keeps 3.14% together but not ３．１４％. Given the narrow form of these, its F1 on the words of the People's
# Daily of January 1998 rises from 0.803 to 0.824 (4000 random lines, rjieba 0.2.2).
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code).isalnum() or chr(code) in "．％"}

_JOINER = "\u200d"
_AROUND_SPACE = re.compile(r"(\S)\s+(?=(\S))")


def segment(text: str, segmenter: str = "rjieba") -> list[ByteSpan]:
    """Return the words of a raw text as byte spans that cover it without a gap.

    White space belongs to the word after it, at the end of the text to the last word; a text of nothing else has no
    words. No word starts with a combining mark, a variation selector or a skin tone, and a joined emoji is one word.
    """
    utf8(text)
    return spans_of_pieces(text, _cut(text, segmenter), segmenter)


def spans_of_pieces(text: str, pieces: Iterable[str], segmenter: str) -> list[ByteSpan]:
    """Return the words of a text that a segmenter gave back in pieces, with the promises of `segment`."""
    utf8(text)
    starts: list[int] = []
    position = word_end = 0
    for piece in pieces:
        if not piece.isspace():
            if not (starts and word_end == position and _clings(text, position)):
                starts.append(word_end)
            word_end = position + len(piece)
        position += len(piece)
    if position != len(text):
        raise Failure(f"The segmenter {segmenter} gave back {position} of {len(text)} characters of '{text[:40]}'.")
    return _between(text, [*starts, len(text)] if starts else [])


def _cut(text: str, segmenter: str) -> Iterable[str]:
    if segmenter == "characters":
        return text
    if segmenter == "english":
        return _cut_english(text)
    if segmenter != "rjieba":
        raise unknown_name("segmenter", segmenter, SEGMENTERS)
    try:
        import rjieba
    except ImportError as error:
        raise missing_chinese_library("rjieba", "The words of raw Chinese") from error
    words: list[str] = rjieba.cut(text.translate(_NARROW))
    return words


_CHUNK = re.compile(r"\S+|\s+")
_LONGEST_CHUNK = 300
_PLAIN_WORD = re.compile(r"\w+|.", re.DOTALL)
_KEPT_CHUNKS = 1 << 17
_MOST_STRINGS = 500_000


def _cut_english(text: str) -> Iterator[str]:
    for chunk in _CHUNK.findall(text):
        yield from _english_words(chunk)


@lru_cache(_KEPT_CHUNKS)
def _english_words(chunk: str) -> tuple[str, ...]:
    """Return the words of a stretch without white space (or a white space) by the rules of spaCy.

    They look at nothing outside of the stretch (but for smiles and quotes in a row), so that one seen before is not
    cut again: four times as fast on running text. Their time grows with the square of its length (40 s for 20,000
    brackets), so a very long one is cut by plain rules: letters and digits in a row are a word, all else stands alone.
    """
    if chunk.isspace():
        return (chunk,)
    if len(chunk) > _LONGEST_CHUNK:
        return tuple(_PLAIN_WORD.findall(chunk))
    tokenizer = _english_tokenizer()
    if len(tokenizer.vocab.strings) > _MOST_STRINGS:
        # spaCy remembers every string it was ever given; a new one keeps the memory of a long run flat.
        _english_tokenizer.cache_clear()
        tokenizer = _english_tokenizer()
    return tuple(token.text for token in tokenizer(chunk))


@cache
def _english_tokenizer() -> Any:
    try:
        import spacy
    except ImportError as error:
        raise missing_english_library("The words of English") from error
    return spacy.blank("en").tokenizer


def missing_english_library(purpose: str) -> UserError:
    """Return the error for spaCy, the library of the extra `english`, where it is not installed."""
    return UserError(
        f"{purpose} need the library spacy, which is not installed.",
        remedy="Install it with: pip install 'hengliang[english]'",
    )


def _clings(text: str, index: int) -> bool:
    character = text[index]
    return (
        unicodedata.category(character)[0] == "M"
        or character == _JOINER
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or (text[index - 1] == _JOINER and not character.isalnum())
    )


def _between(text: str, edges: list[int]) -> list[ByteSpan]:
    offsets: list[int] = byte_offsets(text)[edges].tolist()
    return list(pairwise(offsets))


def segmenter_signature(segmenter: str = "rjieba") -> Signature:
    """Return what can change the words: the segmenter and, if it is a library, its version."""
    if segmenter not in SEGMENTERS:
        raise unknown_name("segmenter", segmenter, SEGMENTERS)
    if segmenter == "characters":
        return Signature.of(segmenter=segmenter)
    library = "spacy" if segmenter == "english" else segmenter
    try:
        return Signature.of(segmenter=segmenter, version=metadata.version(library))
    except metadata.PackageNotFoundError as error:
        if segmenter == "english":
            raise missing_english_library("The words of English") from error
        raise missing_chinese_library(segmenter, "The words of raw Chinese") from error


# Latin letters without the full-width ones, and ASCII digits. Marks may follow a letter, punctuation may stand around.
_LATIN = "A-Za-z0-9ªºÀ-ÖØ-öø-ʯḀ-ỿⱠ-ⱿꜢ-ꞇꞋ-ꟿꬰ-ꭤﬀ-ﬆ"
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
_EDGE = r"!-/:-@\[-`{-~‘’“”"
ENDS_LATIN = re.compile(rf"[{_LATIN}][{_MARKS}]*[{_EDGE}]*\Z")
STARTS_LATIN = re.compile(rf"[{_EDGE}]*[{_LATIN}]")


def join_words(words: Iterable[str]) -> Segmented:
    """Join words into a content in NFC and say where each of them is.

    A space is kept between two words when the former ends and the latter starts with a Latin letter or an ASCII
    digit, punctuation at their edges (ASCII, ‘ ’ “ ”) not counted; it belongs to the latter. A word of punctuation
    alone has no space around it. Everything else is joined without. An empty word is a zero-width span.
    """
    pieces, previous = [], ""
    for written in words:
        word = unicodedata.normalize("NFC", written)
        if word and word.split() != [word]:
            raise UserError(
                f"The word '{written}' has white space in it.",
                valid="A word has none; the space between two words is put in when they are joined.",
                remedy="Give it as two words, or read the whole line with read_segmented(line).",
            )
        spaced = bool(ENDS_LATIN.search(previous) and STARTS_LATIN.match(word))
        pieces.append(" " + word if spaced else word)
        previous = word or previous
    content = "".join(pieces)
    if not unicodedata.is_normalized("NFC", content):
        raise _merging_words(pieces)
    edges: list[int] = np.cumsum([0] + [len(utf8(piece)) for piece in pieces]).tolist()
    return Segmented(content, list(pairwise(edges)))


def _merging_words(pieces: list[str]) -> UserError:
    """A prefix of a text in NFC is in NFC, so the first word that breaks it is found by bisection."""

    def broken(index: int) -> bool:
        return not unicodedata.is_normalized("NFC", "".join(pieces[: index + 1]))

    index = bisect_left(range(len(pieces)), True, key=broken)
    return UserError(
        f"Word {index + 1} ('{pieces[index]}') starts with a mark that joins what stands before it.",
        valid="Words are cut between the characters of a text in NFC.",
        remedy="Put the mark into the word it belongs to.",
    )


def read_segmented(text: str) -> Segmented:
    """Read a text whose words stand apart: the content without those spaces, in NFC, and the words as byte spans.

    Any white space separates, also the ideographic space and line breaks. `join_words` says which spaces are kept.
    """
    return join_words(text.split())


def read_words(text: str, segmenter: str = "rjieba") -> Segmented:
    """Read a text whose words are marked by white space if there is any within it, else found by the segmenter.

    With a segmenter of `SPACED` the text stays as it was written, trimmed and in NFC, and is cut by the segmenter.
    """
    if segmenter in SPACED:
        written = unicodedata.normalize("NFC", text).strip()
        return Segmented(written, segment(written, segmenter))
    words = text.split()
    if len(words) > 1:
        return join_words(words)
    content = unicodedata.normalize("NFC", "".join(words))
    return Segmented(content, segment(content, segmenter))


def is_spaced(sentence: str) -> bool:
    """Say whether white space stands between Chinese characters, or before a Chinese mark, as it does between words."""
    for before, after in _AROUND_SPACE.findall(sentence):
        wide = all(unicodedata.east_asian_width(character) in "WF" for character in (before, after))
        if wide and (is_han(before) or is_han(after)):
            return True
    return False


def plain_content(sentence: str) -> str:
    """Return the sentence that a model reads: in NFC, no space between Chinese words, one between others."""
    composed = unicodedata.normalize("NFC", sentence)
    words = composed.split()
    if len(words) < 2:
        return "".join(words)
    return read_segmented(composed).content if is_spaced(composed) else " ".join(words)


def words_of(content: str, spans: Iterable[ByteSpan]) -> list[str]:
    """Return the words at the spans without the spaces that belong to them."""
    return [piece.strip() for piece in slices(content, spans)]


# --- sentences --------------------------------------------------------------------------------------------------------

_NEWLINES = "\n\r\v\f\x85\u2028\u2029"
_STOPS = frozenset("。｡！？；")
_ASCII_STOPS = frozenset("!?;")
_ELLIPSES = frozenset("…⋯")
_POINTS = frozenset(".．")
_MARKS_OF_END = _STOPS | _ASCII_STOPS | _ELLIPSES | _POINTS
_MARK = re.compile(f"[{''.join(sorted(_MARKS_OF_END))}{_NEWLINES}]")
_CLOSERS = frozenset("”’」』﹂﹄）)》〉】〕］]｝}")
_STRAIGHT_QUOTES = frozenset('"＂')
_CONTINUING = frozenset("，,、：:")
_BRACKETS = dict(zip("《〈（(【〔［[", "》〉）)】〕］]", strict=True))
_BRACKET = re.compile(f"[{re.escape(''.join([*_BRACKETS, *_BRACKETS.values()]))}{_NEWLINES}]")
_ABBREVIATION = re.compile(r"(?:^|[\s(（])(?:[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|No)\Z")
_WORD = re.compile(r"[^\W_]")
_SPACES = re.compile(rf"[^\S{_NEWLINES}]*")


def sentences(text: str) -> list[ByteSpan]:
    """Return the sentences as byte spans, in order; only the white space between them is in none.

    A line break ends a sentence, and so do 。！？； and their ASCII forms, an ellipsis, and a full stop before a space,
    together with the closing quotes and brackets that follow. Nothing ends within brackets or title marks that are
    closed on the same line, nor before a comma or colon. The page `docs/text.md` has the details.
    """
    utf8(text)
    edges, start = [], 0
    for end in [*_sentence_ends(text), len(text)]:
        sentence = text[start:end]
        body = sentence.strip()
        if body:
            first = start + len(sentence) - len(sentence.lstrip())
            edges.append((first, first + len(body)))
        start = end
    offsets: list[list[int]] = byte_offsets(text)[np.array(edges, np.int64).reshape(-1, 2)].tolist()
    return [(first, last) for first, last in offsets]


def _sentence_ends(text: str) -> Iterator[int]:
    bracketed = _bracketed(text)
    start = after = counted = 0
    quoted = False
    word_at = -1
    for match in _MARK.finditer(text):
        mark = match.start()
        if mark < after:
            continue
        if match.group() in _NEWLINES:
            start = counted = mark
            quoted = False
            yield mark
            continue
        quoted ^= sum(text.count(quote, counted, mark) for quote in _STRAIGHT_QUOTES) % 2 == 1
        counted = mark
        if bracketed[mark]:
            continue
        after = _end_of_run(text, mark, quoted)
        if word_at < start:
            first_word = _WORD.search(text, start)
            word_at = first_word.start() if first_word else len(text)
        if _ends_sentence(text, start, mark, after, has_word=word_at < mark):
            start = after
            yield after


def _bracketed(text: str) -> npt.NDArray[np.bool_]:
    """Mark the characters inside brackets that are closed on the line on which they are opened."""
    depth = np.zeros(len(text) + 1, np.int64)
    opened: dict[str, list[int]] = {closer: [] for closer in _BRACKETS.values()}
    for match in _BRACKET.finditer(text):
        character = match.group()
        if character in _BRACKETS:
            opened[_BRACKETS[character]].append(match.start())
        elif character in _NEWLINES:
            for positions in opened.values():
                positions.clear()
        elif opened[character]:
            depth[opened[character].pop()] += 1
            depth[match.start()] -= 1
    return np.cumsum(depth) > 0


def _end_of_run(text: str, mark: int, quoted: bool) -> int:
    """Return where the marks that start at `mark` end, with the closing quotes and brackets after them."""
    index = mark + 1
    while index < len(text):
        character = text[index]
        if character in _STRAIGHT_QUOTES and quoted:
            quoted = False
        elif character in _NEWLINES or not (
            character in _MARKS_OF_END or character in _CLOSERS or _clings(text, index)
        ):
            # A line break ends the run also behind a joiner, to which any other character would cling.
            break
        index += 1
    return index


def _ends_sentence(text: str, start: int, mark: int, after: int, *, has_word: bool) -> bool:
    run, following = text[mark:after], text[after : after + 1]
    if following in _CONTINUING:
        return False
    if not _STOPS.isdisjoint(run):
        return True
    if not _ASCII_STOPS.isdisjoint(run):
        # Within an address or a piece of code (a?b=c) the mark stands between narrow characters.
        return not (mark > start and _is_narrow(text[mark - 1]) and _is_narrow(following))
    spaces = _SPACES.match(text, after)
    upcoming = text[spaces.end() : spaces.end() + 1] if spaces else ""
    if upcoming.islower():
        return False
    if not _ELLIPSES.isdisjoint(run) or sum(character in _POINTS for character in run) > 1:
        return has_word
    if following and not following.isspace():
        return False
    before = text[max(start, mark - 8) : mark]
    return not (_ABBREVIATION.search(before) or (mark - start <= 8 and before.strip().isdigit()))


def _is_narrow(character: str) -> bool:
    return "!" <= character <= "~"


# --- alignment --------------------------------------------------------------------------------------------------------


def align(one: Sequence[ByteSpan] | Offsets, other: Sequence[ByteSpan] | Offsets) -> list[Group]:
    """Return the smallest groups of spans that start and end together in two segmentations of the same content.

    A group is a range of indices into `one` and a range into `other`; the groups follow each other and leave nothing
    out. Zero-width spans at an edge that both share (an empty region, the end of a sentence) are a group of their own,
    whose other range may be empty; elsewhere they belong to the group around them.
    """
    first, second = _edges(one, "first"), _edges(other, "second")
    # A segmentation without spans stands where the other starts, so that only zero-width spans align with it.
    first, second = first or second[:1] or [0], second or first[:1] or [0]
    if (first[0], first[-1]) != (second[0], second[-1]):
        raise UserError(
            f"The first segmentation covers the bytes {first[0]}–{first[-1]}, the second {second[0]}–{second[-1]}.",
            valid="Two segmentations are aligned when they cut the same content.",
        )
    return _groups(first, second)


def _groups(first: list[int], second: list[int]) -> list[Group]:
    """Walk along both lists of edges: two to three times as fast as intersecting them with numpy, short or long."""
    groups: list[Group] = []
    a = b = 0
    while a + 1 < len(first) or b + 1 < len(second):
        edge, c, d = first[a], a, b
        while c + 1 < len(first) and first[c + 1] == edge:
            c += 1
        while d + 1 < len(second) and second[d + 1] == edge:
            d += 1
        if (c, d) == (a, b):
            c, d = c + 1, d + 1
            while first[c] != second[d]:
                if first[c] < second[d]:
                    c += 1
                else:
                    d += 1
        groups.append((range(a, c), range(b, d)))
        a, b = c, d
    return groups


def _edges(spans: Sequence[ByteSpan] | Offsets, which: str) -> list[int]:
    """Return where the first span starts and all spans end; each must start where the one before it ended."""
    pairs: list[list[int]] | Sequence[ByteSpan] = spans.tolist() if isinstance(spans, np.ndarray) else spans
    starts, ends = [start for start, _ in pairs], [end for _, end in pairs]
    edges = starts[:1] + ends
    if starts == edges[:-1] and all(start <= end for start, end in pairwise(edges)):
        return edges
    last_end = edges[0]
    for start, end in pairs:
        if start != last_end:
            break
        if end < start:
            raise UserError(
                f"In the {which} segmentation the span {start}–{end} ends before it starts.",
                valid="A span satisfies start ≤ end.",
            )
        last_end = end
    raise UserError(
        f"In the {which} segmentation a span starts at {start}, but the one before it ends at {last_end}.",
        valid="Every span starts where the one before it ends; a space belongs to the word after it.",
    )
