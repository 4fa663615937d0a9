"""What are the two sides of each prediction, for every set and every model?

The formulas travel with the items (attribute `predictions`). Each names stretches of sentences; their log-probability,
unigram log-probability and number of units are summed from the scored units of the responses, for all sets and models
at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.judging import CONTROL
from hengliang.core.text.characters import Offsets
from hengliang.language_models.regions import (
    Edges,
    Regions,
    RegionScores,
    region_scores,
    sentence_logprobs,
    sentence_unigram_logprobs,
)
from hengliang.language_models.scores import Scores, scores_of_content
from hengliang.materials.suites.formulas import DEFAULT_TOLERANCE, Measured, Numbers
from hengliang.materials.suites.suite import Prediction, predictions_of_text

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

    A model with a seed is called `NAME (seed N)`, so that trainings are judged apart.
    """
    frames = [pl.DataFrame(schema=VERDICT_SCHEMA)]
    if "predictions" not in items.columns:
        return frames[0]
    who = pl.when(pl.col("seed").is_null()).then("system").otherwise(pl.format("{} (seed {})", "system", "seed"))
    answered = responses.with_columns(scored_system=who).select("item", "scored_system", "content", "reason")
    given = pl.col("tolerance") if "tolerance" in items.columns else pl.lit(None, dtype=pl.Float64)
    asked = items.filter(pl.col("predictions").fill_null("") != "")
    asked = asked.with_columns(tolerance=given.fill_null(DEFAULT_TOLERANCE))
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
    found = []
    for prediction in predictions:
        outcomes, margins = prediction.formula.verdicts(values, tolerance)
        reasons = _first_reasons([terms[term][1] for term in prediction.formula.terms], np.isnan(outcomes))
        found.append(
            keys.select("set", "scored_system").with_columns(
                part=pl.lit(prediction.name if prediction.counts else f"{CONTROL}{prediction.name}"),
                outcome=pl.Series(outcomes),
                margin=pl.Series(margins),
                reason=pl.Series(reasons, dtype=pl.String),
            )
        )
    return pl.concat(found).select(list(VERDICT_SCHEMA))


def _first_reasons(reasons: Sequence[npt.NDArray[np.object_]], unscored: npt.NDArray[np.bool_]) -> list[str]:
    return [
        next((reason[place] for reason in reasons if reason[place]), "the two sides are not numbers") if missing else ""
        for place, missing in enumerate(unscored.tolist())
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """The answered sentences of a group: a row each, and to which set and model (`places`) each belongs."""

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
            given = part["reason"].fill_null("").to_list()
            numbers, problems = _quantity(term, _stretch(term, part, self.scores.take(chosen), self.edges))
            values[self.places[chosen]] = numbers
            reasons[self.places[chosen]] = [said or problem for said, problem in zip(given, problems, strict=True)]
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
        found = pl.col("spans").list.eval(pl.element().struct.field(side).filter(name == region)).list.first()
        places = rows.select(place=found)["place"]
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
        return numbers, [said or (NO_UNIT if none else "") for said, none in zip(scores.problems, lost, strict=True)]
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
