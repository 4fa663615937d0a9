from __future__ import annotations

from hengliang.core import find_registered as find
from hengliang.systems.classifier_choosers import General
from tests.systems.classifier_choosers.lessons import rankings, slots


def test_general_says_ge_for_everything() -> None:
    assert rankings(General().choose(slots("书", "马", ""))) == [[("个", 1.0)]] * 3
    assert len(General().choose(slots())) == 0


def test_general_is_registered_as_ge() -> None:
    assert find("classifier chooser", "GE").kind is General
