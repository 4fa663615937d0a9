"""Which small runs of test suites do the tests of grouped analyses look at?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from hengliang import Item, Judgement, Tables
from hengliang.core import items_frame, judgements_frame
from tests import ORACLES

ORACLE: dict[str, Any] = json.loads((ORACLES / "grouped_models.json").read_text(encoding="utf-8"))
ARCHITECTURES = {"LSTM": False, "RNNG": True}


def tables_of(rows: pl.DataFrame, measure: str = "prediction", parts: Sequence[str] = ("1",)) -> Tables:
    """Return a run that judges sets: `rows` has class, modifier, frame, model, seed, structured and the value."""
    sets = rows.select("class", "modifier", "frame").unique(maintain_order=True)
    items = items_frame(
        Item(
            f"{frame} {modifier}/{condition}",
            f"{frame} {modifier}",
            "suite",
            condition,
            "物",
            attributes={"class": class_, "modifier": modifier, "frame": frame},
        )
        for class_, modifier, frame in sets.iter_rows()
        for condition in "ab"
    )
    judgements = [
        Judgement(
            f"{row['frame']} {row['modifier']}", f"{row['model']} (seed {row['seed']})", measure, part, "machine",
            "formula", row["value"], None, *(("ok", "") if row["value"] is not None else ("missing", "not scored")),
        )
        for row in rows.iter_rows(named=True)
        for part in parts
    ]  # fmt: skip
    named = rows.select("model", "seed", "structured").unique(maintain_order=True)
    systems = named.select(
        name="model",
        seed=pl.col("seed").cast(pl.Int64),
        structured="structured",
        architecture="model",
        data=pl.lit("small"),
    )
    return Tables(items, systems, {}, judgements_frame(judgements))


def oracle_rows() -> pl.DataFrame:
    """Return the data of the oracle."""
    rows = pl.DataFrame(ORACLE["data"])
    return rows.with_columns(value=pl.col("success").cast(pl.Float64))


def oracle_tables() -> Tables:
    """Return the data of the oracle as a run."""
    return tables_of(oracle_rows())


def simulated_rows(seed: int = 5, frames: int = 6) -> pl.DataFrame:
    """Return the successes of two models with two seeds each on two classes with two modifiers."""
    generator = np.random.default_rng(seed)
    return pl.DataFrame(
        [
            {
                "class": class_,
                "modifier": modifier,
                "frame": f"{class_} {frame}",
                "model": model,
                "seed": number,
                "structured": structured,
                "value": float(generator.random() < 0.35 + 0.3 * structured),
            }
            for class_ in ("object", "subject")
            for modifier in ("none", "adjective")
            for frame in range(frames)
            for model, structured in ARCHITECTURES.items()
            for number in (0, 2)
        ]
    )
