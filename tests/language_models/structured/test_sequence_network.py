"""Does the Transformer over steps see all steps before, none after, and none of another sentence?"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.corpora import Tree
from hengliang.language_models.structured.derivations import CLOSE, OPEN, SHIFT
from hengliang.language_models.structured.plm import SequenceNetwork, sequence_batch
from tests.language_models.structured.random_networks import Drawn, drawn, some_trees
from tests.language_models.structured.test_derivations import LABELS, derived


def test_a_small_batch_by_hand() -> None:
    # (S (NP 老师) 看) and (S 书), so the steps are S NP 老师 ) 看 ) and S 书 ). Vectors: begin 0, CLOSE 1, words 2 3 4,
    # OPENs 5 6 7.
    trees = [Tree("S", (Tree("NP", ("老师",)), "看")), Tree("S", ("书",))]
    batch = sequence_batch(derived(trees), np.array([0, 1]))
    assert batch.opened.tolist() == [LABELS["S"], LABELS["NP"], LABELS["S"]]
    assert batch.vectors.tolist() == [[0, 5, 6, 2, 1, 3], [0, 7, 4, 0, 0, 0]]
    assert batch.asked.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8]


def plain_features(held: Drawn, row: int) -> torch.Tensor:
    """Return the features of one tree, each from a run over nothing but the steps before it."""
    network = held.network
    assert isinstance(network, SequenceNetwork)
    first, last = held.part.derivations.offsets[row : row + 2].tolist()
    read: list[torch.Tensor] = [network.begin]
    found: list[torch.Tensor] = []
    columns = (held.part.derivations.steps[first:last].tolist(), held.part.derivations.words[first:last].tolist())
    for step, word in zip(*columns, strict=True):
        found.append(network.gpt2(inputs_embeds=torch.stack(read)[None]).last_hidden_state[0, -1])
        if step == CLOSE:
            read.append(network.close)
        else:
            read.append(network.embedding.weight[word] if step == SHIFT else network.opens.weight[step - OPEN])
    return torch.stack(found)


@settings(max_examples=20)
@given(trees=some_trees(most=3), seed=st.integers(0, 99), layers=st.integers(1, 2))
def test_features_are_those_of_the_steps_before(trees: list[Tree], seed: int, layers: int) -> None:
    held = drawn("plm", trees, seed, layers)
    lesson = held.part.lesson(np.array(held.rows, np.int64))
    with torch.no_grad():
        words = held.network.embedding(torch.from_numpy(lesson.words))
        found = held.network.features(lesson, words)
        expected = torch.cat([plain_features(held, row) for row in held.rows])
    assert found.numpy() == pytest.approx(expected.numpy(), abs=1e-5)


def test_it_has_no_second_table_of_words() -> None:
    network = drawn("plm", [Tree("S", ("看",))]).network
    names = [name for name, _ in network.named_parameters()]
    assert "gpt2.wpe.weight" in names
    assert not [name for name in names if "wte" in name]
