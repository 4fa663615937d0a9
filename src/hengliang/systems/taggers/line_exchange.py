"""How are lines written to a program and read from it, in time, and without filling the memory or the disk?

A program may hang, die, write without end, to its output or for people, or leave others running that it has started.
So there is a time limit and a limit of bytes; it runs in a process group of its own, and with it the group is ended.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from hengliang.core.engine.supervision import Child, cause_of_death, end_family, exit_code
from hengliang.core.errors import Failure

Reply = bytes | str
"""The line that a program wrote, or a text that says why there is none."""

MUCH, MUCH_MORE = 1 << 20, 32
"""Bytes that a program may write, and those more for each byte that it was given: it could go on for ever."""

_GLANCE = 0.2  # seconds, after which it is looked at how much a program has written for people
_KEPT_MESSAGES, _LAST = 1 << 24, 2000  # bytes of what it has written for people
_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "utf-8", "PYTHONUNBUFFERED": "1"}


class Talk(Child):
    """A program that is kept running and asked line by line; started when it is asked something."""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.rest = b""
        self.program: subprocess.Popen[bytes] | None = None
        self.errors: IO[bytes] | None = None

    def ended(self, seconds: float = 0.0) -> int | None:
        """Return the exit code of the program that was started."""
        return None if self.program is None else _exit_code(self.program, seconds)

    def start(self) -> None:
        """Start the program."""
        self.stop()
        self.program, self.errors = _start(self.words)
        self.ends_by(_end, self.program)

    def answer(self, line: str, seconds: float, grace: float) -> Reply:
        """Return the line that the program writes next; without one within seconds and grace it is ended."""
        if not self.running:
            self.start()
        return self.ask(line.encode() + b"\n", seconds, grace)

    def exchange(self, message: bytes | None, deadline: float) -> Reply | None:
        """Write to its input and return the next line, None when it has closed its output, a problem, or ""."""
        written = _exchanged(self.program, message or b"", deadline, self.errors, self.rest, line=True)
        if not isinstance(written, bytes):
            return written
        line, newline, self.rest = written.partition(b"\n")
        return line if newline else None

    def death(self) -> str:
        """Say how it ended, with the last line that it wrote for people."""
        return "the program was not started" if self.program is None else _death(self.program, self.errors)

    def stop(self) -> None:
        """End the program and all that it has started."""
        super().stop()
        if self.errors is not None:
            self.errors.close()
        self.program, self.errors, self.rest = None, None, b""


def run(words: list[str], lines: Sequence[str], seconds: float, grace: float) -> Sequence[bytes] | str:
    """Start a program, give it all the lines and return as many as it was given, or what went wrong."""
    deadline = time.monotonic() + seconds + grace
    program, errors = _start(words)
    with errors:
        try:
            written = _exchanged(program, "".join(f"{line}\n" for line in lines).encode(), deadline, errors)
            if isinstance(written, str):
                return written or f"gave no answer within {seconds:g} s"
            code = _exit_code(program, deadline - time.monotonic())
            if code is None:
                return f"gave no answer within {seconds:g} s"
            if code:
                return _death(program, errors)
        finally:
            _end(program)
    found = written.removesuffix(b"\n").split(b"\n") if written else []
    if len(found) == len(lines):
        return found
    return f"the program wrote {len(found):,} lines for {len(lines):,} sentence{'s' * (len(lines) > 1)}"


def _exchanged(
    program: subprocess.Popen[bytes] | None,
    content: bytes,
    deadline: float,
    errors: IO[bytes] | None,
    rest: bytes = b"",
    *,
    line: bool = False,
) -> Reply:
    """Write all that a program is to read and return the rest and all that it writes; a problem, or "" when time is up.

    A `line` is enough, if it writes one, and its input stays open.
    """
    given, written = _streams(program)
    unwritten, pieces, size, most = memoryview(content), [rest], len(rest), _most([content])
    source, sink, enough = written.fileno(), given.fileno(), line and b"\n" in rest
    os.set_blocking(sink, False)
    with selectors.DefaultSelector() as selector:
        selector.register(source, selectors.EVENT_READ)
        selector.register(sink, selectors.EVENT_WRITE)
        while unwritten or not enough:
            if size > most:
                return _too_much(most)
            ready = _wait(selector, deadline, errors)
            if ready is None:
                return ""
            if sink in ready:
                unwritten = _written(sink, unwritten)
                if not unwritten:
                    selector.unregister(sink)
                    if not line:
                        given.close()
            if source in ready:
                pieces.append(os.read(source, 1 << 16))
                size += len(pieces[-1])
                if not pieces[-1]:
                    break
                enough = enough or (line and b"\n" in pieces[-1])
    return b"".join(pieces)


def _written(sink: int, content: memoryview) -> memoryview:
    """Write as much as goes and return what is left: nothing, when nobody reads any more."""
    try:
        return content[os.write(sink, content[: 1 << 16]) :]
    except BlockingIOError:
        return content
    except OSError:
        return content[:0]


def _wait(selector: selectors.BaseSelector, deadline: float, errors: IO[bytes] | None) -> set[int] | None:
    """Return which streams are ready, perhaps none yet; None when time is up, however busy the program is."""
    left = deadline - time.monotonic()
    if left <= 0:
        return None
    ready = {key.fd for key, _ in selector.select(min(left, _GLANCE))}
    if errors is not None:
        _forget_all_but_the_last(errors.fileno())
    return ready


def _forget_all_but_the_last(messages: int) -> None:
    """Give back the room on the disk that messages take, if that is much; the program writes on where it was."""
    state = os.fstat(messages)
    if state.st_blocks * 512 > _KEPT_MESSAGES:
        last = os.pread(messages, _LAST, max(0, state.st_size - _LAST))
        os.ftruncate(messages, 0)
        os.pwrite(messages, last, max(0, state.st_size - _LAST))


def _most(given: Sequence[str | bytes]) -> int:
    return MUCH + MUCH_MORE * sum(map(len, given))


def _too_much(most: int) -> str:
    return f"the program wrote more than {most:,} bytes"


def _start(words: list[str]) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    errors = tempfile.TemporaryFile()  # noqa: SIM115  # it is open as long as the program runs
    try:
        program = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, **_ENVIRONMENT},
            # A group of its own: what it has started is ended with it, and Ctrl-C reaches it only through us.
            process_group=0,
        )
    except OSError as error:
        errors.close()
        raise Failure(f"The program {words[0]} cannot be started: {error.strerror}.") from error
    return program, errors


def _streams(program: subprocess.Popen[bytes] | None) -> tuple[IO[bytes], IO[bytes]]:
    if program is None or program.stdin is None or program.stdout is None:
        raise RuntimeError("the program was not started")
    return program.stdin, program.stdout


def _exit_code(program: subprocess.Popen[bytes], seconds: float = 0.0) -> int | None:
    return program.poll() if program.returncode is not None else exit_code(program.pid, program.poll, seconds)


def _end(program: subprocess.Popen[bytes]) -> None:
    if program.returncode is None:  # else its number may by now be another's
        end_family(program.pid)
        program.wait()
    for stream in (program.stdin, program.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()


def _death(program: subprocess.Popen[bytes], errors: IO[bytes] | None) -> str:
    """Say how a program ended, with the last line that it wrote for people."""
    code = _exit_code(program, 2)
    cause = "it closed its output" if code is None else cause_of_death(code)
    said = ""
    if errors is not None:
        errors.seek(max(0, errors.seek(0, os.SEEK_END) - _LAST))
        said = (errors.read().decode(errors="replace").strip().splitlines() or [""])[-1][:200]
    return f"the program {'died' if code and code < 0 else 'ended'} ({cause})" + (f": {said}" if said else "")
