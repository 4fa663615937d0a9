"""Of what kind are the errors: 个 for everything, too special a classifier, or one of another category?

Every error is of exactly one kind, the first that fits: 个 instead of a specific classifier; a specific one instead of
个; one of the two is not in the list of categories; both are of the same category (true, dual, measure); they are of
different ones. Categories are those of the forms (`hengliang.materials.classifier_categories`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from hengliang.analyses.clustered import FACTOR_TITLES
from hengliang.analysis.confusion import ConfusionAnalysis, picked, ratio
from hengliang.core.base_classes import Layout, StatisticLabel
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.signature import Signature, digest
from hengliang.core.terms import Bilingual
from hengliang.materials.classifier_categories import CATEGORIES, category_of_form, form_judgements
from hengliang.statistics.resampling import Floats, Intervals, bootstrap, cluster_codes, cluster_counts
from hengliang.systems.classifier_choosers.general import GENERAL_CLASSIFIER

KINDS: Mapping[str, Bilingual] = {
    "general for specific": Bilingual("个 instead of a specific one", "以“个”代专用量词"),
    "specific for general": Bilingual("a specific one instead of 个", "以专用量词代“个”"),
    "within a category": Bilingual("within the same category", "同类之内"),
    "across categories": Bilingual("across categories", "跨类"),
    "not in list": Bilingual("with one that is not in the list", "涉及表外量词"),
}
"""The kinds of error, in the order in which they are shown."""


@register("error kinds")
class ErrorKinds(ConfusionAnalysis):
    """The share of each kind of error among all errors of each system."""

    title = Bilingual("Kinds of error", "错误类型")
    explanation = Bilingual(
        "Shares of the errors of a system, that is of its answers that differ from the corpus. Categories are true "
        "classifiers, dual ones and measure words; 个 stands apart. The shares of a row sum to 100 %.",
        "各类错误占该系统全部错误（即与语料不一致的回答）的比例。类别分个体量词、两用量词与计量词；"
        "“个”单列。各行合计为 100 %。",
    )

    def __init__(
        self,
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        name: str = "error kinds",
    ) -> None:
        super().__init__(1, cluster, draws, seed, level, "percentile", name)

    def signature(self) -> Signature:
        """Return the arguments and a hash of the categories of the forms."""
        forms = sorted(f"{one.classifier} {one.category}" for one in form_judgements())
        return super().signature().and_(categories=digest(*forms)[:8])

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return a share for each system and kind; a system without errors has none."""
        found: list[Estimate] = []
        for by, rows in self.systems(tables):
            wrong = rows.filter(pl.col("label") != pl.col("gold"))
            counts = (wrong.height, rows["label"].null_count())
            intervals = self._intervals(wrong) if wrong.height else None
            for place, kind in enumerate(KINDS):
                held = picked(intervals, place) if intervals else None
                found += self.cell_estimates({**by, "error": kind}, ["share"], held, counts, "share of the errors")
        return estimates_frame(found)

    def _intervals(self, wrong: pl.DataFrame) -> Intervals:
        number = {kind: place for place, kind in enumerate(KINDS)}
        kinds = with_kinds(wrong)["error"].replace_strict(number, return_dtype=pl.Int64).to_numpy()
        codes, count = cluster_codes(wrong["cluster"])
        sums = cluster_counts(codes, kinds, wrong["weight"].to_numpy(), shape=(count, len(KINDS)))
        return bootstrap(sums, shares, self.resampling())

    def layout(self) -> Layout:
        """Show a row a system and a column a kind."""
        return Layout(
            rows=("system",),
            columns="error",
            statistics={"share": StatisticLabel(Bilingual("Share of errors", "占错误比例"), "percent", 1)},
            factors={"system": FACTOR_TITLES["system"], "error": Bilingual("Kind of error", "错误类型")},
            levels=KINDS,
        )


def shares(totals: Floats) -> Floats:
    """Return the shares of each row of counts."""
    return ratio(totals, np.repeat(totals.sum(axis=1, keepdims=True), totals.shape[1], axis=1))


def with_kinds(wrong: pl.DataFrame) -> pl.DataFrame:
    """Add the column `error` to errors with `gold` and `label`: the kind, a key of `KINDS`."""
    forms = pl.concat([wrong["gold"], wrong["label"]]).unique().to_list()
    category = {form: category_of_form(form) for form in forms}
    gold, label = (
        pl.col(name).replace_strict(category, default=CATEGORIES[-1], return_dtype=pl.String)
        for name in ("gold", "label")
    )
    kind = (
        pl.when(pl.col("label") == GENERAL_CLASSIFIER).then(pl.lit("general for specific"))
        .when(pl.col("gold") == GENERAL_CLASSIFIER).then(pl.lit("specific for general"))
        .when((gold == "not in list") | (label == "not in list")).then(pl.lit("not in list"))
        .when(gold == label).then(pl.lit("within a category"))
        .otherwise(pl.lit("across categories"))
    )  # fmt: skip
    return wrong.with_columns(error=kind)


# What users write among the analyses of a study.
error_kinds = ErrorKinds
