"""Neural training: optimiser steps, epochs with dev perplexity, and the training of word networks.

First one step of a training and how long it takes, then the training that all networks of words and trees share, then
that of networks of words.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from hengliang.core import training_loop
from hengliang.core.errors import UserError
from hengliang.core.io.files import read_json, write_json
from hengliang.core.labelling.texts import Texts
from hengliang.core.learning import remove_temporary
from hengliang.core.progress import Silent, Watcher
from hengliang.core.signature import digest
from hengliang.core.text.characters import Offsets
from hengliang.core.training_loop import (
    Pace,
    Step,
    Task,
    adamw,
    move,
    other_training,
    seeded,
    share_of_peak,
    write_weights,
)
from hengliang.language_models.neural.batches import Batch, Sequences, batches_by_length, padded, sequences_of
from hengliang.language_models.neural.networks import (
    Candidates,
    WordNetwork,
    batch_loss,
    build_network,
    draw,
    inclusions,
    target_logprobs,
)
from hengliang.language_models.neural.settings import Architecture, Settings, usual_settings
from hengliang.language_models.scores import Numbers
from hengliang.language_models.vocabulary import SPECIAL, Vocabulary

# --- training steps ---------------------------------------------------------------------------------------------------


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


# --- training of neural language models -------------------------------------------------------------------------------
# AdamW with a linear warm-up and a linear decay to zero, dropout, and the softmax over some words drawn anew for each
# batch; after each epoch the perplexity of the dev sentences, exact and in single precision. How epochs follow each
# other and how a killed training goes on is explained in `hengliang.core.training_loop`.

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


class LanguageTask(Task):
    """Prediction of what comes next in sentences: judged by a perplexity, written as weights and `training.json`."""

    criterion = "dev_perplexity"
    settings: Settings

    @property
    def pace(self) -> Pace:
        """Return what the settings say."""
        settings = self.settings
        return Pace(settings.epochs, settings.patience, settings.clip, settings.threads, settings.checkpoint_minutes)

    @abstractmethod
    def perplexity(self, network: nn.Module) -> float:
        """Return the perplexity of the dev sentences."""

    def optimiser(self, network: nn.Module) -> torch.optim.Optimizer:
        """Return AdamW, in which biases and normalisations do not decay."""
        return build_optimiser(network, self.settings)

    def rate(self, step: Step) -> float:
        """Return the share of the highest rate: up in the warm-up, then down to zero at the end of the last epoch."""
        done = (step.epoch - 1 + step.number / step.steps) / self.settings.epochs
        return share_of_peak(done, self.settings.warmup)

    def judge(self, network: nn.Module) -> Mapping[str, float]:
        """Return the perplexity of the dev sentences by its name."""
        return {self.criterion: self.perplexity(network)}

    def told(self, judged: Mapping[str, float]) -> str:
        """Say the perplexity."""
        return f"dev perplexity {judged[self.criterion]:.1f}"


def run(task: LanguageTask, folder: Path, watcher: Watcher) -> Trained:
    """Do a task into a folder, or go on with what was begun there; the folder then holds `training.json`."""
    trained = _finished(folder, task)
    if trained is None:
        learned = training_loop.run(task, folder, watcher)
        write_weights(learned.network, folder)
        curve = tuple(Epoch(**epoch.row()) for epoch in learned.curve)
        best = learned.best
        trained = Trained(best.judged[task.criterion], best.number, learned.seconds, curve)
        record = {"identity": task.identity, **asdict(trained), "settings": asdict(task.settings), "seed": task.seed}
        write_json(folder / FILE, record)
    remove_temporary(folder)
    return trained


def _finished(folder: Path, task: LanguageTask) -> Trained | None:
    """Return the training that was finished in this folder before; one of other data or settings is refused."""
    if not (folder / FILE).exists():
        return None
    record = read_json(folder / FILE)
    expected = {"identity", *(field.name for field in fields(Trained)), "settings", "seed"}
    if not isinstance(record, Mapping) or set(record) != expected:
        raise UserError(f"{folder / FILE} does not tell of a training.", remedy=f"Remove {folder} and train anew.")
    if record["identity"] != task.identity:
        raise other_training(folder, "was finished")
    curve = tuple(Epoch(**epoch) for epoch in record["curve"])
    return Trained(record["dev_perplexity"], record["best_epoch"], record["seconds"], curve)


# --- networks of words ------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class _Words(LanguageTask):
    """Prediction of the next word."""

    architecture: Architecture
    vocabulary: Vocabulary
    train: Sequences
    dev: Sequences
    settings: Settings
    seed: int

    @property
    def identity(self) -> str:
        """A hash of architecture, settings, seed, vocabulary and data."""
        settings = replace(self.settings, threads=1, checkpoint_minutes=0.0)
        data = (part.tobytes() for part in (self.train.targets, self.train.firsts, self.dev.targets))
        return digest(repr(self.architecture), repr(settings), str(self.seed), self.vocabulary.checksum, *data)

    @cached_property
    def inclusions(self) -> Numbers:
        """How probable each word is among the candidates of a batch."""
        return inclusions(self.vocabulary.counts, self.settings.candidates)

    def build(self) -> WordNetwork:
        """Return the network; its output bias starts at the frequencies of the words."""
        unigrams = self.vocabulary.unigram_logprobs
        return build_network(self.architecture, dropout=self.settings.dropout, unigrams=unigrams)

    def batches(self, epoch: int) -> list[Offsets]:
        """Return sentences of like length side by side."""
        return batches_by_length(self.train.lengths, self.settings.tokens, self.order(epoch))

    def loss(self, network: nn.Module, batch: Offsets, step: Step) -> tuple[Tensor, int]:
        """Return the mean surprisal of the words and ends of a batch."""
        among = draw(self.inclusions, self.stream(step))
        windows = padded(self.train, batch)
        loss = windows_loss(_words(network), self.train, windows, among, bfloat16=self.settings.bfloat16)
        return loss, len(windows.asked)

    def perplexity(self, network: nn.Module) -> float:
        """Return the perplexity of dev."""
        return dev_perplexity(_words(network), self.dev)

    def describe(self, folder: Path) -> None:
        """Write the architecture and the vocabulary."""
        self.architecture.write(folder)
        self.vocabulary.write(folder)


def _words(network: nn.Module) -> WordNetwork:
    if not isinstance(network, WordNetwork):
        raise UserError(f"A {type(network).__name__} is no network of words.")
    return network


def train(
    architecture: Architecture,
    vocabulary: Vocabulary,
    train: Texts,
    dev: Texts,
    folder: Path,
    settings: Settings | None = None,
    seed: int = 1,
    watcher: Watcher | None = None,
) -> Trained:
    """Train a network into a folder, or go on with the training that was begun there.

    The folder then holds the weights, the architecture, the vocabulary and `training.json`. The texts must carry their
    words. A Transformer's context shrinks to the longest training sentence, because it cannot know later places.
    """
    task = _task(architecture, vocabulary, train, dev, settings or usual_settings(architecture), seed)
    return run(task, folder, watcher or Silent())


def _task(
    architecture: Architecture, vocabulary: Vocabulary, train: Texts, dev: Texts, settings: Settings, seed: int
) -> _Words:
    if architecture.symbols != len(vocabulary):
        raise UserError(
            f"The architecture is for {architecture.symbols} symbols and the vocabulary has {len(vocabulary)}.",
            remedy="Make the architecture from this vocabulary: architecture(kind, size, len(vocabulary)).",
        )
    for name, texts in (("training", train), ("dev", dev)):
        if not len(texts) or not texts.segmented.all():
            raise UserError(f"The {name} texts are empty or lack words.", remedy="Give texts.with_words().")
    if architecture.kind == "transformer":
        longest = int(np.diff(train.offsets).max()) + 1
        architecture = replace(architecture, context=max(2, min(architecture.context, longest)))
    learnt, tried = (
        sequences_of(vocabulary.encode(texts.words)[0], texts.offsets, architecture.context, architecture.stride)
        for texts in (train, dev)
    )
    return _Words(architecture, vocabulary, learnt, tried, settings, seed)


def dev_perplexity(network: WordNetwork, sequences: Sequences) -> float:
    """Return the perplexity of these sentences, their ends included."""
    return float(np.exp(-target_logprobs(network, sequences).mean()))
