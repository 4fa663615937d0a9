from __future__ import annotations

import re

import pytest

from hengliang.people.pages.rendering import HERE
from hengliang.people.pages.words import WORDS, words_of

MARK = re.compile(r"\{\w+\}")


@pytest.mark.parametrize("name", WORDS)
def test_both_languages_say_the_same_and_are_not_empty(name: str) -> None:
    text = WORDS[name]
    assert sorted(MARK.findall(text.en)) == sorted(MARK.findall(text.zh))
    assert text.en.strip()
    assert re.search(r"[\u4e00-\u9fff]", text.zh)
    assert not re.search(r"[\u4e00-\u9fff]", text.en)


def test_words_are_found_by_language() -> None:
    assert words_of("en")["next"] == "Next"
    assert words_of("zh")["next"] == "下一页"


def test_every_word_is_used_and_every_used_word_is_there() -> None:
    templates = "".join(file.read_text() for file in (HERE / "templates").glob("*.html"))
    modules = "".join(file.read_text() for file in HERE.glob("*.py") if file.name != "words.py")
    used = set(re.findall(r"(?:words|both)\.(\w+)", templates)) - {"get"}
    assert used <= set(WORDS)
    # The others are asked for by a name in a string.
    for name in set(WORDS) - used:
        assert f'"{name}"' in modules + templates or name.removesuffix("_text") in ("withdrawn", "expired", "closed"), (
            name
        )
