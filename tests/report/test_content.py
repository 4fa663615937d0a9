from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from polars.testing import assert_frame_equal

from hengliang import Bilingual, UserError
from hengliang.report.content import ReportContent
from tests.report.example import content, small_content
from tests.report.toy_suites import toy_suites
from tests.report.toy_tagging import toy_pairs


@pytest.mark.parametrize("made", [content(), content(simulated=True), small_content()])
def test_content_comes_back_from_json(made: ReportContent) -> None:
    text = json.dumps(made.to_json(), allow_nan=False)
    back = ReportContent.from_json(json.loads(text))
    assert back.to_json() == made.to_json()
    assert_frame_equal(back.estimates, made.estimates)
    assert (back.materials, back.systems, back.measures) == (made.materials, made.systems, made.measures)
    assert (back.analyses, back.notes, back.stages) == (made.analyses, made.notes, made.stages)


def test_suites_come_back_and_older_content_has_none() -> None:
    made = replace(small_content(), suites=toy_suites())
    value = json.loads(json.dumps(made.to_json(), allow_nan=False))
    assert repr(ReportContent.from_json(value).suites) == repr(made.suites)
    del value["suites"]
    assert ReportContent.from_json(value).suites == ()
    with pytest.raises(
        UserError, match=r"The report content has no suites\[0\]\.class\. Run the study from its estimates"
    ):
        ReportContent.from_json({**value, "suites": [{"name": "x"}]})


def test_error_pairs_come_back_and_older_content_has_none() -> None:
    made = replace(small_content(), error_pairs=toy_pairs())
    value = json.loads(json.dumps(made.to_json(), allow_nan=False))
    assert ReportContent.from_json(value).error_pairs == made.error_pairs
    del value["error_pairs"]
    assert ReportContent.from_json(value).error_pairs == ()
    with pytest.raises(UserError, match=r"The report content has no error_pairs\[0\]\.n_words\."):
        ReportContent.from_json({**value, "error_pairs": [{"pair": "v:n"}]})


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
