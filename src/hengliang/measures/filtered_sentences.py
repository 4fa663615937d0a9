"""Which sentences of a file are good enough to keep?

The best share, the best so many, or those with a certain score or more. Kept rows are copied byte for byte in the order
and the format of the file. A row without a score is never kept. Where several rows have the score at the border and not
all of them fit, those that come first in the file are kept; how many were left out is told.
"""

from __future__ import annotations

import math
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.errors import Failure, UserError, file_errors, unknown_name
from hengliang.core.io.files import whole_file
from hengliang.corpora.sentence_files import WHOLE_TABLES, Form, RowChunk, SentenceReading, form_of
from hengliang.language_models.scores import Numbers
from hengliang.measures.scored_sentence_files import FORMATS, read_scored
from hengliang.measures.scored_sentences import MEASURES, column_of

REJECTED_FORMATS = (".tsv", ".csv", ".jsonl")
_VALID = "A share with a decimal point or a percent sign (0.8, 80%), or how many sentences (1000)."


@dataclass(frozen=True, slots=True)
class Keep:
    """Which sentences are kept: one of the three is given."""

    share: float | None = None
    count: int | None = None
    above: float | None = None

    def number(self, scored: int) -> int:
        """Return how many of so many scored sentences a share or a count keeps."""
        if self.share is not None:
            return math.floor(self.share * scored + 0.5)
        return min(self.count or 0, scored)


def read_keep(keep: str | None, above: float | None) -> Keep:
    """Read the two options of the command line, of which one must be given."""
    if (keep is None) == (above is None):
        raise UserError(
            "Say which sentences to keep.", valid="Either --keep 0.8, --keep 1000 or --above -1.2, and not two of them."
        )
    if above is not None:
        if not math.isfinite(above):
            raise UserError(f"No score is above {above} or below.", valid="A number, for instance --above -1.2.")
        return Keep(above=above)
    text = (keep or "").strip()
    if text.isascii() and text.isdecimal():
        count = int(text)
        if count < 1:
            raise UserError("--keep 0 keeps nothing.", valid=_VALID)
        return Keep(count=count)
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = math.nan
    if not 0 < share <= 1:
        raise UserError(f"--keep {keep} says neither how many nor which share.", valid=_VALID)
    return Keep(share=share)


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Which rows are kept, the lowest score among them, and how many rows with that score are not."""

    kept: npt.NDArray[np.bool_]
    threshold: float | None
    tied: int


def chosen(scores: Numbers, keep: Keep) -> Choice:
    """Choose among rows by their scores; NaN is a row without one."""
    known = ~np.isnan(scores)
    if keep.above is not None:
        kept = known & (np.nan_to_num(scores, nan=-np.inf) >= keep.above)
    else:
        rows = np.flatnonzero(known)
        best = rows[np.argsort(-scores[rows], kind="stable")][: keep.number(len(rows))]
        kept = np.zeros(len(scores), np.bool_)
        kept[best] = True
    if not kept.any():
        return Choice(kept, None, 0)
    threshold = float(scores[kept].min())
    return Choice(kept, threshold, int((scores[~kept] == threshold).sum()))


@dataclass(frozen=True, slots=True)
class FilteredSentences:
    """What was written: how many rows there were, how many have a score, how many were kept, and the threshold.

    `threshold` is the lowest score that was kept; `tied` counts the rows with that score that were left out.
    """

    out: str
    rejected: str | None
    scores: str
    measure: str
    rows: int
    scored: int
    unscored: int
    kept: int
    threshold: float | None
    tied: int

    def to_json(self) -> dict[str, Any]:
        """Return everything as a JSON object."""
        return asdict(self)


def filter_sentences(
    path: Path,
    scores: Path,
    out: Path,
    keep: Keep,
    measure: str = "slor",
    *,
    rejected: Path | None = None,
    growing: bool = False,
    **reading: Any,
) -> FilteredSentences:
    """Copy the rows of a file that are good enough, by the scores that `hengliang score` wrote for it.

    `rejected` gets the other rows, each with its score or with the reason why it has none. A file that has changed
    since it was scored is refused; only of one that is `growing` what was added is left out. `reading` are arguments
    of `SentenceReading`.
    """
    check_filter(path, out, rejected, reading.get("form"))
    table = read_scores(scores, measure)
    values = table[column_of(measure)].fill_null(float("nan")).to_numpy()
    choice = chosen(values, keep)
    note = read_scored(scores)
    rows = SentenceReading(path, size=note.source_bytes if note else None, **reading)
    if rows.grown > 0 and not growing:
        raise _another_file(path, scores, f"it has become {rows.grown:,} bytes longer")
    with ExitStack() as files:
        kept = files.enter_context(whole_file(out))
        rest = files.enter_context(whole_file(rejected)) if rejected else None
        kept.write(rows.head)
        for chunk in rows:
            span = slice(chunk.first - 1, chunk.last)
            flags = choice.kept[span]
            if len(flags) < len(chunk):
                raise _another_file(path, scores, f"it has more than {len(values):,} rows")
            kept.write(b"".join(row for row, flag in zip(chunk.rows, flags.tolist(), strict=True) if flag))
            if rest is not None and rejected is not None:
                _append_rejected(rest, rejected.suffix, chunk, table[span], flags)
        if rows.rows != len(values):
            raise _another_file(path, scores, f"it has {rows.rows:,} rows, not {len(values):,}")
        if note is not None and note.source_checksum != rows.checksum:
            raise _another_file(path, scores, "its content has changed")
    scored = int((~np.isnan(values)).sum())
    return FilteredSentences(
        str(out),
        None if rejected is None else str(rejected),
        str(scores),
        measure,
        len(values),
        scored,
        len(values) - scored,
        int(choice.kept.sum()),
        choice.threshold,
        choice.tied,
    )


def check_filter(path: Path, out: Path, rejected: Path | None, form: Form | None = None) -> None:
    """Refuse results that cannot be written, before any work; `form` is that of the file if its name does not tell."""
    if str(path) == "-":
        raise UserError(
            "The standard input can be read only once, and filtering reads the sentences twice.",
            remedy="Save them to a file first.",
        )
    if form is None and (form_of(out) != form_of(path) or out.suffix.lower() in WHOLE_TABLES):
        ending = ".jsonl" if path.suffix.lower() in WHOLE_TABLES else path.suffix
        raise UserError(
            f"Rows of {path} are kept as they are, so that {out} would be no {out.suffix or 'plain text'} file.",
            remedy=f"Choose an --out that ends in {ending or '.txt'}.",
        )
    if rejected is not None and rejected.suffix not in REJECTED_FORMATS:
        raise UserError(
            f"Rejected sentences cannot be written as '{rejected.suffix or rejected.name}'.",
            valid=f"The file ends in {', '.join(REJECTED_FORMATS)}.",
        )
    given = [path, *(target for target in (out, rejected) if target is not None)]
    for place, one in enumerate(given):
        if any(one.absolute() == other.absolute() or _same(one, other) for other in given[place + 1 :]):
            raise UserError(f"{one} is named twice.", valid="FILE, --out and --rejected are different files.")


def _same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


def read_scores(path: Path, measure: str) -> pl.DataFrame:
    """Read number, id, a measure and the problem of each row from a file that `hengliang score` wrote."""
    if measure not in MEASURES:
        raise unknown_name("measure", measure, MEASURES)
    if path.suffix not in FORMATS:
        raise UserError(f"{path} is no file of scores.", valid=f"It ends in {', '.join(FORMATS)}.")
    column = column_of(measure)
    schema = {"number": pl.Int64, "id": pl.String, column: pl.Float64, "problem": pl.String}
    with file_errors(path, "read"):
        path.stat()
    try:
        scan = _scan(path)
        missing = [name for name in schema if name not in scan.collect_schema()]
        if missing:
            raise UserError(
                f"{path} has no column '{missing[0]}'.",
                valid=f"Columns: {', '.join(scan.collect_schema())}.",
                remedy=f"Score the sentences again with --measure {measure}, or name the measure of the file.",
            )
        table = scan.select(pl.col(name).cast(kind) for name, kind in schema.items()).collect()
    except pl.exceptions.PolarsError as error:
        raise UserError(f"{path} is no whole file of scores: {str(error).splitlines()[0]}.") from error
    if not (table["number"] == pl.int_range(1, table.height + 1, eager=True)).all():
        raise UserError(f"The rows of {path} are not in the order of the sentences.", remedy="Score them again.")
    return table


def _scan(path: Path) -> pl.LazyFrame:
    if path.suffix == ".parquet":
        return pl.scan_parquet(path)
    if path.suffix == ".jsonl":
        return pl.scan_ndjson(path, infer_schema_length=None)
    return pl.scan_csv(path, separator="\t" if path.suffix == ".tsv" else ",", infer_schema=False)


def _append_rejected(
    stream: IO[bytes], suffix: str, chunk: RowChunk, table: pl.DataFrame, flags: npt.NDArray[np.bool_]
) -> None:
    found = table.with_columns(sentence=chunk.sentences().written).filter(pl.Series(~flags))
    if suffix == ".jsonl":
        found.write_ndjson(stream)
    else:
        found.write_csv(stream, separator="\t" if suffix == ".tsv" else ",", include_header=chunk.first == 1)


def _another_file(path: Path, scores: Path, why: str) -> Failure:
    return Failure(
        f"{scores} holds the scores of another file than {path}, or {path} has changed since: {why}.",
        remedy="Score it again with hengliang score, or leave --scores out and name a --model.",
    )
