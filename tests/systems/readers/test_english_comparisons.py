"""Are comparisons found, and clauses on kinds and on how values are spread?"""

from __future__ import annotations

import pytest

from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.systems.readers.english_comparisons import comparisons, continued_spreads, kinds, spreads
from hengliang.systems.readers.english_forms import Comparison, Kinds, Spread
from hengliang.systems.readers.english_lexer import Sentence, sentences


def sentence(text: str) -> Sentence:
    return sentences(text, DEFAULT_DOMAIN)[0]


def compared(text: str) -> str:
    said = sentence(text)
    found = next(clause for clause, end in comparisons(said, 0) if end == len(said.words))
    second = "" if found.second is None else str(found.second.property)
    return f"{found.relation} {found.number}: {found.first.property} / {second}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("there are more dots than squares", "more 1: circle / square"),
        ("more red than blue dots", "more 1: red circle / blue circle"),
        ("there are fewer red dots than blue ones", "fewer 1: red circle / blue circle"),
        ("red dots outnumber blue squares", "more 1: red circle / blue square"),
        ("there are as many dots as there are squares", "equal 1: circle / square"),
        ("an equal number of dots and squares", "equal 1: circle or square / "),
        ("roughly the same number of dots and squares", "about equal 1: circle or square / "),
        ("the number of dots equals the number of squares", "equal 1: circle / square"),
        ("there are four times as many dots as squares", "times 4: circle / square"),
        ("there are half as many dots as squares", "times 2: square / circle"),
        ("the number of dots is double that of squares", "times 2: circle / square"),
        ("the ratio of dots to squares is four to one", "times 4: circle / square"),
        ("more objects are red than blue", "more 1: red / blue"),
        ("more squares", "more 1: square / "),
    ],
)
def test_comparisons(text: str, expected: str) -> None:
    assert compared(text) == expected


def test_no_comparison() -> None:
    found: list[tuple[Comparison, int]] = comparisons(sentence("half of the dots are red"), 0)
    assert found == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("all possible kinds of objects are there", None),
        ("all possible combinations of colour and shape are shown", None),
        ("all possible objects occur", None),
        ("there are three objects of each kind", 3),
        ("one of every possible type", 1),
        ("each kind of object is present once", 1),
    ],
)
def test_kinds(text: str, number: int | None) -> None:
    said = sentence(text)
    found: list[Kinds] = [clause for clause, end in kinds(said, 0) if end == len(said.words)]
    assert [clause.number for clause in found][:1] == [number]


@pytest.mark.parametrize(
    ("text", "attributes", "relation"),
    [
        ("the colours are evenly distributed", (0,), "equal"),
        ("shapes and colours are roughly equally distributed", (1, 0), "about equal"),
        ("both colours are present", (0,), "present"),
        ("the dots have different colours", (0,), "present"),
        ("they are evenly split into blue and red", (0,), "equal"),
        ("all different", (0, 1), "different"),
        ("each shape has at least one object", (1,), "present"),
        ("a mix of shapes and colours", (1, 0), "present"),
    ],
)
def test_spreads(text: str, attributes: tuple[int, ...], relation: str) -> None:
    said = sentence(text)
    found: list[Spread] = [clause for clause, end in spreads(said, 0) if end == len(said.words)]
    assert [(clause.attributes, clause.relation) for clause in found][:1] == [(attributes, relation)]


def test_a_spread_goes_on_with_what_was_spoken_of() -> None:
    assert continued_spreads(sentence("have different colours"), 0)[0][0].reference.kind == "which"
