"""Running text of corpora: sentences and words by part, for training, tuning and testing.

A corpus is read paragraph by paragraph, parted into train, dev and test by contiguous blocks (so that no article lies
on both sides), and cut into sentences and words. Sentences of more than `longest` words are dropped, as is usual with
the models compared here [1]; how many were dropped is kept.

English is read with the segmenter `english`: a space is then no sign that the words stand apart, every sentence is kept
as it was written, and sentences end where English ones do (`hengliang.corpora.plain_text`).

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Item, Span, items_frame
from hengliang.core.registry import register
from hengliang.core.signature import Signature, code_checksum, digest, file_checksum, version
from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import Offsets
from hengliang.core.text.segmentation import SPACED, Segmented, join_words, read_words, segmenter_signature, sentences
from hengliang.corpora import catalogue as sources
from hengliang.corpora.catalogue import FORMATS, find_format, plugin_formats
from hengliang.corpora.parts import BLOCK_SIZE, PARTS, Blocks, Part, blocks_of_starts, cut_blocks
from hengliang.corpora.plain_text import english_sentences, read_plain
from hengliang.corpora.tagged import TaggedParagraph, read_conllu, read_pku
from hengliang.corpora.trees.files import read_trees

# --- origin and format of a text --------------------------------------------------------------------------------------
# Text is a source of the catalogue by its name (`peoples-daily-199801`), a file of a source (`lau2015/train.txt`), a
# file by its path, or a folder of such files. The ending of a file says its format: plain text, tagged words,
# dependencies, trees in brackets, or one that a plug-in reads.

OURS = frozenset(("sinica", *(name for name, _ in FORMATS.values())))
"""The formats of running text that need no plug-in."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The files of a text, in their order, whose they are and how they are written.

    `articles` says that paragraphs belong to articles, whose beginnings can be guessed from their headlines.
    """

    name: str
    paths: tuple[Path, ...]
    licence: str
    terms: str
    format: str
    articles: bool = False

    @property
    def checksum(self) -> str:
        """The checksum of the file, or one over the names and checksums of several; a plug-in's reader counts too."""
        if len(self.paths) == 1 and self.format in OURS:
            return file_checksum(self.paths[0])
        reader = () if self.format in OURS else (find_format(self.format).code,)
        return digest(*(part for path in self.paths for part in (path.name, file_checksum(path))), *reader)


def find_origin(data: str) -> Origin:
    """Return the files that are meant by the name of a source, of a file in one, or by a path."""
    path = Path(data)
    if path.suffix in FORMATS or path.exists() or "/" in data:
        return _of_files(data, path)
    source = sources.source(data)
    if not _is_text(source):
        names = ", ".join(other.name for other in sources.list_sources() if _is_text(other))
        raise UserError(
            f"{data} is no running text.",
            valid=f"Sources: {names}; a text file of another source, as lau2015/train.txt; or a file: {formats()}.",
        )
    return Origin(
        source.name, sources.locate(data), source.licence, source.terms, source.format, articles=source.format == "pku"
    )


def _is_text(held: sources.Source) -> bool:
    """Say whether a source is one running text.

    Of a source of several plain files somebody has to say which one is meant: some are suites or ratings.
    """
    if held.format == "plain":
        return len(held.files) == 1
    return held.format in OURS or (held.format != "" and bool(find_format(held.format).endings))


def _of_files(data: str, path: Path) -> Origin:
    name, _, file = data.partition("/")
    if not path.exists() and file and any(name == source.name for source in sources.list_sources()):
        source = sources.source(name)
        paths: tuple[Path, ...] = (sources.locate(name, file),)
        return Origin(data, paths, source.licence, source.terms, _format_of_file(data, paths[0]))
    if not path.exists():
        raise UserError(f"There is no file {data}.", remedy="Check the path for a typing mistake.")
    paths = _in_folder(data, path) if path.is_dir() else (path,)
    return Origin(path.name, paths, "unclear", "a file of the user's", _format_of_file(data, paths[0]))


def _in_folder(data: str, folder: Path) -> tuple[Path, ...]:
    """Return the files of plain text in a folder by name or, where there are none, those of trees in brackets."""
    for name in ("plain", "brackets"):
        files = sorted(path for path in folder.iterdir() if FORMATS.get(path.suffix, ("", ""))[0] == name)
        if files:
            return tuple(files)
    raise UserError(
        f"In the folder {data} there is no plain text.", valid="A folder holds files *.txt, or trees in brackets."
    )


def _format_of_file(data: str, path: Path) -> str:
    if path.suffix in FORMATS:
        return FORMATS[path.suffix][0]
    for known in plugin_formats():
        if path.suffix in known.endings:
            return known.name
    raise UserError(f"{data} is in no known format of text.", valid=f"Files: {formats()}.")


def formats() -> str:
    """Return the formats that are read, for a message."""
    endings: dict[str, list[str]] = {}
    for suffix, (_, what) in FORMATS.items():
        endings.setdefault(what, []).append(f"*{suffix}")
    for known in plugin_formats():
        endings[known.name] = [f"*{suffix}" for suffix in known.endings]
    return ", ".join(f"{' '.join(suffixes)} ({what})" for what, suffixes in endings.items())


# --- sentences by part ------------------------------------------------------------------------------------------------


LONGEST = 100
NAME = "corpus sentences"
GIVEN = "given"
WHOLE = frozenset(("conllu", "brackets", "sinica"))
"""Formats of which the sentences are those of the annotators, and not cut again."""

SENTENCE_SCHEMA = {
    "part": pl.String,
    "block": pl.Int64,
    "paragraph": pl.Int64,
    "sentence": pl.Int64,
    "line": pl.String,
    "content": pl.String,
}


@dataclass(frozen=True, slots=True, eq=False)
class RunningText:
    """The sentences of a corpus, whose it is, and what was done to it.

    `sentences` has the columns part, block, paragraph (from 1), sentence (within the paragraph, from 1) and line, the
    words with spaces between them. The column `content` is the sentence as it was written where words are written with
    spaces anyway, and null where it is the words joined. `segmenter` is "given" where the corpus says what its words
    are. `dropped` counts the sentences of each part that were too long.
    """

    name: str
    licence: str
    terms: str
    checksum: str
    segmenter: str
    longest: int
    sentences: pl.DataFrame
    dropped: Mapping[Part, int]


def read_running_text(data: str, *, segmenter: str = "rjieba", longest: int = LONGEST) -> RunningText:
    """Read a source of the catalogue by its name, or a file by its path, into sentences by part.

    Files: plain text (.txt; white space means that the words stand apart, without it the segmenter finds them; with the
    segmenter `english` it always does), CoNLL-U (.conllu), the tagged format of the People's Daily (.pku), trees in
    brackets (.brackets, .mrg, .ptb, .nid, .fid). A file of a source is named after it (`lau2015/train.txt`). A folder
    stands for all files of plain text in it, by name, or of trees. A treebank's sentences are not cut again.
    """
    origin = find_origin(data)
    return _read(origin, origin.checksum, segmenter, longest)


@lru_cache(maxsize=4)
def _read(origin: Origin, checksum: str, segmenter: str, longest: int) -> RunningText:
    if longest < 1:
        raise UserError(f"Sentences of at most {longest} words: none is left.", valid="longest is 1 or more.")
    paragraphs, cutter = _paragraphs(origin, segmenter)
    blocks = _blocks(paragraphs, articles=origin.articles)
    parts = blocks.paragraph_parts
    rows, dropped = [], dict.fromkeys(PARTS, 0)
    for index, paragraph in enumerate(paragraphs):
        for number, (words, content) in enumerate(_sentences(paragraph, whole=origin.format in WHOLE), 1):
            if len(words) > longest:
                dropped[parts[index]] += 1
            else:
                rows.append((parts[index], int(blocks.numbers[index]), index + 1, number, " ".join(words), content))
    frame = pl.DataFrame(rows, schema=SENTENCE_SCHEMA, orient="row")
    return RunningText(origin.name, origin.licence, origin.terms, checksum, cutter, longest, frame, dropped)


def _sentences(paragraph: Sequence[str] | Segmented, *, whole: bool) -> Iterator[tuple[Sequence[str], str | None]]:
    """Yield the words of each sentence, and the sentence as it was written where that is known."""
    if whole and not isinstance(paragraph, Segmented):
        yield paragraph, None
    elif isinstance(paragraph, Segmented):
        yield from ((sentence.words, sentence.content) for sentence in english_sentences(paragraph))
    else:
        yield from ((words, None) for words in sentences_of(paragraph))


def _paragraphs(origin: Origin, segmenter: str) -> tuple[Sequence[Sequence[str] | Segmented], str]:
    """Return the words of each paragraph, or the paragraph as it was written with its words, and who found them."""
    if origin.format == "pku":
        return [paragraph.words for path in origin.paths for paragraph in read_pku(path)], GIVEN
    if origin.format == "conllu":
        return [sentence.words for path in origin.paths for sentence in read_conllu(path)], GIVEN
    if origin.format in WHOLE:
        return [tree.words() for tree in read_trees(origin.format, origin.paths)], GIVEN
    if origin.format == "plain":
        rows = [text for path in origin.paths for _, text in read_plain(path)]
    else:
        words, rows = _of_plugin(origin)
        if words:
            return words, GIVEN
    if segmenter in SPACED:
        return [read_words(row, segmenter) for row in rows], str(segmenter_signature(segmenter))
    spaced = all(len(row.split()) > 1 for row in rows)
    return [read_words(row, segmenter).words for row in rows], GIVEN if spaced else str(segmenter_signature(segmenter))


def _of_plugin(origin: Origin) -> tuple[list[tuple[str, ...]], list[str]]:
    """Return what the reader of a plug-in gives: the words of each paragraph or, where they are not given, its text."""
    rows = [row for path in origin.paths for row in find_format(origin.format).reader(path)]
    words = [row.words for row in rows if isinstance(row, TaggedParagraph)]
    texts = [row[1] for row in rows if isinstance(row, tuple) and [type(part) for part in row] == [int, str]]
    if not rows or len(rows) not in {len(words), len(texts)}:
        raise UserError(
            f"The reader of the format '{origin.format}' finds no text in {origin.name}, or something else besides.",
            valid="A reader yields TaggedParagraph, or pairs of line number and text.",
        )
    return words, texts


def _blocks(paragraphs: Sequence[Sequence[str] | Segmented], *, articles: bool) -> Blocks:
    """Cut into blocks; a file of which nothing is known may be cut before any paragraph, into twenty blocks or more."""
    if articles:
        return cut_blocks("".join(words) for words in paragraphs if not isinstance(words, Segmented))
    size = max(1, min(BLOCK_SIZE, len(paragraphs) // 20))
    return blocks_of_starts((True for _ in paragraphs), size)


def sentences_of(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield the words of each sentence of a paragraph; a word belongs to the sentence in which it starts."""
    content, spans = join_words(words)
    starts = [start for start, _ in spans]
    # A space before a sentence belongs to its first word, so it is the ends of sentences that cut.
    edges = [0, *(bisect_right(starts, end - 1) for _, end in sentences(content))]
    edges[-1] = len(words)
    for first, last in pairwise(edges):
        if last > first:
            yield list(words[first:last])


# --- sentences as a material ------------------------------------------------------------------------------------------


@register(NAME)
class CorpusSentences(Material):
    """The sentences of one part of a corpus, with their words as spans and their block as an attribute.

    With `most` there are at most so many of them, evenly spread over the part: some models take long for each.
    """

    name = NAME
    title = Bilingual("Sentences of a corpus", "语料句子")

    def __init__(
        self,
        data: str = sources.DEFAULT_CORPUS,
        part: Part = "test",
        segmenter: str = "rjieba",
        longest: int = LONGEST,
        most: int = 0,
    ) -> None:
        self.data = data
        self.part = part
        self.segmenter = segmenter
        self.longest = longest
        self.most = most

    def items(self) -> pl.DataFrame:
        """Return one item per sentence, in the order of the corpus; its words are the spans called `word`."""
        if self.part not in PARTS:
            raise unknown_name("part", str(self.part), PARTS)
        if self.most < 0:
            raise UserError(f"{self.most} sentences are not possible.", valid="A whole number; 0 means all.")
        text = read_running_text(self.data, segmenter=self.segmenter, longest=self.longest)
        chosen = text.sentences.filter(pl.col("part") == self.part)
        if self.most:
            chosen = chosen[spread_rows(chosen.height, self.most)]
        return items_frame(self._item(text.name, row) for row in chosen.iter_rows(named=True))

    def _item(self, source: str, row: Mapping[str, Any]) -> Item:
        content, spans = _segmented(row, self.segmenter)
        name = f"{source}-{row['paragraph']}-{row['sentence']}"
        words = tuple(Span("word", start, end) for start, end in spans)
        return Item(name, name, self.name, "", content, words, attributes={"block": row["block"]})

    def signature(self) -> Signature:
        """Return what can change the items: the corpus, the part, the longest sentence, how many, and the segmenter."""
        text = read_running_text(self.data, segmenter=self.segmenter, longest=self.longest)
        signature = Signature.of(
            material=NAME,
            corpus=text.name,
            sha256=text.checksum,
            format=find_origin(self.data).format,
            segmenter=text.segmenter,
            part=self.part,
            longest=self.longest,
            code=code_checksum(type(self)),
            hengliang=version(),
        )
        return signature.and_(most=self.most) if self.most else signature

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return what a reader of a report should know about these sentences besides their number."""
        text = read_running_text(self.data, segmenter=self.segmenter, longest=self.longest)
        words = int(items["spans"].list.len().to_numpy().sum())
        return [
            (Bilingual("Corpus", "语料"), f"{text.name} ({text.licence})"),
            (Bilingual("Part", "部分"), self.part),
            (Bilingual("Words", "词数"), f"{words:,}"),
            (Bilingual("Blocks", "文本块数"), f"{items['block'].n_unique():,}"),
            (
                Bilingual(
                    f"Sentences of more than {self.longest} words left out", f"略去的超过 {self.longest} 词的句子"
                ),
                f"{text.dropped[self.part]:,}",
            ),
        ]


def _segmented(row: Mapping[str, Any], segmenter: str) -> Segmented:
    return join_words(row["line"].split(" ")) if row["content"] is None else read_words(row["content"], segmenter)


def spread_rows(count: int, wanted: int) -> Offsets:
    """Return the numbers of so many rows that lie evenly spread.

    >>> spread_rows(10, 3).tolist()
    [0, 3, 6]
    """
    rows: Offsets = np.arange(min(count, wanted), dtype=np.int64) * count // max(1, min(count, wanted))
    return rows


def corpus_sentences(
    data: str = sources.DEFAULT_CORPUS,
    part: Part = "test",
    segmenter: str = "rjieba",
    longest: int = LONGEST,
    most: int = 0,
) -> CorpusSentences:
    """Return the sentences of one part of a corpus, or at most so many of them, evenly spread."""
    return CorpusSentences(data, part, segmenter, longest, most)
