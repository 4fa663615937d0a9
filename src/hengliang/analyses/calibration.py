"""Calibration: expected calibration error (ECE, MCE) and the reliability table of systems that give probabilities.

Answers are put into bins by confidence, the probability of the first choice, and the mean confidence of each bin is
compared with its accuracy [1]: a calibrated system that says 80 % is right in 80 of 100 cases. The expected calibration
error (ECE) is the mean of the absolute gaps weighted by the size of the bins, the maximum (MCE) the largest of them
[2]. Bins of equal count cut the system's own confidences, sorted, into equal parts; bins of equal width cut 0 to 1 into
equal parts. An answer on a border belongs to the lower bin. Equal confidences are never parted, so that there may be
fewer bins of equal count than were asked for.

A finite sample of a perfectly calibrated system has an ECE too, for absolute values do not cancel. How large it would
be is reported beside the observed one: √(2/π) Σ over bins of √(Σ c (1 − c)) / N for independent answers with
confidences c. The resampled ECE is larger than the observed one for the same reason; an interval that would not hold
its own value is withheld.

[1] DeGroot, M. H., Fienberg, S. E. (1983). The comparison and evaluation of forecasters. The Statistician 32.
[2] Naeini, M. P., Cooper, G. F., Hauskrecht, M. (2015). Obtaining well calibrated probabilities using Bayesian binning.
    AAAI 2015.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import polars as pl

from hengliang.analyses import outcomes
from hengliang.analyses.clustered import FACTOR_TITLES, ClusteredAnalysis, mean_with_interval
from hengliang.core.base_classes import Layout, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.statistics.resampling import Floats, Integers, IntervalKind, bootstrap, cluster_codes, cluster_counts

Binning = Literal["count", "width"]
SCORES = ("log loss", "Brier")
"""The parts of the measure of probabilities whose means stand beside the calibration."""

STATISTICS: Mapping[str, StatisticLabel] = {
    "accuracy": StatisticLabel(Bilingual("Accuracy", "准确率"), "percent", 1),
    "confidence": StatisticLabel(Bilingual("Mean confidence", "平均置信度"), "percent", 1),
    "overconfidence": StatisticLabel(Bilingual("Overconfidence", "过度自信"), "percent", 1),
    "ECE": StatisticLabel(Bilingual("Expected calibration error", "期望校准误差"), "percent", 1),
    "ECE if calibrated": StatisticLabel(Bilingual("ECE if calibrated", "完全校准时的 ECE"), "percent", 1),
    "MCE": StatisticLabel(Bilingual("Maximum calibration error", "最大校准误差"), "percent", 1),
    "log loss": StatisticLabel(Bilingual("Log loss (nats)", "对数损失（奈特）"), "number", 3),
    "Brier": StatisticLabel(Bilingual("Brier score", "Brier 分数"), "number", 3),
}


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """The answers of one system in bins: each answer's bin, its confidence, and whether it was right."""

    count: int
    codes: Integers
    confidence: Floats
    right: Floats

    @classmethod
    def of(cls, confidence: Floats, right: Floats, bins: int, binning: Binning) -> Bins:
        """Put answers into bins by their confidence; of bins of equal count only those that hold some are kept."""
        if binning == "width":
            borders = np.linspace(0.0, 1.0, bins + 1)[1:-1]
            return cls(bins, np.searchsorted(borders, confidence).astype(np.int64), confidence, right)
        # Whole numbers: the rounding of a quantile must not decide on which side of a border a value falls.
        last = -(-len(confidence) * np.arange(1, bins) // bins) - 1
        borders = np.sort(confidence)[last]
        filled, codes = np.unique(np.searchsorted(borders, confidence), return_inverse=True)
        return cls(len(filled), codes.astype(np.int64), confidence, right)

    def if_calibrated(self) -> float:
        """Return the ECE to be expected if every answer were right with the probability that it says."""
        spread = np.bincount(self.codes, self.confidence * (1 - self.confidence), minlength=self.count)
        return float(np.sqrt(2 / math.pi * np.maximum(spread, 0.0)).sum() / len(self.codes))


def calibration_errors(totals: Floats) -> Floats:
    """Return accuracy, mean confidence, overconfidence, ECE and MCE of each row of sums (n, confidence, right)."""
    n, confidence, right = np.split(totals, 3, axis=1)
    size = n.sum(axis=1)
    gaps = np.abs(right - confidence)
    largest = np.divide(gaps, n, out=np.zeros_like(gaps), where=n > 0).max(axis=1)
    accuracy, mean = right.sum(axis=1) / size, confidence.sum(axis=1) / size
    return np.column_stack([accuracy, mean, mean - accuracy, gaps.sum(axis=1) / size, largest])


class _Confidences(ClusteredAnalysis):
    """What the two analyses share: answers with a confidence and a judgement, in bins."""

    conventions: Mapping[str, str] = {
        "confidence": "probability of the first choice",
        "borders": "lower bin",
        "unanswered": "left out and counted",
    }

    def __init__(
        self,
        bins: int = 10,
        binning: Binning = "count",
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        measure: str = "match",
    ) -> None:
        super().__init__(cluster, draws, seed, level, interval)
        self.bins = bins
        self.binning: Binning = binning
        self.measure = measure

    def binned(self, tables: Tables) -> Iterator[tuple[dict[str, str], pl.DataFrame, pl.DataFrame, Bins | None]]:
        """Give of each system its levels, all rows, those with confidence and judgement, and the bins of these."""
        if isinstance(self.bins, bool) or not isinstance(self.bins, int) or self.bins < 1:
            raise UserError(f"{self.bins} bins cannot be made.", valid="bins is a whole number from 1.")
        if self.binning not in get_args(Binning):
            raise unknown_name("binning", str(self.binning), get_args(Binning))
        rows = outcomes.with_judgements(outcomes.due_answers(tables, ("ranking",)), tables, self.measure)
        rows = outcomes.with_clusters(_with_confidence(rows, tables), tables, self.cluster)
        for by, cell in outcomes.cells(rows, ()):
            known = cell.drop_nulls(["value", "confidence"])
            columns = (known["confidence"].to_numpy(), known["value"].to_numpy())
            yield by, cell, known, Bins.of(*columns, self.bins, self.binning) if known.height else None

    def note(self) -> str:
        """Say how the bins were made."""
        return f"{self.bins} bins of equal {self.binning} by confidence, judged by '{self.measure}'"


def _with_confidence(rows: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    who = ["item", "system", "seed", "respondent"]
    first = pl.col("content").list.first().struct.field("probability")
    confidences = tables.responses["ranking"].filter(pl.col("status") == "ok").select(*who, confidence=first)
    confidences = confidences.filter(pl.col("confidence").is_between(0, 1))  # also leaves out what is not a number
    return rows.join(confidences, on=who, how="left", nulls_equal=True, maintain_order="left")


@register("calibration")
class Calibration(_Confidences):
    """Accuracy beside mean confidence, and the calibration errors of each system that gives probabilities.

    `measure` says what is right (`match`; a soft score does as well). Where the measure named by `scores` has judged
    the rankings, the means of its log loss and Brier score stand beside. Seeds of one system are pooled; answers
    without a confidence or a judgement are left out and counted.
    """

    title = Bilingual("Calibration", "校准")
    explanation = Bilingual(
        "Whether a system is right as often as its probabilities say. The calibration errors are the mean and the "
        "largest gap between confidence and accuracy over bins of answers; a calibrated system has some too by chance.",
        "系统的正确率是否与其概率相符。校准误差为各置信度区间内置信度与准确率之差的加权平均与最大值；"
        "完全校准的系统因抽样误差也不会为零。",
    )

    def __init__(
        self,
        bins: int = 10,
        binning: Binning = "count",
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        measure: str = "match",
        scores: str = "probability",
        name: str = "calibration",
    ) -> None:
        super().__init__(bins, binning, cluster, draws, seed, level, interval, measure)
        self.scores = scores
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return a row for each system and statistic."""
        scores = {part: self._scored(tables, part) for part in SCORES}
        estimates: list[Estimate] = []
        for by, cell, known, bins in self.binned(tables):
            counts = (known.height, cell.height - known.height)
            estimates += self._errors(by, known, bins, counts)
            for part, rows in scores.items():
                own = rows.filter(pl.col("system") == by["system"]) if rows is not None else None
                if own is not None and own.height:
                    judged = own.drop_nulls("value")
                    mean = mean_with_interval(judged["value"], judged["cluster"], self.resampling())
                    size = (judged.height, own.height - judged.height)
                    estimates += self.cell_estimates(by, [part], mean, size, f"mean of '{self.scores}', {part}")
        return estimates_frame(estimates)

    def _errors(
        self, by: Mapping[str, str], known: pl.DataFrame, bins: Bins | None, counts: tuple[int, int]
    ) -> Iterator[Estimate]:
        names = ["accuracy", "confidence", "overconfidence", "ECE", "MCE"]
        if bins is None:
            yield from self.cell_estimates(by, names, None, counts, self.note())
            return
        clusters, n_clusters = cluster_codes(known["cluster"])
        column = np.concatenate([bins.codes + kind * bins.count for kind in range(3)])
        weight = np.concatenate([np.ones(known.height), bins.confidence, bins.right])
        sums = cluster_counts(np.tile(clusters, 3), column, weight, shape=(n_clusters, 3 * bins.count))
        intervals = bootstrap(sums, calibration_errors, self.resampling())
        yield from self.cell_estimates(by, names, intervals, counts, self.note())
        method = f"{self.note()}; expected of independent answers, normal approximation"
        line = str(self.signature())
        yield Estimate(
            self.name, by, "ECE if calibrated", bins.if_calibrated(), n=counts[0], n_missing=counts[1], method=method,
            signature=line,
        )  # fmt: skip

    def _scored(self, tables: Tables, part: str) -> pl.DataFrame | None:
        of_part = (pl.col("measure") == self.scores) & (pl.col("part") == part)
        chosen = tables.judgements.filter(of_part)
        if not chosen.height:
            return None
        scored = replace(tables, judgements=chosen)
        rows = outcomes.with_judgements(outcomes.due_answers(scored, ("ranking",)), scored, self.scores)
        return outcomes.with_clusters(rows, tables, self.cluster)

    def layout(self) -> Layout:
        """Return systems as rows and the statistics as columns; the figure shows the calibration errors."""
        factors = {"system": FACTOR_TITLES["system"]}
        return Layout(("system",), statistics=STATISTICS, factors=factors, figure_statistics=("ECE", "overconfidence"))


@register("reliability")
class Reliability(_Confidences):
    """The reliability table: of each system and bin the confidences it spans, their mean, and the accuracy.

    The gap is accuracy minus confidence: negative where the system is too sure of itself. Bins stay as they are in all
    resamples. An empty bin of equal width is kept and has no numbers.
    """

    title = Bilingual("Reliability", "可靠性")
    explanation = Bilingual(
        "Answers sorted by confidence into bins. In each, a calibrated system is right as often as it is confident; "
        "a negative gap means that it is too sure of itself.",
        "按置信度将回答分组。校准良好的系统在每组内的准确率等于平均置信度；差值为负表示过于自信。",
    )

    def __init__(
        self,
        bins: int = 10,
        binning: Binning = "count",
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        measure: str = "match",
        name: str = "reliability",
    ) -> None:
        super().__init__(bins, binning, cluster, draws, seed, level, interval, measure)
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return a row for each system, bin and statistic."""
        return estimates_frame(
            row
            for by, _, known, bins in self.binned(tables)
            if bins is not None
            for number in range(bins.count)
            for row in self._of_bin(by, known, bins, number)
        )

    def _of_bin(self, by: Mapping[str, str], known: pl.DataFrame, bins: Bins, number: int) -> Iterator[Estimate]:
        levels = {**by, "bin": self._bin_name(number)}
        in_bin = known.filter(pl.Series(bins.codes == number))
        counts = (in_bin.height, 0)  # an answer without a confidence belongs to no bin
        ends = (in_bin["confidence"].min(), in_bin["confidence"].max())
        for statistic, value in zip(("from", "to"), ends, strict=True):
            yield Estimate(
                self.name, levels, statistic, None if value is None else float(value),  # type: ignore[arg-type]
                n=counts[0], n_missing=counts[1], method=self.note(), signature=str(self.signature()),
            )  # fmt: skip
        columns = {
            "confidence": in_bin["confidence"],
            "accuracy": in_bin["value"],
            "gap": in_bin["value"] - in_bin["confidence"],
        }
        for statistic, values in columns.items():
            intervals = mean_with_interval(values, in_bin["cluster"], self.resampling())
            yield from self.cell_estimates(levels, [statistic], intervals, counts, f"mean in the bin; {self.note()}")

    def _bin_name(self, number: int) -> str:
        if self.binning == "count":
            return str(number + 1)
        return f"{number / self.bins:.3g}–{(number + 1) / self.bins:.3g}"

    def layout(self) -> Layout:
        """Return bins within systems as rows; the figure shows the gaps, one series per system."""
        labels = {
            "from": StatisticLabel(Bilingual("Confidence from", "置信度下限"), "percent", 1),
            "to": StatisticLabel(Bilingual("to", "上限"), "percent", 1),
            "confidence": STATISTICS["confidence"],
            "accuracy": STATISTICS["accuracy"],
            "gap": StatisticLabel(Bilingual("Accuracy minus confidence", "准确率减置信度"), "percent", 1),
        }
        factors = {"system": FACTOR_TITLES["system"], "bin": Bilingual("Bin", "置信度组")}
        return Layout(("system", "bin"), statistics=labels, factors=factors, figure_statistics=("gap",))


# What users write among the analyses of a study.
calibration = Calibration
reliability = Reliability
