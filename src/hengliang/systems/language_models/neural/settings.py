"""How is a network trained: how long, how fast, and how strictly kept from learning by heart?

The usual settings were found on the default corpus, the People's Daily of January 1998 (900,000 words).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from hengliang.core.errors import UserError
from hengliang.systems.language_models.neural.architectures import Architecture

Limits = Mapping[str, tuple[float, float]]
"""The least and the greatest value of each setting."""

ABOVE_0 = math.ulp(0.0)


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """What every training of a language model is told.

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
    """How a network is trained to foretell the next word.

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
