"""Are trained models found, described and removed, and only whole ones?"""

from __future__ import annotations

import pytest

from hengliang import UserError, places
from hengliang.classifiers import Rule
from hengliang.core import write_json, write_text
from hengliang.systems.model_store import model_folder, remove_model, stored_model, stored_models
from tests.tiny import Sentences


def test_a_saved_chooser_is_a_stored_model() -> None:
    Rule(train=Sentences(), seed=3).save(model_folder("rule-3"))
    model = stored_model("rule-3")
    assert model.card["kind"] == "classifier chooser"
    assert model.card["seed"] == 3
    assert model.size > 0
    assert Rule.load(model.folder).counts().table.height == 6


def test_a_folder_without_a_card_is_no_model() -> None:
    write_text(places.models() / "half" / "weights", "x")
    write_json(places.models() / "whole" / "card.json", {})
    assert [model.name for model in stored_models()] == ["whole"]


def test_a_model_is_removed() -> None:
    write_json(places.models() / "old" / "card.json", {})
    assert remove_model("old").name == "old"
    with pytest.raises(UserError, match="No model is called 'old'"):
        remove_model("old")


@pytest.mark.parametrize("name", ["", "..", ".hidden", "a/b", "/etc"])
def test_a_name_that_leads_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(UserError, match="cannot be the name of a model"):
        model_folder(name)
