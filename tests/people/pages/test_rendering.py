from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from hengliang import Bilingual
from hengliang.people.pages.rendering import STATIC, Pages, paragraphs, said, static_address


@pytest.fixture
def pages(tmp_path: Path) -> Pages:
    (tmp_path / "page.html").write_text("<p lang={{ tag }}>{{ words.next }} {{ text }}{{ part('part.html', inner) }}")
    (tmp_path / "part.html").write_text("<b>{{ text }}</b>")
    return Pages(tmp_path)


def test_what_is_given_is_escaped_also_in_a_part(pages: Pages) -> None:
    page = pages.render("page.html", "en", text="<script>&\"'", inner={"text": "<i>"})
    assert page == "<p lang=en>Next &lt;script&gt;&amp;&#34;&#39;<b>&lt;i&gt;</b>"


def test_a_page_speaks_its_language(pages: Pages) -> None:
    assert pages.render("page.html", "zh", text="", inner={"text": ""}).startswith("<p lang=zh-Hans>下一页")


def test_what_is_not_given_is_a_fault_and_not_empty(pages: Pages) -> None:
    with pytest.raises(UndefinedError):
        pages.render("page.html", "en", inner={"text": ""})
    with pytest.raises(UndefinedError):
        pages.render("page.html", "en", text="outside", inner={})


def test_a_response_has_a_status_and_headers(pages: Pages) -> None:
    answer = pages.respond("part.html", "en", status=422, headers={"retry-after": "5"}, text="a")
    assert (answer.status_code, answer.headers["retry-after"], answer.body) == (422, "5", b"<b>a</b>")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


def test_addresses_of_files_change_with_their_content() -> None:
    address = static_address("survey.css")
    assert address.startswith("/static/survey.css?")
    assert len(address.partition("?")[2]) == 12
    assert address != static_address("survey.js").replace(".js", ".css")
    assert (STATIC / "survey.js").is_file()


def test_paragraphs_are_parted_by_empty_lines() -> None:
    assert paragraphs("One\nline.\n\n \nTwo.\n") == ["One line.", "Two."]
    # Chinese is written without spaces, so a line end in a Chinese text is nothing.
    assert paragraphs("第一行，\n第二行。\n\n第三") == ["第一行，第二行。", "第三"]
    assert paragraphs("“quoted”\nwords – and\nmore") == ["“quoted” words – and more"]


@given(st.text())
def test_paragraphs_lose_no_letter(text: str) -> None:
    assert "".join("".join(paragraphs(text)).split()) == "".join(text.split())


def test_texts_in_one_or_two_languages() -> None:
    assert said("one", "zh") == "one"
    assert said(Bilingual("one", "一"), "zh") == "一"


def test_no_page_has_script_or_style_of_its_own() -> None:
    for file in (STATIC.parent / "templates").glob("*.html"):
        text = file.read_text()
        assert " style=" not in text, file
        assert "<style" not in text, file
        assert "<script>" not in text, file
        assert " onclick" not in text, file
        assert "http://" not in text, file
        assert "https://" not in text, file
