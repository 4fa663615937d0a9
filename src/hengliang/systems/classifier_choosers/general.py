"""What does a speaker score who says 个 for everything?"""

from __future__ import annotations

import polars as pl

from hengliang.core.registry import register
from hengliang.core.terms import Bilingual
from hengliang.systems.classifier_choosers.base import RANKING, ClassifierChooser

GENERAL_CLASSIFIER = "个"


@register("GE")
class General(ClassifierChooser):
    """Always the general classifier 个, with probability 1: the baseline that every chooser must beat."""

    title = Bilingual("Always 个", "一律用“个”")

    def __init__(self, name: str = "GE") -> None:
        self.name = name

    def choose(self, slots: pl.DataFrame) -> pl.Series:
        """Return 个 for each slot."""
        always = pl.Series([[{"label": GENERAL_CLASSIFIER, "probability": 1.0}]], dtype=RANKING)
        return always.new_from_index(0, slots.height)
