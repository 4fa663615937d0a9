"""Which scenes are put to describers and readers?

The thirty scenes of the QTUNA corpus [1] as counts, eighteen of our own for the sizes to which paper 001 turns in its
second experiment (6, 10 and 16; its own scenes are not published), every scene of a size, some drawn at random, or
those of a file. Our own were drawn once, by `varied_scenes` with the seed `SEED`, and stand with the thirty in
`scene_sets.tsv`.

[1] Chen, G., van Deemter, K., Pagliaro, S., Smalbil, L., Lin, C. (2019). QTUNA: A corpus for understanding how speakers
    use quantification. INLG 2019.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.closure import package_data
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.records import Attribute, Item, check_items, items_frame
from hengliang.core.registry import register
from hengliang.core.signature import Signature, code_checksum, digest, file_checksum, version
from hengliang.core.terms import Bilingual
from hengliang.materials.description_files import fault, read_scene_table, rows_without_header
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import Scene, SceneSpace, checked_scene, read_scene, scene_space

NAME = "scenes"
QTUNA, NEW_SIZES, ALL, EVERY, RANDOM = "qtuna", "new sizes", "all", "every", "random"
SETS = (QTUNA, NEW_SIZES, ALL, EVERY, RANDOM)
"""`all` is the first two together; `every` is every scene of the sizes, `random` some of them."""
SEED = 2020
"""With this seed our own scenes were drawn."""

_TABLE = "scene_sets.tsv"


@dataclass(frozen=True, slots=True)
class NumberedScene:
    """A scene, its number among those of its size, and the set it belongs to."""

    collection: str
    number: int
    scene: Scene


@cache
def _table_text() -> str:
    return package_data(__name__, _TABLE).read_text("utf-8")


@cache
def own_scenes() -> tuple[NumberedScene, ...]:
    """Return the scenes of our own table: QTUNA's thirty, then the eighteen of new sizes."""
    rows = [line.split("\t") for line in _table_text().splitlines()[1:]]
    return tuple(
        NumberedScene(collection, int(number), Scene(tuple(map(int, counts))))
        for collection, _, number, *counts in rows
    )


# --- drawing --------------------------------------------------------------------------------------------------------


def varied_scenes(size: int, number: int, seed: int = SEED, domain: Domain = DEFAULT_DOMAIN) -> list[Scene]:
    """Draw scenes of a size that range from a single kind to as many kinds as there can be, none of them twice.

    How many kinds a scene has rises evenly; which they are, and how the things are shared out among them, is drawn.
    """
    drawn = random.Random(f"{seed} {size}")
    most = min(len(domain.kinds), size)
    found: list[Scene] = []
    for place in range(number):
        present = round(1 + (most - 1) * place / max(number - 1, 1))
        scene = next((one for one in _drawn_scenes(drawn, size, present, domain) if one not in found), None)
        if scene is None:
            raise UserError(f"There are too few scenes of {size} things to draw {number} varied ones.")
        found.append(scene)
    return found


def _drawn_scenes(drawn: random.Random, size: int, present: int, domain: Domain, tries: int = 1000) -> Iterator[Scene]:
    for _ in range(tries):
        kinds = drawn.sample(range(len(domain.kinds)), present)
        cuts = [0, *sorted(drawn.sample(range(1, size), present - 1)), size]
        counts = [0] * len(domain.kinds)
        for kind, (start, end) in zip(kinds, pairwise(cuts), strict=True):
            counts[kind] = end - start
        yield Scene(tuple(counts), domain)


def random_scenes(size: int, number: int, seed: int = 1, domain: Domain = DEFAULT_DOMAIN) -> list[Scene]:
    """Draw so many different scenes of a size, each as likely as any other."""
    checked_scene(Scene((size, *(0 for _ in domain.kinds[1:])), domain))
    there = SceneSpace(domain, size).number
    if not 1 <= number <= there:
        raise UserError(
            f"{number} different scenes of {size} things cannot be drawn.", valid=f"1 to {there:,}; all are 'every'."
        )
    drawn = random.Random(f"{seed} {size}")
    if 2 * number > there:  # nearly all of them: drawing until the last is found would take long
        rows = scene_space(domain, size).counts[drawn.sample(range(there), number)]
        return [Scene(tuple(row), domain) for row in rows.tolist()]
    kinds, found = len(domain.kinds), dict[Scene, None]()
    while len(found) < number:
        # Things in a row with a bar between two kinds: every arrangement is one scene, and all are equally likely.
        bars = [-1, *sorted(drawn.sample(range(size + kinds - 1), kinds - 1)), size + kinds - 1]
        found[Scene(tuple(end - start - 1 for start, end in pairwise(bars)), domain)] = None
    return list(found)


# --- the material ---------------------------------------------------------------------------------------------------


@register(NAME)
class Scenes(Material):
    """Scenes, an item each: the content and the gold are the code (BS=2 RC=2), the id names size and number.

    `scenes` is the name of a set (qtuna, new sizes, all, every, random), or a file: a code in each line, or a table
    with the columns size, scene (its number) and a count for each kind. `sizes` keeps some sizes only; `every` and
    `random` need them. `number` says how many scenes of each size are drawn, `seed` which, `table` how a file is read.
    """

    title = Bilingual("Scenes", "场景")
    licence = "counts are facts; our own scenes MIT"
    citation = (
        "Chen, G., van Deemter, K., Pagliaro, S., Smalbil, L., Lin, C. (2019). QTUNA: A corpus for understanding how "
        "speakers use quantification. INLG 2019."
    )

    def __init__(
        self,
        sizes: tuple[int, ...] | None = None,
        scenes: str | Path = ALL,
        domain: Domain = DEFAULT_DOMAIN,
        number: int = 10,
        seed: int = 1,
        name: str = NAME,
        table: TableOptions = AS_RECOGNISED,
    ) -> None:
        self.sizes = sizes
        self.scenes = scenes
        self.domain = domain
        self.number = number
        self.seed = seed
        self.name = name
        self.table = table

    def numbered(self) -> list[NumberedScene]:
        """Return the scenes with their numbers, smaller scenes first."""
        if self.scenes in (EVERY, RANDOM):
            return [one for size in self._wanted_sizes() for one in self._of_size(size)]
        known = self._own() if self.scenes in SETS else read_scenes(Path(self.scenes), self.domain, self.table)
        known = sorted(known, key=_by_size)
        there = list(dict.fromkeys(one.scene.size for one in known))
        strange = next((size for size in self.sizes or () if size not in there), None)
        if strange is not None:
            raise UserError(
                f"There is no scene of size {strange} in '{self.scenes}'.",
                valid=f"Sizes: {', '.join(map(str, there))}.",
                remedy=f"Draw some: scenes('{RANDOM}', sizes=[{strange}]).",
            )
        return [one for one in known if not self.sizes or one.scene.size in self.sizes]

    def _wanted_sizes(self) -> tuple[int, ...]:
        if not self.sizes:
            raise UserError(f"'{self.scenes}' needs a size of scenes.", valid=f"scenes('{self.scenes}', sizes=[4, 9]).")
        return tuple(sorted(set(self.sizes)))

    def _of_size(self, size: int) -> Iterator[NumberedScene]:
        if self.scenes == EVERY:
            space = scene_space(self.domain, size)
            found: Iterable[Scene] = space.scenes(space.everything)
        else:
            found = random_scenes(size, self.number, self.seed, self.domain)
        return (NumberedScene(str(self.scenes), place, scene) for place, scene in enumerate(found, 1))

    def _own(self) -> list[NumberedScene]:
        if self.domain.codes != DEFAULT_DOMAIN.codes:
            raise UserError(
                f"The scenes of '{self.scenes}' are of {DEFAULT_DOMAIN.name}, not of {self.domain.name}.",
                valid=f"'{EVERY}', '{RANDOM}', or a file of scenes.",
            )
        chosen = [one for one in own_scenes() if self.scenes in (ALL, one.collection)]
        return [NumberedScene(one.collection, one.number, Scene(one.scene.counts, self.domain)) for one in chosen]

    def items(self) -> pl.DataFrame:
        """Return one item a scene, with scene_size, scene_number, collection and kinds_present."""
        return check_items(items_frame(_item(one, self.name) for one in self.numbered()))

    def signature(self) -> Signature:
        """Return what can change the items: the set or the file, the sizes, the draw, the domain and the code."""
        named = self.scenes in SETS
        return Signature.of(
            material=self.name,
            code=code_checksum(type(self)),
            scenes=str(self.scenes) if named else file_checksum(Path(self.scenes))[:16],
            table=digest(_table_text()),
            read=None if named else self.table.signature(),
            sizes=" ".join(map(str, self.sizes or ())),
            number=self.number if self.scenes == RANDOM else None,
            seed=self.seed if self.scenes == RANDOM else None,
            domain=self.domain.signature(),
            hengliang=version(),
        )

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return how many scenes there are of each size, and with how many kinds."""

        def counted(column: str) -> str:
            rows = items.group_by(column).len().sort(column).iter_rows()
            return ", ".join(f"{value}: {count:,}" for value, count in rows)

        return [
            (Bilingual("Scenes by size", "各规模的场景数"), counted("scene_size")),
            (Bilingual("Scenes by number of kinds", "各类别数的场景数"), counted("kinds_present")),
        ]


def scenes(
    which: str | Path = ALL,
    sizes: Iterable[int] | None = None,
    *,
    number: int = 10,
    seed: int = 1,
    domain: Domain = DEFAULT_DOMAIN,
    table: TableOptions = AS_RECOGNISED,
) -> Scenes:
    """Return scenes as a material: `scenes("qtuna")`, `scenes("random", sizes=[12], number=20)`, `scenes("my.tsv")`."""
    return Scenes(tuple(sizes) if sizes is not None else None, which, domain, number, seed, table=table)


def read_scenes(
    path: Path, domain: Domain = DEFAULT_DOMAIN, table: TableOptions = AS_RECOGNISED
) -> list[NumberedScene]:
    """Read a file of scenes: a code a line (lines that begin with # are remarks), or a table with a column a kind."""
    if not path.exists():
        raise unknown_name("set of scenes", str(path), SETS, remedy="Nor is there a file of this name.")
    lines = [(number, " ".join(cells).strip()) for number, cells in rows_without_header(path, table)]
    lines = [(number, line) for number, line in lines if not line.startswith("#")]
    if not lines:
        raise UserError(f"{path} holds no scenes.", valid=f"A code in each line: {domain.codes[0]}=2.")
    if "=" not in lines[0][1] and ":" not in lines[0][1]:
        known = read_scene_table(path, domain, table)
        return [NumberedScene(path.stem, number, scene) for (_, number), scene in known.items()]
    found: list[NumberedScene] = []
    seen: dict[Scene, int] = {}
    counts: dict[int, int] = {}
    for number, line in lines:
        try:
            scene = read_scene(line, domain)
        except UserError as error:
            raise fault(f"{path}, line {number}", error.problem.rstrip("."), valid=error.valid) from error
        if scene in seen:
            raise fault(f"{path}, line {number}", f"the scene {scene.code} stands in line {seen[scene]}, too")
        seen[scene] = number
        counts[scene.size] = counts.get(scene.size, 0) + 1
        found.append(NumberedScene(path.stem, counts[scene.size], scene))
    return found


def _by_size(one: NumberedScene) -> tuple[int, int]:
    return (one.scene.size, one.number)


def _item(one: NumberedScene, material: str) -> Item:
    name = f"scene-{one.scene.size}-{one.number}"
    attributes: dict[str, Attribute] = {
        "scene_size": one.scene.size,
        "scene_number": one.number,
        "collection": one.collection,
        "kinds_present": sum(count > 0 for count in one.scene.counts),
    }
    code = one.scene.code
    return Item(name, name, material, f"size {one.scene.size}", code, gold=code, attributes=attributes)
