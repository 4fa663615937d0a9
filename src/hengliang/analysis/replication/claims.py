"""How is a claim recomputed, whichever paper makes it?

A recomputation is a function of a paper and one of its claims. Those that both papers need stand here: sums and
products, means that whole numbers can and cannot have, and what follows from numbers that were printed rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from hengliang.analysis.replication.published import Claim, Paper
from hengliang.analysis.replication.verdicts import Printed, Recomputed
from hengliang.core.terms import Bilingual

Recomputation = Callable[[Paper, Claim], Recomputed]


def plain(note_en: str, note_zh: str, value: float | str | None) -> Recomputed:
    """Return a value with how it was made."""
    return Recomputed(value, Bilingual(note_en, note_zh))


def yes_or_no(value: bool) -> str:
    """Return `yes` or `no`, as decisions are written."""
    return "yes" if value else "no"


def through_rounding(
    function: Callable[[Sequence[float]], float], inputs: Sequence[Printed], exact_zeros: bool = False
) -> tuple[float, float, float]:
    """Return the value at the printed inputs, and the least and greatest that their rounding leaves possible.

    Each input is moved to the ends of what its text can stand for, and the two corners towards which the function
    falls and rises are evaluated: exact where it is monotone in every input, of first order otherwise. With
    `exact_zeros` an input of zero does not move.
    """
    centre = [printed.value for printed in inputs]
    falling, rising = list(centre), list(centre)
    for index, printed in enumerate(inputs):
        if exact_zeros and printed.value == 0:
            continue
        ends = (printed.low, printed.high)
        low, high = (function([*centre[:index], end, *centre[index + 1 :]]) for end in ends)
        falling[index], rising[index] = ends if low <= high else ends[::-1]
    return function(centre), function(falling), function(rising)


def from_rounded(
    function: Callable[[Sequence[float]], float],
    inputs: Sequence[Printed],
    note: Bilingual,
    exact_zeros: bool = False,
) -> Recomputed:
    """Return the value of a function of printed inputs with the range that their rounding leaves."""
    value, low, high = through_rounding(function, inputs, exact_zeros)
    return Recomputed(value, note, low, high)


def total(paper: Paper, claim: Claim) -> Recomputed:
    """Add up the printed parts."""
    parts = [int(part) for part in claim.inputs["parts"]]
    shown = " + ".join(map(str, parts)).replace("+ -", "− ")
    return plain(shown, shown, sum(parts))


def product(paper: Paper, claim: Claim) -> Recomputed:
    """Multiply the printed factors."""
    shown = " × ".join(map(str, claim.inputs["factors"]))
    return plain(shown, shown, math.prod(claim.inputs["factors"]))


def possible_mean(paper: Paper, claim: Claim) -> Recomputed:
    """Return the mean of whole numbers that lies nearest to the printed one, for the stated numbers of observations."""
    printed = Printed.parse(claim.published)
    sizes = [int(n) for n in claim.inputs["n"]]
    nearest = {n: round(printed.value * n) / n for n in sizes}
    best = min(nearest.values(), key=lambda mean: abs(mean - printed.value))
    told = " or ".join(map(str, sizes))
    if printed.agrees(best):
        note = Bilingual(f"{told} whole numbers can have this mean", f"{told.replace('or', '或')} 个整数可以有此均值")
    else:
        note = Bilingual(
            f"no mean of {told} whole numbers rounds to it; the nearest is {best:.4f}",
            f"{told.replace('or', '或')} 个整数的均值不会舍入成此数；最近的是 {best:.4f}",
        )
        if printed.rounded_twice(best):
            note = Bilingual(note.en + ", which gives it when rounded twice", note.zh + "，两次舍入可得此数")
    return Recomputed(best, note, best, best, bound=True)


def possible_sd(paper: Paper, claim: Claim) -> Recomputed:
    """Return whether whole numbers of the stated range and mean can have the printed standard deviation."""
    printed, mean = Printed.parse(claim.published), Printed.parse(claim.inputs["mean"])
    n, low, high = (int(claim.inputs[key]) for key in ("n", "low", "high"))
    deviations = standard_deviations(n, low, high, mean)
    best = min(deviations, key=lambda value: abs(value - printed.value), default=math.nan)
    note = Bilingual(
        f"{n} whole numbers from {low} to {high} with mean {mean.text} can have standard deviations "
        f"from {min(deviations):.2f} to {max(deviations):.2f}; the ages themselves are not printed",
        f"{n} 个介于 {low} 与 {high}、均值为 {mean.text} 的整数，其标准差可为 "
        f"{min(deviations):.2f} 至 {max(deviations):.2f}；年龄本身未印出",
    )
    return Recomputed(best, note, best, best, bound=True)


def standard_deviations(n: int, low: int, high: int, mean: Printed) -> list[float]:
    """Return every sample standard deviation of `n` whole numbers whose least, greatest and rounded mean are known.

    For each count of numbers and each sum, the sums of squares that can be reached are the set bits of one integer.
    """
    width = high - low
    reached: dict[int, int] = {width: 1 << width**2}  # the least and the greatest are there: offsets 0 and width
    for _ in range(n - 2):
        grown: dict[int, int] = {}
        for held, squares in reached.items():
            for step in range(width + 1):
                grown[held + step] = grown.get(held + step, 0) | squares << step**2
        reached = grown
    found = set()
    for held, squares in reached.items():
        if mean.agrees(low + held / n):
            sums = (place for place in range(squares.bit_length()) if squares >> place & 1)
            found |= {math.sqrt((square - held**2 / n) / (n - 1)) for square in sums}
    return sorted(found)


def needs_raw(paper: Paper, claim: Claim) -> Recomputed:
    """Say what would be needed."""
    told: Mapping[str, Bilingual] = {
        "left empty": Bilingual("the paper leaves the value empty, and states α = .5", "论文此处空缺，且写作 α = .5"),
        "scores": Bilingual("needs the judges' scores and the swaps of every pair", "需要每一配对的评判分数和交换次数"),
    }
    return Recomputed(None, told[claim.inputs["missing"]])


GENERAL: Mapping[str, Recomputation] = {
    "sum": total,
    "product": product,
    "possible_mean": possible_mean,
    "possible_sd": possible_sd,
    "needs_raw": needs_raw,
}
"""The recomputations that more than one paper needs, by the kind of claim."""
