"""Do results of tests and models become sections, sentences and files?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang import Bilingual, Estimate, UserError
from hengliang.core import Layout
from hengliang.report import words
from hengliang.report.content import AnalysisEntry, ReportContent
from hengliang.report.markdown import render_markdown
from hengliang.report.page import render_page
from hengliang.report.pivot import estimate_table
from hengliang.report.statistics import (
    CHOSEN,
    StatisticsSection,
    section_of_models,
    section_of_results,
    sentences_of,
    statistics_content,
    write_report,
)
from hengliang.statistics import Coefficient, Effect, ModelFit, TestResult, VarianceComponent, Variant, family
from tests.report.pages import read_page

TITLE = Bilingual("A test", "检验")


def result(test: str = "signed-rank", p: float = 0.02, **more: object) -> TestResult:
    return TestResult(
        test=test,
        title=Bilingual(f"The {test} test", f"{test} 检验"),
        symbol="W",
        statistic=12.0,
        p=p,
        alternative="two-sided",
        n=20,
        significant=Bilingual("A is higher", "A 较高"),
        otherwise=Bilingual("No difference was found", "未发现差异"),
        effects=(Effect("rank-biserial", "r_rb", 0.4, 0.1, 0.6),),
        **more,  # type: ignore[arg-type]
    )


def section(*results: tuple[dict[str, str], TestResult], extra: tuple[Estimate, ...] = ()) -> StatisticsSection:
    return section_of_results("tests", TITLE, Bilingual("why", "缘由"), results, extra=extra)


def model() -> ModelFit:
    return ModelFit(
        family="ordinal",
        title=Bilingual("ordinal model", "有序模型"),
        formula="y ~ x + (1 | g)",
        coefficients=(Coefficient("x", 0.5, 0.1, 5.0, 0.0001, 0.3, 0.7),),
        components=(VarianceComponent("g", "(Intercept)", 0.25, 8),),
        log_likelihood=-12.5,
        parameters=4,
        n=40,
        groups={"g": 8},
        thresholds=(Coefficient("1|2", -1.0, 0.2, -5.0, 0.1, -1.4, -0.6),),
    )


def test_a_row_a_result_and_the_sentences_below() -> None:
    made = section(({"comparison": "A − B"}, result()), ({"comparison": "A − C"}, result(p=0.4)))
    assert made.layout.rows == ("comparison",)
    assert [sentence.en.partition(" (")[0] for sentence in made.sentences] == ["A is higher", "No difference was found"]
    table = estimate_table(statistics_content("x", TITLE, [made]).estimates, made.layout)
    assert [str(cell) for cell in table.cells()[0]] == ["A − B", "12.00, p = .020", "0.40 [0.10, 0.60]", "20", "0"]
    assert [table.heading(column) for column in table.columns] == ["Comparison", "W", "Rank-biserial r", "n", "Missing"]


def test_several_tests_are_titled_by_their_names() -> None:
    made = section(({"test": "a"}, result("sign")), ({"test": "b"}, result("median")))
    assert made.layout.statistics["sign"].title == Bilingual("The sign test, W", "sign 检验，W")


def test_conventions_that_decide_otherwise_stand_in_rows_of_their_own() -> None:
    variant = Variant({"zeros": "pratt"}, ("SPSS",), 14.0, 0.07)
    p_row = Estimate("", {"comparison": "A − B"}, "adjusted p", 0.04)
    made = section(({"comparison": "A − B"}, result(variants=(variant,))), extra=(p_row,))
    by = [dict(row.by) for row in made.estimates]
    assert by[0] == {"comparison": "A − B", "convention": CHOSEN}
    assert by[2] == {"comparison": "A − B", "convention": "zeros = pratt (SPSS)"}
    assert by[3]["convention"] == CHOSEN
    cells = estimate_table(statistics_content("x", TITLE, [made]).estimates, made.layout).cells()
    assert [str(row[1]) for row in cells] == ["as chosen", "zeros = pratt (SPSS)"]
    assert "Other conventions decide otherwise" in made.sentences[0].en


def test_a_sentence_says_what_it_is_about_and_what_to_beware_of() -> None:
    note = Bilingual("Small sample.", "样本量小。")
    made = section(({"measure": "fluency", "comparison": "A − B"}, result(notes=(note,))))
    assert made.sentences[0].en.startswith("fluency: A is higher") and made.sentences[0].en.endswith(
        "Note: Small sample."
    )
    assert made.sentences[0].zh.startswith("fluency：A 较高") and made.sentences[0].zh.endswith("注：样本量小。")
    assert sentences_of(family([("a", 0.01)]))[0].en.startswith("1 of 1 tests")


def test_models_stand_side_by_side() -> None:
    made = section_of_models("models", TITLE, TITLE, {"one": model(), "two": model()})
    content = statistics_content("x", TITLE, [made])
    table = estimate_table(content.estimates, made.layout)
    assert [table.heading(column) for column in table.columns][2:4] == ["one", "two"]
    rows = [[str(cell) for cell in row] for row in table.cells()]
    assert rows[0][:3] == ["Fixed effect", "x", "0.500 [0.300, 0.700], p < .001"]
    assert rows[2][:3] == ["Random effect, SD", "g: (Intercept)", "0.500"]
    assert len(made.sentences) == 2


def test_the_page_and_markdown_show_the_sentences_in_both_languages() -> None:
    content = statistics_content("x", TITLE, [section(({"comparison": "A − B"}, result()))])
    page = read_page(render_page(content))
    heading = next(element for element in page.all("h4") if words.SENTENCES.en in element.text)
    assert words.SENTENCES.zh in heading.text
    assert "A is higher" in page.text and "A 较高" in page.text
    assert "#### In words\n\n- A is higher" in render_markdown(content)
    assert "#### 文字表述\n\n- A 较高" in render_markdown(content, "zh")
    # No systems and no measures: their sections would be empty.
    assert [element.attributes["id"] for element in page.all("section")] == ["materials", "results", "making"]


def test_sentences_travel_as_json_and_old_content_has_none() -> None:
    content = statistics_content("x", TITLE, [section(({"comparison": "A − B"}, result()))])
    value = json.loads(json.dumps(content.to_json()))
    assert ReportContent.from_json(value).analyses == content.analyses
    del value["analyses"][0]["sentences"]
    assert ReportContent.from_json(value).analyses[0].sentences == ()
    assert AnalysisEntry("a", TITLE, TITLE, Layout(())).sentences == ()


@pytest.mark.parametrize(("name", "start"), [("a.html", "<!DOCTYPE html>"), ("a.md", "# x"), ("a.json", "{")])
def test_the_ending_of_the_file_names_the_form(tmp_path: Path, name: str, start: str) -> None:
    content = statistics_content("x", TITLE, [section(({"comparison": "A − B"}, result()))])
    written = write_report(content, tmp_path / name).read_text(encoding="utf-8")
    assert written.lower().startswith(start.lower())


def test_an_ending_that_names_no_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"'a\.pdf' names no form") as caught:
        write_report(statistics_content("x", TITLE, []), tmp_path / "a.pdf")
    assert "a.html" in caught.value.remedy
