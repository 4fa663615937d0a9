"""How do results grow with the amount of material?

A portion is a random share of a material's items. Portions with the same seed are nested: what is in the smaller one
is in every larger one, so that a learning curve changes one thing at a time. Whole blocks are drawn where the items
have an attribute `block`, since a block holds neighbouring text; else all items of one sentence go together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError
from hengliang.core.registry import register
from hengliang.core.signature import Signature, code_checksum, number_of
from hengliang.core.terms import Bilingual
from hengliang.materials.classifier_slots import classifier_slots

NAME = "portion"


@register(NAME)
class Portion(Material):
    """A random share of a material, from above 0 to 1; without one, of the train part of the default corpus.

    The units (blocks, or sentences) are put into an order by a hash of `seed` and the unit, and are taken from its
    start until the items are at least `share` of all; so the share is met up to one unit.
    """

    name = NAME
    title = Bilingual("Portion of a material", "材料的一部分")

    def __init__(self, material: Material | None = None, share: float = 0.5, seed: int = 0) -> None:
        self.material = material
        self.share = share
        self.seed = seed

    def items(self) -> pl.DataFrame:
        """Return the items of the share, in the order of the material."""
        if not 0 < self.share <= 1:
            raise UserError(f"A share of {self.share} was asked for.", valid="A share is more than 0 and at most 1.")
        items = self._material().items()
        units = items["block"].cast(pl.String) if "block" in items.columns else items["content"]
        return items.filter(pl.Series(_chosen(units.to_list(), self.share, self.seed), dtype=pl.Boolean))

    def _material(self) -> Material:
        return self.material if self.material is not None else classifier_slots("train")

    def signature(self) -> Signature:
        """Return what can change the items: the material, the share and the seed."""
        return Signature.of(
            material=NAME,
            of=self._material().signature(),
            share=self.share,
            seed=self.seed,
            code=code_checksum(type(self)),
        )

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return the share, the seed, and what is known of the material."""
        return [
            (Bilingual("Share of the material", "所取比例"), f"{self.share:.1%}"),
            (Bilingual("Seed of the share", "抽取种子"), str(self.seed)),
            *self._material().facts(items),
        ]


def portion(material: Material, share: float = 0.5, seed: int = 0) -> Portion:
    """Return a random share of a material; shares with the same seed are nested."""
    return Portion(material, share, seed)


def _chosen(units: Sequence[str | None], share: float, seed: int) -> list[bool]:
    """Say of each item whether its unit is among the first that make up the share."""
    places: dict[str, int] = {}
    place_of = np.array([places.setdefault(unit or "", len(places)) for unit in units], np.int64)
    sizes = np.bincount(place_of, minlength=len(places))
    order = np.argsort(np.array([number_of(f"{seed} {unit}") for unit in places], np.uint64), kind="stable")
    before = np.cumsum(sizes[order]) - sizes[order]
    taken = np.zeros(len(places), np.bool_)
    # A unit is taken as long as those before it fall short; the allowance is for shares such as 0.1 + 0.2.
    taken[order] = before < share * len(units) - 1e-9
    found: list[bool] = taken[place_of].tolist()
    return found
