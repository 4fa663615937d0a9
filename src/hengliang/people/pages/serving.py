"""How does a survey answer in a browser, and stop without losing an answer?

One process serves; its database has one writer. A process that is killed leaves nothing behind over which a
new one on the same files would stumble.
"""

from __future__ import annotations

import asyncio
import math
import signal
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from hengliang.core.errors import Failure, UserError
from hengliang.people.pages.addresses import Address, bound_socket, check_address
from hengliang.people.pages.app import survey_app
from hengliang.people.pages.connections import (
    BoundedProtocol,
    Crowd,
    Limits,
    PromptLoop,
    fitted,
    raise_open_files,
)
from hengliang.people.pages.starting import LINKS_FILE, begin, checked_survey, lines_beside, opening_lines
from hengliang.people.sessions.survey import Survey
from hengliang.people.storage.database import Database
from hengliang.people.storage.database import database_url as address_of_database
from hengliang.people.storage.migrating import migrate

GRACE_SECONDS = 30
"""How long a stopping server waits for the answers that are on their way."""
STRICT_TRANSPORT = ("Strict-Transport-Security", "max-age=31536000")


class QuietServer(uvicorn.Server):
    """Stops on Ctrl-C and SIGTERM when what is under way is finished, and returns instead of ending the process."""

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until it is told to stop."""
        with asyncio.Runner(loop_factory=PromptLoop) as runner:
            runner.run(self.serve(sockets=sockets))

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals where that is possible: in the main thread."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        former = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in former.items():
                signal.signal(each, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop; a second Ctrl-C stops at once."""
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True


def server_of(app: ASGIApp, address: Address, limits: Limits | None = None) -> QuietServer:
    """Return a server for the app, which believes nobody about the original request but the stated proxy."""
    trusting = address.behind_proxy is not None
    crowd = Crowd(fitted(limits or Limits()), address.proxy if trusting else None)
    config = uvicorn.Config(
        app,
        # uvicorn calls it and does not care whether it is the class itself.
        http=partial(BoundedProtocol, crowd=crowd),  # type: ignore[arg-type]
        ws="none",
        lifespan="auto",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=trusting,
        forwarded_allow_ips=address.proxy if trusting else "",
        timeout_keep_alive=math.ceil(crowd.limits.idle_seconds),
        timeout_graceful_shutdown=GRACE_SECONDS,
        ssl_certfile=address.tls_certificate,
        ssl_keyfile=address.tls_key,
        headers=[STRICT_TRANSPORT] if address.encrypted else [],
    )
    try:
        config.load()
    except (ssl.SSLError, OSError) as error:
        raise UserError(
            f"Cannot use {address.tls_certificate} with {address.tls_key}: {error}.",
            valid="Two PEM files that belong together: the certificate with its chain, and the key without a password.",
        ) from error
    return QuietServer(config)


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A survey that answers, from a thread of this process."""

    url: str
    """Where it listens."""
    port: int


@contextmanager
def running(
    survey: Survey,
    database: Database,
    *,
    port: int = 0,
    address: Address | None = None,
    clock: Callable[[], float] = time.time,
    steady: Callable[[], float] = time.monotonic,
    limits: Limits | None = None,
) -> Iterator[RunningServer]:
    """Serve from a thread while the block runs; `address` says more than `port`, which 0 leaves to the system."""
    where = check_address(address or Address(port=port))
    with listening(survey, database, where, clock, steady, limits) as (server, sockets, url):
        thread = threading.Thread(target=server.run, kwargs={"sockets": sockets}, name="survey", daemon=True)
        thread.start()
        try:
            _wait_until_started(server, thread)
            yield RunningServer(url, sockets[0].getsockname()[1])
        finally:
            server.should_exit = True
            thread.join(GRACE_SECONDS + 5)


@contextmanager
def listening(
    survey: Survey,
    database: Database,
    address: Address,
    clock: Callable[[], float] = time.time,
    steady: Callable[[], float] = time.monotonic,
    limits: Limits | None = None,
) -> Iterator[tuple[QuietServer, list[socket.socket], str]]:
    """Give a server that does not answer yet, its sockets, which already listen, and the address for participants."""
    bound = bound_socket(address.host, address.port)
    try:
        url = address.url(bound.getsockname()[1])
        app = survey_app(survey, database, public_url=url, secure_cookies=address.encrypted, clock=clock, steady=steady)
        yield server_of(app, address, limits), [bound], url
    finally:
        with suppress(OSError):
            bound.close()


def _wait_until_started(server: uvicorn.Server, thread: threading.Thread, seconds: float = 30.0) -> None:
    until = time.monotonic() + seconds
    while not server.started:
        if not thread.is_alive() or time.monotonic() > until:
            raise Failure("The survey's server did not start.", remedy="Set HENGLIANG_DEBUG=1 and try again.")
        time.sleep(0.005)


def serve(
    folder: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    database_url: str | None = None,
    tls_certificate: Path | None = None,
    tls_key: Path | None = None,
    behind_proxy: str | None = None,
    proxy: str = "127.0.0.1",
    public_url: str | None = None,
    new_invitation: bool = False,
    tell: Callable[[str], None] = print,
    keep_links: bool = False,
) -> None:
    """Serve a folder in the foreground until Ctrl-C or SIGTERM; `tell` is given every line that is to be shown.

    `keep_links` writes the links, which are secrets, into a file in the folder instead: others may read what is shown.
    """
    address = check_address(Address(host, port, tls_certificate, tls_key, behind_proxy, proxy, public_url))
    survey = checked_survey(folder)
    url = address_of_database(folder, database_url)
    raise_open_files()
    migrate(url)
    with Database.open(url, alone=True) as database, listening(survey, database, address) as (server, sockets, public):
        links = database.write(begin, survey, public, new_invitation, time.time()).result()
        told = lines_beside(folder / LINKS_FILE, public, links, folder) if keep_links else ()
        for line in opening_lines(survey, public, links, folder, told):
            tell(line)
        server.run(sockets=sockets)
    tell("Stopped. Every answer that was acknowledged is kept; the same command goes on from there.")
