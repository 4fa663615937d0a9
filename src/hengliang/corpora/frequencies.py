"""Word frequencies: from a table of one's own, a corpus, or the vocabulary of a trained model.

A table has two columns parted by a tab, a word and its count. The vocabulary of a trained model (`vocabulary.tsv`) is
such a table; its symbols for unknown words count towards the total and are not words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.io.delimited import read_text_lines
from hengliang.core.signature import Signature, digest
from hengliang.corpora.catalogue import DEFAULT_CORPUS
from hengliang.corpora.parts import PARTS, Part
from hengliang.corpora.running_text import read_running_text

_EDGE = re.compile(r"</?s>")
_UNKNOWN = re.compile(r"<unk(?::.*)?>")
_HEADER = ("word", "count")


@dataclass(frozen=True, slots=True, eq=False)
class FrequencyTable:
    """How often each word occurs among `total` words; `name` says where."""

    name: str
    counts: Mapping[str, int]
    total: int
    checksum: str

    def __len__(self) -> int:
        return len(self.counts)

    def __contains__(self, word: str) -> bool:
        return word in self.counts

    def count(self, word: str) -> int:
        """Return how often a word occurs; one that does not has 0."""
        return self.counts.get(word, 0)

    def per_million(self, word: str) -> float:
        """Return how often a word occurs in a million words."""
        return 1e6 * self.count(word) / self.total

    def signature(self) -> Signature:
        """Return what can change a count: which table, and what stands in it."""
        return Signature.of(frequencies=self.name, checksum=self.checksum, words=len(self.counts), total=self.total)


def frequency_table(counts: Mapping[str, int], name: str, *, unknown: int = 0) -> FrequencyTable:
    """Return a table of these counts; `unknown` tokens are counted in the total without being words."""
    wrong = [word for word, count in counts.items() if count < 0 or not word]
    if wrong:
        raise UserError(f"{name} counts the word '{wrong[0]}' {counts[wrong[0]]} times.", valid="A count is 0 or more.")
    seen = {word: count for word, count in counts.items() if count}
    if not seen:
        raise UserError(f"{name} counts no word.", valid="Each line is a word, a tab and a count above 0.")
    ordered = dict(sorted(seen.items()))
    checksum = digest(*(f"{word}\t{count}" for word, count in ordered.items()), str(unknown))
    return FrequencyTable(name, MappingProxyType(ordered), sum(ordered.values()) + unknown, checksum)


def count_words(sentences: Iterable[Iterable[str]], name: str) -> FrequencyTable:
    """Count the words of sentences that have been cut into words."""
    return frequency_table(Counter(word for sentence in sentences for word in sentence), name)


def read_frequencies(path: Path | str) -> FrequencyTable:
    """Read a table from a file: a word and its count on each line, apart by a tab; further columns are passed over.

    A first line `word⇥count` is a header. A model's `vocabulary.tsv` is read as such a table too.
    """
    file = Path(path)
    counts: dict[str, int] = {}
    unknown = 0
    for number, line in enumerate(read_text_lines(file), 1):
        word, count = _row(file, number, line)
        if count is None or _EDGE.fullmatch(word):
            continue
        if _UNKNOWN.fullmatch(word):
            unknown += count
        elif word in counts:
            raise UserError(f"{file}, line {number} counts '{word}' a second time.", remedy="Join the two lines.")
        else:
            counts[word] = count
    return frequency_table(counts, file.name, unknown=unknown)


def _row(file: Path, number: int, line: str) -> tuple[str, int | None]:
    """Return the word and count of a line; a blank line and a header have no count."""
    cells = line.split("\t")
    if not line.strip() or (number == 1 and tuple(cells[:2]) == _HEADER):
        return "", None
    if len(cells) < 2 or not cells[0] or not cells[1].strip().isdecimal():
        raise UserError(
            f"{file}, line {number} is '{line}'.",
            valid="Each line is a word, a tab and a count in digits, for example: 医生⇥120 (⇥ is the tab).",
        )
    return cells[0], int(cells[1])


@lru_cache(maxsize=4)
def corpus_frequencies(data: str = DEFAULT_CORPUS, part: Part = "train") -> FrequencyTable:
    """Count the words of one part of a corpus, given by its name in the catalogue or by its path."""
    if part not in PARTS:
        raise UserError(f"A corpus has no part '{part}'.", valid=f"Parts: {', '.join(PARTS)}.")
    text = read_running_text(data)
    words = text.sentences.filter(pl.col("part") == part)["line"].str.split(" ").explode()
    counted = words.value_counts(name="count")
    counts = dict(zip(counted["line"].to_list(), counted["count"].to_list(), strict=True))
    return frequency_table(counts, f"{text.name}, {part}")
