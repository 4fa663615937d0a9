"""Are mistyped words repaired, and others left alone?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.systems.readers.english_spelling import repaired, slips

KNOWN = frozenset(("squares", "square", "circles", "circle", "blue", "half", "objects", "rest", "which", "and", "are"))
letters = st.text("abcd", max_size=6)


def plain_distance(one: str, other: str) -> int:
    """Return the same distance by its definition, slowly."""
    if not one or not other:
        return len(one) + len(other)
    found = min(
        plain_distance(one[1:], other) + 1,
        plain_distance(one, other[1:]) + 1,
        plain_distance(one[1:], other[1:]) + (one[0] != other[0]),
    )
    if len(one) > 1 and len(other) > 1 and one[0] == other[1] and one[1] == other[0]:
        found = min(found, plain_distance(one[2:], other[2:]) + 1)
    return found


@given(letters, letters, st.integers(0, 3))
def test_slips_are_counted(one: str, other: str, most: int) -> None:
    assert slips(one, other, most) == min(plain_distance(one, other), most + 1)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("sqaures", "squares"),
        ("circels", "circles"),
        ("bule", "blue"),
        ("helf", "half"),
        ("objcets", "objects"),
        ("cirlce", "circle"),
        ("squares", "squares"),
    ],
)
def test_slips_are_mended(typed: str, meant: str) -> None:
    assert repaired(typed, KNOWN) == (meant,)


@pytest.mark.parametrize("typed", ["triangles", "calf", "re", "12", "glue", "i", "hat"])
def test_other_words_stay(typed: str) -> None:
    assert repaired(typed, KNOWN) == (typed,)


def test_words_without_a_space_are_taken_apart() -> None:
    assert repaired("areblue", KNOWN) == ("are", "blue")
    assert repaired("circlesand", KNOWN) == ("circles", "and")


def test_of_two_equally_near_words_the_likely_one_is_taken() -> None:
    near = frozenset({"cats", "cots"})
    assert repaired("cuts", near) == ("cuts",)
    assert repaired("cuts", near, {"cats"}) == ("cats",)
