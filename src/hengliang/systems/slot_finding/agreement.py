"""How well are the slots of untagged text found, compared with those of the same text tagged by hand?

Two slots are the same when the same classifier stands at the same byte of the same paragraph. Precision and recall are
of slots; heads are compared over the slots that both have. The slots of the tagged corpus are themselves found by rule
(`hengliang.materials.slot_checks` says how well), so this measures what the tagger loses, not the truth.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.labelling.taggers import Tagger
from hengliang.core.progress import Watcher
from hengliang.core.text.segmentation import join_words
from hengliang.corpora import catalogue as sources
from hengliang.corpora.parts import Part, cut_blocks
from hengliang.corpora.tagged import read_pku
from hengliang.materials.slot_checks import wilson
from hengliang.materials.slot_extraction import count_compatibility, extract
from hengliang.systems.slot_finding.finding import find_slots

_KEY = ["paragraph", "offset", "gold"]


@dataclass(frozen=True, slots=True)
class SlotAgreement:
    """How many slots the tagged corpus has, how many were found, and how many are the same.

    Of the same ones `same_heads` have the very same head, and `like_heads` one that ends like the other: taggers cut
    compounds at other places (航空公司, 公司).
    """

    tagged: int
    found: int
    same: int
    same_heads: int
    like_heads: int

    @property
    def precision(self) -> float:
        """The share of the found slots that the tagged corpus has."""
        return self.same / self.found

    @property
    def recall(self) -> float:
        """The share of the tagged corpus's slots that were found."""
        return self.same / self.tagged

    @property
    def heads(self) -> float:
        """The share of the common slots with the same head."""
        return self.same_heads / self.same

    @property
    def like(self) -> float:
        """The share of the common slots of which one head ends in the other."""
        return self.like_heads / self.same

    def intervals(self) -> dict[str, tuple[float, float]]:
        """Return Wilson's 95 % intervals of the four shares."""
        return {
            "precision": wilson(self.same, self.found),
            "recall": wilson(self.same, self.tagged),
            "heads": wilson(self.same_heads, self.same),
            "like": wilson(self.like_heads, self.same),
        }


def compare_slots(tagged: pl.DataFrame, found: pl.DataFrame) -> SlotAgreement:
    """Compare two tables of slots of the same paragraphs; copies must not have been merged."""
    both = tagged.join(found.select(*_KEY, other="head"), on=_KEY, how="inner")
    if not both.height:
        raise UserError(
            f"The tables of {tagged.height} and {found.height} slots have none in common.",
            valid="Slots are compared by paragraph, byte and classifier of the same text.",
        )
    head, other = pl.col("head"), pl.col("other")
    same = both.filter(head == other).height
    like = both.filter(head.str.ends_with(other) | other.str.ends_with(head)).height
    return SlotAgreement(tagged.height, found.height, both.height, same, like)


def tagged_and_found(
    tagger: Tagger | str = "lac", part: Part = "dev", watcher: Watcher | None = None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the slots of a part of the default corpus, by its own tags and from its bare text.

    Heads with several readings are settled by the same counts on both sides, those of the corpus's own tags.
    """
    paragraphs = list(read_pku(sources.locate(sources.DEFAULT_CORPUS)[0]))
    texts = [join_words(paragraph.words).content for paragraph in paragraphs]
    parts = cut_blocks("".join(paragraph.words) for paragraph in paragraphs).paragraph_parts
    places = [place for place, one in enumerate(parts) if one == part]
    counts = count_compatibility(paragraphs)
    tagged = pl.concat(extract((paragraphs[place] for place in places), counts, source="tagged"))
    found = find_slots([texts[place] for place in places], tagger, compatibility=counts, watcher=watcher)
    numbers = pl.Series([paragraphs[place].number for place in places], dtype=pl.Int64)
    return tagged, found.with_columns(paragraph=numbers.gather(found["paragraph"] - 1))
