"""Published accuracies of the Mandarin test suites (Wang et al. 2021), beside ours.

The printed values are read from a file of the package; the analysis gives them as estimates.

Other sentences and other training data: the numbers are there to compare patterns, not to be reproduced [1]. Recorded
surprisals of those models reproduce them: `hengliang suites table --recorded`.

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021, Table 6.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import polars as pl

from hengliang.analysis.replication.published import Paper
from hengliang.core.base_classes import Analysis, Layout, StatisticLabel
from hengliang.core.closure import package_data
from hengliang.core.errors import unknown_name
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.grammar.accuracy import CLASS_TITLES, SUITE_FACTORS

# --- the printed accuracies -------------------------------------------------------------------------------------------
# `published_002.json` holds Table 6 (accuracy by model and class, models trained on the Chinese Treebank) and what
# Tables 1 and 5 say of these models [1].


@cache
def paper_002() -> Paper:
    """Return what the paper prints."""
    file = package_data(__name__, "published_002.json")
    content = json.loads(file.read_text(encoding="utf-8"))
    return Paper(content["paper"], content["citation"], content["tables"], content["facts"], ())


def published_accuracies() -> Mapping[tuple[str, str], str]:
    """Return Table 6 as printed, by model and class, for the models trained on the Chinese Treebank."""
    paper = paper_002()
    rows: Mapping[str, Any] = paper.tables["6"]["rows"]
    return {
        (model, class_): text
        for model, texts in rows.items()
        for class_, text in zip(paper.facts["classes"], texts, strict=True)
    }


def published_trainings() -> Mapping[str, int]:
    """Return how many trainings of each model the published accuracies are averages of."""
    trainings: Mapping[str, int] = paper_002().facts["trainings"]
    return trainings


# --- the analysis -----------------------------------------------------------------------------------------------------


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
