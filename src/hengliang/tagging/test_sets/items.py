"""Items of a diagnostic test set for taggers: sentences, targets and gold words.

One item per word and sentence: the sentence is what the tagger is given, the span `target` is the stretch that counts,
and the gold are the annotators' words there. Items of one error pair make a set, items of one word have its condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path

import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.closure import outside_signatures, package_data
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import ITEM_SCHEMA, check_items
from hengliang.core.registry import register
from hengliang.core.signature import Signature, code_checksum, file_checksum, version
from hengliang.core.terms import Bilingual
from hengliang.corpora import catalogue as sources
from hengliang.tagging.sentences import corpus_name, tagged_file
from hengliang.tagging.test_sets.fine_grained import SOURCE, fine_grained_set, located
from hengliang.tagging.test_sets.test_set import (
    TaggingSet,
    error_pair,
    filled,
    is_set_file,
    read_listing,
    read_set,
    sentence_key,
)

NAME = "tagging_items"
DEFAULT_SET = "default"
TARGET = "target"
"""The name of the span that a tagger is asked about."""

_FOLDER = "diagnostic_sets"


@register(NAME)
class TaggingItems(Material):
    """The items of a test set for taggers.

    `tagging_set` is a set, the path of a file (ours, or the plain format of the published set), the name of a set that
    comes with hengliang, or `pos-finegrained`. `corpora` are those from which missing text and places are taken.
    """

    name = NAME
    title = Bilingual("Diagnostic items for taggers", "词性标注诊断题")

    def __init__(
        self,
        tagging_set: str | Path | TaggingSet = DEFAULT_SET,
        corpora: Sequence[str | Path] = (sources.DEFAULT_CORPUS,),
    ) -> None:
        self.tagging_set = tagging_set
        self.corpora = (corpora,) if isinstance(corpora, str | Path) else tuple(corpora)

    def held(self) -> TaggingSet:
        """Return the set, with the text of its sentences."""
        opened = open_set(self.tagging_set, self.corpora[0] if self.corpora else sources.DEFAULT_CORPUS)
        for corpus in self.corpora:
            lacking = opened.entries.filter(pl.col("content").is_null())["corpus"]
            if corpus_name(corpus) in lacking.to_list():
                opened = _filled(opened, corpus, _checksum(corpus))
        if not opened.has_text:
            lacking = opened.entries.filter(pl.col("content").is_null())["corpus"].unique().sort()
            raise UserError(
                f"The text of the corpus {lacking[0]} is missing from this test set.",
                valid=f"Corpora that are given: {', '.join(map(str, self.corpora)) or 'none'}.",
                remedy="Name the corpus: tagging_items(SET, corpora=[NAME or PATH]).",
            )
        return opened

    def items(self) -> pl.DataFrame:
        """Return one item per word and sentence, in the order of the set."""
        return set_items(self.held())

    def signature(self) -> Signature:
        """Return what can change the items: the set, with the corpora it refers to."""
        return Signature.of(
            material=NAME, tagging_set=self.held().signature(), code=code_checksum(type(self)), hengliang=version()
        )

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return what a reader of a report should know about the set."""
        counts = self.held().summary()
        return [
            (Bilingual("Error pairs", "评测项目"), f"{counts.items:,}"),
            (Bilingual("Words", "词例"), f"{counts.words:,}"),
            (Bilingual("Words without a sentence", "没有句子的词例"), f"{counts.words_without_sentence:,}"),
            (Bilingual("Different sentences", "不同的句子"), f"{counts.sentences:,}"),
        ]


def tagging_items(
    tagging_set: str | Path | TaggingSet = DEFAULT_SET, corpora: Sequence[str | Path] = (sources.DEFAULT_CORPUS,)
) -> TaggingItems:
    """Return the items of a test set for taggers."""
    return TaggingItems(tagging_set, corpora)


def set_items(tagging_set: TaggingSet) -> pl.DataFrame:
    """Return the item table of a set that has its text."""
    if not tagging_set.has_text:
        raise UserError("A set of references has no sentences to tag.", remedy="Fill it: filled(tagging_set, corpus).")
    entries = tagging_set.entries
    pairs = [error_pair(pair) for pair in entries["pair"].to_list()]
    keys = [sentence_key(entry) for entry in entries.iter_rows(named=True)]
    span = pl.struct(name=pl.lit(TARGET), start="start", end="end")
    frame = entries.with_columns(
        id=_ids(entries),
        set=pl.col("pair"),
        material=pl.lit(NAME),
        condition=pl.col("word"),
        spans=pl.concat_list(span).cast(ITEM_SCHEMA["spans"]),
        source=pl.lit(""),
        gold_tags=pl.Series(["+".join(pair.gold) for pair in pairs], dtype=pl.String),
        wrong_tags=pl.Series(["+".join(pair.predicted) for pair in pairs], dtype=pl.String),
        about_words=pl.Series([pair.about_words for pair in pairs], dtype=pl.Boolean),
        cluster=pl.Series(keys, dtype=pl.String),
    )
    extra = [name for name in ("places", "found") if name in entries.columns]
    attributes = ["pair", "gold_tags", "wrong_tags", "word", "about_words", "paragraph", "corpus_part", "cluster"]
    return check_items(frame.select(*ITEM_SCHEMA, *attributes, *extra))


def _ids(entries: pl.DataFrame) -> pl.Series:
    """Name an entry by item, word, sentence and place; one that is listed twice is counted."""
    known = [f"{row['pair']}-{row['word']}-{_sentence(row)}-{row['start']}" for row in entries.iter_rows(named=True)]
    names = pl.Series("id", known, dtype=pl.String).to_frame()
    again = names.with_columns(time=pl.int_range(pl.len(), dtype=pl.Int64).over("id") + 1)
    counted = pl.when(pl.col("time") > 1).then(pl.format("{}-again{}", "id", "time")).otherwise("id")
    return again.select(id=counted)["id"]


def _sentence(entry: dict[str, object]) -> str:
    if entry["paragraph"] is None:
        return sentence_key(entry)
    return f"{entry['corpus']}-{entry['paragraph']}-{entry['offset']}"


# --- where sets come from -------------------------------------------------------------------------------------------


@outside_signatures("a test set is signed by its content")
def packaged_sets() -> tuple[str, ...]:
    """Return the names of the test sets that come with hengliang."""
    folder = package_data(__name__, _FOLDER)
    files = [file.name for file in folder.iterdir()] if folder.is_dir() else []
    return tuple(sorted(name.removesuffix(".tsv") for name in files if name.endswith(".tsv")))


@outside_signatures("a test set is signed by its content")
def open_set(
    tagging_set: str | Path | TaggingSet = DEFAULT_SET, corpus: str | Path = sources.DEFAULT_CORPUS
) -> TaggingSet:
    """Return a set that is given itself, by the path of its file or by its name, as it lies there.

    In a file in the plain format, and in the published set, the places of the words are found again in `corpus`.
    """
    if isinstance(tagging_set, TaggingSet):
        return tagging_set
    if tagging_set == SOURCE:
        return _published(corpus, _checksum(corpus))
    if isinstance(tagging_set, str) and tagging_set in packaged_sets():
        with resources.as_file(package_data(__name__, _FOLDER)) as folder:
            return _read(folder / f"{tagging_set}.tsv", "")
    path = Path(tagging_set)
    if isinstance(tagging_set, str) and not path.suffix and not path.exists():
        remedy = "Or give the path of a file: hengliang taggers build writes one."
        raise unknown_name("test set for taggers", tagging_set, [*packaged_sets(), SOURCE], remedy=remedy)
    checksum = file_checksum(path)
    return _read(path, checksum) if is_set_file(path) else _located(path, checksum, corpus, _checksum(corpus))


# A study asks for items, signature and facts of one set many times. The checksums are arguments so that a file that has
# changed is read again.


def _checksum(corpus: str | Path) -> str:
    return sources.checksum(tagged_file(corpus))


@lru_cache(maxsize=4)
def _read(path: Path, checksum: str) -> TaggingSet:
    return read_set(path)


@lru_cache(maxsize=4)
def _located(path: Path, checksum: str, corpus: str | Path, corpus_checksum: str) -> TaggingSet:
    return located(read_listing(path), corpus)


@lru_cache(maxsize=2)
def _published(corpus: str | Path, corpus_checksum: str) -> TaggingSet:
    return fine_grained_set(corpus)


@lru_cache(maxsize=4)
def _filled(tagging_set: TaggingSet, corpus: str | Path, corpus_checksum: str) -> TaggingSet:
    return filled(tagging_set, corpus)
