"""Reproducible answers: the promise to answer alike again, alone, in other batches, in another order, under other ids.

Every system makes it. A kit says which items are asked, how answers are got, and when two of them are alike.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from hengliang.core.conformance import Promise

TURNED = 5
"""So many items are moved from the front to the back."""


@dataclass(frozen=True)
class SameAnswers:
    """Tries whether answers depend on anything but the items; each method returns a counterexample or nothing."""

    items: pl.DataFrame
    answered: Callable[[pl.DataFrame], list[Any]]
    alike: Callable[[Any, Any], bool] = operator.eq
    shown: Callable[[Any], str] = repr

    def promises(self) -> list[Promise]:
        """Return the promises, as the kits list them."""
        return [
            ("gives the same answer the second time", self.again),
            ("gives the same answer alone as in a batch", self.in_batches_of_one),
            ("gives the same answer in batches of another size", self.in_other_batches),
            ("gives the same answer in another order", self.in_another_order),
            ("does not look at the ids of items", self.under_other_ids),
        ]

    def again(self) -> str:
        """Ask a second time."""
        return self.difference(self.answered(self.items))

    def in_batches_of_one(self) -> str:
        """Ask one item at a time."""
        return self._in_batches(1)

    def in_other_batches(self) -> str:
        """Ask five and seven items at a time."""
        return self._in_batches(5) or self._in_batches(7)

    def _in_batches(self, size: int) -> str:
        return self.difference([answer for batch in self.items.iter_slices(size) for answer in self.answered(batch)])

    def in_another_order(self) -> str:
        """Ask backwards, and with the first items at the end."""
        backwards = self.answered(self.items.reverse())[::-1]
        turned = self.answered(pl.concat([self.items[TURNED:], self.items[:TURNED]]))
        moved = min(TURNED, len(turned))
        return self.difference(backwards) or self.difference([*turned[-moved:], *turned[:-moved]])

    def under_other_ids(self) -> str:
        """Ask the same under other ids."""
        renamed = pl.format("other-{}", pl.col("id"))
        return self.difference(self.answered(self.items.with_columns(id=renamed, set=renamed)))

    def difference(self, found: list[Any]) -> str:
        """Return the first item whose answer is another than in one whole batch."""
        contents = self.items["content"].to_list()
        for content, left, right in zip(contents, self.answered(self.items), found, strict=True):
            if not self.alike(left, right):
                return f"{content!r}: {self.shown(left)} and then {self.shown(right)}"
        return ""
