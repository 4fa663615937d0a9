"""How surprising is each word of one suite item to each model, in every condition, and which predictions hold?

A view is plain data: words, numbers and verdicts, enough to draw the item on a page or in a terminal without the
models. Sentences are cut into their words; a model with a unit that crosses the edge of a word is shown by its own
units instead, and so is every model where the item does not say what its words are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from hengliang.core.settings import Key
from hengliang.statistics.results import signed, write_statistic

Division = Literal["words", "units", "crossing units"]
"""Words, units of a model where nobody says what the words are, or units of a model that do not end where words do."""

TARGET = "▼"
"""Stands before a region that a prediction compares."""
STAR = "*"
"""Stands before a condition that is meant to be bad."""
SIGNS = {"success": "✓", "failure": "✗", "tie": "=", "tie won": "= ✓", "tie lost": "= ✗"}
"""How the label of a judgement is written beside a margin."""


@dataclass(frozen=True, slots=True)
class ModelRow:
    """What one model says of a sentence, in nats: a number a piece (NaN where there is none) and the end.

    `reason` says why the sentence has no score at all; there are no numbers then.
    """

    model: str
    surprisals: tuple[float, ...] = ()
    end: Annotated[float, Key("end_of_sentence")] = math.nan
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A sentence in pieces, and the models that are shown by these pieces.

    `regions` names the region of each piece (`a+b` for a unit that lies in two, nothing for none), `targets` says
    whether a prediction compares it.
    """

    division: Division
    pieces: tuple[str, ...]
    regions: tuple[str, ...]
    targets: tuple[bool, ...]
    rows: tuple[ModelRow, ...]

    @property
    def has_end(self) -> bool:
        """Whether a model scores the end of the sentence and the end matters here."""
        return any(not math.isnan(row.end) for row in self.rows)


@dataclass(frozen=True, slots=True)
class ConditionView:
    """One sentence of the item; `acceptable` is whether a speaker should find it good."""

    name: str
    content: str
    acceptable: bool
    grids: tuple[Grid, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one model makes of a prediction: `label` is success, failure, tie, or how a coin settled the tie.

    `value` is 1 where it counts as a success and 0 where it does not. Where it could not be judged the value is NaN,
    the label is empty and there is a `reason`. `margin` is by how many nats it holds; `sides` are both sides of each
    comparison.
    """

    model: str
    label: str
    value: float
    margin: float
    sides: tuple[tuple[float, float], ...] = ()
    reason: str = ""

    @property
    def is_tie(self) -> bool:
        """Whether both sides are equal, settled by a coin or not."""
        return self.label.startswith("tie")

    @property
    def fails(self) -> bool:
        """Whether the prediction counts as not fulfilled; one that could not be judged does not."""
        return self.value == 0


@dataclass(frozen=True, slots=True)
class PredictionView:
    """A prediction of the item as it was written, `signs` its comparisons in order, and what the models make of it."""

    name: str
    formula: str
    counts: bool
    signs: tuple[str, ...]
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class SuiteItemView:
    """One item of a suite, or one minimal pair: its sentences by word and model, and its predictions."""

    id: str
    suite: str
    gloss: str
    conditions: tuple[ConditionView, ...]
    predictions: tuple[PredictionView, ...]

    @property
    def models(self) -> tuple[str, ...]:
        """The models in the order of the run."""
        outcomes = [outcome.model for prediction in self.predictions for outcome in prediction.outcomes]
        return tuple(dict.fromkeys([*outcomes, *(row.model for row in self._rows())]))

    def _rows(self) -> Iterable[ModelRow]:
        return (row for condition in self.conditions for grid in condition.grids for row in grid.rows)

    def failures(self, model: str) -> tuple[tuple[PredictionView, Outcome], ...]:
        """Return the predictions that count and that this model does not fulfil."""
        return tuple(
            (prediction, outcome)
            for prediction in self.predictions
            for outcome in prediction.outcomes
            if prediction.counts and outcome.model == model and outcome.fails
        )


def region_groups(grid: Grid) -> list[tuple[str, bool, int]]:
    """Return the regions of a grid from left to right: name, whether it is a target, over how many pieces it goes."""
    found: list[tuple[str, bool, int]] = []
    for name, target in zip(grid.regions, grid.targets, strict=True):
        if found and found[-1][:2] == (name, target):
            found[-1] = (name, target, found[-1][2] + 1)
        else:
            found.append((name, target, 1))
    return found


def named_predictions(predictions: Sequence[PredictionView]) -> bool:
    """Say whether the predictions that count need their names to be told apart."""
    return sum(prediction.counts for prediction in predictions) > 1


def write_failures(failures: Sequence[tuple[PredictionView, Outcome]], named: bool) -> str:
    """Write by how much predictions fail, with their names where they have to be told apart: `2: −0.79, 3: =`."""
    return ", ".join(
        (f"{prediction.name}: " if named else "") + (SIGNS["tie"] if outcome.is_tie else write_margin(outcome))
        for prediction, outcome in failures
    )


def write_margin(outcome: Outcome) -> str:
    """Write by how many nats a prediction holds: two decimals, more where they would hide which side is larger."""
    margin = outcome.margin
    if math.isfinite(margin) and not outcome.is_tie and abs(margin) < 0.005:
        return signed(f"{margin:.1g}") if margin else "0"
    return write_statistic(margin)
