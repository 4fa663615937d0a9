"""Which adjectives and which noun make a segment, and what may follow it?"""

from __future__ import annotations

import pytest

from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.systems.readers.english_lexer import sentences
from hengliang.systems.readers.english_segments import Segment, segments


def longest(text: str, listed: bool = False) -> tuple[Segment, int]:
    return max(segments(sentences(text, DEFAULT_DOMAIN)[0], 0, listed), key=lambda pair: pair[1])


@pytest.mark.parametrize(
    ("text", "term", "end"),
    [
        ("blue circles are", ("blue", "circle"), 2),
        ("blue and", ("blue",), 1),
        ("tiny red dots", ("red", "circle"), 3),
        ("square shaped objects", ("square",), 3),
        ("round ones", ("circle",), 2),
        ("objects", (), 1),
        ("circles blue", ("blue", "circle"), 2),
        ("circles that are red", ("red", "circle"), 4),
    ],
)
def test_terms(text: str, term: tuple[str, ...], end: int) -> None:
    segment, read = longest(text)
    assert (segment.term, read) == (term, end)


def test_within_a_list_no_adjective_follows() -> None:
    assert longest("circles blue", listed=True)[1] == 1


def test_what_a_term_is_multiplied_with() -> None:
    assert longest("circles of both colours")[0].spread == ("blue", "red")
    assert longest("circles of both colours")[0].every
    assert longest("circles in red and blue")[0].spread == ("red", "blue")
    assert longest("circles in the colour red")[0].spread == ("red",)
    assert longest("both shapes in red")[0] == Segment(
        ("red",), None, True, True, False, False, ("square", "circle"), True
    )


def test_articles_and_of_any_colour_fix_a_segment() -> None:
    assert longest("a circle")[0].article and longest("a circle")[0].fixed
    assert longest("circles of any colour")[0].fixed and not longest("circles")[0].fixed


def test_what_is_no_segment() -> None:
    assert segments(sentences("half of", DEFAULT_DOMAIN)[0], 0) == []
    # Nothing is red and blue at once.
    assert longest("red blue circles")[1] == 1
