"""In which order are batches taken, tried and handed out, whoever works on them?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from hengliang.core.engine.supervision import pack, said, unpicklable

Batch = TypeVar("Batch")
Result = TypeVar("Result")

_PATROL = 1.0  # seconds; a death may go unheard (a pipe kept open, a network down), so we look now and then


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
