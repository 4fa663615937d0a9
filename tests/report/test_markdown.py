from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from polars.testing import assert_frame_equal

from hengliang.grammar import failing_items_view
from hengliang.report import estimates_from_rows
from hengliang.report.markdown import render_json, render_markdown
from hengliang.tagging import error_pairs_view
from tests.grammar.toy_suites import suites_view, toy_suites
from tests.report.example import content, small_content
from tests.report.hostile import hostile, hostile_records
from tests.tagging.toy_tagging import pairs_view, toy_pairs

GOLDEN = Path(__file__).parent


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_small_study_reads_as_it_should(language: Any) -> None:
    """The golden text was read by eye; a change of wording changes it on purpose."""
    assert render_markdown(small_content(), language) == (GOLDEN / f"golden_{language}.md").read_text(encoding="utf-8")


def test_failing_items_are_a_short_list() -> None:
    text = render_markdown(replace(small_content(), views=(suites_view(),)), "en")
    listed = text[text.index("## Items that fail") : text.index("## Method notes")].rstrip().split("\n\n")
    assert listed == [
        "## Items that fail",
        "### missing object · Modifier: none",
        "- **first** 2 of 3 fail, 1 with a tie\n- **second** 1 of 3 fail, 1 not judged: the model is out",
        "2 of 2 shown, the hardest first",
        "- `toys.none/1` 他成为了医生。 He became a doctor. (first −0.50; second −1.00)\n"
        "- `toys.none/3` 我成为了歌手。 I became a singer. (first =)",
    ]
    assert "### 宾语缺失 · 修饰语：无修饰语" in render_markdown(replace(small_content(), views=(suites_view(),)), "zh")


def test_error_pairs_are_a_line_each() -> None:
    text = render_markdown(replace(small_content(), views=(pairs_view(),)), "en")
    listed = text[text.index("## Error pairs") : text.index("## Method notes")].rstrip().split("\n\n")
    assert listed == [
        "## Error pairs, words and sentences",
        "Of each tagger: right, wrong as the pair says, wrong otherwise (recorded), and after a minus without an "
        "answer. Then the words that are missed most.",
        "- **&lt;\\[v\\], \\[n\\]&gt;** first 2/1/1; second 2/2/0; 工作, 决定\n"
        "- **&lt;\\[p+r\\], \\[d\\]&gt;** first 0/1/0; second 0/0/0 (−1); 就此",
    ]
    chinese = render_markdown(replace(small_content(), views=(pairs_view(),)), "zh")
    assert "## 错误对、词例与句子" in chinese and "first 2/1/1；second 2/2/0；工作、决定" in chinese


def test_every_signature_is_in_the_text() -> None:
    text = render_markdown(content(), "zh")
    made = content()
    signatures = [entry.signature for entry in made.materials] + [entry.signature for entry in made.systems]
    for signature in [*made.estimates["signature"], *signatures]:
        assert f"`{signature}`" in text


def test_no_text_of_a_study_becomes_markup() -> None:
    suites, pairs = hostile_records(toy_suites()), hostile_records(toy_pairs())
    shown = replace(small_content(), views=(failing_items_view(suites), error_pairs_view(pairs)))
    lines = render_markdown(hostile(shown), "en").splitlines()
    # A code span ends at as many backticks as it began with; what is within it is shown as it is.
    code = re.compile(r"(?<![`\\\\])(`+)(?!`).+?(?<!`)\1(?!`)")
    outside = [code.sub("", line) for line in lines]
    assert any("onerror" in line for line in outside)
    assert not any("<" in line.removeprefix("| RULE") for line in outside)
    assert sum(line.startswith("# ") for line in lines) == 1


def test_json_is_an_object_with_a_version_and_estimates() -> None:
    value = json.loads(render_json(content()))
    assert value["schema_version"] == 1
    assert_frame_equal(estimates_from_rows(value["estimates"]), content().estimates)
    assert value["estimates"][0]["by"] == {"system": "GE"}
