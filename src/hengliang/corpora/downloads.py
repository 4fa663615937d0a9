"""Downloads of files: resumed after an interruption, verified by checksum, whole or not there.

Bytes gather in `NAME.part` beside the target; only when their checksum is right does the file appear under its name. A
download that was cut off goes on where it stopped, unless the file at the address has changed in the meantime [1].

[1] RFC 9110, HTTP semantics: 13.1.5 If-Range, 14 Range requests.
"""

from __future__ import annotations

import http.client
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from hengliang.core.errors import Failure, UserError, file_errors
from hengliang.core.io.files import acquired_lock
from hengliang.core.signature import file_checksum

Progress = Callable[[int, int | None], None]
"""Is told how many bytes are there and how many there will be (None: the server does not say)."""

_CHUNK = 1 << 18
_TRY_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_NETWORK_ERRORS = (OSError, http.client.HTTPException)
_RESUME = "Give the same command again: it goes on where it stopped."


@dataclass(frozen=True, slots=True)
class _Request:
    """What is to be fetched, from where, and how it is recognised."""

    url: str
    target: Path
    sha256: str
    size: int | None
    timeout: float

    @property
    def part(self) -> Path:
        return self.target.with_name(self.target.name + ".part")

    @property
    def lock(self) -> Path:
        """Is held by the process that downloads."""
        return self.target.with_name(self.target.name + ".part.lock")

    @property
    def note(self) -> Path:
        """Says of which file at which address the part is a part."""
        return self.target.with_name(self.target.name + ".part.json")


class _Interrupted(Exception):
    """The connection broke or the server was busy: worth another try."""


class _Reply(Protocol):
    """What is used of an HTTP response."""

    status: int
    headers: Mapping[str, str]

    def read(self, amount: int, /) -> bytes: ...

    def close(self) -> None: ...


def download(
    url: str,
    target: Path | str,
    sha256: str,
    size: int | None = None,
    progress: Progress | None = None,
    *,
    attempts: int = 4,
    timeout: float = 30.0,
    pause: float = 1.0,
) -> Path:
    """Fetch `url` into the file `target` and return its path; a right file that is there already is left alone.

    The checksum is required. When it does not match, nothing is left under either name. A broken connection is taken up
    again up to `attempts` times, after a pause that doubles each time; what has arrived is kept for the next call.
    """
    scheme = urllib.parse.urlsplit(url).scheme
    if scheme not in {"http", "https"}:
        raise UserError(f"Cannot download '{url}': its scheme is '{scheme}'.", valid="Valid schemes: http, https.")
    request = _Request(url, Path(target), sha256.lower(), size, timeout)
    if request.target.is_file() and file_checksum(request.target) == request.sha256:
        return request.target
    with file_errors(request.target, "write"):
        request.target.parent.mkdir(parents=True, exist_ok=True)
    with _part_file(request) as part:
        for attempt in range(attempts):
            if attempt:
                time.sleep(pause * 2 ** (attempt - 1))
            try:
                _fetch(request, part, progress)
                break
            except _Interrupted as trouble:
                if attempt == attempts - 1:
                    raise _given_up(request, part, trouble, attempts) from trouble
        _settle(request, part)
    return request.target


def _given_up(request: _Request, part: IO[bytes], trouble: _Interrupted, attempts: int) -> Failure:
    there = _length(part)
    of = f" of {request.size:,}" if request.size is not None else ""
    return Failure(
        f"The download of {request.url} stopped after {there:,}{of} bytes: {trouble}.",
        valid=f"It was tried {attempts} times.",
        remedy=_RESUME if there and _read_note(request) else "Check the connection, then give the same command again.",
    )


def _settle(request: _Request, part: IO[bytes]) -> None:
    """Give the part its name if its checksum is right, else remove it."""
    with file_errors(request.part, "write"):
        os.fsync(part.fileno())
    # Windows renames and removes no file that is open.
    part.close()
    actual = file_checksum(request.part)
    if actual != request.sha256:
        raise _discarded(request, part, f"has the SHA-256 {actual}, but {request.sha256} was expected")
    with file_errors(request.target, "write"):
        request.part.replace(request.target)
        request.note.unlink(missing_ok=True)


def _discarded(request: _Request, part: IO[bytes], fault: str) -> Failure:
    with suppress(OSError):
        part.close()
        request.part.unlink(missing_ok=True)
        request.note.unlink(missing_ok=True)
    return Failure(
        f"The file at {request.url} {fault}.",
        valid="It was changed at its origin or damaged on the way; nothing of it was kept.",
        remedy="Try once more; if it happens again, report it, for the catalogue needs the new file.",
    )


# --- one attempt ------------------------------------------------------------------------------------------------------


def _fetch(request: _Request, part: IO[bytes], progress: Progress | None) -> None:
    """Add to the part what is missing of it, from the start where the server wants or the remote file has changed."""
    start, known = _resumable(request, part)
    if request.size is not None and start == request.size:
        return
    reply = _open(request, start, known)
    try:
        if reply.status == 206 and not _continues(reply, start, known):
            raise _spoiled(request, part, "the file at the address has changed")
        if reply.status != 206:
            start = 0
            _truncate(request, part)
        _write_note(request, reply.headers)
        total = _total(request, part, reply, start)
        _copy(request, reply, part, start, total, progress)
    finally:
        reply.close()


def _resumable(request: _Request, part: IO[bytes]) -> tuple[int, dict[str, str]]:
    """Return how much of the part can be kept and the marks of the remote file from which it came."""
    there = _length(part)
    known = _read_note(request) if there else {}
    if not known or (request.size is not None and there > request.size):
        _truncate(request, part)
        return 0, {}
    return there, known


def _open(request: _Request, start: int, known: Mapping[str, str]) -> _Reply:
    headers = {"User-Agent": "hengliang", "Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
        # A weak ETag may not be used here; the marks are compared again when the reply comes.
        mark = known.get("ETag", "")
        headers["If-Range"] = mark if mark and not mark.startswith("W/") else known.get("Last-Modified", "")
        headers = {name: value for name, value in headers.items() if value}
    try:
        reply: _Reply = _opener().open(urllib.request.Request(request.url, headers=headers), timeout=request.timeout)
        return reply
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:  # the remote file is shorter than our part
            request.note.unlink(missing_ok=True)
            raise _Interrupted("the server has no such range") from error
        if error.code in _TRY_AGAIN:
            raise _Interrupted(f"the server answers {error.code} {error.reason}") from error
        raise Failure(
            f"Cannot download {request.url}: the server answers {error.code} {error.reason}.",
            remedy="Check the address in a browser; the file may have moved.",
        ) from error
    except _NETWORK_ERRORS as error:
        raise _Interrupted(_cause(error)) from error


def _opener() -> urllib.request.OpenerDirector:
    """Return an opener that follows redirects within http and https only."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPRedirectHandler,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPErrorProcessor,
        urllib.request.UnknownHandler,
    ):
        opener.add_handler(handler())
    return opener


def _continues(reply: _Reply, start: int, known: Mapping[str, str]) -> bool:
    """Whether a partial reply begins where our part ends and comes from the same remote file."""
    if not reply.headers.get("Content-Range", "").startswith(f"bytes {start}-"):
        return False
    marks = _marks(reply.headers)
    return all(known[name] == marks[name] for name in known.keys() & marks.keys())


def _spoiled(request: _Request, part: IO[bytes], fault: str) -> _Interrupted:
    _truncate(request, part)
    return _Interrupted(fault)


def _total(request: _Request, part: IO[bytes], reply: _Reply, start: int) -> int | None:
    """Return how long the whole file will be, and refuse one of another length than was promised."""
    length = reply.headers.get("Content-Length")
    total = start + int(length) if length is not None and length.isdigit() else None
    if total is not None and request.size is not None and total != request.size:
        raise _discarded(request, part, f"has {total:,} bytes, but {request.size:,} were expected")
    return total


def _copy(
    request: _Request, reply: _Reply, part: IO[bytes], start: int, total: int | None, progress: Progress | None
) -> None:
    there = start
    limit = total if total is not None else request.size
    while True:
        try:
            chunk = reply.read(_CHUNK)
        except _NETWORK_ERRORS as error:
            raise _Interrupted(_cause(error)) from error
        if not chunk:
            break
        there += len(chunk)
        if limit is not None and there > limit:
            raise _discarded(request, part, f"is longer than {limit:,} bytes")
        _append(request, part, chunk)
        if progress is not None:
            progress(there, limit)
    if limit is not None and there < limit:
        raise _Interrupted("the connection was closed too early")


def _cause(error: BaseException) -> str:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(reason, TimeoutError):
        return "no answer in time"
    text = reason.strerror if isinstance(reason, OSError) and reason.strerror else str(reason)
    return (text or type(reason).__name__).lower()


# --- part file, lock and note -----------------------------------------------------------------------------------------


@contextmanager
def _part_file(request: _Request) -> Iterator[IO[bytes]]:
    """Open the part for adding to it, for one process alone; an empty one is not left behind."""
    refusal = Failure(
        f"Another process is downloading {request.target}.",
        remedy="Wait until it has finished, then give the same command again.",
    )
    lock = acquired_lock(request.lock, refusal)
    if not request.lock.exists():
        # Whoever held it has just finished and removed it: the next one would get another of the same name.
        lock.release()
        raise refusal
    try:
        with file_errors(request.part, "write"):
            part = request.part.open("ab", buffering=0)
        try:
            with part:
                yield part
        finally:
            with suppress(OSError):
                if not request.part.stat().st_size:
                    request.part.unlink()
                    request.note.unlink(missing_ok=True)
    finally:
        # Before the release, so that nobody who comes next loses theirs; Windows removes no open file, and it stays.
        with suppress(OSError):
            request.lock.unlink()
        lock.release()


def _length(part: IO[bytes]) -> int:
    return os.fstat(part.fileno()).st_size


def _append(request: _Request, part: IO[bytes], chunk: bytes) -> None:
    """Write all of the chunk: without a buffer a write may take less, and with one the last error comes too late."""
    rest = memoryview(chunk)
    with file_errors(request.part, "write"):
        while rest:
            rest = rest[part.write(rest) :]


def _truncate(request: _Request, part: IO[bytes]) -> None:
    with file_errors(request.part, "write"):
        if _length(part):
            part.truncate(0)
        request.note.unlink(missing_ok=True)


def _marks(headers: Mapping[str, str]) -> dict[str, str]:
    """Return what tells one version of a remote file from another."""
    return {name: value for name in ("ETag", "Last-Modified") if (value := headers.get(name))}


def _write_note(request: _Request, headers: Mapping[str, str]) -> None:
    note = {"url": request.url, "sha256": request.sha256, "marks": _marks(headers)}
    with file_errors(request.note, "write"):
        request.note.write_text(json.dumps(note), encoding="utf-8")


def _read_note(request: _Request) -> dict[str, str]:
    """Return the marks of the remote file that the part came from; none when it may have come from another one."""
    try:
        note = json.loads(request.note.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(note, dict) or note.get("url") != request.url or note.get("sha256") != request.sha256:
        return {}
    marks = note.get("marks")
    return {str(name): str(value) for name, value in marks.items()} if isinstance(marks, dict) else {}
