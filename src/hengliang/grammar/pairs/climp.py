"""Minimal pairs: CLiMP layout, Mandarin in CSV files with two rows per pair and one file per paradigm.

The columns are called by numbers: `0` and `1` the phenomenon and its subdivision, `2` the sentence, `3` the label, 1
for good and 0 for bad; before them stands a number without a name [1]. Columns called `sentence` and `label` are read
as well. One file, `ba_construction_1000.csv`, has neither header nor labels: there the last cell is the sentence, and
of two rows the first is good.

A row that is missing must not shift all pairs after it: a pair is a good row and the bad row right after it, and what
does not fit is reported. In a file without labels this cannot be seen, so an odd number of rows is refused.

[1] Xiang, B., Yang, C., Li, Y., Warstadt, A., & Kann, K. (2021). CLiMP: A benchmark for Chinese language model
    evaluation. EACL 2021.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from hengliang.core.errors import UserError
from hengliang.core.text.characters import is_han
from hengliang.grammar.pairs.pair_set import BrokenLine, Cells, Pair, first_cells, read_cells

NAME = "climp"
_SENTENCE, _LABEL, _PHENOMENON = ("sentence", "2"), ("label", "3"), ("phenomenon", "category", "0")
_LABELS = {"1": True, "1.0": True, "0": False, "0.0": False}
_SIZE = re.compile(r"_\d+\Z")


class _Sentence(NamedTuple):
    line: int
    sentence: str
    good: bool
    phenomenon: str


def recognise(path: Path) -> bool:
    """Say whether a file is laid out as those of CLiMP, with a header or without."""
    first = first_cells(path)
    if first is None:
        return False
    names = [cell.lower() for cell in first.cells]
    return _headed(names) or (not _any(names, ("sentence", "label", "label0", "label1")) and _is_sentence(first))


def _headed(names: Sequence[str]) -> bool:
    return _any(names, _SENTENCE) and _any(names, _LABEL)


def _any(names: Sequence[str], wanted: Sequence[str]) -> bool:
    return any(name in names for name in wanted)


def _is_sentence(row: Cells) -> bool:
    """Say whether the last cell may be a sentence: it is in Chinese, and no cell before it is longer."""
    last = row.cells[-1]
    return any(is_han(character) for character in last) and all(len(cell) <= len(last) for cell in row.cells)


def records(path: Path) -> Iterator[Pair | BrokenLine]:
    """Yield the pairs of a file, and the rows that belong to none."""
    rows = list(read_cells(path))
    yield from (row for row in rows if isinstance(row, BrokenLine))
    cells = [row for row in rows if isinstance(row, Cells)]
    if cells and _headed([cell.lower() for cell in cells[0].cells]):
        yield from _labelled(path, cells)
    else:
        yield from _unlabelled(path, cells)


def _labelled(path: Path, rows: Sequence[Cells]) -> Iterator[Pair | BrokenLine]:
    names = [cell.lower() for cell in rows[0].cells]
    sentence, label = (_column(names, wanted) for wanted in (_SENTENCE, _LABEL))
    phenomenon = _column(names, _PHENOMENON) if _any(names, _PHENOMENON) else None
    sentences = []
    for row in rows[1:]:
        if len(row.cells) != len(names):
            yield BrokenLine(str(path), row.line, f"it has {len(row.cells)} cells, the header {len(names)}")
        elif row.cells[label] not in _LABELS:
            yield BrokenLine(str(path), row.line, f"the label is '{row.cells[label]}', not 1 or 0")
        elif not row.cells[sentence]:
            yield BrokenLine(str(path), row.line, "the sentence is empty")
        else:
            kind = row.cells[phenomenon] if phenomenon is not None else ""
            sentences.append(_Sentence(row.line, row.cells[sentence], _LABELS[row.cells[label]], kind))
    yield from _paired(path, sentences)


def _column(names: Sequence[str], wanted: Sequence[str]) -> int:
    return next(names.index(name) for name in wanted if name in names)


def _paired(path: Path, rows: Sequence[_Sentence]) -> Iterator[Pair | BrokenLine]:
    # Somebody's copy may have the bad sentence first throughout.
    first = not (rows and not rows[0].good and rows[-1].good)
    position = number = 0
    while position < len(rows):
        row, after = rows[position], rows[position + 1 : position + 2]
        if row.good == first and after and after[0].good != first:
            good, bad = (row, after[0]) if first else (after[0], row)
            yield _pair(path, str(number), good, bad)
            number += 1
            position += 2
        else:
            role = "good" if row.good else "bad"
            yield BrokenLine(str(path), row.line, f"this {role} sentence has no partner beside it")
            position += 1


def _pair(path: Path, id: str, good: _Sentence, bad: _Sentence) -> Pair:
    paradigm = _SIZE.sub("", path.stem)
    return Pair(
        id, good.phenomenon or paradigm, paradigm, good.sentence, bad.sentence, str(path), min(good.line, bad.line)
    )


def _unlabelled(path: Path, rows: Sequence[Cells]) -> Iterator[Pair | BrokenLine]:
    if len(rows) % 2:
        raise UserError(
            f"{path} has {len(rows)} rows and no labels: which sentences belong together is not to be seen.",
            valid="Without labels, two rows are a pair, the good sentence first.",
            remedy="Add the missing row, or a header and labels: sentence,label.",
        )
    width = len(rows[0].cells) if rows else 0
    for number, (good, bad) in enumerate(zip(rows[::2], rows[1::2], strict=True)):
        wrong = next((row for row in (good, bad) if len(row.cells) != width or not row.cells[-1]), None)
        if wrong is None:
            sentences = [_Sentence(row.line, row.cells[-1], row is good, "") for row in (good, bad)]
            yield _pair(path, str(number), *sentences)
        else:
            yield BrokenLine(str(path), wrong.line, f"it has {len(wrong.cells)} cells or no sentence; the pair is lost")
