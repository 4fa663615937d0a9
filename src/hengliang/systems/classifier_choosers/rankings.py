"""Which classifiers are the most probable ones of each slot, in which order?

Many choosers compute one row of probabilities a slot, a column a classifier. A ranking names the best of them. The
numbers are rounded to a millionth before they are sorted, and equal ones stand in the order of the columns: so the last
digits of a network, which depend on what else was in the batch, neither show nor decide.

A rounded probability and a column fit together into one whole number of 32 bits, the larger the better: sorting those
is some ten times faster than sorting the probabilities and carrying the columns along.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hengliang.core.errors import UserError
from hengliang.core.records import CONTENT_TYPES

DIGITS = 6
TOP = 20
"""How many classifiers a ranking names where a chooser knows hundreds; the first three are what is evaluated."""

_RANKING = CONTENT_TYPES["ranking"]
_SLOTS_AT_ONCE = 1024
"""Slots that are sorted together: rows of this many stay in the processor's cache."""
_COLUMN_BITS = 11
_MOST_COLUMNS = 1 << _COLUMN_BITS
_LARGEST = (np.iinfo(np.int32).max >> _COLUMN_BITS) / 10**DIGITS
"""The largest probability, a little above 1, that still leaves room for the column."""


def rankings(
    probabilities: NDArray[np.float32] | NDArray[np.float64], labels: Sequence[str], top: int | None = TOP
) -> pl.Series:
    """Return the `top` most probable labels of each row (None: all) with their probabilities, the best first.

    A row of which some number is not finite gives an empty ranking. With `top` None, and only then, nothing is rounded,
    and the probabilities of a row sum to 1 if they did before.
    """
    if probabilities.ndim != 2 or probabilities.shape[1] != len(labels):
        raise UserError(
            f"The probabilities have the shape {probabilities.shape} for {len(labels)} classifiers.",
            valid="One row a slot, one column a classifier.",
        )
    if top is not None and top < 1:
        raise UserError(f"A ranking of {top} classifiers is not possible.", valid="top is a whole number from 1.")
    count = len(labels) if top is None else min(top, len(labels))
    order = np.empty((len(probabilities), count), np.uint32)
    found = np.empty((len(probabilities), count), np.float64)
    for start in range(0, len(probabilities), _SLOTS_AT_ONCE):
        part = slice(start, start + _SLOTS_AT_ONCE)
        rows: NDArray[Any] = probabilities[part]
        order[part], found[part] = _best(rows, count) if top is None else _best_rounded(rows, count)
    return _series(order, found, labels)


def _best_rounded(rows: NDArray[Any], count: int) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return columns and values of the `count` largest of each row, rounded first; of equal ones the left one first."""
    # Written so that a NaN, which is not within any bounds, takes the long way.
    if not (rows.shape[1] <= _MOST_COLUMNS and rows.min() >= 0 and rows.max() <= _LARGEST):
        return _best(np.round(rows.astype(np.float64), DIGITS), count)
    millionths = np.rint(np.multiply(rows, 10**DIGITS, dtype=np.float64)).astype(np.int32)
    keys = (millionths << _COLUMN_BITS) + (_MOST_COLUMNS - 1 - np.arange(rows.shape[1], dtype=np.int32))
    keys.sort(axis=1)
    best = keys[:, : -count - 1 : -1]
    return _MOST_COLUMNS - 1 - (best & (_MOST_COLUMNS - 1)), (best >> _COLUMN_BITS) / 10**DIGITS


def _best(rows: NDArray[Any], count: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return columns and values of the `count` largest of each row; of equal ones the column further left first."""
    if count < rows.shape[1]:
        # The lowest of the best is the bar; of those that just reach it, the ones further left are taken.
        bar = -np.partition(-rows, count - 1, axis=1)[:, count - 1 : count]
        above, level = rows > bar, rows == bar
        room = count - above.sum(axis=1, keepdims=True)
        taken = above | (level & (np.cumsum(level, axis=1) <= room))
        taken[~np.isfinite(rows).all(axis=1)] = np.arange(rows.shape[1]) < count
        columns = np.nonzero(taken)[1].reshape(len(rows), count)
    else:
        columns = np.broadcast_to(np.arange(rows.shape[1]), rows.shape)
    values = np.take_along_axis(rows, columns, axis=1)
    # The number that is not finite may be none of those that were taken.
    values[~np.isfinite(rows).all(axis=1)] = np.nan
    places = np.argsort(-values, axis=1, kind="stable")
    return np.take_along_axis(columns, places, axis=1), np.take_along_axis(values, places, axis=1).astype(np.float64)


def _series(order: NDArray[np.uint32], found: NDArray[np.float64], labels: Sequence[str]) -> pl.Series:
    names = pl.Series(list(labels), dtype=pl.String)
    chosen = names.gather(pl.Series(order.ravel()))
    flat = pl.DataFrame({"label": chosen, "probability": found.ravel()}).to_struct("content")
    if not len(order):
        return pl.Series("content", [], dtype=_RANKING)
    width = order.shape[1]
    listed = flat.reshape((len(order), width)).arr.to_list().alias("content")
    broken = ~np.isfinite(found).all(axis=1)
    if not broken.any():
        return listed.cast(_RANKING)
    empty = pl.Series([[]], dtype=_RANKING)
    return pl.select(pl.when(pl.Series(broken)).then(empty).otherwise(listed).alias("content")).to_series()
