"""Minimal pairs: ZhoBLiMP layout, Mandarin in JSON Lines with one file per paradigm.

A line holds `UID phenomenon sentence_good sentence_bad pairID` [1]; a file may also be one JSON array of such objects.

[1] Liu, Y., Shen, Y., Zhu, H., Xu, L., Qian, Z., Song, S., Zhang, K., Tang, J., Zhang, P., Yang, B., Wang, R., & Hu, H.
    (2024). ZhoBLiMP: a systematic assessment of language models with linguistic minimal pairs in Chinese.
    arXiv:2411.06096.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hengliang.grammar.pairs import blimp
from hengliang.grammar.pairs.pair_set import BrokenLine, Pair, first_object

NAME = "zhoblimp"


def recognise(path: Path) -> bool:
    """Say whether a file is laid out as those of ZhoBLiMP: the keys of BLiMP, but `phenomenon` for its term."""
    row = first_object(path)
    wanted = {"sentence_good", "sentence_bad", "uid", "phenomenon"}
    return row is not None and wanted <= set(row.values) and "linguistics_term" not in row.values


def records(path: Path) -> Iterator[Pair | BrokenLine]:
    """Yield the pairs of a file, and the lines that hold none."""
    return blimp.records(path)
