"""What do the answers say about the four hypotheses of paper 001 (section 3.3)?

1. The larger the scene, the more the reconstructions diverge from each other.
2. The larger the scene, the more they diverge from the real scene.
3. The higher the experts' scores, the less they diverge from the real scene.
4. Those from the algorithms' descriptions are right more often than those from people's.

Each is answered from numbers alone: supported, supported in part, not supported, or open where the data do not tell.
The first two are of the sizes that all describers have, for else who described would pass for how large the scene is.
The several scores of the third and the several algorithms of the fourth are families, corrected by Holm.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from hengliang.analysis.reconstruction.battery import ExperimentResults
from hengliang.analysis.reconstruction.describer_comparison import Compared, Comparison
from hengliang.analysis.reconstruction.expert_regression import ScoreRegression, holm, score_title
from hengliang.analysis.reconstruction.scene_clusters import ONE_OF_EACH_SIZE, scenes_are_sizes, with_scenes
from hengliang.analysis.reconstruction.spread import KRUSKAL, WELCH, SpreadTests
from hengliang.analysis.reconstruction.swap_table import SHARE, SWAPS, TOTAL
from hengliang.core.terms import Bilingual
from hengliang.statistics.results import listed, p_remark

Verdict = Literal["supported", "in part", "not supported", "open"]
VERDICTS: dict[Verdict, Bilingual] = {
    "supported": Bilingual("supported", "得到支持"),
    "in part": Bilingual("supported in part", "部分得到支持"),
    "not supported": Bilingual("not supported", "未得到支持"),
    "open": Bilingual("open", "无法判断"),
}
HYPOTHESES: dict[int, Bilingual] = {
    1: Bilingual("the larger the scene, the further apart the readers", "场景越大，读者之间的差异越大"),
    2: Bilingual("the larger the scene, the further the readers from it", "场景越大，读者与原场景相差越大"),
    3: Bilingual("the higher the experts' scores, the fewer swaps", "专家评分越高，交换越少"),
    4: Bilingual(
        "scenes are rebuilt better from algorithms' descriptions than from people's",
        "据算法的描述比据人的描述重构得更好",
    ),
}


@dataclass(frozen=True, slots=True)
class HypothesisAnswer:
    """What is to be said of one hypothesis."""

    number: int
    verdict: Verdict
    reason: Bilingual

    def sentence(self) -> Bilingual:
        """Say the hypothesis, the verdict and why."""
        claim, verdict = HYPOTHESES[self.number], VERDICTS[self.verdict]
        return Bilingual(
            f"Hypothesis {self.number} ({claim.en}): {verdict.en}. {self.reason.en}",
            f"假设 {self.number}（{claim.zh}）：{verdict.zh}。{self.reason.zh}",
        )


def answer_hypotheses(results: ExperimentResults) -> tuple[HypothesisAnswer, ...]:
    """Answer all four for one experiment."""
    return (_readers_apart(results), _swaps_rise(results), _experts(results), _algorithms(results))


def _rising(values: Sequence[float]) -> bool:
    return all(one < other for one, other in itertools.pairwise(values))


def _judged(held: Sequence[bool]) -> Verdict:
    return "supported" if all(held) else "in part" if any(held) else "not supported"


def _shown(values: Sequence[float], sizes: Sequence[str], digits: int, unit: str = "") -> str:
    return ", ".join(f"{value:.{digits}f}{unit} (n = {size})" for size, value in zip(sizes, values, strict=True))


# --- 1: readers and readers -------------------------------------------------------------------------------------------


def _readers_apart(results: ExperimentResults) -> HypothesisAnswer:
    tests = results.shared_tests
    if tests is None or tests.anova is None:
        return HypothesisAnswer(
            1,
            "open",
            Bilingual(
                "It takes two sizes or more that all describers have, with pairs that have several readers and do not "
                "all agree.",
                "需要两种或以上所有描述者共有的规模，且配对有多位回答不尽相同的读者。",
            ),
        )
    means = [float(np.mean(column)) for column in tests.columns.values()]
    apart = {pair: result for pair, result in tests.tukey.items() if result.is_significant}
    numbers = _shown(means, list(tests.columns), 3)
    f = tests.anova.statistic_text()
    pairs = _pairs(tests, apart)
    others = _pairs(tests, [pair for pair in tests.tukey if pair not in apart])
    kept, scenes, only = _kept(tests), _of_scenes(tests), _only(results)
    return HypothesisAnswer(
        1,
        _spread_verdict(tests, means, list(apart)),
        Bilingual(
            f"{only.en}Mean spread: {numbers}; over pairs {f}. Tukey's test parts {pairs or 'no sizes'}"
            + (f", not {others}." if others else ".")
            + kept.en
            + scenes.en,
            f"{only.zh}平均离散度：{numbers}；以配对计 {f}。Tukey 检验区分 {pairs or '不出任何规模'}"
            + (f"，未区分 {others}。" if others else "。")
            + kept.zh
            + scenes.zh,
        ),
    )


def _spread_verdict(tests: SpreadTests, means: Sequence[float], apart: Sequence[tuple[str, str]]) -> Verdict:
    """Judge by the tests over pairs, but grant nothing that the means of scenes do not show."""
    shown = tests.anova is not None and tests.anova.is_significant
    if tests.of_scenes is not None:
        shown = shown and tests.of_scenes.is_significant
    right = [np.mean(tests.columns[first]) < np.mean(tests.columns[second]) for first, second in apart]
    if not (shown and right and all(right)):
        return "not supported"
    return "supported" if _rising(means) and len(apart) == len(tests.tukey) else "in part"


def _p(p: float | None) -> str:
    return "p not defined" if p is None or math.isnan(p) else p_remark(p)


def _pairs(tests: SpreadTests, chosen: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{one}–{two} ({_p(tests.tukey[one, two].p)})" for one, two in chosen)


def _kept(tests: SpreadTests) -> Bilingual:
    """Say where tests without a common variance decide otherwise."""
    told = []
    for name in (WELCH, KRUSKAL):
        result = tests.tests.get(name)
        if result and tests.anova and result.is_significant != tests.anova.is_significant:
            told.append(f"{name} {_p(result.p)}")
    for (one, two), result in tests.games_howell.items():
        if (one, two) in tests.tukey and result.is_significant != tests.tukey[one, two].is_significant:
            told.append(f"Games–Howell {one}–{two} {_p(result.p)}")
    if not told:
        return Bilingual("", "")
    return Bilingual(
        f" Without a common variance otherwise: {'; '.join(told)}.", f"不假定方差相等时结论不同：{'；'.join(told)}。"
    )


def _of_scenes(tests: SpreadTests) -> Bilingual:
    """Say what the means of scenes show."""
    found = tests.of_scenes
    if found is None:
        return Bilingual("", "")
    same = tests.anova is not None and found.is_significant == tests.anova.is_significant
    text = found.statistic_text()
    return Bilingual(
        f" Over the means of scenes{'' if same else ' otherwise'}: {text}.",
        f"以场景平均计{'' if same else '结论不同'}：{text}。",
    )


def _only(results: ExperimentResults) -> Bilingual:
    """Say which sizes are meant where some describer lacks others, and what a single scene of each size leaves open."""
    given, english, chinese = with_scenes(results.data.given), "", ""
    if len(results.shared) < given["size"].n_unique():
        sizes = ", ".join(map(str, results.shared))
        english += f"Only over the sizes that all describers have (n = {sizes}). "
        chinese += f"仅取所有描述者共有的规模（n = {sizes}）。"
    if scenes_are_sizes(given.filter(pl.col("size").is_in(results.shared))):
        english, chinese = f"{english}{ONE_OF_EACH_SIZE.en} ", chinese + ONE_OF_EACH_SIZE.zh
    return Bilingual(english, chinese)


# --- 2: readers and the scene -----------------------------------------------------------------------------------------


def _swaps_rise(results: ExperimentResults) -> HypothesisAnswer:
    sizes = [str(size) for size in results.shared]
    if len(sizes) < 2:
        reason = Bilingual(
            "It takes two sizes or more that all describers have.", "需要两种或以上所有描述者共有的规模。"
        )
        return HypothesisAnswer(2, "open", reason)
    swaps, shares = (_means_by_size(results, sizes, statistic) for statistic in (SWAPS, SHARE))
    slopes = {name: fit.coefficient("size") for name, fit in results.trends.items()}
    found = zip(slopes.values(), results.trends.values(), strict=True)
    shown = [slope.estimate > 0 and slope.p <= fit.model.alpha for slope, fit in found]
    rises = [_rising(swaps), _rising(shares)]
    verdict: Verdict = "open"
    if shown:
        verdict = "supported" if all(shown) and all(rises) else "in part" if any(shown) else "not supported"
    told = "; ".join(f"{_RESPONSES[name].en} {slope.describe()}" for name, slope in slopes.items())
    told_zh = "；".join(f"{_RESPONSES[name].zh} {slope.describe()}" for name, slope in slopes.items())
    percent = _shown([100 * share for share in shares], sizes, 2, " %")
    only, alike = _only(results), _adjusted(results)
    return HypothesisAnswer(
        2,
        verdict,
        Bilingual(
            f"{only.en}Swaps an answer: {_shown(swaps, sizes, 2)}; of n: {percent}."
            + (f" Slope for each thing more, mixed model{alike.en}: {told}." if told else ""),
            f"{only.zh}每个回答的交换次数：{_shown(swaps, sizes, 2)}；占 n：{percent}。"
            + (f"每多一个物体的斜率（混合模型{alike.zh}）：{told_zh}。" if told_zh else ""),
        ),
    )


def _means_by_size(results: ExperimentResults, sizes: Sequence[str], statistic: str) -> list[float]:
    """Return the mean over all answers of each size; a size that describers share has answers."""
    values = [results.cell(TOTAL, size).values[statistic][0] for size in sizes]
    return [math.nan if value is None else float(value) for value in values]


def _adjusted(results: ExperimentResults) -> Bilingual:
    return Bilingual(" with describers", "，含描述者") if len(results.data.describers) > 1 else Bilingual("", "")


_RESPONSES = {"swaps": Bilingual("swaps", "交换次数"), "share": Bilingual("share of n", "占 n 的比例")}


# --- 3: experts -------------------------------------------------------------------------------------------------------


def _experts(results: ExperimentResults) -> HypothesisAnswer:
    asked = {name: held for name, held in results.regressions.items() if name != "naturalness"}
    if not asked:
        return HypothesisAnswer(
            3, "open", Bilingual("There are no expert scores for these pairs.", "这些配对没有专家评分。")
        )
    family = holm(asked.values(), results.alpha)
    held = [
        one.slope < 0 and member.significant is True for one, member in zip(asked.values(), family.members, strict=True)
    ]
    corrected = len(asked) > 1
    told = [
        _score_told(one, member.adjusted if corrected else None)
        for one, member in zip(asked.values(), family.members, strict=True)
    ]
    return HypothesisAnswer(
        3,
        _judged(held),
        Bilingual("; ".join(part.en for part in told) + ".", "；".join(part.zh for part in told) + "。"),
    )


def _score_told(one: ScoreRegression, adjusted: float | None) -> Bilingual:
    title, way, odd, label = score_title(one.score), _direction(one.slope), one.disagreement(), one.on_swaps.label
    holm_p = f", Holm {_p(adjusted)}" if adjusted is not None else ""
    return Bilingual(
        f"{title.en}: {way.en}, {one.short()} ({one.errors.en}){holm_p}, {label.en}{f' ({odd.en})' if odd.en else ''}",
        f"{title.zh}：{way.zh}，{one.short()}（{one.errors.zh}）{holm_p.replace(', ', '，')}，{label.zh}"
        f"{f'（{odd.zh}）' if odd.zh else ''}",
    )


def _direction(slope: float) -> Bilingual:
    return (
        Bilingual("fewer swaps with higher scores", "评分越高交换越少")
        if slope < 0
        else Bilingual("more swaps with higher scores", "评分越高交换越多")
    )


# --- 4: algorithms and people -----------------------------------------------------------------------------------------


def _algorithms(results: ExperimentResults) -> HypothesisAnswer:
    compared = results.compared
    if compared is None or not compared.comparisons:
        return HypothesisAnswer(
            4,
            "open",
            Bilingual(
                f"None of the describers ({listed(results.data.describers).en}) is known to be people.",
                f"描述者（{listed(results.data.describers).zh}）中没有已知为人者。",
            ),
        )
    family = compared.family
    members = family.members if family else ()
    # Sign and p are of one test: raw means may point elsewhere than a model that knows the sizes.
    better = [
        one.decision is not None and one.decision[0] < 0 and member.significant is True
        for one, member in zip(compared.comparisons, members, strict=True)
    ]
    told = [
        _against(one, member.adjusted if len(members) > 1 else None)
        for one, member in zip(compared.comparisons, members, strict=True)
    ]
    over = _over(compared)
    verdict: Verdict = "open" if all(one.decision is None for one in compared.comparisons) else _judged(better)
    return HypothesisAnswer(
        4,
        verdict,
        Bilingual(
            over.en + "; ".join(part.en for part in told) + ".", over.zh + "；".join(part.zh for part in told) + "。"
        ),
    )


def _over(compared: Compared) -> Bilingual:
    sizes = ", ".join(compared.sizes)
    if len(compared.sizes) < 2:
        return Bilingual("", "")
    return Bilingual(f"Means over n = {sizes}, each size weighted alike: ", f"对 n = {sizes} 取平均，各规模等权：")


def _against(one: Comparison, adjusted: float | None) -> Bilingual:
    own, people = (f"{100 * mean:.2f} %" for mean in one.means)
    tests = [("ANOVA", "方差分析", one.anova.p if one.anova else None)]
    tests += [("permutation of pairs", "配对置换检验", one.permutation.p if one.permutation else None)]
    tests += [("mixed model", "混合模型", one.coefficient.p if one.coefficient else None)]
    tests += [("Holm", "Holm", adjusted)]
    english = ", ".join(f"{name} {_p(p)}" for name, _, p in tests if p is not None)
    chinese = "，".join(f"{name} {_p(p)}" for _, name, p in tests if p is not None)
    return Bilingual(
        f"{one.algorithm} {own} against {one.human} {people} ({english or 'no test could be run'})",
        f"{one.algorithm} {own}，{one.human} {people}（{chinese or '无法检验'}）",
    )
