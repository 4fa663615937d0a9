"""How are the tables of a run read as views of its suite items?

Everything is looked up for all wanted items at once. What a prediction makes of an item is taken from the judgements
where there are any, since only they know how a tie was settled; margins and both sides of the comparisons are worked
out from the scored units by the same code that judged them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.judging import CONTROL
from hengliang.core.labelling.texts import WORD
from hengliang.core.text.characters import ByteSpan, byte_offsets, slices
from hengliang.language_models.regions import CROSSED, Edges, Regions, region_scores
from hengliang.language_models.scores import Scores, scores_of_content
from hengliang.materials.suites.formulas import Expression, Formula, Number, Operation
from hengliang.materials.suites.suite import Prediction, predictions_of_text
from hengliang.measures.formula_values import verdicts
from hengliang.measures.prediction import LABELS, LOST, WON
from hengliang.report.suite_item_view import (
    ConditionView,
    Division,
    Grid,
    ModelRow,
    Outcome,
    PredictionView,
    SuiteItemView,
)

_LOGIC = {"&", "|"}
_NOT_SCORED = "not scored"


def suite_item_view(
    items: pl.DataFrame, responses: pl.DataFrame, judgements: pl.DataFrame, set_id: str, edges: Edges = "refuse"
) -> SuiteItemView:
    """Return the view of one set of an item table, with what the response table of scored units says of it.

    `judgements` may be empty: predictions are then judged here, a tie being no success. `edges` is that of the measure.
    """
    if "predictions" not in items.columns or set_id not in items["set"]:
        known = items["set"].unique(maintain_order=True).head(5).to_list() if "predictions" in items.columns else []
        raise UserError(
            f"No item with predictions is called '{set_id}'.",
            valid=f"For example: {', '.join(known)}." if known else "Items of suites: SUITE/ITEM.",
        )
    return suite_item_views(items, responses, judgements, [set_id], edges)[0]


def suite_item_views(
    items: pl.DataFrame,
    responses: pl.DataFrame,
    judgements: pl.DataFrame,
    sets: Sequence[str],
    edges: Edges = "refuse",
) -> tuple[SuiteItemView, ...]:
    """Return the views of these sets, in this order."""
    asked = items.filter(pl.col("set").is_in(list(sets)) & pl.col("predictions").is_not_null())
    answered = responses.join(asked.select(item="id"), on="item", how="semi", maintain_order="left")
    answered = answered.with_columns(model=system_names())
    outcomes = _outcomes(asked, answered, judgements, edges)
    sentences = _Sentences.of(asked, answered)
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in sets}
    for row in asked.drop("spans").iter_rows(named=True):
        rows[row["set"]].append(row)
    models = answered["model"].unique(maintain_order=True).to_list()
    return tuple(_item_view(name, held, models, outcomes, sentences) for name, held in rows.items() if held)


def system_names() -> pl.Expr:
    """Return how judgements call the system of a response: a model with a seed by both."""
    return pl.when(pl.col("seed").is_null()).then("system").otherwise(pl.format("{} (seed {})", "system", "seed"))


def prediction_measure(judgements: pl.DataFrame) -> str:
    """Return the first measure that says success, failure or tie, whatever it is called; empty when there is none."""
    found = judgements.filter(pl.col("label").is_in([*LABELS.values(), WON, LOST]))["measure"]
    return found[0] if len(found) else ""


def _item_view(
    name: str,
    rows: Sequence[Mapping[str, Any]],
    models: Sequence[str],
    outcomes: Mapping[tuple[str, str, str], Outcome],
    sentences: _Sentences,
) -> SuiteItemView:
    predictions = predictions_of_text(rows[0]["predictions"])
    views = tuple(_prediction_view(name, prediction, models, outcomes) for prediction in predictions)
    failed = [prediction for prediction, view in zip(predictions, views, strict=True) if _is_failed(view)]
    marked = failed or [prediction for prediction in predictions if prediction.counts] or list(predictions)
    conditions = tuple(
        ConditionView(
            row["condition"],
            row["content"],
            row.get("acceptable") is not False,
            sentences.grids(row["id"], row["content"], row["condition"], marked, models),
        )
        for row in rows
    )
    return SuiteItemView(name, rows[0].get("suite") or "", rows[0].get("gloss") or "", conditions, views)


def _is_failed(view: PredictionView) -> bool:
    return view.counts and any(outcome.fails for outcome in view.outcomes)


# --- predictions ------------------------------------------------------------------------------------------------------


def _prediction_view(
    name: str, prediction: Prediction, models: Sequence[str], outcomes: Mapping[tuple[str, str, str], Outcome]
) -> PredictionView:
    part = _part(prediction)
    held = tuple(outcomes[name, model, part] for model in models if (name, model, part) in outcomes)
    signs = tuple(comparison.sign for comparison in _comparisons(prediction.formula.expression))
    return PredictionView(prediction.name, str(prediction.formula), prediction.counts, signs, held)


def _part(prediction: Prediction) -> str:
    return prediction.name if prediction.counts else f"{CONTROL}{prediction.name}"


def _comparisons(expression: Expression) -> list[Operation]:
    """Return the comparisons that a formula joins, from left to right."""
    if not isinstance(expression, Operation):
        return []
    if expression.sign in _LOGIC:
        return [*_comparisons(expression.left), *_comparisons(expression.right)]
    return [expression]


def _outcomes(
    asked: pl.DataFrame, answered: pl.DataFrame, judgements: pl.DataFrame, edges: Edges
) -> dict[tuple[str, str, str], Outcome]:
    """Return what each model makes of each prediction of each set, by set, model and part."""
    judged = judgements.filter(
        pl.col("about").is_in(asked["set"].unique().implode()), pl.col("measure") == prediction_measure(judgements)
    ).select("about", "scored_system", "part", "label", "value", "status", "reason")
    known = {row[:3]: row[3:] for row in judged.iter_rows()}
    sides = _sides(asked, answered, edges)
    found = {}
    for name, model, part, outcome, margin, reason in verdicts(asked, answered, edges).iter_rows():
        label, value = LABELS.get(outcome, ""), float(outcome == 1) if outcome == outcome else math.nan
        if (name, model, part) in known:
            label, value, status, reason = known[name, model, part]
            label, value = (label or "", math.nan if value is None else value) if status == "ok" else ("", math.nan)
        found[name, model, part] = Outcome(
            model, label, value, _rounded(margin, 6), sides.get((name, model, part), ()), reason
        )
    return found


Sides = dict[tuple[str, str, str], tuple[tuple[float, float], ...]]
"""Both sides of the comparisons of a prediction, by set, model and part."""


def _sides(asked: pl.DataFrame, answered: pl.DataFrame, edges: Edges) -> Sides:
    """Return both sides of the comparisons of each prediction.

    The amount of a side is the margin of `side > 0`, so that the code that judges works it out for all sets together.
    """
    plans = {text: predictions_of_text(text) for text in asked["predictions"].unique(maintain_order=True)}
    written = {text: "\n".join(_side_lines(plan)) for text, plan in plans.items()}
    told = asked.with_columns(predictions=pl.col("predictions").replace_strict(written, return_dtype=pl.String))
    found = verdicts(told, answered, edges).select("set", "scored_system", "part", "margin")
    amounts = {row[:3]: row[3] for row in found.iter_rows()}
    models = answered["model"].unique(maintain_order=True).to_list()
    sides: Sides = {}
    for name, text in asked.select("set", "predictions").unique(maintain_order=True).iter_rows():
        for number, prediction in enumerate(plans[text]):
            for model in models:
                pairs = []
                for place, comparison in enumerate(_comparisons(prediction.formula.expression)):
                    left, right = (
                        amounts.get((name, model, _side_name(number, place, side)), _constant(expression))
                        for side, expression in enumerate((comparison.left, comparison.right))
                    )
                    pairs.append((_rounded(left, 6), _rounded(right, 6)))
                sides[name, model, _part(prediction)] = tuple(pairs)
    return sides


def _side_name(number: int, place: int, side: int) -> str:
    return f"{number} {place} {side}"


def _above_zero(expression: Expression) -> Formula:
    return Formula(Operation(">", expression, Number(0.0)))


def _side_lines(predictions: Sequence[Prediction]) -> Iterator[str]:
    """Write the sides that measure something as predictions."""
    for number, prediction in enumerate(predictions):
        for place, comparison in enumerate(_comparisons(prediction.formula.expression)):
            for side, expression in enumerate((comparison.left, comparison.right)):
                if _above_zero(expression).terms:
                    yield f"predict {_side_name(number, place, side)}: {_above_zero(expression)}"


def _constant(expression: Expression) -> float:
    """Return the amount of a side that measures nothing."""
    formula = _above_zero(expression)
    return math.nan if formula.terms else float(formula.verdicts({}).margins)


# --- sentences --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Cut:
    """One answer: how its sentence is cut, and the surprisal of each piece."""

    division: Division
    spans: tuple[ByteSpan, ...]
    row: ModelRow


@dataclass(frozen=True, slots=True, eq=False)
class _Sentences:
    """The named spans of each item and the answers to it, by model."""

    spans: Mapping[str, Sequence[tuple[str, int, int]]]
    cuts: Mapping[str, Mapping[str, _Cut]]

    @classmethod
    def of(cls, asked: pl.DataFrame, answered: pl.DataFrame) -> _Sentences:
        """Cut every answered sentence."""
        spans = {
            name: [(span["name"], span["start"], span["end"]) for span in held]
            for name, held in asked.select("id", "spans").iter_rows()
        }
        rows = answered.join(asked.select(item="id", text="content"), on="item", how="left", maintain_order="left")
        words = [tuple(place[1:] for place in spans[item] if place[0] == WORD) for item in rows["item"]]
        cuts: dict[str, dict[str, _Cut]] = {}
        for item, cut in zip(rows["item"], _cuts(rows, words), strict=True):
            cuts.setdefault(item, {})[cut.row.model] = cut
        return cls(spans, cuts)

    def grids(
        self, item: str, content: str, condition: str, marked: Sequence[Prediction], models: Sequence[str]
    ) -> tuple[Grid, ...]:
        """Return the sentence of an item in pieces; models that are cut alike share a grid."""
        regions = [place for place in self.spans[item] if place[0] != WORD]
        terms = [term for prediction in marked for term in prediction.formula.terms if term.condition == condition]
        edges = {name: (start, end) for name, start, end in regions}
        targets = [(edges[term.first][0], edges[term.last][1]) for term in terms if term.first and term.last in edges]
        whole = any(not term.first for term in terms)
        held = self.cuts.get(item, {})
        groups: dict[tuple[ByteSpan, ...], list[_Cut]] = {}
        for cut in (held[model] for model in models if model in held):
            groups.setdefault(cut.spans, []).append(cut)
        # A model without a score has no pieces of its own, and is told of beside the others.
        unscored = groups.pop((), []) if len(groups) > 1 else []
        found = []
        for spans, cuts in groups.items():
            shown = spans or ((0, len(content.encode())),)
            members = {cut.row.model for cut in [*cuts, *unscored]}
            rows = [held[model].row for model in models if model in members]
            unscored = []
            found.append(
                Grid(
                    cuts[0].division,
                    tuple(piece.strip() for piece in slices(content, shown)),
                    tuple("+".join(name for name, *edge in regions if _touches(span, edge)) for span in shown),
                    tuple(any(_touches(span, target) for target in targets) for span in shown),
                    tuple(row if whole else _without_end(row) for row in rows),
                )
            )
        return tuple(found)


def _touches(span: Sequence[int], other: Sequence[int]) -> bool:
    return span[0] < other[1] and other[0] < span[1]


def _without_end(row: ModelRow) -> ModelRow:
    """Return the row without the end of the sentence, which belongs to no region."""
    return ModelRow(row.model, row.surprisals, math.nan, row.reason)


def _cuts(rows: pl.DataFrame, words: Sequence[tuple[ByteSpan, ...]]) -> list[_Cut]:
    """Return every answer by word, or by unit where there are no words or a unit crosses the edge of one."""
    scores = scores_of_content(rows["content"])
    reasons = rows["reason"].fill_null("").to_list()
    ends = _ends(scores)
    by_word, crossed = _by_piece(scores, words)
    own = [
        () if problem or (held and not crosses) else _unit_spans(scores, row, text)
        for row, (held, crosses, problem, text) in enumerate(
            zip(words, crossed, scores.problems, rows["text"], strict=True)
        )
    ]
    by_unit, _ = _by_piece(scores, own)
    found = []
    for row, (model, problem) in enumerate(zip(rows["model"], scores.problems, strict=True)):
        if problem:
            found.append(_Cut("words", words[row], ModelRow(model, (), math.nan, reasons[row] or _NOT_SCORED)))
        elif own[row]:
            division: Division = "crossing units" if words[row] else "units"
            found.append(_Cut(division, own[row], ModelRow(model, by_unit[row], ends[row])))
        else:
            found.append(_Cut("words", words[row], ModelRow(model, by_word[row], ends[row])))
    return found


def _by_piece(scores: Scores, pieces: Sequence[tuple[ByteSpan, ...]]) -> tuple[list[tuple[float, ...]], list[bool]]:
    """Return the surprisal of each piece of each text, and in which texts a unit crosses the edge of a piece."""
    counts = [len(spans) for spans in pieces]
    flat = np.array([span for spans in pieces for span in spans], np.int64).reshape(-1, 2)
    regions = Regions(np.repeat(np.arange(len(pieces), dtype=np.int64), counts), flat[:, 0], flat[:, 1])
    found = region_scores(scores, regions)
    numbers = [_rounded(value, 3) for value in found.surprisals.tolist()]
    edges = list(pairwise([0, *np.cumsum(counts).tolist()]))
    return (
        [tuple(numbers[first:last]) for first, last in edges],
        [CROSSED in found.problems[first:last] for first, last in edges],
    )


def _unit_spans(scores: Scores, row: int, text: str) -> tuple[ByteSpan, ...]:
    """Return the units of a text as pieces; a character of which a unit holds a part of the bytes stays whole."""
    ends = scores.ends[scores.offsets[row] : scores.offsets[row + 1]].tolist()
    size = len(text.encode())
    edges = {0, size, *(set(ends) & set(byte_offsets(text).tolist()))}
    return tuple(pairwise(sorted(edges)))


def _ends(scores: Scores) -> list[float]:
    """Return the surprisal of the end of each text; NaN where the model does not score it."""
    closing = scores.starts == scores.ends
    rows = scores.rows[closing]
    totals = np.bincount(rows, -scores.logprobs[closing], minlength=len(scores))
    scored = np.bincount(rows, minlength=len(scores)) > 0
    return [_rounded(value, 3) for value in np.where(scored, totals, np.nan).tolist()]


def _rounded(value: float, digits: int) -> float:
    """Round, so that what is read back from a file is drawn as it was; no minus before a zero."""
    return round(value, digits) + 0.0
