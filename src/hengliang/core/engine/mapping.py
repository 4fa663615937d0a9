"""How are batches of work mapped, here or on several processes?

`map_batches` gives the results in the order of the batches, the same whatever the engine. An engine is a frozen value
with one method, `map`; a cluster is one more class of that shape. `Processes` keeps its own worker loop rather than a
pool of the standard library, because it must know which batch a dying worker held.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Protocol, TypeVar

from hengliang.core.engine.order import InOrder
from hengliang.core.engine.supervision import CAN_HOLD, modules_by_file, pack, said, unpicklable, work
from hengliang.errors import Failure, UserError, unknown_name

Batch = TypeVar("Batch")
Result = TypeVar("Result")

LOOK_AHEAD = 4  # batches taken beyond the last result handed out, for each worker
_THREAD_VARIABLES = ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "RAYON_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class WorkerDied:
    """A worker process ended without being asked to.

    `batch_index` counts from 0 and is None when the worker held no batch; `attempt` counts the tries of that batch from
    1 (0 without a batch); `exit_code` is negative for a signal and None when the operating system did not tell.
    """

    batch_index: int | None
    attempt: int
    exit_code: int | None

    def __str__(self) -> str:
        held = "without a batch" if self.batch_index is None else f"on batch {self.batch_index}, attempt {self.attempt}"
        return f"A worker process died {held}: {_cause(self.exit_code)}."


OnEvent = Callable[[WorkerDied], None] | None


class Engine(Protocol):
    """Where batches are worked on. Every engine gives the same results in the same order."""

    def map(
        self, function: Callable[[Batch], Result], batches: Iterable[Batch], on_event: OnEvent = None
    ) -> Iterator[Result]:
        """Yield `function(batch)` for every batch, in order; the function is loaded once a worker."""
        ...


@dataclass(frozen=True, slots=True)
class InProcess:
    """Work on one batch after the other in this process."""

    def map(
        self, function: Callable[[Batch], Result], batches: Iterable[Batch], on_event: OnEvent = None
    ) -> Generator[Result, None, None]:
        """Yield `function(batch)` for every batch; the next batch is not taken before its turn."""
        for batch in batches:
            yield function(batch)


def available_cpus() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def available_threads() -> int:
    """Return how many threads a library should use here: all processors, in a worker its share of them."""
    said = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(available_cpus(), int(said))) if said.isdecimal() else available_cpus()


@dataclass(frozen=True, slots=True)
class Processes:
    """Work on batches in `workers` processes; a batch whose worker dies is tried `attempts` times in all."""

    workers: int = field(default_factory=available_cpus)
    attempts: int = 3

    def map(
        self, function: Callable[[Batch], Result], batches: Iterable[Batch], on_event: OnEvent = None
    ) -> Generator[Result, None, None]:
        """Yield `function(batch)` for every batch, in order; processes start when the first result is asked for."""
        for name, value in (("workers", self.workers), ("attempts", self.attempts)):
            if value < 1:
                raise UserError(f"{name}={value} is not possible.", valid=f"{name} is a whole number from 1.")
        this = multiprocessing.current_process()
        if getattr(this, "_inheriting", False):
            # A worker imports the user's script and meets the unguarded call: end quietly, the parent explains.
            raise SystemExit(1)
        if this.daemon:
            raise UserError("A worker process cannot start workers of its own.", remedy="Use the engine 'local' there.")
        try:
            packed = pack(function)
        except Exception as error:
            raise unpicklable(f"The function cannot be sent to a worker process: {said(error)}") from error
        return _Crew[Batch, Result](
            attempts=self.attempts,
            look_ahead=LOOK_AHEAD,
            source=iter(batches),
            limit=self.workers,
            function=packed,
            on_event=on_event,
        ).results()


LOCAL = InProcess()


def map_batches(
    function: Callable[[Batch], Result], batches: Iterable[Batch], *, engine: Engine = LOCAL, on_event: OnEvent = None
) -> Iterator[Result]:
    """Yield `function(batch)` for every batch, in the order of the batches.

    Batches are taken as they are needed, at most `LOOK_AHEAD` for each worker beyond the last result handed out. The
    first batch that fails, in order, raises its error after the results before it. `on_event` hears of dead workers.
    """
    return engine.map(function, batches, on_event)


def engine_named(name: str, scheduler: str | None = None) -> Engine:
    """Return the engine that a command line names: `local`, `processes`, `processes:4` or `dask` with a scheduler."""
    kind, colon, count = name.strip().partition(":")
    if kind not in {"local", "processes", "dask"} or (kind != "processes" and colon):
        raise unknown_name("engine", name, ["local", "processes", "processes:N", "dask"])
    if kind == "dask":
        from hengliang.core.engine.dask import (
            dask_at,  # that module knows this one, and its library is not always there
        )

        return dask_at(scheduler)
    if scheduler is not None:
        problem = f"--scheduler {scheduler} does not go with --engine {name.strip()}."
        raise UserError(problem, valid="Only the engine dask has a scheduler.", remedy="Say --engine dask as well.")
    if not colon:
        return LOCAL if kind == "local" else Processes()
    if count.isascii() and count.isdecimal() and int(count) > 0:
        return Processes(workers=int(count))
    problem = f"'{name}' does not say how many worker processes."
    raise UserError(problem, valid="N is a whole number from 1.", remedy=f"Try processes:{available_cpus()}.")


@dataclass(eq=False, slots=True)
class _Worker:
    process: SpawnProcess
    connection: Connection
    ready: bool = False
    batch: int | None = None
    proved: bool = False


@dataclass(eq=False, kw_only=True)
class _Crew(InOrder[Batch, Result]):
    """The parent's side: who works on which batch."""

    limit: int
    function: bytes
    on_event: OnEvent
    workers: list[_Worker] = field(default_factory=list)
    lost: int = 0

    @property
    def places(self) -> int:
        return self.limit

    def end(self, in_peace: bool) -> None:
        if self.workers:
            with interrupts_held():
                _dismiss(self.workers, in_peace)

    def feed(self) -> None:
        busy = sum(worker.batch is not None for worker in self.workers)
        while len(self.workers) < min(self.limit, len(self.queue) + busy):
            with interrupts_held():
                self.workers.append(_start_worker(self.limit))
        for worker in list(self.workers):
            if self.queue and worker.ready and worker.batch is None:
                worker.batch = self.queue.popleft()
                self._send(worker, self.payloads[worker.batch])

    def _send(self, worker: _Worker, payload: bytes) -> None:
        try:
            worker.connection.send_bytes(payload)
        except OSError:
            self._take_back(worker)
            self._bury(worker)

    def _take_back(self, worker: _Worker) -> None:
        if worker.batch is not None:
            self.put_back(worker.batch)
            worker.batch = None

    def listen(self, timeout: float) -> None:
        owners: dict[Any, _Worker] = {worker.process.sentinel: worker for worker in self.workers}
        owners.update((worker.connection, worker) for worker in self.workers)
        heard = [owners[handle] for handle in wait(list(owners), timeout)]
        if timeout and not heard:  # a pipe that a worker's own child keeps open hides the worker's death
            heard = [worker for worker in self.workers if worker.process.exitcode is not None]
        for worker in dict.fromkeys(heard):
            self._hear(worker)

    def _hear(self, worker: _Worker) -> None:
        message = self._read(worker)
        if message is None:
            # Heard, but nothing to say: it is dying, even if a child of its own keeps the pipe open. Its last answer
            # may have come a moment ago, and only after its end is it certain what it left unread.
            worker.process.join(2)
            message = self._read(worker)
        if message is not None:
            self._understand(worker, message)
        else:
            self._bury(worker)

    def _read(self, worker: _Worker) -> bytes | None:
        try:
            return worker.connection.recv_bytes() if worker.connection.poll() else None
        except ConnectionResetError:
            self._take_back(worker)  # Linux: the worker left bytes unread, so it never had the batch
        except (EOFError, OSError):
            pass
        return None

    def _understand(self, worker: _Worker, message: bytes) -> None:
        index = worker.batch
        try:
            kind, content = pickle.loads(message)
        except Exception as error:
            kind, content = "unpicklable", f"the result cannot be read after its way back: {said(error)}"
        if kind == "started":
            self._send(worker, self.function)
        elif kind == "ready":
            worker.ready = True
        elif kind == "unloadable":
            raise content
        elif index is not None:
            worker.batch, worker.proved, self.lost = None, True, 0
            if kind == "result":
                self.keep(index, content)
            else:
                self.fail(index, error_of(kind, content, index))

    def _bury(self, worker: _Worker) -> None:
        self.workers.remove(worker)
        worker.connection.close()
        worker.process.join(2)
        if worker.process.exitcode is None:
            _dismiss([worker], False)
        code, index = worker.process.exitcode, worker.batch
        self.tries[index] += index is not None
        if self.on_event is not None:
            self.on_event(WorkerDied(index, self.tries[index], code))
        if index is None:
            self.lost += not worker.proved
            if not worker.ready and (code is None or code >= 0):
                raise _no_start(code)
            if self.lost >= self.attempts:
                raise _died(f"{self.lost} worker processes died before their first batch, the last", code, self.limit)
        elif self.tries[index] >= self.attempts:
            tried = f"Batch {index} (counting from 0): its worker died in attempt {self.attempts} of {self.attempts}"
            self.fail(index, _died(tried, code, self.limit))
        else:
            self.put_back(index)


def _start_worker(limit: int) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs, modules_by_file()), name="hengliang worker", daemon=True)
    # Libraries read these while they are imported, which is before a worker runs any line of ours.
    threads = str(max(1, available_cpus() // limit))
    added = {name: threads for name in _THREAD_VARIABLES if name not in os.environ}
    os.environ.update(added)
    try:
        process.start()
    except OSError as error:
        raise Failure(f"A worker process could not be started: {error.strerror}.", remedy=_fewer(limit)) from error
    finally:
        theirs.close()
        for name in added:
            del os.environ[name]
    return _Worker(process, ours)


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


def _dismiss(workers: list[_Worker], in_peace: bool) -> None:
    for worker in workers:
        worker.connection.close()
        if not (in_peace and worker.ready):
            worker.process.terminate()
    deadline = time.monotonic() + 2
    for worker in workers:
        worker.process.join(max(0.01, deadline - time.monotonic()))
        if worker.process.exitcode is None:
            worker.process.kill()
            worker.process.join(2)


def _cause(code: int | None) -> str:
    if code is None or code >= 0:
        return "an unknown exit code" if code is None else f"exit code {code}"
    return "signal " + next((known.name for known in signal.Signals if known == -code), str(-code))


def _fewer(workers: int) -> str:
    fewer = f"Use fewer workers (processes:{workers // 2}) or smaller batches" if workers > 1 else "Use smaller batches"
    return f"{fewer}, or see what happens with the engine 'local', which starts no workers."


def _died(problem: str, code: int | None, workers: int) -> Failure:
    hint = "The operating system does this when memory runs out." if _cause(code) == "signal SIGKILL" else ""
    return Failure(f"{problem} with {_cause(code)}.", valid=hint, remedy=_fewer(workers))


def _no_start(code: int | None) -> Failure:
    return Failure(
        f"A worker process died before it was ready, with {_cause(code)}.",
        valid="Each worker imports the script again: a script starts its work only under `if __name__ == '__main__':`.",
        remedy="Put the call under that line, or use the engine 'local'.",
    )


def error_of(kind: str, content: Any, index: int) -> BaseException:
    """Make the error to raise here from what a worker said about batch `index`."""
    if kind == "unpicklable":
        return unpicklable(f"Batch {index} (counting from 0) failed: {content}")
    packed, saying, text = content
    error: BaseException = Failure(f"Batch {index} (counting from 0) failed in a worker process: {saying}.")
    with suppress(Exception):
        error = pickle.loads(packed) if packed else error
    error.add_note(f"Raised in a worker process, on batch {index}:\n{text}")
    return error
