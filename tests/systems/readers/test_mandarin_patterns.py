"""Of which kind is a Mandarin clause, and which words fill its parts?"""

from __future__ import annotations

import pytest

from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.systems.readers.mandarin_patterns import PATTERNS, analyses, compiled
from tests.systems.readers.mandarin_domains import DOMAINS


@pytest.mark.parametrize(
    ("text", "kind", "parts"),
    [
        ("所有的图形都是蓝色方形", "portion", {"Q": "所有", "A": "图形", "dou": "都", "B": "蓝色方形"}),
        ("方形中有一半是蓝色的", "portion", {"A": "方形", "in": "中", "Q": "有一半", "B": "蓝色的"}),
        ("没有红圆", "none", {"P": "红圆"}),
        ("没有圆形是红的", "none of", {"A": "圆形", "B": "红的"}),
        ("圆形比方形多一些", "more", {"J1": "圆形", "J2": "方形"}),
        ("圆形没有方形多", "fewer", {"J1": "圆形", "J2": "方形"}),
        ("红圆和蓝方一样多", "equal list", {"A": "红圆和蓝方"}),
        ("除了一个以外，都是方形", "except", {"N": "一个", "dou": "都", "B": "方形"}),
        ("剩下的全是蓝方", "rest", {"remains": "剩下", "dou": "全", "B": "蓝方"}),
        ("红蓝各半", "each half", {"P": "红蓝"}),
        ("四种图形都有", "all kinds", {"num": "四", "A": "图形"}),
        ("有两个红圆", "amount", {"Q": "两个", "P": "红圆"}),
        ("红圆有两个", "amount of", {"P": "红圆", "Q": "有两个"}),
        ("在方形中", "within", {"A": "方形"}),
    ],
)
def test_the_first_kind_is_the_one_that_is_meant(text: str, kind: str, parts: dict[str, str]) -> None:
    found = analyses(text, DEFAULT_DOMAIN)[0]
    assert (found.kind, found.parts) == (kind, parts)


@pytest.mark.parametrize("text", ["", "你好", "红色圆形", "左边有红圆"])
def test_what_is_no_clause_is_of_no_kind(text: str) -> None:
    assert analyses(text, DEFAULT_DOMAIN) == []


def test_the_parts_of_a_clause_have_their_meaning() -> None:
    found = analyses("至少有三个蓝色方形", DEFAULT_DOMAIN)[0]
    assert found.quantity is not None
    assert (found.quantity.name, found.quantity.numbers) == ("at least", (3,))
    assert str(found.property_of("P")) == "blue square"
    assert found.property_of("A") is None
    assert not found.has("A")


def test_every_pattern_can_be_compiled_in_every_domain() -> None:
    assert [len(compiled(domain)) for domain in DOMAINS] == [len(PATTERNS)] * len(DOMAINS)
