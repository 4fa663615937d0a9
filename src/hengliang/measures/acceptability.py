"""How acceptable is each sentence to a language model, once its length and the frequency of its words are taken out?

A probable sentence is not yet an acceptable one: long sentences and rare words make every sentence improbable. The
sentence measures of Lau, Clark and Lappin [1] divide or subtract what length and frequency contribute; the syntactic
log-odds ratio (SLOR) [2] does both. Their word measures ask for the worst words instead. WPSLOR [3] is SLOR counted
in the subwords of the model. Throughout, p_m is the model's probability, p_u that of the same units one by one, by the
unigrams that belong to the model, and |S| the number of words as the model sees them.

    LogProb         log p_m(S)
    Mean LP         log p_m(S) / |S|
    Norm LP (Div)   −log p_m(S) / log p_u(S)
    Norm LP (Sub)   log p_m(S) − log p_u(S)
    SLOR            (log p_m(S) − log p_u(S)) / |S|
    WPSLOR          (log p_m(S) − log p_u(S)) / units
    Word LP …       of −log p_m(w) / log p_u(w) over the words: the smallest five, the mean, the mean of the lowest
                    quarter (Q1) and half (Q2)

[1] Lau, J. H., Clark, A., Lappin, S. (2017). Grammaticality, acceptability, and probability: A probabilistic view of
    linguistic knowledge. Cognitive Science 41.
[2] Pauls, A., Klein, D. (2012). Large-scale syntactic language modeling with treelets. ACL 2012.
[3] Kann, K., Rothe, S., Filippova, K. (2018). Sentence-level fluency evaluation: references help, but can be spared!
    CoNLL 2018.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.base_classes import Measure
from hengliang.core.errors import unknown_name
from hengliang.core.judging import NO_ITEM, first_problem, judgements
from hengliang.core.records import JUDGEMENT_SCHEMA, ResponseKind
from hengliang.core.registry import register
from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import Offsets
from hengliang.language_models.measures import WordGroups, unit_groups, word_groups, words_of_items
from hengliang.language_models.regions import Regions, sentence_logprobs, sentence_unigram_logprobs
from hengliang.language_models.scores import Numbers, Scores, scores_of_content

End = Literal["included", "excluded"]
"""The end of a sentence counts in log p_m, in log p_u and as one more word of |S|, or in none of them."""

Length = Literal["seen", "units", "original"]
"""|S| counts the words as the model sees them (an entity is one), its units, or the words as they were written.

Of a model of words `units` is what it sees, also where a recogniser has cut a written word in two; `seen` would count
such a word once. Of a model of subwords the units are no words.
"""

SENTENCE_PARTS = ("LogProb", "Mean LP", "Norm LP (Div)", "Norm LP (Sub)", "SLOR")
WPSLOR = "WPSLOR"
MINIMA = tuple(f"Word LP Min-{rank}" for rank in range(1, 6))
WORD_PARTS = (*MINIMA, "Word LP Mean", "Word LP Mean-Q1", "Word LP Mean-Q2")
LENGTH_PARTS = ("words", "words seen", "units")
PARTS = (*SENTENCE_PARTS, WPSLOR, *WORD_PARTS, *LENGTH_PARTS)

NO_WORDS = "nobody says what the words of the sentence are"
NO_UNIGRAMS = "the model does not say how probable a unit is by itself"
EMPTY = "the sentence has no words"
UNITS_ARE_WORDS = "its units are words, and WPSLOR is SLOR"
TOO_SHORT = "the sentence has too few words"
CERTAIN = "by itself a word is certain, and nothing can be divided by its log-probability"
IMPOSSIBLE = "the model holds the sentence to be impossible"


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """One measure of a batch of sentences: NaN and a problem where there is no value."""

    numbers: Numbers
    problems: tuple[str, ...]


def acceptability_values(
    scores: Scores,
    words: Regions,
    parts: Sequence[str] = PARTS,
    *,
    end: End = "included",
    length: Length = "seen",
) -> Mapping[str, Values]:
    """Return the measures of a batch of scored sentences whose words are these regions."""
    for part in parts:
        if part not in PARTS:
            raise unknown_name("measure of acceptability", part, PARTS)
    if end not in get_args(End):
        raise unknown_name("treatment of the end", end, get_args(End))
    if length not in get_args(Length):
        raise unknown_name("length", length, get_args(Length))
    held = _Sentences(scores, groups_by(length, scores, words), end, length)
    return {part: held.part(part) for part in parts}


def groups_by(length: Length, scores: Scores, words: Regions) -> WordGroups:
    """Return what counts as a word of each sentence."""
    return unit_groups(scores, words) if length == "units" else word_groups(scores, words)


class _Sentences:
    """A batch, with what its measures are made of."""

    def __init__(self, scores: Scores, groups: WordGroups, end: End, length: Length) -> None:
        self.scores = scores
        self.groups = groups
        closing = scores.starts == scores.ends
        ends = np.bincount(scores.rows[closing], minlength=len(scores)).astype(np.float64)
        counted = ends if end == "included" else np.zeros_like(ends)
        self.lengths = {
            "words": groups.words + counted,
            "words seen": groups.counts + counted,
            "units": scores.counts - ends + counted,
        }
        self.size = self.lengths["words" if length == "original" else "words seen"]
        # Left out rather than subtracted: an end that is impossible, or has no unigram, spoils no sum it is not in.
        summed = _without(scores, closing) if end == "excluded" else scores
        self.logprobs = sentence_logprobs(summed)
        self.unigrams = sentence_unigram_logprobs(summed)

    def part(self, name: str) -> Values:
        """Return one measure."""
        if name in LENGTH_PARTS:
            wide = np.bincount(self.scores.rows[self.scores.ends > self.scores.starts], minlength=len(self.scores))
            written = (self.groups.words > 0) | (wide == 0)
            known = {"words": written, "words seen": self.groups.known, "units": np.ones_like(written)}[name]
            return self._values(self.lengths[name], {NO_WORDS: ~known})
        if name in WORD_PARTS:
            return self._word_part(name)
        return self._sentence_part(name)

    def _sentence_part(self, name: str) -> Values:
        faults: dict[str, npt.NDArray[np.bool_]] = {IMPOSSIBLE: np.isinf(self.logprobs)}
        if name == "LogProb":
            return self._values(self.logprobs, faults)
        if name not in ("Norm LP (Div)", "Norm LP (Sub)", WPSLOR):
            faults[NO_WORDS] = ~self.groups.known
        if name != "Mean LP":
            faults[NO_UNIGRAMS] = np.isnan(self.unigrams)
        size = self.lengths["units"] if name == WPSLOR else self.size
        if name not in ("Norm LP (Div)", "Norm LP (Sub)"):
            faults[EMPTY] = size == 0
        if name == "Norm LP (Div)":
            faults[EMPTY] = self.scores.counts == 0
            faults[CERTAIN] = self.unigrams == 0
        with np.errstate(divide="ignore", invalid="ignore"):
            odds = self.logprobs - self.unigrams
            numbers = {
                "Mean LP": self.logprobs / size,
                "Norm LP (Div)": -self.logprobs / self.unigrams,
                "Norm LP (Sub)": odds,
                "SLOR": odds / size,
                WPSLOR: odds / size,
            }[name]
        return self._values(numbers, faults)

    def _word_part(self, name: str) -> Values:
        groups = self.groups
        counts = groups.counts
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = -groups.logprobs / groups.unigram_logprobs
        unknown = _any(np.isnan(groups.unigram_logprobs), groups.offsets)
        certain = _any(groups.unigram_logprobs == 0, groups.offsets)
        impossible = _any(np.isinf(groups.logprobs), groups.offsets)
        needed = int(name.removeprefix("Word LP Min-")) if name in MINIMA else 1
        faults = {
            NO_WORDS: ~groups.known,
            EMPTY: counts == 0,
            TOO_SHORT: counts < needed,
            NO_UNIGRAMS: unknown,
            CERTAIN: certain,
            IMPOSSIBLE: impossible,
        }
        ordered = _sorted_within(ratios, groups.offsets)
        if name in MINIMA:
            numbers = np.full(len(counts), np.nan)
            enough = counts >= needed
            numbers[enough] = ordered[groups.offsets[:-1][enough] + needed - 1]
        else:
            share = {"Word LP Mean": 1.0, "Word LP Mean-Q1": 0.25, "Word LP Mean-Q2": 0.5}[name]
            numbers = _mean_of_lowest(ordered, groups.offsets, share)
        return self._values(numbers, faults)

    def _values(self, numbers: Numbers, faults: Mapping[str, npt.NDArray[np.bool_]]) -> Values:
        problems = np.array(self.scores.problems, np.object_)
        for problem, found in faults.items():
            problems[(problems == "") & found] = problem
        good = problems == ""
        return Values(np.where(good, numbers, np.nan), tuple(problems.tolist()))


def _without(scores: Scores, left_out: npt.NDArray[np.bool_]) -> Scores:
    """Return the scores with these units as if they were certain."""
    return replace(
        scores,
        logprobs=np.where(left_out, 0.0, scores.logprobs),
        unigram_logprobs=np.where(left_out, 0.0, scores.unigram_logprobs),
    )


def _any(flags: npt.NDArray[np.bool_], offsets: Offsets) -> npt.NDArray[np.bool_]:
    sums = _sums_of_groups(flags.astype(np.int64), offsets)
    found: npt.NDArray[np.bool_] = sums > 0
    return found


def _sums_of_groups(values: npt.NDArray[np.int64], offsets: Offsets) -> npt.NDArray[np.int64]:
    """Return the sum of each group of values."""
    total = np.concatenate([np.zeros(1, np.int64), np.cumsum(values)])
    sums: npt.NDArray[np.int64] = total[offsets[1:]] - total[offsets[:-1]]
    return sums


def _sorted_within(values: Numbers, offsets: Offsets) -> Numbers:
    """Return the values of each group in order, the smallest first; what is not a number comes last."""
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return values[np.lexsort((values, rows))]


def _mean_of_lowest(ordered: Numbers, offsets: Offsets, share: float) -> Numbers:
    """Return the mean of the lowest share of each group, at least one value."""
    counts = np.diff(offsets)
    taken = np.ceil(counts * share).astype(np.int64)
    rank = np.arange(len(ordered)) - np.repeat(offsets[:-1], counts)
    kept = rank < np.repeat(taken, counts)
    rows = np.repeat(np.arange(len(counts)), counts)[kept]
    sums = np.bincount(rows, ordered[kept], minlength=len(counts))
    with np.errstate(divide="ignore", invalid="ignore"):
        means: Numbers = sums / taken
    return means


@register("acceptability")
class Acceptability(Measure):
    """The measures of acceptability of each scored sentence, each a part of the judgement, and both lengths |S|."""

    kinds: ClassVar[tuple[ResponseKind, ...]] = ("units",)
    title = Bilingual("Acceptability", "可接受度")

    def __init__(
        self,
        parts: Sequence[str] = PARTS,
        end: End = "included",
        length: Length = "seen",
        name: str = "acceptability",
    ) -> None:
        self.parts = tuple(parts)
        self.end: End = end
        self.length: Length = length
        self.name = name

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return one judgement for each answer and part; what cannot be computed keeps its reason."""
        asked = responses.select("item").join(
            items.select("spans", item="id"), on="item", how="left", maintain_order="left"
        )
        stray = asked["spans"].is_null().to_numpy()
        scores = scores_of_content(responses["content"])
        values = acceptability_values(scores, words_of_items(asked), self.parts, end=self.end, length=self.length)
        return pl.concat(
            [self._judgements(responses, part, values[part], stray) for part in self.parts]
            or [pl.DataFrame(schema=JUDGEMENT_SCHEMA)]
        )

    def _judgements(
        self, responses: pl.DataFrame, part: str, values: Values, stray: npt.NDArray[np.bool_]
    ) -> pl.DataFrame:
        rows = responses.with_columns(
            value=pl.Series(values.numbers).fill_nan(None),
            problem=pl.Series(values.problems, dtype=pl.String),
            stray=pl.Series(stray),
        )
        problem = first_problem((pl.col("stray"), NO_ITEM), (pl.lit(value=True), pl.col("problem")))
        return judgements(rows, self.name, f"end {self.end}, |S| as {self.length}", problem=problem, part=part)


def acceptability(
    parts: Sequence[str] = PARTS, *, end: End = "included", length: Length = "seen", name: str = "acceptability"
) -> Acceptability:
    """Judge how acceptable each sentence is to each language model."""
    return Acceptability(parts, end, length, name)
