"""How good are the slots themselves, by the eyes of two readers?

Accuracy on slots that are none, or with the wrong head noun, says little about a system. So the report of a study on
the default corpus shows beside its results how precise the extraction is.
"""

from __future__ import annotations

import polars as pl

from hengliang.core.base_classes import Analysis, Layout, StatisticLabel
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.materials.slot_checks import Agreement, reader_agreement, slot_precision, slot_recall, wilson

_LEVELS = {
    "random": Bilingual("random sample", "随机样本"),
    "slot": Bilingual("it is a slot", "确为量词空位"),
    "head": Bilingual("the head noun is right", "中心名词正确"),
}


@register("slot quality")
class SlotQuality(Analysis):
    """The share of right slots and heads in hand-checked samples of the default corpus, and an estimated recall."""

    title = Bilingual("Quality of the slots", "空位质量")
    explanation = Bilingual(
        "Two readers looked, one without knowing of the other, at a random sample of the slots that are extracted "
        "from the default corpus, and the first at more of the rarer constructions. Recall is estimated from a "
        "sample of the classifiers that were left out. All parts of the corpus are meant, not only the one used above.",
        "两人互不知情地检查了从默认语料中抽取的空位的随机样本，第一人还加查了较少见的结构。召回率由未抽取量词的样本估计。"
        "所指为整个语料，不限于上文所用部分。",
    )

    def __init__(self, name: str = "slot quality") -> None:
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the precision of slots and heads by sample, and the recall."""
        signature = str(self.signature().and_(interval="Wilson", level=0.95))
        checked = slot_precision().filter(pl.col("round") == "final").iter_rows(named=True)
        rows = [
            Estimate(
                analysis=self.name,
                by={"sample": row["sample"], "what": row["what"]},
                statistic="share",
                value=row["precision"],
                low=row["low"],
                high=row["high"],
                n=row["judged"],
                n_missing=row["gone"] + row["changed"],
                method="share of right ones among those read; Wilson's 0.95 interval",
                signature=signature,
            )
            for row in checked
        ]
        rows += [_agreement(self.name, held, signature) for held in reader_agreement()]
        recall = slot_recall()
        rows.append(
            Estimate(
                analysis=self.name,
                by={"sample": "left out", "what": "recall"},
                statistic="share",
                value=recall.value,
                low=recall.low,
                high=recall.high,
                n=recall.judged,
                method="right slots over right and missed ones, these estimated from the left-out ones that were read",
                signature=signature,
            )
        )
        return estimates_frame(rows)

    def layout(self) -> Layout:
        """Show a row a sample, with slots and heads beside each other."""
        return Layout(
            rows=("sample",),
            columns="what",
            statistics={"share": StatisticLabel(Bilingual("share", "比例"), "percent", 1)},
            factors={"sample": Bilingual("Sample", "样本"), "what": Bilingual("What is right", "正确项")},
            levels={
                **_LEVELS,
                "random, second reader": Bilingual("random sample, second reader", "随机样本（第二人）"),
                "agreement": Bilingual("agreement of the two readers", "两人一致率"),
                "left out": Bilingual("left out", "未抽取"),
                "recall": Bilingual("recall", "召回率"),
            },
            figure="none",
        )


def _agreement(analysis: str, held: Agreement, signature: str) -> Estimate:
    low, high = wilson(held.same, held.judged)
    return Estimate(
        analysis=analysis,
        by={"sample": "agreement", "what": held.what},
        statistic="share",
        value=held.same / held.judged,
        low=low,
        high=high,
        n=held.judged,
        n_missing=0,
        method=f"share of equal verdicts; Wilson's 0.95 interval; Cohen's κ = {held.kappa:.2f}",
        signature=signature,
    )


def slot_quality() -> SlotQuality:
    """Show how good the slots of the default corpus are."""
    return SlotQuality()
