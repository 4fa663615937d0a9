"""Does a suite hold together: sentences in the shape of its regions, formulas about what is there?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from hengliang import Bilingual, UserError
from hengliang.grammar.suites.formulas import parse_formula
from hengliang.grammar.suites.suite import (
    ClassifierFact,
    Condition,
    Place,
    Prediction,
    Suite,
    SuiteItem,
    check_suite,
    content_of,
    predictions_as_text,
    predictions_of_text,
)


def small_suite() -> Suite:
    """Return a right suite of one item in two conditions and three regions."""
    good = (("他",), ("成为", "了"), ("医生", "。"))
    bad = (("他",), ("成为", "了"), ("。",))
    return Suite(
        "small",
        Bilingual("missing object", "宾语缺失"),
        Bilingual("none", "无修饰语"),
        (Condition("complete"), Condition("missing", acceptable=False)),
        ("subject", "verb", "rest"),
        (Prediction("1", parse_formula("missing.rest > complete.rest")),),
        (SuiteItem("1", "He became a doctor.", {"complete": good, "missing": bad}),),
    )


def test_a_right_suite_passes() -> None:
    assert check_suite(small_suite()) == small_suite()


def test_words_and_items_are_found() -> None:
    suite = small_suite()
    assert suite.words(suite.item("1"), Place("complete", "verb")) == ("成为", "了")
    with pytest.raises(UserError, match="item of the suite small"):
        suite.item("7")


def test_regions_are_byte_spans_of_the_joined_content() -> None:
    joined, regions = content_of((("他",), (), ("用", "iPhone"), ("Pro",), ("。",)))
    assert joined.content == "他用iPhone Pro。"
    # 他 is three bytes; the empty region has no width; 用iPhone is 3 + 6; the space belongs to the word after it.
    assert regions == [(0, 3), (3, 3), (3, 12), (12, 16), (16, 19)]


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"regions": ("subject", "verb", "verb")}, "two of the region 'verb'"),
        ({"conditions": (Condition("complete"), Condition("complete"))}, "two of the condition"),
        ({"predictions": ()}, "no prediction"),
        ({"items": ()}, "no item"),
        ({"predictions": (Prediction("1", parse_formula("missing.stop > complete.rest")),)}, "'stop'"),
        ({"predictions": (Prediction("1", parse_formula("lost.rest > complete.rest")),)}, "'lost'"),
        ({"predictions": (Prediction("1", parse_formula("missing.rest:verb > complete.rest")),)}, "ends before"),
        ({"balanced": ("nouns",)}, "'nouns'"),
        ({"facts": (ClassifierFact(Place("missing", ""), Place("missing", "rest"), True),)}, "names no region"),
        ({"facts": (ClassifierFact(Place("missing", "x"), Place("missing", "rest"), True),)}, "classifier fact"),
        ({"regions": ("subject", "rest")}, "No region of the suite small|3 regions"),
    ],
)
def test_what_contradicts_itself_is_refused(change: dict[str, object], part: str) -> None:
    with pytest.raises(UserError, match=part):
        check_suite(replace(small_suite(), **change))  # type: ignore[arg-type]


def test_an_item_with_other_conditions_or_no_words_is_refused() -> None:
    suite = small_suite()
    lost = replace(suite.items[0], sentences={"complete": suite.items[0].sentences["complete"]}, line=12)
    with pytest.raises(UserError, match=r"Item 1 of the suite small \(line 12\) has the conditions complete"):
        check_suite(replace(suite, items=(lost,)))
    empty = replace(suite.items[0], sentences={**suite.items[0].sentences, "missing": ((), (), ())})
    with pytest.raises(UserError, match="no words in the condition missing"):
        check_suite(replace(suite, items=(empty,)))


def test_predictions_travel_as_text() -> None:
    control = Prediction("per character", parse_formula("per_character(missing.*) > 2"), counts=False)
    suite = replace(small_suite(), predictions=(*small_suite().predictions, control))
    assert predictions_of_text(predictions_as_text(suite)) == suite.predictions


def test_where_an_item_stands_does_not_make_it_another() -> None:
    item = small_suite().items[0]
    assert replace(item, line=12) == item
