"""Are clauses that state something, or say what there is, found in a sentence?"""

from __future__ import annotations

import pytest

from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.systems.readers.english_forms import Existence, Statement
from hengliang.systems.readers.english_lexer import Sentence, sentences
from hengliang.systems.readers.english_statements import conditionals, exceptions, existences, statements, topics


def sentence(text: str) -> Sentence:
    return sentences(text, DEFAULT_DOMAIN)[0]


def whole_statements(text: str) -> list[Statement]:
    said = sentence(text)
    return [found for found, end in statements(said, 0) if end == len(said.words)]


def whole_lists(text: str) -> list[Existence]:
    said = sentence(text)
    return [found for found, end in existences(said, 0) if end == len(said.words)]


@pytest.mark.parametrize(
    "text",
    [
        "half of the circles are red",
        "half red",
        "all circles red",
        "the rest blue",
        "the circles, are red",
        "all circles except for two are red",
        "except for one dot the objects are squares",
    ],
)
def test_statements(text: str) -> None:
    assert whole_statements(text)


def test_several_subjects() -> None:
    assert len(whole_statements("the squares and half the circles are red")[0].subjects) == 2


def test_exceptions() -> None:
    found = whole_statements("all dots are red except for two blue dots")
    assert [str(item.phrase.property) for item in found[0].exceptions] == ["blue circle"]
    said = sentence("except one")
    assert exceptions(said, 0)[0][1] == 2


def test_what_there_is() -> None:
    assert len(whole_lists("there are two dots and a square")[0].items) == 2
    assert whole_lists("there are only red dots")[0].only
    assert whole_lists("red dots only")[0].only
    assert whole_lists("there are also dots")[0].also
    assert whole_lists("dots, too")[-1].also
    assert whole_lists("red dots and squares are present")
    assert whole_lists("red") == []
    majority = whole_lists("the squares form a majority")[0].items[0]
    assert majority.quantity is not None and majority.quantity.name == "majority"


def test_conditions_and_topics() -> None:
    said = sentence("if there is a dot, it is red")
    assert [end for _, end in conditionals(said, 0)] == [len(said.words)]
    assert conditionals(sentence("there is a dot"), 0) == []
    said = sentence("of the squares, half are red")
    assert next((reference.kind, end) for reference, end in topics(said, 0)) == ("named", 4)
    assert topics(sentence("the squares"), 0) == []
