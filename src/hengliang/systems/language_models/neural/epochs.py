"""How does a network learn epoch by epoch, and how does a killed training go on?

AdamW with a linear warm-up and a linear decay to zero, clipped gradients; after each epoch the perplexity of the dev
sentences. The weights of the best epoch are kept, and training stops early when `patience` epochs bring nothing better.
All that is drawn follows from seed, epoch and step, the dropout from the state of the generator in the checkpoint: a
training that was killed at any moment goes on to the same numbers, bit for bit on the same machine with the same number
of threads. What is learned, from what, and how it is judged is the task's.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from hengliang.errors import Failure, UserError
from hengliang.files import read_json, write_json
from hengliang.progress import Watcher
from hengliang.systems.language_models.neural.checkpoints import read_checkpoint, remove_checkpoints, write_checkpoint
from hengliang.systems.language_models.neural.networks import write_weights
from hengliang.systems.language_models.neural.settings import Settings
from hengliang.systems.language_models.neural.steps import build_optimiser, move, set_rate
from hengliang.text import Offsets

FILE = "training.json"


@dataclass(frozen=True, slots=True)
class Epoch:
    """What one epoch brought: the mean training loss in nats, the perplexity of dev, and the seconds it took."""

    number: int
    loss: float
    dev_perplexity: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Trained:
    """A finished training: the perplexity of the kept weights on dev, their epoch, and the way there.

    `seconds` counts every session of a training that was resumed.
    """

    dev_perplexity: float
    best_epoch: int
    seconds: float
    curve: tuple[Epoch, ...]

    @property
    def epochs(self) -> int:
        """How many epochs were run."""
        return len(self.curve)


class Task(ABC):
    """What is to be learned: all of it is fixed before the first step."""

    settings: Settings
    seed: int

    @property
    @abstractmethod
    def identity(self) -> str:
        """A hash of all that the numbers depend on; threads and the pace of checkpoints may change on the way."""

    @abstractmethod
    def build(self) -> nn.Module:
        """Return the network with random weights from torch's generator."""

    @abstractmethod
    def batches(self, epoch: int) -> list[Offsets]:
        """Return the batches of an epoch in their order, each as the numbers of its sentences."""

    @abstractmethod
    def loss(self, network: nn.Module, batch: Offsets, stream: np.random.Generator) -> tuple[Tensor, int]:
        """Return the mean loss of a batch and the number of events that it is the mean of."""

    @abstractmethod
    def judge(self, network: nn.Module) -> float:
        """Return the perplexity of the dev sentences."""

    @abstractmethod
    def describe(self, folder: Path) -> None:
        """Write into the folder what the weights are read with."""

    def order(self, epoch: int) -> np.random.Generator:
        """Return what the order of an epoch's batches is drawn from."""
        # The third number keeps this stream apart from those of the steps, which have that of their step.
        return np.random.default_rng([self.seed, epoch, 0])


@dataclass(slots=True)
class _State:
    """How far a training is; everything here is in the checkpoint."""

    network: nn.Module
    optimiser: torch.optim.Optimizer
    epoch: int = 1
    step: int = 0
    loss: float = 0.0
    asked: int = 0
    seconds: float = 0.0
    epoch_seconds: float = 0.0
    serial: int = 0
    best: dict[str, Tensor] = field(default_factory=dict)
    best_epoch: int = 0
    curve: list[Epoch] = field(default_factory=list)

    _NUMBERS = ("epoch", "step", "loss", "asked", "seconds", "epoch_seconds", "serial", "best_epoch")

    def packed(self) -> dict[str, Any]:
        """Return the state as what torch can write and read back safely."""
        return {
            **{name: getattr(self, name) for name in self._NUMBERS},
            "network": self.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "generator": torch.get_rng_state(),
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
        torch.set_rng_state(held["generator"])


def run(task: Task, folder: Path, watcher: Watcher) -> Trained:
    """Do a task into a folder, or go on with what was begun there; the folder then holds `training.json`."""
    finished = _finished(folder, task)
    if finished:
        remove_checkpoints(folder)
        return finished
    with _private_generator(task.seed, task.settings.threads):
        state = _begin(task, folder, watcher)
        task.describe(folder)
        while state.epoch <= task.settings.epochs and not _stale(state, task.settings):
            _run_epoch(task, state, folder, watcher)
        state.network.load_state_dict(state.best)
        write_weights(state.network, folder)
    trained = Trained(_best(state), state.best_epoch, state.seconds, tuple(state.curve))
    _write_finished(folder, task, trained)
    remove_checkpoints(folder)
    return trained


@contextmanager
def _private_generator(seed: int, threads: int) -> Iterator[None]:
    """Seed torch for the block, and leave its generator and threads to the caller as they were."""
    before = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)


def _begin(task: Task, folder: Path, watcher: Watcher) -> _State:
    """Build the network and take over the newest checkpoint, if there is one."""
    network = task.build()
    state = _State(network.train(), build_optimiser(network, task.settings))
    found = read_checkpoint(folder)
    for problem in found.damage:
        watcher.say(problem)
    if found.state is None:
        if found.damage:
            raise UserError(
                " ".join(found.damage),
                valid="No other checkpoint is whole, so that the training cannot go on from here.",
                remedy=f"Remove the folder {folder} and train anew.",
            )
        return state
    if found.state["identity"] != task.identity:
        raise _other_training(folder, "was begun")
    state.unpack(found.state)
    watcher.say(f"goes on in epoch {state.epoch} at batch {state.step}, after {_minutes(state.seconds)}")
    return state


def _run_epoch(task: Task, state: _State, folder: Path, watcher: Watcher) -> None:
    settings = task.settings
    batches = task.batches(state.epoch)
    last, written = time.monotonic(), time.monotonic()
    with watcher.watch(f"epoch {state.epoch} of at most {settings.epochs}", len(batches)) as steps:
        steps.advance(state.step)
        while state.step < len(batches):
            done = (state.epoch - 1 + state.step / len(batches)) / settings.epochs
            set_rate(state.optimiser, settings, done)
            stream = np.random.default_rng([task.seed, state.epoch, 1 + state.step])
            loss, count = task.loss(state.network, batches[state.step], stream)
            norm = move(state.network, state.optimiser, loss, settings.clip)
            _check_finite(state, "training loss", loss.item())
            _check_finite(state, "gradient", norm.item())
            state.loss += loss.item() * count
            state.asked += count
            state.step += 1
            steps.advance()
            now = time.monotonic()
            _spend(state, now - last)
            last = now
            if now - written >= 60 * settings.checkpoint_minutes and state.step < len(batches):
                _save(task, state, folder)
                last = written = time.monotonic()
    _end_epoch(task, state, folder, watcher, last)


def _check_finite(state: _State, what: str, value: float) -> None:
    if not math.isfinite(value):
        raise Failure(
            f"The {what} is {value} in epoch {state.epoch} after {state.step} batches: the training has diverged.",
            remedy="Train anew into an empty folder with a lower learning_rate or a lower clip.",
        )


def _end_epoch(task: Task, state: _State, folder: Path, watcher: Watcher, since: float) -> None:
    """Judge the epoch on dev, keep its weights if they are the best, and write the checkpoint."""
    perplexity = task.judge(state.network)
    _check_finite(state, "perplexity of dev", perplexity)
    _spend(state, time.monotonic() - since)
    best = _best(state) if state.curve else math.inf
    state.curve.append(Epoch(state.epoch, state.loss / state.asked, perplexity, state.epoch_seconds))
    if perplexity < best:
        state.best_epoch = state.epoch
        state.best = {name: tensor.clone() for name, tensor in state.network.state_dict().items()}
    left = state.seconds / state.epoch * (task.settings.epochs - state.epoch)
    watcher.say(
        f"epoch {state.epoch} of at most {task.settings.epochs}: dev perplexity {perplexity:.1f}, "
        f"training loss {state.loss / state.asked:.3f}, at most {_minutes(left)} left"
    )
    state.epoch, state.step, state.loss, state.asked, state.epoch_seconds = state.epoch + 1, 0, 0.0, 0, 0.0
    _save(task, state, folder)


def _save(task: Task, state: _State, folder: Path) -> None:
    began = time.monotonic()
    state.serial += 1
    write_checkpoint(folder, state.serial, {"identity": task.identity, **state.packed()})
    _spend(state, time.monotonic() - began)


def _spend(state: _State, seconds: float) -> None:
    state.seconds += seconds
    state.epoch_seconds += seconds


def _best(state: _State) -> float:
    return min(epoch.dev_perplexity for epoch in state.curve)


def _stale(state: _State, settings: Settings) -> bool:
    return len(state.curve) - state.best_epoch >= settings.patience


def _finished(folder: Path, task: Task) -> Trained | None:
    """Return the training that was finished in this folder before; one of other data or settings is refused."""
    if not (folder / FILE).exists():
        return None
    held = read_json(folder / FILE)
    expected = {"identity", *(field.name for field in fields(Trained)), "settings", "seed"}
    if not isinstance(held, Mapping) or set(held) != expected:
        raise UserError(f"{folder / FILE} does not tell of a training.", remedy=f"Remove {folder} and train anew.")
    if held["identity"] != task.identity:
        raise _other_training(folder, "was finished")
    curve = tuple(Epoch(**epoch) for epoch in held["curve"])
    return Trained(held["dev_perplexity"], held["best_epoch"], held["seconds"], curve)


def _write_finished(folder: Path, task: Task, trained: Trained) -> None:
    told = {"identity": task.identity, **asdict(trained), "settings": asdict(task.settings), "seed": task.seed}
    write_json(folder / FILE, told)


def _other_training(folder: Path, what: str) -> UserError:
    return UserError(
        f"In {folder} a training {what} with another architecture, data, settings or seed.",
        remedy="Choose another folder, or remove this one.",
    )


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
