"""Did experts give lower scores to descriptions from which readers rebuilt the scene less well?

One observation a pair: the mean score of its judges and the mean swaps of its readers, as a share of n. Paper 001 plots
scores (y) over swaps (x) with a line; that is the regression of scores on swaps. The "standard error" that it prints
beside R² is the standard error of a regression, and by its size one of swaps on scores: R² is the same both ways, the
error is in units of what is explained. Both are given. Cohen's words for R² are by .02, .13 and .26; the thesis has .16
in the place of .13, and where that changes the word it is said.

Pairs of one scene are no independent observations: what is said rests on standard errors clustered by scene, from
leaving out one scene after the other [1], with one degree of freedom less than there are scenes; on HC3 where every
scene has one description or scenes are too few. Several scores are a family, corrected by Holm.

[1] MacKinnon, J. G., Nielsen, M. Ø., Webb, M. D. (2023). Cluster-robust inference: a guide to empirical practice.
    Journal of Econometrics 232. CV3J, about the estimate from all scenes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
import scipy

from hengliang.core.base_classes import StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate
from hengliang.core.terms import Bilingual
from hengliang.statistics.correlation.regression import Regression, linear_regression
from hengliang.statistics.effect_sizes import cohen_r_squared_label
from hengliang.statistics.models.design import INTERCEPT
from hengliang.statistics.models.results import Coefficient
from hengliang.statistics.multiple_testing import FamilyResult, family
from hengliang.statistics.resampling import Floats
from hengliang.statistics.results import p_remark, write_bounded, write_statistic

SWAPS = "share of swaps"
MODERATE, MODERATE_IN_THESIS = 0.13, 0.16

TITLE = Bilingual("Experts' scores and swaps", "专家评分与交换次数")
EXPLANATION = Bilingual(
    "Linear regression over pairs: the mean score of the experts and the readers' mean share of swaps (of n). R² is "
    "the same whichever is explained; the standard error of the regression is in units of what is explained: points of "
    "the scale, or share of swaps (as paper 001 prints it). Words for R² by Cohen's .02, .13 and .26. The "
    "sentences go by errors clustered by scene.",
    "以配对为单位的线性回归：专家平均评分与读者平均交换率（占 n）。无论以何者为因变量，R² 相同；"
    "回归标准误的单位为因变量的单位：量表分数，或交换率（论文 001 所印者）。R² 的等级依 Cohen 的 .02、.13、.26。"
    "句中结论依按场景聚类的标准误。",
)
STATISTICS: Mapping[str, StatisticLabel] = {
    "R²": StatisticLabel(Bilingual("R²", "R²"), "number", 4),
    "adjusted R²": StatisticLabel(Bilingual("Adjusted R²", "调整后 R²"), "number", 4),
    "F": StatisticLabel(Bilingual("F", "F"), "number", 2),
    "residual standard error": StatisticLabel(Bilingual("Standard error of the regression", "回归标准误"), "number", 4),
    "slope": StatisticLabel(Bilingual("Slope", "斜率"), "number", 4),
    "intercept": StatisticLabel(Bilingual("Intercept", "截距"), "number", 4),
}


@dataclass(frozen=True, slots=True)
class ScoreRegression:
    """One score and swaps: `on_swaps` explains the score by swaps, `on_score` swaps by the score.

    `robust` is `on_swaps` with standard errors clustered by scene, or else ones that allow for unequal variances;
    `scenes` is the number of clusters, 0 where there are none.
    """

    score: str
    on_swaps: Regression
    on_score: Regression
    robust: Regression
    scenes: int = 0

    @property
    def p(self) -> float:
        """The p to believe: that of the slope with robust errors."""
        return self.robust.coefficient(SWAPS).p

    @property
    def is_significant(self) -> bool:
        """Whether the robust p is not above alpha."""
        return self.p <= self.robust.alpha

    @property
    def errors(self) -> Bilingual:
        """What the robust p rests on."""
        if self.scenes:
            return Bilingual(f"clustered by {self.scenes} scenes", f"按 {self.scenes} 个场景聚类")
        return Bilingual("with unequal variances", "允许方差不等时")

    def disagreement(self) -> Bilingual:
        """Say where the plain p decides otherwise; empty where it does not."""
        plain = self.on_swaps
        if plain.is_significant == self.is_significant:
            return Bilingual("", "")
        return Bilingual(
            f"taken as independent the pairs would decide otherwise: {p_remark(plain.p)}",
            f"若视配对为独立则结论相反：{p_remark(plain.p)}",
        )

    @property
    def slope(self) -> float:
        """By how many points the score changes from no swap to all things swapped."""
        return self.on_swaps.coefficient(SWAPS).estimate

    @property
    def thesis_label(self) -> Bilingual:
        """The word that the thesis's border of .16 gives."""
        share = self.on_swaps.r_squared.value
        return cohen_r_squared_label(0.02) if MODERATE <= share < MODERATE_IN_THESIS else self.on_swaps.label

    def sentence(self) -> Bilingual:
        """Say direction, R² with its word, both errors and the slope."""
        found, slope = self.on_swaps, self.robust.coefficient(SWAPS)
        share = str(found.r_squared)
        # Per 10 % of n, for nobody swaps all things.
        per, low, high = (write_statistic(value / 10, 3) for value in (slope.estimate, slope.low, slope.high))
        errors = (write_statistic(found.residual_error, 4), write_statistic(self.on_score.residual_error, 4))
        said = _said(self.score, lower=self.slope < 0, shown=self.is_significant)
        label = found.label
        other, odd = self.thesis_label, self.disagreement()
        noted = label != other
        english = (
            f"{said.en} ({found.n} pairs): {share}, "
            f"{label.en}{f' (by the border of .16 in paper 001: {other.en})' if noted else ''}, {p_remark(found.p)}, "
            f"{self.errors.en} {p_remark(self.p)}; {per} points for each 10 % of n [{low}, {high}]; standard "
            f"error of the regression {errors[0]} points, or {errors[1]} in swaps"
            f"{f'; {odd.en}' if odd.en else ''}."
        )
        chinese = (
            f"{said.zh}（{found.n} 个配对）：{share}，"
            f"{label.zh}{f'（按论文 001 的界限 .16 则为{other.zh}）' if noted else ''}，{p_remark(found.p)}，"
            f"{self.errors.zh} {p_remark(self.p)}；交换每增加 n 的 10 %，评分变化 {per} 分 [{low}, {high}]；"
            f"回归标准误为 {errors[0]} 分，以交换率计为 {errors[1]}"
            f"{f'；{odd.zh}' if odd.zh else ''}。"
        )
        return Bilingual(english, chinese)

    def short(self) -> str:
        """Return R² and the robust p, for a line."""
        return f"R² = {write_bounded(self.on_swaps.r_squared.value)}, {p_remark(self.p)}"


_CHINESE = {"naturalness": "自然度", "informativity": "信息量", "correctness": "正确性"}


def _said(score: str, *, lower: bool, shown: bool) -> Bilingual:
    title = score_title(score)
    if not shown:
        return Bilingual(f"That swaps go with {title.en} was not shown", f"未能证明交换次数与{title.zh}有关")
    return Bilingual(
        f"The higher the {title.en}, the {'fewer' if lower else 'more'} swaps",
        f"{title.zh}越高，交换次数越{'少' if lower else '多'}",
    )


def score_title(name: str) -> Bilingual:
    """Return what a score is called."""
    return Bilingual(name, _CHINESE.get(name, name))


def regression_rows(regression: Regression, name: str, by: Mapping[str, str]) -> Iterator[Estimate]:
    """Give the numbers of a regression on one predictor in one row: its slope and intercept are statistics."""
    for row in regression.estimates(name, by):
        term = row.by.get("term")
        own = row.statistic if term is None else "intercept" if term == INTERCEPT else "slope"
        yield replace(row, by=dict(by), statistic=own)


def pair_shares(frame: pl.DataFrame) -> dict[str, float]:
    """Return the mean share of swaps of each pair that somebody answered, by the name that experts know it by."""
    given = frame.drop_nulls("share")
    named = "plain_pair" if "plain_pair" in frame.columns else "pair"
    means = given.group_by(named, maintain_order=True).agg(pl.col("share").mean())
    return dict(means.iter_rows())


def score_regression(
    shares: Mapping[str, float],
    scores: Mapping[str, float],
    name: str,
    *,
    scenes: Mapping[str, str] | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
) -> ScoreRegression:
    """Regress a score on swaps over the pairs that have both, and swaps on the score.

    `scenes` has the scene of each pair (`scene_clusters.pair_scenes`), by which the robust errors are clustered.
    """
    pairs = sorted(set(shares) & set(scores))
    if not pairs:
        raise UserError(
            f"No pair has both answers and a score '{name}'.",
            valid=f"The same names of pairs in both: answers have {_some(shares)}, scores have {_some(scores)}.",
        )
    # A pair without one of the two is counted as missing.
    every = sorted(set(shares) | set(scores))
    x, y = [shares.get(pair) for pair in every], [scores.get(pair) for pair in every]
    robust = linear_regression(y, {SWAPS: x}, name=name, errors="hc3", alpha=alpha, level=level)
    clusters = [(scenes or {}).get(pair, pair) for pair in pairs]
    both = np.array([(shares[pair], scores[pair]) for pair in pairs], dtype=np.float64)
    clustered = _clustered(robust, both, clusters, level) if len(set(clusters)) < len(pairs) else None
    return ScoreRegression(
        name,
        linear_regression(y, {SWAPS: x}, name=name, alpha=alpha, level=level),
        linear_regression(x, {name: y}, name=SWAPS, alpha=alpha, level=level),
        clustered or robust,
        len(set(clusters)) if clustered else 0,
    )


FEWEST_SCENES = 4
"""With fewer scenes the errors would rest on two degrees of freedom or one."""


def _clustered(found: Regression, both: Floats, clusters: Sequence[str], level: float) -> Regression | None:
    """Return the regression with errors from leaving out one scene after the other; None where that is not possible."""
    x, y, names = both[:, 0], both[:, 1], np.array(clusters)
    table = np.column_stack([np.ones(len(x)), x])
    scenes = np.unique(names)
    kept = [names != scene for scene in scenes]
    if len(scenes) < FEWEST_SCENES or any(np.ptp(x[rows]) == 0 for rows in kept):
        return None
    whole = np.array([coefficient.estimate for coefficient in found.coefficients])
    without = np.array([np.linalg.lstsq(table[rows], y[rows], rcond=None)[0] for rows in kept])
    df = len(scenes) - 1
    errors = np.sqrt(np.square(without - whole).sum(axis=0) * df / len(scenes))
    reach = float(scipy.stats.t.ppf((1 + level) / 2, df))
    held = []
    for own, error in zip(found.coefficients, errors.tolist(), strict=True):
        t = own.estimate / error if error > 0 else math.copysign(math.inf, own.estimate)
        low, high = own.estimate - reach * error, own.estimate + reach * error
        held.append(
            Coefficient(own.name, own.estimate, error, t, float(2 * scipy.stats.t.sf(abs(t), df)), low, high, df)
        )
    told = f"clustered by {len(scenes)} scenes, jackknife, t({df})"
    return replace(found, coefficients=tuple(held), conventions={**found.conventions, "errors": told})


def holm(regressions: Iterable[ScoreRegression], alpha: float = 0.05) -> FamilyResult:
    """Return the robust p of several scores as one family, corrected by Holm."""
    return family([(one.score, one.p) for one in regressions], method="holm", alpha=alpha)


def _some(held: Mapping[str, float]) -> str:
    names = sorted(held)
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
