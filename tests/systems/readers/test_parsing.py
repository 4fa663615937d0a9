"""Is a description given to the grammar of its language, and is it known when it was understood wholly?"""

from __future__ import annotations

import pytest

from hengliang import UserError
from hengliang.materials.quantified_expressions import Expression
from hengliang.materials.quantified_properties import OBJECT, prop
from hengliang.systems.readers.parsing import Parse, language_of, parse_description

RED = Expression("all", OBJECT, prop("red"))


def test_whole_is_what_has_something_and_leaves_nothing() -> None:
    assert Parse((RED,)).whole
    assert not Parse((RED,), ("and so on",)).whole
    assert not Parse().whole


def test_an_empty_text_says_nothing() -> None:
    assert parse_description("") == parse_description(" \n ") == Parse((), ())


def test_chinese_characters_decide_about_the_language() -> None:
    assert [language_of(text) for text in ("all red", "全是红色", "all 红")] == ["en", "zh", "zh"]
    assert parse_description("Everything is red.").expressions == (Expression("everything", OBJECT, prop("red")),)
    assert parse_description("所有的图形都是红色的。").expressions == (RED,)


def test_a_language_can_be_asked_for() -> None:
    assert parse_description("所有的图形都是红色的。", language="en").unread == ("所有的图形都是红色的",)
    with pytest.raises(UserError, match="No language is called 'fr'"):
        parse_description("tout est rouge", language="fr")  # type: ignore[arg-type]
