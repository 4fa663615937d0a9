"""Does the network of stacks compute what a grammar with an explicit stack computes, one step after the other?"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.corpora import Tree
from hengliang.language_models.scores import Numbers
from hengliang.language_models.structured.derivations import CLOSE, OPEN, SHIFT
from hengliang.language_models.structured.rnng import Cell, StackNetwork
from tests.language_models.structured.random_networks import Drawn, drawn, some_trees

State = tuple[Numbers, Numbers]


def sigmoid(values: Numbers) -> Numbers:
    return 1 / (1 + np.exp(-values))


def lstm_step(cell: Cell, read: Numbers, state: State | None) -> State:
    """One step of an LSTM by its textbook formulas, in double precision."""
    weights, bias, former = (
        held.detach().double().numpy() for held in (cell.inputs.weight, cell.inputs.bias, cell.former.weight)
    )
    output, memory = state or (np.zeros(cell.width), np.zeros(cell.width))
    gates = (weights @ read + bias + former @ output).reshape(4, cell.width)
    memory = sigmoid(gates[1]) * memory + sigmoid(gates[0]) * np.tanh(gates[2])
    return sigmoid(gates[3]) * np.tanh(memory), memory


def row(table: torch.nn.Embedding, number: int) -> Numbers:
    found: Numbers = table.weight[number].detach().double().numpy()
    return found


class PlainStack:
    """A stack of elements, each with its vector and, for each layer, the state of the LSTM after it."""

    def __init__(self, network: StackNetwork) -> None:
        self.network = network
        self.elements: list[tuple[Numbers, list[State], int | None]] = []
        self.push(network.begin.detach().double().numpy(), None)

    def push(self, vector: Numbers, label: int | None) -> None:
        below = self.elements[-1][1] if self.elements else None
        read, states = vector, []
        for layer, cell in enumerate(self.network.stack):
            assert isinstance(cell, Cell)
            states.append(lstm_step(cell, read, below[layer] if below else None))
            read = states[-1][0]
        self.elements.append((vector, states, label))

    def close(self) -> None:
        parts: list[Numbers] = []
        while self.elements[-1][2] is None:
            parts.insert(0, self.elements.pop()[0])
        label = self.elements.pop()[2]
        assert label is not None
        first = row(self.network.closes, label)
        ends = []
        for cell, sequence in ((self.network.from_left, parts), (self.network.from_right, parts[::-1])):
            state: State | None = None
            for vector in [first, *sequence]:
                state = lstm_step(cell, vector, state)
            assert state is not None
            ends.append(state[0])
        joined = self.network.joined
        weight, bias = joined.weight.detach().double().numpy(), joined.bias.detach().double().numpy()
        self.push(np.tanh(weight @ np.concatenate(ends) + bias), None)

    def features(self, held: Drawn, tree: int) -> list[Numbers]:
        found = []
        first, last = held.part.derivations.offsets[tree : tree + 2].tolist()
        columns = (held.part.derivations.steps[first:last].tolist(), held.part.derivations.words[first:last].tolist())
        for step, word in zip(*columns, strict=True):
            found.append(self.elements[-1][1][-1][0])
            if step == CLOSE:
                self.close()
            elif step == SHIFT:
                self.push(row(self.network.embedding, word), None)
            else:
                self.push(row(self.network.opens, step - OPEN), step - OPEN)
        assert len(self.elements) == 2, "the begin and the whole tree"
        return found


@settings(max_examples=25)
@given(trees=some_trees(most=3), seed=st.integers(0, 99), layers=st.integers(1, 2))
def test_features_are_those_of_an_explicit_stack(trees: list[Tree], seed: int, layers: int) -> None:
    held = drawn("rnng", trees, seed, layers)
    assert isinstance(held.network, StackNetwork)
    expected = [vector for tree in held.rows for vector in PlainStack(held.network).features(held, tree)]
    lesson = held.part.lesson(np.array(held.rows, np.int64))
    with torch.no_grad():
        words = held.network.embedding(torch.from_numpy(lesson.words))
        found = held.network.features(lesson, words).numpy()
    assert found == pytest.approx(np.array(expected), abs=1e-5)


def test_a_cell_without_a_state_begins_with_nothing() -> None:
    cell = Cell(3, 4)
    gates = cell.inputs(torch.randn(5, 3))
    nothing = torch.zeros(5, 4)
    for one, other in zip(cell.first(gates), cell(gates, nothing, nothing), strict=True):
        assert torch.allclose(one, other)


def test_a_cell_remembers_at_first() -> None:
    assert Cell(3, 4).inputs.bias.tolist() == [0.0] * 4 + [1.0] * 4 + [0.0] * 8


def test_dropout_is_for_training_alone() -> None:
    held = drawn("rnng", [Tree("S", ("看", Tree("NP", ("书",))))])
    lesson = held.part.lesson(np.array([0]))
    words = held.network.embedding(torch.from_numpy(lesson.words))
    held.network.dropout.p = 0.5
    assert torch.equal(held.network.features(lesson, words), held.network.features(lesson, words))
    held.network.train()
    assert not torch.equal(held.network.features(lesson, words), held.network.features(lesson, words))
