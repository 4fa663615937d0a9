"""Where does a running text come from, and in which format is it written?

Text is a source of the catalogue by its name (`peoples-daily-199801`), a file of a source (`lau2015/train.txt`), a file
by its path, or a folder of such files. The ending of a file says its format: plain text, tagged words, dependencies,
trees in brackets, or one that a plug-in reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hengliang.core.errors import UserError
from hengliang.core.signature import digest, file_checksum
from hengliang.materials import sources
from hengliang.materials.formats import FORMATS, find_format, plugin_formats

OURS = frozenset(("sinica", *(name for name, _ in FORMATS.values())))
"""The formats of running text that need no plug-in."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The files of a text, in their order, whose they are and how they are written.

    `articles` says that paragraphs belong to articles, whose beginnings can be guessed from their headlines.
    """

    name: str
    paths: tuple[Path, ...]
    licence: str
    terms: str
    format: str
    articles: bool = False

    @property
    def checksum(self) -> str:
        """The checksum of the file, or one over the names and checksums of several; a plug-in's reader counts too."""
        if len(self.paths) == 1 and self.format in OURS:
            return file_checksum(self.paths[0])
        reader = () if self.format in OURS else (find_format(self.format).code,)
        return digest(*(part for path in self.paths for part in (path.name, file_checksum(path))), *reader)


def find_origin(data: str) -> Origin:
    """Return the files that are meant by the name of a source, of a file in one, or by a path."""
    path = Path(data)
    if path.suffix in FORMATS or path.exists() or "/" in data:
        return _of_files(data, path)
    held = sources.source(data)
    if not _is_text(held):
        names = ", ".join(one.name for one in sources.list_sources() if _is_text(one))
        raise UserError(
            f"{data} is no running text.",
            valid=f"Sources: {names}; a text file of another source, as lau2015/train.txt; or a file: {formats()}.",
        )
    return Origin(held.name, sources.locate(data), held.licence, held.terms, held.format, articles=held.format == "pku")


def _is_text(held: sources.Source) -> bool:
    """Say whether a source is one running text.

    Of a source of several plain files somebody has to say which one is meant: some are suites or ratings.
    """
    if held.format == "plain":
        return len(held.files) == 1
    return held.format in OURS or (held.format != "" and bool(find_format(held.format).endings))


def _of_files(data: str, path: Path) -> Origin:
    name, _, file = data.partition("/")
    if not path.exists() and file and any(name == held.name for held in sources.list_sources()):
        held = sources.source(name)
        paths: tuple[Path, ...] = (sources.locate(name, file),)
        return Origin(data, paths, held.licence, held.terms, _format_of_file(data, paths[0]))
    if not path.exists():
        raise UserError(f"There is no file {data}.", remedy="Check the path for a typing mistake.")
    paths = _in_folder(data, path) if path.is_dir() else (path,)
    return Origin(path.name, paths, "unclear", "a file of the user's", _format_of_file(data, paths[0]))


def _in_folder(data: str, folder: Path) -> tuple[Path, ...]:
    """Return the files of plain text in a folder by name or, where there are none, those of trees in brackets."""
    for name in ("plain", "brackets"):
        found = sorted(path for path in folder.iterdir() if FORMATS.get(path.suffix, ("", ""))[0] == name)
        if found:
            return tuple(found)
    raise UserError(
        f"In the folder {data} there is no plain text.", valid="A folder holds files *.txt, or trees in brackets."
    )


def _format_of_file(data: str, path: Path) -> str:
    if path.suffix in FORMATS:
        return FORMATS[path.suffix][0]
    for held in plugin_formats():
        if path.suffix in held.endings:
            return held.name
    raise UserError(f"{data} is in no known format of text.", valid=f"Files: {formats()}.")


def formats() -> str:
    """Return the formats that are read, for a message."""
    endings: dict[str, list[str]] = {}
    for suffix, (_, what) in FORMATS.items():
        endings.setdefault(what, []).append(f"*{suffix}")
    for held in plugin_formats():
        endings[held.name] = [f"*{suffix}" for suffix in held.endings]
    return ", ".join(f"{' '.join(suffixes)} ({what})" for what, suffixes in endings.items())
