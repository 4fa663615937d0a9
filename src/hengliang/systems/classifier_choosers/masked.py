"""Which classifier does a masked language model put into the slot, without having been taught to?

The model sees both sides of the slot and is asked for the classifiers of the inventory alone. Nothing is fine-tuned.
How classifiers of one and of several tokens share one distribution is in
`hengliang.systems.classifier_choosers.masked_slots`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.registry import register
from hengliang.core.terms import Bilingual
from hengliang.systems.classifier_choosers.candidate_choosers import CandidateChooser
from hengliang.systems.classifier_choosers.candidates import Classifiers, shares
from hengliang.systems.classifier_choosers.named_models import (
    ModelReference,
    check_scoring,
    named_model,
    opened,
)
from hengliang.systems.classifier_choosers.rankings import TOP, rankings

if TYPE_CHECKING:
    from hengliang.language_models.huggingface.masked import HuggingFaceMasked

WINDOW = 16
"""How many tokens are usually seen on each side: twice as fast on newspaper sentences as all of them, and, with the
small model and 400 slots of the dev part, right a little more often."""

FLOOR = 0.01
"""The share below which the first token of a longer classifier is not followed further."""


@register("MLM")
class MaskedChooser(CandidateChooser):
    """The classifier that a masked language model finds most probable in the slot.

    `language_model` is masked-small-1, another masked model of the store or hf:FOLDER; a usual name that is not in the
    store yet is trained on the training part of the default corpus. `classifiers` are the candidates (see
    `candidates`). `window` is how many tokens the model sees on each side of the slot (None: as many as it can).
    `floor` is the share of the first token below which a classifier of several tokens is given up; 0 follows them all.
    """

    family: ClassVar[str] = "MLM"
    title = Bilingual("Masked language model, not fine-tuned", "掩码语言模型（未微调）")

    def __init__(
        self,
        language_model: ModelReference = "masked-small-1",
        classifiers: Classifiers = None,
        any_classifier: bool = False,
        window: int | None = WINDOW,
        floor: float = FLOOR,
        top: int | None = TOP,
        name: str = "MLM",
    ) -> None:
        self.language_model = language_model
        self.classifiers = classifiers
        self.any_classifier = any_classifier
        self.window = window
        self.floor = floor
        self.top = top
        self.name = name

    def choose(self, slots: pl.DataFrame) -> pl.Series:
        """Return the most probable classifiers of each slot."""
        offered = self.candidates()
        if not slots.height:
            return rankings(np.zeros((0, len(offered))), offered, self.top)
        self._check()
        from hengliang.systems.classifier_choosers.masked_slots import slot_logprobs

        loaded = self.model().loaded()
        found = slot_logprobs(loaded, slots, offered, window=self.window, floor=self.floor)
        return rankings(shares(found), offered, self.top)

    def _check(self) -> None:
        if self.window is not None and (isinstance(self.window, bool) or self.window < 1):
            raise UserError(
                f"A window of {self.window} tokens is not possible.", valid="A whole number from 1, or None for all."
            )
        if not 0 <= self.floor < 1:
            raise UserError(f"floor={self.floor} is no share.", valid="0 ≤ floor < 1.")

    def model(self) -> HuggingFaceMasked:
        """Return the masked model, opened; one that reads from left to right is refused."""
        from hengliang.language_models.huggingface.masked import HuggingFaceMasked

        held: HuggingFaceMasked | None = self.__dict__.get("_model")
        if held is None:
            found = check_scoring(opened(named_model(self.language_model)), masked=True)
            if not isinstance(found, HuggingFaceMasked):
                raise UserError(
                    f"The language model '{found.name}' cannot be asked what stands in a gap.",
                    valid="A masked model of Hugging Face, or one trained here.",
                )
            held = self.__dict__["_model"] = found
        return held
