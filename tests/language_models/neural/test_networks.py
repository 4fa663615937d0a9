"""Does a network give a distribution, know nothing of the future, and survive its file?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from hengliang import UserError
from hengliang.core.training_loop import WEIGHTS, write_weights
from hengliang.language_models.neural.networks import build_network, read_network
from hengliang.language_models.neural.settings import Kind, architecture
from hengliang.language_models.vocabulary import BEGIN_ID

KINDS: tuple[Kind, ...] = ("lstm", "transformer")


@pytest.mark.parametrize("kind", KINDS)
def test_begin_is_never_foretold_and_the_rest_sums_to_one(kind: Kind) -> None:
    network = build_network(architecture(kind, "tiny", 40)).eval()
    with torch.no_grad():
        logits = network.logits(network.features(torch.tensor([[1, 5, 9]])))
    chances = torch.softmax(logits.double(), -1)
    assert (chances[..., BEGIN_ID] == 0).all()
    assert chances.sum(-1).numpy() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_features_depend_on_the_words_before_and_on_nothing_after(kind: Kind) -> None:
    network = build_network(architecture(kind, "tiny", 40)).eval()
    with torch.no_grad():
        one = network.features(torch.tensor([[1, 5, 9, 12], [1, 6, 9, 12]]))
        other = network.features(torch.tensor([[1, 5, 9, 30]]))
    assert torch.allclose(one[0, :3], other[0, :3], atol=1e-6)
    assert not torch.allclose(one[0, 3], other[0, 3], atol=1e-4)
    assert not torch.allclose(one[0, 3], one[1, 3], atol=1e-6)


def test_the_bias_starts_at_the_unigrams() -> None:
    unigrams = np.log(np.array([0.5, np.nan, 0.25, 0.25]))
    bias = build_network(architecture("lstm", "tiny", 4), unigrams=unigrams).bias.detach().numpy()
    assert bias == pytest.approx([np.log(0.5), 0.0, np.log(0.25), np.log(0.25)])


@pytest.mark.parametrize("kind", KINDS)
def test_weights_survive_their_file(kind: Kind, tmp_path: Path) -> None:
    built = architecture(kind, "tiny", 40)
    network = build_network(built, dropout=0.5)
    built.write(tmp_path)
    write_weights(network, tmp_path)
    again = read_network(tmp_path)
    assert not again.training
    for one, other in zip(network.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    built = architecture("lstm", "tiny", 40)
    built.write(tmp_path)
    write_weights(build_network(built), tmp_path)
    return tmp_path


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    with pytest.raises(UserError, match=r"Cannot read .*weights\.safetensors"):
        read_network(folder)


@pytest.mark.parametrize("kept", [0, 5, 100, 3000])
def test_a_truncated_file_is_named(folder: Path, kept: int) -> None:
    raw = (folder / WEIGHTS).read_bytes()
    assert len(raw) > kept
    (folder / WEIGHTS).write_bytes(raw[:kept])
    with pytest.raises(UserError, match="is not a whole safetensors file"):
        read_network(folder)


def test_wrong_weights_are_named(folder: Path) -> None:
    tensors = load_file(folder / WEIGHTS)
    save_file({**tensors, "bias": torch.zeros(39)}, folder / WEIGHTS)
    with pytest.raises(UserError, match=r"bias in the shape \(39,\) where \(40,\) is expected"):
        read_network(folder)
    save_file({**tensors, "bias": torch.full((40,), torch.nan)}, folder / WEIGHTS)
    with pytest.raises(UserError, match="numbers in bias that are not finite"):
        read_network(folder)
    save_file({name: tensor for name, tensor in tensors.items() if name != "bias"}, folder / WEIGHTS)
    with pytest.raises(UserError, match="lacks bias"):
        read_network(folder)
    save_file({**tensors, "more": torch.zeros(1)}, folder / WEIGHTS)
    with pytest.raises(UserError, match="has a stranger, more"):
        read_network(folder)
