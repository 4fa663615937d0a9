"""What stands on a participant's current page?

A page follows from the survey, the participant's facts and, when a form comes back with problems, from what was sent.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

from hengliang.core.terms import Language
from hengliang.people.pages.courses import Course
from hengliang.people.pages.examples import example_among
from hengliang.people.pages.highlighting import marked_text
from hengliang.people.pages.rendering import LANGUAGE_TAGS
from hengliang.people.pages.security import form_token
from hengliang.people.pages.words import words_of
from hengliang.people.sessions.demographics import QUESTIONS
from hengliang.people.sessions.demographics import field_of as demographic_field
from hengliang.people.sessions.settings import Settings
from hengliang.people.sessions.steps import Step
from hengliang.people.sessions.survey import Survey
from hengliang.people.storage.participants import Participant
from hengliang.people.storage.registration import withdrawal_code
from hengliang.people.tasks.base import Problem, Screen, Stimulus
from hengliang.people.tasks.fields import field_id
from hengliang.people.tasks.fields import field_of as answer_field
from hengliang.people.tasks.pieces import language_of

PURPOSE = "step"
"""What a form token of a page is for."""
COMMENT_LIMIT = 2_000

_TEMPLATES = {
    "demographics": "demographics.html",
    "instructions": "instructions.html",
    "practice done": "interlude.html",
    "pause": "interlude.html",
    "trial": "trial.html",
    "end": "end.html",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Who is where: all that a page follows from."""

    survey: Survey
    participant: Participant
    course: Course
    secret: bytes
    public_url: str
    resume: str | None = None
    """The participant's own token, if this browser has it."""

    @property
    def step(self) -> Step:
        """The current page."""
        return self.course.steps[min(self.participant.step, len(self.course.steps) - 1)]

    @property
    def language(self) -> Language:
        """The language that the participant chose."""
        return self.participant.language


@dataclass(frozen=True, slots=True)
class Returned:
    """A form that comes back: what was sent, and what is wrong with it."""

    fields: Mapping[str, str] = field(default_factory=dict)
    problems: Sequence[Problem] = ()


def page_of(place: Place, returned: Returned | None = None) -> tuple[str, dict[str, Any]]:
    """Return the template of the current page and what it shows."""
    step = place.step
    returned = returned or Returned()
    shown: dict[str, Any] = {
        **_frame(place),
        **_form(place, returned),
        "kind": step.kind,
    }
    if step.kind == "trial":
        shown |= _trial(place, step, returned)
    elif step.kind == "demographics":
        wanted = place.survey.settings.demographics
        shown["questions"] = [(demographic_field(name), QUESTIONS[name]) for name in wanted]
        shown["minimum_age"] = place.survey.settings.minimum_age
    elif step.kind == "instructions":
        shown |= _instructions(place)
    elif step.kind == "end":
        shown |= _ending(place)
    return _TEMPLATES[step.kind], shown


def keepsake(public_url: str, resume: str | None) -> dict[str, str] | None:
    """Return what a participant should keep, the link to go on with and the code that deletes, if its token is here."""
    if resume is None:
        return None
    return {
        "resume": f"{public_url}/resume/{resume}",
        "withdrawal": withdrawal_code(resume),
        "withdraw": f"{public_url}/withdraw",
    }


def _frame(place: Place) -> dict[str, Any]:
    """Return what every page of a participant has around its content."""
    course = place.course
    done = course.done_before(min(place.participant.step, len(course.steps) - 1))
    step = place.step
    return {
        "title": place.survey.experiment.title[place.language],
        "done": done,
        "items": course.items,
        "progress": words_of(place.language)["progress"].format(done=done, all=course.items),
        "preview": place.participant.kind == "preview",
        "first": place.participant.step == 0,
        "keepsake": None if step.kind == "trial" else keepsake(place.public_url, place.resume),
    }


def _form(place: Place, returned: Returned) -> dict[str, Any]:
    step = place.participant.step
    fields = returned.fields
    told = _told(returned, place.language)
    return {
        "token": form_token(place.secret, place.participant.id, f"{PURPOSE} {step}"),
        "step": step,
        # The same id as before, when the same answer is mended.
        "submission": fields.get("submission") or secrets.token_urlsafe(12),
        "fields": fields,
        "problems": told,
        "summary": [(field_id(name), _question(place, name), message) for name, message in told.items()],
    }


def _trial(place: Place, step: Step, returned: Returned) -> dict[str, Any]:
    survey, course, number = place.survey, place.course, place.participant.number
    presentation = step.presentation
    if presentation is None:
        raise ValueError("A trial presents something.")
    stimulus = survey.stimuli[presentation.about]
    words = words_of(place.language)
    practice = presentation.role == "practice"
    heading = (
        words["practice"].format(trial=step.trial)
        if practice
        else words["trial"].format(trial=step.trial - course.practice, all=course.items)
    )
    highlighted = survey.highlighted(number, presentation.about)
    return {
        **_task(place, stimulus, Screen(step.scales), highlighted, returned),
        "about": presentation.about,
        "heading": heading,
        "practice": practice,
        "comment_limit": COMMENT_LIMIT,
    }


def _task(
    place: Place, stimulus: Stimulus, screen: Screen, highlighted: bool, returned: Returned | None
) -> dict[str, Any]:
    """Return the text of a stimulus and what the task's own template is given about it.

    `task_given` goes to that template alone, so a task may call its entries what it likes.
    """
    task, language = place.survey.task, place.language
    text = marked_text(stimulus, highlighted)
    shown = task.shown(stimulus, screen, language, place.participant.number)
    given = {
        "language": language,
        "tag": LANGUAGE_TAGS[language],
        "text": text,
        "stimulus": stimulus,
        "screen": screen,
        "highlighted": highlighted,
        "example": returned is None,
        "fields": returned.fields if returned else {},
        "problems": _told(returned, language) if returned else {},
        **shown,
        "shown": shown,
    }
    return {
        "task": task,
        "task_template": f"tasks/{task.template}",
        "task_given": given,
        "text": text,
        "text_tag": LANGUAGE_TAGS[language_of(stimulus.text)],
    }


def _question(place: Place, field: str) -> str:
    """Return what a field asks, so that a list of problems says which is meant; nothing for other fields."""
    for scale in place.survey.task.scales():
        if field == answer_field(scale.name):
            return scale.statement[place.language]
    for name, question in QUESTIONS.items():
        if field == demographic_field(name):
            return question.label[place.language]
    return ""


def _told(returned: Returned, language: Language) -> dict[str, str]:
    return {problem.field: problem.message[language] for problem in returned.problems}


def _instructions(place: Place) -> dict[str, Any]:
    survey, number = place.survey, place.participant.number
    shown: dict[str, Any] = {"instructions": survey.settings.instructions[place.language], "has_example": False}
    # Never an item of the list: a practice item that has been seen here is no practice any more.
    stimulus = example_among(survey.stimuli.values())
    # A task that works by script would run its trial here; its practice items show what it is like.
    if survey.task.needs_script or survey.task.check(stimulus):
        return shown
    screen = survey.task.screens(number)[0]
    highlighted = survey.highlighted(number, stimulus.about)
    return {**shown, **_task(place, stimulus, screen, highlighted, None), "has_example": True}


def _ending(place: Place) -> dict[str, Any]:
    settings = place.survey.settings
    code = settings.completion_code or place.participant.completion or ""
    return {
        "completion": code,
        "panel": panel_address(settings.completion_url, code, place.participant.external or ""),
        "contact": settings.contact,
    }


def return_address(settings: Settings, external: str) -> str:
    """Return where a page leads whose reader did not finish: never an address that says that somebody did.

    Without a `return_url` it is the first page of the panel that `completion_url` names.

    >>> return_address(Settings(completion_url="https://panel.example/done?cc=C1"), "")
    'https://panel.example/'
    """
    if settings.return_url:
        return panel_address(settings.return_url, "", external)
    parts = urlsplit(panel_address(settings.completion_url, "", ""))
    return f"{parts.scheme}://{parts.netloc}/" if parts.netloc else ""


def panel_address(url: str, code: str, external: str) -> str:
    """Return where the last page leads; `{code}` and `{external}` in the setting stand for the participant's own.

    >>> panel_address("https://panel.example/done?cc={code}", "A B", "")
    'https://panel.example/done?cc=A%20B'
    """
    address = url.replace("{code}", quote(code, safe="")).replace("{external}", quote(external, safe=""))
    return address if urlsplit(address).scheme in ("http", "https") else ""
