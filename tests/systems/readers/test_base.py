"""Does a reader answer items, and is what it gives checked?"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest

from hengliang import Item, UserError
from hengliang.core import Count, check_answers, items_frame
from hengliang.materials.scenes import Scene
from hengliang.systems.readers.base import Reader, ReadScene, ReadText, reader
from hengliang.systems.readers.model_reader import ModelReader


class FirstKind(Reader):
    """Takes everything for a blue square, and understands no question."""

    name = "first kind"
    asked: tuple[ReadText, ...] = ()

    def read(self, descriptions: Sequence[ReadText]) -> list[ReadScene]:
        self.asked = (*self.asked, *descriptions)
        return [
            ReadScene(None, "a question") if one.text.endswith("?") else ReadScene(Scene((one.size, 0, 0, 0)))
            for one in descriptions
        ]


class Given(Reader):
    """Gives what it was given."""

    name = "given"

    def __init__(self, *answers: ReadScene) -> None:
        self.answers = answers

    def read(self, descriptions: Sequence[ReadText]) -> list[ReadScene]:
        return list(self.answers)


def items(*texts: tuple[str, int | float | None]) -> pl.DataFrame:
    return items_frame(
        Item(str(number), str(number), "mine", "", text, attributes={"scene_size": size})
        for number, (text, size) in enumerate(texts)
    )


def test_counts_by_the_names_of_kinds() -> None:
    asked = items(("Blue.", 4), ("What?", 4), ("Blue.", 9), ("Blue.", 4))
    system = FirstKind()
    answers = check_answers(system.answer(asked), asked, system)
    assert answers["status"].to_list() == ["ok", "missing", "ok", "ok"]
    assert answers["reason"].to_list() == ["", "a question", "", ""]
    names = ["blue square", "blue circle", "red square", "red circle"]
    assert answers["content"][0].to_list() == [
        {"kind": name, "count": count} for name, count in zip(names, [4, 0, 0, 0], strict=True)
    ]
    assert Count(**answers["content"][2].to_list()[0]) == Count("blue square", 9)
    # A text that stands twice is read once.
    assert system.asked == (ReadText("Blue.", 4), ReadText("What?", 4), ReadText("Blue.", 9))


@pytest.mark.parametrize(
    ("size", "reason"),
    [
        (None, "its scene_size is empty"),
        (0, "0 is no scene_size: a whole number from 1 to 400 is wanted"),
        (-3, "-3 is no scene_size"),
        (401, "401 is no scene_size"),
        (2.5, "2.5 is no scene_size"),
        (float("nan"), "nan is no scene_size"),
    ],
)
def test_an_item_without_a_usable_size_fails(size: float | None, reason: str) -> None:
    answers = FirstKind().answer(items(("Blue.", size), ("Blue.", 4)))
    assert answers["status"].to_list() == ["failed", "ok"]
    assert reason in answers["reason"][0]


def test_sizes_from_a_table_of_decimal_numbers() -> None:
    assert FirstKind().answer(items(("Blue.", 4.0), ("Blue.", 2.5)))["status"].to_list() == ["ok", "failed"]


def test_an_item_that_knows_no_sizes() -> None:
    bare = items_frame([Item("a", "a", "mine", "", "Blue.")])
    answer = FirstKind().answer(bare)
    assert answer["status"][0] == "failed"
    assert "it has no attribute scene_size" in answer["reason"][0]


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        ((), "returned 0 scenes for 1 descriptions"),
        ((ReadScene(None),), "neither a scene nor a reason"),
        ((ReadScene(Scene((1, 1, 1, 0))),), r"the counts \(1, 1, 1, 0\) for a scene of 4 things"),
        ((ReadScene(Scene((5, -1, 0, 0))),), r"the counts \(5, -1, 0, 0\)"),
        ((ReadScene(Scene((4, 0))),), r"the counts \(4, 0\)"),
    ],
)
def test_a_reader_that_is_wrong_is_told(answers: tuple[ReadScene, ...], problem: str) -> None:
    with pytest.raises(UserError, match=problem) as caught:
        Given(*answers).answer(items(("Blue.", 4)))
    assert "hengliang check 'given'" in caught.value.remedy


def test_readers_by_name() -> None:
    made = reader("MODEL READER", seed=3, choice="typical")
    assert isinstance(made, ModelReader)
    assert (made.seed, made.choice) == (3, "typical")
    with pytest.raises(UserError, match="No reader is called 'MODEL'"):
        reader("MODEL")
    with pytest.raises(UserError, match="Options: choice, prior, seed"):
        reader("MODEL READER", colour="red")
