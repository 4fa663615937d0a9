"""In which form do the answers of a survey leave the database?

| form | what |
| --- | --- |
| long | `answers.csv`, one row an answer |
| wide | `presentations.csv`, one row a participant and presentation, one column a scale |
| parquet | `answers.parquet` and `participants.parquet`, with the browser's timing |
| excel | `survey.xlsx` with the sheets answers, participants and codebook |
| run | a folder `run` with items, responses and judgements |
| folder | `answers.parquet` of the experiment itself |

Every form but the last two brings `participants.csv` and `codebook.json` along.
"""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import polars as pl
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.files import whole_file
from hengliang.core.io.spreadsheet_guards import csv_bytes
from hengliang.experiments import Experiment, write_experiment
from hengliang.people.collected.answers import Collected, collect
from hengliang.people.collected.codebook import codebook, codebook_table
from hengliang.people.collected.frames import long_table, participants_table, wide_table
from hengliang.people.collected.reading import collected, with_answers
from hengliang.people.collected.run_records import run_records, write_run
from hengliang.people.collected.workbook import workbook_bytes
from hengliang.people.sessions.survey import Survey
from hengliang.people.storage.engines import database_url as address_of_database
from hengliang.people.storage.engines import engine_of, explained
from hengliang.people.storage.events import record

Form = Literal["long", "wide", "parquet", "excel", "run", "folder"]
FORMS: tuple[Form, ...] = get_args(Form)
DOWNLOADS = ("long", "wide", "parquet", "excel", "codebook", "zip")
"""The forms that are one file, for a page to offer."""
FILES = {
    "long": "answers.csv",
    "wide": "presentations.csv",
    "parquet": "answers.parquet",
    "excel": "survey.xlsx",
    "participants": "participants.csv",
    "participants parquet": "participants.parquet",
    "codebook": "codebook.json",
    "zip": "survey.zip",
}


@dataclass(frozen=True, slots=True, eq=False)
class Exported:
    """What was written, and what it was made from."""

    files: tuple[Path, ...]
    collected: Collected


def export(
    survey: Survey,
    target: Path,
    forms: Sequence[str] = ("long",),
    *,
    kind: str = "real",
    identified: bool = False,
    finished_only: bool = False,
    database_url: str | None = None,
) -> Exported:
    """Write the answers of a survey into the folder `target`, each form whole or not at all.

    With personal data (`identified`) the files are for their owner alone, and the log of events says so beforehand.
    """
    for form in forms:
        if form not in FORMS:
            raise unknown_name("form of export", form, FORMS)
    if not forms:
        raise UserError("No form of export is named.", valid=f"Forms: {', '.join(FORMS)}.")
    held = collected(survey.folder, database_url, kind, finished_only=finished_only, timing="parquet" in forms)
    wanted = dict.fromkeys(forms)
    if identified:
        _log(address_of_database(survey.folder, database_url), wanted, kind)
    files: list[Path] = []
    for form in wanted:
        if form == "run":
            experiment = with_answers(survey.experiment, held, survey.folder)
            folder = write_run(target / "run", experiment.name, run_records(experiment, survey.task, survey.folder))
            files.append(folder.path)
        elif form == "folder":
            write_into_folder(survey, held)
            files.append(survey.folder / "answers.parquet")
        else:
            files += _write(target, _files(survey, held, form, identified=identified), 0o600 if identified else 0o644)
    return Exported(tuple(dict.fromkeys(files)), held)


def export_bytes(
    connection: Connection,
    survey: Survey,
    form: str = "long",
    kind: str = "real",
    identified: bool = False,
    finished_only: bool = False,
) -> bytes:
    """Return one file of an export: a form of `DOWNLOADS`, `zip` being all of them together."""
    if form not in DOWNLOADS:
        raise unknown_name("form of export", form, DOWNLOADS)
    held = collect(connection, kind, finished_only=finished_only, timing=form in ("parquet", "zip"))
    if form != "zip":
        return _files(survey, held, form, identified=identified)[FILES[form]]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in ("long", "wide", "parquet", "excel"):
            for name, content in _files(survey, held, part, identified=identified).items():
                if name not in archive.namelist():
                    archive.writestr(name, content)
    return packed.getvalue()


def write_into_folder(survey: Survey, held: Collected) -> Experiment:
    """Write the answers into the experiment's own folder, so that it can be read without its database."""
    experiment = with_answers(survey.experiment, held, survey.folder)
    write_experiment(survey.folder, experiment)
    return experiment


def _files(survey: Survey, held: Collected, form: str, *, identified: bool) -> dict[str, bytes]:
    """Return the files of one form by name."""
    book = codebook(survey, held, identified=identified)
    people = participants_table(held, identified=identified)
    described = {
        FILES["participants"]: csv_bytes(people),
        FILES["codebook"]: (json.dumps(book, ensure_ascii=False, indent=1) + "\n").encode(),
    }
    if form == "codebook":
        return described
    if form == "wide":
        table = wide_table(held, survey.experiment, survey.task, identified=identified)
        return {FILES["wide"]: csv_bytes(table), **described}
    table = long_table(held, survey.experiment, identified=identified)
    if form == "parquet":
        timed = table.with_columns(held.answers["timing"])
        return {FILES["parquet"]: _parquet(timed), FILES["participants parquet"]: _parquet(people), **described}
    if form == "excel":
        sheets = {"answers": table, "participants": people, "codebook": codebook_table(book)}
        return {FILES["excel"]: workbook_bytes(sheets), **described}
    return {FILES["long"]: csv_bytes(table), **described}


def _parquet(table: pl.DataFrame) -> bytes:
    target = io.BytesIO()
    table.write_parquet(target, compression="zstd", compression_level=3)
    return target.getvalue()


def _log(url: str, forms: Iterable[str], kind: str) -> None:
    """Write down that personal data leave the database by the command line."""
    engine = engine_of(url, writing=True, pooled=False)
    detail = {"by": "command line", "form": ", ".join(forms), "of": kind, "identified": True}
    try:
        with engine.begin() as connection:
            record(connection, "exported", None, detail, time.time())
    except SQLAlchemyError as error:
        raise explained(error, url) from error
    finally:
        engine.dispose()


def _write(target: Path, files: dict[str, bytes], mode: int) -> list[Path]:
    for name, content in files.items():
        with whole_file(target / name, mode=mode) as stream:
            stream.write(content)
    return [target / name for name in files]
