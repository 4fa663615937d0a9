"""How are the meanings of vague quantifiers fitted to the uses that people made of them, and how well do they hold?

A use is a word, the size of the scene, and of how many things (x) how many (y) were called so. What is fitted is y for
words of count and y/x for words of share. Uses are few, so each meaning leans on a broader one. The word's mean and
spread start from values set by hand, which count as five uses; those at each size start from the word's, which count as
five uses again. A size with many uses keeps its own, one without takes the word's. Two bounds keep each meaning usable:
the mean lies among the numbers of which the word can be said at all (*a few* of four things is two or three), and the
spread is so wide that of all things of a scene at least one number is called so. A use of which the word cannot be said
(*several* of all things, as in *there are several circles* where there is nothing else) is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hengliang.materials.quantifiers import QUANTIFIERS
from hengliang.materials.vague_quantifiers import (
    COUNT_WORDS,
    REACH,
    FittedMeaning,
    borders,
    can_be_said,
    counts_or_shares,
)

WORDS: tuple[str, ...] = tuple(name for name, held in QUANTIFIERS.items() if held.vague)
POOLED_USES = 5.0
"""How many uses a broader meaning counts as: what is set by hand for the word, the word's for a size."""
USE_SCHEMA: dict[str, pl.DataType] = {
    "word": pl.String(),
    "size": pl.Int64(),
    "subject": pl.String(),
    "scene": pl.String(),
    "x": pl.Int64(),
    "y": pl.Int64(),
}
"""The columns of a table of uses."""
SET_BY_HAND: Mapping[str, tuple[float, float]] = {
    "a few": (3.0, 1.0),
    "few": (2.0, 1.0),
    "a couple": (2.2, 0.5),
    "several": (4.5, 1.5),
    "many": (0.65, 0.2),
    "almost all": (0.85, 0.1),
    "about half": (0.5, 0.08),
}
"""Mean and spread of each word before anybody has used it: counts, or shares."""

Meanings = Mapping[str, tuple[FittedMeaning, ...]]


@dataclass(frozen=True, slots=True)
class Fit:
    """How well meanings hold for uses of people who had no part in fitting them.

    `covered` is the share of the uses that are taken as true. `log_likelihood` is the mean logarithm of the
    probability of y given x and the word, y falling on the numbers of which the word can be said in proportion to its
    membership; `uniform` the same if each of these numbers were as likely.
    """

    word: str
    uses: int
    covered: float
    log_likelihood: float
    uniform: float


def conveyable(word: str, size: int) -> list[int]:
    """Return of how many of all things of a scene a word can be said, whatever it means: *a few* of two or more."""
    return [count for count in range(1, size + 1) if can_be_said(word, size, count)]


def said_of_a_part(uses: pl.DataFrame) -> pl.DataFrame:
    """Return the uses that agree with what their word conveys whatever it means."""
    kept = [bool(can_be_said(word, x, y)) for word, x, y in uses.select("word", "x", "y").iter_rows()]
    return uses.filter(pl.Series(kept, dtype=pl.Boolean))


def fit_meanings(uses: pl.DataFrame, sizes: Sequence[int] = (4, 9, 20)) -> Meanings:
    """Return the meaning of each word at each size."""
    # Sums depend on the order of what is added, in a digit that rounding can bring to light.
    held = said_of_a_part(uses).sort("size", "x", "y")
    return {word: _fitted(word, held.filter(pl.col("word") == word), sizes) for word in WORDS}


def _fitted(word: str, uses: pl.DataFrame, sizes: Sequence[int]) -> tuple[FittedMeaning, ...]:
    values = counts_or_shares(word, uses["x"].to_numpy(), uses["y"].to_numpy())
    overall = _pooled(values, SET_BY_HAND[word])
    held = []
    for size in sizes:
        own = values[uses["size"].to_numpy() == size]
        mean, spread = _usable(word, size, *_pooled(own, overall))
        held.append(FittedMeaning(size, round(mean, 4), spread, len(own)))
    return tuple(held)


def _pooled(values: NDArray[np.float64], broader: tuple[float, float]) -> tuple[float, float]:
    """Return mean and spread of some counts or shares, with the broader ones counted as some uses more."""
    weight = len(values) + POOLED_USES
    mean = (values.sum() + POOLED_USES * broader[0]) / weight
    squares = np.square(values - mean).sum() + POOLED_USES * (broader[1] ** 2 + (broader[0] - mean) ** 2)
    return float(mean), math.sqrt(squares / weight)


def _usable(word: str, size: int, mean: float, spread: float) -> tuple[float, float]:
    """Move the mean among what can be said and widen the spread until one number of all things is called so."""
    values = [float(counts_or_shares(word, size, count)) for count in conveyable(word, size)]
    if not values:
        return mean, math.ceil(spread * 1e4) / 1e4
    mean = min(max(mean, values[0]), values[-1])
    nearest = min(abs(value - mean) for value in values)
    # Rounded upwards, with what the rounding of the mean takes away.
    return mean, math.ceil(max(spread, (nearest + 1e-4) / REACH) * 1e4) / 1e4


def meanings_json(meanings: Meanings, source: str) -> dict[str, Any]:
    """Return meanings in the form in which they ship with the program."""
    return {
        "source": source,
        "pooled_uses": POOLED_USES,
        "counts": list(COUNT_WORDS),
        "meanings": {word: [asdict(one) for one in held] for word, held in meanings.items()},
    }


# --- how well they hold ---------------------------------------------------------------------------------------------


def probabilities(word: str, meanings: tuple[FittedMeaning, ...], x: int, size: int) -> NDArray[np.float64]:
    """Return how likely each number 1 … x is to be called so: in proportion to its membership."""
    values = counts_or_shares(word, np.full(x, x), np.arange(1, x + 1))
    logs = borders(word, size, meanings=meanings).log_fits(values)
    weights = np.exp(logs - logs.max())
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares


def held_out_fit(uses: pl.DataFrame, sizes: Sequence[int] = (4, 9, 20)) -> list[Fit]:
    """Return how well meanings hold that are fitted without the person whose uses they are tried on, by word."""
    tried: dict[str, list[tuple[bool, float, float]]] = {word: [] for word in WORDS}
    kept = said_of_a_part(uses)
    for subject in kept["subject"].unique().sort():
        own = kept.filter(pl.col("subject") == subject)
        meanings = fit_meanings(kept.filter(pl.col("subject") != subject), sizes)
        for row in own.iter_rows(named=True):
            word = row["word"]
            tried[word].append(_tried(word, meanings[word], row["x"], row["y"], row["size"]))
    pooled = [one for held in tried.values() for one in held]
    named: Iterable[tuple[str, list[tuple[bool, float, float]]]] = [*tried.items(), ("all", pooled)]
    return [
        Fit(word, len(held), *(float(np.mean([one[place] for one in held])) for place in range(3)))
        for word, held in named
        if held
    ]


def _tried(word: str, meanings: tuple[FittedMeaning, ...], x: int, y: int, size: int) -> tuple[bool, float, float]:
    held = borders(word, size, meanings=meanings)
    said = np.asarray(can_be_said(word, np.full(x, x), np.arange(1, x + 1)))
    weights = np.where(said, probabilities(word, meanings, x, size), 0.0)
    likely = weights[y - 1] / weights.sum()
    # A number beyond what floating point can hold is as good as impossible, and must not make the mean infinite.
    covered = held.low <= float(counts_or_shares(word, x, y)) <= held.high
    return covered, math.log(max(float(likely), 1e-12)), -math.log(int(said.sum()))
