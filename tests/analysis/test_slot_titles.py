"""Does every level of a slot's attributes have a name in both languages?"""

from __future__ import annotations

import pytest

from hengliang.analysis.slot_titles import SLOT_FACTORS, slot_levels
from hengliang.materials.classifier_categories import CATEGORIES
from hengliang.materials.described_slots import ADDED
from hengliang.materials.frequency_bands import BAND_NAMES
from hengliang.materials.text_genres import CCD_CORPORA, TEXT_TYPES


@pytest.mark.parametrize(
    ("factor", "levels"),
    [
        ("category", CATEGORIES),
        ("category_by_form", CATEGORIES),
        ("noun_seen", ("seen", "unseen")),
        ("noun_band", BAND_NAMES[:4]),
        ("genre", (*TEXT_TYPES, *CCD_CORPORA.values())),
    ],
)
def test_every_level_has_a_name(factor: str, levels: tuple[str, ...]) -> None:
    assert factor in SLOT_FACTORS
    assert set(levels) <= set(slot_levels(factor))


def test_factors_are_attributes_that_slots_have() -> None:
    assert set(SLOT_FACTORS) - {"collection"} <= set(ADDED)
    assert all(title.en and title.zh for title in SLOT_FACTORS.values())
    assert slot_levels("something else") == {}
