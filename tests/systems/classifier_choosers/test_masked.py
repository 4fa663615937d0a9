from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import find_registered as find
from hengliang.language_models import HuggingFaceMasked, TrainedModel, raw_texts
from hengliang.systems.classifier_choosers import chooser
from hengliang.systems.classifier_choosers.masked import MaskedChooser
from hengliang.systems.classifier_choosers.named_models import named_model
from tests.language_models.huggingface.tiny_models import bert, gpt2
from tests.systems.classifier_choosers.lessons import rankings

OFFERED = ("本", "个", "家", "火车")
SLOTS = pl.DataFrame(
    {
        "sentence": ["她昨天买了三书。", "那学生在家里。", "我们去北京，路上看了雪山。"],
        "slot": [18, 3, 6],
        "noun": ["", "", ""],
    }
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bert(tmp_path_factory.mktemp("bert"))


def made(folder: Path, **options: object) -> MaskedChooser:
    options = {"classifiers": OFFERED, "any_classifier": True, **options}
    return MaskedChooser(f"hf:{folder}", **options)  # type: ignore[arg-type]


def test_it_is_registered() -> None:
    assert find("classifier chooser", "MLM").kind is MaskedChooser
    assert MaskedChooser().language_model == "masked-small-1"


def test_it_keeps_its_promises(folder: Path) -> None:
    findings = list(made(folder, classifiers=OFFERED[:3], top=None).conformance())
    assert [finding for finding in findings if not finding.kept] == []


def test_lengths_share_one_distribution_by_hand(folder: Path) -> None:
    # Each number of hidden tokens is as probable as another: P(c) = P_k(c) / Σ P_k(c), whatever k a classifier has.
    found = rankings(made(folder, floor=0.0, top=None).choose(SLOTS))
    filled = HuggingFaceMasked(folder).fill(
        raw_texts(SLOTS["sentence"]), [(slot, slot) for slot in SLOTS["slot"].to_list()], OFFERED
    )
    for ranking, logprobs in zip(found, filled.logprobs, strict=True):
        odds = np.exp(logprobs)
        expected = dict(zip(OFFERED, odds / odds.sum(), strict=True))
        assert dict(ranking) == pytest.approx(expected, abs=1e-5)


def test_a_longer_classifier_that_is_given_up_has_the_probability_zero(folder: Path) -> None:
    found = rankings(made(folder, floor=0.999999, top=None).choose(SLOTS))
    whole = rankings(made(folder, floor=0.0, top=None).choose(SLOTS))
    for ranking, exact in zip(found, whole, strict=True):
        longer = dict(exact)["火车"]
        if dict(ranking)["火车"] == 0:
            assert dict(ranking)["本"] == pytest.approx(dict(exact)["本"] / (1 - longer), abs=1e-5)
    assert any(dict(ranking)["火车"] == 0 for ranking in found)


def test_a_model_that_knows_no_candidate_gives_no_answer(folder: Path) -> None:
    assert made(folder, classifiers=["熊", "猫"]).choose(SLOTS).to_list() == [[], [], []]


def test_the_signature_names_model_and_candidates(folder: Path, tmp_path: Path) -> None:
    one = made(folder)
    assert one.signature() == made(folder).signature()
    assert one.signature() != made(folder, classifiers=OFFERED[:2]).signature()
    assert one.signature() != made(folder, window=4).signature()
    assert one.signature() != made(bert(tmp_path / "other", seed=5)).signature()
    copy = pickle.loads(pickle.dumps(one))
    assert copy.choose(SLOTS).to_list() == one.choose(SLOTS).to_list()


def test_the_usual_model_is_a_recipe_until_it_is_trained() -> None:
    untrained = MaskedChooser(classifiers=["个", "本"])
    assert untrained.traits()["architecture"] == "masked"
    assert isinstance(named_model(untrained.language_model), TrainedModel)


def test_mistakes_are_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="window of 0 tokens"):
        made(folder, window=0).choose(SLOTS)
    with pytest.raises(UserError, match="is no share"):
        made(folder, floor=1.0).choose(SLOTS)
    with pytest.raises(UserError, match="Outside the inventory: '家里'"):
        chooser("MLM", language_model=f"hf:{folder}", classifiers=["家里"]).choose(SLOTS)
    with pytest.raises(UserError, match="fills no gaps"):
        MaskedChooser(f"hf:{gpt2(tmp_path / 'gpt2')}").choose(SLOTS)
    with pytest.raises(UserError, match="There is no model at"):
        MaskedChooser(f"hf:{tmp_path / 'nowhere'}").choose(SLOTS)
