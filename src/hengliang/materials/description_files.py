"""How are files of elicited descriptions read, line by line, with their quirks?

Two layouts. That of QTUNA: a file `raw_n=SIZE.txt` for each size of scene, without a header, with id, subject, number
of the scene and text, and a table of the scenes. And a table of one's own with names of columns in the first row. Some
exports percent-encode commas and line ends: a file counts as encoded when every per cent sign in it begins such a
code, so that a *50 % of them* in a plain file stays as it is.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

from hengliang.core.errors import UserError, file_errors, unknown_name
from hengliang.core.io.delimited import AS_RECOGNISED, Row, TableOptions, TableWarning, parsed_rows
from hengliang.core.io.tables import UserTable, read_user_table, skipped_note
from hengliang.materials.scene_domains import Domain
from hengliang.materials.scenes import Scene, checked_scene, read_scene

Numbered = Mapping[tuple[int, int], Scene]
"""Scenes by their size and their number within the size."""

SIZE_COLUMNS = ("scene_size", "domain_size", "size")
COLUMNS = ("subject", "scene", "text")
SIZED_FILE = re.compile(r"raw_n=(\d+)\.txt")
SCENES_FILE = "scenes.tsv"

_CODE = re.compile(r"%[0-9A-Fa-f]{2}")
_MENDED = {"‚Äô": "’", "‚Äò": "‘", "‚Äú": "“", "‚Äù": "”"}
"""UTF-8 that was once read as the character set of old Macintoshes; nobody types this."""


@dataclass(frozen=True, slots=True)
class DescriptionRow:
    """One description: who gave it, of which scene, and its words; `number` is None where the scene has none."""

    key: str
    subject: str
    scene: Scene
    number: int | None
    text: str


def fault(where: str, said: str, *, valid: str = "", remedy: str = "") -> UserError:
    """Return the error for one line of a file."""
    return UserError(f"{where}: {said}.", valid=valid, remedy=remedy)


def is_encoded(text: str) -> bool:
    """Return whether a text is percent-encoded: it has per cent signs, and each begins a code of two digits.

    >>> is_encoded("red%2C round"), is_encoded("50% of them are red%2C round")
    (True, False)
    """
    return 0 < text.count("%") == len(_CODE.findall(text))


def clean(text: str, encoded: bool) -> str:
    """Return a description as it was typed: decoded, with plain spaces, and without space at its ends."""
    decoded = unquote(text, errors="strict") if encoded else text
    for wrong, right in _MENDED.items():
        decoded = decoded.replace(wrong, right)
    lines = decoded.replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ").split("\n")
    return "\n".join(line.strip() for line in lines if line.strip())


def _cleaned(where: str, text: str, encoded: bool) -> str:
    try:
        return clean(text, encoded)
    except UnicodeDecodeError as error:
        raise fault(where, "its percent codes are no UTF-8", valid="For example %2C for a comma.") from error


# --- scenes ---------------------------------------------------------------------------------------------------------


def read_scene_table(path: Path, domain: Domain, table: TableOptions = AS_RECOGNISED) -> Numbered:
    """Read a table of scenes: size, number (`scene`), and a column with the count of each kind (BS, BC, …)."""
    found: dict[tuple[int, int], Scene] = {}
    rows = read_user_table(path, table, what="scene")
    column = _size_column(rows)
    for line, cells in rows:
        where = rows.where(line)
        size = _whole(where, cells[column], "size")
        number = _whole(where, cells.get("scene", ""), "number of a scene")
        counts = tuple(_whole(where, cells.get(code, ""), f"count of {code}", 0) for code in domain.codes)
        try:
            scene = checked_scene(Scene(counts, domain), size)
        except UserError as error:
            raise fault(where, error.problem.rstrip("."), valid=error.valid) from error
        if (size, number) in found:
            raise fault(where, f"scene {number} of size {size} stands there twice")
        found[size, number] = scene
    return found


def _size_column(table: UserTable) -> str:
    named = next((name for name in SIZE_COLUMNS if name in table.columns), None)
    if named is None:
        raise unknown_name(f"column of {table.path.name}", SIZE_COLUMNS[0], table.columns)
    return named


def _whole(where: str, text: str, what: str, least: int = 1) -> int:
    if not text.strip().isdecimal() or int(text) < least:
        raise fault(where, f"'{text}' is no {what}", valid=f"A whole number from {least}.")
    return int(text)


# --- the layout of QTUNA --------------------------------------------------------------------------------------------


def rows_without_header(path: Path, table: TableOptions = AS_RECOGNISED) -> list[Row]:
    """Return the rows of a text without a header: unless `table` says otherwise apart by tabs, and marks are text."""
    usual = replace(
        table,
        delimiter="tab" if table.delimiter == "auto" else table.delimiter,
        quoting="none" if table.quoting == "auto" else table.quoting,
    )
    usual.check()
    with file_errors(path, "read"):
        raw = path.read_bytes()
    read = parsed_rows(raw, str(path), usual)
    if read.bad and table.errors == "raise":
        raise read.bad[0].error(str(path))
    skipped = skipped_note(path, read.bad)
    if skipped is not None:
        warnings.warn(TableWarning(skipped.en), stacklevel=2)
    return read.rows


def read_sized_file(path: Path, scenes: Numbered, table: TableOptions = AS_RECOGNISED) -> Iterator[DescriptionRow]:
    """Read one file of the layout of QTUNA, whose name tells the size; rows without words are left out."""
    named = SIZED_FILE.fullmatch(path.name)
    if named is None:
        raise UserError(f"The name of {path} does not tell a size of scenes.", valid="For example raw_n=4.txt.")
    size = int(named[1])
    rows = rows_without_header(path, table)
    encoded = is_encoded("\n".join(cell for row in rows for cell in row.cells))
    for line, cells in rows:
        where = f"{path}, line {line}"
        if len(cells) > 4 or len(cells) < 3:
            raise fault(where, f"there are {len(cells)} columns", valid="Four: id, subject, scene, text.")
        key, subject, number = (cell.strip() for cell in cells[:3])
        if not key or not subject:
            raise fault(where, f"there is no {'subject' if key else 'id'}", valid="id, subject, scene, text.")
        scene = _scene(where, size, _whole(where, number, "number of a scene"), scenes)
        words = _cleaned(where, cells[3], encoded) if len(cells) == 4 else ""
        if words:
            yield DescriptionRow(f"{size}-{key}", f"{size}-{subject}", scene, int(number), words)


def _scene(where: str, size: int, number: int, scenes: Numbered) -> Scene:
    if (size, number) not in scenes:
        known = ", ".join(str(one) for held, one in sorted(scenes) if held == size)
        valid = f"Scenes of size {size}: {known}." if known else f"No scene of size {size} is known."
        raise fault(where, f"there is no scene {number} of size {size}", valid=valid)
    return scenes[size, number]


# --- a table of one's own -------------------------------------------------------------------------------------------


def read_own_table(
    path: Path, domain: Domain, scenes: Numbered | None = None, table: TableOptions = AS_RECOGNISED
) -> Iterator[DescriptionRow]:
    """Read a table with the columns subject, scene and text; `id` and a size of scenes may be there, too.

    A scene is a code (BS=2 RC=2), or a number that a table of scenes explains together with the size.
    """
    rows = read_user_table(path, table, what="description")
    rows.require(*COLUMNS, remedy=f"Needed: {', '.join(COLUMNS)}.")
    encoded = is_encoded("\n".join(rows.frame["text"]))
    keys: dict[str, int] = {}
    for place, (line, cells) in enumerate(rows, 1):
        where = rows.where(line)
        text = _cleaned(where, cells["text"], encoded)
        if not text:
            continue
        subject, key = cells["subject"].strip(), cells.get("id", "").strip() or str(place)
        if not subject:
            raise fault(where, "there is no subject", valid="Every description has somebody who gave it.")
        if key in keys:
            raise fault(
                where, f"the id '{key}' is used in {rows.row_name} {keys[key]}, too", remedy="Give each its own."
            )
        keys[key] = line
        scene, number = _own_scene(where, cells, domain, scenes)
        yield DescriptionRow(key, subject, scene, number, text)


def _own_scene(
    where: str, cells: Mapping[str, str], domain: Domain, scenes: Numbered | None
) -> tuple[Scene, int | None]:
    written = cells["scene"].strip()
    sized = next((cells[name].strip() for name in SIZE_COLUMNS if cells.get(name, "").strip()), "")
    size = _whole(where, sized, "size") if sized else None
    if not written.isdecimal():
        try:
            return read_scene(written, domain, size), None
        except UserError as error:
            raise fault(where, error.problem.rstrip("."), valid=error.valid) from error
    if size is None or scenes is None:
        wanted = "its size" if size is None else "a table of scenes"
        raise fault(
            where, f"scene {written} cannot be told without {wanted}",
            valid=f"A code such as {domain.codes[0]}=2, or a number, a column 'size' and a table of scenes.",
        )  # fmt: skip
    return _scene(where, size, int(written), scenes), int(written)
