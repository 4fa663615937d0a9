"""Where do the sentences of an English paragraph end?

The rules for Chinese are not fit for English: a semicolon ends no sentence, and of `the U.S. Army` they make two. Here
the words decide. The segmenter keeps the point of an abbreviation with its word, so that a point that is a word by
itself ends a sentence. In a text whose words were set apart by somebody else (`St . Louis`) the segmenter is asked
whether it would have kept the two together. Where it is not clear, nothing is cut: two sentences in one harm a language
model less than a torn one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from hengliang.core.text.characters import slices
from hengliang.core.text.segmentation import Segmented, segment

_STOP = re.compile(r"[.!?…]+")
_CLOSERS = frozenset(["”", "’", "'", "''", ")", "]", "}", "»"])
_OPENERS = frozenset("“‘([{«¿¡`'\"—–-")
_QUOTE = '"'

# Abbreviations that spaCy's rules for English do not know: before a name, and before a number only.
_BEFORE_NAME = re.compile("Atty|Capt|Cmdr|Col|Drs|Hon|Jas|Lt|Maj|Messrs|Mlle|Mme|Ph|Reps|Ry|Sens|Sgt|Sr|al|ca|cf")
_BEFORE_NUMBER = re.compile(
    "Hwy|Mk|Rte|Stat|(?:[Cc]h|[Cc]hap|[Ee]q|[Ee]qn|[Ff]ig|[Nn]o|[Oo]p|[Pp]p|[Rr]ef|[Ss]ec|[Vv]ol)s?"
)


def english_sentences(text: Segmented) -> list[Segmented]:
    """Return the sentences of a paragraph, each as it was written, with its words; only space between them is lost."""
    edges = [0, *_ends(text), len(text.spans)]
    return [_piece(text, first, last) for first, last in pairwise(edges) if last > first]


def _piece(text: Segmented, first: int, last: int) -> Segmented:
    spans = text.spans[first:last]
    written = slices(text.content, [(spans[0][0], spans[-1][1])])[0]
    content = written.strip()
    # The space before the first word, and that after the last word of all, are left out with the words that hold them.
    base = spans[0][0] + len(written[: len(written) - len(written.lstrip())].encode())
    size = len(content.encode())
    return Segmented(content, [(max(start - base, 0), min(end - base, size)) for start, end in spans])


def _ends(text: Segmented) -> Iterator[int]:
    """Yield the number of each word with which a new sentence begins, but for the first."""
    pieces = slices(text.content, text.spans)
    words = [piece.strip() for piece in pieces]
    first, quoted = 0, False
    for place, word in enumerate(words):
        if word == _QUOTE:
            quoted = not quoted
        if place < first or not _STOP.fullmatch(word) or _is_abbreviated(words, first, place):
            continue
        following = _after_closers(words, place, quoted)
        if following < len(words) and pieces[following][:1].isspace() and _opens(words, following):
            first = following
            yield following


def _is_abbreviated(words: list[str], first: int, place: int) -> bool:
    """Say whether the point belongs to the word before it: St . Louis, No. 5, J . Smith, and the number of a list."""
    if words[place] != "." or place == first:
        return False
    before, after = words[place - 1], words[place + 1 : place + 2]
    if _BEFORE_NAME.fullmatch(before) or (before.isdigit() and place == first + 1):
        return True
    if _BEFORE_NUMBER.fullmatch(before):
        return after != [] and (after[0][0].isdigit() or after[0] == "(")
    return before.isalpha() and len(segment(before + ".", "english")) == 1


def _after_closers(words: list[str], place: int, quoted: bool) -> int:
    """Return the first word after a stop that is no further stop and closes no quotation or bracket."""
    place += 1
    while place < len(words):
        word = words[place]
        if word == _QUOTE and quoted:
            quoted = False
        elif word not in _CLOSERS and not _STOP.fullmatch(word):
            break
        place += 1
    return place


def _opens(words: list[str], place: int) -> bool:
    """Say whether a sentence may begin here: with a capital, a number, or a quotation or bracket before one."""
    while place < len(words) and (words[place] in _OPENERS or words[place] in {"``", "''"}):
        place += 1
    character = words[place][0] if place < len(words) else ""
    return character.isalnum() and not character.islower()
