"""Does the list of participants say what is there, and do exclusion, readmission and deletion do what they say?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from hengliang.people.bots.page_reading import forms_of
from hengliang.people.pages import researcher_participants
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import Served, Visitor, filled, serving


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(small_survey(tmp_path, places=1)) as held:
        yield held


def act(visitor: Visitor, who: str, action: str, **fields: str) -> httpx.Response:
    page = visitor.get(f"/admin/participants/{who}")
    form = next(each for each in forms_of(page.text) if each.action.endswith(f"/{action}"))
    return visitor.post(form.action, {**filled(form), **fields})


def status(served: Served, who: str) -> str:
    return str(served.rows("SELECT status FROM participants WHERE id = :id", id=who)[0][0])


def test_participants_by_kind_without_panel_ids_unless_asked_for(served: Served) -> None:
    real = served.participant(external="PANEL-0815").id
    pilot = served.participant(kind="pilot", language="zh").id
    researcher = served.researcher()
    page = researcher.get("/admin/participants").text
    assert real in page
    assert pilot not in page
    assert "PANEL-0815" not in page
    assert "PANEL-0815" not in researcher.get(f"/admin/participants/{real}").text
    assert pilot in researcher.get("/admin/participants?kind=pilot").text
    assert real in researcher.get("/admin/participants?kind=<script>&part=-3").text
    assert served.rows("SELECT COUNT(*) FROM events WHERE kind = 'panel ids shown'") == [(0,)]
    assert "PANEL-0815" in researcher.get("/admin/participants?panel=1").text
    assert served.rows("SELECT COUNT(*) FROM events WHERE kind = 'panel ids shown'") == [(1,)]


def test_many_participants_come_in_parts(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(researcher_participants, "ROWS", 1)
    first, second = served.participant().id, served.participant().id
    researcher = served.researcher()
    pages = [researcher.get(f"/admin/participants?part={part}").text for part in ("1", "2", "99", "9" * 5000)]
    # Those who came last come first.
    assert [second in page for page in pages] == [True, False, False, True]
    assert [first in page for page in pages] == [False, True, True, False]


def test_an_exclusion_needs_a_reason_and_gives_the_place_back(served: Served) -> None:
    careless, careful = served.participant(), served.participant()
    careless.finish()
    who = careless.id
    version = served.rows("SELECT version FROM participants WHERE id = :id", id=who)[0][0]
    researcher = served.researcher()
    # One place a list, both taken.
    full = served.visitor()
    form = full.consent_form(served.invitation())
    assert "places are taken" in full.post("/consent", {**filled(form), "decision": "agree"}).text
    for reason in ("", "   ", "x" * 501):
        assert act(researcher, who, "exclude", reason=reason).status_code == 422
    assert status(served, who) == "finished"
    assert act(researcher, who, "exclude", reason="no <b>care</b>").status_code == 303
    page = researcher.get(f"/admin/participants/{who}").text
    assert "no &lt;b&gt;care&lt;/b&gt;" in page
    assert status(served, who) == "excluded"
    later = served.participant()
    assert served.rows("SELECT version FROM participants WHERE id = :id", id=later.id) == [(version,)]
    assert status(served, careful.id) == "active"
    assert served.rows("SELECT COUNT(*) FROM answers WHERE participant = :id", id=who) == [(8,)]


def test_an_exclusion_can_be_taken_back_once(served: Served) -> None:
    visitor = served.participant()
    visitor.finish()
    who = visitor.id
    researcher = served.researcher()
    excluded = act(researcher, who, "exclude", reason="by mistake")
    assert excluded.headers["location"] == f"/admin/participants/{who}"
    page = researcher.get(f"/admin/participants/{who}")
    assert not any(form.action.endswith("/exclude") for form in forms_of(page.text))
    back = next(form for form in forms_of(page.text) if form.action.endswith("/readmit"))
    assert researcher.post(back.action, filled(back)).status_code == 303
    assert status(served, who) == "finished"
    again = researcher.post(back.action, filled(back))
    assert again.status_code == 409
    assert "not possible" in again.text
    kinds = [kind for (kind,) in served.rows("SELECT kind FROM events WHERE participant = :id", id=who)]
    assert kinds.count("excluded") == kinds.count("readmitted") == 1


def test_answers_are_deleted_at_a_participants_request_when_the_id_is_typed(served: Served) -> None:
    visitor = served.participant(external="PANEL-1")
    visitor.until("comment")
    visitor.answer(comment="my own words")
    who = visitor.id
    researcher = served.researcher()
    assert "my own words" in researcher.get(f"/admin/participants/{who}").text
    wrong = act(researcher, who, "withdraw", confirm=who[:-1])
    assert wrong.status_code == 422
    assert "Nothing was deleted" in wrong.text
    assert status(served, who) == "active"
    assert act(researcher, who, "withdraw", confirm=f" {who} ").status_code == 303
    assert served.rows("SELECT status, external FROM participants WHERE id = :id", id=who) == [("withdrawn", None)]
    assert served.rows("SELECT COUNT(*) FROM answers WHERE participant = :id", id=who) == [(0,)]
    page = researcher.get(f"/admin/participants/{who}").text
    assert "my own words" not in page
    # Nothing can be done any more about who is gone.
    assert {form.action for form in forms_of(page)} == {"/admin/sign-out"}
    kinds = [kind for (kind,) in served.rows("SELECT kind FROM events WHERE participant = :id ORDER BY id", id=who)]
    # The last one says that SQLite's own log has been emptied, too.
    assert kinds[-3:] == ["asked to withdraw", "withdrew", "erased"]


def test_hostile_comments_are_words(served: Served) -> None:
    visitor = served.participant()
    visitor.until("comment")
    visitor.answer(comment="<script>alert(1)</script>{{ 7 * 7 }}")
    page = served.researcher().get(f"/admin/participants/{visitor.id}").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;{{ 7 * 7 }}" in page
    assert "<script>alert" not in page


def test_the_same_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    with serving(small_survey(tmp_path), postgres_url) as served:
        excluded, gone = served.participant(external="PANEL-2"), served.participant()
        excluded.finish()
        researcher = served.researcher()
        assert excluded.id in researcher.get("/admin/participants").text
        assert act(researcher, excluded.id, "exclude", reason="没有认真作答").status_code == 303
        left = gone.id
        assert act(researcher, left, "withdraw", confirm=left).status_code == 303
        assert (status(served, excluded.id), status(served, left)) == ("excluded", "withdrawn")
        assert "PANEL-2" in researcher.get("/admin/participants?panel=1").text
        # The answers of who is excluded are not counted as the survey's.
        assert researcher.get("/admin").text.count("<td>8</td>") == 0
