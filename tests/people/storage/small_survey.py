"""A small survey for tests: three statements a list, rated on two scales."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hengliang import Bilingual
from hengliang.experiments import Experiment, stimuli_frame, versions_frame
from hengliang.people.sessions.settings import Settings
from hengliang.people.sessions.survey import Design, Survey
from hengliang.people.storage.participants import Participant
from hengliang.people.storage.submission import StoredAnswer, Submission
from hengliang.people.tasks.likert import LikertRating

ITEMS = 3
NOW = 1_700_000_000.0
SCALES = tuple(scale.name for scale in LikertRating().scales())


def small_survey(lists: int = 2, **settings: Any) -> Survey:
    """Return a survey with so many lists of three sentences each."""
    about = [(str(version), f"s{version}-{item}") for version in range(1, lists + 1) for item in range(ITEMS)]
    stimuli = stimuli_frame({"about": each, "item": each, "text": f"他又来了第{each}次。"} for _, each in about)
    versions = versions_frame(
        {"version": version, "position": place, "about": each} for place, (version, each) in enumerate(about)
    )
    task = LikertRating()
    experiment = Experiment("small", Bilingual("Small", "小"), task.scales(), stimuli, versions=versions)
    return Survey(Path("nowhere"), experiment, task, Design(), Settings(**settings))


def submission_of(survey: Survey, person: Participant, step: int, id: str = "a", value: float = 4.0) -> Submission:
    """Return the submit that a participant makes on one page."""
    steps = survey.steps(person.version, person.order, person.number)
    page = steps[step]
    shown = page.presentation
    answers = (
        ()
        if shown is None
        else tuple(
            StoredAnswer(
                about=shown.about,
                scale=scale,
                role=shown.role,
                trial=page.trial,
                highlighted=True,
                value=value,
                place=place,
            )
            for place, scale in enumerate(page.scales)
        )
    )
    details = {"age": "30", "region": "成都"} if page.kind == "demographics" else {}
    return Submission(person.id, step, id, answers, details, page.kind, last=steps[step + 1].kind == "end")
