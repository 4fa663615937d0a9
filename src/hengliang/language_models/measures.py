"""Sentence log-probability as a measure, and word log-probabilities from the units of a model.

The parts of the judgement are what perplexity is made of: the log-probability of the sentence, and how many words,
characters and units of the model it spreads over, the end of the sentence counted where the model scores it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.base_classes import Measure
from hengliang.core.judging import NO_ITEM, first_problem, judgements
from hengliang.core.labelling.texts import WORD, edges_of
from hengliang.core.records import ResponseKind
from hengliang.core.registry import register
from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import Offsets
from hengliang.language_models.regions import Regions, sentence_logprobs
from hengliang.language_models.scores import Numbers, Scores, scores_of_content

# --- log-probability of sentences -------------------------------------------------------------------------------------


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
        scored = responses.join(facts, on="item", how="left", maintain_order="left")
        scores = scores_of_content(scored["content"])
        ends = np.bincount(scores.rows[scores.starts == scores.ends], minlength=len(scores))
        scored = scored.with_columns(
            pl.Series(LOGPROB, sentence_logprobs(scores)).fill_nan(None),
            pl.Series(UNITS, scores.counts.astype(np.float64)),
            pl.col(WORDS) + pl.Series(ends),
            pl.col(CHARACTERS) + pl.Series(ends),
        )
        return pl.concat([self._part(scored, part) for part in PARTS])

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


# --- words from units -------------------------------------------------------------------------------------------------
# Brings the units of a model together into words, and sums their log-probabilities.
#
# A model may see less than words (subwords) or more (one symbol for an entity of three words). The words as the model
# sees them are the smallest stretches that begin and end together in both: for a model of words these are its units,
# for a model of subwords the words, for one that sees entities by their types the entities and the other words.


@dataclass(frozen=True, slots=True, eq=False)
class WordGroups:
    """The words as the model sees them. Those of text `i` are the entries `offsets[i]:offsets[i + 1]`.

    The end of a sentence is in none of them. `words` counts the words of each text as it was written; both it and the
    groups are unknown, and `known` is False, where nobody said what the words are.
    """

    offsets: Offsets
    starts: Offsets
    ends: Offsets
    logprobs: Numbers
    unigram_logprobs: Numbers
    words: Offsets
    known: npt.NDArray[np.bool_]

    @property
    def counts(self) -> Offsets:
        """How many words each text has as the model sees it."""
        return np.diff(self.offsets)


def word_groups(scores: Scores, words: Regions) -> WordGroups:
    """Bring the units of a batch and the words of the same texts together.

    A text none of whose words are given has no groups, unless it has no units of any width either (an empty text).
    """
    wide = words.ends > words.starts
    word_rows, word_ends = words.rows[wide], words.ends[wide]
    written = np.bincount(word_rows, minlength=len(scores))
    rows, broad = scores.rows, scores.ends > scores.starts
    units = np.flatnonzero(broad & (written > 0)[rows])
    unit_rows, unit_ends = rows[units], scores.ends[units]
    reach = int(max(scores.ends.max(initial=0), word_ends.max(initial=0))) + 1
    # A group ends with each unit that ends where a word does; words cover their text, so none goes on into the next.
    closing = np.flatnonzero(_among(unit_ends + unit_rows * reach, word_ends + word_rows * reach))
    opening = np.concatenate([np.zeros(min(1, len(closing)), np.int64), closing[:-1] + 1])
    counts = np.bincount(unit_rows[closing], minlength=len(scores))
    unscored = np.bincount(rows[broad], minlength=len(scores)) == 0
    return WordGroups(
        edges_of(counts),
        scores.starts[units[opening]],
        unit_ends[closing],
        _sums(scores.logprobs[units], opening),
        _sums(scores.unigram_logprobs[units], opening),
        written,
        (written > 0) | unscored,
    )


def _among(values: Offsets, known: Offsets) -> npt.NDArray[np.bool_]:
    """Say which values are among the known ones; five times as fast as `np.isin` where both are in order."""
    if np.array_equal(values, known):
        return np.ones(len(values), np.bool_)
    ordered = np.sort(known)
    is_known: npt.NDArray[np.bool_] = np.append(ordered, -1)[np.searchsorted(ordered, values)] == values
    return is_known


def _sums(values: Numbers, starts: Offsets) -> Numbers:
    """Return the sums of the stretches of values that begin at these places."""
    sums: Numbers = np.add.reduceat(values, starts) if len(starts) else np.zeros(0)
    return sums


def unit_groups(scores: Scores, words: Regions) -> WordGroups:
    """Take every unit of a model for a word, as it is for a model of words, even where it is a part of a written one.

    A recogniser may cut a word (北京|市长): the model saw two words where one was written.
    """
    wide = np.flatnonzero(scores.ends > scores.starts)
    counts = np.bincount(scores.rows[wide], minlength=len(scores))
    return WordGroups(
        edges_of(counts),
        scores.starts[wide],
        scores.ends[wide],
        scores.logprobs[wide],
        scores.unigram_logprobs[wide],
        np.bincount(words.rows[words.ends > words.starts], minlength=len(scores)),
        np.ones(len(scores), np.bool_),
    )


def words_of_items(items: pl.DataFrame) -> Regions:
    """Return the spans called `word` of an item table as regions; the row of an item is its place in the table."""
    named = pl.element().filter(pl.element().struct.field("name") == WORD)
    spans = items.select(pl.col("spans").list.eval(named))["spans"]
    counts = spans.list.len().fill_null(0).to_numpy().astype(np.int64)
    flat = spans.drop_nulls().explode(empty_as_null=False, keep_nulls=False).struct.unnest()
    rows = np.repeat(np.arange(items.height, dtype=np.int64), counts)
    return Regions(rows, flat["start"].to_numpy().astype(np.int64), flat["end"].to_numpy().astype(np.int64))
