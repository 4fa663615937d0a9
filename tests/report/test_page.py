from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest

from hengliang.bilingual import Bilingual
from hengliang.records import Estimate, estimates_frame
from hengliang.report import words
from hengliang.report.content import ReportContent
from hengliang.report.page import render_page
from hengliang.report.plots import MOST_ROWS
from hengliang.report.shell import resource
from tests.report.example import content
from tests.report.hostile import PAYLOAD, hostile
from tests.report.pages import Element, read_page


@cache
def page_text() -> str:
    return render_page(content())


@cache
def page() -> Element:
    return read_page(page_text())


def test_landmarks_and_headings_are_in_order() -> None:
    assert [len(page().all(tag)) for tag in ("header", "nav", "main", "h1")] == [1, 1, 1, 1]
    levels = [int(element.tag[1]) for element in page().all() if element.tag in {"h1", "h2", "h3", "h4"}]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    sections = [element.attributes["id"] for element in page().all("section")]
    assert sections == ["materials", "systems", "measures", "results", "notes", "making"]


def test_ids_are_unique_and_every_link_within_the_page_leads_somewhere() -> None:
    ids = [element.attributes["id"] for element in page().all() if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    targets = [element.attributes["href"] for element in page().all("a")]
    assert targets and all(target.startswith("#") and target[1:] in ids for target in targets)
    for name in ("aria-labelledby", "aria-describedby"):
        assert {element.attributes[name] for element in page().all() if name in element.attributes} <= set(ids)


def test_tables_have_headers_with_scope() -> None:
    for table in page().all("table"):
        heads = table.all("thead")[0].all("th")
        assert heads and all(head.attributes["scope"] == "col" for head in heads)
        for row in table.all("tbody")[0].all("tr"):
            assert {cell.attributes["scope"] for cell in row.all("th")} <= {"row", "rowgroup"}
            assert row.all("th")


def test_every_number_is_accounted_for() -> None:
    """Each estimate has a row with its method, and a link to its whole signature."""
    made = content()
    rows = [row for row in page().all("tr") if "-number-" in row.attributes.get("id", "")]
    assert len(rows) == made.estimates.height
    ids = {element.attributes["id"]: element for element in page().all("li") if "id" in element.attributes}
    expected = [
        (method, signature)
        for entry in made.analyses
        for method, signature in made.estimates_of(entry.name).select("method", "signature").rows()
    ]
    for row, (method, signature) in zip(rows, expected, strict=True):
        assert method in row.text
        assert ids[row.all("a")[0].attributes["href"][1:]].all("code")[0].text == signature


def test_a_value_in_a_table_links_to_its_making() -> None:
    links = [link for link in page().all("a") if link.attributes.get("class") == "value"]
    by_id = {row.attributes["id"]: row for row in page().all("tr") if "id" in row.attributes}
    assert len(links) == content().estimates.height
    first = by_id[links[0].attributes["href"][1:]]
    assert links[0].text == "43.1" and "0.4312" in first.text


def test_signatures_of_materials_systems_measures_and_stages_are_there() -> None:
    shown = {code.text for code in page().all("code")}
    made = content()
    assert {entry.signature for entry in made.materials} <= shown
    assert {entry.signature for entry in made.systems} <= shown
    assert {entry.signature for entry in made.measures} <= shown
    assert {stage[3] for stage in made.stages} <= shown


def test_everything_is_said_in_both_languages() -> None:
    made = content()
    for said in (made.question, *made.notes, *(entry.explanation for entry in made.analyses), words.TABLE_KEY):
        assert any(span.text == said.en for span in page().all("span", lang="en"))
        assert any(span.text == said.zh for span in page().all("span", lang="zh-Hans"))
    chinese = [span for span in page().all("span", lang="zh-Hans") if "always" not in span.attributes.get("class", "")]
    assert len(chinese) == len(page().all("span", lang="en")) - 1  # the button "English" stands always


def test_figures_have_a_picture_a_name_and_a_table() -> None:
    figures = page().all("figure")
    assert len(figures) == 2  # the third analysis wants none
    for figure in figures:
        images = figure.all("div", role="img")
        assert [len(image.all("svg")) for image in images] == [1, 1]
        assert all(len(image.attributes["aria-label"]) > 40 for image in images)
        assert len(figure.all("details")[0].all("table")) == 1
        for script in figure.all("script"):
            assert json.loads(script.text)["concat"]


def test_a_missing_number_is_a_dash_with_its_reason() -> None:
    cells = [
        cell for cell in page().all("td") if any(part.attributes.get("class") == "reason" for part in cell.all("span"))
    ]
    assert cells
    assert all(cell.text.startswith("—") and "no data" in cell.text for cell in cells)


def test_simulated_data_are_called_so() -> None:
    warned = read_page(render_page(content(simulated=True))).all("p", role="note")
    assert len(warned) == 1 and "must not be cited" in warned[0].text
    assert not page().all("p", role="note")


def test_nothing_is_loaded_and_only_known_scripts_run() -> None:
    policies = [meta.attributes["content"] for meta in page().all("meta") if "http-equiv" in meta.attributes]
    assert len(policies) == 1
    assert "default-src 'none'" in policies[0] and "unsafe-eval" not in policies[0]
    assert not re.search(r"https?:", policies[0])
    scripts = [script for script in page().all("script") if script.attributes.get("type") != "application/json"]
    assert len(scripts) == 2
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policies[0]
    loaded = [
        element for element in page().all() if "src" in element.attributes or element.tag in {"img", "iframe", "object"}
    ]
    assert loaded == []
    assert [link.attributes["href"] for link in page().all("link")] == ["data:,"]
    assert not re.search(r"url\(|@import", resource("styles.css"))


def test_the_same_content_gives_the_same_bytes() -> None:
    again = ReportContent.from_json(json.loads(json.dumps(content().to_json())))
    assert render_page(again) == page_text()


def test_no_text_of_a_study_becomes_markup() -> None:
    spoilt = read_page(render_page(hostile(content(simulated=True))))
    plain = read_page(render_page(content(simulated=True)))
    assert spoilt.all("h1")[0].text == "classifier choice" + PAYLOAD
    assert [element.tag for element in spoilt.all("script")] == [element.tag for element in plain.all("script")]
    assert not spoilt.all("img")
    kinds = {element.tag for element in spoilt.all()}
    assert kinds <= {element.tag for element in plain.all()}
    handlers = [name for element in spoilt.all() for name in element.attributes if name.startswith("on")]
    assert handlers == []
    links = {link.attributes["href"] for link in spoilt.all("a")}
    assert all(re.fullmatch(r"#[a-z0-9-]+", link) for link in links)


def test_without_the_extra_there_are_tables_and_one_line_on_how_to_get_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    bare = read_page(render_page(content()))
    assert not bare.all("svg")
    assert len([script for script in bare.all("script") if "vega" in script.text.lower()[:100_000]]) <= 1
    lines = [line for line in bare.all("p") if "pip install 'hengliang[figures]'" in line.text]
    assert len(lines) == 2  # for each of the two figures
    assert len(bare.all("table")) == len(page().all("table"))


def test_a_figure_that_nobody_could_read_is_left_out() -> None:
    many = [Estimate("a", {"item": str(number)}, "x", float(number)) for number in range(MOST_ROWS + 1)]
    made = ReportContent("x", Bilingual("?", "？"), "2026-01-01", estimates=estimates_frame(many))
    large = read_page(render_page(made))
    assert not large.all("svg")
    assert words.FIGURE_TOO_LARGE.en in large.text
    assert len([row for row in large.all("tr") if "id" in row.attributes]) == MOST_ROWS + 1


def test_an_empty_study_is_a_page_all_the_same() -> None:
    bare = read_page(render_page(ReportContent("nothing yet", Bilingual("Why?", "为什么？"), "2026-01-01")))
    assert bare.all("h1")[0].text == "nothing yet"
    assert words.NO_ESTIMATES.zh in bare.text
    assert not bare.all("table")


def test_an_analysis_without_estimates_says_so() -> None:
    made = replace(content(), estimates=content().estimates.head(0))
    assert words.NO_ESTIMATES.en in read_page(render_page(made)).all("article")[0].text


# --- colours ----------------------------------------------------------------------------------------------------------


def _luminance(colour: str) -> float:
    """Return the relative luminance as WCAG 2.2 defines it."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio as WCAG 2.2 defines it."""
    high, low = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_computed_as_defined() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)  # the largest there is
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # the well-known grey just below AA


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_colours_meet_wcag_aa(scheme: int) -> None:
    found = re.findall(r"--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", resource("styles.css"))
    colours = {name: pair[scheme] for name, *pair in found}
    papers = ("paper", "raised", "warning-paper")
    for ink, paper in [(ink, paper) for ink in ("ink", "muted") for paper in papers] + [
        ("accent", "paper"),
        ("accent", "warning-paper"),
        ("warning-ink", "warning-paper"),
    ]:
        assert contrast(colours[ink], colours[paper]) >= 4.5, (ink, paper)
    series = [name for name in colours if name.startswith("series-")]
    assert len(series) == 6
    for name in series:
        assert contrast(colours[name], colours["paper"]) >= 3, name  # graphics need 3:1
