"""Do labelled spans keep their texts apart, and does a problem never look like a text without spans?"""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core.labelling.spans import Labelled, LabelledSpans, concat, labelled_spans

ROWS = st.lists(
    st.one_of(
        st.sampled_from(["too long", "not Chinese"]),
        st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from("abc")), max_size=4),
    ),
    max_size=6,
)


def as_rows(spans: LabelledSpans) -> list[list[Labelled] | str]:
    return [problem or spans.of(row) for row, problem in enumerate(spans.problems)]


@given(ROWS)
def test_what_goes_in_comes_out(rows: list[list[Labelled] | str]) -> None:
    spans = labelled_spans(rows)
    assert as_rows(spans) == rows
    assert len(spans) == len(rows)
    assert len(spans.rows) == len(spans.labels) == len(spans.starts) == len(spans.ends) == spans.offsets[-1]


@given(ROWS, st.data())
def test_taking_rows_is_taking_from_the_list(rows: list[list[Labelled] | str], data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=8)) if rows else []
    assert as_rows(labelled_spans(rows).take(wanted)) == [rows[row] for row in wanted]


@given(st.lists(ROWS, max_size=3))
def test_parts_joined_are_one_list(parts: list[list[list[Labelled] | str]]) -> None:
    assert as_rows(concat([labelled_spans(part) for part in parts])) == [row for part in parts for row in part]


def test_each_span_knows_its_text() -> None:
    spans = labelled_spans([[(0, 3, "PERSON")], "it failed", [], [(0, 3, "GPE"), (6, 9, "DATE")]])
    assert spans.rows.tolist() == [0, 3, 3]
    assert spans.problems == ("", "it failed", "", "")


def test_nothing_is_possible() -> None:
    nothing = concat([])
    assert len(nothing) == 0
    assert nothing.offsets.dtype == np.int64
    assert nothing.take([]).problems == ()
