"""Are rows written in the form that the name of a file tells?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.core.commands import check_out, write_rows


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_rows_are_written_in_the_form_of_the_name(suffix: str, tmp_path: Path) -> None:
    out = tmp_path / f"rows{suffix}"
    check_out(out)
    write_rows(out, [{"line": 1, "text": "一马"}, {"line": 2}], {"line": pl.Int64(), "text": pl.String()})
    if suffix == ".parquet":
        frame = pl.read_parquet(out)
    elif suffix == ".jsonl":
        frame = pl.read_ndjson(out)
    else:
        frame = pl.read_csv(out, separator="," if suffix == ".csv" else "\t")
    assert frame.rows() == [(1, "一马"), (2, None)]


def test_another_form_is_refused() -> None:
    with pytest.raises(UserError, match=r"rows.xlsx cannot be written"):
        check_out(Path("rows.xlsx"))
    check_out(None)
