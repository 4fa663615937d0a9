"""Are vague words found, and words that only look so left alone?"""

from __future__ import annotations

import pytest

from hengliang.analysis.descriptions.vagueness import NARROW, WIDE, has_vague_word, vague_quantifiers
from hengliang.materials.quantifiers import QUANTIFIERS


def test_bounds() -> None:
    assert vague_quantifiers() == NARROW == {name for name, one in QUANTIFIERS.items() if one.vague}
    assert {"some", "most", "majority", "minority"} == WIDE - NARROW
    assert vague_quantifiers("wide") == WIDE <= set(QUANTIFIERS)


@pytest.mark.parametrize(
    "text",
    [
        "A few of them are red.", "few circles", "a couple of squares", "Several things", "MANY circles", "lots of red",
        "almost all of them", "roughly equal", "about half is red", "around 5 circles", "slightly more red",
        "a small number of squares", "有几个圆形", "许多方形", "大约一半是蓝色的", "a\nfew",
    ],
)  # fmt: skip
def test_vague(text: str) -> None:
    assert has_vague_word(text)
    assert has_vague_word(text, "wide")


@pytest.mark.parametrize(
    "text",
    [
        "as many squares as circles", "equally many", "fewer squares than circles", "three times as many",
        "all are red",
        "scattered around the page", "half of them", "more red than blue", "一半是红色的", "Exactly 3 are blue",
    ],
)  # fmt: skip
def test_not_vague(text: str) -> None:
    assert not has_vague_word(text)
    assert not has_vague_word(text, "wide")


@pytest.mark.parametrize("text", ["most are red", "Mostly red", "some squares", "the majority", "大多数是红色的"])
def test_vague_in_the_wide_sense_only(text: str) -> None:
    assert (has_vague_word(text), has_vague_word(text, "wide")) == (False, True)
