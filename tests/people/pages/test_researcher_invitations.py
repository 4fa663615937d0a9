"""Are links made as asked, shown once, and useless when they are revoked?"""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.people.bots.page_reading import forms_of
from hengliang.people.pages.researcher_invitations import Wanted, read_wanted
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import Served, Visitor, filled, serving

LINK = re.compile(r'<code class="link">([^<]+)</code>')


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(small_survey(tmp_path_factory.mktemp("survey"))) as held:
        yield held


def make(visitor: Visitor, **fields: str) -> httpx.Response:
    form = next(
        each for each in forms_of(visitor.get("/admin/invitations").text) if each.action == "/admin/invitations"
    )
    return visitor.post(form.action, {**filled(form), "version": "", "kind": "real", **fields})


def test_a_new_link_is_shown_once_and_to_its_maker_alone(served: Served) -> None:
    maker, other = served.researcher(), served.researcher()
    assert make(maker, label="班级一").status_code == 303
    assert not LINK.search(other.get("/admin/invitations").text)
    shown = LINK.findall(maker.get("/admin/invitations").text)
    assert len(shown) == 1
    assert shown[0].startswith(f"{served.url}/i/")
    again = maker.get("/admin/invitations").text
    assert not LINK.search(again)
    assert "班级一" in again
    visitor = served.visitor()
    visitor.begin(shown[0].rpartition("/")[2])
    assert visitor.get("/page").status_code == 200


def test_a_pilot_link_with_a_list_and_a_limit(served: Served) -> None:
    researcher = served.researcher()
    make(researcher, label="pilot", kind="pilot", uses="1", version="2")
    token = LINK.findall(researcher.get("/admin/invitations").text)[0].rpartition("/")[2]
    first = served.visitor()
    first.begin(token)
    row = served.rows("SELECT kind, version FROM participants WHERE id = :id", id=first.id)
    assert row == [("pilot", "2")]
    page = served.visitor().get(f"/i/{token}")
    assert "already been used" in page.text
    assert "used up" in researcher.get("/admin/invitations").text


def test_a_revoked_link_lets_nobody_in_but_who_began_goes_on(served: Served) -> None:
    researcher = served.researcher()
    make(researcher, label="to be revoked")
    page = researcher.get("/admin/invitations").text
    token = LINK.findall(page)[0].rpartition("/")[2]
    begun = served.visitor()
    begun.begin(token)
    id = re.findall(r'data-invitation="(\w+)"[^\n]*to be revoked', page)[0]
    form = next(each for each in forms_of(page) if each.action == f"/admin/invitations/{id}/revoke")
    assert researcher.post(form.action, filled(form)).status_code == 303
    assert "withdrawn by the researchers" in served.visitor().get(f"/i/{token}").text
    assert begun.get("/page").status_code == 200
    assert researcher.post(form.action, filled(form)).status_code == 404
    assert researcher.post("/admin/invitations/nothing/revoke", filled(form)).status_code == 404


def test_a_wrong_form_comes_back_with_what_was_typed(served: Served) -> None:
    researcher = served.researcher()
    before = served.rows("SELECT COUNT(*) FROM invitations")
    answer = make(researcher, label='<b>"x"', uses="none", kind="pilot")
    assert answer.status_code == 422
    assert "must be a whole number" in answer.text
    assert 'value="&lt;b&gt;&#34;x&#34;"' in answer.text
    assert '<option value="pilot" selected>' in answer.text
    assert make(researcher, kind="preview").status_code == 422
    assert make(researcher, version="9").status_code == 422
    assert make(researcher, label="x" * 201).status_code == 422
    assert served.rows("SELECT COUNT(*) FROM invitations") == before


@given(st.dictionaries(st.sampled_from(["label", "kind", "uses", "version"]), st.text(max_size=300)))
def test_whatever_is_typed_is_either_right_or_told(fields: dict[str, str]) -> None:
    wanted = read_wanted(fields, {"1": (), "2": ()})
    if isinstance(wanted, Wanted):
        assert wanted.kind in {"real", "pilot"}
        assert wanted.uses is None or 1 <= wanted.uses <= 100_000
        assert wanted.version in {None, "1", "2"}
    else:
        assert wanted


@pytest.mark.parametrize(
    ("uses", "read"),
    [("", None), ("1", 1), (" 12 ", 12), ("100000", 100_000)],
)
def test_the_number_of_uses(uses: str, read: int | None) -> None:
    wanted = read_wanted({"kind": "real", "uses": uses}, {})
    assert isinstance(wanted, Wanted)
    assert wanted.uses == read


@pytest.mark.parametrize("uses", ["0", "-1", "1.5", "100001", "٣", "1e3", "9" * 5000])
def test_numbers_of_uses_that_are_none(uses: str) -> None:
    assert read_wanted({"kind": "real", "uses": uses}, {}) == ["wrong_uses"]
