"""With which words is each quantifier said in Mandarin?

A wording is a clause with open places: {A} what is spoken of and {a} a classifier for it, {B} what is said of it as a
predicate, {P} the same as a noun phrase and {p} a classifier for that, {n} a number before a classifier, {t} a number
before 倍, {f} a fraction; {C} what is said of the rest and {c} a classifier for that. The first wording is the
plainest.

Grammar decides where a wording can be used. A clause with 有 alone ("existential") speaks of all things in the scene
and so takes no restrictor; one without subject ("opening") can only open a description; one with 其中 or 它们
("anaphoric") needs a sentence before it that was about the same things. 所有, 每, 全部, 几乎所有 and 除了 demand 都.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Use = Literal["full", "existential", "opening", "anaphoric"]


@dataclass(frozen=True, slots=True)
class Wording:
    """A clause with open places, and where grammar allows it."""

    text: str
    use: Use = "full"


def _portion(*words: str, have: str = "有", before: str = "") -> tuple[Wording, ...]:
    """Return the wordings of a quantifier that says which part: before its noun, after it, and after 其中.

    `have` is the verb when it stands after its noun: 方形中有四分之一是蓝色的, but 方形中大多数是蓝色的. `before` are
    words that stand before that verb: 大约有一半.
    """
    after = [word.removesuffix("的").removeprefix(before) for word in words]
    return (
        *(Wording(f"{word}{{A}}是{{B}}") for word in words),
        *(Wording(f"{{A}}中{before}{have}{word}是{{B}}") for word in after),
        *(Wording(f"其中{before}{have}{word}是{{B}}", "anaphoric") for word in after),
    )


def _counted(*words: str, number: str = "{n}") -> tuple[Wording, ...]:
    """Return the wordings of a quantifier that counts: what there are so many of, how many of them are so, and 其中."""
    return (
        *(Wording(f"{word}{number}{{p}}{{P}}", "existential") for word in words),
        *(Wording(f"{word}{number}{{a}}{{A}}是{{B}}") for word in words),
        *(Wording(f"其中{word}{number}{{a}}是{{B}}", "anaphoric") for word in words),
    )


_HALF = (
    Wording("一半的{A}是{B}"),
    Wording("有一半的{A}是{B}"),
    Wording("半数的{A}是{B}"),
    Wording("{A}中有一半是{B}"),
    Wording("{A}有一半是{B}"),
    Wording("其中一半是{B}", "anaphoric"),
    Wording("其中有一半是{B}", "anaphoric"),
)
_ALL = (
    Wording("所有的{A}都是{B}"),
    Wording("所有{A}都是{B}"),
    Wording("{A}都是{B}"),
    Wording("它们都是{B}", "anaphoric"),
)
_EVERY = (
    Wording("每{a}{A}都是{B}"),
    Wording("每一{a}{A}都是{B}"),
    Wording("其中每{a}都是{B}", "anaphoric"),
)
_EVERYTHING = (
    Wording("全都是{B}", "opening"),
    Wording("全部都是{B}", "opening"),
    Wording("全部{A}都是{B}"),
    Wording("全部的{A}都是{B}"),
    Wording("{A}全都是{B}"),
    Wording("它们全都是{B}", "anaphoric"),
)
_NO = (
    Wording("没有{P}", "existential"),
    Wording("没有{A}是{B}"),
    Wording("没有一{a}{A}是{B}"),
    Wording("{A}都不是{B}"),
    Wording("其中没有一{a}是{B}", "anaphoric"),
)
_ONLY_ONE = (
    Wording("只有一{a}{A}是{B}"),
    Wording("仅有一{a}{A}是{B}"),
    Wording("只有一{p}{P}", "existential"),
    Wording("其中只有一{a}是{B}", "anaphoric"),
)
_SOME = (
    Wording("有一些{A}是{B}"),
    Wording("有些{A}是{B}"),
    Wording("一些{A}是{B}"),
    Wording("有一些{P}", "existential"),
    Wording("其中有一些是{B}", "anaphoric"),
)
_NUMBER = (
    Wording("有{n}{p}{P}", "existential"),
    Wording("有{n}{a}{A}是{B}"),
    Wording("一共有{n}{a}{A}是{B}"),
    Wording("其中{n}{a}是{B}", "anaphoric"),
    Wording("其中有{n}{a}是{B}", "anaphoric"),
)
_ALL_BUT = (
    Wording("除了{n}{a}以外，所有的{A}都是{B}"),
    Wording("除了{n}{a}{A}以外，所有{A}都是{B}"),
    Wording("除{n}{a}外，{A}都是{B}"),
    Wording("除了{n}{a}之外，它们都是{B}", "anaphoric"),
)
_MANY = (
    Wording("许多{A}是{B}"),
    Wording("很多{A}是{B}"),
    Wording("有许多{A}是{B}"),
    Wording("有很多{P}", "existential"),
    Wording("其中有许多是{B}", "anaphoric"),
)
_FEW = (
    Wording("很少有{A}是{B}"),
    Wording("只有很少的{A}是{B}"),
    Wording("其中只有很少是{B}", "anaphoric"),
)
_ALMOST_ALL = (
    Wording("几乎所有的{A}都是{B}"),
    Wording("几乎所有{A}都是{B}"),
    Wording("几乎全部{A}都是{B}"),
    Wording("其中几乎全部都是{B}", "anaphoric"),
)
_EQUAL = (
    Wording("{A}和{P}一样多"),
    Wording("{A}跟{P}一样多"),
    Wording("{A}的数量和{P}的数量相同"),
    Wording("{A}与{P}数量相等"),
)

WORDINGS: Mapping[str, tuple[Wording, ...]] = MappingProxyType({
    "all": _ALL,
    "every": _EVERY,
    "everything": _EVERYTHING,
    "the": (Wording("唯一的{A}是{B}"), Wording("唯一的一{a}{A}是{B}"), Wording("唯一一{a}{A}是{B}")),
    "no": _NO,
    "not all": tuple(
        Wording(text) for text in ("并非所有的{A}都是{B}", "不是所有的{A}都是{B}", "并不是所有{A}都是{B}")
    ),
    "only": (Wording("只有{A}是{B}"), Wording("只有{A}才是{B}")),
    "half": _HALF,
    "most": _portion("大多数", "大部分", have=""),
    "more than half": _portion("超过一半的", "一半以上的", "半数以上的"),
    "majority": _portion("多数", have=""),
    "minority": _portion("少数", "小部分"),
    "less than half": _portion("不到一半的", "不足一半的"),
    "fraction": _portion("{f}的"),
    "some": _SOME,
    "only one": _ONLY_ONE,
    "number": _NUMBER,
    "exactly": _counted("恰好有", "正好有", "刚好有"),
    "at least": _counted("至少有"),
    "at most": _counted("至多有", "最多有"),
    "over": (*_counted("有超过", "有多于"), Wording("{P}超过{n}{p}", "existential")),
    "under": (Wording("{P}不到{n}{p}", "existential"), *_counted("有不到", "有少于")),
    "all but": _ALL_BUT,
    "more": tuple(Wording(text) for text in ("{A}比{P}多", "{A}多于{P}", "{A}的数量比{P}多")),
    "fewer": tuple(Wording(text) for text in ("{A}比{P}少", "{A}少于{P}", "{A}没有{P}多")),
    "equal": _EQUAL,
    "times": (Wording("{A}的数量是{P}的{t}倍"), Wording("{A}的数量是{P}数量的{t}倍")),
    "there are": (Wording("有{A}"),),
    "all kinds": (Wording("所有可能的{A}种类都有"), Wording("各种可能的{A}都有"), Wording("每一种{A}都有")),
    "of each kind": (Wording("每种{A}各有{n}{a}"), Wording("每一种{A}都有{n}{a}")),
    "a few": _counted("有", number="几"),
    "few": _FEW,
    "a couple": _counted("有", number="两三"),
    "several": (*_counted("有", number="若干"), *_counted("有", number="好几")),
    "many": _MANY,
    "almost all": _ALMOST_ALL,
    "about half": (
        *_portion("大约一半的", before="大约"),
        *_portion("差不多一半的", before="差不多"),
        *_portion("大概一半的", before="大概"),
    ),
})  # fmt: skip
"""The wordings of each quantifier, the plainest first."""

REST: tuple[str, ...] = ("其余的是{C}", "其余的都是{C}", "剩下的是{C}", "其他的都是{C}")
REST_OF_THEM: tuple[str, ...] = ("其余的{A}是{C}", "其余{A}是{C}")
EXCEPTION: tuple[str, ...] = (
    "除了{n}{c}{C}以外，所有的{A}都是{B}",
    "除了{n}{c}{C}之外，所有{A}都是{B}",
    "除{n}{c}{C}外，{A}都是{B}",
)
"""How *all but n* is said together with what those n are."""
OTHER_HALF = "另一半是{C}"
EVERY_KIND = "所有可能的种类都有"
"""How `all kinds` is said of all things."""
IN_THE_PICTURE = "图中的{A}"
"""A bare noun as what a clause begins with: 女人都是高兴的 would be said of all women of this world."""
NOTHING_ELSE = ("只有{A}", "图中只有{A}")
"""How *only A are objects* is said: that things are things goes without saying."""
