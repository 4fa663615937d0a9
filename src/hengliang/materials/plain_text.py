"""How is a text file read line by line, whatever its encoding, its size and its faults?"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import Generic, TypeVar, get_args

from hengliang.core.io.delimited import ENCODINGS_TO_TRY
from hengliang.core.io.delimited import OnBroken as OnBroken
from hengliang.errors import UserError, file_errors
from hengliang.materials.formats import reads

Row = TypeVar("Row")

_KEPT_PROBLEMS = 10


class Faults:
    """The broken lines of one reading: the first one stops it (`raise`), or all are counted (`skip`)."""

    def __init__(self, errors: OnBroken = "raise") -> None:
        self.errors = errors
        self.count = 0
        self.problems: list[UserError] = []

    def note(self, problem: UserError) -> None:
        """Raise the problem or count it; the first ten are kept for showing."""
        if self.errors == "raise":
            raise problem
        self.count += 1
        if len(self.problems) < _KEPT_PROBLEMS:
            self.problems.append(problem)


class Reading(Iterator[Row], Generic[Row]):
    """The rows of a file one at a time; afterwards `skipped` says how many were left out and `problems` why.

    A reading goes through the file once and holds one row at a time. The file is opened for the first row.
    """

    def __init__(self, rows: Iterator[Row], faults: Faults) -> None:
        self.rows = rows
        self.faults = faults

    def __next__(self) -> Row:
        return next(self.rows)

    @property
    def skipped(self) -> int:
        """How many broken rows have been left out so far."""
        return self.faults.count

    @property
    def problems(self) -> tuple[UserError, ...]:
        """What was wrong with the first ten of them."""
        return tuple(self.faults.problems)


@reads("plain")
def read_plain(path: Path | str, *, encoding: str = "utf-8", errors: OnBroken = "raise") -> Reading[tuple[int, str]]:
    """Read a file of plain text as pairs of line number (from 1) and text; blank lines are left out."""
    checked, codec, faults = open_reading(path, encoding, errors)
    return Reading(_plain_rows(checked, codec, faults), faults)


def _plain_rows(path: Path, encoding: str, faults: Faults) -> Iterator[tuple[int, str]]:
    found = False
    for number, line in decoded_lines(path, encoding, faults):
        text = line.strip()
        if text:
            found = True
            yield number, text
    if not found:
        raise nothing_found(path, "text", faults)


def open_reading(path: Path | str, encoding: str, errors: OnBroken) -> tuple[Path, str, Faults]:
    """Check the request before anything is read: the file is there, the encoding and the policy are known."""
    if errors not in get_args(OnBroken):
        raise UserError(f"errors='{errors}' is no way to treat broken lines.", valid="Valid: raise, skip.")
    codec = check_encoding(encoding)
    checked = Path(path)
    with file_errors(checked, "read"):
        checked.stat()
    if checked.is_dir():
        raise UserError(f"Cannot read {checked}: it is a folder.", valid="A file is expected here.")
    return checked, codec, Faults(errors)


def check_encoding(encoding: str) -> str:
    """Return Python's name of an encoding in which files can be read line by line, else say what is wrong with it."""
    try:
        name = codecs.lookup(encoding).name
        line_end = "\n".encode(name)
    except (LookupError, UnicodeError, ValueError) as error:
        raise UserError(
            f"'{encoding}' is no text encoding.",
            valid=f"Encodings of Chinese text: {', '.join(ENCODINGS_TO_TRY)}.",
        ) from error
    if name == "utf-8-sig":  # a byte-order mark is taken off in any case
        return "utf-8"
    if line_end != b"\n":
        raise UserError(
            f"Files in '{encoding}' cannot be read line by line.",
            valid=f"Encodings of Chinese text: {', '.join(ENCODINGS_TO_TRY)}.",
            remedy=f"Convert the file first: iconv -f {encoding} -t utf-8 OLD > NEW.",
        )
    return name


def decoded_lines(path: Path, encoding: str, faults: Faults) -> Iterator[tuple[int, str]]:
    """Yield line number and text of every line that decodes; the line end and a byte-order mark are taken off.

    Lines are cut before they are decoded, so that a broken byte spoils one line only and can be named by its number.
    """
    with file_errors(path, "read"), path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            try:
                line = raw.decode(encoding)
            except UnicodeError as error:
                faults.note(_undecodable(path, number, encoding, error))
                continue
            yield number, line.rstrip("\r\n").removeprefix("\ufeff") if number == 1 else line.rstrip("\r\n")


def _undecodable(path: Path, number: int, encoding: str, error: UnicodeError) -> UserError:
    where = f"{path}, line {number}"
    what = f"byte {error.start + 1} of the line" if isinstance(error, UnicodeDecodeError) else "it"
    others = [name for name in ENCODINGS_TO_TRY if name != encoding]
    return UserError(
        f"{where} is not {encoding}: {what} does not decode.",
        valid=f"Encodings to try: {', '.join(others)}.",
        remedy=f"Name the file's encoding, for example encoding='{others[0]}', or convert it to utf-8.",
    )


def nothing_found(path: Path, what: str, faults: Faults) -> UserError:
    """Return the error for a file in which there is none of `what`."""
    if faults.count:
        return UserError(
            f"{path} holds no {what}: all of its {faults.count} lines or sentences are broken.",
            valid=f"The first problem: {faults.problems[0].problem}",
        )
    return UserError(f"{path} holds no {what}.", remedy="Check that it is the right file and that it arrived whole.")
