"""Named-entity replacement (RNE): names, dates and numbers are replaced by symbols of their types.

Replacing named entities (RNE) [1]: each entity becomes one symbol, whatever and however many words it is. The entities
are recognised in the text as it was written, before capitals and rare words are touched. An entity whose edge falls
within a word cuts the word there: of 北京市长 with the entity 北京 remain `<ne:GPE>` and 市长.

[1] Daultani, V., Okazaki, N. (2022). Improving automatic evaluation of acceptability based on language models with a
    coarse sentence representation. PACLIC 36.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.labelling.recognisers import Recogniser
from hengliang.core.labelling.remembered_spans import remembered_entities
from hengliang.core.labelling.spans import LabelledSpans
from hengliang.core.labelling.texts import Texts, edges_of
from hengliang.core.signature import Signature, code_checksum
from hengliang.core.text.characters import Offsets
from hengliang.language_models.preprocessing.representation import Coarse, Representation, symbol, without_reserved

KIND = "ne"
MISPLACED = "the entities that the recogniser {} found overlap, are not in order, or lie outside of the text"

# Polars leaves the four separators of ASCII out of the white space, Python does not.
_SPACE_AT_THE_END = r"[\s\x1c-\x1f]+$"


class ReplacedEntities(Representation):
    """Sentences in which each entity stands as the symbol of its type."""

    def __init__(self, recogniser: Recogniser) -> None:
        self.recogniser = recogniser

    def coarsen(self, texts: Texts) -> Coarse:
        """Return the texts with every entity as one word, its symbol."""
        entities = remembered_entities(self.recogniser, texts.contents.to_list())
        entities = _with_letters(_well_placed(entities, texts.contents, self.recogniser.name), texts.contents)
        counts = pl.Series("words", np.diff(texts.offsets))
        return Coarse(replace_spans(texts, entities), entities.problems, counts)

    def signature(self) -> Signature:
        """Return the recogniser's signature and the code that replaces."""
        return Signature.of(replaced="entities", code=code_checksum(type(self)), by=self.recogniser.signature())


def _well_placed(found: LabelledSpans, contents: pl.Series, name: str) -> LabelledSpans:
    """Return the entities without those of texts where they cannot be: a stranger's recogniser may return anything."""
    lengths = contents.str.len_bytes().to_numpy().astype(np.int64)
    rows = found.rows
    before = np.concatenate([np.zeros(1, np.int64), found.ends])[:-1]
    before[found.offsets[:-1][np.diff(found.offsets) > 0]] = 0
    wrong = (found.starts < before) | (found.starts >= found.ends) | (found.ends > lengths[rows])
    if not wrong.any():
        return found
    bad = np.bincount(rows, wrong, len(found)) > 0
    kept = ~bad[rows]
    return LabelledSpans(
        edges_of(np.where(bad, 0, np.diff(found.offsets))),
        found.starts[kept],
        found.ends[kept],
        found.labels.filter(pl.Series(kept)),
        tuple(
            problem or (MISPLACED.format(name) if fault else "")
            for problem, fault in zip(found.problems, bad.tolist(), strict=True)
        ),
    )


def _with_letters(found: LabelledSpans, contents: pl.Series) -> LabelledSpans:
    """Return the entities that have a letter or digit: a row of smileys is not a person, whatever a recogniser says."""
    pieces = pl.Series(
        [
            content.encode()[start:end].decode(errors="replace")
            for content, start, end in zip(
                contents.gather(found.rows).to_list(), found.starts.tolist(), found.ends.tolist(), strict=True
            )
        ],
        dtype=pl.String,
    )
    kept = pieces.str.contains(r"[\p{L}\p{N}]").to_numpy()
    if kept.all():
        return found
    return LabelledSpans(
        edges_of(np.bincount(found.rows[kept], minlength=len(found))),
        found.starts[kept],
        found.ends[kept],
        found.labels.filter(pl.Series(kept)),
        found.problems,
    )


def replace_spans(texts: Texts, spans: LabelledSpans) -> Texts:
    """Return the texts with each labelled stretch as one word, its symbol; words are cut at its edges.

    All texts lie on one line, one after the other, so that the edges of all words and stretches are sorted at once.
    """
    if not len(spans.starts):
        return without_reserved(texts)
    lengths = _bytes(texts.contents)
    base = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths + 1)])
    visible_ends = base[:-1] + _bytes(texts.contents.str.replace(_SPACE_AT_THE_END, ""))
    word_rows = np.repeat(np.arange(len(texts)), np.diff(texts.offsets))
    word_starts, word_ends = texts.starts + base[word_rows], texts.ends + base[word_rows]
    visible = np.minimum(word_ends, visible_ends[word_rows]) - _bytes(texts.words)
    first = _with_space_before(spans.starts + base[spans.rows], word_starts, visible)
    last = spans.ends + base[spans.rows]
    # Space at the end of a text goes with what stands before it.
    inner = last[last < visible_ends[spans.rows]]
    starts = np.unique(np.concatenate([word_starts, first, inner]))
    within = np.searchsorted(first, starts, "left") - 1
    swallowed = (within >= 0) & (starts < last[np.maximum(within, 0)])
    starts = starts[~swallowed]
    rows = np.searchsorted(base, starts, "right") - 1
    ends = np.minimum(np.append(starts[1:], base[-1]), (base[:-1] + lengths)[rows])
    words = _words(texts, starts, ends, (word_starts, word_ends), rows, base)
    seen = replace(
        texts,
        words=words,
        offsets=edges_of(np.bincount(rows, minlength=len(texts))),
        starts=starts - base[rows],
        ends=ends - base[rows],
    )
    # What is left of a cut word may look like a symbol as well as a whole word; symbols of our own come last.
    seen = without_reserved(seen)
    labels = [symbol(KIND, label) for label in spans.labels.to_list()]
    return replace(seen, words=seen.words.scatter(np.searchsorted(starts, first), labels))


def _bytes(column: pl.Series) -> npt.NDArray[np.int64]:
    return column.str.len_bytes().to_numpy().astype(np.int64)


def _with_space_before(first: Offsets, word_starts: Offsets, visible: Offsets) -> Offsets:
    """Return where each stretch begins, with the space before it if a word begins there: the space is the word's."""
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
