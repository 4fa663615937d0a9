"""Streaming scores of files of any size: units with their log-probabilities, resumable after a crash.

Lines are scored some at a time, here or on several processes. Each finished batch is a file of its own in a work folder
beside the result, named by the model's signature and the content of its lines, and written whole or not at all. So the
same call after a kill at any moment does only what is missing, and gives the same bytes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl

from hengliang.core.engine.cache import check_result, finished_result, write_in_parts
from hengliang.core.engine.mapping import LOCAL, Engine
from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts, read_texts
from hengliang.core.progress import Silent, Watcher
from hengliang.core.signature import digest, file_checksum
from hengliang.core.text.segmenters import segmented_by
from hengliang.corpora.plain_text import Faults, OnBroken, decoded_lines, nothing_found, open_reading
from hengliang.language_models.base import END, LanguageModel
from hengliang.language_models.manner import folded_pattern
from hengliang.language_models.scores import Scores

# --- reading in chunks of lines ---------------------------------------------------------------------------------------
# Reads a text file of any size some lines at a time.
#
# One line is one text. A line that cannot be read keeps its place and says why, so that a broken byte or two never stop
# the work on a large file and never go unnoticed either.

BATCH = 1000
"""How many lines go to the model at a time unless the user says otherwise."""

SEARCHED, PRETRAINED = 50, 100
"""Lines for a model that searches, or is large: work for every process, and little that a killed run loses."""


def lines_at_once(model: LanguageModel, most: int = BATCH) -> int:
    """Return how many lines to give to this model at a time; a kill loses a batch, so a slow model gets fewer."""
    if model.batch_size < most:
        return model.batch_size
    return min(most, PRETRAINED) if model.conventions().unit in {"subword", "byte"} else most


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some lines of a file: their numbers (from 1), their texts, and why a line could not be read (else empty)."""

    numbers: tuple[int, ...]
    texts: tuple[str, ...]
    problems: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def key(self) -> str:
        """A hash of everything in it."""
        return digest(*(str(number) for number in self.numbers), *self.texts, *self.problems)

    @property
    def last(self) -> int:
        """The number of its last line."""
        return self.numbers[-1]


Line = tuple[int, str, str]
"""Number, text, and why it could not be read."""


def read_chunks(
    path: Path, *, batch: int = BATCH, encoding: str = "utf-8", broken: OnBroken = "skip"
) -> Iterator[Chunk]:
    """Read a file as chunks of `batch` lines; blank lines are left out.

    A line that does not decode ends the reading (`raise`) or becomes a line with a problem (`skip`). The file is
    checked at once, and read as the chunks are asked for.
    """
    if batch < 1:
        raise UserError(f"A batch of {batch} lines is not possible.", valid="A batch has 1 line or more.")
    checked, codec, faults = open_reading(path, encoding, broken)
    kept = _KeptFaults(faults)
    return _chunks(_lines(checked, codec, kept), checked, kept, batch)


class _KeptFaults(Faults):
    """Faults that remember which problems have come up since the last line that could be read."""

    def __init__(self, faults: Faults) -> None:
        super().__init__(faults.errors)
        self.fresh: list[str] = []

    def note(self, problem: UserError) -> None:
        """Raise the problem, or count and remember it."""
        super().note(problem)
        self.fresh.append(problem.problem)


def _lines(path: Path, encoding: str, faults: _KeptFaults) -> Iterator[Line]:
    last = 0
    for number, line in decoded_lines(path, encoding, faults):
        yield from _broken_lines(path, last, faults)
        last = number
        if text := line.strip():
            yield number, text, ""
    yield from _broken_lines(path, last, faults)


def _broken_lines(path: Path, last: int, faults: _KeptFaults) -> Iterator[Line]:
    # Only broken lines lie between two that were given out, so that their numbers follow from the last one.
    for number, problem in enumerate(faults.fresh, start=last + 1):
        yield number, "", problem.removeprefix(f"{path}, line {number} is ")
    faults.fresh.clear()


def _chunks(lines: Iterator[Line], path: Path, faults: Faults, batch: int) -> Iterator[Chunk]:
    pending: list[Line] = []
    any_readable = False
    for line in lines:
        any_readable = any_readable or not line[2]
        pending.append(line)
        if len(pending) == batch:
            yield _chunk(pending)
            pending = []
    if not any_readable:
        raise nothing_found(path, "text", faults)
    if pending:
        yield _chunk(pending)


def _chunk(lines: list[Line]) -> Chunk:
    numbers, texts, problems = zip(*lines, strict=True)
    return Chunk(numbers, texts, problems)


def line_count(path: Path) -> int | None:
    """Return how many lines a file has; None for what can be read only once, such as a pipe."""
    if not path.is_file():
        return None
    with path.open("rb") as stream:
        ends, last = 0, b"\n"
        while piece := stream.read(1 << 20):
            ends, last = ends + piece.count(b"\n"), piece[-1:]
    return ends + (last != b"\n")


def texts_of_chunk(chunk: Chunk, segmenter: str = "") -> tuple[Texts, tuple[str, ...]]:
    """Return the lines as texts, and of each line why it is none; such a line is an empty text.

    The model's segmenter says whether spaces part words (Chinese) or are a part of writing (English).
    """
    try:
        return read_texts(chunk.texts, segmenter), chunk.problems
    except UserError:
        return _texts_one_by_one(chunk, segmenter)


def _texts_one_by_one(chunk: Chunk, segmenter: str) -> tuple[Texts, tuple[str, ...]]:
    """Find the lines that made the whole batch unreadable (a word that begins with a combining mark)."""
    lines, problems = list(chunk.texts), list(chunk.problems)
    for index, line in enumerate(chunk.texts):
        try:
            read_texts([line], segmenter)
        except UserError as error:
            lines[index], problems[index] = "", error.problem
    return read_texts(lines, segmenter), tuple(problems)


def scores_of_texts(model: LanguageModel, texts: Texts) -> Scores:
    """Return what the model says of the texts, and refuse an answer that leaves out texts."""
    scores = model.score(texts)
    if len(scores) != len(texts):
        raise UserError(
            f"The language model '{model.name}' returned the scores of {len(scores)} texts for {len(texts)}.",
            remedy=f"Return the units of every text, in order, then try: hengliang check {model.name}",
        )
    return scores


# --- scoring chunk by chunk -------------------------------------------------------------------------------------------


SCORE_SCHEMA: dict[str, pl.DataType] = {
    "line": pl.Int64(),
    "unit": pl.String(),
    "start": pl.Int64(),
    "end": pl.Int64(),
    "logprob": pl.Float64(),
    "unigram_logprob": pl.Float64(),
    "unknown": pl.Boolean(),
    "problem": pl.String(),
}
"""One row a unit, `start` and `end` in bytes of the line's content; a line without a score has one row, its problem."""

FORMATS = (".parquet", ".tsv", ".jsonl")
FORMAT = 1
_KEPT_PROBLEMS = 10


@dataclass(frozen=True, slots=True)
class ScoredFile:
    """What was written: how many lines and units, how many lines have no score, and why the first ten have none.

    `segmenter` found the words of lines without spaces, as far as the model needs words; `folded` counts the characters
    that were looked up in another width than they are written in.
    """

    out: str
    signature: str
    checksum: str
    lines: int
    units: int
    unknown: int
    unscored: int
    problems: tuple[str, ...]
    segmenter: str = ""
    folded: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return everything as a JSON object."""
        return asdict(self)


@dataclass(frozen=True)
class ChunkScorer:
    """Scores a chunk of lines: what is sent to the worker processes. `segmenter` cuts raw lines, else the model's."""

    model: LanguageModel
    segmenter: str = ""

    def __call__(self, chunk: Chunk) -> pl.DataFrame:
        """Return the rows of the chunk (`SCORE_SCHEMA`), line by line."""
        texts, problems = texts_of_chunk(chunk, self.segmenter or self.model.conventions().segmenter)
        readable = np.flatnonzero([not problem for problem in problems])
        texts = texts.take(readable)
        texts = texts.with_words(self.segmenter) if self.segmenter else texts
        scores = scores_of_texts(self.model, texts)
        numbers = np.array(chunk.numbers, np.int64)
        return pl.concat(
            [
                unit_rows(texts, scores, numbers[readable]),
                _problem_rows(chunk.numbers, problems),
                _problem_rows(numbers[readable].tolist(), scores.problems),
            ]
        ).sort("line", maintain_order=True)


def unit_rows(texts: Texts, scores: Scores, numbers: np.typing.NDArray[np.int64]) -> pl.DataFrame:
    """Return one row per unit of the texts with these line numbers."""
    return pl.DataFrame(
        {
            "line": numbers[scores.rows],
            "unit": unit_texts(texts, scores),
            "start": scores.starts,
            "end": scores.ends,
            "logprob": scores.logprobs,
            "unigram_logprob": pl.Series(scores.unigram_logprobs, dtype=pl.Float64).fill_nan(None),
            "unknown": scores.unknown,
            "problem": pl.Series([None], dtype=pl.String).new_from_index(0, len(scores.starts)),
        },
        schema=SCORE_SCHEMA,
    )


def unit_texts(texts: Texts, scores: Scores) -> list[str]:
    """Return the text of each unit, with the space that belongs to it; the end of a sentence is `</s>`.

    The bytes of a unit that ends within a character are written as `\\xe4`.
    """
    edges, starts, ends = scores.offsets.tolist(), scores.starts.tolist(), scores.ends.tolist()
    written: list[str] = []
    for row, content in enumerate(texts.contents.to_list()):
        raw = content.encode()
        units = range(edges[row], edges[row + 1])
        written += [raw[starts[unit] : ends[unit]].decode(errors="backslashreplace") or END for unit in units]
    return written


def _problem_rows(numbers: tuple[int, ...] | list[int], problems: tuple[str, ...]) -> pl.DataFrame:
    rows = [
        {"line": number, "problem": " ".join(problem.split())}
        for number, problem in zip(numbers, problems, strict=True)
        if problem
    ]
    return pl.DataFrame(rows, schema=SCORE_SCHEMA)


def score_file(
    model: LanguageModel,
    path: Path,
    out: Path,
    *,
    batch: int | None = None,
    encoding: str = "utf-8",
    broken: OnBroken = "skip",
    segmenter: str = "",
    engine: Engine = LOCAL,
    watcher: Watcher | None = None,
) -> ScoredFile:
    """Score every line of a file into `out` (.parquet, .tsv or .jsonl), and say beside it what was done.

    `segmenter` finds the words of raw lines instead of the model's own. The same call goes on where an earlier one was
    stopped. When the result is there already, from the same file by the same model, nothing is done.
    """
    check_result(path, out, FORMATS)
    batch = lines_at_once(model) if batch is None else batch
    chunks = read_chunks(path, batch=batch, encoding=encoding, broken=broken)
    signature = model.signature().and_(batch=batch, encoding=encoding, broken=broken, format=FORMAT)
    conventions = model.conventions()
    if segmenter:
        signature = signature.and_(**segmented_by(segmenter, "words"))
    checksum = file_checksum(path) if path.is_file() else None
    whole = signature.and_(data=checksum)
    done = finished_result(out, ScoredFile, whole) if checksum else None
    return done or write_in_parts(
        out,
        signature,
        SCORE_SCHEMA,
        ChunkScorer(model, segmenter),
        chunks,
        append=_append,
        note=partial(_summary, str(out), str(whole), segmenter or conventions.segmenter, conventions.widths),
        engine=engine,
        watcher=watcher or Silent(),
        total=line_count(path),
    )


def _summary(out: str, signature: str, segmenter: str, widths: str, rows: pl.LazyFrame, checksum: str) -> ScoredFile:
    """Count what the parts hold."""
    # The end of a sentence is written </s>, which is not text.
    text = pl.when(pl.col("start") < pl.col("end")).then(pl.col("unit"))
    failed = pl.col("problem").is_not_null()
    counts = rows.select(
        lines=pl.col("line").rle_id().max() + 1,
        units=failed.not_().sum(),
        unknown=pl.col("unknown").sum(),
        unscored=failed.sum(),
        folded=text.str.count_matches(folded_pattern(widths)).sum() if widths else 0,
    ).collect(engine="streaming")
    problems = rows.filter(failed).head(_KEPT_PROBLEMS).select("line", "problem").collect(engine="streaming")
    descriptions = tuple(f"line {line}: {problem}" for line, problem in problems.iter_rows())
    return ScoredFile(out, signature, checksum, **counts.row(0, named=True), problems=descriptions, segmenter=segmenter)


def _append(suffix: str, stream: IO[bytes], frame: pl.DataFrame, first: bool) -> None:
    if suffix == ".tsv":
        frame.write_csv(stream, separator="\t", include_header=first)
    elif frame["logprob"].is_infinite().any():
        # JSON has no word for the infinite, and polars would write null, which means that there is no score.
        for row in frame.iter_rows(named=True):
            fields = {name: "-Infinity" if value == -math.inf else value for name, value in row.items()}
            stream.write(f"{json.dumps(fields, ensure_ascii=False, separators=(',', ':'))}\n".encode())
    else:
        frame.write_ndjson(stream)
