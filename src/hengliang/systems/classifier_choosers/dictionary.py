"""Which classifiers does a dictionary list for this noun?

CC-CEDICT [1] names the classifiers of some 1,750 nouns in fields that begin with `CL:`. A noun that it does not list is
answered by the longest listed noun that it ends in, down to its last character, because a Chinese compound ends in its
head: 语文老师 is counted like 老师, 石桥 like 桥. A noun without any listed ending, and a slot without noun, get 个.

The dictionary gives no frequencies. So the listed classifiers have equal shares of the probability, and stand in the
order of the entry, whose first is the one that its editors thought of first.

[1] CC-CEDICT. Published by MDBG, CC BY-SA 4.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

import polars as pl

from hengliang.core.registry import register
from hengliang.core.signature import Signature, file_checksum
from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import to_simplified
from hengliang.materials.classifier_inventory import cedict_file, cedict_pairs, noun_endings
from hengliang.systems.classifier_choosers.base import RANKING, ClassifierChooser
from hengliang.systems.classifier_choosers.general import GENERAL_CLASSIFIER

Entries = Mapping[str, tuple[str, ...]]


@register("DICTIONARY")
class Dictionary(ClassifierChooser):
    """The classifiers that CC-CEDICT lists for the noun, or for the longest listed noun that it ends in, else 个.

    `convert` turns nouns in traditional characters into simplified ones first, in which the answers are anyway.
    """

    title = Bilingual("Classifiers that CC-CEDICT lists", "汉英词典CC-CEDICT所列量词")

    def __init__(self, convert: bool = True, name: str = "DICTIONARY") -> None:
        self.convert = convert
        self.name = name

    def choose(self, slots: pl.DataFrame) -> pl.Series:
        """Return the listed classifiers of each slot's noun, in the order of the entry."""
        nouns = slots.select(pl.col("noun").fill_null("")).unique(maintain_order=True)
        chosen = pl.Series([self._ranking(noun) for noun in nouns["noun"].to_list()], dtype=RANKING)
        return (
            slots.select(pl.col("noun").fill_null(""))
            .join(nouns.with_columns(content=chosen), on="noun", how="left", maintain_order="left")
            .get_column("content")
        )

    def _ranking(self, noun: str) -> list[dict[str, Any]]:
        listed = self.listed(noun)[1] or (GENERAL_CLASSIFIER,)
        return [{"label": form, "probability": 1 / len(listed)} for form in listed]

    def listed(self, noun: str) -> tuple[str, tuple[str, ...]]:
        """Return the noun of the dictionary that answers for this one, and its classifiers; both empty if none does."""
        return listed_ending(_simplified(noun) if self.convert else noun, entries())

    def signature(self) -> Signature:
        """Return what can change an answer: the options, and the edition of the dictionary."""
        return super().signature().and_(cedict=file_checksum(cedict_file())[:16])


def listed_ending(noun: str, held: Entries) -> tuple[str, tuple[str, ...]]:
    """Return the longest ending of a noun that has an entry, and the entry; both empty if none has.

    >>> listed_ending("石拱桥", {"桥": ("座",), "拱桥": ("座", "道")})
    ('拱桥', ('座', '道'))
    """
    found = next((ending for ending in noun_endings(noun, shortest=1) if ending in held), "")
    return found, held.get(found, ())


@cache
def entries() -> Entries:
    """Return the classifiers of each noun that CC-CEDICT lists any for, in the order of the entry."""
    found: dict[str, dict[str, None]] = {}
    for noun, form in cedict_pairs(cedict_file()):
        found.setdefault(noun, {})[form] = None
    return {noun: tuple(forms) for noun, forms in found.items()}


@lru_cache(maxsize=100_000)
def _simplified(noun: str) -> str:
    return to_simplified(noun)
