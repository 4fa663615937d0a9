"""How acceptable is each sentence of a file of any size, and how does the work go on after a crash?

Rows are scored some at a time, here or elsewhere; work that was killed goes on where it stopped and ends with the same
bytes. A note beside the result says from which file and by which model it was made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

import polars as pl

from hengliang.core.engine.cache import check_result, finished_result, read_note, write_in_parts
from hengliang.core.engine.mapping import LOCAL, Engine
from hengliang.core.progress import Silent, Watcher
from hengliang.core.signature import Signature, file_checksum
from hengliang.corpora.running_text import GIVEN
from hengliang.corpora.sentence_files import SentenceReading
from hengliang.language_models.base import LanguageModel
from hengliang.language_models.streaming import line_count
from hengliang.measures.acceptability import End, Length
from hengliang.measures.explanation import written_words
from hengliang.measures.scored_sentences import SentenceScorer, check_measures, column_of, usual_batch

FORMATS = (".tsv", ".csv", ".jsonl", ".parquet")
FORMAT = 1
_KEPT_PROBLEMS = 10


@dataclass(frozen=True, slots=True)
class ScoredSentences:
    """What was written: where, from which file, how many rows, and how many have no score or not all measures.

    `checksum` is that of the result; `source_bytes` and `source_checksum` are those of what was read, and `grown` is by
    how much the file has become longer since. `words` are counted as the model sees them, of which it did not know
    `unknown`. `cut` sentences were cut into words by `segmenter`, `given` came cut, and `folded` characters were looked
    up in another width than they are written in. `problems` are the first ten.
    """

    out: str
    signature: str
    checksum: str
    source: str
    source_bytes: int | None
    source_checksum: str
    rows: int
    unscored: int
    words: int
    unknown: int
    means: Mapping[str, float | None]
    problems: tuple[str, ...]
    grown: int = 0
    segmenter: str = ""
    given: int = 0
    cut: int = 0
    folded: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return everything as a JSON object."""
        return asdict(self)


def score_sentences(
    model: LanguageModel,
    path: Path | str,
    out: Path,
    measures: Sequence[str] = ("slor",),
    *,
    end: End = "included",
    length: Length = "seen",
    explain: int = 0,
    batch: int | None = None,
    engine: Engine = LOCAL,
    watcher: Watcher | None = None,
    **reading: Any,
) -> ScoredSentences:
    """Score every sentence of a file into `out` (.tsv, .csv, .jsonl or .parquet), and say beside it what was done.

    `reading` are arguments of `SentenceReading`. The same call goes on where an earlier one was stopped; when the
    result is there already, from the same file by the same model, nothing is done.
    """
    scorer = SentenceScorer(model, check_measures(model, measures), end, length, explain)
    rows = SentenceReading(path, batch=batch or usual_batch(model), **reading)
    return write_scores(scorer, rows, out, engine=engine, watcher=watcher)


def write_scores(
    scorer: SentenceScorer,
    reading: SentenceReading,
    out: Path,
    *,
    engine: Engine = LOCAL,
    watcher: Watcher | None = None,
) -> ScoredSentences:
    """Score the rows of a reading into a file, and say beside it what was done."""
    path = Path(reading.name)
    check_out(path, out)
    signature = scorer.signature().and_(layout=str(reading.layout), batch=reading.batch, format=FORMAT)
    if reading.size is not None:
        done = finished_result(out, ScoredSentences, signature.and_(data=file_checksum(path)))
        if done:
            return done
    return write_in_parts(
        out,
        signature,
        scorer.schema(),
        scorer,
        iter(reading),
        append=_append,
        note=partial(_summary, scorer, reading, out, signature),
        engine=engine,
        watcher=watcher or Silent(),
        total=None if reading.size is None else line_count(path),
    )


def check_out(path: Path, out: Path) -> None:
    """Refuse a result that cannot be written, before any work."""
    check_result(path, out, FORMATS)


def read_scored(out: Path) -> ScoredSentences | None:
    """Return what the note beside a file of scores says; None where there is none that can be read."""
    return read_note(out, ScoredSentences)


def _summary(
    scorer: SentenceScorer,
    reading: SentenceReading,
    out: Path,
    signature: Signature,
    rows: pl.LazyFrame,
    checksum: str,
) -> ScoredSentences:
    failed = pl.col("problem").is_not_null()
    counts = rows.select(
        rows=pl.len(),
        unscored=failed.sum(),
        words=pl.col("words_seen").sum(),
        unknown=pl.col("unknown").sum(),
        given=(pl.col("cut_by") == GIVEN).sum(),
        cut=(pl.col("cut_by") != GIVEN).sum(),
        folded=pl.col("folded").sum(),
    )
    means = rows.select(column_of(measure) for measure in scorer.measures).mean()
    problems = rows.filter(failed).head(_KEPT_PROBLEMS).select("number", "problem")
    counted, averaged, said = pl.collect_all([counts, means, problems], engine="streaming")
    return ScoredSentences(
        str(out),
        str(signature.and_(data=reading.checksum)),
        checksum,
        reading.name,
        reading.size,
        reading.checksum,
        **counted.row(0, named=True),
        means=averaged.row(0, named=True),
        problems=tuple(f"{reading.layout.row_name} {number}: {problem}" for number, problem in said.iter_rows()),
        grown=reading.grown,
        segmenter=scorer.cutter,
    )


def _append(suffix: str, stream: IO[bytes], frame: pl.DataFrame, first: bool) -> None:
    if suffix == ".jsonl":
        frame.write_ndjson(stream)
    else:
        flat_frame(frame).write_csv(stream, separator="\t" if suffix == ".tsv" else ",", include_header=first)


def flat_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a scored frame as files without lists can hold it."""
    if "pulled_down_by" not in frame.columns:
        return frame
    return frame.with_columns(written_words(frame["pulled_down_by"]))
