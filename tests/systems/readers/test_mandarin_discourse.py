"""Is what a sentence leaves behind what the next one takes up?"""

from __future__ import annotations

import pytest

from hengliang.materials.quantified_expressions import read_expression
from hengliang.materials.quantified_properties import OBJECT, prop
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.systems.readers.mandarin_discourse import Discourse, antecedent


@pytest.mark.parametrize(
    ("form", "left"),
    [
        ("all(object, square)", "square"),
        ("half(square, blue)", "blue square"),
        ("number(3; object, red circle)", "red circle"),
        ("half(object, square, rest circle)", "circle"),
        ("no(square, blue)", "square"),
        ("not all(square, blue)", "square"),
        ("more(circle, square)", "object"),
        ("there are(red circle or square)", "red circle or square"),
        # Nothing is a circle and a square: what was spoken of stays.
        ("all(circle, square)", "circle"),
    ],
)
def test_what_an_expression_leaves_behind(form: str, left: str) -> None:
    assert str(antecedent(read_expression(form, DEFAULT_DOMAIN), DEFAULT_DOMAIN)) == left


def test_what_is_taken_up_stays_as_it_was() -> None:
    discourse = Discourse(DEFAULT_DOMAIN)
    discourse.tell(read_expression("number(4; object, circle)", DEFAULT_DOMAIN), prop("circle"))
    discourse.go_on_about(discourse.antecedent)
    discourse.tell(read_expression("number(2; circle, red)", DEFAULT_DOMAIN), prop("circle"), anaphoric=True)
    assert (discourse.antecedent, discourse.base, discourse.chained) == (prop("circle"), prop("circle"), True)
    discourse.begin_sentence()
    assert (discourse.antecedent, discourse.base, discourse.chained) == (prop("circle"), OBJECT, False)
    assert discourse.since == 2


def test_an_expression_can_stand_for_the_last_one() -> None:
    discourse = Discourse(DEFAULT_DOMAIN)
    half, rest = (
        read_expression(form, DEFAULT_DOMAIN) for form in ("half(object, red)", "half(object, red, rest blue)")
    )
    discourse.tell(half, OBJECT)
    copy = discourse.copy()
    discourse.tell(rest, OBJECT, replaces=True)
    assert discourse.told == [rest]
    assert copy.told == [half]
