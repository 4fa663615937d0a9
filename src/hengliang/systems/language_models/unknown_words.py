"""How many words of each sentence are unknown to a language model?

A system of the kind `counts`, made from a model: it answers with the number of words as the model sees them (to one
that replaces entities an entity is one word) and how many of those it did not know. The end of a sentence is no word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import polars as pl

from hengliang.core.base_classes import System, answer_schema
from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import texts_of_items
from hengliang.core.progress import Watcher
from hengliang.core.records import CONTENT_TYPES, Attribute, ResponseKind
from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import Offsets
from hengliang.systems.language_models.base import LanguageModel
from hengliang.systems.language_models.scores import Scores

WORDS, UNKNOWN = "words", "unknown"


class UnknownWords(System):
    """Counts the words of each sentence and those of them that a language model does not know."""

    kind: ClassVar[ResponseKind] = "counts"
    looks_at: ClassVar[tuple[str, ...] | None] = ()
    title = Bilingual("Unknown words", "未登录词数")

    def __init__(self, model: LanguageModel, name: str = "") -> None:
        self.model = model
        self.name = name or f"unknown words ({model.name})"
        self.seed = model.seed
        self.batch_size = model.batch_size

    def prepare(self, watcher: Watcher) -> None:
        """Get the model ready."""
        self.model.prepare(watcher)

    def traits(self) -> Mapping[str, Attribute]:
        """Return the properties of the model."""
        return self.model.traits()

    def answer(self, items: pl.DataFrame) -> pl.DataFrame:
        """Return the words of each item's content and how many are unknown; what is not scored is not counted."""
        unit = self.model.conventions().unit
        if unit != "word":
            raise UserError(
                f"The unit of the language model '{self.model.name}' is the {unit}.",
                valid="Unknown words are counted for models whose unit is the word.",
            )
        scores = self.model.score(texts_of_items(items))
        words, unknown = counted_words(scores)
        pairs = zip(words.tolist(), unknown.tolist(), scores.problems, strict=True)
        content = [
            None if problem else [{"kind": WORDS, "count": all_words}, {"kind": UNKNOWN, "count": strange}]
            for all_words, strange, problem in pairs
        ]
        answers = pl.DataFrame(
            {
                "item": items["id"],
                "content": pl.Series(content, dtype=CONTENT_TYPES["counts"]),
                "reason": pl.Series(scores.problems, dtype=pl.String),
            }
        )
        status = pl.when(pl.col("reason") == "").then(pl.lit("ok")).otherwise(pl.lit("failed"))
        return answers.with_columns(status=status).select(list(answer_schema("counts")))


def counted_words(scores: Scores) -> tuple[Offsets, Offsets]:
    """Return how many words each scored text has, its end not counted, and how many of them are unknown."""
    is_word = scores.ends > scores.starts
    rows = scores.rows
    words = np.bincount(rows[is_word], minlength=len(scores))
    unknown = np.bincount(rows[is_word & scores.unknown], minlength=len(scores))
    return words.astype(np.int64), unknown.astype(np.int64)


def unknown_words(model: LanguageModel) -> UnknownWords:
    """Count the words of each sentence that a language model does not know."""
    return UnknownWords(model)
