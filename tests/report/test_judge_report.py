"""Is the agreement of two judges shown as tables and as a page, with nothing left out?"""

from __future__ import annotations

from hengliang.report.content import ReportContent
from hengliang.report.judge_report import judge_estimates, judge_report, judge_tables
from hengliang.report.page import render_page
from hengliang.statistics import ScoreTable
from hengliang.statistics import agreement_of_judges as judge_agreement
from tests.analyses.test_judges import judges


def test_every_part_has_a_table() -> None:
    found = judge_agreement(*judges(), draws=20, splits=5)
    tables = [str(table) for table in judge_tables(found, items=3)]
    assert "Do the two judges agree?" in tables[0]
    assert "raters of fluency" in tables[0]
    assert "worth in raters" in tables[0]
    assert "rank by surprisal" in tables[1]
    assert "Items on which they part most" in tables[-1]
    assert tables[-1].count("\n") < tables[0].count("\n")
    analyses = judge_estimates(found, items=3)["analysis"].unique(maintain_order=True).to_list()
    assert analyses == [
        "judge agreement",
        "judge systems",
        *(["judge pairs"] if found.ranked_differently else []),
        "judge items",
    ]


def test_missing_scores_have_a_column_only_where_there_are_any() -> None:
    first, second = judges()
    table = judge_tables(judge_agreement(first, second, draws=20, splits=5))[0]
    assert "Missing" not in str(table)
    less = ScoreTable(first.name, first.frame.slice(1), first.n_missing)
    assert "Missing" in str(judge_tables(judge_agreement(less, second, draws=20, splits=5))[0])


def test_scores_without_systems_have_two_parts() -> None:
    first, second = judges(systems=1)
    for table in (first, second):
        table.frame.replace_column(
            table.frame.get_column_index("system"), table.frame["item"].str.slice(0, 0).alias("system")
        )
    found = judge_agreement(first, second, draws=20, splits=5)
    assert len(judge_tables(found)) == 2


def test_the_page_has_both_languages_and_survives_json() -> None:
    content = judge_report(judge_agreement(*judges(), draws=20, splits=5))
    page = render_page(content)
    assert "Do surprisal and fluency agree?" in page
    assert "surprisal 与 fluency 是否一致？" in page
    assert "噪声上限" in page
    # What the numbers say stands below them, not among notes on the method.
    assert [len(entry.sentences) for entry in content.analyses][:2] == [1, 0]
    assert not content.notes
    again = ReportContent.from_json(content.to_json())
    assert render_page(again) == page
    assert [measure.judge_kind for measure in content.measures] == ["machine", "person"]
