"""Which steps build a tree from the top down, and which of them are possible when?

A sentence and its tree are built together, from left to right [1]: OPEN begins a constituent with a label, SHIFT says
the next word, CLOSE ends the constituent begun last. The sentence is at its end when the outermost constituent is
closed. So that there are finitely many trees for a sentence, no more than `chain` constituents may be opened one after
the other without a word between them, and no more than `depth` may be open at once; a constituent has at least one
part. Both limits are those of the trees that a model learned from and was tuned on.

A step is coded as a number: 0 is CLOSE, 1 is SHIFT, 2 + k opens a constituent with the k-th label.

[1] Dyer, C., Kuncoro, A., Ballesteros, M., Smith, N. A. (2016). Recurrent neural network grammars. NAACL 2016.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hengliang.core.text.characters import Offsets

CLOSE, SHIFT, OPEN = 0, 1, 2
"""The codes of the steps; those from OPEN on open a constituent, each with a label of its own."""

Allowed = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Limits:
    """How many labels there are, how many constituents may be opened in a row, and how many may be open at once."""

    labels: int
    chain: int
    depth: int

    @property
    def steps(self) -> int:
        """How many different steps there are."""
        return OPEN + self.labels


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """How far some derivations are: constituents open, and opened since the last word or CLOSE.

    Before its first step a derivation has neither; after its last, too, and it is then no longer asked.
    """

    opened: Offsets
    chain: Offsets

    def take(self, rows: npt.ArrayLike) -> Progress:
        """Return the derivations of these row numbers, in this order."""
        wanted = np.asarray(rows, np.int64)
        return Progress(self.opened[wanted], self.chain[wanted])

    def after(self, steps: Offsets) -> Progress:
        """Return how far each derivation is after its step."""
        opens = steps >= OPEN
        return Progress(self.opened + opens - (steps == CLOSE), np.where(opens, self.chain + 1, 0))


def beginning(count: int) -> Progress:
    """Return so many derivations without any step."""
    return Progress(np.zeros(count, np.int64), np.zeros(count, np.int64))


def allowed(progress: Progress, limits: Limits) -> Allowed:
    """Return which steps are possible, a row a derivation and a column a step."""
    possible = np.zeros((len(progress.opened), limits.steps), np.bool_)
    begun = progress.opened > 0
    possible[:, CLOSE] = begun & (progress.chain == 0)
    possible[:, SHIFT] = begun
    possible[:, OPEN:] = ((progress.chain < limits.chain) & (progress.opened < limits.depth))[:, None]
    return possible
