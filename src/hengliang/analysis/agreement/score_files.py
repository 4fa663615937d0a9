"""How is a table of scores read, whatever kind of file it is in?"""

from __future__ import annotations

import io
import json
from pathlib import Path

import polars as pl

from hengliang.errors import UserError, file_errors
from hengliang.files import read_json, read_table

SUFFIXES = (".csv", ".tsv", ".parquet", ".json", ".jsonl")


def read_score_file(path: str | Path) -> pl.DataFrame:
    """Read a table with one score a row: CSV, TSV, Parquet, a JSON array of objects, or JSON lines."""
    file = Path(path)
    if file.suffix.lower() not in SUFFIXES:
        raise UserError(
            f"{file} is of a kind that is not read here ('{file.suffix or file.name}').",
            valid=f"Files that end in {', '.join(SUFFIXES)}, or RUN:measure for the judgements of a run.",
        )
    with file_errors(file, "read"):
        raw = file.read_bytes()
    reader = {".csv": _read_csv, ".tsv": _read_tsv, ".jsonl": _read_lines}.get(file.suffix.lower())
    if reader is None:
        frame = read_table(file) if file.suffix.lower() == ".parquet" else _rows(read_json(file), file)
    else:
        try:
            frame = reader(raw)
        except (pl.exceptions.PolarsError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise UserError(f"{file} cannot be read as {file.suffix[1:].upper()}: {reason}.") from error
    if not frame.height:
        raise UserError(f"{file} has no rows.", valid="One score a row, below a row of column names.")
    return frame


def _read_csv(raw: bytes) -> pl.DataFrame:
    return pl.read_csv(io.BytesIO(raw), infer_schema_length=None)


def _read_tsv(raw: bytes) -> pl.DataFrame:
    return pl.read_csv(io.BytesIO(raw), separator="\t", infer_schema_length=None)


def _read_lines(raw: bytes) -> pl.DataFrame:
    rows = [json.loads(line) for line in raw.decode().splitlines() if line.strip()]
    return pl.DataFrame(rows, infer_schema_length=None)


def _rows(value: object, file: Path) -> pl.DataFrame:
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise UserError(f"{file} holds no table.", valid='A JSON array of objects: [{"item": "a", "score": 1}, …].')
    try:
        return pl.DataFrame(value, infer_schema_length=None)
    except (pl.exceptions.PolarsError, TypeError) as error:
        raise UserError(f"{file} holds no table: {str(error).splitlines()[0]}.") from error
