"""Progress of long work: bars with the remaining time in a terminal, lines in a log, or silence.

Work tells a `Watcher` how far it is and need not know who watches. No number depends on it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from hengliang.core.closure import outside_signatures

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress


@outside_signatures("progress is shown, not counted")
class Steps(Protocol):
    """A counter that somebody may be watching."""

    def advance(self, steps: int = 1) -> None:
        """Say that so many more steps are done."""


@outside_signatures("progress is shown, not counted")
class Watcher(Protocol):
    """Somebody who is told how the work goes."""

    def watch(self, what: str, total: int | None) -> AbstractSteps:
        """Begin a piece of work of so many steps."""

    def say(self, message: str) -> None:
        """Tell one thing worth knowing."""


@outside_signatures("progress is shown, not counted")
class AbstractSteps(Steps, Protocol):
    """Steps as a context: the display ends with the block."""

    def __enter__(self) -> Steps: ...

    def __exit__(self, *failure: object) -> None: ...


@outside_signatures("progress is shown, not counted")
@dataclass
class SilentSteps:
    """Nobody watches."""

    def advance(self, steps: int = 1) -> None:
        """Count for nobody."""

    def __enter__(self) -> SilentSteps:
        return self

    def __exit__(self, *failure: object) -> None:
        return None


@outside_signatures("progress is shown, not counted")
@dataclass(frozen=True)
class Silent:
    """Tells nobody (`--quiet`, and the default in programs)."""

    def watch(self, what: str, total: int | None) -> SilentSteps:
        """Begin a piece of work unseen."""
        return SilentSteps()

    def say(self, message: str) -> None:
        """Keep it to oneself."""


@outside_signatures("progress is shown, not counted")
@dataclass
class BarSteps:
    """A bar in the terminal with the remaining time.

    Nobody sees a bar move in a file or a pipe, where all that is left of it would be an empty line: there is none.
    """

    what: str
    total: int | None
    console: Console
    bar: Progress = field(init=False)

    def __enter__(self) -> BarSteps:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        left = (TextColumn("left"), TimeRemainingColumn())
        unseen = not (self.console.is_interactive or self.console.is_jupyter)
        self.bar = Progress(*columns, *left, console=self.console, transient=True, disable=unseen)
        self.bar.start()
        self.task = self.bar.add_task(self.what, total=self.total)
        return self

    def __exit__(self, *failure: object) -> None:
        self.bar.stop()

    def advance(self, steps: int = 1) -> None:
        """Move the bar."""
        self.bar.advance(self.task, steps)


def _error_stream() -> Console:
    from rich.console import Console

    return Console(stderr=True)


@outside_signatures("progress is shown, not counted")
@dataclass(frozen=True)
class Terminal:
    """Shows bars on the error stream, so that standard output stays clean for results.

    `about` stands before each bar and each line and says whose they are, where several work one after the other.
    """

    console: Console = field(default_factory=_error_stream)
    about: str = ""

    def watch(self, what: str, total: int | None) -> BarSteps:
        """Begin a piece of work with a bar."""
        return BarSteps(self._named(what), total, self.console)

    def say(self, message: str) -> None:
        """Print one line."""
        self.console.print(self._named(message), highlight=False, markup=False)

    def _named(self, message: str) -> str:
        return f"{self.about}: {message}" if self.about else message


@outside_signatures("progress is shown, not counted")
@dataclass(frozen=True)
class Lines:
    """Draws no bars and prints what is said to the error stream: for work of hours whose output goes to a file.

    `about` stands before each line and says who speaks, where several do.
    """

    about: str = ""

    def watch(self, what: str, total: int | None) -> SilentSteps:
        """Begin a piece of work unseen."""
        return SilentSteps()

    def say(self, message: str) -> None:
        """Print one line at once."""
        print(f"{self.about}: {message}" if self.about else message, file=sys.stderr, flush=True)


@outside_signatures("progress is shown, not counted")
def long_watcher() -> Watcher:
    """Return a display for long work: bars where somebody can see them, else lines, which a log file keeps."""
    seen = usual_watcher()
    return Lines() if isinstance(seen, Silent) else seen


@outside_signatures("progress is shown, not counted")
def usual_watcher() -> Watcher:
    """Return a display where somebody can see it, a terminal or a notebook, and silence elsewhere."""
    return Terminal() if sys.stderr.isatty() or "ipykernel" in sys.modules else Silent()
