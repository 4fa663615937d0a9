"""Rater diagnostics: careless, contrary and unsteady raters.

Each rater is compared with the mean of the others on the same items, so that nobody is compared with themselves: one
who always answers 7 and one who goes against the rest both stand out. Flags are hints with stated thresholds, not
verdicts: look at the answers before anybody is left out, and decide the rule before the data are seen.

[1] Meade, A., Craig, S. (2012). Identifying careless responses in survey data. Psychological Methods 17.
[2] Curran, P. (2016). Methods for the detection of carelessly invalid responses in survey data. Journal of Experimental
    Social Psychology 66.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate
from hengliang.core.signature import Signature, Value, version
from hengliang.core.terms import Bilingual
from hengliang.statistics.inter_rater.krippendorff import METRICS, Metric, alpha_value, check_metric
from hengliang.statistics.inter_rater.ratings import Floats, Ratings
from hengliang.statistics.results import DASH, check_choice, listed, write_bounded, write_statistic


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When a rater is flagged; each bound is reported with the flag.

    `most_used` is the share of one answer from which a rater counts as giving one answer only; `correlation` the
    correlation with the mean of the others below which a rater goes against the rest, `weak` the one below which little
    is shared; `same_again` the share of repeated items with the same answer below which a rater is unsteady; `few` the
    number of answers below which nothing is said of correlations.
    """

    most_used: float = 0.9
    correlation: float = 0.0
    weak: float = 0.2
    same_again: float = 0.3
    few: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Rater:
    """What is known of one rater; what cannot be computed is NaN.

    `shift` is by how much the rater lies above the others on the same items; `with_others` the correlation with the
    mean of the others; `repeats` the items rated twice, `same_again` the share of them with the same answer and
    `repeat_difference` the mean distance of the two; `longest_run` the most equal answers in a row, 0 where the order
    is not known; `alpha_without` Krippendorff's α of all others.
    """

    name: str
    n: int
    mean: float
    deviation: float
    most_used: float
    most_used_share: float
    shift: float
    with_others: float
    n_with_others: int
    repeats: int
    same_again: float
    repeat_difference: float
    longest_run: int
    alpha_without: float
    flags: tuple[Bilingual, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterDiagnosis:
    """All raters of one experiment, with the flags that their answers raise."""

    raters: tuple[Rater, ...]
    alpha: float
    metric: Metric
    thresholds: Thresholds
    n_items: int
    n: int
    n_missing: int
    data: str

    @property
    def flagged(self) -> tuple[Rater, ...]:
        """The raters with a flag."""
        return tuple(rater for rater in self.raters if rater.flags)

    def rater(self, name: str) -> Rater:
        """Return the rater of this name."""
        for rater in self.raters:
            if rater.name == name:
                return rater
        raise unknown_name("rater", name, [rater.name for rater in self.raters])

    def table(self) -> pl.DataFrame:
        """Return one row per rater; what is not known is null, flags are joined."""
        rows = []
        for rater in self.raters:
            row = asdict(rater)
            row["flags"] = "; ".join(flag.en for flag in rater.flags)
            rows.append({name: None if value != value else value for name, value in row.items()})
        return pl.DataFrame(rows, infer_schema_length=None)

    def sentence(self) -> Bilingual:
        """Say how many raters raise a flag, and which."""
        alpha = write_bounded(self.alpha, 3)
        base_en = f"{len(self.raters)} raters gave {self.n} answers to {self.n_items} items (α {self.metric} = {alpha})"
        base_zh = (
            f"{len(self.raters)} 名评分者对 {self.n_items} 个条目给出 {self.n} 个回答（α {self.metric} = {alpha}）"
        )
        if not self.flagged:
            return Bilingual(f"{base_en}; none raises a flag.", f"{base_zh}；无人被标记。")
        told_en = "; ".join(f"{r.name}: {', '.join(flag.en for flag in r.flags)}" for r in self.flagged)
        told_zh = "；".join(f"{r.name}：{'，'.join(flag.zh for flag in r.flags)}" for r in self.flagged)
        names = listed(rater.name for rater in self.flagged)
        return Bilingual(
            f"{base_en}; to be looked at: {names.en} ({told_en}).", f"{base_zh}；需查看：{names.zh}（{told_zh}）。"
        )

    def summary(self) -> str:
        """Return one line per rater, with flags."""
        lines = ["Raters · 评分者", f"  α {self.metric} of all = {write_bounded(self.alpha, 3)}"]
        for rater in self.raters:
            lines.append(
                f"  {rater.name}: {rater.n} answers, M = {write_statistic(rater.mean)}, "
                f"SD = {write_statistic(rater.deviation)}, {write_statistic(rater.shift)} above the others, "
                f"most used {rater.most_used:g} ({100 * rater.most_used_share:.0f} %), "
                f"r with the others = {write_bounded(rater.with_others)}, "
                f"repeated the same {_share(rater.same_again)} of {rater.repeats}, "
                f"α without = {write_bounded(rater.alpha_without, 3)}"
            )
            lines += [f"    flag: {flag.en} · {flag.zh}" for flag in rater.flags]
        lines += [f"  convention {name}: {value}" for name, value in self.conventions.items()]
        return "\n".join([*lines, "  " + self.sentence().en, "  " + self.sentence().zh])

    @property
    def conventions(self) -> Mapping[str, Value]:
        """All choices that can change a number or a flag."""
        thresholds: dict[str, Value] = {f"threshold {name}": value for name, value in asdict(self.thresholds).items()}
        return {"metric": self.metric, "repeated items": "first answer counts", "correlation": "Pearson", **thresholds}

    def signature(self) -> Signature:
        """Return the conventions and the checksum of the ratings."""
        parts: dict[str, Value | Signature] = {"hengliang": version(), "measure": "rater diagnosis"}
        return Signature.of(**parts, **dict(self.conventions), data=self.data)

    def estimates(self, analysis: str, by: Mapping[str, str] | None = None) -> Iterator[Estimate]:
        """Give each number of each rater, and how many flags the rater raises."""
        signature = str(self.signature())
        for rater in self.raters:
            levels = {**(by or {}), "rater": rater.name}
            for name, method in _METHODS.items():
                value = float(getattr(rater, name)) if name != "flags" else float(len(rater.flags))
                flags = "; ".join(flag.en for flag in rater.flags)
                yield Estimate(
                    analysis,
                    levels,
                    name.replace("_", " "),
                    None if math.isnan(value) else value,
                    n=rater.n_with_others if name in {"shift", "with_others"} else rater.n,
                    method=f"{method}: {flags}" if name == "flags" and flags else method,
                    signature=signature,
                )

    def __str__(self) -> str:
        return self.summary()


_METHODS = {
    "mean": "mean of all answers",
    "deviation": "standard deviation, n − 1",
    "most_used_share": "share of the answer that the rater gives most often",
    "shift": "mean difference from the mean of the others on the same items",
    "with_others": "Pearson correlation with the mean of the others on the same items",
    "same_again": "share of repeated items with the same answer",
    "alpha_without": "Krippendorff's α of the other raters",
    "flags": "number of flags",
}


def _share(value: float) -> str:
    return DASH if math.isnan(value) else f"{100 * value:.0f} %"


def diagnose_raters(
    ratings: pl.DataFrame,
    *,
    rater: str = "rater",
    item: str = "item",
    rating: str = "score",
    order: str | None = None,
    metric: Metric = "ordinal",
    thresholds: Thresholds = Thresholds(),  # noqa: B008 (frozen)
) -> RaterDiagnosis:
    """Look at each rater of a long table with one answer per row.

    An item that a rater rated several times is a repeated item: the first answer counts, the others show how steady
    the rater is. `order` names a column with the order of answers (trial number); without it, rows are in order, and no
    runs are counted. Rows without a number are counted as missing.
    """
    check_choice("metric", metric, METRICS)
    table = _checked(ratings, rater, item, rating, order)
    answered = table.drop_nulls("rating")
    if answered["rater"].n_unique() < 2:
        raise UserError(
            f"There are answers of {answered['rater'].n_unique()} rater.", valid="At least two raters can be compared."
        )
    first = answered.unique(["rater", "item"], keep="first", maintain_order=True)
    coded = Ratings.from_frame(first, rating="rating")
    check_metric(coded, metric)
    numbers = coded.numbers()
    described = []
    for row, name in enumerate(coded.raters):
        own = answered.filter(pl.col("rater") == name)
        without = alpha_value(coded.only([n for n in range(len(coded.raters)) if n != row]), metric)
        known = _describe(own, numbers, row, ordered=order is not None)
        described.append(Rater(name=name, alpha_without=without, **known))
    flagged = tuple(_flagged(each, thresholds) for each in described)
    return RaterDiagnosis(
        raters=flagged,
        alpha=alpha_value(coded, metric),
        metric=metric,
        thresholds=thresholds,
        n_items=len(coded.units),
        n=answered.height,
        n_missing=table.height - answered.height,
        data=coded.checksum(),
    )


def _checked(ratings: pl.DataFrame, rater: str, item: str, rating: str, order: str | None) -> pl.DataFrame:
    for name in (rater, item, rating, *([order] if order else [])):
        if name not in ratings.columns:
            raise unknown_name("column", name, ratings.columns)
    if not ratings.schema[rating].is_numeric():
        raise UserError(
            f"The column '{rating}' is {ratings.schema[rating]}.", valid="Ratings are numbers; a missing one is empty."
        )
    in_order = ratings.sort(order, maintain_order=True) if order else ratings
    return in_order.select(
        rater=pl.col(rater).cast(pl.String),
        item=pl.col(item).cast(pl.String),
        rating=pl.col(rating).cast(pl.Float64).fill_nan(None),
    )


def _describe(own: pl.DataFrame, numbers: Floats, row: int, *, ordered: bool) -> dict[str, Any]:
    answers = own["rating"].to_numpy()
    levels, counts = np.unique(answers, return_counts=True)
    sorted_answers = np.sort(answers)  # so that the order of rows leaves no trace in the last digit
    most_common = int(counts.argmax())
    others = np.delete(numbers, row, axis=0)
    present = ~np.isnan(others)
    n_others = present.sum(axis=0)
    means = np.where(present, others, 0.0).sum(axis=0) / np.maximum(n_others, 1)
    shared = (n_others > 0) & ~np.isnan(numbers[row])
    mine, theirs = numbers[row][shared], means[shared]
    return {
        "n": len(answers),
        "mean": float(sorted_answers.mean()),
        "deviation": float(sorted_answers.std(ddof=1)) if len(answers) > 1 else math.nan,
        "most_used": float(levels[most_common]),
        "most_used_share": float(counts[most_common] / len(answers)),
        "shift": float((mine - theirs).mean()) if len(mine) else math.nan,
        "with_others": _pearson(mine, theirs),
        "n_with_others": len(mine),
        "longest_run": _longest_run(answers) if ordered else 0,
        **_repeats(own),
    }


def _pearson(one: Floats, two: Floats) -> float:
    if len(one) < 3 or np.ptp(one) == 0 or np.ptp(two) == 0:
        return math.nan
    return float(np.corrcoef(one, two)[0, 1])


def _longest_run(answers: Floats) -> int:
    edges = np.flatnonzero(np.diff(answers) != 0) + 1
    return int(np.diff([0, *edges, len(answers)]).max())


def _repeats(own: pl.DataFrame) -> dict[str, float | int]:
    again = own.with_columns(first=pl.col("rating").first().over("item"), time=pl.int_range(pl.len()).over("item"))
    again = again.filter(pl.col("time") > 0)
    if not again.height:
        return {"repeats": 0, "same_again": math.nan, "repeat_difference": math.nan}
    distance = (again["rating"] - again["first"]).abs().to_numpy()
    return {
        "repeats": again.height,
        "same_again": float((distance == 0).mean()),
        "repeat_difference": float(distance.mean()),
    }


def _flagged(rater: Rater, bounds: Thresholds) -> Rater:
    flags = []
    if rater.n < bounds.few:
        flags.append(
            Bilingual(
                f"{rater.n} answers only (fewer than {bounds.few})", f"只有 {rater.n} 个回答（少于 {bounds.few}）"
            )
        )
    elif rater.most_used_share >= bounds.most_used:
        share = f"{100 * rater.most_used_share:.0f} %"
        flags.append(
            Bilingual(
                f"nearly always {rater.most_used:g} ({share} of answers, bound {100 * bounds.most_used:g} %)",
                f"几乎总答 {rater.most_used:g}（占 {share}，界限 {100 * bounds.most_used:g} %）",
            )
        )
    if rater.n_with_others >= bounds.few and rater.with_others < bounds.weak:
        r, against = write_bounded(rater.with_others), rater.with_others < bounds.correlation
        bound = write_bounded(bounds.correlation if against else bounds.weak)
        flags.append(
            Bilingual(f"against the rest (r = {r}, below {bound})", f"与他人相反（r = {r}，低于 {bound}）")
            if against
            else Bilingual(
                f"shares little with the rest (r = {r}, below {bound})", f"与他人关联弱（r = {r}，低于 {bound}）"
            )
        )
    if rater.repeats >= bounds.few and rater.same_again < bounds.same_again:
        share, bound = f"{100 * rater.same_again:.0f} %", f"{100 * bounds.same_again:g} %"
        flags.append(
            Bilingual(
                f"unsteady on repeated items (same answer to {share} of {rater.repeats}, bound {bound})",
                f"重复条目回答不一致（{rater.repeats} 项中 {share} 相同，界限 {bound}）",
            )
        )
    return replace(rater, flags=tuple(flags))
