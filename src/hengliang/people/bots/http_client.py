"""How does one participant's browser speak HTTP, at the least cost?

One connection that is kept open, cookies, no redirects by itself. A general client costs more processor time a request
than the server under test; this one does what bots need and nothing else.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

from hengliang.core.errors import Failure, UserError


class ConnectionLost(Failure):
    """The server could not be reached, or went away before it had answered."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server said."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace")

    @property
    def location(self) -> str:
        """Where it leads, without scheme and host."""
        parts = urlsplit(self.headers.get("location", ""))
        return f"{parts.path}?{parts.query}" if parts.query else parts.path


@dataclass(slots=True)
class Client:
    """One browser: a connection to one server, and its cookies."""

    url: str
    timeout: float = 30.0
    cookies: dict[str, str] = field(default_factory=dict)
    _streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str) -> Answer:
        """Ask for a page."""
        return await self._ask("GET", path, b"")

    async def post(self, path: str, fields: Mapping[str, str]) -> Answer:
        """Send a form."""
        return await self._ask("POST", path, urlencode(fields).encode())

    async def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def _ask(self, method: str, path: str, body: bytes) -> Answer:
        fresh = self._streams is None
        try:
            async with asyncio.timeout(self.timeout):
                return await self._exchange(method, path, body)
        except (OSError, EOFError, TimeoutError, asyncio.IncompleteReadError, ValueError) as error:
            await self.close()
            # A kept connection may have been closed by the server in the meantime; a GET changes nothing, so ask again.
            if method == "GET" and not fresh:
                return await self._ask(method, path, body)
            raise ConnectionLost(f"No answer from {self.url}{path}: {str(error) or type(error).__name__}.") from error

    async def _exchange(self, method: str, path: str, body: bytes) -> Answer:
        parts = urlsplit(self.url)
        if self._streams is None:
            self._streams = await _connected(self.url)
        reader, writer = self._streams
        lines = [f"{method} {path} HTTP/1.1", f"Host: {parts.netloc}", "Accept: text/html"]
        if self.cookies:
            lines.append("Cookie: " + "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        if method == "POST":
            lines += [f"Origin: {parts.scheme}://{parts.netloc}", "Sec-Fetch-Site: same-origin"]
            lines += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        await writer.drain()
        answer = await self._answer(reader)
        if answer.headers.get("connection", "").lower() == "close":
            await self.close()
        return answer

    async def _answer(self, reader: asyncio.StreamReader) -> Answer:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status = int(head[0].split(" ", 2)[1])
        headers: dict[str, str] = {}
        for line in head[1:-2]:
            name, _, value = line.partition(":")
            if name.lower() == "set-cookie":
                self._keep(value.strip())
            else:
                headers[name.lower()] = value.strip()
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return Answer(status, headers, await _chunks(reader))
        return Answer(status, headers, await reader.readexactly(int(headers.get("content-length", "0"))))

    def _keep(self, cookie: str) -> None:
        held, *attributes = cookie.split(";")
        name, _, value = held.partition("=")
        gone = any(part.strip().lower() == "max-age=0" for part in attributes)
        if gone or not value.strip('"'):
            self.cookies.pop(name.strip(), None)
        else:
            self.cookies[name.strip()] = value


async def _connected(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UserError(f"'{url}' is no address of a survey.", valid="http://HOST:PORT or https://HOST")
    secure = ssl.create_default_context() if parts.scheme == "https" else None
    port = parts.port or (443 if secure else 80)
    return await asyncio.open_connection(parts.hostname, port, ssl=secure, limit=1 << 20)


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    held = b""
    while size := int((await reader.readline()).split(b";")[0], 16):
        held += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return held
