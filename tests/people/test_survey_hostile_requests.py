"""What does a served survey do with requests that no browser would send?

Bodies, addresses, headers and methods of somebody who tries things: nothing is stored, nobody else waits, and the
answer is a page with the same headers as every other.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from hengliang import UserError
from hengliang.core import Language
from hengliang.people.bots.page_reading import form_of
from hengliang.people.pages.addresses import Address
from hengliang.people.tasks.base import Screen, Stimulus
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import Served, agreed, filled, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(small_survey(tmp_path_factory.mktemp("survey"))) as held:
        yield held


POLICY = {"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"}


def faults_of(headers: httpx.Headers) -> list[str]:
    """Return what is wrong with the headers of a page."""
    policy = {part.strip() for part in headers.get("content-security-policy", "").split(";")}
    wanted = {
        "x-content-type-options": {"nosniff"},
        "referrer-policy": {"no-referrer", "same-origin"},
        "cross-origin-opener-policy": {"same-origin"},
        "cache-control": {"no-store"},
    }
    faults = [f"policy lacks {part}" for part in POLICY - policy]
    faults += [f"policy has {part}" for part in policy if "unsafe" in part or "*" in part or "http" in part]
    faults += [f"{name}: {headers.get(name)}" for name, valid in wanted.items() if headers.get(name) not in valid]
    if len(headers.get_list("content-security-policy")) != 1:
        faults.append("not one policy")
    if "server" in headers or "x-powered-by" in headers:
        faults.append("tells what it runs on")
    if "access-control-allow-origin" in headers:
        faults.append("lets other sites read")
    return faults


def test_every_answer_has_the_headers(served: Served) -> None:
    visitor = served.participant()
    researcher = served.researcher()
    form = visitor.until("answer-clarity")
    blank = {name: value for name, value in filled(form).items() if not name.startswith("answer-")}
    answers = {
        "page": visitor.get("/page"),
        "start": served.visitor().get("/"),
        "invitation": served.visitor().get(f"/i/{served.invitation()}"),
        "wrong invitation": served.visitor().get("/i/" + "x" * 43),
        "withdraw": visitor.get("/withdraw"),
        "health": visitor.get("/health"),
        "not found": visitor.get("/nothing-here"),
        "wrong method": visitor.client.delete("/page"),
        "other site": visitor.post("/submit", filled(form), **{"Sec-Fetch-Site": "cross-site"}),
        "wrong token": visitor.post("/submit", {**filled(form), "token": ""}),
        "not answered": visitor.post("/submit", blank),
        "too large": visitor.post("/submit", {"comment": "x" * 70_000}),
        "wrong host": visitor.get("/page", headers={"Host": "evil.example"}),
        "submit": visitor.post("/submit", filled(form)),
        "no access": served.visitor().get("/admin"),
        "overview": researcher.get("/admin"),
        "researcher, not found": researcher.get("/admin/nothing-here"),
    }
    statuses = {name: answer.status_code for name, answer in answers.items()}
    assert {name: found for name, answer in answers.items() if (found := faults_of(answer.headers))} == {}
    expected = {
        "page": 200,
        "too large": 413,
        "not answered": 422,
        "other site": 403,
        "wrong token": 403,
        "submit": 303,
    }
    assert {name: statuses[name] for name in expected} == expected
    assert statuses["wrong host"] == 400
    assert statuses["overview"] == 200
    assert statuses["wrong method"] in {303, 404, 405}


def test_styles_and_scripts_have_the_headers_too(served: Served) -> None:
    from hengliang.people.pages.rendering import STATIC

    files = [file for file in STATIC.rglob("*") if file.is_file()]
    assert files
    for file in files:
        answer = served.visitor().get(f"/static/{file.relative_to(STATIC).as_posix()}")
        assert answer.status_code == 200, file
        assert [fault for fault in faults_of(answer.headers) if not fault.startswith("cache-control")] == []


def test_without_tls_cookies_are_kept_from_scripts_and_other_sites(served: Served) -> None:
    visitor = served.visitor()
    answer = visitor.post("/consent", agreed(visitor.consent_form(served.invitation())))
    said = [cookie.lower() for cookie in answer.headers.get_list("set-cookie")]
    assert said
    assert all("httponly" in cookie and "samesite=lax" in cookie and "path=/" in cookie for cookie in said)
    assert not any("domain=" in cookie for cookie in said)
    assert "strict-transport-security" not in answer.headers


def test_with_tls_cookies_are_secure_and_browsers_insist(tmp_path: Path) -> None:
    """The test stands where the proxy would: it speaks plainly to us, under the public name."""
    behind = Address(port=0, behind_proxy="https://survey.example.org")
    with serving(small_survey(tmp_path), address=behind) as held:
        visitor = held.visitor()
        visitor.client.headers["Host"] = "survey.example.org"
        page = visitor.get(f"/consent?language=en&invitation={held.invitation()}")
        assert "max-age=" in page.headers["strict-transport-security"]
        said = page.headers.get_list("set-cookie")
        form = form_of(page.text, "/consent")
        assert form is not None
        # The client itself keeps a secure cookie to itself over plain HTTP, as it should.
        visitor.client.headers["Cookie"] = said[0].partition(";")[0]
        answer = visitor.post("/consent", agreed(form), Origin="https://survey.example.org")
        assert answer.status_code == 303
        said += answer.headers.get_list("set-cookie")
        assert len(said) >= 2
        for cookie in said:
            parts = [part.strip().lower() for part in cookie.split(";")]
            assert parts[0].startswith("__host-")
            assert {"secure", "httponly", "path=/", "samesite=lax"} <= set(parts)
        assert answer.headers["location"] == "/page"


# Sizes.


def test_an_oversized_body_without_a_length_is_cut_off(served: Served) -> None:
    """Chunked: 64 kB are read at most, whatever comes; here 8 MB are offered."""
    visitor = served.participant()
    before = served.dump()
    parts = (b"comment=" + b"x" * 65_536 for _ in range(128))
    try:
        answer = visitor.client.post(
            "/submit", content=parts, headers={"Content-Type": "application/x-www-form-urlencoded"}
        )
        assert answer.status_code == 413
    except (httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError):
        pass  # The server may hang up before all is sent.
    assert served.dump() == before
    assert visitor.get("/page").status_code == 200


@pytest.mark.parametrize("length", ["99999999999999999999", "-1", "abc", "6.5", ""])
def test_a_wrong_length_is_refused(served: Served, length: str) -> None:
    status = raw(served, f"POST /submit HTTP/1.1\r\nHost: {host(served)}\r\nContent-Length: {length}\r\n\r\nx=1")
    assert status in {400, 403, 411, 413}


def test_two_lengths_or_a_length_and_chunks_are_refused(served: Served) -> None:
    """Request smuggling: a proxy and we must not disagree about where a request ends."""
    head = f"POST /submit HTTP/1.1\r\nHost: {host(served)}\r\n"
    assert raw(served, head + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nx=1") in {400, 403, 413}
    both = head + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    assert raw(served, both) in {400, 403, 413}


def test_thousands_of_fields_are_refused(served: Served) -> None:
    visitor = served.participant()
    before = served.dump()
    many = {f"f{number}": "" for number in range(5000)}
    answer = visitor.post("/submit", {**filled(visitor.form()), **many})
    assert answer.status_code in {400, 413}
    assert served.dump() == before


@pytest.mark.parametrize("path", ["/page?x=" + "y" * 60_000, "/i/" + "a" * 60_000, "/" + "b/" * 20_000])
def test_a_very_long_address_is_answered_shortly(served: Served, path: str) -> None:
    answer = served.visitor().get(path)
    assert answer.status_code in {200, 303, 307, 400, 403, 404, 414, 429}
    assert len(answer.content) < 20_000
    served.clock.ahead += 60


def test_long_headers_and_cookies_are_refused_or_ignored(served: Served) -> None:
    visitor = served.visitor()
    for headers in ({"Cookie": "session=" + "x" * 30_000}, {"X-Long": "y" * 30_000}, {"Accept-Language": "z," * 9000}):
        # The server may hang up on them.
        with contextlib.suppress(httpx.ReadError, httpx.RemoteProtocolError):
            assert visitor.get("/page", headers=headers).status_code in {200, 303, 400, 403, 431}
    assert visitor.get("/health").status_code == 200


def test_a_long_comment_is_refused_in_words_and_kept_in_the_form(served: Served) -> None:
    visitor = served.participant()
    visitor.until("comment")
    before = served.dump()
    answer = visitor.answer(comment="长" * 6000)
    assert answer.status_code in {413, 422}
    assert served.dump()["answers"] == before["answers"]


# Characters.


@pytest.mark.parametrize(
    "bytes_",
    [b"\xff\xfe", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80"],
    ids=["invalid", "surrogate", "overlong", "beyond"],
)
@pytest.mark.parametrize("quoted", [True, False])
def test_bytes_that_are_not_utf_8_are_refused(served: Served, bytes_: bytes, quoted: bool) -> None:
    visitor = served.participant()
    visitor.until("comment")
    before = served.dump()
    sent = httpx.QueryParams(filled(visitor.form()))
    value = "".join(f"%{byte:02X}" for byte in bytes_).encode() if quoted else bytes_
    body = str(sent).encode().replace(b"comment=", b"comment=" + value)
    answer = visitor.client.post("/submit", content=body, headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert answer.status_code in {400, 422}
    assert served.dump() == before


def test_a_nul_and_other_control_characters_do_not_break_the_page(served: Served) -> None:
    visitor = served.participant()
    visitor.until("comment")
    answer = visitor.answer(comment="a\0b\x1b[31mc\u202ed\u0007")
    assert answer.status_code in {303, 422}
    stored = served.rows("SELECT comment FROM answers WHERE participant = :id", id=visitor.id)
    assert all("\0" not in comment for (comment,) in stored)
    assert served.researcher().get(f"/admin/participants/{visitor.id}").status_code == 200


@pytest.mark.parametrize("external", ["a\r\nSet-Cookie: x=1", "a\nb", "a\0b", "\u2028", "x" * 500, "../../etc/passwd"])
def test_an_external_id_cannot_write_headers(tmp_path: Path, external: str) -> None:
    """The id stands in the address that the last page leads to; a line break in it must not begin a header."""
    survey = small_survey(tmp_path, completion_url="https://panel.example/done?who={external}", demographics=())
    with serving(survey) as held:
        visitor = held.visitor()
        answer = visitor.get(f"/i/{held.invitation()}", params={"PROLIFIC_PID": external})
        assert "x" not in {cookie.name for cookie in visitor.client.cookies.jar}
        if answer.status_code == 200:
            form = agreed(visitor.consent_form(held.invitation(), external=external))
            given = visitor.post("/consent", form)
            assert given.status_code in {303, 400, 403, 422}
            if given.status_code == 303:
                last = visitor.finish()
                link = re.search(r'href="(https://panel[^"]*)"', last)
                assert link is not None
                # One parameter and nothing else, whatever the id holds.
                assert re.fullmatch(r"https://panel\.example/done\?who=[A-Za-z0-9._~%-]*", link[1])
        names = {name for cookie in visitor.client.cookies.jar for name in [cookie.name]}
        assert "x" not in names


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "data:text/html,x", "//evil.example", "ftp://x", "https:///x", "x\r\nY: z", "/page"],
)
def test_a_completion_address_is_an_address_of_the_web(tmp_path: Path, address: str) -> None:
    with pytest.raises(UserError, match=r"completion_url|survey\.toml"):
        small_survey(tmp_path, completion_url=address)


# Addresses and methods.


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static/%2e%2e%2f%2e%2e%2fserving.py",
        "/static/....//app.py",
        "/static/..\\app.py",
        "/static//etc/passwd",
        "/static/%00",
        "/static/",
        "/static/../templates/base.html",
        "/static/__init__.py",
        "//evil.example/page",
        "/survey.sqlite",
        "/survey.toml",
    ],
)
def test_no_file_but_styles_and_scripts_is_given_out(served: Served, path: str) -> None:
    status, body = whole(served, f"GET {path} HTTP/1.1\r\nHost: {host(served)}\r\nConnection: close\r\n\r\n")
    assert status in {303, 307, 400, 403, 404}
    assert b"import" not in body
    assert b"root:" not in body
    assert b"{%" not in body
    assert b"location: //" not in body.lower()


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "CONNECT", "PROPFIND"])
@pytest.mark.parametrize("path", ["/", "/page", "/submit", "/consent", "/withdraw", "/admin", "/health", "/static/x"])
def test_other_methods_do_nothing(served: Served, method: str, path: str) -> None:
    before = served.dump()
    status = raw(served, f"{method} {path} HTTP/1.1\r\nHost: {host(served)}\r\nConnection: close\r\n\r\n")
    assert status in {303, 400, 403, 404, 405}
    assert served.dump() == before


@pytest.mark.parametrize(
    "name", ["evil.example", "127.0.0.1.evil.example", "evil.example:80", "", "a b", "127.0.0.1@evil.example"]
)
def test_a_foreign_host_is_never_repeated(served: Served, name: str) -> None:
    token = served.invitation()
    head = f"GET /i/{token} HTTP/1.1\r\nHost: {name}\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n"
    status, body = whole(served, head)
    assert status == 400
    assert b"evil" not in body


def test_what_a_proxy_says_is_believed_of_a_stated_proxy_only(served: Served) -> None:
    forwarded = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "Forwarded": "host=evil.example"}
    visitor = served.participant()
    for path in ("/", "/page", f"/i/{served.invitation()}"):
        page = visitor.get(path, headers=forwarded)
        assert "evil.example" not in page.text + str(page.headers)


@pytest.mark.parametrize("body", ["", "{}", "--x\r\nContent-Disposition: form-data; name=a\r\n\r\nb\r\n--x--"])
@pytest.mark.parametrize(
    "kind", ["application/json", "multipart/form-data; boundary=x", "text/plain", "", "a/b; charset=☃"]
)
def test_what_is_no_form_is_refused(served: Served, kind: str, body: str) -> None:
    visitor = served.participant()
    before = served.dump()
    for path in ("/submit", "/consent", "/withdraw"):
        answer = visitor.client.post(path, content=body.encode(), headers={b"Content-Type": kind.encode()})
        assert answer.status_code in {303, 400, 403, 415, 422}
    assert served.dump() == before


# Faults of our own.


@dataclass(frozen=True)
class Broken:
    """A task that fails when it is shown, whatever else it does as the task it stands for does."""

    task: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.task, name)

    def shown(self, stimulus: Stimulus, screen: Screen, language: Language, number: int) -> dict[str, Any]:
        raise RuntimeError("the-inner-secret")


def test_a_fault_shows_a_sentence_and_no_traceback(tmp_path: Path) -> None:
    whole_survey = small_survey(tmp_path, demographics=())
    task: Any = Broken(whole_survey.task)
    broken = replace(whole_survey, task=task)
    with serving(broken) as held:
        visitor = held.participant()
        answer = visitor.get("/page")
        for _ in range(3):
            if answer.status_code == 500:
                break
            visitor.answer()
            answer = visitor.get("/page")
        assert answer.status_code == 500
        assert faults_of(answer.headers) == []
        assert not any(word in answer.text for word in ("Traceback", "RuntimeError", "the-inner-secret", ".py"))
        assert "<html" in answer.text


def test_a_database_that_is_away_is_said_so(tmp_path: Path) -> None:
    with serving(small_survey(tmp_path)) as held:
        visitor = held.participant()
        form = filled(visitor.form())
        held.database.close()
        for answer in (visitor.get("/page"), visitor.post("/submit", form)):
            assert answer.status_code == 503
            assert faults_of(answer.headers) == []
            assert str(tmp_path) not in answer.text
            assert "sqlite" not in answer.text.lower()


def test_a_slow_sender_keeps_nobody_waiting(served: Served) -> None:
    """Forty connections that have sent half a request: the others are answered."""
    name = host(served)
    half = [socket.create_connection(("127.0.0.1", int(name.rpartition(":")[2]))) for _ in range(40)]
    try:
        for each in half:
            each.sendall(f"POST /submit HTTP/1.1\r\nHost: {name}\r\nContent-Length: 1000\r\n\r\nx=".encode())
        assert served.participant().get("/page").status_code == 200
    finally:
        for each in half:
            each.close()


# Raw HTTP, which libraries refuse to send.


def host(served: Served) -> str:
    return served.url.removeprefix("http://")


def raw(served: Served, request: str) -> int:
    """Send bytes and return the status of the answer."""
    return whole(served, request)[0]


def whole(served: Served, request: str) -> tuple[int, bytes]:
    """Send bytes and return the status of the answer, and its head and body together."""
    with socket.create_connection(("127.0.0.1", int(host(served).rpartition(":")[2])), timeout=10) as held:
        held.sendall(request.encode("utf-8", "surrogatepass"))
        held.shutdown(socket.SHUT_WR)
        parts = list(itertools.takewhile(bool, iter(lambda: held.recv(65_536), None)))
    answer = b"".join(parts)
    if not answer:
        raise http.client.RemoteDisconnected("no answer")
    return int(answer.split(b" ", 2)[1]), answer
