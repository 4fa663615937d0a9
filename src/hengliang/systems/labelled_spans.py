"""Which stretches of each text carry which label: the words a tagger found, the entities a recogniser found?

A batch in columns, as everywhere: spans are bytes of the text, in order and apart. A text that could not be worked on
has a problem and no spans, so that one bad sentence never stops the others and never looks like a sentence without
entities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from hengliang.errors import UserError
from hengliang.systems.language_models.texts import edges_of, ranges
from hengliang.text import Offsets

Labelled = tuple[int, int, str]
"""A stretch as its first byte, the byte after its last, and its label."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledSpans:
    """The labelled stretches of a batch. Those of text `i` are the entries `offsets[i]:offsets[i + 1]` of the columns.

    `problems` says of each text why nothing is known about it, and is empty where all went well.
    """

    offsets: Offsets
    starts: Offsets
    ends: Offsets
    labels: pl.Series
    problems: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def rows(self) -> Offsets:
        """The number of the text to which each stretch belongs."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.offsets))

    def of(self, row: int) -> list[Labelled]:
        """Return the stretches of one text."""
        place = slice(int(self.offsets[row]), int(self.offsets[row + 1]))
        columns = (self.starts[place].tolist(), self.ends[place].tolist(), self.labels[place].to_list())
        return list(zip(*columns, strict=True))

    def take(self, rows: Sequence[int] | Offsets) -> LabelledSpans:
        """Return those of the texts with these row numbers, in this order."""
        wanted = np.asarray(rows, np.int64)
        counts = np.diff(self.offsets)[wanted]
        places = ranges(self.offsets[:-1][wanted], counts)
        return LabelledSpans(
            edges_of(counts),
            self.starts[places],
            self.ends[places],
            self.labels.gather(places),
            tuple(self.problems[row] for row in wanted.tolist()),
        )


def labelled_spans(texts: Iterable[Sequence[Labelled] | str]) -> LabelledSpans:
    """Return the stretches of texts given one by one: those of each, or a text that says why there are none."""
    rows = list(texts)
    found = [span for row in rows if not isinstance(row, str) for span in row]
    edges = np.array([span[:2] for span in found], np.int64).reshape(-1, 2)
    return LabelledSpans(
        edges_of([0 if isinstance(row, str) else len(row) for row in rows]),
        edges[:, 0],
        edges[:, 1],
        pl.Series("label", [label for _, _, label in found], dtype=pl.String),
        tuple(row if isinstance(row, str) else "" for row in rows),
    )


def labelled_safely(
    label: Callable[[Sequence[str]], LabelledSpans], contents: Sequence[str], who: str, check: str
) -> LabelledSpans:
    """Label a batch; where that fails as a whole, text by text, so that only those that fail have a problem.

    `who` says who labels ("the tagger lac"), `check` by which name `hengliang check` knows it. Somebody who cannot work
    at all (a library is missing) says so with a `UserError`, which is passed on.
    """

    def checked(texts: Sequence[str]) -> LabelledSpans:
        found = label(texts)
        if len(found) != len(texts):
            raise UserError(
                f"{who[0].upper()}{who[1:]} returned {len(found)} answers for {len(texts)} texts.",
                remedy=f"Return one a text, in order, then try: hengliang check {check}",
            )
        return found

    def alone(text: str) -> LabelledSpans:
        try:
            return checked([text])
        except UserError:
            raise
        except Exception as error:
            said = " ".join(str(error).split())[:200]
            return labelled_spans([f"{who} failed: {type(error).__name__}: {said}"])

    try:
        return checked(contents)
    except UserError:
        raise
    except Exception:  # a stranger's model may raise anything on a text it has never seen the like of
        return concat([alone(content) for content in contents])


def concat(parts: Sequence[LabelledSpans]) -> LabelledSpans:
    """Return the stretches of all parts, one after the other."""
    if not parts:
        return labelled_spans([])
    return LabelledSpans(
        edges_of(np.concatenate([np.diff(part.offsets) for part in parts])),
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.ends for part in parts]),
        pl.concat([part.labels for part in parts]),
        tuple(problem for part in parts for problem in part.problems),
    )
