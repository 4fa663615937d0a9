"""How does one item of a suite look in a terminal: words, bars and verdicts?

One table a condition: a row a word with the name of its region, a column a model. All bars of an item share one scale,
so that conditions can be compared by eye. In a terminal a Chinese character is two cells wide, and everything is
measured in cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from hengliang.language_models.views import END_LABEL, bar, fitted, visible, write_surprisal
from hengliang.report.suite_item_view import (
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
from hengliang.statistics.results import write_statistic

_GAP = "  "
_SHORTEST_BAR = 6
_LONGEST_BAR = 40


def draw_suite_item(view: SuiteItemView, width: int = 80) -> str:
    """Return the item: a table a condition of at most `width` cells, then the predictions as lines.

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
    for place, piece in enumerate(grid.pieces):
        region = "" if grid.regions[place] == before else grid.regions[place]
        before = grid.regions[place]
        values = [row.surprisals[place] for row in rows]
        yield _line(TARGET if grid.targets[place] else " ", region, piece, values, layout)
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
