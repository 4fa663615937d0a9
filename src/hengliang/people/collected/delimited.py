"""How is a table written as CSV so that every program reads it alike and no spreadsheet runs it?"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

FREE_TEXTS = ("text", "label", "reason", "comment", "age", "gender", "education", "native_language")
"""Columns that hold what participants or systems wrote, besides scales and further details."""

# Any number of apostrophes first, so that taking one away gives back every text.
_FORMULA = r"^'*[=+\-@＝＋－＠\t\r\n\x00-\x1f]"


def csv_bytes(table: pl.DataFrame, free_texts: Iterable[str] = ()) -> bytes:
    """Return a table as CSV in UTF-8 with commas; texts that a spreadsheet would run have an apostrophe before them."""
    guarded = [name for name in table.columns if name in {*FREE_TEXTS, *free_texts} and table.schema[name] == pl.String]
    safe = table.with_columns(
        pl.when(pl.col(name).str.contains(_FORMULA)).then("'" + pl.col(name)).otherwise(pl.col(name)).alias(name)
        for name in guarded
    )
    return safe.write_csv().encode()
