"""Minimal pairs: BLiMP layout, JSON Lines with one file per paradigm, and all that follow it.

A line holds `sentence_good sentence_bad field linguistics_term UID pairID` and more [1]. `UID` is the paradigm and
`linguistics_term` the phenomenon. Where a file in JSON Lines has the two sentences and nothing else, its name is the
paradigm and the phenomenon.

[1] Warstadt, A., Parrish, A., Liu, H., Mohananey, A., Peng, W., Wang, S.-F., & Bowman, S. R. (2020). BLiMP: The
    benchmark of linguistic minimal pairs for English. TACL 8, 377-392.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hengliang.grammar.pairs.pair_set import BrokenLine, Pair, first_object, read_objects
from hengliang.grammar.pairs.sling import pair_of

NAME = "blimp"


def recognise(path: Path) -> bool:
    """Say whether a file is laid out as those of BLiMP."""
    row = first_object(path)
    return row is not None and {"sentence_good", "sentence_bad"} <= set(row.values)


def records(path: Path) -> Iterator[Pair | BrokenLine]:
    """Yield the pairs of a file, and the lines that hold none."""
    for row in read_objects(path):
        if isinstance(row, BrokenLine):
            yield row
        else:
            paradigm = row.text("uid") or path.stem
            phenomenon = row.text("linguistics_term", "phenomenon") or paradigm
            yield pair_of(path, row, phenomenon, paradigm, "pairid", "pair_id")
