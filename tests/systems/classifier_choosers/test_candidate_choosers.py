"""Does every chooser that asks a language model offer, sign and travel alike?"""

from __future__ import annotations

import pickle

import polars as pl
import pytest

from hengliang import UserError
from hengliang.systems.classifier_choosers.candidate_choosers import CandidateChooser
from hengliang.systems.classifier_choosers.candidates import candidates
from hengliang.systems.classifier_choosers.language_model import LanguageModelChooser
from hengliang.systems.classifier_choosers.masked import MaskedChooser
from tests.language_models.small_models import SmallBigrams

CHOOSERS: dict[str, type[LanguageModelChooser] | type[MaskedChooser]] = {
    "LM": LanguageModelChooser,
    "MLM": MaskedChooser,
}


@pytest.fixture(params=CHOOSERS)
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_candidates_are_the_inventory_or_those_that_are_named(family: str) -> None:
    kind = CHOOSERS[family]
    assert isinstance(kind(), CandidateChooser)
    assert kind(SmallBigrams()).candidates() == candidates()
    assert kind(SmallBigrams(), "本，个").candidates() == ("本", "个")
    with pytest.raises(UserError, match="Outside the inventory: '甲'"):
        kind(SmallBigrams(), "甲").candidates()


def test_the_signature_names_candidates_and_model(family: str) -> None:
    kind = CHOOSERS[family]
    keys = [key for key, _ in kind(SmallBigrams(), "本").signature().pairs]
    assert "candidates" in keys
    # A model that was given signs as an argument; one that was named signs at the end.
    assert any(key.startswith("language_model.") for key in keys)
    named = [key for key, _ in kind("ngram-2", "本").signature().pairs]
    assert named[-1].startswith("model.")


def test_its_traits_are_its_family_and_those_of_the_model(family: str) -> None:
    traits = CHOOSERS[family](SmallBigrams()).traits()
    assert traits["family"] == family
    assert set(SmallBigrams().traits()) <= set(traits)


def test_an_open_model_stays_behind() -> None:
    made = LanguageModelChooser(SmallBigrams(), ("来", "书"), any_classifier=True)
    slots = pl.DataFrame({"sentence": ["他买了。"], "slot": [9], "noun": [""]})
    chosen = made.choose(slots)
    assert "_model" in made.__dict__
    copy = pickle.loads(pickle.dumps(made))
    assert "_model" not in copy.__dict__
    assert copy.choose(slots).to_list() == chosen.to_list()
