"""Does every page keep its scripts in and the network out, and do its controls work without a script?"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.report.html import tag, text
from hengliang.report.shell import content_security_policy, document, inline_script, resource
from tests.report.pages import read_page


def test_a_script_is_allowed_by_its_hash_and_nothing_else_is() -> None:
    # The SHA-256 of "abc" is the example of FIPS 180-4: ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61
    # f20015ad; here it is in base 64.
    policy = content_security_policy([inline_script("abc"), inline_script("abc")])
    assert policy.split("; ") == [
        "default-src 'none'",
        "script-src 'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='",
        "style-src 'unsafe-inline'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_without_scripts_none_is_allowed() -> None:
    assert "script-src 'none'" in content_security_policy([])


pieces = st.sampled_from(
    ["</script>", "</SCRIPT ", "</ScRiPt", "<!--", "<script>", "-->", "<", "/script", "!--", "a", "\n"]
)


@given(st.lists(pieces, max_size=8).map("".join))
def test_no_code_ends_its_script_early_or_opens_a_comment_in_it(code: str) -> None:
    element = inline_script(code)
    within = element.removeprefix("<script>").removesuffix("</script>")
    assert not re.search("</script|<!--", within, re.IGNORECASE)
    page = read_page(element + tag("p", None, text("after")))
    assert [one.tag for one in page.all()] == ["", "script", "p"]
    # To JavaScript \x3c in a string is the same as <.
    assert page.all("script")[0].text.replace(r"\x3c", "<") == code


def test_a_page_is_whole_and_its_parts_stand_in_order() -> None:
    written = document("一 <b>", tag("h1", None, text("main")), contents=tag("nav"), scripts=["later()"])
    assert written.startswith("<!DOCTYPE html>\n<html lang=")
    page = read_page(written)
    assert page.all("title")[0].text == "一 <b>"
    body = [element.tag for element in page.all("body")[0].all()]
    order = [body.index(name) for name in ("header", "script", "nav", "main", "h1")]
    assert order == sorted(order)
    # What is given besides runs when the page has been read: it is the last element.
    assert page.all("body")[0].all()[-1].text == "later()"
    encodings = [meta for meta in page.all("head")[0].all("meta") if "charset" in meta.attributes]
    assert [meta.attributes["charset"] for meta in encodings] == ["utf-8"]


def test_the_first_link_skips_to_the_main_part() -> None:
    page = read_page(document("x", text("")))
    skip = page.all("a")[0]
    assert skip.attributes == {"class": "skip", "href": "#main"}
    # Without a tabindex the focus would not move there.
    assert [(main.attributes["id"], main.attributes["tabindex"]) for main in page.all("main")] == [("main", "-1")]


def test_language_and_colours_are_chosen_by_named_radio_buttons() -> None:
    page = read_page(document("x", text("")))
    groups = page.all("fieldset")
    assert [group.all("legend")[0].all("span", lang="en")[0].text for group in groups] == ["Language", "Colours"]
    chosen = [
        [button.attributes["id"] for button in group.all("input") if "checked" in button.attributes] for group in groups
    ]
    assert chosen == [["language-en"], ["theme-auto"]]
    assert [label.text for label in groups[0].all("label")] == ["English", "中文"]  # each in its own language, always
    assert all(len(label.all("input")) == 1 for label in page.all("label"))
    assert all(button.attributes["type"] == "radio" for button in page.all("input"))


def test_styles_and_script_speak_of_controls_that_the_page_has() -> None:
    page = read_page(document("x", text("")))
    ids = {element.attributes["id"] for element in page.all() if "id" in element.attributes}
    named = set(re.findall(r"#([a-z]+-[a-z]+):checked", resource("styles.css")))
    assert named == {"language-en", "language-zh", "theme-light", "theme-dark"}
    assert named <= ids
    names = {button.attributes["name"] for button in page.all("input")}
    assert set(re.findall(r'(?:choose|chosen)\("(\w+)"', resource("page.js"))) == names


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
