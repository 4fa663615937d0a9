"""Which quantifier do Mandarin words such as 所有, 一半以上, 至少有三个 and 75% express?

The patterns of each quantifier are tried in order, and the whole of the words must fit one. Any classifier of the
inventory is accepted after a numeral, also an unusual one, and none at all (3红2蓝).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from math import gcd

from hengliang.materials.chinese_numerals import NUMERAL, numeral_value
from hengliang.materials.classifier_inventory import own_classifiers
from hengliang.materials.quantifiers import Numbers

UNIVERSAL = frozenset(("all", "every", "everything"))
COUNTING = frozenset(
    ("number", "exactly", "at least", "at most", "over", "under", "only one", "a few", "a couple", "several")
)
AMOUNTS = COUNTING | {"some", "many", "few"}
"""Quantifiers that may follow 有 and count things among all; the others say which part of their topic."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantifier with its numbers."""

    name: str
    numbers: Numbers = ()


@cache
def classifier() -> str:
    """Return the pattern of a classifier."""
    # 两种图形 counts kinds, not things.
    forms = [one.form for one in own_classifiers() if one.kind != "kind"]
    single = "".join(form for form in forms if len(form) == 1)
    longer = sorted((form for form in forms if len(form) > 1), key=len, reverse=True)
    # A class of characters is compiled a hundred times faster than as many alternatives.
    return "(?:" + "|".join([*longer, f"[{single}]"]) + ")"


@cache
def counted() -> str:
    """Return the pattern of a numeral with its classifier."""
    return rf"(?:{NUMERAL}{classifier()}?|俩|仨)"


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    one, many, half = classifier(), counted(), "(?:一半|半数)"
    written = (
        ("not all", rf"(?:并非|并不是|不是|未必|不)(?:所有|全部|每一?{one}|全)"),
        ("almost all", rf"(?:几乎|差不多|基本上?|接近)(?:所有|全部|全|每一?{one})"),
        ("all", "所有|一切|全体|凡是?"),
        ("everything", "全部|全数"),
        ("every", rf"每一?{one}?|任何一?{one}?|任意一?{one}?|各{one}"),
        ("the", rf"唯一(?:的(?:一{one})?|一?{one})?|仅有的一{one}"),
        ("about half", rf"(?:大约|大概|大致|差不多|将近|接近|约|近|几乎|基本上?)有?{half}|{half}左右"),
        ("more than half", rf"(?:超过|多于|大于|不止|高于)有?{half}|{half}(?:以上|多)|过半数?|大半|一?多半"),
        ("less than half", rf"(?:不到|不足|少于|小于|低于|不满)有?{half}|{half}以下|一?小半"),
        ("half", rf"(?:恰好|正好|刚好|恰)?有?{half}"),
        ("most", "(?:绝)?大(?:多数|部分|部份|多)"),
        ("minority", "(?:极)?少数|一?小部分|一?少部分"),
        ("majority", "多数"),
        (
            "fraction",
            rf"(?:恰好|正好|刚好|恰)?有?(?:(?:{NUMERAL}|百)分之{NUMERAL}|[0-9]+[%％]|[0-9]+/[0-9]+|{NUMERAL}成)",
        ),
        ("few", "(?:只|仅)?有?(?:很少|极少|少量|很少的一部分)有?"),
        ("some", "一些|有些|有的|一部分|部分|部份|某些"),
        ("many", rf"(?:许多|很多|好多|大量|不少|众多){one}?"),
        ("a couple", rf"(?:两三|三两|一两|两到三){one}"),
        ("several", rf"(?:若干|好几|数){one}?"),
        ("a few", rf"(?:只|仅)?有?(?:少数)?几{one}"),
        ("only one", rf"(?:只|仅|仅仅|就|唯|唯独)(?:有|剩)?(?:一|1){one}"),
        ("exactly", rf"(?:恰好|正好|刚好|恰恰|恰|整整|不多不少)有?{many}|(?:只|仅|仅仅|就)有?{many}"),
        ("at least", rf"(?:至少|起码|最少|不少于|不低于)有?{many}|{many}或?以上|{many}或更多"),
        ("at most", rf"(?:至多|最多|顶多|不超过|不多于)有?{many}|{many}或?以下"),
        ("over", rf"(?:超过|多于|大于|不止)有?{many}"),
        ("under", rf"(?:不到|不足|少于|小于|不满)有?{many}"),
        ("number", rf"(?:一共|总共|总计|共计|共)?有?{many}"),
    )
    return tuple((name, re.compile(pattern)) for name, pattern in written)


@cache
def quantity_pattern() -> str:
    """Return the pattern of any words for a quantity, with 有 before them or without."""
    return "有?(?:" + "|".join(pattern.pattern for _, pattern in _patterns()) + ")"


def quantity_of(text: str) -> Quantity | None:
    """Return the quantity that words express; None for words that express none.

    >>> quantity_of("至少有三个"), quantity_of("四分之一")
    (Quantity(name='at least', numbers=(3,)), Quantity(name='fraction', numbers=(1, 4)))
    """
    for words in (text.removeprefix("有"), text):
        for name, pattern in _patterns():
            found = _with_numbers(name, words) if pattern.fullmatch(words) else None
            if found is not None:
                return found
    return None


def _with_numbers(name: str, text: str) -> Quantity | None:
    if name == "fraction":
        return _fraction(text)
    if name not in COUNTING - {"only one", "a few", "a couple", "several"}:
        return Quantity(name)
    dual = {"俩": 2, "仨": 3}.get(text[-1])
    written = re.findall(NUMERAL, text)  # The last one counts: in 一共有九个 the first is none.
    number = dual if dual is not None else numeral_value(written[-1]) if written else None
    return Quantity(name, (number,)) if number is not None else None


def _fraction(text: str) -> Quantity | None:
    """Return a fraction as it is said; percentages in lowest terms, since nobody means hundredths by 75%."""
    text = text.lstrip("恰正刚好有")
    if "/" in text:
        part, whole = (numeral_value(side) for side in text.split("/"))
    elif "分之" in text and not text.startswith("百分之"):
        whole, part = (numeral_value(side) for side in text.split("分之"))
    elif text.endswith("成"):
        part, whole = numeral_value(text[:-1]), 10
    else:
        part, whole = numeral_value(text.strip("%％").removeprefix("百分之")), 100
        shared = gcd(part or 100, whole)
        part, whole = part // shared if part is not None else None, whole // shared
        if (part, whole) in {(1, 2), (1, 1)}:
            return Quantity("half" if whole == 2 else "all")
    return Quantity("fraction", (part, whole)) if part is not None and whole else None
