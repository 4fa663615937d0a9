"""Does an Excel file hold what the tables held, with every text as text?"""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.people.collected import workbook
from hengliang.people.collected.workbook import LONGEST, workbook_bytes


def test_formulas_links_and_numbers_in_texts_stay_texts(tmp_path: Path) -> None:
    texts = ["=1+1", "+1", "-1", "@SUM(A1)", "https://example.org", "007", "\tx", "马", 'a"b<c>&']
    table = pl.DataFrame({"label": texts, "value": [float(n) for n in range(9)], "finished": [True] * 9})
    content = workbook_bytes({"answers": table, "codebook": table.head(1)})
    sheet = zipfile.ZipFile(io.BytesIO(content)).read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet and "hyperlink" not in sheet
    # The first four are marked as texts, so that they stay texts when somebody edits their cells; the style is the
    # second besides the plain one, after that of the header.
    assert re.findall(r'<c r="A(\d+)" s="2"', sheet) == ["2", "3", "4", "5"]
    styles = zipfile.ZipFile(io.BytesIO(content)).read("xl/styles.xml").decode()
    assert styles.count('quotePrefix="1"') == 1
    file = tmp_path / "a.xlsx"
    file.write_bytes(content)
    read = pl.read_excel(file, sheet_name="answers")
    assert read["label"].to_list() == texts and read["value"].to_list() == list(range(9))
    assert read["finished"].to_list() == [True] * 9


def test_empty_cells_and_very_long_texts(tmp_path: Path) -> None:
    table = pl.DataFrame({"label": ["x" * (LONGEST + 5), None], "value": [None, float("nan")]})
    file = tmp_path / "a.xlsx"
    file.write_bytes(workbook_bytes({"answers": table}))
    read = pl.read_excel(file, drop_empty_rows=False, infer_schema_length=0)
    assert read["label"][0] == "x" * (LONGEST - 1) + "…"
    assert read.columns[0] == "label" and read["label"].to_list()[1:] in ([], [None])


def test_more_rows_than_a_sheet_takes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MOST_ROWS", 2)
    with pytest.raises(UserError, match="3 rows"):
        workbook_bytes({"answers": pl.DataFrame({"a": [1, 2, 3]})})
