"""Does a session of rows of steps keep its promises, and end where the training ended?"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.corpora import Tree
from hengliang.language_models.structured import plm as sequence_session
from hengliang.language_models.structured.derivations import CLOSE, NOTHING, OPEN, SHIFT, Session
from hengliang.language_models.structured.networks import lesson_logprob
from hengliang.language_models.structured.plm import SequenceNetwork, SequenceSession
from tests.language_models.structured.random_networks import WORDS, drawn, some_trees, walked_logprob
from tests.language_models.structured.session_contract import contract_faults, wandered
from tests.language_models.structured.toy_treebank import trees

LONG = Tree("S", (WORDS[0],) * 40)
"""A tree of 42 steps, so that random walks do not come to the end of what the network can read."""

VERY_LONG = Tree("S", (WORDS[0],) * 100)

Row = tuple[tuple[int, int], ...]
"""Steps, each with its word or NOTHING."""


def long_network(seed: int = 3) -> SequenceNetwork:
    network = drawn("plm", [*trees(5), VERY_LONG], seed).network
    assert isinstance(network, SequenceNetwork)
    return network


def random_row(network: SequenceNetwork, length: int, seed: int) -> Row:
    """Return any steps: a session does not ask whether they make a tree."""
    generator = np.random.default_rng(seed)
    steps = generator.integers(0, network.architecture.limits.steps, length).tolist()
    words = generator.integers(0, network.architecture.symbols, length).tolist()
    return tuple((step, word if step == SHIFT else NOTHING) for step, word in zip(steps, words, strict=True))


def plain_logits(network: SequenceNetwork, row: Row) -> list[float]:
    """Return the logits of the next step, by one pass of the network over the whole row."""
    vectors: list[torch.Tensor] = [network.begin]
    for step, word in row:
        opened = network.opens.weight[step - OPEN] if step >= OPEN else network.close
        vectors.append(network.embedding.weight[word] if step == SHIFT else opened)
    with torch.no_grad():
        read = network.gpt2(inputs_embeds=torch.stack(vectors)[None]).last_hidden_state[0, -1]
        logits: list[float] = network.step_head(read).tolist()
    return logits


def walked_states(session: Session, rows: list[Row], forget: int = 0) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the states after rows, all walked together, what they have in common once; `forget` steps from one
    forgetting of everything else to the next."""
    states: dict[Row, int] = {(): session.begin()}
    for size in range(1, max(map(len, rows)) + 1):
        grown = sorted({row[:size] for row in rows if len(row) >= size})
        before = np.array([states[row[:-1]] for row in grown])
        steps, words = np.array([row[-1] for row in grown]).T.copy()
        states |= zip(grown, session.advance(before, steps, words).tolist(), strict=True)
        if forget and size % forget == 0:
            wanted = sorted({row[:size] for row in rows})
            kept = session.keep(np.array([states[row] for row in wanted]))
            states = dict(zip(wanted, kept.tolist(), strict=True))
    return np.array([states[row] for row in rows])


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


@settings(max_examples=10)
@given(
    common=st.integers(0, 70),
    lengths=st.lists(st.integers(0, 30), min_size=1, max_size=20),
    others=st.lists(st.integers(0, 100), max_size=5),
    forget=st.sampled_from([0, 1, 7, 16]),
    seed=st.integers(0, 999),
)
def test_rows_are_read_as_by_the_network(
    common: int, lengths: list[int], others: list[int], forget: int, seed: int
) -> None:
    network = long_network(seed)
    beginning = random_row(network, common, seed)
    rows = [beginning + random_row(network, length, seed + number) for number, length in enumerate(lengths)]
    rows += [random_row(network, length, number) for number, length in enumerate(others, 2000)]
    session = network.session()
    found = session.step_logits(walked_states(session, rows, forget))
    assert np.allclose(found, [plain_logits(network, row) for row in rows], rtol=0, atol=1e-5)


@pytest.mark.parametrize("common", [3, 15, 16, 17, 50])
def test_rows_with_a_common_beginning_go_on_together_as_alone(common: int) -> None:
    network = long_network()
    session = network.session()
    begun = random_row(network, common, 1)
    states = walked_states(session, [begun + random_row(network, 1 + seed % 3, seed) for seed in range(90)])
    kinds = np.resize([SHIFT, OPEN, CLOSE], len(states))
    words = np.where(kinds == SHIFT, np.arange(len(states)) % session.words, NOTHING)
    together = session.step_logits(session.advance(states, kinds, words))
    turned = session.step_logits(session.advance(states[::-1], kinds[::-1], words[::-1]))
    assert turned[::-1].tolist() == together.tolist()
    some = np.arange(0, len(states), 7)
    alone = [session.step_logits(session.advance(*(of[row, None] for of in (states, kinds, words)))) for row in some]
    assert np.concatenate(alone).tolist() == together[some].tolist()
    kept = session.keep(states[some])
    after = session.step_logits(session.advance(kept, kinds[some], words[some]))
    assert after.tolist() == together[some].tolist()


def test_rows_may_be_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    network = long_network()
    rows = [random_row(network, length, length) for length in (2, 40)]
    monkeypatch.setattr(sequence_session, "BLOCK", 1)
    session = network.session()
    found = session.step_logits(walked_states(session, rows))
    assert np.allclose(found, [plain_logits(network, row) for row in rows], rtol=0, atol=1e-5)


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
