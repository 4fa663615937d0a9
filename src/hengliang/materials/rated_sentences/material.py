"""How are rated sentences put to systems?

Each row of a dataset is an item and a set of its own: the sentence as it was written, its words as spans called `word`,
and what people said of it as attributes. A system sees the sentence only; the ratings become judgements through
`hengliang.people.published_ratings`.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np
import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.errors import unknown_name
from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.io.kept_files import KeptFiles
from hengliang.core.records import Attribute, Item, Span, check_items, items_frame
from hengliang.core.registry import register
from hengliang.core.signature import Signature, digest, file_checksum
from hengliang.core.terms import Bilingual
from hengliang.core.text.segmentation import (
    SPACED,
    USUAL_SEGMENTER,
    Segmented,
    is_spaced,
    plain_content,
    read_segmented,
    read_words,
    segment,
    segmenter_signature,
)
from hengliang.corpora import catalogue as sources
from hengliang.materials.rated_sentences import lau as lau_files
from hengliang.materials.rated_sentences import smog as smog_files
from hengliang.materials.rated_sentences.rated_row import RatedRow
from hengliang.materials.rated_sentences.tables import COLUMNS, read_rated_table

NAME = "rated sentences"
WORD = "word"
UNSTATED = "unstated"
"""The mode of sentences of which nobody says how they were shown."""

ATTRIBUTES: Mapping[str, pl.DataType] = {
    "dataset": pl.String(),
    "mode": pl.String(),
    "origin": pl.String(),
    "textbook": pl.String(),
    "rating": pl.Float64(),
    "raters": pl.Int64(),
    "rating_sd": pl.Float64(),
    "rating_z": pl.Float64(),
    "source_sentence": pl.String(),
    "length": pl.Int64(),
}
"""What is known of every rated sentence; null where nobody says."""


Layout = Literal["table", "smog"]
"""A file has columns with names of the user's, or is laid out as those of SMOG."""


class Dataset(NamedTuple):
    """A published dataset: its source in the catalogue, the names of its parts, its files and its reader."""

    source: str
    parts: tuple[str, ...]
    files: Callable[[str], tuple[Path, ...]]
    read: Callable[[str], tuple[RatedRow, ...]]


def _smog_files(part: str) -> tuple[Path, ...]:
    return (smog_files.smog_file(part),)


def _lau2015_files(_part: str) -> tuple[Path, ...]:
    return lau_files.lau2015_files()


def _lau2015_rows(_part: str) -> tuple[RatedRow, ...]:
    return lau_files.read_lau2015()


DATASETS: Mapping[str, Dataset] = {
    "smog": Dataset("smog", smog_files.PARTS, _smog_files, smog_files.read_smog),
    "lau2020": Dataset(
        "lau2020", (*lau_files.CONTEXTS, lau_files.ALL), lau_files.lau2020_files, lau_files.read_lau2020
    ),
    "lau2015": Dataset("lau2015", ("",), _lau2015_files, _lau2015_rows),
}


@register(NAME)
class RatedSentences(Material):
    """The rated sentences of a published dataset, or of a user's own table."""

    title = Bilingual("Rated sentences", "带评分的句子")

    def __init__(
        self,
        data: str | Path = "smog",
        part: str = "adger",
        columns: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        layout: Layout = "table",
        segmenter: str = "english",
        name: str = NAME,
        table: TableOptions = AS_RECOGNISED,
    ) -> None:
        self.data = data
        self.part = part
        self.columns = columns
        self.keep = keep
        self.layout: Layout = layout
        self.segmenter = segmenter
        self.name = name
        self.table = table

    @property
    def dataset(self) -> str:
        """What the dataset is called in ids and as an attribute."""
        return _dataset_name(self.data, self.part)

    def rows(self) -> tuple[RatedRow, ...]:
        """Return the rows as they were read, with single ratings where there are any."""
        if self.layout not in get_args(Layout):
            raise unknown_name("layout", self.layout, get_args(Layout))
        files = (self.data,) if isinstance(self.data, Path) else _published(self.data, self.part).files(self.part)
        return self._kept.read(files, self._read)

    @cached_property
    def _kept(self) -> KeptFiles[tuple[RatedRow, ...]]:
        return KeptFiles()

    def _read(self) -> tuple[RatedRow, ...]:
        if isinstance(self.data, Path) and self.layout == "smog":
            return smog_files.read_smog_file(self.data)
        if isinstance(self.data, Path):
            return read_rated_table(self.data, self.columns, keep=self.keep, table=self.table)
        return _published(self.data, self.part).read(self.part)

    def items(self) -> pl.DataFrame:
        """Return one item a row."""
        rows = self.rows()
        return rated_items(self.dataset, self.name, rows, self.segmenter or _segmenter_of(rows))

    def signature(self) -> Signature:
        """Return what can change the items: files, columns, code and segmenter."""
        own = super().signature().and_(dataset=self.dataset)
        if not isinstance(self.data, Path):
            files = _published(self.data, self.part).files(self.part)
            own = own.and_(sha256=digest(*(file_checksum(file) for file in files)))
        return own.and_(words=segmenter_signature(self.segmenter or _segmenter_of(self.rows())))

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return what a reader should know: whose ratings, how many sentences and raters, in which modes."""
        rows = self.rows()
        licence = sources.source(self.data).licence if isinstance(self.data, str) else "the user's own"
        modes = ", ".join(f"{mode} {count:,}" for mode, count in Counter(items["mode"].to_list()).items())
        rated = [row.raters for row in rows if row.raters is not None]
        wrong = sum(row.mean_differs for row in rows)
        read = sum(row.merged for row in rows)
        merged = f"{read:,} rows of the table are {len(rows):,} sentences with their ratings"
        return [
            (Bilingual("Dataset", "数据集"), f"{self.dataset} ({licence})"),
            (Bilingual("Rated rows", "评分行数"), f"{items.height:,} ({modes})"),
            (Bilingual("Different sentences", "不同句子"), f"{items['content'].n_unique():,}"),
            (Bilingual("Source sentences", "来源句"), f"{items['source_sentence'].n_unique():,}"),
            (Bilingual("Sentences without a rating", "无评分的句子"), f"{items['rating'].null_count():,}"),
            (Bilingual("Raters a sentence", "每句评分人数"), f"{min(rated)}–{max(rated)}" if rated else "not told"),
            (Bilingual("Printed means that are not those of the ratings", "与评分不符的均值"), f"{wrong:,}"),
            *([(Bilingual("Rows with single ratings", "单个评分的行"), merged)] if read > len(rows) else []),
        ]


def _published(data: str, part: str) -> Dataset:
    if data not in DATASETS:
        raise unknown_name(
            "dataset of rated sentences", data, DATASETS, remedy="For a file, give rated_sentences(FILE)"
        )
    held = DATASETS[data]
    if part not in held.parts:
        raise unknown_name(f"part of {data}", part, held.parts)
    return held


# --- rows to items --------------------------------------------------------------------------------------------------


def rated_items(dataset: str, material: str, rows: Sequence[RatedRow], segmenter: str) -> pl.DataFrame:
    """Return the item table of rated rows; the id is dataset, mode (if stated) and number, joined by hyphens."""
    texts = words_of_texts([row.text for row in rows], segmenter)
    scores = z_scores(rows)
    items = []
    for row, text, score in zip(rows, texts, scores, strict=True):
        name = "-".join(part for part in (dataset, row.mode, row.key) if part)
        known: dict[str, Attribute] = {
            "dataset": dataset,
            "mode": row.mode or UNSTATED,
            "origin": row.origin,
            "textbook": row.textbook,
            "rating": row.rating,
            "raters": row.raters,
            "rating_sd": row.rating_sd,
            "rating_z": score,
            "source_sentence": row.source_sentence or name,
            "length": length_of(text),
        }
        spans = tuple(Span(WORD, start, end) for start, end in text.spans)
        items.append(Item(name, name, material, row.mode or UNSTATED, text.content, spans, attributes=known))
    frame = items_frame(items)
    # A column of nothing is text until somebody says otherwise, and could not be joined to that of another dataset.
    frame = frame.with_columns(pl.col(name).cast(dtype) for name, dtype in ATTRIBUTES.items())
    return check_items(frame.with_columns(_further(rows)))


def _further(rows: Sequence[RatedRow]) -> list[pl.Series]:
    """Return the columns that a user keeps: numbers where every cell is one, else text."""
    held: dict[str, list[str | None]] = defaultdict(list)
    for row in rows:
        for name, cell in row.further:
            held[name].append(cell or None)
    columns = [pl.Series(name, cells, dtype=pl.String) for name, cells in held.items()]
    numbers = [column.cast(pl.Float64, strict=False) for column in columns]
    return [
        number if number.null_count() == column.null_count() and number.is_finite().all() else column
        for column, number in zip(columns, numbers, strict=True)
    ]


def z_scores(rows: Sequence[RatedRow]) -> list[float | None]:
    """Return how many standard deviations (n − 1) each mean lies above the mean of its mode; None without a spread."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        if row.rating is not None:
            places[row.mode].append(place)
    found: list[float | None] = [None] * len(rows)
    for held in places.values():
        means = np.array([rows[place].rating for place in held], np.float64)
        if len(means) < 2 or math.isclose(means.min(), means.max()):
            continue
        for place, score in zip(held, (means - means.mean()) / means.std(ddof=1), strict=True):
            found[place] = float(score)
    return found


def words_of_texts(texts: Sequence[str], segmenter: str) -> list[Segmented]:
    """Return contents and words. English stays as it was written, in NFC and without space at its ends.

    Of Chinese the words are taken as they stand apart, where they do so in most of the sentences; otherwise the
    segmenter finds them, and a stray space between Chinese characters is dropped.
    """
    if segmenter in SPACED:
        return [read_words(text, segmenter) for text in texts]
    if sum(map(is_spaced, texts)) > len(texts) / 2:
        return [read_segmented(text) for text in texts]
    contents = [plain_content(text) for text in texts]
    return [Segmented(content, segment(content, segmenter)) for content in contents]


def length_of(text: Segmented) -> int:
    """Return the number of words that hold a letter or a digit: the length without punctuation."""
    return sum(any(unicodedata.category(one)[0] in "LN" for one in word) for word in text.words)


# --- what users write -----------------------------------------------------------------------------------------------


def smog(part: str | Path = "bnc", *, segmenter: str = "english", name: str = "") -> RatedSentences:
    """Take the English sentences of SMOG: "bnc" (5,250 rows), "enwiki" (2,500), "adger" (300), "adger filtered" (133).

    The path of another file in the same layout (`smog(Path("mine.csv"))`) is read, too.
    """
    if isinstance(part, Path):
        return RatedSentences(part, "", layout="smog", segmenter=segmenter, name=name or _dataset_name(part, ""))
    return RatedSentences("smog", part, segmenter=segmenter, name=name or _dataset_name("smog", part))


def lau2020(context: str = lau_files.ALL, *, segmenter: str = "english", name: str = "") -> RatedSentences:
    """Take the 250 English sentences of Lau et al. 2020, rated in the context "none", "random", "real", or "all"."""
    usual = "lau2020" if context == lau_files.ALL else f"lau2020-{context}"
    return RatedSentences("lau2020", context, segmenter=segmenter, name=name or usual)


def lau2015(*, segmenter: str = "english", name: str = "") -> RatedSentences:
    """Take the 100 English sentences with mean ratings that Lau et al. 2015 give away."""
    return RatedSentences("lau2015", "", segmenter=segmenter, name=name or "lau2015")


def rated_sentences(
    file: str | Path,
    *,
    text: str = COLUMNS["text"],
    rating: str = "",
    segmenter: str = "",
    keep: Sequence[str] = (),
    name: str = "",
    table: TableOptions = AS_RECOGNISED,
    **columns: str,
) -> RatedSentences:
    """Take the rated sentences of a table of your own; `text`, `rating` and others say which column is which.

    Further columns: `ratings` (a list of single ratings in a cell), `id`, `mode`, `origin`, `raters`, `rating_sd` and
    `source_sentence`; those that are called so are found without being named. `keep` names columns that become
    attributes. `segmenter` is "english", or "rjieba" or "characters" for Chinese; where none is named, sentences of
    mostly Chinese characters are cut by rjieba, others as English. A table may have a row for each rating of
    a sentence. `table` says how the file is to be read where that is not recognised: `TableOptions(sheet="data")`.
    """
    path = Path(file)
    asked = {"text": text, **({"rating": rating} if rating else {}), **columns}
    usual = _dataset_name(path, "")
    return RatedSentences(path, "", asked, tuple(keep), segmenter=segmenter, name=name or usual, table=table)


def _segmenter_of(rows: Sequence[RatedRow]) -> str:
    """Return who finds the words: by whether most letters of the sentences are Chinese characters."""
    text = "".join(row.text for row in rows)
    chinese = sum("\u4e00" <= letter <= "\u9fff" or "\u3400" <= letter <= "\u4dbf" for letter in text)
    letters = sum(letter.isalpha() for letter in text)
    return USUAL_SEGMENTER if 2 * chinese > letters else "english"


def _dataset_name(data: str | Path, part: str) -> str:
    if isinstance(data, Path):
        return data.stem
    # The contexts of one dataset are its modes, and stand in the id as such.
    return "-".join([data, *("" if data == "lau2020" else part).split()])
