"""How many answers were drawn, because two or more choices were equally probable?

A tie is never settled by the order of arguments: a system draws, with a seed. What was drawn says nothing about the
system, so a report shows beside its accuracy how many of its answers were.
"""

from __future__ import annotations

import polars as pl

from hengliang.analysis.clustered import FACTOR_TITLES
from hengliang.core.base_classes import Analysis, Layout, StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual


@register("ties")
class Ties(Analysis):
    """The number and share of rankings of each system whose first choice is no more probable than the second."""

    title = Bilingual("Ties", "并列")
    explanation = Bilingual(
        "Answers whose first choice is no more probable than the second: which of them came first was drawn with the "
        "system's seed.",
        "首选与次选概率相同的回答：何者居首由该系统的随机种子抽签决定。",
    )

    def __init__(self, name: str = "ties") -> None:
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the number and the share of ties of each system that answers with rankings."""
        if "ranking" not in tables.responses:
            raise UserError("There are no rankings in which ties could be counted.")
        rankings = tables.responses["ranking"]
        probability = pl.col("content").list.eval(pl.element().struct.field("probability"))
        first, second = (probability.list.get(place, null_on_oob=True) for place in (0, 1))
        answered = pl.col("status") == "ok"
        counts = rankings.group_by("system").agg(
            ties=(answered & (first == second)).sum(), n=answered.sum(), missing=(~answered).sum()
        )
        rows = [
            Estimate(
                analysis=self.name,
                by={"system": row["system"]},
                statistic=statistic,
                value=value,
                n=row["n"],
                n_missing=row["missing"],
                method="counted: the first two probabilities are equal",
                signature=str(self.signature()),
            )
            for row in counts.sort("system").iter_rows(named=True)
            for statistic, value in (
                ("ties", float(row["ties"])),
                ("share", row["ties"] / row["n"] if row["n"] else None),
            )
        ]
        return estimates_frame(rows)

    def layout(self) -> Layout:
        """Show a row a system."""
        return Layout(
            rows=("system",),
            statistics={
                "ties": StatisticLabel(Bilingual("Ties", "并列数"), "integer", 0),
                "share": StatisticLabel(Bilingual("Share of answers", "占回答比例"), "percent", 1),
            },
            factors={"system": FACTOR_TITLES["system"]},
            figure="none",
        )


# What users write among the analyses of a study.
ties = Ties
