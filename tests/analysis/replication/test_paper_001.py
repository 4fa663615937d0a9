"""Do the design, swaps and regressions of paper 001 agree with each other?"""

from __future__ import annotations

import math

import pytest

from hengliang.analysis.replication.paper_001 import count_pairs, rising, swap_totals
from hengliang.replication import Replicated, recompute, replicate
from hengliang.replication import published_numbers as published

PAPER = published("001")


def of(name: str) -> Replicated:
    return recompute(PAPER, PAPER.claim(name))


def test_readers() -> None:
    assert of("readers.age").recomputed.value == 451 / 20  # 22.55, printed 22.6
    assert {row.verdict for row in replicate(("001",), "readers")} == {"same"}


def test_design() -> None:
    assert (count_pairs(PAPER, "A"), count_pairs(PAPER, "B")) == (30, 36)  # 10 scenes × 3, 18 scenes × 2
    told = {
        row.claim.id.partition(".")[2]: row.text() for row in replicate(("001",), "design") if row.verdict != "same"
    }
    assert told == {
        "judges": "3",
        "B-pairs": "36",
        "B-pairs-listed": "36",
        "B-per-model": "18",
        "B-per-reader": "3-4",  # 72 reconstructions by 20 readers
        "per-reader": "9-10",  # 192 by 20
        "headers": "4, 9, 20",
    }


def test_swaps() -> None:
    differing = {row.claim.id: row.text() for row in replicate(("001",), "swaps") if row.verdict == "differs"}
    # Table 6 leaves the human descriptions out, its totals do not: (0 + 1)/96, (17 + 12)/288, (44 + 36)/480.
    assert differing == {
        "swaps.maximum-instructions": "19",
        "swaps.table6-total-4": "1.042%",
        "swaps.table6-total-9": "10.07%",
        "swaps.table6-total-20": "16.667%",
    }
    assert of("swaps.t-test").verdict == "not recomputable"
    assert swap_totals(PAPER, "3") == {6: 2, 10: 22, 16: 35}
    assert "1.39 %, 9.17 %, 9.11 %" in of("swaps.B-rises").recomputed.note.en


def test_rising() -> None:
    assert rising([1, 2, 3])
    assert not rising([1, 1])


def test_the_regressions_of_experiment_b_agree_and_those_of_a_do_not() -> None:
    # s₁/s₂ = √((1 − R₁²)/(1 − R₂²)) for two regressions of the same outcome on the same pairs.
    assert 0.0809 * math.sqrt((1 - 0.2690) / (1 - 0.4384)) == pytest.approx(0.0923, abs=5e-5)
    assert of("regression.B-errors").verdict == "same"
    expected = 0.0739 * math.sqrt((1 - 0.1391) / (1 - 0.3032))
    assert of("regression.A-errors").recomputed.value == pytest.approx(expected)
    assert of("regression.A-errors").verdict == "differs"
    assert "0.24 for correctness, or 0.21 for informativity" in of("regression.A-errors").recomputed.note.en


def test_cohens_borders() -> None:
    # f² = .02, .15, .35 give R² = f²/(1 + f²) = .0196, .1304, .2593.
    assert of("regression.grid-moderate").recomputed.value == pytest.approx(0.15 / 1.15)
    differing = {row.claim.id for row in replicate(("001",), "regression") if row.verdict == "differs"}
    assert differing == {"regression.A-errors", "regression.A-correctness-label", "regression.grid-moderate"}
    assert of("regression.A-correctness-label").text() == "moderate"


def test_the_judges_means() -> None:
    differing = [row.claim.id for row in replicate(("001",), "judges") if row.verdict != "compatible"]
    assert differing == ["judges.B-QDG-GREEDY-naturalness"]  # 3.46
