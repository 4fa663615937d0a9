"""Are precision, recall and F1 those of the exact spans?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.acceptability import Recogniser
from hengliang.core import Labelled, LabelledSpans, labelled_spans
from hengliang.systems.entities.agreement import ALL, compare_recognisers, entity_agreement


def test_by_hand() -> None:
    reference = labelled_spans([[(0, 3, "GPE"), (6, 9, "DATE")], [(0, 3, "PERSON")], "lost", []])
    found = labelled_spans([[(0, 3, "GPE"), (6, 8, "DATE")], [(0, 3, "ORG")], [(0, 3, "GPE")], [(3, 6, "GPE")]])
    agreement = entity_agreement(found, reference)
    assert (agreement.texts, agreement.left_out) == (3, 1)
    # In the order of the eighteen. GPE: both at 0–3; the one of the last text is found and not in the reference.
    assert agreement.by_type.rows() == [
        ("PERSON", 1, 0, 0, None, 0.0, 0.0),
        ("ORG", 0, 1, 0, 0.0, None, 0.0),
        ("GPE", 1, 2, 1, 0.5, 1.0, pytest.approx(2 / 3)),
        ("DATE", 1, 1, 0, 0.0, 0.0, 0.0),
        (ALL, 3, 4, 1, 0.25, pytest.approx(1 / 3), pytest.approx(2 / 7)),
    ]


def test_nothing_to_compare() -> None:
    agreement = entity_agreement(labelled_spans([]), labelled_spans([]))
    assert agreement.by_type.rows() == [(ALL, 0, 0, 0, None, None, None)]
    with pytest.raises(ValueError, match="1 texts are compared with 0"):
        entity_agreement(labelled_spans([[]]), labelled_spans([]))


SPANS = st.lists(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(4, 6), st.sampled_from(["GPE", "DATE"])), max_size=3, unique=True
    ),
    min_size=3,
    max_size=3,
)


@given(SPANS, SPANS)
def test_changing_sides_changes_precision_and_recall(one: list[list[Labelled]], other: list[list[Labelled]]) -> None:
    there = entity_agreement(labelled_spans(one), labelled_spans(other)).by_type
    back = entity_agreement(labelled_spans(other), labelled_spans(one)).by_type
    assert there["precision"].to_list() == back["recall"].to_list()
    assert there["f1"].to_list() == back["f1"].to_list()
    itself = entity_agreement(labelled_spans(one), labelled_spans(one)).by_type
    assert set(itself["f1"].to_list()) <= {1.0, None}


class First(Recogniser):
    """Calls the first `size` characters a person; fails on an empty text."""

    name = "first"
    types: ClassVar[tuple[str, ...]] = ("PERSON",)

    def __init__(self, size: int) -> None:
        self.size = size

    def recognise(self, contents: Sequence[str]) -> LabelledSpans:
        return labelled_spans([[(0, len(text[: self.size].encode()) // bool(text), "PERSON")] for text in contents])


def test_recognisers_are_compared_where_neither_fails() -> None:
    same = compare_recognisers(First(2), First(2), ["张三来了", "", "李四"])
    assert (same.texts, same.left_out) == (2, 1)
    assert same.by_type["f1"].to_list() == [1.0, 1.0]
    assert compare_recognisers(First(2), First(1), ["张三来了"]).by_type["f1"].to_list() == [0.0, 0.0]
