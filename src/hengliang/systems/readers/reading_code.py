"""Which code decides what is read out of a description?

Analyses of descriptions parse them anew; what they find is stale as soon as the grammar or a meaning changes, so both
belong into their signatures.
"""

from __future__ import annotations

from hengliang.materials.meaning_code import meaning_code
from hengliang.signature import code_checksum
from hengliang.systems.readers.base import Reader


def reading_code() -> dict[str, str]:
    """Return the hashes of the grammars and readers, and of the meanings, as parts of a signature."""
    return {"reader": code_checksum(Reader), "meanings": meaning_code()}
