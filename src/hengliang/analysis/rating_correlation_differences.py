"""Does one system's score go better with people's ratings than another's, on the same sentences?

Both correlations share the ratings, so they are compared on the same draws: the interval of the difference resamples
whole source sentences, and p lets the two scores, each standardised, change places in whole source sentences [1].
Williams' t [2] stands beside them where every sentence is a source of its own, for it takes sentences as independent.
All differences of one analysis are a family, corrected by Holm's method unless another is named.

[1] Deutsch, D., Dror, R., Roth, D. (2021). A statistical analysis of summarization evaluation metrics using resampling
    methods. Transactions of the Association for Computational Linguistics 9.
[2] Williams, E. J. (1959). The comparison of regression variables. Journal of the Royal Statistical Society B 21.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import polars as pl

from hengliang.analyses.clustered import LEVEL_TITLES
from hengliang.analyses.subsets import Where, as_names
from hengliang.analysis.rating_correlation import COEFFICIENTS, RATING_FACTORS, in_words
from hengliang.analysis.rating_rows import SOURCE, Asked, Scored, problem_of, rating_rows, scored_cells
from hengliang.core.base_classes import Analysis, Conclusion, Layout, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.signature import Signature, constructor_signature
from hengliang.core.terms import Bilingual
from hengliang.measures.acceptability import SENTENCE_PARTS
from hengliang.statistics.correlation.clustered import clustered_draws, coefficient_value
from hengliang.statistics.correlation.dependent import dependent_correlations
from hengliang.statistics.multiple_testing import CORRECTIONS, Correction, Family
from hengliang.statistics.resampling import Floats, Resampling, Way, describe_crossed, percentile_intervals
from hengliang.statistics.results import TestResult, check_choice, listed, p_remark, write_bounded, write_p

Compared = Literal["pearson", "spearman"]
DIFFERENCE, ADJUSTED, WILLIAMS = "difference", "corrected p", "Williams' t"
FIRST, SECOND = "first", "second"
FEWEST = 4
"""With three sentences Williams' t has no degrees of freedom and a permutation next to no rearrangements."""


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """What one comparison found; `problem` says why there is nothing to test, though both values may exist."""

    by: Mapping[str, str]
    pair: tuple[str, str]
    part: str
    counts: tuple[int, int]
    values: tuple[float | None, float | None] = (None, None)
    bounds: tuple[float | None, float | None] = (None, None)
    p: float | None = None
    method: str = ""
    williams: TestResult | None = None
    problem: Bilingual | None = None

    @property
    def value(self) -> float | None:
        """By how much the second correlates higher than the first."""
        first, second = self.values
        return None if first is None or second is None else second - first


@register("rating correlation differences")
class RatingCorrelationDifferences(Analysis):
    """The difference of two systems' correlations with ratings: the second of each pair minus the first.

    `pairs` are names of systems; each is compared for every part and combination of levels. A system trained with
    several seeds is compared seed by seed: add `seed` to `by`.
    """

    explanation = Bilingual(
        "The second system's correlation minus the first's, on the sentences that both scored. Intervals resample "
        "whole source sentences; p lets the two scores change places in whole source sentences, and is corrected for "
        "all comparisons of this table. Williams' t stands only where no two sentences have one source. That no "
        "difference was found does not show that there is none.",
        "第二个系统的相关减去第一个系统的相关，只计双方都评分的句子。区间由重抽源句得出；"
        "p 值由按源句整体互换两种分数得出，并按本表全部比较校正。仅当各句来源互不相同时才给出 Williams t。"
        "未发现差异并不证明没有差异。",
    )

    def __init__(
        self,
        pairs: Sequence[tuple[str, str]] = (),
        measure: str = "acceptability",
        rating: str = "rating",
        parts: str | Sequence[str] = SENTENCE_PARTS,
        by: str | Sequence[str] = ("dataset", "mode"),
        coefficient: Compared = "pearson",
        where: Where | None = None,
        family: Correction = "holm",
        alpha: float = 0.05,
        cluster: str = SOURCE,
        draws: int = 2000,
        permutations: int = 9999,
        seed: int = 1,
        level: float = 0.95,
        name: str = "rating correlation differences",
    ) -> None:
        self.pairs = tuple((first, second) for first, second in pairs)
        self.measure = measure
        self.rating = rating
        self.parts = as_names(parts)
        self.by = as_names(by)
        self.coefficient: Compared = coefficient
        self.where = dict(where or {})
        self.family: Correction = family
        self.alpha = alpha
        self.cluster = cluster
        self.draws = draws
        self.permutations = permutations
        self.seed = seed
        self.level = level
        self.name = name

    # --- what is computed -------------------------------------------------------------------------------------------

    @property
    def title(self) -> Bilingual:  # type: ignore[override]
        """What is shown, and of which measure if it is one."""
        one = f" of {self.parts[0]}" if len(self.parts) == 1 else ""
        chinese = f"{self.parts[0]} 与评分相关之差" if one else "与评分相关之差"
        return Bilingual(f"Differences of correlations{one} with ratings", chinese)

    def compare(self, tables: Tables) -> list[Difference]:
        """Return all comparisons."""
        check_choice("coefficient", self.coefficient, get_args(Compared))
        self._resampling().check()
        rows = rating_rows(tables, Asked(self.measure, self.rating, self.parts, self.by, self.cluster, self.where))
        systems, parts = (rows[name].unique(maintain_order=True).to_list() for name in ("system", "part"))
        check_pairs(self.pairs, systems)
        return [
            self._compare(by, cell, pair, part)
            for by, cell in scored_cells(rows, self.by)
            for pair in self.pairs
            for part in parts
        ]

    def _resampling(self) -> Resampling:
        return Resampling(self.draws, self.seed, self.level)

    def _compare(self, by: Mapping[str, str], cell: Scored, pair: tuple[str, str], part: str) -> Difference:
        keys = [(system, part) for system in pair]
        if any(key not in cell.scores for key in keys):
            unasked = Bilingual("not both systems were asked", "并非两个系统都被要求评分")
            return Difference(by, pair, part, (0, len(cell.items)), problem=unasked)
        places = cell.complete(*keys)
        counts = (len(places), len(cell.items) - len(places))
        ratings = cell.ratings[places]
        tables = [cell.scores[key][:, places] for key in keys]
        problem: Bilingual | None = problem_of(ratings, dict(zip(pair, tables, strict=True)))
        for system, table in zip(pair, tables, strict=True):
            if len(table) > 1:
                problem = Bilingual(
                    f"{system} has {len(table)} seeds; compare seed by seed: by=[…, 'seed']",
                    f"{system} 有 {len(table)} 个随机种子；请逐个种子比较：by=[…, 'seed']",
                )
        if problem is not None:
            return Difference(by, pair, part, counts, problem=problem)
        return self._tested(Difference(by, pair, part, counts), ratings, np.concatenate(tables), cell, places)

    def _tested(
        self, found: Difference, ratings: Floats, scores: Floats, cell: Scored, places: np.ndarray
    ) -> Difference:
        first, second = (coefficient_value(self.coefficient, score, ratings) for score in scores)
        problem = _untestable(self.coefficient, scores)
        clusters = cell.way(places, self.cluster)
        if problem is None and clusters.levels < 2:
            problem = Bilingual("all sentences have one source", "全部句子出自同一源句")
        if problem is not None:
            return replace(found, values=(first, second), problem=problem)
        bounds, interval = self._interval(ratings, scores, clusters, second - first)
        labels = cell.clusters.gather(places)
        swapped = self._test(ratings, scores, method="permutation", items=labels)
        alone = clusters.levels == len(places)
        return replace(
            found,
            values=(first, second),
            bounds=bounds,
            p=swapped.p,
            method=f"{interval}; p: {swapped.conventions['p']} ({self.cluster})",
            williams=self._test(ratings, scores, method="williams") if alone else None,
        )

    def _interval(
        self, ratings: Floats, scores: Floats, clusters: Way, value: float
    ) -> tuple[tuple[float | None, float | None], str]:
        how = self._resampling()
        drawn = clustered_draws(self.coefficient, scores, ratings, clusters, how)
        held = percentile_intervals(np.array([value]), (drawn[:, 1] - drawn[:, 0])[:, None], how.level, clusters.levels)
        low, high = (None if np.isnan(bound[0]) else float(bound[0]) for bound in (held.low, held.high))
        return (low, high), describe_crossed(how, held, (clusters,))

    def _test(
        self,
        ratings: Floats,
        scores: Floats,
        method: Literal["permutation", "williams"],
        items: pl.Series | None = None,
    ) -> TestResult:
        return dependent_correlations(
            ratings,
            scores[1],
            scores[0],
            coefficient=self.coefficient,
            method=method,
            items=items,
            draws=self.permutations,
            seed=self.seed,
            level=self.level,
            alpha=self.alpha,
        )

    # --- what is said -----------------------------------------------------------------------------------------------

    def conclude(self, tables: Tables) -> Conclusion:
        """Return the estimates, and what they say in words."""
        found = self.compare(tables)
        family = Family(self.family, self.alpha)
        adjusted = family.adjust([one.p for one in found])
        size = family.counted([one.p for one in found])
        rows = [row for one, p in zip(found, adjusted, strict=True) for row in self._rows(one, p, size)]
        return Conclusion(estimates_frame(rows), tuple(self._said(found, adjusted)))

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return for each comparison both correlations, their difference, the corrected p and perhaps Williams' t."""
        return self.conclude(tables).estimates

    def _rows(self, one: Difference, adjusted: float | None, size: int) -> Iterator[Estimate]:
        place = {**one.by, "reference": one.pair[0], "system": one.pair[1], "part": one.part}
        n, missing = one.counts
        signature = str(self.signature())
        title = COEFFICIENTS[self.coefficient].en
        why = f"no test: {one.problem.en}" if one.problem else ""

        def estimate(statistic: str, value: float | None, method: str, **more: object) -> Estimate:
            held = {"n": n, "n_missing": missing, "method": method, "signature": signature, **more}
            return Estimate(self.name, place, statistic, value, **held)  # type: ignore[arg-type]

        for side, value in zip((FIRST, SECOND), one.values, strict=True):
            yield estimate(side, value, why if value is None else f"{title} on the sentences that both scored")
        told = "; ".join(text for text in (f"difference of two {title}", one.method, why) if text)
        low, high = one.bounds
        yield estimate(DIFFERENCE, one.value, told, low=low, high=high, p=one.p)
        correction = f"{CORRECTIONS[self.family].en}, family of {size}"
        yield estimate(ADJUSTED, adjusted, why or correction)
        if one.williams is not None:
            held = one.williams
            yield estimate(WILLIAMS, held.statistic, f"{held.conventions['p']}", df=held.df, p=held.p)

    def _said(self, found: Sequence[Difference], adjusted: Sequence[float | None]) -> Iterator[Bilingual]:
        """Give one sentence for each pair and combination of levels, and one for the family."""
        groups: dict[tuple[tuple[str, ...], tuple[str, str]], list[tuple[Difference, float | None]]] = {}
        for one, p in zip(found, adjusted, strict=True):
            groups.setdefault((tuple(one.by.values()), one.pair), []).append((one, p))
        for members in groups.values():
            yield self._sentence(members)
        tested = [p for p in adjusted if p is not None]
        kept = sum(p <= self.alpha for p in tested)
        alone = sum(one.p is not None and one.p <= self.alpha for one in found)
        name = CORRECTIONS[self.family]
        yield Bilingual(
            f"{kept} of {len(tested)} tested differences are significant at {self.alpha:g} after correction "
            f"(p*: {name.en}), {alone} without it.",
            f"在已检验的 {len(tested)} 个差异中，校正后有 {kept} 个在 {self.alpha:g} 水平上显著（p*：{name.zh}），"
            f"不校正时有 {alone} 个。",
        )

    def _sentence(self, members: Sequence[tuple[Difference, float | None]]) -> Bilingual:
        symbol = {"pearson": "r", "spearman": "ρ"}[self.coefficient]
        clauses: list[Bilingual] = []
        for sign, verb in ((1, Bilingual("raises", "提高")), (-1, Bilingual("lowers", "降低"))):
            moved = [(one, p) for one, p in members if _moves(one, p, self.alpha) == sign]
            if moved:
                told = _amounts(moved)
                clauses.append(Bilingual(f"{verb.en} {symbol} by {told.en}", f"使 {symbol} {verb.zh} {told.zh}"))
        open_ = [(one, p) for one, p in members if p is not None and _moves(one, p, self.alpha) == 0]
        # What correction alone leaves open is not the same as what shows nothing.
        lost = [(one, p) for one, p in open_ if one.p is not None and one.p <= self.alpha]
        if lost:
            told = _amounts(lost, signed=True)
            clauses.append(Bilingual(f"differs only before correction: {told.en}", f"仅在校正前有差异：{told.zh}"))
        rest = [pair for pair in open_ if pair not in lost]
        if rest:
            told = _amounts(rest, signed=True)
            clauses.append(Bilingual(f"shows no evidence of a difference: {told.en}", f"未见差异的证据：{told.zh}"))
        refused = [one for one, _ in members if one.problem is not None]
        clauses += [
            Bilingual(f"has no test of {one.part} ({one.problem.en})", f"{one.part} 未检验（{one.problem.zh}）")
            for one in refused
            if one.problem is not None
        ]
        english = "; ".join(clause.en for clause in clauses)
        chinese = "；".join(clause.zh for clause in clauses)
        where, pair = in_words(members[0][0].by), members[0][0].pair
        return Bilingual(
            f"{where.en}: {pair[1]} against {pair[0]} {english}.",
            f"{where.zh}：{pair[1]} 与 {pair[0]} 相比，{chinese}。",
        )

    def layout(self) -> Layout:
        """Return pairs and measures as rows, the numbers as columns."""
        symbol = {"pearson": "r", "spearman": "ρ"}.get(self.coefficient, "r")
        names = (*self.by, "reference", "system", "part")
        correction = CORRECTIONS.get(self.family, CORRECTIONS["none"])
        return Layout(
            rows=names,
            statistics={
                FIRST: StatisticLabel(Bilingual(f"{symbol} of the first", f"第一系统的 {symbol}"), "number", 3),
                SECOND: StatisticLabel(Bilingual(f"{symbol} of the second", f"第二系统的 {symbol}"), "number", 3),
                DIFFERENCE: StatisticLabel(Bilingual("Difference", "差值"), "number", 3),
                ADJUSTED: StatisticLabel(Bilingual(f"p, {correction.en}", f"p（{correction.zh}）"), "p", 3),
                WILLIAMS: StatisticLabel(Bilingual("Williams' t", "Williams t"), "number", 2),
            },
            factors={
                **{name: RATING_FACTORS[name] for name in names if name in RATING_FACTORS},
                "reference": Bilingual("First", "第一系统"),
                "system": Bilingual("Second", "第二系统"),
            },
            levels=LEVEL_TITLES,
            # Many measures in many groups would fill pages: they are read from the table.
            figure="none" if self.by and len(self.parts) > 1 else "intervals",
            figure_statistics=(DIFFERENCE,),
        )

    def signature(self) -> Signature:
        """Return the arguments and the code of the modules that compute."""
        return constructor_signature(self).and_(generator="PCG64")


def check_pairs(pairs: Sequence[tuple[str, str]], systems: Sequence[str]) -> None:
    """Refuse pairs of systems that nobody has, and a system paired with itself."""
    if not pairs:
        raise UserError(
            "No pair of systems is named.",
            valid=f"Systems: {', '.join(systems)}.",
            remedy="Name pairs: pairs=[(FIRST, SECOND)]",
        )
    for pair in pairs:
        for system in pair:
            if system not in systems:
                raise unknown_name("system", system, systems)
        if pair[0] == pair[1]:
            raise UserError(f"'{pair[0]}' cannot be compared with itself.", valid="Two different systems.")


def _untestable(coefficient: str, scores: Floats) -> Bilingual | None:
    n = scores.shape[1]
    if n < FEWEST:
        return Bilingual(f"too few sentences for a test ({n})", f"句子过少，不足以检验（{n} 个）")
    between = coefficient_value("spearman" if coefficient == "spearman" else "pearson", scores[0], scores[1])
    if abs(between) > 1 - 1e-12:
        return Bilingual(
            "the two scores are the same but for scale, so that their correlations cannot differ",
            "两种分数除尺度外完全相同，相关不可能有差异",
        )
    return None


def _moves(one: Difference, adjusted: float | None, alpha: float) -> int:
    """Return 1 where the second is found higher, −1 where lower, 0 where nothing is found."""
    if adjusted is None or adjusted > alpha or one.value is None:
        return 0
    return 1 if one.value > 0 else -1


def _amounts(members: Sequence[tuple[Difference, float | None]], *, signed: bool = False) -> Bilingual:
    told = [_amount(one, p, signed=signed) for one, p in members]
    return Bilingual(listed(one.en for one in told).en, listed(one.zh for one in told).zh)


def _amount(one: Difference, adjusted: float | None, *, signed: bool) -> Bilingual:
    value = one.value or 0.0
    low, high = one.bounds
    if value < 0 and not signed:
        value, low, high = -value, None if high is None else -high, None if low is None else -low
    # Two decimals would not show on which side of 0 a bound lies.
    interval = "" if low is None or high is None else f" [{write_bounded(low, 3)}, {write_bounded(high, 3)}]"
    number = f"{write_bounded(value, 3)}{interval}"
    remarks = [one.part]
    if one.p is not None and adjusted is not None:
        remarks += [p_remark(one.p), _corrected(adjusted)]
    return Bilingual(f"{number} ({', '.join(remarks)})", f"{number}（{'，'.join(remarks)}）")


def _corrected(adjusted: float) -> str:
    text = write_p(adjusted)
    return f"p* {text}" if text.startswith("<") else f"p* = {text}"


# What users write among the analyses of a study.
rating_correlation_differences = RatingCorrelationDifferences
