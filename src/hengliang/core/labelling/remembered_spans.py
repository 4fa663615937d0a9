"""Cached tagging and entity recognition: texts are labelled once, and their labels kept in the cache.

A tagger or a recogniser reads some hundred sentences a second and a model thousands, and the same texts are read for
every study and put to many models. So what was found is kept in the cache, by the signature of whoever found it and the
content of the batch: work that was stopped goes on where it stopped. A batch in which some text failed is not kept: it
is tried again next time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from hengliang.core import places
from hengliang.core.engine.cache import BatchCache
from hengliang.core.labelling.recognisers import Recogniser, recognise_safely
from hengliang.core.labelling.spans import LabelledSpans, concat, labelled_safely
from hengliang.core.labelling.taggers import Tagger
from hengliang.core.labelling.texts import edges_of
from hengliang.core.labelling.words import checked_words
from hengliang.core.progress import Silent, Watcher
from hengliang.core.signature import digest

TAG_BATCH = 200
"""Sentences that are tagged at once: a stopped run loses a few seconds."""

ENTITY_BATCH = 500
"""Texts whose entities are found at once: a stopped training loses little, and a library can make its own batches."""

FEW = 20
"""So few sentences are tagged as quickly as they are looked up, and are not kept."""

_SCHEMA = {"row": pl.Int64, "start": pl.Int64, "end": pl.Int64, "label": pl.String}


def remembered_tags(
    tagger: Tagger, sentences: Sequence[str], watcher: Watcher | None = None, *, checked: bool = False
) -> LabelledSpans:
    """Return the words and tags of the sentences, from the cache where they were tagged before.

    If they are `checked`, words that are not those of their sentence become its problem.
    """

    def words(batch: Sequence[str]) -> LabelledSpans:
        return checked_words(tagger.tag(batch), batch, tagger.name) if checked else tagger.tag(batch)

    def tagged(batch: Sequence[str]) -> LabelledSpans:
        return labelled_safely(words, batch, f"the tagger {tagger.name}", tagger.name)

    if len(sentences) <= FEW:
        return tagged(sentences)
    cache = BatchCache(places.cache() / "tags", tagger.signature())
    words_with_tags = _remembered(cache, tagged, sentences, TAG_BATCH, f"tagging by {tagger.name}", watcher)
    # What was kept may have been tagged for somebody who did not want it checked.
    return checked_words(words_with_tags, sentences, tagger.name) if checked else words_with_tags


def remembered_entities(
    recogniser: Recogniser, contents: Sequence[str], watcher: Watcher | None = None
) -> LabelledSpans:
    """Return the entities of the texts, from the cache where they were recognised before."""

    def recognised(batch: Sequence[str]) -> LabelledSpans:
        return recognise_safely(recogniser, batch)

    cache = BatchCache(places.cache() / "entities", recogniser.signature())
    return _remembered(cache, recognised, contents, ENTITY_BATCH, f"entities by {recogniser.name}", watcher)


def _remembered(
    cache: BatchCache,
    label: Callable[[Sequence[str]], LabelledSpans],
    texts: Sequence[str],
    batch_size: int,
    what: str,
    watcher: Watcher | None,
) -> LabelledSpans:
    """Return the labelled stretches of the texts, batch by batch; the watcher is told what is done."""
    batches = [texts[start : start + batch_size] for start in range(0, len(texts), batch_size)]
    keys = [digest(*batch) for batch in batches]
    known, _ = cache.get_all(keys)
    parts = []
    with (watcher or Silent()).watch(what, len(texts)) as steps:
        for key, batch in zip(keys, batches, strict=True):
            frame = known.get(key)
            if frame is not None and dict(frame.schema) == _SCHEMA:
                parts.append(_spans(frame, len(batch)))
            else:
                parts.append(label(batch))
                if not any(parts[-1].problems):
                    cache.put(key, _frame(parts[-1]))
            steps.advance(len(batch))
    return concat(parts)


def _frame(spans: LabelledSpans) -> pl.DataFrame:
    columns = {"row": spans.rows, "start": spans.starts, "end": spans.ends, "label": spans.labels}
    return pl.DataFrame(columns, schema=_SCHEMA)


def _spans(frame: pl.DataFrame, count: int) -> LabelledSpans:
    rows = frame["row"].to_numpy().astype(np.int64)
    return LabelledSpans(
        edges_of(np.bincount(rows, minlength=count)),
        frame["start"].to_numpy().astype(np.int64),
        frame["end"].to_numpy().astype(np.int64),
        frame["label"],
        ("",) * count,
    )
