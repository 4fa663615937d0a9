"""Does the report of ratings show every part, in both languages?"""

from __future__ import annotations

import re

import pytest

from hengliang.analyses import Battery, run_battery
from hengliang.analyses import RatingQuestions as Questions
from hengliang.report.content import ReportContent
from hengliang.report.markdown import render_markdown
from hengliang.report.page import render_page
from hengliang.report.ratings import ratings_content
from tests.analyses.ratings.made_ratings import made_ratings, table_of


@pytest.fixture(scope="module")
def battery(tmp_path_factory: pytest.TempPathFactory) -> Battery:
    frame = made_ratings(items=12, raters=4, shared=True, effects={"RULE": 0.0, "LSTM": 0.4, "BERT": 0.6})
    folder = tmp_path_factory.mktemp("ratings")
    ratings = table_of(folder, frame, "fluency", "clarity", split="match", response="response")
    return run_battery(ratings, Questions(margin=0.5))


@pytest.fixture(scope="module")
def content(battery: Battery) -> ReportContent:
    return ratings_content(battery)


def test_every_part_is_an_analysis_with_its_numbers(battery: Battery, content: ReportContent) -> None:
    assert [entry.name for entry in content.analyses] == [part.name for part in battery.parts]
    assert all(content.estimates_of(entry.name).height for entry in content.analyses)
    assert [entry.name for entry in content.systems] == ["RULE", "LSTM", "BERT"]
    assert [entry.judge_kind for entry in content.measures] == ["person", "person"]


def test_the_file_is_described(content: ReportContent) -> None:
    facts = {title.en: value for title, value in content.materials[0].facts}
    assert facts["Read as"] == "comma-separated text, UTF-8"
    assert (facts["Scale"], facts["Split"], facts["Response"]) == ("1–7", "match", "response")
    assert content.materials[0].n_items == 12
    assert "file:" in content.materials[0].signature


def test_every_number_has_a_signature_and_a_method(content: ReportContent) -> None:
    assert not content.estimates.filter(
        (content.estimates["signature"] == "") | (content.estimates["method"] == "")
    ).height


def test_the_page_is_whole_and_wide_tables_scroll(content: ReportContent) -> None:
    whole = render_page(content)
    page = whole[whole.index("<main") : whole.index("</main>")]
    assert page.count("<article") == len(content.analyses)
    assert page.count("<table") == len(re.findall(r'class="scroll"[^>]*><table', page))
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_chinese_readers_find_chinese(content: ReportContent) -> None:
    text = render_markdown(content, "zh")
    headings = re.findall(r"^#{2,4} (.+)$", text, re.MULTILINE)
    assert all(re.search("[\u4e00-\u9fff]", heading) for heading in headings), headings
    assert "含副本，即论文的做法" in text and "去重评分" in text
