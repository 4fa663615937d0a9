"""Scores of texts: byte span, log-probability and unigram log-probability of each unit, in columns.

The scores of a batch in columns: for each unit its byte span, its natural-log probability and its unigram
log-probability. The end of a sentence is a unit of its own, zero bytes wide, after the last byte of the text. What
could not be scored has a problem instead of units, never a zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import edges_of, ranges
from hengliang.core.records import CONTENT_TYPES, ScoredUnit
from hengliang.core.text.characters import Offsets

Numbers = npt.NDArray[np.float64]

UNITS = CONTENT_TYPES["units"]


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The scores of a batch. The units of text `i` are the entries `offsets[i]:offsets[i + 1]` of the other arrays.

    `unigram_logprobs` is NaN where it is not known. `unknown` marks the units that the model did not know and scored
    as a class of unknown words. `problems` says of each text why it has no score, and is empty where it has one.
    """

    offsets: Offsets
    starts: Offsets
    ends: Offsets
    logprobs: Numbers
    unigram_logprobs: Numbers
    unknown: npt.NDArray[np.bool_]
    problems: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def counts(self) -> Offsets:
        """How many units each text has."""
        return np.diff(self.offsets)

    @property
    def rows(self) -> Offsets:
        """The number of the text to which each unit belongs."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.counts)

    @property
    def scored(self) -> npt.NDArray[np.bool_]:
        """Which texts have a score; an empty text without an end-of-sentence unit has one, of no units."""
        return np.array([not problem for problem in self.problems], np.bool_)

    def units(self, row: int) -> tuple[ScoredUnit, ...]:
        """Return the units of one text as records."""
        rows = slice(int(self.offsets[row]), int(self.offsets[row + 1]))
        columns = (self.starts[rows], self.ends[rows], self.logprobs[rows], self.unigram_logprobs[rows])
        return tuple(
            ScoredUnit(start, end, logprob, None if unigram != unigram else unigram)
            for start, end, logprob, unigram in zip(*(column.tolist() for column in columns), strict=True)
        )

    def take(self, rows: npt.ArrayLike) -> Scores:
        """Return the scores of the texts of these row numbers, in this order."""
        wanted = np.asarray(rows, np.int64)
        counts = self.counts[wanted]
        places = ranges(self.offsets[:-1][wanted], counts)
        return Scores(
            edges_of(counts),
            self.starts[places],
            self.ends[places],
            self.logprobs[places],
            self.unigram_logprobs[places],
            self.unknown[places],
            tuple(self.problems[row] for row in wanted.tolist()),
        )

    def content(self) -> pl.Series:
        """Return the column `content` of a response table of scored units; null where there is a problem."""
        flat = pl.DataFrame(
            {
                "row": self.rows,
                "start": self.starts,
                "end": self.ends,
                "logprob": self.logprobs,
                "unigram_logprob": pl.Series(self.unigram_logprobs).fill_nan(None),
            },
        )
        units = flat.group_by("row", maintain_order=True).agg(
            content=pl.struct("start", "end", "logprob", "unigram_logprob")
        )
        everyone = pl.DataFrame({"row": np.arange(len(self), dtype=np.int64), "scored": self.scored})
        joined = everyone.join(units, on="row", how="left", maintain_order="left").select(
            pl.when("scored").then(pl.col("content").fill_null(pl.lit([], dtype=UNITS)))
        )
        return joined["content"].cast(UNITS)


def scores_of(texts: Iterable[Sequence[ScoredUnit] | str], unknown: Sequence[bool] | None = None) -> Scores:
    """Return the scores of texts given one by one: the units of each, or a text that says why there are none.

    `unknown` says of all units, one after the other, whether the model did not know them; by default it knew all.
    """
    rows = list(texts)
    units = [unit for row in rows if not isinstance(row, str) for unit in row]
    if unknown is not None and len(unknown) != len(units):
        raise UserError(f"It is said of {len(unknown)} units whether they are unknown, and there are {len(units)}.")
    return Scores(
        edges_of([0 if isinstance(row, str) else len(row) for row in rows]),
        np.array([unit.start for unit in units], np.int64),
        np.array([unit.end for unit in units], np.int64),
        np.array([unit.logprob for unit in units], np.float64),
        np.array([np.nan if unit.unigram_logprob is None else unit.unigram_logprob for unit in units], np.float64),
        np.array([False] * len(units) if unknown is None else unknown, np.bool_),
        tuple(row if isinstance(row, str) else "" for row in rows),
    )


def concat(parts: Sequence[Scores]) -> Scores:
    """Return the scores of all parts, one after the other."""
    if not parts:
        return scores_of([])
    return Scores(
        edges_of(np.concatenate([part.counts for part in parts])),
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.ends for part in parts]),
        np.concatenate([part.logprobs for part in parts]),
        np.concatenate([part.unigram_logprobs for part in parts]),
        np.concatenate([part.unknown for part in parts]),
        tuple(problem for part in parts for problem in part.problems),
    )


def scores_of_content(content: pl.Series) -> Scores:
    """Read back the column `content` of a response table; a null has no units and no reason here."""
    counts = content.list.len().fill_null(0).to_numpy().astype(np.int64)
    flat = content.drop_nulls().explode(empty_as_null=False, keep_nulls=False).struct.unnest()
    return Scores(
        edges_of(counts),
        flat["start"].to_numpy().astype(np.int64),
        flat["end"].to_numpy().astype(np.int64),
        flat["logprob"].to_numpy().astype(np.float64),
        flat["unigram_logprob"].fill_null(float("nan")).to_numpy().astype(np.float64),
        np.zeros(flat.height, np.bool_),
        tuple("not scored" if missing else "" for missing in content.is_null().to_list()),
    )
