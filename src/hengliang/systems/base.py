"""What must a system do to answer items?

A response may depend on an item's content, spans and attributes and on what is in the system's signature, and on
nothing else: not on the item's id, its gold answer, its place in the batch, or the other items. That is what makes
batches, caches and several processes safe, and the conformance kits try it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar

import polars as pl

from hengliang.bilingual import Bilingual
from hengliang.closure import outside_signatures
from hengliang.errors import UserError
from hengliang.findings import Finding, examine, general_promises
from hengliang.progress import Watcher
from hengliang.records import CONTENT_TYPES, Attribute, ResponseKind
from hengliang.signature import Signature, constructor_signature


def answer_schema(kind: ResponseKind) -> dict[str, pl.DataType]:
    """Return the schema of what `System.answer` gives back."""
    return {"item": pl.String(), "content": CONTENT_TYPES[kind], "status": pl.String(), "reason": pl.String()}


class System(ABC):
    """Somebody who answers: derive from the base class of the kind (`ClassifierChooser`, …), which asks one method."""

    role: ClassVar[str] = "system"
    kind: ClassVar[ResponseKind]
    name: str = ""
    title: Bilingual = Bilingual("", "")
    seed: int | None = None
    batch_size: int = 2000
    looks_at: ClassVar[tuple[str, ...] | None] = None
    """The attributes of items on which an answer may depend; None means all. It is given no others."""

    @abstractmethod
    def answer(self, items: pl.DataFrame) -> pl.DataFrame:
        """Return one row an item (`answer_schema`), in the order of the items; the items come without their gold."""

    def prepare(self, watcher: Watcher) -> None:  # noqa: B027  # most systems are ready as they are
        """Get ready before the first batch: a system that is trained on the spot trains here."""

    def signature(self) -> Signature:
        """Return all that can change an answer: by default the class, its code and the constructor's arguments."""
        return constructor_signature(self)

    def traits(self) -> Mapping[str, Attribute]:
        """Return the properties that analyses may compare systems by (structured, data size, …)."""
        return MappingProxyType({})

    @outside_signatures("a conformance kit tries promises and makes no number")
    def conformance(self) -> Iterator[Finding]:
        """Try the promises of this kind of system on itself; the base class of the kind adds its own."""
        return examine(general_promises(self))


def check_answers(answers: pl.DataFrame, items: pl.DataFrame, system: System) -> pl.DataFrame:
    """Return the answers when there is one for each item, in order and of the right type, else say who is wrong."""
    schema = answer_schema(system.kind)
    for name, dtype in schema.items():
        if answers.schema.get(name) != dtype:
            raise UserError(
                f"The system '{system.name}' returned a table whose column '{name}' is {answers.schema.get(name)}, "
                f"not {dtype}.",
                remedy=f"Mend its method answer, then try: hengliang check {system.name}",
            )
    if answers["item"].to_list() != items["id"].to_list():
        raise UserError(
            f"The system '{system.name}' returned {answers.height} answers for {items.height} items, "
            "or not in the order of the items.",
            remedy=f"Return one row an item, in order, then try: hengliang check {system.name}",
        )
    return answers.select(list(schema))
