"""How many is *a few*: what do vague quantifiers mean in a scene of a given size?

*A few*, *few*, *a couple* and *several* are words of count, said of y things however many there are; *many*, *almost
all* and *about half* are words of share, said of y / x. For each size of scene the mean and the spread of the count or
share were fitted to the scenes that people described with the word. Between sizes both are interpolated along the
logarithm of the size, and beyond them kept.

Membership is 1 at the mean, falls off as a bell curve on each side, and is ½ at a border, where the word ceases to be
true. Some words are open to one side: more than many are many, fewer than few are few. Then there is no border on that
side, and membership stays 1. By its meaning alone *a few* is open upwards, too; that there are not more is conveyed.
Some borders hold whatever was fitted: two or three are always a couple.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hengliang.core.closure import package_data

TRUE_FROM = 0.5
REACH = math.sqrt(-2 * math.log(TRUE_FROM))
"""How many spreads from the mean the membership of a bell curve is ½."""

COUNT_WORDS: tuple[str, ...] = ("a few", "few", "a couple", "several")
"""Words of count; the others are words of share."""
OPEN_UPWARDS = frozenset({"many", "almost all"})
"""Words that no greater number makes false or odd, short of all."""
OPEN_DOWNWARDS = frozenset({"few"})
CONVEY_NOT_MORE = frozenset({"a few", "a couple", "several"})
"""Words that are true of any greater number, but convey that it is no greater."""

_LOWER_WITHIN: Mapping[str, tuple[float, float]] = {"a couple": (2, 2), "a few": (2, 3), "several": (2, 3)}
"""Between which counts a lower border lies, wherever it is fitted."""
_UPPER_FROM: Mapping[str, float] = {"a couple": 3, "a few": 3, "several": 3, "few": 1}
"""The count that an upper border never excludes."""
_NARROWEST = 1e-6


@dataclass(frozen=True, slots=True)
class FittedMeaning:
    """The counts or shares for which a word was used in scenes of one size: mean, spread, and how many uses."""

    size: int
    mean: float
    spread: float
    uses: int


Meanings = tuple[FittedMeaning, ...]
"""What a word means at each size, the smallest first."""


@dataclass(frozen=True, slots=True)
class Borders:
    """Between which counts or shares a word is true, and where it fits best; infinite where it is open."""

    low: float
    mean: float
    high: float

    def log_fits(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the logarithm of the membership of counts or shares: 0 at the mean, log ½ at a border."""
        widths = np.where(values < self.mean, self.mean - self.low, self.high - self.mean)
        fits: NDArray[np.float64] = np.log(TRUE_FROM) * np.square((values - self.mean) / np.maximum(widths, _NARROWEST))
        return fits


@lru_cache(maxsize=1)
def fitted_meanings() -> Mapping[str, Meanings]:
    """Return the meanings that ship with the program, by word, each in the order of sizes."""
    text = package_data(__name__, "vague_quantifiers.json").read_text("utf-8")
    held = json.loads(text)["meanings"]
    return {word: tuple(FittedMeaning(**row) for row in rows) for word, rows in held.items()}


def meaning_at(meanings: Meanings, size: int) -> tuple[float, float]:
    """Return mean and spread at a size, between two fitted ones interpolated along the logarithm of the size."""
    logs = [math.log(one.size) for one in meanings]
    at = math.log(size)
    mean = float(np.interp(at, logs, [one.mean for one in meanings]))
    return mean, float(np.interp(at, logs, [one.spread for one in meanings]))


def borders(word: str, size: int, *, conveyed: bool = True, meanings: Meanings | None = None) -> Borders:
    """Return the borders of a word in scenes of a size: as it is taken, or by its meaning alone."""
    mean, spread = meaning_at(fitted_meanings()[word] if meanings is None else meanings, size)
    low, high = mean - REACH * spread, mean + REACH * spread
    if word in _LOWER_WITHIN:
        least, most = _LOWER_WITHIN[word]
        low = min(max(low, least), most)
    high = max(high, _UPPER_FROM.get(word, high))
    if word in OPEN_DOWNWARDS:
        low = -math.inf
    if word in OPEN_UPWARDS or (word in CONVEY_NOT_MORE and not conveyed):
        high = math.inf
    return Borders(low, min(max(mean, low), high), high)


def can_be_said(word: str, x: Any, y: Any) -> Any:
    """Return whether a word can be said of y of x things, whatever it means.

    All convey that it is not all, most of them that it is more than one, and *few* that it is one or more and a
    minority.
    """
    if word == "few":
        return (y >= 1) & (2 * y < x)
    return (y >= (1 if word == "about half" else 2)) & (y < x)


def counts_or_shares(word: str, x: Any, y: Any) -> NDArray[np.float64]:
    """Return what a word looks at, y or y / x; of nothing, it is not a number."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    whole = np.ones_like(x) if word in COUNT_WORDS else x
    none = np.full(np.broadcast(x, y).shape, np.nan)
    values: NDArray[np.float64] = np.divide(y, whole, out=none, where=x > 0)
    return values


def membership(word: str, x: Any, y: Any, size: int, *, conveyed: bool = True) -> NDArray[np.float64]:
    """Return how well a word fits y of x things in a scene of this size, from 0 to 1.

    With `conveyed=False` by its meaning alone: more than a few things are a few things then.
    """
    values = counts_or_shares(word, x, y)
    fits = np.exp(borders(word, size, conveyed=conveyed).log_fits(values))
    return np.where(np.isnan(values), 0.0, fits)


def is_vaguely_true(word: str, x: Any, y: Any, size: int, *, conveyed: bool = True) -> NDArray[np.bool_]:
    """Return whether a word is taken as true of y of x things, or is true by its meaning alone."""
    values, held = counts_or_shares(word, x, y), borders(word, size, conveyed=conveyed)
    true: NDArray[np.bool_] = (values >= held.low) & (values <= held.high)
    return true
