"""What is known about an experiment with people once it is over?

Everything that a methods section or a datasheet asks for and that follows from the folder and the database. What does
not follow is None or empty: it is for the researchers to say, never for us to guess.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import mean, median, stdev

import polars as pl

from hengliang.experiments import Experiment
from hengliang.people.collected.answers import Collected
from hengliang.people.collected.frames import ages, details_of
from hengliang.people.collected.reading import with_answers
from hengliang.people.sessions.demographics import OTHER, QUESTIONS
from hengliang.people.sessions.survey import Survey


@dataclass(frozen=True, slots=True)
class Ages:
    """The ages of those who told theirs."""

    n: int
    mean: float
    deviation: float | None
    youngest: int
    oldest: int


@dataclass(frozen=True)
class StudyFacts:
    """A survey and, once somebody has taken part, what was collected."""

    survey: Survey
    held: Collected | None = None

    @property
    def simulated(self) -> bool:
        """Whether programs answered."""
        return self.held.kind == "simulated" if self.held else self.survey.experiment.simulated

    @cached_property
    def experiment(self) -> Experiment:
        """The experiment with the answers there are."""
        return (
            with_answers(self.survey.experiment, self.held, self.survey.folder) if self.held else self.survey.experiment
        )

    @cached_property
    def roles(self) -> Mapping[str, int]:
        """How many distinct stimuli there are of each role."""
        shown = {(each.role, each.about) for rows in self.survey.lists.values() for each in rows}
        return Counter(role for role, _ in shown)

    @cached_property
    def n_items(self) -> int:
        """How many items the targets are variants of."""
        targets = {each.about for rows in self.survey.lists.values() for each in rows if each.role == "target"}
        return self.survey.experiment.stimuli.filter(pl.col("about").is_in(list(targets)))["item"].n_unique()

    @cached_property
    def list_sizes(self) -> tuple[int, ...]:
        """How many presentations each list has."""
        return tuple(len(rows) for rows in self.survey.lists.values())

    @cached_property
    def blocks(self) -> int:
        """How many blocks a list has, of which one comes after the other."""
        rows = [each for rows in self.survey.lists.values() for each in rows if each.role != "practice"]
        return len({each.block for each in rows})

    @cached_property
    def shows_variants(self) -> bool:
        """Whether somebody sees an item more than once, as variants or repeats."""
        items = {about: stimulus.item for about, stimulus in self.survey.stimuli.items()}
        return any(len({items[each.about] for each in rows}) < len(rows) for rows in self.survey.lists.values())

    @cached_property
    def has_targets(self) -> bool:
        """Whether a text has a word that can stand out."""
        return any(stimulus.spans for stimulus in self.survey.stimuli.values())

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems whose responses were shown, in the order of the stimuli."""
        given = self.survey.experiment.stimuli["systems"].explode().drop_nulls()
        return tuple(given.unique(maintain_order=True).to_list())

    def state(self, name: str) -> int:
        """Return how many participants are in a state."""
        return self.held.states.get(name, 0) if self.held else 0

    @property
    def began(self) -> int:
        """How many participants gave consent."""
        return sum(self.held.states.values()) if self.held else 0

    @cached_property
    def ages(self) -> Ages | None:
        """The ages, where somebody told one."""
        told = ages(self.held.details) if self.held else []
        if not told:
            return None
        return Ages(len(told), mean(told), stdev(told) if len(told) > 1 else None, min(told), max(told))

    def told(self, question: str) -> dict[str, int]:
        """Return how often each answer was given to a question about oneself, the most frequent first."""
        if self.held is None or not self.held.details.height:
            return {}
        choices = [value for value, _ in QUESTIONS[question].options]
        given = details_of(self.held.details)[question].drop_nulls().to_list()
        if choices:
            # What somebody typed in place of a choice can point to them, and stays in the database.
            given = [each if each in choices else OTHER for each in given]
        return dict(sorted(Counter(given).items(), key=lambda pair: (-pair[1], pair[0])))

    @cached_property
    def languages(self) -> dict[str, int]:
        """How many participants answered in each language."""
        given = self.held.participants["language"].to_list() if self.held else []
        return dict(sorted(Counter(given).items()))

    @cached_property
    def minutes(self) -> float | None:
        """The median time from consent to the end, in minutes, of those who finished."""
        if self.held is None:
            return None
        done = self.held.participants.filter(pl.col("status") == "finished").drop_nulls("ended")
        # A server's clock that was set back in between leaves the time unknown.
        taken = [seconds for seconds in (done["ended"] - done["consented"]).to_list() if seconds >= 0]
        return median(taken) / 60 if taken else None

    @cached_property
    def raters(self) -> tuple[int, float, int] | None:
        """How many participants answered about a target: the least, the median, the most; nobody counts as 0."""
        targets = {each.about for rows in self.survey.lists.values() for each in rows if each.role == "target"}
        answered = self.experiment.answers.filter(role="target", status="ok")
        if not answered.height:
            return None
        counted = dict(answered.group_by("about").agg(pl.col("participant").n_unique()).iter_rows())
        counts = [counted.get(about, 0) for about in targets]
        return min(counts), median(counts), max(counts)

    @property
    def consents(self) -> tuple[str, ...]:
        """The versions of the consent text that participants agreed to; before there are any, the one of the survey."""
        given = self.held.participants["consent"].to_list() if self.held else []
        return tuple(sorted({each.partition(":")[0] for each in given or [self.survey.settings.consent_seal]}))
