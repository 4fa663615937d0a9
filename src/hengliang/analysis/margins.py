"""Is a difference too small to matter, or large enough, or is that undecided?

A test that finds no difference does not show that there is none. For that one states beforehand a margin within which a
difference does not matter, and holds the interval of the difference against it [1]: inside, the two are equivalent;
outside, they are not; across a border, the data do not decide. A difference that is surely there may still be surely
too small to matter.

[1] Schuirmann, D. J. (1987). A comparison of the two one-sided tests procedure and the power approach. Journal of
    Pharmacokinetics and Biopharmaceutics 15.
[2] Lakens, D. (2017). Equivalence tests. Social Psychological and Personality Science 8.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from hengliang.analysis.noncentral import check_level
from hengliang.analysis.results import Effect
from hengliang.analysis.wording import p_remark, write_bounded, write_statistic
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate
from hengliang.core.signature import Signature, Value, digest, version
from hengliang.core.terms import Bilingual

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

    `effect` is the difference with its interval; for two one-sided tests at α that is the one of level 1 − 2α. `p` is
    the larger p of these two tests, `p_beyond` the smaller p of the tests that the difference lies beyond a border, and
    `p_difference` the two-sided p of any difference. Where only an interval is known, they are None and the interval
    decides. `beside` holds the same difference by other units of observation (raters beside items), None where they
    have no interval: what is concluded, all of them must show.
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
        found = {
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
            f"{found.en} ({self.title.en}: {numbers.en}).", f"{found.zh}（{self.title.zh}：{numbers.zh}）。"
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
        told = f"{self.title.en}, margin {self._range()}: {self.verdict}"
        yield Estimate(
            analysis, levels, self.effect.name, self.effect.value, self.effect.low, self.effect.high,
            p=self.p_difference, n=self.n, n_missing=self.n_missing, method=self.effect.method, signature=signature,
        )  # fmt: skip
        yield Estimate(
            analysis, levels, self.test, self.p, p=self.p, n=self.n, n_missing=self.n_missing, method=told,
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
    """Hold any estimate with an interval against a margin; a triple is the estimate with its bounds, of this `level`.

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
