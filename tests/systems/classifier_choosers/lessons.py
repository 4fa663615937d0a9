"""Which small training data and slots do the tests of classifier choosers share?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

import polars as pl

from hengliang import Material
from hengliang.core import CONTENT_TYPES
from hengliang.systems.classifier_choosers.conformance import slot_items

# Our own training data: noun, classifier, how often.
TRAINING = [
    ("书", "本", 3),
    ("书", "部", 1),
    ("马", "匹", 2),
    ("马", "头", 2),
    ("马", "个", 1),
    ("人", "位", 2),
    ("人", "个", 5),
]


class Lessons(Material):
    """Training slots from a list; it notes how often it was read."""

    name = "lessons"
    licence = "CC0"
    read: ClassVar[Counter[str]] = Counter()

    def __init__(self, rows: Sequence[tuple[str, str, int]] = TRAINING, who: str = "") -> None:
        self.rows = rows
        self.who = who

    def items(self) -> pl.DataFrame:
        self.read[self.who] += 1
        golds = [gold for _, gold, count in self.rows for _ in range(count)]
        nouns = [noun for noun, _, count in self.rows for _ in range(count)]
        items = slot_items([("看见一", "", noun, "。") for noun in nouns])
        return items.with_columns(gold=pl.Series(golds, dtype=pl.String))


def slots(*nouns: str, sentence: str = "有一", slot: int = 6) -> pl.DataFrame:
    return pl.DataFrame(
        {"sentence": [f"{sentence}{noun}。" for noun in nouns], "slot": [slot] * len(nouns), "noun": nouns}
    )


def many(noun: str, count: int) -> pl.DataFrame:
    return pl.DataFrame({"sentence": [f"第{n}天来了一{noun}" for n in range(count)], "slot": 6, "noun": noun})


def rankings(series: pl.Series) -> list[list[tuple[str, float]]]:
    assert series.dtype == CONTENT_TYPES["ranking"]
    return [[(choice["label"], choice["probability"]) for choice in ranking] for ranking in series.to_list()]


def first(series: pl.Series) -> list[str]:
    return [ranking[0][0] for ranking in rankings(series)]
