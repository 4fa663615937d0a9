from __future__ import annotations

from dataclasses import replace

import pytest

from hengliang import Bilingual, UserError
from hengliang.report import words
from hengliang.report.content import ReportContent
from hengliang.report.index import IndexEntry, headline, index_entry, link_to, render_index
from tests.report.example import content
from tests.report.hostile import PAYLOAD
from tests.report.pages import read_page


def test_each_report_has_a_line() -> None:
    entries = [index_entry(content(), "classifier choice/report.html"), index_entry(content(simulated=True), "b.html")]
    page = read_page(render_index(entries))
    cards = page.all("article")
    assert [card.all("a")[0].attributes["href"] for card in cards] == ["classifier%20choice/report.html", "b.html"]
    assert cards[0].all("h2")[0].text == "classifier choice"
    assert "Accuracy: GE 43.1% [41.2, 45.0], RULE 61.3% [58.9, 63.5]" in cards[0].text
    assert "准确率：GE 43.1% [41.2, 45.0]，RULE 61.3% [58.9, 63.5]" in cards[0].text
    # 4.21 + 11.9 + 1.3 + 73.4 = 90.81 seconds
    assert "1 min 31 s" in cards[0].text
    assert cards[0].all("time")[0].attributes["datetime"] == "2026-11-15T19:40:12+00:00"
    assert words.SIMULATED.en not in cards[0].text and words.SIMULATED.en in cards[1].text


def test_trials_and_what_did_not_finish_are_told() -> None:
    entries = [index_entry(content(), "a.html"), index_entry(replace(content(), form="quick"), "b.html")]
    page = read_page(render_index(entries, {"tagger_mending": "This needs <pycrfsuite>."}))
    assert [words.QUICK_INDEX.zh in card.text for card in page.all("article")] == [False, True]
    assert [note.text for note in page.all("p", role="note")] == [words.QUICK.en + words.QUICK.zh]
    assert [line.text for line in page.all("li")] == ["tagger_mending: This needs <pycrfsuite>."]
    plain = read_page(render_index(entries[:1]))
    assert not plain.all("p", role="note") and words.NOT_FINISHED.en not in plain.text


def test_a_study_without_numbers_has_no_headline() -> None:
    bare = ReportContent("x", Bilingual("?", "？"), "2026-01-01")
    assert headline(bare) == Bilingual("", "")
    assert index_entry(bare, "x.html").seconds is None


def test_no_reports_say_so() -> None:
    assert words.NO_REPORTS.zh in read_page(render_index([])).text


def test_a_hostile_entry_stays_text() -> None:
    entry = IndexEntry(PAYLOAD, Bilingual(PAYLOAD, PAYLOAD), Bilingual(PAYLOAD, PAYLOAD), PAYLOAD, PAYLOAD, 1.0)
    page = read_page(render_index([entry]))
    assert len(page.all("script")) == 1
    assert not page.all("img")
    assert page.all("h2")[0].text == PAYLOAD


@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("a/report.html", "a/report.html"),
        ("衡量/report.html", "%E8%A1%A1%E9%87%8F/report.html"),
        ("a#b?c", "a%23b%3Fc"),
        ("javascript:alert(1)", "javascript%3Aalert%281%29"),  # a file of that name, and no script
    ],
)
def test_links_are_paths(path: str, link: str) -> None:
    assert link_to(path) == link


@pytest.mark.parametrize("path", ["", "//elsewhere/report.html", "\\\\host\\report.html"])
def test_other_addresses_are_refused(path: str) -> None:
    with pytest.raises(UserError, match="is no path to a report"):
        link_to(path)
