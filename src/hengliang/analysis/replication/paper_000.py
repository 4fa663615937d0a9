"""Which statistics of paper 000 follow from its own tables of frequencies?

Likert frequencies, cut-offs, the median test and the Mann–Whitney test; what rests on paired ratings, which the paper
does not print, and how many items and ratings there are, is in `design_000`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import scipy

from hengliang.analysis.replication.claims import Recomputation, from_rounded, plain, yes_or_no
from hengliang.analysis.replication.published import Claim, Paper
from hengliang.analysis.replication.recovery import (
    Margins,
    explanations,
    neighbours,
    pooled_counts,
    possible_between,
    recovered_cells,
)
from hengliang.analysis.replication.verdicts import Printed, Recomputed
from hengliang.core.terms import Bilingual
from hengliang.statistics.contingency.tables import chi_squared
from hengliang.statistics.effect_sizes import phi_from_chi_squared
from hengliang.statistics.multiple_testing import adjust
from hengliang.statistics.ranks.mann_whitney import mann_whitney_test
from hengliang.statistics.ranks.samples import expand_counts
from hengliang.statistics.results import TestResult, write_bounded, write_p


def likert_mean(counts: Sequence[int]) -> float:
    """Return the mean of answers 1, 2, … with these frequencies."""
    return sum(answer * count for answer, count in enumerate(counts, start=1)) / sum(counts)


def _row_total(paper: Paper, claim: Claim) -> Recomputed:
    counts = paper.rows(claim.inputs["table"])[claim.inputs["row"]]
    return plain("sum of the seven frequencies", "七个频数之和", sum(counts))


def _likert_mean(paper: Paper, claim: Claim) -> Recomputed:
    table = claim.inputs["table"]
    counts = paper.rows(table)[claim.inputs["row"]]
    return plain(f"from the frequencies of Table {table}", f"据表 {table} 的频数", likert_mean(counts))


def _accuracy_of_itself(paper: Paper, claim: Claim) -> Recomputed:
    return plain("the corpus matches itself", "语料与自身必然一致", 100.0)


def _corpus_accuracy(paper: Paper, claim: Claim) -> Recomputed:
    matching = sum(paper.rows("3")["match"])
    share = 100 * matching / sum(map(sum, paper.rows("3").values()))
    return plain(
        f"needs the choices for the whole data set; of the choices rated, {share:.2f} % match (all three systems)",
        f"需要全部数据上的选择；被评分的选择中有 {share:.2f} % 匹配（三个系统合计）",
        None,
    )


def _weighted_accuracy(paper: Paper, claim: Claim) -> Recomputed:
    table = paper.tables[claim.inputs["table"]]
    weights = np.array(list(table["frequencies"].values()), dtype=float)
    inputs = [Printed.parse(text) for text in table["columns"][claim.inputs["column"]]]

    def weighted(values: Sequence[float]) -> float:
        return float(np.average(values, weights=weights))

    return from_rounded(weighted, inputs, Bilingual("mean of the four kinds, weighted", "四类的加权均值"))


def _pooled(paper: Paper, claim: Claim) -> tuple[int, ...]:
    return pooled_counts(paper, claim.inputs["table"], claim.inputs["rows"])


def _pooled_total(paper: Paper, claim: Claim) -> Recomputed:
    return plain("Table 2 without CORPUS", "表 2，不含 CORPUS", sum(_pooled(paper, claim)))


def _pooled_median(paper: Paper, claim: Claim) -> Recomputed:
    values = expand_counts(_pooled(paper, claim))
    return plain("median of Table 2 without CORPUS", "表 2（不含 CORPUS）的中位数", float(np.median(values)))


def _pooled_at_most(paper: Paper, claim: Claim) -> Recomputed:
    value = sum(_pooled(paper, claim)[: claim.inputs["cut_off"]])
    return plain("Table 2 without CORPUS", "表 2，不含 CORPUS", value)


def _pooled_above(paper: Paper, claim: Claim) -> Recomputed:
    value = sum(_pooled(paper, claim)[claim.inputs["cut_off"] :])
    return plain("Table 2 without CORPUS", "表 2，不含 CORPUS", value)


def _cell_between(paper: Paper, claim: Claim) -> Recomputed:
    cut_off = int(claim.inputs["cut_off"])
    cells = {at: found.cell for at, found in recovered_cells(paper).items() if at != cut_off}
    pooled = pooled_counts(paper, "2", paper.claim("median-test.n").inputs["rows"])
    low, high = possible_between(pooled, cells, cut_off)
    told = ", ".join(map(str, cells.values()))
    note = Bilingual(
        f"the recovered cells at the other cut-offs ({told}) leave {low} to {high}",
        f"其余切分点复原的单元格（{told}）允许 {low} 至 {high}",
    )
    return Recomputed(float(low), note, low, high, bound=True)


def table_test(paper: Paper, table: str, correction: str = "none", alpha: float = 0.05) -> TestResult:
    """Test a printed 2 × 2 table with Pearson's χ²."""
    rows = paper.rows(table)
    return chi_squared(list(rows.values()), correction=correction, names=tuple(rows), alpha=alpha)  # type: ignore[arg-type]


def _chi_squared(paper: Paper, claim: Claim) -> Recomputed:
    table = claim.inputs["table"]
    (a, b), (c, d) = paper.rows(table).values()
    printed = Printed.parse(claim.published)
    value = table_test(paper, table).statistic
    margins = Margins(a + b, a + c, a + b + c + d)
    if printed.agrees(value):
        return plain(f"from Table {table}", f"据表 {table}", value)
    other = recovered_cells(paper)[int(paper.tables[table]["cut_off"])]
    found, near = explanations(printed, margins), neighbours(printed, ((a, b), (c, d)))
    whole = [explanation for explanation in near if sum(map(sum, explanation.table)) == margins.total]
    return plain(
        f"no whole cell gives {printed.text} with these margins ({other.cell} gives {other.statistic:.2f}, {a} gives "
        f"{value:.2f}), with or without Yates, as G or with N − 1 ({len(found)} found); of all tables within 3 of "
        f"each cell {len(near)} give it, {len(whole)} of them with N = {margins.total}",
        f"在这些边际下没有整数单元格给出 {printed.text}（{other.cell} 得 {other.statistic:.2f}，{a} 得 {value:.2f}），"
        f"无论是否用 Yates 校正、G 或 N − 1（找到 {len(found)} 个）；"
        f"各单元格相差 3 以内的表中有 {len(near)} 个给出此值，其中 N = {margins.total} 的有 {len(whole)} 个",
        value,
    )


def _chi_squared_p(paper: Paper, claim: Claim) -> Recomputed:
    table = claim.inputs["table"]
    return plain(f"Pearson's χ² of Table {table}", f"表 {table} 的Pearson χ²", table_test(paper, table).p)


def _p_of_chi_squared(paper: Paper, claim: Claim) -> Recomputed:
    printed, df = Printed.parse(claim.inputs["chi_squared"]), int(claim.inputs["df"])

    def tail(values: Sequence[float]) -> float:
        return float(scipy.stats.chi2.sf(values[0], df))

    return from_rounded(tail, [printed], Bilingual("upper tail of χ²(1)", "χ²(1) 的上尾概率"))


def _phi(paper: Paper, claim: Claim) -> Recomputed:
    printed, n = Printed.parse(claim.inputs["chi_squared"]), int(claim.inputs["n"])

    def root(values: Sequence[float]) -> float:
        return phi_from_chi_squared(values[0], n).value

    return from_rounded(root, [printed], Bilingual("√(χ²/N)", "√(χ²/N)"))


def _phi_of_table(paper: Paper, claim: Claim) -> Recomputed:
    value = abs(table_test(paper, claim.inputs["table"]).effect("phi").value)
    return plain("√(χ²/N) with the χ² of Table 3", "√(χ²/N)，χ² 据表 3", value)


def _cut_off_chi_squared(paper: Paper, claim: Claim) -> Recomputed:
    found = recovered_cells(paper)[int(claim.inputs["cut_off"])]
    told = Bilingual(
        f"{found.cell} matching ratings; the next best cell, {found.runner_up}, gives {found.runner_up_statistic:.2f}",
        f"匹配评分 {found.cell} 个；次优单元格 {found.runner_up} 得 {found.runner_up_statistic:.2f}",
    )
    if found.printed.rounded_twice(found.statistic):
        told = Bilingual(
            told.en + f"; {found.statistic:.5f} becomes {found.printed.text} only when it is rounded twice",
            told.zh + f"；{found.statistic:.5f} 只有两次舍入才成为 {found.printed.text}",
        )
    return Recomputed(found.statistic, told)


def _cut_offs_bonferroni(paper: Paper, claim: Claim) -> Recomputed:
    p_values = [float(scipy.stats.chi2.sf(Printed.parse(text).low, 1)) for text in claim.inputs["chi_squared"]]
    adjusted = [p for p in adjust(p_values, "bonferroni") if p is not None]
    worst = max(adjusted)
    return plain(
        f"the largest p, times five, is {write_p(worst, 4)}",
        f"最大的 p 乘以五为 {write_p(worst, 4)}",
        yes_or_no(worst <= claim.inputs["alpha"]),
    )


def mann_whitney(paper: Paper, claim: Claim, alternative: str = "two-sided", alpha: float = 0.05) -> TestResult:
    """Run the Mann–Whitney test on one row of two tables of frequencies, as SPSS does."""
    row = claim.inputs["row"]
    first, second = (expand_counts(paper.rows(table)[row]) for table in claim.inputs["tables"])
    names = tuple(str(paper.tables[table]["group"]) for table in claim.inputs["tables"])
    return mann_whitney_test(
        first,
        second,
        method="asymptotic",
        names=(names[0], names[1]),
        alternative=alternative,
        alpha=alpha,
    )


def _mann_whitney_p(paper: Paper, claim: Claim) -> Recomputed:
    two_sided, one_sided = mann_whitney(paper, claim), mann_whitney(paper, claim, "greater")
    told = write_p(one_sided.p if one_sided.p is not None else math.nan)
    return plain(
        f"two-sided, though the hypothesis has a direction; one-sided p = {told}",
        f"双侧，而假设有方向；单侧 p = {told}",
        two_sided.p,
    )


def _mann_whitney_r(paper: Paper, claim: Claim) -> Recomputed:
    result = mann_whitney(paper, claim)
    return plain(f"z/√N, N = {result.n}", f"z/√N，N = {result.n}", abs(result.effect("r").value))


def _direction(paper: Paper, claim: Claim) -> Recomputed:
    means = {row: likert_mean(paper.rows(claim.inputs["table"])[row]) for row in claim.inputs["rows"]}
    return _ordered(means)


def _direction_between_tables(paper: Paper, claim: Claim) -> Recomputed:
    tables, row = claim.inputs["tables"], claim.inputs["row"]
    return _ordered({str(paper.tables[t]["group"]): likert_mean(paper.rows(t)[row]) for t in tables})


def _ordered(means: Mapping[str, float]) -> Recomputed:
    (higher, high), (lower, low) = sorted(means.items(), key=lambda pair: -pair[1])
    return plain(f"means {high:.3f} and {low:.3f}", f"均值 {high:.3f} 与 {low:.3f}", f"{higher} > {lower}")


def _correlation_bounds(paper: Paper, claim: Claim) -> Recomputed:
    tables = claim.inputs["tables"]
    first, second = (np.sort(expand_counts(pooled_counts(paper, t, list(paper.rows(t))))) for t in tables)
    high, low = (float(_rank_correlation(first, other)) for other in (second, second[::-1]))
    return Recomputed(
        high,
        Bilingual(
            f"needs the pairs of ratings; the frequencies alone allow {write_bounded(low)} to {write_bounded(high)}",
            f"需要成对的评分；仅凭频数允许 {write_bounded(low)} 至 {write_bounded(high)}",
        ),
        low,
        high,
        bound=True,
    )


def _rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.corrcoef(scipy.stats.rankdata(first), scipy.stats.rankdata(second))[0, 1])


def _effect_label(paper: Paper, claim: Claim) -> Recomputed:
    value = abs(Printed.parse(claim.inputs["effect"]).value)
    fitting = [label for label, (low, high) in paper.facts["effect_labels"].items() if low <= value < high]
    label = claim.published if claim.published in fitting else fitting[0]
    others = [name for name in fitting if name != label]
    note = Bilingual("Cohen's .10, .30, .50", "Cohen 的 .10、.30、.50")
    if others:
        note = Bilingual(
            f"{note.en}; the paper has two words for .10 to .30, and calls .14 small and .19 small-medium",
            f"{note.zh}；论文对 .10 至 .30 用两个词，称 .14 为 small、.19 为 small-medium",
        )
    return Recomputed(label, note, bound=bool(others))


KINDS: Mapping[str, Recomputation] = {
    "row_total": _row_total,
    "likert_mean": _likert_mean,
    "accuracy_of_itself": _accuracy_of_itself,
    "corpus_accuracy": _corpus_accuracy,
    "weighted_accuracy": _weighted_accuracy,
    "pooled_total": _pooled_total,
    "pooled_median": _pooled_median,
    "pooled_at_most": _pooled_at_most,
    "pooled_above": _pooled_above,
    "cell_between": _cell_between,
    "chi_squared": _chi_squared,
    "chi_squared_p": _chi_squared_p,
    "p_of_chi_squared": _p_of_chi_squared,
    "phi": _phi,
    "phi_of_table": _phi_of_table,
    "cut_off_chi_squared": _cut_off_chi_squared,
    "cut_offs_bonferroni": _cut_offs_bonferroni,
    "mann_whitney_p": _mann_whitney_p,
    "mann_whitney_r": _mann_whitney_r,
    "direction": _direction,
    "direction_between_tables": _direction_between_tables,
    "correlation_bounds": _correlation_bounds,
    "effect_label": _effect_label,
}
"""How each kind of claim of paper 000 about frequencies is recomputed."""
