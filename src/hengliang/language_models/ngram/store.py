"""Binary format of n-gram models: memory-mapped arrays that open at once.

One file beside the vocabulary: eight bytes that say what it is, the length of a header in JSON, the header, and the
arrays of `lookup.Trie` as they are in memory, little-endian, each at a multiple of 64 bytes. It is mapped into memory;
only what is looked up is ever read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import UserError, file_errors
from hengliang.core.io.files import whole_file
from hengliang.language_models.ngram.lookup import IndexedLevel, NgramTables, Trie, index_tables, plain_levels
from hengliang.language_models.vocabulary import Vocabulary

FILE = "ngrams.bin"
VERSION = 1

_MAGIC = b"HLNGRAM\n"
_ALIGNED = 64
_COLUMNS = {"keys": "<u8", "slots": "<u4", "logprobs": "<f4", "backoffs": "<f4"}

_AGAIN = "Train the model again, or copy its folder again."


def write_model(tables: NgramTables, folder: Path) -> None:
    """Write a model into a folder: its n-grams and its vocabulary, each whole or not at all."""
    Vocabulary(tables.words, tables.counts).write(folder)
    write_trie(index_tables(tables), folder / FILE)


def read_model(folder: Path) -> tuple[Trie, Vocabulary]:
    """Open the model of a folder; its n-grams stay on disk until they are looked up."""
    trie, vocabulary = read_trie(folder / FILE), Vocabulary.read(folder)
    if len(vocabulary) != len(trie.levels[0]):
        raise UserError(
            f"The vocabulary in {folder} has {len(vocabulary)} symbols, its n-grams have {len(trie.levels[0])}.",
            valid="Both files of a folder belong to one model.",
            remedy=_AGAIN,
        )
    return trie, vocabulary


def read_tables(folder: Path) -> NgramTables:
    """Read the whole model of a folder into memory, as the tables it was written from."""
    trie, vocabulary = read_model(folder)
    return NgramTables(vocabulary.symbols, vocabulary.counts, plain_levels(trie))


def write_trie(trie: Trie, path: Path) -> None:
    """Write the arrays of a model into one file."""
    arrays = list(_arrays(trie))
    header = json.dumps({"version": VERSION, "lengths": [len(array) for array in arrays]}).encode()
    with whole_file(path) as stream:
        stream.write(_MAGIC + len(header).to_bytes(8, "little") + header)
        for array in arrays:
            stream.write(bytes(-stream.tell() % _ALIGNED))
            stream.write(array.data)


def _arrays(trie: Trie) -> Iterator[npt.NDArray[Any]]:
    for level in trie.levels:
        for name, kind in _COLUMNS.items():
            yield np.ascontiguousarray(getattr(level, name), kind)


def read_trie(path: Path) -> Trie:
    """Map the file of a model into memory; a file that is cut short, damaged or of another kind is refused."""
    with file_errors(path, "open"), path.open("rb") as stream:
        start = stream.read(len(_MAGIC) + 8)
        if not start.startswith(_MAGIC):
            raise UserError(
                f"{path} is not a model of n-grams.", valid="Its first line would be HLNGRAM.", remedy=_AGAIN
            )
        header = stream.read(min(int.from_bytes(start[len(_MAGIC) :], "little"), 1 << 20))
        begin = stream.tell()
        size = path.stat().st_size
        lengths = _lengths(header, path)
        places, end = _places(lengths, begin)
        if size != end:
            raise UserError(f"{path} has {size} bytes and should have {end}: it is not whole.", remedy=_AGAIN)
        mapped = np.memmap(path, np.uint8, "r")
    arrays = [
        # A plain array over the map: the subclass would follow into every result and slow it down.
        np.frombuffer(mapped, kind, length, offset) if length else np.zeros(0, kind)
        for kind, length, offset in zip(_kinds(lengths), lengths, places, strict=True)
    ]
    width = len(_COLUMNS)
    return Trie(tuple(IndexedLevel(*arrays[first : first + width]) for first in range(0, len(arrays), width)))


def _lengths(header: bytes, path: Path) -> list[int]:
    try:
        fields = json.loads(header)
        version, lengths = fields["version"], [int(length) for length in fields["lengths"]]
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} has a damaged header.", remedy=_AGAIN) from error
    if version != VERSION:
        raise UserError(
            f"{path} is in version {version} of the format.",
            valid=f"This hengliang reads version {VERSION}.",
            remedy="Train the model again with this hengliang.",
        )
    keys, _, logprobs, backoffs = (lengths[column :: len(_COLUMNS)] for column in range(len(_COLUMNS)))
    whole = lengths and len(lengths) % len(_COLUMNS) == 0 and min(lengths) >= 0 and logprobs == backoffs
    if not whole or keys[1:] != [length + 1 for length in logprobs[1:]]:
        raise UserError(f"{path} has a damaged header.", remedy=_AGAIN)
    return lengths


def _kinds(lengths: list[int]) -> list[np.dtype[Any]]:
    return [np.dtype(kind) for kind in _COLUMNS.values()] * (len(lengths) // len(_COLUMNS))


def _places(lengths: list[int], begin: int) -> tuple[list[int], int]:
    places, start = [], begin
    for length, kind in zip(lengths, _kinds(lengths), strict=True):
        start += -start % _ALIGNED
        places.append(start)
        start += length * kind.itemsize
    return places, start
