"""Does each kind of clause say what it should, given what was said before?"""

from __future__ import annotations

import pytest

from hengliang.materials.quantified_expressions import read_expression
from hengliang.materials.quantified_properties import OBJECT, Property, prop
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.systems.readers.mandarin_discourse import Discourse
from hengliang.systems.readers.mandarin_patterns import PATTERNS, analyses
from hengliang.systems.readers.mandarin_rules import RULES, tellings

CIRCLE = prop("circle")


def said(text: str, topic: Property = OBJECT, *before: str) -> list[str]:
    """Return what the first kind of clause that can be meant adds."""
    discourse = Discourse(DEFAULT_DOMAIN)
    for form in before:
        discourse.tell(read_expression(form, DEFAULT_DOMAIN), topic)
    discourse.topic = topic
    for found in analyses(text, DEFAULT_DOMAIN):
        added = tellings(found, discourse)
        if added is not None:
            return [str(one.expression) for one in added]
    return []


def test_every_kind_of_clause_has_a_rule() -> None:
    assert {kind for kind, _ in PATTERNS} == set(RULES)


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("一半是红的", ["half(circle, red)"]),
        ("一半红", ["half(circle, red)"]),
        ("三个红色方块", ["number(3; object, red square)"]),
        ("蓝色占四分之三", ["fraction(3/4; circle, blue)"]),
        ("方形占四分之三", ["fraction(3/4; object, square)"]),
        ("占了一半", ["half(object, circle)"]),
        ("没有一个是红的", ["no(circle, red)"]),
        ("没有红的", ["no(object, red)"]),
        ("方形三个全蓝", ["number(3; object, square)", "everything(square, blue)"]),
        ("没有一个不是红的", ["all(circle, red)"]),
        ("三个不是红的", ["number(3; circle, blue)"]),
        ("红色和蓝色各有两个", ["number(2; object, red)", "number(2; object, blue)"]),
        ("以红色为主", ["majority(object, red)"]),
        ("只有红的", ["only(red, object)"]),
        ("圆形有红的和蓝的", ["some(circle, red)", "some(circle, blue)"]),
        ("有红圆和蓝圆两种", ["there are(red circle or blue circle)"]),
        ("要么是红的，要么是方的", ["all(circle, red or square)"]),
        ("总共9个", ["number(9; object, object)"]),
    ],
)
def test_clauses_after_circles_were_the_topic(text: str, forms: list[str]) -> None:
    assert said(text, CIRCLE) == forms


def test_what_contradicts_itself_is_not_said() -> None:
    # Two kinds are named, not three.
    assert said("只有红圆和蓝圆三种") == []
    assert said("所有红色圆形") == []


def test_clauses_that_depend_on_the_one_before() -> None:
    assert said("是圆形", prop("red"), "only one(object, red)") == ["the(red, circle)"]
    assert said("也有方形") == []
    assert said("有方形", OBJECT, "there are(circle)") == ["there are(circle or square)"]
    assert said("有红的和蓝的", OBJECT, "there are(circle)") == ["there are(red or blue)"]
    assert said("都是三个", OBJECT, "equal(circle, square)") == [
        "number(3; object, circle)",
        "number(3; object, square)",
    ]
