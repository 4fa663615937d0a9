"""Is the loss the one that torch would find, and its estimate unbiased where it says so?"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.language_models.neural.networks import (
    Candidates,
    WordNetwork,
    batch_loss,
    build_network,
    draw,
    inclusions,
)
from hengliang.language_models.neural.settings import Kind, architecture
from hengliang.language_models.vocabulary import BEGIN_ID

SYMBOLS = 60


def _network(kind: Kind = "lstm") -> WordNetwork:
    torch.manual_seed(3)
    network = build_network(architecture(kind, "tiny", SYMBOLS), unigrams=np.log(np.full(SYMBOLS, 1 / SYMBOLS)))
    with torch.no_grad():
        network.table.mul_(10)
    return network


def _task() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    stream = np.random.default_rng(5)
    inputs = torch.from_numpy(stream.integers(2, SYMBOLS, (4, 6)))
    asked = torch.tensor([0, 1, 5, 7, 11, 20, 23])
    return inputs, asked, torch.from_numpy(stream.integers(2, SYMBOLS, len(asked)))


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_over_all_words_loss_and_gradient_are_those_of_cross_entropy(kind: Kind) -> None:
    inputs, asked, targets = _task()
    everybody = draw(inclusions(np.full(SYMBOLS, 5), 0), np.random.default_rng(0))
    assert len(everybody.ids) == SYMBOLS - 1
    ours, theirs = _network(kind), _network(kind)
    loss = batch_loss(ours, inputs, asked, targets, everybody)
    loss.backward()  # type: ignore[no-untyped-call]
    logits = theirs.logits(theirs.features(inputs).flatten(0, 1)[asked])
    expected = torch.nn.functional.cross_entropy(logits, targets)
    expected.backward()  # type: ignore[no-untyped-call]
    assert loss.item() == pytest.approx(expected.item(), rel=1e-6)
    for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert one.grad is not None and other.grad is not None
        assert torch.allclose(one.grad, other.grad, atol=1e-6)


def test_in_pieces_the_same_as_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs, asked, targets = _task()
    everybody = draw(inclusions(np.full(SYMBOLS, 5), 0), np.random.default_rng(0))
    whole = batch_loss(_network(), inputs, asked, targets, everybody)
    monkeypatch.setattr("hengliang.language_models.neural.networks._CELLS", 2 * SYMBOLS)
    assert batch_loss(_network(), inputs, asked, targets, everybody).item() == pytest.approx(whole.item(), rel=1e-6)


@given(st.lists(st.integers(0, 1000), min_size=10, max_size=60), st.integers(1, 70))
def test_inclusions_have_the_wanted_size(counts: list[int], size: int) -> None:
    chances = inclusions(np.array(counts), size)
    assert chances[BEGIN_ID] == 0
    assert (np.delete(chances, BEGIN_ID) > 0).all() and (chances <= 1).all()
    assert chances.sum() == pytest.approx(min(size, len(counts) - 1))


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_candidates_are_drawn_with_their_chances(seed: int) -> None:
    counts = np.arange(SYMBOLS)[::-1] ** 2
    chances = inclusions(counts, 30)
    drawn = draw(chances, np.random.default_rng(seed))
    assert (np.diff(drawn.ids) > 0).all() and BEGIN_ID not in drawn.ids
    assert np.isin(np.flatnonzero(chances == 1), drawn.ids).all()
    assert np.exp(drawn.log_inclusions) == pytest.approx(chances[drawn.ids])


def test_the_estimated_sum_is_unbiased() -> None:
    # exp(loss of one target + its logit) is the estimated sum over all words; its mean over many draws is the sum.
    network = _network()
    inputs, asked, targets = torch.tensor([[1, 7, 9]]), torch.tensor([2]), torch.tensor([11])
    with torch.no_grad():
        logits = network.logits(network.features(inputs).flatten(0, 1)[asked])[0]
        chances = inclusions(np.arange(SYMBOLS)[::-1] + 1, 20)
        stream = np.random.default_rng(8)
        sums = [
            np.exp(batch_loss(network, inputs, asked, targets, draw(chances, stream)).item() + logits[11].item())
            for _ in range(2000)
        ]
    error = np.std(sums) / np.sqrt(len(sums))
    assert error > 0
    assert abs(np.mean(sums) - torch.exp(logits).sum().item()) < 4 * error


def test_half_the_bits_are_near_enough_to_learn_from() -> None:
    inputs, asked, targets = _task()
    few = Candidates(np.arange(2, 40), np.zeros(38))
    exact = batch_loss(_network(), inputs, asked, targets, few).item()
    with torch.autocast("cpu", torch.bfloat16):
        assert batch_loss(_network(), inputs, asked, targets, few).item() == pytest.approx(exact, rel=0.02)
