"""Which files that people really have do the tests put to every command that takes a table?

Each is written from the same rows, so that what a command makes of it must equal what it makes of the plain file.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")


@dataclass(frozen=True)
class Rows:
    """The cells of a table as text; `text` is the column whose cells hold text, `numbers` hold whole numbers."""

    header: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    text: str
    numbers: tuple[str, ...] = ()

    def with_text(self, change: Callable[[str], str], which: Sequence[int]) -> Rows:
        """Return the rows with the text of some of them changed."""
        return self._changed({self.text}, change, which)

    def with_numbers(self, change: Callable[[str], str]) -> Rows:
        """Return the rows with all their numbers changed."""
        return self._changed(set(self.numbers), change, range(len(self.cells)))

    def numbered(self) -> Rows:
        """Return the rows with the columns called by their numbers."""
        names = {name: str(place) for place, name in enumerate(self.header, 1)}
        return Rows(tuple(names.values()), self.cells, names[self.text], tuple(names[name] for name in self.numbers))

    def _changed(self, columns: set[str], change: Callable[[str], str], which: Sequence[int]) -> Rows:
        cells = tuple(
            tuple(
                change(cell) if name in columns and place in which else cell
                for name, cell in zip(self.header, row, strict=True)
            )
            for place, row in enumerate(self.cells)
        )
        return Rows(self.header, cells, self.text, self.numbers)


def delimited(rows: Rows, delimiter: str = ",", end: str = "\n", *, header: bool = True) -> str:
    """Return the rows as a spreadsheet writes them: quoted where they must be."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=end)
    writer.writerows([rows.header, *rows.cells] if header else rows.cells)
    return stream.getvalue()


def plain(rows: Rows, delimiter: str) -> str:
    """Return the rows without any quoting."""
    return "".join(f"{delimiter.join(row)}\n" for row in (rows.header, *rows.cells))


def frame(rows: Rows) -> pl.DataFrame:
    """Return the rows with numbers as numbers."""
    table = pl.DataFrame(rows.cells, schema=list(rows.header), orient="row")
    return table.with_columns(pl.col(name).cast(pl.Int64) for name in rows.numbers)


def typed(rows: Rows) -> list[dict[str, object]]:
    """Return the rows as objects of JSON, numbers as numbers."""
    return frame(rows).to_dicts()


def _excel(rows: Rows, path: Path, sheets: Sequence[str] = ("data",)) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(str(path)) as book:
        for name in sheets:
            sheet = book.add_worksheet(name)
            if name != sheets[-1]:
                sheet.write_row(0, 0, ["a title", "and nothing else"])
                continue
            sheet.write_row(0, 0, rows.header)
            for place, row in enumerate(typed(rows), 1):
                sheet.write_row(place, 0, list(row.values()))


def _spss(rows: Rows, path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    pandas = pytest.importorskip("pandas")
    pyreadstat.write_sav(pandas.DataFrame(typed(rows)), str(path))


Written = tuple[str, tuple[str, ...]]
"""The name of a file and the options with which it is read."""


def nasty(folder: Path, rows: Rows, kind: str) -> tuple[Written, Rows]:
    """Write a nasty file; return its name, its options, and the rows that are in it."""
    name, options, held, write = KINDS[kind](rows)
    write(folder / name)
    return (name, options), held


_Made = tuple[str, tuple[str, ...], Rows, Callable[[Path], object]]


def _text(name: str, encoding: str = "utf-8", *options: str, delimiter: str = ",", end: str = "\n"):  # type: ignore[no-untyped-def]
    def made(rows: Rows) -> _Made:
        raw = delimited(rows, delimiter, end).encode(encoding)
        return name, options, rows, lambda path: path.write_bytes(raw)

    return made


def _stray(rows: Rows) -> _Made:
    # A text that begins with a mark which nobody closes: read as quoting it would swallow the rows after it.
    held = rows.with_text('"{}'.format, [0, len(rows.cells) - 1])
    return "table.tsv", (), held, lambda path: path.write_text(plain(held, "\t"), encoding="utf-8")


def _quoted(rows: Rows) -> _Made:
    held = rows.with_text("{}\n又一行".format, [1])
    return "table.csv", (), held, lambda path: path.write_text(delimited(held), encoding="utf-8", newline="")


def _as_text(rows: Rows) -> _Made:
    held = rows.with_text('"{}"'.format, range(len(rows.cells)))
    return "table.csv", ("--quoting", "none"), held, lambda path: path.write_text(plain(held, ","), encoding="utf-8")


def _wide(rows: Rows) -> _Made:
    shown = rows.with_numbers(_full_width)
    return "table.csv", (), rows, lambda path: path.write_text(delimited(shown), encoding="utf-8")


def _full_width(text: str) -> str:
    return text.translate(FULL_WIDTH)


def _array(rows: Rows) -> _Made:
    return "table.json", (), rows, lambda path: path.write_text(json.dumps(typed(rows)), encoding="utf-8")


def _lines(rows: Rows) -> _Made:
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in typed(rows))
    return "table.jsonl", (), rows, lambda path: path.write_text(lines, encoding="utf-8")


KINDS: Mapping[str, Callable[[Rows], _Made]] = {
    "plain": _text("table.csv"),
    "GB18030": _text("table.csv", "gb18030"),
    "UTF-16": _text("table.csv", "utf-16"),
    "UTF-16 without a mark": _text("table.csv", "utf-16-le", "--encoding", "utf-16-le"),
    "byte-order mark": _text("table.csv", "utf-8-sig"),
    "Windows line ends": _text("table.csv", "utf-8", end="\r\n"),
    "semicolons": _text("table.csv", "utf-8", delimiter=";"),
    "tabs in a .csv": _text("table.csv", "utf-8", delimiter="\t"),
    "a stated delimiter": _text("table.csv", "gb18030", "--delimiter", "|", delimiter="|"),
    "tabs": _text("table.tsv", "utf-8", delimiter="\t"),
    "tabs with stray quotation marks": _stray,
    "a quoted line end": _quoted,
    "marks that are text": _as_text,
    "full-width digits": _wide,
    "Excel": lambda rows: ("table.xlsx", (), rows, lambda path: _excel(rows, path)),
    "a sheet of Excel": lambda rows: (
        "table.xlsx",
        ("--sheet", "data"),
        rows,
        lambda path: _excel(rows, path, ("notes", "data")),
    ),
    "Parquet": lambda rows: ("table.parquet", (), rows, frame(rows).write_parquet),
    "JSON Lines": _lines,
    "a JSON array": _array,
    "SPSS": lambda rows: ("table.sav", (), rows, lambda path: _spss(rows, path)),
}
"""What a file is like, and how it is made of rows."""
