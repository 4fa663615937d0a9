from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.people.pages.courses import Openings
from hengliang.people.storage.endings import exclude, expire
from tests.people.pages.browser_stand_in import ANSWERS, Browser, Clock, Site, hidden, open_site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with open_site(tmp_path_factory.mktemp("site")) as opened:
        yield opened


def answers_of(site: Site, browser: Browser) -> list[tuple[object, ...]]:
    query = "SELECT about, scale, value, submission FROM answers WHERE participant = :id ORDER BY id"
    return site.rows(query, id=browser.state[0])


def test_a_page_that_is_sent_twice_changes_nothing(site: Site) -> None:
    browser = site.participant()
    browser.go_to("trial")
    browser.send()
    sent, stored, step = dict(browser.sent), answers_of(site, browser), browser.state[2]
    for changed in ({}, {"answer-clarity": "1"}, {"submission": "another"}, {"answer-clarity": ""}):
        answer = browser.post("/submit", {**sent, **changed})
        assert (answer.status_code, answer.headers["location"]) == (303, "/page")
    assert answers_of(site, browser) == stored
    assert browser.state[2] == step


def test_two_tabs_show_the_same_page_and_the_first_answer_counts(site: Site) -> None:
    browser = site.participant()
    first, second = hidden(browser.go_to("trial")), hidden(browser.page())
    assert first["submission"] != second["submission"]
    browser.post("/submit", {**first, **ANSWERS})
    browser.post("/submit", {**second, "answer-clarity": "1", "answer-fluency": "1"})
    stored = answers_of(site, browser)
    assert [row[2:] for row in stored] == [(6.0, first["submission"]), (2.0, first["submission"])]


def test_steps_cannot_be_forged(site: Site) -> None:
    browser = site.participant()
    fields = {**hidden(browser.page()), **ANSWERS}
    state = browser.state
    for step in ("1", "3", "999999999"):
        # The token is for one step only.
        assert browser.post("/submit", {**fields, "step": step}).status_code == 403
    for step in ("-1", "x", "", "1e3"):
        assert browser.post("/submit", {**fields, "step": step}).status_code == 400
    assert browser.state == state
    assert answers_of(site, browser) == []


def test_the_form_of_another_participant_is_refused(site: Site) -> None:
    one, other = site.participant(), site.participant()
    fields = {**hidden(one.page()), **ANSWERS}
    assert other.post("/submit", fields).status_code == 403
    assert (one.state[2], other.state[2]) == (0, 0)
    assert site.browser().post("/submit", fields).status_code == 403
    assert one.post("/submit", {**fields, "token": ""}).status_code == 403


@pytest.mark.parametrize("session", ["", "a", "a" * 43, "' OR 1=1 --", "../../etc", "\x7f" * 43])
def test_a_guessed_session_is_nobody_s(site: Site, session: str) -> None:
    browser = site.browser()
    answer = browser.get("/page", headers={"cookie": f"session={session}"})
    assert answer.status_code == 403
    assert "invitation link" in answer.text
    assert "data-step" not in answer.text


def test_a_form_with_problems_comes_back_whole(site: Site) -> None:
    browser = site.participant("en")
    browser.go_to("trial")
    state = browser.state
    answer = browser.send(answer_clarity="3", answer_fluency="", comment='</textarea><script>alert("x")</script>')
    assert answer.status_code == 422
    assert '<section class="problems" id="problems" tabindex="-1"' in answer.text
    told = "This sentence was written by a native speaker. – Please answer this question."
    assert f'<a href="#field-answer-fluency">{told}</a>' in answer.text
    assert 'id="field-answer-fluency"' in answer.text
    assert 'name="answer-clarity" value="3" checked' in answer.text
    assert "<script>alert" not in answer.text
    assert "&lt;/textarea&gt;&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;</textarea>" in answer.text
    assert hidden(answer.text)["submission"] == browser.sent["submission"]
    assert browser.state == state
    mended = {**hidden(answer.text), **ANSWERS, "comment": "<b>"}
    assert browser.post("/submit", mended).status_code == 303
    assert browser.state[2] == state[2] + 1
    query = "SELECT comment FROM answers WHERE participant = :id ORDER BY id"
    assert site.rows(query, id=browser.state[0]) == [("<b>",), ("",)]


def test_who_did_not_understand_goes_on(site: Site) -> None:
    browser = site.participant()
    browser.go_to("trial")
    browser.send(not_understood="yes", answer_clarity="", answer_fluency="")
    query = "SELECT value, status, reason FROM answers WHERE participant = :id"
    assert site.rows(query, id=browser.state[0]) == [(None, "missing", "not understood")] * 2


@pytest.mark.parametrize("address", ["/", "/nowhere", "/submit", "/page/1", "/i", "/static/none", "/admin/../x"])
def test_any_other_address_leads_to_the_current_page(site: Site, address: str) -> None:
    answer = site.participant().get(address)
    assert (answer.status_code, answer.headers["location"]) == (303, "/page")
    assert site.browser().get(address).status_code == 404


def test_health(site: Site) -> None:
    answer = site.browser().get("/health")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_markup_in_a_stimulus_is_text(tmp_path: Path) -> None:
    evil = ("<img src=x onerror=alert(1)>{}&amp;", ("<b>", "'\""))
    with open_site(tmp_path, versions=1, sentences={"one": evil, "two": evil}) as site:
        page = site.participant().go_to("trial")
        assert "<img" not in page
        assert "<b>" not in page
        assert "&lt;img src=x onerror=alert(1)&gt;" in page
        assert "&amp;amp;" in page


def test_who_was_away_gets_a_place_again_if_there_is_one(tmp_path: Path) -> None:
    with open_site(tmp_path, places=1, versions=1, reservation_minutes=10) as site:
        first = site.participant()
        first.go_to("trial")
        site.clock.now += 3600
        site.database.write(expire, site.clock.now).result()
        assert first.state[1] == "expired"
        assert 'data-kind="trial"' in first.page()
        assert first.state[1] == "active"
        site.clock.now += 3600
        # The one place of the list is free again, and somebody else takes it.
        second = site.participant()
        ended = first.page()
        assert "Your place was given away" in ended
        assert 'id="withdrawal-code"' in ended
        assert "/submit" not in ended
        assert second.state[1] == "active"


def test_who_is_excluded_cannot_go_on(site: Site) -> None:
    browser = site.participant("zh")
    fields = {**hidden(browser.page()), **ANSWERS}
    site.database.write(exclude, browser.state[0], "for a test", site.clock.now).result()
    assert browser.post("/submit", fields).status_code == 303
    page = browser.page()
    assert "您已无法继续参加" in page
    assert "for a test" not in page
    assert browser.state[1:] == ("excluded", 0)


def test_a_preview_says_that_it_is_one(site: Site) -> None:
    assert "Preview" in site.participant("en", kind="preview").page()
    assert "Preview" not in site.participant("en").page()


@settings(max_examples=60)
@given(st.dictionaries(st.text(max_size=20), st.text(max_size=40), max_size=8))
def test_whatever_is_sent_never_breaks_a_page(site: Site, fields: dict[str, str]) -> None:
    clean = {
        name.encode(errors="ignore").decode(): value.encode(errors="ignore").decode() for name, value in fields.items()
    }
    browser = _wanderer(site)
    answer = browser.post("/submit", {**hidden(browser.page()), **clean})
    assert answer.status_code in (303, 400, 403, 422)
    assert browser.get("/page").status_code == 200


_wanderers: dict[int, Browser] = {}


def _wanderer(site: Site) -> Browser:
    browser = _wanderers.get(id(site))
    if browser is None or browser.state[1] == "finished":
        browser = _wanderers[id(site)] = site.participant()
    return browser


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Site]:
    with open_site(tmp_path) as opened:
        yield opened


def test_health_on_a_disk_that_takes_nothing_more_names_the_reason(asked: Site) -> None:
    browser = asked.browser()
    assert browser.get("/health").json() == {"status": "ok"}
    asked.clock.now += 10
    log = asked.survey.folder / "survey.sqlite-wal"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # No file of this process may grow beyond what the write-ahead log has: to SQLite as a disk that is full.
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size, hard))
    try:
        full = browser.get("/health")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (full.status_code, full.headers["retry-after"]) == (503, "5")
    assert full.json() == {"status": "failing", "reason": "database: nothing can be written"}
    # Remembered for a few seconds, so that nobody makes the disk busy by asking.
    assert browser.get("/health").status_code == 503
    asked.clock.now += 5
    assert browser.get("/health").status_code == 200


def test_health_tells_before_the_disk_is_full(asked: Site) -> None:
    # No disk has 2⁶² bytes free.
    asked.app.state.health.least_free = 2**62
    answer = asked.browser().get("/health")
    assert answer.status_code == 503 and answer.json()["reason"].startswith("disk space: ")


def test_health_without_a_database(asked: Site) -> None:
    asked.database.close()
    assert asked.browser().get("/health").json() == {"status": "failing", "reason": "database: nothing can be written"}


def test_a_consent_that_is_sent_again_leaves_the_time_on_the_page(tmp_path: Path) -> None:
    with open_site(tmp_path, steady=Clock(100.0), demographics=()) as site:
        browser = site.participant()
        consent = browser.sent
        browser.go_to("trial")
        site.steady.now += 30
        assert browser.post("/consent", consent).status_code == 303
        site.steady.now += 12
        # The other clock cannot help.
        site.clock.now -= 3600
        browser.send()
        assert site.rows("SELECT DISTINCT seconds FROM answers") == [(30.0 + 12.0,)]


def test_a_clock_that_is_set_back_makes_no_time_on_a_page_0(tmp_path: Path) -> None:
    with open_site(tmp_path, steady=Clock(100.0), demographics=()) as site:
        browser = site.participant()
        browser.go_to("trial")
        site.steady.now += 50
        site.clock.now -= 3600
        browser.send(seconds="45.2")
        # Without a script the server measures, by the clock that nobody set.
        site.steady.now += 20
        browser.send()
        # After a restart it remembers only what time it was; the browser knows.
        site.app.state.openings = Openings()
        site.clock.now -= 3600
        browser.send(seconds="7.5")
        site.app.state.openings = Openings()
        site.clock.now -= 3600
        browser.send()
        taken = [seconds for (seconds,) in site.rows("SELECT seconds FROM answers ORDER BY id")]
    # Two scales a page; the last page's time nobody knows.
    assert taken == [45.2, 45.2, 20.0, 20.0, 7.5, 7.5, None, None]
