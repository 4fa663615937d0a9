"""What is a stored model: from which data, made how, how good, and is it whole?

A model card, `card.json`, is written last into a model's folder, so that a folder with a card is whole. It names the
data and their licence, everything that went into the training, and the perplexity that came out; and it knows the size
and checksum of every file beside it, so that a truncated one is noticed when the model is opened.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hengliang.errors import UserError
from hengliang.files import read_json, write_json
from hengliang.segmentation import USUAL_SEGMENTER
from hengliang.signature import file_checksum, version

FILE = "card.json"
FORMAT = 1
TEMPORARY = ("training",)
"""Folders inside a model's folder that hold work in progress and are not part of the model."""


def write_card(folder: Path, **facts: Any) -> dict[str, Any]:
    """Write the card of a model whose other files are all there, and return it."""
    files = {
        str(file.relative_to(folder)): {"bytes": file.stat().st_size, "sha256": file_checksum(file)}
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not _is_apart(file.relative_to(folder))
    }
    card = {**facts, "files": files, "format": FORMAT, "hengliang": version()}
    write_json(folder / FILE, card)
    return card


def _is_apart(file: Path) -> bool:
    return file.name == FILE or file.name.startswith(".") or file.parts[0] in TEMPORARY


def read_card(folder: Path) -> Mapping[str, Any]:
    """Return the card of a model whose files are all there with the right sizes, else say which is not."""
    if not (folder / FILE).is_file():
        raise UserError(
            f"{folder} holds no trained model: it has no {FILE}.",
            valid="A training that was interrupted leaves none.",
            remedy="Go on with the training by the command that began it, or see: hengliang models list",
        )
    card: Mapping[str, Any] = read_json(folder / FILE)
    if not isinstance(card, dict) or not isinstance(card.get("files"), dict) or card.get("format") != FORMAT:
        raise UserError(
            f"{folder / FILE} is not a model card of format {FORMAT}.",
            remedy="Train the model again with this version of hengliang.",
        )
    for name, held in card["files"].items():
        file = folder / name
        size = file.stat().st_size if file.is_file() else None
        if size != held["bytes"]:
            state = "is missing" if size is None else f"has {size:,} bytes instead of {held['bytes']:,}"
            raise UserError(
                f"The model in {folder} is damaged: {name} {state}.",
                remedy="Copy the folder again, or remove it and train the model again.",
            )
    return card


def check_same(held: object, wanted: Mapping[str, Any], folder: Path) -> None:
    """Refuse a folder whose model was made by another recipe than the one that is wanted."""
    if held == wanted:
        return
    held = held if isinstance(held, dict) else {}
    differs = [name for name in {**wanted, **held} if held.get(name) != wanted.get(name)]
    name = differs[0] if differs else "recipe"
    raise UserError(
        f"{folder} holds another model: its {name} is {held.get(name)}, not {wanted.get(name)}.",
        remedy=f"Choose another --out, or remove it: hengliang models remove {folder.name}",
    )


def remove_temporary(folder: Path) -> None:
    """Remove what a training that has ended leaves in a model's folder."""
    for name in TEMPORARY:
        shutil.rmtree(folder / name, ignore_errors=True)


def segmenter_of(folder: Path) -> str:
    """Return the segmenter that a model's card names for raw text; the usual one where there is no card yet."""
    held = read_json(folder / FILE) if (folder / FILE).is_file() else {}
    named = held.get("segmenter") if isinstance(held, dict) else None
    return str(named) if named else USUAL_SEGMENTER
