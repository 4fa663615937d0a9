"""How does a sentence look when every word is seen by its part of speech only?

The words are those of the tagger, whose cut of the sentence takes the place of any other: a tag belongs to a word as
the tagger sees it. Each word is given to the model as the symbol of its tag, punctuation too.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.labelling.spans import LabelledSpans, labelled_safely
from hengliang.core.labelling.taggers import Tagger
from hengliang.core.labelling.texts import Texts
from hengliang.core.labelling.texts import concat as texts_concat
from hengliang.core.signature import Signature, code_checksum
from hengliang.systems.language_models.coarse.representation import Coarse, Representation, symbol, without_reserved

KIND = "pos"
UNCOVERED = "the words of the tagger do not cover the sentence"


class ReplacedTags(Representation):
    """Sentences in which each word, as a tagger cuts them, stands as the symbol of its tag."""

    def __init__(self, tagger: Tagger) -> None:
        self.tagger = tagger

    def coarsen(self, texts: Texts) -> Coarse:
        """Return the texts with the tagger's words and the symbol of a tag for each.

        A text that the tagger cannot tag, or whose words it does not cover from end to end, keeps its words and has a
        problem.
        """
        held = without_reserved(texts)
        tagged = labelled_safely(
            self.tagger.tag, texts.contents.to_list(), f"the tagger {self.tagger.name}", self.tagger.name
        )
        problems = _problems(tagged, texts.contents)
        good = np.array([not problem for problem in problems], np.bool_)
        counts = pl.Series("words", np.diff(texts.offsets))
        return Coarse(_texts_by_tags(held, tagged, good), problems, counts)

    def signature(self) -> Signature:
        """Return the tagger's signature and the code that replaces."""
        return Signature.of(replaced="words by tags", code=code_checksum(type(self)), by=self.tagger.signature())


def _problems(tagged: LabelledSpans, contents: pl.Series) -> tuple[str, ...]:
    """Return the problem of each text, also of those whose tagged words leave a gap."""
    lengths = contents.str.len_bytes().to_numpy().astype(np.int64)
    counts = np.diff(tagged.offsets)
    some = counts > 0
    first = tagged.offsets[:-1][some]
    expected = np.concatenate([np.zeros(1, np.int64), tagged.ends])[:-1]
    expected[first] = 0
    gaps = np.bincount(tagged.rows, expected != tagged.starts, len(counts))
    reached = np.zeros_like(lengths)
    reached[some] = tagged.ends[tagged.offsets[1:][some] - 1]
    # A text of nothing but white space has no words.
    blank = ~some & contents.str.strip_chars().eq("").to_numpy()
    wrong = ((gaps > 0) | (reached != lengths)) & ~blank
    return tuple(
        problem or (UNCOVERED if bad else "") for problem, bad in zip(tagged.problems, wrong.tolist(), strict=True)
    )


def _texts_by_tags(texts: Texts, tagged: LabelledSpans, good: npt.NDArray[np.bool_]) -> Texts:
    """Return the tagged words of the good texts, and the others with the words that they have."""
    kept, others = np.flatnonzero(good), np.flatnonzero(~good)
    found = tagged.take(kept)
    words = pl.select(pl.format(symbol(KIND, "{}"), found.labels).alias("word"))["word"]
    everywhere = np.ones(len(kept), np.bool_)
    seen = Texts(texts.contents.gather(kept), words, found.offsets, found.starts, found.ends, everywhere)
    return texts_concat([seen, texts.take(others)]).take(np.argsort(np.concatenate([kept, others])))
