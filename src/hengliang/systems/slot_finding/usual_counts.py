"""Which classifiers go with which nouns, for a text that is too short to tell by itself?

A head with several readings is settled by counts (`hengliang.materials.slot_compatibility`). One sentence has none, so
those of the train part of the default corpus are added to a text's own, where the machine has that corpus. Counting
takes seconds; the result is kept in the cache.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache, partial
from pathlib import Path

import polars as pl

from hengliang.core import places
from hengliang.core.engine.cache import BatchCache
from hengliang.core.signature import Signature, code_checksum
from hengliang.corpora import catalogue as sources
from hengliang.corpora.parts import cut_blocks
from hengliang.corpora.tagged import TaggedParagraph, read_pku
from hengliang.materials.slot_compatibility import Compatibility
from hengliang.materials.slot_extraction import certain_pairs

_SCHEMA: dict[str, pl.DataType] = {"classifier": pl.String(), "noun": pl.String(), "count": pl.Int64()}


def usual_compatibility(paragraphs: Iterable[TaggedParagraph] = ()) -> Compatibility:
    """Return the counts of the train part of the default corpus, if it is here, and of some tagged paragraphs."""
    own = Counter(pair for paragraph in paragraphs for pair in certain_pairs(paragraph))
    return Compatibility.of(own + _corpus_pairs())


def usual_signature() -> Signature:
    """Return what can change the usual counts: the corpus and the rules, or that there is no corpus."""
    if not sources.is_here(sources.DEFAULT_CORPUS):
        return Signature.of(counts="none")
    (corpus,) = sources.locate(sources.DEFAULT_CORPUS)
    return Signature.of(counts="train", sha256=sources.checksum(corpus)[:16], code=code_checksum(usual_compatibility))


def _corpus_pairs() -> Counter[tuple[str, str]]:
    if not sources.is_here(sources.DEFAULT_CORPUS):
        return Counter()
    (corpus,) = sources.locate(sources.DEFAULT_CORPUS)
    return _kept_pairs(corpus, usual_signature())


@lru_cache(maxsize=2)
def _kept_pairs(corpus: Path, signature: Signature) -> Counter[tuple[str, str]]:
    cache = BatchCache(places.cache() / "slots", signature)
    rows = cache.computed("pairs", partial(_counted_pairs, corpus), _SCHEMA)
    return Counter({(classifier, noun): count for classifier, noun, count in rows.rows()})


def _counted_pairs(corpus: Path) -> pl.DataFrame:
    paragraphs = list(read_pku(corpus))
    parts = cut_blocks("".join(paragraph.words) for paragraph in paragraphs).paragraph_parts
    pairs = Counter(
        pair
        for paragraph, part in zip(paragraphs, parts, strict=True)
        if part == "train"
        for pair in certain_pairs(paragraph)
    )
    rows = sorted((*pair, count) for pair, count in pairs.items())
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")
