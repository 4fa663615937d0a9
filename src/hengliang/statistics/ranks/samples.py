"""Samples for rank tests (groups, pairs, differences), and the null distributions of rank sums."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.effect_sizes import check_level, paired_values
from hengliang.statistics.results import Sample, check_alpha, check_sidedness, checksum

# --- samples, groups and differences ----------------------------------------------------------------------------------


Floats = NDArray[np.float64]
DIGITS = 10
"""Significant digits of the scale to which differences are rounded before ranking."""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Independent samples with their names, and how many values of each were missing."""

    values: tuple[Floats, ...]
    names: tuple[str, ...]
    missing: tuple[int, ...]

    @property
    def n_missing(self) -> int:
        """How many values were missing in all."""
        return sum(self.missing)

    @property
    def pooled(self) -> Floats:
        """All values, group after group."""
        return np.concatenate(self.values)


@dataclass(frozen=True, slots=True, eq=False)
class Differences:
    """What the first of each pair has over the second, ready for ranking; `data` is the checksum of the pairs."""

    values: Floats
    n_missing: int
    data: str


def check_settings(alpha: float, level: float, alternative: str = "two-sided") -> None:
    """Refuse what no test can be run with."""
    check_sidedness(alternative)
    check_alpha(alpha)
    check_level(level)


def take_groups(groups: Sequence[ArrayLike], names: Sequence[str] | None, *, smallest: int = 1) -> Groups:
    """Take two or more samples of at least `smallest` values each; missing values are left out and counted."""
    labels = check_names(names, len(groups))
    if len(groups) < 2:
        raise UserError(f"There is {len(groups)} sample to compare.", valid="Two samples or more.")
    samples = [Sample.of(values, f"Sample {label}") for values, label in zip(groups, labels, strict=True)]
    for sample, label in zip(samples, labels, strict=True):
        if len(sample.values) < smallest:
            raise UserError(
                f"Sample {label} holds {len(sample.values)} observations.",
                valid=f"At least {smallest} in each sample; missing values do not count.",
                remedy="Leave this sample out, or give it more observations.",
            )
    return Groups(tuple(sample.values for sample in samples), labels, tuple(sample.n_missing for sample in samples))


def check_names(names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """Return one name per sample: those given, or letters."""
    if names is None:
        return tuple(string.ascii_uppercase[k] if k < 26 else f"group {k + 1}" for k in range(count))
    if len(names) != count or isinstance(names, str):
        raise UserError(f"There are {count} samples but the names {list(names)}.", valid="One name a sample.")
    return tuple(str(name) for name in names)


def take_differences(x: ArrayLike, y: ArrayLike | None, digits: int | None) -> Differences:
    """Return x − y, or x itself where it holds differences already, without the noise of binary fractions.

    0.3 − 0.2 and 0.2 − 0.1 are equal but not in binary: ranks would see a difference between them, and signs would miss
    a zero. Differences are therefore rounded to `digits` digits, counted from the largest value, and given in units of
    its power of ten, which changes no rank. `digits=None` leaves them as they are.
    """
    if y is None:
        sample = Sample.of(x, "The sample of differences")
        values, parts, n_missing = sample.values, sample.values, sample.n_missing
        data = checksum(values)
    else:
        first, second = paired_values(x, y)
        values, parts, n_missing = first - second, np.concatenate([first, second]), np.size(x) - len(first)
        data = checksum(first, second)
    if not len(values):
        raise UserError("There is no pair to compare.", valid="Pairs of numbers of which neither is missing.")
    largest = float(np.abs(parts).max())
    if digits is None or largest == 0:
        return Differences(values, n_missing, data)
    if not 1 <= digits <= 15:
        raise UserError(f"digits = {digits} is no number of digits.", valid="1 to 15, or None for no rounding.")
    unit = 10.0 ** math.floor(math.log10(largest))
    return Differences(np.round(values / unit, digits - 1), n_missing, data)


def expand_counts(counts: ArrayLike, values: Sequence[float] | None = None) -> Floats:
    """Return the single ratings behind counts of a scale; `values` are the points of the scale, by default 1, 2, 3 …

    >>> expand_counts([2, 0, 1]).tolist()
    [1.0, 1.0, 3.0]
    """
    numbers = Sample.of(counts, "The row of counts")
    if numbers.n_missing or (numbers.values < 0).any() or (numbers.values != np.round(numbers.values)).any():
        raise UserError(f"The counts {np.ravel(counts).tolist()} are no counts.", valid="Whole numbers of 0 or more.")
    points = np.arange(1.0, len(numbers.values) + 1) if values is None else Sample.of(values, "The scale").values
    if len(points) != len(numbers.values):
        raise UserError(
            f"There are {len(numbers.values)} counts but {len(points)} points of the scale.", valid="A count a point."
        )
    expanded: Floats = np.repeat(points, numbers.values.astype(np.int64))
    return expanded


def tied_counts(values: ArrayLike) -> Floats:
    """Return how often each distinct value occurs."""
    counts: Floats = np.unique(np.asarray(values), return_counts=True)[1].astype(np.float64)
    return counts


def tie_sum(values: ArrayLike) -> float:
    """Return Σ(t³ − t) over the groups of tied values, which corrects the variance of ranks."""
    counts = tied_counts(values)
    return float((counts**3 - counts).sum())


def tell_direction(names: Sequence[str], sign: float, alternative: str) -> tuple[Bilingual, Bilingual]:
    """Return the sentence for a small p and the one for any other; `sign` is positive where the first is higher."""
    first, second = names
    if alternative == "two-sided":
        above, below = (first, second) if sign > 0 else (second, first)
        return (
            Bilingual(f"{above} tends to be higher than {below}", f"{above} 倾向于高于 {below}"),
            Bilingual(
                f"No difference between {first} and {second} was found", f"未发现 {first} 与 {second} 之间存在差异"
            ),
        )
    word, character = ("higher", "高于") if alternative == "greater" else ("lower", "低于")
    return (
        Bilingual(f"{first} tends to be {word} than {second}", f"{first} 倾向于{character} {second}"),
        Bilingual(f"{first} was not found to be {word} than {second}", f"未发现 {first} {character} {second}"),
    )


# --- null distributions of rank sums ----------------------------------------------------------------------------------
# Exact probabilities count all ways in which signs could have fallen, or values could have been shared out, given the
# ranks that were observed. Ties and zeros are therefore no obstacle: ranks are doubled so that mean ranks are whole
# numbers, and the ways are counted by adding one rank after the other.

METHODS = ("exact", "asymptotic", "auto", "auto-r", "auto-scipy")
"""How p is had; the last three decide by sample size and ties: our way, that of R, that of SciPy."""
SMALL = 50
"""Up to how many ranked observations `auto` counts exactly."""
MOST_SIGNS = 500
MOST_STEPS = 400_000_000


def normal_p(deviation: float, error: float, alternative: str, correction: bool) -> tuple[float, float]:
    """Return z and p of a deviation from the expected rank sum; the correction takes ½ off towards the expectation."""
    if correction:
        deviation -= {"greater": 0.5, "less": -0.5}.get(alternative, 0.5 * float(np.sign(deviation)))
    z = deviation / error
    if alternative == "greater":
        return z, float(scipy.stats.norm.sf(z))
    if alternative == "less":
        return z, float(scipy.stats.norm.cdf(z))
    return z, min(1.0, 2 * float(scipy.stats.norm.sf(abs(z))))


def exact_p(probabilities: Floats, observed: int, alternative: str) -> float:
    """Return p of an observed place in a distribution; the two-sided one is twice the smaller tail."""
    greater, less = float(probabilities[observed:].sum()), float(probabilities[: observed + 1].sum())
    if alternative == "greater":
        return min(1.0, greater)
    if alternative == "less":
        return min(1.0, less)
    return min(1.0, 2 * min(greater, less))


def signed_rank_p(ranks: Floats, positive: NDArray[np.bool_], alternative: str) -> float:
    """Return the exact p of the sum of positive ranks under all ways to give the ranks a sign."""
    if len(ranks) > MOST_SIGNS:
        raise UserError(
            f"Exact probabilities are counted for up to {MOST_SIGNS} differences, not {len(ranks)}.",
            remedy="Use method='asymptotic', which is as good here.",
        )
    whole = _whole(ranks)
    probabilities = np.ones(1)
    for rank in whole:
        longer = np.zeros(len(probabilities) + rank)
        longer[: len(probabilities)] = 0.5 * probabilities
        longer[rank:] += 0.5 * probabilities
        probabilities = longer
    return exact_p(probabilities, int(whole[positive].sum()), alternative)


def rank_sum_p(ranks: Floats, n_first: int, alternative: str) -> float:
    """Return the exact p of the sum of the first `n_first` ranks under all ways to choose as many of them."""
    n_second = len(ranks) - n_first
    if n_first > n_second:
        mirrored = {"greater": "less", "less": "greater"}.get(alternative, alternative)
        return rank_sum_p(np.roll(ranks, n_second), n_second, mirrored)
    whole = _whole(ranks)
    size = int(np.sort(whole)[n_second:].sum()) + 1
    if len(ranks) * n_first * size > MOST_STEPS:
        raise UserError(
            f"Exact probabilities for samples of {n_first} and {n_second} would take too long.",
            remedy="Use method='asymptotic', which is as good here.",
        )
    ways = np.zeros((n_first + 1, size))
    ways[0, 0] = 1
    for rank in whole:
        # numpy copies the right side first, so that no rank is taken twice.
        ways[1:, rank:] += ways[:-1, : size - rank]
    probabilities = ways[n_first] / ways[n_first].sum()
    return exact_p(probabilities, int(whole[:n_first].sum()), alternative)


def _whole(ranks: Floats) -> NDArray[np.int64]:
    """Double mean ranks to whole numbers, and halve again where none is between two."""
    doubled = np.round(2 * ranks).astype(np.int64)
    whole: NDArray[np.int64] = doubled // max(1, int(np.gcd.reduce(doubled)))
    return whole
