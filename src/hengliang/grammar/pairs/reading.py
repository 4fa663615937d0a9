"""Minimal pairs: recognising the layout of files (BLiMP, CLiMP, SLING, ZhoBLiMP, CoLAC) and reading a pair set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.signature import digest, file_checksum
from hengliang.corpora import catalogue as sources
from hengliang.corpora.catalogue import reads
from hengliang.grammar.pairs import blimp, climp, colac, sling, zhoblimp
from hengliang.grammar.pairs.pair_set import SUFFIXES, BrokenLine, Pair, PairSet, RatedSentence, repeated_pairs

Record = Pair | RatedSentence | BrokenLine
_ARCHIVES = {".zip": "unzip", ".gz": "tar xzf", ".tgz": "tar xzf", ".xz": "tar xJf"}


class Layout(NamedTuple):
    """A way to write pairs down: how to know it, how to read it, and groups of paradigms that have a name."""

    name: str
    recognise: Callable[[Path], bool]
    records: Callable[[Path], Iterator[Record]]
    selections: Mapping[str, Sequence[str]] = {}


# BLiMP comes last: it takes every file of JSON Lines that has the two sentences.
LAYOUTS = (
    Layout(sling.NAME, sling.recognise, sling.records, sling.SELECTIONS),
    Layout(zhoblimp.NAME, zhoblimp.recognise, zhoblimp.records),
    Layout(colac.NAME, colac.recognise, colac.records),
    Layout(climp.NAME, climp.recognise, climp.records),
    Layout(blimp.NAME, blimp.recognise, blimp.records),
)
_KNOWN = "SLING, ZhoBLiMP, BLiMP (*.jsonl, *.json), CLiMP, CoLAC (*.csv, *.tsv)"


class PairFiles(NamedTuple):
    """The files of a set and what the set is called; `checksum` is that of all of them."""

    name: str
    paths: tuple[Path, ...]
    checksum: str
    licence: str = "unclear"
    citation: str = ""


@reads("pairs")
def read_pairs(data: str | Path, *, layout: str = "", name: str = "") -> PairSet:
    """Read a set of minimal pairs: a source of the catalogue by its name, or a file or a folder by its path.

    The layout is recognised by the first line of each file, unless it is named: sling, climp, zhoblimp, blimp, colac.
    `name` is what the set is called in ids; by default as the source, the file or the folder.
    """
    if layout and layout not in {known.name for known in LAYOUTS}:
        raise unknown_name("layout of minimal pairs", layout, (known.name for known in LAYOUTS))
    files = pair_files(data)
    return _read(files._replace(name=name or files.name), layout)


def pair_files(data: str | Path) -> PairFiles:
    """Return the files of a set that is given by its name in the catalogue or by its path."""
    path = Path(data)
    # A folder that is called as a source (a run of it, perhaps) does not hide the source.
    catalogued = isinstance(data, str) and data in {source.name for source in sources.list_sources()}
    if not catalogued and (isinstance(data, Path) or path.exists() or path.suffix or "/" in str(data)):
        files = tuple(_files(path))
        return PairFiles(path.resolve().name if path.is_dir() else path.stem, files, _checksum(files))
    entry = sources.source(str(data))
    if entry.format not in {"", "pairs"}:
        raise _no_pairs(entry.name)
    files = tuple(file for file in sources.locate(entry.name) if file.suffix.lower() in SUFFIXES)
    if not files:
        raise _no_pairs(entry.name)
    return PairFiles(entry.name, files, _checksum(files), entry.licence, entry.citation)


def _files(path: Path) -> Iterator[Path]:
    if not path.exists():
        raise UserError(f"There is no file or folder {path}.", remedy="Check the path for a typing mistake.")
    if path.is_file():
        if path.suffix in _ARCHIVES:
            remedy = f"Unpack it first, then give the folder: {_ARCHIVES[path.suffix]} {path.name}"
            raise UserError(f"{path} is an archive.", valid=f"A file or folder of {_KNOWN}.", remedy=remedy)
        yield path
        return
    files = [file for file in sorted(path.rglob("*")) if file.suffix.lower() in SUFFIXES and file.is_file()]
    # Archives packed on a Mac bring copies of every file that hold no text.
    kept = [file for file in files if not file.name.startswith(".") and "__MACOSX" not in file.parts]
    if not kept:
        raise UserError(f"The folder {path} has no files of pairs.", valid=f"Layouts: {_KNOWN}.")
    yield from kept


def _checksum(paths: Sequence[Path]) -> str:
    return digest(*(part for path in paths for part in (path.name, file_checksum(path))))


@lru_cache(maxsize=4)
def _read(files: PairFiles, named: str) -> PairSet:
    """Read the files; those of the catalogue and of a folder may hold other things beside, a single file may not."""
    layouts = {path: _layout(path, named) for path in files.paths}
    used = {layout.name: layout for layout in layouts.values() if layout is not None}
    if not used:
        raise _no_pairs(str(files.paths[0]) if len(files.paths) == 1 else files.name)
    if len(used) > 1:
        raise UserError(
            f"{files.name} has files in the layouts of {' and '.join(sorted(used))}.",
            remedy="Read one folder for each, or name the layout.",
        )
    layout = next(iter(used.values()))
    records = [
        record for path, recognised in layouts.items() if recognised is not None for record in recognised.records(path)
    ]
    unread = tuple(str(path) for path, recognised in layouts.items() if recognised is None)
    return _collected(files.name, layout, records, unread)


def _layout(path: Path, named: str) -> Layout | None:
    if named:
        return next(candidate for candidate in LAYOUTS if candidate.name == named)
    return next((candidate for candidate in LAYOUTS if candidate.recognise(path)), None)


def _collected(name: str, layout: Layout, records: Sequence[Record], unread: tuple[str, ...]) -> PairSet:
    pairs = _unique_ids([record for record in records if isinstance(record, Pair)])
    different = tuple(pair for pair in pairs if not pair.is_identical)
    pair_set = PairSet(
        name,
        layout.name,
        different,
        tuple(pair for pair in pairs if pair.is_identical),
        repeated_pairs(different),
        tuple(record for record in records if isinstance(record, BrokenLine)),
        tuple(record for record in records if isinstance(record, RatedSentence)),
        unread,
        layout.selections,
    )
    if not pairs and not pair_set.rated:
        first = f" The first problem: {pair_set.broken[0]}" if pair_set.broken else ""
        raise UserError(f"{name} holds no pairs.{first}", valid=f"Layouts: {_KNOWN}.")
    return pair_set


def _unique_ids(pairs: Sequence[Pair]) -> list[Pair]:
    """Number the ids that occur more than once in a paradigm: 7, 7.2, 7.3."""
    seen: Counter[tuple[str, str]] = Counter()
    taken = {(pair.paradigm, pair.id) for pair in pairs}
    numbered = []
    for pair in pairs:
        key = (pair.paradigm, pair.id)
        seen[key] += 1
        if seen[key] > 1:
            while (pair.paradigm, f"{pair.id}.{seen[key]}") in taken:
                seen[key] += 1
            pair = replace(pair, id=f"{pair.id}.{seen[key]}")
        numbered.append(pair)
    return numbered


def _no_pairs(what: str) -> UserError:
    return UserError(f"{what} is in no known layout of minimal pairs.", valid=f"Layouts: {_KNOWN}.")
