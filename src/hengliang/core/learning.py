"""Trained models: a recipe is learned once, resumed after an interruption, and kept with a model card of checksums.

A model is a folder, in the store under `HENGLIANG_HOME/models` or elsewhere. While it is learned a note in it holds the
recipe; the card, `card.json`, is written last, so that a folder with a card is whole. The card names the data and their
licence, everything that went into the training, and how good the model is; it knows the size and checksum of every file
beside it, and ends with a checksum of itself. Whenever a model is opened they are compared: a number from a damaged
model would be wrong and look like any other.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hengliang.core import places
from hengliang.core.closure import outside_signatures
from hengliang.core.errors import UserError, file_errors, unknown_name
from hengliang.core.io.files import (
    SEAL_OF_JSON,
    is_sealed_json,
    locked_folder,
    read_json,
    remove_torn,
    write_json,
    write_sealed_json,
)
from hengliang.core.signature import file_checksum, remembered_checksum, version

CARD = "card.json"
FORMAT = 2
UNSEALED = 1
"""The format of cards that carry no checksum of themselves; the files of such a model are compared all the same."""

BEGUN = "begun.json"
"""The note that a training was begun: its recipe."""
_NOTES = (BEGUN, "recipe.json")
"""Earlier versions gave the note of language models the second name."""

TEMPORARY = "training"
"""The folder inside a model's folder that holds work in progress and is not part of the model."""

SMALL = 1 << 24
"""Bytes up to which a file is read and compared at every opening, in some hundredths of a second.

A larger one, which may be mapped into memory so as not to be read at all, is compared when it or its folder entry has
changed, and once a day (`hengliang.core.signature.remembered_checksum`).
"""


# --- training once ----------------------------------------------------------------------------------------------------


@outside_signatures("what is learned is signed by the function that learns, or by the files of the model")
def train_once(
    folder: Path, recipe: Mapping[str, Any], learn: Callable[[], Mapping[str, Any]], *, wait: bool = False
) -> Path:
    """Make the model of a recipe unless the folder holds it already, and return the folder.

    `learn` writes the model's files and returns the facts of its card; work in progress goes into `TEMPORARY`, so that
    it can go on from there when it is called again after an interruption. A folder with anything else in it, or with
    the model of another recipe, whole or begun, is refused. A second process meanwhile is refused too, or waits.
    """
    if not is_trained(folder):
        _check_begun(folder, recipe)
        with locked_folder(folder, wait=wait):
            if not is_trained(folder):  # another process may have finished in the meantime
                _check_begun(folder, recipe)
                remove_torn(folder)
                write_json(folder / BEGUN, recipe)
                write_card(folder, **{**learn(), "recipe": dict(recipe)})
                _tidy(folder)
                return folder
    check_same(read_card(folder).get("recipe"), recipe, folder)
    _tidy(folder)  # which a kill may have kept from being done
    return folder


def _tidy(folder: Path) -> None:
    """Remove what a whole model needs no more; before it has its card, a kill would have cost all that was learned."""
    remove_temporary(folder)
    for note in _NOTES:
        with suppress(OSError):
            (folder / note).unlink()


def is_trained(folder: Path) -> bool:
    """Say whether a folder holds a model that has been learned to the end."""
    return (folder / CARD).is_file()


def _check_begun(folder: Path, recipe: Mapping[str, Any]) -> None:
    """Refuse a folder in which something else was begun or lies."""
    note = next((folder / name for name in _NOTES if (folder / name).is_file()), None)
    if note is not None:
        check_same(read_json(note), recipe, folder)
    elif folder.is_dir() and not all(file.name.startswith(".") for file in folder.iterdir()):
        raise UserError(
            f"{folder} is not empty and holds no model.",
            remedy="Choose another folder or name, or move away what is in it.",
        )


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
    """Remove what a training that has ended, or was killed, leaves in a model's folder."""
    shutil.rmtree(folder / TEMPORARY, ignore_errors=True)


# --- model card -------------------------------------------------------------------------------------------------------


def write_card(folder: Path, **facts: Any) -> dict[str, Any]:
    """Write the card of a model whose other files are all there, and return it."""
    files = {
        str(file.relative_to(folder)): {"bytes": file.stat().st_size, "sha256": file_checksum(file)}
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not _is_apart(file.relative_to(folder))
    }
    return write_sealed_json(folder / CARD, {**facts, "files": files, "format": FORMAT, "hengliang": version()})


def _is_apart(file: Path) -> bool:
    return file.name.startswith(".") or str(file) in (CARD, *_NOTES) or file.parts[0] == TEMPORARY


def read_card(folder: Path, single: str = "") -> Mapping[str, Any]:
    """Return the card of a model whose files are all as they were when it was written, else say which is not.

    `single` is the only file of a model of which earlier cards tell size and checksum themselves.
    """
    if not is_trained(folder):
        raise UserError(
            f"{folder} holds no trained model: it has no {CARD}.",
            valid="A training that was interrupted leaves none.",
            remedy="Go on with the training by the command that began it, or see: hengliang models list",
        )
    try:
        card: Mapping[str, Any] = read_json(folder / CARD)
    except UserError as error:
        raise UserError(error.problem, remedy=_again(folder, {})) from error
    known = isinstance(card, dict) and card.get("format") in (FORMAT, UNSEALED)
    files = card.get("files") if known else None
    if known and single and "files" not in card and "checksum" in card:
        files = {single: {"bytes": card.get("size"), "sha256": card["checksum"]}}
    if not isinstance(files, dict):
        raise UserError(
            f"{folder / CARD} is not a model card of format {FORMAT}.",
            remedy="Train the model again with this version of hengliang.",
        )
    if (card["format"] != UNSEALED or SEAL_OF_JSON in card) and not is_sealed_json(folder / CARD):
        raise _damaged(folder, f"{CARD} is not as it was written", {})
    for name, entry in files.items():
        if not (isinstance(entry, dict) and type(entry.get("bytes")) is int and isinstance(entry.get("sha256"), str)):
            raise _damaged(folder, f"{CARD} does not tell the size and checksum of {name}", card)
        fault = _fault(folder / name, entry["bytes"], entry["sha256"])
        if fault:
            raise _damaged(folder, f"{name} {fault}", card)
    return card


def card_state(folder: Path) -> tuple[Path, int, int]:
    """Return what is another for another card, without reading it: a process may keep what it opened until then."""
    with file_errors(folder / CARD, "read"):
        state = (folder / CARD).stat()
    return folder, state.st_ino, state.st_mtime_ns


def check_stored(folder: Path) -> None:
    """Refuse a damaged model; one that is still being trained has no card, and nothing to be compared with."""
    if is_trained(folder):
        read_card(folder)


def _fault(file: Path, size: int, sha256: str) -> str:
    """Return what is wrong with a file of a model, or nothing."""
    with file_errors(file, "read"):
        actual = file.stat().st_size if file.is_file() else None
    if actual is None:
        return "is missing"
    if actual != size:
        return f"has {actual:,} bytes instead of {size:,}"
    if size <= SMALL:
        same = file_checksum(file) == sha256
    else:
        # What is remembered may itself be damaged: nothing is refused without having been read.
        same = remembered_checksum(file) == sha256 or remembered_checksum(file, afresh=True) == sha256
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
    train = _command(card)
    if not train:
        train = "the command that trained it"
    elif not stored:
        train += f" --out {folder}"
    elif card.get("kind") == "tagger":
        train += f" --name {folder.name}"
    return f"Copy the folder again, or remove it and train it again: {remove}, then {train}"


def _command(card: Mapping[str, Any]) -> str:
    """Return the command that trains a model like the one of a card, with every option that its recipe names."""
    recipe = card.get("recipe")
    recipe = recipe if isinstance(recipe, dict) else {}
    names: tuple[str, ...] = ("seed",)
    if card.get("kind") == "tagger":
        command = "hengliang taggers train"
    elif "family" in card:
        command = f"hengliang classifiers train {card['family']}"
    elif "kind" in recipe:
        command = f"hengliang lm train {recipe['kind']}"
        names = ("size", "seed", "data", "segmenter", "longest", "preprocess", "sentences", "trees", "epochs")
    else:
        return ""
    options = recipe if "kind" in recipe else card
    return " ".join([command, *(f"--{name} {options[name]}" for name in names if options.get(name) is not None)])


# --- store of models --------------------------------------------------------------------------------------------------

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
    cards = sorted(folder.glob(f"*/{CARD}")) if folder.is_dir() else []
    return [StoredModel(card.parent.name, card.parent, _card(card)) for card in cards]


def _card(file: Path) -> Mapping[str, Any]:
    """Return what a card says; a file that is not a card must not hide the other models; opening its model says so."""
    try:
        content = read_json(file)
    except UserError:
        content = None
    return content if isinstance(content, dict) else {"kind": DAMAGED}


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
