from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from polars.testing import assert_frame_equal

from hengliang import Bilingual, UserError
from hengliang.report.content import ReportContent
from tests.grammar.toy_suites import suites_view
from tests.report.example import content, small_content
from tests.tagging.toy_tagging import pairs_view


@pytest.mark.parametrize("made", [content(), content(simulated=True), small_content()])
def test_content_comes_back_from_json(made: ReportContent) -> None:
    text = json.dumps(made.to_json(), allow_nan=False)
    back = ReportContent.from_json(json.loads(text))
    assert back.to_json() == made.to_json()
    assert_frame_equal(back.estimates, made.estimates)
    assert (back.materials, back.systems, back.measures) == (made.materials, made.systems, made.measures)
    assert (back.analyses, back.notes, back.stages) == (made.analyses, made.notes, made.stages)


def test_views_come_back_with_their_data_and_older_content_has_none() -> None:
    made = replace(small_content(), views=(suites_view(), pairs_view()))
    value = json.loads(json.dumps(made.to_json(), allow_nan=False))
    assert ReportContent.from_json(value).views == made.views
    # Programs find what a view shows under its name.
    assert (value["suites"], value["error_pairs"]) == (suites_view().data, pairs_view().data)
    assert not any("data" in view for view in value["views"])
    del value["views"]
    assert ReportContent.from_json(value).views == ()


def test_a_view_without_data_adds_nothing_to_the_json() -> None:
    made = replace(small_content(), views=(replace(pairs_view(), data=None),))
    value = made.to_json()
    assert "error_pairs" not in value
    assert ReportContent.from_json(value).views == made.views


def test_what_is_no_view_is_named() -> None:
    value = replace(small_content(), views=(pairs_view(),)).to_json()
    del value["views"][0]["html"]
    with pytest.raises(
        UserError, match=r"The report content has no views\[0\]\.html\. Run the study from its estimates"
    ):
        ReportContent.from_json(value)
    with pytest.raises(UserError, match=r"The report content: views\[0\] is 3\. An object with name, anchor"):
        ReportContent.from_json({**value, "views": [3]})
    with pytest.raises(UserError, match=r"The report content: views is 3\. A list"):
        ReportContent.from_json({**value, "views": 3})


def test_plain_tuples_serve_as_stages() -> None:
    made = ReportContent("x", Bilingual("?", "？"), "2026-01-01", stages=(("items", 3, 0.5, "a:b"),))
    assert made.to_json()["stages"] == [{"name": "items", "rows": 3, "seconds": 0.5, "signature": "a:b"}]


def test_another_version_is_refused_with_what_to_do() -> None:
    with pytest.raises(UserError, match="schema version 99") as caught:
        ReportContent.from_json({**content().to_json(), "schema_version": 99})
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("name", None, r"The report content has no name\."),
        ("name", 3, r"The report content: name is 3\. A text\."),
        ("systems", [{"name": "GE"}], r"The report content has no systems\[0\]\.title\."),
        ("analyses", 3, r"The report content: analyses is 3\. A list"),
        ("estimates", [{"by": {}}], "An estimate row has no 'analysis'"),
        ("stages", [{"name": "items"}], r"The report content: stages is \[{\"name\": \"items\"}\]"),
        ("form", "short", r"form is \"short\""),
    ],
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
