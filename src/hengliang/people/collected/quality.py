"""How carefully did each participant answer?

Numbers that point to participants worth a look. What follows from them is for people to decide, by the rules that the
plan states in words before anybody has answered; a flag is a suggestion and excludes nobody.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from hengliang.experiments import Experiment
from hengliang.people.tasks.base import NOT_UNDERSTOOD

QUALITY_SCHEMA: dict[str, pl.DataType] = {
    "participant": pl.String(),
    "version": pl.String(),
    "language": pl.String(),
    "answers": pl.Int64(),
    "missing": pl.Int64(),
    "not_understood": pl.Float64(),
    "catch_shown": pl.Int64(),
    "catch_failed": pl.Int64(),
    "repeats": pl.Int64(),
    "repeat_difference": pl.Float64(),
    "longest_run": pl.Int64(),
    "median_seconds": pl.Float64(),
    "flags": pl.List(pl.String),
}
EXPECTED = ("expected", "answer")
"""Where the details of a catch item hold its right answers, by scale: one, or a list of those that are right."""

RUN_SHARE = 0.5
"""Half of one's answers on a scale in a row being the same, and at least `RUN_LEAST`, is worth a look."""
RUN_LEAST = 10
HASTE = 1 / 3
"""A third of the seconds that others take is worth a look."""
UNCLEAR = 0.2
APART = 2.0
"""Two points of a scale between two answers to the same stimulus, on average."""
FAILED = 0.5


def participant_quality(experiment: Experiment) -> pl.DataFrame:
    """Return one row a participant (`QUALITY_SCHEMA`), in the order in which they first answered."""
    answers = experiment.answers
    shown = answers.filter(pl.col("role") != "practice")
    base = answers.group_by("participant", maintain_order=True).agg(
        pl.col("version", "language").first(), answers=pl.len().cast(pl.Int64)
    )
    missing = (pl.col("status") != "ok").sum().cast(pl.Int64)
    unclear = (pl.col("reason") == NOT_UNDERSTOOD).mean()
    counted = shown.group_by("participant").agg(missing=missing, not_understood=unclear)
    pages = shown.unique(["participant", "about", "occurrence"], keep="first", maintain_order=True)
    parts = [
        counted,
        _catch(experiment, shown),
        _repeats(answers, [scale.name for scale in experiment.scales if scale.points]),
        _runs(shown),
        pages.group_by("participant").agg(median_seconds=pl.col("seconds").median()),
    ]
    for part in parts:
        base = base.join(part, on="participant", how="left", maintain_order="left")
    counts = ("missing", "catch_shown", "catch_failed", "repeats", "longest_run")
    filled = base.with_columns(pl.col(*counts).fill_null(0).cast(pl.Int64))
    return _flagged(filled).select([pl.col(name).cast(kind) for name, kind in QUALITY_SCHEMA.items()])


def _catch(experiment: Experiment, answers: pl.DataFrame) -> pl.DataFrame:
    """Count catch items shown and failed; one is failed when an answer about it is not among the right ones."""
    rows = [
        {"about": row["about"], "scale": scale, "right": _right(right)}
        for row in experiment.stimuli.select("about", "details").iter_rows(named=True)
        for scale, right in _expected(row["details"]).items()
    ]
    known = pl.DataFrame(rows, schema={"about": pl.String, "scale": pl.String, "right": pl.List(pl.String)})
    caught = answers.filter(pl.col("role") == "catch").join(known, on=["about", "scale"], how="inner")
    said = pl.coalesce("label", pl.col("value").cast(pl.String))
    within = said.is_in(pl.col("right"))
    failed = ~within.fill_null(value=False)
    items = caught.group_by("participant", "about", "occurrence").agg(failed=failed.any())
    return items.group_by("participant").agg(
        catch_shown=pl.len().cast(pl.Int64), catch_failed=pl.col("failed").sum().cast(pl.Int64)
    )


def _expected(details: str | None) -> Mapping[str, Any]:
    held = json.loads(details or "{}")
    known = held if isinstance(held, dict) else {}
    found: Mapping[str, Any] = next((known[name] for name in EXPECTED if isinstance(known.get(name), dict)), {})
    return dict(found)


def _right(right: Any) -> list[str]:
    """Return the right answers as the answers are written: numbers as 1.0, texts as they are."""
    among = right if isinstance(right, list) else [right]
    return [str(float(each)) if isinstance(each, int | float) else str(each) for each in among]


def _repeats(answers: pl.DataFrame, rated: Sequence[str]) -> pl.DataFrame:
    """Return how far the answers to a repeated stimulus are from the first ones, on average over scales with points.

    Milliseconds, places of a slider and sides of a page are no points.
    """
    key = ["participant", "about", "scale"]
    said = answers.filter(pl.col("status") == "ok")
    again = said.filter(pl.col("occurrence") > 1).select(*key, again="value")
    both = said.filter(pl.col("occurrence") == 1).join(again, on=key)
    apart = (pl.col("value") - pl.col("again")).abs().filter(pl.col("scale").is_in(rated))
    return both.group_by("participant").agg(
        repeats=pl.col("about").n_unique().cast(pl.Int64), repeat_difference=apart.mean()
    )


def _runs(answers: pl.DataFrame) -> pl.DataFrame:
    """Return the longest run of the same answer on one scale, in the order in which the answers were given.

    `run_share` is the largest part of the answers on one scale that a run of some length makes up.
    """
    given = answers.filter(pl.col("status") == "ok").with_columns(
        same=pl.coalesce(pl.col("label"), pl.col("value").cast(pl.String))
    )
    ordered = given.sort("participant", "scale", "trial", maintain_order=True)
    group = ["participant", "scale"]
    begins = (pl.col("same") != pl.col("same").shift(1)).fill_null(value=True).over(group)
    numbered = ordered.with_columns(run=begins.cast(pl.Int64).cum_sum().over(group))
    lengths = numbered.group_by(*group, "run").agg(length=pl.len().cast(pl.Int64))
    shares = lengths.with_columns(share=pl.col("length") / pl.col("length").sum().over(group))
    return shares.group_by("participant").agg(
        longest_run=pl.col("length").max(), run_share=pl.col("share").filter(pl.col("length") >= RUN_LEAST).max()
    )


def _flagged(table: pl.DataFrame) -> pl.DataFrame:
    usual = pl.col("median_seconds").median()
    flags = {
        "catch items": (pl.col("catch_shown") > 0) & (pl.col("catch_failed") >= FAILED * pl.col("catch_shown")),
        "repeats apart": pl.col("repeat_difference") >= APART,
        "not understood": pl.col("not_understood") >= UNCLEAR,
        "same answer": pl.col("run_share") >= RUN_SHARE,
        "haste": pl.col("median_seconds") <= HASTE * usual,
    }
    named = [pl.when(raised.fill_null(value=False)).then(pl.lit(name)) for name, raised in flags.items()]
    return table.with_columns(flags=pl.concat_list(named).list.drop_nulls())
