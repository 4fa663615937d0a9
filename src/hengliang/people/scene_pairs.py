"""Which descriptions of which scenes are put to readers or experts?

A pair is a scene and one description of it. Pairs come from a file, with a row each:

describer   who wrote the description
scene       the counts of kinds: BS=2 RC=2
text        the description
scene_size  how many things the scene holds; it is checked against the counts
pair        what the pair is called; without it, DESCRIBER:SCENE

`hengliang scenes describe --out pairs.csv` (or --json) writes such a table; other columns are left alone. Or pairs are
made: every scene with one description by each describer, and by a person drawn from all who described it.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.io.tables import read_user_table
from hengliang.core.signature import digest
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import Scene, read_scene
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


def read_pairs(
    path: Path, domain: Domain = DEFAULT_DOMAIN, table: TableOptions = AS_RECOGNISED
) -> tuple[ScenePair, ...]:
    """Read the pairs in a table, or say which line is wrong."""
    rows = read_user_table(path, table, what="pair")
    missing = [name for name in NEEDED if name not in rows.columns]
    if missing:
        raise UserError(
            f"{path} has no column '{missing[0]}'; it has: {', '.join(rows.columns)}.",
            valid=f"The columns {', '.join(NEEDED)}, and perhaps scene_size and pair.",
            remedy='hengliang scenes describe "BS=2 RC=2" --out pairs.csv writes such a table.',
        )
    lines: dict[str, str] = {}
    found: list[ScenePair] = []
    for number, row in rows:
        where = rows.where(number)
        pair = _pair(where, row, domain)
        if pair.id in lines:
            raise UserError(
                f"{where}: the pair '{pair.id}' is there already ({lines[pair.id]}).",
                remedy="Give every row a name of its own in the column pair.",
            )
        lines[pair.id] = where
        found.append(pair)
    return tuple(found)


def _pair(where: str, row: Mapping[str, str], domain: Domain) -> ScenePair:
    cells = {name: unicodedata.normalize("NFC", cell.strip()) for name, cell in row.items()}
    for name in NEEDED:
        if not cells[name]:
            raise UserError(f"{where}: the column '{name}' is empty.")
    text = cells["text"]
    wrong = next((sign for sign in text if unicodedata.category(sign) == "Cc" and sign not in "\n\t"), None)
    if wrong is not None or len(text) > LONGEST_TEXT:
        what = f"is longer than {LONGEST_TEXT} characters" if wrong is None else f"holds a control character: {wrong!r}"
        raise UserError(f"{where}: the column 'text' {what}.")
    try:
        scene = read_scene(cells["scene"], domain, _size(where, cells.get("scene_size", "")))
    except UserError as error:
        raise UserError(f"{where}: {error.problem}", valid=error.valid, remedy=error.remedy) from error
    return ScenePair(cells.get("pair") or f"{cells['describer']}:{scene.code}", cells["describer"], scene, text)


def _size(where: str, cell: str) -> int | None:
    if cell and not cell.isdecimal():
        raise UserError(f"{where}: the column 'scene_size' is {cell!r}.", valid="A whole number.")
    return int(cell) if cell else None


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
