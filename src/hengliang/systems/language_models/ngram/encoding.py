"""Which words does a text hold, and what is the text as a row of their numbers?

Words are numbered as they first appear, after <unk>, <s> and </s>. A file is read in chunks on all cores.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl

from hengliang.core.errors import UserError, file_errors
from hengliang.core.text.characters import Offsets
from hengliang.systems.language_models.ngram.counting import Ids
from hengliang.systems.language_models.ngram.tables import END_ID, Rows

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
    """Read a text file in UTF-8: a sentence a line, words apart by white space.

    A blank line is a sentence without words, as it is for KenLM. The last line needs no end. Words are put into NFC.
    """
    source = Path(path)
    known = _reserved()
    pieces: list[Ids] = [np.zeros(0, np.int32)]
    sizes: list[Offsets] = [np.zeros(1, np.int64)]
    with file_errors(source, "read"):
        stretches = pairwise(_cuts(source))
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


def _cuts(path: Path) -> list[int]:
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
    found = set(RESERVED).intersection(types)
    if found:
        raise UserError(
            f"The word {min(found)} stands in {where}.",
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
