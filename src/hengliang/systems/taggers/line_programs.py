"""How is a program asked that reads lines and writes one for each, when it may buffer, crash, hang or miscount?

Some programs write each answer at once, most keep their output back until there is much of it or their input ends.
Which it is, is found out by trying, on a short sentence: once with the input closed after it, and then, if that went
well, with the input left open. A program that answers the open input is kept and asked line by line. Any other is
started anew for each batch, is given the whole of it, and is read to the end.

Line by line, a program that dies or is silent for too long has told which line it was. In batches, one that fails is
split into eight, and those again, down to the line that does it: for a line that hangs, each level costs the time
limit, so few levels are better than halves. A wrong number of lines counts as failing. Lines that are too many by one
and too few by another within a batch show as neighbouring answers that do not fit; then the same lines are sent with
the short sentence after each, whose answer is known, and the batch is split where it is not in its place.
"""

from __future__ import annotations

import os
import selectors
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import IO

from hengliang.errors import Failure, UserError

PROBE = "今天天气很好。"
"""The short sentence that programs are tried on."""

STARTING = 300.0
"""Seconds in which a program must have read its model and answered the short sentence."""

PATIENCE = 1.0
"""Seconds, besides twice the time of a start, in which a program must answer that is to be kept."""

Reply = bytes | str
"""The line that a program wrote, or a text that says why there is none."""

Fits = Callable[[str, bytes], bool]
"""Whether a line of the program can be its answer to a line of ours."""

_CHUNK = 200  # lines asked one by one, until it is tried whether lines and answers are still in step
_FIRST_BATCH, _LARGEST_BATCH, _PARTS = 64, 2000, 8
_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "utf-8", "PYTHONUNBUFFERED": "1"}


class LineProgram:
    """A program that answers lines; `seconds` is the time limit for one. `fits` knows an answer when it sees one."""

    def __init__(self, command: str, seconds: float, fits: Fits) -> None:
        self.command, self.seconds, self.fits = command, seconds, fits
        self.arguments = arguments(command)
        self.startup = 0.0
        self.echo = b""
        self.talk: _Talk | None = None
        self.tried = False
        self.batch = _FIRST_BATCH

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
        """Return the program's answer to each line."""
        self._try()
        replies: list[Reply] = []
        while len(replies) < len(lines):
            place = len(replies)
            if self.talk is not None:
                replies += self._in_turn(self.talk, lines[place : place + _CHUNK])
                continue
            began, size = time.monotonic(), self.batch
            replies += self._at_once(lines[place : place + size])
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
        found = _run(self.arguments, [PROBE], STARTING, 0)
        self.startup = time.monotonic() - began
        if isinstance(found, str) or not self.fits(PROBE, found[0]):
            said = found if isinstance(found, str) else f"it answered '{found[0].decode(errors='replace')[:200]}'"
            raise UserError(
                f"The program '{self.command}' did not tag the sentence '{PROBE}': {said}.",
                valid="It reads sentences, one a line, as UTF-8, and writes one line for each: 今天/t 天气/n 很/d 好/a",
                remedy=f"Try it by hand: echo {PROBE} | {self.command}",
            )
        self.tried, self.echo = True, found[0]
        talk = _Talk(self.arguments)
        patience = PATIENCE + 2 * self.startup
        if all(talk.ask(PROBE, patience, 0) == self.echo for _ in range(2)):
            self.talk = talk
        else:
            talk.stop()

    # --- line by line ---

    def _in_turn(self, talk: _Talk, lines: Sequence[str]) -> list[Reply]:
        replies = [self._one(talk, line) for line in lines]
        if self._one(talk, PROBE) == self.echo and not self._shifted(lines, replies):
            return replies
        talk.stop()
        return [self._surely(talk, line) for line in lines]

    def _surely(self, talk: _Talk, line: str) -> Reply:
        """Ask a line, and then whether the next answer belongs to the next line."""
        reply = self._one(talk, line)
        if isinstance(reply, str) or self._one(talk, PROBE) == self.echo:
            return reply
        talk.stop()
        return "the program wrote not one line for the sentence, but more"

    def _one(self, talk: _Talk, line: str) -> Reply:
        return talk.ask(line, self.seconds, 0 if talk.running else 2 * self.startup)

    # --- in batches ---

    def _at_once(self, lines: Sequence[str]) -> list[Reply]:
        found = _run(self.arguments, lines, self.seconds, 2 * self.startup)
        if len(lines) == 1:
            return [found] if isinstance(found, str) else list(found)
        if not isinstance(found, str):
            if not self._shifted(lines, found):
                return list(found)
            both = [part for line in lines for part in (line, PROBE)]
            probed = _run(self.arguments, both, self.seconds, 2 * self.startup)
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
        return any(one and other for one, other in pairwise(odd))


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


class _Talk:
    """A program that is kept running and asked line by line; started when it is asked something."""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.rest = b""
        self.program: subprocess.Popen[bytes] | None = None
        self.errors: IO[bytes] | None = None
        self.end: weakref.finalize[..., _Talk] | None = None

    @property
    def running(self) -> bool:
        return self.program is not None and self.program.poll() is None

    def ask(self, line: str, seconds: float, grace: float) -> Reply:
        """Return the line that the program writes next; without one within seconds and grace it is ended."""
        if not self.running:
            self.stop()
            self.program, self.errors = _start(self.words)
            self.end = weakref.finalize(self, _end, self.program)
        program = self.program
        if program is None or program.stdin is None or program.stdout is None:
            raise RuntimeError("the program was not started")
        try:
            with suppress(OSError):  # a program that is dead is noticed when it is read
                program.stdin.write(line.encode() + b"\n")
                program.stdin.flush()
            reply = self._read(program.stdout, time.monotonic() + seconds + grace)
        except BaseException:  # Ctrl-C: nobody waits for what it is doing now
            self.stop()
            raise
        if isinstance(reply, bytes):
            return reply
        problem = _death(program, self.errors) if reply is None else f"gave no answer within {seconds:g} s"
        self.stop()
        return problem

    def _read(self, stream: IO[bytes], deadline: float) -> bytes | bool | None:
        """Return the next line, None when the program has closed its output, True when time is up."""
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            while b"\n" not in self.rest:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    return True
                read = os.read(stream.fileno(), 1 << 16)
                if not read:
                    return None
                self.rest += read
        line, _, self.rest = self.rest.partition(b"\n")
        return line

    def stop(self) -> None:
        """End the program and all that it has started."""
        if self.end is not None:
            self.end()
        if self.errors is not None:
            self.errors.close()
        self.program, self.errors, self.end, self.rest = None, None, None, b""


def _run(words: list[str], lines: Sequence[str], seconds: float, grace: float) -> Sequence[bytes] | str:
    """Start a program, give it all the lines and return as many as it was given, or what went wrong."""
    program, errors = _start(words)
    with errors:
        try:
            written, _ = program.communicate("".join(f"{line}\n" for line in lines).encode(), seconds + grace)
        except subprocess.TimeoutExpired:
            return f"gave no answer within {seconds:g} s"
        finally:
            _end(program)
        if program.returncode:
            return _death(program, errors)
    found = written.removesuffix(b"\n").split(b"\n") if written else []
    if len(found) == len(lines):
        return found
    return f"the program wrote {len(found):,} lines for {len(lines):,} sentence{'s' * (len(lines) > 1)}"


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


def _end(program: subprocess.Popen[bytes]) -> None:
    if program.returncode is None:  # else its number may by now be another's
        with suppress(OSError):
            os.killpg(program.pid, signal.SIGKILL)
        program.wait()
    for stream in (program.stdin, program.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()


def _death(program: subprocess.Popen[bytes], errors: IO[bytes] | None) -> str:
    """Say how a program ended, with the last line that it wrote for people."""
    with suppress(subprocess.TimeoutExpired):
        program.wait(2)
    code = program.poll()
    cause = "it closed its output" if code is None else f"signal {-code}" if code < 0 else f"exit code {code}"
    said = ""
    if errors is not None:
        errors.seek(max(0, errors.seek(0, os.SEEK_END) - 2000))
        said = (errors.read().decode(errors="replace").strip().splitlines() or [""])[-1][:200]
    return f"the program {'died' if code and code < 0 else 'ended'} ({cause})" + (f": {said}" if said else "")
