"""What must a model of sentences and trees say, so that its analyses can be searched?

The search of `hengliang.systems.language_models.structured.beam` knows nothing of networks. It holds a session, which
keeps the states of derivations by number: a state never changes, and several derivations may go on from the same one.
A session answers two questions about a state (which step comes next, and which word, if it is a SHIFT) and makes new
states by one step from old ones. Logits of impossible steps are not asked about: the search knows which are possible
(`hengliang.systems.language_models.structured.transitions`) and takes the softmax over those.
"""

from __future__ import annotations

from typing import Protocol

from hengliang.core.text.characters import Offsets
from hengliang.systems.language_models.scores import Numbers
from hengliang.systems.language_models.structured.transitions import Limits

NOTHING = -1
"""The word of a step that is no SHIFT."""


class Session(Protocol):
    """The states of the derivations of one search."""

    @property
    def limits(self) -> Limits:
        """Which steps there are."""

    @property
    def words(self) -> int:
        """How many different words there are: numbers below this are words."""

    def begin(self) -> int:
        """Return the state before the first step."""

    def step_logits(self, states: Offsets) -> Numbers:
        """Return a logit for each step, a row a state; those of steps that are not possible mean nothing."""

    def word_logprobs(self, states: Offsets, words: Offsets) -> Numbers:
        """Return the log-probability of one word in each state, given that the step is a SHIFT."""

    def word_distributions(self, states: Offsets) -> Numbers:
        """Return the log-probabilities of all words in each state, given that the step is a SHIFT."""

    def advance(self, states: Offsets, steps: Offsets, words: Offsets) -> Offsets:
        """Return the states after one step from each of these; `words` is NOTHING where the step is no SHIFT.

        A state that cannot be made, because a limit of the model is reached, is -1.
        """

    def keep(self, states: Offsets) -> Offsets:
        """Forget all states but these, and what they were made from; return their new numbers, in order."""
