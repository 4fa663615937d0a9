"""How many raters is an automatic score worth?

As many as are needed for their mean to agree with further raters as well as the automatic score does. Two answers are
given. Directly: of the raters of each item k are drawn at random, their mean is correlated with the mean of the
remaining ones, and so is the automatic score; the number is where the two correlations cross. And by reliability: the
automatic score's correlation with the true scores, freed of the raters' noise, is set equal to that of the mean of k
raters, √(k·rel₁ / (1 + (k − 1)·rel₁)) after Spearman and Brown. The second can go beyond the number of raters at hand
and rests on the model that raters differ by independent noise.
"""

from __future__ import annotations

import math

import numpy as np
import scipy

from hengliang.analysis.agreement.matrix import Floats, Integers
from hengliang.analysis.agreement.noise_ceiling import (
    means_of_first,
    nan_mean,
    shuffled_ratings,
    smaller_half,
    stepped_up,
)
from hengliang.analysis.agreement.score_tables import RatingLists, ScoreTable, paired_scores
from hengliang.analysis.agreement.values import AgreementResult, AgreementValue
from hengliang.analysis.agreement.weighted import resampled
from hengliang.analysis.correlation.weighted import weighted_pearson
from hengliang.analysis.resampling import Resampling
from hengliang.analysis.results import checksum
from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual

SPLITS = 100
MOST_RATERS = 20
"""Up to so many raters are drawn; beyond, the direct answer is "more than"."""

_TITLES = {
    "raters worth": Bilingual("directly", "直接比较"),
    "raters worth by reliability": Bilingual("by reliability", "按信度"),
    "correlation with the mean of all": Bilingual("with the mean of all", "与全体均值"),
    "correlation with the true scores": Bilingual("with the true scores", "与真分数"),
}
_BEYOND = Bilingual(
    "the score agrees with the raters as well as their noise permits, so that no number of raters is enough.",
    "该分数与评分者的一致程度已达其噪声所允许的上限，多少名评分者都不足以匹敌。",
)


def raters_worth(
    automatic: ScoreTable,
    ratings: ScoreTable,
    *,
    splits: int = SPLITS,
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 1,
) -> AgreementResult:
    """Return how many raters the automatic scores are worth; intervals resample items.

    The automatic scores must point the same way as the ratings: turn their sign where a small number is good.
    """
    both = paired_scores(automatic, ratings)
    if "second" not in both.ratings:
        raise UserError(f"'{ratings.name}' has no single ratings.", valid="A table with a column for the rater.")
    how = Resampling(draws, seed, level)
    scores = both.scores("first")
    return worth_of(scores, both.ratings["second"], both.clusters, both.names, splits=splits, how=how)


def worth_of(
    automatic: Floats,
    ratings: RatingLists,
    clusters: Integers,
    names: tuple[str, str],
    *,
    splits: int,
    how: Resampling,
) -> AgreementResult:
    """Return how many raters automatic scores are worth, from arrays; units with one rating are left out."""
    how.check()
    several = ratings.counts >= 2
    if several.sum() < 3 or np.ptp(automatic[several]) == 0:
        few = several.sum() < 3
        raise UserError(
            f"{int(several.sum())} items have two ratings or more."
            if few
            else f"All scores of '{names[0]}' are equal.",
            valid="At least three items with several ratings, and scores that differ.",
        )
    held, scores = ratings.only(several), automatic[several]
    codes = np.unique(clusters[several], return_inverse=True)[1]
    statistic = _Worth(scores, held, splits, how.seed)
    value, low, high = resampled(statistic, codes, how)
    numbers = [(float(value[n]), float(low[n]), float(high[n])) for n in range(len(value))]
    values = _values(numbers, statistic.most, len(scores), how, splits)
    return AgreementResult(
        measure="raters worth",
        title=Bilingual("raters that the score is worth", "分数相当于多少名评分者"),
        subject=_subject(names, numbers[0][0], statistic.most, numbers[2][0]),
        values=values,
        n=len(scores),
        raters=int(held.counts.max()),
        n_missing=int((~several).sum()),
        shown=2,
        conventions={
            "splits": splits,
            "most raters": statistic.most,
            "correlation": "Pearson",
            "stepped up": "Horst (Spearman–Brown for equal halves)",
            "draws": how.draws,
            "seed": how.seed,
            "level": how.level,
            "resampled": "items",
        },
        data=checksum(scores, held.values, held.counts),
    )


class _Worth:
    """The worth and the curves behind it as a function of how often each unit was drawn.

    Columns: worth directly, worth by reliability, correlation with the mean of all raters, correlation with the true
    scores; then for k = 1, 2, … the correlations of k raters and of the score with the remaining raters.
    """

    def __init__(self, scores: Floats, ratings: RatingLists, splits: int, seed: int) -> None:
        shuffled = shuffled_ratings(ratings, splits, seed)
        self.scores = scores
        self.means = ratings.means()
        self.halves = means_of_first(shuffled, ratings, ratings.counts // 2)
        self.share = smaller_half(ratings.counts)
        self.most = min(int(ratings.counts.min()) - 1, MOST_RATERS)
        self.raters = float(scipy.stats.hmean(ratings.counts))
        ones = np.ones_like(ratings.counts)
        self.drawn = [means_of_first(shuffled, ratings, ones * k) for k in range(1, self.most + 1)]

    def __call__(self, weights: Floats) -> Floats:
        with_all = weighted_pearson(self.scores, self.means, weights)
        people, machine = [], []
        for some, rest in self.drawn:
            people.append(nan_mean(weighted_pearson(some, rest, weights)))
            machine.append(nan_mean(weighted_pearson(np.broadcast_to(self.scores, rest.shape), rest, weights)))
        curves = np.column_stack(people), np.column_stack(machine)
        direct = crossing(*curves)
        reliability = stepped_up(nan_mean(weighted_pearson(*self.halves, weights)), self.share)
        with_truth, modelled = worth_by_reliability(with_all, reliability, self.raters)
        columns = [np.where(with_all <= 0, 0.0, direct), modelled, with_all, with_truth]
        return np.hstack([np.column_stack(columns), *curves])


def crossing(people: Floats, score: Floats) -> Floats:
    """Return the number of raters at which their curve reaches that of the score, row by row; infinite if never.

    Columns are k = 1, 2, … raters. Between whole numbers the curves are taken as straight; below one rater the number
    is the squared ratio of the two correlations, for the variance that is shared goes with the number of raters there.
    """
    lead = people - score
    reached = lead >= 0
    place = reached.argmax(axis=1)
    rows = np.arange(len(lead))
    before, after = lead[rows, np.maximum(place - 1, 0)], lead[rows, place]
    step = -before / np.where(after > before, after - before, 1.0)
    ratio = np.clip(score[:, 0] / np.where(people[:, 0] > 0, people[:, 0], 1.0), 0.0, 1.0)
    found = np.where(place == 0, ratio**2, place + np.clip(step, 0.0, 1.0))
    found = np.where(reached.any(axis=1), found, np.inf)
    return np.where(np.isnan(lead).any(axis=1), np.nan, found)


def worth_by_reliability(with_all: Floats, reliability: Floats, raters: float) -> tuple[Floats, Floats]:
    """Return the correlation with the true scores, and the number of raters whose mean has the same.

    `reliability` is that of the mean of `raters` raters; where it is not positive nothing can be said.
    """
    sound = np.where((reliability > 0) & (reliability < 1), reliability, np.nan)
    with_truth = with_all / np.sqrt(sound)
    single = sound / (raters - (raters - 1) * sound)
    share = with_truth**2
    below = np.where(share < 1, single * (1 - share), 1.0)
    found = np.where(share < 1, share * (1 - single) / below, np.inf)
    found = np.where(with_all <= 0, 0.0, found)
    return with_truth, np.where(np.isnan(sound), np.nan, found)


def _values(
    numbers: list[tuple[float, float, float]], most: int, n: int, how: Resampling, splits: int
) -> tuple[AgreementValue, ...]:
    described = f"{splits} random draws of raters, {how.draws} resamples of items, seed {how.seed}"
    more = Bilingual(
        f"the score agrees with the remaining raters better than the mean of {most} raters, more than which cannot be "
        "drawn and leave one over.",
        f"该分数与其余评分者的一致优于 {most} 名评分者的均值，而再多抽取便无人可比。",
    )
    crossed = f"where the mean of k raters agrees with the remaining ones as the score does; ∞ is more than {most}"
    equal = "where the root of the reliability of k raters equals the correlation with the true scores"
    freed = "Pearson, divided by the root of the raters' reliability"
    heads = (
        ("raters worth", "k", False, crossed),
        ("raters worth by reliability", "k", False, equal),
        ("correlation with the mean of all", "r", True, "Pearson"),
        ("correlation with the true scores", "ρ", True, freed),
    )
    found = []
    for (name, symbol, bounded, method), (value, low, high) in zip(heads, numbers[:4], strict=True):
        reason = None
        if math.isinf(value):
            value, reason = math.nan, more if name == "raters worth" else _BEYOND
        elif math.isnan(value):
            reason = Bilingual("the raters do not agree with each other.", "评分者之间没有一致性。")
        found.append(_value(name, symbol, (value, low, high), n, how.level, f"{method}; {described}", bounded, reason))
    for side, curve in (("people", numbers[4 : 4 + most]), ("score", numbers[4 + most :])):
        for k, held in enumerate(curve, start=1):
            by = {"raters": str(k), "who": side}
            method = f"mean Pearson correlation with the mean of the remaining raters; {described}"
            found.append(_value("agreement with the remaining raters", "r", held, n, how.level, method, True, None, by))
    return tuple(found)


def _value(
    name: str,
    symbol: str,
    numbers: tuple[float, float, float],
    n: int,
    level: float,
    method: str,
    bounded: bool,
    reason: Bilingual | None,
    by: dict[str, str] | None = None,
) -> AgreementValue:
    value, low, high = numbers
    return AgreementValue(
        statistic=name,
        symbol=symbol,
        value=value,
        n=n,
        low=low,
        high=high,
        level=level,
        by=by or {},
        method=method,
        bounded=bounded,
        digits=3 if bounded else 2,
        reason=reason,
        title=_TITLES.get(name),
    )


def _subject(names: tuple[str, str], direct: float, most: int, with_all: float) -> Bilingual:
    who, people = names
    if math.isnan(direct):
        said = Bilingual("cannot be weighed against raters", "无法与评分者比较")
    elif with_all <= 0:
        said = Bilingual("is worth no rater: it does not go with them", "不抵任何一名评分者：与其不呈正相关")
    elif math.isinf(direct):
        said = Bilingual(f"is worth more than {most} raters", f"胜过 {most} 名评分者")
    elif direct < 1:
        said = Bilingual("is worth less than one rater", "不及一名评分者")
    else:
        said = Bilingual(f"is worth about {direct:.1f} raters", f"约相当于 {direct:.1f} 名评分者")
    return Bilingual(f"For agreement with {people}, {who} {said.en}", f"就与 {people} 的一致而言，{who} {said.zh}")
