from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from hengliang.analysis.layout import Layout
from hengliang.bilingual import Bilingual
from hengliang.errors import UserError
from hengliang.records import Estimate, estimates_frame
from hengliang.report.content import ReportContent
from hengliang.report.rows import estimate_rows, estimates_from_rows, estimates_object
from tests.report.example import ANALYSES, content, small_content


@pytest.mark.parametrize("made", [content(), content(simulated=True), small_content()])
def test_content_comes_back_from_json(made: ReportContent) -> None:
    text = json.dumps(made.to_json(), allow_nan=False)
    back = ReportContent.from_json(json.loads(text))
    assert back.to_json() == made.to_json()
    assert_frame_equal(back.estimates, made.estimates)
    assert (back.materials, back.systems, back.measures) == (made.materials, made.systems, made.measures)
    assert (back.analyses, back.notes, back.stages) == (made.analyses, made.notes, made.stages)


@pytest.mark.parametrize("entry", ANALYSES)
def test_layouts_come_back_from_json(entry: Any) -> None:
    assert Layout.from_json(json.loads(json.dumps(entry.layout.to_json()))) == entry.layout


def test_plain_tuples_serve_as_stages() -> None:
    made = ReportContent("x", Bilingual("?", "？"), "2026-01-01", stages=(("items", 3, 0.5, "a:b"),))
    assert made.to_json()["stages"] == [{"name": "items", "rows": 3, "seconds": 0.5, "signature": "a:b"}]


def test_another_version_is_refused_with_what_to_do() -> None:
    with pytest.raises(UserError, match="schema version 99") as caught:
        ReportContent.from_json({**content().to_json(), "schema_version": 99})
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [("name", None, "'name'"), ("systems", [{"name": "GE"}], "'systems': no 'title'"), ("analyses", 3, "'analyses'")],
)
def test_broken_content_is_named(key: str, value: Any, named: str) -> None:
    broken = content().to_json()
    if value is None:
        del broken[key]
    else:
        broken[key] = value
    with pytest.raises(UserError, match=named):
        ReportContent.from_json(broken)


def test_an_analysis_without_an_entry_is_shown_all_the_same() -> None:
    made = ReportContent("x", Bilingual("?", "？"), "2026-01-01", estimates=small_content().estimates)
    assert [entry.name for entry in made.all_analyses()] == ["match"]


numbers = st.one_of(st.none(), st.floats(allow_nan=False))
estimates = st.builds(
    Estimate,
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    st.dictionaries(st.sampled_from(["system", "结构"]), st.sampled_from(["GE", "个"])),
    st.sampled_from(["accuracy", "p"]),
    numbers,
    numbers,
    numbers,
    st.lists(st.floats(0.5, 1e6), max_size=2).map(tuple),
    numbers,
    st.one_of(st.none(), st.integers(0, 10**9)),
    st.one_of(st.none(), st.integers(0, 10**9)),
    st.sampled_from(["", "mean"]),
    st.sampled_from(["", "a:b|c:d"]),
)


@given(st.lists(estimates, max_size=6))
def test_estimates_come_back_from_strict_json(rows: list[Estimate]) -> None:
    frame = estimates_frame(rows)
    text = json.dumps(estimates_object(frame), allow_nan=False)
    back = json.loads(text)
    assert back["schema_version"] == 1
    assert_frame_equal(estimates_from_rows(back["estimates"]), frame, check_exact=True)


def test_a_nan_is_no_number() -> None:
    frame = estimates_frame([Estimate("a", {}, "s", math.nan, low=-math.inf)])
    assert estimate_rows(frame)[0]["value"] is None
    assert estimate_rows(frame)[0]["low"] == "-Infinity"


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ({"analysis": "a"}, "no 'by'"),
        ({"analysis": "a", "by": {}, "statistic": "s", "value": 1, "colour": "red"}, "no field 'colour'"),
        ({"analysis": "a", "by": {}, "statistic": "s", "value": "many"}, "'many' is no number"),
    ],
)
def test_wrong_rows_are_named(row: dict[str, Any], named: str) -> None:
    with pytest.raises(UserError, match=named):
        estimates_from_rows([row])
