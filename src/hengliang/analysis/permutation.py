"""Would a difference as large have come about if it did not matter who is who?

Two systems that answer the same items alike could change places, item by item (`paired_permutation`); two groups of
clusters could exchange their labels (`label_permutation`). What belongs together moves together: all ratings of an
item, all ratings of a rater. With both the statistic is a t (`hengliang.analysis.two_way_flips`), and the test is close
to its level but not exact. The interval holds the differences that neither one-sided test rejects at half the error:
with `two_sided="doubled"` these are the ones that the test does not reject; with "absolute" the two may part a little
where the rearranged differences are skewed, as in groups of unequal size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from hengliang.analysis.correlation.pairs import Column, as_numbers, check_settings
from hengliang.analysis.crossed_resampling import Way, ways_of, widest_ways
from hengliang.analysis.multiverse import Convention
from hengliang.analysis.rearrangements import (
    Rearrangement,
    inverted_interval,
    label_exchanges,
    rearranged_p,
    sign_flips,
)
from hengliang.analysis.resampling import Floats, Integers
from hengliang.analysis.results import (
    Effect,
    TestResult,
    check_choice,
    checksum,
)
from hengliang.analysis.two_way_flips import CrossedFlips
from hengliang.core.errors import UserError
from hengliang.core.linear_algebra import on_one_thread
from hengliang.core.signature import Value
from hengliang.core.terms import Bilingual

TwoSided = Literal["absolute", "doubled"]
CONVENTIONS: tuple[Convention, ...] = (
    Convention({"two_sided": "absolute"}),
    Convention({"two_sided": "doubled"}, ("SciPy",)),
)
"""The two ways to look at both sides: |difference| at least as large, or twice the smaller one-sided p."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What both tests share: how many random rearrangements, and how the result is read."""

    draws: int
    seed: int
    two_sided: str
    alternative: str
    alpha: float
    level: float

    def check(self) -> None:
        """Refuse settings that do not exist."""
        check_settings(self.alternative, self.alpha, self.level)
        check_choice("two_sided", self.two_sided, get_args(TwoSided))


@dataclass(frozen=True, slots=True)
class _Found:
    plan: Rearrangement
    p: float
    interval: tuple[float, float] | None


@on_one_thread
def paired_permutation(
    first: Column,
    second: Column,
    *,
    items: Any = None,
    raters: Any = None,
    names: tuple[str, str] = ("A", "B"),
    draws: int = 9999,
    seed: int = 1,
    two_sided: TwoSided = "absolute",
    alternative: str = "two-sided",
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test the mean difference of pairs by flipping the signs of whole clusters.

    `items` and `raters` are labels, one a pair: with one of them its clusters flip whole; with both the statistic is t
    with a two-way standard error; with neither every pair flips alone. Pairs with a missing half are left out.
    """
    setup = Setup(draws, seed, two_sided, alternative, alpha, level)
    setup.check()
    values = [as_numbers(column, name) for column, name in zip((first, second), names, strict=True)]
    if len(values[0]) != len(values[1]):
        raise UserError(
            f"{names[0]} has {len(values[0])} values, {names[1]} has {len(values[1])}.",
            valid="Pairs: as many values on either side, in the same order.",
        )
    ways = ways_of({"item": items, "rater": raters}, len(values[0]))
    present = ~np.isnan(values[0] - values[1])
    differences = (values[0] - values[1])[present]
    if len(differences) < 2:
        raise UserError(f"{len(differences)} complete pairs cannot be tested.", valid="2 or more complete pairs.")
    used = widest_ways([way.keep(present) for way in ways]) or (_single(len(differences)),)
    _check_levels(used)
    statistic = float(differences.mean())
    if len(used) == 1:
        found = _flip_one_way(differences, used[0], setup)
    else:
        statistic, found = _flip_two_ways(differences, (used[0], used[1]), setup)
    return _result(
        "paired-permutation",
        Bilingual("paired permutation test", "配对置换检验"),
        statistic=(statistic, "t" if len(used) > 1 else ""),
        difference=float(differences.mean()),
        found=found,
        setup=setup,
        names=names,
        counts=(len(differences), int((~present).sum())),
        conventions={"unit": _unit(used), "statistic": _STATISTICS[len(used)]},
        data=checksum(differences, *(way.codes for way in used)),
    )


@on_one_thread
def label_permutation(
    values: Column,
    groups: Any,
    *,
    clusters: Any = None,
    strata: Any = None,
    names: tuple[str, str] | None = None,
    draws: int = 9999,
    seed: int = 1,
    two_sided: TwoSided = "absolute",
    alternative: str = "two-sided",
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test the difference of two means by exchanging the labels of whole clusters, within strata where given.

    `groups` holds the two labels, one a value and one a cluster. Where every item has values of both groups, the item
    is a stratum. `names` orders the labels; the difference is the first minus the second.
    """
    setup = Setup(draws, seed, two_sided, alternative, alpha, level)
    setup.check()
    numbers = as_numbers(values, "the sample")
    labels = [str(label) for label in groups]
    known = names or tuple(dict.fromkeys(labels))
    if len(known) != 2 or len(labels) != len(numbers) or set(labels) != set(known):
        raise UserError(
            f"{len(numbers)} values have {len(labels)} labels: {', '.join(dict.fromkeys(labels))}.",
            valid="One label a value, and two different labels.",
        )
    present = ~np.isnan(numbers)
    is_first = (np.array(labels) == known[0])[present].astype(np.int64)
    ways = [way.keep(present) for way in ways_of({"cluster": clusters}, len(numbers))]
    unit = ways[0] if ways else _single(int(present.sum()))
    stratum = [way.keep(present) for way in ways_of({"stratum": strata}, len(numbers))]
    within = stratum[0].codes if stratum else np.zeros(len(is_first), dtype=np.int64)
    bears, placed = _one_each(is_first, unit, "label"), _one_each(within, unit, "stratum")
    _check_exchange(bears, placed, known)
    difference, found = _exchange(numbers[present], unit, (bears, placed), setup)
    return _result(
        "label-permutation",
        Bilingual("permutation test", "置换检验"),
        statistic=(difference, ""),
        difference=difference,
        found=found,
        setup=setup,
        names=(known[0], known[1]),
        counts=(int(present.sum()), int((~present).sum())),
        conventions={
            "unit": _unit((unit,)),
            "strata": stratum[0].levels if stratum else "none",
            "statistic": "difference of means over observations",
        },
        data=checksum(numbers[present], is_first, unit.codes, within),
    )


def _single(n: int) -> Way:
    return Way("observation", np.arange(n), n)


def _unit(ways: tuple[Way, ...]) -> str:
    return " and ".join(f"{way.levels} × {way.name}" for way in ways)


def _check_levels(ways: tuple[Way, ...]) -> None:
    for way in ways:
        if way.levels < 2:
            raise UserError(
                f"All pairs belong to one {way.name}.",
                valid=f"2 or more levels of {way.name}.",
                remedy=f"Leave the {way.name}s away to test for this one {way.name} only.",
            )


_STATISTICS = {1: "mean difference", 2: "mean difference over its standard error clustered both ways"}


def _flip_one_way(differences: Floats, way: Way, setup: Setup) -> _Found:
    n = len(differences)
    sums = np.bincount(way.codes, weights=differences) / n
    counts = np.bincount(way.codes) / n
    plan, chunks = sign_flips(way.levels, setup.draws, setup.seed)
    pairs = [(signs @ sums, signs @ counts) for signs in chunks]
    return _found(float(sums.sum()), plan, pairs, setup)


def _flip_two_ways(differences: Floats, ways: tuple[Way, Way], setup: Setup) -> tuple[float, _Found]:
    crossed = CrossedFlips(differences, ways, setup.draws, setup.seed)
    plan, observed, values = crossed.flipped()
    p = rearranged_p(observed, values, plan, setup.two_sided, setup.alternative)
    return observed, _Found(plan, p, crossed.interval(setup.level))


def _one_each(values: Integers, unit: Way, what: str) -> Integers:
    """Return the value that all observations of each cluster have; a cluster with two is refused."""
    least = np.full(unit.levels, np.iinfo(np.int64).max)
    most = np.full(unit.levels, -1)
    np.minimum.at(least, unit.codes, values)
    np.maximum.at(most, unit.codes, values)
    mixed = np.flatnonzero(least != most)
    if len(mixed):
        row = int(np.flatnonzero(unit.codes == mixed[0])[0]) + 1
        raise UserError(
            f"A cluster has more than one {what}: that of observation {row}.",
            valid=f"One {what} a cluster.",
            remedy="Give that column as strata, and leave clusters away, to exchange labels within it.",
        )
    return least


def _check_exchange(bears: Integers, placed: Integers, names: tuple[str, ...]) -> None:
    size, chosen = np.bincount(placed), np.bincount(placed, weights=bears)
    if not ((chosen > 0) & (chosen < size)).any():
        raise UserError(
            f"No stratum holds both '{names[0]}' and '{names[1]}': there is nothing to exchange.",
            valid="Some stratum with clusters of both labels.",
        )


def _exchange(values: Floats, unit: Way, places: tuple[Integers, Integers], setup: Setup) -> tuple[float, _Found]:
    bears, placed = places
    sums = np.bincount(unit.codes, weights=values).astype(np.float64)
    counts = np.bincount(unit.codes).astype(np.float64)

    def difference(chosen: Floats, held: Floats) -> Floats:
        inside, n = chosen @ held, chosen @ counts
        result: Floats = inside / n - (held.sum() - inside) / (counts.sum() - n)
        return result

    observed = float(difference(bears[None, :].astype(np.float64), sums)[0])
    plan, chunks = label_exchanges(bears, placed, setup.draws, setup.seed)
    pairs = [(difference(chosen, sums), difference(chosen, counts * bears)) for chosen in chunks]
    return observed, _found(observed, plan, pairs, setup)


def _found(observed: float, plan: Rearrangement, pairs: list[tuple[Floats, Floats]], setup: Setup) -> _Found:
    """Return p and the interval from the rearranged values and how much of a shift each would keep."""
    values = np.concatenate([value for value, _ in pairs])
    slopes = np.concatenate([slope for _, slope in pairs])
    p = rearranged_p(observed, values, plan, setup.two_sided, setup.alternative)
    return _Found(plan, p, inverted_interval(observed, values, slopes, plan, setup.level))


def _result(
    test: str,
    title: Bilingual,
    *,
    statistic: tuple[float, str],
    difference: float,
    found: _Found,
    setup: Setup,
    names: tuple[str, str],
    counts: tuple[int, int],
    conventions: dict[str, Value],
    data: str,
) -> TestResult:
    significant, otherwise = findings(names, difference, setup.alternative)
    low, high = found.interval or (None, None)
    details = {"mean difference": difference, "rearrangements": float(found.plan.run)}
    if not found.plan.exact:
        details["Monte-Carlo standard error of p"] = found.plan.error(found.p)
    return TestResult(
        test=test,
        title=title,
        symbol=statistic[1],
        statistic=statistic[0],
        p=found.p,
        alternative=setup.alternative,
        n=counts[0],
        n_missing=counts[1],
        significant=significant,
        otherwise=otherwise,
        effects=(
            Effect(
                "mean difference",
                "MD",
                difference,
                low,
                high,
                setup.level,
                _interval_method(found, two_ways=bool(statistic[1])),
                bounded=False,
            ),
        ),
        conventions=conventions
        | {"rearrangements": found.plan.describe(), "two-sided": _SIDES[setup.two_sided]}
        | ({} if found.plan.exact else {"p": "(b + 1) / (m + 1)"}),
        details=details,
        notes=_notes(found, setup),
        alpha=setup.alpha,
        data=data,
    )


_PLAINLY = Bilingual("", "")


def findings(
    names: tuple[str, str], difference: float, alternative: str, verb: Bilingual = _PLAINLY
) -> tuple[Bilingual, Bilingual]:
    """Return what is said if p is small and what otherwise; `verb` stands before the comparison: `rated `."""
    first, second = names
    if alternative == "two-sided":
        higher, lower = names if difference >= 0 else names[::-1]
        return (
            Bilingual(f"{higher} was {verb.en}higher than {lower}", f"{higher}{verb.zh}高于{lower}"),
            Bilingual(f"No difference between {first} and {second} was found", f"未发现{first}与{second}有差异"),
        )
    word, character = ("higher", "高于") if alternative == "greater" else ("lower", "低于")
    return (
        Bilingual(f"{first} was {verb.en}{word} than {second}", f"{first}{verb.zh}{character}{second}"),
        Bilingual(
            f"{first} was not found to be {verb.en}{word} than {second}", f"未发现{first}{verb.zh}{character}{second}"
        ),
    )


def _interval_method(found: _Found, two_ways: bool) -> str:
    if found.interval is None:
        return f"no interval: {found.plan.run} rearrangements are too few to reject anything at this level"
    if two_ways:
        return "all differences that the two-sided test does not reject"
    return "all differences that neither one-sided test rejects at half the error"


_SIDES = {"absolute": "|difference| as large or larger", "doubled": "twice the smaller one-sided p"}


def _notes(found: _Found, setup: Setup) -> tuple[Bilingual, ...]:
    notes = []
    if abs(found.p - setup.alpha) < 2 * found.plan.error(found.p):
        notes.append(
            Bilingual(
                f"p is so close to α = {setup.alpha:g} that other random rearrangements may decide otherwise: "
                "raise draws.",
                f"p 值与 α = {setup.alpha:g} 过于接近，换一组随机置换可能改变结论：请增加 draws。",
            )
        )
    return tuple(notes)
