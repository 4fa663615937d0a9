"""How are ratings read, from whatever file a laboratory keeps them in?

Comma-, tab- or semicolon-separated text, JSON, JSON Lines, Parquet, Excel and SPSS. Whatever the file, a
`RatingsFile` holds its cells as text, with the number of the row in the file beside each row; `table.py` says which
columns are numbers.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from hengliang.analysis.ratings.delimited import Lines, decode, read_delimited
from hengliang.core.io.delimited import Quoting
from hengliang.core.io.workbooks import check_workbook
from hengliang.errors import UserError, file_errors, unknown_name
from hengliang.people.collected.delimited import is_export, unguarded
from hengliang.signature import file_checksum

ROW = "source row"
"""The column with the number of the row in the file, as a text editor or a spreadsheet counts."""

EXPERIMENT = "experiment"
"""The form of ratings that were no file but the answers of an experiment."""

EXTRA = "pip install 'hengliang[spreadsheets]'"


@dataclass(frozen=True, slots=True, eq=False)
class RatingsFile:
    """What a file holds: its cells as text, how it was read, and the value labels of an SPSS file."""

    path: Path
    frame: pl.DataFrame
    form: str
    checksum: str
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    decimal_comma: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of the file."""
        return tuple(name for name in self.frame.columns if name != ROW)


def read_ratings_file(
    path: str | Path,
    *,
    sheet: str | None = None,
    encoding: str = "auto",
    quoting: Quoting = "auto",
    row: str = "rating",
) -> RatingsFile:
    """Read a file of ratings; its form follows from the ending of its name.

    `sheet` is the name of an Excel sheet (the first one if none is named), `encoding` that of a text file; `quoting`
    says whether quotation marks quote its cells; `row` says in messages what a row is.
    """
    file = Path(path)
    kind = READERS.get(file.suffix.lower())
    with file_errors(file, "read"):
        file.stat()
        if file.is_dir():
            raise UserError(f"{file} is a folder.", valid=f"A file of {row}s is expected here.")
    if kind is None:
        raise UserError(
            f"The ending of '{file.name}' names no form that can be read.",
            valid=f"Endings: {', '.join(READERS)}.",
            remedy=f"Save the {row}s as CSV in UTF-8.",
        )
    if sheet is not None and kind is not _read_excel:
        raise UserError(f"{file.name} has no sheets.", valid="--sheet is for Excel files.")
    found = _read_text(file, sheet, encoding, quoting) if kind is _read_text else kind(file, sheet, encoding)
    if not found.frame.height:
        raise UserError(
            f"{file} holds no {row}s" + (f", only the header {', '.join(found.columns)}." if found.columns else "."),
            valid=f"A header with the names of the columns, then one row a {row}.",
        )
    return found


# --- text -------------------------------------------------------------------------------------------------------------


def _read_text(path: Path, _sheet: str | None, encoding: str, quoting: Quoting = "auto") -> RatingsFile:
    with file_errors(path, "read"):
        raw = path.read_bytes()
    tab = "\t" if path.suffix.lower() == ".tsv" else None
    lines = read_delimited(raw, path.name, delimiter=tab, encoding=encoding, quoting=quoting)
    if is_export(lines.header):
        lines = _without_guards(lines)
    return _of_lines(path, lines)


def _without_guards(lines: Lines) -> Lines:
    """Return the texts of a survey's export as they were before its CSV kept spreadsheets from running them."""
    header = tuple(unguarded(name) for name in lines.header)
    return replace(lines, header=header, rows=tuple(tuple(unguarded(cell) for cell in row) for row in lines.rows))


def _of_lines(path: Path, lines: Lines) -> RatingsFile:
    _check_header(lines.header, path)
    columns: list[tuple[str, ...]] = list(zip(*lines.rows, strict=True)) if lines.rows else [()] * len(lines.header)
    series = [
        pl.Series(name, values, dtype=pl.String) for name, values in zip(lines.header, columns, strict=True) if name
    ]
    numbers = pl.Series(ROW, lines.numbers, dtype=pl.Int64)
    frame = pl.DataFrame([numbers, *series])
    return RatingsFile(path, frame, lines.form, file_checksum(path), decimal_comma=lines.decimal_comma)


def _check_header(header: Sequence[str], path: Path) -> None:
    seen: set[str] = set()
    for name in header:
        if name and name in seen:
            raise UserError(f"{path} has two columns called '{name}'.", valid="Every column has a name of its own.")
        seen.add(name)
        if name == ROW:
            raise UserError(f"{path} has a column '{ROW}', a name that we need ourselves.", remedy="Rename it.")
    if header and not any(header):
        raise UserError(f"The first row of {path} names no columns.", valid="The first row holds the names.")


# --- JSON -------------------------------------------------------------------------------------------------------------


def _read_json_lines(path: Path, _sheet: str | None, encoding: str) -> RatingsFile:
    with file_errors(path, "read"):
        text, encoding_name = decode(path.read_bytes(), path.name, encoding)
    numbered = [(number + 1, line) for number, line in enumerate(text.splitlines()) if line.strip()]
    objects = [(number, _json(line, f"{path.name}, line {number}")) for number, line in numbered]
    return _of_objects(path, objects, f"JSON Lines, {encoding_name}")


def _read_json(path: Path, sheet: str | None, encoding: str) -> RatingsFile:
    with file_errors(path, "read"):
        text, encoding_name = decode(path.read_bytes(), path.name, encoding)
    if not text.lstrip().startswith("["):
        return _read_json_lines(path, sheet, encoding)
    return _of_objects(path, list(enumerate(_json(text, path.name), 1)), f"JSON, {encoding_name}")


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise UserError(f"{where} is no JSON: {error}.", valid='One object a rating: {"item": 1, …}.') from error


def _of_objects(path: Path, objects: Sequence[tuple[int, Any]], form: str) -> RatingsFile:
    for number, value in objects:
        if not isinstance(value, Mapping) or any(isinstance(cell, list | dict) for cell in value.values()):
            raise UserError(
                f"{path.name}, row {number} is not a flat object.", valid='One object a rating: {"item": 1, …}.'
            )
    names = tuple(dict.fromkeys(name for _, value in objects for name in value))
    rows = tuple(tuple(_cell(value.get(name)) for name in names) for _, value in objects)
    return _of_lines(path, Lines(names, rows, tuple(number for number, _ in objects), form))


def _cell(value: object) -> str:
    """Return a value as text; a whole number loses its point, for `1` and `1.0` name the same rater."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


# --- Parquet, Excel, SPSS ---------------------------------------------------------------------------------------------


def _read_parquet(path: Path, _sheet: str | None, _encoding: str) -> RatingsFile:
    try:
        frame = pl.read_parquet(path, memory_map=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise UserError(f"{path} is not a whole Parquet file: {error}.", remedy="Export it again.") from error
    return _of_typed(path, frame, "Parquet", first=1)


def _of_typed(
    path: Path, frame: pl.DataFrame, form: str, *, first: int, labels: Mapping[str, Mapping[str, str]] | None = None
) -> RatingsFile:
    _check_header(frame.columns, path)
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    if nested:
        raise UserError(f"The column '{nested[0]}' of {path} holds lists.", valid="One value a cell.")
    texts = [_as_text(frame[name]) for name in frame.columns]
    numbers = pl.Series(ROW, range(first, first + frame.height), dtype=pl.Int64)
    return RatingsFile(path, pl.DataFrame([numbers, *texts]), form, file_checksum(path), labels or {})


def _as_text(column: pl.Series) -> pl.Series:
    if column.dtype.is_float():
        column = column.fill_nan(None)
        whole = column.drop_nulls()
        if whole.is_finite().all() and (whole == whole.round()).all() and (whole.abs() < 2**53).all():
            column = column.cast(pl.Int64)
    return column.cast(pl.String).fill_null("")


def _read_excel(path: Path, sheet: str | None, _encoding: str) -> RatingsFile:
    fastexcel = _extra("fastexcel", path)
    check_workbook(path)
    try:
        book = fastexcel.read_excel(str(path))
    except Exception as error:
        raise UserError(f"{path} is no Excel file: {error}.", remedy="Save it as .xlsx or CSV.") from error
    names = list(book.sheet_names)
    if sheet is not None and sheet not in names:
        raise unknown_name("sheet", sheet, names)
    chosen = sheet or names[0]
    try:
        # Without a header and without skipping, the rows are those that the spreadsheet numbers.
        raw = book.load_sheet(chosen, header_row=None, skip_rows=0, dtypes="string").to_polars()
    except Exception as error:
        raise UserError(f"The sheet '{chosen}' of {path} cannot be read: {error}.") from error
    rows = [(number + 1, tuple(cell or "" for cell in row)) for number, row in enumerate(raw.iter_rows())]
    filled = [(number, row) for number, row in rows if any(cell.strip() for cell in row)]
    header = tuple(cell.strip() for cell in filled[0][1]) if filled else ()
    form = f"Excel, sheet '{chosen}'" + (f" of {len(names)}" if len(names) > 1 else "")
    body = filled[1:]
    return _of_lines(path, Lines(header, tuple(row for _, row in body), tuple(number for number, _ in body), form))


def _read_spss(path: Path, _sheet: str | None, encoding: str) -> RatingsFile:
    pyreadstat = _extra("pyreadstat", path)
    _extra("pandas", path)
    try:
        frame, facts = pyreadstat.read_sav(str(path), encoding=None if encoding == "auto" else encoding)
    except Exception as error:
        raise UserError(f"{path} is no SPSS file: {error}.", remedy="Export it again, or save it as CSV.") from error
    columns = [pl.Series(name, [_plain(value) for value in frame[name]], strict=False) for name in frame.columns]
    labels = {
        name: {_cell(code): str(label) for code, label in held.items()}
        for name, held in facts.variable_value_labels.items()
    }
    return _of_typed(path, pl.DataFrame(columns), "SPSS", first=1, labels=labels)


def _plain(value: Any) -> Any:
    """Return a cell of a pandas frame as Python knows it; `NaN` and `NaT` are missing."""
    if value is None or value != value:
        return None
    return value.item() if hasattr(value, "item") else value if isinstance(value, str | int | float) else str(value)


def _extra(module: str, path: Path) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UserError(
            f"To read {path.name}, the package {module} is needed and is not installed.", remedy=f"Install it: {EXTRA}"
        ) from error


READERS: Mapping[str, Callable[[Path, str | None, str], RatingsFile]] = {
    ".csv": _read_text,
    ".tsv": _read_text,
    ".txt": _read_text,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
    ".json": _read_json,
    ".parquet": _read_parquet,
    ".xlsx": _read_excel,
    ".sav": _read_spss,
}
