"""Which small study do the tests of the flow share?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from hengliang import Bilingual, Item, Material, Span
from hengliang.classifiers import ClassifierChooser
from hengliang.core import Choice, items_frame

# Sentences of our own: before the slot, after it, head noun, the classifier we would write.
SENTENCES = (
    ("桌上有三", "书。", "书", "本"),
    ("门口停着一", "车。", "车", "辆"),
    ("他有两", "朋友。", "朋友", "个"),
    ("河里有一", "鱼。", "鱼", "条"),
    ("我想买五", "苹果。", "苹果", "个"),
    ("天上有一", "鸟。", "鸟", "只"),
)


class Sentences(Material):
    """Six slots of our own in three blocks."""

    title = Bilingual("six sentences", "六个句子")
    licence = "our own"

    def __init__(self, copies: int = 1, name: str = "sentences") -> None:
        self.copies = copies
        self.name = name

    def items(self) -> pl.DataFrame:
        """Return the slots, `copies` times under other ids."""
        return items_frame(
            Item(
                id=f"{self.name}-{copy}-{number}",
                set=f"{self.name}-{copy}-{number}",
                material=self.name,
                condition="",
                content=before + after,
                spans=(Span("slot", len(before.encode()), len(before.encode())),),
                gold=classifier,
                attributes={"head": noun, "block": number // 2, "copy": copy},
            )
            for copy in range(self.copies)
            for number, (before, after, noun, classifier) in enumerate(SENTENCES)
        )


class ByTable(ClassifierChooser):
    """Chooses by a little table, and counts its calls in a file, so that tests can see what was done again."""

    title = Bilingual("by table", "按表")

    def __init__(
        self, name: str = "by table", log: str = "", breaks_on: str = "", wrong: bool = False, batch_size: int = 2
    ) -> None:
        self.name = name
        self.log = log
        self.breaks_on = breaks_on
        self.wrong = wrong
        self.batch_size = batch_size

    def choose(self, slots: pl.DataFrame) -> Sequence[Sequence[Choice]]:
        """Return a ranking a slot; break where we are told to."""
        if self.log:
            with Path(self.log).open("a") as stream:
                stream.write(f"{slots.height}\n")
        if self.breaks_on and self.breaks_on in slots["noun"].to_list():
            raise RuntimeError(f"cannot do {self.breaks_on}")
        table = {"书": "本", "车": "辆", "鱼": "条"}
        return [[Choice("只" if self.wrong else table.get(noun, "个"), 1.0)] for noun in slots["noun"]]
