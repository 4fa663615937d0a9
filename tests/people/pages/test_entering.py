from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from hengliang.people.pages.entering import entry_of
from hengliang.people.storage.facts import close_survey
from hengliang.people.storage.invitations import invitation_of, revoke
from hengliang.people.storage.registration import resume_of, withdrawal_code
from tests.people.pages.browser_stand_in import Site, open_site


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    settings: dict[str, Any] = {
        "contact": "Ling <ling@example.org>",
        "ethics": "E-17",
        "keep_until": "2031",
        "minutes": 20,
    }
    with open_site(tmp_path_factory.mktemp("site"), **settings) as opened:
        yield opened


def people(site: Site) -> int:
    return int(site.rows("SELECT count(*) FROM participants")[0][0])


def test_the_language_is_chosen_in_both_languages_at_once(site: Site) -> None:
    page = site.browser().get(f"/i/{site.invitation()}")
    assert "请选择语言" in page.text
    assert 'lang="en">Please choose a language' in page.text
    assert len(re.findall(r'href="/consent\?language=(?:en|zh)&amp;invitation=', page.text)) == 2
    assert "set-cookie" not in page.headers


def test_consent_says_all_that_one_agrees_to(site: Site) -> None:
    browser = site.browser()
    browser.consent_fields(site.invitation(), "zh")
    page = browser.get(f"/consent?language=zh&invitation={site.invitation()}").text
    assert '<html lang="zh-Hans">' in page
    for part in (
        "诚邀您参加",
        "Ling &lt;ling@example.org&gt;",
        "E-17",
        "2031",
        "约 20 分钟",
        "我已年满 18 周岁",
        "<dd>1</dd>",
    ):
        assert part in page


def test_who_agrees_is_kept_with_the_text_and_the_language(site: Site) -> None:
    browser = site.browser()
    browser.agree(site.invitation(), "zh", "PROLIFIC_PID=abc&STUDY_ID=s&SESSION_ID=t")
    kept = site.rows("SELECT language, consent, external, kind, consented FROM participants")
    assert kept == [("zh", site.survey.settings.consent_seal, "abc", "real", site.clock.now)]


def test_nothing_is_stored_of_who_declines(site: Site) -> None:
    browser = site.browser()
    fields = browser.consent_fields(site.invitation(), "en", "PROLIFIC_PID=abc")
    before = site.rows("SELECT count(*) FROM events")
    answer = browser.post("/consent", {**fields, "decision": "decline"})
    assert answer.status_code == 200
    assert "Nothing about you has been stored" in answer.text
    assert people(site) == 0
    assert site.rows("SELECT count(*) FROM sessions") == [(0,)]
    assert site.rows("SELECT count(*) FROM events") == before
    assert "visit" not in browser.client.cookies


def test_one_confirms_one_s_age(site: Site) -> None:
    browser = site.browser()
    fields = browser.consent_fields(site.invitation())
    del fields["of-age"]
    answer = browser.post("/consent", fields)
    assert answer.status_code == 422
    assert 'href="#field-of-age"' in answer.text
    assert people(site) == 0


def test_who_forgets_the_age_is_told_by_the_page_in_the_language_of_the_page(site: Site) -> None:
    browser = site.browser()
    fields = browser.consent_fields(site.invitation(), "zh")
    # A browser would say it in its own language, whatever language the page has.
    page = browser.get(f"/consent?language=zh&invitation={fields['invitation']}").text
    assert re.search(r'<form [^>]*action="/consent"[^>]* novalidate', page)
    answer = browser.post("/consent", {**fields, "of-age": ""})
    assert (answer.status_code, "只有年满 18 周岁的人才能参加" in answer.text) == (422, True)


def test_a_text_that_has_changed_is_shown_again(site: Site) -> None:
    browser = site.browser()
    answer = browser.post("/consent", {**browser.consent_fields(site.invitation()), "seal": "0:another"})
    assert answer.status_code == 409
    assert "The text was changed" in answer.text
    assert people(site) == 0


def test_a_consent_form_belongs_to_its_browser(site: Site) -> None:
    fields = site.browser().consent_fields(site.invitation())
    other = site.browser()
    assert other.post("/consent", fields).status_code == 403
    other.consent_fields(site.invitation())
    assert other.post("/consent", fields).status_code == 403
    assert other.post("/consent", {**other.consent_fields(site.invitation()), "token": "x"}).status_code == 403
    assert people(site) == 0


def test_agreeing_twice_makes_one_participant(site: Site) -> None:
    browser = site.browser()
    fields = browser.consent_fields(site.invitation())
    first = browser.post("/consent", fields)
    again = browser.post("/consent", fields)
    assert (first.status_code, again.status_code, people(site)) == (303, 303, 1)
    assert first.headers.get_list("set-cookie") == again.headers.get_list("set-cookie")


def test_a_cookie_that_was_planted_before_consent_is_worth_nothing_after_it(site: Site) -> None:
    planted = "planted-by-a-stranger-00000000000000000000"
    victim, stranger = site.browser(), site.browser()
    for browser in (victim, stranger):
        browser.client.cookies.set("visit", planted, "127.0.0.1")
    token = site.invitation()
    fields = victim.consent_fields(token)
    assert victim.client.cookies["visit"] == planted
    assert victim.post("/consent", fields).status_code == 303
    # As the session, as the source of the link to go on with and of the code that deletes, and as a consent.
    stranger.client.cookies.set("session", planted, "127.0.0.1")
    assert stranger.get("/page").status_code == 403
    resume = resume_of(planted)
    assert site.browser().get(f"/resume/{resume}").status_code == 404
    withdrawn = stranger.post("/withdraw", {"code": withdrawal_code(resume), "sure": "yes"})
    assert (withdrawn.status_code, victim.state[1]) == (422, "active")
    del stranger.client.cookies["session"]
    assert stranger.post("/consent", stranger.consent_fields(token)).status_code == 303
    assert stranger.state[0] != victim.state[0]


def test_agreeing_in_two_tabs_makes_one_participant(site: Site) -> None:
    browser = site.browser()
    token = site.invitation()
    tabs = [browser.consent_fields(token) for _ in range(2)]
    first, second = (browser.post("/consent", fields) for fields in tabs)
    assert (first.headers["location"], second.headers["location"], people(site)) == ("/page", "/page", 1)


def test_a_consent_form_without_its_own_number_is_refused(site: Site) -> None:
    browser = site.browser()
    fields = browser.consent_fields(site.invitation())
    for given in ("", "x"):
        assert browser.post("/consent", {**fields, "submission": given}).status_code == 403
    assert people(site) == 0


@pytest.mark.parametrize("language", ["", "fr", "en'"])
def test_only_our_languages_can_be_chosen(site: Site, language: str) -> None:
    browser = site.browser()
    fields = {**browser.consent_fields(site.invitation()), "language": language}
    assert browser.post("/consent", fields).status_code == 403
    answer = browser.get(f"/consent?language={language}&invitation={site.invitation()}")
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/i/")


def test_reopening_the_invitation_leads_to_the_current_page(site: Site) -> None:
    browser = site.browser()
    token = site.invitation()
    browser.agree(token, "en", "participant=7")
    for address in (f"/i/{token}", f"/i/{token}?participant=7", f"/consent?language=zh&invitation={token}"):
        answer = browser.get(address)
        assert (answer.status_code, answer.headers["location"]) == (303, "/page")


def test_another_person_at_the_same_computer_begins_anew(site: Site) -> None:
    browser = site.browser()
    token = site.invitation()
    browser.agree(token, "en", "participant=7")
    first = browser.state[0]
    fields = browser.consent_fields(token, "zh", "participant=8")
    # Until the second agrees, the browser is still the first one's.
    assert browser.state[0] == first
    browser.post("/consent", fields)
    assert browser.state[0] != first
    assert sorted(site.rows("SELECT external FROM participants")) == [("7",), ("8",)]


def test_who_cannot_come_in_is_told_why(site: Site) -> None:
    once = site.invitation(uses=1)
    site.browser().agree(once)
    assert "already been used" in site.browser().get(f"/i/{once}").text
    revoked = site.invitation()
    found = site.database.read(invitation_of, revoked).result()
    assert found is not None
    late = site.browser()
    fields = late.consent_fields(revoked)
    site.database.write(revoke, found.id, site.clock.now).result()
    assert "withdrawn by the researchers" in late.post("/consent", fields).text
    assert site.browser().get(f"/i/{revoked}").status_code == 403
    assert site.browser().get("/i/unknown").status_code == 403
    assert site.browser().get("/consent?language=en").status_code == 403
    token = site.invitation()
    site.database.write(close_survey, site.clock.now).result()
    answer = site.browser().get(f"/i/{token}")
    assert (answer.status_code, "no new participants" in answer.text) == (403, True)


def test_a_panel_s_person_takes_part_once(site: Site) -> None:
    token = site.invitation()
    site.browser().agree(token, "en", "PROLIFIC_PID=abc")
    answer = site.browser().agree(token, "en", "PROLIFIC_PID=abc")
    assert (answer.status_code, "has begun already" in answer.text, people(site)) == (403, True, 1)


def test_panels_ids() -> None:
    assert entry_of({"PROLIFIC_PID": " a1 "}, "i").external == "a1"
    assert entry_of({"participant": "7", "external": "8"}, "i").external == "7"
    assert entry_of({"external": "8"}, "i").external == "8"
    # What a panel did not fill in, and what is no id, is none.
    assert entry_of({"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}, "i").external == ""
    assert entry_of({"PROLIFIC_PID": "a" * 129}, "i").external == ""
    assert entry_of({"PROLIFIC_PID": "a\nb"}, "i").external == ""


def test_going_on_on_another_device(site: Site) -> None:
    browser = site.participant("zh")
    page = browser.go_to("instructions")
    link = unescape(re.findall(r'href="([^"]*/resume/[^"]*)"', page)[0])
    code = re.findall(r'id="withdrawal-code">([^<]*)<', page)[0]
    assert link.startswith("http://127.0.0.1/resume/")
    assert withdrawal_code(link.rpartition("/")[2]) == code
    phone = site.browser()
    answer = phone.get(link)
    assert (answer.status_code, answer.headers["location"]) == (303, "/page")
    assert phone.state == browser.state
    assert phone.client.cookies["session"] != browser.client.cookies["session"]
    assert code in phone.page()
    phone.send()
    assert browser.state[2] == 2
    # On a device that is already theirs nothing new is made.
    sessions = site.rows("SELECT count(*) FROM sessions")
    assert phone.get(link).status_code == 303
    assert site.rows("SELECT count(*) FROM sessions") == sessions


def test_guessing_links_is_slowed_down(site: Site) -> None:
    browser = site.browser()
    statuses = [browser.get(f"/resume/guess-{number}").status_code for number in range(12)]
    assert statuses == [404] * 10 + [429] * 2
    site.clock.now += 60
    assert browser.get("/resume/guess").status_code == 404


def test_a_token_is_never_in_what_the_database_keeps(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        token = site.invitation()
        browser = site.browser()
        browser.agree(token)
        browser.send()
        secrets = [token, *browser.client.cookies.values()]
        folder = site.survey.folder
        held = b"".join(file.read_bytes() for file in folder.glob("survey.sqlite*"))
        assert len(secrets) == 4
        assert not any(secret.encode() in held for secret in secrets)
