"""Plain text files: lines in any encoding with their faults, and sentences of English paragraphs.

A file of any size is read line by line, and a line that does not decode spoils no other. Chinese sentences are cut in
`hengliang.core.text.segmentation`; English ones need rules of their own, which are here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Generic, TypeVar, get_args

from hengliang.core.errors import UserError, file_errors
from hengliang.core.io.delimited import ENCODINGS_TO_TRY, NAME_THE_ENCODING, file_encoding, text_lines
from hengliang.core.io.delimited import OnBroken as OnBroken
from hengliang.core.text.characters import slices
from hengliang.core.text.segmentation import Segmented, segment
from hengliang.corpora.catalogue import reads

# --- lines of a file --------------------------------------------------------------------------------------------------


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
def read_plain(path: Path | str, *, encoding: str = "auto", errors: OnBroken = "raise") -> Reading[tuple[int, str]]:
    """Read a file of plain text as pairs of line number (from 1) and text; blank lines are left out."""
    checked, codec, faults = open_reading(path, encoding, errors)
    return Reading(_plain_rows(checked, codec, faults), faults)


def _plain_rows(path: Path, encoding: str, faults: Faults) -> Iterator[tuple[int, str]]:
    any_text = False
    for number, line in decoded_lines(path, encoding, faults):
        text = line.strip()
        if text:
            any_text = True
            yield number, text
    if not any_text:
        raise nothing_found(path, "text", faults)


def open_reading(path: Path | str, encoding: str, errors: OnBroken) -> tuple[Path, str, Faults]:
    """Check the request before anything is read: the file is there, the encoding and the policy are known."""
    if errors not in get_args(OnBroken):
        raise UserError(f"errors='{errors}' is no way to treat broken lines.", valid="Valid: raise, skip.")
    checked = Path(path)
    with file_errors(checked, "read"):
        checked.stat()
    if checked.is_dir():
        raise UserError(f"Cannot read {checked}: it is a folder.", valid="A file is expected here.")
    return checked, file_encoding(checked, encoding), Faults(errors)


def decoded_lines(path: Path, encoding: str, faults: Faults) -> Iterator[tuple[int, str]]:
    """Yield line number and text of every line that decodes; the line end and a byte-order mark are taken off.

    Lines are cut before they are decoded, so that a broken byte spoils one line only and can be named by its number.
    """
    if not is_cut_by_bytes(encoding):
        yield from _wide_lines(path, encoding, faults)
        return
    with file_errors(path, "read"), path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            try:
                line = raw.decode(encoding)
            except UnicodeError as error:
                faults.note(_undecodable(path, number, encoding, error))
                continue
            yield number, line.rstrip("\r\n").removeprefix("\ufeff") if number == 1 else line.rstrip("\r\n")


def is_cut_by_bytes(encoding: str) -> bool:
    """Say whether lines of this encoding end where a byte says so, as they do not in UTF-16."""
    return "\n".encode(encoding) == b"\n"


def _wide_lines(path: Path, encoding: str, faults: Faults) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file in which a line end takes several bytes; it is held in memory."""
    with file_errors(path, "read"):
        cuts, _ = text_lines(path.read_bytes(), str(path), encoding)
    for number, (line, fault) in enumerate(cuts, start=1):
        if fault:
            faults.note(UserError(f"{path}, line {number}: {fault}.", remedy=NAME_THE_ENCODING))
        else:
            yield number, line.decode().rstrip("\r\n")


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


# --- English sentences ------------------------------------------------------------------------------------------------
# The rules for Chinese are not fit for English: a semicolon does not end an English sentence, and `the U.S. Army` would
# be cut in two. Here the words decide. The segmenter keeps the point of an abbreviation with its word, so that a point
# that is a word by itself ends a sentence. In a text whose words were set apart by somebody else (`St . Louis`) the
# segmenter is asked whether it would have kept the two together. Where it is not clear, nothing is cut: two sentences
# in one harm a language model less than a torn one.

_STOP = re.compile(r"[.!?…]+")
_CLOSERS = frozenset(["”", "’", "'", "''", ")", "]", "}", "»"])
_OPENERS = frozenset("“‘([{«¿¡`'\"—–-")
_QUOTE = '"'

# Abbreviations that spaCy's rules for English do not know: before a name, and before a number only.
_BEFORE_NAME = re.compile("Atty|Capt|Cmdr|Col|Drs|Hon|Jas|Lt|Maj|Messrs|Mlle|Mme|Ph|Reps|Ry|Sens|Sgt|Sr|al|ca|cf")
_BEFORE_NUMBER = re.compile(
    "Hwy|Mk|Rte|Stat|(?:[Cc]h|[Cc]hap|[Ee]q|[Ee]qn|[Ff]ig|[Nn]o|[Oo]p|[Pp]p|[Rr]ef|[Ss]ec|[Vv]ol)s?"
)


def english_sentences(text: Segmented) -> list[Segmented]:
    """Return the sentences of a paragraph, each as it was written, with its words; only space between them is lost."""
    edges = [0, *_ends(text), len(text.spans)]
    return [_piece(text, first, last) for first, last in pairwise(edges) if last > first]


def _piece(text: Segmented, first: int, last: int) -> Segmented:
    spans = text.spans[first:last]
    written = slices(text.content, [(spans[0][0], spans[-1][1])])[0]
    content = written.strip()
    # The space before the first word, and that after the last word of all, are left out with the words that hold them.
    base = spans[0][0] + len(written[: len(written) - len(written.lstrip())].encode())
    size = len(content.encode())
    return Segmented(content, [(max(start - base, 0), min(end - base, size)) for start, end in spans])


def _ends(text: Segmented) -> Iterator[int]:
    """Yield the number of each word with which a new sentence begins, but for the first."""
    pieces = slices(text.content, text.spans)
    words = [piece.strip() for piece in pieces]
    first, quoted = 0, False
    for number, word in enumerate(words):
        if word == _QUOTE:
            quoted = not quoted
        if number < first or not _STOP.fullmatch(word) or _is_abbreviated(words, first, number):
            continue
        following = _after_closers(words, number, quoted)
        if following < len(words) and pieces[following][:1].isspace() and _opens(words, following):
            first = following
            yield following


def _is_abbreviated(words: list[str], first: int, place: int) -> bool:
    """Say whether the point belongs to the word before it: St . Louis, No. 5, J . Smith, and the number of a list."""
    if words[place] != "." or place == first:
        return False
    before, after = words[place - 1], words[place + 1 : place + 2]
    if _BEFORE_NAME.fullmatch(before) or (before.isdigit() and place == first + 1):
        return True
    if _BEFORE_NUMBER.fullmatch(before):
        return after != [] and (after[0][0].isdigit() or after[0] == "(")
    return before.isalpha() and len(segment(before + ".", "english")) == 1


def _after_closers(words: list[str], place: int, quoted: bool) -> int:
    """Return the first word after a stop that is neither another stop nor closes a quotation or bracket."""
    place += 1
    while place < len(words):
        word = words[place]
        if word == _QUOTE and quoted:
            quoted = False
        elif word not in _CLOSERS and not _STOP.fullmatch(word):
            break
        place += 1
    return place


def _opens(words: list[str], place: int) -> bool:
    """Say whether a sentence may begin here: with a capital, a number, or a quotation or bracket before one."""
    while place < len(words) and (words[place] in _OPENERS or words[place] in {"``", "''"}):
        place += 1
    character = words[place][0] if place < len(words) else ""
    return character.isalnum() and not character.islower()
