"""What did people say when they were asked to describe a scene?

The descriptions of the QTUNA corpus [1], or those of a folder or file of one's own. Each is an item: its words are the
content, the code of the scene that was described is the gold, and all descriptions of one scene make a set. Subjects
are told apart by size of scene, since QTUNA numbers them anew for each: 4-1 and 9-1 are two people. What QTUNA's
thirty scenes hold comes with the program, for its repository has them as drawings only.

[1] Chen, G., van Deemter, K., Pagliaro, S., Smalbil, L., Lin, C. (2019). QTUNA: A corpus for understanding how speakers
    use quantification. INLG 2019.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError
from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.records import Item, check_items, items_frame
from hengliang.core.registry import register
from hengliang.core.signature import Signature, code_checksum, digest, file_checksum, version
from hengliang.core.terms import Bilingual
from hengliang.corpora import catalogue as sources
from hengliang.materials.description_files import (
    SCENES_FILE,
    SIZED_FILE,
    DescriptionRow,
    Numbered,
    read_own_table,
    read_scene_table,
    read_sized_file,
)
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scene_sets import QTUNA, own_scenes

NAME = "elicited_descriptions"
CORPUS = "qtuna"
SCHEMA: dict[str, pl.DataType] = {
    "description_id": pl.String(),
    "subject": pl.String(),
    "scene_number": pl.Int64(),
    "scene_size": pl.Int64(),
    "scene": pl.String(),
    "text": pl.String(),
}
"""The columns of a table of descriptions."""


def description_paths(path: str | Path = CORPUS, scenes: str | Path | None = None) -> tuple[list[Path], Path | None]:
    """Return the files of descriptions, and the table of their scenes if there is one; QTUNA's own scenes need none."""
    place = Path(path)
    if str(path) == CORPUS and not place.exists():
        held = [file for file in sources.source(CORPUS).files if SIZED_FILE.search(file.path)]
        files = [sources.locate(CORPUS, file.path) for file in held]
        return files, Path(scenes) if scenes else None
    if place.is_dir():
        files = [file for file in place.iterdir() if SIZED_FILE.fullmatch(file.name)]
        if not files:
            raise UserError(f"{place} holds no descriptions.", valid=f"raw_n=4.txt and the like, and {SCENES_FILE}.")
        table = Path(scenes) if scenes else place / SCENES_FILE
        return sorted(files, key=_size_of), table if scenes or table.is_file() else None
    if not place.exists():
        raise UserError(
            f"There is no file or folder {place}.",
            valid=f"'{CORPUS}', a folder in its layout, or a table with the columns subject, scene and text.",
            remedy=f"Get the corpus: hengliang data get {CORPUS}",
        )
    return [place], Path(scenes) if scenes else None


def _size_of(file: Path) -> int:
    named = SIZED_FILE.fullmatch(file.name)
    return int(named[1]) if named else 0


def read_descriptions(
    path: str | Path = CORPUS,
    *,
    scenes: str | Path | None = None,
    domain: Domain = DEFAULT_DOMAIN,
    table: TableOptions = AS_RECOGNISED,
) -> pl.DataFrame:
    """Read descriptions of scenes: description_id, subject, scene_number, scene_size, scene (its code) and text.

    `path` is "qtuna" (the catalogue's), a folder in its layout, or a table with the columns subject, scene and text; in
    such a table a scene is a code (BS=2 RC=2), or a number that the table `scenes` explains. Rows without words are
    left out. Scenes without a number get one within their size, in the order in which they come. `table` says how
    the files are read.
    """
    files, numbered = description_paths(path, scenes)
    known = read_scene_table(numbered, domain, table) if numbered is not None else None
    rows: list[DescriptionRow] = []
    for file in files:
        if SIZED_FILE.fullmatch(file.name):
            rows += read_sized_file(file, corpus_scenes() if known is None else known, table)
        else:
            rows += read_own_table(file, domain, known, table)
    if not rows:
        raise UserError(f"{path} holds no descriptions.", remedy="Check that it is the right file.")
    return descriptions_frame(rows, dataset_name(path))


def corpus_scenes() -> Numbered:
    """Return the thirty scenes of QTUNA by size and number."""
    return {(one.scene.size, one.number): one.scene for one in own_scenes() if one.collection == QTUNA}


def dataset_name(path: str | Path) -> str:
    """Return what a set of descriptions is called in ids: the name of the corpus, the folder or the file."""
    return Path(path).stem if str(path) != CORPUS else CORPUS


def descriptions_frame(rows: Iterable[DescriptionRow], dataset: str) -> pl.DataFrame:
    """Return the table of descriptions."""
    numbers: dict[tuple[int, str], int] = {}
    counts: dict[int, int] = {}
    found = []
    for row in rows:
        key = (row.scene.size, row.scene.code)
        if row.number is None and key not in numbers:
            counts[row.scene.size] = counts.get(row.scene.size, 0) + 1
            numbers[key] = counts[row.scene.size]
        number = numbers[key] if row.number is None else row.number
        found.append((f"{dataset}-{row.key}", row.subject, number, row.scene.size, row.scene.code, row.text))
    return pl.DataFrame(found, schema=SCHEMA, orient="row")


@register(NAME)
class ElicitedDescriptions(Material):
    """Descriptions of scenes, an item each: content the words, gold the code of the scene, set size and scene.

    `path`, `scenes` and `table` are those of `read_descriptions`; `sizes` keeps the scenes of some sizes only.
    """

    title = Bilingual("Elicited descriptions of scenes", "受试者对场景的描述")
    licence = "unclear"
    citation = sources.source(CORPUS).citation

    def __init__(
        self,
        path: str | Path = CORPUS,
        scenes: str | Path | None = None,
        sizes: tuple[int, ...] = (),
        domain: Domain = DEFAULT_DOMAIN,
        name: str = NAME,
        table: TableOptions = AS_RECOGNISED,
    ) -> None:
        self.path = path
        self.scenes = scenes
        self.sizes = sizes
        self.domain = domain
        self.name = name
        self.table = table

    def frame(self) -> pl.DataFrame:
        """Return the table of descriptions (`SCHEMA`)."""
        held = read_descriptions(self.path, scenes=self.scenes, domain=self.domain, table=self.table)
        if not self.sizes:
            return held
        known = held["scene_size"].unique().sort().to_list()
        strange = next((size for size in self.sizes if size not in known), None)
        if strange is not None:
            raise UserError(f"No scene of size {strange} was described.", valid=f"Sizes: {', '.join(map(str, known))}.")
        return held.filter(pl.col("scene_size").is_in(list(self.sizes)))

    def items(self) -> pl.DataFrame:
        """Return one item a description, with scene_size, scene_number and subject."""
        rows = self.frame().iter_rows(named=True)
        return check_items(items_frame(_item(row, self.name) for row in rows))

    def signature(self) -> Signature:
        """Return what can change the items: the files, the scenes, the sizes and the code that reads."""
        files, scenes = description_paths(self.path, self.scenes)
        return Signature.of(
            material=self.name,
            code=code_checksum(type(self)),
            files=digest(*(file_checksum(file) for file in files)),
            scenes=file_checksum(scenes) if scenes is not None else "of the program, or in the file",
            table=self.table.signature(),
            sizes=" ".join(map(str, self.sizes)),
            domain=digest(repr(self.domain)),
            hengliang=version(),
        )

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return how many descriptions there are of each size, and of how many subjects and scenes."""
        sizes = items.group_by("scene_size").len().sort("scene_size").iter_rows()
        subjects = items.group_by("scene_size").agg(pl.col("subject").n_unique()).sort("scene_size").iter_rows()
        return [
            (Bilingual("Descriptions by size", "各规模的描述数"), _by_size(sizes)),
            (Bilingual("Subjects by size", "各规模的受试人数"), _by_size(subjects)),
            (Bilingual("Scenes", "场景数"), f"{items['set'].n_unique()}"),
        ]


def _by_size(rows: Iterable[tuple[int, int]]) -> str:
    return ", ".join(f"{size}: {count:,}" for size, count in rows)


def _item(row: dict[str, str | int], material: str) -> Item:
    size, number = int(row["scene_size"]), int(row["scene_number"])
    return Item(
        str(row["description_id"]),
        f"{size}-{number}",
        material,
        f"size {size}",
        str(row["text"]),
        gold=str(row["scene"]),
        attributes={"scene_size": size, "scene_number": number, "subject": str(row["subject"])},
    )


def descriptions_of_items(items: pl.DataFrame) -> pl.DataFrame:
    """Return the table of descriptions that items of this material hold."""
    return items.select(
        "subject", "scene_number", "scene_size", description_id="id", scene="gold", text="content"
    ).select(list(SCHEMA))


def elicited_descriptions(
    path: str | Path = CORPUS,
    *,
    scenes: str | Path | None = None,
    sizes: Iterable[int] = (),
    name: str = NAME,
    table: TableOptions = AS_RECOGNISED,
) -> ElicitedDescriptions:
    """Take the descriptions of QTUNA, of a folder in its layout, or of a table of your own."""
    return ElicitedDescriptions(path, scenes, tuple(sizes), name=name, table=table)
