"""What have all choosers in common that are networks?"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.progress import Watcher
from hengliang.systems.classifier_choosers.examples import labels_of
from hengliang.systems.classifier_choosers.neural.schedule import Schedule
from hengliang.systems.classifier_choosers.neural.sequences import Numbers, Sequences
from hengliang.systems.classifier_choosers.trained import Probabilities, TrainedChooser, write_labels

if TYPE_CHECKING:
    from hengliang.systems.classifier_choosers.neural.networks import SlotNetwork


ONE_TRAINING = "Weights, network and the list of classifiers must be of one training."


class SlotReader(Protocol):
    """Turns slots into the symbols that a network knows."""

    def read(self, slots: pl.DataFrame) -> Sequences:
        """Return the symbols of each slot, in their order."""


class NeuralChooser(TrainedChooser):
    """A network that learns to choose: write how it begins, how it is stored, and how it is opened again."""

    @abstractmethod
    def schedule(self) -> Schedule:
        """Return how fast and how long it learns."""

    @abstractmethod
    def begin(self, train: pl.DataFrame, labels: tuple[str, ...]) -> tuple[SlotReader, SlotNetwork, Mapping[str, Any]]:
        """Return a reader and a network that has not learned to choose yet, and facts about them for the card."""

    @abstractmethod
    def store(self, reader: SlotReader, network: SlotNetwork, folder: Path) -> None:
        """Write reader and network into the folder: all that answering needs."""

    @abstractmethod
    def open(self, folder: Path, classes: int) -> tuple[SlotReader, SlotNetwork]:
        """Read what `store` wrote."""

    def check_settings(self) -> None:
        """Refuse a way of learning that cannot be, too."""
        super().check_settings()
        self.schedule()

    def learn(self, train: pl.DataFrame, dev: pl.DataFrame, folder: Path, watcher: Watcher) -> Mapping[str, Any]:
        """Train the network, with checkpoints, and store it as it was after the epoch that was best on dev."""
        need_libraries(self.name)
        from hengliang.core.training_loop import seeded
        from hengliang.systems.classifier_choosers.neural.training import THREADS, Task, can_bfloat16, train_network

        labels, seed = labels_of(train), int(self.seed or 0)
        with seeded(seed, THREADS):
            reader, network, facts = self.begin(train, labels)
        slots, held_out = reader.read(train), reader.read(dev)
        right, held_out_right = columns(train, labels), columns(dev, labels)
        task = Task(network, slots, right, held_out, held_out_right, self.schedule(), seed, can_bfloat16())
        learned = train_network(task, folder, watcher)
        self.store(reader, network, folder)
        write_labels(folder, labels)
        return {**facts, **learned}

    def probabilities(self, slots: pl.DataFrame) -> Probabilities:
        """Return the probabilities of all classifiers that the network knows."""
        need_libraries(self.name)
        from hengliang.systems.classifier_choosers.neural.networks import class_probabilities

        if "_opened" not in self.__dict__:
            self.__dict__["_opened"] = self.open(self.folder(), len(self.labels()))
        reader, network = self.__dict__["_opened"]
        return class_probabilities(network, reader.read(slots))


def columns(examples: pl.DataFrame, labels: tuple[str, ...]) -> Numbers:
    """Return which of the labels each example has, -1 where it has another."""
    places = {label: place for place, label in enumerate(labels)}
    return np.array([places.get(label, -1) for label in examples["label"].to_list()], np.int64)


def need_libraries(name: str) -> None:
    """Say which library is missing, before anything else fails for want of it."""
    try:
        import safetensors  # noqa: F401
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise UserError(
            f"The classifier chooser '{name}' needs the library {error.name}, which is not installed.",
            remedy="Install it with: pip install 'hengliang[neural]'",
        ) from error
