"""Does the rate of learning rise and fall as it should, and is nonsense refused?"""

from __future__ import annotations

from typing import Any

import pytest

from hengliang import UserError
from hengliang.systems.classifier_choosers.neural.schedule import Schedule


def test_the_rate_rises_and_falls() -> None:
    schedule = Schedule(4, 32, 1e-3, 1e-2, warmup=0.2)
    # Straight lines: from 0 to the peak at 0.2, then to 0 at 1. Halfway up at 0.1, halfway down at 0.6.
    shares = [schedule.share_of_peak(done) for done in (0.0, 0.1, 0.2, 0.6, 1.0)]
    assert shares == pytest.approx([0.0, 0.5, 1.0, 0.5, 0.0])


def test_without_a_warm_up_it_begins_at_the_peak() -> None:
    assert Schedule(4, 32, 1e-3, 1e-2, warmup=0.0).share_of_peak(0.0) == 1.0


@pytest.mark.parametrize(
    "wrong",
    [
        {"epochs": 0}, {"batch": 2.5}, {"rate": -1.0}, {"rate": float("nan")}, {"warmup": 1.0}, {"smoothing": 1.0},
        {"patience": True},
    ],
)  # fmt: skip
def test_nonsense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=f"{next(iter(wrong))}=.* is not possible"):
        Schedule(**{"epochs": 1, "batch": 1, "rate": 1.0, "head_rate": 1.0, **wrong})
