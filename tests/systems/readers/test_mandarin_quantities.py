"""Is the quantifier found that Mandarin words express?"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.classifiers import own_classifiers
from hengliang.materials.chinese_numerals import counting_numeral
from hengliang.systems.readers.mandarin_quantities import Quantity, quantity_of, quantity_pattern

COUNTERS = [one.form for one in own_classifiers() if one.kind != "kind"]


@pytest.mark.parametrize(
    ("text", "name", "numbers"),
    [
        ("所有", "all", ()),
        ("全部", "everything", ()),
        ("每个", "every", ()),
        ("每一匹", "every", ()),
        ("并非所有", "not all", ()),
        ("几乎全部", "almost all", ()),
        ("唯一的", "the", ()),
        ("有一半", "half", ()),
        ("恰好一半", "half", ()),
        ("一半以上", "more than half", ()),
        ("不足半数", "less than half", ()),
        ("大约有一半", "about half", ()),
        ("绝大多数", "most", ()),
        ("多数", "majority", ()),
        ("一小部分", "minority", ()),
        ("有些", "some", ()),
        ("有一些", "some", ()),
        ("有的", "some", ()),
        ("四分之三", "fraction", (3, 4)),
        ("75%", "fraction", (3, 4)),
        ("百分之二十", "fraction", (1, 5)),
        ("50%", "half", ()),
        ("100%", "all", ()),
        ("2/3", "fraction", (2, 3)),
        ("七成", "fraction", (7, 10)),
        ("只有一个", "only one", ()),
        ("只有三个", "exactly", (3,)),
        ("正好有6条", "exactly", (6,)),
        ("至少有两个", "at least", (2,)),
        ("三个以上", "at least", (3,)),
        ("不超过五个", "at most", (5,)),
        ("超过十二个", "over", (12,)),
        ("不到4个", "under", (4,)),
        ("一共有9个", "number", (9,)),
        ("俩", "number", (2,)),
        ("几只", "a few", ()),
        ("两三个", "a couple", ()),
        ("好几匹", "several", ()),
        ("很多", "many", ()),
        ("只有很少", "few", ()),
    ],
)
def test_words_for_quantities(text: str, name: str, numbers: tuple[int, ...]) -> None:
    assert quantity_of(text) == Quantity(name, numbers)
    assert re.fullmatch(quantity_pattern(), text)


@pytest.mark.parametrize("text", ["", "红", "两种", "三类", "一一个", "超过三分之二", "至少一半", "大约三个"])
def test_what_cannot_be_expressed_is_no_quantity(text: str) -> None:
    assert quantity_of(text) is None


@given(number=st.integers(3, 400), form=st.sampled_from(COUNTERS))
def test_any_classifier_of_the_inventory_is_accepted(number: int, form: str) -> None:
    assert quantity_of(f"{counting_numeral(number)}{form}") == Quantity("number", (number,))
    assert quantity_of(f"{number}{form}") == Quantity("number", (number,))
    assert quantity_of(f"每{form}") == Quantity("every")
