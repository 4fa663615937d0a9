"""Tables of users: delimited text, JSON, Parquet, Excel and SPSS, all read as text with row numbers.

Whatever the file, a `UserTable` holds its cells as text, all columns of it, with the number beside each row by which
the user finds it: the line in a text editor, the row in a spreadsheet. What cannot be read is refused with this number,
or left out and told if the options say so: as many rows are read as there are.
"""

from __future__ import annotations

import importlib
import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from hengliang.core.errors import UserError, file_errors, plural_of, unknown_name
from hengliang.core.io.delimited import (
    AS_RECOGNISED,
    NAME_THE_ENCODING,
    QUESTIONS,
    BadLine,
    Cut,
    TableOptions,
    TableWarning,
    encoding_name,
    is_header,
    names_questions,
    numbered,
    read_delimited,
    text_lines,
)
from hengliang.core.io.workbooks import read_sheet
from hengliang.core.signature import file_checksum
from hengliang.core.terms import Bilingual

EXTRA = "pip install 'hengliang[spreadsheets]'"
_SHOWN = 3
_USUAL_DELIMITERS = {".tsv": "\t"}


@dataclass(frozen=True, slots=True, eq=False)
class UserTable:
    """What a file holds: its cells as text, how it was read, and what of it was left out.

    `frame` has a column of text for each named column of the file; an empty cell is an empty text. `numbers` has the
    number of each row, and `row_name` says what is counted: a line of text, a row of a sheet. `form` says how the file
    was read; of delimited text `delimiter`, `quoting` and `header` say what was recognised or asked for. `labels` are
    the value labels of an SPSS file, by column and code.
    """

    path: Path
    frame: pl.DataFrame
    numbers: tuple[int, ...]
    form: str
    checksum: str
    row_name: str = "line"
    skipped: tuple[BadLine, ...] = ()
    encoding: str = ""
    delimiter: str = ""
    quoting: str = ""
    header: bool = True
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    comments: tuple[tuple[int, str], ...] = ()
    """The lines that are remarks, with their numbers."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, or their numbers where the file has no header."""
        return tuple(self.frame.columns)

    @property
    def rows(self) -> Iterator[tuple[str, ...]]:
        """The cells of each row, in the order of the columns."""
        return self.frame.iter_rows()

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield the number of each row and its cells by column."""
        return zip(self.numbers, self.frame.iter_rows(named=True), strict=True)

    def where(self, number: int) -> str:
        """Return the place of a row for a message: `ratings.csv, line 7`."""
        return f"{self.path}, {self.row_name} {number}"

    def fault(self, number: int, problem: str, *, valid: str = "", remedy: str = "") -> UserError:
        """Return the error for what is wrong with one row."""
        return UserError(f"{self.where(number)}: {problem}.", valid=valid, remedy=remedy)

    def require(self, *names: str, remedy: str = "") -> None:
        """Refuse a table that lacks one of these columns."""
        for name in names:
            if name not in self.frame.columns:
                raise unknown_name(f"column of {self.path.name}", name, self.columns, remedy=remedy)

    def skipped_note(self) -> Bilingual | None:
        """Say how many lines were left out, and what is wrong with the first of them; nothing if none was."""
        return skipped_note(self.path, self.skipped, self.row_name)


def skipped_note(path: Path, skipped: Sequence[BadLine], row_name: str = "line") -> Bilingual | None:
    """Say how many lines of a file were left out, and what is wrong with the first of them; nothing if none was."""
    if not skipped:
        return None
    count, first = len(skipped), skipped[:_SHOWN]
    more = count > _SHOWN
    problems = "; ".join(f"{row_name} {bad.line}: {bad.problem}" for bad in first) + ("; …" if more else "")
    places = "、".join(str(bad.line) for bad in first) + (" 等" if more else "")
    what = row_name if count == 1 else plural_of(row_name)
    return Bilingual(
        f"{count} {what} of {path.name} could not be read and {'is' if count == 1 else 'are'} left out ({problems}).",
        f"{path.name} 中有 {count} 行无法读取，已略去（第 {places} 行）。",
    )


def read_user_table(
    path: Path | str, options: TableOptions = AS_RECOGNISED, *, what: str = "row", comment: str = ""
) -> UserTable:
    """Read a table; its form follows from the ending of its name. `what` says in messages what a row is.

    A file without rows is refused, and so is a line that cannot be read, unless the options say that it is left out:
    then a `TableWarning` tells it. Lines of text that begin with the sign of a `comment` are remarks.
    """
    options.check()
    file = Path(path)
    with file_errors(file, "read"):
        file.stat()
    if file.is_dir():
        raise UserError(f"{file} is a folder.", valid=f"A file of {plural_of(what)} is expected here.")
    reader = READERS.get(file.suffix.lower())
    if reader is None:
        raise UserError(
            f"The ending of '{file.name}' names no table that can be read.",
            valid=f"Endings: {', '.join(READERS)}.",
            remedy="Save the table as CSV in UTF-8.",
        )
    if options.sheet is not None and reader is not _read_excel:
        raise UserError(f"{file.name} has no sheets.", valid="A sheet is named for an Excel file: --sheet.")
    if options.header == "no" and reader not in {_read_text, _read_excel}:
        raise UserError(f"The columns of {file.name} have names.", valid="Text and Excel files may have no header.")
    table = _read_text(file, options, comment) if reader is _read_text else reader(file, options)
    if table.skipped and options.errors == "raise":
        raise table.skipped[0].error(str(file), table.row_name)
    if not table.frame.height:
        only = f", only the header {', '.join(table.columns)}" if table.columns and not table.skipped else ""
        only = f": none of its {len(table.skipped)} lines can be read" if table.skipped else only
        raise UserError(
            f"{file} holds no {plural_of(what)}{only}.",
            valid=f"A header with the names of the columns, then one row a {what}.",
            remedy=f"The first: {table.skipped[0].error(file.name, table.row_name)}" if table.skipped else "",
        )
    skipped = table.skipped_note()
    if skipped is not None:
        warnings.warn(TableWarning(skipped.en), stacklevel=2)
    return table


def _check_header(header: Sequence[str], path: Path) -> None:
    twice = next((name for index, name in enumerate(header) if name and name in header[:index]), None)
    if twice is not None:
        raise UserError(
            f"{path} has two columns called '{twice}'.",
            valid="Every column has a name of its own.",
            remedy="If the first row does not name the columns: --no-header",
        )
    if header and not any(header):
        raise UserError(f"The first row of {path} names no columns.", valid="The first row holds the names.")


def _frame(header: Sequence[str], rows: Sequence[Sequence[str]], path: Path) -> pl.DataFrame:
    """Return the columns that have a name; a first one without is an index that some programs write."""
    _check_header(header, path)
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(header)
    nameless = [
        index for index, name in enumerate(header) if index and not name and any(map(str.strip, columns[index]))
    ]
    if nameless:
        numbers = ", ".join(str(index + 1) for index in nameless)
        warnings.warn(
            TableWarning(f"What {path.name} has in columns without a name is left out: {numbers}."),
            stacklevel=2,
        )
    return pl.DataFrame(
        [pl.Series(name, cells, dtype=pl.String) for name, cells in zip(header, columns, strict=True) if name]
    )


# --- text -------------------------------------------------------------------------------------------------------------


def _read_text(path: Path, options: TableOptions, comment: str = "") -> UserTable:
    with file_errors(path, "read"):
        raw = path.read_bytes()
    usual = _USUAL_DELIMITERS.get(path.suffix.lower(), ",")
    text = read_delimited(raw, str(path), options, usual=usual, comment=comment)
    return UserTable(
        path,
        _frame(text.columns, text.rows, path),
        text.lines,
        text.form,
        file_checksum(path),
        skipped=text.bad,
        encoding=encoding_name(text.encoding),
        delimiter=text.delimiter,
        quoting=text.quoting,
        header=text.header,
        comments=text.comments,
    )


# --- JSON -------------------------------------------------------------------------------------------------------------


class JsonObject(NamedTuple):
    """An object of a JSON file and the line on which it begins."""

    line: int
    values: dict[str, Any]


class JsonObjects(NamedTuple):
    """The objects of a JSON file, the lines that hold none, its encoding, and whether it is one array.

    `broken_off` is the line from which on an array cannot be read: nobody knows how many objects follow there.
    """

    objects: tuple[JsonObject, ...]
    bad: tuple[BadLine, ...]
    encoding: str
    is_array: bool
    broken_off: BadLine | None = None
    blank: tuple[int, ...] = ()


_PRINTED = re.compile(rb'\s*\{\s*"schema_version"\s*:\s*\d+\s*,\s*"\w+"\s*:\s*\[')
"""How the output of a command with --json begins: its first list is the table."""
_BROKEN_OFF = "it is not JSON from here on"
_ONE_OBJECT = 'One object a line, {"item": 1, …}, or an array of objects.'


def is_one_array(cuts: Sequence[Cut]) -> bool:
    """Say whether lines are a JSON array, or what a command printed with --json, and not an object each."""
    begin = next((line for line, _ in cuts if line.strip()), b"")
    return begin.lstrip().startswith(b"[") or _PRINTED.match(b"".join(line for line, _ in cuts[:4])) is not None


def read_json_objects(path: Path, encoding: str = "auto") -> JsonObjects:
    """Read the objects of a file of JSON Lines or of one JSON array; blank lines are passed over."""
    with file_errors(path, "read"):
        cuts, codec = text_lines(path.read_bytes(), str(path), encoding)
    is_array = is_one_array(cuts)
    if is_array:
        for line, (_, fault) in enumerate(cuts, 1):
            if fault:
                raise UserError(f"{path}, line {line}: {fault}.", remedy=NAME_THE_ENCODING)
        parsed = list(_of_array("".join(line.decode() for line, _ in cuts)))
    else:
        parsed = [_of_line(line, cut, fault) for line, (cut, fault) in enumerate(cuts, 1) if fault or cut.strip()]
    objects = tuple(entry for entry in parsed if isinstance(entry, JsonObject))
    bad = tuple(entry for entry in parsed if isinstance(entry, BadLine))
    broken_off = next((entry for entry in bad if entry.problem.startswith(_BROKEN_OFF)), None)
    blank = () if is_array else tuple(line for line, (cut, fault) in enumerate(cuts, 1) if not (fault or cut.strip()))
    return JsonObjects(objects, bad, encoding_name(codec), is_array, broken_off, blank)


def _of_line(line: int, cut: bytes, fault: str) -> JsonObject | BadLine:
    if fault:
        return BadLine(line, fault, "", NAME_THE_ENCODING)
    try:
        return _object(line, json.loads(cut.rstrip(b"\r\n")))
    except (ValueError, RecursionError) as error:
        return BadLine(line, f"it is not JSON ({_said(error)})", _ONE_OBJECT)


def _said(error: Exception) -> str:
    return f"{error.msg} at character {error.colno}" if isinstance(error, json.JSONDecodeError) else str(error)


def _object(line: int, value: Any) -> JsonObject | BadLine:
    if not isinstance(value, dict):
        return BadLine(line, "it is not a JSON object", _ONE_OBJECT)
    return JsonObject(line, value)


def _of_array(text: str) -> Iterator[JsonObject | BadLine]:
    decoder, position = json.JSONDecoder(), text.index("[") + 1
    line, counted = 1, 0
    while True:
        while position < len(text) and (text[position].isspace() or text[position] == ","):
            position += 1
        line, counted = line + text.count("\n", counted, position), position
        if text[position : position + 1] == "]":
            if text.lstrip().startswith("[") and text[position + 1 :].strip():
                yield BadLine(line, f"{_BROKEN_OFF} (more follows the end of the array)", _ONE_OBJECT)
            return
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            # What follows a broken object cannot be told apart from it.
            yield BadLine(line, f"{_BROKEN_OFF} ({_said(error)})", _ONE_OBJECT)
            return
        yield _object(line, value)


def _read_json(path: Path, options: TableOptions) -> UserTable:
    read = read_json_objects(path, options.encoding)
    if read.broken_off is not None:
        raise UserError(f"{path}, line {read.broken_off.line}: {read.broken_off.problem}.", valid=_ONE_OBJECT)
    cells: list[dict[str, str]] = []
    lines: list[int] = []
    bad = list(read.bad)
    for entry in read.objects:
        row = {name: _cell(value) for name, value in entry.values.items()}
        try:
            "".join(chain.from_iterable(row.items())).encode()
        except UnicodeEncodeError as error:
            bad.append(BadLine(entry.line, f"half a character (U+{ord(error.object[error.start]):04X}) is in it"))
            continue
        cells.append(row)
        lines.append(entry.line)
    names = tuple(dict.fromkeys(chain.from_iterable(cells)))
    rows = [tuple(row.get(name, "") for name in names) for row in cells]
    numbers, row_name = tuple(lines), "line"
    if read.is_array and len(set(numbers)) < len(numbers):
        # Several objects of an array stand on one line: then they are counted.
        numbers, row_name = tuple(range(1, len(rows) + 1)), "object"
    form = f"{'JSON' if read.is_array else 'JSON Lines'}, {read.encoding}"
    frame = _frame(names, rows, path)
    return UserTable(
        path, frame, numbers, form, file_checksum(path), row_name, tuple(sorted(bad)), encoding=read.encoding
    )


def _cell(value: object) -> str:
    """Return a value as text; a whole number loses its point, for `1` and `1.0` name the same rater."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


# --- Parquet, Excel, SPSS ---------------------------------------------------------------------------------------------


def _read_parquet(path: Path, _options: TableOptions) -> UserTable:
    try:
        frame = pl.read_parquet(path, memory_map=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise UserError(f"{path} is not a whole Parquet file: {error}.", remedy="Export it again.") from error
    return _of_typed(path, frame, "Parquet")


def _of_typed(
    path: Path, frame: pl.DataFrame, form: str, labels: Mapping[str, Mapping[str, str]] | None = None
) -> UserTable:
    _check_header(frame.columns, path)
    texts = [_as_text(frame[name], path) for name in frame.columns]
    numbers = tuple(range(1, frame.height + 1))
    return UserTable(path, pl.DataFrame(texts), numbers, form, file_checksum(path), "row", labels=labels or {})


def _as_text(column: pl.Series, path: Path) -> pl.Series:
    if column.dtype.is_nested():
        return pl.Series(column.name, [_cell(value) for value in column.to_list()], dtype=pl.String)
    if column.dtype.is_float():
        column = column.fill_nan(None)
        whole = column.drop_nulls()
        if whole.is_finite().all() and (whole == whole.round()).all() and (whole.abs() < 2**53).all():
            column = column.cast(pl.Int64)
    try:
        return column.cast(pl.String).fill_null("")
    except pl.exceptions.PolarsError as error:
        raise UserError(
            f"The column '{column.name}' of {path} holds no text or numbers ({column.dtype}).",
            remedy="Leave it out, or save it as text.",
        ) from error


def _read_excel(path: Path, options: TableOptions) -> UserTable:
    sheet = read_sheet(path, options.sheet)
    filled = sheet.rows
    first = filled[0][1] if filled else ()
    header = options.header == "yes" or (options.header == "auto" and is_header(first))
    columns = tuple(cell.strip() for cell in first) if header else numbered(len(first))
    body = filled[1:] if header else filled
    form = f"Excel, sheet '{sheet.name}'" + (f" of {sheet.sheets}" if sheet.sheets > 1 else "")
    form += "" if header else ", without a header"
    if header and names_questions([row for _, row in body[:2]]):
        body, form = body[2:], f"{form}, {QUESTIONS}"
    frame = _frame(columns, [row for _, row in body], path)
    numbers = tuple(number for number, _ in body)
    return UserTable(path, frame, numbers, form, file_checksum(path), "row", header=header)


def _read_spss(path: Path, options: TableOptions) -> UserTable:
    pyreadstat = _extra("pyreadstat", path)
    _extra("pandas", path)
    try:
        encoding = None if options.encoding == "auto" else options.encoding
        frame, facts = pyreadstat.read_sav(str(path), encoding=encoding)
    except Exception as error:
        raise UserError(f"{path} is no SPSS file: {error}.", remedy="Export it again, or save it as CSV.") from error
    columns = [pl.Series(name, [_plain(value) for value in frame[name]], strict=False) for name in frame.columns]
    labels = {
        name: {_cell(code): str(label) for code, label in codes.items()}
        for name, codes in facts.variable_value_labels.items()
    }
    return _of_typed(path, pl.DataFrame(columns), "SPSS", labels)


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


READERS: Mapping[str, Callable[[Path, TableOptions], UserTable]] = {
    ".csv": _read_text,
    ".tsv": _read_text,
    ".txt": _read_text,
    ".jsonl": _read_json,
    ".ndjson": _read_json,
    ".json": _read_json,
    ".parquet": _read_parquet,
    ".xlsx": _read_excel,
    ".sav": _read_spss,
}
"""How a file is read, by the ending of its name."""
