"""Are the exact probabilities those of the network, however the windows are batched?"""

from __future__ import annotations

import numpy as np
import pytest
import torch

from hengliang.language_models import edges_of
from hengliang.language_models.neural.batches import Sequences, last_windows, sequences_of
from hengliang.language_models.neural.networks import WordNetwork, build_network, last_distributions, target_logprobs
from hengliang.language_models.neural.settings import Kind, architecture

KINDS: tuple[Kind, ...] = ("lstm", "transformer")


def _given(kind: Kind) -> tuple[WordNetwork, Sequences]:
    torch.manual_seed(2)
    built = architecture(kind, "tiny", 40)
    lengths = [3, 0, 17, 1, 150, 17]
    ids = np.random.default_rng(4).integers(3, 40, sum(lengths)).astype(np.int32)
    return build_network(built, dropout=0.5).train(), sequences_of(ids, edges_of(lengths), built.context, built.stride)


@pytest.mark.parametrize("kind", KINDS)
def test_each_target_one_by_one(kind: Kind) -> None:
    network, sequences = _given(kind)
    found = target_logprobs(network, sequences)
    assert network.training, "the network is left as it was"
    network.eval()
    expected = np.full(len(sequences.targets), np.nan)
    for start, first, last in zip(sequences.starts, sequences.firsts, sequences.lasts, strict=True):
        for place in range(first, last):
            inputs = [1, *sequences.targets[start:place].tolist()]
            with torch.no_grad():
                logits = network.logits(network.features(torch.tensor([inputs]))[0, -1]).double()
            expected[place] = torch.log_softmax(logits, 0)[sequences.targets[place]].item()
    assert found == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_the_budget_changes_nothing(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    network, sequences = _given(kind)
    expected = target_logprobs(network, sequences)
    assert target_logprobs(network, sequences, budget=1) == pytest.approx(expected, abs=1e-5)
    monkeypatch.setattr("hengliang.language_models.neural.networks._CELLS", 3 * 40)
    assert target_logprobs(network, sequences) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_the_last_distribution_is_that_of_the_end(kind: Kind) -> None:
    network, sequences = _given(kind)
    rows = last_distributions(network, last_windows(sequences))
    assert rows.shape == (6, 40)
    assert np.exp(rows).sum(1) == pytest.approx(1.0, abs=1e-12)
    ends = sequences.targets == 2
    assert rows[:, 2] == pytest.approx(target_logprobs(network, sequences)[ends], abs=1e-5)
    assert (rows[:, 1] == -np.inf).all()
