"""Who may ask what of the survey, and what may a browser do with the pages it gets?

Everything that comes from a browser may be forged. A form carries a token that only this server can make, for one owner
and one purpose; a request that another site caused is refused by what the browser says about its origin; a body has a
limit, however it is sent; and every response, also one about a fault, carries headers that forbid scripts and styles of
others, framing, sniffing and caching.
"""

from __future__ import annotations

import base64
import hmac
import logging
import re
from collections.abc import Awaitable, Callable, Iterable
from hashlib import sha256
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_LIMIT = 64 * 1024
"""How many bytes a request may send."""

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
    (b"x-robots-tag", b"noindex, nofollow"),
)
"""What every response says."""

_TOKEN = re.compile(r"[A-Za-z0-9_-]{20,128}")
_LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]"})
_READING = frozenset({"GET", "HEAD"})
_log = logging.getLogger("hengliang.survey")

FaultPage = Callable[[Request, int, Exception | None, bytes], Awaitable[Response]]
"""Makes the page for a refused or failed request from the request, the status, what was raised, and the body."""


def form_token(secret: bytes, owner: str, purpose: str) -> str:
    """Return the token of a form: `owner` is who may send it (a participant's id, a cookie), `purpose` what for.

    A participant's forms belong to the participant and not to the device, so a form that was open while the same person
    went on elsewhere is still theirs.
    """
    return hmac.new(secret, f"{purpose}\x00{owner}".encode(), sha256).hexdigest()


def check_form_token(secret: bytes, owner: str, purpose: str, token: str) -> bool:
    """Return whether a form's token is right, in a time that says nothing about how wrong it is."""
    return hmac.compare_digest(form_token(secret, owner, purpose).encode(), token.encode("utf-8", "replace"))


def session_after_consent(secret: bytes, visit: str, submission: str) -> str:
    """Return the session of who agrees: of this visit, on this one page, and only this server can make it.

    A stranger who put the visit's cookie into the browser does not know the number of the page. The same page, sent
    twice, has the same session.
    """
    raw = hmac.new(secret, f"session\x00{visit}\x00{submission}".encode(), sha256).digest()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def is_token(value: str) -> bool:
    """Return whether a text looks like a token of ours."""
    return _TOKEN.fullmatch(value) is not None


def cookie_name(name: str, secure: bool) -> str:
    """Return the name of a cookie; over TLS it has the prefix that keeps other hosts from setting it."""
    return f"__Host-{name}" if secure else name


def cookie(request: Request, name: str) -> str | None:
    """Return one of our cookies if the browser sends it and it looks like a token of ours."""
    value = request.cookies.get(cookie_name(name, request.app.state.secure_cookies), "")
    return value if is_token(value) else None


def set_cookie(request: Request, response: Response, name: str, value: str, seconds: int) -> None:
    """Set one of our cookies: not for scripts, not for requests from other sites, over TLS only where there is TLS."""
    secure = request.app.state.secure_cookies
    response.set_cookie(
        cookie_name(name, secure), value, max_age=seconds, path="/", secure=secure, httponly=True, samesite="lax"
    )


def delete_cookie(request: Request, response: Response, name: str) -> None:
    """Have the browser forget one of our cookies."""
    secure = request.app.state.secure_cookies
    response.delete_cookie(cookie_name(name, secure), path="/", secure=secure, httponly=True, samesite="lax")


def client_of(request: Request) -> str:
    """Return from where a request comes, for limits only: it is never stored."""
    return request.client.host if request.client else ""


def allowed_hosts(public_url: str) -> frozenset[str]:
    """Return the names under which the survey may be asked for."""
    name = (urlsplit(public_url).hostname or "").lower()
    return _LOCAL | {f"[{name}]" if ":" in name else name}


class TooLarge(Exception):
    """A body is larger than the limit."""


class Left(Exception):
    """Somebody went, or was too slow, before all of a body had come; a part of a form is not a form."""


class Guard:
    """Stands before all pages: host, origin and size of a request, headers of a response, a page for every fault."""

    def __init__(self, app: ASGIApp, public_url: str, fault_page: FaultPage) -> None:
        self.app = app
        self.public_url = public_url
        self.fault_page = fault_page
        self.hosts = allowed_hosts(public_url)
        parts = urlsplit(public_url)
        self.origin = f"{parts.scheme}://{parts.netloc}".lower().encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        started = False

        async def answer(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = _with_headers(message["headers"])
            await send(message)

        body = b""
        try:
            status = self._refusal(scope)
            if not status and scope["method"] not in _READING:
                body = await _whole_body(receive)
                receive = _replayed(body, receive)
            if not status:
                await self.app(scope, receive, answer)
                return
            fault: Exception | None = None
        except TooLarge as error:
            status, fault = 413, error
        except Left:
            return
        except Exception as error:
            if started:
                raise
            status, fault = 500, error
        response = await self.fault_page(Request(scope), status, fault, body)
        if response.status_code == 500:
            _log.error("A page failed.", exc_info=fault)
        await response(scope, receive, answer)

    def _refusal(self, scope: Scope) -> int:
        """Return the status with which a request is refused before anything else, or 0."""
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1").lower()
        # No address of ours holds the character zero, and PostgreSQL fails at it.
        if re.sub(r":\d*$", "", host) not in self.hosts or "\0" in scope["path"]:
            return 400
        if scope["method"] in _READING:
            return 0
        length = headers.get(b"content-length", b"0")
        if not length.isdigit():
            return 400
        # A number with very many digits is not even worth reading.
        if len(length) > 9 or int(length) > BODY_LIMIT:
            return 413
        return 0 if self._same_origin(headers, host) else 403

    def _same_origin(self, headers: dict[bytes, bytes], host: str) -> bool:
        """Return whether a request that changes something may come from our own pages, as far as the browser says.

        A browser tells `Origin: null` of our own forms, because the pages send no referrer; then `Sec-Fetch-Site`
        decides, and in an old browser or a program without either the form's token alone.
        """
        site = headers.get(b"sec-fetch-site")
        if site is not None:
            return site in {b"same-origin", b"none"}
        origin = headers.get(b"origin", b"null").lower()
        return origin in {b"null", self.origin} or origin in {f"{way}://{host}".encode() for way in ("http", "https")}


def _with_headers(given: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    headers = [*given, *HEADERS]
    # Pages are nobody else's and of this moment; what may be kept (styles, scripts) says so itself.
    if not any(name == b"cache-control" for name, _ in headers):
        headers.append((b"cache-control", b"no-store"))
    return headers


async def _whole_body(receive: Receive) -> bytes:
    """Read a body that may have come without saying its length, and stop at the limit."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Left
        part = message.get("body", b"")
        size += len(part)
        if size > BODY_LIMIT:
            raise TooLarge
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a channel that gives the body once more, whole, and then what really comes."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
