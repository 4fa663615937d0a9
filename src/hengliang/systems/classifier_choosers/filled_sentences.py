"""How probable is a sentence to a language model with each of these classifiers in its slot?

Word models. The words before and after the slot are found once; the classifier is a word of its own (三 匹 马). Corpora
write some classifiers as one word with what stands before them (一个, 这种), so by default both ways are scored and
their probabilities added: a sentence is as probable as all the ways to cut it together. Whatever is unknown to the
model does not count, for the probability of "some unknown word" is not that of a classifier.

A model that sees a few words only (n-grams) is given only the stretch that the classifier can change. What is left out
adds the same to all candidates, so that the probabilities are exact.

Other models can be asked in two steps: first how probable each classifier is after what stands before it, then how
probable the sentence is with the best of them (`shortlist`). What follows the slot can be cut off after some words
(`after`). Without these bounds every candidate is scored with the whole sentence, which is exact and slow.

Models of characters or subwords are given the sentence as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args, runtime_checkable

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.labelling.texts import raw_texts, read_segmented_texts
from hengliang.core.text.characters import Offsets, joins_previous
from hengliang.core.text.segmentation import SEGMENTERS, USUAL_SEGMENTER, segment, words_of
from hengliang.language_models.base import Conventions, LanguageModel
from hengliang.language_models.scores import Numbers, Scores

Cut = Literal["either", "apart", "segmenter"]
CUTS: tuple[Cut, ...] = get_args(Cut)
"""How a word model sees the classifier: as a word or joined with the word before it, both added; always as a word; as
the model's segmenter cuts the filled-in sentence."""

SHORTLIST = 30
"""How many candidates are usually scored with what follows them by a model that sees the whole sentence."""

_REACH = re.compile(r"(\d+) words?")
_SLOTS_AT_ONCE = 64


@runtime_checkable
class ScoresLines(Protocol):
    """A model of words that can do without the byte spans of units; n-gram models do, ten times as fast."""

    def line_logprobs(self, lines: pl.Series) -> Numbers:
        """Return the log-probability of each line, whose words stand apart by spaces, with its end."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many candidates are scored with what follows them, and how much of that counts; None: all.

    `after` counts words for a model of words, characters for another.
    """

    shortlist: int | None = None
    after: int | None = None


EVERYTHING = Bounds()
"""Every candidate with the whole sentence: exact."""


@dataclass(frozen=True, slots=True)
class Sides:
    """What stands before a slot and after it, in words; `left` and `right` are the same as text."""

    left: str
    right: str
    before: tuple[str, ...]
    behind: tuple[str, ...]


def reach_of(conventions: Conventions) -> int | None:
    """Return how many words before a word the model sees; None where that is not a fixed number of words.

    A representation may look at the whole sentence, whatever the model behind it sees.
    """
    found = _REACH.fullmatch(conventions.context)
    local = found is not None and conventions.unit == "word" and not conventions.representation
    return int(found[1]) if found is not None and local else None


def filled_logprobs(
    model: LanguageModel,
    slots: pl.DataFrame,
    candidates: Sequence[str],
    cut: Cut = "either",
    bounds: Bounds = EVERYTHING,
) -> Numbers:
    """Return the log-probability of each sentence (rows) with each candidate (columns) in its slot.

    Rows are up to a constant of their own. NaN is a candidate that the model does not know, −inf one that did not reach
    the shortlist. A slot before a combining mark is NaN throughout: nothing can be put there.
    """
    conventions = model.conventions()
    reach = reach_of(conventions)
    worded = conventions.unit == "word" and cut != "segmenter"
    segmenter = _segmenter(conventions) if worded else ""
    sides = [_sides(sentence, slot, segmenter) for sentence, slot in slots.select("sentence", "slot").iter_rows()]
    usable = [row for row, side in enumerate(sides) if not (side.right and joins_previous(side.right[0]))]
    found = np.full((len(sides), len(candidates)), np.nan)
    words = _Words(model, candidates, cut, _vocabulary(model)) if worded and usable else None
    if words is not None and reach is not None and bounds == EVERYTHING:
        for first in range(0, len(usable), _SLOTS_AT_ONCE):
            part = usable[first : first + _SLOTS_AT_ONCE]
            found[part] = words.by_stretches([sides[row] for row in part], reach)
        return found
    for row in usable:
        # Slot by slot: a network's last digits depend on what it reads side by side, and must not on other slots.
        found[row] = words.whole(sides[row], bounds) if words else _by_texts(model, sides[row], candidates, bounds)
    return found


def _segmenter(conventions: Conventions) -> str:
    """Return who finds the words around a slot: a library, never a segmenter that was learned from sentences.

    The two sides of a slot are no sentences, and every result of the choosers was made with this cut.
    """
    return conventions.segmenter if conventions.segmenter in SEGMENTERS else USUAL_SEGMENTER


def _sides(sentence: str, slot: int, segmenter: str) -> Sides:
    raw = sentence.encode()
    left, right = (unicodedata.normalize("NFC", side.decode()) for side in (raw[:slot], raw[slot:]))
    before, behind = (_words(side, segmenter) if segmenter else () for side in (left, right))
    return Sides(left, right, before, behind)


def _words(text: str, segmenter: str) -> tuple[str, ...]:
    return tuple(word for word in words_of(text, segment(text, segmenter)) if word)


# --- models of words ------------------------------------------------------------------------------------------------


def _vocabulary(model: LanguageModel) -> Mapping[str, int] | None:
    """Return the words that the model foretells, with their places; None where it does not say what comes next."""
    if not model.foretells:
        return None
    return {unit: place for place, unit in enumerate(model.next_units(read_segmented_texts([""])).units)}


@dataclass(frozen=True, slots=True)
class _Words:
    """A model of words, the candidates, how a sentence is cut, and which words the model knows."""

    model: LanguageModel
    candidates: Sequence[str]
    cut: Cut
    vocabulary: Mapping[str, int] | None

    def known(self, words: Iterable[str]) -> set[str]:
        """Return those of the words that the model knows."""
        distinct = list(dict.fromkeys(words))
        if self.vocabulary is not None:
            return {word for word in distinct if word in self.vocabulary}
        scores = self.model.score(read_segmented_texts(distinct))
        strange = np.bincount(scores.rows[scores.unknown], minlength=len(distinct)) > 0
        return {word for word, unknown in zip(distinct, strange.tolist(), strict=True) if not unknown}

    def by_stretches(self, sides: Sequence[Sides], reach: int) -> Numbers:
        """Score the words that the classifier can change, all slots and candidates together.

        The stretch begins `reach` words before the last word in front of the slot, which a joined classifier changes,
        and ends `reach` words after the slot. Its first words and its end are scored with too little before them,
        which adds the same to every candidate.
        """
        places = pl.DataFrame(
            {
                "row": np.arange(len(sides)),
                "head": [
                    "".join(f"{word} " for word in side.before[max(0, len(side.before) - 1 - reach) : -1])
                    for side in sides
                ],
                "last": [side.before[-1] if side.before else "" for side in sides],
                "tail": ["".join(f" {word}" for word in side.behind[:reach]) for side in sides],
            }
        )
        offered = {"column": np.arange(len(self.candidates)), "candidate": pl.Series(self.candidates, dtype=pl.String)}
        pairs = places.join(pl.DataFrame(offered), how="cross")
        space = pl.when(pl.col("last") == "").then(pl.lit("")).otherwise(pl.lit(" "))
        ways = [pairs.with_columns(word="candidate", line=pl.concat_str("head", "last", space, "candidate", "tail"))]
        if self.cut == "either":
            joined = pairs.filter(pl.col("last") != "").with_columns(word=pl.col("last") + pl.col("candidate"))
            ways.append(joined.with_columns(line=pl.concat_str("head", "word", "tail")))
        lines = pl.concat(ways).select("row", "column", "word", "line")
        lines = lines.filter(pl.col("word").is_in(list(self.known(lines["word"].unique().to_list()))))
        found = np.full((len(sides), len(self.candidates)), -np.inf)
        if lines.height:
            totals = _line_totals(self.model, lines["line"])
            np.logaddexp.at(found, (lines["row"].to_numpy(), lines["column"].to_numpy()), totals)
        return np.where(np.isneginf(found), np.nan, found)

    def whole(self, side: Sides, bounds: Bounds) -> Numbers:
        """Score one sentence with each candidate, or with the best of them."""
        last = side.before[-1] if side.before else ""
        joined = [last + candidate for candidate in self.candidates] if last and self.cut == "either" else []
        known = self.known([*self.candidates, *joined])
        ways = [(column, (*side.before, word)) for column, word in enumerate(self.candidates) if word in known]
        ways += [(column, (*side.before[:-1], word)) for column, word in enumerate(joined) if word in known]
        found = np.full(len(self.candidates), np.nan)
        possible = np.array(sorted({column for column, _ in ways}), np.int64)
        found[possible] = -np.inf
        if bounds.shortlist is not None and bounds.shortlist < len(possible):
            best = np.argsort(-self._begun(side, joined)[possible], kind="stable")[: bounds.shortlist]
            kept = set(possible[best].tolist())
            ways = [(column, words) for column, words in ways if column in kept]
        if ways:
            behind = side.behind[: bounds.after]
            lines = [" ".join((*words, *behind)) for _, words in ways]
            scores = self.model.score(read_segmented_texts(lines))
            totals = _totals(scores, ended=len(behind) == len(side.behind))
            np.logaddexp.at(found, [column for column, _ in ways], totals)
        return found

    def _begun(self, side: Sides, joined: Sequence[str]) -> Numbers:
        """Return the log-probability of each candidate, apart or joined, after what stands before it."""
        if self.vocabulary is None:
            lines = [" ".join((*side.before, candidate)) for candidate in self.candidates]
            return _totals(self.model.score(read_segmented_texts(lines)), ended=False)
        prefixes = [" ".join(side.before), " ".join(side.before[:-1])]
        apart, earlier = self.model.next_units(read_segmented_texts(prefixes)).logprobs
        begun = self._looked_up(apart, self.candidates)
        if joined:
            (last,) = self._looked_up(earlier, side.before[-1:])
            # A last word that the model does not know makes the way apart look too good; a shortlist can bear that.
            begun = np.logaddexp(begun + (last if np.isfinite(last) else 0.0), self._looked_up(earlier, joined))
        return begun

    def _looked_up(self, logprobs: Numbers, words: Sequence[str]) -> Numbers:
        places = np.array([(self.vocabulary or {}).get(word, -1) for word in words], np.int64)
        return np.where(places < 0, -np.inf, logprobs[places])


def _line_totals(model: LanguageModel, lines: pl.Series) -> Numbers:
    if isinstance(model, ScoresLines):
        return model.line_logprobs(lines)
    return _totals(model.score(read_segmented_texts(lines)), ended=True)


# --- models that need no words --------------------------------------------------------------------------------------


def _by_texts(model: LanguageModel, side: Sides, candidates: Sequence[str], bounds: Bounds) -> Numbers:
    found = np.full(len(candidates), np.nan)
    columns: Offsets = np.arange(len(candidates), dtype=np.int64)
    if bounds.shortlist is not None and bounds.shortlist < len(candidates):
        begun = _text_totals(model, side.left, candidates, "", ended=False)
        possible = columns[~np.isnan(begun)]
        found[possible] = -np.inf
        columns = np.sort(possible[np.argsort(-begun[possible], kind="stable")][: bounds.shortlist])
    behind = side.right[: bounds.after]
    ended = len(behind) == len(side.right)
    found[columns] = _text_totals(
        model, side.left, [candidates[column] for column in columns.tolist()], behind, ended=ended
    )
    return found


def _text_totals(model: LanguageModel, left: str, candidates: Sequence[str], right: str, *, ended: bool) -> Numbers:
    """Return the log-probability of each filled-in text; NaN where the candidate, or the text, cannot be read."""
    texts, conventions = raw_texts([left + candidate + right for candidate in candidates]), model.conventions()
    scores = model.score(texts.with_words(_segmenter(conventions)) if conventions.unit == "word" else texts)
    start = len(left.encode())
    ends = start + np.array([len(candidate.encode()) for candidate in candidates], np.int64)
    touching = (scores.ends > start) & (scores.starts < ends[scores.rows])
    totals = _totals(scores, ended=ended)
    strange = np.bincount(scores.rows[touching & scores.unknown], minlength=len(candidates)) > 0
    return np.where(strange, np.nan, totals)


def _totals(scores: Scores, *, ended: bool) -> Numbers:
    """Return the sums over the units of each text, with or without its end; NaN where a text has a problem."""
    counted: npt.NDArray[np.bool_] = (scores.ends > scores.starts) | ended
    sums = np.bincount(scores.rows[counted], weights=scores.logprobs[counted], minlength=len(scores))
    return np.where(scores.scored, sums, np.nan)
