"""Vocabulary of word models, with classes of unknown words (UNK classes) for Chinese.

A word seen too rarely in training is replaced by a class of unknown words [1], fit for Chinese: by script, by length,
by whether it has digits, and by its last character, which often says what a Chinese word is about (…市, …者, …性). The
same word outside the vocabulary then falls into the finest class that the training text has filled. A class is an
ordinary symbol of the vocabulary, so that the probabilities of all symbols sum to one.

[1] Petrov, S., Klein, D. (2007). Improved inference for unlexicalized parsing. NAACL 2007 (the idea, for English).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.errors import UserError, file_errors
from hengliang.core.io.files import write_text
from hengliang.core.labelling.texts import Texts, check_texts, edges_of
from hengliang.core.signature import digest
from hengliang.language_models.scores import Numbers, Scores

# --- the vocabulary ---------------------------------------------------------------------------------------------------


Unknown = Literal["classes", "symbol"]
Ids = npt.NDArray[np.int32]

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
SPECIAL = (UNKNOWN, BEGIN, END)
UNKNOWN_ID, BEGIN_ID, END_ID = range(3)

FILE = "vocabulary.tsv"

SEEN_AT_LEAST = 2
CLASS_AT_LEAST = 20
"""How many rare words a class needs to be one; a smaller one joins the class above it."""

_NUMERALS = "〇零一二三四五六七八九十百千万亿两点分之几多余"
_RESERVED = r"^<(?:unk(?::.*)?|/?s)>$"


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The symbols of a model by their ids and how often training saw them: three special ones, classes, words."""

    symbols: pl.Series
    counts: npt.NDArray[np.int64]
    classed: bool = True
    """Whether symbols such as <unk:han:2> are classes of unknown words; else they are words like any other."""

    def __len__(self) -> int:
        return len(self.symbols)

    @cached_property
    def classes(self) -> int:
        """How many classes of unknown words there are; their ids follow those of the special symbols."""
        return int(self.symbols.slice(len(SPECIAL)).str.contains(_RESERVED).sum()) if self.classed else 0

    @property
    def unknown(self) -> str:
        """What becomes of unknown words, in the words of a model's conventions."""
        return f"{self.classes} classes by shape" if self.classes else UNKNOWN

    @property
    def checksum(self) -> str:
        """A hash of the symbols and their counts."""
        return digest("\n".join(self.symbols.to_list()), self.counts.astype("<i8").tobytes())

    @cached_property
    def unigram_logprobs(self) -> npt.NDArray[np.float64]:
        """The log relative frequency of each symbol; one never seen counts once, and <s>, never predicted, is NaN."""
        counts = np.maximum(self.counts, 1).astype(np.float64)
        counts[BEGIN_ID] = np.nan
        logs: npt.NDArray[np.float64] = np.log(counts / np.nansum(counts))
        return logs

    @cached_property
    def _known(self) -> pl.DataFrame:
        first = len(SPECIAL) + self.classes
        return pl.DataFrame(
            {"word": self.symbols.slice(first), "id": np.arange(first, len(self), dtype=np.int32)},
        )

    @cached_property
    def _class_ids(self) -> dict[str, int]:
        symbols = self.symbols.slice(len(SPECIAL), self.classes).to_list()
        return {symbol: number for number, symbol in enumerate(symbols, len(SPECIAL))}

    def encode(self, words: pl.Series) -> tuple[Ids, npt.NDArray[np.bool_]]:
        """Return the id of each word, that of its class where the word is unknown, and which words are unknown."""
        frame = pl.DataFrame({"word": words}).join(self._known, on="word", how="left", maintain_order="left")
        unknown = frame["id"].is_null()
        ids = frame["id"].fill_null(UNKNOWN_ID).to_numpy().astype(np.int32)
        missing = unknown.to_numpy()
        if missing.any() and self.classes:
            ids[missing] = self._encode_unknown(frame["word"].filter(unknown))
        return ids, missing

    def _encode_unknown(self, words: pl.Series) -> Ids:
        distinct = words.unique(maintain_order=True)
        classes = [
            pl.col(level).replace_strict(self._class_ids, default=None, return_dtype=pl.Int32)
            for level in ("fine", "shape", "script")
        ]
        class_ids = word_classes(distinct).select("word", id=pl.coalesce(*classes).fill_null(UNKNOWN_ID))
        # Columns, for in new text one word in twenty is unknown and a corpus has millions of them.
        with_ids = pl.DataFrame({"word": words}).join(class_ids, on="word", how="left", maintain_order="left")
        return with_ids["id"].to_numpy()

    def write(self, folder: Path) -> None:
        """Write the vocabulary into a model's folder: a symbol and its count on each line, in the order of ids."""
        pairs = zip(self.symbols.to_list(), self.counts.tolist(), strict=True)
        write_text(folder / FILE, "".join(f"{symbol}\t{count}\n" for symbol, count in pairs))

    @classmethod
    def read(cls, folder: Path) -> Vocabulary:
        """Read the vocabulary of a model's folder."""
        path = folder / FILE
        with file_errors(path, "read"):
            raw = path.read_bytes()
        frame = _parsed(raw)
        if frame is None or frame.null_count().sum_horizontal()[0] or tuple(frame["symbol"][:3]) != SPECIAL:
            raise UserError(
                f"{path} is not a whole vocabulary.",
                valid=f"Each line is a symbol, a tab and a count; the first three are {', '.join(SPECIAL)}.",
                remedy="Train the model again, or copy its folder again.",
            )
        return cls(frame["symbol"], frame["count"].to_numpy())


def _parsed(raw: bytes) -> pl.DataFrame | None:
    """Return the lines of a vocabulary as a table, or nothing where they are none; a million lines take a moment."""
    schema = {"symbol": pl.String(), "count": pl.Int64()}
    if not raw.endswith(b"\n"):
        return None
    try:
        return pl.read_csv(raw, separator="\t", has_header=False, quote_char=None, schema=schema)
    except pl.exceptions.PolarsError:
        return None


def word_classes(words: pl.Series) -> pl.DataFrame:
    """Return for each word (column `word`) its class with last character, its class by shape, and by script alone."""
    word = pl.col("word")
    script = (
        pl.when(word.str.contains(r"[0-9０-９]")).then(pl.lit("digits"))
        .when(word.str.contains(f"^[{_NUMERALS}]+$")).then(pl.lit("numeral"))
        .when(word.str.contains(r"^\p{Han}+$")).then(pl.lit("han"))
        .when(word.str.contains(r"^[\p{Latin}\p{M}.．·'’\-－]*\p{Latin}[\p{Latin}\p{M}.．·'’\-－]*$")).then(pl.lit("latin"))
        .when(word.str.contains(r"[\p{L}\p{N}]")).then(pl.lit("mixed"))
        .otherwise(pl.lit("mark"))
    )  # fmt: skip
    length = word.str.len_chars()
    size = pl.when(length < 5).then(length.cast(pl.String)).otherwise(pl.lit("5+"))
    frame = pl.DataFrame({"word": words}).with_columns(script=script, size=size, last=word.str.slice(-1))
    return frame.select(
        "word",
        fine=pl.format("<unk:{}:{}:{}>", "script", "size", "last"),
        shape=pl.format("<unk:{}:{}>", "script", "size"),
        script=pl.format("<unk:{}>", "script"),
    )


def build_vocabulary(
    words: pl.Series, sentences: int, *, unknown: Unknown = "classes", least: int = SEEN_AT_LEAST
) -> Vocabulary:
    """Return the vocabulary of a training text given as the column of its words.

    With `unknown="classes"` words seen fewer than `least` times go to classes, of which those with fewer than
    `CLASS_AT_LEAST` rare words join the class above them. With `unknown="symbol"` all words seen `least` times are
    kept and the others are <unk>.
    """
    counted = (
        pl.DataFrame({"word": words})
        .group_by("word")
        .agg(count=pl.len().cast(pl.Int64))
        .sort("count", "word", descending=[True, False])
    )
    reserved = pl.col("word").str.contains(_RESERVED)
    kept = counted.filter((pl.col("count") >= least) & reserved.not_())
    rare = counted.filter((pl.col("count") < least) | reserved)
    classes = _classes(rare) if unknown == "classes" else rare.select(pl.lit(UNKNOWN).alias("symbol"), "count").clear()
    left = int(rare["count"].to_numpy().sum() - classes["count"].to_numpy().sum())
    symbols = pl.concat([pl.Series(SPECIAL, dtype=pl.String), classes["symbol"], kept["word"]])
    head = np.array([left, 0, sentences], np.int64)
    counts = np.concatenate([head, classes["count"].to_numpy(), kept["count"].to_numpy()])
    return Vocabulary(symbols.alias("symbol"), counts)


def _classes(rare: pl.DataFrame) -> pl.DataFrame:
    """Return the classes that enough rare words fall into, the finest first, with the tokens that fall into each."""
    named = rare.join(word_classes(rare["word"]), on="word", how="left", maintain_order="left")
    levels = []
    for level in ("fine", "shape", "script"):
        groups = named.group_by(symbol=level).agg(count=pl.col("count").sum(), words=pl.len())
        full = groups.filter(pl.col("words") >= (1 if level == "script" else CLASS_AT_LEAST)).sort("symbol")
        levels.append(full.select("symbol", "count"))
        named = named.join(full, left_on=level, right_on="symbol", how="anti")
    return pl.concat(levels)


# --- words as units ---------------------------------------------------------------------------------------------------
# For models whose units are words: turns texts into units, and log-probabilities into scores.


def words_of_texts(texts: Texts, segmenter: str) -> Texts:
    """Return the texts with words everywhere and without empty ones, which are places rather than words."""
    check_texts(texts)
    texts = texts.with_words(segmenter)
    wide = texts.ends > texts.starts
    if wide.all():
        return texts
    offsets = edges_of(wide)[texts.offsets]
    return replace(
        texts, words=texts.words.filter(wide), offsets=offsets, starts=texts.starts[wide], ends=texts.ends[wide]
    )


def scores_of_words(
    texts: Texts, logprobs: Numbers, unigram_logprobs: Numbers, unknown: npt.NDArray[np.bool_]
) -> Scores:
    """Return the scores of texts whose units are their words and an end, zero bytes wide, after the content."""
    lengths = texts.contents.str.len_bytes().to_numpy().astype(np.int64)
    return Scores(
        texts.offsets + np.arange(len(texts.offsets), dtype=np.int64),
        np.insert(texts.starts, texts.offsets[1:], lengths),
        np.insert(texts.ends, texts.offsets[1:], lengths),
        logprobs,
        unigram_logprobs,
        unknown,
        ("",) * len(texts),
    )
