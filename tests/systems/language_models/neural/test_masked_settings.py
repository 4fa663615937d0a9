from __future__ import annotations

from typing import Any

import pytest

from hengliang import UserError
from hengliang.systems.language_models.neural.masked_settings import MaskedSettings


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hidden": 1.5}, "hidden is 1.5"),
        ({"patience": 0}, "patience is 0"),
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
