"""How do scored sentences look in a terminal?

One line a sentence: its id, its scores, its length, the sentence itself or why it has no score. Under it, if that was
asked for, the words that pull it down most, each with a bar as long as its contribution is low.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from rich.cells import cell_len, set_cell_size

from hengliang.language_models.views import MISSING, UNKNOWN_MARK, bar, begun, visible

_GAP = "  "
_NUMBER = 9
_LONGEST_BAR = 20
_SHORTEST_TEXT = 20


def draw_scores(frame: pl.DataFrame, columns: Sequence[str], *, width: int = 80, heading: bool = True) -> str:
    """Return scored sentences (`SentenceScorer.schema`, with their texts) as lines of at most `width` cells."""
    ids = [visible(text) for text in frame["id"].to_list()]
    wide = min(max([*map(cell_len, ids), len("id")]), max(4, width // 5))
    sizes = [max(_NUMBER, len(name)) for name in columns]
    room = max(_SHORTEST_TEXT, width - wide - sum(size + len(_GAP) for size in sizes) - len("words") - 2 * len(_GAP))
    lines = []
    if heading:
        names = [name.rjust(size) for name, size in zip(columns, sizes, strict=True)]
        lines.append(_GAP.join([set_cell_size("id", wide), *names, "words", "sentence"]))
    scale = _scale(frame)
    for row, identity in zip(frame.iter_rows(named=True), ids, strict=True):
        numbers = [_number(row[name]).rjust(size) for name, size in zip(columns, sizes, strict=True)]
        words = MISSING if row["words"] is None else str(row["words"])
        said = f"({row['problem']})" if row["problem"] else row["sentence"] or ""
        cells = [begun(identity, wide), *numbers, words.rjust(len("words")), begun(visible(said), room)]
        lines.append(_GAP.join(cells).rstrip())
        lines += _words(row.get("pulled_down_by") or (), scale, wide)
    return "\n".join(lines)


def _number(value: float | None) -> str:
    return MISSING if value is None else f"{value:.4f}"


def _scale(frame: pl.DataFrame) -> float:
    """Return how many cells a contribution of −1 is wide: all bars of a drawing share it."""
    if "pulled_down_by" not in frame.columns:
        return 0.0
    words = (word for row in frame["pulled_down_by"].to_list() for word in row or ())
    lowest = min((word["contribution"] for word in words if word["contribution"] is not None), default=0.0)
    return _LONGEST_BAR / -lowest if lowest < 0 else 0.0


def _words(words: Sequence[Mapping[str, Any]], scale: float, indent: int) -> Iterator[str]:
    labels = [visible(f"{word['word']}{UNKNOWN_MARK if word['unknown'] else ''}") for word in words]
    wide = max(map(cell_len, labels), default=0)
    for label, word in zip(labels, words, strict=True):
        value = word["contribution"]
        drawn = "" if value is None else bar(-value * scale, _LONGEST_BAR)
        seen = f" seen as {word['seen_as']}" if word["seen_as"] else ""
        cells = [" " * indent, _number(value).rjust(_NUMBER), set_cell_size(label, wide), drawn + seen]
        yield _GAP.join(cells).rstrip()
