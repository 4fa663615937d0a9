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

import shlex
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

from hengliang.core.errors import UserError
from hengliang.systems.taggers.line_exchange import Reply, Talk, run

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
        found = run(self.arguments, [PROBE], self.starting or STARTING, 0)
        self.startup = time.monotonic() - began
        if isinstance(found, str) or not self.fits(PROBE, found[0]):
            said = found if isinstance(found, str) else _quoted(found[0])
            raise UserError(
                f"The program '{self.command}' did not tag the sentence '{PROBE}': {said}.",
                valid="It reads sentences, one a line, as UTF-8, and writes one line for each: 今天/t 天气/n 很/d 好/a",
                remedy=f"Try it by hand: echo {PROBE} | {self.command}"
                + ("; if it needs longer to start, raise the time limit." if self.starting else ""),
            )
        self.tried, self.echo = True, found[0]
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
        found = run(self.arguments, lines, self.seconds, 2 * self.startup)
        if len(lines) == 1:
            return [found] if isinstance(found, str) else list(found)
        if not isinstance(found, str):
            if not self._shifted(lines, found):
                return list(found)
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


def _quoted(line: bytes) -> str:
    try:
        return f"it answered '{line.decode()[:200]}'"
    except UnicodeDecodeError:
        return f"it answered what is not UTF-8: {line[:40]!r}"
