"""How much may a connection send, how slowly, and how many may there be, before anybody has said who they are?

uvicorn's parser takes request lines and headers of any length and waits for their end for ever. Here every connection
has a limit in bytes and in seconds for each part of a request, and there is a limit to connections, in all and of one
network address. Where it is reached, a new connection takes the place of one that waits for a request, the oldest
first, then of one whose request is incomplete; a request that has arrived whole is never given up for another. With
TLS a connection is counted from its first moment, before anything is agreed upon: until then it counts as incomplete.

A stated proxy speaks for everybody, so its own address has no limit: it counts its visitors itself.
"""

from __future__ import annotations

import asyncio
import ipaddress
import ssl
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

from hengliang.people.pages.security import HEADERS

try:
    import resource
except ImportError:  # Windows has no limit of this kind
    resource = None  # type: ignore[assignment]

try:
    from uvloop import Loop
    from uvloop.loop import SSLProtocol  # type: ignore[attr-defined]  # its stubs leave it out
except ImportError:  # there is none for Windows, where the slower loop of Python does the same
    from asyncio.sslproto import SSLProtocol

    Loop = asyncio.ProactorEventLoop if sys.platform == "win32" else asyncio.SelectorEventLoop  # type: ignore

FILES_BESIDE = 128
"""How many open files are left for the database, an export and the program itself."""
PIECE = 8 * 1024
"""How many bytes the parser is given at once; by so many more than the limit may be in memory."""
PIPELINED = 8
"""How many requests may wait behind one that is being answered; browsers send none."""
LINGER_SECONDS = 1.0
LINGER_BYTES = 1024 * 1024
"""How long, and how much of, what a refused visitor still sends is thrown away, so that the refusal can be read."""

Kind = Literal["idle", "half", "busy"]
"""What a connection does: waits for another request, has sent less than a whole one, or waits for our answer."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a connection may do; all of it holds before any link or cookie is looked at."""

    head_bytes: int = 16 * 1024
    """Request line and headers together, and trailers."""
    url_bytes: int = 8 * 1024
    head_seconds: float = 15.0
    """From the connection, or the first byte of a request, to the end of its headers; also for a TLS handshake."""
    body_seconds: float = 30.0
    """From the end of the headers to the end of the body."""
    idle_seconds: float = 30.0
    """Between two requests."""
    stalled_seconds: float = 30.0
    """How long somebody may take nothing of what is sent to them."""
    connections: int = 8192
    """In all; fewer where the system allows fewer open files."""
    of_address: int = 4096
    """Of one network address (IPv6: of one /64 network), and never more than half of all."""


def raise_open_files() -> None:
    """Let this process open as many files as it needs, if it may; a shell's usual limit of 1,024 is soon reached."""
    if resource is None:
        return
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = Limits().connections + FILES_BESIDE
    wanted = needed if most == resource.RLIM_INFINITY else min(needed, most)
    if files != resource.RLIM_INFINITY and files < wanted:
        # Some systems allow less than they say; then there are fewer connections (`fitted`).
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def fitted(limits: Limits) -> Limits:
    """Return the limits with no more connections than there can be open files."""
    room = limits.connections
    if resource is not None:
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        room = room if files == resource.RLIM_INFINITY else min(room, files - FILES_BESIDE)
    connections = max(room, 2)
    return replace(limits, connections=connections, of_address=min(limits.of_address, connections // 2))


def network_of(address: str) -> str:
    """Return whom an address is counted with: itself, or all of its /64 network, which is one IPv6 household.

    >>> network_of("203.0.113.9"), network_of("2001:db8::1:2"), network_of("::ffff:203.0.113.9")
    ('203.0.113.9', '2001:db8::/64', '203.0.113.9')
    """
    try:
        held = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(held, ipaddress.IPv4Address):
        return str(held)
    if held.ipv4_mapped is not None:
        return str(held.ipv4_mapped)
    return str(ipaddress.ip_network((held, 64), strict=False))


class Counted(Protocol):
    """A connection that has a place, whether it can be read already or is still being encrypted."""

    network: str
    """Whom it is counted with; nobody in particular, if it is the proxy's."""

    def drop(self) -> None:
        """Close at once, whatever is under way."""


@dataclass(slots=True)
class _Group:
    """Connections that are counted together, with those that could give way, oldest first."""

    size: int = 0
    idle: dict[Counted, None] = field(default_factory=dict)
    half: dict[Counted, None] = field(default_factory=dict)

    def move(self, one: Counted, kind: Kind) -> None:
        for name, held in (("idle", self.idle), ("half", self.half)):
            if name == kind:
                held.setdefault(one)
            else:
                held.pop(one, None)

    def first_to_go(self) -> Counted | None:
        return next(iter(self.idle), None) or next(iter(self.half), None)


class Crowd:
    """All connections of one server; belongs to its event loop."""

    def __init__(self, limits: Limits, proxy: str | None = None) -> None:
        self.limits = limits
        self.proxy = None if proxy is None else ipaddress.ip_network(proxy, strict=False)
        self.all = _Group()
        self.of: dict[str, _Group] = {}

    def admit(self, one: Counted) -> bool:
        """Return whether a new connection is taken; if there are too many, one that gives way is closed for it."""
        own = self.of.get(one.network)
        if own is not None and own.size >= self.limits.of_address and not _room_in(own):
            return False
        if self.all.size >= self.limits.connections and not _room_in(self.all):
            return False
        for group in self._groups(one):
            group.size += 1
            # Somebody new is about to ask, and not the first to go.
            group.move(one, "half")
        return True

    def move(self, one: Counted, kind: Kind) -> None:
        """Note what a connection does now."""
        for group in self._groups(one):
            group.move(one, kind)

    def remove(self, one: Counted) -> None:
        """Forget a connection."""
        for group in self._groups(one):
            group.size -= 1
            group.move(one, "busy")
        if one.network in self.of and not self.of[one.network].size:
            del self.of[one.network]

    def network(self, address: str) -> str:
        """Return whom an address is counted with; nobody, if it is the proxy's."""
        try:
            apart = bool(address) and (self.proxy is None or ipaddress.ip_address(address) not in self.proxy)
        except ValueError:
            return ""
        return network_of(address) if apart else ""

    def _groups(self, one: Counted) -> tuple[_Group, ...]:
        return (self.all, self.of.setdefault(one.network, _Group())) if one.network else (self.all,)


def _room_in(group: _Group) -> bool:
    """Close the connection of a group that is missed least; false, when all of them wait for our answers."""
    found = group.first_to_go()
    if found is not None:
        found.drop()
    return found is not None


class BoundedProtocol(HttpToolsProtocol):
    """A connection that may send only so much, and has only so much time for it."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        crowd: Crowd,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.crowd = crowd
        self.limits = crowd.limits
        self.network = ""
        self.greeting: Greeting | None = None
        """What has held the place of a connection that is being encrypted."""
        self.counted = False
        self.refused = False
        self.reading = False
        """Whether a part of a request has come and not all of it."""
        self.unread = 0
        """Bytes since the parser last made something of them: headers at their end, a part of a body."""
        self.advanced = False
        self.deadline: asyncio.TimerHandle | None = None
        self.stall: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or refuse it when all places are taken."""
        super().connection_made(transport)
        self.network = self.crowd.network(self.client[0] if self.client else "")
        if self.greeting is not None:
            self.greeting.give_up_place()
        self.counted = self.crowd.admit(self)
        if self.counted:
            self._set_deadline(self.limits.head_seconds)
        else:
            self._refuse(503, "Too many connections at the moment. 目前连接过多，请稍后再试。")

    def connection_lost(self, exc: Exception | None) -> None:
        """Make room."""
        self._forget()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Give the parser what came, in pieces, and stop where a limit is passed."""
        if self.refused:
            self.unread += len(data)
            if self.unread > LINGER_BYTES:
                self.drop()
            return
        for start in range(0, len(data), PIECE):
            if self.refused or self.transport.is_closing():
                return
            piece = data[start : start + PIECE]
            self.advanced = False
            if not self.reading:
                self.reading = True
                self._settle()
                self._set_deadline(self.limits.head_seconds, unless_set=self.cycle is None)
            super().data_received(piece)
            self.unread = 0 if self.advanced else self.unread + len(piece)
            if self.unread > self.limits.head_bytes:
                self._refuse(431, "The headers are too long. 请求头过长。")

    def on_url(self, url: bytes) -> None:
        """Read a part of the address."""
        if not self.refused:
            super().on_url(url)
            if len(self.url) > self.limits.url_bytes:
                self._refuse(414, "The address is too long. 网址过长。")

    def on_headers_complete(self) -> None:
        """Begin to answer, or refuse headers that are too long."""
        if self.refused:
            return
        self.advanced = True
        if len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers) > self.limits.head_bytes:
            self._refuse(431, "The headers are too long. 请求头过长。")
        elif len(self.pipeline) >= PIPELINED:
            self.drop()
        else:
            self._set_deadline(self.limits.body_seconds)
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Read a part of a body."""
        self.advanced = True
        if not self.refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Wait no longer for a request that has come whole."""
        self.advanced = True
        if not self.refused:
            self.reading = False
            super().on_message_complete()
            self._settle()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._settle()
        if self.transport.get_write_buffer_size():
            self._watch()

    def pause_writing(self) -> None:
        """Watch whether somebody takes what is sent."""
        super().pause_writing()
        self._watch()

    def drop(self) -> None:
        """Close at once, whatever is under way."""
        self._forget()
        self.transport.abort()

    def _settle(self) -> None:
        """Say what the connection does now, and give an idle one its time."""
        if not self.counted or self.refused:
            return
        answering = self.cycle is not None and not self.cycle.response_complete
        kind: Kind = "half" if self.reading else "busy" if answering else "idle"
        self.crowd.move(self, kind)
        if kind == "busy":
            self._set_deadline(None)
        elif kind == "idle":
            self._set_deadline(self.limits.idle_seconds)

    def _refuse(self, status: int, said: str) -> None:
        """Say why and close; what is still sent meanwhile is thrown away, or the visitor would not read the answer."""
        if self.refused:
            return
        self.refused = True
        if self.cycle is not None and not self.cycle.response_complete:
            # Another answer is on its way; nothing can be said in the middle of it.
            self.drop()
            return
        body = said.encode()
        headers = [
            *self.server_state.default_headers,
            *HEADERS,
            (b"cache-control", b"no-store"),
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
            *([(b"retry-after", b"10")] if status == 503 else []),
        ]
        lines = (name + b": " + value + b"\r\n" for name, value in headers)
        self.transport.write(STATUS_LINE[status] + b"".join(lines) + b"\r\n" + body)
        self._unset_keepalive_if_required()
        if self.counted:
            self._set_deadline(LINGER_SECONDS)
        else:
            # There is no place to linger in.
            self.transport.close()

    def _set_deadline(self, seconds: float | None, *, unless_set: bool = False) -> None:
        if self.deadline is not None:
            if unless_set:
                return
            self.deadline.cancel()
        self.deadline = None if seconds is None else self.loop.call_later(seconds, self._close)

    def _close(self) -> None:
        # Somebody who takes nothing would otherwise be waited for until they do.
        if self.transport.get_write_buffer_size():
            self.drop()
        else:
            self.transport.close()

    def _watch(self) -> None:
        if self.stall is None:
            self._watch_from(self.transport.get_write_buffer_size())

    def _watch_from(self, size: int) -> None:
        self.stall = self.loop.call_later(self.limits.stalled_seconds, self._look_again, size)

    def _look_again(self, before: int) -> None:
        """Close a connection that has taken nothing since; one that is slow, but takes, is waited for."""
        self.stall = None
        size = self.transport.get_write_buffer_size()
        if size and size >= before:
            self.drop()
        elif size:
            self._watch_from(size)

    def _forget(self) -> None:
        for timer in (self.deadline, self.stall):
            if timer is not None:
                timer.cancel()
        if self.counted:
            self.counted = False
            self.crowd.remove(self)


class Greeting(SSLProtocol):  # type: ignore[misc]
    """A connection on which an encryption is being agreed upon: it has a place, and only so many seconds.

    The loop itself would tell us of a connection only when that is done, and keep any number that never get there.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, protocol: BoundedProtocol, context: ssl.SSLContext) -> None:
        self.crowd = protocol.crowd
        self.network = ""
        self.counted = False
        self.refused = False
        self.below: asyncio.Transport | None = None
        protocol.greeting = self
        seconds = protocol.limits.head_seconds
        super().__init__(loop, protocol, context, None, server_side=True, ssl_handshake_timeout=seconds)

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Take a connection; when all places are taken, it is closed, for nothing can be said on it yet."""
        self.below = transport
        peer = transport.get_extra_info("peername")
        self.network = self.crowd.network(str(peer[0]) if isinstance(peer, tuple) else "")
        self.counted = self.crowd.admit(self)
        self.refused = not self.counted
        if self.refused:
            transport.abort()
        else:
            super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Make room."""
        self.give_up_place()
        if not self.refused:
            super().connection_lost(exc)

    def drop(self) -> None:
        """Close at once."""
        self.give_up_place()
        if self.below is not None:
            self.below.abort()

    def give_up_place(self) -> None:
        """Leave the place to the connection that can be read now, or to others."""
        if self.counted:
            self.counted = False
            self.crowd.remove(self)


class PromptLoop(Loop):
    """An event loop that counts a visitor, and the seconds to agree on an encryption, from the first moment on."""

    async def create_server(self, protocol_factory: Callable[[], Any], *args: Any, **options: Any) -> Any:
        """Listen."""
        context = options.pop("ssl", None)

        def greeting() -> Greeting:
            return Greeting(self, protocol_factory(), context)

        return await super().create_server(protocol_factory if context is None else greeting, *args, **options)
