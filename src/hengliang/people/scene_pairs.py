"""Which descriptions of which scenes are put to readers or experts?

A pair is a scene and one description of it. Pairs come from a file, with a row each:

describer   who wrote the description
scene       the counts of kinds: BS=2 RC=2
text        the description
scene_size  how many things the scene holds; it is checked against the counts
pair        what the pair is called; without it, DESCRIBER:SCENE

`hengliang scenes describe --out pairs.csv` (or --json) writes such a file; other columns are left alone. Or pairs are
made: every scene with one description by each describer, and by a person drawn from all who described it.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from hengliang.errors import UserError, file_errors
from hengliang.files import read_json, read_table
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import Scene, read_scene
from hengliang.people.design.delimited_rows import SEPARATORS, delimited_rows
from hengliang.signature import digest
from hengliang.systems.describers.base import Describer
from hengliang.systems.describers.described_scenes import PEOPLE

PAIR_SCHEMA: dict[str, pl.DataType] = {
    "pair": pl.String(),
    "describer": pl.String(),
    "scene": pl.String(),
    "scene_size": pl.Int64(),
    "text": pl.String(),
}
NEEDED = ("describer", "scene", "text")
FORMS = (*SEPARATORS, ".json", ".jsonl", ".parquet")
LONGEST_TEXT = 2000


@dataclass(frozen=True, slots=True)
class ScenePair:
    """A scene and one description of it."""

    id: str
    describer: str
    scene: Scene
    text: str

    @property
    def about(self) -> str:
        """What its stimulus is called on pages and in tables: a hash, for the id may tell the scene."""
        return digest("pair", self.id, self.scene.code, self.text)


def pairs_frame(pairs: Iterable[ScenePair]) -> pl.DataFrame:
    """Return the table of the pairs."""
    rows = [(pair.id, pair.describer, pair.scene.code, pair.scene.size, pair.text) for pair in pairs]
    return pl.DataFrame(rows, schema=PAIR_SCHEMA, orient="row")


# --- from a file ------------------------------------------------------------------------------------------------------


def read_pairs(path: Path, domain: Domain = DEFAULT_DOMAIN) -> tuple[ScenePair, ...]:
    """Read pairs from a .csv, .tsv, .json, .jsonl or .parquet file, or say which line is wrong."""
    lines: dict[str, str] = {}
    found: list[ScenePair] = []
    for where, row in _rows(path):
        pair = _pair(where, row, domain)
        if pair.id in lines:
            raise UserError(
                f"{where}: the pair '{pair.id}' is there already ({lines[pair.id]}).",
                remedy="Give every row a name of its own in the column pair.",
            )
        lines[pair.id] = where
        found.append(pair)
    if not found:
        raise UserError(f"{path} holds no pairs.", valid=f"Rows with {', '.join(NEEDED)}.")
    return tuple(found)


def _rows(path: Path) -> Iterable[tuple[str, Mapping[str, Any]]]:
    suffix = path.suffix.lower()
    if suffix in SEPARATORS:
        columns, rows = delimited_rows(path)
        _check_columns(path, columns)
        return [(f"{path}, line {line}", row) for line, row in rows]
    if suffix == ".parquet":
        frame = read_table(path)
        _check_columns(path, frame.columns)
        return [(f"{path}, row {number}", row) for number, row in enumerate(frame.iter_rows(named=True), 1)]
    if suffix == ".json":
        held = read_json(path)
        rows_held = held.get("descriptions") if isinstance(held, dict) else held
        if not isinstance(rows_held, list):
            raise UserError(f"{path} is no list of pairs.", valid='[{"describer": …, "scene": …, "text": …}, …]')
        return [(f"{path}, entry {number}", _object(path, number, row)) for number, row in enumerate(rows_held, 1)]
    if suffix == ".jsonl":
        return _json_lines(path)
    raise UserError(f"{path} is no table of pairs.", valid=f"A file that ends in {', '.join(FORMS)}.")


def _json_lines(path: Path) -> list[tuple[str, Mapping[str, Any]]]:
    with file_errors(path, "read"):
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                held = json.loads(line)
            except ValueError as error:
                raise UserError(f"{path}, line {number}: this is no JSON: {error}.") from error
            found.append((f"{path}, line {number}", _object(path, number, held)))
    return found


def _object(path: Path, number: int, row: Any) -> Mapping[str, Any]:
    if not isinstance(row, Mapping):
        raise UserError(f"{path}, entry {number} is {row!r}.", valid=f"An object with {', '.join(NEEDED)}.")
    return row


def _check_columns(path: Path, columns: Sequence[str]) -> None:
    missing = [name for name in NEEDED if name not in columns]
    if missing:
        raise UserError(
            f"{path} has no column '{missing[0]}'; it has: {', '.join(columns) or 'none'}.",
            valid=f"The columns {', '.join(NEEDED)}, and perhaps scene_size and pair.",
            remedy='hengliang scenes describe "BS=2 RC=2" --out pairs.csv writes such a table.',
        )


def _pair(where: str, row: Mapping[str, Any], domain: Domain) -> ScenePair:
    told = {}
    for name in NEEDED:
        value = row.get(name)
        if not isinstance(value, str) or not value.strip():
            raise UserError(f"{where}: the column '{name}' is {'empty' if value in (None, '') else repr(value)}.")
        told[name] = unicodedata.normalize("NFC", value.strip())
    wrong = next((sign for sign in told["text"] if unicodedata.category(sign) == "Cc" and sign not in "\n\t"), None)
    if wrong is not None or len(told["text"]) > LONGEST_TEXT:
        what = f"is longer than {LONGEST_TEXT} characters" if wrong is None else f"holds a control character: {wrong!r}"
        raise UserError(f"{where}: the column 'text' {what}.")
    try:
        scene = read_scene(told["scene"], domain, _size(where, row))
    except UserError as error:
        raise UserError(f"{where}: {error.problem}", valid=error.valid, remedy=error.remedy) from error
    named = row.get("pair")
    id = str(named).strip() if named not in (None, "") else f"{told['describer']}:{scene.code}"
    return ScenePair(id, told["describer"], scene, told["text"])


def _size(where: str, row: Mapping[str, Any]) -> int | None:
    value = row.get("scene_size")
    if value in (None, ""):
        return None
    if isinstance(value, bool) or not str(value).strip().isdecimal():
        raise UserError(f"{where}: the column 'scene_size' is {value!r}.", valid="A whole number.")
    return int(str(value))


# --- made -------------------------------------------------------------------------------------------------------------


def make_pairs(
    scenes: Sequence[Scene],
    describers: Sequence[Describer],
    descriptions: pl.DataFrame | None = None,
    seed: int = 1,
) -> tuple[ScenePair, ...]:
    """Return every scene with one description by each describer, and by a person where `descriptions` has some.

    `descriptions` is a table as `read_descriptions` returns it. Which of a scene's is taken is drawn by the seed and
    the scene; a scene that nobody described is refused.
    """
    twice = _twice(scene.code for scene in scenes)
    if twice is not None:
        raise UserError(f"The scene {twice} is there twice.", valid="Each scene once.")
    names = [*([PEOPLE] if descriptions is not None else []), *(one.name for one in describers)]
    namesakes = _twice(names)
    if namesakes is not None:
        raise UserError(
            f"Two describers are called '{namesakes}', so that their pairs would be too.",
            valid=f"A name of its own for each describer{f'; {PEOPLE} are the people' if PEOPLE in names else ''}.",
            remedy=f'Give one of them another: name="{namesakes} 2"',
        )
    by_scene: dict[str, list[ScenePair]] = {scene.code: [] for scene in scenes}
    if descriptions is not None:
        for scene in scenes:
            by_scene[scene.code].append(_by_a_person(scene, descriptions, seed))
    for one in describers:
        for scene, said in zip(scenes, one.describe(scenes), strict=True):
            by_scene[scene.code].append(ScenePair(f"{one.name}:{scene.code}", one.name, scene, said.text))
    return tuple(pair for scene in sorted(scenes, key=_by_size) for pair in by_scene[scene.code])


def _twice(names: Iterable[str]) -> str | None:
    """Return the first of the names that occur more than once."""
    return next((name for name, times in Counter(names).items() if times > 1), None)


def _by_size(scene: Scene) -> int:
    return scene.size


def _by_a_person(scene: Scene, descriptions: pl.DataFrame, seed: int) -> ScenePair:
    held = descriptions.filter(scene=scene.code, scene_size=scene.size).sort("description_id")
    if not held.height:
        raise UserError(
            f"Nobody described the scene {scene.code}.",
            valid="Scenes of the descriptions, or descriptions of all scenes.",
        )
    keys = [digest(str(seed), "drawn", name) for name in held["description_id"].to_list()]
    text = held["text"][keys.index(min(keys))]
    return ScenePair(f"{PEOPLE}:{scene.code}", PEOPLE, scene, unicodedata.normalize("NFC", text.strip()))
