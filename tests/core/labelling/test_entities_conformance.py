"""Does each fault of a recogniser break the promise that is about it?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

import pytest

from hengliang.acceptability import Recogniser
from hengliang.core import Labelled, LabelledSpans, characters_to_bytes, examine, labelled_spans
from hengliang.core.labelling.recogniser_conformance import recogniser_promises

DIGITS = re.compile(r"[0-9０-９]+|[一二三四五六七八九十百千万]+")


def numbers(text: str) -> list[Labelled]:
    places = [match.span() for match in DIGITS.finditer(text)]
    spans = characters_to_bytes(text, places).tolist() if places else []
    return [(start, end, "CARDINAL") for start, end in spans]


class Broken(Recogniser):
    """A recogniser with one fault; without a fault it finds runs of digits and of numerals."""

    name = "broken"
    types: ClassVar[tuple[str, ...]] = ("CARDINAL",)

    def __init__(self, fault: str = "") -> None:
        self.fault = fault
        self.__dict__["_calls"] = 0

    def recognise(self, contents: Sequence[str]) -> LabelledSpans:
        self.__dict__["_calls"] += 1
        rows: list[Any] = [numbers(text) for text in contents]
        return labelled_spans(getattr(self, f"_{self.fault}")(contents, rows) if self.fault else rows)

    def _characters(self, contents: Sequence[str], rows: list[Any]) -> list[Any]:
        return [[(*match.span(), "CARDINAL") for match in DIGITS.finditer(text)] for text in contents]

    def _beyond(self, contents: Sequence[str], rows: list[Any]) -> list[Any]:
        return [
            [(start, len(text.encode()) + 3, kind) for start, _, kind in row[:1]]
            for text, row in zip(contents, rows, strict=True)
        ]

    def _overlapping(self, contents: Sequence[str], rows: list[Any]) -> list[Any]:
        return [[span for span in row for _ in range(2)] for row in rows]

    def _backwards(self, contents: Sequence[str], rows: list[Any]) -> list[Any]:
        return [[*row, (0, 3, "CARDINAL")] if row and row[0][0] >= 3 else row for row in rows]

    def _empty_span(self, contents: Sequence[str], rows: list[Any]) -> list[Any]:
        return [[(start, start, kind) for start, _, kind in row] for row in rows]

    def _other_type(self, contents: Sequence[str], rows: list[Any]) -> list[Any]:
        return [[(start, end, "MONEY") for start, end, _ in row] for row in rows]

    def _space(self, contents: Sequence[str], rows: list[Any]) -> list[Any]:
        return [
            [(start - (text.encode()[start - 1 : start] == b" "), end, kind) for start, end, kind in row]
            for text, row in zip(contents, rows, strict=True)
        ]

    def _empty_text(self, contents: Sequence[str], rows: list[Any]) -> list[Any]:
        return [row if text else "nothing there" for text, row in zip(contents, rows, strict=True)]

    def _forgetful(self, contents: Sequence[str], rows: list[Any]) -> list[Any]:
        return rows if self.__dict__["_calls"] % 3 else [[] for _ in rows]

    def _learns(self, contents: Sequence[str], rows: list[Any]) -> list[Any]:
        # What it has seen once in a batch, it does not report again.
        seen: set[str] = set()
        kept = []
        for text, row in zip(contents, rows, strict=True):
            kept.append([] if seen & set(DIGITS.findall(text)) else row)
            seen.update(["一", *DIGITS.findall(text)])
        return kept

    def _neighbour(self, contents: Sequence[str], rows: list[Any]) -> list[Any]:
        return [row if place % 2 else [] for place, row in enumerate(rows)]

    def _small_batches(self, contents: Sequence[str], rows: list[Any]) -> list[Any]:
        return rows if len(rows) > 7 else [[] for _ in rows]

    def _awkward(self, contents: Sequence[str], rows: list[Any]) -> list[Any]:
        for text in contents:
            if "\x00" in text:
                raise ValueError("embedded null character")
        return rows

    def _megabyte(self, contents: Sequence[str], rows: list[Any]) -> list[Any]:
        return rows if max(map(len, contents), default=0) < 100_000 else ["too much" for _ in rows]

    def _lost(self, contents: Sequence[str], rows: list[Any]) -> list[Any]:
        return rows[:-1]

    def _something(self, contents: Sequence[str], rows: list[Any]) -> list[Any]:
        return rows or [[]]


class NoTypes(Broken):
    """Names no type."""

    types: ClassVar[tuple[str, ...]] = ()


class OwnTypes(Broken):
    """Names a type that nobody else knows."""

    types: ClassVar[tuple[str, ...]] = ("CARDINAL", "NUMBER")


class Undecided(Broken):
    """Gives entities and a problem at once."""

    def recognise(self, contents: Sequence[str]) -> LabelledSpans:
        found = super().recognise(contents)
        problems = tuple("unsure" if text else "" for text in contents)
        return LabelledSpans(found.offsets, found.starts, found.ends, found.labels, problems)


class Unsendable(Broken):
    """Works otherwise after its way to another process."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, fault="neighbour")


def broken_promises(recogniser: Recogniser) -> set[str]:
    return {finding.promise for finding in examine(recogniser_promises(recogniser)) if not finding.kept}


PLACE = "spans lie within the text and between characters"
ORDER = "spans are in order, apart and not empty"


@pytest.mark.parametrize(
    ("fault", "promise"),
    [
        ("characters", PLACE),
        ("beyond", PLACE),
        ("overlapping", ORDER),
        ("backwards", ORDER),
        ("empty_span", ORDER),
        ("other_type", "gives no type that it does not name"),
        ("space", "entities begin and end with a character that is no white space"),
        ("empty_text", "an empty text has no spans and no problem"),
        ("forgetful", "gives the same spans the second time"),
        ("small_batches", "gives the same spans alone as in a batch"),
        ("small_batches", "gives the same spans in batches of another size"),
        ("neighbour", "gives the same spans in another order"),
        ("learns", "gives the same spans beside awkward texts"),
        ("megabyte", "gives the same spans beside a line of a megabyte"),
        ("awkward", "awkward texts get spans or a problem"),
        ("lost", "gives the same spans alone as in a batch"),
        ("something", "nothing gives nothing"),
    ],
)
def test_each_fault_is_found(fault: str, promise: str) -> None:
    assert promise in broken_promises(Broken(fault))


@pytest.mark.parametrize("kind", [NoTypes, OwnTypes])
def test_types_must_be_known(kind: type[Broken]) -> None:
    assert "says which of the known types it gives" in broken_promises(kind())


def test_a_problem_with_entities_is_found() -> None:
    assert broken_promises(Undecided()) == {"a text with a problem has no spans"}


def test_a_copy_that_differs_is_found() -> None:
    assert broken_promises(Unsendable()) == {"gives the same spans when it was sent to another process"}


def test_a_recogniser_without_fault_keeps_all_promises() -> None:
    assert broken_promises(Broken()) == set()


def test_a_recogniser_may_have_a_problem_with_every_text() -> None:
    class Refuses(Broken):
        def recognise(self, contents: Sequence[str]) -> LabelledSpans:
            return labelled_spans(["I read nothing" if text else [] for text in contents])

    broken = broken_promises(Refuses())
    assert broken == {"gives the same spans when it was sent to another process"}  # a class in a function cannot travel
