"""Can one participant, or somebody without any link, read or change what is not theirs?

Real HTTP against a served survey; `docs/survey-security.md` is the threat model. Every attack is followed by a look
into the database: a refusal that changed something is no refusal.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hengliang.people.bots.page_reading import form_of, forms_of
from hengliang.people.pages.addresses import Address
from hengliang.people.storage.administration import one_time_link
from hengliang.people.storage.registration import register
from hengliang.people.storage.tokens import new_code, new_token, sealed
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import Served, Visitor, agreed, filled, serving

pytestmark = pytest.mark.filterwarnings("ignore:Setting per-request cookies")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(small_survey(tmp_path_factory.mktemp("survey"))) as held:
        yield held


def own_rows(served: Served, participant: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return all that the database holds about one participant, but when they were last seen."""
    return {
        "participants": served.rows(
            "SELECT status, external, step, completion, reason FROM participants WHERE id = :id", id=participant
        ),
        **{
            table: served.rows(f"SELECT * FROM {table} WHERE participant = :id ORDER BY 1, 2, 3", id=participant)
            for table in ("answers", "details", "events", "sessions")
        },
    }


def at_first_item(served: Served) -> Visitor:
    visitor = served.participant()
    visitor.until("answer-clarity")
    return visitor


# One participant against another.


def test_a_form_of_one_participant_is_refused_in_the_session_of_another(served: Served) -> None:
    victim, attacker = at_first_item(served), at_first_item(served)
    before = own_rows(served, victim.id), own_rows(served, attacker.id)
    stolen = filled(victim.form())
    answer = attacker.post("/submit", stolen)
    assert answer.status_code == 403
    assert (own_rows(served, victim.id), own_rows(served, attacker.id)) == before


def test_fields_that_name_another_participant_or_stimulus_choose_nothing(served: Served) -> None:
    victim, attacker = at_first_item(served), at_first_item(served)
    before = own_rows(served, victim.id)
    form = attacker.form()
    elsewhere = next(about for about in served.survey.stimuli if about != form.about)
    answer = attacker.post(
        f"/submit?participant={victim.id}&about={elsewhere}",
        {
            **filled(form),
            "participant": victim.id,
            "id": victim.id,
            "about": elsewhere,
            "version": "2",
            "kind": "pilot",
            "submission": filled(victim.form())["submission"],
        },
    )
    assert answer.status_code == 303
    assert own_rows(served, victim.id) == before
    stored = served.rows("SELECT DISTINCT about FROM answers WHERE participant = :id", id=attacker.id)
    assert stored == [(form.about,)]


@pytest.mark.parametrize("distance", [-1, 1, 5, 1000, -1000])
def test_a_step_that_is_not_the_current_one_changes_nothing(served: Served, distance: int) -> None:
    visitor = at_first_item(served)
    assert visitor.answer().status_code == 303
    before = own_rows(served, visitor.id)
    form = visitor.form()
    answer = visitor.post("/submit", {**filled(form), "step": str(int(form.fields["step"].values[0]) + distance)})
    # A page's token is for its step, so a step that was only written over is refused.
    assert answer.status_code in {303, 400, 403}
    assert own_rows(served, visitor.id) == before


def test_a_page_that_is_sent_again_changes_nothing_and_leads_to_the_same_next_page(served: Served) -> None:
    visitor = at_first_item(served)
    fields = filled(visitor.form())
    assert visitor.post("/submit", fields).status_code == 303
    before = own_rows(served, visitor.id)
    for changed in (fields, {**fields, "answer-clarity": "7", "submission": "another"}):
        answer = visitor.post("/submit", changed)
        assert (answer.status_code, answer.headers["location"]) == (303, "/page")
    assert own_rows(served, visitor.id) == before


@pytest.mark.parametrize("step", ["", "x", "1e3", "٣", "9" * 400, "-", "1.0", " 1", "0x1"])
def test_a_step_that_is_no_number_is_refused_in_words(served: Served, step: str) -> None:
    visitor = at_first_item(served)
    before = own_rows(served, visitor.id)
    answer = visitor.post("/submit", {**filled(visitor.form()), "step": step})
    assert answer.status_code in {303, 400, 403, 422}
    assert own_rows(served, visitor.id) == before


def test_what_the_database_keeps_opens_nothing(served: Served) -> None:
    """Ids and digests, which a stolen copy of the database holds, are no keys."""
    victim = at_first_item(served)
    resume, withdrawal = served.rows("SELECT resume, withdrawal FROM participants WHERE id = :id", id=victim.id)[0]
    digest = sealed(victim.session)
    before = own_rows(served, victim.id)
    for word in (victim.id, resume, withdrawal, digest):
        stranger = served.visitor()
        for path in (f"/resume/{word}", f"/i/{word}"):
            assert stranger.get(path).status_code in {403, 404}, path
        button = forms_of(stranger.get(f"/admin/link/{word}").text)[0]
        assert stranger.post(button.action, filled(button)).headers.get("location") != "/admin"
        assert not list(stranger.client.cookies)
        for name in victim.client.cookies:
            stranger.client.cookies.set(name, word)
        assert form_of(stranger.get("/page").text, "/submit") is None
        # A refused link counts as a guess; the limit on guesses has a test of its own.
        served.clock.ahead += 600
    assert own_rows(served, victim.id) == before


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 41), letter=st.sampled_from(string.ascii_letters + string.digits + "-_"))
def test_a_session_with_one_letter_changed_is_nobody(served: Served, place: int, letter: str) -> None:
    """All letters of a token but the last, some of whose bits are padding: that one has a test of its own."""
    owner = _owner(served)
    forged = owner.session[:place] + letter + owner.session[place + 1 :]
    stranger = served.visitor()
    for name in owner.client.cookies:
        stranger.client.cookies.set(name, forged)
    reached = form_of(stranger.get("/page").text, "/submit") is not None
    assert reached == (forged == owner.session)


_owners: dict[str, Visitor] = {}


def _owner(served: Served) -> Visitor:
    """Return the participant whose session all examples try to forge."""
    if served.url not in _owners:
        _owners[served.url] = at_first_item(served)
    return _owners[served.url]


def test_the_padding_of_a_token_is_compared_too(served: Served) -> None:
    """Four last letters decode to the same 256 bits; only the one that was given is right."""
    owner = _owner(served)
    opened = []
    for letter in string.ascii_letters + string.digits + "-_":
        stranger = served.visitor()
        for name in owner.client.cookies:
            stranger.client.cookies.set(name, owner.session[:-1] + letter)
        if form_of(stranger.get("/page").text, "/submit") is not None:
            opened.append(letter)
    assert opened == [owner.session[-1]]


def test_a_withdrawal_needs_the_code_and_reaches_its_owner_only(served: Served) -> None:
    victim, attacker = at_first_item(served), at_first_item(served)
    assert victim.answer().status_code == 303
    before = own_rows(served, victim.id)
    for guess in (victim.id, attacker.id, new_code(), "", "%", "____-____-____", sealed("x"), "' OR '1'='1"):
        form = form_of(attacker.get("/withdraw").text, "/withdraw")
        assert form is not None
        name = next(each for each, held in form.fields.items() if held.kind not in ("hidden", "checkbox"))
        answer = attacker.post("/withdraw", {**filled(form, "x"), name: guess})
        assert answer.status_code in {400, 403, 404, 422, 429}, guess
        assert own_rows(served, victim.id) == before
        served.clock.ahead += 60


def test_guessing_withdrawal_codes_is_slowed_down(served: Served) -> None:
    served.clock.ahead += 3600
    attacker = served.visitor()
    statuses = []
    for _ in range(40):
        form = form_of(attacker.get("/withdraw").text, "/withdraw")
        if form is None:
            statuses.append(429)
            continue
        name = next(each for each, held in form.fields.items() if held.kind not in ("hidden", "checkbox"))
        statuses.append(attacker.post("/withdraw", {**filled(form), name: new_code()}).status_code)
    served.clock.ahead += 3600
    assert 429 in statuses
    # Whoever mistypes a few times is not locked out.
    assert 429 not in statuses[:5]
    assert statuses[-1] == 429


def test_guessing_links_does_not_lock_out_those_who_have_one(served: Served) -> None:
    token = served.invitation()
    owner = served.participant()
    attacker, guest = served.visitor(), served.visitor()
    links = [f"/{kind}/{new_token()}" for kind in ("i", "resume") for _ in range(30)]
    statuses = [attacker.get(link).status_code for link in links]
    assert set(statuses) <= {403, 404, 429}
    # From the same address: invitations and own links still work.
    assert guest.get(f"/i/{token}").status_code == 200
    own = dict(owner.client.cookies)["keep"]
    assert guest.get(f"/resume/{own}").status_code == 303
    assert guest.id == owner.id
    served.clock.ahead += 3600


def test_guessing_codes_from_many_addresses_does_not_lock_out_others(tmp_path: Path) -> None:
    """Behind a proxy the addresses are the ones that it reports: 300 machines guess, one person knows the code."""
    with serving(small_survey(tmp_path), address=Address(port=0, behind_proxy="https://survey.example.org")) as held:
        attacker = held.visitor()
        attacker.client.headers["Host"] = "survey.example.org"
        said = []
        for number in range(300):
            attacker.client.headers["X-Forwarded-For"] = f"198.51.{number // 250}.{number % 250}"
            fields = {"code": new_code(), "sure": "yes", "language": "en"}
            said.append(attacker.post("/withdraw", fields, Origin="https://survey.example.org").status_code)
        assert set(said) == {422}
        secrets = held.database.write(register, held.survey, held.invitation(), "en", None, held.clock()).result()
        attacker.client.headers["X-Forwarded-For"] = "203.0.113.9"
        fields = {"code": secrets.withdrawal, "sure": "yes", "language": "en"}
        assert attacker.post("/withdraw", fields, Origin="https://survey.example.org").status_code == 200
        assert held.rows("SELECT status FROM participants") == [("withdrawn",)]


@pytest.mark.parametrize(
    "path", ["/page", "/submit", "/resume/", "/i/", "/nothing", "/page/3", "/step/4", "/item/cat-1"]
)
def test_a_stranger_sees_no_item(served: Served, path: str) -> None:
    page = served.visitor().get(path)
    assert page.status_code in {200, 303, 307, 401, 403, 404, 405}
    assert not any(stimulus.text in page.text for stimulus in served.survey.stimuli.values())
    assert form_of(page.text, "/submit") is None


def test_a_participant_sees_one_item_at_a_time_whatever_is_asked_for(served: Served) -> None:
    visitor = at_first_item(served)
    form = visitor.form()
    others = [each.text for each in served.survey.stimuli.values() if each.about != form.about]
    for path in ("/page", "/page?step=9", "/page?about=cat-2&step=99", "/page?participant=x"):
        page = visitor.get(path).text
        assert not any(text in page for text in others), path
    assert visitor.form().about == form.about


# Requests that another site causes.


@pytest.mark.parametrize(
    "how", ["missing", "empty", "other page", "consent", "other session", "flipped", "long", "not ascii"]
)
def test_a_submit_without_its_own_token_is_refused(served: Served, how: str) -> None:
    visitor = served.visitor()
    consent = agreed(visitor.consent_form(served.invitation()))
    assert visitor.post("/consent", consent).status_code == 303
    earlier = filled(visitor.form())["token"]
    visitor.until("answer-clarity")
    fields = filled(visitor.form())
    right = fields.pop("token")
    wrong = {
        "missing": None,
        "empty": "",
        "other page": earlier,
        "consent": consent["token"],
        "other session": filled(at_first_item(served).form())["token"],
        "flipped": right[:-1] + ("0" if right[-1] != "0" else "1"),
        "long": right + "0",
        "not ascii": "令" * len(right),
    }[how]
    assert wrong != right
    before = served.dump()
    answer = visitor.post("/submit", fields if wrong is None else {**fields, "token": wrong})
    assert answer.status_code == 403
    assert served.dump() == before
    assert visitor.post("/submit", {**fields, "token": right}).status_code == 303


FOREIGN = [
    {"Origin": "https://evil.example", "Sec_Fetch_Site": "cross-site", "Sec-Fetch-Site": ""},
    {"Origin": "https://evil.example", "Sec-Fetch-Site": ""},
    {"Origin": "", "Sec-Fetch-Site": "cross-site"},
    {"Origin": "", "Sec-Fetch-Site": "same-site"},
    {"Origin": "http://127.0.0.1.evil.example", "Sec-Fetch-Site": ""},
    {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_form_sent_from_another_site_is_refused(served: Served, headers: dict[str, str]) -> None:
    """Even with the right token: a leak of one secret is not enough."""
    visitor = at_first_item(served)
    guest = served.visitor()
    consent = agreed(guest.consent_form(served.invitation()))
    fields = filled(visitor.form())
    before = served.dump()
    assert visitor.post("/submit", fields, **headers).status_code == 403
    assert guest.post("/consent", consent, **headers).status_code == 403
    assert served.dump() == before
    assert visitor.post("/submit", fields).status_code == 303
    assert guest.post("/consent", consent).status_code == 303


@pytest.mark.parametrize("how", ["missing", "empty", "forged", "other invitation"])
def test_consent_needs_its_own_form(served: Served, how: str) -> None:
    guest = served.visitor()
    fields = agreed(guest.consent_form(served.invitation()))
    name = next(each for each in ("token", "form") if each in fields)
    other = agreed(served.visitor().consent_form(served.invitation()))[name]
    wrong = {"missing": None, "empty": "", "forged": "0" * 64, "other invitation": other}[how]
    before = served.dump()
    rest = {each: value for each, value in fields.items() if each != name}
    answer = guest.post("/consent", rest if wrong is None else {**rest, name: wrong})
    assert answer.status_code in {400, 403, 422}
    assert served.dump() == before


def test_nobody_can_be_made_to_withdraw_by_a_link(served: Served) -> None:
    """Nothing changes by GET, whatever the address says."""
    visitor = at_first_item(served)
    before = served.dump()
    for path in (
        "/withdraw?code=AAAA-AAAA-AAAA",
        "/submit?answer-clarity=1",
        "/consent?agree=yes",
        "/page?language=zh",
    ):
        assert visitor.get(path).status_code < 500
    assert served.dump() == before


# Invitations.


def test_a_revoked_or_used_up_invitation_admits_nobody(served: Served) -> None:
    once = served.invitation(uses=1)
    late = served.visitor()
    form = agreed(late.consent_form(once))
    served.visitor().begin(once)
    before = served.dump()
    assert late.post("/consent", form).status_code in {403, 409, 410, 422}
    assert served.dump()["participants"] == before["participants"]


def test_a_link_preview_uses_nothing_up(served: Served) -> None:
    """Chat programs open a link before its reader does: by GET and HEAD, often more than once."""
    once = served.invitation(uses=1)
    link = served.database.write(one_time_link, served.clock()).result()
    before = served.dump()
    robot = served.visitor()
    for path in (f"/i/{once}", f"/admin/link/{link}"):
        for _ in range(3):
            robot.get(path)
            robot.client.head(path)
    assert served.dump() == before
    served.visitor().begin(once)
    served.visitor().sign_in(link)


def test_an_external_id_takes_part_once(served: Served) -> None:
    served.participant(external="panel-77")
    second = served.visitor()
    answer = second.post("/consent", agreed(second.consent_form(served.invitation(), external="panel-77")))
    assert answer.status_code in {403, 409, 422}
    assert len(served.rows("SELECT 1 FROM participants WHERE external = 'panel-77'")) == 1


def test_a_resume_link_moves_the_participant_and_no_other(served: Served) -> None:
    first = served.participant()
    links = [link for link in _links(first) if "/resume/" in link]
    assert links, "the participant is not shown a link to go on elsewhere"
    second = served.visitor()
    page = second.get("/resume/" + links[0].rpartition("/")[2])
    for form in forms_of(page.text):
        if form.action.startswith("/resume"):
            page = second.post(form.action, filled(form))
    assert page.status_code == 303
    assert second.id == first.id
    assert second.session != first.session


def _links(visitor: Visitor) -> list[str]:
    import re

    return re.findall(r"https?://[^\s\"'<>]+|/resume/[A-Za-z0-9_-]{20,}", visitor.get("/page").text)


def test_the_pages_hold_no_secret_that_a_script_could_carry_away(served: Served) -> None:
    visitor = at_first_item(served)
    assert visitor.session not in visitor.get("/page").text


def test_whose_place_was_given_away_stores_nothing_more(tmp_path: Path) -> None:
    """Two lists of one place; who is away for longer than the place is held finds it taken."""
    with serving(small_survey(tmp_path, places=1, reservation_minutes=60)) as held:
        away = [at_first_item(held) for _ in range(2)]
        forms = [filled(each.form()) for each in away]
        held.clock.ahead += 3601
        for _ in range(2):
            held.participant()
        full = held.visitor()
        refused = full.post("/consent", agreed(full.consent_form(held.invitation())))
        assert refused.status_code == 403
        for visitor, form in zip(away, forms, strict=True):
            visitor.post("/submit", form)
            assert form_of(visitor.get("/page").text, "/submit") is None
        assert held.rows("SELECT 1 FROM answers") == []


# The database of the essential ones: PostgreSQL.


@pytest.mark.parametrize("attack", ["submit", "id", "sql"])
def test_the_same_on_postgresql(postgres_url: str, tmp_path: Path, attack: str) -> None:
    with serving(small_survey(tmp_path), postgres_url) as held:
        victim, attacker = at_first_item(held), at_first_item(held)
        assert victim.answer().status_code == 303
        before = own_rows(held, victim.id)
        if attack == "submit":
            assert attacker.post("/submit", filled(victim.form())).status_code == 403
        elif attack == "id":
            for name in attacker.client.cookies:
                attacker.client.cookies.set(name, victim.id)
            assert form_of(attacker.get("/page").text, "/submit") is None
        else:
            hostile = "'); DELETE FROM answers; --"
            assert attacker.answer(comment=hostile).status_code == 303
            assert (hostile,) in held.rows("SELECT comment FROM answers WHERE participant = :id", id=attacker.id)
        assert own_rows(held, victim.id) == before


def test_characters_that_postgresql_does_not_keep_break_nothing(postgres_url: str, tmp_path: Path) -> None:
    """PostgreSQL refuses the character zero in texts, and what is no Unicode; SQLite takes both."""
    with serving(small_survey(tmp_path), postgres_url) as held:
        visitor, researcher = at_first_item(held), held.researcher()
        odd = "a\0b\uffff\U0001f600"
        timing = '{"x": "\\u0000 \\ud800"}'
        assert visitor.answer(comment=odd, submission=odd, timing=timing).status_code in {303, 422}
        for path in (
            "/i/%00",
            "/resume/%00",
            "/i/%ED%A0%80",
            "/resume/%ED%A0%80",
            "/consent?invitation=%00&language=en",
        ):
            assert held.visitor().get(path).status_code in {303, 400, 403, 404}, path
        for path in ("/admin/participants/%00", "/admin/participants/%ED%A0%80", "/admin/participants?kind=%00"):
            assert researcher.get(path).status_code in {200, 400, 404}, path
        form = form_of(researcher.get("/admin/invitations").text, "/admin/invitations")
        assert form is not None
        made = researcher.post("/admin/invitations", {**filled(form), "label": odd})
        assert made.status_code in {303, 422}
        out = next(
            each
            for each in forms_of(researcher.get(f"/admin/participants/{visitor.id}").text)
            if each.action.endswith("/exclude")
        )
        assert researcher.post(out.action, {**filled(out), "reason": odd}).status_code in {303, 422}
        assert researcher.get(f"/admin/participants/{visitor.id}").status_code == 200
        guest = held.visitor()
        consent = agreed(guest.consent_form(held.invitation()))
        assert guest.post("/consent", {**consent, "external": odd}).status_code in {303, 403}
