"""How well is each frequent class found, and what is it taken for?

Two analyses of the classes that are gold most often: recall and precision of each, and the matrix of what was chosen
in their place, a row a corpus class, which sums to 100 % with what else was chosen and what was not answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from hengliang.analysis.confusion import FACTORS, ConfusionAnalysis, frequent, picked, ratio
from hengliang.core.base_classes import Layout, StatisticLabel
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.statistics.resampling import Floats, Intervals, bootstrap, cluster_codes, cluster_counts

OTHER, NO_ANSWER = "(other)", "(no answer)"
LEVELS: Mapping[str, Bilingual] = {
    OTHER: Bilingual("another", "其他"),
    NO_ANSWER: Bilingual("no answer", "未答"),
}


@register("accuracy by classifier")
class ClassifierScores(ConfusionAnalysis):
    """Recall and precision of each system for the `top` classes that are gold most often.

    An item without an answer counts for recall as not found, as in `precision and recall`. A class that a system never
    answered has no precision.
    """

    title = Bilingual("Accuracy by classifier", "各量词的准确率")
    explanation = Bilingual(
        "Recall: how many of the slots where the corpus has the classifier got it. Precision: how many of the slots "
        "that got it have it in the corpus. The most frequent classifiers are shown.",
        "召回率：语料用该量词的空位中选对的比例。精确率：选了该量词的空位中语料确为该量词的比例。只列最常见的量词。",
    )

    def __init__(
        self,
        top: int = 15,
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        name: str = "accuracy by classifier",
    ) -> None:
        super().__init__(top, cluster, draws, seed, level, "percentile", name)

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return recall and precision for each system and frequent class."""
        found: list[Estimate] = []
        for by, rows in self.systems(tables):
            found += self._scores(by, rows, frequent(rows, self.top))
        return estimates_frame(found)

    def _scores(self, by: Mapping[str, str], rows: pl.DataFrame, classes: Sequence[str]) -> Iterator[Estimate]:
        intervals = self._intervals(rows, classes)
        for place, name in enumerate(classes):
            gold, given = rows.filter(pl.col("gold") == name), rows.filter(pl.col("label") == name)
            at = {**by, "classifier": name}
            missing = gold["label"].null_count()
            counts = (gold.height, missing)
            recall, precision = picked(intervals, place), picked(intervals, len(classes) + place)
            note = f"found of all slots of the class, {missing} unanswered count as not found"
            yield from self.cell_estimates(at, ["recall"], recall, counts, note)
            answered = precision if given.height else None
            yield from self.cell_estimates(at, ["precision"], answered, (given.height, 0), "right of those chosen")

    def _intervals(self, rows: pl.DataFrame, classes: Sequence[str]) -> Intervals:
        codes, count = cluster_codes(rows["cluster"])
        number = {name: place for place, name in enumerate(classes)}
        gold, label = (
            rows[name].replace_strict(number, default=-1, return_dtype=pl.Int64).to_numpy()
            for name in ("gold", "label")
        )
        size, right = len(classes), (gold == label) & (gold >= 0)
        row = np.concatenate([codes[right], codes[gold >= 0], codes[label >= 0]])
        column = np.concatenate([gold[right], size + gold[gold >= 0], 2 * size + label[label >= 0]])
        return bootstrap(cluster_counts(row, column, shape=(count, 3 * size)), recall_and_precision, self.resampling())

    def layout(self) -> Layout:
        """Show a row a classifier and system, with recall and precision beside each other."""
        return Layout(
            rows=("classifier", "system"),
            statistics={
                "recall": StatisticLabel(Bilingual("Recall", "召回率"), "percent", 1),
                "precision": StatisticLabel(Bilingual("Precision", "精确率"), "percent", 1),
            },
            factors=FACTORS,
        )


def recall_and_precision(totals: Floats) -> Floats:
    """Return the recalls, then the precisions, of each row of counts (found, gold, answered)."""
    found, gold, answered = np.split(totals, 3, axis=1)
    return np.hstack([ratio(found, gold), ratio(found, answered)])


@register("confusion matrix")
class ConfusionMatrix(ConfusionAnalysis):
    """What was chosen for the `top` classes that are gold most often, in shares of the slots of each.

    What is chosen outside these classes stands under `(other)`, slots without an answer under `(no answer)`, so that
    the numbers of a row sum to 1. There are no intervals: the matrix is for looking at.
    """

    title = Bilingual("Confusion matrix", "混淆矩阵")
    explanation = Bilingual(
        "A row for each classifier of the corpus, a column for each that was chosen; a row sums to 100 %.",
        "每行为语料所用量词，每列为系统所选量词；各行合计为 100 %。",
    )

    def __init__(self, top: int = 15, name: str = "confusion matrix") -> None:
        super().__init__(top, "id", 1, 1, 0.95, "percentile", name)

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return a share for each system, corpus class and chosen class."""
        found: list[Estimate] = []
        for by, rows in self.systems(tables):
            found += self._matrix(by, rows, frequent(rows, self.top))
        return estimates_frame(found)

    def _matrix(self, by: Mapping[str, str], rows: pl.DataFrame, classes: Sequence[str]) -> Iterator[Estimate]:
        label = pl.col("label")
        shown = pl.when(label.is_null()).then(pl.lit(NO_ANSWER)).when(label.is_in(list(classes))).then(label)
        held = rows.with_columns(chosen=shown.otherwise(pl.lit(OTHER)))
        cells = {(gold, chosen): n for gold, chosen, n in held.group_by("gold", "chosen").len().iter_rows()}
        columns = [*classes, OTHER, NO_ANSWER]
        for gold in classes:
            counts = [cells.get((gold, chosen), 0) for chosen in columns]
            total = sum(counts)
            missing = cells.get((gold, NO_ANSWER), 0)
            for chosen, n in zip(columns, counts, strict=True):
                at = {**by, "corpus": gold, "chosen": chosen}
                yield self.plain(at, "share", n / total, (total, missing), "share of all slots of the class")

    def layout(self) -> Layout:
        """Show a row a corpus class and a column a chosen one."""
        return Layout(
            rows=("system", "corpus"),
            columns="chosen",
            statistics={"share": StatisticLabel(Bilingual("Share", "比例"), "percent", 0)},
            factors=FACTORS,
            levels=LEVELS,
            figure="none",
        )


# What users write among the analyses of a study.
accuracy_by_classifier = ClassifierScores
confusion_matrix = ConfusionMatrix
