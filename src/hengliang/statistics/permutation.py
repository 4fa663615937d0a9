"""Permutation tests: sign flips of pairs and label exchanges between groups, in whole clusters.

Two systems that answer the same items alike could change places, item by item (`paired_permutation`); two groups of
clusters could exchange their labels (`label_permutation`). What belongs together moves together: all ratings of an
item, all ratings of a rater. With items and raters the statistic is a t (`CrossedFlips`), and the test is close to its
level but not exact. The interval holds the differences that neither one-sided test rejects at half the error: with
`two_sided="doubled"` these are the ones that the test does not reject; with "absolute" the two may differ a little
where the rearranged differences are skewed, as in groups of unequal size.

[1] Phipson, B., Smyth, G. K. (2010). Permutation p-values should never be zero. Statistical Applications in Genetics
    and Molecular Biology 9.
[2] Hartigan, J. A. (1969). Using subsample values as typical values. Journal of the American Statistical Association
    64.
[3] MacKinnon, J. G., Nielsen, M. Ø., Webb, M. D. (2021). Wild bootstrap and asymptotic inference with multiway
    clustering. Journal of Business & Economic Statistics 39.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

from hengliang.core.errors import UserError
from hengliang.core.linear_algebra import on_one_thread
from hengliang.core.signature import Value
from hengliang.core.terms import Bilingual
from hengliang.statistics.conventions import Convention
from hengliang.statistics.correlation.coefficients import Column, as_numbers, check_settings
from hengliang.statistics.resampling import Floats, Integers, Way, ways_of, widest_ways
from hengliang.statistics.results import Effect, TestResult, check_choice, checksum

# --- rearrangements, their p and their interval -----------------------------------------------------------------------
# Signs of clusters flip, or labels of clusters change places within strata: rearrangements that would have been as
# likely if there were no difference. All of them are given when they are few, else random ones; always in chunks of
# bounded size. From them come p and the interval that inverts the test: the differences that it would not reject.

EXACT_LIMIT = 65_536
"""Up to so many rearrangements all are run: 16 clusters whose signs flip."""

_CELLS = 2_000_000


@dataclass(frozen=True, slots=True)
class Rearrangement:
    """How many rearrangements there are, and whether all are run or a random sample of them."""

    total: int
    draws: int
    seed: int

    @property
    def exact(self) -> bool:
        """Whether all rearrangements are run."""
        return self.total <= EXACT_LIMIT

    @property
    def run(self) -> int:
        """How many are run."""
        return self.total if self.exact else self.draws

    def check(self) -> None:
        """Refuse what cannot be drawn."""
        if self.draws < 1:
            raise UserError(f"{self.draws} random rearrangements are none.", valid="draws is a whole number above 0.")

    def describe(self) -> str:
        """Say how many were run, and of how many."""
        return f"all {self.total}" if self.exact else f"{self.draws} random, seed {self.seed}"

    def probability(self, as_extreme: int) -> float:
        """Return p: the share of all, or (b + 1) / (m + 1) of a random sample, which is never zero [1]."""
        return as_extreme / self.total if self.exact else (as_extreme + 1) / (self.draws + 1)

    def error(self, p: float) -> float:
        """Return the Monte-Carlo standard error of p: none when all rearrangements were run."""
        return 0.0 if self.exact else math.sqrt(p * (1 - p) / (self.draws + 1))


def sign_flips(clusters: int, draws: int, seed: int) -> tuple[Rearrangement, Iterator[Floats]]:
    """Return how many ways there are to flip signs, and the (rearrangements × clusters) tables of −1 and 1."""
    plan = Rearrangement(2**clusters, draws, seed)
    plan.check()
    return plan, _flips(plan, clusters)


def _flips(plan: Rearrangement, clusters: int) -> Iterator[Floats]:
    generator = np.random.default_rng(plan.seed)
    size = max(1, _CELLS // max(clusters, 1))
    for start in range(0, plan.run, size):
        rows = min(size, plan.run - start)
        if plan.exact:
            bits = (np.arange(start, start + rows)[:, None] >> np.arange(clusters)) & 1
        else:
            bits = generator.integers(0, 2, (rows, clusters))
        yield np.where(bits, -1.0, 1.0)


def label_exchanges(
    chosen: Integers, strata: Integers, draws: int, seed: int
) -> tuple[Rearrangement, Iterator[Floats]]:
    """Return the (rearrangements × clusters) tables of 0 and 1: which clusters bear the first label.

    `chosen` is 1 for clusters that bear it now. Each stratum keeps its number of them.
    """
    places = [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]
    counts = [int(chosen[members].sum()) for members in places]
    total = math.prod(math.comb(len(members), count) for members, count in zip(places, counts, strict=True))
    plan = Rearrangement(total, draws, seed)
    plan.check()
    give = _all_exchanges if plan.exact else _random_exchanges
    return plan, give(plan, places, counts)


def _all_exchanges(plan: Rearrangement, places: Sequence[Integers], counts: Sequence[int]) -> Iterator[Floats]:
    clusters = sum(map(len, places))
    choices = []
    for stratum, count in zip(places, counts, strict=True):
        picked = list(combinations(range(len(stratum)), count))
        table = np.zeros((len(picked), len(stratum)))
        np.put_along_axis(table, np.array(picked, dtype=np.int64).reshape(len(picked), count), 1.0, axis=1)
        choices.append(table)
    size = max(1, _CELLS // max(clusters, 1))
    for start in range(0, plan.total, size):
        numbers = np.arange(start, min(start + size, plan.total))
        chosen = np.zeros((len(numbers), clusters))
        for stratum, table in zip(places, choices, strict=True):
            numbers, digit = np.divmod(numbers, len(table))
            chosen[:, stratum] = table[digit]
        yield chosen


def _random_exchanges(plan: Rearrangement, places: Sequence[Integers], counts: Sequence[int]) -> Iterator[Floats]:
    clusters = sum(map(len, places))
    generator = np.random.default_rng(plan.seed)
    size = max(1, _CELLS // max(clusters, 1))
    for start in range(0, plan.draws, size):
        rows = min(size, plan.draws - start)
        chosen = np.zeros((rows, clusters))
        for stratum, count in zip(places, counts, strict=True):
            order = np.argsort(generator.random((rows, len(stratum))), axis=1)[:, :count]
            np.put_along_axis(chosen, stratum[order], 1.0, axis=1)
        yield chosen


def rearranged_p(
    observed: float, values: Floats, plan: Rearrangement, two_sided: str = "absolute", alternative: str = "two-sided"
) -> float:
    """Return p of an observed value among its rearrangements; equal within float noise counts as equal."""
    # The slack goes with the size of the values: data on a small scale are not all "equal" for it.
    slack = 1e-10 * max(abs(observed), float(np.median(np.abs(values)))) if np.isfinite(observed) else 0.0
    slack = slack if np.isfinite(slack) else 1e-10 * abs(observed)
    greater = plan.probability(int((values >= observed - slack).sum()))
    less = plan.probability(int((values <= observed + slack).sum()))
    if alternative != "two-sided":
        return greater if alternative == "greater" else less
    if two_sided == "doubled":
        return min(1.0, 2 * min(greater, less))
    return plan.probability(int((np.abs(values) >= abs(observed) - slack).sum()))


def inverted_interval(
    observed: float, values: Floats, slopes: Floats, plan: Rearrangement, level: float
) -> tuple[float, float] | None:
    """Return all shifts that neither one-sided test rejects at half the error; none when there are too few.

    Without a true shift δ a rearranged value is `values − δ slopes`, the observed one `observed − δ`. The first reaches
    the second from the critical shift (observed − value) / (1 − slope) on, so p as a function of δ only counts critical
    shifts, and the bounds are two of them: for signs that flip, means of some of the clusters [2].
    """
    moves = slopes < 1 - 1e-12
    critical = np.sort((observed - values[moves]) / (1 - slopes[moves]))
    always = len(values) - len(critical) + (0 if plan.exact else 1)
    total = plan.total if plan.exact else plan.draws + 1
    # The bound is the first shift whose p exceeds the tail; the slack keeps 0.025 · 40 from being 0.9999….
    rank = math.floor((1 - level) / 2 * total - always + 1e-9)
    if rank < 0 or len(critical) == 0:
        return None
    rank = min(rank, (len(critical) - 1) // 2)
    # What should be 0 comes out as some 1e-16, and would stand on the wrong side of it.
    noise = 1e-12 * float(np.abs(critical).max())
    low, high = (0.0 if abs(bound) <= noise else float(bound) for bound in critical[[rank, -1 - rank]])
    return low, high


# --- sign flips with crossed raters and items -------------------------------------------------------------------------
# Whole raters or whole items flip their sign, whichever are fewer, and the mean is divided by its standard error
# clustered both ways [3]. Flipping alone would test as if only raters, or only items, were drawn.

_STEPS = 40
"""Halvings of the search for a bound, and doublings before it is given up."""


class CrossedFlips:
    """Differences by rater and item, and the t of any flips of the fewer of the two, many flips at once."""

    def __init__(self, differences: Floats, ways: tuple[Way, Way], draws: int, seed: int) -> None:
        first, second = ways
        few, many = (first, second) if first.levels <= second.levels else (second, first)
        cells = few.codes * many.levels + many.codes
        size, shape = few.levels * many.levels, (few.levels, many.levels)
        self.sums = np.bincount(cells, weights=differences, minlength=size).astype(np.float64).reshape(shape)
        self.counts = np.bincount(cells, minlength=size).astype(np.float64).reshape(shape)
        self.mean = float(differences.mean())
        self.draws, self.seed = draws, seed

    def t(self, signs: Floats, shift: float = 0.0) -> tuple[Floats, Floats]:
        """Return t and the standard error of the mean for each row of signs, with `shift` taken from each difference.

        The variance by rater plus that by item minus that by cell; where this falls below the larger of the first two
        it is noise, and that one stands.
        """
        sums = self.sums - shift * self.counts
        few, many = signs * sums.sum(axis=1), signs @ sums
        n = self.counts.sum()
        mean = few.sum(axis=1) / n
        of_few = np.square(few - mean[:, None] * self.counts.sum(axis=1)).sum(axis=1)
        of_many = np.square(many - mean[:, None] * self.counts.sum(axis=0)).sum(axis=1)
        crossed = signs @ (sums * self.counts).sum(axis=1)
        of_cells = np.square(sums).sum() - 2 * mean * crossed + mean**2 * np.square(self.counts).sum()
        of_cells = np.maximum(of_cells, 0.0)  # a sum of squares, which rounding may leave below 0
        error = np.sqrt(np.maximum(of_few + of_many - of_cells, np.maximum(of_few, of_many))) / n
        # Differences that are all alike have no error: any mean but zero is then infinitely many errors away.
        noise = 1e-12 * np.abs(sums).max(initial=0.0)
        tiny = error <= noise
        t = np.where(tiny & (np.abs(mean) > noise), np.copysign(np.inf, mean), 0.0)
        np.divide(mean, error, out=t, where=~tiny)
        return t, error

    def observed(self) -> tuple[float, float]:
        """Return t and the standard error of the mean as they are."""
        t, error = self.t(np.ones((1, len(self.sums))))
        return float(t[0]), float(error[0])

    def flipped(self, shift: float = 0.0) -> tuple[Rearrangement, float, Floats]:
        """Return the plan, the t as it is and the t of all flips, with `shift` taken from each difference."""
        plan, chunks = sign_flips(len(self.sums), self.draws, self.seed)
        values = np.concatenate([self.t(signs, shift)[0] for signs in chunks])
        return plan, float(self.t(np.ones((1, len(self.sums))), shift)[0][0]), values

    def interval(self, level: float) -> tuple[float, float] | None:
        """Return the border of the shifts that the two-sided test does not reject; none when it rejects nothing."""
        bounds = [self._bound(direction, 1 - level) for direction in (-1, 1)]
        low, high = bounds
        return None if low is None or high is None else (low, high)

    def _rejects(self, shift: float, tail: float) -> bool:
        plan, observed, values = self.flipped(shift)
        return rearranged_p(observed, values, plan) <= tail

    def _bound(self, direction: int, tail: float) -> float | None:
        inside, step = self.mean, direction * self.observed()[1]
        for _ in range(_STEPS // 4):
            step *= 2
            if step == 0 or self._rejects(self.mean + step, tail):
                break
        else:
            return None
        outside = self.mean + step
        for _ in range(_STEPS):
            middle = (inside + outside) / 2
            if abs(outside - inside) <= 1e-6 * abs(step):
                break
            inside, outside = (inside, middle) if self._rejects(middle, tail) else (middle, outside)
        return inside


# --- tests of paired differences and of two groups --------------------------------------------------------------------


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

    `items` and `raters` are labels, one per pair: with one of them its clusters flip whole; with both the statistic is
    t with a two-way standard error; with neither every pair flips alone. Pairs with a missing half are left out.
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
        outcome = _flip_one_way(differences, used[0], setup)
    else:
        statistic, outcome = _flip_two_ways(differences, (used[0], used[1]), setup)
    return _result(
        "paired-permutation",
        Bilingual("paired permutation test", "配对置换检验"),
        statistic=(statistic, "t" if len(used) > 1 else ""),
        difference=float(differences.mean()),
        found=outcome,
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

    `groups` holds the two labels, one per value and one per cluster. Where every item has values of both groups, the
    item is a stratum. `names` orders the labels; the difference is the first minus the second.
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
    difference, outcome = _exchange(numbers[present], unit, (bears, placed), setup)
    return _result(
        "label-permutation",
        Bilingual("permutation test", "置换检验"),
        statistic=(difference, ""),
        difference=difference,
        found=outcome,
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
    """Return the sentence for a small p and the one for any other; `verb` stands before the comparison: `rated `."""
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
