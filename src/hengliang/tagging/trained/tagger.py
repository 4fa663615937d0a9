"""CRF tagger `crf`: our own tagger, opened from the store of trained models.

`crf` is the tagger that the command `hengliang taggers train` makes and keeps in the store of models; `crf:NAME` is one
that was trained under another name, `crf:FOLDER` one that lies elsewhere. It is the tagger with which the loop of
diagnosis is shown: test, add sentences or rules, test again [1]. So it knows which sentences it has learned from.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18, section 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import UserError
from hengliang.core.labelling.spans import Labelled, LabelledSpans, labelled_spans
from hengliang.core.labelling.taggers import Tagger, unreadable
from hengliang.core.learning import is_trained, model_folder, read_card
from hengliang.core.progress import Watcher
from hengliang.core.records import Attribute
from hengliang.core.registry import register
from hengliang.core.signature import Signature, constructor_signature, digest, file_checksum
from hengliang.core.terms import Bilingual
from hengliang.tagging.trained.model import VERSION, TaggerModel, read_model, seen_sentences
from hengliang.tagging.trained.training import FAMILY, KIND, NAME


@register("crf")
class CrfTagger(Tagger):
    """A tagger that was trained here: `model` is its name in the store, or its folder."""

    title = Bilingual("CRF tagger", "条件随机场标注器")
    tag_map = "pku"

    def __init__(self, model: str = NAME) -> None:
        self.model = model
        self.name = FAMILY if model == NAME else f"{FAMILY}:{model}"

    @property
    def folder(self) -> Path:
        """Where the model lies."""
        is_path = "/" in self.model or self.model.startswith(".")
        return Path(self.model) if is_path else model_folder(self.model)

    @cached_property
    def _model(self) -> TaggerModel:
        self.model_card()
        return read_model(self.folder)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the model behind: a copy reads its own."""
        return {name: value for name, value in self.__dict__.items() if name != "_model"}

    def prepare(self, watcher: Watcher) -> None:
        """Read the model."""
        self._model  # noqa: B018  # a missing or broken one is said now

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        """Return the words of each sentence as byte spans that cover it, labelled by the tags of its training data."""
        return labelled_spans([self._tagged(sentence) for sentence in sentences])

    def _tagged(self, sentence: str) -> list[Labelled] | str:
        return unreadable(sentence, self.name) or self._model.tagged(sentence)

    def model_card(self) -> Mapping[str, Any]:
        """Return the card: data, settings, scores on held-out sentences, checksums."""
        if not is_trained(self.folder):
            named = "" if self.model == NAME else f" --name {self.model}"
            raise UserError(
                f"There is no trained tagger in {self.folder}.",
                valid="The tagger crf is trained once, in a few minutes, and kept.",
                remedy=f"Train it, or go on with its training: hengliang taggers train{named}",
            )
        card = read_card(self.folder)
        if (card.get("kind"), card.get("family")) != (KIND, FAMILY):
            raise UserError(
                f"{self.folder} holds no tagger, but a model of the kind '{card.get('kind')}'.",
                remedy="See which there are: hengliang models list",
            )
        if card["recipe"]["features"] != VERSION:
            raise UserError(
                f"The tagger in {self.folder} was trained with features of version {card['recipe']['features']}.",
                valid=f"This version of hengliang has features of version {VERSION}.",
                remedy=f"Remove it and train it again: hengliang models remove {self.folder.name}",
            )
        return card

    def seen(self, sentences: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Say of each sentence whether the tagger has learned from it; their sum must be 0 where it is tested.

        White space and the width of letters do not count.
        """
        self.model_card()
        return seen_sentences(self.folder, sentences)

    def signature(self) -> Signature:
        """Return the class, its code and the model's name and files; how long it was trained does not count."""
        files = sorted(self.model_card()["files"])
        return constructor_signature(self).and_(stored=digest(*(file_checksum(self.folder / name) for name in files)))

    def traits(self) -> Mapping[str, Attribute]:
        """Return the tags that it can give, and from how many words it learned."""
        card = self.model_card()
        return {
            "family": FAMILY,
            "seed": card["seed"],
            "training_words": card["words"],
            "tags": " ".join(card["tags"]),
        }
