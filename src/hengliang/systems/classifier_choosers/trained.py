"""How does a chooser that has to learn first come to know what it knows?

A `TrainedChooser` names its family, its settings and its examples. Before a study's first batch it trains, or goes on
with a training that was interrupted, or finds itself in the store of models; from then on it answers from there. The
card of a stored chooser says from which examples it learned, which classifiers it knows, and how often it chose right
on examples that were held out.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError
from hengliang.core.io.files import read_json, write_json
from hengliang.core.learning import is_trained, model_folder, read_card, train_once
from hengliang.core.progress import Silent, Watcher
from hengliang.core.records import Attribute
from hengliang.core.signature import Signature, digest, path_checksum
from hengliang.materials.classifier_inventory import own_classifiers
from hengliang.materials.classifier_slots import ClassifierSlots
from hengliang.systems.classifier_choosers.base import ClassifierChooser
from hengliang.systems.classifier_choosers.examples import EXAMPLE_SCHEMA, examples_checksum, examples_of, hold_out
from hengliang.systems.classifier_choosers.rankings import TOP, rankings

LABELS = "classifiers.json"
Probabilities = NDArray[np.float32] | NDArray[np.float64]


class TrainedChooser(ClassifierChooser):
    """A chooser that learns from examples: write `learn`, `probabilities` and, if it can be varied, `settings`.

    `train` is what it learns from (the training part of the default corpus), `dev` what is held out to stop in time and
    to say how good it is (the dev part of the default corpus; of other materials a tenth of `train`). `model` is a
    name in the store or a folder: then nothing is learned, and `train`, `dev` and `seed` do not count.
    """

    family: ClassVar[str] = ""
    learning: ClassVar[int] = 1
    """Raised when the same examples, settings and seed would teach something else than before."""

    def __init__(
        self,
        train: Material | None = None,
        dev: Material | None = None,
        seed: int = 1,
        top: int | None = TOP,
        model: str = "",
        name: str = "",
    ) -> None:
        self.train = train
        self.dev = dev
        self.seed = seed
        self.top = top
        self.model = model
        self.name = name or self.family

    @abstractmethod
    def learn(self, train: pl.DataFrame, dev: pl.DataFrame, folder: Path, watcher: Watcher) -> Mapping[str, Any]:
        """Learn from `train` (`EXAMPLE_SCHEMA`), write what was learned into the folder, return facts for the card.

        The classifiers it knows are written with `write_labels`. Work in progress goes into `folder / "training"`, so
        that a training that was killed goes on from there; the caller removes that folder in the end.
        """

    @abstractmethod
    def probabilities(self, slots: pl.DataFrame) -> Probabilities:
        """Return one row a slot (`SLOT_SCHEMA`) and one column a classifier, in the order of `labels()`.

        What was learned is read from `folder()` at the first call and kept under a name that begins with an underscore.
        """

    def settings(self) -> Mapping[str, Any]:
        """Return all that can change what is learned besides examples and seed, as JSON can hold it."""
        return {}

    def check_settings(self) -> None:
        """Refuse settings that cannot be, before the first example is looked for, which may take minutes."""
        for name, hint in setting_types(type(self)).items():
            value = getattr(self, name, None)
            if not _fits(value, hint):
                raise UserError(f"{name}={value!r} is not possible.", valid=f"{name} is {type_title(hint)}.")
        self.settings()

    # --- answering ---

    def choose(self, slots: pl.DataFrame) -> pl.Series:
        """Return the most probable classifiers of each slot."""
        if not slots.height:
            return rankings(np.zeros((0, 1)), ["个"])
        self.prepare(Silent())
        return rankings(self.probabilities(slots), self.labels(), self.top)

    def prepare(self, watcher: Watcher) -> None:
        """Train, go on, or find the chooser in the store; nothing is done twice in a process."""
        if "_prepared" in self.__dict__:
            return
        if self.model:
            check_inventory(self.folder())
        else:
            train_chooser(self, watcher=watcher)
        self.__dict__["_prepared"] = True

    def labels(self) -> tuple[str, ...]:
        """Return the classifiers that the chooser knows."""
        held: tuple[str, ...] | None = self.__dict__.get("_labels")
        if held is None:
            held = read_labels(self.folder())
            self.__dict__["_labels"] = held
        return held

    def card(self) -> Mapping[str, Any]:
        """Return the card of the stored chooser."""
        return read_card(self.folder())

    def folder(self) -> Path:
        """Return where the chooser is stored: a folder that was named, or its own place in the store."""
        if not self.model:
            return model_folder(self.stored_name())
        return Path(self.model) if _is_path(self.model) else model_folder(self.model)

    def stored_name(self) -> str:
        """Return the name in the store; other examples than the usual ones, or other settings, show as a hash."""
        name = f"classifiers-{self.family.lower()}-{self.seed}"
        settings = self.settings() != type(self)().settings()
        if self.train is None and self.dev is None and not settings:
            return name
        return f"{name}-{digest(repr(sorted(self.recipe().items(), key=str)))[:8]}"

    def recipe(self) -> dict[str, Any]:
        """Return what must be equal for two trainings to be the same."""
        train, dev = self.examples()
        return {
            "family": self.family,
            "learning": self.learning,
            "seed": self.seed,
            "settings": dict(self.settings()),
            "examples": examples_checksum(train),
            "held_out": examples_checksum(dev),
        }

    def examples(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return what is learned from and what is held out."""
        train = examples_of(self.train or ClassifierSlots(part="train"))
        if self.dev is not None:
            return train, examples_of(self.dev)
        return (train, examples_of(ClassifierSlots(part="dev"))) if self.train is None else hold_out(train)

    def signature(self) -> Signature:
        """Return what can change an answer; a chooser from a folder is named by the content of the folder."""
        signature = super().signature()
        if self.model:
            return signature.and_(stored=path_checksum(self.folder()))
        usual = {} if self.train is not None else {"usual": ClassifierSlots(part="train").signature()}
        return signature.and_(**usual)

    def traits(self) -> Mapping[str, Attribute]:
        """Return family, seed and the number of examples, by which analyses may group."""
        trained = self.model or ("_prepared" in self.__dict__)
        slots = self.card().get("slots", {}).get("train", 0) if trained else self.examples()[0].height
        return {"family": self.family, "seed": self.seed, "training_slots": slots}

    def __getstate__(self) -> dict[str, Any]:
        """Leave what was read from the disk behind: a worker process reads it itself."""
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}


def _is_path(model: str) -> bool:
    return "/" in model or model.startswith(".") or is_trained(Path(model))


# --- settings -------------------------------------------------------------------------------------------------------

_COMMON = ("train", "dev", "seed", "model", "name", "top")
_TITLES = {bool: "yes or no", int: "a whole number", float: "a number", str: "a text"}


def setting_types(kind: type[TrainedChooser]) -> dict[str, Any]:
    """Return the settings of a family of choosers, which are what its constructor takes besides the common things.

    Each stands with its type, or with `Any` where a plug-in imports its types for type checkers only.
    """
    try:
        hints = get_type_hints(kind.__init__)
    except NameError:
        hints = {}
    taken = inspect.signature(kind).parameters.values()
    named = [one.name for one in taken if one.name not in _COMMON and one.default is not one.empty]
    return {name: hints.get(name, Any) for name in named}


def plain_types(hint: Any) -> list[type]:
    """Return the types that a value may have: those of a union, and of literals that of the literals."""
    if get_origin(hint) in (Union, UnionType):
        return [one for part in get_args(hint) for one in plain_types(part)]
    if get_origin(hint) is Literal:
        return list(dict.fromkeys(type(value) for value in get_args(hint)))
    return [hint]


def type_title(hint: Any) -> str:
    """Say in words which values a type allows."""
    titles = [_TITLES.get(kind, "None" if kind is NoneType else str(kind)) for kind in plain_types(hint)]
    return " or ".join(titles)


def _fits(value: object, hint: Any) -> bool:
    kinds = plain_types(hint)
    if not all(kind in _TITLES or kind is NoneType for kind in kinds):
        return True  # something of the family's own, of which it knows best
    if isinstance(value, bool):
        return bool in kinds
    return isinstance(value, tuple(kinds)) or (isinstance(value, int) and float in kinds)


# --- training -------------------------------------------------------------------------------------------------------


def train_chooser(chooser: TrainedChooser, out: Path | None = None, watcher: Watcher | None = None) -> Path:
    """Train a chooser, or go on with it, and return its folder, `out` or its place in the store."""
    chooser.check_settings()
    folder = out or chooser.folder()

    def learn() -> Mapping[str, Any]:
        train, dev = chooser.examples()
        return {**_facts(chooser, train, dev), **chooser.learn(train, dev, folder, watcher or Silent())}

    train_once(folder, chooser.recipe(), learn)
    check_inventory(folder)
    return folder


def _facts(chooser: TrainedChooser, train: pl.DataFrame, dev: pl.DataFrame) -> dict[str, Any]:
    source = chooser.train or ClassifierSlots(part="train")
    return {
        "kind": chooser.role,
        "family": chooser.family,
        "seed": chooser.seed,
        "data": str(source.signature()),
        "licence": source.licence,
        "inventory": inventory_checksum(),
        "slots": {"train": train.height, "dev": dev.height},
        "nouns": train["noun"].n_unique(),
        "classifiers": train["label"].n_unique(),
    }


def write_labels(folder: Path, labels: tuple[str, ...]) -> None:
    """Write which classifiers a chooser knows, in the order of its columns."""
    write_json(folder / LABELS, list(labels))


def read_labels(folder: Path) -> tuple[str, ...]:
    """Read which classifiers a chooser knows."""
    held = read_json(folder / LABELS)
    if not isinstance(held, list) or not held or not all(isinstance(label, str) for label in held):
        raise UserError(f"{folder / LABELS} is no list of classifiers.", remedy="Train the chooser again.")
    return tuple(held)


def inventory_checksum() -> str:
    """Return a hash of the classifiers that our own table lists."""
    return digest(*sorted(classifier.form for classifier in own_classifiers()))


def check_inventory(folder: Path) -> None:
    """Refuse a chooser that was trained with another inventory and names what ours does not list.

    With the same inventory a chooser may know classifiers of its corpus that are not in the list.
    """
    card = read_card(folder)
    if card.get("kind") != ClassifierChooser.role:
        raise UserError(
            f"{folder} holds no classifier chooser, but a model of the kind '{card.get('kind')}'.",
            remedy="See which there are: hengliang models list",
        )
    if card.get("inventory") == inventory_checksum():
        return
    listed = {classifier.form for classifier in own_classifiers()}
    strange = [label for label in read_labels(folder) if label not in listed]
    if strange:
        raise UserError(
            f"The chooser in {folder} was trained with another inventory: "
            f"'{strange[0]}'{f' and {len(strange) - 1} others are' if len(strange) > 1 else ' is'} not in ours.",
            valid=f"Our inventory has {len(listed)} classifiers.",
            remedy=f"Train it again: hengliang classifiers train {card.get('family', '')}".rstrip(),
        )


__all__ = [
    "EXAMPLE_SCHEMA", "Probabilities", "TrainedChooser", "check_inventory", "inventory_checksum", "plain_types",
    "read_labels", "setting_types", "train_chooser", "type_title", "write_labels",
]  # fmt: skip
