"""What do comparisons say, and clauses on kinds and on how values are spread?"""

from __future__ import annotations

import pytest

from tests.systems.readers.english_domains import ANIMALS, forms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("More dots than squares.", ["more(circle, square)"]),
        ("A bit more squares.", ["more(square, circle)"]),
        ("An equal amount of red dots and blue squares.", ["equal(red circle, blue square)"]),
        ("Of the dots, more are red than blue.", ["more(red circle, blue circle)"]),
        (
            "Two dots are red. There is an equal number of red squares.",
            ["number(2; circle, red)", "equal(red square, red circle)"],
        ),
        # About as many of one as of the other: each is about half of both.
        ("Roughly the same number of dots and squares.", ["about half(circle or square, circle)"]),
        ("An even mix of red and blue dots and squares.", ["equal(red, blue)", "equal(circle, square)"]),
        ("All possible kinds of objects are there.", ["all kinds(object)"]),
        ("There are three of each kind of dots.", ["of each kind(3; circle)"]),
        ("The colours are evenly distributed.", ["equal(blue, red)"]),
        (
            "All are dots. They are evenly split into red and blue.",
            ["all(object, circle)", "equal(blue circle, red circle)"],
        ),
        ("Both colours are present.", ["at least(1; object, blue)", "at least(1; object, red)"]),
        (
            "All different.",
            [f"at most(1; object, {kind})" for kind in ("blue square", "blue circle", "red square", "red circle")],
        ),
    ],
)  # fmt: skip
def test_comparisons(text: str, expected: list[str]) -> None:
    assert forms(text) == expected


def test_other_domains() -> None:
    assert forms("There are more black cats than white ones.", ANIMALS) == ["more(black cat, white cat)"]
    # Three furs: one is compared with the next.
    assert forms("The furs are evenly distributed.", ANIMALS) == ["equal(black, white)", "equal(white, grey)"]
    assert forms("The furs are roughly evenly distributed.", ANIMALS)[0].startswith("?")
