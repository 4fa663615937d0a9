"""Which page does a participant see next?

A participant goes through a fixed sequence of steps, once, forwards. The sequence follows from the survey and the
participant's number and order alone, so the server needs to keep one number: how many steps are done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hengliang.people.tasks.base import Screen, Task

StepKind = Literal["demographics", "instructions", "practice done", "trial", "pause", "end"]


@dataclass(frozen=True, slots=True)
class Presentation:
    """One stimulus in one place of a list."""

    about: str
    role: str = "target"
    block: int = 1
    occurrence: int = 1


@dataclass(frozen=True, slots=True)
class Step:
    """One page: of which kind, and for a trial which (from 1) and which of its screens (from 0)."""

    kind: StepKind
    trial: int = 0
    presentation: Presentation | None = None
    screen: int = 0
    scales: tuple[str, ...] = ()


def steps_of(
    presentations: Sequence[Presentation], task: Task, number: int, *, demographics: bool, pause_every: int
) -> tuple[Step, ...]:
    """Return all pages after consent, the last one being the end.

    Practice comes first, and a page says when it is over. A pause follows every `pause_every` other trials (0: none),
    but not the last one.
    """
    steps: list[Step] = [Step("demographics")] if demographics else []
    steps.append(Step("instructions"))
    screens = task.screens(number)
    practice = [each for each in presentations if each.role == "practice"]
    rest = [each for each in presentations if each.role != "practice"]
    for trial, each in enumerate(practice, 1):
        steps += _trial(trial, each, screens)
    if practice:
        steps.append(Step("practice done"))
    for done, each in enumerate(rest, 1):
        steps += _trial(len(practice) + done, each, screens)
        if pause_every and done % pause_every == 0 and done < len(rest):
            steps.append(Step("pause"))
    steps.append(Step("end"))
    return tuple(steps)


def _trial(trial: int, presentation: Presentation, screens: Sequence[Screen]) -> list[Step]:
    return [Step("trial", trial, presentation, place, screen.scales) for place, screen in enumerate(screens)]
