"""Output files of commands: rows as CSV, TSV, JSON Lines or Parquet, by the ending of the name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.io.files import whole_file

_OUT_FORMS = (".csv", ".tsv", ".jsonl", ".parquet")


def check_out(out: Path | None) -> None:
    """Refuse a file whose form its name does not tell, before any work is done."""
    if out is not None and out.suffix.lower() not in _OUT_FORMS:
        raise UserError(f"{out} cannot be written.", valid=f"The name ends in {', '.join(_OUT_FORMS)}.")


def write_rows(out: Path, rows: Sequence[dict[str, Any]], schema: dict[str, pl.DataType]) -> None:
    """Write rows into a file, in the form that its name tells."""
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    with whole_file(out) as stream:
        if out.suffix.lower() == ".parquet":
            frame.write_parquet(stream)
        elif out.suffix.lower() == ".jsonl":
            frame.write_ndjson(stream)
        else:
            frame.write_csv(stream, separator="\t" if out.suffix.lower() == ".tsv" else ",")
