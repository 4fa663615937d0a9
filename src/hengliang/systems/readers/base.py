"""What must a system do to reconstruct scenes from their descriptions?

It answers one question: how many things of each kind does the scene hold that this text describes, when the scene has
so many things? A reader that does not understand says so: no answer is missing with a reason, and never a guess.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from hengliang.core.base_classes import System, answer_schema
from hengliang.core.closure import outside_signatures
from hengliang.core.conformance import Finding, examine, general_promises
from hengliang.core.errors import UserError
from hengliang.core.records import ResponseKind
from hengliang.core.registry import make
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import LARGEST_SCENE, Scene

SIZE = "scene_size"
"""The attribute of an item that tells how many things its scene holds."""


@dataclass(frozen=True, slots=True)
class ReadText:
    """A description, and how many things the scene holds that it describes."""

    text: str
    size: int


@dataclass(frozen=True, slots=True)
class ReadScene:
    """What a reader makes of a description: a scene, or the reason why there is none."""

    scene: Scene | None
    reason: str = ""


class Reader(System):
    """A system that reconstructs scenes: derive from it, write `read`, and everything else follows.

    The content of an item is the description; its attribute `scene_size` says how many things the scene holds. A
    reader's response is a count for each kind of its domain, by the names of kinds that people's answers have too.
    """

    role: ClassVar[str] = "reader"
    kind: ClassVar[ResponseKind] = "counts"
    looks_at: ClassVar[tuple[str, ...] | None] = (SIZE,)
    domain: Domain = DEFAULT_DOMAIN

    @abstractmethod
    def read(self, descriptions: Sequence[ReadText]) -> list[ReadScene]:
        """Return a scene for each description, in their order, or why there is none."""

    def answer(self, items: pl.DataFrame) -> pl.DataFrame:
        """Return the counts of each item; without a usable size it fails, and what is not understood is missing."""
        asked = list(zip(items["content"].to_list(), _sizes(items), strict=True))
        texts = list(dict.fromkeys(ReadText(text, size) for text, size in asked if isinstance(size, int)))
        found = dict(zip(texts, self._read(texts), strict=True))
        rows = [_row(found[ReadText(text, size)]) if isinstance(size, int) else _failed(size) for text, size in asked]
        columns = {name: [row[name] for row in rows] for name in ("content", "status", "reason")}
        return pl.DataFrame({"item": items["id"].to_list(), **columns}, schema=answer_schema("counts"))

    def _read(self, texts: list[ReadText]) -> list[ReadScene]:
        """Return one checked scene a text."""
        scenes = self.read(texts) if texts else []
        if len(scenes) != len(texts):
            raise UserError(
                f"The reader '{self.name}' returned {len(scenes)} scenes for {len(texts)} descriptions.",
                remedy=f"Return one a description, in order, then try: hengliang check '{self.name}'",
            )
        return [_checked(self, text, scene) for text, scene in zip(texts, scenes, strict=True)]

    @outside_signatures("a conformance kit tries promises and makes no number")
    def conformance(self) -> Iterator[Finding]:
        """Try the promises of a reader on itself."""
        from hengliang.systems.readers.conformance import reader_promises

        return examine([*general_promises(self), *reader_promises(self)])


Row = dict[str, object]


def _row(read: ReadScene) -> Row:
    if read.scene is None:
        return {"content": None, "status": "missing", "reason": read.reason}
    names = read.scene.domain.kind_names
    counts = [{"kind": name, "count": count} for name, count in zip(names, read.scene.counts, strict=True)]
    return {"content": counts, "status": "ok", "reason": ""}


def _failed(reason: str) -> Row:
    return {"content": None, "status": "failed", "reason": reason}


def _checked(reader: Reader, text: ReadText, read: ReadScene) -> ReadScene:
    """Return what was read when it is a scene of the right size or a reason, else say who is wrong."""
    remedy = f"Mend its method read, then try: hengliang check '{reader.name}'"
    if read.scene is None:
        if not read.reason:
            raise UserError(f"The reader '{reader.name}' gave neither a scene nor a reason.", remedy=remedy)
        return read
    counts = read.scene.counts
    if len(counts) != len(read.scene.domain.kinds) or min(counts) < 0 or sum(counts) != text.size:
        raise UserError(
            f"The reader '{reader.name}' named the counts {counts} for a scene of {text.size} things.",
            valid=f"{len(read.scene.domain.kinds)} counts from 0 that add up to {text.size}.",
            remedy=remedy,
        )
    return read


def _sizes(items: pl.DataFrame) -> list[int | str]:
    """Return the size of each item's scene, or what is wrong with it."""
    if SIZE not in items.columns:
        return [f"the item does not say how many things the scene holds: it has no attribute {SIZE}"] * items.height
    return [_size(value) for value in items[SIZE].to_list()]


def _size(value: object) -> int | str:
    if value is None:
        return f"the item does not say how many things the scene holds: its {SIZE} is empty"
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= LARGEST_SCENE:
        return f"{value!r} is no {SIZE}: a whole number from 1 to {LARGEST_SCENE} is wanted"
    return number


def reader(name: str, /, **options: object) -> Reader:
    """Return the reader of this name, ours or a plug-in's, made with these options.

    >>> reader("MODEL READER", seed=3).seed
    3
    """
    return make("reader", name, Reader, options)
