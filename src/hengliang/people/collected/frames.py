"""Which tables does an export hold, and what in them could point to a person?

Anonymous unless somebody asks otherwise: a participant is a random id, an age is a band of five years, times count from
the participant's own consent, and what was typed freely about oneself or as a comment stays in the database, as do ids
of panels. What was typed as an answer (a text, a filled gap) is what the experiment is about, and comes out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from hengliang.core.io.spreadsheet_guards import KEY
from hengliang.experiments import Experiment
from hengliang.people.collected.answers import Collected
from hengliang.people.sessions.demographics import OTHER, QUESTIONS
from hengliang.people.sessions.settings import DEMOGRAPHICS
from hengliang.people.tasks.base import NOT_UNDERSTOOD, Task

FREE_DETAILS = tuple(name for name, question in QUESTIONS.items() if question.kind == "text")
"""What participants type about themselves in words of their own."""
BAND = 5
PERSONAL_ANSWERS = ("comment", "answered")
PERSONAL_DETAILS = ("external", "consented", "completion")
OWN = "item_"
"""What the columns of the researchers' own table of items begin with here, so that none is taken for one of ours."""


def long_table(held: Collected, experiment: Experiment, *, identified: bool = False) -> pl.DataFrame:
    """Return one row an answer, every answer once, in the order in which they were stored."""
    shown = experiment.stimuli.select("about", "item", "text", systems=pl.col("systems").list.join(";"))
    began = held.participants.select("participant", "consented")
    own = own_columns(experiment)
    rows = held.answers.join(shown, on="about", how="left", maintain_order="left")
    rows = rows.join(own, on="about", how="left", maintain_order="left")
    rows = rows.join(began, on="participant", how="left", maintain_order="left")
    rows = rows.with_columns(elapsed=_between("consented", "answered").round(3))
    columns = [*KEY, "text", "systems", *own.columns[1:], "scale", "value", "label", "status", "reason", "highlighted"]
    columns += ["screen", "place", "seconds", "elapsed", "finished"]
    if identified:
        rows = rows.with_columns(answered=_moment("answered"))
        columns += PERSONAL_ANSWERS
    return rows.select(columns)


def wide_table(held: Collected, experiment: Experiment, task: Task, *, identified: bool = False) -> pl.DataFrame:
    """Return one row a participant and presentation, one column a scale; an answer that was not given is empty."""
    rows = long_table(held, experiment, identified=identified)
    key = [*KEY, "text", "systems", *own_columns(experiment).columns[1:], "highlighted", "finished"]
    names = wide_names(task, [*key, "not_understood", "seconds", "comment"])
    cells = [
        pl.col(kind).filter(pl.col("scale") == scale).first().alias(names[scale])
        for scale, kind in columns_of(task).items()
    ]
    not_understood = (pl.col("reason") == NOT_UNDERSTOOD).any().alias("not_understood")
    # The scales of one screen share its seconds.
    screens = rows.group_by([*key, "screen"], maintain_order=True).agg(pl.col("seconds").first())
    known = pl.col("seconds").null_count() == 0
    seconds = screens.group_by(key, maintain_order=True).agg(pl.when(known).then(pl.col("seconds").sum()))
    comment = [pl.col("comment").filter(pl.col("comment") != "").first()] if identified else []
    wide = rows.group_by(key, maintain_order=True).agg(*cells, not_understood, *comment)
    return wide.join(seconds, on=key, how="left", nulls_equal=True, maintain_order="left")


def own_columns(experiment: Experiment) -> pl.DataFrame:
    """Return the stimuli with the other columns of the table they come from: factors, numbers, remarks.

    Lists and objects (options, scenes, right answers) are what the task shows or asks, and stay in `stimuli.parquet`.
    """
    about = experiment.stimuli["about"]
    told: list[dict[str, Any]] = [json.loads(each or "{}") for each in experiment.stimuli["details"]]
    found: list[pl.Series] = [about]
    for name in dict.fromkeys(name for each in told for name in each):
        cells = [each.get(name) for each in told]
        if not all(cell is None or isinstance(cell, list | dict) for cell in cells):
            found.append(_typed(f"{OWN}{name}", cells))
    return pl.DataFrame(found)


def _typed(name: str, cells: Sequence[Any]) -> pl.Series:
    """Return cells as numbers or as true and false where all of them are, else as texts."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {bool}:
        return pl.Series(name, cells, dtype=pl.Boolean)
    if kinds == {int} and all(abs(cell) < 2**63 for cell in cells if cell is not None):
        return pl.Series(name, cells, dtype=pl.Int64)
    if kinds <= {int, float}:
        return pl.Series(name, [None if cell is None else float(cell) for cell in cells], dtype=pl.Float64)
    texts = [cell if cell is None or isinstance(cell, str) else json.dumps(cell, ensure_ascii=False) for cell in cells]
    return pl.Series(name, texts, dtype=pl.String)


def columns_of(task: Task) -> dict[str, str]:
    """Return for every scale whether its answers are numbers (`value`) or texts (`label`)."""
    said = {column.scale: column.kind for column in task.columns()}
    return {scale.name: said.get(scale.name, "value" if scale.points else "label") for scale in task.scales()}


def wide_names(task: Task, taken: Sequence[str]) -> dict[str, str]:
    """Return what the column of each scale is called: as the scale, unless another column has that name."""
    return {scale.name: f"scale_{scale.name}" if scale.name in taken else scale.name for scale in task.scales()}


def participants_table(held: Collected, *, identified: bool = False) -> pl.DataFrame:
    """Return one row a participant: how far they came, in how many seconds, and what they told about themselves."""
    details = details_of(held.details)
    rows = held.participants.join(details, on="participant", how="left", maintain_order="left")
    counts = held.answers.group_by("participant").agg(answers=pl.len().cast(pl.Int64))
    rows = rows.join(counts, on="participant", how="left", maintain_order="left")
    told = [name for name in DEMOGRAPHICS if identified or name not in FREE_DETAILS]
    rows = rows.with_columns(ended=pl.coalesce("ended", "seen"))
    duration = pl.when(pl.col("status") == "finished").then(_between("consented", "ended"))
    rows = rows.with_columns([] if identified else [_band(pl.col("age")).alias("age"), *_choices()]).with_columns(
        pl.col("answers").fill_null(0),
        duration=duration.round(1),
        consented=_moment("consented"),
        consent=pl.col("consent").str.split(":").list.first(),
    )
    columns = ["participant", "status", "version", "language", "answers", "step", "steps", "duration", "consent"]
    return rows.select(*columns, *told, *(PERSONAL_DETAILS if identified else ()))


def details_of(details: pl.DataFrame) -> pl.DataFrame:
    """Return one row a participant and one column for everything that may be told about oneself."""
    told = [
        pl.col("value").filter(pl.col("field") == name).first().str.strip_chars().replace("", None).alias(name)
        for name in DEMOGRAPHICS
    ]
    return details.group_by("participant", maintain_order=True).agg(told)


def _choices() -> list[pl.Expr]:
    """Return the answers that were chosen; what somebody typed in place of a choice becomes `other`."""
    chosen = {name: [value for value, _ in each.options] for name, each in QUESTIONS.items() if each.kind == "choice"}
    return [
        pl.when(pl.col(name).is_in(values) | pl.col(name).is_null()).then(name).otherwise(pl.lit(OTHER)).alias(name)
        for name, values in chosen.items()
    ]


def ages(details: pl.DataFrame) -> list[int]:
    """Return the ages that were told, as numbers."""
    told = details.filter(pl.col("field") == "age")["value"].str.strip_chars().cast(pl.Int64, strict=False)
    return told.drop_nulls().to_list()


def _band(age: pl.Expr) -> pl.Expr:
    low = age.str.strip_chars().cast(pl.Int64, strict=False) // BAND * BAND
    # An en dash, because spreadsheets take 10-14 for a day in October.
    return pl.format("{}–{}", low, low + BAND - 1)


def _between(first: str, last: str) -> pl.Expr:
    """Return the seconds between two times; where the server's clock was set back in between, they are not known."""
    return pl.when(pl.col(last) >= pl.col(first)).then(pl.col(last) - pl.col(first))


def _moment(column: str) -> pl.Expr:
    """Write seconds since 1970 as a time in UTC."""
    return (
        pl.from_epoch((pl.col(column) * 1000).cast(pl.Int64), time_unit="ms")
        .dt.strftime("%Y-%m-%dT%H:%M:%S%.3fZ")
        .alias(column)
    )


def left_out(held: Collected) -> Mapping[str, int]:
    """Return how many participants of the kind an export leaves out, by why."""
    unfinished = sum(held.states.get(state, 0) for state in ("active", "expired")) if held.finished_only else 0
    found = {name: held.states.get(name, 0) for name in ("withdrawn", "excluded")} | {"unfinished": unfinished}
    return {name: count for name, count in found.items() if count}
