"""Equivalence tests (TOST): two one-sided tests and intervals against a margin.

Two one-sided tests ask whether the difference lies above the lower border of the margin and below the upper one [1];
the larger p of the two is that of equivalence. Here they stand for means (independent or paired), shares, a shift in
ratings by ranks, and the probability that one is rated above the other. The margin is decided beforehand and is part of
the signature. `against_margin` compares any interval with a margin.

[1] Schuirmann, D. J. (1987). A comparison of the two one-sided tests procedure and the power approach. Journal of
    Pharmacokinetics and Biopharmaceutics 15.
[2] Hollander, M., Wolfe, D., Chicken, E. (2014). Nonparametric statistical methods. 3rd ed. Wiley. Sections 3.2, 4.3.
[3] Brunner, E., Munzel, U. (2000). The nonparametric Behrens–Fisher problem. Biometrical Journal 42.
[4] Lakens, D. (2017). Equivalence tests. Social Psychological and Personality Science 8.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hengliang.core.errors import UserError
from hengliang.core.records import Estimate
from hengliang.core.signature import Signature, Value, digest, version
from hengliang.core.terms import Bilingual
from hengliang.statistics.effect_sizes import check_level, paired_values
from hengliang.statistics.proportions import ProportionDifference
from hengliang.statistics.ranks.mann_whitney import mann_whitney_test
from hengliang.statistics.ranks.samples import take_groups
from hengliang.statistics.ranks.wilcoxon import signed_rank_test
from hengliang.statistics.results import Effect, TestResult, checksum, p_remark, write_bounded, write_statistic
from hengliang.statistics.variance.anova import Group, take_moments
from hengliang.statistics.variance.t_tests import MeanDifference, Variances, independent_difference, paired_difference

# --- margins and verdicts ---------------------------------------------------------------------------------------------
# A test that finds no difference does not show that there is none. For that one states beforehand a margin within which
# a difference does not matter, and compares the interval of the difference with it [1, 4]: inside, the two are
# equivalent; outside, they are not; across a border, the data do not decide. A difference that certainly exists may
# still certainly be too small to matter.

Verdict = Literal["equivalent", "different and equivalent", "not equivalent", "undecided"]
Margin = float | tuple[float, float]
"""How far from no difference is still no difference that matters: to both sides, or the two borders themselves."""
BY_INTERVAL = "interval-against-margin"
"""What a verdict from an interval is called among the tests of equivalence."""


def take_margin(
    margin: Margin, null: float = 0.0, reach: tuple[float, float] = (-math.inf, math.inf)
) -> tuple[float, float]:
    """Return the two borders around `null`, which lie within what the difference can `reach`."""
    low, high = (null - margin, null + margin) if isinstance(margin, int | float) else margin
    if not (math.isfinite(low) and math.isfinite(high) and low < null < high):
        raise UserError(
            f"The margin {margin} does not enclose {null:g}, which stands for no difference.",
            valid=f"A number above 0, or two borders, one below {null:g} and one above.",
        )
    if not (reach[0] < low and high < reach[1]):
        raise UserError(
            f"The margin {margin} reaches to {low:g} and {high:g}, so that nothing could ever lie beyond it.",
            valid=f"Borders above {reach[0]:g} and below {reach[1]:g}.",
        )
    return float(low), float(high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence:
    """What an interval or two one-sided tests say about a margin.

    `effect` is the difference with its interval; for two one-sided tests at α that is the interval of level 1 − 2α. `p`
    is the larger p of these two tests, `p_beyond` the smaller p of the tests that the difference lies beyond a border,
    and `p_difference` the two-sided p of any difference. Where only an interval is known, they are None and the
    interval decides. `beside` holds the same difference by other units of observation (raters beside items), None where
    they have no interval: what is concluded, all of them must show.
    """

    test: str
    title: Bilingual
    effect: Effect
    margin: tuple[float, float]
    null: float = 0.0
    p: float | None = None
    p_beyond: float | None = None
    p_difference: float | None = None
    n: int | None = None
    n_missing: int = 0
    alpha: float = 0.05
    names: tuple[str, str] = ("A", "B")
    conventions: Mapping[str, Value] = field(default_factory=dict)
    notes: tuple[Bilingual, ...] = ()
    data: str = ""
    beside: Mapping[str, Equivalence | None] = field(default_factory=dict)

    @property
    def is_equivalent(self) -> bool:
        """Whether the difference lies within the margin."""
        if not all(other is not None and other.is_equivalent for other in self.beside.values()):
            return False
        if self.p is not None:
            return self.p <= self.alpha
        low, high = _bounds(self.effect)
        return self.margin[0] < low and high < self.margin[1]

    @property
    def is_different(self) -> bool:
        """Whether there is a difference at all."""
        if not all(other is not None and other.is_different for other in self.beside.values()):
            return False
        if self.p_difference is not None:
            return self.p_difference <= self.alpha
        low, high = _bounds(self.effect)
        return low > self.null or high < self.null

    @property
    def is_beyond(self) -> bool:
        """Whether the difference lies beyond the margin."""
        if not all(other is not None and other.is_beyond for other in self.beside.values()):
            return False
        if self.p_beyond is not None:
            return self.p_beyond <= self.alpha
        low, high = _bounds(self.effect)
        return low > self.margin[1] or high < self.margin[0]

    @property
    def verdict(self) -> Verdict:
        """What follows."""
        if self.is_equivalent:
            return "different and equivalent" if self.is_different else "equivalent"
        return "not equivalent" if self.is_beyond else "undecided"

    def _range(self) -> str:
        write = write_bounded if self.effect.bounded else write_statistic
        low, high = self.margin
        if math.isclose(high - self.null, self.null - low) and self.null == 0:
            return f"±{write(high)}"
        return f"[{write(low)}, {write(high)}]"

    def _numbers(self) -> Bilingual:
        parts = [] if self.p is None else [p_remark(self.p)]
        numbers = ", ".join([*parts, str(self.effect)])
        english, chinese = [numbers], [numbers]
        if self.p_difference is not None:
            difference = p_remark(self.p_difference)
            english.append(f"test of a difference: {difference}")
            chinese.append(f"差异检验：{difference}")
        for name, other in self.beside.items():
            english.append(f"by '{name}': {other.effect if other else 'no interval'}")
            chinese.append(f"按“{name}”：{other.effect if other else '无区间'}")
        return Bilingual("; ".join(english), "；".join(chinese))

    def sentence(self) -> Bilingual:
        """Say whether the two are equivalent, with the numbers."""
        first, second = self.names
        margin = self._range()
        finding = {
            "equivalent": Bilingual(
                f"{first} and {second} are equivalent within the margin {margin}",
                f"{first}与{second}在界值 {margin} 内等效",
            ),
            "different and equivalent": Bilingual(
                f"{first} and {second} differ, but are equivalent within the margin {margin}",
                f"{first}与{second}有差异，但在界值 {margin} 内等效",
            ),
            "not equivalent": Bilingual(
                f"{first} and {second} are not equivalent: they differ by more than the margin {margin}",
                f"{first}与{second}不等效：差异超出界值 {margin}",
            ),
            "undecided": Bilingual(
                f"Whether {first} and {second} are equivalent within the margin {margin} is undecided"
                + (", although they differ" if self.is_different else ""),
                f"{first}与{second}在界值 {margin} 内是否等效尚无定论"
                + ("，虽然两者有差异" if self.is_different else ""),
            ),
        }[self.verdict]
        numbers = self._numbers()
        return Bilingual(
            f"{finding.en} ({self.title.en}: {numbers.en}).", f"{finding.zh}（{self.title.zh}：{numbers.zh}）。"
        )

    def summary(self) -> str:
        """Return all numbers and conventions as lines of text."""
        lines = [
            f"{self.title.en} · {self.title.zh}",
            f"  margin {self._range()}: {self.verdict}",
            f"  {self._numbers().en}",
        ]
        if self.effect.method:
            lines.append(f"  interval: {self.effect.method}")
        if self.n is not None:
            missing = f", {self.n_missing} missing left out" if self.n_missing else ""
            lines.append(f"  {self.n} observations{missing}")
        lines += [f"  convention {name}: {value}" for name, value in self.conventions.items()]
        lines += [f"  note: {note.en}" for note in self.notes]
        sentence = self.sentence()
        return "\n".join([*lines, f"  {sentence.en}", f"  {sentence.zh}"])

    def signature(self) -> Signature:
        """Return the test, the margin, the conventions and the checksum of the data."""
        parts: dict[str, Value | Signature] = {"hengliang": version(), "test": self.test}
        parts |= {"margin_low": self.margin[0], "margin_high": self.margin[1], "alpha": self.alpha}
        parts |= {"decided_with": ", ".join(self.beside)} if self.beside else {}
        return Signature.of(**parts, **dict(self.conventions), data=self.data)

    def estimates(self, analysis: str, by: Mapping[str, str] | None = None) -> Iterator[Estimate]:
        """Give the difference with its interval, and p of equivalence."""
        signature, levels = str(self.signature()), dict(by or {})
        method = f"{self.title.en}, margin {self._range()}: {self.verdict}"
        yield Estimate(
            analysis, levels, self.effect.name, self.effect.value, self.effect.low, self.effect.high,
            p=self.p_difference, n=self.n, n_missing=self.n_missing, method=self.effect.method, signature=signature,
        )  # fmt: skip
        yield Estimate(
            analysis, levels, self.test, self.p, p=self.p, n=self.n, n_missing=self.n_missing, method=method,
            signature=signature,
        )  # fmt: skip

    def __str__(self) -> str:
        return self.summary()


def against_margin(
    effect: Effect | tuple[float, float, float],
    margin: Margin,
    *,
    null: float = 0.0,
    level: float = 0.95,
    names: tuple[str, str] = ("A", "B"),
) -> Equivalence:
    """Compare any estimate with an interval with a margin; a triple is the estimate with its bounds, of this `level`.

    An interval of level 1 − 2α is as strict as two one-sided tests at α: 90 % goes with α = .05.

    >>> against_margin((0.1, -0.05, 0.25), 0.5).verdict
    'equivalent'
    """
    if not isinstance(effect, Effect):
        check_level(level)
        value, low, high = map(float, effect)
        effect = Effect("difference", "Δ", value, low, high, level, "as given", bounded=False)
    low, high = _bounds(effect)
    if not low <= effect.value <= high:
        raise UserError(
            f"The interval [{low:g}, {high:g}] does not hold its estimate {effect.value:g}.",
            valid="(estimate, low, high) with low ≤ estimate ≤ high.",
        )
    return Equivalence(
        test=BY_INTERVAL,
        title=Bilingual("Interval against a margin", "区间与界值的比较"),
        effect=effect,
        margin=take_margin(margin, null),
        null=null,
        alpha=(1 - effect.level) / 2,
        names=names,
        conventions={"effect": effect.name, "level": effect.level},
        data=digest(repr((effect.value, low, high))),
    )


def _bounds(effect: Effect) -> tuple[float, float]:
    if effect.low is None or effect.high is None or math.isnan(effect.low) or math.isnan(effect.high):
        raise UserError(
            f"{effect.name} has no interval to hold against a margin"
            + (f" ({effect.method})." if effect.method else "."),
            valid="An effect with both bounds.",
        )
    return effect.low, effect.high


# --- two one-sided tests ----------------------------------------------------------------------------------------------


__all__ = [
    "Equivalence",
    "against_margin",
    "superiority",
    "tost_mann_whitney",
    "tost_means",
    "tost_paired_means",
    "tost_proportions",
    "tost_signed_ranks",
    "tost_superiority",
]

Floats = NDArray[np.float64]
Tail = Callable[[str, float], float]
"""From a direction and a hypothesised difference to p."""
DIGITS = 10
"""Digits of the largest value to which differences are rounded before ranking: float noise makes and breaks no ties."""
MOST_PAIRS = 3000
"""From more observations than this, not all pairwise values are held in memory, and the shift has no interval."""
MEANS, PAIRED_MEANS = Bilingual("means", "均值"), Bilingual("paired means", "配对均值")
SHARES, SUPERIORITY = Bilingual("shares", "比例"), Bilingual("the probability of superiority", "优势概率")
SIGNED_RANKS = Bilingual("a shift by Wilcoxon's signed ranks", "位移（Wilcoxon 符号秩）")
MANN_WHITNEY = Bilingual("a shift by Mann and Whitney's U", "位移（Mann–Whitney U）")


@dataclass(frozen=True, slots=True)
class _Question:
    """Who is compared, on how many observations, and at which α."""

    names: tuple[str, str]
    alpha: float
    n: int
    n_missing: int
    data: str

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 0.5:
            raise UserError(f"alpha = {self.alpha} is too large for one side.", valid="0 < alpha < 0.5, usually 0.05.")

    @property
    def level(self) -> float:
        """The level of the interval that goes with two one-sided tests."""
        return 1 - 2 * self.alpha


def tost_means(
    first: Group,
    second: Group,
    *,
    margin: Margin,
    variances: Variances = "unequal",
    names: tuple[str, str] = ("A", "B"),
    alpha: float = 0.05,
) -> Equivalence:
    """Test whether the means of two independent groups differ by less than the margin; a group may be a `Summary`."""
    moments = take_moments((first, second), names)
    difference = independent_difference(moments, variances)
    question = _Question(names, alpha, moments.total, moments.n_missing, moments.data)
    return _of_means("tost-means", MEANS, difference, margin, {"variances": variances}, question)


def tost_paired_means(
    first: ArrayLike,
    second: ArrayLike,
    *,
    margin: Margin,
    names: tuple[str, str] = ("A", "B"),
    alpha: float = 0.05,
) -> Equivalence:
    """Test whether the mean difference within pairs is smaller than the margin."""
    x, y = paired_values(first, second)
    question = _Question(names, alpha, len(x), np.size(first) - len(x), checksum(x, y))
    return _of_means("tost-paired-means", PAIRED_MEANS, paired_difference(x, y), margin, {}, question)


def tost_proportions(
    successes: tuple[int, int],
    totals: tuple[int, int],
    *,
    margin: Margin,
    method: str = "score",
    names: tuple[str, str] = ("A", "B"),
    alpha: float = 0.05,
) -> Equivalence:
    """Test whether two independent proportions differ by less than the margin (0.1 for ten percentage points).

    `method` is "score" (Farrington and Manning) or "wald".
    """
    difference = ProportionDifference(successes, totals, method)
    question = _Question(names, alpha, sum(totals), 0, checksum(successes, totals))
    low, high = difference.interval(question.level)
    effect = Effect("share-difference", "Δ", difference.value, low, high, question.level, f"{method} interval")
    conventions = {"method": method}
    return _tost(
        "tost-proportions", SHARES, effect, margin, difference.p_value, conventions, question, reach=(-1.0, 1.0)
    )


def tost_signed_ranks(
    first: ArrayLike,
    second: ArrayLike,
    *,
    margin: Margin,
    names: tuple[str, str] = ("A", "B"),
    alpha: float = 0.05,
    **conventions: Any,
) -> Equivalence:
    """Test whether ratings in pairs are shifted by less than the margin, with Wilcoxon's signed ranks.

    `conventions` are those of `signed_rank_test` (zeros, correction, method). The estimate is the median of all
    averages of two differences (Hodges and Lehmann [2]).
    """
    x, y = paired_values(first, second)
    n = len(x)
    question = _Question(names, alpha, n, np.size(first) - n, checksum(x, y))
    if not n:
        raise UserError("There is no pair to compare.", valid="Pairs of numbers of which neither is missing.")
    decimals = _decimals(x, y, margin)
    gaps = np.round(x - y, decimals)

    def tail(alternative: str, at: float) -> float:
        shifted = np.round(gaps - at, decimals)
        if not shifted.any():
            return 1.0  # every pair lies exactly at the hypothesised difference
        return _p(signed_rank_test(shifted, alternative=alternative, **conventions))

    stated = _stated(conventions, {"zeros": "wilcox", "correction": False, "method": "auto", "rounded": DIGITS})
    i, j = np.triu_indices(n) if n <= MOST_PAIRS else (np.arange(n), np.arange(n))
    error = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    effect = _shift((gaps[i] + gaps[j]) / 2, n * (n + 1) // 2, error, question.level)
    return _tost("tost-signed-ranks", SIGNED_RANKS, effect, margin, tail, stated, question)


def tost_mann_whitney(
    first: ArrayLike,
    second: ArrayLike,
    *,
    margin: Margin,
    names: tuple[str, str] = ("A", "B"),
    alpha: float = 0.05,
    **conventions: Any,
) -> Equivalence:
    """Test whether the ratings of two independent groups are shifted by less than the margin, by Mann and Whitney's U.

    The estimate is the median of all differences between the groups (Hodges and Lehmann [2]). The test assumes that the
    distributions have the same shape; `tost_superiority` does not.
    """
    groups = take_groups((first, second), names)
    x, y = groups.values
    n, count = len(x) + len(y), len(x) * len(y)
    question = _Question(names, alpha, n, groups.n_missing, checksum(x, y))
    decimals = _decimals(x, y, margin)

    def tail(alternative: str, at: float) -> float:
        shifted, other = np.round(x - at, decimals), np.round(y, decimals)
        if len(np.unique(np.concatenate([shifted, other]))) == 1:
            return 1.0
        return _p(mann_whitney_test(shifted, other, alternative=alternative, **conventions))

    stated = _stated(conventions, {"correction": False, "method": "auto", "rounded": DIGITS})
    differences = (
        np.subtract.outer(x, y).ravel() if count <= MOST_PAIRS**2 else np.median(x, keepdims=True) - np.median(y)
    )
    effect = _shift(np.round(differences, decimals), count, math.sqrt(count * (n + 1) / 12), question.level)
    return _tost("tost-mann-whitney", MANN_WHITNEY, effect, margin, tail, stated, question)


def tost_superiority(
    first: ArrayLike,
    second: ArrayLike,
    *,
    margin: Margin,
    names: tuple[str, str] = ("A", "B"),
    alpha: float = 0.05,
) -> Equivalence:
    """Test whether the probability that the first is rated above the second (ties half) is close to one half.

    `margin=0.1` asks for a probability between .4 and .6. Standard error and degrees of freedom are Brunner and
    Munzel's [3]; no shape is assumed, and the ratings need only be ordered.
    """
    groups = take_groups((first, second), names, smallest=2)
    x, y = groups.values
    question = _Question(names, alpha, len(x) + len(y), groups.n_missing, checksum(x, y))
    estimate = superiority(x, y)
    low, high = estimate.interval(question.level)
    method = f"Brunner–Munzel variance, t with {estimate.df:.6g} degrees of freedom"
    effect = Effect("superiority", "P(X>Y)", estimate.value, max(low, 0.0), min(high, 1.0), question.level, method)
    conventions = {"reference": "t", "ties": "half"}
    tail = estimate.p_value
    return _tost(
        "tost-superiority", SUPERIORITY, effect, margin, tail, conventions, question, null=0.5, reach=(0.0, 1.0)
    )


def superiority(first: Floats, second: Floats) -> MeanDifference:
    """Return the probability that a value of the first lies above one of the second, ties half, with its error [3]."""
    above = _shares_below(first, second)
    variances = above.var(ddof=1) / len(first), _shares_below(second, first).var(ddof=1) / len(second)
    total = float(sum(variances))
    if total == 0:
        raise UserError(
            "The probability of superiority has no error: the two samples do not overlap, or all values are equal.",
            valid="Samples that overlap and vary.",
        )
    df = total**2 / (variances[0] ** 2 / (len(first) - 1) + variances[1] ** 2 / (len(second) - 1))
    return MeanDifference(float(above.mean()), math.sqrt(total), float(df))


def _shares_below(values: Floats, others: Floats) -> Floats:
    ordered = np.sort(others)
    below, not_above = np.searchsorted(ordered, values, side="left"), np.searchsorted(ordered, values, side="right")
    shares: Floats = (below + not_above) / 2 / len(others)
    return shares


def _decimals(x: Floats, y: Floats, margin: Margin) -> int:
    """Return the decimals that leave DIGITS digits of the largest number that is computed with."""
    largest = float(np.abs(np.concatenate([x, y, np.ravel(margin)])).max())
    return DIGITS - 1 - math.floor(math.log10(largest)) if largest > 0 else DIGITS


def _p(test: TestResult) -> float:
    return 1.0 if test.p is None else test.p


def _stated(given: Mapping[str, Value], defaults: Mapping[str, Value]) -> dict[str, Value]:
    return {**defaults, **given}


def _shift(pairs: Floats, count: int, error: float, level: float) -> Effect:
    """Return the median of all pairwise values, with the interval that holds all but the outer ones [2]."""
    value = float(np.median(pairs))
    if len(pairs) < count:
        return Effect(
            "shift", "Δ", value, level=level, method="plain medians; too many pairs for an interval", bounded=False
        )
    outer = math.floor(count / 2 - float(scipy.stats.norm.isf((1 - level) / 2)) * error)
    if outer < 0:
        return Effect("shift", "Δ", value, level=level, method="too few observations for an interval", bounded=False)
    low, high = np.partition(pairs, [outer, count - 1 - outer])[[outer, count - 1 - outer]]
    method = "Hodges–Lehmann, normal approximation"
    return Effect("shift", "Δ", value, float(low), float(high), level, method, bounded=False)


def _of_means(
    test: str,
    kind: Bilingual,
    found: MeanDifference,
    margin: Margin,
    conventions: Mapping[str, Value],
    question: _Question,
) -> Equivalence:
    low, high = found.interval(question.level)
    method = f"t with {found.df:.6g} degrees of freedom"
    effect = Effect("mean-difference", "Δ", found.value, low, high, question.level, method, bounded=False)
    return _tost(test, kind, effect, margin, found.p_value, conventions, question)


def _tost(
    test: str,
    kind: Bilingual,
    effect: Effect,
    margin: Margin,
    tail: Tail,
    conventions: Mapping[str, Value],
    question: _Question,
    *,
    null: float = 0.0,
    reach: tuple[float, float] = (-math.inf, math.inf),
) -> Equivalence:
    low, high = take_margin(margin, null, reach)
    return Equivalence(
        test=test,
        title=Bilingual(f"Two one-sided tests of {kind.en}", f"{kind.zh}的双单侧检验"),
        effect=effect,
        margin=(low, high),
        null=null,
        p=max(tail("greater", low), tail("less", high)),
        p_beyond=min(tail("greater", high), tail("less", low)),
        p_difference=tail("two-sided", null),
        n=question.n,
        n_missing=question.n_missing,
        alpha=question.alpha,
        names=question.names,
        conventions=conventions,
        notes=_border_note(effect, (low, high)),
        data=question.data,
    )


def _border_note(effect: Effect, margin: tuple[float, float]) -> tuple[Bilingual, ...]:
    """Warn where a bound is the border itself, as happens to shifts of ratings in whole points."""
    if effect.low not in margin and effect.high not in margin:
        return ()
    return (
        Bilingual(
            "A bound of the interval lies exactly on the border of the margin, where ties decide and p and interval "
            "may part; p counts. A margin between two possible shifts (0.6 in place of 0.5) has no such trouble.",
            "区间端点恰好落在界值上，此时结果取决于结值的处理，p 值与区间可能不一致，以 p 值为准。"
            "取介于两个可能位移之间的界值（如以 0.6 代替 0.5）可避免此问题。",
        ),
    )
