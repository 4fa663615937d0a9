"""Is the right network built for an architecture, and read back with its weights?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from hengliang import UserError
from hengliang.core.training_loop import WEIGHTS, write_weights
from hengliang.language_models.structured.architectures import Kind, structured_architecture
from hengliang.language_models.structured.building import build_structured, read_structured
from hengliang.language_models.structured.networks import StructuredNetwork
from hengliang.language_models.structured.plm import SequenceNetwork
from hengliang.language_models.structured.rnng import StackNetwork
from tests.language_models.structured.toy_treebank import KINDS, LABELS


def built(kind: Kind, dropout: float = 0.0) -> StructuredNetwork:
    return build_structured(structured_architecture(kind, "tiny", 20, LABELS, 2, 3, 30), dropout=dropout)


def test_each_kind_has_its_network() -> None:
    assert isinstance(built("rnng"), StackNetwork)
    assert isinstance(built("plm"), SequenceNetwork)
    assert [built(kind, 0.3).dropout.p for kind in KINDS] == [0.3, 0.3]


def test_the_words_begin_with_their_frequencies_if_these_are_given() -> None:
    given = structured_architecture("rnng", "tiny", 5, LABELS, 2, 3, 30)
    assert build_structured(given).bias.tolist() == [0.0] * 5
    found = build_structured(given, unigrams=np.array([-1.0, np.nan, -2.0, -3.0, -4.0]))
    assert found.bias.tolist() == [-1.0, 0.0, -2.0, -3.0, -4.0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_network_is_read_back(kind: Kind, tmp_path: Path) -> None:
    network = built(kind, 0.3)
    network.architecture.write(tmp_path)
    write_weights(network, tmp_path)
    again = read_structured(tmp_path)
    assert type(again) is type(network)
    assert not again.training
    expected = network.state_dict()
    assert all(torch.equal(tensor, expected[name]) for name, tensor in again.state_dict().items())


def test_weights_of_another_network_are_refused(tmp_path: Path) -> None:
    built("rnng").architecture.write(tmp_path)
    write_weights(built("plm"), tmp_path)
    with pytest.raises(UserError, match=WEIGHTS):
        read_structured(tmp_path)
    (tmp_path / WEIGHTS).write_bytes(b"short")
    with pytest.raises(UserError, match="is not a whole safetensors file"):
        read_structured(tmp_path)
