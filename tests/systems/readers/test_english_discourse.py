"""Does a discourse remember what was said, and refuse what does not fit?"""

from __future__ import annotations

import pytest

from hengliang.materials.quantified_expressions import Expression, read_expression
from hengliang.materials.quantified_properties import OBJECT, prop
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.systems.readers.english_discourse import Discourse, Refused
from hengliang.systems.readers.english_forms import Predicate, Reference
from hengliang.systems.readers.english_quantities import ALL, Quantity
from tests.systems.readers.english_domains import ANIMALS

REST = Reference("rest")


def after(*forms: str) -> Discourse:
    discourse = Discourse(DEFAULT_DOMAIN)
    for form in forms:
        discourse.begin_sentence()
        discourse.add(read_expression(form, DEFAULT_DOMAIN))
    return discourse


def test_the_rest_becomes_part_of_the_last_expression() -> None:
    discourse = after("half(object, red)")
    discourse.begin_sentence()
    discourse.say_rest(REST, prop("square"), None, False)
    assert list(map(str, discourse.expressions)) == ["half(object, red, rest square)"]


def test_the_rest_of_several() -> None:
    discourse = after("number(2; object, red square)", "number(2; object, blue square)")
    discourse.begin_sentence()
    discourse.say_rest(REST, prop("red"), None, False)
    # What is neither a red nor a blue square is a circle.
    assert str(discourse.expressions[-1]) == "all(circle, red)"


def test_the_rest_after_all_of_something_are_the_others() -> None:
    discourse = after("all(square, red)")
    assert discourse.remainder(REST) == prop("circle")


def test_the_rest_is_what_can_be_what_is_said() -> None:
    # The rest of the squares cannot be circles: it is the rest of the objects.
    discourse = after("half(square, red)")
    discourse.begin_sentence()
    discourse.say_rest(REST, prop("blue", "circle"), None, False)
    assert str(discourse.expressions[-1]) == "all(circle, blue circle)"


def test_nothing_is_left_of_all_objects() -> None:
    with pytest.raises(Refused):
        after("all(object, red)").remainder(REST)


def test_a_lost_thread_leaves_nothing_to_refer_to() -> None:
    discourse = after("half(object, red)")
    discourse.lose_thread()
    for reference in (Reference("them"), Reference("which"), Reference("elided")):
        with pytest.raises(Refused):
            discourse.referent(reference, prop("red"))
    with pytest.raises(Refused):
        discourse.remainder(REST)
    discourse.say(ALL, OBJECT, prop("red"))
    assert discourse.referent(Reference("them"), prop("circle")) == prop("red")


def test_opposites() -> None:
    assert after("half(object, red circle)").opposite() == prop("blue", "square")
    animals = Discourse(ANIMALS)
    animals.add(Expression("half", OBJECT, prop("black")))
    with pytest.raises(Refused):
        # Black has two others.
        animals.opposite()


def test_what_is_denied() -> None:
    with pytest.raises(Refused):
        Discourse(DEFAULT_DOMAIN).scope(Predicate())


def test_both_are_two() -> None:
    discourse = Discourse(DEFAULT_DOMAIN)
    discourse.say(Quantity("both"), prop("circle"), prop("red"))
    assert list(map(str, discourse.expressions)) == ["number(2; object, circle)", "all(circle, red)"]


def test_they_are_all_that_was_listed() -> None:
    discourse = Discourse(DEFAULT_DOMAIN)
    discourse.say_each((("circle",), ("square",)), OBJECT)
    assert discourse.referent(Reference("them"), prop("red")) == OBJECT
