"""Which recogniser do the tests of coarse models share?

It knows a short list of names, so that what it finds can be worked out by hand, and it breaks on one word, as a library
may break on a sentence it has never seen the like of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from hengliang import register
from hengliang.acceptability import Recogniser
from hengliang.core import LabelledSpans, labelled_spans

NAMES = {
    "法国": "GPE",
    "图瓦卢": "GPE",
    "基里巴斯": "GPE",
    "北京": "GPE",
    "王小明": "PERSON",
    "New York": "GPE",
    "May": "DATE",
}
BREAKS_ON = "咣当"


@register("listed names")
class ListedNames(Recogniser):
    """Finds the names of a list."""

    name = "listed names"
    types: ClassVar[tuple[str, ...]] = ("GPE", "PERSON", "DATE")

    def recognise(self, contents: Sequence[str]) -> LabelledSpans:
        """Find the names, and break on one word."""
        pattern = re.compile("|".join(NAMES))
        found = []
        for content in contents:
            if BREAKS_ON in content:
                raise ValueError("a word that nobody has seen")
            found.append(
                [
                    (len(content[: hit.start()].encode()), len(content[: hit.end()].encode()), NAMES[hit.group()])
                    for hit in pattern.finditer(content)
                ]
            )
        return labelled_spans(found)
