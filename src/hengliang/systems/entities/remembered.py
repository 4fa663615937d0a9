"""Which entities have these texts, found now or found before?

A recogniser reads some hundred sentences a second and a model thousands, and the same sentences are put to many models.
So what was recognised is kept in the cache, by the recogniser's signature and the content of the batch. A batch in
which some text failed is not kept: it is tried again next time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from hengliang import places
from hengliang.cache import BatchCache
from hengliang.progress import Silent, Watcher
from hengliang.signature import digest
from hengliang.systems.entities.base import Recogniser, recognise_safely
from hengliang.systems.labelled_spans import LabelledSpans, concat
from hengliang.systems.language_models.texts import edges_of

BATCH = 500
"""Texts in a batch: small enough that a stopped training loses little, large enough for a library's own batches."""

_SCHEMA = {"row": pl.Int64, "start": pl.Int64, "end": pl.Int64, "label": pl.String}


def remembered_entities(
    recogniser: Recogniser, contents: Sequence[str], watcher: Watcher | None = None
) -> LabelledSpans:
    """Return the entities of the texts, from the cache where they were recognised before."""
    cache = BatchCache(places.cache() / "entities", recogniser.signature())
    with (watcher or Silent()).watch(f"entities by {recogniser.name}", len(contents)) as steps:
        parts = []
        for batch in _batches(contents):
            parts.append(_through(cache, recogniser, batch))
            steps.advance(len(batch))
    return concat(parts)


def _batches(contents: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(contents), BATCH):
        yield contents[start : start + BATCH]


def _through(cache: BatchCache, recogniser: Recogniser, batch: Sequence[str]) -> LabelledSpans:
    key = digest(*batch)
    held = cache.get(key)
    if held is not None and dict(held.schema) == _SCHEMA:
        return _spans(held, len(batch))
    found = recognise_safely(recogniser, batch)
    if not any(found.problems):
        columns = {"row": found.rows, "start": found.starts, "end": found.ends, "label": found.labels}
        cache.put(key, pl.DataFrame(columns, schema=_SCHEMA))
    return found


def _spans(frame: pl.DataFrame, count: int) -> LabelledSpans:
    rows = frame["row"].to_numpy().astype(np.int64)
    return LabelledSpans(
        edges_of(np.bincount(rows, minlength=count)),
        frame["start"].to_numpy().astype(np.int64),
        frame["end"].to_numpy().astype(np.int64),
        frame["label"],
        ("",) * count,
    )
