"""Is a word told by its characters?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.tagging.tag_maps.tables import FORMS, form_of


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("，", "punctuation"),
        ("……", "punctuation"),
        ("℃", "punctuation"),
        ("９", "digits"),
        ("1,998.5%", "digits"),
        ("①", "digits"),
        ("ＣＤ", "latin"),
        ("CD-2", "latin"),
        ("β", "latin"),
        ("一九九八年", "han"),
        ("〇", "han"),
        ("Ｔ恤", "other"),
        ("９月", "other"),
        ("", "other"),
    ],
)
def test_forms(word: str, form: str) -> None:
    assert form_of(word) == form


@given(st.text(), st.sampled_from(["", " ", "\u3000", "\t"]))
def test_every_word_has_one_form_whatever_the_space_around_it(word: str, space: str) -> None:
    assert form_of(word) in FORMS
    assert form_of(space + word + space) == form_of(word)
