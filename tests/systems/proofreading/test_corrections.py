"""Are thresholds checked, and corrections shown with their places?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hengliang import Bilingual, UserError
from hengliang.systems.classifier_choosers.advice import describe
from hengliang.systems.proofreading.corrections import Correction, Thresholds


def changed(name: str, value: float) -> dict[str, Any]:
    return {name: value}


@pytest.mark.parametrize("name", ["evidence", "evidence_general", "kinship"])
def test_counts_begin_with_one(name: str) -> None:
    with pytest.raises(UserError, match=f"{name} cannot be 0"):
        Thresholds(**{name: 0})


@pytest.mark.parametrize("name", ["rare", "never", "clear", "sure"])
def test_probabilities_are_from_zero_to_one(name: str) -> None:
    for value in (-0.1, 1.5):
        with pytest.raises(UserError, match="A probability from 0 to 1"):
            replace(Thresholds(), **changed(name, value))
    assert getattr(replace(Thresholds(), **changed(name, 1.0)), name) == 1


def test_a_correction_as_json_and_on_another_line() -> None:
    one = Correction(1, 9, 12, "wrong", "辆", "桌子", (describe("张", 0.9),), Bilingual("why", "因"), 0.0)
    shown = one.on_line(7).to_json()
    assert (shown["line"], shown["start"], shown["end"], shown["fault"]) == (7, 9, 12, "wrong")
    assert shown["suggestions"][0]["classifier"] == "张"
    assert shown["reason"] == {"en": "why", "zh": "因"}
