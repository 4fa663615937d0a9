from __future__ import annotations

from typing import Any

import pytest

from hengliang import UserError
from hengliang.language_models.neural.masked import MaskedSettings


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hidden": 1.5}, "with hidden = 1.5 is not possible"),
        ({"patience": 0}, "with patience = 0 is not possible"),
        ({"epochs": 0}, "with epochs = 0 is not possible. above 0"),
        ({"head_learning_rate": 0}, "with head_learning_rate = 0 is not possible"),
        ({"least": 0}, "with least = 0 is not possible"),
        ({"threads": 0}, "with threads = 0 is not possible"),
        ({"start": "bert"}, "start is 'bert'"),
        ({"precision": "fp8"}, "precision is 'fp8'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        MaskedSettings(**change)
    assert caught.value.valid


def test_the_defaults_are_possible() -> None:
    assert 0 < MaskedSettings().hidden < 1
