"""Modified Kneser–Ney smoothing: adjusted counts, discounts, interpolated probabilities and back-off weights.

Interpolated modified Kneser–Ney smoothing [1], estimated as KenLM's lmplz [2] does it, so that the same text gives the
same numbers:

- Below the highest level an n-gram counts as often as different words precede it; one that begins with <s> counts as
  often as it occurs. These are the adjusted counts.
- Each level has its discounts D1, D2 and D3+ for adjusted counts 1, 2 and more, from how many n-grams have the adjusted
  counts 1 to 4 (equation 26 of [1]).
- What the discounts take goes to the level below, and at the first level to all words alike: <unk> and </s> are among
  them, <s> is not. Back-off weights are these shares.
- Cut-offs leave out n-grams that occur no oftener than said. They still make up the adjusted counts and the discounts;
  what they had goes to the level below.

[1] Chen, S. F., & Goodman, J. (1999). An empirical study of smoothing techniques for language modeling. Computer Speech
    & Language, 13(4), 359-394.
[2] Heafield, K., Pouzyrevsky, I., Clark, J. H., & Koehn, P. (2013). Scalable modified Kneser-Ney language model
    estimation. ACL 2013, 690-696.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.errors import UserError
from hengliang.language_models.ngram.counting import BLOCK, CountedLevel, EncodedText, count_levels, parallel
from hengliang.language_models.ngram.lookup import BEGIN_ID, END_ID, UNKNOWN_ID, Level, Logs, NgramTables, Rows

FALLBACK = (0.5, 1.0, 1.5)
"""The discounts that lmplz takes with --discount_fallback where the text gives none."""

Kept = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Discounts:
    """What one level takes from adjusted counts of one, two, and three or more; `estimated` is False for a fallback."""

    one: float
    two: float
    three: float
    estimated: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Estimated:
    """A model, with the discounts of each level."""

    tables: NgramTables
    discounts: tuple[Discounts, ...]


def estimate(
    text: EncodedText, *, order: int = 5, cutoffs: Sequence[int] = (0,), fallback: Sequence[float] | None = None
) -> Estimated:
    """Estimate a model of n-grams of up to `order` words.

    `cutoffs` are those of the first levels, and the last one holds for all others: n-grams that occur no oftener are
    left out; (0, 0, 1) leaves out what occurs once from the third level on. Words that are left out become unknown.
    A text may hold <unk>, which is then a word like any other; lmplz has no such texts.
    `fallback` gives D1, D2 and D3+ for levels whose counts allow no estimate, as in very small texts; without it such
    a text is refused.
    """
    limits = _checked_cutoffs(cutoffs, order)
    _check_fallback(fallback)
    _check_text(text, limits[0])
    smoothed: list[_Smoothed] = []
    discounts: list[Discounts] = []
    levels = count_levels(text.ids, text.offsets, len(text.words), order)
    current, started = next(levels), (BEGIN_ID, BEGIN_ID + 1)
    word_counts = current.counts.astype(np.int64)
    below: Logs | None = None
    for length, limit in enumerate(limits, 1):
        longer = next(levels, None)
        adjusted = _adjusted(current, longer, started)
        if length == 1:
            adjusted = np.where(np.arange(len(adjusted)) == BEGIN_ID, np.uint32(0), adjusted)
        discounts.append(_discounts(_counts_of_counts(current, adjusted), length, fallback))
        kept = _kept(current, limit, length)
        backoffs = smoothed[-1].level.backoffs if smoothed else np.zeros(1, np.float32)
        below = _uniform(kept, len(current)) if below is None else below
        level, below = _smooth(_Adjusted(current, adjusted, kept, discounts[-1]), below, backoffs)
        smoothed.append(_Smoothed(level, kept))
        if length == 1:
            level.logprobs[BEGIN_ID] = -np.inf
        if longer is not None:
            current, started = longer, _range_of(longer.prefixes, started)
    return Estimated(_tables(smoothed, text.words, word_counts), tuple(discounts))


@dataclass(frozen=True, slots=True, eq=False)
class _Adjusted:
    """A level before it is smoothed; `kept` is None where no n-gram is left out."""

    counted: CountedLevel
    adjusted: Rows
    kept: Kept | None
    discounts: Discounts


@dataclass(frozen=True, slots=True, eq=False)
class _Smoothed:
    """A level with all its n-grams, and which of them are kept. The next level fills in the back-off weights."""

    level: Level
    kept: Kept | None


# --- adjusted counts and discounts ------------------------------------------------------------------------------------


def _adjusted(level: CountedLevel, longer: CountedLevel | None, started: tuple[int, int]) -> Rows:
    """Return how many different words precede each n-gram, or how often it occurs if it begins with <s> or is longest.

    `started` is the range of rows that begin with <s>.
    """
    if longer is None:
        return level.counts
    adjusted = np.bincount(longer.suffixes, minlength=len(level)).astype(np.uint32)
    adjusted[slice(*started)] = level.counts[slice(*started)]
    return adjusted


def _range_of(prefixes: Rows, started: tuple[int, int]) -> tuple[int, int]:
    """Return the range of rows whose prefix begins with <s>, from that of the level below."""
    first, after = np.searchsorted(prefixes, np.array(started, prefixes.dtype)).tolist()
    return first, after


def _counts_of_counts(level: CountedLevel, adjusted: Rows) -> list[int]:
    """Return how many n-grams have the adjusted count 0 (not counted), 1, 2, 3 and 4.

    lmplz enters the last n-gram of each level but the highest with the count of its occurrences instead. In a large
    text that is nothing; in a small one it shows, and so we do the same.
    """
    having = [0, *(int(np.count_nonzero(adjusted == count)) for count in range(1, 5))]
    if level.last >= 0:
        for count, change in ((int(adjusted[level.last]), -1), (int(level.counts[level.last]), 1)):
            if 0 < count < len(having):
                having[count] += change
    return having


def _discounts(having: Sequence[int], length: int, fallback: Sequence[float] | None) -> Discounts:
    """Return the closed form of the discounts, or the fallback where there is none."""
    problem = ""
    discounts: list[float] = []
    for count in (1, 2, 3):
        if having[count] == 0:
            problem = f"no {length}-gram has the adjusted count {count}"
            break
        # In single precision and in this order, so that a discount at the edge of its range falls on lmplz's side.
        singletons, several = np.float32(having[1]), np.float32(having[1] + 2.0 * having[2])
        ratio = (
            np.float32(count + 1) * (singletons / several) * np.float32(having[count + 1]) / np.float32(having[count])
        )
        discounts.append(float(np.float32(count) - ratio))
        if not 0 <= discounts[-1] <= count:
            problem = f"the discount of {length}-grams for the adjusted count {count} would be {discounts[-1]:.4g}"
            break
    if not problem:
        return Discounts(discounts[0], discounts[1], discounts[2])
    if fallback is None:
        raise UserError(
            f"The text allows no Kneser–Ney discounts: {problem}.",
            valid="Texts of some thousand words that do not repeat themselves do.",
            remedy="Take a larger text, take out repeated sentences, choose a lower order, or give the discounts to "
            f"fall back on: fallback={FALLBACK}.",
        )
    return Discounts(fallback[0], fallback[1], fallback[2], estimated=False)


# --- probabilities ----------------------------------------------------------------------------------------------------


def _kept(level: CountedLevel, limit: int, length: int) -> Kept | None:
    """Return which n-grams occur oftener than the cut-off; the model's own words always stay."""
    if limit == 0:
        return None
    kept = level.counts > limit
    if length == 1:
        kept[[UNKNOWN_ID, BEGIN_ID, END_ID]] = True
    return kept


def _uniform(kept: Kept | None, words: int) -> Logs:
    """Return the probability of each word before anything is known: all are alike, and <s> is none of them."""
    known = words if kept is None else int(np.count_nonzero(kept))
    return np.full(1, 1 / (known - 1), np.float32)


def _smooth(this: _Adjusted, below: Logs, backoffs: Logs) -> tuple[Level, Logs]:
    """Return a level and its probabilities, from those of the level below, whose back-off weights are filled in."""
    counted, table = this.counted, np.array([0, this.discounts.one, this.discounts.two, this.discounts.three])
    probabilities = np.empty(len(counted), np.float32)
    logprobs = np.empty(len(counted), np.float32)

    def smooth_block(first: int, after: int) -> None:
        rows = slice(first, after)
        lowest = int(counted.prefixes[first])
        contexts = (counted.prefixes[rows] - np.uint32(lowest)).astype(np.int64)
        counts = this.adjusted[rows].astype(np.float64)
        taken = table[np.minimum(this.adjusted[rows], 3)]
        released = taken if this.kept is None else np.where(this.kept[rows], taken, counts)
        totals = np.bincount(contexts, counts)
        # A row that is not a context, since it ends in </s>, has no total, and its back-off weight is one.
        weights = np.divide(np.bincount(contexts, released), totals, out=np.ones(len(totals)), where=totals > 0)
        chances = (counts - taken) / totals[contexts] + weights[contexts] * below[counted.suffixes[rows]]
        # Rounding may lead a hair above one.
        np.minimum(chances, 1, out=chances)
        probabilities[rows] = chances
        with np.errstate(divide="ignore"):
            logprobs[rows] = np.log(chances)
            backoffs[lowest : lowest + len(weights)] = np.log(weights)

    parallel(smooth_block, _cuts(counted.prefixes))
    return Level(counted.prefixes, counted.words, logprobs, np.zeros(len(counted), np.float32)), probabilities


def _cuts(prefixes: Rows) -> list[int]:
    """Return rows at which to cut into blocks, so that no context is cut in two."""
    marks = prefixes[::BLOCK]
    return sorted({*np.searchsorted(prefixes, marks).tolist(), len(prefixes)})


# --- pruning: the finished model --------------------------------------------------------------------------------------


def _tables(smoothed: Sequence[_Smoothed], words: pl.Series, counts: npt.NDArray[np.int64]) -> NgramTables:
    """Return the model without the n-grams that are left out; the words among them count as unknown."""
    vocabulary = smoothed[0].kept
    if vocabulary is not None:
        counts[UNKNOWN_ID] += counts[~vocabulary].sum()
        counts, words = counts[vocabulary], words.filter(pl.Series(vocabulary))
    numbers = _new_rows(vocabulary)
    prefix_rows: Rows | None = None
    levels = []
    for step in smoothed:
        levels.append(_only(step.level, step.kept, prefix_rows, numbers))
        prefix_rows = _new_rows(step.kept)
    return NgramTables(words, counts, tuple(levels))


def _new_rows(kept: Kept | None) -> Rows | None:
    """Return for each row the row that it becomes when only some are kept."""
    return None if kept is None else np.cumsum(kept, dtype=np.uint32) - np.uint32(1)


def _only(level: Level, kept: Kept | None, prefix_rows: Rows | None, numbers: Rows | None) -> Level:
    """Return the kept n-grams, with new rows for their prefixes and new numbers for their words."""
    if kept is None and prefix_rows is None and numbers is None:
        return level
    rows = slice(None) if kept is None else kept
    prefixes, words = level.prefixes[rows], level.words[rows]
    return Level(
        prefixes if prefix_rows is None else prefix_rows[prefixes],
        words if numbers is None else numbers[words],
        level.logprobs[rows],
        level.backoffs[rows],
    )


# --- checks of settings and text --------------------------------------------------------------------------------------


def _checked_cutoffs(cutoffs: Sequence[int], order: int) -> list[int]:
    """Return the cut-off of each level."""
    if order < 1:
        raise UserError(f"There are no {order}-grams.", valid="The order is 1 or more; 3 to 5 are usual.")
    limits = list(cutoffs) or [0]
    if len(limits) > order or limits[0] < 0 or limits != sorted(limits):
        raise UserError(
            f"The cut-offs {', '.join(map(str, limits))} do not suit n-grams of up to {order} words.",
            valid="One cut-off a level, from the first level on, none below zero and none smaller than the one before "
            "it; the last one holds for the levels that are left.",
            remedy="For instance cutoffs=(0, 0, 1), which leaves out what occurs once from the third level on.",
        )
    return limits + limits[-1:] * (order - len(limits))


def _check_fallback(fallback: Sequence[float] | None) -> None:
    if fallback is not None and not (
        len(fallback) == 3 and all(0 <= value <= most for most, value in enumerate(fallback, 1))
    ):
        raise UserError(
            f"The discounts {', '.join(map(str, fallback))} cannot be used.",
            valid="Three discounts are needed, for adjusted counts of one, two, and three or more: from 0 to 1, "
            "from 0 to 2, and from 0 to 3.",
            remedy=f"For instance fallback={FALLBACK}.",
        )


def _check_text(text: EncodedText, limit: int) -> None:
    sentences = len(text.offsets) - 1
    if sentences < 1:
        raise UserError("The training text is empty.", valid="It needs a sentence a line, its words apart by spaces.")
    if sentences <= limit:
        raise UserError(
            f"The cut-off {limit} for words leaves nothing of a text of {sentences} sentences, not even </s>.",
            valid=f"It is smaller than the number of sentences, {sentences}.",
        )
    known = (text.ids == UNKNOWN_ID) | ((text.ids > END_ID) & (text.ids < len(text.words)))
    if not known.all():
        raise UserError(
            f"The text has the word number {text.ids[~known][0]}.",
            valid=f"With {len(text.words)} words, the three that every model has among them, numbers are from "
            f"{END_ID + 1} to {len(text.words) - 1}, or {UNKNOWN_ID} for <unk>.",
        )
