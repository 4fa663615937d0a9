"""Does a model that an earlier version trained open, and does it answer as it did, to the last digit?

The models in `old_version` were trained by version 0.1.0 as it was when a language model that had been begun had a note
named `recipe.json`. They learned from sentences of the tests: an n-gram model from `stories`, a linear chooser from the
toy slots of neural choosers, a tagger from a dozen `lessons`. What they answered was written down by that version.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError, model
from hengliang.classifiers import Linear
from hengliang.core.learning import CARD, read_card, train_once
from hengliang.language_models import read_texts
from hengliang.tagging import CrfTagger
from tests.core.test_learning import flipped

OLD = Path(__file__).parent / "old_version"

# Natural logarithms by word and end: 他 昨天 去 学校 。 | 学校 昨天 。 他 去 | 我们 买 了 一 本 小说
LOGPROBS = """
    -0x1.74c0e0p+0 -0x1.836f06p+0 -0x1.c28526p+0 -0x1.2f96d2p-3 -0x1.6e91f0p-5 -0x1.c9caaap-6
    -0x1.90f9fbp+2 -0x1.d584e0p+1 -0x1.d89ffap+1 -0x1.4688ebp+2 -0x1.d584e0p+1 -0x1.3840efp+2
    -0x1.c4a464p+0 -0x1.37d054p+2 -0x1.d03d86p-2 -0x1.24da78p-4 -0x1.2670aap-4 -0x1.dbdc6cp+2 -0x1.f2f60ep+1
"""
# Sums of weights for 位, 匹 and 本, slot by slot.
SLOTS = [("他有一", "。", "书"), ("他送走一", "。", "客人"), ("他来了一", "了", "月亮")]
SCORES = """
    -0x1.c5f1c8p+3 -0x1.c4e4b6p+3 0x1.85bb24p+3
    0x1.8d15a8p+3 -0x1.b90262p+3 -0x1.ac805cp+3
    -0x1.0f962ap+2 -0x1.0d668ap+2 -0x1.b67614p+0
"""


def numbers(text: str) -> list[float]:
    return [float.fromhex(number) for number in text.split()]


def slots() -> pl.DataFrame:
    rows = [(before + after, len(before.encode()), noun) for before, after, noun in SLOTS]
    return pl.DataFrame(rows, schema={"sentence": pl.String, "slot": pl.Int64, "noun": pl.String}, orient="row")


def test_an_ngram_model_scores_as_it_did() -> None:
    texts = read_texts(["他 昨天 去 学校 。", "学校 昨天 。 他 去", "我们 买 了 一 本 小说"])
    assert model(str(OLD / "ngram")).score(texts).logprobs.tolist() == numbers(LOGPROBS)


def test_a_linear_chooser_chooses_as_it_did() -> None:
    chooser = Linear(model=str(OLD / "linear"))
    assert chooser.labels() == ("位", "匹", "本")
    assert chooser._scorer().scores(slots()).ravel().tolist() == numbers(SCORES)
    found = [ranking[0] for ranking in chooser.choose(slots()).to_list()]
    assert [choice["label"] for choice in found] == ["本", "位", "本"]
    assert found[2]["probability"] == pytest.approx(0.860618)


def test_a_tagger_tags_as_it_did() -> None:
    pytest.importorskip("pycrfsuite", reason="python-crfsuite, with which the tagger crf tags, is not installed")
    found = CrfTagger(str(OLD / "crf")).tag(["老师昨天看了一本书。", "我喜欢故事。"])
    tags = [(0, 6, "n"), (6, 12, "t"), (12, 15, "v"), (15, 18, "u"), (18, 21, "m"), (21, 24, "q"), (24, 27, "n")]
    assert found.of(0) == [*tags, (27, 30, "w")]
    assert found.of(1) == [(0, 3, "r"), (3, 9, "v"), (9, 15, "n"), (15, 18, "w")]


@pytest.mark.parametrize("name", ["ngram", "linear", "crf"])
def test_their_cards_are_whole_and_their_damage_is_found(name: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(OLD / name, tmp_path / name))
    card = read_card(folder)
    before = (folder / CARD).read_bytes()

    def learn() -> dict[str, object]:
        raise AssertionError("it was trained again")

    assert train_once(folder, card["recipe"], learn) == folder
    assert (folder / CARD).read_bytes() == before
    largest = max(card["files"], key=lambda file: card["files"][file]["bytes"])
    flipped(folder / largest, 20, 1)
    with pytest.raises(UserError, match="has other content than when it was written") as raised:
        read_card(folder)
    commands = {"ngram": "lm train ngram", "linear": "classifiers train LINEAR", "crf": "taggers train"}
    assert f"then hengliang {commands[name]} " in raised.value.remedy
