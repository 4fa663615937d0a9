"""Supervised processes: started when they are asked, answered in time, seen when they die, ended with all they started.

Engines, taggers in a process of their own and programs that read lines have this in common: somebody waits for one
answer at a time. `Child` is such a process of any kind; `Worker` is a Python process that loads a function once and
answers one batch after the other, and the last section is what it does there.

A child leads a process group of its own. It is ended with its group, and with what its members have started in groups
of their own, as far as Linux tells who that is; a worker whose parent was killed does the same by itself.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import ModuleType
from typing import Any

from hengliang.core.errors import Failure, UserError

Files = dict[str, tuple[str, list[str] | None]]  # of modules: name, file, folders of a package
CAN_HOLD = hasattr(signal, "pthread_sigmask")  # everywhere but on Windows
_FAREWELL = b""  # no batch is packed into nothing
_LAST_MOMENTS = 2.0  # seconds that a dying process may take until the operating system says how it ended


def cause_of_death(code: int | None) -> str:
    """Say how a process ended, by its exit code: negative for a signal, None when the operating system did not tell."""
    if code is None:
        return "an unknown exit code"
    return f"exit code {code}" if code >= 0 else f"signal {_signal_name(-code)}"


def _signal_name(number: int) -> str:
    return next((known.name for known in signal.Signals if known == number), str(number))


def exit_code(number: int, otherwise: Callable[[], int | None], seconds: float = 0.0) -> int | None:
    """Return how a child has ended, or None when it still runs after so long; a signal is a negative number.

    Its entry stays, so that its number is nobody else's, and what it has started can be ended with it. `otherwise` is
    asked where that is not possible.
    """
    deadline, pause = time.monotonic() + seconds, 0.0005
    while True:
        code = _entry(number, otherwise)
        if code is not None or time.monotonic() >= deadline:
            return code
        time.sleep(min(pause, max(0.0, deadline - time.monotonic())))
        pause = min(2 * pause, 0.05)


def _entry(number: int, otherwise: Callable[[], int | None]) -> int | None:
    if not hasattr(os, "waitid"):  # macOS had none before Python 3.13
        return otherwise()
    try:
        status = os.waitid(os.P_PID, number, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:  # somebody else has asked for it
        return otherwise()
    if status is None:
        return None
    return status.si_status if status.si_code == os.CLD_EXITED else -status.si_status


def is_child(number: int) -> bool:
    """Say whether a process is a child of ours, running or dead; else its number may by now be another's."""
    if hasattr(os, "waitid"):
        try:
            os.waitid(os.P_PID, number, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return False
    return True


def end_family(leader: int) -> None:
    """Kill a process that leads a group, its group, and whoever they have started that leads another group."""
    if not hasattr(os, "killpg"):  # Windows
        return
    # A shell whose command was killed would go on to its next command: so it is killed before, with its group.
    for descendant in list(_descendants(leader)):
        with suppress(OSError):
            kill = os.killpg if os.getpgid(descendant) == descendant else os.kill
            kill(descendant, signal.SIGKILL)
    with suppress(OSError):
        os.killpg(leader, signal.SIGKILL)


def _descendants(number: int) -> Iterator[int]:
    """Yield the processes that a process has started, each before its own, as far as Linux tells."""
    threads: list[Path] = []
    with suppress(OSError):
        threads.extend(Path(f"/proc/{number}/task").iterdir())
    for thread in threads:
        with suppress(OSError):  # one thread that has just ended hides nothing of the others
            for child in (thread / "children").read_text(encoding="ascii").split():
                yield int(child)
                yield from _descendants(int(child))


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back; a process started meanwhile is born with it blocked and so shows no traceback of its own."""
    if not CAN_HOLD:
        yield
        return
    # Python starts this helper with the first worker and then unblocks SIGINT, so it must run before we block it.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Child(ABC):
    """A process that answers one message at a time: one that is not in time is ended, and may be started anew."""

    _finalizer: weakref.finalize[..., Child] | None = None
    _owner = 0

    @property
    def running(self) -> bool:
        """Whether it runs and is ours: a fork of us has this object too, and starts a process of its own."""
        return self._owner == os.getpid() and self.ended() is None

    @abstractmethod
    def ended(self, seconds: float = 0.0) -> int | None:
        """Return the exit code, after so many seconds at most; None as long as it runs."""

    @abstractmethod
    def start(self) -> None:
        """Start it, and say by `ends_by` how it is ended."""

    @abstractmethod
    def exchange(self, message: bytes | None, deadline: float) -> bytes | str | None:
        """Send it a message and return its answer, None when it is dead, "" when time is up, or what else is wrong."""

    @abstractmethod
    def death(self) -> str:
        """Say how it died."""

    def ends_by(self, end: Callable[..., None], *arguments: object) -> None:
        """Keep how the process is ended: by `stop`, or when this object or the whole program goes."""
        self._owner = os.getpid()
        self._finalizer = weakref.finalize(self, _end_own, self._owner, end, *arguments)

    def stop(self) -> None:
        """End the process, if it runs, and all that it has started."""
        if self._finalizer is not None:
            self._finalizer()
        self._finalizer, self._owner = None, 0

    def ask(self, message: bytes | None, seconds: float, grace: float = 0) -> bytes | str:
        """Return the answer to a message, or why there is none; then the process has ended.

        It must come within `seconds` and some `grace` of which nobody is told. Without a message it is only waited for.
        """
        try:
            answer = self.exchange(message, time.monotonic() + seconds + grace)
            if isinstance(answer, bytes):
                return answer
            problem = self.death() if answer is None else answer or f"gave no answer within {seconds:g} s"
        except BaseException:  # Ctrl-C: nobody waits for what it is doing now
            self.stop()
            raise
        self.stop()
        return problem


def _end_own(owner: int, end: Callable[..., None], *arguments: object) -> None:
    if os.getpid() == owner:  # a fork leaves the process to us
        end(*arguments)


class Worker(Child):
    """A Python process that says `started`, is sent a packed function, says `ready`, and answers packed batches."""

    def __init__(self, name: str, environment: Mapping[str, str] | None = None, remedy: str = "") -> None:
        self.name, self.environment, self.remedy = name, environment or {}, remedy
        self.process: SpawnProcess | None = None
        self.connection: Connection | None = None
        self.left_unread = False

    @property
    def handles(self) -> list[Any]:
        """What can be waited for: its answers, and its death."""
        return [] if self.process is None else [self.connection, self.process.sentinel]

    def ended(self, seconds: float = 0.0) -> int | None:
        """Return the exit code, which a pipe that is kept open by a child of its own would hide."""
        if self.process is None or self.process.pid is None:
            return None
        process = self.process
        return exit_code(self.process.pid, lambda: process.exitcode, seconds)

    def start(self) -> None:
        """Start the process, or another one when it was lost; its first words are read by whoever asks."""
        self.stop()
        this = multiprocessing.current_process()
        if getattr(this, "_inheriting", False):
            # A worker imports the user's script and meets the unguarded call: end quietly, the parent explains.
            raise SystemExit(1)
        with interrupts_held():
            self.process, self.connection = self._spawned(getattr(this, "_config", {}))
            self.ends_by(_end_worker, self.process, self.connection)

    def _spawned(self, settings: dict[str, Any]) -> tuple[SpawnProcess, Connection]:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=work, args=(theirs, modules_by_file()), name=self.name, daemon=True)
        # Libraries read these while they are imported, which is before a worker runs any line of ours.
        added = {name: value for name, value in self.environment.items() if name not in os.environ}
        os.environ.update(added)
        # A worker is a daemon, and a daemon may have no children as long as it says so. Ours end with their parent.
        daemon = settings.pop("daemon", None)
        try:
            process.start()
        except OSError as error:
            ours.close()
            raise Failure(f"A worker process could not be started: {error.strerror}.", remedy=self.remedy) from error
        finally:
            theirs.close()
            for name in added:
                del os.environ[name]
            if daemon is not None:
                settings["daemon"] = daemon
        return process, ours

    def write(self, message: bytes) -> None:
        """Send it a packed function or batch; an `OSError` is that it is dead."""
        if self.connection is None:
            raise RuntimeError("the process was not started")
        self.connection.send_bytes(message)

    def exchange(self, message: bytes | None, deadline: float) -> bytes | str | None:
        """Send it something packed and return its packed answer, None when it is dead, or "" when time is up."""
        if message is not None:
            with suppress(OSError):  # a process that is dead is noticed when it is read
                self.write(message)
        if not wait(self.handles, max(0.0, deadline - time.monotonic())) and self.running:
            return ""
        return self.last_words()

    def last_words(self) -> bytes | None:
        """Return what a worker has to say that was heard, or None if it is dead."""
        message = self._said()
        if message is None:
            # Heard, but nothing to say: it is dying, even if a child of its own keeps the pipe open. Its last answer
            # may have come a moment ago, and only after its end is it certain what it left unread.
            self.ended(_LAST_MOMENTS)
            message = self._said()
        return message

    def _said(self) -> bytes | None:
        try:
            if self.connection is not None and self.connection.poll():
                return self.connection.recv_bytes()
        except ConnectionResetError:
            self.left_unread = True  # Linux: it left bytes unread, so it never had the batch
        except (EOFError, OSError):
            pass
        return None

    def death(self) -> str:
        """Say how it died."""
        code = self.bury()
        return f"process died ({'it closed its pipe' if code is None else cause_of_death(code)})"

    def bury(self) -> int | None:
        """End what a dying worker has started and return its exit code; None when it had to be ended itself."""
        code = self.ended(_LAST_MOMENTS)
        self.stop()
        return code

    def stop(self) -> None:
        """End the process and all that it has started, if it runs."""
        super().stop()
        self.process, self.connection = None, None  # its number may be another's from now on


def part_in_peace(workers: Sequence[Worker]) -> None:
    """Let workers that have nothing to do end by themselves, all at once; end those that do not."""
    for worker in workers:
        if worker.running:
            with suppress(OSError):
                worker.write(_FAREWELL)
    deadline = time.monotonic() + _LAST_MOMENTS
    for worker in workers:
        worker.ended(max(0.01, deadline - time.monotonic()))
        worker.stop()


def _end_worker(process: SpawnProcess, connection: Connection) -> None:
    if process.pid is not None and is_child(process.pid):
        end_family(process.pid)
        process.kill()  # it may not lead its group yet
    connection.close()
    process.join(5)


# --- inside the worker ------------------------------------------------------------------------------------------------


def modules_by_file() -> Files:
    """Find the modules that their names alone would not find again, such as a user's file loaded by its path."""
    searched = {Path(entry).resolve() for entry in sys.path}
    files: Files = {}
    for name, module in list(sys.modules.items()):
        file = module.__dict__.get("__file__") if isinstance(module, ModuleType) else None
        if file and "." not in name and name not in {"__main__", "__mp_main__"}:
            path, folders = Path(file).resolve(), module.__dict__.get("__path__")
            importable = path.parent if folders else path
            if importable.parent not in searched or importable.name.partition(".")[0] != name:
                files[name] = (str(path), list(folders) if folders else None)
    return files


@dataclass(frozen=True, slots=True)
class FilesFirst:
    """A finder that loads a module from the very file the parent process has it from."""

    files: Files

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Say where a module is loaded from, if it is one of the files."""
        if name not in self.files:
            return None
        file, folders = self.files[name]
        return importlib.util.spec_from_file_location(name, file, submodule_search_locations=folders)


def work(connection: Connection, files: Files) -> None:
    """Run in the worker: load the function once, then answer one batch after the other until the farewell."""
    if hasattr(os, "setpgrp"):  # not on Windows
        os.setpgrp()
    # A handler rather than SIG_IGN: programs that the function starts still end on Ctrl-C.
    signal.signal(signal.SIGINT, lambda number, frame: None)
    if CAN_HOLD:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.meta_path.insert(0, FilesFirst(files))
    with suppress(EOFError, OSError):
        connection.send_bytes(pack(("started", None)))
        packed = connection.recv_bytes()
        try:
            function = pickle.loads(packed)
        except BaseException as error:
            connection.send_bytes(unloadable(error))
            return
        del packed
        connection.send_bytes(pack(("ready", None)))
        while batch := connection.recv_bytes():
            connection.send_bytes(answer(function, batch))
        return
    _end_with_all()  # nobody said farewell: the parent is dead


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        wait([parent.sentinel])
        _end_with_all()


def _end_with_all() -> None:
    end_family(os.getpid())
    os._exit(1)


def answer(function: Callable[[Any], Any], packed: bytes, read: Callable[[bytes], Any] = pickle.loads) -> bytes:
    """Return what there is to say about a batch, packed: its result, or why there is none."""
    try:
        batch = read(packed)
    except Exception as error:
        return pack(("unpicklable", f"it cannot be read in a worker process: {said(error)}"))
    try:
        result = function(batch)
    except BaseException as error:
        return pack(("raised", _carry(error)))
    try:
        return pack(("result", result))
    except Exception as error:
        return pack(("unpicklable", f"a {type(result).__name__} as result cannot be sent back: {said(error)}"))


def unloadable(error: BaseException) -> bytes:
    """Return what there is to say about a function that a worker cannot load, packed."""
    problem = f"The function cannot be loaded in a worker process: {said(error)}"
    return pack(("unloadable", error if isinstance(error, UserError) else unpicklable(problem)))


def _carry(error: BaseException) -> tuple[bytes | None, str, str]:
    inner = error.__traceback__.tb_next if error.__traceback__ else None
    text = "".join(traceback.format_exception(type(error), error, inner))
    with suppress(Exception):
        packed = pack(error)
        if type(pickle.loads(packed)) is type(error):
            return packed, said(error), text
    return None, said(error), text


def pack(value: object) -> bytes:
    """Return the bytes that are sent between the processes."""
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def said(error: BaseException) -> str:
    """Return what an exception says, with its type."""
    return "".join(traceback.format_exception_only(type(error), error)).strip()


def unpicklable(problem: str) -> UserError:
    """Return the error for something that cannot be sent between processes."""
    return UserError(
        f"{problem}.",
        valid="Functions and classes stand at the top level of a module or script (a notebook is none).",
        remedy="Move the function to a file and import it, use plain data, or use the engine 'local'.",
    )
