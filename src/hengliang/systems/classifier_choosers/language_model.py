"""Which classifier makes the sentence most probable to a language model?

Every candidate is put into the slot, and the probability of a classifier is that of its sentence over those of all
filled-in sentences: what a language model believes of the slot, given that one of the candidates stands there. No
length is divided out. Where a classifier has two characters its sentence is longer, and a model of characters pays for
both, as it should: 系列 competes with all that could follow 系. A mean over units would reward the longer sentence for
its easy second half. To a model of words a classifier is one word, however long.

How the sentences are cut and scored is in `hengliang.systems.classifier_choosers.filled_sentences`.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.registry import register
from hengliang.core.terms import Bilingual
from hengliang.language_models.base import LanguageModel
from hengliang.systems.classifier_choosers.candidate_choosers import CandidateChooser
from hengliang.systems.classifier_choosers.candidates import Classifiers, shares
from hengliang.systems.classifier_choosers.filled_sentences import (
    CUTS,
    SHORTLIST,
    Bounds,
    Cut,
    filled_logprobs,
    reach_of,
)
from hengliang.systems.classifier_choosers.named_models import (
    ModelReference,
    check_scoring,
    named_model,
    opened,
)
from hengliang.systems.classifier_choosers.rankings import TOP, rankings

Shortlist = int | Literal["auto", "all"]
"""A number, all, or what suits the model: all where it sees a few words only, else `SHORTLIST`."""


@register("LM")
class LanguageModelChooser(CandidateChooser):
    """The classifier whose filled-in sentence is the most probable to a language model that reads from left to right.

    `language_model` is a name such as ngram-5, lstm-small-1 or hf:FOLDER; a usual name that is not in the store yet is
    trained on the training part of the default corpus. `classifiers` are the candidates (see `candidates`). `cut` says
    how a model of words sees the classifier. `shortlist` and `after` bound the work: how many candidates are scored
    with what follows them, and how many words of that count (None: all). A classifier that the model does not know has
    the probability 0, as has one that does not reach the shortlist.
    """

    family: ClassVar[str] = "LM"
    title = Bilingual("Language model on filled-in sentences", "语言模型评填空句")

    def __init__(
        self,
        language_model: ModelReference = "ngram-5",
        classifiers: Classifiers = None,
        any_classifier: bool = False,
        cut: Cut = "either",
        shortlist: Shortlist = "auto",
        after: int | None = None,
        top: int | None = TOP,
        name: str = "LM",
    ) -> None:
        self.language_model = language_model
        self.classifiers = classifiers
        self.any_classifier = any_classifier
        self.cut = cut
        self.shortlist = shortlist
        self.after = after
        self.top = top
        self.name = name

    def choose(self, slots: pl.DataFrame) -> pl.Series:
        """Return the most probable classifiers of each slot."""
        offered = self.candidates()
        if not slots.height:
            return rankings(np.zeros((0, len(offered))), offered, self.top)
        if self.cut not in CUTS:
            raise unknown_name("way to cut", self.cut, CUTS)
        model = self.model()
        found = filled_logprobs(model, slots, offered, self.cut, self.bounds(model))
        return rankings(shares(found), offered, self.top)

    def model(self) -> LanguageModel:
        """Return the language model, opened; one that is masked is refused."""
        held: LanguageModel | None = self.__dict__.get("_model")
        if held is None:
            held = check_scoring(opened(named_model(self.language_model)), masked=False)
            self.__dict__["_model"] = held
        return held

    def bounds(self, model: LanguageModel) -> Bounds:
        """Return how much is scored with this model."""
        if self.after is not None and self.after < 0:
            raise UserError(f"after={self.after} is not possible.", valid="A whole number from 0, or None for all.")
        if self.shortlist == "auto":
            local = reach_of(model.conventions()) is not None
            return Bounds(None if local else SHORTLIST, self.after)
        if self.shortlist == "all":
            return Bounds(None, self.after)
        if isinstance(self.shortlist, str) or self.shortlist < 1:
            raise UserError(
                f"shortlist={self.shortlist!r} is not possible.", valid="A whole number from 1, 'auto' or 'all'."
            )
        return Bounds(self.shortlist, self.after)
