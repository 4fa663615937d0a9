"""How does a recurrent network grammar read a sentence and its tree?

An LSTM runs along the stack of open constituents, words and finished constituents [1]: each element adds to the state
of the stack below it. When a constituent is closed, its parts and its label are read from both sides by a second LSTM
and become one vector, which replaces them on the stack. The state of the stack alone foretells the next step [2].

[1] Dyer, C., Kuncoro, A., Ballesteros, M., Smith, N. A. (2016). Recurrent neural network grammars. NAACL 2016.
[2] Kuncoro, A., Ballesteros, M., Kong, L., Dyer, C., Neubig, G., Smith, N. A. (2017). What do recurrent neural network
    grammars learn about syntax? EACL 2017.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn

from hengliang.core.text.characters import Offsets
from hengliang.systems.language_models.structured.architectures import StructuredArchitecture
from hengliang.systems.language_models.structured.networks import Lesson, StructuredNetwork
from hengliang.systems.language_models.structured.sessions import Session
from hengliang.systems.language_models.structured.stack_batches import Composed, StackBatch


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
        from hengliang.systems.language_models.structured.stack_session import StackSession

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
