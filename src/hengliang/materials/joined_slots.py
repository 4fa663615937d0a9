"""What can be learned from several collections of classifier slots at once?"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from hengliang.bilingual import Bilingual
from hengliang.errors import UserError
from hengliang.materials.base import Material
from hengliang.records import check_items
from hengliang.signature import Signature


class JoinedSlots(Material):
    """The items of several materials, one after the other; the attribute `collection` names where an item comes from.

    An attribute that a material lacks is empty there; one that has different types in two of them is left out.
    """

    title = Bilingual("Joined materials", "合并的材料")

    def __init__(self, materials: Sequence[Material], name: str = "") -> None:
        self.materials = tuple(materials)
        self.name = name or " + ".join(material.name for material in self.materials)
        self.licence = "; ".join(dict.fromkeys(material.licence for material in self.materials))

    def items(self) -> pl.DataFrame:
        """Return all items; two materials with an item of the same id cannot be joined."""
        if not self.materials:
            raise UserError("No materials are joined.", valid="At least one material.")
        frames = [material.items() for material in self.materials]
        types: dict[str, set[pl.DataType]] = {}
        for frame in frames:
            for name, dtype in frame.schema.items():
                types.setdefault(name, set()).add(dtype)
        kept = [name for name, found in types.items() if len(found) == 1 and name != "collection"]
        named = [
            frame.select([name for name in kept if name in frame.columns]).with_columns(
                collection=pl.lit(material.name)
            )
            for frame, material in zip(frames, self.materials, strict=True)
        ]
        joined = pl.concat(named, how="diagonal")
        twice = joined.filter(pl.col("id").is_duplicated())
        if twice.height:
            raise UserError(
                f"The item '{twice['id'][0]}' is in two materials of {self.name}.",
                remedy="Join each material once.",
            )
        return check_items(joined.with_columns(material=pl.lit(self.name)))

    def signature(self) -> Signature:
        """Return the signatures of the parts, in order."""
        signature = Signature.of(material="joined")
        for number, material in enumerate(self.materials, 1):
            signature = signature.and_(**{f"part{number}": material.signature()})
        return signature
