"""How is a table of results held, so that people can read it and programs can use it?

A `Table` keeps the raw values in a polars frame and says, column by column, how a reader sees them. What is shown is
rounded and in one language; what is exported (`to_polars`, `to_csv`, `to_json`) is raw and complete.
"""

from __future__ import annotations

import importlib
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.settings import json_number
from hengliang.core.terms import Bilingual, Language
from hengliang.report import words
from hengliang.report.formats import CellText, Style, is_missing, write_interval, write_number
from hengliang.statistics.results import DASH, p_remark

if TYPE_CHECKING:
    import pandas
    from rich.table import Table as RichTable

TEXT = Style()
NO_TEXT = Bilingual(DASH, DASH)


@dataclass(frozen=True, slots=True)
class Column:
    """One column as a reader sees it.

    `name` is the frame's column with the value. `beside` names the frame's columns that are shown in the same cell,
    under `low`, `high`, `df`, `p`, `n`, `n_missing` and `reason`, where there are any. `styles` gives each row its own
    style, `keys` the number of the estimate behind it, which a page turns into a link. `labels` are the titles of text
    values, and `empty` stands for a text that is not there.
    """

    name: str
    title: Bilingual
    style: Style = TEXT
    styles: tuple[Style, ...] = ()
    header: bool = False
    beside: Mapping[str, str] = field(default_factory=dict)
    keys: tuple[int | None, ...] = ()
    labels: Mapping[str, Bilingual] = field(default_factory=dict)
    empty: Bilingual = NO_TEXT

    @property
    def is_text(self) -> bool:
        """Return whether the column holds words, which stand left; numbers stand right."""
        return self.style.format == "text" and not self.styles

    def style_of(self, row: int) -> Style:
        """Return how the value in this row is written."""
        return self.styles[row] if self.styles else self.style


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table of results: raw values, and how a reader sees them."""

    frame: pl.DataFrame
    columns: tuple[Column, ...]
    language: Language = "en"
    title: Bilingual | None = None
    note: Bilingual | None = None

    def __len__(self) -> int:
        return self.frame.height

    def in_language(self, language: Language) -> Self:
        """Return the same table for readers of another language."""
        return replace(self, language=language)

    def heading(self, column: Column) -> str:
        """Return the title of a column."""
        return column.title[self.language]

    def cells(self) -> list[tuple[CellText, ...]]:
        """Return what a reader sees, row by row."""
        rows = self.frame.to_dicts()
        return [
            tuple(_cell(row, column, column.style_of(index), self.language) for column in self.columns)
            for index, row in enumerate(rows)
        ]

    # --- for people ---------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        from rich.console import Console

        stream = io.StringIO()
        console = Console(file=stream, color_system=None, width=10_000, legacy_windows=False)
        console.print(self.__rich__())
        return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())

    def __rich__(self) -> RichTable:
        """Return the table for a terminal, where a Chinese character is two cells wide."""
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(
            box=box.SIMPLE_HEAD,
            title=Text(self.title[self.language]) if self.title else None,
            caption=Text(self.note[self.language]) if self.note else None,
            title_justify="left",
            caption_justify="left",
            pad_edge=False,
        )
        for column in self.columns:
            table.add_column(Text(self.heading(column)), justify="left" if column.is_text else "right")
        for row in self.cells():
            table.add_row(*(Text(str(cell)) for cell in row))
        return table

    def _repr_html_(self) -> str:
        from hengliang.report.html import table_html

        return table_html(self, languages=(self.language,))

    def to_markdown(self) -> str:
        """Return the table as a Markdown pipe table."""
        from hengliang.report.markdown import table_markdown

        return table_markdown(self)

    def to_latex(self) -> str:
        """Return the table as a LaTeX `tabular` with the rules of booktabs."""
        from hengliang.report.latex import table_latex

        return table_latex(self)

    # --- for programs -------------------------------------------------------------------------------------------

    def to_polars(self) -> pl.DataFrame:
        """Return the raw values."""
        return self.frame

    def to_pandas(self) -> pandas.DataFrame:
        """Return the raw values as a pandas frame (extra `pandas`)."""
        try:
            importlib.import_module("pandas")
            importlib.import_module("pyarrow")
        except ImportError as error:
            raise UserError("pandas is not installed.", remedy="Install it: pip install 'hengliang[pandas]'") from error
        return self.frame.to_pandas()

    def to_csv(self) -> str:
        """Return the raw values as CSV: numbers in full, nothing for what is not there, text in quotes."""
        return self.frame.write_csv(quote_style="non_numeric")

    def to_json(self) -> str:
        """Return the raw values and the titles as a JSON object."""
        columns = [
            {
                "name": column.name,
                "title": column.title.to_json(),
                "format": column.style.format,
                "digits": column.style.digits,
            }
            for column in self.columns
        ]
        rows = [{name: _plain(value) for name, value in row.items()} for row in self.frame.to_dicts()]
        return json.dumps({"schema_version": 1, "columns": columns, "rows": rows}, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    return json_number(value) if isinstance(value, float) else value


def _cell(row: Mapping[str, Any], column: Column, style: Style, language: Language) -> CellText:
    """Write one cell. A number that is not there is a dash with its reason, never a zero."""
    value = row[column.name]
    if style.format == "text":
        if value is None:
            return CellText(column.empty[language])
        label = column.labels.get(str(value))
        return CellText(label[language] if label else str(value))
    beside = {part: row[name] for part, name in column.beside.items()}
    remarks = _remarks(beside, language)
    if is_missing(value):
        return CellText(DASH, reason=_reason(beside.get("reason"), language), remarks=remarks)
    interval = write_interval(beside.get("low"), beside.get("high"), style)
    return CellText(write_number(value, style), interval, remarks)


def _reason(code: str | None, language: Language) -> str:
    if not code:
        return ""
    known = words.REASONS.get(code)
    return known[language] if known else code


def _remarks(beside: Mapping[str, Any], language: Language) -> tuple[str, ...]:
    found = []
    if beside.get("df"):
        found.append(f"df = {beside['df']}")
    if not is_missing(beside.get("p")):
        found.append(p_remark(beside["p"]))
    if beside.get("n") is not None:
        found.append(f"n = {beside['n']:,}")
    if beside.get("n_missing"):
        found.append(words.missing_remark(beside["n_missing"])[language])
    return tuple(found)


def text_table(columns: Iterable[tuple[Column, Iterable[Any]]], language: Language = "en") -> Table:
    """Return a table from columns and their values; the simple case, for lists of materials or systems."""
    given = [(column, list(values)) for column, values in columns]
    types: dict[str, Any] = {"text": pl.String, "integer": pl.Int64}
    frame = pl.DataFrame(
        [pl.Series(column.name, values, dtype=types.get(column.style.format, pl.Float64)) for column, values in given]
    )
    return Table(frame, tuple(column for column, _ in given), language)
