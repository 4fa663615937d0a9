"""Is the right answer among the first few of the ranking?"""

from __future__ import annotations

from typing import ClassVar

import polars as pl

from hengliang.core.base_classes import Measure
from hengliang.core.errors import UserError
from hengliang.core.judging import judgements, with_gold, with_seed
from hengliang.core.records import ResponseKind
from hengliang.core.registry import register
from hengliang.core.terms import Bilingual


@register("top-3")
class TopMatch(Measure):
    """1 when the item's gold answer is among the first `k` labels of the ranking, else 0.

    A single label is a ranking of one. A ranking that names fewer than `k` labels is not padded. Labels are compared in
    NFC. Where there is no answer or no gold there is no judgement. Several seeds of one system are named apart in
    `scored_system`, because rankings that begin alike may go on differently.
    """

    kinds: ClassVar[tuple[ResponseKind, ...]] = ("label", "ranking")

    def __init__(self, k: int = 3, name: str = "") -> None:
        self.k = k
        self.name = name or f"top-{k}"
        self.title = Bilingual(f"Gold answer among the first {k}", f"标准答案在前 {k} 位之内")

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return one judgement for each answer of each system and seed."""
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            raise UserError(f"The first {self.k} of a ranking cannot be taken.", valid="k is a whole number from 1.")
        found = with_gold(items, responses)
        found = found.with_columns(value=pl.col("labels").list.head(self.k).list.contains(pl.col("gold")))
        return judgements(found, self.name, f"first {self.k}", scored_system=with_seed())


def top_match(k: int = 3, name: str = "") -> TopMatch:
    """Judge whether the answer that the corpus gave is among the first k of the ranking."""
    return TopMatch(k, name)
