"""Which known word did somebody mean who mistyped it?

A word that nobody knows is taken for a known one when one slip of the keyboard lies between them (two in a long word):
a letter too many, too few, wrong, or two that changed places. Where two known words are equally near, or none is, it
stays as it is. Two known words without a space between them are taken apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

SHORTEST = 4
"""Shorter words have too many neighbours."""
LONG = 6


def slips(one: str, other: str, most: int) -> int:
    """Return the number of slips between two words (optimal string alignment), or `most` + 1 where there are more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        now = [i]
        for j, against in enumerate(other, start=1):
            cost = min(row[j] + 1, now[j - 1] + 1, row[j - 1] + (letter != against))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                cost = min(cost, before[j - 2] + 1)
            now.append(cost)
        if min(now) > most:
            return most + 1
        before, row = row, now
    return min(row[-1], most + 1)


def repaired(word: str, known: Collection[str], likely: Collection[str] = ()) -> tuple[str, ...]:
    """Return the known word or words that a mistyped one stands for, or the word itself.

    Of equally near words one that is `likely` (a word of the domain) goes before others.

    >>> repaired("sqaures", {"squares", "circles"})
    ('squares',)
    """
    if word in known or not word.isalpha() or len(word) < SHORTEST:
        return (word,)
    most = 2 if len(word) >= LONG else 1
    near = [(slips(word, other, most), other) for other in known if other.isalpha() and len(other) >= SHORTEST]
    near = [(distance, other) for distance, other in near if distance <= most and _plausible(word, other)]
    split = _split(word, known)
    if split and not any(distance <= 1 for distance, _ in near):
        return split
    if not near:
        return (word,)
    least = min(distance for distance, _ in near)
    nearest = sorted(other for distance, other in near if distance == least)
    return (_chosen(nearest, likely) or word,)


def _plausible(word: str, other: str) -> bool:
    """The first letter is seldom mistyped: in a short word another first letter makes another word."""
    return word[0] == other[0] or len(word) >= LONG or sorted(word) == sorted(other)


def _chosen(nearest: list[str], likely: Collection[str]) -> str | None:
    if len(nearest) == 1:
        return nearest[0]
    preferred = [one for one in nearest if one in likely]
    return preferred[0] if len(preferred) == 1 else None


def _split(word: str, known: Collection[str]) -> tuple[str, ...]:
    cuts: Iterable[int] = range(2, len(word) - 1)
    found = [(word[:cut], word[cut:]) for cut in cuts if word[:cut] in known and word[cut:] in known]
    return max(found, key=lambda pair: min(map(len, pair))) if found else ()
