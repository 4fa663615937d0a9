"""Training of neural classifier choosers: which classifier a network learns to choose, and how it is judged.

The rate of learning rises, then falls to zero. After each epoch the network is tried on slots that were held out. How
the best epoch is kept and how a killed training goes on is told in `hengliang.core.training_loop`; what dropout leaves
out follows from the seed and the number of the step.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from hengliang.core import training_loop
from hengliang.core.progress import Watcher
from hengliang.core.signature import digest
from hengliang.core.training_loop import Epoch, Pace, Step, adamw, share_of_peak
from hengliang.systems.classifier_choosers.neural.networks import SlotNetwork, class_probabilities
from hengliang.systems.classifier_choosers.neural.schedule import Schedule
from hengliang.systems.classifier_choosers.neural.sequences import Numbers, Sequences, padded, shuffled_batches

THREADS = 1
"""Threads of a training: always as many, for another number rounds otherwise. Seeds can be trained side by side."""
CHECKPOINT_MINUTES = 3.0
"""Minutes of work that a crash may cost."""


@dataclass(eq=False)
class Task(training_loop.Task):
    """What is to be learned: slots, the column of the classifier of each, and the same for what is held out.

    A classifier that only what is held out has is the column -1, which no choice can hit.
    """

    network: SlotNetwork
    train: Sequences
    targets: Numbers
    dev: Sequences
    dev_targets: Numbers
    schedule: Schedule
    seed: int
    bfloat16: bool

    criterion = "dev_accuracy"
    lower_is_better = False

    @property
    def pace(self) -> Pace:
        """Return what the schedule says."""
        held = self.schedule
        return Pace(held.epochs, held.patience, held.clip, THREADS, CHECKPOINT_MINUTES)

    @cached_property
    def identity(self) -> str:
        """A hash of all that the numbers depend on, the weights at the start among them."""
        weights = self.network.state_dict().values()
        start = digest(*(tensor.detach().contiguous().numpy().tobytes() for tensor in weights))
        arrays = (self.train.symbols, self.train.offsets, self.targets, self.dev.symbols, self.dev_targets)
        settings = (repr(self.schedule), str(self.seed), str(self.bfloat16))
        return digest(start, digest(*settings, *(array.tobytes() for array in arrays)))

    def build(self) -> SlotNetwork:
        """Return the network as it was given."""
        self.identity  # noqa: B018  # taken before the first step changes the weights
        return self.network

    def optimiser(self, network: nn.Module) -> torch.optim.Optimizer:
        """Return AdamW, in which the layer that no pretraining knows has a rate of its own."""
        head = list(self.network.head().parameters())
        own = {id(weights) for weights in head}
        body = [weights for weights in network.parameters() if id(weights) not in own and weights.requires_grad]
        schedule = self.schedule
        groups = [{"params": body, "lr": schedule.rate}, {"params": head, "lr": schedule.head_rate}]
        return adamw(groups, schedule.decay)

    def batches(self, epoch: int) -> list[Numbers]:
        """Return the batches of an epoch in their order."""
        random = np.random.default_rng([self.seed, epoch])
        return shuffled_batches(self.train.lengths, self.schedule.batch, self.network.spread, random)

    def rate(self, step: Step) -> float:
        """Return the share of the highest rate."""
        steps = self.schedule.epochs * math.ceil(len(self.train) / self.schedule.batch)
        return share_of_peak(step.passed / steps, self.schedule.warmup)

    def loss(self, network: nn.Module, batch: Numbers, step: Step) -> tuple[Tensor, int]:
        """Return the mean surprisal of the right classifiers of a batch."""
        torch.manual_seed(self.seed * 1_000_003 + step.passed)
        with torch.autocast("cpu", torch.bfloat16, enabled=self.bfloat16):
            scores = self.network.scores(padded(self.train, batch, self.network.padding))
        targets = torch.from_numpy(self.targets[batch])
        smoothing = self.schedule.smoothing
        return nn.functional.cross_entropy(scores.float(), targets, label_smoothing=smoothing), len(batch)

    def judge(self, network: nn.Module) -> Mapping[str, float]:
        """Return the share of right choices held out."""
        # What the card shows decides: accuracies that it shows as equal are.
        return {self.criterion: round(dev_accuracy(self.network, self.dev, self.dev_targets), 6)}

    def told(self, judged: Mapping[str, float]) -> str:
        """Say the share of right choices."""
        return f"{judged[self.criterion]:.1%} of held-out slots right"


def can_bfloat16() -> bool:
    """Return whether the processor computes with 16 bits faster than with 32."""
    able = torch.cpu.get_capabilities()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16"))


def train_network(task: Task, folder: Path, watcher: Watcher) -> dict[str, Any]:
    """Train the network of a task, or go on from a checkpoint, give it its best weights, and return facts."""
    learned = training_loop.run(task, folder, watcher)
    learned.network.eval()
    return {
        "dev_accuracy": learned.best.judged[task.criterion],
        "best_epoch": learned.best.number,
        "training_curve": [_row(epoch) for epoch in learned.curve],
        "training_seconds": round(learned.seconds, 1),
        "precision_in_training": "bfloat16" if task.bfloat16 else "float32",
        "parameters": sum(weights.numel() for weights in learned.network.parameters()),
    }


def _row(epoch: Epoch) -> dict[str, Any]:
    return {"epoch": epoch.number, "loss": round(epoch.loss, 6), **epoch.judged, "seconds": round(epoch.seconds, 1)}


def dev_accuracy(network: SlotNetwork, slots: Sequences, targets: Numbers) -> float:
    """Return the share of slots whose first choice is right."""
    return float((class_probabilities(network, slots).argmax(axis=1) == targets).mean())
