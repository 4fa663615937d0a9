"""How reliable are published mean ratings, when only the number of raters and their spread are known?

Let xᵢⱼ = τᵢ + eᵢⱼ be the rating of item i by rater j, every item with raters of its own (one-way), the errors
independent with the variance σᵢ². The mean of nᵢ raters is mᵢ = τᵢ + ēᵢ with Var(ēᵢ) = σᵢ²/nᵢ, and over items

    Var(m) = Var(τ) + mean of σᵢ²/nᵢ.

The variance sᵢ² of the ratings of an item (n − 1 below the line) estimates σᵢ² without bias, so that the reliability of
the means, the share of their variance that is that of τ, is estimated by

    rel = Var(τ) / Var(m) = 1 − mean(sᵢ²/nᵢ) / var(m).

With the same number k of raters everywhere this is ICC(1,k) [1]: mean(sᵢ²) is the mean square within and k·var(m) that
between items. The correlation of m with any score y that does not look at the raters' errors is
corr(y, τ)·√rel, so that √rel is its ceiling [2]. Where single ratings are at hand, `noise_ceiling` splits raters in
halves instead. If some raters judged many items and are lenient or severe, their leniency counts as error here.

[1] Shrout, P., Fleiss, J. (1979). Intraclass correlations: uses in assessing rater reliability. Psychological Bulletin
    86.
[2] Spearman, C. (1904). The proof and measurement of association between two things. American Journal of Psychology 15.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from hengliang.analysis.agreement.matrix import Floats, Integers
from hengliang.analysis.agreement.values import AgreementResult, AgreementValue
from hengliang.analysis.agreement.weighted import resampled
from hengliang.analysis.resampling import Resampling
from hengliang.analysis.results import checksum
from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual, both

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

    Deviations are those of single ratings, with n − 1 below the line. An item without a mean, without a deviation or
    with fewer than two raters is left out and counted. Intervals resample `clusters` (items of one source), else items.
    """
    how = Resampling(draws, seed, level)
    how.check()
    held = _columns(means, deviations, counts, name)
    known = np.isfinite(held).all(axis=0) & (np.nan_to_num(held[2]) >= 2)
    if known.sum() < FEWEST:
        raise UserError(
            f"{int(known.sum())} items of '{name}' have a mean, a deviation and two raters or more.",
            valid=f"The reliability of means needs at least {FEWEST} such items.",
        )
    mean, deviation, count = held[:, known]
    codes = _codes(clusters, known, name)
    what = "items" if clusters is None else "clusters"
    values = _values(mean, deviation**2 / count, codes, how, what)
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


def _values(
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
    found: list[tuple[Mapping[str, str], AgreementResult]] = []
    for levels, group in items.group_by(list(by), maintain_order=True):
        if not group.drop_nulls(["rating", "rating_sd", "raters"]).height:
            continue
        labels = {factor: str(one) for factor, one in zip(by, levels, strict=True)}
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
        found.append((labels, result))
    return found


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
    kept = [str(one) for one, wanted in zip(clusters, known.tolist(), strict=True) if wanted]
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
