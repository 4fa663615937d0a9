"""Which words with tags, or which entities, have these texts, found now or found before?

A tagger or a recogniser reads some hundred sentences a second and a model thousands, and the same texts are read for
every study and put to many models. So what was found is kept in the cache, by the signature of whoever found it and the
content of the batch: work that was stopped goes on where it stopped. A batch in which some text failed is not kept: it
is tried again next time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from hengliang import places
from hengliang.core.engine.cache import BatchCache
from hengliang.progress import Silent, Watcher
from hengliang.signature import Signature, digest
from hengliang.systems.entities.base import Recogniser, recognise_safely
from hengliang.systems.labelled_spans import LabelledSpans, concat, labelled_safely
from hengliang.systems.language_models.texts import edges_of
from hengliang.systems.taggers.base import Tagger

TAG_BATCH = 1000
"""Sentences that are tagged at once: a stopped run loses a few seconds."""

ENTITY_BATCH = 500
"""Texts whose entities are found at once: a stopped training loses little, and a library can make its own batches."""

FEW = 20
"""So few sentences are tagged as quickly as they are looked up, and are not kept."""

_SCHEMA = {"row": pl.Int64, "start": pl.Int64, "end": pl.Int64, "label": pl.String}


def remembered_tags(tagger: Tagger, sentences: Sequence[str], watcher: Watcher | None = None) -> LabelledSpans:
    """Return the words and tags of the sentences, from the cache where they were tagged before."""

    def tagged(batch: Sequence[str]) -> LabelledSpans:
        return labelled_safely(tagger.tag, batch, f"the tagger {tagger.name}", tagger.name)

    if len(sentences) <= FEW:
        return tagged(sentences)
    cache = _Remembered("tags", tagger.signature(), tagged)
    return cache.of(sentences, TAG_BATCH, f"tagging by {tagger.name}", watcher)


def remembered_entities(
    recogniser: Recogniser, contents: Sequence[str], watcher: Watcher | None = None
) -> LabelledSpans:
    """Return the entities of the texts, from the cache where they were recognised before."""

    def recognised(batch: Sequence[str]) -> LabelledSpans:
        return recognise_safely(recogniser, batch)

    cache = _Remembered("entities", recogniser.signature(), recognised)
    return cache.of(contents, ENTITY_BATCH, f"entities by {recogniser.name}", watcher)


class _Remembered:
    """Somebody who labels batches of texts, with the part of the cache that holds what was labelled before."""

    def __init__(self, folder: str, signature: Signature, label: Callable[[Sequence[str]], LabelledSpans]) -> None:
        self.cache = BatchCache(places.cache() / folder, signature)
        self.label = label

    def of(self, texts: Sequence[str], batch_size: int, what: str, watcher: Watcher | None) -> LabelledSpans:
        """Return the labelled stretches of the texts; the watcher is told what is done."""
        batches = [texts[start : start + batch_size] for start in range(0, len(texts), batch_size)]
        keys = [digest(*batch) for batch in batches]
        held, _ = self.cache.get_all(keys)
        parts = []
        with (watcher or Silent()).watch(what, len(texts)) as steps:
            for key, batch in zip(keys, batches, strict=True):
                parts.append(self._batch(key, batch, held.get(key)))
                steps.advance(len(batch))
        return concat(parts)

    def _batch(self, key: str, batch: Sequence[str], held: pl.DataFrame | None) -> LabelledSpans:
        if held is not None and dict(held.schema) == _SCHEMA:
            return _spans(held, len(batch))
        found = self.label(batch)
        if not any(found.problems):
            columns = {"row": found.rows, "start": found.starts, "end": found.ends, "label": found.labels}
            self.cache.put(key, pl.DataFrame(columns, schema=_SCHEMA))
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
