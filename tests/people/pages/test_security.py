from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.routing import Route

from hengliang.people.pages.security import (
    BODY_LIMIT,
    CONTENT_SECURITY_POLICY,
    HEADERS,
    allowed_hosts,
    check_form_token,
    form_token,
)
from tests.people.pages.browser_stand_in import ANSWERS, Site, hidden, open_site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with open_site(tmp_path_factory.mktemp("site")) as opened:
        yield opened


@given(st.binary(min_size=1), st.text(), st.text(), st.text(), st.text())
def test_a_token_is_good_for_one_owner_and_one_purpose(
    secret: bytes, owner: str, purpose: str, other: str, guess: str
) -> None:
    def utf8(text: str) -> str:
        return text.encode(errors="replace").decode()

    owner, purpose, other = utf8(owner), utf8(purpose), utf8(other)
    token = form_token(secret, owner, purpose)
    assert check_form_token(secret, owner, purpose, token)
    assert check_form_token(secret, owner, purpose, guess) == (guess == token)
    if "\0" not in owner + purpose + other:
        assert check_form_token(secret, other, purpose, token) == (other == owner)
        assert check_form_token(secret, owner, other, token) == (other == purpose)


def test_every_response_carries_the_headers(site: Site) -> None:
    async def broken(_: object) -> None:
        raise RuntimeError("on purpose")

    if not any(getattr(route, "path", "") == "/broken" for route in site.app.routes):
        site.app.routes.insert(0, Route("/broken", broken))
    browser = site.participant()
    answers = [
        browser.get("/page"),
        browser.get("/nowhere"),
        browser.get("/static/survey.css?1"),
        browser.get("/health"),
        browser.get("/withdraw"),
        browser.post("/submit", {}),
        browser.send(about_age="1000"),
        browser.get("/page", headers={"host": "evil.example"}),
        browser.request("POST", "/submit", content=b"x" * (BODY_LIMIT + 1)),
        browser.get("/broken"),
        site.browser().get("/nowhere"),
    ]
    assert [each.status_code for each in answers] == [200, 303, 200, 200, 200, 400, 422, 400, 413, 500, 404]
    for answer in answers:
        for name, value in HEADERS:
            assert answer.headers[name.decode()] == value.decode()
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert [each.headers["cache-control"] for each in answers if "static" not in str(each.url)] == ["no-store"] * 10
    assert answers[2].headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 303),
        ({"sec-fetch-site": "same-origin", "origin": "null"}, 303),
        ({"origin": "http://127.0.0.1"}, 303),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "http://127.0.0.1.evil.example"}, 403),
        ({"origin": "http://127.0.0.1", "sec-fetch-site": "cross-site"}, 403),
    ],
)
def test_a_form_from_another_site_is_refused(site: Site, headers: dict[str, str], status: int) -> None:
    browser = site.participant()
    answer = browser.post("/submit", {**hidden(browser.page()), **ANSWERS}, headers=headers)
    assert answer.status_code == status
    assert browser.state[2] == (1 if status == 303 else 0)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("127.0.0.1:8000", 200),
        ("LOCALHOST", 200),
        ("[::1]:80", 200),
        ("evil.example", 400),
        ("127.0.0.1.evil.example", 400),
        ("127.0.0.1@evil.example", 400),
        ("", 400),
    ],
)
def test_only_our_own_host_is_answered_for(site: Site, host: str, status: int) -> None:
    assert site.browser().get("/health", headers={"host": host}).status_code == status


def test_an_address_with_a_character_zero_is_nobody_s(site: Site) -> None:
    assert site.participant().get("/resume/%00").status_code == 400


def test_the_public_host_is_ours() -> None:
    assert "survey.example" in allowed_hosts("https://Survey.example:8443")
    assert "[2001:db8::1]" in allowed_hosts("https://[2001:db8::1]:443")


def test_a_body_that_does_not_say_its_length_has_the_same_limit(site: Site) -> None:
    browser = site.participant()
    before = site.rows("SELECT count(*) FROM answers")

    async def parts(size: int) -> AsyncIterator[bytes]:
        for _ in range(size // 1024):
            yield b"a" * 1024

    form = {"content-type": "application/x-www-form-urlencoded"}
    assert browser.request("POST", "/submit", content=parts(BODY_LIMIT + 1024), headers=form).status_code == 413
    assert browser.request("POST", "/submit", content=parts(BODY_LIMIT), headers=form).status_code == 400
    assert site.rows("SELECT count(*) FROM answers") == before


@pytest.mark.parametrize(("length", "status"), [("-1", 400), ("ten", 400), ("9" * 5000, 413), ("65537", 413)])
def test_a_strange_length_is_refused(site: Site, length: str, status: int) -> None:
    answer = site.browser().request("POST", "/submit", content=b"a=b", headers={"content-length": length})
    assert answer.status_code == status


def test_cookies_are_for_the_server_alone(tmp_path: Path) -> None:
    with open_site(tmp_path, public_url="https://survey.example", secure=True) as site:
        browser = site.browser("https://survey.example")
        answer = browser.agree(site.invitation())
        cookies = answer.headers.get_list("set-cookie")
        assert [cookie.partition("=")[0] for cookie in cookies] == ["__Host-session", "__Host-keep"]
        for cookie in cookies:
            assert {"HttpOnly", "Path=/", "SameSite=lax", "Secure"} <= set(cookie.split("; "))
            assert "Domain" not in cookie


def test_cookies_without_tls_are_still_not_for_scripts(site: Site) -> None:
    answer = site.browser().agree(site.invitation())
    for cookie in answer.headers.get_list("set-cookie"):
        assert "HttpOnly" in cookie
        assert "Secure" not in cookie
