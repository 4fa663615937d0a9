"""Does a session of rows of steps keep its promises, and end where the training ended?"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.materials.trees.constituents import Tree
from hengliang.systems.language_models.structured.networks import lesson_logprob
from hengliang.systems.language_models.structured.sequence_session import SequenceSession
from hengliang.systems.language_models.structured.sessions import NOTHING
from hengliang.systems.language_models.structured.transitions import OPEN, SHIFT
from tests.systems.language_models.structured.random_networks import WORDS, drawn, some_trees, walked_logprob
from tests.systems.language_models.structured.session_contract import contract_faults, wandered
from tests.systems.language_models.structured.toy_treebank import trees

LONG = Tree("S", (WORDS[0],) * 40)
"""A tree of 42 steps, so that random walks do not come to the end of what the network can read."""


@settings(max_examples=15)
@given(given_trees=some_trees(), seed=st.integers(0, 999))
def test_the_contract(given_trees: list[Tree], seed: int) -> None:
    session = drawn("plm", [*given_trees, LONG], seed).network.session()
    assert contract_faults(session, seed, closeness=1e-5) == []


def test_a_walk_finds_what_the_batch_finds() -> None:
    held = drawn("plm", [*trees(5), LONG])
    session = held.network.session()
    assert isinstance(session, SequenceSession)
    for row in held.rows:
        with torch.no_grad():
            expected = lesson_logprob(held.network, held.part.lesson(np.array([row])))
        for forgetful in (False, True):
            found = walked_logprob(session, held.part.derivations, row, forgetful=forgetful)
            assert found == pytest.approx(expected, rel=1e-4)


def test_rows_of_any_length_go_on_together_as_alone() -> None:
    session = drawn("plm", [*trees(8), LONG]).network.session()
    lengths = (1, 5, 16, 17, 30)
    states = np.concatenate([wandered(session, seed=row, count=7, steps=steps)[0] for row, steps in enumerate(lengths)])
    words = np.full(len(states), 4)
    kinds = np.full(len(states), SHIFT)
    together = session.step_logits(session.advance(states, kinds, words))
    alone = [session.step_logits(session.advance(state[None], kinds[:1], words[:1])) for state in states]
    assert np.concatenate(alone).tolist() == together.tolist()


def test_a_row_as_long_as_the_longest_of_training_does_not_go_on() -> None:
    # The longest tree has 5 steps; the last of them has no state after it: the begin and 4 steps fill the context.
    session = drawn("plm", [Tree("S", ("看", "了", "书"))]).network.session()
    states = np.array([session.begin()])
    for step in (OPEN, SHIFT, SHIFT, SHIFT):
        states = session.advance(states, np.array([step]), np.array([4 if step == SHIFT else NOTHING]))
        assert (states >= 0).all()
    begun = session.begin()
    mixed = np.array([states[0], begun])
    after = session.advance(mixed, np.array([SHIFT, OPEN]), np.array([4, NOTHING]))
    assert after[0] == -1 and after[1] >= 0
    assert session.advance(states, np.array([SHIFT]), np.array([4])).tolist() == [-1]


def test_what_is_shared_is_kept_once() -> None:
    session = drawn("plm", trees(3)).network.session()
    assert isinstance(session, SequenceSession)
    opened = session.advance(np.array([session.begin()]), np.array([OPEN]), np.array([NOTHING]))
    said = session.advance(np.repeat(opened, 3), np.full(3, SHIFT), np.array([3, 4, 5]))
    before = session.step_logits(said)
    kept = session.keep(said[[2, 0, 2]])
    # The begin, the OPEN and two of the three words; a state asked for twice is one.
    assert len(session.lengths) == 4
    assert kept[0] == kept[2]
    assert session.step_logits(kept).tolist() == before[[2, 0, 2]].tolist()


def test_nothing_asked_is_nothing_answered() -> None:
    session = drawn("plm", trees(3)).network.session()
    nothing = np.zeros(0, np.int64)
    assert session.advance(nothing, nothing, nothing).tolist() == []
    assert session.step_logits(nothing).shape == (0, session.limits.steps)
    assert session.word_distributions(nothing).shape == (0, session.words)
