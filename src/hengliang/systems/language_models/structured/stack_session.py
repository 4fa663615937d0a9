"""How does a recurrent network grammar answer a search, many stacks at a time?

Every state is a stack, kept as its uppermost element and the number of the stack below, so that hypotheses share what
they have in common.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from hengliang.core.text.characters import Offsets
from hengliang.systems.language_models.scores import Numbers
from hengliang.systems.language_models.structured.networks import Heads, in_blocks
from hengliang.systems.language_models.structured.transitions import CLOSE, OPEN, SHIFT, Limits

if TYPE_CHECKING:
    from hengliang.systems.language_models.structured.stack_network import Cell, StackNetwork

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
        # One row a part, the last part first; a stack with fewer parts ends earlier.
        rows, here = [], places
        for place in range(int(counts[0])):
            having = int((counts > place).sum())
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
            new, held = _stepped(cell, self.vectors[torch.from_numpy(row)], output[:size], memory[:size])
            output, memory = torch.cat([new, output[size:]]), torch.cat([held, memory[size:]])
        return output

    def _pushed(self, inputs: Tensor, outputs: Tensor, memories: Tensor) -> tuple[Tensor, Tensor]:
        """Return the states of all layers after one element more."""
        found = []
        for layer, cell in enumerate(self.network.stack):
            inputs, memory = _stepped(cell, inputs, outputs[:, layer], memories[:, layer])  # type: ignore[arg-type]
            found.append((inputs, memory))
        return torch.stack([output for output, _ in found], 1), torch.stack([memory for _, memory in found], 1)

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
        found: Offsets = numbers[states]
        return found


def _turned(rows: list[Offsets], counts: Offsets) -> list[Offsets]:
    """Return the parts of constituents from the other side."""
    table = np.zeros((len(rows), len(counts)), np.int64)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    columns = np.arange(len(counts))
    return [table[(counts - 1 - place)[: len(row)], columns[: len(row)]] for place, row in enumerate(rows)]


def _stepped(cell: Cell, inputs: Tensor, outputs: Tensor, memories: Tensor) -> tuple[Tensor, Tensor]:
    """Return an LSTM's states after these inputs, in blocks of one size."""
    size = inputs.shape[1]
    width = cell.width

    def step(block: Tensor) -> Tensor:
        read, output, memory = torch.split(block, [size, width, width], 1)
        return torch.cat(cell(cell.inputs(read), output, memory), 1)

    both = in_blocks(step, torch.cat([inputs, outputs, memories], 1))
    return both[:, :width], both[:, width:]
