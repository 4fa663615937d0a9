"""Views of suite items for reports: surprisal by word and model, predictions, and the items that models fail.

From one item to a whole report: what a view holds, how it is made from the tables of a run, and which failing items of
all suites are shown.

A view is plain data: words, numbers and verdicts, enough to draw the item on a page or in a terminal without the
models. Sentences are cut into their words; a model with a unit that crosses the edge of a word is shown by its own
units instead, and so is every model where the item does not say what its words are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.judging import CONTROL
from hengliang.core.labelling.texts import WORD
from hengliang.core.settings import Key
from hengliang.core.terms import Bilingual, both
from hengliang.core.text.characters import ByteSpan, byte_offsets, slices
from hengliang.grammar.accuracy import CLASS_TITLES, SUITE_FACTORS
from hengliang.grammar.prediction import JUDGE, LABELS, LOST, WON, verdicts
from hengliang.grammar.suites.formulas import Expression, Formula, Number, Operation
from hengliang.grammar.suites.suite import Prediction, predictions_of_text
from hengliang.language_models.regions import CROSSED, Edges, Regions, region_scores
from hengliang.language_models.scores import Scores, scores_of_content
from hengliang.statistics.results import signed, write_statistic

# --- the view of an item ----------------------------------------------------------------------------------------------


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
    """What one model says of a sentence, in nats: a number per piece (NaN where there is none) and the end.

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
    groups: list[tuple[str, bool, int]] = []
    for name, target in zip(grid.regions, grid.targets, strict=True):
        if groups and groups[-1][:2] == (name, target):
            groups[-1] = (name, target, groups[-1][2] + 1)
        else:
            groups.append((name, target, 1))
    return groups


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


# --- building views from the tables of a run --------------------------------------------------------------------------
# Everything is looked up for all wanted items at once. What a prediction makes of an item is taken from the judgements
# where there are any, since only they know how a tie was settled; margins and both sides of the comparisons are worked
# out from the scored units by the same code that judged them.

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
    return tuple(
        _item_view(name, item_rows, models, outcomes, sentences) for name, item_rows in rows.items() if item_rows
    )


def system_names() -> pl.Expr:
    """Return how judgements call the system of a response: a model with a seed by both."""
    return pl.when(pl.col("seed").is_null()).then("system").otherwise(pl.format("{} (seed {})", "system", "seed"))


def prediction_measure(judgements: pl.DataFrame) -> str:
    """Return the first measure that says success, failure or tie, whatever it is called; empty when there is none."""
    measures = judgements.filter(pl.col("label").is_in([*LABELS.values(), WON, LOST]))["measure"]
    return measures[0] if len(measures) else ""


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
    own = tuple(outcomes[name, model, part] for model in models if (name, model, part) in outcomes)
    signs = tuple(comparison.sign for comparison in _comparisons(prediction.formula.expression))
    return PredictionView(prediction.name, str(prediction.formula), prediction.counts, signs, own)


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
    collected = {}
    for name, model, part, outcome, margin, reason in verdicts(asked, answered, edges).iter_rows():
        label, value = LABELS.get(outcome, ""), float(outcome == 1) if outcome == outcome else math.nan
        if (name, model, part) in known:
            label, value, status, reason = known[name, model, part]
            label, value = (label or "", math.nan if value is None else value) if status == "ok" else ("", math.nan)
        collected[name, model, part] = Outcome(
            model, label, value, _rounded(margin, 6), sides.get((name, model, part), ()), reason
        )
    return collected


Sides = dict[tuple[str, str, str], tuple[tuple[float, float], ...]]
"""Both sides of the comparisons of a prediction, by set, model and part."""


def _sides(asked: pl.DataFrame, answered: pl.DataFrame, edges: Edges) -> Sides:
    """Return both sides of the comparisons of each prediction.

    The amount of a side is the margin of `side > 0`, so that the code that judges works it out for all sets together.
    """
    plans = {text: predictions_of_text(text) for text in asked["predictions"].unique(maintain_order=True)}
    written = {text: "\n".join(_side_lines(plan)) for text, plan in plans.items()}
    as_predictions = asked.with_columns(
        predictions=pl.col("predictions").replace_strict(written, return_dtype=pl.String)
    )
    margins = verdicts(as_predictions, answered, edges).select("set", "scored_system", "part", "margin")
    amounts = {row[:3]: row[3] for row in margins.iter_rows()}
    models = answered["model"].unique(maintain_order=True).to_list()
    sides: Sides = {}
    for name, text in asked.select("set", "predictions").unique(maintain_order=True).iter_rows():
        for number, prediction in enumerate(plans[text]):
            for model in models:
                pairs = []
                for position, comparison in enumerate(_comparisons(prediction.formula.expression)):
                    left, right = (
                        amounts.get((name, model, _side_name(number, position, side)), _constant(expression))
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
        for position, comparison in enumerate(_comparisons(prediction.formula.expression)):
            for side, expression in enumerate((comparison.left, comparison.right)):
                if _above_zero(expression).terms:
                    yield f"predict {_side_name(number, position, side)}: {_above_zero(expression)}"


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
            name: [(span["name"], span["start"], span["end"]) for span in spans_of_item]
            for name, spans_of_item in asked.select("id", "spans").iter_rows()
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
        by_model = self.cuts.get(item, {})
        groups: dict[tuple[ByteSpan, ...], list[_Cut]] = {}
        for cut in (by_model[model] for model in models if model in by_model):
            groups.setdefault(cut.spans, []).append(cut)
        # A model without a score has no pieces of its own, and is mentioned beside the others.
        unscored = groups.pop((), []) if len(groups) > 1 else []
        grids = []
        for spans, cuts in groups.items():
            shown = spans or ((0, len(content.encode())),)
            members = {cut.row.model for cut in [*cuts, *unscored]}
            rows = [by_model[model].row for model in models if model in members]
            unscored = []
            grids.append(
                Grid(
                    cuts[0].division,
                    tuple(piece.strip() for piece in slices(content, shown)),
                    tuple("+".join(name for name, *edge in regions if _touches(span, edge)) for span in shown),
                    tuple(any(_touches(span, target) for target in targets) for span in shown),
                    tuple(row if whole else _without_end(row) for row in rows),
                )
            )
        return tuple(grids)


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
        () if problem or (spans and not crosses) else _unit_spans(scores, row, text)
        for row, (spans, crosses, problem, text) in enumerate(
            zip(words, crossed, scores.problems, rows["text"], strict=True)
        )
    ]
    by_unit, _ = _by_piece(scores, own)
    cuts = []
    for row, (model, problem) in enumerate(zip(rows["model"], scores.problems, strict=True)):
        if problem:
            cuts.append(_Cut("words", words[row], ModelRow(model, (), math.nan, reasons[row] or _NOT_SCORED)))
        elif own[row]:
            division: Division = "crossing units" if words[row] else "units"
            cuts.append(_Cut(division, own[row], ModelRow(model, by_unit[row], ends[row])))
        else:
            cuts.append(_Cut("words", words[row], ModelRow(model, by_word[row], ends[row])))
    return cuts


def _by_piece(scores: Scores, pieces: Sequence[tuple[ByteSpan, ...]]) -> tuple[list[tuple[float, ...]], list[bool]]:
    """Return the surprisal of each piece of each text, and in which texts a unit crosses the edge of a piece."""
    counts = [len(spans) for spans in pieces]
    flat = np.array([span for spans in pieces for span in spans], np.int64).reshape(-1, 2)
    regions = Regions(np.repeat(np.arange(len(pieces), dtype=np.int64), counts), flat[:, 0], flat[:, 1])
    sums = region_scores(scores, regions)
    numbers = [_rounded(value, 3) for value in sums.surprisals.tolist()]
    edges = list(pairwise([0, *np.cumsum(counts).tolist()]))
    return (
        [tuple(numbers[first:last]) for first, last in edges],
        [CROSSED in sums.problems[first:last] for first, last in edges],
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


# --- failing items ----------------------------------------------------------------------------------------------------
# Which items of which suites the models fail, and which of them a report shows. An item fails for a model when a
# prediction that counts does not hold; a tie that no coin has settled does not hold, and a prediction that could not be
# judged neither holds nor fails. Items that every model passes are counted and not shown. Of the others the hardest are
# shown: those that most models fail, and among these those that fail by most.


@dataclass(frozen=True, slots=True)
class Limits:
    """How many failing items are shown.

    At most `suite` of each suite. Suites of more than `large` items (minimal pairs by the thousand) show at most
    `large_suite` each and `large_suites` together. `numbers` is roughly how many surprisals a page may hold; where
    there would be more, all suites show fewer.
    """

    suite: int = 12
    large: int = 200
    large_suite: int = 5
    large_suites: int = 200
    numbers: int = 36_000


@dataclass(frozen=True, slots=True)
class ModelTally:
    """How many items of a suite one model was asked, failed, tied in and could not be judged in, for which reason."""

    model: str
    items: int
    failed: int
    tied: int = 0
    unscored: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SuiteView:
    """One suite: how many items it has, how many of them some model fails, and those that are shown."""

    name: str
    class_: Annotated[str, Key("class")]
    modifier: str
    n_items: int
    n_failing: int
    models: tuple[ModelTally, ...]
    items: tuple[SuiteItemView, ...]


def suite_views(
    items: pl.DataFrame,
    responses: pl.DataFrame,
    judgements: pl.DataFrame,
    limits: Limits | None = None,
    edges: Edges = "refuse",
) -> tuple[SuiteView, ...]:
    """Return the suites of a run with their failing items; none when nothing was predicted or judged.

    `responses` is the table of scored units, `edges` that of the measure which judged them.
    """
    measure = prediction_measure(judgements)
    if not measure or "predictions" not in items.columns:
        return ()
    asked = _sets(items)
    results = _results(asked, judgements, measure)
    chosen = _chosen(asked, results, limits or Limits())
    views = {view.id: view for view in suite_item_views(items, responses, judgements, chosen["set"].to_list(), edges)}
    shown: dict[str, list[SuiteItemView]] = {}
    for suite, name in chosen.select("suite", "set").iter_rows():
        shown.setdefault(suite, []).extend([views[name]] if name in views else [])
    tallies = _tallies(results)
    counts = results.group_by("suite").agg(failing=pl.col("set").filter("failed").n_unique())
    failing = dict(counts.iter_rows())
    facts = asked.group_by("suite", maintain_order=True).agg(pl.first("class", "modifier"), n=pl.len())
    return tuple(
        SuiteView(name, class_, modifier, n, failing[name], tuple(tallies[name]), tuple(shown.get(name, ())))
        for name, class_, modifier, n in facts.select("suite", "class", "modifier", "n").iter_rows()
        if name in failing
    )


def _sets(items: pl.DataFrame) -> pl.DataFrame:
    """Return one row per set: its suite, class and modifier, how many numbers it takes to show, and its place."""
    columns = set(items.columns)
    texts = {
        name: (pl.col(name) if name in columns else pl.lit(None, pl.String)).cast(pl.String).fill_null("")
        for name in ("suite", "class", "modifier")
    }
    suite = pl.when(texts["suite"] == "").then("material").otherwise(texts["suite"])
    counted = pl.col("spans").list.eval((pl.element().struct.field("name") == WORD).cast(pl.Int64)).list.sum()
    # Where nobody says what the words are, a unit may be as small as a character.
    pieces = pl.when(counted > 0).then(counted).otherwise(pl.col("content").str.len_chars().cast(pl.Int64))
    return (
        items.filter(pl.col("predictions").is_not_null())
        .select("set", suite=suite, **{"class": texts["class"]}, modifier=texts["modifier"], pieces=pieces)
        .group_by("set", maintain_order=True)
        .agg(pl.first("suite", "class", "modifier"), pl.sum("pieces"))
        .with_row_index("place")
    )


def _results(asked: pl.DataFrame, judgements: pl.DataFrame, measure: str) -> pl.DataFrame:
    """Return one row per set and model: whether it failed, tied or could not be judged, and by how much it failed."""
    counting = pl.col("part").str.starts_with(CONTROL).not_()
    judged = judgements.filter(pl.col("measure") == measure, counting).rename({"about": "set"})
    keys = ["set", "scored_system", "part"]
    # The margins are judged by another measure, if at all; they only order the items.
    margins = judgements.filter(
        pl.col("measure") != measure, pl.col("judge") == JUDGE, pl.col("label").is_null(), counting
    ).select("scored_system", "part", set="about", margin="value")
    margins = margins.unique(subset=keys, keep="first")
    rows = judged.join(asked.select("set", "suite"), on="set", maintain_order="left")
    rows = rows.join(margins, on=keys, how="left", maintain_order="left")
    fails = pl.col("value") == 0
    return rows.group_by("suite", "set", "scored_system", maintain_order=True).agg(
        failed=fails.any(),
        tied=pl.col("label").str.starts_with("tie").any(),
        unscored=(pl.col("status") != "ok").any() & fails.any().not_(),
        reason=pl.col("reason").filter(pl.col("status") != "ok").first().fill_null(""),
        margin=pl.col("margin").filter(fails).sum(),
    )


def _chosen(asked: pl.DataFrame, results: pl.DataFrame, limits: Limits) -> pl.DataFrame:
    """Return the sets to be shown, suite by suite, the hardest first."""
    hard = results.filter("failed").group_by("set").agg(models=pl.len(), margin=pl.sum("margin"))
    sizes = asked.group_by("suite").agg(size=pl.len())
    failing = asked.join(hard, on="set").join(sizes, on="suite")
    failing = failing.sort("models", "margin", "place", descending=[True, False, False])
    large = pl.col("size") > limits.large
    n_large = failing.filter(large)["suite"].n_unique()
    of_large = max(1, min(limits.large_suite, limits.large_suites // max(n_large, 1)))
    rank = pl.int_range(pl.len()).over("suite")
    failing = failing.filter(rank < pl.when(large).then(of_large).otherwise(limits.suite))
    failing = failing.filter(large.not_() | (large.cast(pl.Int64).cum_sum() <= limits.large_suites))
    numbers = int(failing["pieces"].sum()) * max(results["scored_system"].n_unique(), 1)
    if numbers > limits.numbers:
        share = limits.numbers / numbers
        failing = failing.filter(rank < (pl.len().over("suite") * share).floor().clip(lower_bound=1))
    order = asked.group_by("suite", maintain_order=True).agg().with_row_index("order")
    return failing.join(order, on="suite", maintain_order="left").sort("order", maintain_order=True)


def _tallies(results: pl.DataFrame) -> dict[str, list[ModelTally]]:
    """Return what each model makes of each suite."""
    counted = results.group_by("suite", "scored_system", maintain_order=True).agg(
        pl.len().alias("items"),
        pl.sum("failed"),
        pl.sum("tied"),
        pl.sum("unscored"),
        pl.col("reason").filter(pl.col("reason") != "").mode(maintain_order=True).first().fill_null(""),
    )
    tallies: dict[str, list[ModelTally]] = {}
    for suite, *row in counted.iter_rows():
        tallies.setdefault(suite, []).append(ModelTally(*row))
    return tallies


# --- in words ---------------------------------------------------------------------------------------------------------


def class_title(name: str) -> Bilingual:
    """Return what a class or a modifier is called in both languages, as far as it is one of ours."""
    return CLASS_TITLES.get(name, both(name))


def suite_title(suite: SuiteView) -> Bilingual:
    """Return the heading of a suite within its class: its modifier, or its name where it has none."""
    if not suite.modifier:
        return both(suite.name)
    factor, level = SUITE_FACTORS["modifier"], class_title(suite.modifier)
    return Bilingual(f"{factor.en}: {level.en}", f"{factor.zh}：{level.zh}")


def tally_remark(tally: ModelTally) -> Bilingual:
    """Say how a model fares in a suite."""
    remarks = [failing_remark(tally.failed, tally.items)]
    remarks += [ties_remark(tally.tied)] if tally.tied else []
    remarks += [unscored_remark(tally.unscored, tally.reason)] if tally.unscored else []
    return Bilingual(", ".join(remark.en for remark in remarks), "，".join(remark.zh for remark in remarks))


def failing_remark(failed: int, items: int) -> Bilingual:
    """Say how many items of a suite fail."""
    return Bilingual(f"{failed:,} of {items:,} fail", f"{items:,} 条中 {failed:,} 条未通过")


def ties_remark(count: int) -> Bilingual:
    """Say in how many items there is a tie."""
    return Bilingual(f"{count:,} with a tie", f"{count:,} 条有平局")


def unscored_remark(count: int, reason: str) -> Bilingual:
    """Say how many items could not be judged, and why."""
    return Bilingual(
        f"{count:,} not judged" + (f": {reason}" if reason else ""),
        f"{count:,} 条未评判" + (f"：{reason}" if reason else ""),
    )
