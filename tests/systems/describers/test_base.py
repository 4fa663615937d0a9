"""What does a describer have for nothing, once it describes?"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hengliang import UserError
from hengliang.core import answer_schema
from hengliang.materials.scenes import Scene
from hengliang.systems.describers.base import Described, Describer, describer
from hengliang.systems.describers.conformance import scene_items
from hengliang.systems.describers.greedy import Greedy
from hengliang.systems.describers.incremental import Incremental


class Echo(Describer):
    """Says the code of the scene, and counts how many scenes it was asked about."""

    name = "echo"

    def __init__(self, short: bool = False) -> None:
        self.short = short
        self.__dict__["asked"] = []

    def describe(self, scenes: Sequence[Scene]) -> list[Described]:
        self.__dict__["asked"] += [scene.code for scene in scenes]
        return [Described(scene.code, (), "exhausted", 99) for scene in scenes][self.short :]


def test_texts_become_the_answer_table_in_the_order_of_the_items() -> None:
    answers = Echo().answer(scene_items(["RC=1 BS=2", "BS=4"]))
    assert dict(answers.schema) == answer_schema("text")
    assert answers.rows() == [("scene-1", "BS=2 RC=1", "ok", ""), ("scene-2", "BS=4", "ok", "")]


def test_a_code_that_is_no_scene_fails_alone_and_with_the_reason() -> None:
    answers = Echo().answer(scene_items(["BS=4", "PS=4", "BS=-1", "four", "BS=0", "BS=100000"]))
    assert answers["status"].to_list() == ["ok", *["failed"] * 5]
    assert answers["content"].to_list() == ["BS=4", *[None] * 5]
    reasons = answers["reason"].to_list()
    assert "PS" in reasons[1] and "-1" in reasons[2] and "four" in reasons[3] and "100000" in reasons[5]


def test_a_scene_that_several_items_share_is_described_once() -> None:
    echo = Echo()
    assert echo.answer(scene_items(["BS=4", "RC=4", "BS=4"]))["content"].to_list() == ["BS=4", "RC=4", "BS=4"]
    assert echo.__dict__["asked"] == ["BS=4", "RC=4"]


def test_without_any_scene_the_describer_is_not_asked() -> None:
    echo = Echo(short=True)
    assert echo.answer(scene_items(["nothing"]))["status"].to_list() == ["failed"]
    assert echo.__dict__["asked"] == []


def test_too_few_descriptions_are_refused() -> None:
    with pytest.raises(UserError, match="returned 1 descriptions for 2 scenes"):
        Echo(short=True).answer(scene_items(["BS=4", "RC=4"]))


def test_describers_are_made_by_name() -> None:
    made = describer("QDG-IA", seed=5, longest=2)
    assert isinstance(made, Incremental) and (made.seed, made.longest, made.name) == (5, 2, "QDG-IA")
    assert isinstance(describer("QDG-GREEDY"), Greedy)


def test_unknown_names_and_options_say_what_is_valid() -> None:
    with pytest.raises(UserError, match="Did you mean QDG-GREEDY"):
        describer("QDG-GREDY")
    with pytest.raises(UserError, match=r"'QDG-IA'.*'sed'.*Options: domain, language, reading, longest"):
        describer("QDG-IA", sed=1)
