"""Who gets at the researchers' pages, and can somebody else make a researcher's browser act?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.routing import Route

from hengliang.people.bots.page_reading import Form, forms_of
from hengliang.people.pages.researcher_routes import routes
from hengliang.people.storage.administration import one_time_link
from hengliang.people.storage.tokens import new_token, sealed
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import Served, Visitor, filled, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(small_survey(tmp_path_factory.mktemp("survey"))) as held:
        held.participant().until("comment")
        yield held


def addresses() -> list[tuple[str, str]]:
    """Return every method and address of researchers, from the table of routes itself."""
    found = []
    for route in routes():
        assert isinstance(route, Route)
        path = re.sub(r"\{[^}]*\}", "x", route.path)
        found += [(method, path) for method in route.methods or () if method != "HEAD"]
    return found


OPEN = {("GET", "/admin/link/x"), ("POST", "/admin/link/x"), ("GET", "/admin/no-access")}


@pytest.mark.parametrize(("method", "path"), addresses())
def test_no_address_of_researchers_is_open_to_others(served: Served, method: str, path: str) -> None:
    participant = served.participant()
    before = served.dump()
    stranger, forger = served.visitor(), served.visitor()
    for name in ("researcher", "__Secure-researcher", "session"):
        forger.client.cookies.set(name, participant.session)
    sent: dict[str, Any] = {"data": {"token": "0" * 64}, "headers": {"Sec-Fetch-Site": "same-origin"}}
    answers = [
        visitor.client.request(method, path, **(sent if method == "POST" else {}))
        for visitor in (stranger, participant, forger)
    ]
    assert served.dump() == before
    if (method, path) in OPEN:
        assert {answer.status_code for answer in answers} <= {200, 303, 403, 404}
        assert not any("set-cookie" in answer.headers for answer in answers)
        return
    # Alike for all addresses, there or not: nobody learns which ones exist.
    unknown = stranger.client.request(method, "/admin/never-there", **(sent if method == "POST" else {}))
    for answer in answers:
        assert answer.status_code in {303, 403, 404}
        assert (answer.status_code, answer.headers.get("location"), answer.text) == (
            unknown.status_code,
            unknown.headers.get("location"),
            unknown.text,
        )


def test_a_link_works_once(served: Served) -> None:
    link = served.database.write(one_time_link, served.clock()).result()
    first, second = served.visitor(), served.visitor()
    forms = [forms_of(each.get(f"/admin/link/{link}").text)[0] for each in (first, second)]
    assert first.post(forms[0].action, filled(forms[0])).headers["location"] == "/admin"
    assert first.get("/admin").status_code == 200
    answer = second.post(forms[1].action, filled(forms[1]))
    assert answer.headers.get("location") != "/admin"
    assert second.get("/admin").status_code in {303, 403}


def test_a_link_runs_out_after_a_quarter_of_an_hour_and_a_session_after_half_a_day(served: Served) -> None:
    link = served.database.write(one_time_link, served.clock()).result()
    late, researcher = served.visitor(), served.researcher()
    form = forms_of(late.get(f"/admin/link/{link}").text)[0]
    served.clock.ahead += 15 * 60 + 1
    assert late.post(form.action, filled(form)).headers.get("location") != "/admin"
    assert late.get("/admin").status_code != 200
    assert researcher.get("/admin").status_code == 200
    served.clock.ahead += 12 * 3600
    assert researcher.get("/admin").status_code != 200


def test_a_session_ends_when_one_signs_out(served: Served) -> None:
    researcher = served.researcher()
    kept = dict(researcher.client.cookies)
    form = next(each for each in forms_of(researcher.get("/admin").text) if each.action == "/admin/sign-out")
    assert researcher.post(form.action, filled(form)).status_code == 303
    again = served.visitor()
    for name, value in kept.items():
        again.client.cookies.set(name, value)
    assert again.get("/admin").status_code != 200


def test_digests_and_guesses_open_nothing(served: Served) -> None:
    researcher = served.researcher()
    session = next(value for name, value in researcher.client.cookies.items() if "researcher" in name)
    for guess in (sealed(session), session[:-1], session + "A", session.swapcase(), new_token(), "", "*"):
        stranger = served.visitor()
        stranger.client.cookies.set("researcher", guess)
        assert stranger.get("/admin").status_code in {303, 403}


def test_a_link_is_no_session_and_a_session_no_link(served: Served) -> None:
    link = served.database.write(one_time_link, served.clock()).result()
    stranger = served.visitor()
    stranger.client.cookies.set("researcher", link)
    assert stranger.get("/admin").status_code != 200
    researcher = served.researcher()
    session = next(value for name, value in researcher.client.cookies.items() if "researcher" in name)
    form = forms_of(stranger.get(f"/admin/link/{session}").text)[0]
    assert stranger.post(form.action, filled(form)).headers.get("location") != "/admin"


def all_forms(served: Served, researcher: Visitor) -> dict[str, Form]:
    """Return every form on the researchers' pages, by its address; signing out, which ends the rest, comes last."""
    participant = served.rows("SELECT id FROM participants WHERE status = 'active' LIMIT 1")[0][0]
    served.invitation()
    pages = (
        "/admin",
        "/admin/invitations",
        "/admin/participants",
        f"/admin/participants/{participant}",
        "/admin/export",
    )
    found = {
        form.action: form for page in pages for form in forms_of(researcher.get(page).text) if form.method == "post"
    }
    return dict(sorted(found.items(), key=lambda held: "sign-out" in held[0]))


@pytest.mark.parametrize("how", ["missing", "empty", "other researcher", "participant", "cross-site", "foreign origin"])
def test_no_form_of_researchers_can_be_sent_by_another(served: Served, how: str) -> None:
    researcher, other = served.researcher(), served.researcher()
    theirs = next(form.hidden()["token"] for form in forms_of(other.get("/admin").text) if "token" in form.hidden())
    participants = served.participant()
    forms = all_forms(served, researcher)
    assert len(forms) >= 6
    tokens = {"empty": "", "other researcher": theirs, "participant": filled(participants.form())["token"]}
    headers = {
        "cross-site": {"Sec-Fetch-Site": "cross-site"},
        "foreign origin": {"Origin": "https://evil.example", "Sec-Fetch-Site": ""},
    }
    before = served.dump()
    for action, form in forms.items():
        fields = filled(form, "x")
        if how == "missing":
            del fields["token"]
            fields["x"] = "a form of one field at least"
        fields |= {"token": tokens[how]} if how in tokens else {}
        answer = researcher.post(action, fields, **headers.get(how, {}))
        assert answer.status_code == 403, action
    assert served.dump() == before
    assert researcher.get("/admin").status_code == 200


def test_nothing_of_researchers_changes_by_get(served: Served) -> None:
    researcher = served.researcher()
    before = served.dump()
    for action in all_forms(served, researcher):
        researcher.get(action)
    after = served.dump()
    assert {name for name in after if after[name] != before[name]} <= {"invitations", "events"}
    assert researcher.get("/admin").status_code == 200


def test_a_researchers_cookie_is_for_their_pages_and_no_script(served: Served) -> None:
    visitor = served.visitor()
    link = served.database.write(one_time_link, served.clock()).result()
    said = visitor.sign_in(link).headers["set-cookie"].lower()
    assert "httponly" in said
    assert "path=/admin" in said
    assert "samesite=strict" in said
    assert visitor.get("/page").status_code != 200


def test_what_a_researcher_did_is_on_record(served: Served) -> None:
    """Panel ids are personal data: looking at them, and taking them out, is written down."""
    researcher = served.researcher()
    before = len(served.rows("SELECT 1 FROM events WHERE kind IN ('exported', 'panel ids shown')"))
    researcher.get("/admin/participants?panel=1")
    form = next(each for each in forms_of(researcher.get("/admin/export").text) if each.action == "/admin/export")
    researcher.post(form.action, {**filled(form), "form": "long", "kind": "real", "identified": "yes"})
    after = served.rows("SELECT kind, detail FROM events WHERE kind IN ('exported', 'panel ids shown')")
    assert len(after) == before + 2
    session = next(value for name, value in researcher.client.cookies.items() if "researcher" in name)
    assert not any(session in detail or sealed(session) in detail for _, detail in after)
