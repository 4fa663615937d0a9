"""How reliable are people's mean ratings, and how closely could any score go with them?

Means of few raters are noisy: the correlation of a score with them is at most the square root of their reliability, on
average. Both follow from the number of raters and the spread of their ratings
(`hengliang.statistics.inter_rater.raters_worth`), and stand beside the correlations of `rating_correlation`, whose
distance from 1 would otherwise be taken for the models' fault alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from hengliang.analyses import outcomes
from hengliang.analyses.clustered import LEVEL_TITLES
from hengliang.analyses.subsets import Where, as_names, restricted
from hengliang.analysis.rating_correlation import RATING_FACTORS, in_words, written
from hengliang.analysis.rating_rows import SOURCE
from hengliang.core.base_classes import Analysis, Layout, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate, attribute_names, estimate_records, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.signature import Signature, constructor_signature
from hengliang.core.terms import Bilingual
from hengliang.statistics.inter_rater.raters_worth import FEWEST, reliability_of_means
from hengliang.statistics.inter_rater.ratings import AgreementValue
from hengliang.statistics.resampling import Resampling

RATERS, RELIABILITY, CEILING = "raters", "reliability", "ceiling"
NEEDED = ("rating", "rating_sd", "raters")
"""What rated sentences say of their ratings: the mean, the standard deviation (n − 1) and the number of raters."""


@register("rating reliability")
class RatingReliability(Analysis):
    """Raters a sentence, reliability of the mean ratings and its square root, by dataset and mode.

    Items have the attributes `rating`, `rating_sd` and `raters`. A sentence without one of them, or with one rater, is
    left out and counted; a group with fewer than three others has no number and says so.
    """

    title = Bilingual("How well any score could do", "任何分数所能达到的上限")
    explanation = Bilingual(
        "The reliability of the mean ratings is the share of their variance that is not the raters' disagreement: "
        "1 − mean(s²/n) / variance of the means. Its square root is the ceiling: no score can be expected to have a "
        "higher Pearson correlation with these means. Raters who are lenient or severe throughout count as "
        "disagreement. Intervals resample whole source sentences.",
        "平均评分的信度是其方差中并非来自评分者分歧的比例：1 − mean(s²/n) / 均值的方差。"
        "其平方根即上限：任何分数与这些均值的 Pearson 相关预期都不会更高。"
        "评分者一贯的宽严也计为分歧。区间由重抽源句得出。",
    )

    def __init__(
        self,
        by: str | Sequence[str] = ("dataset", "mode"),
        where: Where | None = None,
        cluster: str = SOURCE,
        draws: int = 1000,
        seed: int = 1,
        level: float = 0.95,
        name: str = "rating reliability",
    ) -> None:
        self.by = as_names(by)
        self.where = dict(where or {})
        self.cluster = cluster
        self.draws = draws
        self.seed = seed
        self.level = level
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return three rows a group: raters a sentence, reliability and ceiling."""
        Resampling(self.draws, self.seed, self.level).check()
        items = restricted(tables, "", self.where).items
        known = ["material", "condition", *attribute_names(items)]
        for name in NEEDED:
            if name not in known:
                raise UserError(
                    f"The items have no attribute '{name}'.",
                    valid=f"Rated sentences have: {', '.join(NEEDED)}.",
                    remedy="Take rated sentences as material; single ratings have intraclass correlations.",
                )
        for name in self.by:
            if name not in known:
                raise unknown_name("attribute of items", name, known)
        if not items.select(NEEDED[0]).drop_nulls().height:
            raise UserError("No sentence has a rating.", valid="Items with the attribute 'rating'.")
        return estimates_frame(row for by, group in self._groups(tables, items) for row in self._of_group(by, group))

    def _groups(self, tables: Tables, items: pl.DataFrame) -> Iterator[tuple[dict[str, str], pl.DataFrame]]:
        """Give the items of each combination of levels, levels in the order in which the run has them."""
        held = items.sort("id")
        if not self.by:
            yield {}, held
            return
        for name in self.by:
            levels = tables.items[name].drop_nulls().unique(maintain_order=True)
            place = pl.col(name).replace_strict(levels, range(len(levels)), default=len(levels), return_dtype=pl.Int64)
            held = held.with_columns(place.alias(f"place of {name}"))
        held = held.sort(*(f"place of {name}" for name in self.by), maintain_order=True)
        for key, group in held.group_by(self.by, maintain_order=True):
            yield {name: outcomes.level_name(level) for name, level in zip(self.by, key, strict=True)}, group

    def _of_group(self, by: Mapping[str, str], group: pl.DataFrame) -> Iterator[Estimate]:
        usable = group.drop_nulls(list(NEEDED)).filter(pl.col("raters") >= 2)
        counts = (usable.height, group.height - usable.height)
        if usable.height < FEWEST:
            why = f"no number: {usable.height} sentences have a mean, a deviation and two raters or more"
            for statistic in (RATERS, RELIABILITY, CEILING):
                yield self._estimate(by, statistic, (None, None, None), counts, why)
            return
        mean = float(usable["raters"].cast(pl.Float64).mean())  # type: ignore[arg-type]
        yield self._estimate(by, RATERS, (mean, None, None), counts, "average number of raters of a sentence")
        own = pl.coalesce(self.cluster, "id") if self.cluster in group.columns else pl.col("id")
        result = reliability_of_means(
            usable["rating"].to_numpy(),
            usable["rating_sd"].to_numpy(),
            usable["raters"].to_numpy(),
            clusters=usable.select(own.cast(pl.String)).to_series().to_list(),
            level=self.level,
            draws=self.draws,
            seed=self.seed,
        )
        ceiling, reliability = result.values
        for statistic, value in ((RELIABILITY, reliability), (CEILING, ceiling)):
            yield self._estimate(by, statistic, _numbers(value), counts, _method(value, self.cluster))

    def _estimate(
        self,
        by: Mapping[str, str],
        statistic: str,
        values: tuple[float | None, float | None, float | None],
        counts: tuple[int, int],
        method: str,
    ) -> Estimate:
        n, missing = counts
        signature = str(self.signature())
        return Estimate(self.name, by, statistic, *values, n=n, n_missing=missing, method=method, signature=signature)

    def sentences(self, estimates: pl.DataFrame) -> Sequence[Bilingual]:
        """Say of each group how high a correlation can be expected to be."""
        groups: dict[tuple[str, ...], dict[str, Estimate]] = {}
        for row in estimate_records(estimates):
            groups.setdefault(tuple(row.by.values()), {})[row.statistic] = row
        return [_told(held) for held in groups.values()]

    def layout(self) -> Layout:
        """Return groups as rows, the three numbers as columns."""
        return Layout(
            rows=self.by,
            statistics={
                RATERS: StatisticLabel(Bilingual("Raters a sentence", "每句评分人数"), "number", 1),
                RELIABILITY: StatisticLabel(Bilingual("Reliability of the mean", "均值信度"), "number", 3),
                CEILING: StatisticLabel(Bilingual("Ceiling of r", "r 的上限"), "number", 3),
            },
            factors={name: RATING_FACTORS[name] for name in self.by if name in RATING_FACTORS},
            levels=LEVEL_TITLES,
            figure="none",
        )

    def signature(self) -> Signature:
        """Return the arguments and the code of the modules that compute."""
        return constructor_signature(self).and_(generator="PCG64")


def _numbers(value: AgreementValue) -> tuple[float | None, float | None, float | None]:
    number, low, high = (None if one is None or one != one else one for one in (value.value, value.low, value.high))
    return (number, low, high) if low is not None and high is not None else (number, None, None)


def _method(value: AgreementValue, cluster: str) -> str:
    if value.value != value.value:
        return f"no number: {value.reason.en if value.reason else 'the reliability does not exist.'}"
    return value.method.replace(" clusters,", f" clusters ({cluster}),")


def _told(held: Mapping[str, Estimate]) -> Bilingual:
    ceiling, reliability = held[CEILING], held[RELIABILITY]
    where = in_words(ceiling.by)
    if ceiling.value is None:
        return Bilingual(f"{where.en}: no ceiling can be told.", f"{where.zh}：无法确定上限。")
    raters = f"{held[RATERS].value or 0:.1f}"
    return Bilingual(
        f"{where.en}: no score can be expected to correlate better with the mean ratings than r = {written(ceiling)} "
        f"(reliability {written(reliability)}, {raters} raters a sentence, n = {ceiling.n}).",
        f"{where.zh}：任何分数与平均评分的相关预期都不会高于 r = {written(ceiling)}"
        f"（信度 {written(reliability)}，每句 {raters} 名评分者，n = {ceiling.n}）。",
    )


# What users write among the analyses of a study.
rating_reliability = RatingReliability
