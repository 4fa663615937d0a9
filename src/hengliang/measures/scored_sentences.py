"""How acceptable is each of these rows of a file?

One row a sentence, in the order of the file: its number and id, the measures, its length and how many of its units the
model did not know; where there is no score, why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.labelling.texts import Texts, raw_texts, read_texts
from hengliang.core.signature import Signature, code_checksum
from hengliang.core.text.segmentation import USUAL_SEGMENTER
from hengliang.core.text.segmenters import segmented_by
from hengliang.corpora.running_text import GIVEN
from hengliang.corpora.sentence_files import RowChunk, SentenceReading
from hengliang.language_models.base import LanguageModel
from hengliang.language_models.manner import folded_counts
from hengliang.language_models.ngram.model import TrieModel
from hengliang.language_models.regions import word_regions
from hengliang.language_models.scores import Numbers, Scores
from hengliang.language_models.streaming import lines_at_once, scores_of_texts
from hengliang.language_models.vocabulary import words_of_texts
from hengliang.measures.acceptability import (
    LENGTH_PARTS,
    NO_UNIGRAMS,
    PARTS,
    UNITS_ARE_WORDS,
    WPSLOR,
    End,
    Length,
    Values,
    acceptability_values,
)
from hengliang.measures.explanation import PULLED_DOWN_BY, contributions, pulled_down_by

Spaces = Literal["words", "ignored"]
"""What white space within a line says: that its words stand apart, or nothing."""

SCORED_AT_ONCE, LOOKED_UP_AT_ONCE = 1000, 10_000
"""How many rows go to a model at a time: few to a slow one, so that little is lost with a kill; many to n-grams."""

_WITHOUT_UNIGRAMS = ("LogProb", "Mean LP")
SPACE_WITHIN = r"\S\s+\S"
"""What a line has within it whose words stand apart."""
_STOP_BESIDE = r"\p{Han}[，。！？；]"


def measure_name(part: str) -> str:
    """Return how a measure is called on the command line: `Norm LP (Div)` is `norm-lp-div`."""
    return part.lower().replace(" (", "-").replace(")", "").replace(" ", "-")


MEASURES: Mapping[str, str] = {measure_name(part): part for part in PARTS if part not in LENGTH_PARTS}


def column_of(measure: str) -> str:
    """Return the column in which a measure stands: `norm-lp-div` is `norm_lp_div`."""
    return measure.replace("-", "_")


@dataclass(frozen=True)
class SentenceScorer:
    """Scores some rows of a file: what is sent to worker processes.

    `explain` says how many of the words that pull a sentence down are shown, by the first measure; 0 shows none.
    `segmenter` finds the words of lines without spaces; if none is named the model's own does, or rjieba for a model
    that has none, one of subwords. With `spaces` "ignored" it finds the words of lines with spaces too.
    """

    model: LanguageModel
    measures: tuple[str, ...] = ("slor",)
    end: End = "included"
    length: Length = "seen"
    explain: int = 0
    with_text: bool = False
    segmenter: str = ""
    spaces: Spaces = "words"

    def schema(self) -> dict[str, pl.DataType]:
        """Return the columns of a scored file."""
        return {
            "number": pl.Int64(),
            "id": pl.String(),
            **{column_of(measure): pl.Float64() for measure in self.measures},
            "words": pl.Int64(),
            "words_seen": pl.Int64(),
            "unknown": pl.Int64(),
            "cut_by": pl.String(),
            "folded": pl.Int64(),
            "problem": pl.String(),
            **({"sentence": pl.String()} if self.with_text else {}),
            **({"pulled_down_by": PULLED_DOWN_BY} if self.explain else {}),
        }

    def __call__(self, chunk: RowChunk) -> pl.DataFrame:
        """Return a row a sentence (`schema`), in their order."""
        found = chunk.sentences()
        problems = dict(found.problems)
        given, places = self._texts(found.texts, problems)
        texts = words_of_texts(given, self.cutter)
        scores = scores_of_texts(self.model, texts)
        parts = [*(MEASURES[measure] for measure in self.measures), *LENGTH_PARTS]
        regions = word_regions(texts)
        length = self._length()
        values = acceptability_values(scores, regions, parts, end=self.end, length=length)
        for row, problem in _problems(values, self.measures).items():
            problems[int(places[row])] = problem
        count = len(chunk)
        columns: dict[str, Any] = {"number": found.numbers, "id": found.ids}
        for measure in self.measures:
            columns[column_of(measure)] = _spread(values[MEASURES[measure]].numbers, places, count)
        ends = _ends(scores) if self.end == "included" else 0
        for name, numbers in (("words", values["words"].numbers), ("words_seen", values["words seen"].numbers)):
            columns[name] = _spread(numbers - ends, places, count).cast(pl.Int64)
        unknown = np.bincount(scores.rows[scores.unknown], minlength=len(scores)).astype(np.float64)
        columns["unknown"] = _spread(np.where(scores.scored, unknown, np.nan), places, count).cast(pl.Int64)
        columns["cut_by"] = _filled(_cut_by(given, self.cutter), places, count)
        folded = folded_counts(given.contents, self.model.conventions().widths)
        columns["folded"] = _spread(folded.astype(np.float64), places, count).cast(pl.Int64)
        columns["problem"] = _said(problems, count)
        if self.with_text:
            columns["sentence"] = found.written
        if self.explain:
            summands = contributions(scores, regions, parts[0], end=self.end, length=length)
            columns["pulled_down_by"] = _filled(
                pulled_down_by(self.model, texts, summands, self.explain), places, count
            )
        return pl.DataFrame(columns, schema=self.schema())

    def _length(self) -> Length:
        """Return how |S| is counted: what a model of words sees are its units, whatever was cut to get them."""
        of_words = self.model.conventions().unit == "word"
        return "units" if self.length == "seen" and of_words else self.length

    @property
    def cutter(self) -> str:
        """Who finds the words of lines without spaces."""
        return self.segmenter or self.model.conventions().segmenter or USUAL_SEGMENTER

    def _texts(self, lines: pl.Series, problems: dict[int, str]) -> tuple[Texts, npt.NDArray[np.int64]]:
        """Return the rows that can be read as texts, with words where they stand apart, and their places."""
        segmenter = self.cutter
        places = np.setdiff1d(np.arange(len(lines), dtype=np.int64), list(problems))
        chosen = lines if len(places) == len(lines) else lines.gather(places)
        if self.spaces == "ignored":
            return raw_texts(chosen), places
        try:
            texts = read_texts(chosen, segmenter)
        except UserError:
            # Find the lines that made the batch unreadable (a word that begins with a combining mark).
            for place, line in zip(places.tolist(), chosen.to_list(), strict=True):
                try:
                    read_texts([line], segmenter)
                except UserError as error:
                    problems[place] = " ".join(error.problem.split())
            places = np.setdiff1d(places, list(problems))
            texts = read_texts(lines.gather(places), segmenter)
        return texts, places

    def signature(self) -> Signature:
        """Return all that can change a number."""
        return self.model.signature().and_(
            measures=",".join(self.measures),
            end=self.end,
            length=self._length(),
            explain=self.explain,
            with_text=self.with_text,
            **segmented_by(self.cutter, "words_by"),
            spaces=self.spaces,
            scorer=code_checksum(type(self), SentenceReading),
        )


def _cut_by(texts: Texts, segmenter: str) -> pl.Series:
    """Return of each text who cut it into words: whoever wrote it (`given`), or the segmenter."""
    return pl.Series("cut_by", np.where(texts.segmented, GIVEN, segmenter), dtype=pl.String)


def _ends(scores: Scores) -> npt.NDArray[np.int64]:
    counts: npt.NDArray[np.int64] = np.bincount(scores.rows[scores.starts == scores.ends], minlength=len(scores))
    return counts


def _problems(values: Mapping[str, Values], measures: Sequence[str]) -> dict[int, str]:
    """Return why a measure has no value, by row; of several measures, which."""
    columns = {measure: values[MEASURES[measure]].problems for measure in measures}
    wrong = np.flatnonzero(np.any([np.array(column, np.object_) != "" for column in columns.values()], axis=0))
    found = {}
    for row in wrong.tolist():
        said = {measure: " ".join(column[row].split()) for measure, column in columns.items() if column[row]}
        same = len(said) == len(columns) and len(set(said.values())) == 1
        found[row] = next(iter(said.values())) if same else "; ".join(f"{name}: {why}" for name, why in said.items())
    return found


def _spread(numbers: Numbers, places: npt.NDArray[np.int64], count: int) -> pl.Series:
    """Return the numbers at their places, null elsewhere and where there is none."""
    whole = np.full(count, np.nan)
    whole[places] = numbers
    return pl.Series(whole).fill_nan(None)


def _filled(held: pl.Series, places: npt.NDArray[np.int64], count: int) -> pl.Series:
    known = pl.DataFrame({"place": places, "held": held})
    everyone = pl.DataFrame({"place": np.arange(count, dtype=np.int64)})
    return everyone.join(known, on="place", how="left", maintain_order="left")["held"]


def _said(problems: Mapping[int, str], count: int) -> pl.Series:
    nothing = pl.Series("problem", [None], dtype=pl.String).new_from_index(0, count)
    rows = sorted(problems)
    return nothing.scatter(rows, [problems[row] for row in rows]) if rows else nothing


# --- before the work ------------------------------------------------------------------------------------------------


def measure_names(given: Sequence[str]) -> tuple[str, ...]:
    """Return the measures that are meant, each once; `SLOR` and `Mean LP` are read like `slor` and `mean-lp`."""
    if not given:
        raise UserError("No measure was asked for.", valid=f"Measures: {', '.join(MEASURES)}.")
    chosen = tuple(dict.fromkeys(map(measure_name, given)))
    for measure in chosen:
        if measure not in MEASURES:
            raise unknown_name("measure", measure, MEASURES)
    return chosen


def check_measures(model: LanguageModel, measures: Sequence[str]) -> tuple[str, ...]:
    """Return the measures, and refuse at once those of which the model could give no sentence a value."""
    chosen = measure_names(measures)
    conventions = model.conventions()
    needing = [measure for measure in chosen if MEASURES[measure] not in _WITHOUT_UNIGRAMS]
    if conventions.unigrams == "none" and needing:
        raise UserError(
            f"{needing[0]} cannot be computed with '{model.name}': {NO_UNIGRAMS}.",
            valid="Without unigrams: logprob, mean-lp.",
            remedy="A Hugging Face model takes them from a corpus: --unigrams CORPUS.txt"
            if hasattr(model, "unigrams")
            else "Choose another --measure; of KenLM, open the ARPA file as --model arpa:FILE, which has unigrams.",
        )
    if conventions.unit == "word" and measure_name(WPSLOR) in chosen:
        raise UserError(
            f"wpslor is for models of subwords, and '{model.name}' is none: {UNITS_ARE_WORDS}.",
            remedy="Choose --measure slor.",
        )
    return chosen


def spaces_warning(lines: pl.Series, name: str) -> str:
    """Say that lines hold spaces and yet are not cut into words: their stops stand beside characters.

    A space beside a foreign word or between two sentences makes whole clauses of such a line one word each.
    """
    uncut = lines.str.contains(SPACE_WITHIN) & lines.str.contains(_STOP_BESIDE)
    count = int(uncut.sum())
    if not count:
        return ""
    example = str(lines.filter(uncut)[0])
    many = "has spaces and is" if count == 1 else "have spaces and are"
    return (
        f"{count:,} of the first {len(lines):,} lines {many} taken for cut into words, but hardly so: "
        f"'{example[:30]}{'…' if len(example) > 30 else ''}' in {name}. --spaces ignored finds the words of such lines."
    )


def usual_batch(model: LanguageModel) -> int:
    """Return how many rows to give to this model at a time."""
    return LOOKED_UP_AT_ONCE if isinstance(model, TrieModel) else lines_at_once(model, SCORED_AT_ONCE)
