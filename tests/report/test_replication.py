"""Are recomputed claims shown whole, in both languages, as tables, Markdown and a page?"""

from __future__ import annotations

import pytest

from hengliang.analysis.replication.conventions import ClaimMultiverse, claim_multiverse
from hengliang.analysis.replication.published import claims_of
from hengliang.analysis.replication.table import Replicated, recompute
from hengliang.report.replication import (
    conventions_table,
    render_replication,
    replication_lines,
    replication_markdown,
    replication_table,
    robustness_lines,
    robustness_table,
    summary_table,
)
from tests.report.pages import read_page

NAMES = ("median-test", "hypotheses-2", "spread")


@pytest.fixture(scope="module")
def rows() -> list[Replicated]:
    return [recompute(paper, claim) for name in NAMES for paper, claim in claims_of(name=name)]


@pytest.fixture(scope="module")
def multiverses() -> list[ClaimMultiverse]:
    held = [pair for name in NAMES for pair in claims_of(name=name)]
    return [each for paper, claim in held if (each := claim_multiverse(paper, claim))]


def test_a_row_a_claim(rows: list[Replicated]) -> None:
    table = replication_table(rows)
    assert len(table) == len(rows)
    shown = {str(cells[0]): [str(cell) for cell in cells] for cells in table.cells()}
    assert shown["median-test.chi2"][1:6] == ["000 5.5.1", "Mood's χ² from Table 3", "53.33", "51.388", "differs"]
    chinese = {str(cells[0]): [str(cell) for cell in cells] for cells in table.in_language("zh").cells()}
    assert chinese["median-test.chi2"][5] == "不一致"
    assert chinese["hypotheses-2.h5-decision"][3] == "否"
    assert "没有整数单元格" in chinese["median-test.chi2"][6]


def test_a_claim_in_lines(rows: list[Replicated], multiverses: list[ClaimMultiverse]) -> None:
    held = {row.claim.id: row for row in rows}
    name, values, why = replication_lines(held["median-test.chi2"])
    assert name == "median-test.chi2  (000 5.5.1)  differs"
    assert values == "Mood's χ² from Table 3: published 53.33, recomputed 51.388"
    assert why.startswith("no whole cell gives 53.33")
    assert "发表值 否" in replication_lines(held["hypotheses-2.h5-decision"], "zh")[1]
    found = {each.claim.id: each for each in multiverses}
    kept, against = robustness_lines(found["hypotheses-2.h5-decision"])
    assert kept.startswith("hypotheses-2.h5-decision  no: kept by 1 of 8")
    assert against.count(";") == 6
    assert robustness_lines(found["median-test.chi2"])[1] == ""


def test_verdicts_are_counted_by_paper(rows: list[Replicated]) -> None:
    frame = summary_table(rows).to_polars()
    assert frame["paper"].to_list() == ["000", "001"]
    counted = frame.drop("paper").sum_horizontal().to_list()
    assert counted == [sum(row.paper == paper for row in rows) for paper in ("000", "001")]


def test_a_conclusion_under_every_convention(multiverses: list[ClaimMultiverse]) -> None:
    found = next(each for each in multiverses if each.claim.id == "hypotheses-2.h5-decision")
    table = conventions_table(found)
    assert len(table) == 8
    assert [str(cells[-1]) for cells in table.cells()].count("yes") == 1
    assert table.note is not None
    assert table.note.en == "1 of 8 defensible conventions keep it: no difference was found."


def test_conclusions_in_a_line_each(multiverses: list[ClaimMultiverse]) -> None:
    table = robustness_table(multiverses)
    lines = {str(cells[0]): [str(cell) for cell in cells] for cells in table.cells()}
    assert lines["spread.A-tukey-4-9"][3:] == ["4/5", "Games–Howell test"]
    assert lines["median-test.chi2"][3:] == ["13/13", ""]


def test_markdown(rows: list[Replicated], multiverses: list[ClaimMultiverse]) -> None:
    english = replication_markdown(rows, multiverses)
    assert english.startswith("# Published statistics, recomputed\n")
    assert "| 53.33 | 51.388 | differs |" in english.replace("\\", "")
    assert "### hypotheses-2.h5-decision" in english
    chinese = replication_markdown(rows, language="zh")
    assert "| 53.33 | 51.388 | 不一致 |" in chinese.replace("\\", "")
    assert "hypotheses-2.h5-decision：" not in chinese


def test_the_page(rows: list[Replicated], multiverses: list[ClaimMultiverse]) -> None:
    page = read_page(render_replication(rows, multiverses))
    anchors = [element.attributes["id"] for element in page.all("section")]
    assert anchors == ["summary", "paper-000", "paper-001", "conventions"]
    headers = {element.text for element in page.all("th")}
    assert "median-test.chi2" in headers
    ids = [element.attributes["id"] for element in page.all() if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    named = {element.attributes["aria-labelledby"] for element in page.all() if "aria-labelledby" in element.attributes}
    assert named <= set(ids)
    assert "paper_000:" in page.text


def test_the_same_claims_give_the_same_page(rows: list[Replicated]) -> None:
    assert render_replication(rows) == render_replication(rows)
    assert "conventions" not in [
        section.attributes["id"] for section in read_page(render_replication(rows)).all("section")
    ]
