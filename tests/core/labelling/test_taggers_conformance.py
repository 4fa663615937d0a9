"""Does each fault of a tagger break the promise that is about it?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from hengliang.core import Labelled, LabelledSpans, byte_offsets, characters, examine, labelled_spans
from hengliang.core.labelling.tagger_conformance import tagger_promises
from hengliang.tagging import Tagger


def words_of(text: str, size: int = 2) -> list[Labelled]:
    """Return words of `size` characters, where white space belongs to the word after it."""
    edges, body = [0], 0
    for place, character in enumerate(text):
        body += not character.isspace()
        if body == size:
            edges.append(place + 1)
            body = 0
    if not text.strip():
        return []
    if body or edges[-1] != len(text):
        edges = [*edges, len(text)] if body else [*edges[:-1], len(text)]
    return [(start, end, "x") for start, end in pairwise(byte_offsets(text)[edges].tolist())]


class Broken(Tagger):
    """A tagger with one fault; without a fault it takes two characters for a word."""

    name = "broken"

    def __init__(self, fault: str = "") -> None:
        self.fault = fault
        self.__dict__["_calls"] = 0

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        self.__dict__["_calls"] += 1
        rows: list[Any] = [words_of(text) for text in sentences]
        return labelled_spans(getattr(self, f"_{self.fault}")(sentences, rows) if self.fault else rows)

    def _gap(self, sentences: Sequence[str], rows: list[Any]) -> list[Any]:
        return [row[1:] if len(row) > 3 else row for row in rows]

    def _short(self, sentences: Sequence[str], rows: list[Any]) -> list[Any]:
        return [row[:-1] if len(row) > 3 else row for row in rows]

    def _swapped(self, sentences: Sequence[str], rows: list[Any]) -> list[Any]:
        return [row[::-1] for row in rows]

    def _characters(self, sentences: Sequence[str], rows: list[Any]) -> list[Any]:
        # Counts characters where bytes are due.
        return [[(start, start + 1, "x") for start in range(len(text))] for text in sentences]

    def _beyond(self, sentences: Sequence[str], rows: list[Any]) -> list[Any]:
        return [[*row[:-1], (row[-1][0], row[-1][1] + 1, "x")] if row else row for row in rows]

    def _bare(self, sentences: Sequence[str], rows: list[Any]) -> list[Any]:
        return [[(start, end, "") for start, end, _ in row] for row in rows]

    def _trailing(self, sentences: Sequence[str], rows: list[Any]) -> list[Any]:
        return [words_of(text, 1) if " " not in text else self._spaced(text) for text in sentences]

    def _spaced(self, text: str) -> list[Labelled]:
        return [(start, end, "x") for start, end in characters(text)]

    def _empty_problem(self, sentences: Sequence[str], rows: list[Any]) -> list[Any]:
        return [row if text else "nothing to tag" for text, row in zip(sentences, rows, strict=True)]

    def _calls_count(self, sentences: Sequence[str], rows: list[Any]) -> list[Any]:
        return [words_of(text, 1 + self.__dict__["_calls"] % 3) for text in sentences]

    def _batch(self, sentences: Sequence[str], rows: list[Any]) -> list[Any]:
        return [words_of(text, 1 + len(sentences) % 5) for text in sentences]

    def _first(self, sentences: Sequence[str], rows: list[Any]) -> list[Any]:
        return [words_of(text, 2 + (place == 0)) for place, text in enumerate(sentences)]

    def _longest(self, sentences: Sequence[str], rows: list[Any]) -> list[Any]:
        return [words_of(text, 2 if max(map(len, sentences)) < 60 else 3) for text in sentences]

    def _megabyte(self, sentences: Sequence[str], rows: list[Any]) -> list[Any]:
        if any(len(text) > 100_000 for text in sentences):
            raise MemoryError("too long")
        return rows

    def _emoji(self, sentences: Sequence[str], rows: list[Any]) -> list[Any]:
        for text in sentences:
            text.encode("gb18030").decode("gb2312")
        return rows

    def _silent(self, sentences: Sequence[str], rows: list[Any]) -> list[Any]:
        return [[] for _ in rows]

    def _lost(self, sentences: Sequence[str], rows: list[Any]) -> list[Any]:
        return rows[1:]

    def _something(self, sentences: Sequence[str], rows: list[Any]) -> list[Any]:
        return rows or [[]]


class OtherAnswers(Broken):
    """Answers items with other words than it tags."""

    def answer(self, items: Any) -> Any:
        return super().answer(items.with_columns(content=items["content"] + "呢")).with_columns(item=items["id"])


class Unsendable(Broken):
    """Works otherwise after its way to another process."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, fault="first")


def broken_promises(tagger: Tagger) -> set[str]:
    return {finding.promise for finding in examine(tagger_promises(tagger)) if not finding.kept}


COVER = "words follow each other and cover the text"


@pytest.mark.parametrize(
    ("fault", "promise"),
    [
        ("gap", COVER),
        ("short", COVER),
        ("swapped", "spans are in order, apart and not empty"),
        ("characters", "spans lie within the text and between characters"),
        ("beyond", "spans lie within the text and between characters"),
        ("bare", "every word has a tag"),
        ("trailing", "white space belongs to the word after it"),
        ("empty_problem", "an empty text has no spans and no problem"),
        ("calls_count", "gives the same spans the second time"),
        ("batch", "gives the same spans alone as in a batch"),
        ("batch", "gives the same spans in batches of another size"),
        ("first", "gives the same spans in another order"),
        ("longest", "gives the same spans beside awkward texts"),
        ("megabyte", "gives the same spans beside a line of a megabyte"),
        ("emoji", "awkward texts get spans or a problem"),
        ("silent", "tags ordinary sentences"),
        ("lost", "tags ordinary sentences"),
        ("something", "nothing gives nothing"),
    ],
)
def test_each_fault_is_found(fault: str, promise: str) -> None:
    assert promise in broken_promises(Broken(fault))


def test_answers_that_differ_from_tags_are_found() -> None:
    assert broken_promises(OtherAnswers()) == {"answers as it tags, and does not look at the ids of items"}


def test_a_copy_that_differs_is_found() -> None:
    assert broken_promises(Unsendable()) == {"gives the same spans when it was sent to another process"}


def test_a_tagger_without_fault_keeps_all_promises() -> None:
    assert broken_promises(Broken()) == set()


def test_a_problem_with_words_is_found() -> None:
    class Undecided(Broken):
        def tag(self, sentences: Sequence[str]) -> LabelledSpans:
            found = super().tag(sentences)
            return LabelledSpans(
                found.offsets,
                found.starts,
                found.ends,
                found.labels,
                tuple("unsure" if text else "" for text in sentences),
            )

    assert "a text with a problem has no spans" in broken_promises(Undecided())
