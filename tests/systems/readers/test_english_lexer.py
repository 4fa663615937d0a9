"""Is a text cut into sentences and words, and does each word know where it came from?"""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Attribute, Domain, Value
from hengliang.systems.readers import (
    english_comparisons,
    english_predicates,
    english_references,
    english_segments,
    english_statements,
)
from hengliang.systems.readers.english_lexer import Sentence, known_words, remembered, sentences
from hengliang.systems.readers.english_spelling import SHORTEST
from tests.systems.readers.english_domains import ICE


def words(text: str, domain: Domain = DEFAULT_DOMAIN) -> list[list[str]]:
    return [list(sentence.words) for sentence in sentences(text, domain)]


def test_sentences_end_at_stops_and_lines() -> None:
    assert words("All red. Two dots; NO squares!\nthe end") == [
        ["all", "red"],
        ["two", "dots"],
        ["no", "squares"],
        ["the", "end"],
    ]


def test_bullets_dashes_and_brackets() -> None:
    assert words("• all red\n2) two dots") == [["all", "red"], ["two", "dots"]]
    assert words("two-thirds - red (or blue)") == [["two", "thirds", ",", "red", ",", "or", "blue"]]


def test_figures_stay_together() -> None:
    assert words("3 / 4 of 75 % are 12") == [["3/4", "of", "75%", "are", "12"]]


def test_words_typed_twice_are_meant_once() -> None:
    assert words("dots are are red") == [["dots", "are", "red"]]


def test_words_of_the_domain_with_a_space_are_one() -> None:
    assert words("two light blue polar bears", ICE) == [["two", "light blue", "polar bears"]]


def test_a_word_of_the_domain_is_never_taken_out() -> None:
    scattered = Attribute("way", (Value("scattered", "S", "scattered", "散"), Value("lined", "L", "lined", "齐")))
    domain = replace(DEFAULT_DOMAIN, attributes=(scattered,))
    assert words("scattered dots") == [["dots"]]
    assert words("scattered objects", domain) == [["scattered", "objects"]]


@given(st.text(max_size=80))
def test_words_come_from_where_they_say(text: str) -> None:
    for sentence in sentences(text, DEFAULT_DOMAIN):
        assert sentence.written in text
        assert all(0 <= token.start < token.end <= len(text) for token in sentence.tokens)
        assert [token.word for token in sentence.tokens] == list(sentence.words)


def test_places_and_patterns() -> None:
    sentence = sentences("half of them", DEFAULT_DOMAIN)[0]
    assert (sentence.at(0), sentence.at(3), sentence.at(-1)) == ("half", "", "")
    assert sentence.follow(0, "half of?") == 2


def test_what_was_read_at_a_place_is_remembered() -> None:
    calls: list[int] = []

    @remembered
    def read(sentence: Sentence, start: int) -> list[int]:
        calls.append(start)
        return [start]

    sentence = sentences("half of them", DEFAULT_DOMAIN)[0]
    assert [read(sentence, 1), read(sentence, 1), read(sentence, 2)] == [[1], [1], [2]]
    assert calls == [1, 2]


def pattern_words() -> set[str]:
    """Return the words of all patterns in the grammar."""
    found: set[str] = set()
    for module in (english_comparisons, english_predicates, english_references, english_segments, english_statements):
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "follow":
                held = [
                    one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)
                ]
                found |= {word for pattern in held for word in re.findall(r"[a-z_]+", pattern) if "_" not in word}
    return found


def test_grammar_words_need_no_repair() -> None:
    assert {"half", "squares", "outnumber", "thirds"} <= known_words(DEFAULT_DOMAIN)
    # A word that the grammar looks for must not be taken for another that was mistyped.
    assert sorted(word for word in pattern_words() - known_words(DEFAULT_DOMAIN) if len(word) >= SHORTEST) == []
