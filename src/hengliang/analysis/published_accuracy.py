"""Which accuracies did the paper print for its own suites and models, to be laid beside ours?

Other sentences and other training data: the numbers are there to compare patterns, not to be reproduced [1]. Recorded
surprisals of those models reproduce them: `hengliang suites table --recorded`.

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021, Table 6.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from hengliang.analysis.replication.paper_002 import published_accuracies
from hengliang.analysis.suite_accuracy import CLASS_TITLES, SUITE_FACTORS
from hengliang.core.base_classes import Analysis, Layout, StatisticLabel
from hengliang.core.errors import unknown_name
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual


@register("published accuracy")
class PublishedAccuracy(Analysis):
    """Table 6 of the paper for models trained on the Chinese Treebank, by class; no number of this run is in it."""

    title = Bilingual("Accuracy in the paper", "论文中的准确率")
    explanation = Bilingual(
        "Table 6 of Wang et al. (2021): their sentences, their models, trained on 974 thousand words of the Chinese "
        "Treebank. For comparison of the pattern; nothing here was computed in this run.",
        "Wang 等（2021）表 6：其自编句子与模型，训练于 97.4 万词的中文树库。"
        "仅供比较总体趋势；此表数字并非本次运行所得。",
    )

    def __init__(self, models: str | Sequence[str] = (), name: str = "accuracy in the paper") -> None:
        self.models = (models,) if isinstance(models, str) else tuple(models)
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the printed values, whatever the run holds."""
        printed = published_accuracies()
        known = list(dict.fromkeys(model for model, _ in printed))
        for model in self.models:
            if model not in known:
                raise unknown_name("model of the paper", model, known)
        return estimates_frame(
            Estimate(
                self.name,
                {"system": model, "class": class_},
                "accuracy",
                float(text),
                method="as printed in Table 6 of Wang et al. (2021)",
                signature=str(self.signature()),
            )
            for (model, class_), text in printed.items()
            if not self.models or model in self.models
        )

    def layout(self) -> Layout:
        """Return classes as rows and models as columns, as our own accuracy has them."""
        return Layout(
            rows=("class",),
            columns="system",
            statistics={"accuracy": StatisticLabel(Bilingual("Accuracy", "准确率"), "percent", 1)},
            factors={name: SUITE_FACTORS[name] for name in ("system", "class")},
            levels=CLASS_TITLES,
            figure="none",
        )


# What users write among the analyses of a study.
published_accuracy = PublishedAccuracy
