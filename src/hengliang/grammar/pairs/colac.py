"""CoLAC layout: single sentences of Mandarin in CSV files, with two labels of acceptability each.

A row holds `sentence`, `label0` (the linguist's label, who proposed the example) and `label1` (the crowd's), 1 for
acceptable [1]; an empty label or −1 is one that is withheld, as in a test set. Further columns are passed over. These
are not pairs: the sentences are returned separately, as rated sentences. Only where a file has a column that says which
rows belong together (`pair`, `pair_id` or `pairID`) are pairs made: of groups of exactly one acceptable and one
unacceptable sentence, by the crowd's label where there is one.

[1] Hu, H., Zhang, Z., Huang, W., Lai, J. Y.-K., Li, A., Patterson, Y., Huang, J., Zhang, P., Lin, C.-J. C., & Wang, R.
    (2023). Revisiting acceptability judgements. arXiv:2305.14091.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from hengliang.grammar.pairs.pair_set import BrokenLine, Cells, Pair, RatedSentence, first_cells, read_cells

NAME = "colac"
_LINKS = ("pair", "pair_id", "pairid")
_LABELS: dict[str, bool | None] = {"1": True, "1.0": True, "0": False, "0.0": False, "": None, "-1": None, "-1.0": None}


def recognise(path: Path) -> bool:
    """Say whether a file is laid out as those of CoLAC."""
    first = first_cells(path)
    names = {cell.lower() for cell in first.cells} if first is not None else set()
    return "sentence" in names and bool(names & {"label0", "label1"})


def records(path: Path) -> Iterator[Pair | RatedSentence | BrokenLine]:
    """Yield the sentences of a file, the pairs if it says which rows are pairs, and the rows that cannot be read."""
    rows = list(read_cells(path))
    yield from (row for row in rows if isinstance(row, BrokenLine))
    cells = [row for row in rows if isinstance(row, Cells)]
    names = [cell.lower() for cell in cells[0].cells] if cells else []
    if "sentence" not in names:
        yield BrokenLine(str(path), cells[0].line if cells else 1, "the header has no column 'sentence'")
        return
    groups: dict[str, list[RatedSentence]] = {}
    for row in cells[1:]:
        rated = _rated(path, names, row)
        link = _link(names, row)
        if isinstance(rated, BrokenLine) or not link:
            yield rated
        else:
            groups.setdefault(link, []).append(rated)
    for link, sentences in groups.items():
        yield from _paired(path, link, sentences)


def _link(names: Sequence[str], row: Cells) -> str:
    column = next((name for name in _LINKS if name in names), None)
    return row.cells[names.index(column)] if column is not None and len(row.cells) == len(names) else ""


def _rated(path: Path, names: Sequence[str], row: Cells) -> RatedSentence | BrokenLine:
    if len(row.cells) != len(names):
        return BrokenLine(str(path), row.line, f"it has {len(row.cells)} cells, the header {len(names)}")
    values = dict(zip(names, row.cells, strict=True))
    if not values["sentence"]:
        return BrokenLine(str(path), row.line, "the sentence is empty")
    labels = [values.get("label0", ""), values.get("label1", "")]
    wrong = [label for label in labels if label not in _LABELS]
    if wrong:
        return BrokenLine(str(path), row.line, f"the label is '{wrong[0]}', not 1 or 0")
    linguist, crowd = (_LABELS[label] for label in labels)
    name = f"{path.stem}/{values.get('id') or row.line}"
    return RatedSentence(name, values["sentence"], linguist, crowd, str(path), row.line)


def _paired(path: Path, link: str, sentences: Sequence[RatedSentence]) -> Iterator[Pair | RatedSentence]:
    labels = [sentence.linguist if sentence.crowd is None else sentence.crowd for sentence in sentences]
    if sorted(map(str, labels)) != ["False", "True"]:
        yield from sentences
        return
    good, bad = sentences[labels.index(True)], sentences[labels.index(False)]
    line = min(good.line, bad.line)
    yield Pair(link, path.stem, path.stem, good.sentence, bad.sentence, str(path), line)
