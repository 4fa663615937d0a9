"""Diagnostic test sets for taggers: error pairs, entries and their checks, texts and references, file formats.

What a set consists of comes first: error pairs, the set itself and the checks of its entries. Then its text is filled
in or left out, and it is written to files and read back.

A set has items, which are error pairs; an item has words that taggers tend to get wrong in that way; a word has
sentences in which it stands with the item's gold tags [1]. Unlike in the published set, the place of the word in the
sentence is recorded. A set may hold the sentences, or only say where in which corpus they stand: the text of most
corpora may not be passed on, a reference may.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18, section 3.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Literal, get_args

import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.files import write_text
from hengliang.core.signature import Signature, digest
from hengliang.core.text.characters import utf8
from hengliang.core.text.segmentation import join_words
from hengliang.corpora import catalogue as sources
from hengliang.corpora.plain_text import decoded_lines, open_reading
from hengliang.tagging.sentences import TaggedSentences, corpus_name, read_gold, tagged_file, tagged_sentences

# --- error pairs ------------------------------------------------------------------------------------------------------
# An error pair `<[p+r], [d]>` says that words tagged p and r in the corpus come out as one word tagged d [1, section
# 2.1]. The tags that stand first are given too rarely, those that stand second too often. The pair is the unit of the
# diagnosis: errors are counted by pair, a pair that most taggers make becomes an item of the test set.

Direction = Literal["same", "finer", "coarser", "crossing"]
"""How the tagger's words lie to those of the corpus: one for one, cut finer, cut coarser, or across each other."""

DIRECTIONS: tuple[Direction, ...] = get_args(Direction)

_TAG = re.compile(r"""[^\s:+<>\[\],'"]+""")
_COMPACT = re.compile(r"([^:]+):([^:]+)")
_SIDES = r"\s*\[([^\[\]]+)\]\s*,\s*\[([^\[\]]+)\]\s*"
_BRACKETED = tuple(re.compile(form.format(_SIDES)) for form in ("<{}>", r"\[{}\]", "{}"))


@dataclass(frozen=True, slots=True, order=True)
class ErrorPair:
    """The tags of the corpus and those of a tagger for the same characters."""

    gold: tuple[str, ...]
    predicted: tuple[str, ...]

    @property
    def name(self) -> str:
        """The short name, which stands in files and on the command line: `p+r:d`."""
        return f"{'+'.join(self.gold)}:{'+'.join(self.predicted)}"

    def __str__(self) -> str:
        return f"<[{'+'.join(self.gold)}], [{'+'.join(self.predicted)}]>"

    @property
    def direction(self) -> Direction:
        """How the tagger's words lie to those of the corpus."""
        if len(self.gold) == len(self.predicted) == 1:
            return "same"
        if len(self.gold) == 1:
            return "finer"
        return "coarser" if len(self.predicted) == 1 else "crossing"

    @property
    def about_words(self) -> bool:
        """Whether the pair is about where words begin and end, and not about tags alone."""
        return self.direction != "same"


def fits_pair(tag: str) -> bool:
    """Say whether a tag can stand in a pair: it has no space and none of the signs with which a pair is written."""
    return _TAG.fullmatch(tag) is not None


def error_pair(text: str) -> ErrorPair:
    """Read a pair as we write it (`p+r:d`, `<[p+r], [d]>`) or as the paper's files do (`[['p', 'r'], ['d']]`)."""
    matched = next((match for form in (*_BRACKETED, _COMPACT) if (match := form.fullmatch(text.strip()))), None)
    sides = [_tags(side) for side in matched.groups()] if matched else []
    if not sides or not all(sides):
        raise UserError(
            f"'{text}' is no error pair.",
            valid="A pair is written p+r:d or <[p+r], [d]>: the tags of the corpus, then those of the tagger.",
        )
    return ErrorPair(sides[0], sides[1])


def _tags(side: str) -> tuple[str, ...]:
    tags = tuple(tag.strip(" '\"") for tag in re.split(r"[+,]", side))
    return tags if all(map(fits_pair, tags)) else ()


# --- test sets --------------------------------------------------------------------------------------------------------


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
        used = self.entries.select("pair", "word").unique(maintain_order=True).rows()
        return tuple(dict.fromkeys([*self.listed, *used]))

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
        n_words = self.entries.select("pair", "word").n_unique() if self.entries.height else 0
        sentences = len({sentence_key(row) for row in self.entries.iter_rows(named=True)})
        return SetSummary(len(self.pairs), len(self.words), self.entries.height, sentences, len(self.words) - n_words)

    def counts(self) -> pl.DataFrame:
        """Return one row per item: pair, words, words_without_sentence, entries."""
        words = pl.DataFrame(list(self.words), schema={"pair": pl.String, "word": pl.String}, orient="row")
        per_word = self.entries.group_by("pair", "word").agg(entries=pl.len().cast(pl.Int64))
        joined = words.join(per_word, on=["pair", "word"], how="left", maintain_order="left")
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
    used = set(tagging_set.entries.select("pair", "word").rows())
    lone = [f"{pair}\t{word}" for pair, word in tagging_set.words if (pair, word) not in used]
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
    text = raw[start:end].decode(errors="replace").strip(" ") if 0 <= start < end <= len(raw) else None
    if text is None:
        return f"the bytes {start}–{end} lie outside of the sentence, which has {len(raw)}."
    if text != word:
        return f"at the bytes {start}–{end} of the sentence stands '{text}', not '{word}'."
    size = entry.get("size")
    return f"the text has {len(raw)} bytes, not {size}." if size is not None and size != len(raw) else ""


# --- texts and references ---------------------------------------------------------------------------------------------


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
    there = held_corpus(material)
    if recorded.get(name) and recorded[name] != there.sha256:
        raise UserError(
            f"{tagged_file(material.corpus)} is not the corpus {name} of this test set: its SHA-256 is {there.sha256}.",
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


# --- files of test sets -----------------------------------------------------------------------------------------------
# A set is written to a file and read back in two formats. Ours is a tab-separated table, with a head that names the
# corpora and their checksums and ends in the signature of what follows; it records where in the sentence the word
# stands, and may leave the text of the sentences out. The plain one is that of the published set [1, section 3.2]: a
# line with # names an item, one with ## a word, and its sentences follow, one per line. There the place is not
# recorded; `hengliang.tagging.test_sets.fine_grained` finds it again.

TITLE = "# hengliang tagging set"
"""How a file in our format begins; the version of the format follows."""

LISTING_SCHEMA: dict[str, pl.DataType] = {
    "pair": pl.String(),
    "word": pl.String(),
    "content": pl.String(),
    "line": pl.Int64(),
}
"""A row of the plain format; `content` is null for a word without a sentence."""

_BREAKS = re.compile(r"[\t\n\r]")
_REMEDY = "See the format in docs/tagging-sets.md, or write the set again: hengliang taggers build"

Lines = Iterator[tuple[int, str]]


def is_set_file(path: Path | str) -> bool:
    """Say whether a file begins like one in our format."""
    checked, _, faults = open_reading(path, "utf-8", "skip")
    return next((line for _, line in decoded_lines(checked, "utf-8", faults)), "").startswith(TITLE)


# --- our format -----------------------------------------------------------------------------------------------------


def write_set(path: Path | str, tagging_set: TaggingSet, *, text: bool = False) -> None:
    """Write a set in our format; without `text` the sentences of a corpus are named by their place only."""
    written = tagging_set if text else without_text(tagging_set)
    write_text(Path(path), "".join(f"{line}\n" for line in _set_lines(written)))


def _set_lines(tagging_set: TaggingSet) -> Iterator[str]:
    yield f"{TITLE} {FORMAT_VERSION}"
    yield f"# name: {_one_line(tagging_set.name)}"
    yield f"# version: {tagging_set.version}"
    for corpus in sorted_corpora(tagging_set.corpora):
        yield f"# corpus: {_one_line(corpus.name)} {corpus.sha256 or '-'}"
    yield f"# table: {_table_digest(tagging_set.entries)}"
    yield f"# signature: {tagging_set.signature()}"
    columns = _columns(tagging_set.entries)
    yield "\t".join(columns)
    # An entry stands where its word stands, so that a word without a sentence keeps its place too.
    rows: dict[tuple[str, str], list[str]] = {word: [] for word in tagging_set.words}
    for entry in tagging_set.entries.select("pair", "word", *columns[2:]).iter_rows():
        rows[entry[0], entry[1]].append("\t".join("" if value is None else _one_line(str(value)) for value in entry))
    for word, lines in rows.items():
        yield from lines or ["\t".join([*map(_one_line, word), *[""] * (len(columns) - 2)])]


def _table_digest(entries: pl.DataFrame) -> str:
    """Return a digest of all cells of the table; the signature leaves out the parts and sentences of a corpus."""
    cells = [pl.col(name).cast(pl.String).fill_null("") for name in _columns(entries)]
    return digest(*sorted(entries.select(row=pl.concat_str(cells, separator="\t"))["row"].to_list()))


def _columns(entries: pl.DataFrame) -> list[str]:
    extra = [name for name in EXTRA_SCHEMA if name in entries.columns]
    # The sentence comes last: it is the longest.
    return [*(name for name in SET_SCHEMA if name != "content"), *extra, "content"]


def _one_line(value: str) -> str:
    if _BREAKS.search(value):
        raise UserError(f"'{value}' holds a tab or a line break.", valid="Words and sentences stand on one line each.")
    return value


def read_set(path: Path | str) -> TaggingSet:
    """Read a set in our format and check every entry, and that nothing changed since the signature was written."""
    checked, _, faults = open_reading(path, "utf-8", "raise")
    lines = decoded_lines(checked, "utf-8", faults)
    head, number, columns = _read_head(checked, lines)
    rows, places, listed = _read_rows(checked, lines, columns)
    schema = {name: {**SET_SCHEMA, **EXTRA_SCHEMA}[name] for name in columns}
    table = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")
    entries = _typed(checked, table, places, schema)
    extra = [name for name in EXTRA_SCHEMA if name in columns]
    entries = check_entries(entries.select(*SET_SCHEMA, *extra), checked, places)
    corpora = tuple(_corpus(checked, value) for value in head.get("corpus", []))
    version = _whole_number(f"{checked}, line {number}", "version", head.get("version", ["1"])[0])
    read = TaggingSet(entries, head.get("name", [""])[0], version, corpora, tuple(dict.fromkeys(listed)))
    _check_signature(checked, head, read)
    return read


def _read_head(path: Path, lines: Lines) -> tuple[dict[str, list[str]], int, list[str]]:
    """Read up to the names of the columns; `# corpus` may stand there more than once."""
    _, first = next(lines, (1, ""))
    if first != f"{TITLE} {FORMAT_VERSION}":
        newer = f"Only version {FORMAT_VERSION} of the format is read here." if first.startswith(TITLE) else ""
        raise UserError(
            f"{path} does not begin like a test set for taggers but with '{first[:40]}'.",
            valid=newer or f"The first line is '{TITLE} {FORMAT_VERSION}'.",
            remedy=_REMEDY,
        )
    head: dict[str, list[str]] = {}
    for number, line in lines:
        if not line.startswith("#"):
            return head, number, _checked_columns(path, number, line.split("\t"))
        key, _, value = line[1:].partition(":")
        head.setdefault(key.strip(), []).append(value.removeprefix(" "))
    raise UserError(f"{path} has a head but no table.", remedy=_REMEDY)


def _checked_columns(path: Path, number: int, columns: list[str]) -> list[str]:
    valid = f"Columns: {', '.join(SET_SCHEMA)}; further ones may be {', '.join(EXTRA_SCHEMA)}."
    missing = [name for name in SET_SCHEMA if name not in columns]
    strange = [name for name in columns if name not in SET_SCHEMA and name not in EXTRA_SCHEMA]
    if missing or strange or len(set(columns)) < len(columns):
        fault = (
            f"there is no column '{missing[0]}'" if missing else f"the column '{(strange or columns)[0]}' is strange"
        )
        raise UserError(f"{path}, line {number}: {fault}.", valid=valid, remedy=_REMEDY)
    return columns


def _read_rows(
    path: Path, lines: Lines, columns: list[str]
) -> tuple[list[list[str | None]], list[int], list[tuple[str, str]]]:
    rows: list[list[str | None]] = []
    places: list[int] = []
    listed: list[tuple[str, str]] = []
    pair, word = columns.index("pair"), columns.index("word")
    for number, line in lines:
        if not line:
            continue
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise UserError(
                f"{path}, line {number} has {len(cells)} cell{'s' * (len(cells) != 1)}.",
                valid=f"The table has {len(columns)} columns, apart by tabs.",
            )
        if not cells[pair] or not cells[word]:
            raise UserError(f"{path}, line {number}: an item and a word stand in every row.")
        listed.append((error_pair_name(path, number, cells[pair]), cells[word]))
        if sum(map(bool, cells)) > 2:
            rows.append([cell or None for cell in cells])
            places.append(number)
    return rows, places, listed


def error_pair_name(path: Path, number: int, text: str) -> str:
    """Return the short name of an error pair that stands on this line of a file, or say what is wrong with it."""
    try:
        return error_pair(text).name
    except UserError as error:
        raise UserError(f"{path}, line {number}: {error.problem}", valid=error.valid) from error


def _typed(path: Path, table: pl.DataFrame, places: list[int], schema: dict[str, pl.DataType]) -> pl.DataFrame:
    numbers = [name for name, kind in schema.items() if kind == pl.Int64()]
    typed = table.with_columns(pl.col(name).cast(pl.Int64, strict=False) for name in numbers)
    for name in numbers:
        wrong = (typed[name].is_null() & table[name].is_not_null()).arg_true()
        if len(wrong):
            raise _no_number(f"{path}, line {places[wrong[0]]}", name, table[name][wrong[0]])
    return typed


def _whole_number(where: str, name: str, value: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise _no_number(where, name, value) from None


def _no_number(where: str, name: str, value: str) -> UserError:
    return UserError(f"{where}: {name} '{value}' is no whole number.", valid="A number is written 12, without spaces.")


def _corpus(path: Path, value: str) -> HeldCorpus:
    name, _, checksum = value.rpartition(" ")
    if not name or not re.fullmatch(r"[0-9a-f]{64}|-", checksum):
        raise UserError(
            f"{path}: '# corpus: {value}' names no corpus.", valid="The name of a corpus, a space, its SHA-256 or '-'."
        )
    return HeldCorpus(name, "" if checksum == "-" else checksum)


def _check_signature(path: Path, head: dict[str, list[str]], found: TaggingSet) -> None:
    if "signature" not in head:
        return
    written = {key: head.get(key, [""])[0] for key in ("signature", "table")}
    remedy = "If you changed it yourself, raise its version and take the line '# signature' out."
    if written["signature"] != str(found.signature()):
        raise UserError(
            f"{path} was changed after it was written: its entries have the signature {found.signature()}.",
            valid=f"In its head stands {written['signature']}.",
            remedy=remedy,
        )
    if written["table"] and written["table"] != _table_digest(found.entries):
        problem = f"{path} was changed after it was written: a sentence or a part of the corpus is another one."
        raise UserError(problem, remedy=remedy)


# --- the plain format -----------------------------------------------------------------------------------------------


def read_listing(path: Path | str, encoding: str = "utf-8") -> pl.DataFrame:
    """Read a set in the plain format as a table of items, words and sentences (`LISTING_SCHEMA`)."""
    checked, codec, faults = open_reading(path, encoding, "raise")
    rows: list[tuple[str, str, str | None, int]] = []
    pair = word = ""
    for number, line in decoded_lines(checked, codec, faults):
        text = unicodedata.normalize("NFC", line.strip())
        if not text:
            continue
        if text.startswith("##"):
            word = text[2:].strip()
            if not pair or not word:
                raise _misplaced(checked, number, "a word without an item" if word else "an item's word is empty")
            rows.append((pair, word, None, number))
        elif text.startswith("#"):
            pair, word = error_pair_name(checked, number, text[1:]), ""
        elif not word:
            raise _misplaced(checked, number, "a sentence without a word")
        else:
            rows.append((pair, word, text, number))
    if not rows:
        raise UserError(f"{checked} holds no words to test.", valid=_PLAIN_FORM)
    return _without_headings(pl.DataFrame(rows, schema=LISTING_SCHEMA, orient="row"))


_PLAIN_FORM = "Lines: # [['p', 'r'], ['d']] for an item, ## 就此 for a word, then its sentences."


def _misplaced(path: Path, number: int, fault: str) -> UserError:
    return UserError(f"{path}, line {number}: {fault}.", valid=_PLAIN_FORM)


def _without_headings(rows: pl.DataFrame) -> pl.DataFrame:
    """Drop the row of a word that has sentences: they follow it and name it too."""
    sentences = pl.col("content").is_not_null().sum().over("pair", "word")
    twice = pl.col("content").is_null() & ~pl.struct("pair", "word").is_first_distinct()
    return rows.filter(pl.col("content").is_not_null() | ((sentences == 0) & ~twice))


def write_listing(path: Path | str, tagging_set: TaggingSet, *, line_end: str = "\r\n") -> None:
    """Write a set in the plain format, as published with the line ends of Windows; places and gold words are lost."""
    if not tagging_set.has_text:
        raise UserError(
            "The plain format holds sentences, but this set holds only where they stand.",
            remedy="Take them from the corpus first: filled(tagging_set, corpus).",
        )
    write_text(Path(path), "".join(line + line_end for line in _listing_lines(tagging_set)))


def _listing_lines(tagging_set: TaggingSet) -> Iterator[str]:
    sentences: dict[str, dict[str, list[str]]] = {pair: {} for pair in tagging_set.pairs}
    for pair, word in tagging_set.words:
        sentences[pair][word] = []
    for pair, word, content in tagging_set.entries.select("pair", "word", "content").iter_rows():
        sentences[pair][word].append(content)
    for pair, words in sentences.items():
        named = error_pair(pair)
        yield f"# {[list(named.gold), list(named.predicted)]}"
        for word, contents in words.items():
            yield f"## {_readable(word)}"
            yield from map(_readable, contents)


def _readable(text: str) -> str:
    """Refuse what would be read back as something else."""
    if text != text.strip() or not text or text.startswith("#") or _BREAKS.search(text):
        raise UserError(
            f"'{text}' cannot stand in the plain format.",
            valid="There a text has no line break, no white space around it, and does not begin with #.",
            remedy="Write the set in our own format: write_set(path, tagging_set, text=True).",
        )
    return text
