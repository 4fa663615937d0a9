"""Where does a running text come from, and in which form is it written?

Text is a source of the catalogue by its name (`peoples-daily-199801`), a file of a source (`lau2015/train.txt`), a file
by its path, or a folder of such files. The ending of a file says its form: plain text, tagged words, dependencies, or
trees in brackets.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hengliang.errors import UserError
from hengliang.materials import sources
from hengliang.signature import digest, file_checksum

Form = Literal["plain", "tagged", "dependencies", "brackets", "sinica"]
"""How a text is written; all but the first say what its words are."""

FORMATS: dict[str, tuple[Form, str]] = {
    ".txt": ("plain", "plain text, a paragraph a line"),
    ".conllu": ("dependencies", "CoNLL-U"),
    ".pku": ("tagged", "word/tag, a paragraph a line"),
    **dict.fromkeys((".brackets", ".mrg", ".ptb", ".nid", ".fid"), ("brackets", "trees in brackets")),
}
"""The form and the name of each format, by the ending of its files; .nid and .fid are those of the Chinese Treebank."""

_LOADERS: dict[str, Form] = {
    "hengliang.materials.tagged_corpora:read_pku": "tagged",
    "hengliang.materials.tagged_corpora:read_conllu": "dependencies",
    "hengliang.materials.trees.sinica:read_sinica": "sinica",
    "hengliang.materials.plain_text:read_plain": "plain",
}


@dataclass(frozen=True, slots=True)
class Origin:
    """The files of a text, in their order, whose they are and how they are written.

    `articles` says that paragraphs belong to articles, whose beginnings can be guessed from their headlines.
    """

    name: str
    paths: tuple[Path, ...]
    licence: str
    terms: str
    form: Form
    articles: bool = False

    @property
    def checksum(self) -> str:
        """The checksum of the file, or one over the names and checksums of several."""
        if len(self.paths) == 1:
            return file_checksum(self.paths[0])
        return digest(*(part for path in self.paths for part in (path.name, file_checksum(path))))


def find_origin(data: str) -> Origin:
    """Return the files that are meant by the name of a source, of a file in one, or by a path."""
    path = Path(data)
    if path.suffix in FORMATS or path.exists() or "/" in data:
        return _of_files(data, path)
    held = sources.source(data)
    form = _form_of(held)
    if form is None:
        names = ", ".join(one.name for one in sources.list_sources() if _form_of(one) is not None)
        raise UserError(
            f"{data} is no running text.",
            valid=f"Sources: {names}; a text file of another source, as lau2015/train.txt; or a file: {formats()}.",
        )
    return Origin(held.name, sources.locate(data), held.licence, held.terms, form, articles=form == "tagged")


def _form_of(held: sources.Source) -> Form | None:
    """Of a source of several plain files somebody has to say which one is meant: some are suites or ratings."""
    form = _LOADERS.get(held.loader)
    return None if form == "plain" and len(held.files) != 1 else form


def _of_files(data: str, path: Path) -> Origin:
    name, _, file = data.partition("/")
    if not path.exists() and file and any(name == held.name for held in sources.list_sources()):
        held = sources.source(name)
        paths: tuple[Path, ...] = (sources.locate(name, file),)
        return Origin(data, paths, held.licence, held.terms, _form_of_file(data, paths[0]))
    if not path.exists():
        raise UserError(f"There is no file {data}.", remedy="Check the path for a typing mistake.")
    paths = _in_folder(data, path) if path.is_dir() else (path,)
    return Origin(path.name, paths, "unclear", "a file of the user's", _form_of_file(data, paths[0]))


def _in_folder(data: str, folder: Path) -> tuple[Path, ...]:
    """Return the files of plain text in a folder by name or, where there are none, those of trees in brackets."""
    for form in ("plain", "brackets"):
        found = sorted(path for path in folder.iterdir() if FORMATS.get(path.suffix, ("", ""))[0] == form)
        if found:
            return tuple(found)
    raise UserError(
        f"In the folder {data} there is no plain text.", valid="A folder holds files *.txt, or trees in brackets."
    )


def _form_of_file(data: str, path: Path) -> Form:
    if path.suffix not in FORMATS:
        raise UserError(f"{data} is in no known format of text.", valid=f"Files: {formats()}.")
    return FORMATS[path.suffix][0]


def formats() -> str:
    """Return the formats that are read, for a message."""
    endings: dict[str, list[str]] = {}
    for suffix, (_, name) in FORMATS.items():
        endings.setdefault(name, []).append(f"*{suffix}")
    return ", ".join(f"{' '.join(suffixes)} ({name})" for name, suffixes in endings.items())
