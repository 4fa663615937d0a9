"""Does a session of stacks keep its promises, and share and forget stacks without harm?"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.corpora import Tree
from hengliang.language_models.structured.derivations import CLOSE, NOTHING, OPEN, SHIFT
from hengliang.language_models.structured.networks import lesson_logprob
from hengliang.language_models.structured.rnng import StackSession
from tests.language_models.structured.random_networks import drawn, some_trees, walked_logprob
from tests.language_models.structured.session_contract import contract_faults, wandered
from tests.language_models.structured.toy_treebank import trees


@settings(max_examples=15)
@given(given_trees=some_trees(), seed=st.integers(0, 999))
def test_the_contract(given_trees: list[Tree], seed: int) -> None:
    assert contract_faults(drawn("rnng", given_trees, seed).network.session(), seed, closeness=1e-5) == []


def test_a_walk_finds_what_the_batch_finds() -> None:
    held = drawn("rnng", trees(5))
    session = held.network.session()
    assert isinstance(session, StackSession)
    for row in held.rows:
        with torch.no_grad():
            expected = lesson_logprob(held.network, held.part.lesson(np.array([row])))
        for forgetful in (False, True):
            found = walked_logprob(session, held.part.derivations, row, forgetful=forgetful)
            assert found == pytest.approx(expected, rel=1e-4)


def test_stacks_of_any_shape_go_on_together_as_alone() -> None:
    # Constituents of one to several parts are closed in one call, beside words and OPENs.
    session = drawn("rnng", trees(8)).network.session()
    states, progress, _ = wandered(session, seed=5, count=40, steps=9)
    stream = np.random.default_rng(2)
    kinds = np.where((progress.chain == 0) & (progress.opened > 0) & (stream.random(40) < 0.7), CLOSE, SHIFT)
    kinds[:3] = OPEN
    words = np.where(kinds == SHIFT, 4, NOTHING)
    assert (kinds == CLOSE).sum() > 5
    together = session.step_logits(session.advance(states, kinds, words))
    alone = [
        session.step_logits(session.advance(*(held[[row]] for held in (states, kinds, words)))) for row in range(40)
    ]
    assert np.concatenate(alone).tolist() == together.tolist()


def test_what_is_shared_is_kept_once() -> None:
    session = drawn("rnng", trees(3)).network.session()
    assert isinstance(session, StackSession)
    begun = session.begin()
    opened = session.advance(np.array([begun]), np.array([OPEN]), np.array([NOTHING]))
    two = session.advance(np.repeat(opened, 2), np.array([SHIFT, SHIFT]), np.array([3, 4]))
    closed = session.advance(two, np.array([CLOSE, CLOSE]), np.array([NOTHING, NOTHING]))
    before = session.step_logits(closed)
    assert len(session.below) == 6
    # The closed constituents lie on the begin; the words and the OPEN below them are no longer needed.
    kept = session.keep(closed)
    assert len(session.below) == 3
    assert session.step_logits(kept).tolist() == before.tolist()
    assert session.below[kept].tolist() == [0, 0]


def test_nothing_asked_is_nothing_answered() -> None:
    session = drawn("rnng", trees(3)).network.session()
    nothing = np.zeros(0, np.int64)
    assert session.advance(nothing, nothing, nothing).tolist() == []
    assert session.step_logits(nothing).shape == (0, session.limits.steps)
    assert session.word_distributions(nothing).shape == (0, session.words)
    assert session.word_logprobs(nothing, nothing).shape == (0,)
