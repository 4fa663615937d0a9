"""What does each quantifier say, by its meaning alone and as people take it?

A quantifier speaks of two numbers. In *most A are B* they are |A| and |A ∩ B|; in *only A are B* |B| and |A ∩ B|; in
*more A than B* |A| and |B|. For each there are two readings. The semantic one is what makes the sentence true. The
pragmatic one is what a reader takes it to convey: *most* excludes *all*, *some* excludes *all* and *one*, a plural is
not said of one thing, and nothing is said of things that are not there. Whatever is true in the pragmatic reading is
true in the semantic one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hengliang.core.errors import unknown_name
from hengliang.core.terms import Bilingual
from hengliang.materials.scenes import LARGEST_SCENE
from hengliang.materials.vague_quantifiers import CONVEY_NOT_MORE, borders, can_be_said, is_vaguely_true

Reading = Literal["semantic", "pragmatic"]
READINGS: tuple[Reading, ...] = ("semantic", "pragmatic")
Form = Literal["proportion", "only", "comparison", "kinds"]
Numbers = tuple[int, ...]
Counted = NDArray[np.int16]
Condition = Callable[[Any, Any, Numbers, int], Any]


@dataclass(frozen=True, slots=True)
class Quantifier:
    """A quantifier: which two numbers it speaks of, when it is true of them, and what is conveyed besides.

    `form`: "proportion" x = |A|, y = |A ∩ B|; "only" x = |B|, y = |A ∩ B|; "comparison" x = |A|, y = |B|; "kinds" x =
    how many of the terms of A are there, y = how many terms there are. `numbers` says how many numbers it takes (3 in
    *exactly 3*, 1 and 4 in *a quarter*). `rest` says whether *the rest are C* may follow it.
    """

    name: str
    title: Bilingual
    form: Form
    semantic: Condition
    conveyed: Condition
    numbers: int = 0
    vague: bool = False
    rest: bool = False

    def holds(self, x: Any, y: Any, numbers: Numbers, size: int, reading: Reading = "pragmatic") -> Any:
        """Return whether it is true of two numbers, or of each pair in two arrays, in a scene of this size."""
        true = self.semantic(x, y, numbers, size)
        return true & self.conveyed(x, y, numbers, size) if reading == "pragmatic" else true


# --- conditions -----------------------------------------------------------------------------------------------------


def _all(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return y == x


def _no(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return y == 0


def _not_all(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return y < x


def _any(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return y >= 1


def _half(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return (2 * y == x) & (x >= 1)


def _most(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return 2 * y > x


def _less_than_half(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return 2 * y < x


def _minority(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return (2 * y < x) & (y >= 1)


def _fraction(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    part, whole = numbers
    common = math.gcd(part, whole) or 1
    part, whole = part // common, whole // common
    if not whole or max(part, whole) > LARGEST_SCENE:  # no things can be divided so, and the products would not fit
        return x != x
    return (np.int64(whole) * y == np.int64(part) * x) & (x >= 1)


def _exactly(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return y == numbers[0]


def _at_least(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return y >= numbers[0]


def _so_many_at_least(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    """*Three are blue* is true of four, too; *none*, written as a number, is not."""
    return y >= numbers[0] if numbers[0] else y == 0


def _at_most(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return y <= numbers[0]


def _over(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return y > numbers[0]


def _under(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return y < numbers[0]


def _all_but(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return x - y == numbers[0]


def _the(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return (x == 1) & (y == 1)


def _one(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return y == 1


def _more(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return x > y


def _fewer(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return x < y


def _equal(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return x == y


def _times(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    # More times than the largest scene holds things are never true, and their product need not be formed.
    return (x == np.int64(min(numbers[0], LARGEST_SCENE + 1)) * y) & (y >= 1)


# --- what is conveyed besides ---------------------------------------------------------------------------------------


def _nothing(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return x == x


def _plural_domain(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return x >= 2


def _there_is_first(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return x >= 1


def _there_is_second(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return y >= 1


def _there_is_unless_few(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    """*At most two* conveys that there is one; *at most none* cannot convey it, since it says the contrary."""
    return (y >= 1) | (numbers[0] == 0)


def _there_is_unless_fewer(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return (y >= 1) | (numbers[0] <= 1)


def _several_not_all(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return (y >= 2) & (y < x)


def _several_and_more_than_left_out(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    """*All but nineteen* is not said of twenty, nor *all but one* of two."""
    return (y >= 2) & (y > numbers[0])


def _just_so_many(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
    return y == numbers[0]


def _vague(name: str) -> Quantifier:
    def true(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
        return is_vaguely_true(name, x, y, size, conveyed=False)

    def conveyed(x: Any, y: Any, numbers: Numbers, size: int) -> Any:
        most = borders(name, size).high if name in CONVEY_NOT_MORE else math.inf
        return can_be_said(name, x, y) & (y <= most)

    return Quantifier(name, _VAGUE_TITLES[name], "proportion", true, conveyed, vague=True)


_VAGUE_TITLES = {
    "a few": Bilingual("a few", "几个"),
    "few": Bilingual("few", "很少"),
    "a couple": Bilingual("a couple of", "两三个"),
    "several": Bilingual("several", "若干"),
    "many": Bilingual("many", "许多"),
    "almost all": Bilingual("almost all", "几乎所有"),
    "about half": Bilingual("about half", "大约一半"),
}


def _listed() -> tuple[Quantifier, ...]:
    crisp = (
        Quantifier("all", Bilingual("all", "所有"), "proportion", _all, _plural_domain),
        Quantifier("every", Bilingual("every", "每个"), "proportion", _all, _plural_domain),
        Quantifier("everything", Bilingual("everything", "全部"), "proportion", _all, _plural_domain),
        Quantifier("the", Bilingual("the only", "唯一的"), "proportion", _the, _nothing),
        Quantifier("no", Bilingual("no", "没有"), "proportion", _no, _there_is_first),
        Quantifier("not all", Bilingual("not all", "并非所有"), "proportion", _not_all, _there_is_second),
        Quantifier("only", Bilingual("only", "只有"), "only", _all, _there_is_second),
        Quantifier("half", Bilingual("half", "一半"), "proportion", _half, _nothing, rest=True),
        Quantifier("most", Bilingual("most", "大多数"), "proportion", _most, _several_not_all, rest=True),
        Quantifier("more than half", Bilingual("more than half", "一半以上"), "proportion", _most, _several_not_all,
                   rest=True),
        Quantifier("majority", Bilingual("a majority", "多数"), "proportion", _most, _several_not_all, rest=True),
        Quantifier("minority", Bilingual("a minority", "少数"), "proportion", _minority, _nothing, rest=True),
        Quantifier("less than half", Bilingual("less than half", "不到一半"), "proportion", _less_than_half,
                   _there_is_second, rest=True),
        Quantifier("fraction", Bilingual("a fraction", "几分之几"), "proportion", _fraction, _nothing, 2, rest=True),
        Quantifier("some", Bilingual("some", "一些"), "proportion", _any, _several_not_all, rest=True),
        Quantifier("only one", Bilingual("only one", "只有一个"), "proportion", _one, _plural_domain, rest=True),
        Quantifier("number", Bilingual("n", "n 个"), "proportion", _so_many_at_least, _just_so_many, 1,
                   rest=True),
        Quantifier("exactly", Bilingual("exactly n", "恰好 n 个"), "proportion", _exactly, _nothing, 1, rest=True),
        Quantifier("at least", Bilingual("at least n", "至少 n 个"), "proportion", _at_least, _nothing, 1),
        Quantifier("at most", Bilingual("at most n", "至多 n 个"), "proportion", _at_most, _there_is_unless_few, 1),
        Quantifier("over", Bilingual("more than n", "超过 n 个"), "proportion", _over, _nothing, 1),
        Quantifier("under", Bilingual("fewer than n", "不到 n 个"), "proportion", _under, _there_is_unless_fewer, 1),
        Quantifier("all but", Bilingual("all but n", "除 n 个外"), "proportion", _all_but,
                   _several_and_more_than_left_out, 1, rest=True),
        Quantifier("more", Bilingual("more … than", "比……多"), "comparison", _more, _there_is_second),
        Quantifier("fewer", Bilingual("fewer … than", "比……少"), "comparison", _fewer, _there_is_first),
        Quantifier("equal", Bilingual("equally many", "一样多"), "comparison", _equal, _there_is_first),
        Quantifier("times", Bilingual("n times as many", "是……的 n 倍"), "comparison", _times, _nothing, 1),
        Quantifier("there are", Bilingual("there are", "有"), "kinds", _equal, _nothing),
        Quantifier("all kinds", Bilingual("all possible kinds", "所有可能的种类"), "kinds", _equal, _nothing),
        Quantifier("of each kind", Bilingual("n of each kind", "每种各 n 个"), "kinds", _equal, _nothing, 1),
    )  # fmt: skip
    return (*crisp, *(_vague(name) for name in _VAGUE_TITLES))


QUANTIFIERS: Mapping[str, Quantifier] = MappingProxyType({one.name: one for one in _listed()})
"""All quantifiers by name."""


def quantifier(name: str) -> Quantifier:
    """Return the quantifier of this name, or say which there are."""
    if name not in QUANTIFIERS:
        raise unknown_name("quantifier", name, list(QUANTIFIERS))
    return QUANTIFIERS[name]
