"""What does one simulated participant say?

A rater is the response model, a seed and a number. Every answer is a pure function of these and of what is asked: the
stimulus, how often it has been shown, and the scale.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from hengliang.core.terms import Language
from hengliang.people.bots.drawing import chosen, happens, logistic_of, lognormal, normal, uniform
from hengliang.people.bots.response_model import ResponseModel
from hengliang.people.tasks.base import Stimulus


@dataclass(frozen=True)
class SimulatedRater:
    """One simulated participant."""

    model: ResponseModel
    seed: int
    number: int

    @cached_property
    def language(self) -> Language:
        """The language that this one chooses."""
        return "zh" if happens(self.model.chinese, self.seed, "language", self.number) else "en"

    @cached_property
    def inattentive(self) -> bool:
        """Whether this one answers at random."""
        return happens(self.model.inattentive, self.seed, "inattentive", self.number)

    def rating(self, scale: str, points: int, stimulus: Stimulus, occurrence: int = 1) -> int:
        """Return a rating from 1 to `points`."""
        if self.inattentive:
            return 1 + int(points * uniform(*self._trial("random", stimulus, occurrence), scale))
        return 1 + bisect_left(self.model.thresholds(scale, points), self.latent(scale, stimulus, occurrence))

    def latent(self, scale: str, stimulus: Stimulus, occurrence: int = 1) -> float:
        """Return how good the stimulus seems to this one, in log-odds."""
        model, seed = self.model, self.seed
        systems = stimulus.systems or ("",)
        by_system = [self._on(scale, seed, "rater by system", self.number, system) for system in systems]
        return (
            model.effect(scale, stimulus.systems)
            + model.rater * self._on(scale, seed, "rater", self.number)
            + model.item * self._on(scale, seed, "item", stimulus.item)
            + model.rater_by_system * sum(by_system) / len(by_system)
            + model.item_by_system * self._on(scale, seed, "item by system", stimulus.about)
            + logistic_of(self._on(scale, *self._trial("rating", stimulus, occurrence)))
        )

    def _on(self, scale: str, *name: object) -> float:
        """Return a normal draw for a scale, correlated with the same draw for other scales."""
        shared = self.model.correlation
        return math.sqrt(shared) * normal(*name) + math.sqrt(1 - shared) * normal(*name, scale)

    def position(self, scale: str, low: float, high: float, stimulus: Stimulus, occurrence: int = 1) -> float:
        """Return a place on a slider: how good the stimulus seems, by its rank among all log-odds."""
        if self.inattentive:
            return low + (high - low) * uniform(*self._trial("random", stimulus, occurrence), scale)
        # Half of all log-odds lie below the middle; 1.8 is about the standard deviation of the logistic part.
        seems = self.latent(scale, stimulus, occurrence) / math.hypot(self.model.spread, 1.8)
        return low + (high - low) * 0.5 * (1 + math.erf(seems / math.sqrt(2)))

    def choice(
        self,
        scale: str,
        options: Sequence[str],
        stimulus: Stimulus,
        occurrence: int = 1,
        systems: Mapping[str, Sequence[str]] | None = None,
    ) -> str:
        """Return one option, each by its weight; one that is the response of systems by their effect, too."""
        weights = [1.0] * len(options)
        if not self.inattentive:
            weights = [self.model.weights.get(option, 1.0) for option in options]
            for place, option in enumerate(options):
                weights[place] *= math.exp(self.model.effect(scale, (systems or {}).get(option, ())))
        if not any(weights):
            weights = [1.0] * len(options)
        return chosen(options, weights, *self._trial("choice", stimulus, occurrence), scale)

    def text(self, scale: str, texts: Sequence[str], stimulus: Stimulus, occurrence: int = 1) -> str:
        """Return one of some texts, all alike."""
        return chosen(texts, [1.0] * len(texts), *self._trial("text", stimulus, occurrence), scale)

    def counts(self, true: Mapping[str, int], stimulus: Stimulus, occurrence: int = 1) -> dict[str, int]:
        """Return how many of each there are, as remembered; all together as many as there are."""
        kinds = list(true)
        remembered = dict.fromkeys(kinds, 0)
        for kind, count in true.items():
            for place in range(count):
                name = (*self._trial("count", stimulus, occurrence), kind, place)
                mistaken = self.inattentive or happens(self.model.noise, *name)
                seen = chosen(kinds, [1.0] * len(kinds), *name, "as") if mistaken else kind
                remembered[seen] += 1
        return remembered

    def reaction(self, stimulus: Stimulus, occurrence: int = 1) -> float:
        """Return the seconds of a speeded response."""
        name = self._trial("reaction", stimulus, occurrence)
        return lognormal(self.model.reaction, self.model.reaction_spread, *name)

    def seconds(self, characters: int, page: object) -> float:
        """Return the seconds on a page with so many characters."""
        model = self.model
        name = (self.seed, "seconds", self.number, page)
        return lognormal(model.start + characters / model.characters, model.time_spread, *name)

    def fails(self, stimulus: Stimulus) -> bool:
        """Return whether this one misses the right answer of a catch item."""
        return self.inattentive or happens(self.model.slip, self.seed, "slip", self.number, stimulus.about)

    def at_a_loss(self, stimulus: Stimulus, occurrence: int = 1) -> bool:
        """Return whether this one does not understand the stimulus."""
        return happens(self.model.not_understood, *self._trial("not understood", stimulus, occurrence))

    def comments(self, stimulus: Stimulus, occurrence: int = 1) -> bool:
        """Return whether this one has something to say about the stimulus."""
        return happens(self.model.comments, *self._trial("comment", stimulus, occurrence))

    def leaves(self, page: object) -> bool:
        """Return whether this one leaves for good, at this page."""
        return happens(self.model.drop_out, self.seed, "leaves", self.number, page)

    def _trial(self, what: str, stimulus: Stimulus, occurrence: int) -> tuple[object, ...]:
        return (self.seed, what, self.number, stimulus.about, occurrence)
