"""Loading of Hugging Face folders and GGUF files, offline, without program code, with all weights checked.

Everything is read from the disk, never from the network, and no program code that a model brings along is run: neither
that which a configuration asks for, nor what a pickled file of weights would call. What `transformers` would pass over
with a warning, such as weights that are missing and hence drawn at random, is an error here: a number from such a model
means nothing.
"""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from hengliang.core.errors import UserError
from hengliang.core.io.files import read_json
from hengliang.core.learning import check_stored
from hengliang.language_models.huggingface.tokens import SpanTokenizer, span_tokenizer

Task = Literal["causal", "masked"]

TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer.model",
    "vocab.txt",
    "vocab.json",
    "spiece.model",
    "sentencepiece.bpe.model",
    "tekken.json",
)
WEIGHT_FILES = ("*.safetensors", "pytorch_model*.bin")

# What checkpoints carry along and scores do not depend on: heads for other tasks, and the masks, positions and
# rotations of older versions, which the network works out by itself.
_SPARE = re.compile(
    r"(^|\.)(pooler|seq_relationship|v_head|multiple_choice_head)\."
    r"|\.(attn|attention|self_attention)\.(masked_)?bias$|inv_freq$|\.position_ids$"
)

_CONTEXT_NAMES = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length", "max_sequence_length")


SAFELY: Mapping[str, bool] = MappingProxyType({"local_files_only": True, "trust_remote_code": False})
"""How every part of a model is read: from the disk, and without code. Unsaid, transformers asks on the terminal."""

NUMBERS_ONLY: Mapping[str, bool] = MappingProxyType({**SAFELY, "weights_only": True})
"""The same for weights: of a pickled file nothing but numbers is read."""


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """A model with its tokenizer, in single precision and ready to be run.

    `context` is how many tokens the model can see at once, None where there is no limit. `vocabulary` is the number
    of tokens that it gives a probability to, which may be more than the tokenizer knows.
    """

    path: Path
    model: Any
    tokenizer: SpanTokenizer
    context: int | None
    vocabulary: int

    def special(self, *names: str) -> int | None:
        """Return the id of the first special token of these names (bos, eos, cls) that tokenizer or config knows."""
        for name in names:
            number = getattr(self.tokenizer.wrapper, f"{name}_token_id", None)
            if number is None:
                number = getattr(self.model.config.get_text_config(), f"{name}_token_id", None)
            if isinstance(number, list):
                number = number[0] if number else None
            if number is not None and 0 <= number < self.vocabulary:
                return int(number)
        return None


def load(path: Path, task: Task) -> Loaded:
    """Return the model in a folder or GGUF file; the two used last are kept, as long as their files do not change."""
    _check_files(path)
    return _load(path.resolve(), task, _stamp(path))


@lru_cache(maxsize=2)
def _load(path: Path, task: Task, stamp: tuple[tuple[str, int, int], ...]) -> Loaded:
    transformers = _transformers()
    folder, options = (path.parent, {"gguf_file": path.name}) if path.is_file() else (path, {})
    check_stored(folder)
    with quiet_transformers():
        if not options:
            _check_config(transformers, path, task)
        tokenizer = _load_tokenizer(transformers, folder, path, options)
        model = _load_model(transformers, folder, path, task, options)
    _check_numbers(model, path)
    context = _context(model.config.get_text_config())
    vocabulary = int(model.get_output_embeddings().weight.shape[0])
    return Loaded(path, model, span_tokenizer(tokenizer), context, vocabulary)


def _transformers() -> Any:
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError as error:
        raise UserError(
            f"Models of Hugging Face need the library {error.name}, which is not installed.",
            remedy="Install it with: pip install 'hengliang[neural]'",
        ) from error
    return transformers


def _stamp(path: Path) -> tuple[tuple[str, int, int], ...]:
    files = [path] if path.is_file() else sorted(file for file in path.iterdir() if file.is_file())
    return tuple((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files)


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Keep the warnings and bars of transformers from the terminal: what they warn of is checked and raised here."""
    from transformers.utils import logging as library

    messages: Any = library
    level, bars = messages.get_verbosity(), messages.is_progress_bar_enabled()
    messages.set_verbosity(logging.CRITICAL)
    messages.disable_progress_bar()
    try:
        # Some of its readers draw bars that no switch turns off.
        with redirect_stderr(io.StringIO()):
            yield
    finally:
        messages.set_verbosity(level)
        if bars:
            messages.enable_progress_bar()


def _check_files(path: Path) -> None:
    """Say which file is not there before transformers guesses that a model on the network is meant."""
    valid = "A model is a folder with config.json, weights and a tokenizer, or a file in the format GGUF."
    if not path.exists():
        raise UserError(f"There is no model at {path}.", valid=valid, remedy="Check the path for a typing mistake.")
    if path.is_file():
        with path.open("rb") as stream:
            if stream.read(4) != b"GGUF":
                raise UserError(f"{path} is not a GGUF file.", valid=valid)
        return
    for what, names in (
        ("no config.json", ("config.json",)),
        ("no tokenizer", TOKENIZER_FILES),
        ("no weights", WEIGHT_FILES),
    ):
        if not any(any(path.glob(name)) for name in names):
            raise UserError(
                f"The folder {path} holds {what}.",
                valid=f"One of these is expected: {', '.join(names)}.",
                remedy="Save the model and its tokenizer there with save_pretrained, or copy all files of the model.",
            )


def _check_config(transformers: Any, path: Path, task: Task) -> None:
    try:
        config = transformers.AutoConfig.from_pretrained(path, **SAFELY)
    except Exception as error:  # transformers raises whatever its many readers raise
        if asks_for_code(error):
            raise brings_code(path) from error
        raise UserError(f"{path / 'config.json'} cannot be read: {_short(error)}.") from error
    named = config.architectures or []
    if config.is_encoder_decoder:
        raise UserError(
            f"The model in {path} reads one text and writes another ({', '.join(named) or config.model_type}).",
            valid="A language model that goes from left to right, or one that fills in what is hidden, is expected.",
        )
    endings = {
        "causal": ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration"),
        "masked": ("ForMaskedLM", "ForPreTraining"),
    }
    other = "masked" if task == "causal" else "causal"
    if named and not any(name.endswith(endings[task]) for name in named):
        known = any(name.endswith(endings[other]) for name in named)
        remedy = f"Give it as a {other} model." if known else "Choose a model that was saved as one."
        raise UserError(f"The model in {path} is {', '.join(named)}, not a {task} language model.", remedy=remedy)


def _load_tokenizer(transformers: Any, folder: Path, path: Path, options: dict[str, str]) -> Any:
    if not options:
        refuse_tokenizer_code(folder)
    try:
        return transformers.AutoTokenizer.from_pretrained(folder, **SAFELY, **options)
    except Exception as error:
        raise _explain(error, path, "The tokenizer") from error


def _load_model(transformers: Any, folder: Path, path: Path, task: Task, options: dict[str, str]) -> Any:
    import torch

    kind = transformers.AutoModelForCausalLM if task == "causal" else transformers.AutoModelForMaskedLM
    try:
        model, report = kind.from_pretrained(
            folder, **NUMBERS_ONLY, dtype=torch.float32, output_loading_info=True, **options
        )
    except Exception as error:
        raise _explain(error, path, "The model") from error
    unexpected = sorted(key for key in report["unexpected_keys"] if not _SPARE.search(key))
    for what, keys in (
        ("lack", sorted(report["missing_keys"])),
        ("hold, besides what the model needs,", unexpected),
        ("hold in another shape", sorted(str(key) for key in report["mismatched_keys"])),
    ):
        if keys:
            more = f" and {len(keys) - 3} more" if len(keys) > 3 else ""
            raise UserError(
                f"The weights in {path} {what} {', '.join(keys[:3])}{more}.",
                valid="Weights and config.json must belong to the same model.",
                remedy="Copy config.json and the weights once more from where they came.",
            )
    return model.eval().requires_grad_(False)


def asks_for_code(error: Exception) -> bool:
    """Say whether transformers would have to run code of the folder to open it."""
    return "trust_remote_code" in str(error) or "custom code" in str(error)


def refuse_tokenizer_code(folder: Path) -> None:
    """Refuse a tokenizer that is code of its own: transformers would take another one in its place, without a word."""
    file = folder / "tokenizer_config.json"
    config = read_json(file) if file.is_file() else {}
    code = config.get("auto_map") if isinstance(config, dict) else None
    if isinstance(code, dict) and "AutoTokenizer" in code:
        known = str(config.get("tokenizer_class"))
        if not hasattr(_transformers(), known):
            raise brings_code(folder)


def brings_code(path: Path) -> UserError:
    """Return the error for a folder that can only be opened by running what it brings along."""
    return UserError(
        f"The model in {path} asks to have program code of its own run (auto_map in its configuration).",
        valid="hengliang runs no code of a model: it would have all your rights on this machine. "
        "Models of a kind that the library transformers knows need none.",
        remedy="Choose such a model, or save this one as such with save_pretrained where you trust its code.",
    )


def _explain(error: Exception, path: Path, what: str) -> UserError:
    if asks_for_code(error):
        return brings_code(path)
    if path.is_file() and "pip install" in str(error):
        return UserError(
            f"GGUF files need the libraries gguf and accelerate: {_short(error)}.",
            remedy="Install them with: pip install 'hengliang[neural]'",
        )
    if isinstance(error, ImportError):
        return UserError(f"{what} in {path} needs a library that is not installed: {_short(error)}.")
    return UserError(
        f"{what} in {path} cannot be read: {_short(error)}.",
        valid="The files must be whole and of one model.",
        remedy="Copy them once more from where they came; a download that was cut short is the usual cause.",
    )


def _short(error: Exception) -> str:
    first = " ".join(str(error).split()) or type(error).__name__
    return (first[:200] + "…" if len(first) > 200 else first).rstrip(".")


def _check_numbers(model: Any, path: Path) -> None:
    import torch

    for name, weights in model.named_parameters():
        # One pass without a copy: a sum is finite only if all that is summed is, but for an overflow, looked at again.
        if not torch.isfinite(weights.sum()) and not torch.isfinite(weights).all():
            raise UserError(
                f"The weights {name} of {path} hold values that are no numbers.",
                remedy="The training that made them went wrong: take an earlier checkpoint.",
            )


def _context(config: Any) -> int | None:
    for name in _CONTEXT_NAMES:
        size = getattr(config, name, None)
        if isinstance(size, int) and 0 < size < 10**7:
            return size
    return None
