from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from hengliang import Bilingual
from hengliang.report.html import bilingual, script_json, signature_line, tag, text
from tests.report.hostile import PAYLOAD
from tests.report.pages import read_page

anything = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r"))


@given(anything, anything)
def test_any_text_is_read_back_as_text(words: str, value: str) -> None:
    page = read_page(tag("p", {"title": value or None}, text(words)))
    assert [element.tag for element in page.all()] == ["", "p"]
    assert page.all("p")[0].text == words
    assert page.all("p")[0].attributes.get("title", "") == value


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | anything,
        lambda inner: st.lists(inner) | st.dictionaries(anything, inner),
    )
)
def test_json_in_a_script_is_the_same_value_and_cannot_end_the_script(value: object) -> None:
    written = script_json(value)
    assert json.loads(written) == value
    assert not set(written) & set("<>&\u2028\u2029")


def test_the_payload_stays_inside_its_script() -> None:
    page = read_page(tag("script", {"type": "application/json"}, script_json([PAYLOAD])))
    assert len(page.all("script")) == 1
    assert json.loads(page.all("script")[0].text) == [PAYLOAD]


def test_two_languages_are_marked_and_equal_ones_written_once() -> None:
    page = read_page(bilingual(Bilingual("System", "系统")))
    assert [(span.attributes["lang"], span.text) for span in page.all("span")] == [
        ("en", "System"),
        ("zh-Hans", "系统"),
    ]
    assert bilingual(Bilingual("GE", "GE")) == "GE"


def test_attributes_without_a_value() -> None:
    assert tag("input", {"checked": "", "id": None, "value": "a&b"}) == '<input checked value="a&amp;b">'


def test_a_signature_is_copied_as_it_is() -> None:
    page = read_page(signature_line("data:a<b|seed:1"))
    # Chances to break are elements and no characters: what is copied is the signature.
    assert page.all("code")[0].text == "data:a<b|seed:1"
    assert len(page.all("wbr")) == 1
