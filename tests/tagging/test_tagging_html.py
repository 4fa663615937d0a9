"""Does the page draw error pairs and open them down to single sentences, in both languages and safely?"""

from __future__ import annotations

from dataclasses import replace

from hengliang.core import to_json
from hengliang.report import render_page
from hengliang.tagging.views import PairView, Tally
from hengliang.tagging.views_html import ANCHOR, error_pairs_view
from tests.report.example import small_content
from tests.report.hostile import PAYLOAD, hostile, hostile_records
from tests.report.pages import Element, read_page
from tests.tagging.toy_tagging import toy_pairs


def section(pairs: tuple[PairView, ...] | None = None) -> Element:
    return read_page(error_pairs_view(toy_pairs() if pairs is None else pairs).html)


def spoken(element: Element, language: str) -> str:
    """Return the text of an element as a reader of one language sees it."""
    if element.attributes.get("lang") not in {None, language} and "always" not in element.attributes.get("class", ""):
        return ""
    return "".join(part if isinstance(part, str) else spoken(part, language) for part in element.parts)


def test_there_is_a_graph_for_tags_and_one_for_words() -> None:
    graphs = section().all("svg")
    assert [graph.attributes["role"] for graph in graphs] == ["img", "img"]
    # Three errors of v:n in all; one of p+r:d, and the second tagger has no answer.
    assert [title.text for title in section().all("title")] == ["<[v], [n]>: 3", "<[p+r], [d]>: 1"]
    assert "1 arrows between 2 tags" in graphs[0].attributes["aria-label"]


def test_a_pair_that_nobody_errs_in_is_listed_but_not_drawn() -> None:
    right = PairView("a:n", 2, {"first": Tally(4)}, ())
    page = section((right,))
    assert page.all("svg") == []
    assert "No tagger misses any of these words." in page.text
    assert "2 words" in page.text and "first 4/0/0" in page.text


def test_pairs_open_to_words_and_words_to_sentences() -> None:
    verbs, both = section().all("details", **{"class": "item"})
    assert spoken(verbs.all("summary")[0], "en") == "<[v], [n]> 3 wordsfirst 2/1/1second 2/2/0"
    assert "2 of 3 shown: those that are missed most." in spoken(verbs, "en")
    words = verbs.all("details", **{"class": "item word"})
    assert [word.all("summary")[0].all("span")[0].text for word in words] == ["工作", "决定"]
    assert [mark.text for mark in verbs.all("mark")] == ["工作", "工作", "决定"]
    rows = [
        [cell.text for cell in row.parts if isinstance(cell, Element)] for row in words[1].all("tbody")[0].all("tr")
    ]
    assert [row[:2] for row in rows] == [["corpus语料", "决定/v"], ["first", "决/v 定/v"], ["second", "决定/v"]]
    assert [row[2] for row in rows] == ["", "recorded记录", "correct对"]
    assert "second 0/0/0 (−1)" in both.text and "no answer无回答" in both.text
    assert "1 word" in spoken(both, "en") and "1 words" not in spoken(both, "en")
    assert "shown" not in spoken(both, "en")  # all there is


def test_words_without_sentences_are_lines() -> None:
    verbs = toy_pairs()[0]
    bare = replace(verbs, words=tuple(replace(word, sentences=()) for word in verbs.words))
    page = section((bare,))
    assert page.all("details", **{"class": "item word"}) == []
    assert "工作" in page.text and "first 1/1/0" in page.text


def test_everything_is_said_in_both_languages() -> None:
    chinese, english = spoken(section(), "zh-Hans"), spoken(section(), "en")
    assert "错误对" in chinese and "显示 3 个词例中最常标错的 2 个。" in chinese and "语料" in chinese
    assert "Open a pair" not in chinese and "展开" not in english
    # The sentences are Chinese on both pages.
    assert "打住。" in chinese and "打住。" in english


def test_tables_have_headers_with_scope() -> None:
    tables = section().all("table")
    assert len(tables) == 4  # a table a sentence
    for table in tables:
        assert [head.attributes["scope"] for head in table.all("thead")[0].all("th")] == ["col"] * 3
        assert all(row.all("th")[0].attributes["scope"] == "row" for row in table.all("tbody")[0].all("tr"))


def test_the_section_stands_in_the_page_once_with_its_own_ids() -> None:
    page = read_page(render_page(replace(small_content(), views=(error_pairs_view(toy_pairs()),))))
    ids = [element.attributes["id"] for element in page.all() if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    assert ids.count(ANCHOR) == 1
    assert [section.attributes["id"] for section in page.all("section")].index(ANCHOR) == 4
    assert read_page(render_page(small_content())).all("section", id=ANCHOR) == []


def test_no_text_of_a_run_becomes_markup() -> None:
    spoilt = hostile_records(toy_pairs())
    assert PAYLOAD in spoilt[0].words[0].word
    assert PAYLOAD in next(iter(spoilt[0].tallies))
    page = read_page(render_page(hostile(replace(small_content(), views=(error_pairs_view(spoilt),)))))
    held = page.all("section", id=ANCHOR)[0]
    assert held.all("script") == [] and held.all("img") == []
    # The word, the sentence, the tagger and what it gave stand there as they are.
    assert f"工作{PAYLOAD}" in held.text and f"first{PAYLOAD}" in held.text and f"工作/n{PAYLOAD}" in held.text


def test_programs_find_the_pairs_as_plain_data() -> None:
    view = error_pairs_view(toy_pairs())
    assert (view.name, view.data) == ("error_pairs", to_json(list(toy_pairs())))
