"""Is what a tagger returned the words of the sentences that it was given?

A stranger's tagger may return anything. Words that leave a gap, overlap, stand in another order or cut a character
would be compared with the gold as if they were words, so they become a problem of their sentence instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hengliang.systems.labelled_spans import LabelledSpans, labelled_spans
from hengliang.text import Offsets


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
