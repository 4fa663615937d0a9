"""Which tags stand in the corpus, and which does a tagger give in their place?

An error pair `<[p+r], [d]>` says that words tagged p and r in the corpus come out as one word tagged d [1]. What stands
first is tagged too little, what stands second too much. The pair is the unit of the diagnosis: errors are counted by
pair, a pair that most taggers make becomes an item of the test set.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18, section 2.1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from hengliang.core.errors import UserError

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
    found = next((match for form in (*_BRACKETED, _COMPACT) if (match := form.fullmatch(text.strip()))), None)
    sides = [_tags(side) for side in found.groups()] if found else []
    if not sides or not all(sides):
        raise UserError(
            f"'{text}' is no error pair.",
            valid="A pair is written p+r:d or <[p+r], [d]>: the tags of the corpus, then those of the tagger.",
        )
    return ErrorPair(sides[0], sides[1])


def _tags(side: str) -> tuple[str, ...]:
    tags = tuple(tag.strip(" '\"") for tag in re.split(r"[+,]", side))
    return tags if all(map(fits_pair, tags)) else ()
