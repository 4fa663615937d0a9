"""Which statistics of paper 001 follow from the standard deviations that it prints?

The analyses of variance and Tukey's comparisons of Tables 4 and 5, what an entry of these tables is, and how small the
p-values of section 5.1 can be, for which the data are not printed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
import scipy

from hengliang.analysis.replication.claims import Recomputation, from_rounded, plain
from hengliang.analysis.replication.paper_001 import swap_totals
from hengliang.analysis.replication.published import Claim, Paper
from hengliang.analysis.replication.swaps import ModelSpread, model_spread, swap_cell, swap_counts, two_reader_distance
from hengliang.analysis.replication.verdicts import Printed, Recomputed
from hengliang.core.terms import Bilingual
from hengliang.statistics.results import write_df, write_p
from hengliang.statistics.variance.anova import one_way_anova
from hengliang.statistics.variance.tukey import tukey_hsd

FLOOR, CAP = 0.001, 0.900
"""Between these an approximation of the studentised range in older software gives p; beyond them it repeats them."""


def printed_columns(paper: Paper, table: str) -> list[list[Printed]]:
    """Return the entries of a table of standard deviations, printed with three decimals whose zeros are left away."""
    columns = paper.columns(table).values()
    return [[Printed.parse(f"{Printed.parse(text).value:.3f}") for text in column] for column in columns]


def columns_of(paper: Paper, table: str) -> dict[str, list[float]]:
    """Return the entries of a table of standard deviations as numbers, by size."""
    return {size: [Printed.parse(text).value for text in column] for size, column in paper.columns(table).items()}


def _column_mean(paper: Paper, claim: Claim) -> Recomputed:
    place = list(paper.columns(claim.inputs["table"])).index(claim.inputs["column"])
    inputs = printed_columns(paper, claim.inputs["table"])[place]
    note = Bilingual(f"mean of {len(inputs)} entries", f"{len(inputs)} 个数值的均值")
    return from_rounded(_mean, inputs, note, exact_zeros=True)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _anova_p(paper: Paper, claim: Claim) -> Recomputed:
    columns = printed_columns(paper, claim.inputs["table"])
    borders = np.cumsum([len(column) for column in columns])[:-1]

    def p_value(values: Sequence[float]) -> float:
        return float(scipy.stats.f_oneway(*np.split(np.array(values), borders)).pvalue)

    inputs = list(itertools.chain.from_iterable(columns))
    found = from_rounded(p_value, inputs, Bilingual("", ""), exact_zeros=True)
    low, high = found.ends()
    test = one_way_anova(*columns_of(paper, claim.inputs["table"]).values())
    shown = f"F({write_df(test.df)}) = {test.statistic:.2f}"
    note = Bilingual(
        f"{shown}; the three printed decimals leave p from {low:.4g} to {high:.4g}",
        f"{shown}；所印三位小数允许 p 介于 {low:.4g} 与 {high:.4g}",
    )
    return Recomputed(test.p, note, low, high)


def tukey_p_values(paper: Paper, table: str) -> dict[tuple[str, str], float]:
    """Return the p-values of Tukey's test between the sizes of a table of standard deviations."""
    columns = columns_of(paper, table)
    found = tukey_hsd(*columns.values(), names=tuple(columns))
    return {pair: result.p or 0.0 for pair, result in zip(itertools.combinations(columns, 2), found, strict=True)}


def _tukey_p(paper: Paper, claim: Claim) -> Recomputed:
    first, second = claim.inputs["pair"]
    value = tukey_p_values(paper, claim.inputs["table"])[first, second]
    printed = Printed.parse(claim.published)
    note = Bilingual("studentised range", "学生化极差分布")
    if value < FLOOR and printed.value == FLOOR:
        note = Bilingual(
            "the printed .001 is the floor of an approximation in older software", "所印 .001 是旧软件近似算法的下限"
        )
    elif value > CAP and printed.value == CAP:
        note = Bilingual(
            "the printed .900 is the cap of an approximation in older software", "所印 .900 是旧软件近似算法的上限"
        )
    elif not printed.agrees(value):
        note = Bilingual(
            "the same approximation, which interpolates between tabled quantiles, gives the printed value",
            "同一近似算法（在表列分位数之间插值）给出所印数值",
        )
    return Recomputed(value, note)


def _insignificant_pair(paper: Paper, claim: Claim) -> Recomputed:
    found = tukey_p_values(paper, claim.inputs["table"])
    pairs = [f"{first} and {second}" for (first, second), p in found.items() if p > claim.inputs["alpha"]]
    told = "; ".join(f"{first}–{second}: {p:.3g}" for (first, second), p in found.items())
    return plain(f"Tukey's p: {told}", f"Tukey 检验 p：{told}", "; ".join(pairs))


def _spread_definition(paper: Paper, claim: Claim) -> Recomputed:
    """Decide between a mean and a sum of four standard deviations by the swaps that either would imply.

    Two readers whose deviations add up to s·√2 are s swaps apart, so together they made at least s swaps. If an entry
    were the mean of the four kinds, its sum would be four times as large, and so would be the swaps.
    """
    size = next(iter(columns_of(paper, claim.inputs["table"])))
    entries = columns_of(paper, claim.inputs["table"])[size]
    as_sum = sum(round(two_reader_distance(entry)) for entry in entries)
    counted = swap_totals(paper, claim.inputs["swaps"])[int(size)]
    return plain(
        f"at n = {size} the readers of a pair are {as_sum} swaps apart in all if entries are sums, {4 * as_sum} if "
        f"they are means; Table {claim.inputs['swaps']} has {counted} swaps there",
        f"n = {size} 时，若数值为和，则同一配对的读者共相差 {as_sum} 次交换，若为均值则为 {4 * as_sum} 次；"
        f"表 {claim.inputs['swaps']} 中只有 {counted} 次",
        "sum" if as_sum <= counted < 4 * as_sum else "mean",
    )


def smallest_p(first: ModelSpread, second: ModelSpread, readers: int = 1) -> float:
    """Return the least p that a comparison of two models can have, given what their sizes' means are.

    With `readers` above 1 each reconstruction counts as an observation, else each pair. The variance within the models
    is at least that between the sizes, which bounds t from above.
    """
    n = first.pairs * readers
    df = 2 * n - 2
    variance = readers * (first.least_squares + second.least_squares) / df
    statistic = abs(first.mean - second.mean) / math.sqrt(variance * 2 / n)
    return float(2 * scipy.stats.t.sf(statistic, df))


def model_spreads(paper: Paper) -> dict[str, ModelSpread]:
    """Return the mean and the least spread of every model of experiment A."""
    return {
        model: model_spread(
            paper, "A", {size: swap_cell(paper, "A", size).percentage(count) for size, count in counts.items()}
        )
        for model, counts in swap_counts(paper, "2").items()
    }


def _model_anova_p(paper: Paper, claim: Claim) -> Recomputed:
    spreads, readers = model_spreads(paper), paper.facts["A"]["readers"]
    human, model = spreads["Human"], spreads[claim.inputs["model"]]
    by_pairs, by_readers = smallest_p(human, model), smallest_p(human, model, readers)
    pairs, all_of = human.pairs, human.pairs * readers
    told = Bilingual(
        f"needs the swaps of every pair; means {human.mean:.2f} % and {model.mean:.2f} %; with {all_of} "
        f"reconstructions a model Table 2 leaves p ≥ {write_p(by_readers)}, with {pairs} pairs p ≥ {write_p(by_pairs)}",
        f"需要每一配对的交换次数；均值 {human.mean:.2f} % 与 {model.mean:.2f} %；"
        f"每模型 {all_of} 次重构时表 2 允许 p ≥ {write_p(by_readers)}，{pairs} 个配对时 p ≥ {write_p(by_pairs)}",
    )
    if by_pairs > Printed.parse(claim.published).high:
        told = Bilingual(told.en + ": pairs were not what was counted", told.zh + "：计数单位不是配对")
    return Recomputed(by_readers, told, by_readers, None, bound=True)


KINDS: Mapping[str, Recomputation] = {
    "column_mean": _column_mean,
    "anova_p": _anova_p,
    "tukey_p": _tukey_p,
    "insignificant_pair": _insignificant_pair,
    "spread_definition": _spread_definition,
    "model_anova_p": _model_anova_p,
}
"""How each kind of claim of paper 001 about spreads and models is recomputed."""
