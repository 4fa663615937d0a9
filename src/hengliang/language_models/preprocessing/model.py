"""Language models on preprocessed text: a wrapper that scores sentences in a coarse representation.

A wrapper around a model of words that was trained on preprocessed text: every text is brought into the same form before
it is scored. The units point to the original text by their byte spans; where several words became one symbol, one unit
covers them all. A sentence that cannot be brought into the form (its entities could not be recognised) has no score.
After the wrapper come the search for the model that belongs to a preprocessing, and the corpus as it learns from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from hengliang.core.closure import outside_signatures
from hengliang.core.conformance import Finding, examine
from hengliang.core.errors import UserError
from hengliang.core.io.files import read_json, write_json
from hengliang.core.labelling.recognisers import Recogniser
from hengliang.core.labelling.remembered_spans import remembered_entities
from hengliang.core.labelling.texts import Texts
from hengliang.core.learning import is_trained, model_folder, read_card, stored_models
from hengliang.core.progress import Watcher
from hengliang.core.records import Attribute
from hengliang.core.signature import Signature, code_checksum
from hengliang.corpora.parts import Part
from hengliang.language_models.base import Conventions, LanguageModel
from hengliang.language_models.manner import folded
from hengliang.language_models.opening import model
from hengliang.language_models.preprocessing.entities import ReplacedEntities
from hengliang.language_models.preprocessing.preprocessing import Preprocessor, preprocessing, representation
from hengliang.language_models.recipes import Recipe, train
from hengliang.language_models.scores import Scores, concat, scores_of
from hengliang.language_models.training_texts import Corpus
from hengliang.language_models.vocabulary import words_of_texts

# --- the wrapper ------------------------------------------------------------------------------------------------------


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
        state = {name: value for name, value in self.__dict__.items() if name != "preprocessor"}
        # The class of a recogniser or tagger goes along: where it is read its module is imported, which registers it.
        form = self.preprocessor.form
        kind = type(getattr(form, "recogniser", None) or getattr(form, "tagger", None))
        return {**state, "learned": dict(self.learned), "_needed": kind}

    def conventions(self) -> Conventions:
        """Return those of the model, with its view of the text."""
        own = self.model.conventions()
        if own.unit != "word":
            raise UserError(
                f"'{self.model.name}' is a model of units of the kind '{own.unit}' and cannot see symbols for words.",
                valid="Models of words: n-gram, lstm, transformer, trained with the same preprocessing.",
            )
        return replace(own, representation=self.preprocess)

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
        """Test the promises of a language model, and that it sees texts as it did in training."""
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
    learned = read_json(folder / FILE) if (folder / FILE).is_file() else {}
    if not isinstance(learned, dict):
        raise UserError(f"{folder / FILE} is damaged.", remedy="Train the model again, or copy its folder again.")
    return learned


# --- the model trained with a preprocessing ---------------------------------------------------------------------------
# A model that has never seen a symbol cannot score one. So `ngram-4` with the step `rne:lac` means another model, that
# of the same recipe with this step: it is found in the store, or, since n-grams are counted in seconds, trained on the
# spot.

_CHINESE = ("simplified", "traditional")


def steps_of(preprocess: str, rne: str) -> str:
    """Return the preprocessing that two options name together: its steps, and a recogniser of entities."""
    return preprocessing("+".join(step for step in (preprocess, f"rne:{rne}" if rne else "") if step)).name


def model_through(reference: str, preprocess: str, watcher: Watcher) -> LanguageModel:
    """Return the model of this name as trained with a preprocessing; an n-gram model is trained if need be."""
    form = representation(preprocessing(preprocess).coarse)  # an unknown recogniser is reported before any training
    stored = {entry.name: entry.folder for entry in stored_models()}
    folder = stored.get(reference, Path(reference))
    if not is_trained(folder):
        model(reference)  # says what is wrong where there is no such model at all
        raise UserError(
            f"'{reference}' was not trained here, so that it cannot see text through '{preprocess}'.",
            valid="Models of words that hengliang has trained: ngram, lstm, transformer.",
            remedy=f"Train one: hengliang lm train ngram --preprocess {preprocess} --data CORPUS",
        )
    card = read_card(folder)
    if card.get("preprocess", "") == preprocess:
        return model(reference)
    if isinstance(form, ReplacedEntities):
        _check_language(reference, card, form.recogniser)
    recipe = _recipe(card, preprocess)
    if recipe.name in stored:
        _check_data(reference, card, recipe.name, read_card(stored[recipe.name]))
        return model(recipe.name)
    if recipe.kind != "ngram" or not _has_data(recipe, card["recipe"].get("data_sha256")):
        raise UserError(
            f"There is no model '{recipe.name}' yet: '{reference}' as trained with the preprocessing '{preprocess}'.",
            remedy=f"Train it with: {_command(recipe)}",
        )
    watcher.say(f"{recipe.name} is trained first, from {recipe.data}.")
    return model(str(train(recipe, model_folder(recipe.name), watcher)), name=recipe.name)


def _check_language(reference: str, card: Mapping[str, Any], recogniser: Recogniser) -> None:
    """Refuse a recogniser of another language: it finds next to nothing, or names where there are none."""
    english = card.get("segmenter") == "english"
    read, spoken = "en" if english else "zh" if card.get("script") in _CHINESE else "", recogniser.language()
    if read and spoken and read != spoken:
        names = {"en": "English", "zh": "Chinese"}
        raise UserError(
            f"The entity recogniser '{recogniser.name}' reads {names.get(spoken, spoken)}, "
            f"and '{reference}' has learned from {names[read]}.",
            valid=f"A recogniser of {names[read]}: {'spacy' if english else 'lac, spacy:zh_core_web_sm'}.",
            remedy=f"Choose it: --rne {'spacy' if english else 'lac'}",
        )


def _recipe(card: Mapping[str, Any], preprocess: str) -> Recipe:
    known = {field.name for field in fields(Recipe)}
    settings = {name: value for name, value in card.get("recipe", {}).items() if name in known}
    if "kind" not in settings:
        raise UserError("The card of the model names no recipe.", remedy="Train the model again.")
    return Recipe(**{**settings, "preprocess": preprocess}).settled()


def _check_data(reference: str, card: Mapping[str, Any], name: str, other: Mapping[str, Any]) -> None:
    """Refuse a model of the right name that learned from another text: many files have the same name."""
    for key, what in (("data_sha256", "text"), ("segmenter", "segmenter"), ("longest", "longest sentence")):
        expected, actual = card["recipe"].get(key), other.get("recipe", {}).get(key)
        if expected != actual:
            raise UserError(
                f"'{name}' was trained with another {what} than '{reference}': {actual}, not {expected}.",
                remedy=f"Remove it and try again: hengliang models remove {name}",
            )


def _has_data(recipe: Recipe, checksum: str | None) -> bool:
    """Say whether the corpus can be found again, unchanged: a card knows a user's file by its name only."""
    try:
        return checksum in {None, recipe.facts()["data_sha256"]}
    except UserError:
        return False


def _command(recipe: Recipe) -> str:
    seed = "" if recipe.kind == "ngram" else f" --seed {recipe.seed}"
    data = "" if recipe.data == Recipe("ngram").data else f" --data {recipe.data}"
    return f"hengliang lm train {recipe.kind} --size {recipe.size}{seed}{data} --preprocess {recipe.preprocess}"


# --- preprocessed training corpus -------------------------------------------------------------------------------------
# Returns the corpus as the model sees it through a preprocessing.


@dataclass(frozen=True, slots=True)
class SeenCorpus:
    """A corpus as a model sees it, what the representation learned from its training part, and its fingerprint."""

    corpus: Corpus
    learned: Mapping[str, Any]
    view: str


def preprocessed_corpus(corpus: Corpus, preprocess: str, watcher: Watcher) -> SeenCorpus:
    """Return the corpus as a model will see it.

    Sentences that are too short are left out of the training part only. A sentence that cannot be brought into the
    form is left out of every part.
    """
    steps = preprocessing(preprocess)
    raw = dict(corpus.parts)
    raw["train"] = Preprocessor(steps, None).long_enough(raw["train"])
    form = representation(steps.coarse)
    learned = form.learn(raw["train"]) if form is not None else {}
    worker = Preprocessor(steps, representation(steps.coarse, learned) if learned else form)
    parts: dict[Part, Texts] = {}
    for part, texts in raw.items():
        if isinstance(worker.form, ReplacedEntities):
            # Now, with progress; the entities are then found in the cache.
            remembered_entities(worker.form.recogniser, texts.contents.to_list(), watcher)
        seen = worker.see(texts)
        good = np.flatnonzero([not problem for problem in seen.problems])
        if not len(good):
            raise UserError(
                f"No sentence of the part '{part}' is left by the preprocessing '{preprocess}'.",
                valid=next((f"The first: {problem}" for problem in seen.problems if problem), "All are too short."),
            )
        parts[part] = seen.texts if len(good) == len(texts) else seen.texts.take(good)
    return SeenCorpus(replace(corpus, parts=parts), learned, worker.fingerprint())
