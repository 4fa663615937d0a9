"""Dask engine: batches mapped on the workers of a cluster.

We place each batch on one worker ourselves, one at a time, and give every attempt a task of its own. So Dask's own
retries never come into play: it is known which batch a dying worker held, and each attempt is counted once. The price
is the way to the worker and back for each batch, 10 to 20 ms; a second batch waiting there would save that, but of two
batches nobody could tell which one killed the worker.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import time
import warnings
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from hengliang.core.engine.dask_worker import Sent, forget, living_clients, load, own_sources, versions, work_on
from hengliang.core.engine.mapping import LOOK_AHEAD, InOrder, OnEvent, WorkerDied, error_of
from hengliang.core.engine.supervision import pack, said, unpicklable
from hengliang.core.errors import Failure, UserError

Batch = TypeVar("Batch")
Result = TypeVar("Result")

_CONNECTING = 5.0  # seconds for the scheduler to answer
_CLOSING = 2.0  # seconds for good-byes, which may as well go unheard
_CENSUS = 2.0  # seconds between two looks at who is there; deaths are usually told at once
_LOGGERS = ("distributed", "distributed.client", "tornado.application", "asyncio")
_START = "To start a scheduler: dask scheduler. To start its workers: dask worker tcp://HOST:8786 --nthreads 1"


@dataclass(frozen=True, slots=True)
class Dask:
    """Work on batches on the cluster whose scheduler listens at an address such as `tcp://host:8786`.

    A batch whose worker dies is tried `attempts` times in all. When no worker is left, the work waits `patience`
    seconds for one to come.
    """

    scheduler: str
    attempts: int = 3
    patience: float = 60.0

    def map(
        self, function: Callable[[Batch], Result], batches: Iterable[Batch], on_event: OnEvent = None
    ) -> Generator[Result, None, None]:
        """Yield `function(batch)` for every batch, in order; it connects when the first result is asked for."""
        if self.attempts < 1:
            raise UserError(f"attempts={self.attempts} is not possible.", valid="attempts is a whole number from 1.")
        if _in_a_worker():
            raise UserError(
                "A worker of the cluster cannot hand out work of its own.",
                valid="Workers import the script: it starts its work only under `if __name__ == '__main__':`.",
                remedy="Put the call under that line, or use the engine 'local' there.",
            )
        try:
            packed = pack(function)
        except Exception as error:
            raise unpicklable(f"The function cannot be sent to a worker process: {said(error)}") from error
        return self._results(packed, iter(batches), on_event)

    def _results(self, packed: bytes, source: Iterator[Any], on_event: OnEvent) -> Generator[Any, None, None]:
        with _connected(self.scheduler) as client:
            cluster = _Cluster[Any, Any](
                attempts=self.attempts,
                look_ahead=LOOK_AHEAD,
                source=source,
                client=client,
                address=self.scheduler,
                function=packed,
                patience=self.patience,
                on_event=on_event,
            )
            cluster.begin()
            yield from cluster.results()


def dask_at(scheduler: str | None) -> Dask:
    """Return the engine for the cluster whose scheduler listens at this address."""
    if not scheduler or not scheduler.strip():
        raise UserError(
            "--engine dask needs the address of a scheduler.",
            valid="It is given as --scheduler tcp://HOST:8786.",
            remedy=_START,
        )
    _library()
    return Dask(scheduler.strip())


def _library() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise UserError(
            "The engine dask needs the library distributed.", remedy="pip install 'hengliang[distributed]'"
        ) from error
    return distributed


def _in_a_worker() -> bool:
    try:
        _library().get_worker()
    except ValueError:
        return False
    return True


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """Connect to a scheduler, without Dask's own remarks: what matters of them becomes a message of ours."""
    levels = {name: logging.getLogger(name).level for name in _LOGGERS}
    try:
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        client = _client(address)
        try:
            yield client
        finally:
            with suppress(Exception):
                client.close(timeout=_CLOSING)
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def _client(address: str) -> Any:
    library = _library()
    try:
        with ThreadPoolExecutor(1) as thread:  # a notebook has an event loop in this one
            thread.submit(asyncio.run, _reach(address)).result()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # versions are compared by the workers, those that matter
            return library.Client(address, timeout=_CONNECTING, set_as_default=False)
    except Exception as error:  # each kind of address has its own kinds of failure
        silent = isinstance(error, OSError | TimeoutError)
        why = f"nothing was heard in {_CONNECTING:g} seconds" if silent else _short(error)
        raise UserError(
            f"No Dask scheduler answers at {address}: {why}.",
            valid="An address is like tcp://HOST:8786; the port of the dashboard, 8787, is another one.",
            remedy=_START,
        ) from error


async def _reach(address: str) -> None:
    """Make sure that a scheduler answers at all: a client would wait for ever where something else listens."""
    library = _library()
    arguments = library.Security().get_connection_args("client")
    comm = await asyncio.wait_for(library.comm.connect(address, timeout=_CONNECTING, **arguments), _CONNECTING)
    await comm.close()


def _short(error: BaseException) -> str:
    return said(error).splitlines()[0].rstrip(".")


@dataclass(eq=False, slots=True)
class _Hand:
    """A worker of the cluster, and what it was asked and has not answered: to load the function, or a batch."""

    address: str
    asked: Future[bytes] | None = None
    batch: int | None = None
    ready: bool = False
    missed: int = 0

    def take_back(self) -> None:
        """Take back what it was asked."""
        if self.asked is not None:
            self.asked.cancel()
        self.asked = None


@dataclass(eq=False, kw_only=True)
class _Cluster(InOrder[Batch, Result]):
    """This side of the cluster: which worker has which batch."""

    client: Any
    address: str
    function: bytes
    patience: float
    on_event: OnEvent
    hands: dict[str, _Hand] = field(default_factory=dict)
    heard: SimpleQueue[tuple[Callable[..., None], tuple[Any, ...]]] = field(default_factory=SimpleQueue)
    watch: Future[None] | None = None
    deserted: float = field(default_factory=time.monotonic)
    lost: int = 0

    @property
    def places(self) -> int:
        return max(1, len(self.hands))

    def begin(self) -> None:
        """Hear from now on who comes and who goes."""
        self.client.subscribe_topic("all", self._overhear)
        self.watch = self._soon(self._count_again_and_again())

    def end(self, in_peace: bool) -> None:
        """Drop what waits, and let workers forget the function; what a worker is at, it ends for nobody."""
        if self.watch is not None:
            self.watch.cancel()
        knowing = [hand.address for hand in self.hands.values() if hand.ready or hand.asked is not None]
        for hand in self.hands.values():
            hand.take_back()
        if knowing:
            with suppress(Exception):  # a worker that has gone has forgotten
                self._soon(self._let_forget(knowing)).result(_CLOSING)

    def listen(self, timeout: float) -> None:
        with suppress(Empty):
            act, content = self.heard.get(block=timeout > 0, timeout=timeout)
            while True:
                act(*content)
                act, content = self.heard.get_nowait()
        if self.hands:
            self.deserted = time.monotonic()
        elif time.monotonic() - self.deserted > self.patience:
            raise Failure(
                f"The scheduler at {self.address} has had no worker for {self.patience:g} seconds.",
                remedy=f"Start workers, then give the same command again: dask worker {self.address} --nthreads 1",
            )

    def feed(self) -> None:
        hands = list(self.hands.values())
        useful = len(self.queue) + sum(hand.batch is not None for hand in hands)
        roused = sum(hand.ready or hand.asked is not None for hand in hands)
        for hand in hands:
            if hand.asked is None and not hand.ready and roused < useful:
                roused += 1
                self._ask(hand, load, self._sent())
            elif hand.asked is None and hand.ready and self.queue:
                hand.batch = self.queue.popleft()
                self._ask(hand, work_on, self.client.id, self.payloads[hand.batch])

    # --- asking ---

    def _soon(self, coroutine: Coroutine[Any, Any, Any]) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(coroutine, self.client.loop.asyncio_loop)

    def _ask(self, hand: _Hand, function: Callable[..., bytes], *parts: object) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Dask finds a batch of 10 MB large
            future = self.client.submit(
                function, *parts, workers=[hand.address], allow_other_workers=False, pure=False, retries=0
            )
        hand.asked = self._soon(_answer_to(future))
        hand.asked.add_done_callback(lambda asked: self.heard.put((self._understand, (hand, asked))))

    def _sent(self) -> bytes:
        living = frozenset(self._asked_of_scheduler(self._living()))
        return pack(Sent(self.client.id, living, self.function, own_sources(), versions()))

    def _asked_of_scheduler(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        try:
            return self._soon(coroutine).result(_CONNECTING)
        except Exception as error:
            raise self._misunderstood(error) from error

    async def _living(self) -> list[str]:
        return list(await self.client.run_on_scheduler(living_clients))

    async def _let_forget(self, addresses: list[str]) -> None:
        await self.client.run(forget, self.client.id, workers=addresses, on_error="ignore")

    # --- hearing ---

    def _overhear(self, event: tuple[float, Any]) -> None:
        """Note, in Dask's own thread, what the scheduler tells everybody."""
        message = event[1] if isinstance(event[1], dict) else {}
        if message.get("action") == "add-worker":
            self.heard.put((self._come, (message["worker"],)))
        elif message.get("action") == "remove-worker":
            self.heard.put((self._go, (message["worker"], bool(message.get("expected")))))

    async def _count_again_and_again(self) -> None:
        try:
            while True:
                self.heard.put((self._count, (list(await self.client.nthreads()),)))
                await asyncio.sleep(_CENSUS)
        except Exception as error:
            self.heard.put((self._despair, (error,)))

    def _count(self, present: list[str]) -> None:
        """Take in a census; it may be a moment older than what was overheard, so it counts the second time."""
        for address in present:
            self._come(address)
        for hand in list(self.hands.values()):
            hand.missed = 0 if hand.address in present else hand.missed + 1
            if hand.missed > 1:
                self._go(hand.address, False)

    def _despair(self, error: BaseException) -> None:
        raise self._disconnected() from error

    def _come(self, address: str) -> None:
        self.hands.setdefault(address, _Hand(address))

    def _go(self, address: str, expected: bool) -> None:
        hand = self.hands.pop(address, None)
        if hand is None:
            return
        loading, index = hand.asked is not None and not hand.ready, hand.batch
        hand.take_back()
        if expected:  # somebody retired it: no death, and no attempt lost
            if index is not None:
                self.put_back(index)
            return
        self.tries[index] += index is not None
        if self.on_event is not None:
            self.on_event(WorkerDied(index, self.tries[index], None))
        if index is None:
            self.lost += loading
            if self.lost >= self.attempts:
                raise _died(f"{self.lost} workers of the cluster died while they loaded the function.")
        elif self.tries[index] >= self.attempts:
            tried = f"its worker died in attempt {self.attempts} of {self.attempts}"
            self.fail(index, _died(f"Batch {index} (counting from 0): {tried}."))
        else:
            self.put_back(index)

    def _understand(self, hand: _Hand, asked: Future[bytes]) -> None:
        if hand.asked is not asked:
            return  # it has been taken back meanwhile
        kind, content = self._read(asked)
        if kind in {"killed", "absent"}:
            self._go(hand.address, False)  # perhaps another worker has come up at its address
            return
        index, hand.asked, hand.batch = hand.batch, None, None
        if kind == "unloadable":
            raise content
        if kind == "ready":
            hand.ready = True
        elif index is not None:
            self.lost = 0
            if kind == "result":
                self.keep(index, content)
            else:
                self.fail(index, error_of(kind, content, index))

    def _read(self, asked: Future[bytes]) -> tuple[str, Any]:
        try:
            packed = asked.result()
        except CancelledError as error:  # not by us
            raise self._disconnected() from error
        except _library().KilledWorker:
            return "killed", None
        except Exception as error:
            raise self._misunderstood(error) from error
        try:
            kind, content = pickle.loads(packed)
        except Exception as error:
            return "unpicklable", f"the result cannot be read after its way back: {said(error)}"
        return kind, content

    def _misunderstood(self, error: BaseException) -> UserError:
        if isinstance(error, OSError | TimeoutError):
            return self._disconnected()
        cause = error.__cause__ or error
        return UserError(
            f"The Dask cluster at {self.address} cannot run hengliang: {_short(cause)}.",
            valid="Scheduler and workers run in the same environment as this command.",
            remedy="Install hengliang[distributed] there, in the same version, and start them again.",
        )

    def _disconnected(self) -> Failure:
        return Failure(
            f"The connection to the Dask scheduler at {self.address} was lost.",
            remedy="See whether it still runs, then give the same command again.",
        )


async def _answer_to(future: Any) -> bytes:
    try:
        return bytes(await future)
    finally:
        future.release()


def _died(problem: str) -> Failure:
    return Failure(
        problem,
        valid="Memory that runs out is the usual cause; the log of dask worker tells.",
        remedy="Use smaller batches or workers with more memory, or see what happens with the engine 'local'.",
    )
