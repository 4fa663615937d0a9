"""Coarse sentence representations: symbols in place of words, and part-of-speech tags in place of words.

A representation changes which words a model sees, never what the text is: the coarse text has the content of the
original, and each of its words is a byte span of it, so that every score points back to the original by itself. What
stands for several words (an entity) is one word whose span covers them all.

Symbols are written in angle brackets (`<ne:PERSON>`, `<pos:VERB>`, `<class:17>`) and are reserved: a word of a text
that happens to look like one is given to the model as unknown.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.labelling.spans import LabelledSpans, labelled_safely
from hengliang.core.labelling.taggers import Tagger
from hengliang.core.labelling.texts import Texts
from hengliang.core.labelling.texts import concat as texts_concat
from hengliang.core.signature import Signature, code_checksum
from hengliang.language_models.vocabulary import UNKNOWN

# --- representations and symbols --------------------------------------------------------------------------------------


SYMBOL = r"^<(?:ne|pos|class):[^<>\s]+>$"


def symbol(kind: str, label: str) -> str:
    """Return the reserved symbol of a label: `symbol("ne", "PERSON")` is `<ne:PERSON>`."""
    return f"<{kind}:{label}>"


@dataclass(frozen=True, slots=True, eq=False)
class Coarse:
    """Texts as a model sees them, and of each text why it could not be brought into this form (else empty).

    A text with a problem keeps its words and must not be scored. `original_words` counts the words of each text before
    anything was replaced.
    """

    texts: Texts
    problems: tuple[str, ...]
    original_words: pl.Series


class Representation(ABC):
    """A way to see sentences: derive from it and write `coarsen`."""

    @abstractmethod
    def coarsen(self, texts: Texts) -> Coarse:
        """Return the texts, which all carry words, with some of their words replaced by symbols."""

    @abstractmethod
    def signature(self) -> Signature:
        """Return all that can change a symbol."""

    def learn(self, texts: Texts) -> dict[str, Any]:
        """Learn from the training texts what has to be learned (word classes), and return it as JSON for the model.

        Most representations learn nothing.
        """
        return {}


def symbols(words: pl.Series) -> pl.Series | None:
    """Say which words are written as symbols; nothing where none is, which a look at their first letters shows."""
    if not words.str.starts_with("<").any():
        return None
    looks = words.str.contains(SYMBOL)
    return looks if looks.any() else None


def without_reserved(texts: Texts) -> Texts:
    """Return the texts with words that look like a symbol replaced by the unknown word."""
    looks = symbols(texts.words)
    if looks is None:
        return texts
    words = pl.select(pl.when(looks).then(pl.lit(UNKNOWN)).otherwise(texts.words).alias("word"))
    return replace(texts, words=words["word"])


# --- part-of-speech tags ----------------------------------------------------------------------------------------------
# Replaces every word by its part of speech.
#
# The words are those of the tagger, whose cut of the sentence takes the place of any other: a tag belongs to a word as
# the tagger sees it. Each word is given to the model as the symbol of its tag, punctuation too.

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
        unreserved = without_reserved(texts)
        tagged = labelled_safely(
            self.tagger.tag, texts.contents.to_list(), f"the tagger {self.tagger.name}", self.tagger.name
        )
        problems = _problems(tagged, texts.contents)
        good = np.array([not problem for problem in problems], np.bool_)
        counts = pl.Series("words", np.diff(texts.offsets))
        return Coarse(_texts_by_tags(unreserved, tagged, good), problems, counts)

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
    good_words = tagged.take(kept)
    words = pl.select(pl.format(symbol(KIND, "{}"), good_words.labels).alias("word"))["word"]
    everywhere = np.ones(len(kept), np.bool_)
    seen = Texts(texts.contents.gather(kept), words, good_words.offsets, good_words.starts, good_words.ends, everywhere)
    return texts_concat([seen, texts.take(others)]).take(np.argsort(np.concatenate([kept, others])))
