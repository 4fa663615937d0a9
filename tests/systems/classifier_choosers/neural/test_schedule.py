"""Is a schedule refused that cannot be?"""

from __future__ import annotations

from typing import Any

import pytest

from hengliang import UserError
from hengliang.systems.classifier_choosers.neural.schedule import Schedule


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
