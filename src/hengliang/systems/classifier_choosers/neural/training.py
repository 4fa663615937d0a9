"""How does a network learn to choose classifiers, and go on after a crash as if nothing had happened?

The rate of learning rises, then falls to zero. After each epoch the network is tried on slots that were held out; the
weights of the best epoch are kept, and training ends early when nothing gets better. Batches and what dropout leaves
out follow from the seed and the number of the step, so that a checkpoint needs no more than the weights and the state
of the optimiser.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from hengliang.errors import Failure, UserError
from hengliang.progress import Watcher
from hengliang.signature import digest
from hengliang.systems.classifier_choosers.neural.networks import SlotNetwork, class_probabilities
from hengliang.systems.classifier_choosers.neural.schedule import Schedule
from hengliang.systems.classifier_choosers.neural.sequences import Numbers, Sequences, padded, shuffled_batches
from hengliang.systems.language_models.neural.checkpoints import read_checkpoint, write_checkpoint

BETAS = (0.9, 0.98)
THREADS = 1
"""Threads of a training: always as many, for another number rounds otherwise. Seeds can be trained side by side."""
CHECKPOINT_SECONDS = 180.0
"""Seconds of work that a crash may cost."""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What is to be learned: slots, the column of the classifier of each, and the same for what is held out.

    A classifier that only what is held out has is the column -1, which no choice can hit.
    """

    train: Sequences
    targets: Numbers
    dev: Sequences
    dev_targets: Numbers
    schedule: Schedule
    seed: int
    bfloat16: bool

    @property
    def identity(self) -> str:
        """A hash of all that the numbers depend on besides the weights at the start."""
        arrays = (self.train.symbols, self.train.offsets, self.targets, self.dev.symbols, self.dev_targets)
        settings = (repr(self.schedule), str(self.seed), str(self.bfloat16))
        return digest(*settings, *(array.tobytes() for array in arrays))

    def batches(self, epoch: int, spread: int) -> list[Numbers]:
        """Return the batches of an epoch in their order."""
        random = np.random.default_rng([self.seed, epoch])
        return shuffled_batches(self.train.lengths, self.schedule.batch, spread, random)


@dataclass(frozen=True, slots=True)
class Epoch:
    """What one epoch brought: nats an example in training, the share of right choices held out, and its time."""

    epoch: int
    loss: float
    dev_accuracy: float
    seconds: float


@dataclass(slots=True)
class _State:
    """How far a training is; everything here is in the checkpoint."""

    network: SlotNetwork
    optimiser: torch.optim.Optimizer
    start: str
    epoch: int = 1
    step: int = 0
    loss: float = 0.0
    seconds: float = 0.0
    serial: int = 0
    best: dict[str, Tensor] = field(default_factory=dict)
    curve: list[Epoch] = field(default_factory=list)

    _NUMBERS = ("epoch", "step", "loss", "seconds", "serial")

    @property
    def best_epoch(self) -> Epoch:
        """The first of the best epochs."""
        return max(self.curve, key=_accuracy)

    def packed(self) -> dict[str, Any]:
        """Return the state as what torch can write and read back safely."""
        return {
            **{name: getattr(self, name) for name in self._NUMBERS},
            "network": self.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "best": self.best,
            "curve": [asdict(epoch) for epoch in self.curve],
        }

    def unpack(self, held: Mapping[str, Any]) -> None:
        """Take over the state of a checkpoint."""
        for name in self._NUMBERS:
            setattr(self, name, held[name])
        self.network.load_state_dict(held["network"])
        self.optimiser.load_state_dict(held["optimiser"])
        self.best = dict(held["best"])
        self.curve = [Epoch(**epoch) for epoch in held["curve"]]


def _accuracy(epoch: Epoch) -> float:
    return epoch.dev_accuracy


def can_bfloat16() -> bool:
    """Return whether the processor computes with 16 bits faster than with 32."""
    able = torch.cpu.get_capabilities()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16"))


@contextmanager
def reproducible(seed: int) -> Iterator[None]:
    """Seed torch for the block, and leave its generator and threads to the caller as they were."""
    if seed < 0:
        raise UserError(f"The seed {seed} is not possible.", valid="A seed is a whole number from 0.")
    before = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(THREADS)
        try:
            yield
        finally:
            torch.set_num_threads(before)


def train_network(network: SlotNetwork, task: Task, folder: Path, watcher: Watcher) -> dict[str, Any]:
    """Train a network, or go on from a checkpoint in the folder, give it its best weights, and return facts."""
    with reproducible(task.seed):
        state = _begin(network, task, folder, watcher)
        while state.epoch <= task.schedule.epochs and not _stale(state, task.schedule):
            _run_epoch(task, state, folder, watcher)
    network.load_state_dict(state.best)
    network.eval()
    return {
        "dev_accuracy": state.best_epoch.dev_accuracy,
        "best_epoch": state.best_epoch.epoch,
        "training_curve": [asdict(epoch) for epoch in state.curve],
        "training_seconds": round(state.seconds, 1),
        "precision_in_training": "bfloat16" if task.bfloat16 else "float32",
        "parameters": sum(weights.numel() for weights in network.parameters()),
    }


def _begin(network: SlotNetwork, task: Task, folder: Path, watcher: Watcher) -> _State:
    """Take over the newest checkpoint, if there is one of the same training."""
    start = digest(*(tensor.detach().contiguous().numpy().tobytes() for tensor in network.state_dict().values()))
    state = _State(network, _optimiser(network, task.schedule), digest(start, task.identity))
    found = read_checkpoint(folder)
    for problem in found.damage:
        watcher.say(problem)
    if found.state is None:
        return state
    if found.state["identity"] != state.start:
        raise UserError(
            f"In {folder} a training was begun with other examples, settings or weights to start from.",
            remedy="Choose another folder, or remove this one.",
        )
    state.unpack(found.state)
    watcher.say(f"goes on in epoch {state.epoch} at batch {state.step}, after {state.seconds:.0f} s")
    return state


def _optimiser(network: SlotNetwork, schedule: Schedule) -> torch.optim.Optimizer:
    own = {id(weights) for weights in network.head().parameters()}
    body = [weights for weights in network.parameters() if id(weights) not in own and weights.requires_grad]
    groups = [
        {"params": body, "peak": schedule.rate},
        {"params": list(network.head().parameters()), "peak": schedule.head_rate},
    ]
    return torch.optim.AdamW(groups, schedule.rate, betas=BETAS, weight_decay=schedule.decay, fused=True)


def _run_epoch(task: Task, state: _State, folder: Path, watcher: Watcher) -> None:
    batches = task.batches(state.epoch, state.network.spread)
    last = saved = time.monotonic()
    with watcher.watch(f"epoch {state.epoch} of at most {task.schedule.epochs}", len(batches)) as steps:
        steps.advance(state.step)
        while state.step < len(batches):
            rows = batches[state.step]
            state.loss += _step(task, state, rows, (state.epoch - 1) * len(batches) + state.step) * len(rows)
            state.step += 1
            steps.advance()
            now = time.monotonic()
            state.seconds += now - last
            last = now
            if now - saved >= CHECKPOINT_SECONDS and state.step < len(batches):
                _save(state, folder)
                last = saved = time.monotonic()
    _end_epoch(task, state, last, watcher)
    _save(state, folder)


def _step(task: Task, state: _State, rows: Numbers, number: int) -> float:
    """Learn from one batch and return its loss in nats an example."""
    schedule = task.schedule
    torch.manual_seed(task.seed * 1_000_003 + number)
    steps = schedule.epochs * math.ceil(len(task.train) / schedule.batch)
    for group in state.optimiser.param_groups:
        group["lr"] = group["peak"] * schedule.share_of_peak(number / steps)
    state.network.train()
    with torch.autocast("cpu", torch.bfloat16, enabled=task.bfloat16):
        scores = state.network.scores(padded(task.train, rows, state.network.padding))
    targets = torch.from_numpy(task.targets[rows])
    loss = torch.nn.functional.cross_entropy(scores.float(), targets, label_smoothing=schedule.smoothing)
    state.optimiser.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    norm = torch.nn.utils.clip_grad_norm_(state.network.parameters(), schedule.clip)
    state.optimiser.step()
    value = float(loss.detach())
    if not math.isfinite(value) or not math.isfinite(float(norm)):
        raise Failure(
            f"The training has diverged in step {number + 1}: the loss is {value}, its gradient {float(norm)}.",
            remedy="Train anew with a smaller rate.",
        )
    return value


def _end_epoch(task: Task, state: _State, since: float, watcher: Watcher) -> None:
    """Judge the epoch on what is held out, and keep its weights if they are the best."""
    accuracy = dev_accuracy(state.network, task.dev, task.dev_targets)
    state.seconds += time.monotonic() - since
    before = sum(epoch.seconds for epoch in state.curve)
    loss = state.loss / len(task.train)
    state.curve.append(Epoch(state.epoch, round(loss, 6), round(accuracy, 6), round(state.seconds - before, 1)))
    if state.best_epoch is state.curve[-1]:
        state.best = {name: tensor.detach().clone() for name, tensor in state.network.state_dict().items()}
    left = state.seconds / state.epoch * (task.schedule.epochs - state.epoch)
    watcher.say(
        f"epoch {state.epoch} of at most {task.schedule.epochs}: {accuracy:.1%} of held-out slots right, "
        f"training loss {loss:.3f}, at most {left:.0f} s left"
    )
    state.epoch, state.step, state.loss = state.epoch + 1, 0, 0.0


def dev_accuracy(network: SlotNetwork, slots: Sequences, targets: Numbers) -> float:
    """Return the share of slots whose first choice is right."""
    return float((class_probabilities(network, slots).argmax(axis=1) == targets).mean())


def _stale(state: _State, schedule: Schedule) -> bool:
    return bool(state.curve) and len(state.curve) - state.best_epoch.epoch >= schedule.patience


def _save(state: _State, folder: Path) -> None:
    began = time.monotonic()
    state.serial += 1
    write_checkpoint(folder, state.serial, {"identity": state.start, **state.packed()})
    state.seconds += time.monotonic() - began
