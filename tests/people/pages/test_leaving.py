from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from hengliang.people.pages.rate_limiting import GuessLimit
from tests.people.pages.browser_stand_in import Browser, Clock, Site, open_site


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with open_site(tmp_path_factory.mktemp("site")) as opened:
        yield opened


def code_of(browser: Browser) -> str:
    return str(re.findall(r'id="withdrawal-code">([^<]*)<', browser.page())[0])


def test_the_code_deletes_the_answers_and_leaves_a_tombstone(site: Site) -> None:
    browser, other = site.participant(), site.participant()
    code = code_of(browser)
    id = browser.state[0]
    for each in (browser, other):
        each.send(about_age="40")
        each.go_to("trial")
        each.send(comment="mine")
    answer = browser.post("/withdraw", {"code": code.lower().replace("-", " "), "sure": "yes", "language": "en"})
    assert answer.status_code == 200
    assert "Your answers have been deleted" in answer.text
    assert site.rows("SELECT count(*) FROM answers WHERE participant = :id", id=id) == [(0,)]
    assert site.rows("SELECT count(*) FROM details WHERE participant = :id", id=id) == [(0,)]
    assert site.rows("SELECT status FROM participants WHERE id = :id", id=id) == [("withdrawn",)]
    # Another participant's answers are still there.
    assert site.rows("SELECT count(*) FROM answers") == [(2,)]
    assert browser.get("/page").status_code == 403
    assert "session" not in browser.client.cookies


def test_anybody_with_the_code_can_use_it_long_after_the_end(site: Site) -> None:
    browser = site.participant("zh")
    while "/submit" in browser.page():
        browser.send()
    code = code_of(browser)
    site.clock.now += 100 * 86_400
    answer = site.browser().post("/withdraw", {"code": code, "sure": "yes", "language": "zh"})
    assert "您的回答已删除" in answer.text
    assert site.rows("SELECT count(*) FROM answers") == [(0,)]
    # The browser of the participant still has a cookie, which is nobody's now.
    assert browser.get("/page").status_code == 403


def test_one_has_to_be_sure(site: Site) -> None:
    browser = site.participant()
    answer = browser.post("/withdraw", {"code": code_of(browser), "language": "en"})
    assert answer.status_code == 422
    assert 'href="#field-sure"' in answer.text
    assert f'value="{code_of(browser)}"' in answer.text
    assert browser.state[1] == "active"


@pytest.mark.parametrize("code", ["", "AAAA-AAAA-AAAA", "' OR 1=1 --", '"><script>', "马" * 100])
def test_a_wrong_code_deletes_nothing(site: Site, code: str) -> None:
    browser = site.participant()
    answer = browser.post("/withdraw", {"code": code, "sure": "yes", "language": "en"})
    assert answer.status_code == 422
    assert 'href="#field-code"' in answer.text
    assert "<script>" not in answer.text.replace('<script src="', "")
    assert browser.state[1] == "active"


def test_guessing_is_slowed_down_and_a_right_code_is_not(site: Site) -> None:
    browser = site.participant()
    code = code_of(browser)
    guesses = [site.browser().post("/withdraw", {"code": str(n), "sure": "yes"}).status_code for n in range(12)]
    assert guesses == [422] * 10 + [429] * 2
    site.clock.now += 60
    assert site.browser().post("/withdraw", {"code": code, "sure": "yes"}).status_code == 200


def test_guesses_of_one_household_count_together(site: Site) -> None:
    """A household has a /64 network, and may take another address of it for every guess."""

    def guess(address: str) -> int:
        return site.browser(address=address).post("/withdraw", {"code": "wrong", "sure": "yes"}).status_code

    assert [guess(f"2001:db8:1:2::{n:x}") for n in range(12)] == [422] * 10 + [429] * 2
    assert site.browser(address="2001:db8:1:2:3::4").get("/resume/wrong").status_code == 429
    assert guess("2001:db8:1:3::1") == 422


def test_who_has_the_right_code_is_not_kept_out_by_others_who_guess_elsewhere(site: Site) -> None:
    site.app.state.guesses = GuessLimit(burst_of_all=3, pause_of_all=1.0)
    code, other = code_of(site.participant()), code_of(site.participant())

    def send(address: str, code: str) -> int:
        return site.browser(address=address).post("/withdraw", {"code": code, "sure": "yes"}).status_code

    # Three wrong ones are allowed to all together.
    assert [send(f"203.0.113.{n}", "wrong") for n in range(5)] == [422] * 3 + [429] * 2
    assert send("203.0.113.9", code) == 200
    # Nor does the limit for all suspend the one of an address: ten wrong ones, and then not even the right one.
    assert [send("203.0.113.10", "wrong") for _ in range(10)] == [429] * 10
    assert send("203.0.113.10", other) == 429
    assert send("203.0.113.11", other) == 200


def test_a_clock_that_is_set_back_keeps_nobody_from_the_own_code(tmp_path_factory: pytest.TempPathFactory) -> None:
    with open_site(tmp_path_factory.mktemp("clock"), steady=Clock(100.0)) as site:
        browser = site.participant()
        code = code_of(browser)
        assert site.browser().post("/withdraw", {"code": "wrong", "sure": "yes"}).status_code == 422
        site.clock.now -= 3600
        assert site.browser().post("/withdraw", {"code": code, "sure": "yes"}).status_code == 200
        assert site.browser().get("/resume/wrong").status_code == 404


@pytest.mark.parametrize(
    ("address", "accepted", "title"),
    [
        ("/withdraw", "en-GB,en;q=0.9", "Delete my answers"),
        ("/withdraw", "zh-CN", "删除我的回答"),
        ("/withdraw", "", "删除我的回答"),
        ("/withdraw?language=en", "zh-CN", "Delete my answers"),
        ("/withdraw?language=xx", "en", "Delete my answers"),
    ],
)
def test_the_page_is_in_the_language_that_one_reads(site: Site, address: str, accepted: str, title: str) -> None:
    page = site.browser().get(address, headers={"accept-language": accepted})
    assert f'<h1 id="heading" tabindex="-1">{title}</h1>' in page.text


def test_a_participant_s_own_language_comes_before_the_browser_s(site: Site) -> None:
    page = site.participant("zh").get("/withdraw", headers={"accept-language": "en"})
    assert "删除我的回答</h1>" in page.text
