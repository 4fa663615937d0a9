"""Batches of texts in columns: contents, and the words of texts that come with their own.

A batch has contents without the spaces that part Chinese words, and the words as byte spans where somebody has said
what they are. A model whose unit is the word asks `with_words` for the rest; a model of subwords reads the contents and
needs no words at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.text.characters import Offsets, utf8
from hengliang.core.text.segmentation import ENDS_LATIN, SPACED, STARTS_LATIN, Segmented, read_segmented
from hengliang.core.text.segmenters import cut

# What Python takes for white space; the regular expressions of polars leave out the four separators of ASCII.
_ASCII_SEPARATORS = r"\x1c-\x1f"
_SPACE = rf"\s{_ASCII_SEPARATORS}"

# A text of these characters alone is in NFC: ASCII and Latin-1, Chinese characters, Chinese, wide and general
# punctuation, arrows and boxes. None of them is a combining mark or has another form.
PLAIN = (
    "^[\\x00-\\x7e\\u00a1-\\u00ff\\u2010-\\u2027\\u2030-\\u205e\\u2190-\\u21ff\\u2460-\\u25ff"
    "\\u3000-\\u3029\\u3030-\\u303f\\u3400-\\u4dbf\\u4e00-\\u9fff\\uff01-\\uffee]*$"
)

WORD = "word"
"""The name of the spans of an item that say what its words are."""


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A batch of texts. The words of text `i` are the entries `offsets[i]:offsets[i + 1]` of `words`, `starts`, `ends`.

    `segmented` says which texts carry words. Spans are bytes of the content; a space belongs to the word after it and
    is not part of the entry in `words`.
    """

    contents: pl.Series
    words: pl.Series
    offsets: Offsets
    starts: Offsets
    ends: Offsets
    segmented: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.contents)

    def __iter__(self) -> Iterator[Segmented]:
        """Yield content and word spans of each text, for code that goes through them one by one."""
        edges = self.offsets.tolist()
        pairs = list(zip(self.starts.tolist(), self.ends.tolist(), strict=True))
        for row, content in enumerate(self.contents.to_list()):
            yield Segmented(content, pairs[edges[row] : edges[row + 1]])

    def take(self, rows: npt.ArrayLike) -> Texts:
        """Return the texts of these row numbers, in this order."""
        wanted = np.asarray(rows, np.int64)
        counts = np.diff(self.offsets)[wanted]
        places = ranges(self.offsets[:-1][wanted], counts)
        return Texts(
            self.contents.gather(wanted),
            self.words.gather(places),
            edges_of(counts),
            self.starts[places],
            self.ends[places],
            self.segmented[wanted],
        )

    def with_words(self, segmenter: str = "rjieba") -> Texts:
        """Return the texts with words everywhere: those that carry none are cut by the segmenter."""
        if self.segmented.all():
            return self
        raw = np.flatnonzero(~self.segmented)
        contents = self.contents.gather(raw).to_list()
        parts = [self.take(np.flatnonzero(self.segmented)), texts_of(cut(contents, segmenter))]
        order = np.argsort(np.concatenate([np.flatnonzero(self.segmented), raw]))
        return concat(parts).take(order)


def ranges(starts: Offsets, counts: Offsets) -> Offsets:
    """Return the concatenation of `arange(start, start + count)` over all pairs."""
    edges = edges_of(counts)
    return np.arange(edges[-1], dtype=np.int64) + np.repeat(starts - edges[:-1], counts)


def edges_of(counts: npt.ArrayLike) -> Offsets:
    """Return where each of the groups of these sizes begins and, as the last entry, where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.asarray(counts, np.int64))])


def concat(parts: Sequence[Texts]) -> Texts:
    """Return the texts of all parts, one after the other."""
    if not parts:
        return raw_texts([])
    return Texts(
        pl.concat([part.contents for part in parts]),
        pl.concat([part.words for part in parts]),
        edges_of(np.concatenate([np.diff(part.offsets) for part in parts])),
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.ends for part in parts]),
        np.concatenate([part.segmented for part in parts]),
    )


def raw_texts(contents: Iterable[str] | pl.Series) -> Texts:
    """Return texts without words, their contents taken as they are but for normalisation to NFC."""
    return _raw(_column(contents).str.normalize("NFC"))


def _column(lines: Iterable[str] | pl.Series) -> pl.Series:
    if isinstance(lines, str):
        raise UserError(
            f"'{lines[:40]}' is one text.", valid="Texts are given as a list of lines.", remedy="Write [text]."
        )
    if isinstance(lines, pl.Series):
        column = lines.cast(pl.String)
    else:
        texts = list(lines)
        try:
            column = pl.Series(texts, dtype=pl.String)
        except UnicodeEncodeError:
            column = pl.Series([utf8(line).decode() for line in texts], dtype=pl.String)
    if column.null_count():
        raise UserError(
            f"Text {int(column.is_null().arg_max() or 0) + 1} is missing.", valid="A text may be empty, but is text."
        )
    return column.alias("content")


def _raw(contents: pl.Series) -> Texts:
    none = np.zeros(0, np.int64)
    count = len(contents)
    words = pl.Series("word", [], dtype=pl.String)
    return Texts(contents, words, np.zeros(count + 1, np.int64), none, none, np.zeros(count, np.bool_))


def check_texts(texts: Texts) -> None:
    """Refuse anything but a batch of texts, which scoring would stumble over somewhere inside."""
    if isinstance(texts, Texts):
        return
    what = f"'{texts[:40]}'" if isinstance(texts, str) else f"A {type(texts).__name__}"
    raise UserError(
        f"{what} is no batch of texts.",
        valid="Texts, as read_texts and raw_texts make them from a list of lines.",
        remedy="Write: from hengliang.language_models import read_texts; model.score(read_texts([text]))",
    )


def texts_of(segmented: Iterable[Segmented]) -> Texts:
    """Return the texts of contents that come with their words as byte spans."""
    rows = list(segmented)
    counts = [len(row.spans) for row in rows]
    spans = np.array([span for row in rows for span in row.spans], np.int64).reshape(-1, 2)
    contents = pl.Series("content", [row.content for row in rows], dtype=pl.String)
    words = pl.Series("word", [word for row in rows for word in row.words], dtype=pl.String)
    return Texts(contents, words, edges_of(counts), spans[:, 0], spans[:, 1], np.ones(len(rows), np.bool_))


def read_texts(lines: Iterable[str] | pl.Series, segmenter: str = "") -> Texts:
    """Read lines: white space within a line means that its words stand apart; a line without any is raw text.

    With the segmenter of a language that is written with spaces (`english`) every line is raw text. Each line is read
    as `hengliang.core.text.segmentation.read_words` reads it, all of them together.
    """
    column = _column(lines)
    if segmenter in SPACED:
        return _raw(_trimmed(_normal(column)))
    apart = column.str.contains(f"[^{_SPACE}][{_SPACE}]+[^{_SPACE}]").to_numpy()
    if apart.all():
        return read_segmented_texts(column)
    raw = _trimmed(_normal(column.filter(pl.Series(~apart))))
    parts = [read_segmented_texts(column.filter(pl.Series(apart))), _raw(raw)]
    order = np.argsort(np.concatenate([np.flatnonzero(apart), np.flatnonzero(~apart)]))
    return concat(parts).take(order)


def _trimmed(column: pl.Series) -> pl.Series:
    return column.str.replace_all(f"^[{_SPACE}]+|[{_SPACE}]+$", "")


def _normal(column: pl.Series) -> pl.Series:
    """Return the texts in NFC; those of characters that never change are passed over, which is five times as fast."""
    return column if column.str.contains(PLAIN).all() else column.str.normalize("NFC")


def read_segmented_texts(lines: Iterable[str] | pl.Series) -> Texts:
    """Read lines whose words stand apart, as `read_segmented` does, all of them together.

    Columns are some twenty times as fast as one line after the other, and a corpus has millions of lines.
    """
    column = _column(lines)
    plain = bool(column.str.contains(PLAIN).all())
    lists = _split(column if plain else column.str.normalize("NFC"))
    counts = lists.list.len().to_numpy().astype(np.int64)
    offsets = edges_of(counts)
    words = lists.explode(empty_as_null=False, keep_nulls=False).alias("word")
    spaced = _spaced(words, offsets)
    lengths = words.str.len_bytes().to_numpy().astype(np.int64) + spaced
    ends = np.cumsum(lengths)
    base = np.repeat(np.concatenate([np.zeros(1, np.int64), ends])[offsets[:-1]], counts)
    contents = _joined(lists, words, spaced, counts)
    if not plain:
        _check_normal(contents, lists)
    everywhere = np.ones(len(counts), np.bool_)
    return Texts(contents, words, offsets, ends - lengths - base, ends - base, everywhere)


def _split(column: pl.Series) -> pl.Series:
    """Cut at white space; where it is one space between any two words a plain split does, four times as fast."""
    if column.str.contains(f"^ |  | $|^$|[^\\S ]|[{_ASCII_SEPARATORS}]").any():
        return column.str.extract_all(f"[^{_SPACE}]+")
    return column.str.split(" ")


def _spaced(words: pl.Series, offsets: Offsets) -> npt.NDArray[np.bool_]:
    """Say which words have a space before them: those that start with a Latin letter after one that ends with one."""
    starts = words.str.contains(STARTS_LATIN.pattern.join(("^(?:", ")"))).to_numpy()
    if not starts.any():
        return starts
    first = np.zeros(len(words) + 1, np.bool_)
    first[offsets[:-1]] = True
    ends = words.shift(1, fill_value="").str.contains(ENDS_LATIN.pattern.replace(r"\Z", "$")).to_numpy()
    spaced: npt.NDArray[np.bool_] = starts & ends & ~first[:-1]
    return spaced


def _joined(lists: pl.Series, words: pl.Series, spaced: npt.NDArray[np.bool_], counts: Offsets) -> pl.Series:
    """Join the words of each text; only texts that keep a space are put together word by word."""
    contents = lists.list.join("").alias("content")
    if not spaced.any():
        return contents
    rows = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    kept = np.isin(rows, rows[spaced])
    pieces = pl.DataFrame({"row": rows[kept], "piece": words.filter(pl.Series(kept)), "spaced": spaced[kept]})
    pieces = pieces.with_columns(piece=pl.when("spaced").then(" " + pl.col("piece")).otherwise("piece"))
    joined = pieces.group_by("row", maintain_order=True).agg(pl.col("piece").str.join(""))
    return contents.scatter(joined["row"], joined["piece"])


def _check_normal(contents: pl.Series, lists: pl.Series) -> None:
    """Refuse words that melt together when they are joined, with the message for the first such line."""
    broken = np.flatnonzero((contents != _normal(contents)).to_numpy())
    for row in broken[:1].tolist():
        read_segmented(" ".join(lists[row].to_list()))


def texts_of_items(items: pl.DataFrame) -> Texts:
    """Return the contents of an item table; spans called `word` are the words, and must cover the content."""
    spans = items.select(pl.col("spans").list.eval(pl.element().filter(pl.element().struct.field("name") == WORD)))
    counts = spans["spans"].list.len().to_numpy().astype(np.int64)
    if not counts.any():
        return _raw(items["content"].alias("content"))
    rows = []
    for content, words in zip(items["content"].to_list(), spans["spans"].to_list(), strict=True):
        pairs = [(word["start"], word["end"]) for word in words]
        _check_cover(content, pairs)
        rows.append(Segmented(content, pairs))
    texts = texts_of(rows)
    return Texts(texts.contents, texts.words, texts.offsets, texts.starts, texts.ends, counts > 0)


def _check_cover(content: str, spans: list[tuple[int, int]]) -> None:
    expected = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(utf8(content))]
    if spans and expected != starts:
        due, start = next(pair for pair in zip(expected, starts, strict=True) if pair[0] != pair[1])
        raise UserError(
            f"In '{content[:40]}' a word starts or the content ends at byte {start}, where {due} was expected.",
            valid="The spans called 'word' follow each other and cover the whole content.",
            remedy="Leave them out altogether and the model's own segmenter finds the words.",
        )
