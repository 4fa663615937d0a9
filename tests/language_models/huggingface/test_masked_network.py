from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from hengliang import UserError
from hengliang.language_models.huggingface.loading import load
from hengliang.language_models.huggingface.masked import batches_of_one_length, expected, frame_of, window_start
from tests.language_models.huggingface import tiny_models


def test_only_the_asked_places_reach_the_vocabulary(tmp_path: Path) -> None:
    loaded = load(tiny_models.bert(tmp_path), "masked")
    seen = []

    def watch(module: nn.Module, inputs: tuple[Any, ...]) -> None:
        seen.append(tuple(inputs[0].shape))

    ids, places = np.array([[2, 7, 4, 9, 3], [2, 4, 8, 8, 3]]), np.array([2, 1])
    with torch.no_grad():
        whole = torch.log_softmax(loaded.model(torch.from_numpy(ids)).logits, -1).numpy()
    decoder: Any = loaded.model.get_output_embeddings()
    found = expected(loaded, ids, places)
    np.testing.assert_allclose(found, whole[[0, 1], places], atol=1e-6)
    np.testing.assert_allclose(np.exp(found).sum(1), 1.0, atol=1e-5)
    # Nothing of it stays behind.
    with decoder.register_forward_pre_hook(watch):
        loaded.model(torch.from_numpy(ids))
    assert seen == [(2, 5, 32)]


def test_a_head_that_passes_the_last_layer_by_is_gathered_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Some heads multiply with the embeddings themselves; the layer that is named as the last one is then never called.
    loaded = load(tiny_models.bert(tmp_path), "masked")
    ids, places = np.array([[2, 7, 4, 9, 3]]), np.array([2])
    with torch.no_grad():
        whole = torch.log_softmax(loaded.model(torch.from_numpy(ids)).logits, -1).numpy()
    monkeypatch.setattr(loaded.model, "get_output_embeddings", nn.Identity)
    np.testing.assert_allclose(expected(loaded, ids, places), whole[:, 2], atol=1e-6)


def test_the_frame_of_bert(tmp_path: Path) -> None:
    frame = frame_of(load(tiny_models.bert(tmp_path, context=12), "masked"))
    assert (frame.before, frame.after, frame.mask, frame.room) == ((2,), (3,), 4, 10)


def test_no_room_for_a_text(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no room for a text"):
        frame_of(load(tiny_models.bert(tmp_path, context=2), "masked"))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=40), st.integers(1, 50))
def test_batches_are_of_one_length_and_bounded(lengths: list[int], batch_tokens: int) -> None:
    sizes = np.array(lengths, np.int64)
    batches = list(batches_of_one_length(sizes, batch_tokens, 100))
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    for rows in batches:
        assert len(set(sizes[rows].tolist())) == 1
        assert len(rows) == 1 or len(rows) * sizes[rows[0]] <= batch_tokens


def test_a_wide_vocabulary_makes_small_batches() -> None:
    # 2^24 logits and 2^22 tokens: four sequences at once.
    batches = list(batches_of_one_length(np.full(10, 5), 10_000, 2**22))
    assert [len(rows) for rows in batches] == [4, 4, 2]


@given(st.integers(1, 60), st.integers(1, 20))
def test_a_window_holds_its_token_and_is_full(length: int, room: int) -> None:
    places = np.arange(length)
    starts = window_start(places, np.full(length, length), room)
    assert ((starts <= places) & (places < starts + room)).all()
    assert (starts + min(room, length) <= length).all()
    assert window_start(places, np.full(length, length), None).tolist() == [0] * length
