"""Train, dev and test parts of a corpus without document ids: contiguous blocks that keep articles together.

No article shall lie on both sides of a border. Paragraphs stay in their order. A block is a contiguous stretch of about
`size` paragraphs that begins where an article seems to begin: with a headline, which is short, does not end like a
sentence, and follows a paragraph that does. A headline with a dateline soon after it (本报北京电, 新华社讯) is certain;
one without may be a heading within an article and is taken only when the block has grown to half as much again. Blocks
go to the parts by their place alone: of each ten the fifth to `dev`, the tenth to `test`, the others to `train`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, tee
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import UserError

Part = Literal["train", "dev", "test"]
PARTS: tuple[Part, ...] = get_args(Part)
_TRAIN: tuple[Part, ...] = ("train",)
PART_CYCLE: tuple[Part, ...] = (*_TRAIN * 4, "dev", *_TRAIN * 4, "test")
"""The parts of ten blocks that follow each other, over and over."""

BLOCK_SIZE = 50

Start = Literal[0, 1, 2]
"""Whether a paragraph begins an article: 0 no, 1 perhaps, 2 surely."""

_LONGEST_HEADLINE = 45
_SENTENCE_END = re.compile(r"[。！？…!?.]['\"”’』」）)]*(?:[（(][^（()）]*[）)])?$")
_REMARK_END = re.compile(r"[）)]$")
_NO_HEADLINE_END = re.compile(r"[。！？；：，、…!?;:,.]['\"”’』」]*$|[”』」]$|[^片张][）)]$")
_DATELINE = re.compile(r"(?:据?新华社|本报|本刊|据[^，。]{2,8}社)[^。]{0,40}?(?:电|讯|报道)")
_DATELINE_WITHIN = 3


class Blocks(NamedTuple):
    """The block of every paragraph, counted from 0, and the part of every block."""

    numbers: npt.NDArray[np.int64]
    parts: tuple[Part, ...]

    @property
    def paragraph_parts(self) -> list[Part]:
        """The part of every paragraph."""
        return [self.parts[number] for number in self.numbers.tolist()]


def cut_blocks(texts: Iterable[str], size: int = BLOCK_SIZE) -> Blocks:
    """Cut paragraphs into contiguous blocks of about `size`, each of which begins where an article seems to begin."""
    return blocks_of_starts(article_starts(texts), size)


def blocks_of_starts(starts: Iterable[Start | bool], size: int = BLOCK_SIZE) -> Blocks:
    """Cut paragraphs into blocks where it is known, or guessed, which of them begin an article.

    For a corpus with document ids give True where the id changes.
    """
    if size < 1:
        raise UserError(f"A block cannot have {size} paragraphs.", valid="The size of a block is at least 1.")
    numbers: list[int] = []
    block, paragraphs = 0, 0
    for start in starts:
        certain = start is True or start == 2
        if (certain and paragraphs >= size) or (start and paragraphs >= size + size // 2):
            block += 1
            paragraphs = 0
        numbers.append(block)
        paragraphs += 1
    return Blocks(np.array(numbers, dtype=np.int64), parts_of_blocks(block + 1 if numbers else 0))


def parts_of_blocks(count: int) -> tuple[Part, ...]:
    """Return the parts of `count` blocks, by their place in the cycle of ten."""
    return tuple(PART_CYCLE[number % len(PART_CYCLE)] for number in range(count))


def article_starts(texts: Iterable[str]) -> Iterator[Start]:
    """Say of each paragraph whether it begins an article; three paragraphs are looked at ahead of it."""
    current, ahead = tee(texts)
    coming = list(islice(ahead, 1, _DATELINE_WITHIN + 1))
    previous: str | None = None
    for text in current:
        yield _start(previous, text, coming)
        previous = text
        coming = [*coming[1:], *islice(ahead, 1)]


def _start(previous: str | None, text: str, coming: Sequence[str]) -> Start:
    if previous is None:
        return 2
    if not _ends_article(previous) or not looks_like_headline(text):
        return 0
    for following in coming:
        if _DATELINE.match(following):
            return 2
        if not looks_like_headline(following):
            break
    return 1


def _ends_article(text: str) -> bool:
    """Say whether a paragraph may be the last of an article: it ends like a sentence or with a credit in brackets."""
    if _SENTENCE_END.search(text):
        return True
    return bool(_REMARK_END.search(text)) and (len(text) > _LONGEST_HEADLINE or text[0] in "（(")


def looks_like_headline(text: str) -> bool:
    """Say whether a paragraph is short and does not end like a sentence; a remark such as （附图片） may follow it."""
    return 1 < len(text) <= _LONGEST_HEADLINE and not _NO_HEADLINE_END.search(text)
