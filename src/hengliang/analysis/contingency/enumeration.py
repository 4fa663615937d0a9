"""Which tables have the same sums of rows and columns, and how likely are they?

Tables are built column by column, from both ends. After each column, all half-built tables with the same remaining sums
of rows and the same probability so far are one node with a weight: what can follow is the same for all of them. In the
middle, each node meets the nodes from the other end that leave what it has used. That keeps the number of nodes far
below that of tables. It is the idea of the network algorithm [1], without its bounds.

[1] Mehta, C. R., Patel, N. R. (1983). A network algorithm for performing Fisher's exact test in r × c contingency
    tables. Journal of the American Statistical Association 78.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from hengliang.core.errors import UserError

Nodes = NDArray[np.float64]
Half = tuple[NDArray[np.int64], Nodes, Nodes]
"""Half-built tables: what is left of each row, the log of the probability so far, and how many tables it stands for."""
MOST_NODES = 3_000_000
"""More half-built tables than this would fill the memory."""


def share_not_likelier(counts: Sequence[Sequence[int]], same: float) -> float:
    """Return the probability of all tables that are not likelier than this one, given the sums of rows and columns.

    Probabilities that differ relatively by less than `same` are equal.
    """
    cells = np.array(counts, dtype=np.int64)
    # Few rows make few states.
    cells = cells if cells.shape[0] <= cells.shape[1] else cells.T
    rows, columns = cells.sum(axis=1), np.sort(cells.sum(axis=0))
    front, back = _half_built(rows, columns[::2], same), _half_built(rows, columns[1::2], same)
    observed = float(-scipy.special.gammaln(cells + 1.0).sum())
    constant = float(
        scipy.special.gammaln(rows + 1.0).sum()
        + scipy.special.gammaln(columns + 1.0).sum()
        - scipy.special.gammaln(rows.sum() + 1.0)
    )
    # Where all tables count, their sum is 1 up to rounding.
    return min(1.0, _joined(rows, front, back, observed + same, constant))


def _half_built(rows: NDArray[np.int64], columns: NDArray[np.int64], same: float) -> Half:
    """Fill these columns in all ways."""
    half: Half = rows[None, :], np.zeros(1), np.ones(1)
    for total in columns:
        half = _extended(*half, int(total), same)
    return half


def _joined(rows: NDArray[np.int64], front: Half, back: Half, limit: float, constant: float) -> float:
    """Sum the probabilities of all pairs of halves that fit together and whose logs add up to no more than the limit.

    What one half leaves of each row is what the other has used. For each such state the logs of one half are sorted,
    so that a prefix sum holds the weight of all partners below any bound.
    """
    left, front_logs, front_weights = front
    back_left, back_logs, back_weights = back
    front_state, back_state = _codes(left, rows), _codes(rows - back_left, rows)
    order = np.lexsort((back_logs, back_state))
    back_state, back_logs = back_state[order], back_logs[order]
    front_shift, back_shift = float(front_logs.max()), float(back_logs.max())
    shares = back_weights[order] * np.exp(back_logs - back_shift)
    by_state = np.argsort(front_state, kind="stable")
    cuts = np.flatnonzero(np.diff(front_state[by_state])) + 1
    total = 0.0
    for members in np.split(by_state, cuts):
        begin, end = np.searchsorted(back_state, [front_state[members[0]], front_state[members[0]] + 1])
        sums = np.concatenate([[0.0], np.cumsum(shares[begin:end])])
        partners = sums[np.searchsorted(back_logs[begin:end], limit - front_logs[members], side="right")]
        total += float((front_weights[members] * np.exp(front_logs[members] - front_shift) * partners).sum())
    return total * math.exp(front_shift + back_shift + constant)


def _extended(remaining: NDArray[np.int64], logs: Nodes, weights: Nodes, total: int, same: float) -> Half:
    """Add one column of this total in all ways, and merge what cannot be told apart afterwards."""
    left = np.full(len(logs), total, dtype=np.int64)
    for row in range(remaining.shape[1]):
        # What this cell may hold: no more than its row or the column have left, and no less than later rows leave over.
        later = remaining[:, row + 1 :].sum(axis=1)
        lowest, highest = np.maximum(0, left - later), np.minimum(remaining[:, row], left)
        choices = highest - lowest + 1
        if choices.sum() > MOST_NODES:
            raise _too_many()
        index = np.repeat(np.arange(len(logs)), choices)
        start = np.repeat(np.cumsum(choices) - choices, choices)
        value = lowest[index] + np.arange(len(index)) - start
        remaining, logs, weights = remaining[index].copy(), logs[index], weights[index]
        remaining[:, row] -= value
        left = left[index] - value
        logs = logs - scipy.special.gammaln(value + 1.0)
    return _merged(remaining, logs, weights, same)


def _merged(remaining: NDArray[np.int64], logs: Nodes, weights: Nodes, same: float) -> Half:
    # Equal products of factorials differ by some 1e-13 after rounding. What is closer than a thousandth of `same` may
    # be merged without harm to the comparison at the end.
    rounded, codes = np.rint(logs / (same / 1000)), _codes(remaining, remaining.max(axis=0))
    order = np.lexsort((rounded, codes))
    rounded, codes = rounded[order], codes[order]
    starts = np.flatnonzero(np.concatenate([[True], (rounded[1:] != rounded[:-1]) | (codes[1:] != codes[:-1])]))
    first = order[starts]
    return remaining[first], logs[first], np.add.reduceat(weights[order], starts)


def _codes(states: NDArray[np.int64], largest: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return one whole number for each state, whose digits are the sums of the rows."""
    if float(np.prod(largest + 1.0)) >= 2.0**62:
        raise _too_many()
    strides = np.concatenate([[1], np.cumprod(largest[:-1] + 1)])
    codes: NDArray[np.int64] = states @ strides
    return codes


def _too_many() -> UserError:
    return UserError(
        f"The table has too many others of the same sums to enumerate (over {MOST_NODES:,} half-built ones).",
        remedy='Use method="monte-carlo".',
    )
