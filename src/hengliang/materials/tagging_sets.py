"""What is a test set for taggers, and is this one right?

A set has items, which are error pairs; an item has words that taggers tend to get wrong in that way; a word has
sentences in which it stands with the item's gold tags [1]. Other than in the published set, the place of the word in
the sentence is recorded. A set may hold the sentences, or only say where in which corpus they stand: the text of most
corpora may not be passed on, a reference may.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18, section 3.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.signature import Signature, digest
from hengliang.core.text.characters import utf8
from hengliang.core.text.segmentation import join_words
from hengliang.corpora import catalogue as sources
from hengliang.materials.error_pairs import ErrorPair, error_pair
from hengliang.materials.tagged_sentences import (
    TaggedSentences,
    corpus_name,
    read_gold,
    tagged_file,
    tagged_sentences,
)

FORMAT_VERSION = 1
"""The version of what an entry means; it is part of every signature and stands in the head of every file."""

SET_SCHEMA: dict[str, pl.DataType] = {
    "pair": pl.String(),
    "word": pl.String(),
    "gold": pl.String(),
    "corpus": pl.String(),
    "paragraph": pl.Int64(),
    "offset": pl.Int64(),
    "start": pl.Int64(),
    "end": pl.Int64(),
    "content": pl.String(),
    "corpus_part": pl.String(),
}
"""The columns of an entry: item, word, its words and tags in the corpus, the sentence, the word's bytes in it.

`corpus`, `paragraph` and `offset` are null for a sentence of no corpus, `content` for a mere reference.
"""

EXTRA_SCHEMA: dict[str, pl.DataType] = {"size": pl.Int64(), "places": pl.Int64(), "found": pl.String()}
"""Columns that an entry may have besides: the bytes of its text where that is not one sentence of the corpus, at how
many places of it the word has these tags, and how the place was found."""

_COUNTED = ("pair", "word", "gold", "corpus", "paragraph", "offset", "start", "end")


@dataclass(frozen=True, slots=True)
class HeldCorpus:
    """A corpus that a set refers to: its short name and the SHA-256 of its file (empty: not recorded)."""

    name: str
    sha256: str = ""


def held_corpus(corpus: str | Path | TaggedSentences) -> HeldCorpus:
    """Return the name and the checksum of a corpus that is given by its name in the catalogue, its path or itself."""
    origin = corpus.corpus if isinstance(corpus, TaggedSentences) else corpus
    return HeldCorpus(corpus_name(origin), sources.checksum(tagged_file(origin)))


@dataclass(frozen=True, slots=True)
class SetSummary:
    """How much is in a set: an entry is one word in one sentence."""

    items: int
    words: int
    entries: int
    sentences: int
    words_without_sentence: int


@dataclass(frozen=True, eq=False)
class TaggingSet:
    """A test set for taggers; `listed` are its pairs of item and word in order where some have no sentence."""

    entries: pl.DataFrame
    name: str = ""
    version: int = 1
    corpora: tuple[HeldCorpus, ...] = ()
    listed: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @property
    def words(self) -> tuple[tuple[str, str], ...]:
        """Every item and word, in order, also those without a sentence."""
        held = self.entries.select("pair", "word").unique(maintain_order=True).rows()
        return tuple(dict.fromkeys([*self.listed, *held]))

    @property
    def pairs(self) -> tuple[str, ...]:
        """The items in order."""
        return tuple(dict.fromkeys(pair for pair, _ in self.words))

    @property
    def has_text(self) -> bool:
        """Whether the text of every sentence is here."""
        return not self.entries["content"].is_null().any()

    def signature(self) -> Signature:
        """Return what makes this set this one: its name, its version, the corpora and a digest of the entries.

        The order of the entries does not count, nor whether text that can be looked up in the corpus is here.
        """
        corpora = " ".join(f"{corpus.name}@{corpus.sha256[:16] or 'any'}" for corpus in sorted_corpora(self.corpora))
        return Signature.of(
            set=self.name,
            version=self.version,
            format=FORMAT_VERSION,
            corpora=corpora,
            entries=self.entries.height,
            digest=_digest(self),
        )

    def summary(self) -> SetSummary:
        """Return how many items, words, entries and different sentences there are."""
        held = self.entries.select("pair", "word").n_unique() if self.entries.height else 0
        sentences = len({sentence_key(row) for row in self.entries.iter_rows(named=True)})
        return SetSummary(len(self.pairs), len(self.words), self.entries.height, sentences, len(self.words) - held)

    def counts(self) -> pl.DataFrame:
        """Return one row an item: pair, words, words_without_sentence, entries."""
        words = pl.DataFrame(list(self.words), schema={"pair": pl.String, "word": pl.String}, orient="row")
        held = self.entries.group_by("pair", "word").agg(entries=pl.len().cast(pl.Int64))
        joined = words.join(held, on=["pair", "word"], how="left", maintain_order="left")
        return joined.group_by("pair", maintain_order=True).agg(
            words=pl.len().cast(pl.Int64),
            words_without_sentence=pl.col("entries").is_null().sum().cast(pl.Int64),
            entries=pl.col("entries").sum().cast(pl.Int64),
        )

    def of_pairs(self, pairs: Iterable[str | ErrorPair]) -> TaggingSet:
        """Return the part of the set with these items."""
        wanted = [pair.name if isinstance(pair, ErrorPair) else error_pair(pair).name for pair in pairs]
        for pair in wanted:
            if pair not in self.pairs:
                raise unknown_name("item of this set", pair, self.pairs)
        kept = tuple(word for word in self.listed if word[0] in wanted)
        return replace(self, entries=self.entries.filter(pl.col("pair").is_in(wanted)), listed=kept)

    def of_parts(self, parts: Sequence[str]) -> TaggingSet:
        """Return the entries whose sentences stand in these parts of their corpus; words that lose all are left out."""
        wanted = [parts] if isinstance(parts, str) else list(parts)
        known = self.entries["corpus_part"].drop_nulls().unique().to_list()
        for part in wanted:
            if part not in known:
                raise unknown_name("part in this set", part, known)
        return replace(self, entries=self.entries.filter(pl.col("corpus_part").is_in(wanted)), listed=())


def sorted_corpora(corpora: Iterable[HeldCorpus]) -> list[HeldCorpus]:
    """Return corpora in the order of their names, each once."""
    return [HeldCorpus(*pair) for pair in sorted({(corpus.name, corpus.sha256) for corpus in corpora})]


def sentence_key(entry: dict[str, object]) -> str:
    """Return the identity of an entry's sentence: its text where it is known, else its place."""
    if entry["content"] is not None:
        return digest(str(entry["content"]))
    return f"{entry['corpus']}-{entry['paragraph']}-{entry['offset']}"


def _digest(tagging_set: TaggingSet) -> str:
    # A text that has no place in a corpus is known by nothing but itself.
    own = pl.when(pl.col("paragraph").is_null()).then(pl.col("content").fill_null("")).otherwise(pl.lit(""))
    columns = [pl.col(name).cast(pl.String).fill_null("") for name in _COUNTED]
    rows = tagging_set.entries.select(line=pl.concat_str([*columns, own], separator="\t"))["line"].to_list()
    held = set(tagging_set.entries.select("pair", "word").rows())
    lone = [f"{pair}\t{word}" for pair, word in tagging_set.words if (pair, word) not in held]
    return digest(*sorted(rows), *sorted(lone))


# --- checks ---------------------------------------------------------------------------------------------------------


def tagging_set(
    entries: pl.DataFrame,
    name: str = "",
    version: int = 1,
    corpora: Iterable[HeldCorpus] = (),
    listed: Iterable[tuple[str, str]] = (),
) -> TaggingSet:
    """Return a set whose entries have been checked."""
    return TaggingSet(check_entries(entries), name, version, tuple(corpora), tuple(listed))


def check_entries(entries: pl.DataFrame, path: Path | None = None, lines: Sequence[int] = ()) -> pl.DataFrame:
    """Return the entries when each of them is right, else say which one is wrong and why; `lines` are those of a file.

    Right means: the pair can be read and its gold tags are those of `gold`; the words of `gold` join to `word`; the
    bytes from `start` to `end` of the sentence are the word.
    """
    for column, kind in {**SET_SCHEMA, **EXTRA_SCHEMA}.items():
        if column not in entries.columns and column in SET_SCHEMA:
            raise UserError(f"The test set has no column '{column}'.", valid=f"Columns: {', '.join(SET_SCHEMA)}.")
        if column in entries.columns and entries.schema[column] != kind:
            raise UserError(f"The column '{column}' of the test set is {entries.schema[column]}, not {kind}.")
    for number, entry in enumerate(entries.iter_rows(named=True)):
        fault = _fault(entry)
        if fault:
            where = f"{path}, line {lines[number]}" if lines else f"Entry {number + 1} of the test set"
            raise UserError(
                f"{where}: {fault}",
                valid="An entry is an item (p+r:d), a word, its gold words with the item's gold tags (就/p 此/r), "
                "and the bytes at which the word stands in the sentence.",
            )
    return entries


def _fault(entry: dict[str, object]) -> str:
    pair, word, gold = str(entry["pair"]), str(entry["word"]), str(entry["gold"])
    fault = _fault_of_gold(pair, word, gold)
    if fault:
        return fault
    if entry["start"] is None or entry["end"] is None:
        return f"the place of '{word}' is missing."
    if entry["content"] is not None:
        return _fault_of_place(word, str(entry["content"]), entry)
    if entry["corpus"] is None or entry["paragraph"] is None or entry["offset"] is None:
        return f"the sentence of '{word}' is neither here nor named by corpus, paragraph and offset."
    return ""


@cache
def _fault_of_gold(pair: str, word: str, gold: str) -> str:
    try:
        wanted = error_pair(pair)
        words, tags = read_gold(gold)
        joined = join_words(words).content
    except UserError as error:
        return error.problem
    if wanted.name != pair:
        return f"the item '{pair}' is written {wanted.name}."
    if tags != wanted.gold:
        return f"the item {pair} is about {'+'.join(wanted.gold)}, but '{gold}' has the tags {'+'.join(tags)}."
    return "" if joined == word else f"'{gold}' makes '{joined}', not '{word}'."


def _fault_of_place(word: str, content: str, entry: dict[str, object]) -> str:
    if not unicodedata.is_normalized("NFC", content):
        return f"the sentence of '{word}' is not in Unicode's composed form (NFC)."
    start, end = int(str(entry["start"])), int(str(entry["end"]))
    raw = utf8(content)
    # A space between two words of English belongs to the latter, so the place may begin with one.
    held = raw[start:end].decode(errors="replace").strip(" ") if 0 <= start < end <= len(raw) else None
    if held is None:
        return f"the bytes {start}–{end} lie outside of the sentence, which has {len(raw)}."
    if held != word:
        return f"at the bytes {start}–{end} of the sentence stands '{held}', not '{word}'."
    size = entry.get("size")
    return f"the text has {len(raw)} bytes, not {size}." if size is not None and size != len(raw) else ""


# --- text and references --------------------------------------------------------------------------------------------


def filled(tagging_set: TaggingSet, corpus: str | Path | TaggedSentences = sources.DEFAULT_CORPUS) -> TaggingSet:
    """Return the set with the text of the sentences that stand in this corpus.

    `corpus` is a name of the catalogue, a path or the sentences of a corpus. A corpus of the right name with another
    checksum than the one recorded is refused: its places are not those of the set.
    """
    material = corpus if isinstance(corpus, TaggedSentences) else tagged_sentences(corpus)
    name = corpus_name(material.corpus)
    _check_corpus(tagging_set, material)
    wanted = (pl.col("corpus") == name) & pl.col("paragraph").is_not_null()
    needed = tagging_set.entries.filter(wanted)["paragraph"].unique()
    texts = paragraph_texts(material.items().filter(pl.col("paragraph").is_in(needed.implode())))
    contents = [
        _text_of(entry, texts) if entry["corpus"] == name and entry["paragraph"] is not None else entry["content"]
        for entry in tagging_set.entries.iter_rows(named=True)
    ]
    entries = tagging_set.entries.with_columns(pl.Series("content", contents, dtype=pl.String))
    return replace(tagging_set, entries=check_entries(entries))


def without_text(tagging_set: TaggingSet) -> TaggingSet:
    """Return the set with references only; a sentence of no corpus keeps its text."""
    kept = pl.when(pl.col("paragraph").is_null()).then("content").alias("content")
    return replace(tagging_set, entries=tagging_set.entries.with_columns(kept))


def _check_corpus(tagging_set: TaggingSet, material: TaggedSentences) -> None:
    recorded = {corpus.name: corpus.sha256 for corpus in tagging_set.corpora}
    names = sorted({*recorded, *tagging_set.entries["corpus"].drop_nulls().unique().to_list()})
    name = corpus_name(material.corpus)
    if name not in names:
        raise UserError(
            f"No sentence of this test set stands in the corpus {name}.",
            valid=f"Its corpora: {', '.join(names) or 'none'}.",
        )
    found = held_corpus(material)
    if recorded.get(name) and recorded[name] != found.sha256:
        raise UserError(
            f"{tagged_file(material.corpus)} is not the corpus {name} of this test set: its SHA-256 is {found.sha256}.",
            valid=f"The set was made from the file with the SHA-256 {recorded[name]}.",
            remedy="Use that version of the corpus, or build the set afresh from this one.",
        )


Paragraph = tuple[bytes, dict[int, int]]
"""The running text of a paragraph, and of each sentence the byte at which it begins and the one at which it ends."""


def paragraph_texts(sentences: pl.DataFrame) -> dict[int, Paragraph]:
    """Return the running text of the paragraphs of these sentences, by the lines on which they stand."""
    texts: dict[int, Paragraph] = {}
    for paragraph, offset, content in (
        sentences.sort("paragraph", "offset").select("paragraph", "offset", "content").iter_rows()
    ):
        text, ends = texts.setdefault(paragraph, (b"", {}))
        # Between two sentences of English there is a space that belongs to neither.
        text = text.ljust(offset) + utf8(content)
        texts[paragraph] = text, {**ends, offset: len(text)}
    return texts


def _text_of(entry: dict[str, object], texts: dict[int, Paragraph]) -> str:
    paragraph, offset = int(str(entry["paragraph"])), int(str(entry["offset"]))
    text, ends = texts.get(paragraph, (b"", {}))
    size = entry.get("size")
    end = ends.get(offset) if size is None else offset + int(str(size))
    if end is None or end > len(text):
        raise UserError(
            f"The corpus {entry['corpus']} has no such sentence at byte {offset} of its paragraph {paragraph}.",
            valid="A paragraph is named by its line in the file.",
            remedy="Use the version of the corpus from which the set was made, with all of its parts.",
        )
    return text[offset:end].decode(errors="replace")
