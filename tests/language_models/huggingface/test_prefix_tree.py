from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import MambaConfig, MambaForCausalLM

from hengliang import UserError
from hengliang.language_models.huggingface.loading import Loaded, load
from hengliang.language_models.huggingface.prefix_tree import (
    PACK,
    abilities,
    ancestors,
    last_logprobs,
    pack_trees,
    plain_rows,
    shared_prefix,
    trace,
)
from tests.language_models.huggingface import tiny_models


@pytest.fixture(scope="module", params=["gpt2", "llama", "neox"])
def loaded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    build = getattr(tiny_models, request.param)
    return load(build(tmp_path_factory.mktemp("models") / request.param), "causal")


def sequences_of(count: int, seed: int = 0) -> list[list[int]]:
    """Random sequences over few tokens, so that they share beginnings; some are the same, some have one token only."""
    random = np.random.default_rng(seed)
    return [[0, *random.integers(0, 3, random.integers(0, 25)).tolist()] for _ in range(count)]


def by_a_loop(loaded: Loaded, sequence: list[int]) -> list[float]:
    """The independent way: one text at a time, a softmax in double precision over everything."""
    with torch.no_grad():
        probabilities = loaded.model(torch.tensor([sequence])).logits[0].double().softmax(-1)
    return [float(probabilities[place - 1, sequence[place]].log()) for place in range(1, len(sequence))]


def test_a_tree_has_each_shared_token_once() -> None:
    (pack,) = pack_trees([[1, 2, 3], [1, 2, 4, 5], [1, 2], [1, 2, 3]])
    # The nodes are 1, 2, 3, 4 and 5: thirteen tokens in five.
    assert pack.tokens.tolist() == [1, 2, 3, 4, 5]
    assert pack.parents.tolist() == [-1, 0, 1, 1, 3]
    assert pack.depths.tolist() == [0, 1, 2, 2, 3]
    assert dict(zip(pack.rows, (path.tolist() for path in pack.paths), strict=True)) == {
        0: [0, 1, 2],
        1: [0, 1, 3, 4],
        2: [0, 1],
        3: [0, 1, 2],
    }
    assert ancestors(pack)[4].tolist() == [True, True, False, True, True]
    # Nothing follows 3 and 5, so they need not be computed to be scored.
    assert pack.inner.tolist() == [0, 1, 3]


def test_a_tree_is_cut_at_the_size() -> None:
    packs = pack_trees([[1, 2, 3], [1, 2, 4], [1, 5, 6], [7, 8, 9, 10, 11]], size=4)
    # 1 2 3 4 fill the first pack; the path 1 is repeated in the second; the longest sequence is a pack by itself.
    assert [pack.tokens.tolist() for pack in packs] == [[1, 2, 3, 4], [1, 5, 6], [7, 8, 9, 10, 11]]


def test_shared_prefix() -> None:
    assert shared_prefix([1, 2, 3], [1, 2, 4]) == 2
    assert shared_prefix([1, 2], [1, 2, 4]) == 2
    assert shared_prefix([], [1]) == 0


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=8), max_size=12), st.integers(1, 20))
def test_paths_spell_their_sequences(sequences: list[list[int]], size: int) -> None:
    packs = pack_trees(sequences, size)
    assert sorted(row for pack in packs for row in pack.rows) == list(range(len(sequences)))
    for pack in packs:
        assert len(pack.tokens) <= max(size, *(len(path) for path in pack.paths))
        sees = ancestors(pack)
        for row, path in zip(pack.rows, pack.paths, strict=True):
            assert pack.tokens[path].tolist() == sequences[row]
            assert pack.parents[path].tolist() == [-1, *path[:-1].tolist()]
            # A node sees its path and nothing else.
            assert np.flatnonzero(sees[path[-1]]).tolist() == sorted(path.tolist())


def test_networks_take_trees(loaded: Loaded) -> None:
    assert abilities(loaded).tree
    assert abilities(loaded).plain_head


@pytest.mark.parametrize("way", ["tree", "plain", "auto"])
@pytest.mark.parametrize("batch_tokens", [1, 60, 5000])
def test_same_numbers_as_a_loop(loaded: Loaded, way: Any, batch_tokens: int) -> None:
    sequences = sequences_of(12)
    for sequence, traced in zip(sequences, trace(loaded, sequences, way=way, batch_tokens=batch_tokens), strict=True):
        assert np.isnan(traced.logprobs[0])
        np.testing.assert_allclose(traced.logprobs[1:], by_a_loop(loaded, sequence), atol=1e-5)


@pytest.mark.parametrize("way", ["tree", "plain"])
def test_the_mass_of_a_class(loaded: Loaded, way: Any) -> None:
    sequences = sequences_of(6)
    members = np.arange(loaded.vocabulary) % 3 == 0
    for sequence, traced in zip(sequences, trace(loaded, sequences, way=way, members=members), strict=True):
        with torch.no_grad():
            probabilities = loaded.model(torch.tensor([sequence])).logits[0].double().softmax(-1).numpy()
        np.testing.assert_allclose(np.exp(traced.masses), probabilities[:, members].sum(1), atol=1e-5)
        np.testing.assert_allclose(traced.logprobs[1:], by_a_loop(loaded, sequence), atol=1e-5)


def test_what_comes_last_sums_to_one(loaded: Loaded) -> None:
    sequences = sequences_of(5)
    found = last_logprobs(loaded, sequences)
    np.testing.assert_allclose(np.exp(found).sum(1), 1, atol=1e-12)
    extended = [[*sequence, 2] for sequence in sequences]
    np.testing.assert_allclose(found[:, 2], [one.logprobs[-1] for one in trace(loaded, extended)], atol=1e-5)


def test_a_long_sequence_goes_beside_the_trees(tmp_path: Path) -> None:
    deep = load(tiny_models.llama(tmp_path / "llama", context=1000), "causal")
    random = np.random.default_rng(1)
    long = random.integers(0, 9, PACK + 20).tolist()
    sequences = [*sequences_of(10), long, long[:12], long[:14]]
    for sequence, traced in zip(sequences, trace(deep, sequences), strict=True):
        np.testing.assert_allclose(traced.logprobs[1:], by_a_loop(deep, sequence), atol=2e-5)


def test_nothing_to_run(loaded: Loaded) -> None:
    assert trace(loaded, []) == []
    assert plain_rows([]) == []


def test_an_unknown_way_is_refused(loaded: Loaded) -> None:
    with pytest.raises(UserError, match="Valid: auto, tree, plain"):
        trace(loaded, [[1]], way="forest")  # type: ignore[arg-type]


def test_a_logit_cap_is_part_of_the_model(tmp_path: Path) -> None:
    from transformers import Gemma2Config, Gemma2ForCausalLM

    folder = tiny_models.save(
        tmp_path / "gemma",
        Gemma2ForCausalLM,
        Gemma2Config(
            vocab_size=420,
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            head_dim=8,
            sliding_window=8,
            final_logit_softcapping=3.0,
            bos_token_id=1,
            eos_token_id=2,
            pad_token_id=0,
        ),
        tiny_models.metaspace(),
    )
    capped = load(folder, "causal")
    assert not abilities(capped).plain_head
    # The window slides over eight tokens, so that longer sequences must go the plain way by themselves.
    sequences = sequences_of(8)
    assert max(map(len, sequences)) > 8
    for sequence, traced in zip(sequences, trace(capped, sequences), strict=True):
        np.testing.assert_allclose(traced.logprobs[1:], by_a_loop(capped, sequence), atol=1e-5)


def test_a_state_space_model_goes_the_plain_way(tmp_path: Path) -> None:
    config = MambaConfig(
        vocab_size=420, hidden_size=16, state_size=4, num_hidden_layers=2, bos_token_id=1, eos_token_id=2
    )
    folder = tiny_models.save(tmp_path / "mamba", MambaForCausalLM, config, tiny_models.metaspace())
    mamba = load(folder, "causal")
    assert not abilities(mamba).tree
    assert mamba.context is None
    sequences = sequences_of(6)
    for sequence, traced in zip(sequences, trace(mamba, sequences), strict=True):
        np.testing.assert_allclose(traced.logprobs[1:], by_a_loop(mamba, sequence), atol=1e-5)


def test_a_model_that_sees_ahead_is_refused(tmp_path: Path) -> None:
    from transformers import BertConfig, BertLMHeadModel

    config = BertConfig(
        vocab_size=200,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        is_decoder=False,
    )
    folder = tiny_models.save(tmp_path / "bert", BertLMHeadModel, config, tiny_models.word_piece())
    with pytest.raises(UserError, match="sees the tokens that come after"):
        abilities(load(folder, "causal"))
