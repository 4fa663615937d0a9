"""Comparison of systems: paired tests, effect sizes and equivalence on the same items, corrected for multiple testing.

`compare_systems("match", tests=("mcnemar",))` compares a machine's judgements item by item;
`compare_systems("fluency")` compares people's ratings, each counted once. Here are the analysis, its families of tests,
its sentences and its layout; the values and tests of one pair are in `hengliang.analyses.system_pairs`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal

import polars as pl

from hengliang.analyses.clustered import FACTOR_TITLES
from hengliang.analyses.observations import judged_by_people
from hengliang.analyses.system_pairs import (
    COPIES,
    MEAN,
    TESTS,
    UNIQUE,
    Asked,
    Found,
    JudgedPairs,
    RatedPairs,
    Refused,
    SystemPairs,
)
from hengliang.core.base_classes import Analysis, Conclusion, Layout, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.signature import Signature, constructor_signature
from hengliang.core.terms import Bilingual, both
from hengliang.statistics.equivalence import Equivalence
from hengliang.statistics.multiple_testing import CORRECTIONS, Correction, FamilyResult, family
from hengliang.statistics.results import Sidedness, TestResult, check_alpha, check_choice, write_percent_level

Shared = Literal["unique", "copies", "both"]
KINDS: Mapping[str, tuple[str, ...]] = {"unique": (UNIQUE,), "copies": (COPIES,), "both": (UNIQUE, COPIES)}

STATISTIC, ADJUSTED, EQUIVALENCE = "test statistic", "adjusted p", "equivalence"
CONVENTION, CHOSEN = "convention", "as chosen"
AGAINST = "difference against the margin"
"""The mean difference with the interval of level 1 − 2α, which is not that of the other rows."""

STATISTICS: Mapping[str, StatisticLabel] = {
    MEAN: StatisticLabel(Bilingual("Mean difference", "平均差"), "number", 3),
    STATISTIC: StatisticLabel(Bilingual("Statistic", "检验统计量"), "number", 2),
    ADJUSTED: StatisticLabel(Bilingual("Adjusted p", "校正后的 p"), "p"),
    "r": StatisticLabel(both("r"), "number", 2),
    "rank-biserial": StatisticLabel(Bilingual("Rank-biserial r", "秩二列相关 r"), "number", 2),
    "share": StatisticLabel(Bilingual("Share of pairs in favour", "占优配对比例"), "number", 2),
    "cliff-delta": StatisticLabel(Bilingual("Cliff's δ", "Cliff δ"), "number", 2),
    "cohen-g": StatisticLabel(Bilingual("Cohen's g", "Cohen g"), "number", 2),
    "odds-ratio": StatisticLabel(Bilingual("Odds ratio", "优势比"), "number", 2),
    "mean difference where responses differ": StatisticLabel(
        Bilingual("Where responses differ", "回答不同处的平均差"), "number", 3
    ),
    "net superiority": StatisticLabel(Bilingual("Net superiority", "净优势"), "number", 2),
}
FACTORS: Mapping[str, Bilingual] = {
    "system": FACTOR_TITLES["system"],
    "reference": FACTOR_TITLES["reference"],
    "ratings": Bilingual("Ratings", "评分"),
    "test": Bilingual("Test", "检验"),
    CONVENTION: Bilingual("Convention", "惯例"),
}
LEVELS: Mapping[str, Bilingual] = {
    UNIQUE: Bilingual("each rating once", "每个评分计一次"),
    COPIES: Bilingual("with copies, as papers do", "含副本（论文做法）"),
    MEAN: Bilingual("mean difference with interval", "平均差及其区间"),
    "system-difference": Bilingual("clustered by item and rater", "按条目与评分者聚类"),
    "signed-rank": Bilingual("Wilcoxon's signed ranks", "Wilcoxon 符号秩"),
    "sign": Bilingual("sign test", "符号检验"),
    "mcnemar": Bilingual("McNemar's test", "McNemar 检验"),
    "paired-permutation": Bilingual("paired permutation", "配对置换检验"),
    EQUIVALENCE: Bilingual("equivalence", "等效性"),
    CHOSEN: Bilingual("as chosen", "所选惯例"),
}


@register("compare systems")
class CompareSystems(Analysis):
    """Paired comparisons of systems on one measure.

    With a `reference` every other system is compared with it, else every pair, the one whose name comes later minus the
    other. The comparisons by one test are a family, corrected as `family` says; a test that could not be run counts.
    With a `margin` each difference is compared with it: two systems are equivalent when the interval of level 1 − 2α
    lies within.

    A machine's judgements are paired by item (seeds, respondents and parts averaged first) and put to the `tests`:
    "signed ranks", "sign", "mcnemar" (0 and 1 only), "permutation". `cluster` is an attribute of items whose levels
    stay whole in the permutation and in the interval; the other tests take items for independent.

    People's ratings are compared as `shared` says. "unique" counts each rating once, draws items and raters anew for
    the interval and flips whole items for p (`hengliang.analyses.system_differences`). "copies" is the way of most
    papers: the `tests` on all pairs of the same item and rater, the rating of a shared response against itself among
    them. "both" shows the two beside each other.
    """

    title = Bilingual("Comparisons of systems", "系统比较")
    explanation = Bilingual(
        "Differences are those of the first system minus the one it is compared with. All comparisons by one test make "
        "a family; p is shown as it is and corrected for the family. That no difference was found does not show that "
        "there is none.",
        "差值为前一系统减去对照系统。同一检验的全部比较构成一个检验族；p 值给出原值与按检验族校正后的值。"
        "未发现差异并不证明没有差异。",
    )

    def __init__(
        self,
        measure: str = "",
        reference: str = "",
        tests: str | Sequence[str] = ("signed ranks", "sign"),
        family: Correction = "holm",
        margin: float | None = None,
        cluster: str = "",
        shared: Shared = "unique",
        part: str | Sequence[str] = (),
        alternative: Sidedness = "two-sided",
        alpha: float = 0.05,
        level: float = 0.95,
        draws: int = 2000,
        permutations: int = 9999,
        seed: int = 1,
        name: str = "",
    ) -> None:
        self.measure = measure
        self.reference = reference
        self.tests = (tests,) if isinstance(tests, str) else tuple(tests)
        self.family: Correction = family
        self.margin = margin
        self.cluster = cluster
        self.shared: Shared = shared
        self.part = (part,) if isinstance(part, str) and part else tuple(part)
        self.alternative: Sidedness = alternative
        self.alpha = alpha
        self.level = level
        self.draws = draws
        self.permutations = permutations
        self.seed = seed
        self.name = name or f"comparison of systems {measure}".strip()

    def pairs(self, tables: Tables) -> SystemPairs:
        """Return the values that are compared."""
        self._check(tables)
        if not judged_by_people(tables, self.measure):
            if self.shared != "unique":
                raise UserError(
                    f"shared='{self.shared}' belongs to people's ratings, and a machine judges '{self.measure}'.",
                    remedy="Leave shared away.",
                )
            return JudgedPairs.of(tables, self.measure, self.part, self.cluster)
        if self.cluster:
            raise UserError(
                "cluster belongs to a machine's judgements; people's ratings are clustered by item and rater.",
                remedy="Leave cluster away.",
            )
        return RatedPairs.of(tables, self.measure, self.part, KINDS[self.shared])

    def _check(self, tables: Tables) -> None:
        known = sorted(set(tables.judgements["measure"].to_list()))
        if not self.measure:
            raise UserError(
                "A measure is wanted.",
                valid=f"Measures of this study: {', '.join(known) or 'none'}.",
                remedy="Name one: compare_systems(measure=…)",
            )
        for test in self.tests:
            if test not in TESTS:
                raise unknown_name("test", test, TESTS)
        check_choice("shared", self.shared, tuple(KINDS))
        check_choice("family", self.family, tuple(CORRECTIONS))
        check_alpha(self.alpha)

    def conclude(self, tables: Tables) -> Conclusion:
        """Return a row for each comparison, test and number, and what they say in words."""
        pairs = self.pairs(tables)
        asked = Asked(
            self.tests, self.alternative, self.alpha, self.level, self.draws, self.permutations, self.seed, self.margin
        )
        comparisons = [
            comparison
            for first, second in _chosen(pairs.systems, self.reference)
            for comparison in pairs.compare(first, second, asked)
        ]
        families = _families(comparisons, self.family, self.alpha)
        rows = [row for comparison in comparisons for row in self._rows(comparison)]
        rows += [row for key, corrected in families.items() for row in self._adjusted(key, corrected, comparisons)]
        if any(CONVENTION in row.by for row in rows):
            rows = [row if CONVENTION in row.by else replace(row, by={**row.by, CONVENTION: CHOSEN}) for row in rows]
        sentences = [sentence for comparison in comparisons for sentence in _said(comparison)]
        sentences += [_of_family(key, corrected) for key, corrected in families.items()]
        return Conclusion(estimates_frame(rows), tuple(sentences))

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return a row for each comparison, test and number."""
        return self.conclude(tables).estimates

    def _rows(self, one: Found) -> Iterator[Estimate]:
        by, result = self._place(one), one.result
        if isinstance(result, Refused):
            method, (n, missing) = f"no test: {result.reason.en}", result.counts
            line = str(self.signature())
            yield Estimate(self.name, by, STATISTIC, None, n=n, n_missing=missing, method=method, signature=line)
            return
        signature = str(self.signature().and_(result=result.signature()))
        # A test without a statistic of its own (exact tests, permutations) has its p beside the first effect size.
        bare = isinstance(result, TestResult) and not result.symbol
        for row in result.estimates(self.name, by):
            own = row.statistic == result.test
            row = replace(row, signature=signature)
            if isinstance(result, Equivalence):
                # The interval decides; p of two one-sided tests is in the sentence.
                if not own:
                    method = f"{row.method}; margin ±{self.margin:g}: {result.verdict}"
                    yield replace(row, statistic=AGAINST, p=None, method=method)
            elif bare and isinstance(result, TestResult):
                lead = result.effects[0].name
                if CONVENTION in row.by:
                    yield replace(row, statistic=lead if lead == MEAN else STATISTIC)
                elif not own:
                    yield replace(row, p=result.p if row.statistic == lead else None)
            else:
                yield replace(row, statistic=STATISTIC) if own else row

    def _place(self, one: Found) -> dict[str, str]:
        return {"measure": self.measure, **one.place}

    def _adjusted(self, key: tuple[str, str], corrected: FamilyResult, found: Sequence[Found]) -> Iterator[Estimate]:
        signature = str(self.signature().and_(family=corrected.signature()))
        members = {member.label: member for member in corrected.members}
        method = f"{CORRECTIONS[corrected.family.method].en}, family of {corrected.size}"
        for comparison in (
            comparison for comparison in found if comparison.corrected and (comparison.test, comparison.ratings) == key
        ):
            member = members[comparison.label]
            if member.adjusted is not None:
                yield Estimate(
                    self.name, self._place(comparison), ADJUSTED, member.adjusted, method=method, signature=signature
                )

    def layout(self) -> Layout:
        """Return tests and comparisons as rows, one row per number."""
        rows = ("test", "ratings", "system", "reference", "statistic", CONVENTION)
        share = write_percent_level(1 - 2 * self.alpha)
        title = Bilingual(f"Mean difference, {share} interval", f"平均差及 {share} 区间")
        statistics = {**STATISTICS, AGAINST: StatisticLabel(title, "number", 3)}
        return Layout(rows, "measure", statistics, FACTORS, LEVELS, figure_statistics=(MEAN,))

    def signature(self) -> Signature:
        """Return the arguments and the code of the modules that compute."""
        return constructor_signature(self).and_(generator="PCG64")


def _chosen(systems: Sequence[str], reference: str) -> list[tuple[str, str]]:
    if len(systems) < 2:
        raise UserError(f"There is nothing to compare: systems are {', '.join(systems)}.", valid="Two systems or more.")
    if not reference:
        return [(later, earlier) for earlier, later in combinations(systems, 2)]
    if reference not in systems:
        raise unknown_name("system", reference, systems)
    return [(system, reference) for system in systems if system != reference]


def _families(found: Sequence[Found], method: Correction, alpha: float) -> dict[tuple[str, str], FamilyResult]:
    """Correct the comparisons by each test, and each kind of ratings, as one family."""
    members: dict[tuple[str, str], list[tuple[str, TestResult | None]]] = {}
    for comparison in found:
        if comparison.corrected:
            test = comparison.result if isinstance(comparison.result, TestResult) else None
            members.setdefault((comparison.test, comparison.ratings), []).append((comparison.label, test))
    return {key: family(tests, method=method, alpha=alpha) for key, tests in members.items()}


def _said(one: Found) -> Iterator[Bilingual]:
    kind = LEVELS[one.ratings] if one.ratings else Bilingual("", "")
    before = Bilingual(f"{kind.en}: ", f"{kind.zh}：") if one.ratings else kind
    if isinstance(one.result, Refused):
        test, reason = LEVELS.get(one.test, both(one.test)), one.result.reason
        yield Bilingual(
            f"{before.en}{one.label}: no {test.en} ({reason.en})",
            f"{before.zh}{one.label}：未作{test.zh}（{reason.zh}）",
        )
        return
    sentence = one.result.sentence()
    english = "".join(f" Note: {note.en}" for note in one.result.notes)
    chinese = "".join(f"注：{note.zh}" for note in one.result.notes)
    yield Bilingual(f"{before.en}{sentence.en}{english}", f"{before.zh}{sentence.zh}{chinese}")


def _of_family(key: tuple[str, str], corrected: FamilyResult) -> Bilingual:
    levels = [LEVELS.get(level, both(level)) for level in key if level]
    sentence = corrected.sentence()
    return Bilingual(
        f"{', '.join(level.en for level in levels)}: {sentence.en}",
        f"{'，'.join(level.zh for level in levels)}：{sentence.zh}",
    )


# What users write among the analyses of a study.
compare_systems = CompareSystems
