"""In which order does a participant see the statements, or the sides, so that no place favours any of them?

The orders are the rows of a Williams design [1]: over one round of participants each thing stands in each place equally
often, and each follows each other thing directly equally often. A round is as long as there are things, or twice as
long where their number is odd.

[1] Williams, E. J. (1949). Experimental designs balanced for the estimation of residual effects of treatments.
    Australian Journal of Scientific Research A 2(2), 149–168.
"""

from __future__ import annotations

from hengliang.core.signature import digest


def round_length(count: int) -> int:
    """Return after how many participants the orders of so many things are balanced."""
    return count if count % 2 == 0 or count < 2 else 2 * count


def order_of(count: int, turn: int) -> tuple[int, ...]:
    """Return the order (of numbers from 0) in which `count` things stand for the participant whose turn it is.

    >>> [order_of(2, turn) for turn in range(3)]
    [(0, 1), (1, 0), (0, 1)]
    """
    if count < 1:
        return ()
    turn %= round_length(count)
    # 0, 1, n-1, 2, n-2, …: the steps between neighbours are all different.
    first = [(place + 1) // 2 if place % 2 else (count - place // 2) % count for place in range(count)]
    row = [(thing + turn) % count for thing in first]
    return tuple(reversed(row)) if turn >= count else tuple(row)


def turn_of(number: int, about: str) -> int:
    """Return whose turn it is in a trial: the same at every reload, other participants next, other items elsewhere."""
    return number + int(digest(about)[:8], 16)
