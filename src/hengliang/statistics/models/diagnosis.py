"""Warnings of mixed models: singular fits, few levels, failed convergence, complete separation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hengliang.core.terms import Bilingual
from hengliang.statistics.models.design import INTERCEPT, Design, Floats, RandomTerm
from hengliang.statistics.models.problem import Problem

SINGULAR = 1e-4
"""A deviation below this share of the residual one (of 1 in logistic models) is zero, as in lme4."""
FEW = 5
"""Below so many levels a variance between them is hardly known."""
EXTREME = 15.0
"""A column that moves the log-odds by more than this from its smallest to its largest value separates the answers.

A standard deviation of more than this has run away.
"""


def warnings_of(problem: Problem, theta: Floats, converged: bool) -> tuple[Bilingual, ...]:
    """Return the warnings that every family shares: not converged, singular, too few levels."""
    warnings = [] if converged else [NOT_CONVERGED]
    warned = set()
    for term, factor in zip(problem.terms, problem.factors(theta), strict=True):
        if np.linalg.svd(factor, compute_uv=False)[-1] < SINGULAR:
            warnings.append(_singular(term, factor))
        if len(term.levels) < FEW and term.group not in warned:
            warnings.append(_few(term))
            warned.add(term.group)
    return tuple(warnings)


def separated(held: Design, coefficients: Floats, undefined: Sequence[str] = ()) -> tuple[Bilingual, ...]:
    """Return a warning if an effect of a logistic model runs away; `undefined` ones have no standard error."""
    spread = np.ptp(held.fixed, axis=0)
    names = [
        name
        for name, reach, value in zip(held.fixed_names, spread, coefficients, strict=True)
        if (reach * abs(value) > EXTREME or name in undefined) and name != INTERCEPT
    ]
    if not names:
        return ()
    listed = ", ".join(names)
    return (
        Bilingual(
            f"Separation: {listed} predict the answers without error or nearly so; their estimates have no limit, "
            "and their standard errors and p mean nothing. Look for a level in which all answers are the same, join "
            "levels, or leave the term out.",
            f"完全分离：{listed} 几乎无误地预测了回答，其估计值没有上限，标准误和 p 值没有意义。"
            "请查找回答全部相同的水平，合并水平，或去掉该项。",
        ),
    )


def run_away(held: Design, deviations: Sequence[float]) -> tuple[Bilingual, ...]:
    """Return a warning for each group of a logistic model whose variance runs away.

    `deviations` are the largest standard deviation of each random term.
    """
    # Under a name of its own: a response may be called `count`, and so is the column of counts.
    rare = int(held.response.alias("answer").value_counts(sort=True)["count"][-1])
    return tuple(
        Bilingual(
            f"The variance between the levels of '{term.group}' runs away (standard deviation {value:.3g}, in "
            f"log-odds): of {held.n} answers {rare} are of the rarer kind, and nearly every level has one kind "
            "alone. Laplace's approximation fails here. Do not trust any number of this fit: leave this random term "
            "out, join levels, or collect more answers.",
            f"“{term.group}”各水平间的方差失控（标准差为 {value:.3g}，以对数优势计）：{held.n} 个回答中，"
            f"较少的一种有 {rare} 个，几乎每个水平都只有一种回答，拉普拉斯近似在此失效。"
            "该拟合的任何数字都不可信：请去掉该随机项，合并水平，或收集更多回答。",
        )
        for term, value in zip(held.random, deviations, strict=True)
        if value > EXTREME
    )


NOT_CONVERGED = Bilingual(
    "The search for the best estimates did not settle; do not report these numbers. Bring numeric columns to a similar "
    "scale with scale(x), or simplify the random effects.",
    "估计未能收敛，请勿报告这些数字。请用 scale(x) 使数值列的尺度相近，或简化随机效应。",
)


def _singular(term: RandomTerm, factor: Floats) -> Bilingual:
    deviations = np.sqrt(np.sum(factor**2, axis=1))
    zero = [name for name, value in zip(term.names, deviations, strict=True) if value < SINGULAR]
    if zero:
        what_en = f"the variance of {', '.join(zero)} between the levels of '{term.group}' is estimated as zero"
        what_zh = f"“{term.group}”各水平间 {', '.join(zero)} 的方差估计为零"
    elif term.width == 2:
        what_en = f"the two random effects of '{term.group}' are correlated perfectly (±1)"
        what_zh = f"“{term.group}”的两个随机效应完全相关（±1）"
    else:
        what_en = f"one of the {term.width} random effects of '{term.group}' is a sum of the others"
        what_zh = f"“{term.group}”的 {term.width} 个随机效应中有一个是其余效应的线性组合"
    slopes = term.width > 1
    return Bilingual(
        f"Singular fit: {what_en}. The data do not support this random term of {len(term.levels)} levels; "
        + ("leave out first its correlations (||), then its slopes, " if slopes else "leave it out, ")
        + "and put a factor with two to four levels among the fixed effects.",
        f"奇异拟合：{what_zh}。数据不足以支持这个含 {len(term.levels)} 个水平的随机项；"
        + ("请先去掉相关，再去掉随机斜率；" if slopes else "请去掉该项；")
        + "只有两到四个水平的因子应作为固定效应。",
    )


def _few(term: RandomTerm) -> Bilingual:
    return Bilingual(
        f"'{term.group}' has {len(term.levels)} levels only, so that the variance between them is hardly known; "
        "factors with two to four levels belong among the fixed effects.",
        f"“{term.group}”只有 {len(term.levels)} 个水平，水平间的方差几乎无法估计；两到四个水平的因子应作为固定效应。",
    )
