"""Trained models as systems of a study: a recipe that is trained or opened when the study needs it.

A `TrainedModel` is a recipe. Before a study's first batch it trains, or goes on, or finds the model in the store; from
then on it is that model.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from hengliang.core.labelling.texts import Texts, check_texts
from hengliang.core.learning import card_state, is_trained, model_folder, read_card
from hengliang.core.progress import Watcher
from hengliang.core.records import Attribute
from hengliang.core.signature import Signature, code_checksum, version
from hengliang.core.text.segmentation import USUAL_SEGMENTER
from hengliang.core.text.segmenters import segmented_by
from hengliang.corpora.catalogue import DEFAULT_CORPUS
from hengliang.language_models.base import Conventions, LanguageModel, NextUnits
from hengliang.language_models.manner import Manner
from hengliang.language_models.opening import model
from hengliang.language_models.preprocessing.model import CoarseModel
from hengliang.language_models.recipes import STRUCTURED, Kind, Recipe, train
from hengliang.language_models.scores import Scores
from hengliang.language_models.streaming import SEARCHED


class TrainedModel(LanguageModel):
    """A language model given by its recipe; `prepare` trains it where the store does not have it yet."""

    def __init__(
        self,
        architecture: Kind = "ngram",
        size: str = "",
        seed: int | None = None,
        data: str = DEFAULT_CORPUS,
        name: str = "",
        preprocess: str = "",
        segmenter: str = USUAL_SEGMENTER,
        sentences: int = 0,
        trees: str = "",
        epochs: int = 0,
    ) -> None:
        self.architecture = architecture
        self.size = size
        self.seed = seed
        self.data = data
        self.preprocess = preprocess
        self.segmenter = segmenter
        self.sentences = sentences
        self.trees = trees
        self.epochs = epochs
        if architecture in STRUCTURED:
            self.batch_size = SEARCHED
        self.name = name or self.recipe().name

    def recipe(self) -> Recipe:
        """Return the recipe of the model; without a seed it is trained with seed 1."""
        seed = 1 if self.seed is None else self.seed
        return Recipe(
            self.architecture,
            self.size,
            seed,
            self.data,
            segmenter=self.segmenter,
            preprocess=self.preprocess,
            sentences=self.sentences,
            trees=self.trees,
            epochs=self.epochs,
        )

    def folder(self) -> Path:
        """Return where the store keeps the model."""
        return model_folder(self.recipe().name)

    @property
    def is_trained(self) -> bool:
        """Whether the store has the model already."""
        return is_trained(self.folder())

    def prepare(self, watcher: Watcher) -> None:
        """Train the model, or go on with it, unless it is there."""
        train(self.recipe(), watcher=watcher)

    def opened(self) -> LanguageModel:
        """Return the model itself, whose files are compared with its card once in a process, not at every batch."""
        recipe = self.recipe()
        if not self.is_trained:
            train(recipe)
        return _opened(recipe, card_state(self.folder()))

    def conventions(self) -> Conventions:
        """Return those of the model."""
        return self.opened().conventions()

    def score(self, texts: Texts) -> Scores:
        """Return the scores of the model."""
        check_texts(texts)
        return self.opened().score(texts)

    def next_units(self, prefixes: Texts) -> NextUnits:
        """Return what the model predicts."""
        return self.opened().next_units(prefixes)

    def signature(self) -> Signature:
        """Return the card of the trained model and the code that scores; before the training the recipe."""
        code = Signature.of(code=code_checksum(type(self)), hengliang=version())
        if not self.is_trained:
            return code.and_(recipe=str(sorted(self.recipe().facts().items())), trained=False)
        card = read_card(self.folder())
        files = Signature.of(**{name: content["sha256"][:16] for name, content in sorted(card["files"].items())})
        opened = model(str(self.folder()))
        scorer = code_checksum(type(opened))
        conventions = dict(card["conventions"])
        if isinstance(opened, CoarseModel):
            scorer += code_checksum(type(opened.model))
            code = code.and_(view=opened.preprocessor.signature())
        manner = getattr(getattr(opened, "model", opened), "manner", None)
        widths = getattr(opened, "widths", "")
        if isinstance(manner, Manner):
            # What the card said when it was written is not who cuts raw text here and now.
            conventions.pop("segmenter_code", None)
            conventions |= segmented_by(manner.segmenter, "segmenter")
            widths = manner.widths
        conventions |= {"widths": widths} if widths else {}
        return code.and_(
            scorer=scorer, model=self.recipe().name, seed=self.seed, data=card["data_sha256"][:16], file=files
        ).and_(**conventions)

    def traits(self) -> Mapping[str, Attribute]:
        """Return what the card says that analyses may compare models by."""
        recipe = self.recipe().settled()
        traits: dict[str, Attribute] = {"architecture": self.architecture, "size": recipe.size}
        traits |= {"structured": self.architecture in STRUCTURED, "data": Path(recipe.data).stem}
        traits |= {"trees": recipe.trees} if recipe.trees else {}
        traits |= {"representation": recipe.preprocess} if recipe.preprocess else {}
        if self.is_trained:
            card = read_card(self.folder())
            traits["parameters"] = card.get("parameters")
            traits["vocabulary"] = card.get("vocabulary")
            traits["training_words"] = card["words"]["train"]
            traits["training_seconds"] = card.get("training_seconds")
            parsing = card.get("parsing", {}).get("test", {})
            traits |= {name: parsing[name] for name in ("labelled_f1", "unlabelled_f1") if name in parsing}
        return MappingProxyType(traits)


@lru_cache(maxsize=8)
def _opened(recipe: Recipe, _state: tuple[Path, int, int]) -> LanguageModel:
    return model(str(train(recipe)))


def trained(
    architecture: Kind,
    size: str = "",
    seed: int | None = None,
    data: str = DEFAULT_CORPUS,
    name: str = "",
    *,
    preprocess: str = "",
    segmenter: str = USUAL_SEGMENTER,
    sentences: int = 0,
    trees: str = "",
    epochs: int = 0,
) -> TrainedModel:
    """Return the model of a recipe, trained when a study first needs it.

    `preprocess` names what is done to every text first (`sp`, `sp+rne:lac`, …); with `sentences` the model learns from
    the first so many only. `trees` says which trees an `rnng` or a `plm` learns from: `given`, `right-branching` or
    `shuffled`. `epochs` is how often at most a network goes through the text, the usual number if it is 0.
    """
    return TrainedModel(architecture, size, seed, data, name, preprocess, segmenter, sentences, trees, epochs)
