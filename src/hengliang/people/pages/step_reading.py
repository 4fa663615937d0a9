"""What does a submitted page mean, and may it be stored?

Which page it is, of which stimulus, in which language and with what highlighted is known to the server; of the form
only the answers are taken, and each is checked.
"""

from __future__ import annotations

from collections.abc import Mapping

from hengliang.core.terms import Bilingual
from hengliang.people.pages.form_reading import seconds_of, timing_of
from hengliang.people.pages.step_pages import COMMENT_LIMIT, Place
from hengliang.people.pages.words import WORDS
from hengliang.people.sessions.demographics import read_demographics
from hengliang.people.sessions.steps import Step
from hengliang.people.storage.submission import StoredAnswer, Submission
from hengliang.people.tasks.base import NOT_UNDERSTOOD, Given, Problem, Screen

LONGEST_ID = 64


def read_step(place: Place, form: Mapping[str, str], open_for: float) -> Submission | tuple[Problem, ...]:
    """Return what is to be stored for the current page, or what is wrong with the form.

    `open_for` is for how many seconds the page has been the current one, as the server knows.
    """
    step = place.step
    answers: tuple[StoredAnswer, ...] = ()
    details: dict[str, str] = {}
    if step.kind == "trial":
        read = _trial(place, step, form, open_for)
        if any(isinstance(each, Problem) for each in read):
            return tuple(each for each in read if isinstance(each, Problem))
        answers = tuple(each for each in read if isinstance(each, StoredAnswer))
    elif step.kind == "demographics":
        settings = place.survey.settings
        details, problems = read_demographics(form, settings.demographics, settings.minimum_age)
        if problems:
            return problems
    place_after = place.participant.step + 1
    return Submission(
        participant=place.participant.id,
        step=place.participant.step,
        id=form.get("submission", "")[:LONGEST_ID],
        answers=answers,
        details=details,
        event=step.kind,
        last=place.course.steps[place_after].kind == "end",
    )


def _trial(
    place: Place, step: Step, form: Mapping[str, str], open_for: float
) -> tuple[StoredAnswer, ...] | tuple[Problem, ...]:
    presentation = step.presentation
    if presentation is None:
        raise ValueError("A trial presents something.")
    survey, participant = place.survey, place.participant
    comment, problems = _comment(form)
    given: tuple[Given, ...]
    if form.get("not-understood"):
        given = tuple(Given(scale, status="missing", reason=NOT_UNDERSTOOD) for scale in step.scales)
    else:
        reading = survey.task.read(form, survey.stimuli[presentation.about], Screen(step.scales))
        problems = (*reading.problems, *problems)
        given = reading.given
    if problems:
        return problems
    seconds = seconds_of(form, open_for)
    timing = timing_of(form)
    highlighted = survey.highlighted(participant.number, presentation.about)
    return tuple(
        StoredAnswer(
            about=presentation.about,
            occurrence=presentation.occurrence,
            scale=each.scale,
            language=participant.language,
            value=each.value,
            label=each.label,
            status=each.status,
            reason=each.reason,
            # The comment is on the item, so it is kept once.
            comment=comment if number == 0 else "",
            role=presentation.role,
            trial=step.trial,
            screen=step.screen,
            place=step.scales.index(each.scale),
            highlighted=highlighted,
            seconds=seconds,
            timing=timing if number == 0 else "",
        )
        for number, each in enumerate(given)
    )


def _comment(form: Mapping[str, str]) -> tuple[str, tuple[Problem, ...]]:
    comment = form.get("comment", "").replace("\r\n", "\n").strip()
    if len(comment) <= COMMENT_LIMIT:
        return comment, ()
    said = WORDS["comment_too_long"]
    length = {"length": len(comment), "limit": COMMENT_LIMIT}
    return "", (Problem("comment", Bilingual(said.en.format(**length), said.zh.format(**length))),)
