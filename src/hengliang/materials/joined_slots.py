"""What can be learned from several collections of classifier slots at once?"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError
from hengliang.core.records import check_items
from hengliang.core.signature import Signature
from hengliang.core.terms import Bilingual


class JoinedSlots(Material):
    """The items of several materials, one after the other; the attribute `collection` names where an item comes from.

    `collections` are other names for the materials. An id that an earlier material has already gets a number: id~2.
    An attribute that a material lacks is empty there; one that has different types in two of them is left out.
    """

    title = Bilingual("Joined materials", "合并的材料")

    def __init__(self, materials: Sequence[Material], name: str = "", collections: Sequence[str] = ()) -> None:
        self.materials = tuple(materials)
        self.collections = tuple(collections) or tuple(material.name for material in self.materials)
        self.name = name or " + ".join(material.name for material in self.materials)
        self.licence = "; ".join(dict.fromkeys(material.licence for material in self.materials))

    def items(self) -> pl.DataFrame:
        """Return all items, in the order of the materials."""
        if not self.materials or len(self.collections) != len(self.materials):
            raise UserError(
                f"{len(self.materials)} materials are joined, with {len(self.collections)} names.",
                valid="At least one material, and one name each.",
            )
        frames = [material.items() for material in self.materials]
        types: dict[str, set[pl.DataType]] = {}
        for frame in frames:
            for name, dtype in frame.schema.items():
                types.setdefault(name, set()).add(dtype)
        kept = [name for name, found in types.items() if len(found) == 1 and name != "collection"]
        named = [
            frame.select([name for name in kept if name in frame.columns]).with_columns(collection=pl.lit(collection))
            for frame, collection in zip(frames, self.collections, strict=True)
        ]
        joined = pl.concat(named, how="diagonal")
        number = pl.int_range(1, pl.len() + 1).over("id")
        joined = joined.with_columns(
            id=pl.when(number > 1).then(pl.format("{}~{}", "id", number)).otherwise("id"), material=pl.lit(self.name)
        )
        return check_items(joined)

    def signature(self) -> Signature:
        """Return the signatures of the parts, in order."""
        signature = Signature.of(material="joined", name=self.name, collections=" | ".join(self.collections))
        for number, material in enumerate(self.materials, 1):
            signature = signature.and_(**{f"part{number}": material.signature()})
        return signature
