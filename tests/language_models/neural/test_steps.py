"""Does a step move the weights downhill at the stated rate, and can its time be told?"""

from __future__ import annotations

import numpy as np
import pytest
import torch

from hengliang.core.training_loop import move
from hengliang.language_models.neural.batches import padded, sequences_of
from hengliang.language_models.neural.networks import build_network, draw, inclusions
from hengliang.language_models.neural.settings import Kind, Settings, architecture
from hengliang.language_models.neural.training import StepTimes, build_optimiser, time_steps, windows_loss


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
@pytest.mark.parametrize("bfloat16", [False, True])
def test_steps_go_downhill(kind: Kind, bfloat16: bool) -> None:
    torch.manual_seed(1)
    network = build_network(architecture(kind, "tiny", 40)).train()
    optimiser = build_optimiser(network, Settings(learning_rate=0.01))
    sequences = sequences_of(np.array([5, 6, 7, 8], np.int32), np.array([0, 2, 4]))
    windows = padded(sequences, np.arange(2))
    everybody = draw(inclusions(np.ones(40, np.int64), 0), np.random.default_rng(0))
    losses = []
    for _ in range(60):
        loss = windows_loss(network, sequences, windows, everybody, bfloat16=bfloat16)
        assert move(network, optimiser, loss, clip=1.0) > 0
        losses.append(loss.item())
    # Two sentences learnt by heart leave the choice of the first word, ln 2 at one of three places.
    assert losses[0] == pytest.approx(np.log(39), abs=0.3)
    assert np.log(2) / 3 - 0.01 < losses[-1] < 1.0


def test_a_small_step_and_its_extrapolation() -> None:
    times = time_steps(architecture("lstm", "tiny", 100), Settings(tokens=100, threads=1), steps=2)
    assert len(times.seconds) == 2 and min(times.seconds) > 0
    assert times.targets == 100  # four sentences of 24 words and their ends
    # 0.5 s for 100 targets: 990 words in 10 sentences are 1000 targets, 5 s an epoch.
    assert StepTimes((0.4, 0.5, 9.0), 100).extrapolate(990, 10, epochs=2) == pytest.approx(10.0)
