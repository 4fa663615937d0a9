"""What do the tests of the trainable tagger share?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang.tagging.trained.tagger import CrfTagger
from tests.tagging.trained.lessons import train


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of a tagger that has learned our lessons; nobody changes it."""
    pytest.importorskip("pycrfsuite", reason="python-crfsuite, with which the tagger crf learns, is not installed")
    return train(tmp_path_factory.mktemp("tagger") / "small")


@pytest.fixture
def crf(small: Path) -> CrfTagger:
    """Give the tagger that has learned our lessons."""
    return CrfTagger(str(small))
