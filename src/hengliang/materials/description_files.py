"""How are files of elicited descriptions read, line by line, with their quirks?

Two layouts. That of QTUNA: a file `raw_n=SIZE.txt` for each size of scene, without a header, with id, subject, number
of the scene and text, and a table of the scenes. And a table of one's own with names of columns in the first row. Some
exports percent-encode commas and line ends: a file counts as encoded when every per cent sign in it begins such a
code, so that a *50 % of them* in a plain file stays as it is.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from hengliang.core.io.delimited import ONE_LINE, csv_quoting
from hengliang.errors import UserError, file_errors, unknown_name
from hengliang.materials.plain_text import decoded_lines, open_reading
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


def fault(path: Path, line: int, said: str, *, valid: str = "", remedy: str = "") -> UserError:
    """Return the error for one line of a file."""
    return UserError(f"{path}, line {line}: {said}.", valid=valid, remedy=remedy)


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


def _cleaned(path: Path, line: int, text: str, encoded: bool) -> str:
    try:
        return clean(text, encoded)
    except UnicodeDecodeError as error:
        raise fault(path, line, "its percent codes are no UTF-8", valid="For example %2C for a comma.") from error


# --- scenes ---------------------------------------------------------------------------------------------------------


def read_scene_table(path: Path, domain: Domain) -> Numbered:
    """Read a table of scenes: size, number (`scene`), and a column with the count of each kind (BS, BC, …)."""
    found: dict[tuple[int, int], Scene] = {}
    for line, cells in table_lines(path):
        size = _whole(path, line, cells.get(_size_column(path, cells), ""), "size")
        number = _whole(path, line, cells.get("scene", ""), "number of a scene")
        counts = tuple(_whole(path, line, cells.get(code, ""), f"count of {code}", 0) for code in domain.codes)
        try:
            scene = checked_scene(Scene(counts, domain), size)
        except UserError as error:
            raise fault(path, line, error.problem.rstrip("."), valid=error.valid) from error
        if (size, number) in found:
            raise fault(path, line, f"scene {number} of size {size} stands there twice")
        found[size, number] = scene
    if not found:
        raise UserError(f"{path} holds no scenes.", valid=f"Columns: size, scene, {', '.join(domain.codes)}.")
    return found


def _size_column(path: Path, cells: Mapping[str, str]) -> str:
    named = next((name for name in SIZE_COLUMNS if name in cells), None)
    if named is None:
        raise unknown_name(f"column of {path.name}", SIZE_COLUMNS[0], cells)
    return named


def _whole(path: Path, line: int, text: str, what: str, least: int = 1) -> int:
    if not text.strip().isdecimal() or int(text) < least:
        raise fault(path, line, f"'{text}' is no {what}", valid=f"A whole number from {least}.")
    return int(text)


# --- the layout of QTUNA --------------------------------------------------------------------------------------------


def read_sized_file(path: Path, scenes: Numbered) -> Iterator[DescriptionRow]:
    """Read one file of the layout of QTUNA, whose name tells the size; rows without words are left out."""
    named = SIZED_FILE.fullmatch(path.name)
    if named is None:
        raise UserError(f"The name of {path} does not tell a size of scenes.", valid="For example raw_n=4.txt.")
    size = int(named[1])
    file, encoding, faults = open_reading(path, "utf-8", "raise")
    lines = [(number, text) for number, text in decoded_lines(file, encoding, faults) if text.strip()]
    encoded = is_encoded("\n".join(text for _, text in lines))
    for line, text in lines:
        cells = text.split("\t")
        if len(cells) > 4 or len(cells) < 3:
            raise fault(path, line, f"there are {len(cells)} columns", valid="Four: id, subject, scene, text.")
        key, subject, number = (cell.strip() for cell in cells[:3])
        if not key or not subject:
            raise fault(path, line, f"there is no {'subject' if key else 'id'}", valid="id, subject, scene, text.")
        scene = _scene(path, line, size, _whole(path, line, number, "number of a scene"), scenes)
        words = _cleaned(path, line, cells[3], encoded) if len(cells) == 4 else ""
        if words:
            yield DescriptionRow(f"{size}-{key}", f"{size}-{subject}", scene, int(number), words)


def _scene(path: Path, line: int, size: int, number: int, scenes: Numbered) -> Scene:
    if (size, number) not in scenes:
        known = ", ".join(str(one) for held, one in sorted(scenes) if held == size)
        valid = f"Scenes of size {size}: {known}." if known else f"No scene of size {size} is known."
        raise fault(path, line, f"there is no scene {number} of size {size}", valid=valid)
    return scenes[size, number]


# --- a table of one's own -------------------------------------------------------------------------------------------


def read_own_table(path: Path, domain: Domain, scenes: Numbered | None = None) -> Iterator[DescriptionRow]:
    """Read a table with the columns subject, scene and text; `id` and a size of scenes may be there, too.

    A scene is a code (BS=2 RC=2), or a number that a table of scenes explains together with the size.
    """
    lines = list(table_lines(path))
    encoded = is_encoded("\n".join(cells.get("text", "") for _, cells in lines))
    keys: dict[str, int] = {}
    for place, (line, cells) in enumerate(lines, 1):
        for name in COLUMNS:
            if name not in cells:
                raise unknown_name(f"column of {path.name}", name, cells, remedy=f"Needed: {', '.join(COLUMNS)}.")
        text = _cleaned(path, line, cells["text"], encoded)
        if not text:
            continue
        subject, key = cells["subject"].strip(), cells.get("id", "").strip() or str(place)
        if not subject:
            raise fault(path, line, "there is no subject", valid="Every description has somebody who gave it.")
        if key in keys:
            raise fault(path, line, f"the id '{key}' is used in line {keys[key]}, too", remedy="Give each its own.")
        keys[key] = line
        scene, number = _own_scene(path, line, cells, domain, scenes)
        yield DescriptionRow(key, subject, scene, number, text)


def _own_scene(
    path: Path, line: int, cells: Mapping[str, str], domain: Domain, scenes: Numbered | None
) -> tuple[Scene, int | None]:
    written = cells["scene"].strip()
    sized = next((cells[name].strip() for name in SIZE_COLUMNS if cells.get(name, "").strip()), "")
    size = _whole(path, line, sized, "size") if sized else None
    if not written.isdecimal():
        try:
            return read_scene(written, domain, size), None
        except UserError as error:
            raise fault(path, line, error.problem.rstrip("."), valid=error.valid) from error
    if size is None or scenes is None:
        wanted = "its size" if size is None else "a table of scenes"
        raise fault(
            path, line, f"scene {written} cannot be told without {wanted}",
            valid=f"A code such as {domain.codes[0]}=2, or a number, a column 'size' and a table of scenes.",
        )  # fmt: skip
    return _scene(path, line, size, int(written), scenes), int(written)


def table_lines(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Give the rows of a comma- or tab-separated table with the line on which each begins, cells by column."""
    with file_errors(path, "read"):
        raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise fault(path, line, "it is not UTF-8", remedy="Save the table as UTF-8.") from error
    head = text.lstrip("\r\n").partition("\n")[0]
    tab = max("\t,;", key=head.count)
    # Whoever separates by tabs need not quote, and a stray quotation mark must not swallow the lines after it.
    file = io.StringIO(text, newline="")
    if tab == "\t":
        reader = csv.reader(file, delimiter=tab, quoting=csv.QUOTE_NONE, strict=True)
    else:
        csv_quoting(text, tab, str(path), remedy=ONE_LINE)
        reader = csv.reader(file, delimiter=tab, strict=True)
    header: list[str] = []
    before = 0
    try:
        for cells in reader:
            line, before = before + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if header:
                yield line, _named(path, line, header, cells)
            else:
                header = [cell.strip() for cell in cells]
    except csv.Error as error:
        raise fault(path, before + 1, f"a quotation mark is amiss ({error})") from error


def _named(path: Path, line: int, header: Sequence[str], cells: Sequence[str]) -> Mapping[str, str]:
    if len(cells) > len(header):
        raise fault(
            path, line, f"there are {len(cells)} cells under {len(header)} names of columns",
            remedy="Quote a text that holds the separator.",
        )  # fmt: skip
    return dict(zip(header, [*cells, *[""] * (len(header) - len(cells))], strict=True))
