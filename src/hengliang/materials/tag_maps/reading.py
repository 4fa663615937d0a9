"""Which tag maps are there, and what does a file of one say?"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from hengliang.core.closure import outside_signatures, package_data
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.delimited import read_text_lines
from hengliang.materials.tag_maps.forms import FORMS
from hengliang.materials.tag_maps.tables import ANY, WORD, TagMap, TagRow

COLUMNS = ("own", "target", "form", "note")

SAME_TAGS: Mapping[str, str] = MappingProxyType(
    {"rjieba": "jieba", "crf": "pku", "hanlp": "pku", "stanza": "ud", "spacy": "ud"}
)
"""Taggers whose tags are those of a map of another name."""

_SUFFIX = ".tsv"
_FORMS = (ANY, *FORMS)


@outside_signatures("a map is signed by its rows")
def tag_map_names() -> list[str]:
    """Return the names of the maps that come with hengliang."""
    files = package_data(__name__).iterdir()
    return sorted(file.name.removesuffix(_SUFFIX) for file in files if file.name.endswith(_SUFFIX))


def tag_map(name: str | Path) -> TagMap:
    """Return the map of this name, of the tagger of this name, or in the file of this path.

    A file that contradicts itself, or that says nothing of some words of a tag, is refused.
    """
    found = open_map(name)
    _check(found)
    return found


def open_map(name: str | Path) -> TagMap:
    """Return a map as its file has it, contradictions and all: that is what the lint looks at."""
    known = tag_map_names()
    held = SAME_TAGS.get(str(name), str(name))
    if held in known:
        return _held(held)
    if not is_map_file(name):
        raise unknown_name(
            "tag map", str(name), [*known, *SAME_TAGS], remedy="A map of your own is given by the path of its file."
        )
    path = Path(name)
    return parse_map("\n".join(read_text_lines(path)), path.stem, str(path))


def is_map_file(name: str | Path) -> bool:
    """Say whether a name is the path of a file rather than the name of a map."""
    return isinstance(name, Path) or name.endswith((_SUFFIX, ".txt")) or "/" in name or Path(name).is_file()


@cache
@outside_signatures("a map is signed by its rows")
def _held(name: str) -> TagMap:
    file = package_data(__name__, f"{name}{_SUFFIX}")
    return parse_map(file.read_text(encoding="utf-8"), name, f"{name}{_SUFFIX}")


def parse_map(text: str, name: str, path: str) -> TagMap:
    """Return the map that the text of a file holds; `path` is what errors call the file."""
    rows: list[TagRow] = []
    said: dict[str, str] = {}
    headed = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            key, colon, value = line.lstrip("# ").partition(":")
            if colon and key in ("from", "to", "title") and not rows:
                said[key] = value.strip()
        elif line.strip():
            cells = [cell.strip() for cell in line.split("\t")]
            if not headed and tuple(cells) == COLUMNS[: len(cells)]:
                headed = True
            else:
                rows.append(_row(cells, f"{path}, line {number}", number))
    if not rows:
        raise UserError(f"{path} holds no rows.", valid=f"A row has the columns {', '.join(COLUMNS)}, apart by tabs.")
    return TagMap(name, tuple(rows), said.get("from", name), said.get("to", "pku"), said.get("title", name), path)


def _row(cells: list[str], where: str, number: int) -> TagRow:
    if not 2 <= len(cells) <= len(COLUMNS) or not all(cells[:2]):
        raise UserError(
            f"{where}: '{' | '.join(cells)[:60]}' is no row of a tag map.",
            valid=f"A row has the columns {', '.join(COLUMNS)}, apart by tabs; form and note may be missing.",
        )
    own, target, form, note = (*cells, "", "")[:4]
    form = form or ANY
    spaced = [tag for tag in (own, target) if any(character.isspace() for character in tag)]
    if spaced:
        raise UserError(f"{where}: the tag '{spaced[0]}' has a space in it.", valid="Tags have no spaces.")
    if form not in _FORMS and not (form.startswith(WORD) and len(form) > 1):
        raise UserError(
            f"{where}: no form is called '{form}'.", valid=f"Forms: {', '.join(_FORMS)}, or one word: {WORD}的."
        )
    return TagRow(own, target, form, note, number)


def _check(found: TagMap) -> None:
    first: dict[tuple[str, str], TagRow] = {}
    for row in found.rows:
        held = first.setdefault((row.own, row.form), row)
        if held.target != row.target:
            raise UserError(
                f"{found.path}, line {row.line}: {row.own} becomes {row.target} here and {held.target} in line "
                f"{held.line}.",
                valid="A tag becomes one other for words of the same form.",
                remedy=f"Try: hengliang taggers maps {found.path} --lint",
            )
    for row in found.rows:
        if (row.own, ANY) not in first:
            raise UserError(
                f"{found.path}, line {row.line}: {row.own} has rows for some words, but none for any other.",
                remedy=f"Add a row with the form {ANY}.",
            )
