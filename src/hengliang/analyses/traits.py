"""Traits of systems: size, training time and other numeric properties, averaged over seeds.

Traits are columns of the systems table. Numbers of a system that was trained with several seeds are averaged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from hengliang.analyses.clustered import FACTOR_TITLES
from hengliang.core.base_classes import Analysis, Layout, StatisticLabel
from hengliang.core.errors import unknown_name
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual

TITLES: Mapping[str, StatisticLabel] = {
    "training_seconds": StatisticLabel(Bilingual("Training time (s)", "训练时间（秒）"), "number", 1),
    "parameters": StatisticLabel(Bilingual("Parameters", "参数量"), "integer", 0),
    "vocabulary": StatisticLabel(Bilingual("Vocabulary", "词表大小"), "integer", 0),
    "training_words": StatisticLabel(Bilingual("Training words", "训练词数"), "integer", 0),
    "labelled_f1": StatisticLabel(Bilingual("F1 of trees, with labels", "句法树 F1（含标签）"), "number", 3),
    "unlabelled_f1": StatisticLabel(Bilingual("F1 of trees, without labels", "句法树 F1（不含标签）"), "number", 3),
}


@register("traits")
class Traits(Analysis):
    """The mean of numeric traits of each system over its seeds; a trait that a system does not have is missing."""

    title = Bilingual("The systems", "系统概况")
    explanation = Bilingual(
        "Properties of the systems themselves. A system trained with several seeds has the mean.",
        "系统自身的属性。用多个随机种子训练的系统取平均值。",
    )

    def __init__(self, traits: Sequence[str] = ("parameters", "training_seconds"), name: str = "traits") -> None:
        self.traits = tuple(traits)
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return a row for each system and trait."""
        numeric = [name for name, dtype in tables.systems.schema.items() if dtype.is_numeric() and name != "seed"]
        for trait in self.traits:
            if trait not in tables.systems.columns or (trait not in numeric and tables.systems[trait].count()):
                raise unknown_name("numeric trait", trait, numeric)
        estimates = [
            self._row(name, trait, group[trait].cast(pl.Float64))
            for (name,), group in tables.systems.group_by(["name"], maintain_order=True)
            for trait in self.traits
        ]
        return estimates_frame(estimates)

    def _row(self, system: object, trait: str, values: pl.Series) -> Estimate:
        known = values.drop_nulls()
        return Estimate(
            analysis=self.name,
            by={"system": str(system)},
            statistic=trait,
            value=float(known.to_numpy().mean()) if len(known) else None,
            n=len(known),
            n_missing=len(values) - len(known),
            method="mean over seeds" if len(values) > 1 else "as the system says",
            signature=str(self.signature()),
        )

    def layout(self) -> Layout:
        """Show one row per system and one column per trait."""
        labels = {name: TITLES.get(name, StatisticLabel(Bilingual(name, name), "number", 1)) for name in self.traits}
        return Layout(rows=("system",), statistics=labels, factors={"system": FACTOR_TITLES["system"]}, figure="none")


# What users write among the analyses of a study.
traits = Traits
