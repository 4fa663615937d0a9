"""ARPA files: reading and writing back-off n-gram models, with errors that name the line.

The format is that of SRILM [1] and of KenLM's lmplz [2]: a header with the number of n-grams of each length, then a
section for each length, one n-gram per line: log10 probability, words, log10 back-off weight, separated by tabs or
spaces. Sections need not be sorted, lines before the header are skipped. What the format leaves open is settled as
follows. A missing back-off weight is 0 where nothing longer begins with the n-gram, and refused elsewhere; at the
highest order it is ignored. The probability of <s> is not used: <s> is never predicted. Without <unk> an unknown word
has the log10 probability -100, as in KenLM; <UNK> is another way to write it.

[1] Stolcke, A. (2002). SRILM: An extensible language modeling toolkit. ICSLP 2002.
[2] Heafield, K. (2011). KenLM: Faster and smaller language model queries. WMT 2011.
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
from hengliang.core.io.files import whole_file
from hengliang.core.text.characters import Offsets
from hengliang.language_models.ngram.lookup import (
    BEGIN_ID,
    UNKNOWN_ID,
    Flags,
    IndexedLevel,
    Level,
    NgramTables,
    Rows,
    find,
    index_level,
    pack,
)
from hengliang.language_models.vocabulary import SPECIAL, UNKNOWN

# --- sections of a file -----------------------------------------------------------------------------------------------
# Reads the lines of each section and refuses a file that is not whole. The file is cut at the lines that begin with a
# backslash, and each section is read in columns, some tens of megabytes at a time.

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
    for (marker, offset, _), name in zip(markers, names, strict=False):
        if marker != name:
            raise wrong_line(path, _line(data, offset), f"'{marker[:40]}' stands where {name} should be", valid=_VALID)
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
    start = 0 if data.startswith(b"\\") else data.find(b"\n\\") + 1
    while start or not markers:
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end + 1
        text = data[start:end].decode(errors="replace").strip()
        if markers or text == "\\data\\":
            markers.append((text, start, end))
        if text == "\\end\\" and markers:
            break
        following = data.find(b"\n\\", end - 1)
        if following < 0:
            break
        start = following + 1
    if len(markers) < 2:
        raise UserError(
            f"{path} is not an ARPA file." if not markers else f"{path} is cut short within its header.", valid=_VALID
        )
    return markers


def _line(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1


def _header(text: bytes, before: int, path: Path) -> list[int]:
    counts: list[int] = []
    for line, content in enumerate(text.decode(errors="replace").split("\n"), before + 1):
        if not content.strip():
            continue
        match = _COUNT.fullmatch(content.strip())
        if not match or int(match[1]) != len(counts) + 1:
            raise wrong_line(
                path,
                line,
                f"'{content.strip()[:40]}' stands in the header",
                valid=f"ngram {len(counts) + 1}=… is next.",
            )
        counts.append(int(match[2]))
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
        [frame[str(column)] for column in range(order)],
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
    names = ["number", *(str(column) for column in range(order)), "rest"]
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
    parts = {name: str(first[name][0])[:60] for name in ("number", "text", "rest")}
    raise wrong_line(path, first["line"][0], message.format(**parts), valid=valid)


# --- from sections to a model -----------------------------------------------------------------------------------------


MISSING_UNKNOWN = -100.0
"""The log10 probability of an unknown word in a model without <unk>."""

_UPPER_UNKNOWN = "<UNK>"
_TEN = float(np.log(10.0))
_LOG_ZERO = -99.0  # what SRILM writes for the logarithm of zero
_ROWS_AT_A_TIME = 250_000
_DIGITS = 9  # enough for every 32-bit number to come back as it was


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """A level that was read, and what is needed to go on: an index, the line of each row, which have a back-off."""

    level: Level
    index: IndexedLevel
    lines: Offsets
    weighted: Flags


def read_arpa(path: Path) -> NgramTables:
    """Read an ARPA file, compressed by gzip or not; whatever is wrong with it is an error that names the line."""
    sections = read_sections(path)
    words, first = _first_level(next(sections), path)
    ids = pl.DataFrame({"word": words, "id": np.arange(len(words), dtype=np.uint32)})
    if _UPPER_UNKNOWN not in words:
        ids = pl.concat([ids, pl.DataFrame([(_UPPER_UNKNOWN, UNKNOWN_ID)], ids.schema, orient="row")])
    known = [first]
    for section in sections:
        numbers = _word_numbers(section, ids, path)
        prefixes = _prefix_rows(section, numbers, known, words, path)
        _check_weights(section, prefixes, known[-1], path)
        known.append(_longer_level(section, prefixes, numbers[-1], words, path))
    highest = known[-1].level
    last = Level(highest.prefixes, highest.words, highest.logprobs, np.zeros(len(highest), np.float32))
    counts = np.zeros(len(words), np.int64)
    return NgramTables(words, counts, (*(level.level for level in known[:-1]), last))


def _natural(logs: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    return (logs * _TEN).astype(np.float32)


def _first_level(section: Section, path: Path) -> tuple[pl.Series, _Known]:
    """Give ids to the words: first <unk>, <s> and </s>, then classes of unknown words, then as in the file."""
    frame = pl.DataFrame(
        {
            "word": section.words[0],
            "logprob": section.logprobs,
            "backoff": section.backoffs,
            "line": section.lines,
        },
        schema_overrides={"backoff": pl.Float64},
    )
    if UNKNOWN not in section.words[0]:
        frame = frame.with_columns(word=pl.col("word").replace(_UPPER_UNKNOWN, UNKNOWN))
    if UNKNOWN not in frame["word"]:
        frame = pl.concat([frame, pl.DataFrame([(UNKNOWN, MISSING_UNKNOWN, 0.0, 0)], frame.schema, orient="row")])
    for symbol in SPECIAL:
        if symbol not in frame["word"]:
            raise UserError(
                f"{path} has no 1-gram {symbol}.",
                valid="A model of sentences has the words <s> and </s> among its 1-grams.",
                remedy="Estimate the model from a text of one sentence a line.",
            )
    twice = frame.filter(pl.col("word").is_duplicated() & pl.col("word").is_first_distinct().not_())
    if twice.height:
        raise wrong_line(path, twice["line"][0], f"the 1-gram '{twice['word'][0]}' stands here a second time")
    rank = pl.col("word").replace_strict({symbol: rank for rank, symbol in enumerate(SPECIAL)}, default=4)
    rank = pl.when(pl.col("word").str.contains("^<unk:.*>$")).then(3).otherwise(rank)
    frame = frame.sort(rank, maintain_order=True)
    logprobs = _natural(frame["logprob"].to_numpy())
    logprobs[BEGIN_ID] = -np.inf
    level = Level(
        np.zeros(frame.height, np.uint32),
        np.arange(frame.height, dtype=np.uint32),
        logprobs,
        _natural(frame["backoff"].fill_null(0.0).to_numpy()),
    )
    weighted = frame["backoff"].is_not_null().to_numpy()
    return frame["word"], _Known(level, index_level(level), frame["line"].to_numpy(), weighted)


def _word_numbers(section: Section, ids: pl.DataFrame, path: Path) -> list[Rows]:
    numbers = []
    for words in section.words:
        word_ids = pl.DataFrame({"word": words}).join(ids, on="word", how="left", maintain_order="left")["id"]
        if word_ids.null_count():
            missing = int(word_ids.is_null().arg_true()[0])
            raise wrong_line(path, section.lines[missing], f"the word '{words[missing]}' is not among the 1-grams")
        numbers.append(word_ids.to_numpy())
    return numbers


def _prefix_rows(section: Section, numbers: list[Rows], known: list[_Known], words: pl.Series, path: Path) -> Rows:
    rows = numbers[0]
    for length, (below, word) in enumerate(zip(known[1:], numbers[1:-1], strict=True), 2):
        rows, is_listed = find(below.index, rows, word)
        if not is_listed.all():
            missing = int(np.flatnonzero(~is_listed)[0])
            spelled = [words[int(column[missing])] for column in numbers]
            raise wrong_line(
                path,
                section.lines[missing],
                f"the {section.order}-gram '{' '.join(spelled)}' begins with '{' '.join(spelled[:length])}', "
                f"which is not among the {length}-grams",
            )
    return rows


def _check_weights(section: Section, prefixes: Rows, below: _Known, path: Path) -> None:
    without = np.flatnonzero(~below.weighted[prefixes])
    if len(without):
        line = int(below.lines[prefixes[without[0]]])
        raise wrong_line(
            path,
            line,
            f"missing back-off weight: the {section.order}-gram of line {section.lines[without[0]]} begins with this "
            f"{section.order - 1}-gram",
            valid="A weight may be left out where no longer n-gram begins with the n-gram.",
        )


def _longer_level(section: Section, prefixes: Rows, last: Rows, words: pl.Series, path: Path) -> _Known:
    keys = pack(prefixes, last)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    again = np.flatnonzero(keys[1:] == keys[:-1])
    if len(again):
        repeated = int(order[again[0] + 1])
        spelled = " ".join(str(column[repeated]) for column in section.words)
        raise wrong_line(
            path, section.lines[repeated], f"the {section.order}-gram '{spelled}' stands here a second time"
        )
    weights = section.backoffs.fill_null(0.0).to_numpy()
    level = Level(prefixes[order], last[order], _natural(section.logprobs[order]), _natural(weights[order]))
    return _Known(level, index_level(level), section.lines[order], section.backoffs.is_not_null().to_numpy()[order])


# --- writing ----------------------------------------------------------------------------------------------------------


def write_arpa(tables: NgramTables, path: Path) -> None:
    """Write a model as an ARPA file, compressed when its name ends with .gz; n-grams stand in the order of their ids.

    <s> has the probability 1, as lmplz writes it, and a probability of zero is written as -99, as SRILM does.
    """
    with whole_file(path) as stream:
        if path.suffix == ".gz":
            with gzip.GzipFile("", "wb", 6, stream, mtime=0) as compressed:
                compressed.writelines(_pieces(tables))
        else:
            stream.writelines(_pieces(tables))


def _pieces(tables: NgramTables) -> Iterator[bytes]:
    counts = "".join(f"ngram {order}={len(level)}\n" for order, level in enumerate(tables.levels, 1))
    yield f"\\data\\\n{counts}".encode()
    for order, level in enumerate(tables.levels, 1):
        yield f"\n\\{order}-grams:\n".encode()
        for start in range(0, len(level), _ROWS_AT_A_TIME):
            rows = slice(start, min(start + _ROWS_AT_A_TIME, len(level)))
            lines = _lines(tables, order, rows)
            yield lines.write_csv(separator="\t", include_header=False, quote_style="never").encode()
    yield b"\n\\end\\\n"


def _lines(tables: NgramTables, order: int, rows: slice) -> pl.DataFrame:
    level = tables.levels[order - 1]
    logprobs = level.logprobs[rows]
    if order == 1:
        begin = level.words[rows] == BEGIN_ID
        logprobs = np.where(begin, np.float32(0.0), logprobs)
    # A sum of probabilities rounded to 32 bits may lie a hair above 1, and no reader would take it.
    columns = {"logprob": _decimal(np.minimum(logprobs, 0.0)), "ngram": _spelled(tables, order, rows)}
    if order < tables.order:
        columns["backoff"] = _decimal(level.backoffs[rows])
    return pl.DataFrame(columns)


def _decimal(logs: npt.NDArray[np.float32]) -> pl.Series:
    values = np.where(np.isneginf(logs), _LOG_ZERO, logs.astype(np.float64) / _TEN)
    # Adding zero turns the negative zero into the usual one.
    return (pl.Series(values).round_sig_figs(_DIGITS) + 0.0).cast(pl.String)


def _spelled(tables: NgramTables, order: int, rows: slice) -> pl.Series:
    return pl.DataFrame(dict(_columns(tables, order, rows))).select(
        pl.concat_str([str(position) for position in range(order)], separator=" ").alias("ngram")
    )["ngram"]


def _columns(tables: NgramTables, order: int, rows: slice) -> Iterator[tuple[str, pl.Series]]:
    chosen: Rows | slice = rows
    for position in reversed(range(order)):
        level = tables.levels[position]
        yield str(position), tables.words.gather(level.words[chosen])
        chosen = level.prefixes[chosen]
