from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.people.pages.browser_stand_in import Browser, Site, open_site


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
