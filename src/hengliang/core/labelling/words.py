"""Words that a tagger returned: checked against their sentences, and put back onto their bytes.

A stranger's tagger may return anything. Words that leave a gap, overlap, stand in another order or cut a character
would be compared with the gold as if they were words, so they become a problem of their sentence instead.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from hengliang.core.errors import UserError
from hengliang.core.labelling.spans import Labelled, LabelledSpans, labelled_spans
from hengliang.core.text.characters import Offsets, byte_offsets, is_han, joins_previous, to_simplified

# --- checks against the sentences -------------------------------------------------------------------------------------


def checked_words(found: object, sentences: Sequence[str], name: str) -> LabelledSpans:
    """Return what the tagger of this name found, with a problem in place of words that are not those of the sentence.

    Something else than words raises TypeError, and another number of answers than of sentences ValueError.
    """
    if not isinstance(found, LabelledSpans):
        raise TypeError(f"it returned a {type(found).__name__} instead of words")
    if len(found) != len(sentences) or len(found.problems) != len(sentences):
        raise ValueError(f"it returned {len(found)} answers for {len(sentences)} sentences")
    if not all(isinstance(problem, str) for problem in found.problems):
        raise TypeError("it returned a problem that is no text")
    wrong = _wrong(found, sentences)
    if not wrong:
        return found
    return labelled_spans(
        found.problems[row] or (f"the tagger {name} returned {wrong[row]}" if row in wrong else found.of(row))
        for row in range(len(found))
    )


def _wrong(found: LabelledSpans, sentences: Sequence[str]) -> dict[int, str]:
    """Return what is wrong with the words of a sentence, by its row."""
    silent = np.flatnonzero(np.diff(found.offsets) == 0).tolist()
    wrong = {row: "no words" for row in silent if sentences[row].strip() and not found.problems[row]}
    bare = (found.labels.is_null() | (found.labels.str.strip_chars() == "")).to_numpy()
    wrong |= dict.fromkeys(found.rows[bare].tolist(), "a word that has no tag")
    encoded = [sentence.encode(errors="surrogatepass") for sentence in sentences]
    return wrong | dict.fromkeys(_uncovered(encoded, found).tolist(), "words that do not cover the sentence")


def _uncovered(encoded: list[bytes], found: LabelledSpans) -> Offsets:
    """Return the rows whose words leave a gap, overlap, cut a character or do not end with the sentence."""
    rows, filled = found.rows, np.diff(found.offsets) > 0
    first, last = found.offsets[:-1][filled], found.offsets[1:][filled] - 1
    sizes = np.array([len(raw) for raw in encoded], np.int64)
    expected = np.roll(found.ends, 1)
    expected[first] = 0
    bad = (found.starts != expected) | (found.ends <= found.starts) | (found.ends > sizes[rows])
    bad[last] |= found.ends[last] != sizes[filled]
    raw = np.frombuffer(b"".join([*encoded, b"\n"]), np.uint8)
    places = (np.cumsum(sizes) - sizes)[rows] + np.clip(found.starts, 0, sizes[rows])
    bad |= raw[places] & 0xC0 == 0x80  # the bytes 10xxxxxx of UTF-8 continue a character
    return np.unique(rows[bad])


# --- words put back onto bytes ----------------------------------------------------------------------------------------
# Most libraries return words as texts, not as places, and many change what they were given: they drop white space or
# return it as a word, make full-width characters half-width, put text into a compatibility form (㎏ to kg) or turn
# traditional characters into simplified ones. Such words are put back onto the bytes of the sentence. Any other change
# is named with its place: a span is right or it is not given.

Word = tuple[str, str]
"""A word and its tag, as a tagger returns them."""

_SHOWN = 12  # characters of a text that a problem quotes


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text without white space and in its plainest form; `owners` names the character from which each one came."""

    text: str
    owners: list[int]

    def begins(self, place: int) -> bool:
        """Say whether a character of the text as it was written begins at this place."""
        return place in (0, len(self.text)) or self.owners[place] != self.owners[place - 1]


def restored(sentence: str, words: Iterable[Word]) -> list[Labelled] | str:
    """Return the words as byte spans that cover the sentence, or a text that says where words and sentence part.

    White space belongs to the word after it, at the end of the sentence to the last word. A mark that joins the
    character before it begins no word.
    """
    pairs = list(words)
    problem = _fault(sentence, pairs)
    if problem:
        return problem
    edges = _plain_edges(sentence, pairs)
    if edges is None:
        folded = _folded_edges(sentence, pairs)
        if isinstance(folded, str):
            return folded
        edges, pairs = folded
    starts, tags = without_bare_spaces(sentence, edges, [tag for _, tag in pairs])
    if not starts:
        return []
    offsets: list[int] = byte_offsets(sentence)[[*starts, len(sentence)]].tolist()
    return list(zip(offsets[:-1], offsets[1:], tags, strict=True))


def characters_changed(sentence: str, words: Iterable[Word]) -> bool:
    """Say whether the words differ from the sentence in more than white space."""
    return "".join("".join(word for word, _ in words).split()) != "".join(sentence.split())


def without_bare_spaces(text: str, edges: Sequence[int], tags: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return where the words begin and their tags, when white space belongs to the word after it.

    `edges` are the places, in characters, where words begin, and the place where the last one ends. A word of white
    space is not a word, and a mark that joins the character before it begins none.
    """
    starts: list[int] = []
    kept: list[str] = []
    free = 0  # where the last word's own characters end
    for start, end, tag in zip(edges, edges[1:], tags, strict=False):
        body = text[start:end]
        if body.isspace():
            continue
        if not (starts and free == start and joins_previous(body[0])):
            starts.append(free)
            kept.append(tag)
        free = start + len(body.rstrip())
    return starts, kept


def _fault(sentence: str, words: list[Word]) -> str:
    if not sentence.strip():
        return ""
    if not any(word.strip() for word, _ in words):
        return "the tagger returned no words"
    bare = next((word for word, tag in words if not tag.strip() and word.strip()), "")
    return f"the tagger gave the word '{_quoted(bare)}' no tag" if bare else ""


def _plain_edges(sentence: str, words: list[Word]) -> list[int] | None:
    """Return the places of words that are the sentence, cut; by far the most are."""
    if "".join([word for word, _ in words]) != sentence:
        return None
    edges = [0]
    for word, _ in words:
        edges.append(edges[-1] + len(word))
    # A word without characters would begin where the next one does.
    return edges if all(word for word, _ in words) else None


def _folded_edges(sentence: str, words: list[Word]) -> tuple[list[int], list[Word]] | str:
    """Return where in the sentence each word begins, with the words that are more than white space."""
    there = _folded(sentence)
    kept = [(folded, word) for word in words if (folded := _fold_word(word[0]))]
    returned = "".join([folded for folded, _ in kept])
    parted = _parting(there.text, returned)
    if parted is not None:
        return _parted(sentence, there, returned, parted)
    edges: list[int] = []
    begun: list[Word] = []
    position = 0
    for folded, word in kept:
        if there.begins(position):
            edges.append(there.owners[position])
            begun.append(word)
        elif not joins_previous(folded[0]):
            cut = sentence[there.owners[position]]
            return f"the tagger cut within the character '{cut}' of the sentence, before '{_quoted(word[0])}'"
        position += len(folded)
    return [*edges, len(sentence)], begun


def _folded(text: str) -> _Folded:
    pieces = [_fold(character) for character in text]
    owners = [number for number, piece in enumerate(pieces) for _ in piece]
    return _Folded("".join(pieces), owners)


def _fold_word(word: str) -> str:
    return "".join([_fold(character) for character in word])


@cache
def _fold(character: str) -> str:
    """Return a character's compatibility form in pieces: the same for Ａ and A, ガ and ｶﾞ; white space is nothing."""
    return "".join(unicodedata.normalize("NFKD", character).split())


def _parting(sentence: str, returned: str) -> int | None:
    """Return the first place at which the two differ in more than script, or nothing."""
    if sentence == returned:
        return None
    for position, (expected, other) in enumerate(zip(sentence, returned, strict=False)):
        if expected != other and not _same_but_for_script(expected, other):
            return position
    return None if len(sentence) == len(returned) else min(len(sentence), len(returned))


@cache
def _same_but_for_script(one: str, other: str) -> bool:
    if not (is_han(one) and is_han(other)):
        return False
    try:
        return to_simplified(one) == to_simplified(other)
    except UserError:  # without the library for script nobody can say, and a doubtful span is not given
        return False


def _parted(sentence: str, there: _Folded, returned: str, place: int) -> str:
    if place == len(there.text):
        return f"the tagger added '{_quoted(returned[place:])}' at the end of the sentence"
    owner = there.owners[place]
    where = f"'{_quoted(sentence[owner:])}' (character {owner + 1})"
    if place >= len(returned):
        return f"the tagger left out {where} at the end of the sentence"
    return f"the tagger changed the text: it returned '{_quoted(returned[place:])}' where the sentence has {where}"


def _quoted(text: str) -> str:
    """Return the beginning of a text for a line of a table: without line breaks and short."""
    line = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"
