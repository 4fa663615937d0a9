"""Does the lean client speak HTTP as servers expect it: kept connections, cookies, chunks, servers that go away?"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from hengliang import UserError
from hengliang.people.bots.http_client import Answer, Client, ConnectionLost

Reply = Callable[[str, bytes], bytes | None]
"""Gives the reply to a request's head and body; none hangs up."""


async def with_server(reply: Reply, visit: Callable[[str], Awaitable[None]]) -> int:
    """Serve on a free port while somebody visits, and return how many connections were made."""
    connections = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        while True:
            try:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
            except (asyncio.IncompleteReadError, ConnectionResetError, asyncio.CancelledError):
                break
            length = next((int(line[15:]) for line in head.split("\r\n") if line.startswith("Content-Length:")), 0)
            said = reply(head, await reader.readexactly(length))
            if said is None:
                break
            writer.write(said)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        await visit(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    finally:
        server.close()
    return connections


def plain(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def test_cookies_forms_and_one_connection() -> None:
    seen: list[tuple[str, bytes]] = []

    def reply(head: str, body: bytes) -> bytes:
        seen.append((head, body))
        if len(seen) == 1:
            return plain("好".encode(), "Set-Cookie: session=abc; HttpOnly; Path=/", "Set-Cookie: other=1; Path=/")
        return plain(
            b"", "Location: http://127.0.0.1/page?x=1", "Set-Cookie: other=; Max-Age=0", status="303 See Other"
        )

    async def visit(url: str) -> None:
        client = Client(url)
        assert (await client.get("/i/token")).text == "好"
        answer = await client.post("/submit", {"answer-一": "a&b"})
        assert (answer.status, answer.location) == (303, "/page?x=1")
        assert client.cookies == {"session": "abc"}
        await client.close()

    assert asyncio.run(with_server(reply, visit)) == 1
    head, body = seen[1]
    assert head.startswith("POST /submit HTTP/1.1\r\n") and "Cookie: session=abc; other=1\r\n" in head
    assert "Origin: http://127.0.0.1:" in head and body == b"answer-%E4%B8%80=a%26b"


def test_chunks_and_a_closed_connection() -> None:
    pages = [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
        plain(b"last", "Connection: close"),
        plain(b"new"),
    ]

    async def visit(url: str) -> None:
        client = Client(url)
        assert [(await client.get("/")).body for _ in range(3)] == [b"abcde", b"last", b"new"]

    assert asyncio.run(with_server(lambda head, body: pages.pop(0), visit)) == 2


def test_a_kept_connection_that_died_is_made_anew_for_reading_only() -> None:
    replies: list[bytes | None] = [plain(b"one"), None, plain(b"two"), None]

    async def visit(url: str) -> None:
        client = Client(url)
        assert (await client.get("/")).body == b"one"
        assert (await client.get("/")).body == b"two"
        # Whether a form arrived is not known, so whoever sends it decides what follows.
        with pytest.raises(ConnectionLost, match=r"No answer from .*/submit"):
            await client.post("/submit", {})

    assert asyncio.run(with_server(lambda head, body: replies.pop(0), visit)) == 2


def test_nobody_listens_is_slow_or_speaks_nonsense() -> None:
    async def ask(url: str, timeout: float = 5.0) -> Answer:
        return await Client(url, timeout).get("/")

    with pytest.raises(ConnectionLost):
        asyncio.run(ask("http://127.0.0.1:9"))
    with pytest.raises(UserError, match="'ftp://x' is no address"):
        asyncio.run(ask("ftp://x"))

    async def slow(url: str) -> None:
        with pytest.raises(ConnectionLost, match="TimeoutError"):
            await ask(url, 0.05)

    asyncio.run(with_server(lambda head, body: b"HTTP/1.1 200 OK\r\n", slow))

    async def nonsense(url: str) -> None:
        with pytest.raises(ConnectionLost):
            await ask(url)

    asyncio.run(with_server(lambda head, body: b"HTTP/1.1 fine\r\n\r\n", nonsense))
