"""Which sentences of a tagged corpus are whole and plain enough to be changed?

A changed sentence says something about a language model only if the original is a good sentence by itself. So all that
is no sentence, or only a piece of one, is left out; `is_plain` says what. What is left is drawn by lot: the lot of a
sentence depends on the seed and on its id alone, so that a larger sample holds every smaller one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.signature import digest
from hengliang.core.text.segmentation import join_words
from hengliang.corpora import catalogue as sources
from hengliang.corpora.parts import PARTS, Part
from hengliang.corpora.running_text import LONGEST, RunningText, read_running_text, sentences_of
from hengliang.corpora.tagged import read_pku

ENDS = frozenset("。！？")
_NAMES = frozenset(("nr", "ns", "nt", "nz", "t"))
_MORPHEMES = frozenset(("Ag", "Bg", "Dg", "Mg", "Ng", "Rg", "Tg", "Vg"))
_BRACKETS = frozenset("（）()〔〕【】［］[]{}｛｝")
_PAIRS = {"“": "”", "‘": "’", "《": "》", "〈": "〉", "「": "」", "『": "』"}
_CONTINUED = frozenset("；;：:—…")
_DATELINES = frozenset(("电", "讯", "摄", "综述", "图片", "附图"))
_MOST_PAUSES = 3
_MOST_MORPHEMES = 2
_MARK = "w"


@dataclass(frozen=True)
class Sentence:
    """A sentence with one PKU tag a word; `id` says where in the corpus it stands."""

    id: str
    words: tuple[str, ...]
    tags: tuple[str, ...]
    block: int = 0

    @cached_property
    def content(self) -> str:
        """The sentence as written."""
        return join_words(self.words).content

    @cached_property
    def entities(self) -> tuple[bool, ...]:
        """For each word whether it is a name, a time or a number in digits."""
        return tuple(is_entity(word, tag) for word, tag in zip(self.words, self.tags, strict=True))

    @cached_property
    def quoted(self) -> tuple[bool, ...]:
        """For each word whether it stands between quotation or title marks, the marks included: nothing is changed."""
        depth, inside = 0, []
        for word in self.words:
            depth += word in _PAIRS
            inside.append(depth > 0)
            depth -= word in _PAIRS.values()
        return tuple(inside)

    @cached_property
    def clauses(self) -> tuple[range, ...]:
        """The stretches of words between punctuation marks; quotation and title marks do not end one, 、 does."""
        found, start = [], 0
        for place, (word, tag) in enumerate(zip(self.words, self.tags, strict=True)):
            if tag == _MARK and word not in _PAIRS and word not in _PAIRS.values():
                found.append(range(start, place))
                start = place + 1
        found.append(range(start, len(self.words)))
        return tuple(clause for clause in found if clause)

    def tag(self, place: int) -> str:
        """Return the tag of a word; before the first and after the last there is a mark."""
        return self.tags[place] if 0 <= place < len(self.tags) else _MARK

    def word(self, place: int) -> str:
        """Return a word; before the first and after the last there is none."""
        return self.words[place] if 0 <= place < len(self.words) else ""

    def is_open(self, *places: int) -> bool:
        """Say whether all these words may be changed: they are there, and none of them is quoted."""
        return all(0 <= place < len(self.words) and not self.quoted[place] for place in places)


def is_entity(word: str, tag: str) -> bool:
    """Say by the gold tag whether a word is a name, a time, or a number written in digits."""
    return tag in _NAMES or (tag == "m" and any(character.isdigit() for character in word))


def is_plain(sentence: Sentence, shortest: int, longest: int, before: str = "") -> bool:
    """Say whether a sentence is whole, plain and of the right length; `before` is the sentence before it, if any.

    It ends in 。！？ and holds a verb; it does not go on a sentence that ended in ； or ：; quotation and title marks
    come in pairs, and there are no other brackets; it is no list (more than three 、, or a number and 、 in front), no
    dateline or caption, and not in the literary language, which shows in single morphemes (tags like Ng).
    """
    words, tags = sentence.words, sentence.tags
    if not shortest <= len(words) <= longest or words[-1] not in ENDS or "v" not in tags:
        return False
    if (before and before[-1] in _CONTINUED) or tags[0] == _MARK or (tags[0] == "m" and words[1] == "、"):
        return False
    if not _BRACKETS.isdisjoint("".join(words)) or not _DATELINES.isdisjoint(words):
        return False
    if words.count("、") > _MOST_PAUSES or sum(tag in _MORPHEMES for tag in tags) > _MOST_MORPHEMES:
        return False
    return _is_balanced(words) and all(word not in ENDS for word in words[:-1])


def _is_balanced(words: Sequence[str]) -> bool:
    opened: list[str] = []
    for word in words:
        if word in _PAIRS:
            opened.append(_PAIRS[word])
        elif word in _PAIRS.values() and (not opened or opened.pop() != word):
            return False
    return not opened


# --- a corpus -------------------------------------------------------------------------------------------------------


def corpus_path(data: str) -> Path:
    """Return the file of a corpus with PKU tags, given by its name in the catalogue or by its path."""
    path = Path(data)
    if path.suffix == ".pku" and path.exists():
        return path
    if path.suffix or "/" in data:
        raise UserError(
            f"{data} is no corpus with PKU tags.",
            valid="A name of the catalogue, or the path of a file *.pku (word/tag, a paragraph a line).",
        )
    return sources.locate(data)[0]


def read_text(data: str) -> RunningText:
    """Read a corpus with PKU tags into sentences by part."""
    corpus_path(data)
    return read_running_text(data)


@lru_cache(maxsize=2)
def _contents(data: str, checksum: str) -> Mapping[str, int]:
    lines = read_text(data).sentences["line"].to_list()
    return Counter(join_words(line.split(" ")).content for line in lines)


def corpus_contents(data: str) -> Mapping[str, int]:
    """Return every sentence of a corpus as written, and how often it occurs."""
    return _contents(data, read_text(data).checksum)


def plain_sentences(data: str, part: Part, shortest: int, longest: int) -> list[Sentence]:
    """Return the sentences of a part that may be changed, in the order of the corpus, each of them unique in it."""
    if part not in PARTS:
        raise unknown_name("part", str(part), PARTS)
    if not 2 <= shortest <= longest <= LONGEST:
        raise UserError(
            f"Sentences of {shortest} to {longest} words cannot be drawn.", valid=f"2 ≤ shortest ≤ longest ≤ {LONGEST}."
        )
    text, seen = read_text(data), corpus_contents(data)
    kept = []
    before = ""
    for sentence in _tagged(data, text, part):
        follows = sentence.id.endswith("-1")
        if is_plain(sentence, shortest, longest, "" if follows else before) and seen[sentence.content] == 1:
            kept.append(sentence)
        before = sentence.words[-1]
    return kept


def _tagged(data: str, text: RunningText, part: Part) -> Iterator[Sentence]:
    """Read the corpus again with its tags; paragraphs are counted as they are in the running text."""
    chosen = text.sentences.filter(pl.col("part") == part).unique("paragraph", maintain_order=True)
    blocks = dict(zip(chosen["paragraph"].to_list(), chosen["block"].to_list(), strict=True))
    for number, paragraph in enumerate(read_pku(corpus_path(data)), 1):
        if number not in blocks:
            continue
        first = 0
        for place, words in enumerate(sentences_of(paragraph.words), 1):
            tags = paragraph.tags[first : first + len(words)]
            first += len(words)
            yield Sentence(f"{text.name}-{number}-{place}", tuple(words), tags, blocks[number])


def draw(sentences: Iterable[Sentence], count: int, seed: int) -> list[Sentence]:
    """Return `count` sentences by lot, or all where there are fewer, in their order."""
    held = list(sentences)
    lots = sorted((digest(str(seed), sentence.id), place) for place, sentence in enumerate(held))
    return [held[place] for place in sorted(place for _, place in lots[:count])]
