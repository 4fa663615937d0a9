"""Are impossible settings refused, and are there usual ones for every size?"""

from __future__ import annotations

from typing import Any

import pytest

from hengliang import UserError
from hengliang.language_models.neural.settings import Kind, Settings, architecture, sizes, usual_settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epochs", 0),
        ("dropout", 1.0),
        ("dropout", -0.1),
        ("learning_rate", float("nan")),
        ("warmup", 2),
        ("threads", 0),
    ],
)
def test_impossible_settings_are_named(name: str, value: Any) -> None:
    with pytest.raises(UserError, match=f"with {name} = {value} is not possible"):
        Settings(**{name: value})


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_every_size_has_its_usual_settings(kind: Kind) -> None:
    found = [usual_settings(architecture(kind, size, 100)) for size in sizes(kind)]
    assert all(settings.bfloat16 and settings.candidates for settings in found)
    assert found[-1].epochs <= found[1].epochs, "the tiny one is quick"
