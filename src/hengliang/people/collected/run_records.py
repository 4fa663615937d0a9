"""How do the answers of a survey become the records of a run: items, responses and judgements?

Ratings and choices are judgements about the responses of systems. Texts, filled gaps and counts are responses of
people, with the participant as respondent, to what they were shown. Only targets count: practice, fillers, catch and
repeated items say something about the participant, and are in the tables of an export.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from hengliang.core.io.files import read_table
from hengliang.core.records import (
    ITEM_SCHEMA,
    JUDGEMENT_SCHEMA,
    ResponseKind,
    check_items,
    check_judgements,
    check_responses,
    response_schema,
    with_response_ids,
)
from hengliang.core.runs import SYSTEM_SCHEMA, Manifest, RunFolder, Stage, StageRecord, now, package_versions
from hengliang.core.signature import Signature, digest, version
from hengliang.experiments import Experiment, judgements_of
from hengliang.people.tasks.base import Task
from hengliang.people.tasks.scene_details import DESCRIBER, PAIR, SCENE_CODE, SCENE_SIZE

ITEMS_FILE = "items.parquet"
"""What a folder of classifiers holds besides: the sentences with their slots."""
PEOPLE = "people"
"""The system under which the responses of people stand."""


@dataclass(frozen=True, slots=True, eq=False)
class RunRecords:
    """The tables of a run."""

    items: pl.DataFrame
    systems: pl.DataFrame
    responses: dict[ResponseKind, pl.DataFrame]
    judgements: pl.DataFrame


def run_records(experiment: Experiment, task: Task, folder: Path | None = None) -> RunRecords:
    """Return the records; `folder` may hold the items from which the experiment was made."""
    kind = response_kind(task)
    experiment = _with_targets_only(experiment)
    if kind is None:
        responses = _responses_of_systems(experiment)
        items, judgements = _items_of_systems(experiment, folder), judgements_of(experiment)
    else:
        responses = _responses_of_people(experiment, kind)
        items, judgements = _items_shown(experiment), check_judgements(pl.DataFrame(schema=JUDGEMENT_SCHEMA))
    names = responses["system"].unique(maintain_order=True)
    systems = pl.DataFrame({"name": names, "seed": [None] * names.len()}, schema=SYSTEM_SCHEMA)
    return RunRecords(items, systems, {kind or "text": responses}, judgements)


def _with_targets_only(experiment: Experiment) -> Experiment:
    """Leave out the stimuli that are a target of no list: nothing in the records is about them."""
    if not experiment.versions.height:
        return experiment
    targets = experiment.versions.filter(role="target").select("about").unique()
    return replace(experiment, stimuli=experiment.stimuli.join(targets, on="about", how="semi", maintain_order="left"))


def response_kind(task: Task) -> ResponseKind | None:
    """Return of which kind the participants' own responses are; nothing where they judge those of others."""
    kinds: dict[str, ResponseKind] = {"cloze": "label", "free_text": "text", "reconstruction": "counts"}
    return kinds.get(task.name)


# --- people judge -----------------------------------------------------------------------------------------------------


def _items_of_systems(experiment: Experiment, folder: Path | None) -> pl.DataFrame:
    """Return one item for each item of the stimuli: as it was, or else as its first variant was shown."""
    if folder is not None and (folder / ITEMS_FILE).exists():
        held = read_table(folder / ITEMS_FILE)
        return check_items(held.join(experiment.stimuli.select(id="item").unique(), on="id", how="semi"))
    first = experiment.stimuli.unique("item", keep="first", maintain_order=True)
    return _items(experiment, first.select(pl.col("item").alias("id"), pl.col("item").alias("set"), "text", "spans"))


def _items_shown(experiment: Experiment) -> pl.DataFrame:
    """Return one item for each stimulus: what people were asked.

    What describes a scene has the scene's code as gold answer, its describer as condition, and the pair, the describer
    and the size as attributes.
    """
    stimuli = experiment.stimuli
    items = _items(
        experiment, stimuli.select(pl.col("about").alias("id"), pl.col("item").alias("set"), "text", "spans")
    )
    told = [json.loads(details or "{}") for details in stimuli["details"].to_list()]
    if not any(SCENE_CODE in details for details in told):
        return items

    def column(name: str, kind: type[pl.DataType]) -> pl.Series:
        return pl.Series([details.get(name) for details in told], dtype=kind)

    return check_items(
        items.with_columns(
            gold=column(SCENE_CODE, pl.String),
            condition=column(DESCRIBER, pl.String).fill_null(""),
            **{name: column(name, pl.String) for name in (PAIR, DESCRIBER)},
            **{SCENE_SIZE: column(SCENE_SIZE, pl.Int64)},
        )
    )


def _items(experiment: Experiment, shown: pl.DataFrame) -> pl.DataFrame:
    plain = pl.lit("")
    rows = shown.select(
        "id",
        "set",
        material=pl.lit(experiment.name),
        condition=plain,
        content="text",
        spans=pl.col("spans").fill_null([]),
        gold=pl.lit(None, dtype=pl.String),
        source=plain,
    )
    return check_items(rows.select(list(ITEM_SCHEMA)))


def _responses_of_systems(experiment: Experiment) -> pl.DataFrame:
    given = experiment.stimuli.explode("systems").drop_nulls("systems")
    rows = given.select(
        id="about",
        item="item",
        system="systems",
        seed=pl.lit(None, dtype=pl.Int64),
        respondent=pl.lit(""),
        kind=pl.lit("text"),
        content="text",
        status=pl.lit("ok"),
        reason=pl.lit(""),
    )
    return check_responses(rows.select(list(response_schema("text"))), "text")


# --- people respond ---------------------------------------------------------------------------------------------------


def _responses_of_people(experiment: Experiment, kind: ResponseKind) -> pl.DataFrame:
    answers = experiment.answers.filter(role="target")
    rows = (
        _counted(answers)
        if kind == "counts"
        else answers.select(
            "about", "participant", "status", "reason", content=pl.when(pl.col("status") == "ok").then("label")
        )
    )
    made = rows.select(
        id=pl.lit(""),
        item="about",
        system=pl.lit(PEOPLE),
        seed=pl.lit(None, dtype=pl.Int64),
        respondent="participant",
        kind=pl.lit(kind),
        content="content",
        status="status",
        reason="reason",
    )
    return check_responses(with_response_ids(made.select(list(response_schema(kind))), kind), kind)


def _counted(answers: pl.DataFrame) -> pl.DataFrame:
    """Return the counts of a participant about a stimulus as one response."""
    one = pl.struct(kind=pl.col("scale"), count=pl.col("value").cast(pl.Int64))
    grouped = answers.group_by("about", "participant", maintain_order=True).agg(
        content=one,
        whole=((pl.col("status") == "ok") & pl.col("value").is_not_null()).all(),
        why=pl.col("reason").filter(pl.col("reason") != "").first(),
    )
    return grouped.select(
        "about",
        "participant",
        status=pl.when("whole").then(pl.lit("ok")).otherwise(pl.lit("missing")),
        reason=pl.when("whole").then(pl.lit("")).otherwise(pl.col("why").fill_null("incomplete")),
        content=pl.when("whole").then("content"),
    )


# --- the folder -------------------------------------------------------------------------------------------------------


def write_run(target: Path, name: str, records: RunRecords) -> RunFolder:
    """Write the records as a run with the stages items, responses and judgements."""
    folder = RunFolder.create(target)
    responses = {folder.table_file("responses", kind): frame for kind, frame in records.responses.items()}
    written: dict[Stage, dict[Path, pl.DataFrame]] = {
        "items": {folder.table_file("items"): records.items},
        "responses": {folder.path / "systems.parquet": records.systems, **responses},
        "judgements": {folder.table_file("judgements"): records.judgements},
    }
    with folder.lock():
        # Before any table, so that the folder is known as a run when this is stopped halfway.
        folder.write_manifest(Manifest(study=name, created=now()))
        stages: dict[str, StageRecord] = {stage: _record(folder, stage, tables) for stage, tables in written.items()}
        folder.write_manifest(Manifest(study=name, stages=stages, versions=package_versions(), created=now()))
    return folder


def _record(folder: RunFolder, stage: Stage, tables: dict[Path, pl.DataFrame]) -> StageRecord:
    files = folder.write_tables(tables)
    rows = sum(frame.height for file, frame in tables.items() if file.name != "systems.parquet")
    signature = Signature.of(hengliang=version(), stage=stage, survey=digest(*files.values()))
    return StageRecord(str(signature), {"survey": str(signature)}, files, rows, 0.0, now())
