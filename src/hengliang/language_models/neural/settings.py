"""Architectures and hyperparameters of word networks: sizes, training length, learning rate, dropout.

The usual settings were found on the default corpus, the People's Daily of January 1998 (900,000 words).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import ClassVar, Literal, get_args

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.files import read_json, write_json

# --- architectures ----------------------------------------------------------------------------------------------------
# The network of a word model in numbers. An architecture is a small record that lies as JSON beside the weights, and
# from which the network is built again. It can be read without torch. The sizes called `paper` are those of Wang et al.
# (2021) [1], table 3a.
#
# Every network shares one table of vectors between its input and its output (tied embeddings [2]) and has an output
# bias for each word. With 900,000 words of training text most words are seen a few times only, and a second table of as
# many vectors is more than they can fill.
#
# [1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
#     language models. EMNLP 2021.
# [2] Press, O., Wolf, L. (2017). Using the output embedding to improve language models. EACL 2017.

Kind = Literal["lstm", "transformer"]

FILE = "architecture.json"

CONTEXT = 101
"""The inputs that a Transformer reads at once: <s> and 100 words, the longest sentence of a corpus."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """The numbers from which a network is built.

    `symbols` is the size of the vocabulary, `width` that of the word vectors and of the hidden states. `heads` and
    `context` belong to the Transformer and are 0 for an LSTM, which has no limit of context.
    """

    kind: Kind
    size: str
    symbols: int
    layers: int
    width: int
    heads: int = 0
    context: int = 0

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise unknown_name("kind of network", self.kind, get_args(Kind))
        transformer = self.kind == "transformer"
        wrong = [
            f"{name} = {value}"
            for name, value, least in (
                ("symbols", self.symbols, 4),
                ("layers", self.layers, 1),
                ("width", self.width, 1),
                ("heads", self.heads, int(transformer)),
                ("context", self.context, 2 if transformer else 0),
            )
            if not isinstance(value, int) or value < least
        ]
        if transformer and not wrong and self.width % self.heads:
            wrong.append(f"width = {self.width} with heads = {self.heads}")
        if wrong:
            raise UserError(
                f"A {self.kind} cannot be built with {', '.join(wrong)}.",
                valid="Sizes are whole numbers above 0, and the width is a multiple of the heads.",
            )

    @property
    def stride(self) -> int:
        """By how many words the window of a Transformer moves on in a text longer than its context."""
        return max(1, self.context // 2)

    @property
    def parameters(self) -> int:
        """How many numbers training has to find."""
        tables = self.symbols * (self.width + 1)
        if self.kind == "lstm":
            return tables + self.layers * 8 * self.width * (self.width + 1)
        # A layer of GPT-2: 12 w² weights, 9 w biases, 4 w of two normalisations; at the end one normalisation more.
        layer = 12 * self.width**2 + 13 * self.width
        return tables + self.context * self.width + self.layers * layer + 2 * self.width

    def check_symbols(self, found: int, folder: Path) -> None:
        """Refuse a vocabulary of another size than the network was built for."""
        check_symbols(self.symbols, found, folder)

    def describe(self) -> str:
        """Return the kind and the sizes in a few words."""
        heads = f", {self.heads} heads" if self.heads else ""
        return f"{self.kind} {self.layers} × {self.width}{heads}, {self.parameters / 1e6:.1f} M parameters"

    def write(self, folder: Path) -> None:
        """Write the architecture into a model's folder."""
        write_json(folder / FILE, asdict(self))

    @classmethod
    def read(cls, folder: Path) -> Architecture:
        """Read the architecture of a model's folder."""
        content = read_json(folder / FILE)
        names = {field.name for field in fields(cls)}
        if not isinstance(content, Mapping) or set(content) != names:
            raise UserError(
                f"{folder / FILE} does not describe a network.",
                valid=f"It holds {', '.join(sorted(names))}.",
                remedy="Train the model again, or copy its folder again.",
            )
        return cls(**content)


def check_symbols(expected: int, found: int, folder: Path) -> None:
    """Refuse a vocabulary of another size than the network in this folder was built for."""
    if found != expected:
        raise UserError(
            f"The vocabulary in {folder} has {found} symbols and its network was built for {expected}.",
            remedy="Train the model again, or copy its folder again.",
        )


_SIZES: Mapping[str, Mapping[str, tuple[int, int, int]]] = {
    # layers, width, heads
    "lstm": {"paper": (2, 256, 0), "small": (2, 256, 0), "tiny": (1, 32, 0)},
    "transformer": {"paper": (12, 768, 12), "small": (2, 256, 4), "tiny": (1, 32, 2)},
}


def sizes(kind: Kind) -> list[str]:
    """Return the names of the sizes of this kind of network."""
    if kind not in _SIZES:
        raise unknown_name("kind of network", kind, _SIZES)
    return list(_SIZES[kind])


def architecture(kind: Kind, size: str, symbols: int) -> Architecture:
    """Return the architecture of this kind and size for a vocabulary of so many symbols."""
    if size not in sizes(kind):
        raise unknown_name("size", size, sizes(kind))
    layers, width, heads = _SIZES[kind][size]
    return Architecture(kind, size, symbols, layers, width, heads, CONTEXT if kind == "transformer" else 0)


# --- hyperparameters --------------------------------------------------------------------------------------------------


Limits = Mapping[str, tuple[float, float]]
"""The least and the greatest value of each setting."""

ABOVE_0 = math.ulp(0.0)


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """The settings that every training of a language model has.

    `tokens` are the places of a batch with its padding. `warmup` is the share of the steps in which the learning rate
    rises. `patience` is how many epochs (of a masked model: trials) in a row may bring nothing better.
    """

    epochs: float = 8
    tokens: int = 1024
    learning_rate: float = 2e-3
    warmup: float = 0.05
    weight_decay: float = 0.01
    dropout: float = 0.4
    clip: float = 1.0
    patience: int = 2

    limits: ClassVar[Limits] = {
        "epochs": (1, math.inf),
        "tokens": (1, math.inf),
        "learning_rate": (0, math.inf),
        "warmup": (0, 1),
        "weight_decay": (0, math.inf),
        "dropout": (0, 0.99),
        "clip": (0, math.inf),
        "patience": (1, math.inf),
        "threads": (1, math.inf),
    }

    def __post_init__(self) -> None:
        for name, (least, most) in self.limits.items():
            if not least <= getattr(self, name) <= most:
                above = "above 0" if least == ABOVE_0 else f"at least {least}"
                bounds = above if most == math.inf else f"{least} to {most}"
                raise UserError(f"A training with {name} = {getattr(self, name)} is not possible.", valid=f"{bounds}.")


@dataclass(frozen=True, slots=True)
class Settings(Hyperparameters):
    """How a network is trained to predict the next word.

    `candidates` are the words over which the softmax is estimated in training (0: all words), `bfloat16` whether
    products are taken in half the bits (sums, weights and scoring are in single precision all the same).
    """

    epochs: int = 8
    candidates: int = 3000
    bfloat16: bool = True
    threads: int = 2
    checkpoint_minutes: float = 2.0

    limits: ClassVar[Limits] = {
        **Hyperparameters.limits,
        "candidates": (0, math.inf),
        "checkpoint_minutes": (0, math.inf),
    }


_USUAL: Mapping[tuple[str, str], Settings] = {
    ("lstm", "tiny"): Settings(epochs=4, dropout=0.2, threads=1),
    ("lstm", "small"): Settings(epochs=5, learning_rate=4e-3, dropout=0.25, candidates=2000),
    ("lstm", "paper"): Settings(epochs=5, learning_rate=4e-3, dropout=0.25, candidates=2000),
    ("transformer", "tiny"): Settings(epochs=4, dropout=0.1, threads=1),
    ("transformer", "small"): Settings(epochs=5, learning_rate=2e-3, dropout=0.15, candidates=2000),
    ("transformer", "paper"): Settings(learning_rate=2.5e-4, dropout=0.3),
}


def usual_settings(architecture: Architecture) -> Settings:
    """Return the settings with which a network of this kind and size is trained if nobody says otherwise."""
    return _USUAL.get((architecture.kind, architecture.size), Settings())
