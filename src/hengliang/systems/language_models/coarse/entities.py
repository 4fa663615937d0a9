"""How does a sentence look when its names, dates and numbers are seen by their types only?

Replacing named entities (RNE) [1]: each entity becomes one symbol, whatever and however many words it is. The entities
are recognised in the text as it was written, before capitals and rare words are touched. An entity whose edge falls
within a word cuts the word there: of 北京市长 with the entity 北京 remain `<ne:GPE>` and 市长.

[1] Daultani, V., Okazaki, N. (2022). Improving automatic evaluation of acceptability based on language models with a
    coarse sentence representation. PACLIC 36.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from hengliang.signature import Signature, code_checksum
from hengliang.systems.entities.base import Recogniser
from hengliang.systems.entities.remembered import remembered_entities
from hengliang.systems.labelled_spans import LabelledSpans
from hengliang.systems.language_models.coarse.representation import Coarse, Representation, symbol, without_reserved
from hengliang.systems.language_models.texts import Texts, edges_of
from hengliang.text import Offsets

KIND = "ne"


class ReplacedEntities(Representation):
    """Sentences in which each entity stands as the symbol of its type."""

    def __init__(self, recogniser: Recogniser) -> None:
        self.recogniser = recogniser

    def coarsen(self, texts: Texts) -> Coarse:
        """Return the texts with every entity as one word, its symbol."""
        found = remembered_entities(self.recogniser, texts.contents.to_list())
        counts = pl.Series("words", np.diff(texts.offsets))
        return Coarse(replace_spans(without_reserved(texts), found), found.problems, counts)

    def signature(self) -> Signature:
        """Return the recogniser's signature and the code that replaces."""
        return Signature.of(replaced="entities", code=code_checksum(type(self)), by=self.recogniser.signature())


def replace_spans(texts: Texts, spans: LabelledSpans) -> Texts:
    """Return the texts with each labelled stretch as one word, its symbol; words are cut at its edges.

    All texts lie on one line, one after the other, so that the edges of all words and stretches are sorted at once.
    """
    if not len(spans.starts):
        return texts
    lengths = texts.contents.str.len_bytes().to_numpy().astype(np.int64)
    base = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths + 1)])
    word_rows = np.repeat(np.arange(len(texts)), np.diff(texts.offsets))
    word_starts, word_ends = texts.starts + base[word_rows], texts.ends + base[word_rows]
    first = _with_space_before(spans.starts + base[spans.rows], word_starts, word_ends, texts.words)
    last = spans.ends + base[spans.rows]
    inner = last[last < (base[:-1] + lengths)[spans.rows]]
    starts = np.unique(np.concatenate([word_starts, first, inner]))
    within = np.searchsorted(first, starts, "left") - 1
    swallowed = (within >= 0) & (starts < last[np.maximum(within, 0)])
    starts = starts[~swallowed]
    rows = np.searchsorted(base, starts, "right") - 1
    ends = np.minimum(np.append(starts[1:], base[-1]), (base[:-1] + lengths)[rows])
    words = _words(texts, starts, ends, (word_starts, word_ends), rows, base)
    places = np.searchsorted(starts, first)
    labels = [symbol(KIND, label) for label in spans.labels.to_list()]
    return replace(
        texts,
        words=words.scatter(places, labels),
        offsets=edges_of(np.bincount(rows, minlength=len(texts))),
        starts=starts - base[rows],
        ends=ends - base[rows],
    )


def _with_space_before(first: Offsets, word_starts: Offsets, word_ends: Offsets, words: pl.Series) -> Offsets:
    """Return where each stretch begins, with the space before it if a word begins there: the space is the word's."""
    visible = word_ends - words.str.len_bytes().to_numpy().astype(np.int64)
    at = np.minimum(np.searchsorted(visible, first), len(visible) - 1)
    return np.where(visible[at] == first, word_starts[at], first) if len(visible) else first


def _words(
    texts: Texts, starts: Offsets, ends: Offsets, before: tuple[Offsets, Offsets], rows: Offsets, base: Offsets
) -> pl.Series:
    """Return the word at each span: one of the words before, or, where a stretch cut one, what is left of it."""
    word_starts, word_ends = before
    if not len(word_starts):
        return pl.Series("word", [""] * len(starts), dtype=pl.String)
    at = np.minimum(np.searchsorted(word_starts, starts), len(word_starts) - 1)
    same = (word_starts[at] == starts) & (word_ends[at] == ends)
    words = texts.words.gather(at)
    cut = np.flatnonzero(~same)
    if not len(cut):
        return words
    contents = texts.contents.gather(rows[cut]).to_list()
    left = [
        content.encode()[start:end].decode(errors="replace").strip()
        for content, start, end in zip(
            contents, (starts - base[rows])[cut].tolist(), (ends - base[rows])[cut].tolist(), strict=True
        )
    ]
    return words.scatter(cut, left)
