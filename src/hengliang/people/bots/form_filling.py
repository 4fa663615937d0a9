"""What does a simulated participant put into the fields of a page?

The page's form says what can be answered; the survey says what the stimulus is and what its scales are; the rater says
what this participant thinks. The same goes for a form over HTTP and for one in a browser.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hengliang.core.errors import Failure
from hengliang.people.bots.drawing import chosen, uniform
from hengliang.people.bots.ledger import Acknowledged
from hengliang.people.bots.page_reading import Form
from hengliang.people.bots.simulated_rater import SimulatedRater
from hengliang.people.bots.task_answers import Asked, answers_to
from hengliang.people.sessions.survey import Survey
from hengliang.people.tasks.base import Given, Screen, Stimulus

NOT_UNDERSTOOD = "not-understood"
COMMENT = "这个词我不太确定。"


@dataclass
class FormFilling:
    """Fills in page after page for one participant, and remembers how often each stimulus was seen."""

    survey: Survey
    rater: SimulatedRater
    seen: dict[tuple[str, str], int] = field(default_factory=dict)
    """How often a scale has been answered about a stimulus, which tells a repeated one from the first."""

    def fields(self, form: Form) -> dict[str, str]:
        """Return everything that is sent: what is hidden in the form, answers, the seconds on the page."""
        sent = form.hidden()
        sent |= self._trial(form) if form.about else self._about_oneself(form)
        if "seconds" in form.fields:
            shown = self.survey.stimuli[form.about].text if form.about else ""
            sent["seconds"] = f"{self.rater.seconds(len(shown), form.step):.3f}"
        return sent

    def acknowledged(self, form: Form, sent: Mapping[str, str]) -> list[Acknowledged]:
        """Return what the server keeps of a page that it has acknowledged; called once for every page."""
        if not form.about:
            return []
        stimulus, screen = self.survey.stimuli[form.about], self._screen(form)
        if NOT_UNDERSTOOD in sent:
            given = tuple(Given(scale, status="missing") for scale in screen.scales)
        else:
            read = self.survey.task.read(sent, stimulus, screen)
            given = read.given
            if read.problems:
                raise Failure(f"The page about '{form.about}' was taken, although it has problems: {read.problems}.")
        entries = []
        for each in given:
            occurrence = self._occurrence(form.about, each.scale)
            self.seen[form.about, each.scale] = occurrence
            who, submission = self.rater.number, sent.get("submission", "")
            where = (who, submission, form.about, occurrence, each.scale)
            entries.append(Acknowledged(*where, each.value, each.label, each.status))
        return entries

    def _screen(self, form: Form) -> Screen:
        """Return which screen of a trial this is; the participant's number is the server's, but orders alternate."""
        shown = set(form.answers())
        screens = [screen for number in (0, 1) for screen in self.survey.task.screens(number)]
        return next((screen for screen in screens if shown <= set(screen.scales)), Screen(tuple(form.answers())))

    def _occurrence(self, about: str, scale: str) -> int:
        return self.seen.get((about, scale), 0) + 1

    def _trial(self, form: Form) -> dict[str, str]:
        stimulus = self.survey.stimuli[form.about]
        occurrence = max((self._occurrence(form.about, scale) for scale in form.answers()), default=1)
        if NOT_UNDERSTOOD in form.fields and self.rater.at_a_loss(stimulus, occurrence):
            return {NOT_UNDERSTOOD: form.fields[NOT_UNDERSTOOD].values[0]}
        right = {} if self.rater.fails(stimulus) else known_answers(stimulus, self.rater)
        sent = answers_to(self.survey.task, Asked(self.rater, stimulus, occurrence, form, right))
        if "comment" in form.fields and self.rater.comments(stimulus, occurrence):
            sent["comment"] = COMMENT
        if "timing" in form.fields:
            sent["timing"] = json.dumps({"simulated": True})
        return sent

    def _about_oneself(self, form: Form) -> dict[str, str]:
        """Fill in a page without a stimulus: boxes that must be ticked, and questions about the participant."""
        sent = {}
        for name, held in form.fields.items():
            drawn = (self.rater.seed, "oneself", self.rater.number, name)
            if held.kind == "checkbox" and held.required:
                sent[name] = held.values[0]
            elif held.kind in ("radio", "select") and held.values:
                sent[name] = chosen(held.values, [1.0] * len(held.values), *drawn)
            elif held.kind == "number" or held.attributes.get("inputmode") == "numeric":
                youngest = int(held.attributes.get("data-least") or held.attributes.get("min") or 18)
                sent[name] = str(youngest + int(50 * uniform(*drawn)))
            elif held.kind in ("text", "textarea", "search"):
                sent[name] = self.rater.model.answers[0] if held.required else ""
        return sent


def known_answers(stimulus: Stimulus, rater: SimulatedRater) -> dict[str, Any]:
    """Return right answers of a catch item by scale; where several are right, one of them."""
    held = stimulus.details.get("expected", stimulus.details.get("answer"))
    known = held if isinstance(held, Mapping) else {}
    right: dict[str, Any] = {}
    for scale, value in known.items():
        among = value if isinstance(value, list) else [value]
        if among:
            right[scale] = chosen(among, [1.0] * len(among), rater.seed, "right", rater.number, stimulus.about, scale)
    return right
