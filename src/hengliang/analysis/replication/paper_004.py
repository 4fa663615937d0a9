"""Which scores does the paper on fine-grained evaluation of taggers print, and for which taggers?

`published_004.json` holds the table of the appendix (D of 70 items for five taggers, called A to E, and Z), the means
of Tables 3 and 4, and the counts of sections 2 and 3 [1]. The paper names its taggers by references only: A is PKUSEG,
B THULAC, E ICTCLAS, and what it says of C describes SnowNLP.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from hengliang.analysis.replication.published import Paper
from hengliang.core.closure import package_data
from hengliang.core.errors import unknown_name

TABLE = "A1"
"""The table of the appendix."""


@cache
def paper_004() -> Paper:
    """Return what the paper prints."""
    file = package_data(__name__, "published_004.json")
    content = json.loads(file.read_text(encoding="utf-8"))
    return Paper(content["paper"], content["citation"], content["tables"], content["facts"], ())


def published_columns() -> tuple[str, ...]:
    """Return what the paper calls its taggers."""
    return tuple(paper_004().facts["columns"])


def published_scores(column: str) -> Mapping[str, str]:
    """Return D of one tagger as printed, by the name of the item: `{"p+r:d": "37.50"}`."""
    place = _place(column)
    rows: Mapping[str, Any] = paper_004().tables[TABLE]["rows"]
    return {pair: str(texts[place]) for pair, texts in rows.items()}


def published_total(column: str) -> str:
    """Return Z of one tagger as printed."""
    return str(paper_004().tables[TABLE]["Z"][_place(column)])


def _place(column: str) -> int:
    if column not in published_columns():
        raise unknown_name("tagger of the paper", column, published_columns())
    return published_columns().index(column)
