"""What does a survey show, to whom, in which order?

A `Survey` is an experiment folder ready to be served: the experiment, its task, its settings and its design. It is read
once and never changes while it is served. What follows for one participant (the order, the steps, what is highlighted)
is a pure function of it and of the few facts that the database keeps about the participant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from hengliang.core.errors import UserError
from hengliang.core.io.files import read_json, write_json
from hengliang.core.settings import settings_from, to_json
from hengliang.core.signature import digest
from hengliang.experiments import Experiment, read_experiment
from hengliang.people.sessions.settings import Settings, read_settings, write_settings
from hengliang.people.sessions.steps import Presentation, Step, steps_of
from hengliang.people.tasks.base import Stimulus, Task, stimuli_of
from hengliang.people.tasks.library import task_of

FILE = "survey.json"
FORMAT = 1
EVERYBODY = "1"
"""The one list of an experiment that is not divided into versions."""


@dataclass(frozen=True, slots=True)
class Design:
    """What was decided about lists and orders, with the proof that the lists keep the constraints."""

    lists: str = "clusters"
    """`clusters` (all variants of an item in one list), `latin` (one of them), or `allocated`: each stimulus is in as
    many lists as the plan has raters of an item, and a list is one participant's."""
    distance: int = 2
    """Two variants of an item are at least so many places apart; 1 asks for nothing, 2 says: not adjacent."""
    repeat_distance: int = 10
    """A repeat comes at least so many places after its first showing."""
    uneven: bool = False
    """Whether lists may differ in size by more than one."""
    order: str = "participant"
    """Every `participant` gets an order of their own, or all of a `version` the same."""
    seed: int = 1
    proof: str = ""
    """What was checked of every list, as one line, and a digest of the lists it is about."""


@dataclass(frozen=True)
class Survey:
    """An experiment with all that is needed to serve it."""

    folder: Path
    experiment: Experiment
    task: Task
    design: Design
    settings: Settings

    @cached_property
    def stimuli(self) -> dict[str, Stimulus]:
        """All stimuli by what they are about."""
        return stimuli_of(self.experiment.stimuli)

    @cached_property
    def lists(self) -> dict[str, tuple[Presentation, ...]]:
        """Every list: its presentations in the order of the design."""
        if not self.experiment.versions.height:
            return {EVERYBODY: tuple(Presentation(about) for about in self.experiment.stimuli["about"])}
        found: dict[str, list[Presentation]] = {}
        for row in self.experiment.versions.sort("version", "position").iter_rows(named=True):
            shown = Presentation(row["about"], row["role"], row["block"], row["occurrence"])
            found.setdefault(row["version"], []).append(shown)
        return {version: tuple(rows) for version, rows in found.items()}

    @cached_property
    def digest(self) -> str:
        """What is served, in one word: a database belongs to one design only."""
        rows = (repr((version, shown)) for version, shown in self.lists.items())
        texts = (repr(stimulus) for stimulus in self.stimuli.values())
        return digest(*rows, *texts, self.task.name, repr(self.task), repr(self.design))[:32]

    @property
    def course(self) -> str:
        """The settings on which the sequence of pages and what stands out on them depend, as one line."""
        settings = self.settings
        asked = "asked" if settings.demographics else "not asked"
        return f"pause_every = {settings.pause_every}, demographics {asked}, highlight = {settings.highlight}"

    def presentations(self, version: str, order: Sequence[int]) -> tuple[Presentation, ...]:
        """Return what a participant sees: the rows of the list in the participant's own order."""
        rows = self.lists[version]
        return tuple(rows[place] for place in order)

    def steps(self, version: str, order: Sequence[int], number: int) -> tuple[Step, ...]:
        """Return all pages of a participant after consent."""
        return steps_of(
            self.presentations(version, order),
            self.task,
            number,
            demographics=bool(self.settings.demographics),
            pause_every=self.settings.pause_every,
        )

    def highlighted(self, number: int, about: str) -> bool:
        """Return whether the target words of a stimulus stand out for the participant with this number.

        A stimulus that is shown again looks as it did the first time.
        """
        way = self.settings.highlight
        if way not in ("participant", "item"):
            return way == "on"
        # Pairs, because the order of statements already alternates from one participant to the next. Orders that come
        # round every 4, 8, 12 … participants would meet the same half of the pairs for ever, so that half changes.
        half = number // 2 + (number // self._orders if self._orders % 4 == 0 else 0)
        return (half if way == "participant" else half + self._places.get(about, 0)) % 2 == 0

    @cached_property
    def _places(self) -> dict[str, int]:
        """The place of every stimulus in the table; variants of an item stand side by side there."""
        return {about: place for place, about in enumerate(self.stimuli)}

    @cached_property
    def _orders(self) -> int:
        """In how many orders statements are shown; they come round after so many participants."""
        scales = len(self.task.scales())
        return len({self.task.screens(number) for number in range(2 * scales)})


@dataclass(frozen=True, slots=True)
class _NamedTask:
    """A task as its file says it."""

    name: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Described:
    """What `survey.json` holds."""

    format: int
    task: _NamedTask
    design: Design


def write_survey(folder: Path, task: Task, design: Design, settings: Settings) -> None:
    """Write what makes an experiment folder a survey: `survey.json`, and `survey.toml` unless it is there."""
    write_settings(folder, settings)
    described = _Described(FORMAT, _NamedTask(task.name, task.parameters()), design)
    write_json(folder / FILE, to_json(described))


def read_survey(folder: Path) -> Survey:
    """Read a folder that `hengliang survey design` wrote, and check that its task can show every stimulus."""
    experiment = read_experiment(folder)
    file = folder / FILE
    if not file.exists():
        raise UserError(
            f"{folder} holds an experiment, but no survey yet.", remedy=f"hengliang survey design {folder} --out NEW"
        )
    held = read_json(file)
    if not isinstance(held, dict) or held.get("format") != FORMAT:
        raise UserError(f"{file} is not a survey of format {FORMAT}.", remedy="Design the survey anew.")
    described = settings_from(_Described, held, str(file), remedy="Design the survey anew.", passed_over=tuple(held))
    task, design = task_of(described.task.name, described.task.parameters), described.design
    survey = Survey(folder, experiment, task, design, read_settings(folder))
    for stimulus in survey.stimuli.values():
        fault = task.check(stimulus)
        if fault:
            raise UserError(f"The task '{task.name}' cannot show '{stimulus.about}': {fault}.")
    return survey
