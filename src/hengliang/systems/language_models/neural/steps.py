"""What is one step of a training, and how long does it take?"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from hengliang.core.training_loop import adamw, move, seeded
from hengliang.systems.language_models.neural.architectures import Architecture
from hengliang.systems.language_models.neural.batches import Batch, Sequences, padded, sequences_of
from hengliang.systems.language_models.neural.losses import Candidates, batch_loss, draw, inclusions
from hengliang.systems.language_models.neural.networks import WordNetwork, build_network
from hengliang.systems.language_models.neural.settings import Settings, usual_settings
from hengliang.systems.language_models.vocabulary import SPECIAL


def build_optimiser(network: nn.Module, settings: Settings) -> torch.optim.Optimizer:
    """Return AdamW over the weights of a network; biases and normalisations do not decay."""
    parameters, rate = list(network.parameters()), settings.learning_rate
    groups: list[dict[str, Any]] = [
        {"params": [parameter for parameter in parameters if parameter.dim() >= 2], "lr": rate},
        {"params": [parameter for parameter in parameters if parameter.dim() < 2], "lr": rate, "weight_decay": 0.0},
    ]
    return adamw(groups, settings.weight_decay)


def windows_loss(
    network: WordNetwork, sequences: Sequences, windows: Batch, among: Candidates, *, bfloat16: bool
) -> Tensor:
    """Return the mean surprisal of what these windows ask for."""
    inputs, asked = torch.from_numpy(windows.inputs), torch.from_numpy(windows.asked)
    targets = torch.from_numpy(sequences.targets[windows.answers])
    with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
        return batch_loss(network, inputs, asked, targets, among)


@dataclass(frozen=True, slots=True)
class StepTimes:
    """How long some steps took, in seconds each, and how many targets a step has."""

    seconds: tuple[float, ...]
    targets: int

    @property
    def targets_per_second(self) -> float:
        """The pace of the middle step: one that was disturbed does not count."""
        return self.targets / float(np.median(self.seconds))

    def extrapolate(self, words: int, sentences: int, epochs: int = 1) -> float:
        """Return the seconds of a training on so many words and sentences; each end of a sentence is a target too."""
        return epochs * (words + sentences) / self.targets_per_second


def time_steps(
    architecture: Architecture, settings: Settings | None = None, *, steps: int = 3, length: int = 24, seed: int = 1
) -> StepTimes:
    """Time some steps of a training on random words, in sentences of `length` words, after one step that warms up."""
    settings = settings or usual_settings(architecture)
    stream = np.random.default_rng(seed)
    sentences = max(1, settings.tokens // (length + 1))
    ids = stream.integers(len(SPECIAL), architecture.symbols, sentences * length).astype(np.int32)
    sequences = sequences_of(ids, np.arange(sentences + 1) * length, architecture.context, architecture.stride)
    windows = padded(sequences, np.arange(len(sequences)))
    # Frequencies as Zipf's law has them, because the candidates follow the frequencies.
    chances = inclusions((1e6 / np.arange(1, architecture.symbols + 1)).astype(np.int64), settings.candidates)
    seconds = []
    with seeded(seed, settings.threads):
        network = build_network(architecture, dropout=settings.dropout).train()
        optimiser = build_optimiser(network, settings)
        for _ in range(steps + 1):
            began = time.perf_counter()
            among = draw(chances, stream)
            loss = windows_loss(network, sequences, windows, among, bfloat16=settings.bfloat16)
            move(network, optimiser, loss, settings.clip)
            seconds.append(time.perf_counter() - began)
    return StepTimes(tuple(seconds[1:]), len(windows.asked))
