"""How does a machine write down what it says about each response, part by part?

For measures that look at one response at a time. A response without an answer passes on its status and reason; one that
cannot be judged is missing with the reason: neither has a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from hengliang.records import JUDGEMENT_SCHEMA

Said = float | str | None
"""A value, or the reason why there is none."""


@dataclass(slots=True)
class Remarks:
    """The judgements of one measure, a row a part, collected in the order in which they are made."""

    measure: str
    judge: str
    rows: dict[tuple[object, ...], None] = field(default_factory=dict)

    def add(self, response: Mapping[str, Any], part: str, said: Said, label: str | None = None) -> None:
        """Write down a value or a reason for one part of a response; equal remarks of one system are one."""
        about = (response["id"], response["system"], self.measure, part, "machine", self.judge)
        row: tuple[object, ...]
        if response["status"] != "ok":
            row = (*about, None, None, response["status"], response["reason"])
        elif isinstance(said, str) or said is None:
            row = (*about, None, None, "missing", said or "nothing was measured")
        else:
            row = (*about, float(said), label, "ok", "")
        self.rows[row] = None

    def frame(self) -> pl.DataFrame:
        """Return the judgement table."""
        return pl.DataFrame(list(self.rows), schema=JUDGEMENT_SCHEMA, orient="row")
