from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import Silent
from hengliang.core import find_registered as find
from hengliang.language_models import LanguageModel, trained
from hengliang.systems.classifier_choosers import chooser
from hengliang.systems.classifier_choosers.filled_sentences import SHORTLIST, Bounds
from hengliang.systems.classifier_choosers.language_model import LanguageModelChooser
from tests.language_models.huggingface.tiny_models import bert, gpt2
from tests.language_models.small_models import SmallBigrams
from tests.systems.classifier_choosers.filled_models import CANDIDATES, SLOTS, folder_of, lessons, small
from tests.systems.classifier_choosers.lessons import first, rankings


@pytest.fixture(scope="module")
def bigrams(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    return small("ngram", "2", tmp_path_factory.mktemp("bigrams"))


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    return small("lstm", "tiny", tmp_path_factory.mktemp("lstm"))


def test_it_is_registered() -> None:
    assert find("classifier chooser", "LM").kind is LanguageModelChooser
    assert LanguageModelChooser().language_model == "ngram-5"


@pytest.mark.parametrize("top", [None, 3])
def test_it_keeps_its_promises_on_n_grams(bigrams: LanguageModel, top: int | None) -> None:
    made = LanguageModelChooser(bigrams, CANDIDATES, top=top)
    assert [finding for finding in made.conformance() if not finding.kept] == []


def test_it_keeps_its_promises_on_a_network(network: LanguageModel) -> None:
    made = LanguageModelChooser(network, CANDIDATES, shortlist=3)
    assert [finding for finding in made.conformance() if not finding.kept] == []


def test_it_keeps_its_promises_on_a_model_of_hugging_face(tmp_path: Path) -> None:
    made = LanguageModelChooser(f"hf:{gpt2(tmp_path / 'gpt2')}", CANDIDATES[:3])
    assert [finding for finding in made.conformance() if not finding.kept] == []


def test_probabilities_by_hand() -> None:
    # 他 买 了 _ 。 with bigrams of three sentences, one added to each count, ten symbols. 书, 车 and 。 follow 了 once
    # each: P(书 | 了) = P(车 | 了) = 2/13, and 。 follows 书 and 车 the only time: 2/11. 来 is never seen after 了
    # (1/13) and never before 。 (1/11). The odds of 来, 书 and 车 are 1/13 · 1/11 to 2/13 · 2/11 twice: 1 : 4 : 4.
    slots = pl.DataFrame({"sentence": ["他买了。"], "slot": [9], "noun": [""]})
    made = LanguageModelChooser(SmallBigrams(), ("来", "书", "车"), any_classifier=True, cut="apart", top=None)
    (found,) = rankings(made.choose(slots))
    assert [label for label, _ in found] == ["书", "车", "来"]
    assert [probability for _, probability in found] == pytest.approx([4 / 9, 4 / 9, 1 / 9])


def test_an_unknown_classifier_has_no_probability_and_none_known_no_answer() -> None:
    slots = pl.DataFrame({"sentence": ["他买了。"], "slot": [9], "noun": [""]})
    made = LanguageModelChooser(SmallBigrams(), ("本", "书"), any_classifier=True, top=None)
    assert rankings(made.choose(slots)) == [[("书", 1.0), ("本", 0.0)]]
    assert LanguageModelChooser(SmallBigrams(), ("本", "个"), top=None).choose(slots).to_list() == [[]]


def test_it_learns_the_classifiers_of_its_lessons(bigrams: LanguageModel) -> None:
    chosen = first(LanguageModelChooser(bigrams, CANDIDATES).choose(SLOTS))
    assert chosen[1] == "个"
    assert chosen[2] == "封"


def test_a_usual_name_is_trained_when_it_is_made_ready(tmp_path: Path) -> None:
    given = trained("ngram", "2", data=lessons(tmp_path / "lessons.txt"))
    made = LanguageModelChooser(given, CANDIDATES)
    before = made.signature()
    made.prepare(Silent())
    assert given.is_trained
    assert made.signature() != before
    assert first(made.choose(SLOTS))[1] == "个"
    assert made.traits()["architecture"] == "ngram"


def test_the_signature_names_the_model_and_the_candidates(bigrams: LanguageModel, tmp_path: Path) -> None:
    folder = folder_of(bigrams)
    one = LanguageModelChooser(folder, CANDIDATES)
    assert one.signature() == LanguageModelChooser(folder, CANDIDATES).signature()
    assert one.signature() != LanguageModelChooser(folder, CANDIDATES[1:]).signature()
    assert one.signature() != LanguageModelChooser(folder, CANDIDATES, cut="apart").signature()
    other = folder_of(small("ngram", "3", tmp_path))
    assert one.signature() != LanguageModelChooser(other, CANDIDATES).signature()
    copy = pickle.loads(pickle.dumps(one))
    assert copy.choose(SLOTS).to_list() == one.choose(SLOTS).to_list()


def test_bounds_follow_the_model(bigrams: LanguageModel, network: LanguageModel) -> None:
    assert LanguageModelChooser(bigrams).bounds(bigrams) == Bounds()
    assert LanguageModelChooser(network).bounds(network) == Bounds(SHORTLIST)
    assert LanguageModelChooser(network, shortlist="all", after=4).bounds(network) == Bounds(None, 4)
    assert LanguageModelChooser(bigrams, shortlist=5).bounds(bigrams) == Bounds(5)


@pytest.mark.parametrize("wrong", [{"shortlist": 0}, {"shortlist": "some"}, {"after": -1}])
def test_impossible_bounds_are_refused(bigrams: LanguageModel, wrong: dict[str, object]) -> None:
    with pytest.raises(UserError, match="is not possible"):
        chooser("LM", language_model=bigrams, **wrong).choose(SLOTS)


def test_other_mistakes_are_named(bigrams: LanguageModel, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="'fused'"):
        chooser("LM", language_model=bigrams, cut="fused").choose(SLOTS)
    with pytest.raises(UserError, match="Outside the inventory: '甲'"):
        chooser("LM", language_model=bigrams, classifiers=["甲"]).choose(SLOTS)
    with pytest.raises(UserError, match="is masked"):
        chooser("LM", language_model=f"hf:{bert(tmp_path / 'bert')}").choose(SLOTS)
    with pytest.raises(UserError, match="language model"):
        chooser("LM", language_model="nothing").choose(SLOTS)


def test_the_shortlist_of_a_network_keeps_what_it_would_choose(network: LanguageModel) -> None:
    whole = LanguageModelChooser(network, CANDIDATES, shortlist="all", top=None).choose(SLOTS).to_list()
    short = LanguageModelChooser(network, CANDIDATES, shortlist=6, top=None).choose(SLOTS).to_list()
    for one, two in zip(whole, short, strict=True):
        lost = {choice["label"] for choice in one} - {choice["label"] for choice in two if choice["probability"] > 0}
        left = 1 - sum(choice["probability"] for choice in one if choice["label"] in lost)
        held = {choice["label"]: choice["probability"] for choice in one}
        for choice in two:
            if choice["probability"] > 0:
                assert choice["probability"] == pytest.approx(held[choice["label"]] / left, abs=1e-5)
    assert not np.allclose([one[0]["probability"] for one in whole], 1.0)
