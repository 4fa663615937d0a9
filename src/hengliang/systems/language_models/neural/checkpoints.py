"""How does a training that was killed go on as if nothing had happened?

Its state is written into two slots in turn, each with a serial number and a hash at its end. Whatever moment the
machine dies at, one slot is whole; the newest whole one is taken. A damaged one is named, never guessed at.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import torch

from hengliang.errors import UserError, file_errors
from hengliang.files import whole_file

FOLDER = "training"
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
                held = _read(path)
                whole[held["serial"]] = held["state"]
            except UserError as error:
                damage.append(error.problem)
    return Found(whole[max(whole)] if whole else None, tuple(damage))


def remove_checkpoints(folder: Path) -> None:
    """Remove what a finished training no longer needs, and what a killed write has left behind."""
    shutil.rmtree(folder / FOLDER, ignore_errors=True)


def _read(path: Path) -> Mapping[str, Any]:
    with file_errors(path, "read"):
        raw = path.read_bytes()
    payload, expected = raw[:-_HASH_SIZE], raw[-_HASH_SIZE:]
    broken = UserError(f"The checkpoint {path} is damaged: it ends early or its bytes were changed.")
    if hashlib.blake2b(payload, digest_size=_HASH_SIZE).digest() != expected:
        raise broken
    try:
        held: Mapping[str, Any] = torch.load(io.BytesIO(payload), weights_only=True)
    except (RuntimeError, pickle.UnpicklingError, zipfile.BadZipFile, EOFError) as error:
        raise broken from error
    return held
