"""Which words pull a sentence down?

Every sentence measure of acceptability is a sum over the words as the model sees them, the end of the sentence among
them where it counts. A word's contribution is its summand: for SLOR (log p_m(w) − log p_u(w)) / |S|. So contributions
add up to the score, and the lowest are what to look at first. The word measures are no sums; of them the ratio of each
word is shown, of which they are the smallest or a mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.errors import unknown_name
from hengliang.core.labelling.texts import Texts, edges_of
from hengliang.core.text.characters import Offsets
from hengliang.language_models.base import END, LanguageModel
from hengliang.language_models.measures import WordGroups
from hengliang.language_models.preprocessing.model import CoarseModel
from hengliang.language_models.preprocessing.representation import SYMBOL
from hengliang.language_models.regions import Regions
from hengliang.language_models.scores import Numbers, Scores
from hengliang.measures.acceptability import SENTENCE_PARTS, WORD_PARTS, WPSLOR, End, Length, groups_by

EXPLAINED = (*SENTENCE_PARTS, WPSLOR, *WORD_PARTS)
LOWEST = 3
"""How many words are shown of a sentence unless the user says otherwise."""

PULLED_DOWN_BY = pl.List(
    pl.Struct({"word": pl.String, "contribution": pl.Float64, "unknown": pl.Boolean, "seen_as": pl.String})
)
"""The words of the lowest contributions, the lowest first; `seen_as` is the symbol that the model saw instead."""

UNKNOWN_MARK = "?"


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """What each word adds to a measure. Those of text `i` are the entries `offsets[i]:offsets[i + 1]`.

    Words are byte spans of the text; the end of the sentence, where it counts, comes last and has no width. `unknown`
    marks words of which the model did not know a part. A text without a score has none.
    """

    offsets: Offsets
    starts: Offsets
    ends: Offsets
    values: Numbers
    unknown: npt.NDArray[np.bool_]

    @property
    def rows(self) -> Offsets:
        """The number of the text to which each word belongs."""
        return _rows(self)


def contributions(
    scores: Scores, words: Regions, part: str, *, end: End = "included", length: Length = "seen"
) -> Contributions:
    """Return what each word of each text adds to one measure of acceptability."""
    if part not in EXPLAINED:
        raise unknown_name("measure with contributions", part, EXPLAINED)
    held = _with_ends(scores, groups_by(length, scores, words), ended=end == "included" and part not in WORD_PARTS)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = _values(scores, held, part, length)
    return Contributions(held.offsets, held.starts, held.ends, values, _unknown(scores, held))


def _with_ends(scores: Scores, groups: WordGroups, *, ended: bool) -> WordGroups:
    """Return the words with the end of each sentence as one more, where the model scores it and it counts."""
    closing = np.flatnonzero((scores.starts == scores.ends) & ended)
    at = groups.offsets[1:][scores.rows[closing]]
    counts = groups.counts + np.bincount(scores.rows[closing], minlength=len(scores))
    return WordGroups(
        edges_of(counts),
        np.insert(groups.starts, at, scores.starts[closing]),
        np.insert(groups.ends, at, scores.ends[closing]),
        np.insert(groups.logprobs, at, scores.logprobs[closing]),
        np.insert(groups.unigram_logprobs, at, scores.unigram_logprobs[closing]),
        groups.words + counts - groups.counts,
        groups.known,
    )


def _values(scores: Scores, held: WordGroups, part: str, length: Length) -> Numbers:
    logprobs, unigrams, counts = held.logprobs, held.unigram_logprobs, held.counts
    if part in WORD_PARTS:
        ratios: Numbers = -logprobs / unigrams
        return ratios
    if part == "LogProb":
        return logprobs
    if part == "Norm LP (Sub)":
        return logprobs - unigrams
    if part == "Norm LP (Div)":
        return -logprobs / np.repeat(np.bincount(_rows(held), unigrams, len(counts)), counts)
    size = held.words if length == "original" else counts
    if part == WPSLOR:
        wide = np.bincount(scores.rows[scores.ends > scores.starts], minlength=len(counts))
        size = wide + np.bincount(_rows(held)[held.ends == held.starts], minlength=len(counts))
    summed = logprobs if part == "Mean LP" else logprobs - unigrams
    divided: Numbers = summed / np.repeat(size, counts)
    return divided


def _unknown(scores: Scores, held: WordGroups) -> npt.NDArray[np.bool_]:
    marked = _holding(held, scores.rows[scores.unknown], scores.ends[scores.unknown])
    found = np.zeros(len(held.ends), np.bool_)
    found[marked] = True
    return found


def _holding(held: WordGroups | Contributions, rows: Offsets, ends: Offsets) -> Offsets:
    """Return the word in which the unit lies that ends at each of these places; all texts lie on one line."""
    reach = int(max(held.ends.max(initial=0), ends.max(initial=0))) + 1
    return np.minimum(np.searchsorted(held.ends + _rows(held) * reach, ends + rows * reach), max(0, len(held.ends) - 1))


def _rows(held: WordGroups | Contributions) -> Offsets:
    return np.repeat(np.arange(len(held.offsets) - 1, dtype=np.int64), np.diff(held.offsets))


# --- what a user sees -----------------------------------------------------------------------------------------------


def pulled_down_by(model: LanguageModel, texts: Texts, found: Contributions, most: int = LOWEST) -> pl.Series:
    """Return the `most` lowest words of each text (`PULLED_DOWN_BY`)."""
    rows = found.rows
    order = np.lexsort((found.values, rows))
    rank = np.arange(len(order)) - found.offsets[:-1][rows]
    chosen = order[rank < most]
    frame = pl.DataFrame(
        {
            "row": rows[chosen],
            "word": _written(texts, rows[chosen], found.starts[chosen], found.ends[chosen]),
            "contribution": pl.Series(found.values[chosen], dtype=pl.Float64).fill_nan(None),
            "unknown": found.unknown[chosen],
            "seen_as": pl.Series(symbols_seen(model, texts, found), dtype=pl.String).gather(chosen),
        }
    )
    held = frame.group_by("row", maintain_order=True).agg(
        pulled_down_by=pl.struct("word", "contribution", "unknown", "seen_as")
    )
    everyone = pl.DataFrame({"row": np.arange(len(texts), dtype=np.int64)})
    return everyone.join(held, on="row", how="left", maintain_order="left")["pulled_down_by"].cast(PULLED_DOWN_BY)


def _written(texts: Texts, rows: Offsets, starts: Offsets, ends: Offsets) -> pl.Series:
    contents = texts.contents.gather(rows).to_list()
    words = [
        content.encode()[start:end].decode(errors="backslashreplace").strip() or END
        for content, start, end in zip(contents, starts.tolist(), ends.tolist(), strict=True)
    ]
    return pl.Series(words, dtype=pl.String)


def symbols_seen(model: LanguageModel, texts: Texts, found: Contributions) -> list[str | None]:
    """Return the symbol that a coarse model saw in place of each word; None where it saw the word itself."""
    symbols: list[str | None] = [None] * len(found.ends)
    if not isinstance(model, CoarseModel) or not len(found.ends):
        return symbols
    seen = model.preprocessor.see(texts).texts
    marked = seen.words.str.contains(SYMBOL).to_numpy()
    rows = np.repeat(np.arange(len(seen), dtype=np.int64), np.diff(seen.offsets))[marked]
    scored = np.diff(found.offsets)[rows] > 0
    places = _holding(found, rows[scored], seen.ends[marked][scored])
    for place, symbol in zip(places.tolist(), seen.words.filter(pl.Series(marked)).filter(scored), strict=True):
        symbols[place] = f"{held} {symbol}" if (held := symbols[place]) else symbol
    return symbols


def written_words(words: pl.Series) -> pl.Series:
    """Return a column of `PULLED_DOWN_BY` as text, for files without lists: `北京 <ne:GPE> (-1.25); 了 (-0.50)`."""
    return pl.Series(
        words.name,
        [None if row is None else "; ".join(_said(**word) for word in row) for row in words.to_list()],
        dtype=pl.String,
    )


def _said(word: str, contribution: float | None, unknown: bool, seen_as: str | None) -> str:
    number = "" if contribution is None else f" ({contribution:.2f})"
    return f"{word}{UNKNOWN_MARK if unknown else ''}{f' {seen_as}' if seen_as else ''}{number}"
