"""Terminal output of suites: the chart of one item with surprisals as bars, and the table of recorded models.

Both are for a quick look without a report. In a terminal a Chinese character is two cells wide, and everything is
measured in cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len, set_cell_size

from hengliang.core.terms import Bilingual, Language
from hengliang.grammar.recorded import CLASS_TITLES, RecordedCell, RecordedTable
from hengliang.grammar.suites.published import CLASSES
from hengliang.grammar.views import (
    STAR,
    TARGET,
    ConditionView,
    Grid,
    ModelRow,
    Outcome,
    PredictionView,
    SuiteItemView,
    write_margin,
)
from hengliang.language_models.views import END_LABEL, bar, fitted, visible, write_surprisal
from hengliang.report.formats import Style
from hengliang.report.tables import Column, Table, text_table
from hengliang.statistics.results import write_statistic

# --- chart of one suite item ------------------------------------------------------------------------------------------
# One table per condition: a row for each word with the name of its region, a column for each model. All bars of an item
# share one scale, so that conditions can be compared by eye.


_GAP = "  "
_SHORTEST_BAR = 6
_LONGEST_BAR = 40


def draw_suite_item(view: SuiteItemView, width: int = 80) -> str:
    """Return the item: one table per condition of at most `width` cells, then the predictions as lines.

    ▼ marks the words that a prediction compares: one that fails for some model, or any where none does. Where not all
    models fit beside each other, the rest of them stand below.
    """
    layout = _layout(view, width)
    lines = [f"{visible(view.id)}{_GAP}{visible(view.gloss)}".rstrip(), ""]
    for condition in view.conditions:
        lines += [*_condition(condition, layout), ""]
    lines.append(f"Surprisal in nats. {TARGET} compared by a prediction, {STAR} meant to be bad.")
    for prediction in view.predictions:
        lines += ["", *_prediction(prediction, width)]
    return "\n".join(lines)


# --- the sentences ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Layout:
    """How many cells the names of regions, the words, the numbers and the bars have; how many models fit; the scale."""

    region: int
    word: int
    number: int
    room: int
    beside: int
    scale: float


def _layout(view: SuiteItemView, width: int) -> _Layout:
    grids = [grid for condition in view.conditions for grid in condition.grids]
    values = [value for grid in grids for row in grid.rows for value in (*row.surprisals, row.end)]
    region = _widest((name for grid in grids for name in grid.regions), width // 5)
    word = _widest((*(piece for grid in grids for piece in grid.pieces), END_LABEL), max(4, width // 4))
    number = max((len(write_surprisal(value)) for value in values), default=1)
    free = width - len(TARGET) - 1 - (region + len(_GAP) if region else 0) - word
    most = max((len(grid.rows) for grid in grids), default=1)
    fixed = 2 * len(_GAP) + number
    beside = max(1, min(most, free // (fixed + _SHORTEST_BAR)))
    room = max(1, min(_LONGEST_BAR, free // beside - fixed))
    largest = max((value for value in values if math.isfinite(value)), default=0.0)
    return _Layout(region, word, number, room, beside, min(1.0, room / largest) if largest > 0 else 1.0)


def _widest(texts: Iterator[str] | Sequence[str], limit: int) -> int:
    return min(max((cell_len(visible(text)) for text in texts), default=0), limit)


def _condition(condition: ConditionView, layout: _Layout) -> Iterator[str]:
    star = "" if condition.acceptable else STAR
    yield f"{star}{visible(condition.name)}{_GAP}{visible(condition.content)}"
    for grid in condition.grids:
        if grid.division == "crossing units":
            names = ", ".join(visible(row.model) for row in grid.rows)
            yield f"  {names}: units of the model, which do not end where the words do."
        scored = [row for row in grid.rows if not row.reason]
        for first in range(0, len(scored), layout.beside):
            yield from _table(grid, scored[first : first + layout.beside], layout)
        for row in grid.rows:
            if row.reason:
                yield f"  {visible(row.model)}: not scored: {visible(row.reason)}"


def _table(grid: Grid, rows: Sequence[ModelRow], layout: _Layout) -> Iterator[str]:
    column = layout.number + len(_GAP) + layout.room
    margin = len(TARGET) + 1 + (layout.region + len(_GAP) if layout.region else 0) + layout.word
    names = [fitted(visible(row.model), column) for row in rows]
    yield _GAP.join([" " * margin, *names]).rstrip()
    before = ""
    for number, piece in enumerate(grid.pieces):
        region = "" if grid.regions[number] == before else grid.regions[number]
        before = grid.regions[number]
        values = [row.surprisals[number] for row in rows]
        yield _line(TARGET if grid.targets[number] else " ", region, piece, values, layout)
    if grid.has_end:
        yield _line(" ", "", END_LABEL, [row.end for row in rows], layout)


def _line(mark: str, region: str, piece: str, values: Sequence[float], layout: _Layout) -> str:
    names = [_cut(visible(region), layout.region)] if layout.region else []
    cells = [*names, fitted(visible(piece), layout.word)]
    for value in values:
        drawn = set_cell_size(bar(value * layout.scale, layout.room), layout.room)
        cells += [write_surprisal(value).rjust(layout.number), drawn]
    return f"{mark} {_GAP.join(cells)}".rstrip()


def _cut(text: str, width: int) -> str:
    """Return the text in so many cells; of one that is too long the beginning is kept."""
    return set_cell_size(text if cell_len(text) <= width else set_cell_size(text, width - 1) + "…", width)


# --- the predictions --------------------------------------------------------------------------------------------------


def _prediction(prediction: PredictionView, width: int) -> Iterator[str]:
    kind = "predict" if prediction.counts else "control"
    yield f"{kind} {prediction.name.removeprefix('control ')}: {prediction.formula}"
    if not prediction.outcomes:
        return
    model = min(max(cell_len(visible(outcome.model)) for outcome in prediction.outcomes), max(8, width // 3))
    sides = [_sides(outcome, prediction.signs) for outcome in prediction.outcomes]
    margins = [write_margin(outcome) for outcome in prediction.outcomes]
    wide = [max(map(len, texts)) for texts in (sides, margins)]
    for outcome, side, margin in zip(prediction.outcomes, sides, margins, strict=True):
        name = fitted(visible(outcome.model), model)
        if outcome.label:
            yield _GAP.join(["", name, side.rjust(wide[0]), margin.rjust(wide[1]), outcome.label])
        else:
            yield _GAP.join(["", name, f"not judged: {visible(outcome.reason)}"])


def _sides(outcome: Outcome, signs: Sequence[str]) -> str:
    """Write both sides of each comparison with its sign: `8.42 > 9.10`."""
    return ", ".join(
        f"{write_statistic(left)} {sign} {write_statistic(right)}"
        for (left, right), sign in zip(outcome.sides, signs, strict=False)
    )


# --- table of recorded models -----------------------------------------------------------------------------------------
# The accuracies of recorded models beside the published ones.

ACCURACY = Bilingual("Accuracy of the recorded models", "已记录模型的准确率")
PUBLISHED = Bilingual("published", "发表值")

_NUMBER = Style("number", 3)
_COUNT = Style("integer", 0)
_MODIFIER_TITLES = {title.en: title for kind in CLASSES.values() for title in kind.modifiers.values()}
_CLASS = Column("class", Bilingual("Class", "类别"), header=True, labels={**CLASS_TITLES, PUBLISHED.en: PUBLISHED})
_MODIFIER = Column("modifier", Bilingual("Modifier", "修饰语"), header=True, labels=_MODIFIER_TITLES)


def accuracy_table(table: RecordedTable) -> Table:
    """Return one row per class and one column per model; below a class stands what was published."""
    systems = list(dict.fromkeys(cell.system for cell in table.cells))
    cells = {(cell.class_, cell.modifier, cell.system): cell for cell in table.cells}
    rows = list(dict.fromkeys((cell.class_, cell.modifier) for cell in table.cells))
    places = [(row, printed) for row in rows for printed in (False, True)]
    places = [place for place in places if not place[1] or any(_value(cells, place, name) for name in systems)]
    names = [PUBLISHED.en if printed else class_ for (class_, _), printed in places]
    columns: list[tuple[Column, Sequence[object]]] = [(_CLASS, names)]
    if any(modifier for _, modifier in rows):
        columns.append((_MODIFIER, [modifier for (_, modifier), _ in places]))
    for name in systems:
        column = Column(name, Bilingual(name, name), _NUMBER)
        columns.append((column, [_value(cells, place, name) for place in places]))
    return replace(text_table(columns), title=ACCURACY)


def _value(
    cells: Mapping[tuple[str, str, str], RecordedCell], place: tuple[tuple[str, str], bool], system: str
) -> float | None:
    row, printed = place
    cell = cells.get((*row, system))
    if cell is None or cell.tosses is None:
        return None
    if printed:
        return cell.place.value if cell.place else None
    return cell.tosses.expected


def tie_tables(table: RecordedTable) -> list[Table]:
    """Return a table for each model that has ties: what its accuracy is over all tosses."""
    tied = [cell for cell in table.cells if cell.tosses is not None and cell.tosses.ties]
    systems = dict.fromkeys(cell.system for cell in tied)
    return [_tie_table(table, name, [cell for cell in tied if cell.system == name]) for name in systems]


def _tie_table(table: RecordedTable, system: str, cells: Sequence[RecordedCell]) -> Table:
    tosses = [cell.tosses for cell in cells if cell.tosses is not None]
    central = [toss.central(table.resampling.level) for toss in tosses]
    percent = f"{100 * table.resampling.level:g}%"
    columns: list[tuple[Column, Sequence[object]]] = [(_CLASS, [cell.class_ for cell in cells])]
    if any(cell.modifier for cell in cells):
        columns.append((_MODIFIER, [cell.modifier for cell in cells]))
    columns += [
        (Column("ties", Bilingual("Ties", "平局"), _COUNT), [toss.ties for toss in tosses]),
        (Column("range", Bilingual("Range", "范围")), [f"{toss.lowest:.3f}–{toss.highest:.3f}" for toss in tosses]),
        (Column("central", Bilingual(percent, percent)), [f"{low:.3f}–{high:.3f}" for low, high in central]),
    ]
    if table.coin_seed is not None:
        title = Bilingual(f"Coin {table.coin_seed}", f"掷币 {table.coin_seed}")
        columns.append((Column("settled", title, _NUMBER), [cell.settled for cell in cells]))
    places = [cell.place for cell in cells]
    if any(places):
        values = [place.value if place else None for place in places]
        chances = [place.probability if place else None for place in places]
        columns.append((Column("published", PUBLISHED, _NUMBER), values))
        columns.append((Column("p", Bilingual("p", "p"), _NUMBER), chances))
    title = Bilingual(f"What coins can make of the ties: {system}", f"掷币处理平局的可能结果：{system}")
    return replace(text_table(columns), title=title)


def statements(table: RecordedTable) -> list[Bilingual]:
    """Say which published accuracies follow, where those with ties lie, and what was left out."""
    placed = [cell for cell in table.cells if cell.place is not None and cell.tosses is not None]
    plain = [cell for cell in placed if cell.tosses is not None and not cell.tosses.ties]
    follow = sum(cell.place is not None and cell.place.possible for cell in plain)
    sentences = []
    if plain:
        sentences.append(
            Bilingual(
                f"Without ties, {follow} of {len(plain)} published accuracies follow to the printed digit.",
                f"没有平局的 {len(plain)} 个发表值中，{follow} 个复算一致。",
            )
        )
    open_cells = [cell for cell in placed if cell not in plain or not (cell.place and cell.place.possible)]
    sentences += [cell.statement() for cell in open_cells]
    missing = sum(cell.missing for cell in table.cells)
    if missing:
        sentences.append(Bilingual(f"{missing} comparisons are not recorded.", f"{missing} 个比较没有记录。"))
    if table.left_out:
        names = ", ".join(table.left_out)
        sentences.append(
            Bilingual(f"Left out, not among the 24 suites: {names}.", f"未计入（不属于 24 个套件）：{names}。")
        )
    return sentences


def tables_of(table: RecordedTable, language: Language = "en") -> list[Table]:
    """Return the tables that a terminal shows."""
    return [each.in_language(language) for each in (accuracy_table(table), *tie_tables(table))]
