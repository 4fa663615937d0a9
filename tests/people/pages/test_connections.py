"""Does a served survey bound what a connection may send, how slowly, and how many there may be?

Every visitor here is a real socket on loopback; 127.0.0.2 and 127.0.0.3 are other machines than 127.0.0.1 to a server.
"""

from __future__ import annotations

import asyncio
import resource
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from hengliang.people.pages.addresses import Address
from hengliang.people.pages.connections import FILES_BESIDE, Limits, fitted, network_of
from hengliang.people.pages.serving import server_of
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import Served, filled, serving

HALF = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
WHOLE = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def port_of(served: Served) -> int:
    return httpx.URL(served.url).port or 0


def connected(served: Served, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port_of(served)), 10, source_address=(source, 0))


def is_open(connection: socket.socket) -> bool:
    """Return whether the server has kept a connection; the rest of what it has said there is read."""
    connection.setblocking(False)
    try:
        while connection.recv(65536):
            pass
        return False
    except BlockingIOError:
        return True
    except OSError:
        return False


def number_open(connections: list[socket.socket], at_most: int, seconds: float = 5.0) -> int:
    """Return how many stay open, once they are no more than expected, or time is up."""
    until = time.monotonic() + seconds
    while (found := sum(map(is_open, connections))) > at_most and time.monotonic() < until:
        time.sleep(0.02)
    return found


def answered(connection: socket.socket) -> bytes:
    """Return all that the server says until it closes."""
    said = b""
    try:
        while part := connection.recv(65536):
            said += part
    except ConnectionResetError:
        pass
    return said


def flood(served: Served, parts: Iterator[bytes], most: int) -> tuple[bytes, int]:
    """Send parts until the server says something or closes; return what it said and how many bytes were sent."""
    sent = 0
    with connected(served) as connection:
        for part in parts:
            try:
                connection.sendall(part)
            except OSError:
                break
            sent += len(part)
            connection.settimeout(0.002)
            try:
                if connection.recv(1, socket.MSG_PEEK):
                    break
            except TimeoutError:
                pass
            connection.settimeout(5)
            if sent >= most:
                break
        connection.settimeout(2)
        try:
            return answered(connection), sent
        except TimeoutError:
            return b"", sent


def repeated(first: bytes, then: bytes) -> Iterator[bytes]:
    yield first
    while True:
        yield then


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(small_survey(tmp_path_factory.mktemp("survey"))) as held:
        yield held


BEGUN = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n"
CHUNKED = b"POST /submit HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
LINES = b"".join(b"X-%03d: %s\r\n" % (line, b"a" * 500) for line in range(8))
ENDLESS = {
    "header lines": (BEGUN, LINES, b"431"),
    "one header": (BEGUN + b"X-Long: ", b"a" * 4096, b"431"),
    "one header's name": (BEGUN, b"a" * 4096, b"431"),
    "an address": (b"GET /", b"a" * 4096, b"414"),
    "empty lines before a request": (b"\r\n", b"\r\n" * 2048, b"431"),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_head_without_end_is_refused_and_takes_no_memory(served: Served, name: str) -> None:
    first, then, status = ENDLESS[name]
    said, sent = flood(served, repeated(first, then), 2_000_000)
    assert said.startswith(b"HTTP/1.1 " + status), (said[:80], sent)
    assert b"content-security-policy" in said
    # The limit is 16 kB; what was sent before the refusal could be read stood in buffers of the system.
    assert sent < 1_000_000
    assert served.visitor().get("/health").status_code == 200


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (CHUNKED + b"1\r\na\r\n0\r\n", LINES),
        (CHUNKED + b"1;x=", b"a" * 4096),
        (CHUNKED + b"1\r\na\r\n0\r\nX: ", b"a" * 4096),
    ],
    ids=["trailers", "an extension of a chunk", "one trailer"],
)
def test_what_stands_between_the_parts_of_a_body_has_a_limit_too(served: Served, first: bytes, then: bytes) -> None:
    _, sent = flood(served, repeated(first, then), 20_000_000)
    # The server hangs up; unlimited, all of it would be taken.
    assert sent < 19_000_000
    assert served.visitor().get("/health").status_code == 200


def test_heads_at_the_limit_are_read_and_above_it_refused(served: Served) -> None:
    visitor = served.visitor()
    limits = Limits()
    assert visitor.get("/health", headers={"X": "a" * (limits.head_bytes - 1000)}).status_code == 200
    assert visitor.get("/health?" + "a" * (limits.url_bytes - 10)).status_code == 200
    assert visitor.get("/health", headers={"X": "a" * limits.head_bytes}).status_code == 431
    long = served.visitor().get("/health?" + "a" * limits.url_bytes)
    assert long.status_code == 414
    assert "too long" in long.text
    # Several headers that are short each count together.
    many = {f"X-{number}": "a" * 1000 for number in range(20)}
    assert served.visitor().get("/health", headers=many).status_code == 431


def test_many_requests_at_once_on_one_connection_are_not_kept(served: Served) -> None:
    with connected(served) as connection:
        connection.sendall(WHOLE * 2)
        connection.settimeout(5)
        said = b""
        while said.count(b"HTTP/1.1 200") < 2:
            said += connection.recv(65536)
    with connected(served) as connection:
        connection.sendall(WHOLE * 400)
        # At most those that waited are answered before the server hangs up.
        assert answered(connection).count(b"HTTP/1.1 200") < 400


QUICK = Limits(head_seconds=0.4, body_seconds=0.6, idle_seconds=0.5, stalled_seconds=0.5)


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(small_survey(tmp_path_factory.mktemp("survey")), limits=QUICK) as held:
        yield held


def test_half_requests_are_closed_however_they_are_kept_alive(impatient: Served) -> None:
    with ExitStack() as stack:
        silent, half, dripping = (stack.enter_context(connected(impatient)) for _ in range(3))
        idle = stack.enter_context(connected(impatient))
        half.sendall(HALF)
        dripping.sendall(HALF)
        idle.sendall(WHOLE)
        assert idle.recv(65536).startswith(b"HTTP/1.1 200")
        begun = time.monotonic()
        while is_open(dripping) and time.monotonic() - begun < 5:
            # A byte now and then does not begin the time anew.
            with suppress(OSError):
                dripping.send(b"a")
            time.sleep(0.05)
        assert 0.2 < time.monotonic() - begun < 3
        assert number_open([silent, half, dripping, idle], 0) == 0
    assert impatient.visitor().get("/health").status_code == 200


def test_a_slow_body_is_closed_and_a_part_of_a_form_is_not_kept(impatient: Served) -> None:
    visitor = impatient.participant()
    form = visitor.until("answer-clarity")
    body = str(httpx.QueryParams(filled(form))).encode()
    cookies = "; ".join(f"{name}={value}" for name, value in visitor.client.cookies.items())
    head = (
        f"POST /submit HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookies}\r\nSec-Fetch-Site: same-origin\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body) + 5}\r\n\r\n"
    )
    before = impatient.rows("SELECT count(*) FROM answers")
    with connected(impatient) as connection:
        # All fields are there; five letters of the last one are not.
        connection.sendall(head.encode() + body)
        assert answered(connection) == b""
    time.sleep(0.2)
    assert impatient.rows("SELECT count(*) FROM answers") == before
    assert visitor.answer().status_code == 303
    assert impatient.rows("SELECT count(*) FROM answers") == [(before[0][0] + 2,)]


def test_an_answered_request_whose_body_never_ends_is_closed(impatient: Served) -> None:
    head = b"POST /submit HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999\r\n\r\n"
    with connected(impatient) as connection:
        connection.sendall(head + b"a")
        assert answered(connection).startswith(b"HTTP/1.1 413")


CROWDED = Limits(connections=24, of_address=10, head_seconds=30, idle_seconds=30)


def test_one_address_cannot_keep_others_out(tmp_path: Path) -> None:
    with serving(small_survey(tmp_path), limits=CROWDED) as served, ExitStack() as stack:
        halves = [stack.enter_context(connected(served, "127.0.0.2")) for _ in range(40)]
        for connection in halves:
            with suppress(OSError):
                connection.sendall(HALF)
        assert number_open(halves, 10) == 10
        # The same person's newest connections are the ones that stay.
        assert all(map(is_open, halves[-9:]))
        begun = time.monotonic()
        for _ in range(30):
            assert served.visitor().get("/health").status_code == 200
        assert time.monotonic() - begun < 10
        # And somebody else behind the same address still gets an answer.
        with connected(served, "127.0.0.2") as honest:
            honest.sendall(WHOLE)
            assert honest.recv(65536).startswith(b"HTTP/1.1 200")


def test_when_all_places_are_taken_idle_connections_go_first(tmp_path: Path) -> None:
    limits = Limits(connections=10, of_address=5, head_seconds=30, idle_seconds=30)
    with serving(small_survey(tmp_path), limits=limits) as served, ExitStack() as stack:
        idle = [stack.enter_context(connected(served, "127.0.0.2")) for _ in range(5)]
        for connection in idle:
            connection.sendall(WHOLE)
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        half = [stack.enter_context(connected(served, "127.0.0.3")) for _ in range(5)]
        for connection in half:
            connection.sendall(HALF)
        time.sleep(0.1)
        new = [stack.enter_context(connected(served)) for _ in range(3)]
        for connection in new:
            connection.sendall(WHOLE)
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        assert number_open(idle, 2) == 2
        assert number_open(half, 5) == 5


def test_the_stated_proxy_may_bring_more_than_one_visitor(tmp_path: Path) -> None:
    address = Address(port=0, behind_proxy="https://judge.example")
    limits = Limits(connections=24, of_address=3)
    with serving(small_survey(tmp_path), address=address, limits=limits) as served, ExitStack() as stack:
        held = [stack.enter_context(connected(served)) for _ in range(12)]
        for connection in held:
            connection.sendall(HALF)
        elsewhere = [stack.enter_context(connected(served, "127.0.0.2")) for _ in range(6)]
        assert number_open(elsewhere, 3) == 3
        assert number_open(held, 12) == 12


def test_a_whole_request_is_answered_though_others_press_in() -> None:
    """Two slow answers take both places; who comes then is told to come again, and both answers arrive."""

    async def slow(scope: dict[str, object], receive: object, send: object) -> None:
        if scope["type"] == "http":
            await asyncio.sleep(0.5)
            await send({"type": "http.response.start", "status": 200, "headers": []})  # type: ignore[operator]
            await send({"type": "http.response.body", "body": b"done"})  # type: ignore[operator]

    with socket.socket() as bound, ExitStack() as stack:
        bound.bind(("127.0.0.1", 0))
        bound.listen()
        server = server_of(slow, Address(), Limits(connections=2, of_address=2))  # type: ignore[arg-type]
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        where = bound.getsockname()
        held = [
            stack.enter_context(socket.create_connection(where, 10, source_address=(source, 0)))
            for source in ("127.0.0.2", "127.0.0.3")
        ]
        for connection in held:
            connection.sendall(WHOLE)
        time.sleep(0.1)
        third = stack.enter_context(socket.create_connection(where, 10))
        assert answered(third).startswith(b"HTTP/1.1 503")
        assert all(connection.recv(65536).startswith(b"HTTP/1.1 200") for connection in held)
        server.should_exit = True
        thread.join(10)


def test_who_takes_nothing_of_an_answer_is_not_waited_for() -> None:
    async def large(scope: dict[str, object], receive: object, send: object) -> None:
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})  # type: ignore[operator]
            await send({"type": "http.response.body", "body": b"a" * 20_000_000})  # type: ignore[operator]

    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        bound.listen()
        server = server_of(large, Address(), QUICK)  # type: ignore[arg-type]
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        with socket.create_connection(bound.getsockname(), 10) as connection:
            connection.sendall(WHOLE)
            until = time.monotonic() + 5
            while time.monotonic() < until and not server.server_state.connections:
                time.sleep(0.02)
            while time.monotonic() < until and server.server_state.connections:
                time.sleep(0.05)
            assert not server.server_state.connections
        server.should_exit = True
        thread.join(10)


def encrypted_address(tmp_path: Path) -> Address:
    """Return an address with a certificate that was made for the test."""
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    files = ["-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "chain.pem")]
    made = subprocess.run(["openssl", "req", "-x509", *kind, *files], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("openssl is not installed: apt-get install openssl")
    return Address(port=0, tls_certificate=tmp_path / "chain.pem", tls_key=tmp_path / "key.pem")


def encrypted_health(served: Served) -> int:
    """Return how the server answers somebody who trusts any certificate."""
    anybody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anybody.check_hostname = False
    anybody.verify_mode = ssl.CERT_NONE
    url = f"https://127.0.0.1:{port_of(served)}/health"
    return httpx.get(url, verify=anybody, trust_env=False).status_code


def test_a_handshake_that_does_not_end_is_closed(tmp_path: Path) -> None:
    address = encrypted_address(tmp_path)
    with serving(small_survey(tmp_path / "survey"), address=address, limits=QUICK) as served:
        with connected(served) as silent:
            silent.settimeout(5)
            # The first bytes of a greeting, and no more.
            silent.sendall(b"\x16\x03\x01\x02\x00\x01")
            assert answered(silent) == b""
        assert encrypted_health(served) == 200


def test_connections_that_are_not_encrypted_yet_are_counted(tmp_path: Path) -> None:
    """Sixty that say nothing, where four may be in all and two of one address."""
    limits = Limits(connections=4, of_address=4)
    with (
        serving(small_survey(tmp_path / "survey"), address=encrypted_address(tmp_path), limits=limits) as served,
        ExitStack() as stack,
    ):
        silent = [stack.enter_context(connected(served, f"127.0.0.{2 + place % 3}")) for place in range(60)]
        # No address leaves its places to another, so all four are taken, by the newest.
        assert number_open(silent, at_most=4) == 4
        assert [is_open(each) for each in silent[-4:]] == [True] * 4
        of_one = [stack.enter_context(connected(served, "127.0.0.9")) for _ in range(5)]
        assert number_open(of_one, at_most=2) == 2
        # Places are given back: as many visitors as there are places, one after another, and then some.
        assert [encrypted_health(served) for _ in range(6)] == [200] * 6


def test_there_are_never_more_connections_than_files() -> None:
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    wide = fitted(Limits(connections=10**9, of_address=10**9))
    assert wide.connections == files - FILES_BESIDE
    assert wide.of_address == wide.connections // 2
    assert fitted(Limits(connections=100, of_address=80)).of_address == 50


def test_addresses_of_one_household_count_together() -> None:
    assert network_of("2001:db8:1:2:3::4") == network_of("2001:db8:1:2:ffff::") != network_of("2001:db8:1:3::4")
    assert network_of("fe80::1%eth0") == "fe80::/64"
    assert network_of("::ffff:192.0.2.1") == network_of("192.0.2.1") != network_of("192.0.2.2")


def test_few_open_files_do_not_stop_a_server(tmp_path: Path) -> None:
    """With 200 files at most, and 64 until it asks for more, 250 half requests leave room for an honest one."""
    small_survey(tmp_path)
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 200));"
        "from hengliang.cli.main import main; main()"
    )
    command = [sys.executable, "-uc", code, "survey", "serve", str(tmp_path), "--port", "0"]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8")
    try:
        assert started.stdout is not None
        url = ""
        for line in started.stdout:
            url = line.partition("http://")[2].strip().partition("/")[0] or url
            if "Ctrl-C" in line:
                break
        host, port = url.split(":")
        with ExitStack() as stack:
            for _ in range(250):
                connection = stack.enter_context(socket.create_connection((host, int(port)), 10))
                with suppress(OSError):
                    connection.sendall(HALF)
            for _ in range(5):
                assert httpx.get(f"http://{url}/health", trust_env=False, timeout=5).status_code == 200
    finally:
        started.kill()
        started.wait(20)
        if started.stdout is not None:
            started.stdout.close()
