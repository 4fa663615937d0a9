"""Recurrent neural network grammar (RNNG): stack LSTM with composition, batches of stacks, states for the search.

The chapter goes from the order of computation in a batch to the network and to the stacks of a search. The state of a
stack depends on its uppermost element and on the state of the stack below it, so stacks of the same depth are
independent of each other, whatever their sentences, and are computed together: a batch takes as many rounds as its
deepest stack has elements. The same holds for constituents of the same height.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from hengliang.core.labelling.texts import edges_of, ranges
from hengliang.core.text.characters import Offsets
from hengliang.language_models.scores import Numbers
from hengliang.language_models.structured.architectures import StructuredArchitecture
from hengliang.language_models.structured.derivations import (
    BOTTOM,
    CLOSE,
    OPEN,
    SHIFT,
    Derivations,
    Limits,
    Session,
    Stacks,
)
from hengliang.language_models.structured.networks import Heads, Lesson, StructuredNetwork, in_blocks

# --- batches of stacks ------------------------------------------------------------------------------------------------


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
    for position in range(int((ends - starts).max())):
        having = int((ends - starts > position).sum())
        from_left.append(vectors[stacks.children[starts[:having] + position] + base[:having]])
        from_right.append(vectors[stacks.children[ends[:having] - 1 - position] + base[:having]])
    return tuple(from_left), tuple(from_right)


# --- the network ------------------------------------------------------------------------------------------------------
# An LSTM runs along the stack of open constituents, words and finished constituents [1]: each element adds to the state
# of the stack below it. When a constituent is closed, its parts and its label are read from both sides by a second LSTM
# and become one vector, which replaces them on the stack. The state of the stack alone predicts the next step [2].
#
# [1] Dyer, C., Kuncoro, A., Ballesteros, M., Smith, N. A. (2016). Recurrent neural network grammars. NAACL 2016.
# [2] Kuncoro, A., Ballesteros, M., Kong, L., Dyer, C., Neubig, G., Smith, N. A. (2017). What do recurrent neural
#     network grammars learn about syntax? EACL 2017.


class StackNetwork(StructuredNetwork):
    """A recurrent neural network grammar with a stack LSTM and composition from both sides."""

    def __init__(self, architecture: StructuredArchitecture, dropout: float) -> None:
        super().__init__(architecture, dropout)
        width, labels = architecture.width, len(architecture.labels)
        self.opens = nn.Embedding(labels, width)
        self.closes = nn.Embedding(labels, width)
        self.stack = nn.ModuleList(Cell(width, width) for _ in range(architecture.layers))
        self.from_left = Cell(width, width // 2)
        self.from_right = Cell(width, width // 2)
        self.joined = nn.Linear(width, width)
        for table in (self.opens, self.closes):
            nn.init.normal_(table.weight, std=0.05)

    def features(self, lesson: Lesson, words: Tensor) -> Tensor:
        """Return the state of the stack before each step, from the vectors of the words."""
        batch: StackBatch = lesson.body
        opened = self.opens(torch.from_numpy(batch.opened))
        vectors = self.dropout(torch.cat([self.begin[None], words, opened]))
        for constituents in batch.composed:
            vectors = torch.cat([vectors, self.compose_all(vectors, constituents)])
        states: Tensor = vectors[torch.from_numpy(batch.vectors)]
        for layer in self.stack:
            states = self.dropout(_along(cast(Cell, layer), states, batch.below))
        return states[torch.from_numpy(batch.before)]

    def compose_all(self, vectors: Tensor, constituents: Composed) -> Tensor:
        """Return the vectors of the constituents of one height."""
        labels = self.closes(torch.from_numpy(constituents.labels))
        left = _read(self.from_left, vectors, labels, constituents.parts)
        right = _read(self.from_right, vectors, labels, constituents.reversed_parts)
        return self.compose(left, right)

    def compose(self, left: Tensor, right: Tensor) -> Tensor:
        """Return the vector of a constituent that was read from both sides."""
        composed: Tensor = torch.tanh(self.joined(torch.cat([left, right], 1)))
        return composed

    def session(self) -> Session:
        """Return a session for a search."""

        return StackSession(self)


class Cell(nn.Module):
    """One step of an LSTM, its inputs and its former state apart: those of many steps are multiplied at once."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.inputs = nn.Linear(inputs, 4 * width)
        self.former = nn.Linear(width, 4 * width, bias=False)
        self.width = width
        for weight in (self.inputs.weight, self.former.weight):
            nn.init.uniform_(weight, -(width**-0.5), width**-0.5)
        nn.init.zeros_(self.inputs.bias)
        # A cell that forgets at first learns nothing from afar.
        nn.init.ones_(self.inputs.bias[width : 2 * width])

    def first(self, gates: Tensor) -> tuple[Tensor, Tensor]:
        """Return the states after an input, without a state before it."""
        entry, _, candidate, exit_gate = gates.float().chunk(4, 1)
        memory = torch.sigmoid(entry) * torch.tanh(candidate)
        return torch.sigmoid(exit_gate) * torch.tanh(memory), memory

    def forward(self, gates: Tensor, output: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Return the states after an input, given as what it adds to the gates, from the states before it."""
        entry, keep, candidate, exit_gate = (gates + self.former(output)).float().chunk(4, 1)
        memory = torch.sigmoid(keep) * memory + torch.sigmoid(entry) * torch.tanh(candidate)
        return torch.sigmoid(exit_gate) * torch.tanh(memory), memory


def _along(cell: Cell, inputs: Tensor, below: Sequence[Offsets]) -> Tensor:
    """Return the states of all stacks, the empty one first, then by depth."""
    gates = cell.inputs(inputs)
    output, memory = cell.first(gates[:1])
    outputs, first = [output], 1
    for level in below:
        under = torch.from_numpy(level)
        output, memory = cell(gates[first : first + len(level)], output[under], memory[under])
        outputs.append(output)
        first += len(level)
    return torch.cat(outputs)


def _read(cell: Cell, vectors: Tensor, labels: Tensor, parts: Sequence[Offsets]) -> Tensor:
    """Return the last states of sequences that begin with a label; the longest sequences come first."""
    sizes = [len(part) for part in parts]
    places = torch.cat([torch.from_numpy(part) for part in parts])
    gates = cell.inputs(torch.cat([labels, vectors[places]]))
    output, memory = cell.first(gates[: len(labels)])
    ended, first = [], len(labels)
    for size in sizes:
        ended.append(output[size:])
        output, memory = cell(gates[first : first + size], output[:size], memory[:size])
        first += size
    return torch.cat([output, *reversed(ended)])


# --- stacks of a search -----------------------------------------------------------------------------------------------
# Answers a search for many stacks at a time. Every state is a stack, kept as its uppermost element and the number of
# the stack below, so that hypotheses share what they have in common.

_NO_LABEL = -1


class StackSession:
    """The stacks of one search.

    `below` and `label` say of each stack which stack lies under its uppermost element, and the label of that element
    where it is an open constituent. `parts` counts the finished parts above the innermost open constituent.
    """

    def __init__(self, network: StackNetwork) -> None:
        self.network = network
        self.heads = Heads(network)
        layers, width = network.architecture.layers, network.architecture.width
        self.below = np.zeros(0, np.int64)
        self.label = np.zeros(0, np.int64)
        self.parts = np.zeros(0, np.int64)
        self.vectors = torch.zeros(0, width)
        self.outputs = torch.zeros(0, layers, width)
        self.memories = torch.zeros(0, layers, width)

    @property
    def limits(self) -> Limits:
        """Which steps there are."""
        return self.network.architecture.limits

    @property
    def words(self) -> int:
        """How many symbols there are."""
        return self.network.architecture.symbols

    def begin(self) -> int:
        """Return the empty stack."""
        with torch.inference_mode():
            nothing = torch.zeros(1, *self.outputs.shape[1:])
            states = self._pushed(self.network.begin[None].detach(), nothing, nothing)
        return int(self._added(self.network.begin[None].detach(), *states, [_NO_LABEL], [_NO_LABEL], [0])[0])

    def step_logits(self, states: Offsets) -> Numbers:
        """Return a logit for each step."""
        with torch.inference_mode():
            return self.heads.step_logits(self._features(states))

    def word_logprobs(self, states: Offsets, words: Offsets) -> Numbers:
        """Return the log-probability of one word on each stack."""
        with torch.inference_mode():
            return self.heads.word_logprobs(self._features(states), words)

    def word_distributions(self, states: Offsets) -> Numbers:
        """Return the log-probabilities of all words on each stack."""
        with torch.inference_mode():
            return self.heads.word_distributions(self._features(states))

    def _features(self, states: Offsets) -> Tensor:
        return self.outputs[torch.from_numpy(states), -1]

    def advance(self, states: Offsets, steps: Offsets, words: Offsets) -> Offsets:
        """Return the stacks after one step each."""
        if not len(states):
            return np.zeros(0, np.int64)
        with torch.inference_mode():
            vectors = torch.empty(len(states), self.vectors.shape[1])
            under, parts = states.copy(), self.parts[states] + 1
            shifts, opens, closes = (np.flatnonzero(kind) for kind in (steps == SHIFT, steps >= OPEN, steps == CLOSE))
            vectors[shifts] = self.network.embedding(torch.from_numpy(words[shifts]))
            vectors[opens] = self.network.opens(torch.from_numpy(steps[opens] - OPEN))
            parts[opens] = 0
            if len(closes):
                vectors[closes], openers = self._composed(states[closes])
                under[closes] = self.below[openers]
                # The new constituent is one more part of the one around it, which lies under the OPEN.
                parts[closes] = self.parts[under[closes]] + 1
            below = torch.from_numpy(under)
            outputs, memories = self._pushed(vectors, self.outputs[below], self.memories[below])
        labels = np.full(len(states), _NO_LABEL)
        labels[opens] = steps[opens] - OPEN
        return self._added(vectors, outputs, memories, under, labels, parts)

    def _composed(self, states: Offsets) -> tuple[Tensor, Offsets]:
        """Return the vectors of the innermost open constituents of these stacks, closed, and where they were opened."""
        counts = self.parts[states]
        order = np.argsort(-counts, kind="stable")
        places, counts = states[order], counts[order]
        # One row per part, the last part first; a stack with fewer parts ends earlier.
        rows, here = [], places
        for position in range(int(counts[0])):
            having = int((counts > position).sum())
            rows.append(here[:having])
            here = np.concatenate([self.below[here[:having]], here[having:]])
        labels = self.network.closes(torch.from_numpy(self.label[here]))
        right = self._read(self.network.from_right, labels, rows)
        left = self._read(self.network.from_left, labels, _turned(rows, counts))
        composed = torch.empty(len(states), self.vectors.shape[1])
        composed[order] = in_blocks(self._joined, torch.cat([left, right], 1))
        openers = np.empty(len(states), np.int64)
        openers[order] = here
        return composed, openers

    def _joined(self, both: Tensor) -> Tensor:
        left, right = both.chunk(2, 1)
        return self.network.compose(left, right)

    def _read(self, cell: Cell, labels: Tensor, rows: list[Offsets]) -> Tensor:
        output, memory = cell.first(in_blocks(cell.inputs, labels))
        for row in rows:
            size = len(row)
            new, new_memory = _stepped(cell, self.vectors[torch.from_numpy(row)], output[:size], memory[:size])
            output, memory = torch.cat([new, output[size:]]), torch.cat([new_memory, memory[size:]])
        return output

    def _pushed(self, inputs: Tensor, outputs: Tensor, memories: Tensor) -> tuple[Tensor, Tensor]:
        """Return the states of all layers after one element more."""
        layers = []
        for layer, cell in enumerate(self.network.stack):
            inputs, memory = _stepped(cell, inputs, outputs[:, layer], memories[:, layer])  # type: ignore[arg-type]
            layers.append((inputs, memory))
        return torch.stack([output for output, _ in layers], 1), torch.stack([memory for _, memory in layers], 1)

    def _added(self, vectors: Tensor, outputs: Tensor, memories: Tensor, *facts: object) -> Offsets:
        first = len(self.below)
        self.vectors = torch.cat([self.vectors, vectors])
        self.outputs = torch.cat([self.outputs, outputs])
        self.memories = torch.cat([self.memories, memories])
        for name, values in zip(("below", "label", "parts"), facts, strict=True):
            setattr(self, name, np.concatenate([getattr(self, name), np.asarray(values, np.int64)]))
        return np.arange(first, len(self.below))

    def keep(self, states: Offsets) -> Offsets:
        """Forget all stacks but these and those below them."""
        needed = np.zeros(len(self.below), np.bool_)
        here = np.unique(states)
        while len(here):
            here = here[~needed[here]]
            needed[here] = True
            here = np.unique(self.below[here][self.below[here] >= 0])
        kept = np.flatnonzero(needed)
        numbers = np.cumsum(needed) - 1
        below = self.below[kept]
        self.below = np.where(below >= 0, numbers[np.maximum(below, 0)], below)
        self.label, self.parts = self.label[kept], self.parts[kept]
        rows = torch.from_numpy(kept)
        self.vectors, self.outputs, self.memories = self.vectors[rows], self.outputs[rows], self.memories[rows]
        new_numbers: Offsets = numbers[states]
        return new_numbers


def _turned(rows: list[Offsets], counts: Offsets) -> list[Offsets]:
    """Return the parts of constituents from the other side."""
    table = np.zeros((len(rows), len(counts)), np.int64)
    for position, row in enumerate(rows):
        table[position, : len(row)] = row
    columns = np.arange(len(counts))
    return [table[(counts - 1 - position)[: len(row)], columns[: len(row)]] for position, row in enumerate(rows)]


def _stepped(cell: Cell, inputs: Tensor, outputs: Tensor, memories: Tensor) -> tuple[Tensor, Tensor]:
    """Return an LSTM's states after these inputs, in blocks of one size."""
    size = inputs.shape[1]
    width = cell.width

    def step(block: Tensor) -> Tensor:
        read, output, memory = torch.split(block, [size, width, width], 1)
        return torch.cat(cell(cell.inputs(read), output, memory), 1)

    both = in_blocks(step, torch.cat([inputs, outputs, memories], 1))
    return both[:, :width], both[:, width:]
