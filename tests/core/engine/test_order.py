"""Are batches taken and handed out in order, whatever order they are worked on in?"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core.engine.mapping import InOrder


@dataclass(eq=False, kw_only=True)
class Desk(InOrder[int, int]):
    """Workers that answer, lose or fail batches in the order that a list of numbers says."""

    limit: int
    choices: list[int]
    failing: int | None = None
    held: list[int] = field(default_factory=list)
    worked: list[int] = field(default_factory=list)
    ended: list[bool] = field(default_factory=list)
    farthest: int = 0

    @property
    def places(self) -> int:
        return self.limit

    def feed(self) -> None:
        while self.queue and len(self.held) < self.limit:
            self.held.append(self.queue.popleft())

    def listen(self, timeout: float) -> None:
        self.farthest = max(self.farthest, self.taken - self.given)
        if not timeout or not self.held:
            return
        choice = self.choices.pop() if self.choices else 0
        index = self.held.pop(choice % len(self.held))
        if choice % 5 == 4:
            self.put_back(index)
        elif index == self.failing:
            self.fail(index, KeyError(index))
        else:
            self.worked.append(index)
            self.keep(index, pickle.loads(self.payloads[index]) ** 2)

    def end(self, in_peace: bool) -> None:
        self.ended.append(in_peace)


@given(st.integers(0, 30), st.integers(1, 4), st.integers(1, 4), st.lists(st.integers(0, 99), max_size=60))
def test_results_come_in_order_and_the_source_is_not_run_through(
    batches: int, limit: int, look_ahead: int, choices: list[int]
) -> None:
    desk = Desk(attempts=1, look_ahead=look_ahead, source=iter(range(batches)), limit=limit, choices=choices)
    assert list(desk.results()) == [number**2 for number in range(batches)]
    assert desk.farthest <= look_ahead * limit
    assert desk.ended == [True]
    assert (desk.payloads, desk.done) == ({}, {})


@given(st.integers(1, 30), st.integers(1, 4), st.data())
def test_the_error_comes_after_the_results_before_it(batches: int, limit: int, data: st.DataObject) -> None:
    failing = data.draw(st.integers(0, batches - 1))
    choices = data.draw(st.lists(st.integers(0, 99), max_size=60))
    source = iter(range(batches))
    desk = Desk(attempts=1, look_ahead=4, source=source, limit=limit, choices=choices, failing=failing)
    given_out: list[int] = []
    with pytest.raises(KeyError) as caught:
        for result in desk.results():
            given_out.append(result)  # noqa: PERF402 - extend would lose what came before the error
    assert caught.value.args == (failing,)
    assert given_out == [number**2 for number in range(failing)]
    assert desk.ended == [False]


def test_after_a_failure_only_what_comes_before_it_is_put_back() -> None:
    desk = Desk(attempts=1, look_ahead=4, source=iter(range(9)), limit=2, choices=[])
    for index in (1, 2, 4, 5):
        desk.queue.append(index)
    desk.fail(3, KeyError(3))
    desk.put_back(6)
    desk.put_back(0)
    assert list(desk.queue) == [0, 1, 2]


def test_closing_early_ends_the_work_at_once() -> None:
    def endless() -> Iterator[int]:
        yield from iter(int, 1)

    desk = Desk(attempts=1, look_ahead=2, source=endless(), limit=3, choices=[])
    results = desk.results()
    assert next(results) == 0
    results.close()
    assert desk.ended == [False]
    assert desk.taken <= 6
