"""Estimates as JSON: the rows that every `--json` prints, and the way back.

Every `--json` of the product is an object `{"schema_version": 1, "estimates": [...]}` of these rows. JSON has no word
for the infinite: such a number is the text `Infinity` or `-Infinity`. A NaN is not a number and becomes null; among
degrees of freedom it comes back as NaN, for the others must keep their places.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.records import Estimate, estimate_records, estimates_frame
from hengliang.core.settings import json_number, number_from_json

SCHEMA_VERSION = 1

_FIELDS = tuple(item.name for item in fields(Estimate))


def estimate_rows(estimates: pl.DataFrame) -> list[dict[str, Any]]:
    """Return an estimate table as JSON objects, one per row, with `by` as an object."""
    rows = []
    for estimate in estimate_records(estimates):
        row = {name: getattr(estimate, name) for name in _FIELDS}
        row["by"] = dict(estimate.by)
        row["df"] = [json_number(number) for number in estimate.df]
        row.update({name: json_number(row[name]) for name in ("value", "low", "high", "p")})
        rows.append(row)
    return rows


def estimates_object(estimates: pl.DataFrame) -> dict[str, Any]:
    """Return the object that `--json` prints."""
    return {"schema_version": SCHEMA_VERSION, "estimates": estimate_rows(estimates)}


def estimates_from_rows(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Read back what `estimate_rows` gave."""
    return estimates_frame([_estimate(row) for row in rows])


def _estimate(row: Mapping[str, Any]) -> Estimate:
    missing = [name for name in ("analysis", "by", "statistic", "value") if name not in row]
    if missing:
        raise UserError(f"An estimate row has no '{missing[0]}'.", valid=f"Fields: {', '.join(_FIELDS)}.")
    unknown = [name for name in row if name not in _FIELDS]
    if unknown:
        raise UserError(f"An estimate row has no field '{unknown[0]}'.", valid=f"Fields: {', '.join(_FIELDS)}.")
    values = dict(row)
    values.update({name: number_from_json(row.get(name)) for name in ("value", "low", "high", "p")})
    df = (number_from_json(number) for number in row.get("df", ()))
    values["df"] = tuple(math.nan if number is None else number for number in df)
    return Estimate(**values)
