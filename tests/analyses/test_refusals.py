"""Are the reasons that stand in reports said in Chinese, and is any other one quoted?"""

from __future__ import annotations

import re

import pytest

from hengliang import UserError
from hengliang.analyses.outcomes import CHINESE, bilingual_reason
from hengliang.statistics import location_test


@pytest.mark.parametrize(
    ("problem", "chinese"),
    [
        ("The factor 'structured' has one level only: 'false'.", "因子“structured”只有一个水平"),
        ("The factor 'class' has one level only.", "因子“class”只有一个水平"),
        ("The response 'prediction' is '1' in all 96 rows that are used.", "所用 96 个观测的“prediction”全部为 1"),
        ("All 8 observations are ties.", "全部 8 个观测均为平局"),
        ("The reference 'long' of 'modifier' does not occur here.", "“modifier”的参照水平 long 在此未出现"),
    ],
)
def test_reasons_of_models(problem: str, chinese: str) -> None:
    assert bilingual_reason(problem).en == problem
    assert bilingual_reason(problem).zh == chinese


@pytest.mark.parametrize("test", ["t", "signed rank", "sign"])
@pytest.mark.parametrize("values", [[0.0, 0.0, 0.0], [], [float("nan")]])
def test_every_reason_of_a_location_test_has_a_translation(test: str, values: list[float]) -> None:
    with pytest.raises(UserError) as raised:
        location_test(test, values)  # type: ignore[arg-type]
    said = bilingual_reason(raised.value.problem).zh
    assert re.search("[一-鿿]", said)
    assert not said.startswith("原文")


def test_any_other_reason_is_quoted() -> None:
    assert bilingual_reason("Something new.").zh == "原文：Something new."


def test_every_translation_uses_only_what_its_pattern_finds() -> None:
    for pattern, chinese in CHINESE.items():
        assert set(re.findall(r"{(\w+)}", chinese)) <= set(re.compile(pattern).groupindex)
