"""Which lines does each section of an ARPA file hold, and are they whole?

The file is cut at the lines that begin with a backslash, and each section is read in columns, some tens of megabytes at
a time. `arpa` makes a model of them.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.errors import UserError, file_errors
from hengliang.core.text.characters import Offsets

KENLM_MAGIC = b"mmap lm http://kheafield.com/code"
"""How the binary files of KenLM begin."""

_GZIP_MAGIC = b"\x1f\x8b"
_COUNT = re.compile(r"ngram[ \t]+(\d+)[ \t]*=[ \t]*(\d+)")
_AT_A_TIME = 1 << 25
_VALID = r"An ARPA file has the lines \data\, ngram 1=…, \1-grams:, … and \end\."


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """The n-grams of one length as they stand in the file: log10 numbers, a back-off of null where there is none."""

    order: int
    lines: Offsets
    words: list[pl.Series]
    logprobs: npt.NDArray[np.float64]
    backoffs: pl.Series


def wrong_line(path: Path, line: int, problem: str, *, valid: str = "") -> UserError:
    """Return the error for a line of an ARPA file."""
    return UserError(
        f"{path}, line {line}: {problem}.",
        valid=valid,
        remedy="Mend the line, or write the file again with the program that made it.",
    )


def read_sections(path: Path) -> Iterator[Section]:
    """Read the sections of an ARPA file in turn, and refuse one that does not hold what the header says."""
    data = _read(path)
    markers = _markers(data, path)
    start, end = markers[0][2], markers[1][1]
    expected = _header(data[start:end], data.count(b"\n", 0, start), path)
    names = [r"\data" + "\\", *(rf"\{order}-grams:" for order in range(1, len(expected) + 1)), "\\end\\"]
    for (found, place, _), name in zip(markers, names, strict=False):
        if found != name:
            raise wrong_line(path, _line(data, place), f"'{found[:40]}' stands where {name} should be", valid=_VALID)
    if len(markers) < len(names):
        raise UserError(
            f"{path} ends without {names[len(markers)]}: it is cut short.",
            valid=_VALID,
            remedy="Copy or write the file again.",
        )
    for order, ((_, _, start), (_, end, _)) in enumerate(pairwise(markers[1 : len(names)]), 1):
        section = _section(data, start, end, order, path)
        if len(section.lines) != expected[order - 1]:
            raise UserError(
                f"{path} has {len(section.lines)} {order}-grams, and its header says {expected[order - 1]}.",
                remedy="Copy or write the file again.",
            )
        yield section


def _read(path: Path) -> bytes:
    with file_errors(path, "read"):
        data = path.read_bytes()
    if data.startswith(_GZIP_MAGIC):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise UserError(
                f"{path} cannot be decompressed: {str(error).lower()}.", remedy="Copy or write the file again."
            ) from error
    if data.startswith(KENLM_MAGIC):
        raise UserError(f"{path} is a binary file of KenLM, not an ARPA file.", remedy="Open it as a KenLM model.")
    return data.removeprefix(b"\xef\xbb\xbf")


def _markers(data: bytes, path: Path) -> list[tuple[str, int, int]]:
    r"""Return the lines that begin with a backslash, from \data\ on: their text, where they start, where they end."""
    markers: list[tuple[str, int, int]] = []
    place = 0 if data.startswith(b"\\") else data.find(b"\n\\") + 1
    while place or not markers:
        end = data.find(b"\n", place)
        end = len(data) if end < 0 else end + 1
        text = data[place:end].decode(errors="replace").strip()
        if markers or text == "\\data\\":
            markers.append((text, place, end))
        if text == "\\end\\" and markers:
            break
        following = data.find(b"\n\\", end - 1)
        if following < 0:
            break
        place = following + 1
    if len(markers) < 2:
        raise UserError(
            f"{path} is not an ARPA file." if not markers else f"{path} is cut short within its header.", valid=_VALID
        )
    return markers


def _line(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1


def _header(text: bytes, before: int, path: Path) -> list[int]:
    counts: list[int] = []
    for line, held in enumerate(text.decode(errors="replace").split("\n"), before + 1):
        if not held.strip():
            continue
        found = _COUNT.fullmatch(held.strip())
        if not found or int(found[1]) != len(counts) + 1:
            raise wrong_line(
                path, line, f"'{held.strip()[:40]}' stands in the header", valid=f"ngram {len(counts) + 1}=… is next."
            )
        counts.append(int(found[2]))
    if not counts:
        raise wrong_line(path, before + 1, "the header names no n-grams", valid=_VALID)
    return counts


def _section(data: bytes, start: int, end: int, order: int, path: Path) -> Section:
    line = _line(data, start)
    parts = []
    while start < end:
        cut = min(start + _AT_A_TIME, end)
        cut = end if cut == end else data.rfind(b"\n", start, cut) + 1 or end
        text = _decoded(data[start:cut], line, path)
        parts.append(_part(text, line, order, path))
        line += text.count("\n")
        start = cut
    frame = pl.concat(parts) if parts else _part("", line, order, path)
    return Section(
        order,
        frame["line"].to_numpy(),
        [frame[str(place)] for place in range(order)],
        frame["logprob"].to_numpy(),
        frame["backoff"],
    )


def _decoded(raw: bytes, line: int, path: Path) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        broken = line + raw.count(b"\n", 0, error.start)
        raise UserError(
            f"{path}, line {broken}: the bytes {raw[error.start : error.end].hex(' ')} are not UTF-8.",
            valid="ARPA files are read as UTF-8.",
            remedy="Convert the file, for example with: iconv -f GB18030 -t UTF-8",
        ) from error


def _part(text: str, line: int, order: int, path: Path) -> pl.DataFrame:
    spaced = text.replace("\t", " ")
    lines = pl.Series([spaced], dtype=pl.String).str.split("\n").explode()
    if any(untidy in spaced for untidy in ("  ", "\r", " \n", "\n ")) or spaced[:1] == " " or spaced[-1:] == " ":
        lines = lines.str.replace_all("\r", "", literal=True).str.replace_all(" +", " ").str.strip_chars(" ")
    names = ["number", *(str(place) for place in range(order)), "rest"]
    frame = (
        pl.DataFrame({"text": lines})
        .with_columns(line=pl.int_range(line, line + pl.len(), dtype=pl.Int64))
        .filter(pl.col("text") != "")
        .with_columns(fields=pl.col("text").str.splitn(" ", order + 2).struct.rename_fields(names))
        .unnest("fields")
        .with_columns(
            logprob=pl.col("number").cast(pl.Float64, strict=False),
            backoff=pl.col("rest").cast(pl.Float64, strict=False),
        )
    )
    _check_part(frame, order, path)
    return frame.select("line", *names[1:-1], "logprob", "backoff")


def _check_part(frame: pl.DataFrame, order: int, path: Path) -> None:
    """Refuse the first line that does not read: a number, so many words, and perhaps another number."""
    valid = f"A line of this section has a log10 probability, {order} words, and perhaps a log10 back-off weight."
    number, rest = pl.col("logprob"), pl.col("backoff")
    faults = {
        "'{number}' is not a probability's logarithm": (number.is_null() | number.is_finite().not_()),
        "the probability 10^{number} is above 1": number > 0,
        "'{text}' has too few words": pl.col(str(order - 1)).is_null(),
        "'{text}' has too many words": pl.col("rest").str.contains(" ", literal=True),
        "'{rest}' is not a back-off weight's logarithm": pl.col("rest").is_not_null()
        & (rest.is_null() | rest.is_finite().not_()),
    }
    first = frame.filter(pl.any_horizontal(fault.fill_null(False) for fault in faults.values())).head(1)
    if not first.height:
        return
    message = next(message for message, fault in faults.items() if first.select(fault.fill_null(False)).item())
    held = {name: str(first[name][0])[:60] for name in ("number", "text", "rest")}
    raise wrong_line(path, first["line"][0], message.format(**held), valid=valid)
