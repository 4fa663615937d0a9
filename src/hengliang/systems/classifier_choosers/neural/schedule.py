"""How fast and how long does a network learn?"""

from __future__ import annotations

from dataclasses import dataclass, fields

from hengliang.core.errors import UserError


@dataclass(frozen=True, slots=True)
class Schedule:
    """How a network learns.

    `rate` is the highest rate of learning, `head_rate` that of the layer that no pretraining knows. `warmup` is the
    share of all steps in which the rate rises. `smoothing` is how much of the probability of the right classifier is
    spread over all. `clip` is the longest gradient, `decay` how much weights shrink, `patience` how many epochs may
    pass without a better one.
    """

    epochs: int
    batch: int
    rate: float
    head_rate: float
    warmup: float = 0.06
    smoothing: float = 0.0
    clip: float = 1.0
    decay: float = 0.01
    patience: int = 2

    def __post_init__(self) -> None:
        """Refuse what cannot be learned with."""
        for held in fields(self):
            value = getattr(self, held.name)
            whole = held.name in {"epochs", "batch", "patience"}
            if isinstance(value, bool) or (whole and (not isinstance(value, int) or value < 1)) or not value >= 0:
                valid = "A whole number from 1." if whole else "A number from 0."
                raise UserError(f"{held.name}={value!r} is not possible.", valid=valid)
        for name in ("warmup", "smoothing"):
            if getattr(self, name) >= 1:
                raise UserError(f"{name}={getattr(self, name)!r} is not possible.", valid="A number from 0, below 1.")
