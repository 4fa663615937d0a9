"""Does a bot see the form that a browser would send?"""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.people.bots.page_reading import form_of, forms_of

PAGE = """<!doctype html><html><body><p>1 &lt; 2</p>
<form method="post" action="/submit" data-about="a1" data-step="3" data-task="likert">
 <input type="hidden" name="token" value="a&amp;b"><input type="hidden" name="step" value="3">
 <input type="radio" name="answer-fluency" value="1" required><label>1</label>
 <input type="radio" name="answer-fluency" value="2"><input type="checkbox" name="not-understood">
 <input type="range" name="answer-slide" min="0" max="100" value="50">
 <textarea name="comment" maxlength="5">so &amp; so</textarea>
 <select name="gender"><option value=""></option><option value="f">f</option></select>
 <input name="plain"><input type="text" name="off" disabled>
 <button name="go" value="on">Next</button><input type="submit" name="other" value="x"><button type="button" name="no">
</form><form action="/withdraw?x=1"><input name="code"></form></body></html>"""


def test_a_form_with_everything() -> None:
    form = form_of(PAGE)
    assert form is not None
    assert (form.action, form.method, form.about, form.step, form.task) == ("/submit", "post", "a1", 3, "likert")
    assert form.hidden() == {"token": "a&b", "step": "3"}
    assert {name: held.values for name, held in form.answers().items()} == {"fluency": ("1", "2"), "slide": ("50",)}
    assert form.answers()["fluency"].required and not form.answers()["slide"].required
    assert form.answers()["slide"].attributes["max"] == "100"
    assert form.fields["comment"].values == ("so & so",) and form.fields["comment"].kind == "textarea"
    assert form.fields["gender"].values == ("", "f") and form.fields["not-understood"].values == ("on",)
    assert form.fields["plain"].kind == "text" and "off" not in form.fields
    assert form.buttons == (("go", "on"), ("other", "x"))


def test_several_forms_and_none() -> None:
    assert [form.action for form in forms_of(PAGE)] == ["/submit", "/withdraw?x=1"]
    found = form_of(PAGE, "/withdraw")
    assert found is not None and list(found.fields) == ["code"] and found.step is None and found.about == ""
    assert form_of("<p>The end</p>") is None and form_of(PAGE, "/other") is None


@pytest.mark.parametrize("page", ["<form", "<form></form", "</form><form>", "<form action='/x'><input name"])
def test_broken_pages_have_no_form(page: str) -> None:
    assert forms_of(page) == []


@given(st.text(), st.text())
def test_any_value_comes_back(value: str, words: str) -> None:
    # A parser of HTML turns line ends and NUL into what the standard says; those are left to browsers.
    value, words = (text.replace("\r", "").replace("\0", "") for text in (value, words))
    area = f'<textarea name="t">{escape(words)}</textarea>'
    form = form_of(f'<form><input type="hidden" name="h" value="{escape(value)}">{area}</form>')
    assert form is not None and form.hidden() == {"h": value} and form.fields["t"].values == (words,)
