"""What is a stored model: from which data, made how, how good, and is it whole?

A model card, `card.json`, is written last into a model's folder, so that a folder with a card is whole. It names the
data and their licence, everything that went into the training, and the perplexity that came out; and it knows the size
and checksum of every file beside it, and ends with a checksum of itself. Whenever a model is opened they are compared:
a number from a damaged model would be wrong and look like any other.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hengliang import places
from hengliang.errors import UserError, file_errors
from hengliang.files import SEAL_OF_JSON, is_sealed_json, read_json, write_sealed_json
from hengliang.materials import sources
from hengliang.materials.running_text import LONGEST
from hengliang.segmentation import USUAL_SEGMENTER
from hengliang.signature import file_checksum, version

FILE = "card.json"
FORMAT = 2
UNSEALED = 1
"""The format of cards that carry no checksum of themselves; the files of such a model are compared all the same."""

SMALL = 1 << 24
"""Bytes up to which a file is read and compared at every opening, in some hundredths of a second.

A larger one, which may be mapped into memory so as not to be read at all, is compared when it or its folder entry has
changed, and once a day (`hengliang.materials.sources.checksum`).
"""

TEMPORARY = ("training",)
"""Folders inside a model's folder that hold work in progress and are not part of the model."""


def write_card(folder: Path, **facts: Any) -> dict[str, Any]:
    """Write the card of a model whose other files are all there, and return it."""
    files = {
        str(file.relative_to(folder)): {"bytes": file.stat().st_size, "sha256": file_checksum(file)}
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not _is_apart(file.relative_to(folder))
    }
    return write_sealed_json(folder / FILE, {**facts, "files": files, "format": FORMAT, "hengliang": version()})


def _is_apart(file: Path) -> bool:
    return file.name == FILE or file.name.startswith(".") or file.parts[0] in TEMPORARY


def read_card(folder: Path) -> Mapping[str, Any]:
    """Return the card of a model whose files are all as they were when it was written, else say which is not."""
    if not (folder / FILE).is_file():
        raise UserError(
            f"{folder} holds no trained model: it has no {FILE}.",
            valid="A training that was interrupted leaves none.",
            remedy="Go on with the training by the command that began it, or see: hengliang models list",
        )
    try:
        card: Mapping[str, Any] = read_json(folder / FILE)
    except UserError as error:
        raise UserError(error.problem, remedy=_again(folder, {})) from error
    known = isinstance(card, dict) and card.get("format") in (FORMAT, UNSEALED)
    if not known or not isinstance(card.get("files"), dict):
        raise UserError(
            f"{folder / FILE} is not a model card of format {FORMAT}.",
            remedy="Train the model again with this version of hengliang.",
        )
    if (card["format"] != UNSEALED or SEAL_OF_JSON in card) and not is_sealed_json(folder / FILE):
        raise _damaged(folder, f"{FILE} is not as it was written", {})
    for name, held in card["files"].items():
        if not (isinstance(held, dict) and type(held.get("bytes")) is int and isinstance(held.get("sha256"), str)):
            raise _damaged(folder, f"{FILE} does not tell the size and checksum of {name}", card)
        fault = _fault(folder / name, held["bytes"], held["sha256"])
        if fault:
            raise _damaged(folder, f"{name} {fault}", card)
    return card


def card_state(folder: Path) -> tuple[Path, int, int]:
    """Return what is another for another card, without reading it: a process may keep what it opened until then."""
    with file_errors(folder / FILE, "read"):
        state = (folder / FILE).stat()
    return folder, state.st_ino, state.st_mtime_ns


def check_stored(folder: Path) -> None:
    """Refuse a damaged model; one that is still being trained has no card, and nothing to be compared with."""
    if (folder / FILE).is_file():
        read_card(folder)


def _fault(file: Path, size: int, sha256: str) -> str:
    """Return what is wrong with a file of a model, or nothing."""
    with file_errors(file, "read"):
        found = file.stat().st_size if file.is_file() else None
    if found is None:
        return "is missing"
    if found != size:
        return f"has {found:,} bytes instead of {size:,}"
    if size <= SMALL:
        same = file_checksum(file) == sha256
    else:
        # What is remembered may itself be damaged: nothing is refused without having been read.
        same = sources.checksum(file) == sha256 or sources.checksum(file, afresh=True) == sha256
    return "" if same else "has other content than when it was written (its SHA-256 is not that of the card)"


def _damaged(folder: Path, how: str, card: Mapping[str, Any]) -> UserError:
    return UserError(
        f"The model {folder.name} in {folder} is damaged: {how}.",
        valid="Numbers from it would be wrong.",
        remedy=_again(folder, card),
    )


def _again(folder: Path, card: Mapping[str, Any]) -> str:
    """Return what to do about a damaged model: the commands that remove it and train it again, as far as known."""
    stored = folder.parent == places.models()
    remove = f"hengliang models remove {folder.name}" if stored else f"rm -r {folder}"
    train = _training(card)
    if not train:
        train = "the command that trained it"
    elif not stored:
        train += f" --out {folder}"
    elif card.get("kind") == "tagger":
        train += f" --name {folder.name}"
    return f"Copy the folder again, or remove it and train it again: {remove}, then {train}"


def _training(card: Mapping[str, Any]) -> str:
    recipe = card.get("recipe")
    recipe = recipe if isinstance(recipe, dict) else {}
    usual: dict[str, Any] = {"seed": 1, "data": sources.DEFAULT_CORPUS}
    if card.get("kind") == "tagger":
        command, told = "hengliang taggers train", {"seed": card.get("seed")}
    elif "family" in card:
        command, told = f"hengliang classifiers train {card['family']}", {"seed": card.get("seed")}
    elif "kind" in recipe:
        command = f"hengliang lm train {recipe['kind']}"
        names = ("size", "seed", "data", "segmenter", "longest", "preprocess", "sentences", "trees", "epochs")
        told = {name: recipe.get(name) for name in names}
        usual |= {"segmenter": USUAL_SEGMENTER, "longest": LONGEST}
    else:
        return ""
    options = [f"--{name} {value}" for name, value in told.items() if value not in (None, usual.get(name))]
    return " ".join([command, *options])


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
