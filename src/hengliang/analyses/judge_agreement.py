"""Agreement between two measures of a study, for example an automatic metric and readers' ratings.

`judge_agreement(first="surprisal", second="fluency")` compares two measures over the answers that both judged; people's
ratings count one by one. Here are the analysis and how its results are shown; they are computed in
`hengliang.analyses.judge_levels`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal, get_args

import polars as pl

from hengliang.analyses.clustered import FACTOR_TITLES
from hengliang.analyses.judge_levels import (
    ITEMS,
    PAIRS,
    SYSTEMS,
    WITHIN_ITEM,
    WITHIN_SYSTEM,
    Calibrate,
    JudgeAgreement,
    Reverse,
)
from hengliang.analyses.judge_levels import judge_agreement as compare_judges
from hengliang.core.base_classes import Analysis, Conclusion, Layout, StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.signature import Signature, constructor_signature
from hengliang.core.terms import Bilingual
from hengliang.statistics.inter_rater.score_tables import ScoreTable, scores_of_run
from hengliang.statistics.results import check_choice

Show = Literal["agreement", "systems", "pairs", "items"]
SHOWN: tuple[Show, ...] = get_args(Show)

TITLES: Mapping[str, Bilingual] = {
    "agreement": Bilingual("Do the two judges agree?", "两种评判是否一致？"),
    "systems": Bilingual("The systems under both judges", "两种评判下的系统"),
    "pairs": Bilingual("Systems ranked differently", "排序不同的系统"),
    "items": Bilingual("Items on which they part most", "分歧最大的条目"),
}
EXPLANATIONS: Mapping[str, Bilingual] = {
    "agreement": Bilingual(
        "Correlations and shares of pairs ordered alike, for items and for systems; where single ratings are known, "
        "the noise ceiling and the number of raters that the other judge is worth. Intervals resample items.",
        "条目与系统层面的相关，以及排序一致的比例；若有逐个评分，则给出噪声上限，以及另一方相当于多少名评分者。区间由重抽条目得出。",
    ),
    "systems": Bilingual("Means over the items that both scored.", "双方都评过的条目的均值。"),
    "pairs": Bilingual(
        "Differences of means; p by permutation of signs by item, not adjusted for the number of pairs.",
        "均值之差；p 由按条目随机变换符号得出，未按对数校正。",
    ),
    "items": Bilingual(
        "The difference is of standardised scores, first minus second.", "差异为标准化分数之差：第一方减第二方。"
    ),
}
LEVELS: Mapping[str, Bilingual] = {
    ITEMS: Bilingual("items", "条目"),
    PAIRS: Bilingual("pairs of items", "条目对"),
    WITHIN_ITEM: Bilingual("pairs within an item", "同一条目内的对"),
    WITHIN_SYSTEM: Bilingual("items within a system", "系统内的条目"),
    SYSTEMS: Bilingual("systems", "系统"),
}
_NUMBER = {
    "pearson": Bilingual("Pearson's r", "Pearson 相关 r"),
    "spearman": Bilingual("Spearman's ρ", "Spearman 相关 ρ"),
    "kendall": Bilingual("Kendall's τ-b", "Kendall τ-b"),
    "accuracy with ties": Bilingual("ordered alike, ties counted", "排序一致率（计并列）"),
    "accuracy without ties": Bilingual("ordered alike, no ties", "排序一致率（不计并列）"),
    "accuracy with calibrated ties": Bilingual("ordered alike, ties calibrated", "排序一致率（校准并列）"),
    "noise ceiling": Bilingual("noise ceiling", "噪声上限"),
    "reliability of the mean": Bilingual("reliability of the mean", "均值信度"),
    "split-half correlation": Bilingual("split-half correlation", "折半相关"),
    "one rater with the mean of the others": Bilingual("one rater with the others", "一名评分者与其他人均值"),
    "one rater with the mean of all": Bilingual("one rater with all, self included", "一名评分者与全体均值（含自己）"),
    "raters worth": Bilingual("worth in raters", "相当于评分者人数"),
    "raters worth by reliability": Bilingual("worth in raters, by reliability", "相当于评分者人数（按信度）"),
    "correlation with the mean of all": Bilingual("correlation with the mean of all", "与全体均值的相关"),
    "correlation with the true scores": Bilingual("correlation with the true scores", "与真分数的相关"),
}


def agreement_layout(show: Show, names: tuple[str, str]) -> Layout:
    """Return how one part of an agreement is laid out; `names` are the two judges."""
    sides = dict(zip(("first", "second"), names, strict=True))
    titles = {side: StatisticLabel(Bilingual(name, name)) for side, name in sides.items()}
    factors = {"system": FACTOR_TITLES["system"], "reference": FACTOR_TITLES["reference"]}
    if show == "agreement":
        labels = {name: StatisticLabel(title, "number", 2 if "worth" in name else 3) for name, title in _NUMBER.items()}
        factors |= {"level": Bilingual("Level", "层面"), "compared": Bilingual("Judges", "评判")}
        return Layout(("level", "statistic"), "compared", labels, factors, _levels(names), figure="none")
    if show == "items":
        titles["difference"] = StatisticLabel(Bilingual("difference (SD)", "差异（标准差）"), "number", 2)
        return Layout(
            ("item", "system"), statistics=titles, factors={**factors, "item": Bilingual("Item", "条目")}, figure="none"
        )
    if show == "systems":
        titles |= {
            f"{side} rank": StatisticLabel(Bilingual(f"rank by {name}", f"{name} 排名"), "number", 1)
            for side, name in sides.items()
        }
        return Layout(("system",), statistics=titles, factors=factors, figure="none")
    return Layout(("system", "reference"), statistics=titles, factors=factors, figure="none")


def _levels(names: tuple[str, str]) -> dict[str, Bilingual]:
    raters = {f"raters of {name}": Bilingual(f"raters of {name}", f"{name} 的评分者") for name in names}
    return {**LEVELS, **raters}


def agreement_estimates(found: JudgeAgreement, show: Show, name: str, count: int = 10) -> Iterator[Estimate]:
    """Give one part of an agreement as estimates; `count` items are shown."""
    signature = str(found.signature())
    if show == "agreement":
        yield from found.estimates(name, {"compared": " × ".join(found.names)})
    elif show == "systems":
        for row in found.systems.iter_rows(named=True):
            for side in ("first", "second"):
                for suffix, method in (("", "mean over items"), (" rank", "rank of the mean, 1 is the highest")):
                    value = row[side + suffix.replace(" ", "_")]
                    by = {"system": row["system"]}
                    n = row["items"]
                    yield Estimate(name, by, side + suffix, value, n=n, method=method, signature=signature)
    elif show == "pairs":
        method = "difference of means over common items, p two-sided by permutation of signs by item"
        for pair in found.ranked_differently:
            by = {"system": pair.system, "reference": pair.reference}
            for side, value, p in (("first", pair.first, pair.first_p), ("second", pair.second, pair.second_p)):
                yield Estimate(name, by, side, value, p=p, n=pair.items, method=method, signature=signature)
    else:
        for row in found.parting(count).iter_rows(named=True):
            by = {"item": row["item"], **({"system": row["system"]} if row["system"] else {})}
            for side in ("first", "second", "difference"):
                method = "score" if side != "difference" else "difference of standardised scores"
                yield Estimate(name, by, side, row[side], n=1, method=method, signature=signature)


@register("judge agreement")
class JudgeAgreementAnalysis(Analysis):
    """How far two measures of a study agree over the answers that both judged.

    `first` and `second` name measures; `measure:part` names one part of a measure that has several. `show` is what the
    report shows: the agreement, the systems under both, the pairs of systems ranked differently, or the items on which
    the two part most.
    """

    def __init__(
        self,
        first: str = "",
        second: str = "",
        show: Show = "agreement",
        reverse: Reverse = "none",
        calibrate: Calibrate = "first",
        items: int = 10,
        draws: int = 1000,
        seed: int = 1,
        level: float = 0.95,
        splits: int = 100,
        name: str = "",
    ) -> None:
        self.first = first
        self.second = second
        self.show = show
        self.reverse = reverse
        self.calibrate = calibrate
        self.items = items
        self.draws = draws
        self.seed = seed
        self.level = level
        self.splits = splits
        self.name = name or f"judge {show}"

    @property
    def title(self) -> Bilingual:  # type: ignore[override]
        """What is shown."""
        return TITLES.get(self.show, TITLES["agreement"])

    @property
    def explanation(self) -> Bilingual:  # type: ignore[override]
        """How it was made."""
        return EXPLANATIONS.get(self.show, EXPLANATIONS["agreement"])

    def compare(self, tables: Tables) -> JudgeAgreement:
        """Return the whole comparison."""
        first, second = (_table(tables, measure) for measure in (self.first, self.second))
        return compare_judges(
            first,
            second,
            reverse=self.reverse,
            calibrate=self.calibrate,
            level=self.level,
            draws=self.draws,
            seed=self.seed,
            splits=self.splits,
        )

    def conclude(self, tables: Tables) -> Conclusion:
        """Return the estimates of what is shown, and for the agreement itself the sentence that sums it up."""
        check_choice("show", self.show, SHOWN)
        agreement = self.compare(tables)
        signature = str(self.signature())
        rows = agreement_estimates(agreement, self.show, self.name, self.items)
        estimates = estimates_frame([replace(row, signature=signature) for row in rows])
        return Conclusion(estimates, (agreement.sentence(),) if self.show == "agreement" else ())

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the estimates of what is shown."""
        return self.conclude(tables).estimates

    def layout(self) -> Layout:
        """Return how the estimates are laid out."""
        turned = [
            f"−{n}" if self.reverse == side else n for side, n in (("first", self.first), ("second", self.second))
        ]
        return agreement_layout(self.show, (turned[0], turned[1]))

    def signature(self) -> Signature:
        """Return the arguments and the generator of random numbers."""
        return constructor_signature(self).and_(generator="PCG64")


def _table(tables: Tables, measure: str) -> ScoreTable:
    if not measure:
        known = ", ".join(sorted(set(tables.judgements["measure"].to_list()))) or "none"
        raise UserError(
            "Two measures are wanted.",
            valid=f"Measures of this study: {known}.",
            remedy="Name them: judge_agreement(first=…, second=…)",
        )
    return scores_named(tables, measure)


def scores_named(tables: Tables, measure: str) -> ScoreTable:
    """Return the scores of a measure, or of one part of it: `measure:part`."""
    if measure in tables.judgements["measure"].to_list() or ":" not in measure:
        return scores_of_run(tables, measure)
    name, _, part = measure.rpartition(":")
    return scores_of_run(tables, name, part)


# What users write among the analyses of a study.
judge_agreement = JudgeAgreementAnalysis
