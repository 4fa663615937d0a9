"""Tagged sentences: a segmented and part-of-speech tagged corpus as material, and the places of its words.

The chapter holds the material, the corpus files from which it is read, and the search for words in it, by which test
sets are built and training sentences chosen.

The material on which taggers are compared: one item per sentence, its text without the spaces between words, and as
gold the words with their tags (`就/p 此/r`). A sentence is kept by its place: the line of its paragraph in the file and
the byte at which it starts there, so that whoever has the corpus finds it again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import ITEM_SCHEMA, check_items
from hengliang.core.registry import register
from hengliang.core.signature import Signature, code_checksum, version
from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import utf8
from hengliang.core.text.segmentation import join_words, sentences
from hengliang.corpora import catalogue as sources
from hengliang.corpora.parts import PARTS, Part, blocks_of_starts, cut_blocks
from hengliang.corpora.plain_text import Faults, OnBroken
from hengliang.corpora.tagged import TaggedParagraph, read_conllu, read_pku

# --- the material -----------------------------------------------------------------------------------------------------


NAME = "tagged_sentences"

TaggedSpan = tuple[int, int, str]
"""A word as its first byte, the byte after its last, and its tag."""


def gold_text(words: Sequence[str], tags: Sequence[str]) -> str:
    """Return words with their tags as one line: `就/p 此/r`."""
    return " ".join(f"{word}/{tag}" for word, tag in zip(words, tags, strict=True))


def read_gold(gold: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words and the tags of a line that `gold_text` wrote; the tag follows the last slash."""
    pairs = [token.rpartition("/") for token in gold.split(" ") if token]
    for word, _, tag in pairs:
        if not word or not tag:
            raise UserError(f"'{gold}' is no tagged text.", valid="Tagged text is word/tag word/tag.")
    return tuple(word for word, _, _ in pairs), tuple(tag for _, _, tag in pairs)


def gold_spans(gold: str) -> list[TaggedSpan]:
    """Return the words of an item's gold as byte spans of its content, with their tags."""
    words, tags = read_gold(gold)
    _, spans = join_words(words)
    return [(start, end, tag) for (start, end), tag in zip(spans, tags, strict=True)]


@register(NAME)
class TaggedSentences(Material):
    """The sentences of a tagged corpus, or of some of its parts, with the annotators' words and tags as gold.

    `corpus` is a name of the catalogue or the path of a file: CoNLL-U by its ending, else the PKU format. `parts` are
    train, dev and test; none named means all.
    """

    name = NAME
    title = Bilingual("Tagged sentences", "带词性标注的句子")

    def __init__(
        self,
        corpus: str | Path = sources.DEFAULT_CORPUS,
        parts: Sequence[Part] = (),
        encoding: str = "utf-8",
        errors: OnBroken = "raise",
    ) -> None:
        self.corpus = corpus
        self.parts: tuple[str, ...] = (parts,) if isinstance(parts, str) else tuple(parts)
        self.encoding = encoding
        self.errors = errors

    def items(self) -> pl.DataFrame:
        """Return one item per sentence, in the order of the corpus."""
        for part in self.parts:
            if part not in PARTS:
                raise unknown_name("part", str(part), PARTS)
        path = tagged_file(self.corpus)
        frame = _sentences(path, sources.checksum(path), corpus_name(self.corpus), self.encoding, self.errors)
        if not self.parts:
            return frame
        chosen = frame.filter(pl.col("corpus_part").is_in(list(self.parts)))
        if not chosen.height:
            raise UserError(
                f"The {' and '.join(self.parts)} part of {self.corpus} is empty: the corpus is too short to be cut.",
                valid="Of each ten blocks of about fifty paragraphs the fifth is dev and the tenth is test.",
                remedy="Use the whole corpus: name no part.",
            )
        return chosen

    def signature(self) -> Signature:
        """Return what can change the items: the corpus, the parts and what happens to broken lines."""
        return Signature.of(
            material=NAME,
            corpus=corpus_name(self.corpus),
            sha256=sources.checksum(tagged_file(self.corpus)),
            parts="+".join(self.parts) or "all",
            encoding=self.encoding,
            broken_lines=self.errors,
            code=code_checksum(type(self)),
            hengliang=version(),
        )

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return what a reader of a report should know about these sentences besides their number."""
        return [
            (Bilingual("Corpus", "语料"), corpus_name(self.corpus)),
            (Bilingual("Parts", "部分"), ", ".join(self.parts) or "all"),
            (Bilingual("Words", "词数"), f"{int(items['words'].sum()):,}"),
            (Bilingual("Characters", "字数"), f"{int(items['content'].str.len_chars().sum()):,}"),
        ]


def tagged_sentences(
    corpus: str | Path = sources.DEFAULT_CORPUS,
    parts: Sequence[Part] = (),
    encoding: str = "utf-8",
    errors: OnBroken = "raise",
) -> TaggedSentences:
    """Return the sentences of a tagged corpus with their words and tags."""
    return TaggedSentences(corpus, parts, encoding, errors)


# --- the corpus -----------------------------------------------------------------------------------------------------

_SHORT_NAMES = {sources.DEFAULT_CORPUS: "pd199801"}


def tagged_file(corpus: str | Path) -> Path:
    """Return the file of a tagged corpus that is given by its path or by its name in the catalogue."""
    if _is_path(corpus):
        return Path(corpus)
    source = sources.source(str(corpus))
    problem = f"{source.name} is no corpus of tagged words that can be read whole."
    files = "the path of a file: .conllu, or word/tag tokens, a paragraph a line"
    sources.check_format(source, "pku", problem, files=files)
    return sources.locate(source.name)[0]


def broken_lines(corpus: str | Path, encoding: str = "utf-8") -> tuple[int, tuple[UserError, ...]]:
    """Return how many lines of a corpus cannot be read, and what is wrong with the first of them."""
    path = tagged_file(corpus)
    read = read_conllu if path.suffix.lower() == ".conllu" else read_pku
    reading = read(path, encoding=encoding, errors="skip")
    for _ in reading:
        pass
    return reading.skipped, reading.problems


def corpus_name(corpus: str | Path) -> str:
    """Return the short name of a corpus, which stands in the ids of its sentences."""
    return Path(corpus).stem.replace(" ", "-") if _is_path(corpus) else _SHORT_NAMES.get(str(corpus), str(corpus))


def _is_path(corpus: str | Path) -> bool:
    return isinstance(corpus, Path) or bool(Path(corpus).suffix) or Path(corpus).exists()


@lru_cache(maxsize=4)
def _sentences(path: Path, checksum: str, name: str, encoding: str, errors: OnBroken) -> pl.DataFrame:
    """Read a corpus; `checksum` is only there so that a file that has changed is read again."""
    if path.suffix.lower() == ".conllu":
        paragraphs = list(read_conllu(path, encoding=encoding, errors=errors))
        # Sentences of a treebank stand alone: any place is as good a place to begin a block as another.
        blocks = blocks_of_starts(True for _ in paragraphs)
    else:
        paragraphs = list(read_pku(path, encoding=encoding, errors=errors))
        blocks = cut_blocks(paragraph.text for paragraph in paragraphs)
    faults = Faults(errors)
    rows: list[tuple[str, str, int, int, int, int, str]] = []
    for paragraph, block, part in zip(paragraphs, blocks.numbers.tolist(), blocks.paragraph_parts, strict=True):
        try:
            cut = list(_cut(paragraph))
        except UserError as error:
            problem = f"{path}, line {paragraph.number}: {error.problem}"
            remedy = "Correct it, or leave it out: errors='skip', or --errors skip."
            faults.note(UserError(problem, valid=error.valid, remedy=remedy))
            continue
        for offset, content, words in cut:
            gold = gold_text(paragraph.words[words.start : words.stop], paragraph.tags[words.start : words.stop])
            rows.append((content, gold, paragraph.number, offset, len(words), block, part))
    return _items(name, rows)


def _items(name: str, rows: list[tuple[str, str, int, int, int, int, str]]) -> pl.DataFrame:
    columns = ("content", "gold", "paragraph", "offset", "words", "block", "corpus_part")
    numbers = dict.fromkeys(("paragraph", "offset", "words", "block"), pl.Int64())
    texts = dict.fromkeys(("content", "gold", "corpus_part"), pl.String())
    frame = pl.DataFrame(rows, schema={column: {**numbers, **texts}[column] for column in columns}, orient="row")
    identity = pl.concat_str(pl.lit(name), "paragraph", "offset", separator="-")
    filled = frame.with_columns(
        id=identity,
        set=identity,
        material=pl.lit(NAME),
        condition=pl.lit(""),
        spans=pl.lit([], dtype=ITEM_SCHEMA["spans"]),
        source=pl.lit(""),
    )
    return check_items(filled.select(*ITEM_SCHEMA, *columns[2:]))


def _cut(paragraph: TaggedParagraph) -> Iterator[tuple[int, str, range]]:
    """Give of each sentence the byte at which it starts in the text of its paragraph, its content and its words."""
    content, spans = join_words(paragraph.words)
    text = utf8(content)
    starts = [start for start, _ in spans]
    # A word belongs to the sentence in which it starts; a space before a sentence belongs to its first word, so it is
    # the ends of sentences that cut.
    edges = [0, *(bisect_right(starts, end - 1) for _, end in sentences(content))]
    edges[-1] = len(starts)
    for first, last in pairwise(edges):
        if last > first:
            # No sentence begins with the space that parts it from the one before.
            offset = starts[first] + text.startswith(b" ", starts[first])
            yield offset, text[offset : spans[last - 1][1]].decode(), range(first, last)


# --- places of words --------------------------------------------------------------------------------------------------
# Where in the sentences of a tagged corpus a word stands with given tags. A test set is built from these places, and
# training sentences are chosen by them. All words of the corpus lie in one table; a word that the annotators cut in
# two (就/p 此/r) is found as several words in a row.

PLACE_SCHEMA: dict[str, pl.DataType] = {
    "item": pl.String(),
    "word": pl.String(),
    "tags": pl.String(),
    "start": pl.Int64(),
    "end": pl.Int64(),
    "gold": pl.String(),
}
"""A place: the sentence's id, the word and its tags (`p+r`), where it stands in bytes, and the annotators' words."""


def tagged_words(sentences: pl.DataFrame) -> pl.DataFrame:
    """Return one row per word of the sentences (items with `id`, `content`, `gold`): row, start, end, token, form, tag.

    `row` counts the sentences from 0, `token` is `就/p`, and `form` is the word in NFC.
    """
    rows = sentences.select("content", "gold").with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))
    words = (
        rows.select("row", token=pl.col("gold").str.split(" "))
        .explode("token")
        .filter(pl.col("token").fill_null("") != "")
        .with_columns(
            form=pl.col("token").str.replace(r"/[^/]*$", "").str.normalize("NFC"),
            tag=pl.col("token").str.extract(r"/([^/]*)$"),
        )
    )
    words = words.with_columns(end=pl.col("form").str.len_bytes().cast(pl.Int64).cum_sum().over("row"))
    words = words.with_columns(start=pl.col("end") - pl.col("form").str.len_bytes().cast(pl.Int64))
    return _with_spaces(rows, words).select("row", "start", "end", "token", "form", "tag")


def _with_spaces(rows: pl.DataFrame, words: pl.DataFrame) -> pl.DataFrame:
    """Correct the places in sentences that hold spaces, which are those longer than their words."""
    sizes = words.group_by("row").agg(size=pl.col("end").max())
    longer = rows.join(sizes, on="row").filter(pl.col("content").str.len_bytes() != pl.col("size")).sort("row")
    if not longer.height:
        return words
    spans = [
        (row, number, start, end)
        for row, gold in longer.select("row", "gold").iter_rows()
        for number, (start, end, _) in enumerate(gold_spans(gold))
    ]
    right = pl.DataFrame(
        spans, schema={"row": pl.Int64, "place": pl.Int64, "start": pl.Int64, "end": pl.Int64}, orient="row"
    )
    counted = words.with_columns(place=pl.int_range(pl.len(), dtype=pl.Int64).over("row"))
    joined = counted.join(right, on=["row", "place"], how="left", suffix="_right", maintain_order="left")
    return joined.with_columns(start=pl.coalesce("start_right", "start"), end=pl.coalesce("end_right", "end"))


def tagged_places(sentences: pl.DataFrame, wanted: pl.DataFrame) -> pl.DataFrame:
    """Return where each `word` of `wanted` stands with its `tags` (`p+r`): by word and tags, then in text order.

    A word counts only where the annotators' words begin and end with it. A space that belongs to the word, as between
    two words of English, lies inside the place.
    """
    for name in ("word", "tags"):
        if name not in wanted.columns:
            raise UserError(f"The words that are looked for have no column '{name}'.", valid="Columns: word, tags.")
    words = tagged_words(sentences)
    keys = wanted.select("word", "tags").unique().with_columns(form=pl.col("word").str.replace_all(" ", ""))
    keys = keys.with_columns(length=pl.col("tags").str.count_matches(r"\+") + 1)
    by_length = [_rows_of_words(words, keys.filter(pl.col("length") == length), length) for length in _lengths(keys)]
    places = (
        pl.concat(by_length)
        if by_length
        else words.clear().with_columns(word=pl.lit(""), tags=pl.lit(""), gold=pl.lit(""))
    )
    ids = sentences.select(item="id").with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))
    placed = places.join(ids, on="row", how="left").sort("tags", "word", "row", "start")
    return placed.select(pl.col(name).cast(kind) for name, kind in PLACE_SCHEMA.items())


def _lengths(keys: pl.DataFrame) -> list[int]:
    return sorted(keys["length"].unique().to_list())


def _rows_of_words(words: pl.DataFrame, keys: pl.DataFrame, length: int) -> pl.DataFrame:
    """Return where `length` words in a row have the tags and together the form of one of the keys."""
    steps = range(length)
    rows = words.select(
        "row",
        "start",
        same=pl.col("row") == pl.col("row").shift(1 - length),
        end=pl.col("end").shift(1 - length),
        tags=pl.concat_str([pl.col("tag").shift(-step) for step in steps], separator="+"),
        form=pl.concat_str([pl.col("form").shift(-step) for step in steps]),
        gold=pl.concat_str([pl.col("token").shift(-step) for step in steps], separator=" "),
    )
    return rows.filter("same").join(keys, on=["tags", "form"]).select("row", "start", "end", "word", "tags", "gold")
