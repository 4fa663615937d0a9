"""What must a material do to be put to systems?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

import polars as pl

from hengliang.bilingual import Bilingual
from hengliang.closure import outside_signatures
from hengliang.findings import Finding, examine, general_promises
from hengliang.records import check_items
from hengliang.signature import Signature, constructor_signature


class Material(ABC):
    """A source of items: one method, which returns them all as one table, the same each time."""

    role: ClassVar[str] = "material"
    name: str = ""
    title: Bilingual = Bilingual("", "")
    licence: str = "unclear"
    citation: str = ""

    @abstractmethod
    def items(self) -> pl.DataFrame:
        """Return the item table (`hengliang.records.ITEM_SCHEMA` and attribute columns)."""

    def signature(self) -> Signature:
        """Return all that can change the items: by default the class, its code and the constructor's arguments."""
        return constructor_signature(self)

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return what a reader of the report should know about these items besides their number."""
        return []

    @outside_signatures("a conformance kit tries promises and makes no number")
    def conformance(self) -> Iterator[Finding]:
        """Try the promises of a material on itself."""

        def table_is_right() -> str:
            return "" if check_items(self.items()).height else "there are no items"

        def same_each_time() -> str:
            return "" if self.items().equals(self.items()) else "items() returns another table the second time"

        promises = [("gives a right item table", table_is_right), ("gives the same items each time", same_each_time)]
        return examine([*general_promises(self), *promises])
