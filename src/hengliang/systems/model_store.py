"""Which trained models are on this machine, what are they, and where do they come from?

A model is a folder under `HENGLIANG_HOME/models` with a model card, `card.json`, written last, so that a folder with a
card is whole. The card names data and licence; whatever else a kind of model needs lies beside it.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hengliang import places
from hengliang.errors import UserError, file_errors, unknown_name
from hengliang.files import read_json

DAMAGED = "damaged"
"""The kind of a model whose card cannot be read."""


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A trained model on disk with its card."""

    name: str
    folder: Path
    card: Mapping[str, Any]

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(file.stat().st_size for file in self.folder.rglob("*") if file.is_file())


def stored_models() -> list[StoredModel]:
    """Return all whole models, by name."""
    folder = places.models()
    cards = sorted(folder.glob("*/card.json")) if folder.is_dir() else []
    return [StoredModel(card.parent.name, card.parent, _card(card)) for card in cards]


def _card(file: Path) -> Mapping[str, Any]:
    """Return what a card says; one that is no card must not hide the other models, and opening its model says so."""
    try:
        held = read_json(file)
    except UserError:
        held = None
    return held if isinstance(held, dict) else {"kind": DAMAGED}


def stored_model(name: str) -> StoredModel:
    """Return the model of this name; an unknown one lists those that are there."""
    models = {model.name: model for model in stored_models()}
    if name not in models:
        raise unknown_name("model", name, models)
    return models[name]


def model_folder(name: str) -> Path:
    """Return where a model of this name belongs, and refuse a name that would lead elsewhere."""
    if not name or name.startswith(".") or Path(name).name != name:
        raise UserError(f"'{name}' cannot be the name of a model.", valid="Letters, digits, '-', '_' and '.' inside.")
    return places.models() / name


def remove_model(name: str) -> StoredModel:
    """Delete a model and return what it was."""
    model = stored_model(name)
    with file_errors(model.folder, "remove"):
        shutil.rmtree(model.folder)
    return model
