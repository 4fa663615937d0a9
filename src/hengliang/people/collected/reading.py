"""Where are the answers of an experiment: in its database, in another one, or in its folder?

An experiment that was served has a database beside it (`survey.sqlite`, or PostgreSQL under an address); its answers
are the ones that count. An experiment that never was has `answers.parquet`. SQLAlchemy is needed for the first only.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.experiments import ANSWER_SCHEMA, Experiment, check_experiment, read_experiment
from hengliang.people.sessions.survey import FILE as SURVEY
from hengliang.people.sessions.survey import read_survey

if TYPE_CHECKING:
    from hengliang.people.collected.answers import Collected

DATABASE = "survey.sqlite"
"""The same as `storage.engines.FILE`, which needs SQLAlchemy; a test keeps them equal."""
Kind = Literal["real", "pilot", "simulated"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""Whose answers may be asked for; previews are nobody's."""


def kind_named(name: str) -> Kind:
    """Return the kind of participants of this name; previews are nobody's answers."""
    for kind in KINDS:
        if kind == name:
            return kind
    raise unknown_name("kind of participant", name, KINDS)


def has_database(folder: Path, database_url: str | None = None) -> bool:
    """Return whether the answers of an experiment are in a database."""
    return database_url is not None or (folder / DATABASE).exists()


def collected_experiment(
    folder: Path, *, database_url: str | None = None, kind: str = "real", finished_only: bool = False
) -> Experiment:
    """Return the experiment with the answers of one kind of participants: `real`, `pilot` or `simulated`."""
    kind_named(kind)
    experiment = read_experiment(folder)
    if has_database(folder, database_url):
        return with_answers(experiment, collected(folder, database_url, kind, finished_only=finished_only), folder)
    if kind == "pilot" or (kind == "simulated" and not experiment.simulated):
        raise UserError(
            f"{folder} has no database, and the answers in its folder are not {kind}.",
            valid=f"A file {DATABASE} in the folder, or the address of a database.",
            remedy="Name the database: --database URL",
        )
    return experiment


def collected(
    folder: Path, database_url: str | None, kind: str, *, finished_only: bool = False, timing: bool = False
) -> Collected:
    """Return what the database of an experiment holds."""
    if database_url is None and not (folder / DATABASE).exists():
        raise UserError(
            f"There is no {DATABASE} in {folder}: nobody has taken part yet.",
            remedy=f"Serve the survey: hengliang survey serve {folder}; or name its database: --database URL",
        )
    from hengliang.people.storage.requirements import need_survey_extra

    need_survey_extra()
    from hengliang.people.collected.answers import read_collected
    from hengliang.people.storage.engines import database_url as address

    # What is shown decides what an answer means: a folder that was designed anew has other answers.
    design = read_survey(folder).digest if (folder / SURVEY).exists() else None
    url = address(folder, database_url)
    return read_collected(url, kind, design=design, finished_only=finished_only, timing=timing)


def with_answers(experiment: Experiment, held: Collected, folder: Path) -> Experiment:
    """Return the experiment with these answers, checked against what it shows."""
    answers = held.answers.select([pl.col(name).cast(kind) for name, kind in ANSWER_SCHEMA.items()])
    return check_experiment(replace(experiment, answers=answers, simulated=held.kind == "simulated"), folder)
