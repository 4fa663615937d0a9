"""Which survey has been answered, by whom, in the tests of what comes out of it?

Four sentences with up to three variants, three systems of which some share a variant, a catch item, a repeat. The rows
go straight into the tables of a real database, so that tests can have any state they want, however it came about.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import insert

from hengliang import Bilingual
from hengliang.experiments import Experiment, Plan, stimuli_frame, versions_frame, write_experiment
from hengliang.people.sessions.settings import Settings
from hengliang.people.sessions.survey import Design, Survey, read_survey, write_survey
from hengliang.people.storage import tables
from hengliang.people.storage.engines import database_url, engine_of
from hengliang.people.storage.facts import bind_design
from hengliang.people.storage.migrating import migrate
from hengliang.people.tasks.base import Task
from hengliang.people.tasks.library import task_of

VARIANTS = {
    "s1": ("一{}信", {"封": ["CORPUS", "BERT"], "个": ["RULE"]}),
    "s2": ("两{}马", {"匹": ["CORPUS"], "只": ["BERT", "RULE"]}),
    "s3": ("三{}书", {"本": ["CORPUS", "BERT", "RULE"]}),
    "s4": ("四{}车", {"辆": ["CORPUS"], "台": ["BERT"], "个": ["RULE"]}),
}
"""By sentence: the frame, and by classifier who chose it."""
CATCH = "catch-1"
CONSENTED = 1_700_000_000.0
PLAN = Plan(primary_outcome="fluency", margin=0.5, family="all pairs, Holm", exclusion_rules=("fails the catch item",))


def stimuli() -> list[dict[str, Any]]:
    """Return eight targets, called `s1-封` and so on, and a catch item whose answer is 1 or 2 on both scales."""
    rows = [
        {"about": f"{item}-{word}", "item": item, "text": frame.format(word), "spans": [], "systems": systems}
        for item, (frame, words) in VARIANTS.items()
        for word, systems in words.items()
    ]
    expected = json.dumps({"expected": {"fluency": [1, 2], "clarity": [1, 2]}})
    caught = {"about": CATCH, "item": CATCH, "text": "信封一马", "spans": [], "systems": [], "details": expected}
    return [*rows, caught]


def presentations() -> list[dict[str, Any]]:
    """Return the one list: all targets, the catch item, and the first target again."""
    targets = [row["about"] for row in stimuli() if row["about"] != CATCH]
    rows: list[dict[str, Any]] = [{"about": about} for about in targets]
    rows += [{"about": CATCH, "role": "catch"}, {"about": targets[0], "role": "repeat", "occurrence": 2}]
    return [{"version": "1", "position": place, **row} for place, row in enumerate(rows, 1)]


def answered_survey(folder: Path, task: Task | None = None, **settings: Any) -> Survey:
    """Write the survey, with an empty database beside it."""
    asked = task or task_of("likert", {})
    experiment = Experiment(
        "answered",
        Bilingual("An answered survey", "一项已作答的调查"),
        asked.scales(),
        stimuli_frame(stimuli()),
        PLAN,
        versions=versions_frame(presentations()),
    )
    write_experiment(folder, experiment)
    write_survey(folder, asked, Design(proof="checked for the test"), Settings(**settings))
    survey = read_survey(folder)
    prepare(database_url(folder), survey)
    return survey


def prepare(url: str, survey: Survey) -> None:
    """Make the tables, and bind them to the survey."""
    migrate(url)
    with engine_of(url, writing=True, pooled=False).begin() as connection:
        bind_design(connection, survey.digest)


def person(id: str, *, kind: str = "real", status: str = "finished", **cells: Any) -> dict[str, Any]:
    """Return a row of the table of participants."""
    return {
        **{"id": id, "kind": kind, "status": status, "language": "zh", "version": "1", "number": 0, "seed": 1},
        **{"order": "[]", "step": 5, "steps": 13, "since": CONSENTED, "consent": "1:abc", "consented": CONSENTED},
        **{"seen": CONSENTED + 600, "ended": CONSENTED + 600 if status == "finished" else None, "reason": ""},
        **{"resume": None, "withdrawal": None, "completion": None, "external": None, "reserved": None},
        **{"invitation": None},
        **cells,
    }


def answer(participant: str, about: str, scale: str, value: float | None = None, **cells: Any) -> dict[str, Any]:
    """Return a row of the table of answers."""
    return {
        **{"participant": participant, "about": about, "occurrence": 1, "scale": scale, "value": value, "label": None},
        **{"status": "ok", "reason": "", "comment": "", "language": "zh", "role": "target", "trial": 1, "screen": 0},
        **{
            "place": 0,
            "highlighted": True,
            "answered": CONSENTED + 60,
            "seconds": 4.0,
            "timing": "",
            "submission": "x",
        },
        **cells,
    }


def store(
    url: str,
    people: Iterable[Mapping[str, Any]],
    answers: Iterable[Mapping[str, Any]] = (),
    details: Iterable[tuple[str, str, str]] = (),
) -> None:
    """Put rows into the database."""
    told = [dict(zip(("participant", "field", "value"), row, strict=True)) for row in details]
    with engine_of(url, writing=True, pooled=False).begin() as connection:
        for table, rows in ((tables.participants, people), (tables.answers, answers), (tables.details, told)):
            held = [dict(row) for row in rows]
            if held:
                connection.execute(insert(table), held)


def full_course(id: str, seed: int, *, better: Mapping[str, float] | None = None) -> list[dict[str, Any]]:
    """Return all answers of one participant; `better` raises the ratings of some stimuli, the catch item is passed."""
    draw = np.random.default_rng(seed)
    own = draw.normal(0, 0.5)
    rows: list[dict[str, Any]] = []
    given: dict[tuple[str, str], float] = {}
    for trial, shown in enumerate(presentations(), 1):
        about = shown["about"]
        for place, scale in enumerate(("fluency", "clarity")):
            latent = 4 + own + draw.normal(0, 1) + (better or {}).get(about, 0.0)
            value = 1.0 if about == CATCH else float(np.clip(round(latent), 1, 7))
            value = given.setdefault((about, scale), value)
            cells = {key: shown[key] for key in ("role", "occurrence") if key in shown}
            moment = CONSENTED + 10.0 * trial
            rows.append(answer(id, about, scale, value, trial=trial, place=place, answered=moment, **cells))
    return rows


def six_readers(url: str, kind: str = "real") -> None:
    """Store six participants who finished; what the corpus has is rated two points higher."""
    better = {
        f"{item}-{word}": 2.0 for item, (_, words) in VARIANTS.items() for word, by in words.items() if "CORPUS" in by
    }
    names = [f"{kind}{number}" for number in range(6)]
    rows = [row for number, name in enumerate(names) for row in full_course(name, number, better=better)]
    ages = [(name, "age", str(20 + 3 * number)) for number, name in enumerate(names)]
    gender = [(name, "gender", "female" if number % 2 else "male") for number, name in enumerate(names)]
    store(url, [person(name, kind=kind) for name in names], rows, [*ages, *gender])
