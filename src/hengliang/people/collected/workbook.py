"""How do tables become one Excel file in which every text is a text?

Texts are written as texts, never as formulas, links or numbers, whatever they begin with; one that would be a formula
is marked as a text, so that it stays one when its cell is edited. Rows go to disk as they are written, so a large table
needs little memory.
"""

from __future__ import annotations

import importlib
import io
import math
from collections.abc import Mapping
from typing import Any

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.io.spreadsheet_guards import STARTS

MOST_ROWS = 1_048_575
"""How many rows a sheet takes besides its header."""
LONGEST = 32_767
"""How many characters a cell takes."""


def workbook_bytes(sheets: Mapping[str, pl.DataFrame]) -> bytes:
    """Return an Excel file with one sheet a table, the header in bold and in sight."""
    for name, table in sheets.items():
        if table.height > MOST_ROWS:
            raise UserError(
                f"The sheet '{name}' would have {table.height:,} rows.",
                valid=f"Excel takes {MOST_ROWS:,} at most.",
                remedy="Choose another form: --form long or --form parquet",
            )
    target = io.BytesIO()
    settings = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with _library().Workbook(target, {**settings, "strings_to_numbers": False}) as book:
        bold = book.add_format({"bold": True})
        marked = book.add_format({"quote_prefix": True})
        for name, table in sheets.items():
            sheet = book.add_worksheet(name)
            sheet.freeze_panes(1, 0)
            for place, column in enumerate(table.columns):
                sheet.write_string(0, place, column, bold)
            for row, cells in enumerate(table.iter_rows(), 1):
                for place, cell in enumerate(cells):
                    _write(sheet, row, place, cell, marked)
    return target.getvalue()


def _write(sheet: Any, row: int, place: int, cell: object, marked: Any) -> None:
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return
    if isinstance(cell, bool):
        sheet.write_boolean(row, place, cell)
    elif isinstance(cell, int | float):
        sheet.write_number(row, place, cell)
    elif cell != "":
        text = str(cell)
        whole = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        sheet.write_string(row, place, whole, marked if text.startswith(STARTS) else None)


def _library() -> Any:
    try:
        return importlib.import_module("xlsxwriter")
    except ImportError as error:
        raise UserError(
            "To write an Excel file, the package xlsxwriter is needed and is not installed.",
            remedy="pip install 'hengliang[survey]'",
        ) from error
