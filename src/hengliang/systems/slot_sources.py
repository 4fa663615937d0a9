"""Which classifier slots does a name or a file stand for?

A chooser can learn from any of these: a corpus with PKU tags, files of the Chinese Classifier Dataset, and plain text,
which is tagged first. The kind follows from the name in the catalogue or from the form of the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError
from hengliang.corpora import catalogue as sources
from hengliang.corpora.parts import Part
from hengliang.materials.ccd import ENDINGS
from hengliang.materials.ccd_slots import CcdSlots
from hengliang.materials.classifier_slots import ClassifierSlots
from hengliang.materials.joined_slots import JoinedSlots
from hengliang.systems.slot_finding.material import TaggedSlots

PLAIN = "text:"
"""Stands before the name of a file whose words have no tags."""

_CCD = ("ccd", "ccd-sample")
_TAGGED_LINES = 20


def slots_named(reference: str, part: Part | None = "train") -> Material:
    """Return the slots of a source of the catalogue or of a file; `part` where the data have parts.

    `NAME` of the catalogue, a table (`.csv`, `.xlsx`, …) or a folder of the dataset, a file of word/tag tokens, or
    `text:FILE` for plain text.
    """
    if reference.startswith(PLAIN):
        return TaggedSlots(reference.removeprefix(PLAIN), part=part)
    path = Path(reference)
    whole = path.suffix.lower() in ENDINGS
    if reference.partition("/")[0] in _CCD or whole or path.is_dir():
        return CcdSlots(reference, part=None if whole else part)
    plain = {held.name for held in sources.sources_in("plain")}
    if not path.exists() and reference.partition("/")[0] in plain:
        return TaggedSlots(reference, part=part)
    if path.is_file() and not _is_tagged(path):
        raise UserError(
            f"The words of {path} have no tags.",
            valid="A file of word/tag tokens, a paragraph a line; a .csv file of the dataset.",
            remedy=f"For plain text, which is tagged first: {PLAIN}{reference}",
        )
    return ClassifierSlots(reference, part=part)


def slots_of_all(references: Sequence[str], part: Part | None = "train") -> Material:
    """Return the slots of one or several references, joined."""
    found = [slots_named(reference, part) for reference in references]
    return found[0] if len(found) == 1 else JoinedSlots(found, name=" + ".join(references))


def _is_tagged(path: Path) -> bool:
    """Say whether most tokens of the first lines are a word, a slash and a tag; a broken file is left to its reader."""
    try:
        with path.open(encoding="utf-8") as stream:
            tokens = [token for _, line in zip(range(_TAGGED_LINES), stream, strict=False) for token in line.split()]
    except (OSError, UnicodeDecodeError):
        return True
    tagged = [token for token in tokens if "/" in token[1:] and token.rpartition("/")[2].isascii()]
    return not tokens or 2 * len(tagged) > len(tokens)
