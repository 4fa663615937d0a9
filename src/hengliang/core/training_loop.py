"""The training loop of all neural networks: epochs, early stopping, checkpoints, resuming bit for bit, and weights.

What is learned, from what, and how it is judged is the task's. The loop moves the weights along the clipped gradient at
the rate that the task gives, judges them after each epoch, keeps those of the best one, and stops early when `patience`
epochs bring nothing better. All that a task draws follows from seed, epoch and step, what dropout draws from the state
of the generator in the checkpoint: a training that was killed at any moment goes on to the same numbers, bit for bit on
the same machine with the same number of threads.

The state of a training is written into two slots in turn, each with a serial number and a hash at its end. Whatever
moment the machine dies at, one slot is whole; the newest whole one is taken. A damaged one is named, never guessed at.
"""

from __future__ import annotations

import hashlib
import io
import math
import pickle
import time
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, ClassVar, cast

import numpy as np

from hengliang.core.errors import Failure, UserError, file_errors
from hengliang.core.io.files import whole_file
from hengliang.core.learning import TEMPORARY
from hengliang.core.progress import Watcher

try:
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load as load_tensors
    from safetensors.torch import save as save_tensors
    from torch import Tensor, nn
except ImportError as error:
    raise UserError(
        f"Neural models need the library {error.name}, which is not installed.",
        remedy="Install it with: pip install 'hengliang[neural]'",
    ) from error

BETAS = (0.9, 0.98)


# --- task and pace ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a training lasts at most, when it gives up, how far one step may go, and what a crash may cost."""

    epochs: int
    patience: int
    clip: float = 1.0
    threads: int = 1
    checkpoint_minutes: float = 3.0


@dataclass(frozen=True, slots=True)
class Step:
    """One batch of a training: the epoch, counted from 1, its number in the epoch, from 0, and how many that has."""

    epoch: int
    number: int
    steps: int

    @property
    def passed(self) -> int:
        """How many steps came before, in all epochs."""
        return (self.epoch - 1) * self.steps + self.number


@dataclass(frozen=True, slots=True)
class Epoch:
    """What one epoch brought: the mean training loss in nats, what the task judged by, and the seconds it took."""

    number: int
    loss: float
    judged: Mapping[str, float]
    seconds: float

    def row(self) -> dict[str, Any]:
        """Return the epoch as one level of names."""
        return {"number": self.number, "loss": self.loss, **self.judged, "seconds": self.seconds}

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Epoch:
        """Return the epoch of such a row."""
        judged = {name: value for name, value in row.items() if name not in {"number", "loss", "seconds"}}
        return cls(row["number"], row["loss"], judged, row["seconds"])


class Task(ABC):
    """What a network is to learn: all of it is fixed before the first step."""

    criterion: ClassVar[str]
    """By which of the numbers that `judge` returns the best epoch is chosen."""
    lower_is_better: ClassVar[bool] = True
    seed: int

    @property
    @abstractmethod
    def pace(self) -> Pace:
        """How long, how carefully and on how many threads."""

    @property
    @abstractmethod
    def identity(self) -> str:
        """A hash of all that the numbers depend on; threads and the pace of checkpoints may change on the way."""

    @abstractmethod
    def build(self) -> nn.Module:
        """Return the network to begin with, from torch's generator."""

    @abstractmethod
    def optimiser(self, network: nn.Module) -> torch.optim.Optimizer:
        """Return what moves the weights, each group of them with its highest rate."""

    @abstractmethod
    def batches(self, epoch: int) -> Sequence[Any]:
        """Return the batches of an epoch in their order."""

    @abstractmethod
    def rate(self, step: Step) -> float:
        """Return the rate of learning as a share of the highest one."""

    @abstractmethod
    def loss(self, network: nn.Module, batch: Any, step: Step) -> tuple[Tensor, int]:
        """Return the mean loss of a batch in nats, and the number of events that it is the mean of."""

    @abstractmethod
    def judge(self, network: nn.Module) -> Mapping[str, float]:
        """Return how good the network is on what is held out, the criterion among the numbers."""

    @abstractmethod
    def told(self, judged: Mapping[str, float]) -> str:
        """Say in a few words how good that is."""

    def describe(self, folder: Path) -> None:  # noqa: B027  # not every task has something to write
        """Write into the folder what the weights are read with, once it is sure that the folder is ours."""

    def title(self, epoch: int) -> str:
        """Say which epoch it is."""
        return f"epoch {epoch} of at most {self.pace.epochs}"

    def mean_loss(self, losses: Sequence[float], events: int) -> float:
        """Return the mean of an epoch's losses, each given as the sum over its events."""
        # One after the other: another order would round otherwise.
        return float(np.cumsum(losses)[-1]) / events

    def order(self, epoch: int) -> np.random.Generator:
        """Return what the order of an epoch's batches is drawn from."""
        # The third number keeps this stream apart from those of the steps, which have that of their step.
        return np.random.default_rng([self.seed, epoch, 0])

    def stream(self, step: Step) -> np.random.Generator:
        """Return what a step may draw from."""
        return np.random.default_rng([self.seed, step.epoch, 1 + step.number])


def adamw(groups: Iterable[Mapping[str, Any]], weight_decay: float) -> torch.optim.AdamW:
    """Return AdamW over groups of weights (`params`), each with its highest rate (`lr`)."""
    return torch.optim.AdamW([dict(group) for group in groups], betas=BETAS, weight_decay=weight_decay, fused=True)


def share_of_peak(done: float, warmup: float) -> float:
    """Return the rate at a point of a training, 0 the start and 1 the end, as a share of the highest one.

    It rises from zero in the share of the training that is the warm-up, then falls to zero at the end.
    """
    rising = done / warmup if done < warmup else 1.0
    falling = (1 - done) / (1 - warmup) if warmup < 1 else 1.0
    return min(rising, falling)


def move(network: nn.Module, optimiser: torch.optim.Optimizer, loss: Tensor, clip: float) -> Tensor:
    """Move the weights once against the clipped gradient, and return how long the gradient was before."""
    optimiser.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    norm = torch.nn.utils.clip_grad_norm_(network.parameters(), clip)
    optimiser.step()
    return norm


@contextmanager
def seeded(seed: int, threads: int) -> Iterator[None]:
    """Seed torch for the block, and leave its generator and threads to the caller as they were."""
    if seed < 0:
        raise UserError(f"The seed {seed} is not possible.", valid="A seed is a whole number from 0.")
    before = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)


# --- training loop ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """A training that has ended: the network with its best weights, the best epoch, and the way there.

    `seconds` counts every session of a training that was resumed.
    """

    network: nn.Module
    best: Epoch
    seconds: float
    curve: tuple[Epoch, ...]


@dataclass(slots=True)
class _State:
    """How far a training is; everything here is in the checkpoint but the rates."""

    network: nn.Module
    optimiser: torch.optim.Optimizer
    peaks: tuple[float, ...]
    epoch: int = 1
    step: int = 0
    loss: list[float] = field(default_factory=list)
    asked: int = 0
    seconds: float = 0.0
    epoch_seconds: float = 0.0
    serial: int = 0
    best: dict[str, Tensor] = field(default_factory=dict)
    best_epoch: int = 0
    curve: list[Epoch] = field(default_factory=list)

    _PLAIN = ("epoch", "step", "loss", "asked", "seconds", "epoch_seconds", "serial", "best_epoch", "best")

    def packed(self) -> dict[str, Any]:
        """Return the state as what torch can write and read back safely."""
        return {
            **{name: getattr(self, name) for name in self._PLAIN},
            "network": self.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "generator": torch.get_rng_state(),
            "curve": [epoch.row() for epoch in self.curve],
        }

    def unpack(self, held: Mapping[str, Any]) -> None:
        """Take over the state of a checkpoint."""
        for name in self._PLAIN:
            setattr(self, name, held[name])
        if isinstance(self.loss, float):  # a checkpoint of an earlier version holds the sum only
            self.loss = [self.loss]
        self.network.load_state_dict(held["network"])
        self.optimiser.load_state_dict(held["optimiser"])
        self.curve = [Epoch.of_row(row) for row in held["curve"]]
        torch.set_rng_state(held["generator"])

    def spend(self, seconds: float) -> None:
        """Count time that was worked."""
        self.seconds += seconds
        self.epoch_seconds += seconds


def run(task: Task, folder: Path, watcher: Watcher) -> Learned:
    """Do a task, or go on with it where a checkpoint in the folder says; who has stored the weights removes those."""
    pace = task.pace
    with seeded(task.seed, pace.threads):
        state = _begin(task, folder, watcher)
        task.describe(folder)
        while state.epoch <= pace.epochs and (not state.curve or len(state.curve) - state.best_epoch < pace.patience):
            _run_epoch(task, state, folder, watcher)
        state.network.load_state_dict(state.best)
    return Learned(state.network, state.curve[state.best_epoch - 1], state.seconds, tuple(state.curve))


def _begin(task: Task, folder: Path, watcher: Watcher) -> _State:
    """Build the network and take over the newest checkpoint, if there is one."""
    network = task.build()
    optimiser = task.optimiser(network)
    state = _State(network, optimiser, tuple(group["lr"] for group in optimiser.param_groups))
    checkpoint = read_checkpoint(folder)
    for problem in checkpoint.damage:
        watcher.say(problem)
    if checkpoint.state is None:
        if checkpoint.damage:
            raise UserError(
                " ".join(checkpoint.damage),
                valid="No other checkpoint is whole, so that the training cannot go on from here.",
                remedy=f"Remove the folder {folder} and train anew.",
            )
        return state
    if checkpoint.state.get("identity") != task.identity:
        raise other_training(folder, "was begun")
    if not state.packed().keys() <= checkpoint.state.keys():
        raise UserError(
            f"The training in {folder} was begun by an earlier version of hengliang, and cannot go on in this one.",
            remedy=f"Remove the folder {folder} and train anew.",
        )
    state.unpack(checkpoint.state)
    watcher.say(f"goes on in {task.title(state.epoch)} at batch {state.step}, after {_minutes(state.seconds)}")
    return state


def other_training(folder: Path, what: str) -> UserError:
    """Say that the training in a folder is another one than was asked for."""
    return UserError(
        f"In {folder} a training {what} with another architecture, data, settings or seed.",
        remedy="Choose another folder, or remove this one.",
    )


def _run_epoch(task: Task, state: _State, folder: Path, watcher: Watcher) -> None:
    batches = task.batches(state.epoch)
    last = written = time.monotonic()
    state.network.train()
    with watcher.watch(task.title(state.epoch), len(batches)) as steps:
        steps.advance(state.step)
        while state.step < len(batches):
            _run_step(task, state, batches)
            steps.advance()
            now = time.monotonic()
            state.spend(now - last)
            last = now
            if now - written >= 60 * task.pace.checkpoint_minutes and state.step < len(batches):
                _save(task, state, folder)
                last = written = time.monotonic()
    brought = _end_epoch(task, state, last)
    _save(task, state, folder)
    watcher.say(brought)  # what was said is kept, whatever happens next


def _run_step(task: Task, state: _State, batches: Sequence[Any]) -> None:
    step = Step(state.epoch, state.step, len(batches))
    share = task.rate(step)
    for group, peak in zip(state.optimiser.param_groups, state.peaks, strict=True):
        group["lr"] = peak * share
    loss, events = task.loss(state.network, batches[state.step], step)
    norm = move(state.network, state.optimiser, loss, task.pace.clip)
    _check_finite(state, "training loss", loss.item())
    _check_finite(state, "gradient", norm.item())
    state.loss.append(loss.item() * events)
    state.asked += events
    state.step += 1


def _check_finite(state: _State, what: str, value: float) -> None:
    if not math.isfinite(value):
        raise Failure(
            f"The {what} is {value} in epoch {state.epoch} after {state.step} batches: the training has diverged.",
            remedy="Train anew into an empty folder with a lower rate of learning or a lower clip.",
        )


def _end_epoch(task: Task, state: _State, since: float) -> str:
    """Judge the epoch on what is held out, keep its weights if they are the best, and say what it brought."""
    judged = task.judge(state.network)
    _check_finite(state, task.criterion.replace("_", " "), judged[task.criterion])
    state.spend(time.monotonic() - since)
    loss = task.mean_loss(state.loss, state.asked)
    state.curve.append(Epoch(state.epoch, loss, judged, state.epoch_seconds))
    best = state.curve[state.best_epoch - 1] if state.best_epoch else None
    sign = 1 if task.lower_is_better else -1
    if best is None or sign * judged[task.criterion] < sign * best.judged[task.criterion]:
        state.best_epoch = state.epoch
        state.best = {name: tensor.detach().clone() for name, tensor in state.network.state_dict().items()}
    left = state.seconds / state.epoch * (task.pace.epochs - state.epoch)
    brought = f"{task.title(state.epoch)}: {task.told(judged)}, training loss {loss:.3f}"
    state.epoch, state.step, state.loss, state.asked, state.epoch_seconds = state.epoch + 1, 0, [], 0, 0.0
    return f"{brought}, at most {_minutes(left)} left"


def _save(task: Task, state: _State, folder: Path) -> None:
    began = time.monotonic()
    state.serial += 1
    write_checkpoint(folder, state.serial, {"identity": task.identity, **state.packed()})
    state.spend(time.monotonic() - began)


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


# --- checkpoints ------------------------------------------------------------------------------------------------------

FOLDER = TEMPORARY
"""Where in a model's folder the checkpoints lie; a finished model has none."""

SLOTS = ("checkpoint-a.pt", "checkpoint-b.pt")
_HASH_SIZE = 32


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The newest whole checkpoint, if there is one, and what is wrong with the others."""

    state: Mapping[str, Any] | None
    damage: tuple[str, ...]


class _Hashing(io.BufferedIOBase):
    """A stream that passes bytes on and keeps a running hash of them."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.hash = hashlib.blake2b(digest_size=_HASH_SIZE)

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        self.hash.update(piece)
        return self.stream.write(piece)


def write_checkpoint(folder: Path, serial: int, state: Mapping[str, Any]) -> None:
    """Write the state of a training into the slot whose turn it is."""
    with whole_file(folder / FOLDER / SLOTS[serial % len(SLOTS)]) as stream:
        hashing = _Hashing(stream)
        torch.save({"serial": serial, "state": dict(state)}, cast(IO[bytes], hashing))
        stream.write(hashing.hash.digest())


def read_checkpoint(folder: Path) -> Found:
    """Return the newest whole checkpoint of a folder."""
    whole: dict[int, Mapping[str, Any]] = {}
    damage = []
    for path in (folder / FOLDER / slot for slot in SLOTS):
        if path.exists():
            try:
                content = _read(path)
                whole[content["serial"]] = content["state"]
            except UserError as error:
                damage.append(error.problem)
    return Found(whole[max(whole)] if whole else None, tuple(damage))


def _read(path: Path) -> Mapping[str, Any]:
    with file_errors(path, "read"):
        raw = path.read_bytes()
    payload, expected = raw[:-_HASH_SIZE], raw[-_HASH_SIZE:]
    broken = UserError(f"The checkpoint {path} is damaged: it ends early or its bytes were changed.")
    if hashlib.blake2b(payload, digest_size=_HASH_SIZE).digest() != expected:
        raise broken
    try:
        content: Mapping[str, Any] = torch.load(io.BytesIO(payload), weights_only=True)
    except (RuntimeError, pickle.UnpicklingError, zipfile.BadZipFile, EOFError) as error:
        raise broken from error
    return content


# --- weights ----------------------------------------------------------------------------------------------------------

WEIGHTS = "weights.safetensors"


def write_weights(network: nn.Module, folder: Path) -> None:
    """Write the weights into a folder, whole or not at all."""
    tensors = {name: tensor.detach().contiguous() for name, tensor in network.state_dict().items()}
    with whole_file(folder / WEIGHTS) as stream:
        stream.write(save_tensors(tensors))


def read_weights(network: nn.Module, folder: Path, fitting: str = "") -> None:
    """Give a network the weights of a folder; a file that is not whole or not its own is refused.

    `fitting` says what must belong together for the weights to fit.
    """
    path = folder / WEIGHTS
    with file_errors(path, "read"):
        raw = path.read_bytes()
    try:
        tensors = load_tensors(raw)
    except (SafetensorError, ValueError) as error:
        raise _broken(path, f"is not a whole safetensors file ({error})") from error
    expected = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    for name in sorted(expected.keys() ^ shapes.keys()):
        raise _broken(path, f"{'lacks' if name in expected else 'has a stranger,'} {name}", fitting)
    for name, shape in expected.items():
        if shapes[name] != shape:
            raise _broken(path, f"holds {name} in the shape {shapes[name]} where {shape} is expected", fitting)
        if not torch.isfinite(tensors[name]).all():
            raise _broken(path, f"holds numbers in {name} that are not finite")
    network.load_state_dict(tensors)


def _broken(path: Path, what: str, fitting: str = "") -> UserError:
    return UserError(f"{path} {what}.", valid=fitting, remedy="Train the model again, or copy its folder again.")
