"""Worth of an automatic score in raters, and the reliability of published mean ratings.

An automatic score is worth as many raters as are needed for their mean to agree with further raters as well as the
score does. Two answers are given. Directly: of the raters of each item k are drawn at random, their mean is correlated
with the mean of the remaining ones, and so is the automatic score; the number is where the two correlations cross. By
reliability: the correlation of the automatic score with the true scores, freed of the raters' noise, is set equal to
that of the mean of k raters, √(k·rel₁ / (1 + (k − 1)·rel₁)) after Spearman and Brown. The second can go beyond the
number of raters at hand and rests on the model that raters differ by independent noise. The same model gives the
reliability of means of which only deviations and numbers of raters were published.

[1] Shrout, P., Fleiss, J. (1979). Intraclass correlations: uses in assessing rater reliability. Psychological Bulletin
    86.
[2] Spearman, C. (1904). The proof and measurement of association between two things. American Journal of Psychology 15.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
import scipy
from numpy.typing import ArrayLike

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual, both
from hengliang.statistics.correlation.coefficients import weighted_pearson
from hengliang.statistics.inter_rater.noise_ceiling import (
    means_of_first,
    nan_mean,
    resampled,
    shuffled_ratings,
    smaller_half,
    stepped_up,
)
from hengliang.statistics.inter_rater.ratings import AgreementResult, AgreementValue, Floats, Integers
from hengliang.statistics.inter_rater.score_tables import RatingLists, ScoreTable, paired_scores
from hengliang.statistics.resampling import Resampling
from hengliang.statistics.results import checksum

# --- the worth of an automatic score ----------------------------------------------------------------------------------


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
    kept, scores = ratings.only(several), automatic[several]
    codes = np.unique(clusters[several], return_inverse=True)[1]
    statistic = _Worth(scores, kept, splits, how.seed)
    value, low, high = resampled(statistic, codes, how)
    numbers = [(float(value[n]), float(low[n]), float(high[n])) for n in range(len(value))]
    values = _values(numbers, statistic.most, len(scores), how, splits)
    return AgreementResult(
        measure="raters worth",
        title=Bilingual("raters that the score is worth", "分数相当于多少名评分者"),
        subject=_subject(names, numbers[0][0], statistic.most, numbers[2][0]),
        values=values,
        n=len(scores),
        raters=int(kept.counts.max()),
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
        data=checksum(scores, kept.values, kept.counts),
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
    crossed = reached.argmax(axis=1)
    rows = np.arange(len(lead))
    before, after = lead[rows, np.maximum(crossed - 1, 0)], lead[rows, crossed]
    step = -before / np.where(after > before, after - before, 1.0)
    ratio = np.clip(score[:, 0] / np.where(people[:, 0] > 0, people[:, 0], 1.0), 0.0, 1.0)
    worth = np.where(crossed == 0, ratio**2, crossed + np.clip(step, 0.0, 1.0))
    worth = np.where(reached.any(axis=1), worth, np.inf)
    return np.where(np.isnan(lead).any(axis=1), np.nan, worth)


def worth_by_reliability(with_all: Floats, reliability: Floats, raters: float) -> tuple[Floats, Floats]:
    """Return the correlation with the true scores, and the number of raters whose mean has the same.

    `reliability` is that of the mean of `raters` raters; where it is not positive nothing can be said.
    """
    sound = np.where((reliability > 0) & (reliability < 1), reliability, np.nan)
    with_truth = with_all / np.sqrt(sound)
    single = sound / (raters - (raters - 1) * sound)
    share = with_truth**2
    below = np.where(share < 1, single * (1 - share), 1.0)
    worth = np.where(share < 1, share * (1 - single) / below, np.inf)
    worth = np.where(with_all <= 0, 0.0, worth)
    return with_truth, np.where(np.isnan(sound), np.nan, worth)


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
    values = []
    for (name, symbol, bounded, method), (value, low, high) in zip(heads, numbers[:4], strict=True):
        reason = None
        if math.isinf(value):
            value, reason = math.nan, more if name == "raters worth" else _BEYOND
        elif math.isnan(value):
            reason = Bilingual("the raters do not agree with each other.", "评分者之间没有一致性。")
        values.append(_value(name, symbol, (value, low, high), n, how.level, f"{method}; {described}", bounded, reason))
    for side, curve in (("people", numbers[4 : 4 + most]), ("score", numbers[4 + most :])):
        for k, correlation in enumerate(curve, start=1):
            by = {"raters": str(k), "who": side}
            method = f"mean Pearson correlation with the mean of the remaining raters; {described}"
            values.append(
                _value("agreement with the remaining raters", "r", correlation, n, how.level, method, True, None, by)
            )
    return tuple(values)


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
        verdict = Bilingual("cannot be weighed against raters", "无法与评分者比较")
    elif with_all <= 0:
        verdict = Bilingual("is worth no rater: it does not go with them", "不抵任何一名评分者：与其不呈正相关")
    elif math.isinf(direct):
        verdict = Bilingual(f"is worth more than {most} raters", f"胜过 {most} 名评分者")
    elif direct < 1:
        verdict = Bilingual("is worth less than one rater", "不及一名评分者")
    else:
        verdict = Bilingual(f"is worth about {direct:.1f} raters", f"约相当于 {direct:.1f} 名评分者")
    return Bilingual(
        f"For agreement with {people}, {who} {verdict.en}", f"就与 {people} 的一致而言，{who} {verdict.zh}"
    )


# --- reliability of published means -----------------------------------------------------------------------------------
# Mean ratings are often published with no more than their spread and the number of raters; their reliability follows
# from these. Let xᵢⱼ = τᵢ + eᵢⱼ be the rating of item i by rater j, every item with raters of its own (one-way), the
# errors independent with the variance σᵢ². The mean of nᵢ raters is mᵢ = τᵢ + ēᵢ with Var(ēᵢ) = σᵢ²/nᵢ, and over items
#
#     Var(m) = Var(τ) + mean of σᵢ²/nᵢ.
#
# The variance sᵢ² of the ratings of an item (with the divisor n − 1) estimates σᵢ² without bias, so that the
# reliability of the means, the share of their variance that is that of τ, is estimated by
#
#     rel = Var(τ) / Var(m) = 1 − mean(sᵢ²/nᵢ) / var(m).
#
# With the same number k of raters everywhere this is ICC(1,k) [1]: mean(sᵢ²) is the mean square within and k·var(m)
# that between items. The correlation of m with any score y that does not look at the raters' errors is corr(y, τ)·√rel,
# so that √rel is its ceiling [2]. Where single ratings are at hand, `noise_ceiling` splits raters in halves instead. If
# some raters rated many items and are lenient or severe, their leniency counts as error here.

FEWEST = 3
BY = ("dataset", "mode")

_UNRELIABLE = Bilingual(
    "the means differ less than the raters' disagreement alone would make them differ.",
    "各均值之间的差异小于仅由评分者分歧所造成的差异。",
)
_EQUAL = Bilingual("all means are the same.", "所有均值都相同。")
_NAMES = (("noise ceiling", "r", "噪声上限"), ("reliability of the mean", "rel", "均值信度"))


def reliability_of_means(
    means: ArrayLike,
    deviations: ArrayLike,
    counts: ArrayLike,
    *,
    clusters: Sequence[object] | None = None,
    name: str = "ratings",
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 1,
) -> AgreementResult:
    """Return the noise ceiling and the reliability of mean ratings from their deviations and numbers of raters.

    Deviations are those of single ratings, with the divisor n − 1. An item without a mean, without a deviation or
    with fewer than two raters is left out and counted. Intervals resample `clusters` (items of one source), else items.
    """
    how = Resampling(draws, seed, level)
    how.check()
    columns = _columns(means, deviations, counts, name)
    known = np.isfinite(columns).all(axis=0) & (np.nan_to_num(columns[2]) >= 2)
    if known.sum() < FEWEST:
        raise UserError(
            f"{int(known.sum())} items of '{name}' have a mean, a deviation and two raters or more.",
            valid=f"The reliability of means needs at least {FEWEST} such items.",
        )
    mean, deviation, count = columns[:, known]
    codes = _codes(clusters, known, name)
    what = "items" if clusters is None else "clusters"
    values = _published_values(mean, deviation**2 / count, codes, how, what)
    fewest, most = int(count.min()), int(count.max())
    span = f"{fewest}" if fewest == most else f"{fewest}–{most}"
    return AgreementResult(
        measure="reliability of means",
        title=both(name),
        subject=Bilingual(
            f"No score can be expected to correlate better with the mean of the {span} raters of an item",
            f"任何分数与每项 {span} 名评分者均值的相关预期都不会更高",
        ),
        values=values,
        n=len(mean),
        raters=most,
        n_missing=int((~known).sum()),
        shown=2,
        conventions={"model": "one-way", "draws": draws, "seed": seed, "level": level, "resampled": what},
        data=checksum(mean, deviation, count),
    )


def _published_values(
    means: Floats, errors: Floats, codes: Integers, how: Resampling, what: str
) -> tuple[AgreementValue, AgreementValue]:
    value, low, high = resampled(_Reliability(means, errors), codes, how)
    reason = _EQUAL if np.isnan(value[1]) else _UNRELIABLE
    method = (
        f"1 − mean(s²/n) / variance of the means; {how.draws} resamples of {codes.max() + 1} {what}, seed {how.seed}"
    )

    def told(place: int) -> AgreementValue:
        statistic, symbol, chinese = _NAMES[place]
        return AgreementValue(
            statistic=statistic,
            symbol=symbol,
            value=float(value[place]),
            n=len(means),
            low=float(low[place]),
            high=float(high[place]),
            level=how.level,
            method=("square root of the reliability; " if place == 0 else "") + method,
            reason=reason if np.isnan(value[place]) else None,
            title=Bilingual(statistic, chinese),
        )

    return told(0), told(1)


def reliability_by(
    items: pl.DataFrame,
    by: Sequence[str] = BY,
    *,
    cluster: str = "source_sentence",
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 1,
) -> list[tuple[Mapping[str, str], AgreementResult]]:
    """Return the reliability of the ratings of rated sentences (`rating`, `rating_sd`, `raters`), a group at a time.

    A group none of whose sentences has a deviation and a number of raters is left out: nothing can be said of it.
    """
    needed = ["rating", "rating_sd", "raters", cluster, *by]
    for column in needed:
        if column not in items.columns:
            raise UserError(
                f"The items have no attribute '{column}'.",
                valid=f"Rated sentences have: {', '.join(needed)}.",
            )
    results: list[tuple[Mapping[str, str], AgreementResult]] = []
    for levels, group in items.group_by(list(by), maintain_order=True):
        if not group.drop_nulls(["rating", "rating_sd", "raters"]).height:
            continue
        labels = {factor: str(value) for factor, value in zip(by, levels, strict=True)}
        own = pl.coalesce(cluster, "id") if "id" in group.columns else pl.col(cluster)
        result = reliability_of_means(
            group["rating"].to_numpy(),
            group["rating_sd"].to_numpy(),
            group["raters"].to_numpy(),
            clusters=group.select(own).to_series().to_list(),
            name=", ".join(labels.values()) or "ratings",
            level=level,
            draws=draws,
            seed=seed,
        )
        results.append((labels, result))
    return results


def _columns(means: ArrayLike, deviations: ArrayLike, counts: ArrayLike, name: str) -> Floats:
    try:
        columns = [np.asarray(values, np.float64) for values in (means, deviations, counts)]
    except (TypeError, ValueError) as error:
        raise UserError(
            f"'{name}' holds something that is no number: {error}.", valid="Three lists of numbers."
        ) from error
    if any(column.ndim != 1 or len(column) != len(columns[0]) for column in columns):
        sizes = ", ".join(str(column.shape) for column in columns)
        raise UserError(
            f"Means, deviations and numbers of raters of '{name}' have the shapes {sizes}.",
            valid="Three lists of the same length.",
        )
    if (columns[1] < 0).any():
        raise UserError(f"A standard deviation of '{name}' is negative.", valid="Deviations are 0 or more.")
    return np.stack(columns)


def _codes(clusters: Sequence[object] | None, known: np.ndarray, name: str) -> Integers:
    if clusters is None:
        return np.arange(int(known.sum()), dtype=np.int64)
    if len(clusters) != len(known):
        raise UserError(
            f"'{name}' has {len(known)} items and {len(clusters)} clusters.", valid="One cluster for each item."
        )
    kept = [str(cluster) for cluster, wanted in zip(clusters, known.tolist(), strict=True) if wanted]
    return np.unique(kept, return_inverse=True)[1].astype(np.int64)


class _Reliability:
    """Ceiling and reliability as a function of how often each item was drawn."""

    def __init__(self, means: Floats, errors: Floats) -> None:
        self.means = means - means.mean()
        self.errors = errors
        # Equal means differ by rounding at most.
        self.least = (1e-12 * np.abs(means).max()) ** 2

    def __call__(self, weights: Floats) -> Floats:
        total = weights.sum(axis=1)
        centre = weights @ self.means / total
        squares = np.maximum(weights @ self.means**2 - total * centre**2, 0.0)
        variance = squares / np.maximum(total - 1, 1)
        error = weights @ self.errors / total
        spread = variance > self.least
        reliability = np.where(spread, 1 - error / np.where(spread, variance, 1.0), np.nan)
        ceiling = np.sqrt(np.where(reliability > 0, reliability, np.nan))
        return np.column_stack([ceiling, reliability])
