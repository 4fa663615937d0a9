"""Do the numbers of items, ratings and pairs in paper 000 agree, and do p and r of its paired tests?

The paired ratings are not printed, so the Wilcoxon tests cannot be run again. But r = z/√N ties p, r and N together:
each pair of a printed p and r can be checked, and where p is only bounded, r is too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import scipy

from hengliang.analysis.replication.claims import Recomputation, from_rounded, plain, yes_or_no
from hengliang.analysis.replication.published import Claim, Paper
from hengliang.analysis.replication.verdicts import Printed, Recomputed
from hengliang.core.terms import Bilingual
from hengliang.statistics.effect_sizes import r_from_z
from hengliang.statistics.multiple_testing import adjust
from hengliang.statistics.results import write_bounded, write_p


def _items_with_choices(paper: Paper, claim: Claim) -> Recomputed:
    choices = claim.inputs["choices"]
    sentences = paper.facts[claim.inputs["experiment"]]["sentences_by_choices"][choices]
    return plain(f"{choices} × {sentences}", f"{choices} × {sentences}", int(choices) * sentences)


def count_items(sentences_by_choices: Mapping[str, int]) -> int:
    """Return how many different items there are when each sentence has so many different choices."""
    return sum(int(choices) * sentences for choices, sentences in sentences_by_choices.items())


def _items(paper: Paper, claim: Claim) -> Recomputed:
    tally = paper.facts[claim.inputs["experiment"]]["sentences_by_choices"]
    shown = " + ".join(f"{choices} × {sentences}" for choices, sentences in tally.items())
    return plain(shown, shown, count_items(tally))


def _items_in_file(paper: Paper, claim: Claim) -> Recomputed:
    file = paper.facts[claim.inputs["file"]]
    shared, rows = file["sentences_in_appendix_A"], file["rows"]
    return plain(
        f"the sheet 'Experiment 1' of the published workbook, {shared} of whose {rows} sentences stand in appendix A",
        f"已公开工作簿的工作表 Experiment 1，其 {rows} 句中有 {shared} 句见于附录 A",
        count_items(file["sentences_by_choices"]),
    )


def _items_per_version(paper: Paper, claim: Claim) -> Recomputed:
    facts = paper.facts[claim.inputs["experiment"]]
    versions, items = len(facts["raters_by_version"]), facts["items"]
    each = f"{items // versions}-{-(-items // versions)}"
    note = Bilingual(f"{items} items in {versions} versions", f"{items} 个条目分为 {versions} 版")
    if each != claim.published:
        first, last = (int(end) * versions for end in claim.published.split("-"))
        note = Bilingual(
            f"{note.en}; {claim.published} items would make {first} to {last}",
            f"{note.zh}；每版 {claim.published} 个则共 {first} 至 {last} 个",
        )
    return Recomputed(each, note)


def _appendix_tally(paper: Paper, claim: Claim) -> Recomputed:
    choices = claim.inputs["choices"]
    if claim.inputs["appendix"] == "appendix_B":
        counted = sum(group["sentences_by_choices"][choices] for group in paper.facts["appendix_B"].values())
        return plain("counted in appendix B, all 200 rows", "在附录 B 全部 200 行中计数", counted)
    appendix = paper.facts["appendix_A"]
    seen = appendix["sentences_by_choices"][choices]
    unseen = paper.facts["experiment_1"]["sentences"] - appendix["rows"]
    note = Bilingual(
        f"{seen} among the {appendix['rows']} legible rows of appendix A; {unseen} rows are not legible",
        f"附录 A 可读的 {appendix['rows']} 行中有 {seen} 个；另有 {unseen} 行无法辨读",
    )
    return Recomputed(float(seen), note, seen, seen + unseen, bound=True)


def even_split(sentences: int, raters: Sequence[int], ratings: int) -> tuple[int, ...] | None:
    """Return the most even split of sentences over versions that gives so many ratings, if there is one."""
    middle = sentences // len(raters)
    if not sentences * min(raters) <= ratings <= sentences * max(raters):
        return None
    for reach in range(sentences):
        around = range(max(0, middle - reach), middle + reach + 1)
        for split in itertools.product(around, repeat=len(raters) - 1):
            last = sentences - sum(split)
            given = sum(part * readers for part, readers in zip((*split, last), raters, strict=True))
            if last in around and given == ratings:
                return (*split, last)
    return None


def _ratings_per_system(paper: Paper, claim: Claim) -> Recomputed:
    raters = paper.facts[claim.inputs["experiment"]]["raters_by_version"]
    sentences = int(claim.inputs["sentences"])
    if len(set(raters)) == 1:
        return plain(f"{sentences} × {raters[0]}", f"{sentences} × {raters[0]}", sentences * raters[0])
    split = even_split(sentences, raters, int(claim.published))
    told = ", ".join(map(str, split or ()))
    note = Bilingual(
        f"the split over versions is not printed; {told} sentences would give it",
        f"各版的句子数未印出；{told} 句可得此数",
    )
    return Recomputed(
        float(sentences * min(raters)), note, sentences * min(raters), sentences * max(raters), bound=True
    )


def _matching_ratings(paper: Paper, claim: Claim) -> Recomputed:
    facts, raters = paper.facts[claim.inputs["experiment"]], int(claim.inputs["raters"])
    compared = facts["compared_systems"]
    tally = {int(choices): sentences for choices, sentences in facts["sentences_by_choices"].items()}
    low = raters * compared * tally[1]
    high = raters * sum((compared + 1 - choices) * sentences for choices, sentences in tally.items())
    note = Bilingual(
        "every choice of a sentence with one choice matches, none of one with as many choices as systems does",
        "只有一种选择的句子全部匹配，选择数与系统数相同的句子全不匹配",
    )
    return Recomputed(float(low), note, low, high, bound=True)


def _matching_ratings_appendix(paper: Paper, claim: Claim) -> Recomputed:
    appendix, raters = paper.facts["appendix_A"], int(claim.inputs["raters"])
    seen = sum(appendix["matches"].values())
    unseen = len(appendix["matches"]) * (paper.facts["experiment_1"]["sentences"] - appendix["rows"])
    note = Bilingual(
        f"{seen} matches in the {appendix['rows']} legible rows, two ratings each",
        f"可读的 {appendix['rows']} 行中有 {seen} 个匹配，每个两份评分",
    )
    return Recomputed(float(raters * seen), note, raters * seen, raters * (seen + unseen), bound=True)


def _matching_ratings_file(paper: Paper, claim: Claim) -> Recomputed:
    matches = paper.facts["data_file_experiment_1"]["matches"]
    return plain(
        f"{sum(matches.values())} matches in the published workbook, two ratings each",
        f"已公开工作簿中有 {sum(matches.values())} 个匹配，每个两份评分",
        int(claim.inputs["raters"]) * sum(matches.values()),
    )


def p_of_r(r: float, n: int) -> float:
    """Return the two-sided p that r = z/√N stands for."""
    return float(2 * scipy.stats.norm.sf(abs(r) * math.sqrt(n)))


def _p_from_r(paper: Paper, claim: Claim) -> Recomputed:
    r, n = Printed.parse(claim.inputs["r"]), int(claim.inputs["n"])
    low, high = p_of_r(r.high, n), p_of_r(r.low, n)
    note = Bilingual(
        f"the test needs the paired ratings; r = {r.text} with N = {n} leaves p {_p_range(low, high)}",
        f"检验需要成对的评分；r = {r.text}、N = {n} 时 p {_p_range(low, high)}",
    )
    return Recomputed(p_of_r(r.value, n), note, low, high, bound=True)


def _p_range(low: float, high: float) -> str:
    return f"{write_p(low)}" if write_p(low) == write_p(high) else f"{write_p(low)} … {write_p(high)}"


def r_of_p(p: float, n: int) -> float:
    """Return r = z/√N for a two-sided p."""
    return r_from_z(float(scipy.stats.norm.isf(p / 2)), n).value


def _r_from_p(paper: Paper, claim: Claim) -> Recomputed:
    p, n = Printed.parse(claim.inputs["p"]), int(claim.inputs["n"])
    aside = _informative(paper, claim.inputs, n)
    if p.relation == "<":
        low = r_of_p(p.value, n)
        note = Bilingual(f"p {p.text} with {n} pairs{aside.en}", f"p {p.text}，{n} 对{aside.zh}")
        return Recomputed(low, note, low, None, bound=True)
    doubled = r_of_p(p.value, 2 * n)
    note = Bilingual(
        f"p = {p.text} with {n} pairs; with 2 × {n} ratings it would be {write_bounded(doubled)}{aside.en}",
        f"p = {p.text}，{n} 对；若按 2 × {n} 个评分则为 {write_bounded(doubled)}{aside.zh}",
    )

    def effect(values: Sequence[float]) -> float:
        return r_of_p(values[0], n)

    return from_rounded(effect, [p], note)


def informative_pairs(paper: Paper, inputs: Mapping[str, Any]) -> int | None:
    """Return how many pairs can differ at most: those of the sentences for which the two systems chose differently."""
    if "differing" not in inputs:
        return None
    sentences = paper.facts["appendix_B"][inputs["group"]]["differing"][inputs["differing"]]
    return int(sentences) * int(max(paper.facts["experiment_2"]["raters_by_version"]))


def _informative(paper: Paper, inputs: Mapping[str, Any], n: int) -> Bilingual:
    pairs = informative_pairs(paper, inputs)
    if pairs is None or pairs >= n:
        return Bilingual("", "")
    return Bilingual(f"; at most {pairs} of the pairs can differ", f"；至多 {pairs} 对可能不同")


def _bonferroni_threshold(paper: Paper, claim: Claim) -> Recomputed:
    alpha, size = claim.inputs["alpha"], claim.inputs["size"]
    return plain(f"{alpha:g}/{size}", f"{alpha:g}/{size}", alpha / size)


def _family_decision(paper: Paper, claim: Claim) -> Recomputed:
    members = {name: Printed.parse(text) for name, text in claim.inputs["family"].items()}
    values, place = [printed.value for printed in members.values()], list(members).index(claim.inputs["member"])
    alpha, size = claim.inputs["alpha"], len(members)
    printed = members[claim.inputs["member"]]
    told = {name: adjust(values, name)[place] or 0.0 for name in ("none", "bonferroni", "holm")}
    decided = yes_or_no(told[claim.inputs["method"]] <= alpha)
    sign = "" if printed.relation == "=" else f"{printed.relation} "
    shown = {name: sign + write_p(value) for name, value in told.items()}
    shown["none"] = f"{printed.relation} {write_p(told['none'])}"
    note = Bilingual(
        f"p {shown['none']}; Bonferroni over {size}: {shown['bonferroni']}, Holm: {shown['holm']}",
        f"p {shown['none']}；{size} 项 Bonferroni：{shown['bonferroni']}，Holm：{shown['holm']}",
    )
    if decided != claim.published:
        aside = _which_threshold(told, alpha, size)
        note = Bilingual(note.en + aside.en, note.zh + aside.zh)
    return Recomputed(decided, note)


def _which_threshold(told: Mapping[str, float], alpha: float, size: int) -> Bilingual:
    """Say under which correction a finding that is called insignificant without any would be so."""
    if told["bonferroni"] <= alpha:
        return Bilingual(
            "; 6.5.2 names no threshold, and only the .010 of the five hypotheses makes it insignificant",
            "；6.5.2 未说明阈值，只有五个假设的 .010 才使其不显著",
        )
    return Bilingual(
        f"; 6.5.2 names no threshold; it is insignificant only if the {size} tests are taken as a family",
        f"；6.5.2 未说明阈值；只有把这 {size} 项检验视为一族才不显著",
    )


def _correlation_df(paper: Paper, claim: Claim) -> Recomputed:
    pairs = sum(map(sum, paper.rows(claim.inputs["table"]).values()))
    if "group" in claim.inputs:
        group = paper.facts["appendix_B"][claim.inputs["group"]]
        items, sentences = count_items(group["sentences_by_choices"]), group["rows"]
    else:
        facts = paper.facts[claim.inputs["experiment"]]
        items, sentences = facts["items"], facts["sentences"]
    share = 100 * items / (len(paper.rows(claim.inputs["table"])) * sentences)
    note = Bilingual(
        f"{pairs} − 2; copies of one rating count as many: {items} different items are {share:.0f} % of the rows",
        f"{pairs} − 2；同一评分被重复计数：不同条目 {items} 个，仅占行数的 {share:.0f} %",
    )
    return Recomputed(pairs - 2, note)


def p_of_correlation(coefficient: float, df: int) -> float:
    """Return the two-sided p of a correlation by Student's t."""
    return float(2 * scipy.stats.t.sf(abs(coefficient) * math.sqrt(df / (1 - coefficient**2)), df))


def _correlation_p(paper: Paper, claim: Claim) -> Recomputed:
    rho, df = Printed.parse(claim.inputs["rho"]), int(claim.inputs["df"])

    def tail(values: Sequence[float]) -> float:
        return p_of_correlation(values[0], df)

    return from_rounded(tail, [rho], Bilingual(f"t({df}) of ρ = {rho.text}", f"ρ = {rho.text} 的 t({df})"))


KINDS: Mapping[str, Recomputation] = {
    "items_with_choices": _items_with_choices,
    "items": _items,
    "items_in_file": _items_in_file,
    "items_per_version": _items_per_version,
    "appendix_tally": _appendix_tally,
    "ratings_per_system": _ratings_per_system,
    "matching_ratings": _matching_ratings,
    "matching_ratings_appendix": _matching_ratings_appendix,
    "matching_ratings_file": _matching_ratings_file,
    "p_from_r": _p_from_r,
    "r_from_p": _r_from_p,
    "bonferroni_threshold": _bonferroni_threshold,
    "family_decision": _family_decision,
    "correlation_df": _correlation_df,
    "correlation_p": _correlation_p,
}
"""How each kind of claim of paper 000 about its design and its paired tests is recomputed."""
