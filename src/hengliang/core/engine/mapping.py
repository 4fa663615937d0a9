"""Engines: batches mapped in this process, on worker processes or on a cluster, with results in order.

`map_batches` gives the same results in the same order whatever the engine. An engine is a frozen value with one method,
`map`; a cluster is one more class of that shape. `Processes` has a loop of its own, not a pool of a library, because it
must know which batch a dying worker had, whatever it was doing when it died (docs/engine.md, "Why no pool").
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from typing import Any, Generic, Protocol, TypeVar

from hengliang.core.engine.supervision import (
    Worker,
    cause_of_death,
    interrupts_held,
    pack,
    part_in_peace,
    said,
    unpicklable,
)
from hengliang.core.errors import Failure, UserError, unknown_name

Batch = TypeVar("Batch")
Result = TypeVar("Result")

LOOK_AHEAD = 4  # batches taken beyond the last result handed out, for each worker
_PATROL = 1.0  # seconds; a death may go unheard (a pipe kept open, a network down), so we look now and then
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
        work = "without a batch" if self.batch_index is None else f"on batch {self.batch_index}, attempt {self.attempt}"
        return f"A worker process died {work}: {cause_of_death(self.exit_code)}."


OnEvent = Callable[[WorkerDied], None] | None


class Engine(Protocol):
    """Where batches are worked on. Every engine gives the same results in the same order."""

    def map(
        self, function: Callable[[Batch], Result], batches: Iterable[Batch], on_event: OnEvent = None
    ) -> Iterator[Result]:
        """Yield `function(batch)` for every batch, in order; the function is loaded once per worker."""
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
    variable = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(available_cpus(), int(variable))) if variable.isdecimal() else available_cpus()


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
        if multiprocessing.current_process().daemon:
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


# --- results in order -------------------------------------------------------------------------------------------------


@dataclass(eq=False, kw_only=True)
class InOrder(ABC, Generic[Batch, Result]):
    """The parent's side of an engine: which batches wait, which are done, and what was handed out.

    Derive from it and say who the workers are: how they are heard, fed and sent home.
    """

    attempts: int
    look_ahead: int
    source: Iterator[Batch]
    queue: deque[int] = field(default_factory=deque)
    payloads: dict[int, bytes] = field(default_factory=dict)
    tries: Counter[int | None] = field(default_factory=Counter)
    done: dict[int, Result] = field(default_factory=dict)
    errors: dict[int, BaseException] = field(default_factory=dict)
    taken: int = 0
    given: int = 0
    exhausted: bool = False

    @property
    @abstractmethod
    def places(self) -> int:
        """How many workers there are, or would be if there were enough to do."""

    @abstractmethod
    def listen(self, timeout: float) -> None:
        """Take in what workers have to say; wait so many seconds for a word."""

    @abstractmethod
    def feed(self) -> None:
        """Give waiting batches to idle workers."""

    @abstractmethod
    def end(self, in_peace: bool) -> None:
        """Send the workers home; in peace, when all batches are done."""

    def results(self) -> Generator[Result, None, None]:
        """Yield results in order; whatever ends this generator, no work goes on after it that can be stopped."""
        in_peace = False
        try:
            while True:
                self.listen(0)
                self.feed()
                if self.given in self.errors:
                    raise self.errors.pop(self.given)
                if self.given in self.done:
                    self.given += 1
                    yield self.done.pop(self.given - 1)
                elif self.exhausted and self.given == self.taken:
                    break
                elif self._wants_batch():
                    self._take()
                else:
                    self.listen(_PATROL)
            in_peace = True
        finally:
            self.end(in_peace)

    def keep(self, index: int, result: Result) -> None:
        """Keep the result of a batch until its turn comes."""
        self.done[index] = result
        del self.payloads[index]

    def fail(self, index: int, error: BaseException) -> None:
        """Keep the error of a batch until its turn comes."""
        # Nothing after the first failure will be handed out, so nothing after it is started.
        self.errors[index] = error
        self.exhausted = True
        self.queue = deque(waiting for waiting in self.queue if waiting < index)

    def put_back(self, index: int) -> None:
        """Let a batch be the next again."""
        if not self.errors or index < min(self.errors):
            self.queue.appendleft(index)

    def _wants_batch(self) -> bool:
        # One batch waits for each worker, so that a worker need not wait for the source.
        room = self.taken - self.given < self.look_ahead * self.places
        return room and not self.exhausted and len(self.queue) < self.places

    def _take(self) -> None:
        index = self.taken
        try:
            batch = next(self.source)
        except StopIteration:
            self.exhausted = True
        except Exception as error:
            self.fail(index, error)
        else:
            self.taken += 1
            try:
                # Packed once, here: a retry sends the same bytes even if the source reuses its buffer.
                self.payloads[index] = pack(batch)
                self.queue.append(index)
            except Exception as error:
                self.fail(index, unpicklable(f"Batch {index} cannot be sent to a worker process: {said(error)}"))


# --- worker processes -------------------------------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class _Hand:
    worker: Worker
    ready: bool = False
    batch: int | None = None
    proved: bool = False


@dataclass(eq=False, kw_only=True)
class _Crew(InOrder[Batch, Result]):
    """The parent's side: who works on which batch."""

    limit: int
    function: bytes
    on_event: OnEvent
    hands: list[_Hand] = field(default_factory=list)
    lost: int = 0

    @property
    def places(self) -> int:
        return self.limit

    def end(self, in_peace: bool) -> None:
        if not self.hands:
            return
        with interrupts_held():
            for hand in self.hands:
                if not (in_peace and hand.ready):
                    hand.worker.stop()
            part_in_peace([hand.worker for hand in self.hands])

    def feed(self) -> None:
        busy = sum(hand.batch is not None for hand in self.hands)
        while len(self.hands) < min(self.limit, len(self.queue) + busy):
            threads = str(max(1, available_cpus() // self.limit))
            worker = Worker("hengliang worker", dict.fromkeys(_THREAD_VARIABLES, threads), _fewer(self.limit))
            worker.start()
            self.hands.append(_Hand(worker))
        for hand in list(self.hands):
            if self.queue and hand.ready and hand.batch is None:
                hand.batch = self.queue.popleft()
                self._send(hand, self.payloads[hand.batch])

    def _send(self, hand: _Hand, payload: bytes) -> None:
        try:
            hand.worker.write(payload)
        except OSError:
            self._take_back(hand)
            self._bury(hand)

    def _take_back(self, hand: _Hand) -> None:
        if hand.batch is not None:
            self.put_back(hand.batch)
            hand.batch = None

    def listen(self, timeout: float) -> None:
        owners = {handle: hand for hand in self.hands for handle in hand.worker.handles}
        heard = [owners[handle] for handle in wait(list(owners), timeout)]
        if timeout and not heard:  # a pipe that a worker's own child keeps open hides the worker's death
            heard = [hand for hand in self.hands if not hand.worker.running]
        for hand in dict.fromkeys(heard):
            message = hand.worker.last_words()
            if message is not None:
                self._understand(hand, message)
                continue
            if hand.worker.left_unread:
                self._take_back(hand)
            self._bury(hand)

    def _understand(self, hand: _Hand, message: bytes) -> None:
        index = hand.batch
        try:
            kind, content = pickle.loads(message)
        except Exception as error:
            kind, content = "unpicklable", f"the result cannot be read after its way back: {said(error)}"
        if kind == "started":
            self._send(hand, self.function)
        elif kind == "ready":
            hand.ready = True
        elif kind == "unloadable":
            raise content
        elif index is not None:
            hand.batch, hand.proved, self.lost = None, True, 0
            if kind == "result":
                self.keep(index, content)
            else:
                self.fail(index, error_of(kind, content, index))

    def _bury(self, hand: _Hand) -> None:
        self.hands.remove(hand)
        code, index = hand.worker.bury(), hand.batch
        self.tries[index] += index is not None
        if self.on_event is not None:
            self.on_event(WorkerDied(index, self.tries[index], code))
        if index is None:
            self.lost += not hand.proved
            if not hand.ready and (code is None or code >= 0):
                raise _no_start(code)
            if self.lost >= self.attempts:
                raise _died(f"{self.lost} worker processes died before their first batch, the last", code, self.limit)
        elif self.tries[index] >= self.attempts:
            tried = f"Batch {index} (counting from 0): its worker died in attempt {self.attempts} of {self.attempts}"
            self.fail(index, _died(tried, code, self.limit))
        else:
            self.put_back(index)


def _fewer(workers: int) -> str:
    fewer = f"Use fewer workers (processes:{workers // 2}) or smaller batches" if workers > 1 else "Use smaller batches"
    return f"{fewer}, or see what happens with the engine 'local', which starts no workers."


def _died(problem: str, code: int | None, workers: int) -> Failure:
    hint = "The operating system does this when memory runs out." if cause_of_death(code) == "signal SIGKILL" else ""
    return Failure(f"{problem} with {cause_of_death(code)}.", valid=hint, remedy=_fewer(workers))


def _no_start(code: int | None) -> Failure:
    return Failure(
        f"A worker process died before it was ready, with {cause_of_death(code)}.",
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
