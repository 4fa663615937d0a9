"""Which rated sentences does a user's own table hold?

Comma-, semicolon- or tab-separated text, JSON Lines, Parquet and Excel, with the names of the columns in the first row.
What every row needs is a sentence and a rating, or a list of single ratings; a cell without a rating is a sentence
that nobody has rated. Where a sentence has a row for each of its ratings, these rows are one, unless another column
tells them apart.
"""

from __future__ import annotations

import csv
import io
import json
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from hengliang.core.io.delimited import Quoting, csv_quoting
from hengliang.core.io.workbooks import sheet_rows
from hengliang.errors import UserError, file_errors, unknown_name
from hengliang.materials.column_names import RATER_NAMES, is_called
from hengliang.materials.rated_sentences.rated_row import (
    RatedRow,
    check_keys,
    number_of,
    numbers_of,
    problem,
    spread,
)
from hengliang.records import RESERVED_ATTRIBUTES

COLUMNS = {
    "text": "sentence",
    "rating": "rating",
    "ratings": "ratings",
    "id": "id",
    "mode": "mode",
    "origin": "origin",
    "raters": "raters",
    "rating_sd": "rating_sd",
    "source_sentence": "source_sentence",
}
"""What a column may be for, and how it is called unless the user says otherwise."""

_WITHHELD = -1
"""What test parts have instead of a label that is not told."""

_SUMMARIES = {"ratings", "raters", "rating_sd"}
"""Columns that say of a row that it sums up several ratings."""

Cells = Mapping[str, str]
Line = tuple[int, Cells]

_DELIMITERS = ",;\t"


def read_rated_table(
    path: Path | str,
    columns: Mapping[str, str] | None = None,
    *,
    keep: Sequence[str] = (),
    sheet: str | None = None,
    quoting: Quoting = "auto",
    header: bool = True,
) -> tuple[RatedRow, ...]:
    """Read a table of rated sentences; `columns` says which column is for what, `keep` names further attributes.

    `quoting` says whether quotation marks quote the cells of a text file. Without a `header` its columns are called by
    their numbers, from 1. Rows with the same sentence and one rating each are one sentence with its ratings; if a
    column for which no use is stated tells them apart, as a context would, the table is refused.
    """
    file = Path(path)
    names = _names(columns or {})
    lines = list(_lines(file, sheet, quoting, header))
    if not lines:
        raise UserError(f"{file} holds no rated sentences.", valid="A row with names of columns, then one a sentence.")
    present = dict.fromkeys(name for _, cells in lines for name in cells)
    used = _used(names, columns or {}, tuple(present), file)
    for name in keep:
        if name not in present:
            raise unknown_name(f"column of {file.name}", name, present)
        if name in RESERVED_ATTRIBUTES or name in {*COLUMNS, "dataset", "textbook", "rating_z", "length"}:
            raise UserError(f"The column '{name}' cannot be kept: the name is taken.", remedy="Rename the column.")
    rows = tuple(_row(file, line, place, cells, used, keep) for place, (line, cells) in enumerate(lines, 1))
    if all(row.rating == _WITHHELD for row in rows):
        raise UserError(
            f"{file} has no ratings: '{used.get('rating') or used['ratings']}' is {_WITHHELD} in every row.",
            valid="Ratings, or empty cells where nobody has rated a sentence.",
            remedy="Test parts are often published without their labels: take another part.",
        )
    if not _SUMMARIES & used.keys():
        others = [name for name in present if name not in {*used.values(), *keep}]
        rest = [{name: cells.get(name, "").strip() for name in others} for _, cells in lines]
        rows = _with_single_ratings(rows, rest, file, by_id="id" in used)
    check_keys(rows, file)
    return rows


def _names(columns: Mapping[str, str]) -> dict[str, str]:
    for purpose in columns:
        if purpose not in COLUMNS:
            raise unknown_name("purpose of a column", purpose, COLUMNS)
    return {**COLUMNS, **columns}


def _used(names: Mapping[str, str], asked: Mapping[str, str], present: Sequence[str], file: Path) -> dict[str, str]:
    """Return the columns that are there; one that was asked for, and the sentence and its rating, must be."""
    used = {purpose: name for purpose, name in names.items() if name in present}
    for purpose in (*asked, "text"):
        if purpose not in used:
            raise unknown_name(
                f"column of {file.name}", names[purpose], present, remedy=f"Say which: {purpose}='COLUMN'."
            )
    if "rating" not in used and "ratings" not in used:
        raise unknown_name(f"column of {file.name}", names["rating"], present, remedy="Say which: rating='COLUMN'.")
    return used


def _row(file: Path, line: int, place: int, cells: Cells, used: Mapping[str, str], keep: Sequence[str]) -> RatedRow:
    held = {purpose: cells.get(name, "").strip() for purpose, name in used.items()}
    if not held["text"]:
        raise problem(file, line, "there is no sentence", valid="Every row has a sentence; its rating may be empty.")
    ratings = numbers_of(held["ratings"], file, line) if held.get("ratings") else ()
    rating = number_of(held["rating"], file, line, "rating") if held.get("rating") else None
    if rating is None and ratings:
        rating = statistics.fmean(ratings)
    raters = _raters(held.get("raters", ""), file, line)
    deviation = number_of(held["rating_sd"], file, line, "deviation") if held.get("rating_sd") else None
    if deviation is not None and deviation < 0:
        raise problem(file, line, f"the standard deviation {held['rating_sd']} is negative")
    return RatedRow(
        line,
        held.get("id") or str(place),
        held["text"],
        held.get("mode", ""),
        held.get("origin") or None,
        None,
        rating,
        ratings,
        raters if raters is not None else len(ratings) or None,
        deviation if deviation is not None else spread(ratings),
        held.get("source_sentence", ""),
        tuple((name, cells.get(name, "").strip()) for name in keep),
    )


# --- a row a rating ---------------------------------------------------------------------------------------------------


def _with_single_ratings(
    rows: Sequence[RatedRow], rest: Sequence[Cells], file: Path, *, by_id: bool
) -> tuple[RatedRow, ...]:
    """Make one row of the ratings of each sentence, where a file has a row for each of them.

    Rows belong together by their id, or if they have none, by their sentence; always within a mode. `rest` are the
    cells of each row that are used for nothing.
    """
    places: dict[tuple[str, str], list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault((row.mode, row.key if by_id else row.text), []).append(place)
    groups = [[rows[place] for place in held] for held in places.values()]
    repeated = [group for group in groups if len(group) > 1]
    if not repeated:
        return tuple(rows)
    if not by_id and 2 * len(repeated) <= len(groups):
        first, second, *_ = repeated[0]
        raise problem(
            file,
            second.line,
            f"the sentence is that of line {first.line}, and most others stand there once",
            valid="Rows with a mean each, or rows with a single rating each, several a sentence.",
            remedy="Different items have ids: id='COLUMN'. Of means, say of how many ratings: raters='COLUMN'.",
        )
    if not by_id:
        _check_not_told_apart(groups, [[rest[place] for place in held] for held in places.values()], file)
    return tuple(_of_single(group, file, place, by_id=by_id) for place, group in enumerate(groups, 1))


def _check_not_told_apart(groups: Sequence[Sequence[RatedRow]], rest: Sequence[Sequence[Cells]], file: Path) -> None:
    """Refuse rows with one sentence that another column tells apart: they may be several items."""
    for name in rest[0][0]:
        if not _tells_apart(name, rest):
            continue
        group, held = next(
            (group, held)
            for group, held in zip(groups, rest, strict=True)
            if any(cells[name] != held[0][name] for cells in held)
        )
        place = next(place for place, cells in enumerate(held) if cells[name] != held[0][name])
        raise problem(
            file,
            group[place].line,
            f"the sentence is that of line {group[0].line}, but its '{name}' is '{held[place][name]}' and not "
            f"'{held[0][name]}'",
            valid="Rows that differ by the rater are ratings of one sentence; others may be items of their own.",
            remedy=f"To rate them apart, say mode='{name}', or id='COLUMN' if items have ids. To take them for ratings "
            "of one sentence, name its column as the id too.",
        )


def _tells_apart(name: str, groups: Sequence[Sequence[Cells]]) -> bool:
    """Say whether a column tells the rows of one sentence apart as a condition does.

    Then it differs within a sentence and comes back in others. What names the raters or follows from them (their age,
    their list) is no condition; where each rater has rated a sentence once, numbers are taken for measurements or for
    an order.
    """
    if is_called(name, RATER_NAMES) or all(len({cells[name] for cells in held}) == 1 for held in groups):
        return False
    found = Counter(value for held in groups for value in {cells[name] for cells in held} if value)
    if len(groups) > 1 and max(found.values()) < 2:
        return False
    raters = [other for other in groups[0][0] if is_called(other, RATER_NAMES)]
    rows = [cells for held in groups for cells in held]
    follows = any(
        len({(cells[rater], cells[name]) for cells in rows}) == len({cells[rater] for cells in rows})
        for rater in raters
    )
    once = any(all(len({cells[rater] for cells in held}) == len(held) for held in groups) for rater in raters)
    return not follows and not (once and all(map(_is_number, found)))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _of_single(group: Sequence[RatedRow], file: Path, place: int, *, by_id: bool) -> RatedRow:
    """Return the row of a sentence, from those of its ratings; they must agree on everything else."""
    first = group[0]
    key = first.key if by_id else str(place)
    for row in group[1:]:
        if row.text != first.text:
            check_keys(group, file)
        told = {"origin": first.origin, "source_sentence": first.source_sentence, **dict(first.further)}
        other = {"origin": row.origin, "source_sentence": row.source_sentence, **dict(row.further)}
        differs = next((name for name in told if told[name] != other[name]), None)
        if differs is not None:
            raise problem(
                file,
                row.line,
                f"it is a rating of the sentence in line {first.line}, but its '{differs}' is '{other[differs]}' "
                f"and not '{told[differs]}'",
                valid="What is kept of a sentence is the same in all rows with its ratings.",
                remedy="Leave the column out, or give different items ids of their own: id='COLUMN'.",
            )
    ratings = tuple(row.rating for row in group if row.rating is not None)
    mean = statistics.fmean(ratings) if ratings else None
    raters, deviation = len(ratings) or None, spread(ratings)
    return replace(first, key=key, rating=mean, ratings=ratings, raters=raters, rating_sd=deviation, merged=len(group))


def _raters(text: str, file: Path, line: int) -> int | None:
    if not text:
        return None
    count = number_of(text, file, line, "number of raters")
    if count < 1 or count != int(count):
        raise problem(file, line, f"'{text}' is no number of raters", valid="A whole number, 1 or more.")
    return int(count)


# --- files ------------------------------------------------------------------------------------------------------------


def _lines(file: Path, sheet: str | None, quoting: Quoting = "auto", header: bool = True) -> Iterator[Line]:
    with file_errors(file, "read"):
        file.stat()
    reader = READERS.get(file.suffix.lower())
    if reader is None or file.is_dir():
        raise UserError(
            f"The ending of '{file.name}' names no table that can be read.",
            valid=f"Endings: {', '.join(READERS)}.",
            remedy="Save the table as CSV in UTF-8.",
        )
    if sheet is not None and reader is not _excel:
        raise UserError(f"{file.name} has no sheets.", valid="A sheet is named for an Excel file.")
    if reader is _delimited:
        return _delimited(file, sheet, quoting, header)
    if not header:
        raise UserError(f"The columns of {file.name} have names.", valid="header=False is for text with delimiters.")
    return reader(file, sheet)


def _text(file: Path) -> str:
    with file_errors(file, "read"):
        raw = file.read_bytes()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise problem(
            file,
            line,
            "it is not UTF-8",
            remedy=f"Convert the file first: iconv -f gb18030 -t utf-8 {file.name} > NEW{file.suffix}",
        ) from error


def _delimited(file: Path, _sheet: str | None, quoting: Quoting = "auto", with_header: bool = True) -> Iterator[Line]:
    text = _text(file)
    head = text.lstrip("\r\n").partition("\n")[0]
    tab = "\t" if file.suffix.lower() == ".tsv" else max(_DELIMITERS, key=head.count)
    marks = csv_quoting(text, tab, str(file), quoting, 'quoting="standard" joins the lines, quoting="none" does not.')
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=tab, quoting=marks, strict=True)
    header: list[str] = []
    before = 0
    try:
        for cells in reader:
            line, before = before + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if not header:
                header = _header(file, cells) if with_header else [str(place + 1) for place in range(len(cells))]
                if with_header:
                    continue
            yield line, _named(file, line, header, cells)
    except csv.Error as error:
        raise problem(
            file,
            before + 1,
            f"a quotation mark is not closed or stands inside a cell ({error})",
            valid='A sentence with a delimiter or quotation marks in it is written "so, with ""doubled"" marks".',
            remedy='If the marks are part of the text, say quoting="none".',
        ) from error


def _header(file: Path, cells: Sequence[str]) -> list[str]:
    names = [cell.strip() for cell in cells]
    twice = next((name for place, name in enumerate(names) if name and name in names[:place]), None)
    if twice is not None:
        raise UserError(f"{file} has two columns called '{twice}'.", valid="Every column has a name of its own.")
    return names


def _named(file: Path, line: int, header: Sequence[str], cells: Sequence[str]) -> Cells:
    surplus = [cell for cell in cells[len(header) :] if cell.strip()]
    if surplus:
        raise problem(
            file,
            line,
            f"there are {len(cells)} cells, in the header {len(header)}",
            remedy="Put a sentence that holds the delimiter between quotation marks.",
        )
    return {name: cell for name, cell in zip(header, cells, strict=False) if name}


def _json_lines(file: Path, _sheet: str | None) -> Iterator[Line]:
    for line, text in enumerate(_text(file).split("\n"), 1):
        if not text.strip():
            continue
        try:
            held = json.loads(text)
        except ValueError as error:
            raise problem(file, line, f"it is no JSON ({error})") from error
        if not isinstance(held, dict):
            raise problem(file, line, "it is no JSON object", valid='{"sentence": "…", "rating": 3.5}')
        yield line, {str(name): _cell(value) for name, value in held.items()}


def _parquet(file: Path, _sheet: str | None) -> Iterator[Line]:
    try:
        frame = pl.read_parquet(file, memory_map=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise UserError(f"{file} is not a whole Parquet file: {error}.", remedy="Export it again.") from error
    for line, row in enumerate(frame.iter_rows(named=True), 1):
        yield line, {name: _cell(value) for name, value in row.items()}


def _excel(file: Path, sheet: str | None) -> Iterator[Line]:
    header: list[str] = []
    for line, row in sheet_rows(file, sheet):
        if header:
            yield line, _named(file, line, header, row)
        else:
            header = _header(file, row)


def _cell(value: Any) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, list):
        return ", ".join(map(_cell, value))
    return str(value)


READERS: Mapping[str, Callable[[Path, str | None], Iterator[Line]]] = {
    ".csv": _delimited,
    ".tsv": _delimited,
    ".txt": _delimited,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".parquet": _parquet,
    ".xlsx": _excel,
}
"""How a file is read, by the ending of its name."""
