"""Which words and tags have these sentences, found now or found before?

A tagger reads some hundred sentences a second, and the same corpus is tagged for every study. So what was tagged is
kept in the cache, by the tagger's signature and the content of the batch: work that was stopped goes on where it
stopped. A batch in which some sentence failed is not kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from hengliang import places
from hengliang.cache import BatchCache
from hengliang.progress import Silent, Watcher
from hengliang.signature import digest
from hengliang.systems.labelled_spans import LabelledSpans, concat, labelled_safely
from hengliang.systems.language_models.texts import edges_of
from hengliang.systems.taggers.base import Tagger

BATCH = 1000
"""Sentences in a batch: a stopped run loses a few seconds."""

FEW = 20
"""So few sentences are tagged as quickly as they are looked up, and are not kept."""

_SCHEMA = {"row": pl.Int64, "start": pl.Int64, "end": pl.Int64, "label": pl.String}


def remembered_tags(tagger: Tagger, sentences: Sequence[str], watcher: Watcher | None = None) -> LabelledSpans:
    """Return the words and tags of the sentences, from the cache where they were tagged before."""
    if len(sentences) <= FEW:
        return _tagged(tagger, sentences)
    cache = BatchCache(places.cache() / "tags", tagger.signature())
    parts = []
    with (watcher or Silent()).watch(f"tagging by {tagger.name}", len(sentences)) as steps:
        for start in range(0, len(sentences), BATCH):
            batch = sentences[start : start + BATCH]
            parts.append(_through(cache, tagger, batch))
            steps.advance(len(batch))
    return concat(parts)


def _tagged(tagger: Tagger, sentences: Sequence[str]) -> LabelledSpans:
    return labelled_safely(tagger.tag, sentences, f"the tagger {tagger.name}", tagger.name)


def _through(cache: BatchCache, tagger: Tagger, batch: Sequence[str]) -> LabelledSpans:
    key = digest(*batch)
    held = cache.get(key)
    if held is not None and dict(held.schema) == _SCHEMA:
        return _spans(held, len(batch))
    found = _tagged(tagger, batch)
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
