"""Line-based subprocess protocol: programs that answer each line with a line, under limits of time and bytes.

The exchange of lines with one running program comes first; a `LineProgram` finds out how its program buffers, and asks
it again in smaller batches where one fails.

A program may hang, die, write without end, to its output or for people, or leave others running that it has started.
So there is a time limit and a limit of bytes; it runs in a process group of its own, and with it the group is ended.
"""

from __future__ import annotations

import os
import selectors
import shlex
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import IO

from hengliang.core.engine.supervision import Child, cause_of_death, end_family, exit_code
from hengliang.core.errors import Failure, UserError

# --- exchange of lines ------------------------------------------------------------------------------------------------


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
    replies = written.removesuffix(b"\n").split(b"\n") if written else []
    if len(replies) == len(lines):
        return replies
    return f"the program wrote {len(replies):,} lines for {len(lines):,} sentence{'s' * (len(lines) > 1)}"


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
    answers, written = _streams(program)
    unwritten, pieces, size, most = memoryview(content), [rest], len(rest), _most([content])
    source, sink, enough = written.fileno(), answers.fileno(), line and b"\n" in rest
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
                        answers.close()
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
    last_line = ""
    if errors is not None:
        errors.seek(max(0, errors.seek(0, os.SEEK_END) - _LAST))
        last_line = (errors.read().decode(errors="replace").strip().splitlines() or [""])[-1][:200]
    return f"the program {'died' if code and code < 0 else 'ended'} ({cause})" + (f": {last_line}" if last_line else "")


# --- line programs ----------------------------------------------------------------------------------------------------
# Asks a program that reads lines and writes one for each, although it may buffer, crash, hang or miscount.
#
# Some programs write each answer at once, most keep their output back until there is much of it or their input ends.
# Which kind a program is, is found out by trying, on a short sentence: once with the input closed after it, and then,
# if that went well, with the input left open. A program that answers the open input is kept and asked line by line. Any
# other is started anew for each batch, is given the whole of it, and is read to the end.
#
# Line by line, a program that dies or is silent for too long has shown which line it was. In batches, one that fails is
# split into eight, and those again, down to the line that does it: for a line that hangs, each level costs the time
# limit, so few levels are better than halves. A wrong number of lines counts as failing. Lines that are too many by one
# and too few by another within a batch show as neighbouring answers that do not fit; then the same lines are sent with
# the short sentence after each, whose answer is known, and the batch is split where that answer is not in its place.

PROBE = "今天天气很好。"
"""The short sentence that programs are tried on."""

STARTING = 300.0
"""Seconds in which a program must have read its model and answered the short sentence."""

PATIENCE = 1.0
"""Seconds, besides twice the time of a start, in which a program must answer that is to be kept."""

Fits = Callable[[str, bytes], bool]
"""Whether a line of the program can be its answer to a line of ours."""

_CHUNK = 200  # lines asked one by one, until it is tried whether lines and answers are still in step
_FIRST_BATCH, _LARGEST_BATCH, _PARTS = 64, 2000, 8


class LineProgram:
    """A program that answers lines; `seconds` is the time limit for one. `fits` knows an answer when it sees one.

    `starting` are the seconds for reading its model and answering the short sentence, `STARTING` unless it is said.
    """

    def __init__(self, command: str, seconds: float, fits: Fits, starting: float | None = None) -> None:
        self.command, self.seconds, self.fits, self.starting = command, seconds, fits, starting
        self.arguments = arguments(command)
        self.startup = 0.0
        self.echo = b""
        self.talk: Talk | None = None
        self.tried = False
        self.batch = _FIRST_BATCH
        self.lock = threading.Lock()  # lines of two threads would be answered crosswise

    @property
    def answers_at_once(self) -> bool:
        """Whether the program is kept and asked line by line."""
        self._try()
        return self.talk is not None

    def close(self) -> None:
        """End the program, if it runs."""
        if self.talk is not None:
            self.talk.stop()

    def ask(self, lines: Sequence[str]) -> list[Reply]:
        """Return the program's answer to each line; one thread after the other."""
        with self.lock:
            return self._ask(lines)

    def _ask(self, lines: Sequence[str]) -> list[Reply]:
        self._try()
        replies: list[Reply] = []
        while len(replies) < len(lines):
            position = len(replies)
            if self.talk is not None:
                replies += self._in_turn(self.talk, lines[position : position + _CHUNK])
                continue
            began, size = time.monotonic(), self.batch
            replies += self._at_once(lines[position : position + size])
            taken = time.monotonic() - began - self.startup
            if taken < self.seconds / 16:
                self.batch = min(_LARGEST_BATCH, size * 4)
            elif taken > self.seconds / 4:
                self.batch = max(1, size // 4)
        return replies

    def _try(self) -> None:
        """Find out how the program is to be asked; raise when it does not answer at all."""
        if self.tried:
            return
        began = time.monotonic()
        answered = run(self.arguments, [PROBE], self.starting or STARTING, 0)
        self.startup = time.monotonic() - began
        if isinstance(answered, str) or not self.fits(PROBE, answered[0]):
            answer = answered if isinstance(answered, str) else _quoted(answered[0])
            raise UserError(
                f"The program '{self.command}' did not tag the sentence '{PROBE}': {answer}.",
                valid="It reads sentences, one a line, as UTF-8, and writes one line for each: 今天/t 天气/n 很/d 好/a",
                remedy=f"Try it by hand: echo {PROBE} | {self.command}"
                + ("; if it needs longer to start, raise the time limit." if self.starting else ""),
            )
        self.tried, self.echo = True, answered[0]
        talk = Talk(self.arguments)
        if self._stays(talk):
            self.talk = talk
        else:
            talk.stop()

    def _stays(self, talk: Talk) -> bool:
        """Say whether one and the same process answers the short sentence twice.

        A program that ends after each line would be started again for the second one, if it has ended by then.
        """
        patience, processes = PATIENCE + 2 * self.startup, []
        for _ in range(2):
            if talk.answer(PROBE, patience, 0) != self.echo:
                return False
            processes.append(talk.program)
        return processes[0] is processes[1]

    # --- line by line ---

    def _in_turn(self, talk: Talk, lines: Sequence[str]) -> list[Reply]:
        replies = [self._one(talk, line) for line in lines]
        if self._one(talk, PROBE) == self.echo and not self._shifted(lines, replies):
            return replies
        talk.stop()
        return [self._surely(talk, line) for line in lines]

    def _surely(self, talk: Talk, line: str) -> Reply:
        """Ask a line, and then whether the next answer belongs to the next line."""
        reply = self._one(talk, line)
        if isinstance(reply, str) or self._one(talk, PROBE) == self.echo:
            return reply
        talk.stop()
        return "the program wrote not one line for the sentence, but more"

    def _one(self, talk: Talk, line: str) -> Reply:
        return talk.answer(line, self.seconds, 0 if talk.running else 2 * self.startup)

    # --- in batches ---

    def _at_once(self, lines: Sequence[str]) -> list[Reply]:
        replies = run(self.arguments, lines, self.seconds, 2 * self.startup)
        if len(lines) == 1:
            return [replies] if isinstance(replies, str) else list(replies)
        if not isinstance(replies, str):
            if not self._shifted(lines, replies):
                return list(replies)
            both = [part for line in lines for part in (line, PROBE)]
            probed = run(self.arguments, both, self.seconds, 2 * self.startup)
            if not isinstance(probed, str) and all(line == self.echo for line in probed[1::2]):
                return list(probed[::2])
        size = -(-len(lines) // _PARTS)
        return [reply for start in range(0, len(lines), size) for reply in self._at_once(lines[start : start + size])]

    def _shifted(self, lines: Sequence[str], replies: Sequence[Reply]) -> bool:
        """Say whether two neighbouring answers do not fit; one alone is a program that changes a sentence."""
        odd = [
            not isinstance(reply, str) and not self.fits(line, reply)
            for line, reply in zip(lines, replies, strict=True)
        ]
        return any(first and other for first, other in pairwise(odd))


def arguments(command: str) -> list[str]:
    """Return the words of a command, with the path of its program first."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UserError(
            f"The command '{command}' cannot be read: {error}.", remedy="Close its quotation marks."
        ) from error
    if not words:
        raise UserError(
            "The tagger program needs a command.",
            valid="Any program that reads sentences, one a line, and writes word/tag word/tag, one line each.",
            remedy="Name it after a colon: program:COMMAND",
        )
    path = shutil.which(words[0])
    if path is None:
        raise UserError(
            f"There is no program '{words[0]}'.",
            valid="A program is named as in a shell: by its path, or by its name if that is on the PATH.",
            remedy=f"Try it by hand: echo {PROBE} | {command}",
        )
    return [str(Path(path).absolute()), *words[1:]]


def _quoted(line: bytes) -> str:
    try:
        return f"it answered '{line.decode()[:200]}'"
    except UnicodeDecodeError:
        return f"it answered what is not UTF-8: {line[:40]!r}"
