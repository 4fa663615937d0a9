"""Which small task, small networks and small encoder do the tests of neural choosers share?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl

from hengliang import Material
from hengliang.core import Silent, SilentSteps
from hengliang.language_models.neural.masked import _blank_tokenizer
from hengliang.systems.classifier_choosers.conformance import slot_items
from hengliang.systems.classifier_choosers.neural.encoder import FineTunedEncoder
from hengliang.systems.classifier_choosers.neural.lstm import Lstm

# Whoever looks at the noun is right everywhere; who does not, in a third of all slots.
NOUNS = {"书": "本", "杂志": "本", "马": "匹", "骏马": "匹", "人": "位", "客人": "位"}
VERBS = ("有", "看见", "想起", "找到", "说起", "少了")
LONG = "从很远很远的地方一步一步慢慢走到这里来的那些谁也没有见过的"


class Toy(Material):
    """Slots of our own making in which the noun decides."""

    name = "toy"
    licence = "CC0"

    def __init__(self, verbs: tuple[str, ...] = VERBS) -> None:
        self.verbs = verbs

    def items(self) -> pl.DataFrame:
        rows = [(f"他{verb}一", "", noun, "。") for verb in self.verbs for noun in NOUNS]
        golds = [NOUNS[noun] for _ in self.verbs for noun in NOUNS]
        return slot_items(rows).with_columns(gold=pl.Series(golds, dtype=pl.String))


def lstm(seed: int = 1, **options: Any) -> Lstm:
    """Return an LSTM that learns the toy task in a second."""
    small: dict[str, Any] = {
        "window": 4, "width": 8, "hidden": 8, "dropout": 0.1, "epochs": 8, "batch": 6, "rate": 0.03,
        "pretrained": False,
    }  # fmt: skip
    return Lstm(Toy(), Toy(("来了", "送走")), seed=seed, **{**small, **options})


def bert(folder: Path, seed: int = 1, **options: Any) -> FineTunedEncoder:
    """Return a tiny encoder, written into the folder, that learns the toy task in a second."""
    small: dict[str, Any] = {"window": 6, "dropout": 0.0, "epochs": 8, "batch": 6, "rate": 5e-3, "head_rate": 2e-2}
    return FineTunedEncoder(
        Toy(), Toy(("来了", "送走")), seed=seed, **{"encoder": str(tiny_bert(folder)), **small, **options}
    )


def tiny_bert(folder: Path, **config: Any) -> Path:
    """Write a BERT with random weights that knows the characters of the toy task, and return its folder."""
    import torch
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    if (folder / "config.json").exists():
        return folder
    described = _blank_tokenizer()
    for character in sorted(set("".join([*NOUNS, *VERBS, "他一。来了送走"]))):
        described["model"]["vocab"][character] = len(described["model"]["vocab"])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(described))
    make: Any = PreTrainedTokenizerFast
    tokenizer = make(
        tokenizer_file=str(folder / "tokenizer.json"), pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", mask_token="[MASK]",
    )  # fmt: skip
    shape = {
        "vocab_size": len(tokenizer), "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
        "intermediate_size": 32, "max_position_embeddings": 48, **config,
    }  # fmt: skip
    torch.manual_seed(5)
    build: Any = BertModel
    build(BertConfig(**shape)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def toy_slots(*sentences: tuple[str, str, str]) -> pl.DataFrame:
    """Return slots from (before, after, noun)."""
    return pl.DataFrame(
        {
            "sentence": [before + after for before, after, _ in sentences],
            "slot": [len(before.encode()) for before, _, _ in sentences],
            "noun": [noun for _, _, noun in sentences],
        },
        schema={"sentence": pl.String, "slot": pl.Int64, "noun": pl.String},
    )


class Interrupting(Silent):
    """Somebody who stops the work after so many steps, and hears what is said until then."""

    def __init__(self, after: int) -> None:
        object.__setattr__(self, "left", [after])
        object.__setattr__(self, "said", [])

    left: list[int]
    said: list[str]

    def watch(self, what: str, total: int | None) -> SilentSteps:
        left = self.left

        class Steps(SilentSteps):
            def advance(self, steps: int = 1) -> None:
                left[0] -= steps
                if left[0] < 0:
                    raise KeyboardInterrupt

        return Steps()

    def say(self, message: str) -> None:
        self.said.append(message)
