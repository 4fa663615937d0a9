from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hengliang import UserError
from hengliang.materials.classifier_inventory import own_classifiers
from hengliang.systems.classifier_choosers.candidates import candidates, shares
from tests.systems.classifier_choosers.lessons import Lessons

INVENTORY = [classifier.form for classifier in own_classifiers()]


def test_the_inventory_is_on_offer_unless_others_are_named() -> None:
    assert candidates() == tuple(INVENTORY)
    assert len(set(candidates())) == len(INVENTORY)


@pytest.mark.parametrize(
    "named", [["本", "个", "本"], ("本", "个"), "本,个", "本 个", "本、个，本", "本,个,", " 、本;个 "]
)
def test_forms_are_offered_once_in_the_order_in_which_they_are_named(named: object) -> None:
    assert candidates(named) == ("本", "个")  # type: ignore[arg-type]


def test_a_material_offers_what_was_seen_in_it_the_most_frequent_first() -> None:
    # 个 was seen 6 times, 本 3; 位, 匹 and 头 twice, by their characters; 部 once.
    assert candidates(Lessons()) == ("个", "本", *sorted(("位", "匹", "头")), "部")


def test_a_form_outside_the_inventory_is_named_and_can_be_allowed() -> None:
    with pytest.raises(UserError, match="Outside the inventory: '甲', '乙'") as caught:
        candidates(["个", "甲", "乙"])
    assert str(len(INVENTORY)) in str(caught.value)
    assert "any_classifier=True" in str(caught.value)
    assert candidates(["个", "甲"], any_classifier=True) == ("个", "甲")


def test_only_some_of_many_strangers_are_shown() -> None:
    with pytest.raises(UserError, match=r"'甲', '乙', '丙', '丁', '戊' and 2 more"):
        candidates(list("甲乙丙丁戊己庚"))


@pytest.mark.parametrize("form", ["ge", "个a", "1", "个 只"])
def test_a_form_that_is_not_chinese_is_always_refused(form: str) -> None:
    with pytest.raises(UserError, match="is no classifier"):
        candidates([form], any_classifier=True)


@pytest.mark.parametrize("nothing", ["", "  ", [], [""]])
def test_nothing_to_choose_from_is_refused(nothing: object) -> None:
    with pytest.raises(UserError, match="no classifier to choose from"):
        candidates(nothing)  # type: ignore[arg-type]


def test_shares_by_hand() -> None:
    # Odds 1 : 3, and one that is not known.
    found = shares(np.array([[math.log(0.1), math.log(0.3), np.nan], [np.nan] * 3, [-np.inf, 0.0, -np.inf]]))
    assert found[0] == pytest.approx([0.25, 0.75, 0.0])
    assert np.isnan(found[1]).all()
    assert found[2].tolist() == [0.0, 1.0, 0.0]


@given(arrays(np.float64, (3, 4), elements=st.floats(-800, 0)), st.floats(-500, 500))
def test_shares_sum_to_one_and_do_not_depend_on_a_constant(logprobs: np.ndarray, constant: float) -> None:
    found = shares(logprobs)
    assert found.sum(axis=1) == pytest.approx(np.ones(3))
    assert shares(logprobs + constant) == pytest.approx(found, abs=1e-9)
