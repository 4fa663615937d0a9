"""How does a sentence look to a model that does not see all of its words?

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

import polars as pl

from hengliang.core.labelling.texts import Texts
from hengliang.core.signature import Signature
from hengliang.systems.language_models.vocabulary import UNKNOWN

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
    """Say which words are written as symbols; nothing where none is, which a look at their first letters tells."""
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
