"""Which descriptions of scenes are put to readers, and of which scene is each?

A scene becomes a text by a describer, or by somebody who was asked to describe it; the text becomes an item of its own,
with the response that it was made from as its source. Readers see the text and the size of the scene, never the scene.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.records import Item, items_frame, response_id
from hengliang.core.registry import register
from hengliang.core.signature import Signature, code_checksum, version
from hengliang.core.terms import Bilingual
from hengliang.materials.scenes import read_scene
from hengliang.systems.describers.base import Describer

NAME = "described_scenes"
PEOPLE = "Human"
"""What the descriptions that people gave are called, as the paper's tables call them."""


@register(NAME)
class DescribedScenes(Material):
    """One item for each description: its text, the scene as gold answer, the describer as condition.

    `scenes` and `elicited` are materials: scenes with their code as content, and descriptions that people gave, with
    the code of the scene as gold; those of other scenes are left out. Each describer describes each scene once; several
    seeds are several describers of one name. Attributes: pair (the id), scene_size, scene_number, collection; of a
    person subject; of a describer describer_seed, ending, expressions and consistent_scenes.
    """

    name = NAME
    title = Bilingual("Descriptions of scenes", "场景描述")

    def __init__(
        self, scenes: Material | None = None, describers: Sequence[Describer] = (), elicited: Material | None = None
    ) -> None:
        self.scenes = scenes
        self.describers = tuple(describers)
        self.elicited = elicited

    def items(self) -> pl.DataFrame:
        """Return the descriptions, those of one scene together in one set."""
        scenes = self._scenes().items()
        found = [item for one in self._describers() for item in _described(one, scenes)]
        if self.elicited is not None:
            found += _elicited(self.elicited.items(), scenes)
        return items_frame(found)

    def _scenes(self) -> Material:
        from hengliang.materials.scene_sets import scenes

        return self.scenes or scenes()

    def _describers(self) -> tuple[Describer, ...]:
        from hengliang.systems.describers.greedy import Greedy
        from hengliang.systems.describers.incremental import Incremental

        return self.describers or (Incremental(), Greedy())

    def signature(self) -> Signature:
        """Return what can change the descriptions: the scenes, who describes them, and who was asked."""
        signature = Signature.of(
            material=NAME,
            code=code_checksum(type(self)),
            scenes=self._scenes().signature(),
            hengliang=version(),
        )
        for number, one in enumerate(self._describers(), 1):
            signature = signature.and_(**{f"describer{number}": one.signature()})
        return signature if self.elicited is None else signature.and_(elicited=self.elicited.signature())

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return how many descriptions there are by whom, and of how many scenes."""
        counted = items["condition"].value_counts(sort=True).rows()
        sizes = items["scene_size"].unique().sort().to_list()
        return [
            (Bilingual("Scenes", "场景数"), f"{items['set'].n_unique():,}"),
            (Bilingual("Things in a scene", "场景中的物体数"), ", ".join(map(str, sizes))),
            (Bilingual("Descriptions", "描述数"), ", ".join(f"{name} {count:,}" for name, count in counted)),
        ]


def _described(one: Describer, scenes: pl.DataFrame) -> Iterator[Item]:
    rows = list(scenes.iter_rows(named=True))
    said = one.describe([read_scene(row["content"], one.domain) for row in rows])
    for row, description in zip(rows, said, strict=True):
        attributes = {
            "describer_seed": one.seed,
            "ending": description.ending,
            "expressions": len(description.expressions),
            "consistent_scenes": description.left,
        }
        yield _item(f"{one.name}:{one.seed}:{row['id']}", one.name, row, description.text, attributes)


def _elicited(items: pl.DataFrame, scenes: pl.DataFrame) -> Iterator[Item]:
    held = {(row["content"], row["scene_size"]): row for row in scenes.iter_rows(named=True)}
    for row in items.iter_rows(named=True):
        scene = held.get((row["gold"], row["scene_size"]))
        if scene is not None:
            yield _item(f"{PEOPLE}:{row['id']}", PEOPLE, scene, row["content"], {"subject": str(row["subject"])})


def _item(name: str, who: str, scene: Mapping[str, Any], text: str, attributes: Mapping[str, Any]) -> Item:
    held = {key: scene[key] for key in ("scene_size", "scene_number", "collection") if key in scene}
    return Item(
        name,
        scene["id"],
        NAME,
        who,
        text,
        gold=scene["content"],
        source=response_id(scene["id"], "text", text),
        attributes={"pair": name, **held, **attributes},
    )


def described_scenes(
    scenes: Material | None = None, describers: Sequence[Describer] = (), elicited: Material | None = None
) -> DescribedScenes:
    """Return the descriptions of scenes by describers, and by people where they were asked."""
    return DescribedScenes(scenes, describers, elicited)
