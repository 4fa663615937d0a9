"""What R printed about ordinal models, and the data it was asked about."""

from __future__ import annotations

import json
from typing import Any

import polars as pl

from tests import ORACLES

CASES: list[dict[str, Any]] = json.loads((ORACLES / "ordinal.json").read_text(encoding="utf-8"))["cases"]
INFERENCE: dict[str, Any] = json.loads((ORACLES / "ordinal_inference.json").read_text(encoding="utf-8"))


def data_of(name: str) -> pl.DataFrame:
    """Return the data of a case."""
    return pl.DataFrame(next(case["data"] for case in CASES if case["name"] == name))


WINE = data_of("wine")
