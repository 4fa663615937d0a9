"""Are ratings read as they were given, and does no statement always come first?"""

from __future__ import annotations

from collections import Counter

import pytest

from hengliang import Bilingual
from hengliang.experiments import Scale
from hengliang.people.tasks.base import Given, Screen
from hengliang.people.tasks.fields import STRANGE, UNANSWERED
from hengliang.people.tasks.likert import LikertRating, Pages
from hengliang.people.tasks.statement_sets import ACCEPTABILITY, DESCRIPTION
from tests.people.tasks.examples import HORSE, SCENE

BOTH = Screen(("clarity", "fluency"))


def test_numbers_follow_the_order_of_the_screen() -> None:
    form = {"answer-clarity": "7", "answer-fluency": "2", "other": "x"}
    swapped = Screen(("fluency", "clarity"))
    assert LikertRating().read(form, HORSE, swapped).given == (Given("fluency", 2.0), Given("clarity", 7.0))


@pytest.mark.parametrize("chosen", ["0", "8", "-1", "1.0", "４", "nan", "inf", " 1", "01", "\0", "1" * 100_000])
def test_what_is_no_point_of_the_scale(chosen: str) -> None:
    reading = LikertRating().read({"answer-clarity": chosen, "answer-fluency": "1"}, HORSE, BOTH)
    assert [(each.field, each.message) for each in reading.problems] == [("answer-clarity", STRANGE)]


def test_a_missing_answer() -> None:
    reading = LikertRating().read({"answer-fluency": "1"}, HORSE, BOTH)
    assert [(each.field, each.message) for each in reading.problems] == [("answer-clarity", UNANSWERED)]


def test_a_separate_page_asks_only_its_own() -> None:
    task = LikertRating(pages="separate")
    assert task.screens(5) == (Screen(("clarity",)), Screen(("fluency",)))
    reading = task.read({"answer-clarity": "3", "answer-fluency": "9"}, HORSE, Screen(("clarity",)))
    assert reading.given == (Given("clarity", 3.0),)
    assert [question["field"] for question in task.shown(HORSE, Screen(("fluency",)), "en", 0)["questions"]] == [
        "answer-fluency"
    ]


@pytest.mark.parametrize(("pages", "same"), [("together", True), ("counterbalanced", False)])
def test_one_page(pages: Pages, same: bool) -> None:
    task = LikertRating(pages=pages)
    orders = [task.screens(number) for number in range(4)]
    assert all(len(screens) == 1 for screens in orders)
    assert (orders[0] == orders[1]) == same
    assert orders[0] == orders[2]


@pytest.mark.parametrize("pages", ["counterbalanced", "separate counterbalanced"])
def test_every_statement_stands_in_every_place_equally_often(pages: Pages) -> None:
    task = LikertRating(DESCRIPTION, pages)
    # Three statements have six orders.
    seen = [[name for screen in task.screens(number) for name in screen.scales] for number in range(6)]
    places = Counter((place, name) for names in seen for place, name in enumerate(names))
    assert set(places.values()) == {2}
    assert len(places) == 9


def test_one_language_or_both() -> None:
    one = LikertRating().shown(HORSE, BOTH, "en", 0)["questions"][0]
    assert one["statement"] == [("en", "This sentence is clear.")]
    both = LikertRating(bilingual=True).shown(HORSE, BOTH, "en", 0)["questions"][0]
    assert both["statement"] == [("zh", "这句话表达清晰。"), ("en", "This sentence is clear.")]
    assert both["answers"][3]["words"] == [("zh", "不确定"), ("en", "neither agree nor disagree")]


def test_named_ends() -> None:
    answers = LikertRating(ACCEPTABILITY).shown(HORSE, Screen(("acceptability",)), "zh", 0)["questions"][0]["answers"]
    assert [answer["end"] for answer in answers] == [
        [("zh", "完全不可接受")],
        [],
        [],
        [],
        [],
        [],
        [("zh", "完全可以接受")],
    ]
    assert all(answer["words"] == [] for answer in answers)


def test_what_a_number_means() -> None:
    assert LikertRating().columns()[0].meaning == Bilingual(
        "This sentence is clear. From 1 (strongly disagree) to 7 (strongly agree).",
        "这句话表达清晰。从 1（非常不同意）到 7（非常同意）。",
    )
    bare = LikertRating((Scale("x", Bilingual("Good?", "好吗？"), 5),))
    assert bare.columns()[0].meaning.en == "Good? From 1 to 5."


def test_what_cannot_be_shown() -> None:
    assert LikertRating().check(HORSE) is None
    assert LikertRating().check(type(HORSE)("a", "a", " ")) == "it has no text"
    wrong = type(HORSE)("a", "a", "x", details={"scene": {"red circle": 0}})
    assert LikertRating().check(wrong) == "its scene holds 0 things, not 1 to 400"
    assert LikertRating(DESCRIPTION).check(SCENE) is None


@pytest.mark.parametrize(("points", "options"), [(1, 0), (102, 0), (7, 3), (0, 0)])
def test_scales_nobody_can_rate_on(points: int, options: int) -> None:
    scale = Scale("x", Bilingual("Good?", "好吗？"), points, (Bilingual("a", "甲"),) * options)
    assert LikertRating((scale,)).fault() is not None
    assert LikertRating((scale, scale)).fault() == "two scales are called 'x'"
