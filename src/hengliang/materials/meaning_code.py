"""Which code and data decide what a quantified expression means?

Describers, readers and measures lean on it, so its hash belongs into their signatures: whoever changes what *a few*
means must never be shown what was computed with the former meaning.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hengliang.signature import digest

FILES = (
    "scene_domains.py",
    "kind_words.py",
    "scenes.py",
    "quantified_properties.py",
    "quantifiers.py",
    "quantified_expressions.py",
    "vague_quantifiers.py",
    "vague_quantifiers.json",
)
"""What decides of which scenes an expression is true."""
WORDS = ("chinese_numerals.py", "classifier_inventory.py", "classifier_inventory.tsv", "vague_fitting.py")
"""What besides decides how an expression is written and read, and how vague words are fitted."""


@cache
def meaning_code() -> str:
    """Return a hash of all that decides what an expression means and how it is worded."""
    folder = Path(__file__).parent
    return digest(*((folder / name).read_bytes() for name in (*FILES, *WORDS)))[:8]
