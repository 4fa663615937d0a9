"""Perplexity of the language models of a study, with cluster bootstrap intervals.

Perplexity is exp(−Σ log p / N), where N counts the words (or characters) of the texts that were scored and the ends of
their sentences. A model trained with several seeds has the mean of their perplexities. Intervals resample whole
clusters of texts (`hengliang.statistics.resampling`); they are about other texts of this kind, not about other
trainings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy as np
import polars as pl

from hengliang.analyses import outcomes
from hengliang.analyses.clustered import FACTOR_TITLES, LEVEL_TITLES, ClusteredAnalysis
from hengliang.core.base_classes import Layout, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.language_models.measures import CHARACTERS, LOGPROB, WORDS
from hengliang.statistics.resampling import Floats, IntervalKind, Intervals, bootstrap, cluster_codes, cluster_counts

Per = Literal["word", "character"]
_PARTS: Mapping[Per, str] = {"word": WORDS, "character": CHARACTERS}
_TITLES: Mapping[Per, Bilingual] = {
    "word": Bilingual("Perplexity per word", "每词困惑度"),
    "character": Bilingual("Perplexity per character", "每字困惑度"),
}


@register("perplexity")
class PerplexityAnalysis(ClusteredAnalysis):
    """Perplexity per word and per character of each system, and by further factors.

    Texts that were not scored are left out and counted in `n_missing`.
    """

    title = Bilingual("Perplexity", "困惑度")
    explanation = Bilingual(
        "The smaller, the better the model foresees the text: the inverse of the geometric mean of the probability of "
        "a word (a character), the end of each sentence included. Models with the same vocabulary can be compared per "
        "word. With several seeds it is the mean of their perplexities.",
        "越小表示模型越能预见文本：即每词（每字）概率几何平均的倒数，包括每句的句末符。词表相同的模型可按词比较。"
        "使用多个随机种子时取各次困惑度的平均值。",
    )
    conventions: Mapping[str, str] = {"seeds": "mean of their perplexities", "unscored": "left out and counted"}

    def __init__(
        self,
        per: Per | Sequence[Per] = ("word", "character"),
        by: str | Sequence[str] = (),
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        measure: str = "log-probability",
        name: str = "",
    ) -> None:
        super().__init__(cluster, draws, seed, level, interval)
        self.per: tuple[Per, ...] = (per,) if isinstance(per, str) else tuple(per)
        self.by = (by,) if isinstance(by, str) else tuple(by)
        self.measure = measure
        self.name = name or "perplexity" + (" by " + " and ".join(self.by) if self.by else "")

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return one row for each system, combination of levels and view."""
        for view in self.per:
            if view not in get_args(Per):
                raise unknown_name("view", view, get_args(Per))
        rows = outcomes.due_answers(tables, ("units",))
        for part in (LOGPROB, *(_PARTS[view] for view in self.per)):
            rows = self._with_part(rows, tables, part)
        rows = outcomes.with_clusters(outcomes.with_factors(rows, tables, self.by), tables, self.cluster)
        estimates: list[Estimate] = []
        for by, cell in outcomes.cells(rows, self.by):
            for view in self.per:
                scored = cell.drop_nulls([LOGPROB, _PARTS[view]])
                intervals = self._perplexity(scored, _PARTS[view])
                seeds = scored["seed"].n_unique()
                note = f"exp(−Σ log p / N), N = {_PARTS[view]} and ends of sentences" + (
                    f", mean over {seeds} seeds" if seeds > 1 else ""
                )
                counts = (scored.height, cell.height - scored.height)
                estimates += self.cell_estimates(by, [view], intervals, counts, note)
        return estimates_frame(estimates)

    def _with_part(self, rows: pl.DataFrame, tables: Tables, part: str) -> pl.DataFrame:
        judgements = tables.judgements.filter((pl.col("measure") == self.measure) & (pl.col("part") == part))
        if not judgements.height:
            raise UserError(
                f"There are no judgements of '{part}' by the measure '{self.measure}'.",
                remedy="Put log_probability() among the measures of the study.",
            )
        values = judgements.select(pl.col("value").alias(part), id="about", system="scored_system").unique()
        return rows.join(values, on=["id", "system"], how="left", maintain_order="left")

    def _perplexity(self, rows: pl.DataFrame, part: str) -> Intervals | None:
        """Resample the sums of log-probability and of events, two columns per seed."""
        if not rows.height:
            return None
        codes, count = cluster_codes(rows["cluster"])
        seeds = rows["seed"].rank("dense").fill_null(0).to_numpy().astype(np.int64)
        seeds -= seeds.min()
        columns = np.concatenate([2 * seeds, 2 * seeds + 1])
        weights = np.concatenate([rows[LOGPROB].to_numpy(), rows[part].to_numpy()])
        sums = cluster_counts(np.tile(codes, 2), columns, weights, shape=(count, 2 * int(seeds.max()) + 2))
        return bootstrap(sums, mean_perplexity, self.resampling())

    def layout(self) -> Layout:
        """Return systems and further factors as rows, one column per view."""
        labels: dict[str, StatisticLabel] = {view: StatisticLabel(_TITLES[view], "number", 1) for view in self.per}
        names = ("system", *self.by)
        titles = {name: FACTOR_TITLES[name] for name in names if name in FACTOR_TITLES}
        return Layout(rows=names, statistics=labels, factors=titles, levels=LEVEL_TITLES)


def mean_perplexity(sums: Floats) -> Floats:
    """Return the mean over seeds of exp(−Σ log p / N) from sums with two columns per seed, one row per resample."""
    mean: Floats = np.exp(-sums[:, 0::2] / sums[:, 1::2]).mean(axis=1, keepdims=True)
    return mean


# What users write among the analyses of a study.
perplexity = PerplexityAnalysis
