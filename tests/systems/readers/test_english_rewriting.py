"""Are rules well formed, and are words brought to the form that the grammar knows?"""

from __future__ import annotations

import pytest

from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.systems.readers.english_lexer import sentences
from hengliang.systems.readers.english_patterns import compiled, follow
from hengliang.systems.readers.english_rewriting import ADVERBS, FIRST, KNOWN_WORDS, SECOND


def rewritten(text: str) -> str:
    return " / ".join(" ".join(sentence.words) for sentence in sentences(text, DEFAULT_DOMAIN))


def test_every_rule_looks_for_something() -> None:
    rules = (*ADVERBS, *FIRST, *SECOND)
    assert [rule.pattern for rule in rules if not any(needed for _, needed in compiled(rule.pattern))] == []
    assert len(rules) > 100


def test_no_rule_hides_behind_the_same_pattern() -> None:
    for rules in (ADVERBS, FIRST, SECOND):
        patterns = [rule.pattern for rule in rules]
        assert len(patterns) == len(set(patterns))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a large number of dots in the picture", "many dots"),
        ("lots of squares", "many squares"),
        ("a couple of squares", "couple squares"),
        ("the vast majority of dots", "majority of dots"),
        ("mainly squares", "mostly squares"),
        ("nearly all dots", "almost all dots"),
        ("roughly half the dots", "about half the dots"),
        ("just over half of them", "more than half of them"),
        ("slightly more dots", "more dots"),
        ("less dots", "fewer dots"),
        ("an equal number of dots", "equal_of dots"),
        ("roughly the same amount of dots", "about_equal_of dots"),
        ("a mixture of dots", "mix_of dots"),
        ("dots apart from one", "dots except one"),
        ("the dots seem to be red", "the dots are red"),
        ("dots can be seen", "dots exist"),
        ("There's a dot, too", "there is a dot , also"),
        ("dots were blue in color", "dots are blue in colour"),
    ],
)
def test_one_form_for_each(text: str, words: str) -> None:
    assert rewritten(text) == words


def test_known_words_are_those_of_the_rules() -> None:
    assert {"picture", "scattered", "mostly"} <= KNOWN_WORDS
    assert follow(["scattered"], 0, "scattered") == 1
