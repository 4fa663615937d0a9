"""In which order are the stacks of a batch of derivations computed?

The state of a stack depends on its uppermost element and on the state of the stack below it, so stacks of the same
depth are independent of each other, whatever their sentences, and are computed together: a batch takes as many rounds
as its deepest stack has elements. The same holds for constituents of the same height.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hengliang.core.labelling.texts import edges_of, ranges
from hengliang.core.text.characters import Offsets
from hengliang.systems.language_models.structured.derivations import BOTTOM, Derivations, Stacks
from hengliang.systems.language_models.structured.transitions import CLOSE, OPEN, SHIFT


@dataclass(frozen=True, slots=True, eq=False)
class Composed:
    """Constituents of one height, those with most parts first.

    `labels` are theirs; `parts[j]` are the vectors of the j-th parts of all that have one, from the left, and
    `reversed_parts[j]` from the right.
    """

    labels: Offsets
    parts: tuple[Offsets, ...]
    reversed_parts: tuple[Offsets, ...]


@dataclass(frozen=True, slots=True, eq=False)
class StackBatch:
    """A batch by depth and height.

    Vectors are counted so: 0 is the begin, then the words in the order of the text, then the labels of the OPENs, then
    the constituents by height, those with most parts first. `vectors` says which of them is the uppermost element of
    each stack, the empty stack first, then by depth. `below[d]` are the stacks of depth d below those of depth d + 1,
    counted within their depth. `before` is for each step the stack on which it is taken.
    """

    opened: Offsets
    composed: tuple[Composed, ...]
    vectors: Offsets
    below: tuple[Offsets, ...]
    before: Offsets


def stack_batch(derivations: Derivations, stacks: Stacks, rows: Offsets) -> StackBatch:
    """Return the derivations of these trees as a batch."""
    counts = derivations.lengths[rows]
    places = ranges(derivations.offsets[:-1][rows], counts)
    # Rows of a tree are counted from its first; here from the first row of the batch.
    firsts = np.repeat(edges_of(counts)[:-1], counts)
    steps = derivations.steps[places]
    height, depth = stacks.height[places], stacks.depth[places]
    sizes = np.diff(stacks.edges)[places]
    closing = np.flatnonzero(steps == CLOSE)
    closing = closing[np.lexsort((closing, -sizes[closing], height[closing]))]
    vectors = _vectors(steps, closing)
    opener = np.where(stacks.opener[places] == BOTTOM, 0, stacks.opener[places] + firsts)
    composed = []
    for level in range(1, int(height.max(initial=0)) + 1):
        here = closing[height[closing] == level]
        parts = _parts(stacks, places, firsts, here, vectors)
        composed.append(Composed(steps[opener[here]] - OPEN, *parts))
    order = np.argsort(depth, kind="stable")
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(1, len(order) + 1)
    below = np.where(stacks.below[places] == BOTTOM, 0, ranks[np.maximum(stacks.below[places] + firsts, 0)])
    starts = np.concatenate([[0, 1], 1 + np.cumsum(np.bincount(depth, minlength=2)[1:])])
    levels = tuple(
        below[order[starts[level] - 1 : starts[level + 1] - 1]] - starts[level - 1]
        for level in range(1, len(starts) - 1)
    )
    before = np.concatenate([[0], ranks])[np.where(np.arange(len(steps)) == firsts, 0, np.arange(len(steps)))]
    return StackBatch(
        steps[steps >= OPEN] - OPEN, tuple(composed), np.concatenate([[0], vectors[order]]), levels, before
    )


def _vectors(steps: Offsets, closing: Offsets) -> Offsets:
    """Return the number of the vector that each step puts on the stack; `closing` are the CLOSEs in their order."""
    words, opens = steps == SHIFT, steps >= OPEN
    vectors = np.zeros(len(steps), np.int64)
    vectors[words] = 1 + np.arange(words.sum())
    vectors[opens] = 1 + words.sum() + np.arange(opens.sum())
    vectors[closing] = 1 + words.sum() + opens.sum() + np.arange(len(closing))
    return vectors


def _parts(
    stacks: Stacks, places: Offsets, firsts: Offsets, closing: Offsets, vectors: Offsets
) -> tuple[tuple[Offsets, ...], tuple[Offsets, ...]]:
    """Return the vectors of the parts of constituents, from the left and from the right."""
    starts, ends = stacks.edges[:-1][places[closing]], stacks.edges[1:][places[closing]]
    base = firsts[closing]
    from_left, from_right = [], []
    for place in range(int((ends - starts).max())):
        having = int((ends - starts > place).sum())
        from_left.append(vectors[stacks.children[starts[:having] + place] + base[:having]])
        from_right.append(vectors[stacks.children[ends[:having] - 1 - place] + base[:having]])
    return tuple(from_left), tuple(from_right)
