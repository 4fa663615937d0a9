"""Are the rest, exceptions, comparisons and kinds read with what was said before?"""

from __future__ import annotations

import pytest

from hengliang.materials.quantified_expressions import read_expression
from hengliang.materials.quantified_properties import OBJECT
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.systems.readers.mandarin_contrasts import CONTRASTS
from hengliang.systems.readers.mandarin_discourse import Discourse
from hengliang.systems.readers.mandarin_patterns import analyses


def after(text: str, *before: str) -> list[str] | None:
    """Return all that has been said after a clause, None if it could not be meant."""
    discourse = Discourse(DEFAULT_DOMAIN)
    for form in before:
        discourse.tell(read_expression(form, DEFAULT_DOMAIN), OBJECT)
    for found in analyses(text, DEFAULT_DOMAIN):
        added = CONTRASTS[found.kind](found, discourse) if found.kind in CONTRASTS else None
        if added is not None:
            for one in added:
                discourse.tell(one.expression, one.topic, one.anaphoric, one.replaces)
            return [str(expression) for expression in discourse.told]
    return None


@pytest.mark.parametrize(
    ("text", "before", "told"),
    [
        ("其余的是蓝方", ["half(object, red)"], ["half(object, red, rest blue square)"]),
        # What was shared out before belongs to the rest of the last expression.
        (
            "其余是红方",
            ["number(3; object, red circle)", "number(2; object, blue square)"],
            ["number(3; object, red circle)", "number(2; object, blue square, rest red circle or red square)"],
        ),
        (
            "剩下的四个是蓝的",
            ["number(5; object, red)"],
            ["number(5; object, red, rest blue)", "number(4; object, blue)"],
        ),
        # *The* leaves no rest of its own: all things are circles or blue squares.
        ("其他都是蓝方", ["the(circle, red)"], ["the(circle, red)", "all(object, circle or blue square)"]),
        # A red circle is no square: the rest of all things is meant.
        ("其余是方形", ["number(3; circle, red)"], ["number(3; circle, red)", "all(object, circle or square)"]),
        ("其余的圆形是蓝的", ["number(3; circle, red)"], ["number(3; circle, red, rest blue)"]),
        ("除了两个红圆以外，都是蓝方", [], ["all but(2; object, blue square, rest red circle)"]),
        ("除了红圆都是蓝方", [], ["all(object, red circle or blue square)"]),
        ("红圆是蓝方的三倍", [], ["times(3; red circle, blue square)"]),
        ("红的不如蓝的多", [], ["fewer(red, blue)"]),
        ("圆多方少", [], ["more(circle, square)"]),
        ("红圆、蓝方和红方一样多", [], ["equal(red circle, blue square)", "equal(blue square, red square)"]),
        ("四种图形都有", [], ["all kinds(object)"]),
        ("两种圆形都有", [], ["all kinds(circle)"]),
        ("每种各有三个", [], ["of each kind(3; object)"]),
    ],
)  # fmt: skip
def test_contrasts(text: str, before: list[str], told: list[str]) -> None:
    assert after(text, *before) == told


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("其余的是蓝方", []),
        ("其余的是蓝方", ["all(object, red)"]),
        ("其余的是蓝方", ["more(circle, square)"]),
        ("其余的方形是蓝的", ["number(3; circle, red)"]),
        ("三种图形都有", []),
        ("一样多", []),
    ],
)
def test_what_has_nothing_to_stand_against_cannot_be_meant(text: str, before: list[str]) -> None:
    assert after(text, *before) is None


def test_where_all_that_follows_is_about_something() -> None:
    discourse = Discourse(DEFAULT_DOMAIN)
    found = analyses("圆形中", DEFAULT_DOMAIN)[0]
    assert CONTRASTS[found.kind](found, discourse) == []
    assert (str(discourse.base), discourse.chained) == ("circle", True)
