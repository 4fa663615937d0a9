"""Is a view that a report could not show refused when it is made?"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from hengliang import Bilingual, UserError
from hengliang.core import View, from_json, to_json
from hengliang.core.views import RESERVED, checked_views
from hengliang.report import render_page
from tests.report.example import content
from tests.report.pages import read_page

VIEW = View(
    "longest_answers",
    "longest-answers",
    Bilingual("Longest answers", "最长的回答"),
    '<h3 id="longest-answers-1">One</h3>',
    Bilingual("One.", "一。"),
    (("longest-answers-1", Bilingual("One", "一")),),
    [{"answer": "one", "length": 3}],
)


def test_a_view_comes_back_from_json() -> None:
    assert from_json(View, to_json(VIEW), "It") == VIEW
    assert VIEW.anchors == ("longest-answers", "longest-answers-title", "longest-answers-1")


@pytest.mark.parametrize(
    "anchor", ["", "Longest", "1", "-a", "a-", "a--b", "a b", 'a"onclick="x', "a.b", "长", "a\n", None, 3]
)
def test_an_anchor_is_of_small_letters_digits_and_hyphens(anchor: Any) -> None:
    with pytest.raises(UserError, match=r"is no anchor of a view\. Small letters, digits and hyphens"):
        replace(VIEW, anchor=anchor, entries=())


@pytest.mark.parametrize("name", ["", "longest-answers", "longest answers", "__class__", "a_", None])
def test_a_name_is_of_small_letters_digits_and_underscores(name: Any) -> None:
    with pytest.raises(UserError, match=r"is no name of a view\. Small letters, digits and underscores"):
        replace(VIEW, name=name)


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_what_the_report_uses_itself_is_taken(word: str) -> None:
    with pytest.raises(UserError, match=f"No view can have the name '{word}'"):
        replace(VIEW, name=word)
    if "_" not in word:
        for anchor in (word, f"{word}-1"):
            with pytest.raises(UserError, match=f"'{anchor}': the report itself uses '{word}'"):
                replace(VIEW, anchor=anchor, entries=())


def test_all_that_a_report_uses_itself_is_known() -> None:
    made = content(simulated=True)
    elements = read_page(render_page(made)).all()
    ids = {element.attributes["id"] for element in elements if element.attributes.get("id")}
    assert {*made.to_json(), *(each.split("-")[0] for each in ids)} <= RESERVED


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        (["other-1"], "An anchor that begins with 'longest-answers-'"),
        (["longest-answers"], "An anchor that begins with 'longest-answers-'"),
        (["longest-answers-2"], "nothing in its HTML has that id"),
        (["longest-answers-1", "longest-answers-1"], "has the anchor 'longest-answers-1' twice"),
        (['longest-answers-"'], "An anchor that begins"),
    ],
)
def test_the_parts_that_it_lists_are_there(entries: list[str], told: str) -> None:
    with pytest.raises(UserError, match=told):
        replace(VIEW, entries=tuple((anchor, Bilingual("x", "x")) for anchor in entries))


def test_the_heading_has_an_anchor_already() -> None:
    anchor = "longest-answers-title"
    with pytest.raises(UserError, match=f"has the anchor '{anchor}' twice"):
        replace(VIEW, html=f'<p id="{anchor}"></p>', entries=((anchor, Bilingual("x", "x")),))


@pytest.mark.parametrize("data", [math.nan, {1, 2}, [object()]])
def test_data_that_are_no_json_are_refused(data: Any) -> None:
    with pytest.raises(UserError, match="The data of the view 'longest_answers' are not JSON"):
        replace(VIEW, data=data)


def test_views_of_several_makers_come_in_order() -> None:
    other = replace(VIEW, name="others", anchor="others", entries=())
    assert checked_views({"the measure 'a'": [VIEW], "the measure 'b'": (), "the analysis 'c'": (other,)}) == (
        VIEW,
        other,
    )


@pytest.mark.parametrize(
    ("other", "shared"),
    [
        (replace(VIEW, anchor="others", entries=()), "name 'longest_answers'"),
        (replace(VIEW, name="others", entries=()), "anchor 'longest-answers'"),
        (replace(VIEW, name="others", anchor="longest-answers-1", entries=()), "anchor 'longest-answers-1'"),
    ],
)
def test_two_views_share_neither_name_nor_anchor(other: View, shared: str) -> None:
    with pytest.raises(
        UserError, match=f"Two views of this study have the {shared}: one of the measure 'a' and one of"
    ):
        checked_views({"the measure 'a'": [VIEW], "the measure 'b'": [other]})


def test_what_is_no_view_is_named_with_who_made_it() -> None:
    with pytest.raises(UserError, match=r"Among the views of the measure 'a' is '<p>' \(str\)\. A View\."):
        checked_views({"the measure 'a'": ["<p>"]})  # type: ignore[list-item]
    loose = replace(VIEW, title="Longest answers")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="The view 'longest_answers' of the measure 'a': title is"):
        checked_views({"the measure 'a'": [loose]})
