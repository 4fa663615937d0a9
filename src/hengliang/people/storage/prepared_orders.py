"""Whose order of items is worked out before a place is taken, so that nobody's answers wait for it?

To draw the order of a long list takes longer than to keep a hundred answers, and whoever writes excludes everybody
else. So a place is taken only with an order that is ready; which one is needed is known when it is tried. The order of
a participant follows from the design's seed, the list and the number alone: it does not matter when it was drawn.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor

from hengliang.people.design.item_order import participant_order
from hengliang.people.sessions.survey import Survey

REMEMBERED = 1024
"""How many orders are held ready; any of them can be drawn again."""


class OrderNeeded(Exception):
    """A place can be taken as soon as this order is ready; nothing has been written."""

    def __init__(self, version: str, number: int) -> None:
        self.version = version
        self.number = number
        super().__init__(f"list {version}, participant {number}")


class PreparedOrders:
    """Draws orders of one survey on a thread of its own, and remembers them."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        self._pool = ThreadPoolExecutor(1, "survey-order")
        self._lock = threading.Lock()
        self._held: dict[tuple[str, int], Future[tuple[int, ...]]] = {}

    def ready(self, version: str, number: int) -> tuple[int, ...]:
        """Return an order that has been drawn, or raise `OrderNeeded`."""
        with self._lock:
            found = self._held.get((version, number))
        if found is None or not found.done():
            raise OrderNeeded(version, number)
        return found.result()

    def prepare(self, version: str, number: int) -> Future[tuple[int, ...]]:
        """Begin to draw an order, unless that has been done."""
        with self._lock:
            found = self._held.get((version, number))
            if found is None:
                found = self._pool.submit(participant_order, self.survey, version, number)
                self._held[version, number] = found
                while len(self._held) > REMEMBERED:
                    del self._held[next(iter(self._held))]
            return found
