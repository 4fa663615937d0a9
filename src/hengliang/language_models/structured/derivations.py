"""Top-down derivations of trees (OPEN, SHIFT, CLOSE): transition system, session interface, encoded treebanks.

First which steps there are and which are possible when, then what a model must offer so that its analyses can be
searched, then the derivations of a corpus as columns of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.labelling.texts import edges_of
from hengliang.core.text.characters import Offsets
from hengliang.corpora.trees.constituents import CLOSING, Action, Tree, actions_of, tree_of
from hengliang.language_models.scores import Numbers

# --- transition system ------------------------------------------------------------------------------------------------
# Defines the steps that build a tree from the top down.
#
# A sentence and its tree are built together, from left to right [1]: OPEN begins a constituent with a label, SHIFT says
# the next word, CLOSE ends the constituent begun last. The sentence is at its end when the outermost constituent is
# closed. So that there are finitely many trees for a sentence, no more than `chain` constituents may be opened one
# after the other without a word between them, and no more than `depth` may be open at once; a constituent has at least
# one part. Both limits are those of the trees that a model learned from and was tuned on.
#
# A step is coded as a number: 0 is CLOSE, 1 is SHIFT, 2 + k opens a constituent with the k-th label.
#
# [1] Dyer, C., Kuncoro, A., Ballesteros, M., Smith, N. A. (2016). Recurrent neural network grammars. NAACL 2016.

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
    """Return which steps are possible, one row per derivation and one column per step."""
    possible = np.zeros((len(progress.opened), limits.steps), np.bool_)
    begun = progress.opened > 0
    possible[:, CLOSE] = begun & (progress.chain == 0)
    possible[:, SHIFT] = begun
    possible[:, OPEN:] = ((progress.chain < limits.chain) & (progress.opened < limits.depth))[:, None]
    return possible


# --- sessions: what a search asks of a model --------------------------------------------------------------------------
# The interface between the search and a model of sentences and trees.
#
# The search of `hengliang.language_models.structured.beam_search` knows nothing of networks. It holds a session, which
# keeps the states of derivations by number: a state never changes, and several derivations may go on from the same one.
# A session answers two questions about a state (which step comes next, and which word, if it is a SHIFT) and makes new
# states by one step from old ones. Logits of impossible steps are not asked about: the search knows which are possible
# (`allowed`) and takes the softmax over those.

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
        """Return a logit for each step, one row per state; those of steps that are not possible mean nothing."""

    def word_logprobs(self, states: Offsets, words: Offsets) -> Numbers:
        """Return the log-probability of one word in each state, given that the step is a SHIFT."""

    def word_distributions(self, states: Offsets) -> Numbers:
        """Return the log-probabilities of all words in each state, given that the step is a SHIFT."""

    def advance(self, states: Offsets, steps: Offsets, words: Offsets) -> Offsets:
        """Return the states after one step from each of these; `words` is NOTHING where the step is not a SHIFT.

        A state that cannot be made, because a limit of the model is reached, is -1.
        """

    def keep(self, states: Offsets) -> Offsets:
        """Forget all states but these, and what they were made from; return their new numbers, in order."""


# --- derivations of a corpus ------------------------------------------------------------------------------------------
# All derivations of a corpus lie one after the other in columns, one row per step. What a step can be and what stands
# on the stack of open constituents and finished parts when it is taken is found once, before training: which element
# lies below each other on the stack, which parts a CLOSE puts together, and how many constituents deep they are.


BOTTOM = -1
"""What lies below the first element of a stack."""

_SAME = "Give the texts and the trees of the same sentences in the same order."


@dataclass(frozen=True, slots=True, eq=False)
class Derivations:
    """The steps of some trees: those of tree `i` are the rows `offsets[i]:offsets[i + 1]`.

    `words` is the id of the word of a SHIFT, and NOTHING elsewhere.
    """

    steps: Offsets
    words: Offsets
    offsets: Offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Offsets:
        """How many steps each tree has."""
        return np.diff(self.offsets)

    @property
    def firsts(self) -> Offsets:
        """The row of the first step of the tree to which each row belongs."""
        return np.repeat(self.offsets[:-1], self.lengths)

    def progress(self) -> Progress:
        """Return how far each derivation was before each of its steps."""
        opens = self.steps >= OPEN
        change = opens.astype(np.int64) - (self.steps == CLOSE)
        before = np.cumsum(change) - change
        opened = before - before[self.firsts] if len(before) else before
        places = np.arange(len(self.steps))
        # The last row before this one that is not an OPEN, or the row before the first of this tree.
        barred = np.concatenate([[-1], np.maximum.accumulate(np.where(opens, -1, places))])[: len(places)]
        return Progress(opened, places - 1 - np.maximum(barred, self.firsts - 1))


def structure_of(tree: Tree, labels: Mapping[str, int]) -> list[int]:
    """Return the steps of a tree."""
    return [_code(action, labels) for action in actions_of(tree)]


def _code(action: Action, labels: Mapping[str, int]) -> int:
    if action.kind != "open":
        return CLOSE if action.kind == "close" else SHIFT
    if action.name not in labels:
        raise unknown_name("label of a constituent", action.name, labels)
    return OPEN + labels[action.name]


def derivations_of(trees: Sequence[Tree], labels: Mapping[str, int], ids: Offsets, offsets: Offsets) -> Derivations:
    """Return the steps of trees, given the ids of their words; a tree must have as many words as its text."""
    if len(trees) != len(offsets) - 1:
        raise UserError(f"There are {len(trees)} trees and {len(offsets) - 1} texts.", remedy=_SAME)
    structures = [np.array(structure_of(tree, labels), np.int64) for tree in trees]
    steps = np.concatenate([*structures, np.zeros(0, np.int64)])
    edges = edges_of([len(structure) for structure in structures])
    shifts = steps == SHIFT
    counts = np.add.reduceat(shifts, edges[:-1]) if len(trees) else np.zeros(0, np.int64)
    wrong = np.flatnonzero(counts != np.diff(offsets))
    for row in wrong[:1].tolist():
        raise UserError(
            f"Tree {row + 1} has {counts[row]} words and its text {int(np.diff(offsets)[row])}.",
            remedy=_SAME,
        )
    for index in np.flatnonzero((steps[1:] == CLOSE) & (steps[:-1] >= OPEN))[:1].tolist():
        row = int(np.searchsorted(edges, index, side="right"))
        raise UserError(f"Tree {row} has an empty constituent.", valid="A constituent has at least one part.")
    words = np.full(len(steps), NOTHING, np.int64)
    words[shifts] = ids
    return Derivations(steps, words, edges)


def tree_of_steps(steps: Sequence[int], words: Sequence[str], labels: Sequence[str]) -> Tree:
    """Return the tree that these steps build over these words."""
    shifts = sum(step == SHIFT for step in steps)
    if shifts != len(words):
        raise UserError(f"The steps say {shifts} words, and {len(words)} are given.", valid="A word for each SHIFT.")
    waiting = iter(words)
    actions = []
    for step in steps:
        if step >= OPEN:
            actions.append(Action("open", labels[step - OPEN]))
        else:
            actions.append(CLOSING if step == CLOSE else Action("shift", next(waiting)))
    return tree_of(actions)


def limits_of(derivations: Derivations, labels: int) -> Limits:
    """Return the limits within which all these trees lie."""
    after = derivations.progress().after(derivations.steps)
    return Limits(labels, int(after.chain.max(initial=1)), int(after.opened.max(initial=1)))


@dataclass(frozen=True, slots=True, eq=False)
class Stacks:
    """What stands on the stack at each step; every step puts one element on it.

    `below` is the row of the element below this step's, or BOTTOM, counted from the first row of the tree; `depth` is
    how many elements the stack then has. For a CLOSE `opener` is the row of its OPEN, `height` how many CLOSEs deep its
    parts are (1: words only), and its parts are the entries `edges[i]:edges[i + 1]` of `children`, as rows; elsewhere
    they are BOTTOM, 0 and none.
    """

    below: Offsets
    depth: Offsets
    opener: Offsets
    height: Offsets
    children: Offsets
    edges: Offsets


def stacks_of(derivations: Derivations) -> Stacks:
    """Play every derivation through once; all rows are counted within their tree."""
    below, depth, opener, height = (np.zeros(len(derivations.steps), np.int64) for _ in range(4))
    children: list[int] = []
    counts = np.zeros(len(derivations.steps), np.int64)
    for first, last in zip(derivations.offsets[:-1].tolist(), derivations.offsets[1:].tolist(), strict=True):
        stack: list[int] = []
        heights: dict[int, int] = {}
        opened: list[int] = []
        for index, step in enumerate(derivations.steps[first:last].tolist()):
            opener[first + index] = BOTTOM
            if step == CLOSE:
                start = opened.pop()
                parts = stack[start + 1 :]
                heights[index] = height[first + index] = 1 + max(heights.get(part, 0) for part in parts)
                opener[first + index] = stack[start]
                counts[first + index] = len(parts)
                children.extend(parts)
                del stack[start:]
            elif step >= OPEN:
                opened.append(len(stack))
            below[first + index] = stack[-1] if stack else BOTTOM
            stack.append(index)
            depth[first + index] = len(stack)
    return Stacks(below, depth, opener, height, np.array(children, np.int64), edges_of(counts))
