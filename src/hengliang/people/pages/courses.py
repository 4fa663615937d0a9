"""Where in the whole course of pages is a participant?"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from hengliang.people.sessions.steps import Step
from hengliang.people.sessions.survey import Survey
from hengliang.people.storage.participants import Participant

REMEMBERED = 1024
"""For how many participants the pages are remembered; they can be worked out again at any time."""


@dataclass(frozen=True, slots=True)
class Course:
    """All pages of one participant, how many items are on them, and how many for practice come before."""

    steps: tuple[Step, ...]
    items: int
    practice: int

    def done_before(self, place: int) -> int:
        """Return how many items are finished when the page at `place` is the current one; practice does not count."""
        step = self.steps[place]
        earlier = (each.trial for each in reversed(self.steps[:place]) if each.kind == "trial")
        finished = step.trial - 1 if step.kind == "trial" else next(earlier, 0)
        return max(finished - self.practice, 0)


class Openings:
    """Since when a page is a participant's current one, by a clock that nobody sets; in memory alone.

    What it does not know (after a restart, or of one of very many participants) the times in the database tell, as well
    as the clock on the wall allows.
    """

    def __init__(self, remembered: int = 10_000) -> None:
        self.remembered = remembered
        self._since: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def begin(self, participant: str, step: int, now: float) -> None:
        """Remember that a page is now the current one; one that already was stays as it is."""
        if self._since.get(participant, (None,))[0] == step:
            return
        self._since[participant] = step, now
        self._since.move_to_end(participant)
        while len(self._since) > self.remembered:
            self._since.popitem(last=False)

    def seconds(self, participant: str, step: int, now: float) -> float | None:
        """Return for how long the page has been the current one, if that is known."""
        held, since = self._since.get(participant, (None, 0.0))
        return now - since if held == step else None


CourseOf = Callable[[Participant], Course]
"""Gives the course of a participant."""


def courses_of(survey: Survey) -> CourseOf:
    """Return a function that gives participants' courses and remembers the latest."""

    @lru_cache(maxsize=REMEMBERED)
    def course(version: str, order: tuple[int, ...], number: int) -> Course:
        steps = survey.steps(version, order, number)
        trials = {step.trial: step.presentation for step in steps if step.kind == "trial"}
        practice = sum(1 for shown in trials.values() if shown is not None and shown.role == "practice")
        return Course(steps, len(trials) - practice, practice)

    def course_of(participant: Participant) -> Course:
        return course(participant.version, participant.order, participant.number)

    return course_of
