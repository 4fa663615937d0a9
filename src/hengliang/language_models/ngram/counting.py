"""N-gram counting: all n-grams of a text with their counts, prefixes and suffixes, by suffix-array sorting.

The places of the text are kept in the order of the n-grams that begin there, as in a suffix array: those of one n-gram
stand side by side. To go from n-grams to those one word longer, each such group is sorted by its next word. That is one
sort of 64-bit numbers per level, in blocks that fit the cache, and leaves the n-grams in the order of
`hengliang.language_models.ngram.lookup`: by the row of the first n − 1 words, then by the last word. At the end of the
chapter texts are encoded as word ids.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.errors import UserError, file_errors
from hengliang.core.text.characters import Offsets
from hengliang.language_models.ngram.lookup import BEGIN_ID, END_ID, Rows

# --- levels of n-grams ------------------------------------------------------------------------------------------------


Ids = npt.NDArray[np.int32]
Keys = npt.NDArray[np.uint64]
Result = TypeVar("Result")

BLOCK = 1 << 19
"""How many places are sorted at a time: their keys, and what belongs to them, then stay in the cache of a core."""

MOST_WORDS = 1 << 26
"""The vocabulary must be smaller, so that a group and a place of a block and a word fit in 64 bits."""

MOST_PLACES = 1 << 32
"""The text must be shorter, since rows of tables have 32 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class CountedLevel:
    """All n-grams of one length that a text holds, sorted by (prefix, word).

    `prefixes` and `suffixes` are the rows, in the level below, of the n-gram without its last and without its first
    word; `counts` say how often it occurs. An n-gram may begin with <s> and end with </s>. The first level has a row
    for each word of the vocabulary. `last` is the row of the n-gram that comes last when n-grams are compared from
    their last word to their first, and words by where they first appear; −1 where it would begin before <s>, and at
    the highest level.
    """

    prefixes: Rows
    words: Rows
    suffixes: Rows
    counts: Rows
    last: int

    def __len__(self) -> int:
        return len(self.words)


def count_levels(ids: Ids, offsets: Offsets, vocabulary: int, order: int) -> Iterator[CountedLevel]:
    """Yield the n-grams of length 1 to `order`. Sentence `i` is `ids[offsets[i]:offsets[i + 1]]`, without <s> and </s>.

    A level is made when it is asked for, so that only what is in use takes memory.
    """
    size = len(ids) + 2 * (len(offsets) - 1)
    _check_size(size, vocabulary)
    text = with_edges(ids, offsets, padding=order)
    last_end = _end_of_last(text[:size], vocabulary, order)
    counts = np.bincount(text[:size], minlength=vocabulary).astype(np.uint32)
    nothing = np.zeros(vocabulary, np.uint32)
    last = int(text[last_end]) if order > 1 else -1
    yield CountedLevel(nothing, np.arange(vocabulary, dtype=np.uint32), nothing, counts, last)
    if order == 1:
        return
    rows = text.copy()
    places = _by_first_word(text[:size], counts)
    for length in range(2, order + 1):
        places, level = _longer(text, places, counts, rows, length)
        counts = level.counts
        if length < order:
            _number(rows, places, counts)
            level = replace(level, last=_last_row(text, rows, last_end, length))
        yield level


def with_edges(ids: Ids, offsets: Offsets, *, padding: int = 0) -> Rows:
    """Return the sentences one after the other, each with <s> before it and </s> after it, and then so many <s>."""
    shifts = 2 * np.arange(len(offsets) - 1)
    begins, ends = offsets[:-1] + shifts, offsets[1:] + shifts + 1
    text = np.full(len(ids) + 2 * len(shifts) + padding, BEGIN_ID, np.uint32)
    text[ends] = END_ID
    inside = np.ones(len(text), np.bool_)
    inside[begins] = inside[ends] = inside[len(text) - padding :] = False
    text[inside] = ids
    return text


def parallel(work: Callable[[int, int], Result], cuts: Sequence[int]) -> list[Result]:
    """Return `work(start, end)` for each stretch between two cuts, in order, done on all cores.

    Threads are enough, since numpy lets go of Python's lock while it sorts and computes.
    """
    stretches = list(pairwise(cuts))
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as threads:
        return list(threads.map(lambda stretch: work(*stretch), stretches))


def _check_size(places: int, vocabulary: int) -> None:
    if places >= MOST_PLACES:
        raise UserError(
            f"The text has {places:,} words with the edges of its sentences.",
            valid=f"An n-gram model can be trained on fewer than {MOST_PLACES:,}.",
            remedy="Train on a part of the text.",
        )
    if vocabulary >= MOST_WORDS:
        raise UserError(
            f"The text has {vocabulary:,} different words.",
            valid=f"An n-gram model can have fewer than {MOST_WORDS:,}.",
            remedy="Check that the words of the text stand apart by spaces.",
        )


# --- groups of places that share an n-gram ----------------------------------------------------------------------------


def _by_first_word(text: Rows, counts: Rows) -> Rows:
    """Return the places of the text in the order of their words: a counting sort, block by block."""
    places = np.empty(len(text), np.uint32)
    free = np.cumsum(counts, dtype=np.int64) - counts
    for start in range(0, len(text), BLOCK):
        piece = text[start : start + BLOCK]
        keys = (piece.astype(np.uint64) << np.uint64(32)) | np.arange(len(piece), dtype=np.uint64)
        keys.sort()
        words = (keys >> np.uint64(32)).astype(np.int64)
        begins = _begins(words)
        sizes = np.diff(begins, append=len(words))
        present = words[begins]
        targets = np.repeat(free[present] - begins, sizes) + np.arange(len(words))
        places[targets] = start + (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
        free[present] += sizes
    return places


def _longer(text: Rows, places: Rows, counts: Rows, rows: Rows, length: int) -> tuple[Rows, CountedLevel]:
    """Return the places and the n-grams of this length, from the places and counts of those one word shorter."""
    edges = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
    word_bits = np.uint64(max(1, int(text.max()).bit_length()))

    def sort_block(first: int, after: int) -> tuple[npt.NDArray[np.generic], ...]:
        old = places[edges[first] : edges[after]].astype(np.int64)
        nexts = text[old + (length - 1)]
        stays = nexts != BEGIN_ID
        groups = np.repeat(np.arange(after - first, dtype=np.uint64), counts[first:after])[stays]
        old = old[stays]
        place_bits = np.uint64(len(old).bit_length())
        keys = (groups << word_bits) | nexts[stays]
        keys <<= place_bits
        keys |= np.arange(len(old), dtype=np.uint64)
        keys.sort()
        new = old[(keys & ((np.uint64(1) << place_bits) - np.uint64(1))).astype(np.int64)]
        keys >>= place_bits
        begins = _begins(keys)
        distinct = keys[begins]
        return (
            new.astype(np.uint32),
            (distinct >> word_bits).astype(np.uint32) + np.uint32(first),
            (distinct & ((np.uint64(1) << word_bits) - np.uint64(1))).astype(np.uint32),
            rows[new[begins] + 1],
            np.diff(begins, append=len(new)).astype(np.uint32),
        )

    blocks = parallel(sort_block, _cuts(edges)) or [sort_block(0, 0)]
    columns = [list(column) for column in zip(*blocks, strict=True)]
    # Nobody else must hold the blocks, so that each column's are given back once it is put together.
    blocks.clear()
    new, prefixes, words, suffixes, level_counts = (np.concatenate(columns.pop(0)) for _ in range(len(columns)))
    return new, CountedLevel(prefixes, words, suffixes, level_counts, last=-1)


def _begins(keys: npt.NDArray[np.generic]) -> Offsets:
    """Return where each run of equal keys begins."""
    different = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=different[1:])
    return np.flatnonzero(different)


def _cuts(edges: Offsets) -> list[int]:
    """Return groups at which to cut into blocks. A group that is larger than a block is a block of its own."""
    marks = np.arange(0, edges[-1] + BLOCK, BLOCK)
    after = np.searchsorted(edges, marks, side="left")
    before = np.searchsorted(edges, marks, side="right") - 1
    return sorted({*np.minimum(after, len(edges) - 1).tolist(), *before.tolist()})


def _number(rows: Rows, places: Rows, counts: Rows) -> None:
    """Write at each place the row of the n-gram that begins there."""
    edges = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])

    def number_block(first: int, after: int) -> None:
        numbers = np.repeat(np.arange(first, after, dtype=np.uint32), counts[first:after])
        rows[places[edges[first] : edges[after]]] = numbers

    parallel(number_block, _cuts(edges))


# --- the n-gram that comes last ---------------------------------------------------------------------------------------


def _end_of_last(text: Rows, vocabulary: int, order: int) -> int:
    """Return a place at which the n-gram ends that comes last, words being compared backwards and by first appearance.

    Sentences are thought to begin with as many <s> as needed.
    """
    appears = np.full(vocabulary, -1, np.int64)
    # Of several values for one index numpy keeps the last, which backwards is the first appearance.
    appears[text[::-1]] = np.arange(len(text) - 1, -1, -1)
    appears[BEGIN_ID] = -1
    appears[END_ID] = 0
    ends = np.flatnonzero(text == np.argmax(appears))
    for back in range(1, order):
        if (text[ends - back + 1] == BEGIN_ID).any():
            break
        before = appears[text[ends - back]]
        ends = ends[before == before.max()]
    return int(ends[0])


def _last_row(text: Rows, rows: Rows, end: int, length: int) -> int:
    start = end - length + 1
    inside = start >= 0 and BEGIN_ID not in text[start + 1 : end + 1]
    return int(rows[start]) if inside else -1


# --- encoding of texts as word ids ------------------------------------------------------------------------------------
# Numbers the words of a text as they first appear, after <unk>, <s> and </s>. A file is read in chunks on all cores.

RESERVED = ("<unk>", "<s>", "</s>")
"""The words that every model has: whatever is outside the vocabulary, and the beginning and end of a sentence."""

CHUNK = 1 << 22
"""How many bytes of a file are read at a time."""

_BREAK = "\n"
# White space of ASCII but for the end of a line, and the zero byte; then whatever else Python takes for white space.
_SPACES = bytes.maketrans(b"\0\t\x0b\x0c\r\x1c\x1d\x1e\x1f", b" " * 9)
_OTHER_SPACE = re.compile(r"[^\S\n ]")


@dataclass(frozen=True, slots=True, eq=False)
class EncodedText:
    """A text in numbers: the words by their number, the sentences one after the other, and where each begins.

    Sentence `i` is `ids[offsets[i]:offsets[i + 1]]`. The first three words are those of `RESERVED`.
    """

    words: pl.Series
    ids: Ids
    offsets: Offsets


def encode_file(path: Path | str) -> EncodedText:
    """Read a text file in UTF-8: one sentence per line, words separated by white space.

    A blank line is a sentence without words, as it is for KenLM. The last line needs no end. Words are put into NFC.
    """
    source = Path(path)
    known = _reserved()
    pieces: list[Ids] = [np.zeros(0, np.int32)]
    sizes: list[Offsets] = [np.zeros(1, np.int64)]
    with file_errors(source, "read"):
        stretches = pairwise(_text_cuts(source))
        with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as threads:
            for types, codes in threads.map(partial(_read_chunk, source), stretches):
                numbers = _numbers(types, known)[codes]
                ends = numbers == END_ID
                pieces.append(numbers[~ends])
                sizes.append(np.diff(np.flatnonzero(ends), prepend=-1) - 1)
    return EncodedText(_series(known), np.concatenate(pieces), np.cumsum(np.concatenate(sizes)))


def encode_words(words: pl.Series, offsets: Offsets) -> EncodedText:
    """Number the words of sentences that stand in memory: sentence `i` is `words[offsets[i]:offsets[i + 1]]`."""
    known = _reserved()
    types, codes = _coded(words)
    _check_reserved(types, "the text")
    numbers = _numbers(types, known)
    return EncodedText(_series(known), numbers[codes], np.asarray(offsets, np.int64))


def _reserved() -> dict[str, int]:
    return {word: number for number, word in enumerate(RESERVED)}


def _series(known: dict[str, int]) -> pl.Series:
    return pl.Series("word", list(known), dtype=pl.String)


def _numbers(types: Sequence[str], known: dict[str, int]) -> Ids:
    """Return the numbers of words; those not known yet get the next ones. The end of a line is </s>."""
    numbers = (END_ID if word == _BREAK else known.setdefault(word, len(known)) for word in types)
    return np.fromiter(numbers, np.int32, len(types))


def _text_cuts(path: Path) -> list[int]:
    """Return the bytes at which to cut a file into chunks of whole lines."""
    size = path.stat().st_size
    cuts = {0, size}
    with path.open("rb") as stream:
        for mark in range(CHUNK, size, CHUNK):
            stream.seek(mark - 1)
            stream.readline()
            cuts.add(stream.tell())
    return sorted(cuts)


def _read_chunk(path: Path, stretch: tuple[int, int]) -> tuple[list[str], Rows]:
    """Return the different words of a part of a file, with the end of a line among them, and the part in codes."""
    start, end = stretch
    with path.open("rb") as stream:
        stream.seek(start)
        read = stream.read(end - start)
    if start == 0:
        read = read.removeprefix(b"\xef\xbb\xbf")
    try:
        types, codes = _coded(_tokens(read))
        if _OTHER_SPACE.search("".join(types)):
            # Rare enough in a text of words apart by spaces that most chunks need not be looked through for it.
            types, codes = _coded(_tokens(_OTHER_SPACE.sub(" ", read.decode()).encode()))
    except (pl.exceptions.ComputeError, UnicodeDecodeError) as error:
        raise _not_utf8(path) from error
    _check_reserved(types, str(path))
    return pl.Series(types, dtype=pl.String).str.normalize("NFC").to_list(), codes


def _tokens(read: bytes) -> pl.Series:
    """Return the words of whole lines and their ends, one after the other.

    The reader of tables takes each word for a line of its own, which is three times as fast as splitting strings.
    """
    apart = read.translate(_SPACES).removesuffix(b"\n").replace(b"\n", b" \n ") + b" \n "
    table = pl.read_csv(
        apart, has_header=False, schema={"word": pl.String}, separator="\x1f", eol_char=" ", quote_char=None
    )
    return table["word"].drop_nulls()


def _coded(words: pl.Series) -> tuple[list[str], Rows]:
    """Return the different words as they first appear, and the place of each word among them."""
    types = words.unique(maintain_order=True)
    return types.to_list(), words.cast(pl.Enum(types)).to_physical().to_numpy()


def _check_reserved(types: Sequence[str], where: str) -> None:
    reserved = set(RESERVED).intersection(types)
    if reserved:
        raise UserError(
            f"The word {min(reserved)} stands in {where}.",
            valid=f"{', '.join(RESERVED)} are the model's own words and cannot be words of a training text.",
            remedy="Take them out: the edges of sentences are added in training.",
        )


def _not_utf8(path: Path) -> UserError:
    """Say which line is the first that is not UTF-8."""
    with path.open("rb") as stream:
        number = next((number for number, line in enumerate(stream, 1) if not _is_utf8(line)), 0)
    return UserError(
        f"Line {number} of {path} is not UTF-8.",
        valid="A training text is a file in UTF-8, a sentence a line, its words apart by spaces.",
        remedy=f"Convert it, for instance: iconv -f GB18030 -t UTF-8 {path} > converted.txt",
    )


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
