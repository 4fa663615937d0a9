"""Does a survey answer over HTTP and TLS, believe only the proxy it is told of, and come back without loss?"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from hengliang import UserError
from hengliang.people.pages.addresses import Address
from hengliang.people.pages.serving import running, serve, server_of
from hengliang.people.storage.database import Database, database_url
from hengliang.people.storage.migrating import migrate
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import Served, filled, serving


async def echo(scope: dict[str, object], receive: object, send: object) -> None:
    """Tell what the server believes about a request."""
    if scope["type"] != "http":
        return
    body = repr((scope["scheme"], scope["client"])).encode()
    await send({"type": "http.response.start", "status": 200, "headers": []})  # type: ignore[operator]
    await send({"type": "http.response.body", "body": body})  # type: ignore[operator]


def believed(address: Address) -> str:
    """Return what a server at this address says of a request with forwarded headers."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        bound.listen()
        server = server_of(echo, address)  # type: ignore[arg-type]
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        forged = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}
        url = f"http://127.0.0.1:{bound.getsockname()[1]}"
        answer = httpx.get(url, headers=forged, trust_env=False, timeout=10).text
        server.should_exit = True
        thread.join(10)
        return answer


def test_forwarded_headers_are_believed_of_the_stated_proxy_alone() -> None:
    behind = "https://judge.example"
    assert "203.0.113.9" not in believed(Address())
    assert "'http'" in believed(Address())
    assert "203.0.113.9" in believed(Address(behind_proxy=behind))
    assert "'https'" in believed(Address(behind_proxy=behind))
    # The proxy is another machine than the one that sends.
    assert "203.0.113.9" not in believed(Address(behind_proxy=behind, proxy="192.0.2.7"))


def test_behind_a_proxy_cookies_are_secure_and_links_public(tmp_path: Path) -> None:
    survey = small_survey(tmp_path)
    migrate(database_url(tmp_path))
    address = Address(port=0, behind_proxy="https://judge.example")
    with Database.open(database_url(tmp_path)) as database, running(survey, database, address=address) as server:
        assert server.url == "https://judge.example"
        local = f"http://127.0.0.1:{server.port}"
        held = Served(survey, database, local)
        visitor = held.visitor()
        page = visitor.get(f"/i/{held.invitation()}", headers={"Host": "judge.example"})
        assert page.headers["strict-transport-security"].startswith("max-age=")
        link = visitor.get("/admin/link/x", headers={"Host": "judge.example"})
        assert link.status_code == 200
        consent = visitor.get("/consent", headers={"Host": "judge.example"}, params={"language": "en"})
        for name, value in consent.headers.multi_items():
            assert name != "set-cookie" or "Secure" in value


def test_without_tls_no_header_promises_it(tmp_path: Path) -> None:
    with serving(small_survey(tmp_path)) as held:
        answer = held.visitor().get("/health")
        assert answer.status_code == 200
        assert "strict-transport-security" not in answer.headers
        # What serves is nobody's business.
        assert "server" not in answer.headers


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Give a certificate of our own making for this machine, and its key."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl is not installed: apt-get install openssl")
    folder = tmp_path_factory.mktemp("tls")
    chain, key = folder / "chain.pem", folder / "key.pem"
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    made = [program, "req", "-x509", *kind, *names, "-keyout", str(key), "-out", str(chain)]
    subprocess.run(made, check=True, capture_output=True)
    return chain, key


def test_tls_with_a_certificate_of_ones_own(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    chain, key = certificate
    survey = small_survey(tmp_path)
    migrate(database_url(tmp_path))
    address = Address(port=0, tls_certificate=chain, tls_key=key)
    with Database.open(database_url(tmp_path)) as database, running(survey, database, address=address) as server:
        assert server.url == f"https://127.0.0.1:{server.port}"
        trusting = ssl.create_default_context(cafile=str(chain))
        with httpx.Client(base_url=server.url, verify=trusting, trust_env=False) as client:
            answer = client.get("/health")
            assert answer.status_code == 200
            assert answer.headers["strict-transport-security"].startswith("max-age=")
        with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
            httpx.get(f"{server.url}/health", trust_env=False)
        with pytest.raises(httpx.HTTPError):
            httpx.get(f"http://127.0.0.1:{server.port}/health", trust_env=False)


def test_files_that_are_no_certificate_are_refused(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("no certificate", encoding="utf-8")
    for chain, key in ((wrong, wrong), (tmp_path / "nowhere.pem", wrong), (certificate[0], wrong)):
        with pytest.raises(UserError, match="Cannot use"):
            server_of(echo, Address(tls_certificate=chain, tls_key=key))  # type: ignore[arg-type]


def test_a_folder_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    small_survey(tmp_path)
    with pytest.raises(UserError, match="nothing would be encrypted"):
        serve(tmp_path, host="0.0.0.0")
    assert not (tmp_path / "survey.sqlite").exists()
    with pytest.raises(UserError, match="no experiment"):
        serve(tmp_path / "nowhere")


def test_a_taken_port_is_told_and_the_database_let_go(tmp_path: Path) -> None:
    small_survey(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for _ in range(2):
            with pytest.raises(UserError, match="already in use"):
                serve(tmp_path, port=taken.getsockname()[1])


@contextmanager
def process(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str, list[str]]]:
    """Give a `hengliang survey serve` in a process of its own, where it listens, and the lines it has shown."""
    code = "from hengliang.cli.main import main; main()"
    command = [sys.executable, "-c", code, "survey", "serve", str(folder), "--port", "0", *options]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    started = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", env=environment
    )
    lines: list[str] = []
    try:
        assert started.stdout is not None
        for line in started.stdout:
            lines.append(line.strip())
            if "Ctrl-C" in line:
                break
        found = re.search(r"http://127\.0\.0\.1:\d+", "\n".join(lines))
        assert found, lines
        yield started, found[0], lines
    finally:
        started.kill()
        started.wait(20)
        if started.stdout is not None:
            started.stdout.close()


def answers_of(folder: Path) -> int:
    from sqlalchemy import func, select

    from hengliang.people.storage import tables

    with Database.open(database_url(folder)) as database:
        counted = select(func.count()).select_from(tables.answers)
        return database.read(lambda held: held.execute(counted).scalar_one()).result()


def test_stopped_politely_or_killed_it_comes_back_with_everything(tmp_path: Path) -> None:
    survey = small_survey(tmp_path)
    with process(tmp_path) as (started, url, lines):
        # There is no terminal: what is printed may end in a journal, and holds no link.
        kept_links = tmp_path / "survey-links.txt"
        assert not re.search(r"/i/|/admin/link/", "\n".join(lines)) and str(kept_links) in "\n".join(lines)
        assert stat.S_IMODE(kept_links.stat().st_mode) == 0o600
        token = kept_links.read_text(encoding="utf-8").partition("/i/")[2].split()[0]
        with Database.open(database_url(tmp_path)) as beside:
            visitor = Served(survey, beside, url).visitor()
            visitor.begin(token)
            visitor.until("answer-clarity")
            visitor.answer()
            second = subprocess.run(
                [sys.executable, "-c", "from hengliang.cli.main import main; main()", "survey", "serve", str(tmp_path)],
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            assert second.returncode == 2, second.stdout + second.stderr
            started.send_signal(signal.SIGKILL)
            started.wait(20)
    kept = answers_of(tmp_path)
    assert kept > 0
    with process(tmp_path) as (started, url, lines):
        # The link that was made at first is still good, so no new one is made; the cookie is still good, too.
        earlier, later = kept_links.read_text(encoding="utf-8").split("\n# ")
        assert token in earlier and "made before" in later and later.count("/admin/link/") == 1
        visitor.client.base_url = httpx.URL(url)
        assert visitor.get("/page").status_code == 200
        started.send_signal(signal.SIGTERM)
        assert started.wait(30) == 0
        assert started.stdout is not None
        assert "Every answer that was acknowledged is kept" in started.stdout.read()
    assert answers_of(tmp_path) == kept
    visitor.close()


def test_an_answer_on_its_way_is_finished_before_the_server_stops(tmp_path: Path) -> None:
    """Ctrl-C comes while a form has arrived by half; the rest arrives, is kept and is acknowledged."""
    survey = small_survey(tmp_path)
    with process(tmp_path) as (started, url, _), Database.open(database_url(tmp_path)) as beside:
        served = Served(survey, beside, url)
        visitor = served.participant()
        form = visitor.until("answer-clarity")
        body = str(httpx.QueryParams(filled(form))).encode()
        host, port = url.removeprefix("http://").split(":")
        cookies = "; ".join(f"{name}={value}" for name, value in visitor.client.cookies.items())
        head = (
            f"POST /submit HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {cookies}\r\nSec-Fetch-Site: same-origin\r\n"
            f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection((host, int(port)), 20) as connection:
            connection.sendall(head.encode() + body[:10])
            time.sleep(0.3)
            started.send_signal(signal.SIGINT)
            time.sleep(0.5)
            connection.sendall(body[10:])
            answer = connection.recv(4096).decode()
        assert answer.startswith("HTTP/1.1 303")
        assert started.wait(30) == 0
        # Both statements stand on one page.
        assert len(served.rows("SELECT id FROM answers")) == 2
        visitor.close()
