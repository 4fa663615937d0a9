from __future__ import annotations

from pathlib import Path

import pytest

from hengliang import UserError, model
from hengliang.language_models import TrainedModel
from hengliang.systems.classifier_choosers.named_models import check_scoring, model_signature, named_model, opened
from tests.language_models.small_models import SmallBigrams
from tests.systems.classifier_choosers.filled_models import folder_of, small


@pytest.mark.parametrize(
    ("name", "kind", "size", "seed"),
    [("ngram-5", "ngram", "5", None), ("lstm-small-2", "lstm", "small", 2), ("masked-small-1", "masked", "small", 1)],
)
def test_a_usual_name_stands_for_its_recipe(name: str, kind: str, size: str, seed: int | None) -> None:
    found = named_model(name)
    assert isinstance(found, TrainedModel)
    assert (found.architecture, found.size, found.seed) == (kind, size, seed)
    assert found.recipe().name == name
    assert not found.is_trained


@pytest.mark.parametrize("name", ["ngram-9", "ngram-5-1", "lstm-small", "gpt-small-1", "nothing", "lstm-huge-1"])
def test_another_name_is_unknown(name: str) -> None:
    with pytest.raises(UserError, match="language model"):
        named_model(name)


def test_a_model_is_itself() -> None:
    given = SmallBigrams()
    assert named_model(given) is given
    assert opened(given) is given
    assert not model_signature(given).pairs


def test_a_model_on_disk_signs_with_its_content(tmp_path: Path) -> None:
    folder = folder_of(small("ngram", "2", tmp_path))
    assert type(named_model(folder)) is type(model(folder))
    pairs = dict(model_signature(folder).pairs)
    assert pairs["model.folder"] == dict(model(folder).signature().pairs)["folder"]


def test_a_model_of_the_other_kind_is_refused() -> None:
    given = SmallBigrams()
    assert check_scoring(given, masked=False) is given
    with pytest.raises(UserError, match="fills no gaps") as caught:
        check_scoring(given, masked=True)
    assert "chooser LM" in str(caught.value)
