from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from functools import cache
from itertools import pairwise

import pytest

from hengliang import Bilingual
from hengliang.report import words
from hengliang.report.content import ReportContent
from hengliang.report.page import render_page
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


def test_everything_is_said_in_both_languages() -> None:
    made = content()
    for said in (made.question, *made.notes, *(entry.explanation for entry in made.analyses), words.TABLE_KEY):
        assert any(span.text == said.en for span in page().all("span", lang="en"))
        assert any(span.text == said.zh for span in page().all("span", lang="zh-Hans"))
    chinese = [span for span in page().all("span", lang="zh-Hans") if "always" not in span.attributes.get("class", "")]
    assert len(chinese) == len(page().all("span", lang="en")) - 1  # the button "English" stands always


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


@pytest.mark.untraced
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


def test_an_empty_study_is_a_page_all_the_same() -> None:
    bare = read_page(render_page(ReportContent("nothing yet", Bilingual("Why?", "为什么？"), "2026-01-01")))
    assert bare.all("h1")[0].text == "nothing yet"
    assert words.NO_ESTIMATES.zh in bare.text
    assert not bare.all("table")
