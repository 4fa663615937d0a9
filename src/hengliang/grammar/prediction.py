"""Prediction measures: whether the formulas of a suite hold for a model, and by how many nats of surprisal.

The first section works out both sides of every formula from the surprisals, the second makes judgements of them.

`prediction` says of each set and each formula whether it holds (1) or not (0); `surprisal_difference` says by how much,
the margin of the formula, positive where it holds. A formula with `>` or `<` whose sides are equal does not hold; it is
labelled a tie, so that ties are reported, and a coin with a seed can settle it as in [1].

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021, section 3.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.base_classes import Measure
from hengliang.core.closure import outside_signatures
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.judging import CONTROL, UNSETTLED, judgements
from hengliang.core.records import ResponseKind
from hengliang.core.registry import register
from hengliang.core.signature import digest
from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import Offsets
from hengliang.core.views import View
from hengliang.grammar.suites.formulas import DEFAULT_TOLERANCE, FAILURE, SUCCESS, TIE, Measured, Numbers
from hengliang.grammar.suites.suite import Prediction, predictions_of_text
from hengliang.language_models.regions import (
    Edges,
    Regions,
    RegionScores,
    region_scores,
    sentence_logprobs,
    sentence_unigram_logprobs,
)
from hengliang.language_models.scores import Scores, scores_of_content

# --- formula values ---------------------------------------------------------------------------------------------------
# The two sides of each prediction, for every set and every model. The formulas travel with the items (attribute
# `predictions`). Each names stretches of sentences; their log-probability, unigram log-probability and number of units
# are summed from the scored units of the responses, for all sets and models at once.

NO_UNIT = "no unit of the model lies in the region"
NO_UNIGRAMS = "the model does not say how probable a unit is by itself"

VERDICT_SCHEMA = {
    "set": pl.String,
    "scored_system": pl.String,
    "part": pl.String,
    "outcome": pl.Float64,
    "margin": pl.Float64,
    "reason": pl.String,
}


def verdicts(items: pl.DataFrame, responses: pl.DataFrame, edges: Edges = "refuse") -> pl.DataFrame:
    """Return outcome and margin (NaN: see reason) of each prediction for each set and model.

    A model with a seed is called `NAME (seed N)`, so that trainings are judged separately.
    """
    frames = [pl.DataFrame(schema=VERDICT_SCHEMA)]
    if "predictions" not in items.columns:
        return frames[0]
    who = pl.when(pl.col("seed").is_null()).then("system").otherwise(pl.format("{} (seed {})", "system", "seed"))
    answered = responses.with_columns(scored_system=who).select("item", "scored_system", "content", "reason")
    stated = pl.col("tolerance") if "tolerance" in items.columns else pl.lit(None, dtype=pl.Float64)
    asked = items.filter(pl.col("predictions").fill_null("") != "")
    asked = asked.with_columns(tolerance=stated.fill_null(DEFAULT_TOLERANCE))
    for (text, tolerance), group in asked.group_by("predictions", "tolerance", maintain_order=True):
        rows = group.select("set", "condition", "spans", item="id", text="content")
        rows = rows.join(answered, on="item", maintain_order="left_right")
        if rows.height:
            _check_once(rows)
            frames.append(_of_group(rows, predictions_of_text(str(text)), float(str(tolerance)), edges))
    return pl.concat(frames)


def _check_once(rows: pl.DataFrame) -> None:
    """Refuse two sentences of one condition in a set: only one of them could be compared."""
    keys = ["set", "condition", "scored_system"]
    twice = rows.filter(rows.select(keys).is_duplicated())
    if twice.height:
        row = twice.row(0, named=True)
        twice = twice.join(twice.head(1), on=keys, how="semi")
        raise UserError(
            f"The set '{row['set']}' has two answers of {row['scored_system']} to the condition '{row['condition']}': "
            f"{', '.join(twice['item'].unique(maintain_order=True).head(2))}.",
            valid="One item for each condition of a set, and one answer of each system to it.",
            remedy="Give different ids to the sets of different materials, and different names to systems.",
        )


def _of_group(rows: pl.DataFrame, predictions: Sequence[Prediction], tolerance: float, edges: Edges) -> pl.DataFrame:
    """Judge sets that share their predictions."""
    keys = rows.select("set", "scored_system").unique(maintain_order=True).with_row_index("place")
    places = rows.join(keys, on=["set", "scored_system"], how="left", maintain_order="left")["place"].to_numpy()
    scored = _Scored(rows, scores_of_content(rows["content"]), places, keys.height, edges)
    terms = {term: scored.values(term) for prediction in predictions for term in prediction.formula.terms}
    values = {term: numbers for term, (numbers, _) in terms.items()}
    frames = []
    for prediction in predictions:
        outcomes, margins = prediction.formula.verdicts(values, tolerance)
        reasons = _first_reasons([terms[term][1] for term in prediction.formula.terms], np.isnan(outcomes))
        frames.append(
            keys.select("set", "scored_system").with_columns(
                part=pl.lit(prediction.name if prediction.counts else f"{CONTROL}{prediction.name}"),
                outcome=pl.Series(outcomes),
                margin=pl.Series(margins),
                reason=pl.Series(reasons, dtype=pl.String),
            )
        )
    return pl.concat(frames).select(list(VERDICT_SCHEMA))


def _first_reasons(reasons: Sequence[npt.NDArray[np.object_]], unscored: npt.NDArray[np.bool_]) -> list[str]:
    return [
        next((reason[row] for reason in reasons if reason[row]), "the two sides are not numbers") if missing else ""
        for row, missing in enumerate(unscored.tolist())
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """The answered sentences of a group: one row per sentence, and to which set and model (`places`) each belongs."""

    rows: pl.DataFrame
    scores: Scores
    places: Offsets
    count: int
    edges: Edges

    def values(self, term: Measured) -> tuple[Numbers, npt.NDArray[np.object_]]:
        """Return the value of a term by place, and why there is none."""
        values = np.full(self.count, np.nan)
        reasons = np.full(self.count, f"no answer to the condition {term.condition}", np.object_)
        chosen = np.flatnonzero((self.rows["condition"] == term.condition).to_numpy())
        if len(chosen):
            part = self.rows[chosen]
            recorded = part["reason"].fill_null("").to_list()
            numbers, problems = _quantity(term, _stretch(term, part, self.scores.take(chosen), self.edges))
            values[self.places[chosen]] = numbers
            reasons[self.places[chosen]] = [
                reason or problem for reason, problem in zip(recorded, problems, strict=True)
            ]
        return values, reasons


@dataclass(frozen=True, slots=True, eq=False)
class _Stretch:
    """What the units of one stretch of each sentence say, and over how many characters it goes."""

    scores: RegionScores
    characters: Numbers


def _stretch(term: Measured, rows: pl.DataFrame, scores: Scores, edges: Edges) -> _Stretch:
    if not term.first:
        ends = np.bincount(scores.rows[scores.starts == scores.ends], minlength=len(scores))
        whole = RegionScores(
            sentence_logprobs(scores), sentence_unigram_logprobs(scores), scores.counts, scores.problems
        )
        return _Stretch(whole, rows["text"].str.len_chars().to_numpy().astype(np.float64) + ends)
    starts, ends = _edges(rows, term)
    stretches = region_scores(scores, Regions(np.arange(rows.height, dtype=np.int64), starts, ends), edges)
    texts = [text.encode()[start:end] for text, start, end in zip(rows["text"], starts, ends, strict=True)]
    return _Stretch(stretches, np.array([len(text.decode()) for text in texts], np.float64))


def _edges(rows: pl.DataFrame, term: Measured) -> tuple[Offsets, Offsets]:
    """Return where the first region of a term starts and the last one ends, in each row."""
    name = pl.element().struct.field("name")

    def edge(region: str, side: str) -> Offsets:
        edge_of = pl.col("spans").list.eval(pl.element().struct.field(side).filter(name == region)).list.first()
        places = rows.select(place=edge_of)["place"]
        if places.null_count():
            raise UserError(
                f"An item of the set '{rows['set'][int(places.is_null().arg_max() or 0)]}' has no region '{region}', "
                f"which its prediction names ({term}).",
                valid="A span of that name in every condition; an empty region has no width.",
            )
        return places.to_numpy().astype(np.int64)

    return edge(term.first, "start"), edge(term.last, "end")


def _quantity(term: Measured, stretch: _Stretch) -> tuple[Numbers, Sequence[str]]:
    scores = stretch.scores
    if term.quantity == "surprisal":
        # A stretch of some width in which no unit lies has no surprisal, and an empty one has none to add.
        lost = (scores.units == 0) & (stretch.characters > 0)
        numbers = np.where(lost, np.nan, scores.surprisals)
        return numbers, [
            reason or (NO_UNIT if none else "") for reason, none in zip(scores.problems, lost, strict=True)
        ]
    divisor = stretch.characters if term.quantity == "per_character" else scores.units.astype(np.float64)
    total = scores.logprobs - scores.unigram_logprobs if term.quantity == "slor" else scores.surprisals
    with np.errstate(invalid="ignore", divide="ignore"):
        numbers = np.where(divisor > 0, total / divisor, np.nan)
    return numbers, list(_problems(scores.problems, divisor, numbers))


def _problems(problems: Sequence[str], divisor: Numbers, numbers: Numbers) -> Iterator[str]:
    for problem, divided, number in zip(problems, divisor.tolist(), numbers.tolist(), strict=True):
        if problem or number == number:
            yield problem
        else:
            yield NO_UNIGRAMS if divided else NO_UNIT


# --- the measures -----------------------------------------------------------------------------------------------------


Ties = Literal["failure", "coin"]
"""A tie does not satisfy `>` and counts as a failure, or a fair coin with a seed decides."""

JUDGE = "formula"
"""Who judges in the judgements of both measures."""
WON, LOST = "tie won", "tie lost"
LABELS = {SUCCESS: "success", FAILURE: "failure", TIE: UNSETTLED}
"""What a judgement is called; a tie that a coin has settled is `tie won` or `tie lost`."""


def toss(seed: int, *names: str) -> float:
    """Toss one fair coin, known by its names: 1 or 0."""
    return float(int(digest("coin", str(seed), *names), 16) % 2)


@register("prediction")
class PredictionMeasure(Measure):
    """Whether each prediction of a suite holds for each set and model; seeds of a model are judged separately.

    `edges` says what becomes of a unit of the model that crosses the edge of a region (`hengliang.…regions.Edges`).
    """

    kinds: ClassVar[tuple[ResponseKind, ...]] = ("units",)
    title = Bilingual("Prediction", "预测")

    def __init__(
        self, ties: Ties = "failure", coin_seed: int = 0, edges: Edges = "refuse", name: str = "prediction"
    ) -> None:
        self.ties = ties
        self.coin_seed = coin_seed
        self.edges = edges
        self.name = name

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return a judgement about each set, model and prediction: 1 or 0, and a label (`LABELS`)."""
        if self.ties not in get_args(Ties):
            raise unknown_name("treatment of ties", self.ties, get_args(Ties))
        judged = verdicts(items, responses, self.edges)
        label = pl.col("outcome").replace_strict(LABELS, default=None, return_dtype=pl.String)
        judged = judged.with_columns(label=label, value=(pl.col("outcome") == SUCCESS).cast(pl.Float64))
        if self.ties == "coin":
            coin = pl.Series(self._coins(judged), dtype=pl.Float64)
            settled = pl.when(coin == 1).then(pl.lit(WON)).when(coin == 0).then(pl.lit(LOST))
            judged = judged.with_columns(value=pl.coalesce(coin, "value"), label=pl.coalesce(settled, "label"))
        return _judgements(judged, self.name, label="label")

    @outside_signatures("a view shows judgements and makes none")
    def views(
        self, items: pl.DataFrame, responses: Mapping[ResponseKind, pl.DataFrame], judgements: pl.DataFrame
    ) -> Sequence[View]:
        """Return the items that models fail, word by word; of several measures of this kind, the first shows them."""
        from hengliang.grammar.views import prediction_measure, suite_views
        from hengliang.grammar.views_html import failing_items_view

        judged = judgements.filter(pl.col("judge") == JUDGE)
        if "units" not in responses or prediction_measure(judged) != self.name:
            return ()
        suites = suite_views(items, responses["units"], judged, edges=self.edges)
        return [failing_items_view(suites)] if suites else ()

    def _coins(self, found: pl.DataFrame) -> list[float | None]:
        """Toss for each tie by its own name, so that no other row and no order can change it."""
        return [
            toss(self.coin_seed, *names) if label == LABELS[TIE] else None
            for *names, label in found.select("set", "scored_system", "part", "label").iter_rows()
        ]


@register("surprisal difference")
class SurprisalDifference(Measure):
    """By how many nats each prediction of a suite holds; negative where it does not."""

    kinds: ClassVar[tuple[ResponseKind, ...]] = ("units",)
    title = Bilingual("Surprisal difference", "惊异度差")

    def __init__(self, edges: Edges = "refuse", name: str = "surprisal difference") -> None:
        self.edges = edges
        self.name = name

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return the margin of each prediction for each set and model."""
        return _judgements(verdicts(items, responses, self.edges), self.name, value="margin")


def _judgements(found: pl.DataFrame, measure: str, value: str = "value", label: str | None = None) -> pl.DataFrame:
    """Return the judgements about sets, which have no status of their own but reasons why they are not judged."""
    return judgements(
        found,
        measure,
        JUDGE,
        value=value,
        label=label,
        problem="reason",
        part=pl.col("part"),
        about="set",
        scored_system="scored_system",
    )


def prediction(
    ties: Ties = "failure", *, coin_seed: int = 0, edges: Edges = "refuse", name: str = "prediction"
) -> PredictionMeasure:
    """Judge whether what the suites predict holds for each model."""
    return PredictionMeasure(ties, coin_seed, edges, name)


def surprisal_difference(edges: Edges = "refuse", *, name: str = "surprisal difference") -> SurprisalDifference:
    """Judge by how many nats what the suites predict holds."""
    return SurprisalDifference(edges, name)
