"""What is a participant asked to do with one stimulus, and what does a right answer look like?

A task is a frozen record of typed parameters. It says which scales it answers (the output columns), which screens a
stimulus takes, what a screen shows, and what a submitted form means. It keeps nothing and knows nothing of pages,
sessions or storage: the same form gives the same answers, and a wrong one the same problems, on any machine.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import polars as pl

from hengliang.core.records import Span, Status
from hengliang.core.terms import Bilingual, Language
from hengliang.experiments import Scale

NOT_UNDERSTOOD = "not understood"
"""The reason of a missing answer whose participant ticked "I did not understand this"."""


@dataclass(frozen=True, slots=True)
class Stimulus:
    """One thing that is shown: a row of the stimulus table."""

    about: str
    item: str
    text: str
    spans: tuple[Span, ...] = ()
    systems: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


def stimuli_of(frame: pl.DataFrame) -> dict[str, Stimulus]:
    """Return the stimuli of a table by what they are about."""
    return {
        row["about"]: Stimulus(
            row["about"],
            row["item"],
            row["text"],
            tuple(Span(**span) for span in row["spans"] or ()),
            tuple(row["systems"] or ()),
            json.loads(row["details"] or "{}"),
        )
        for row in frame.iter_rows(named=True)
    }


@dataclass(frozen=True, slots=True)
class Screen:
    """One page of a trial: the scales it asks about, in the order in which they stand there."""

    scales: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """One answer on one scale; a missing one (`status` missing) has a reason."""

    scale: str
    value: float | None = None
    label: str | None = None
    status: Status = "ok"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a submitted form: which field, and what to say to the participant."""

    field: str
    message: Bilingual


@dataclass(frozen=True, slots=True)
class Reading:
    """What a form means: an answer for each scale of the screen, or problems and no answers."""

    given: tuple[Given, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """One output of a task, as a codebook says it: where the answer stands, and what it means."""

    scale: str
    kind: str
    """`value` (a number) or `label` (a text)."""
    meaning: Bilingual


class Task(ABC):
    """What one trial asks. Subclasses are frozen dataclasses of JSON values, Bilingual, Scale or tuples of these."""

    name: ClassVar[str]
    template: ClassVar[str]
    """The file under `pages/templates/tasks/` that shows a screen; it is given what `shown` returns."""
    needs_script: ClassVar[bool] = False
    """Whether the task is impossible in a browser without JavaScript."""
    shows_text: ClassVar[bool] = False
    """Whether the template shows the stimulus's text itself; else the page shows it above."""

    def fault(self) -> str | None:
        """Return why these parameters make no task, or nothing."""
        return None

    @abstractmethod
    def scales(self) -> tuple[Scale, ...]:
        """Return every scale that a trial answers."""

    @abstractmethod
    def columns(self) -> tuple[Column, ...]:
        """Return what the answers mean, one entry a scale."""

    @abstractmethod
    def check(self, stimulus: Stimulus) -> str | None:
        """Return why the stimulus cannot be shown by this task, or nothing."""

    @abstractmethod
    def shown(self, stimulus: Stimulus, screen: Screen, language: Language, number: int) -> dict[str, Any]:
        """Return what the template shows; `number` is the participant's number, from which orders follow."""

    @abstractmethod
    def read(self, form: Mapping[str, str], stimulus: Stimulus, screen: Screen) -> Reading:
        """Return what the submitted fields mean. Never raises: every wrong form is a problem with words for it.

        Field names are `answer-SCALE` for a scale (tasks may add their own with the prefix `detail-`). The page itself
        handles `not-understood` and `comment` before the task sees the form.
        """

    def screens(self, number: int) -> tuple[Screen, ...]:
        """Return the pages of a trial for the participant with this number; one page unless a task says otherwise."""
        return (Screen(tuple(scale.name for scale in self.scales())),)

    def parameters(self) -> dict[str, Any]:
        """Return the parameters as plain JSON, from which `task_of` makes the same task."""
        return asdict(self)  # type: ignore[call-overload,no-any-return]
