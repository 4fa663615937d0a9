"""How does a model score sentences of which it sees only a coarse form?

A wrapper around a model of words that was trained on preprocessed text: every text is brought into the same form before
it is scored. The units point to the original text by their byte spans; where several words became one symbol, one unit
covers them all. A sentence that cannot be brought into the form (its entities could not be recognised) has no score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from hengliang.core.closure import outside_signatures
from hengliang.core.conformance import Finding, examine
from hengliang.core.errors import UserError
from hengliang.core.io.files import read_json, write_json
from hengliang.core.labelling.texts import Texts
from hengliang.core.records import Attribute
from hengliang.core.signature import Signature, code_checksum
from hengliang.systems.language_models.base import Conventions, LanguageModel
from hengliang.systems.language_models.coarse.preprocessing import Preprocessor, preprocessing, representation
from hengliang.systems.language_models.manner import folded
from hengliang.systems.language_models.scores import Scores, concat, scores_of
from hengliang.systems.language_models.word_units import words_of_texts

FILE = "representation.json"
"""What a representation learned in training, in the folder of the model."""


class CoarseModel(LanguageModel):
    """A model of words, and the preprocessing through which it sees every text."""

    def __init__(
        self,
        model: LanguageModel,
        preprocess: str,
        learned: Mapping[str, Any] = MappingProxyType({}),
        trained_view: str = "",
        name: str = "",
    ) -> None:
        self.model = model
        self.preprocess = preprocess
        self.learned = learned
        self.trained_view = trained_view
        self.name = name or model.name

    @cached_property
    def preprocessor(self) -> Preprocessor:
        """The preprocessing, ready to work."""
        steps = preprocessing(self.preprocess)
        return Preprocessor(steps, representation(steps.coarse, self.learned))

    def __getstate__(self) -> dict[str, Any]:
        """Leave the open recogniser behind: a copy opens its own."""
        held = {name: value for name, value in self.__dict__.items() if name != "preprocessor"}
        # The class of a recogniser or tagger goes along: where it is read its module is imported, which registers it.
        form = self.preprocessor.form
        kind = type(getattr(form, "recogniser", None) or getattr(form, "tagger", None))
        return {**held, "learned": dict(self.learned), "_needed": kind}

    def conventions(self) -> Conventions:
        """Return those of the model, with its view of the text."""
        held = self.model.conventions()
        if held.unit != "word":
            raise UserError(
                f"'{self.model.name}' is a model of units of the kind '{held.unit}' and cannot see symbols for words.",
                valid="Models of words: n-gram, lstm, transformer, trained with the same preprocessing.",
            )
        return replace(held, representation=self.preprocess)

    def changed_view(self) -> str:
        """Say that texts are seen differently now than in training, as by another recogniser; else nothing."""
        if not self.trained_view or self.trained_view == self.preprocessor.fingerprint():
            return ""
        return (
            f"'{self.name}' was trained when '{self.preprocess}' saw texts differently: it may see symbols where it "
            "learned words, or the other way round. Remove it (hengliang models remove) and train it again."
        )

    @outside_signatures("a conformance kit tries promises and makes no number")
    def conformance(self) -> Iterator[Finding]:
        """Try the promises of a language model, and that it sees texts as it did in training."""
        yield from super().conformance()
        yield from examine([("sees texts as it did in training", self.changed_view)])

    def score(self, texts: Texts) -> Scores:
        """Return the scores of what the model sees of the texts; units are spans of the texts themselves."""
        conventions = self.conventions()
        texts = words_of_texts(texts, conventions.segmenter)
        # What was learned (word classes) is known by words in the width of the training text.
        texts = replace(texts, words=folded(texts.words, conventions.widths))
        seen = self.preprocessor.see(texts)
        good = np.flatnonzero([not problem for problem in seen.problems])
        if len(good) == len(texts):
            return self.model.score(seen.texts)
        bad = np.flatnonzero([bool(problem) for problem in seen.problems])
        parts = [
            self.model.score(seen.texts.take(good)),
            scores_of(seen.problems[row] for row in bad.tolist()),
        ]
        return concat(parts).take(np.argsort(np.concatenate([good, bad])))

    def signature(self) -> Signature:
        """Return the model's signature and that of its view of the text."""
        return self.model.signature().and_(
            representation=self.preprocess, view=self.preprocessor.signature(), wrapper=code_checksum(type(self))
        )

    def traits(self) -> Mapping[str, Attribute]:
        """Return the traits of the model, with its view of the text."""
        return MappingProxyType({**self.model.traits(), "representation": self.preprocess})


def write_learned(folder: Path, learned: Mapping[str, Any]) -> None:
    """Keep in a model's folder what its representation has learned, if it has learned something."""
    if learned:
        write_json(folder / FILE, dict(learned))


def read_learned(folder: Path) -> Mapping[str, Any]:
    """Return what the representation of the model in a folder has learned."""
    held = read_json(folder / FILE) if (folder / FILE).is_file() else {}
    if not isinstance(held, dict):
        raise UserError(f"{folder / FILE} is damaged.", remedy="Train the model again, or copy its folder again.")
    return held
