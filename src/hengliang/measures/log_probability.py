"""How probable is each sentence to a language model, and over how many words and characters?

The parts of the judgement are what perplexity is made of: the log-probability of the sentence, and how many words,
characters and units of the model it spreads over, the end of the sentence counted where the model scores it.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import polars as pl

from hengliang.core.base_classes import Measure
from hengliang.core.judging import NO_ITEM, first_problem, judgements
from hengliang.core.labelling.texts import WORD
from hengliang.core.records import ResponseKind
from hengliang.core.registry import register
from hengliang.core.terms import Bilingual
from hengliang.systems.language_models.regions import sentence_logprobs
from hengliang.systems.language_models.scores import scores_of_content

LOGPROB, WORDS, CHARACTERS, UNITS = PARTS = ("log-probability", "words", "characters", "units")

NO_WORDS = "the item does not say what its words are"


@register("log-probability")
class LogProbability(Measure):
    """The natural-log probability of each scored text, and the events it is the probability of.

    Each part is a judgement of its own. Words are counted where the item says what they are (spans called `word`).
    """

    kinds: ClassVar[tuple[ResponseKind, ...]] = ("units",)
    title = Bilingual("Log-probability", "对数概率")

    def __init__(self, name: str = "log-probability") -> None:
        self.name = name

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return one judgement for each answer and part; a text without a score keeps its reason."""
        facts = items.select(item="id", words=_words(items), characters=pl.col("content").str.len_chars())
        found = responses.join(facts, on="item", how="left", maintain_order="left")
        scores = scores_of_content(found["content"])
        ends = np.bincount(scores.rows[scores.starts == scores.ends], minlength=len(scores))
        found = found.with_columns(
            pl.Series(LOGPROB, sentence_logprobs(scores)).fill_nan(None),
            pl.Series(UNITS, scores.counts.astype(np.float64)),
            pl.col(WORDS) + pl.Series(ends),
            pl.col(CHARACTERS) + pl.Series(ends),
        )
        return pl.concat([self._part(found, part) for part in PARTS])

    def _part(self, found: pl.DataFrame, part: str) -> pl.DataFrame:
        problem = first_problem((pl.col(CHARACTERS).is_null(), NO_ITEM), (pl.col(part).is_null(), NO_WORDS))
        return judgements(found, self.name, "sum over units", value=part, problem=problem, part=part)


def _words(items: pl.DataFrame) -> pl.Series:
    """Return how many words each item names; null where it names none but has content."""
    named = pl.element().struct.field("name") == WORD
    counts = items.select(
        words=pl.col("spans").list.eval(named).list.sum().fill_null(0).cast(pl.Int64), empty=pl.col("content") == ""
    )
    return counts.select(pl.when(pl.col("words").gt(0) | pl.col("empty")).then("words"))["words"]


def log_probability(name: str = "log-probability") -> LogProbability:
    """Judge how probable each text is to each language model."""
    return LogProbability(name)
