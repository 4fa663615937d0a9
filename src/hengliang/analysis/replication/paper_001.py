"""Which statistics of paper 001 follow from the readers, scenes, swaps and regressions that it prints?

What rests on the standard deviations of Tables 4 and 5 is in `spread_001`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from hengliang.analysis.replication.claims import Recomputation, from_rounded, plain, yes_or_no
from hengliang.analysis.replication.published import Claim, Paper
from hengliang.analysis.replication.swaps import (
    experiment_of,
    greatest_swaps,
    swap_cell,
    swap_counts,
    swaps_between,
)
from hengliang.analysis.replication.verdicts import Printed, Recomputed
from hengliang.core.terms import Bilingual
from hengliang.statistics.effect_sizes import cohen_r_squared_label


def _list_length(paper: Paper, claim: Claim) -> Recomputed:
    return plain("rows of appendix A", "附录 A 的行数", len(paper.facts[claim.inputs["fact"]]))


def _list_mean(paper: Paper, claim: Claim) -> Recomputed:
    values = paper.facts[claim.inputs["fact"]]
    return plain(f"{sum(values)}/{len(values)}", f"{sum(values)}/{len(values)}", sum(values) / len(values))


def _list_sum(paper: Paper, claim: Claim) -> Recomputed:
    return plain("counted in appendix A", "在附录 A 中计数", sum(paper.facts[claim.inputs["fact"]]))


def count_pairs(paper: Paper, experiment: str) -> int:
    """Return how many scenes with a description an experiment has: scenes × models."""
    return int(sum(paper.facts[experiment]["scenes"])) * len(paper.facts[experiment]["models"])


def _pairs(paper: Paper, claim: Claim) -> Recomputed:
    facts = paper.facts[claim.inputs["experiment"]]
    shown = f"({' + '.join(map(str, facts['scenes']))}) × {len(facts['models'])}"
    return plain(
        f"scenes × models: {shown}", f"场景数 × 模型数：{shown}", count_pairs(paper, claim.inputs["experiment"])
    )


def _pairs_listed(paper: Paper, claim: Claim) -> Recomputed:
    table = paper.tables[claim.inputs["table"]]
    first, last = table["first_id"], table["last_id"]
    listed = sum(map(len, table["columns"].values()))
    note = Bilingual(f"entries {first} to {last}", f"编号 {first} 至 {last}")
    if str(last) == claim.published != str(listed):
        note = Bilingual(f"{note.en}: {last} is the last id", f"{note.zh}：{last} 是最后一个编号")
    return Recomputed(listed, note)


def _pairs_per_model(paper: Paper, claim: Claim) -> Recomputed:
    return plain("scenes of all sizes", "各规模的场景数", sum(paper.facts[claim.inputs["experiment"]]["scenes"]))


def _pairs_per_reader(paper: Paper, claim: Claim) -> Recomputed:
    names = claim.inputs["experiments"]
    shown = sum(count_pairs(paper, name) * paper.facts[name]["readers"] for name in names)
    readers = paper.facts["participants"]
    each = f"{shown // readers}" if shown % readers == 0 else f"{shown // readers}-{shown // readers + 1}"
    return plain(f"{shown} reconstructions by {readers} readers", f"{readers} 位读者，{shown} 次重构", each)


def _said_elsewhere(paper: Paper, claim: Claim) -> Recomputed:
    where = claim.inputs["elsewhere"]
    return plain(f"what section {where} says", f"第 {where} 节的说法", Printed.parse(claim.inputs["other"]).value)


def _headers(paper: Paper, claim: Claim) -> Recomputed:
    facts, table = paper.facts[claim.inputs["experiment"]], paper.tables[claim.inputs["table"]]
    entries = [len(column) for column in table["columns"].values()]
    return plain(
        f"the sizes of experiment A; {', '.join(map(str, entries))} entries are its pairs at each size",
        f"实验 A 的规模；{'、'.join(map(str, entries))} 个数值即各规模的配对数",
        ", ".join(map(str, facts["sizes"])),
    )


def _swap_count(paper: Paper, claim: Claim) -> Recomputed:
    example = paper.facts[claim.inputs["scene"]]
    return plain(
        "half the absolute differences", "绝对差之和的一半", swaps_between(example["scene"], example["answer"])
    )


def _swap_maximum(paper: Paper, claim: Claim) -> Recomputed:
    scene = paper.facts[claim.inputs["scene"]]["scene"]
    return plain(
        f"n less the smallest count, {sum(scene)} − {min(scene)}; it is n only where a kind is absent",
        f"n 减去最小数目，{sum(scene)} − {min(scene)}；只有缺少某类时才等于 n",
        greatest_swaps(scene),
    )


def _swap_cell(paper: Paper, claim: Claim) -> Recomputed:
    cell = swap_cell(paper, claim.inputs["experiment"], int(claim.inputs["size"]))
    swaps = cell.swaps(claim.published)
    shown = f"{swaps}/({cell.pairs} × {cell.readers} × {cell.size})"
    return plain(f"swaps: {shown}", f"交换次数：{shown}", cell.percentage(swaps))


def _swap_copied(paper: Paper, claim: Claim) -> Recomputed:
    table = paper.tables[claim.inputs["table"]]
    place = table["sizes"].index(claim.inputs["size"])
    text = table["cells"][claim.inputs["model"]][place]
    return plain(f"Table {claim.inputs['table']}", f"表 {claim.inputs['table']}", Printed.parse(text).value)


def _swap_total(paper: Paper, claim: Claim) -> Recomputed:
    size, counts = int(claim.inputs["size"]), swap_counts(paper, claim.inputs["table"])
    swaps = [of_model[size] for of_model in counts.values()]
    cell = swap_cell(paper, experiment_of(paper, size), size, len(swaps))
    value = cell.percentage(sum(swaps))
    shown = f"({' + '.join(map(str, swaps))})/{cell.most}"
    note = Bilingual(f"swaps: {shown}", f"交换次数：{shown}")
    if not Printed.parse(claim.published).agrees(value):
        note = Bilingual(
            f"{note.en}; the printed total counts the human descriptions of Table 2, which this table leaves out",
            f"{note.zh}；所印合计包含表 2 中的人类描述，而本表未列",
        )
    return Recomputed(value, note)


def swap_totals(paper: Paper, table: str) -> dict[int, int]:
    """Return the swaps of all models of a table together, by size."""
    counts = swap_counts(paper, table)
    return {size: sum(of_model[size] for of_model in counts.values()) for size in paper.tables[table]["sizes"]}


def _swaps_rise(paper: Paper, claim: Claim) -> Recomputed:
    table = claim.inputs["table"]
    models = len(paper.tables[table]["cells"])
    percentages, rates = [], []
    for size, swaps in swap_totals(paper, table).items():
        cell = swap_cell(paper, experiment_of(paper, size), size, models)
        percentages.append(cell.percentage(swaps))
        rates.append(swaps / (cell.pairs * cell.readers))
    values = percentages if claim.inputs["per"] == "percentage" else rates
    shown = ", ".join(f"{value:.2f}" for value in rates)
    percent = ", ".join(f"{value:.2f} %" for value in percentages)
    return plain(
        f"swaps a reconstruction: {shown}; of n: {percent}",
        f"每次重构的交换次数：{shown}；占 n 的比例：{percent}",
        yes_or_no(rising(values)),
    )


def rising(values: Sequence[float]) -> bool:
    """Return whether every value is above the one before it."""
    return all(one < other for one, other in itertools.pairwise(values))


def _percentages(paper: Paper, table: str, model: str, sizes: Sequence[int] | None = None) -> list[float]:
    printed = paper.tables[table]
    chosen = printed["sizes"] if sizes is None else sizes
    texts = printed["totals"] if model == "total" else printed["cells"][model]
    return [Printed.parse(texts[printed["sizes"].index(size)]).value for size in chosen]


def _percentage_falls(paper: Paper, claim: Claim) -> Recomputed:
    before, after = _percentages(paper, claim.inputs["table"], "total", claim.inputs["sizes"])
    return plain(f"{before:g} % and {after:g} %", f"{before:g} % 与 {after:g} %", yes_or_no(after < before))


def _model_rises(paper: Paper, claim: Claim) -> Recomputed:
    values = _percentages(paper, claim.inputs["table"], claim.inputs["model"])
    shown = ", ".join(f"{value:g} %" for value in values)
    return plain(shown, shown, yes_or_no(rising(values)))


def _model_above(paper: Paper, claim: Claim) -> Recomputed:
    above, below = (
        _percentages(paper, claim.inputs["table"], m, claim.inputs["sizes"]) for m in claim.inputs["models"]
    )
    pairs = list(zip(above, below, strict=True))
    shown = ", ".join(f"{one:g} > {other:g}" for one, other in pairs)
    return plain(shown, shown, yes_or_no(all(one > other for one, other in pairs)))


def _regression_error(paper: Paper, claim: Claim) -> Recomputed:
    printed = paper.facts["regressions"][claim.inputs["experiment"]]
    texts = (
        printed["informativity"]["error"],
        printed["informativity"]["r_squared"],
        printed["correctness"]["r_squared"],
    )
    inputs = [Printed.parse(text) for text in texts]
    note = Bilingual(
        "both regressions explain the same swaps, so s² goes with 1 − R²",
        "两个回归解释同一交换率，故 s² 与 1 − R² 成正比",
    )
    found = from_rounded(_error_beside, inputs, note)
    target = Printed.parse(claim.published)
    if target.agrees(*found.ends()):
        return found
    other = 1 - (target.value / inputs[0].value) ** 2 * (1 - inputs[1].value)
    first = 1 - (inputs[0].value / target.value) ** 2 * (1 - inputs[2].value)
    note = Bilingual(
        f"{note.en}; with s = {target.text} R² would be {other:.2f} for correctness, or {first:.2f} for informativity",
        f"{note.zh}；s = {target.text} 时正确性的 R² 应为 {other:.2f}，或信息量的 R² 应为 {first:.2f}",
    )
    return Recomputed(found.value, note, found.low, found.high)


def _error_beside(values: Sequence[float]) -> float:
    error, r_squared, other = values
    return error * math.sqrt((1 - other) / (1 - r_squared))


def _r_squared_label(paper: Paper, claim: Claim) -> Recomputed:
    value = Printed.parse(claim.inputs["r_squared"]).value
    return plain(
        "Cohen's .02, .13, .26; the thesis has .16",
        "Cohen 的 .02、.13、.26；论文用 .16",
        cohen_r_squared_label(value).en,
    )


def _r_squared_border(paper: Paper, claim: Claim) -> Recomputed:
    f_squared = paper.facts["cohen_f_squared"][claim.inputs["label"]]
    return plain(f"f² = {f_squared:g}", f"f² = {f_squared:g}", f_squared / (1 + f_squared))


KINDS: Mapping[str, Recomputation] = {
    "list_length": _list_length,
    "list_mean": _list_mean,
    "list_sum": _list_sum,
    "pairs": _pairs,
    "pairs_listed": _pairs_listed,
    "pairs_per_model": _pairs_per_model,
    "pairs_per_reader": _pairs_per_reader,
    "said_elsewhere": _said_elsewhere,
    "headers": _headers,
    "swap_count": _swap_count,
    "swap_maximum": _swap_maximum,
    "swap_cell": _swap_cell,
    "swap_copied": _swap_copied,
    "swap_total": _swap_total,
    "swaps_rise": _swaps_rise,
    "percentage_falls": _percentage_falls,
    "model_rises": _model_rises,
    "model_above": _model_above,
    "regression_error": _regression_error,
    "r_squared_label": _r_squared_label,
    "r_squared_border": _r_squared_border,
}
"""How each kind of claim of paper 001 about its design, its swaps and its regressions is recomputed."""
