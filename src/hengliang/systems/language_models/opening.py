"""Which language model is meant by this name?

A model is named by its name in the store, by its folder, by a file or folder that a user brings (`hf:`, `arpa:`,
`kenlm:`), or by the name under which a plug-in registered it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from hengliang.core.closure import outside_signatures
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.files import read_json
from hengliang.core.learning import is_trained, read_card, stored_models
from hengliang.core.registry import entries
from hengliang.systems.language_models.base import LanguageModel
from hengliang.systems.language_models.manner import manner_of

PREFIXES: Mapping[str, str] = {
    "hf": "a Hugging Face folder or a .gguf file",
    "arpa": "an ARPA file",
    "kenlm": "a KenLM binary or ARPA file",
}


@outside_signatures("a model has a signature of its own")
def model(reference: str, **options: Any) -> LanguageModel:
    """Return the language model of this name; `options` go to its constructor.

    The name is one of `hengliang models list`, the folder of a model, `hf:PATH`, `arpa:FILE`, `kenlm:FILE`, or that of
    a plug-in.
    """
    if not reference.strip():
        raise UserError(
            f"'{reference}' names no language model.",
            valid=f"A name of `hengliang models list`, a folder, {_ways()}, or the name of a plug-in.",
            remedy="See what is there: hengliang models list",
        )
    prefix, colon, rest = reference.partition(":")
    if colon and prefix in PREFIXES:
        return _made(_brought(prefix, rest), reference, {"name": reference, **options}, Path(rest))
    stored = {held.name: held.folder for held in stored_models()}
    folder = stored.get(reference, Path(reference))
    trained = is_trained(folder)
    if (folder / "config.json").is_file() and not trained:
        raise UserError(f"{reference} is a Hugging Face folder.", remedy=f"Name it so: hf:{reference}")
    # Plug-ins are looked at last, for it takes longer to import them than to score a sentence.
    plugins = {} if trained else _registered()
    if folder.is_dir() and reference not in plugins:
        name = reference if reference in stored else folder.name
        return _made(_trained(folder), reference, {"name": name, **options}, folder)
    if reference in plugins:
        return _made(plugins[reference], reference, options)
    raise unknown_name(
        "language model",
        reference,
        [*stored, *plugins],
        remedy=f"Train one with: {_training(reference)}; or bring one: {_ways()}.",
    )


def _training(reference: str) -> str:
    """Return the command that trains a model of this name, or one like it."""
    kind, _, rest = reference.partition("-")
    size = rest.partition("-")[0]
    known = kind in {"ngram", "lstm", "transformer", "masked", "rnng", "plm"} and size
    return f"hengliang lm train {kind} --size {size}" if known else "hengliang lm train lstm"


def names_model(reference: str) -> bool:
    """Say whether the reference is that of a model on disk: stored, in a folder, or brought by a user."""
    prefix, colon, _ = reference.partition(":")
    stored = {held.name for held in stored_models()}
    return bool(colon and prefix in PREFIXES) or reference in stored or is_trained(Path(reference))


def _ways() -> str:
    return ", ".join(f"{prefix}:PATH ({what})" for prefix, what in PREFIXES.items())


def _registered() -> dict[str, type[LanguageModel]]:
    return {entry.name: entry.kind for entry in entries("language model")}


def _brought(prefix: str, path: str) -> Callable[..., LanguageModel]:
    if not path:
        raise UserError(f"'{prefix}:' names no file.", valid=f"Ways to bring a model: {_ways()}.")
    if prefix == "arpa":
        from hengliang.systems.language_models.ngram.model import ArpaModel

        return ArpaModel
    if prefix == "kenlm":
        from hengliang.systems.language_models.ngram.kenlm_binary import KenlmModel

        return KenlmModel
    return _hugging_face(masked=_is_masked(Path(path)))


def _is_masked(path: Path) -> bool:
    """Say whether the configuration of a folder names a masked model; whatever is wrong with it shows on loading."""
    file = path / "config.json"
    held = read_json(file) if file.is_file() else {}
    names = held.get("architectures") or [] if isinstance(held, dict) else []
    return any(str(name).endswith(("MaskedLM", "ForPreTraining")) for name in names)


def _hugging_face(*, masked: bool) -> Callable[..., LanguageModel]:
    if masked:
        from hengliang.systems.language_models.hugging_face.masked import HuggingFaceMasked

        return HuggingFaceMasked
    from hengliang.systems.language_models.hugging_face.causal import HuggingFaceCausal

    return HuggingFaceCausal


def _trained(folder: Path) -> Callable[..., LanguageModel]:
    card = read_card(folder)
    found = _of_kind(folder, card.get("kind"))
    return partial(_coarse, found, card) if card.get("preprocess") else found


def _coarse(
    kind: Callable[..., LanguageModel], card: Mapping[str, Any], folder: Path, name: str = "", fold: bool = True
) -> LanguageModel:
    from hengliang.systems.language_models.coarse.model import CoarseModel, read_learned

    held = kind(folder, name=name, fold=fold)
    return CoarseModel(held, card["preprocess"], read_learned(folder), card.get("view", ""))


def _of_kind(folder: Path, kind: object) -> Callable[..., LanguageModel]:
    if kind == "ngram":
        from hengliang.systems.language_models.ngram.model import NgramModel

        return NgramModel
    if kind in {"lstm", "transformer"}:
        from hengliang.systems.language_models.neural.model import NeuralModel

        return NeuralModel
    if kind == "masked":
        from hengliang.systems.language_models.hugging_face.masked import HuggingFaceMasked
        from hengliang.systems.language_models.neural.masked_training import UNIT_COUNTS

        manner, counts = manner_of(folder), folder / UNIT_COUNTS
        return partial(HuggingFaceMasked, unigrams=counts, segmenter=manner.segmenter, widths=manner.widths)
    if kind in {"rnng", "plm"}:
        from hengliang.systems.language_models.structured.model import StructuredModel

        return StructuredModel
    raise UserError(
        f"The model in {folder} is of the kind '{kind}', which this version does not know.",
        valid="Kinds: ngram, lstm, transformer, masked, rnng, plm.",
    )


def _made(kind: Callable[..., LanguageModel], reference: str, options: Mapping[str, Any], *path: Path) -> LanguageModel:
    valid = inspect.signature(kind).parameters
    wrong = [name for name in options if name not in valid]
    if wrong:
        raise UserError(
            f"The language model '{reference}' has no option '{wrong[0]}'.", valid=f"Options: {', '.join(valid)}."
        )
    return kind(*path, **options)
