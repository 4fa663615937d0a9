"""What does an experiment with people consist of, on disk, from its design to its answers?

One folder holds what a design writes, a survey serves and an analysis reads: `experiment.json` (title, scales, plan),
`stimuli.parquet` (what is shown: one row a distinct response, however many systems gave it), `versions.parquet` (which
stimuli one participant sees, in which order; absent or empty where everybody sees all) and `answers.parquet` (one row a
participant, presentation of a stimulus, and scale; absent or empty before anybody has answered).

A stimulus plays a role in a version: `target` (what the experiment is about), `practice`, `filler`, `catch` (whose
right answer is known) or `repeat` (a target shown again, its `occurrence` 2). Only targets are judgements; the others
say something about the participant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.files import read_json, read_table, write_json, write_table
from hengliang.core.judging import judgements
from hengliang.core.records import check_judgements, check_status
from hengliang.core.settings import settings_from, to_json
from hengliang.core.terms import Bilingual

FORMAT = 2

Role = Literal["target", "practice", "filler", "catch", "repeat"]
ROLES: tuple[Role, ...] = get_args(Role)
Compared = Literal["system", "condition"]
COMPARED: tuple[Compared, ...] = get_args(Compared)

STIMULUS_SCHEMA: dict[str, pl.DataType] = {
    "about": pl.String(),
    "item": pl.String(),
    "text": pl.String(),
    "spans": pl.List(pl.Struct({"name": pl.String, "start": pl.Int64, "end": pl.Int64})),
    "systems": pl.List(pl.String),
    "details": pl.String(),
}
"""`details` is a JSON object of what a task needs besides the text: the size of a scene, options, a known answer."""

VERSION_SCHEMA: dict[str, pl.DataType] = {
    "version": pl.String(),
    "position": pl.Int64(),
    "about": pl.String(),
    "role": pl.String(),
    "block": pl.Int64(),
    "occurrence": pl.Int64(),
}

ANSWER_SCHEMA: dict[str, pl.DataType] = {
    "participant": pl.String(),
    "about": pl.String(),
    "scale": pl.String(),
    "value": pl.Float64(),
    "label": pl.String(),
    "status": pl.String(),
    "reason": pl.String(),
    "language": pl.String(),
    "trial": pl.Int64(),
    "seconds": pl.Float64(),
    "version": pl.String(),
    "role": pl.String(),
    "occurrence": pl.Int64(),
    "highlighted": pl.Boolean(),
}


DEFAULTS: dict[str, Any] = {"details": "{}", "role": "target", "block": 1, "occurrence": 1}
"""What a column holds in a table that was written without it, or in a row that leaves it out."""


@dataclass(frozen=True, slots=True)
class Scale:
    """One thing a participant says about a stimulus: a number from 1 to `points`, or without points a category."""

    name: str
    statement: Bilingual
    points: int = 0
    options: tuple[Bilingual, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What was decided before the first answer."""

    primary_outcome: str = ""
    margin: float | None = None
    family: str = ""
    stopping_rule: str = ""
    exclusion_rules: tuple[str, ...] = ()
    raters_per_item: int | None = None


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment: what people are shown, on what scales they judge it, and what they have said so far."""

    name: str
    title: Bilingual
    scales: tuple[Scale, ...]
    stimuli: pl.DataFrame
    plan: Plan = field(default_factory=Plan)
    answers: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=ANSWER_SCHEMA))
    versions: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=VERSION_SCHEMA))
    simulated: bool = False
    """Whether programs gave the answers, not people."""
    compared: Compared = "system"
    """What the `systems` of a stimulus are: systems that gave it, or conditions of a design of the researchers' own."""


def stimuli_frame(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Return a stimulus table from rows; one without details has none."""
    return pl.DataFrame([{**DEFAULTS, **row} for row in rows], schema=STIMULUS_SCHEMA)


def versions_frame(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Return a table of versions from rows; what is not said to be something else is a target of the first block."""
    return pl.DataFrame([{**DEFAULTS, **row} for row in rows], schema=VERSION_SCHEMA)


def answers_frame(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Return an answer table from rows; what a row leaves out is empty, and its status is `ok`."""
    defaults = {**dict.fromkeys(ANSWER_SCHEMA), **DEFAULTS, "status": "ok", "reason": "", "language": "zh"}
    return pl.DataFrame([{**defaults, **row} for row in rows], schema=ANSWER_SCHEMA)


def write_experiment(folder: Path, experiment: Experiment) -> None:
    """Write the experiment into a folder; the description last, so that a folder with one is whole."""
    check_experiment(experiment, folder)
    write_table(folder / "stimuli.parquet", experiment.stimuli)
    write_table(folder / "versions.parquet", experiment.versions)
    write_table(folder / "answers.parquet", experiment.answers)
    described = {name: to_json(getattr(experiment, name)) for name in _Described.__slots__}
    write_json(folder / "experiment.json", {"format": FORMAT, **described})


@dataclass(frozen=True, slots=True)
class _Described:
    """What `experiment.json` says of an experiment."""

    name: str
    title: Bilingual
    scales: tuple[Scale, ...]
    plan: Plan
    simulated: bool = False
    compared: Compared = "system"


def read_experiment(folder: Path) -> Experiment:
    """Read an experiment folder, and say what is wrong with one that is not right."""
    file = folder / "experiment.json"
    if not file.is_file():
        raise UserError(f"There is no experiment in {folder}.", valid="Its folder holds a file experiment.json.")
    held = read_json(file)
    if not isinstance(held, dict) or held.get("format") not in range(1, FORMAT + 1):
        raise UserError(f"{file} is not an experiment of format 1 to {FORMAT}.")
    described = settings_from(
        _Described, held, str(file), remedy="Design the experiment anew.", passed_over=tuple(held)
    )
    experiment = Experiment(
        name=described.name,
        title=described.title,
        scales=described.scales,
        plan=described.plan,
        stimuli=_read_filled(folder / "stimuli.parquet", STIMULUS_SCHEMA),
        answers=_read_if_there(folder / "answers.parquet", ANSWER_SCHEMA),
        versions=_read_if_there(folder / "versions.parquet", VERSION_SCHEMA),
        simulated=described.simulated,
        compared=described.compared,
    )
    return check_experiment(experiment, folder)


def _read_if_there(file: Path, schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    return _read_filled(file, schema) if file.exists() else pl.DataFrame(schema=schema)


def _read_filled(file: Path, schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Read a table, and fill in the columns that an older format did not have."""
    frame = read_table(file)
    absent = [
        pl.lit(DEFAULTS.get(name), kind).alias(name) for name, kind in schema.items() if name not in frame.columns
    ]
    filled = frame.with_columns(absent)
    if set(filled.columns) != set(schema) or any(filled.schema[name] != kind for name, kind in schema.items()):
        raise UserError(f"{file} holds other columns than expected: {', '.join(frame.columns)}.")
    return filled.select(list(schema))


def check_experiment(experiment: Experiment, folder: Path) -> Experiment:
    """Return the experiment when every answer is about a stimulus, on a scale of its own and within it.

    A version holds stimuli that are there, each once, but for repeats, which have another occurrence.
    """
    _check_versions(experiment, folder)
    scales = {scale.name: scale for scale in experiment.scales}
    numbered = experiment.answers.with_row_index("row", offset=1)
    for what, column, known in (
        ("stimulus", "about", experiment.stimuli["about"].to_list()),
        ("scale", "scale", list(scales)),
    ):
        strange = numbered.filter(~pl.col(column).is_in(known))
        if strange.height:
            raise UserError(
                f"{folder}: answer {strange['row'][0]} is about the {what} '{strange[column][0]}', which is not there."
            )
    for scale in scales.values():
        if scale.points:
            outside = numbered.filter(
                (pl.col("scale") == scale.name)
                & ~pl.col("value").is_between(1, scale.points)
                & (pl.col("status") == "ok")
            )
            if outside.height:
                raise UserError(
                    f"{folder}: answer {outside['row'][0]} gives {outside['value'][0]} on the scale '{scale.name}'.",
                    valid=f"The scale goes from 1 to {scale.points}.",
                )
    twice = numbered.filter(pl.struct("participant", "about", "scale", "occurrence").is_duplicated())
    if twice.height:
        row = twice.row(0, named=True)
        raise UserError(
            f"{folder}: participant '{row['participant']}' answers '{row['scale']}' twice on '{row['about']}'."
        )
    return experiment


def _check_versions(experiment: Experiment, folder: Path) -> None:
    lost = experiment.versions.filter(~pl.col("about").is_in(experiment.stimuli["about"].to_list()))
    if lost.height:
        row = lost.row(0, named=True)
        raise UserError(
            f"{folder}: version '{row['version']}' holds the stimulus '{row['about']}', which is not there."
        )
    strange = experiment.versions.filter(~pl.col("role").is_in(ROLES))
    if strange.height:
        raise unknown_name("role of a stimulus", strange["role"][0], ROLES)
    for columns, what in ((("about", "occurrence"), "stimulus"), (("position",), "position")):
        twice = experiment.versions.filter(pl.struct("version", *columns).is_duplicated())
        if twice.height:
            raise UserError(f"{folder}: version '{twice['version'][0]}' has the {what} '{twice[columns[0]][0]}' twice.")


def judgements_of(experiment: Experiment) -> pl.DataFrame:
    """Return the answers about targets as judgements: one row each, never copied to systems that share a response."""
    targets = experiment.answers.filter(role="target")
    check_status(targets, targets["value"].is_null() & targets["label"].is_null(), "answer", "about")
    return check_judgements(
        judgements(
            targets,
            pl.col("scale"),
            pl.col("participant"),
            label="label",
            problem=pl.lit(""),
            about="about",
            scored_system=pl.lit(""),
            judge_kind="person",
        )
    )
