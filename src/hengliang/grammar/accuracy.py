"""Accuracy of suite predictions by model, class and modifier, and how far coin tosses for ties can move it.

The analysis comes first; the last section works out exactly what coin tosses for ties could have made of an accuracy.

Each prediction that counts is one observation: the four comparisons of a classifier item are four. Across classes that
would give classifiers four times the weight of the others; `observation="set"` lets each set count once. Intervals
resample whole items, with all their modifiers, comparisons and seeds, so that what hangs together stays together [1]. A
tie counts half, which is what a fair coin gives on average; how many there are, and between which values coins could
put the accuracy, is reported separately.

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021, Table 6, Figures 1, 2, 3, 6 and 7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.analyses import outcomes
from hengliang.analyses.clustered import FACTOR_TITLES, LEVEL_TITLES, ClusteredAnalysis, mean_with_interval
from hengliang.analyses.observations import observations, parts_of
from hengliang.core.base_classes import Layout, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.judging import CONTROL, UNSETTLED
from hengliang.core.records import Attribute, Estimate, estimate_records, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual, add_terms
from hengliang.grammar.suites.formulas import FAILURE, SUCCESS, TIE
from hengliang.grammar.suites.library import NAME as OURS
from hengliang.grammar.suites.published import NAME as PUBLISHED
from hengliang.statistics.resampling import IntervalKind

# --- the analysis -----------------------------------------------------------------------------------------------------


Show = Literal["accuracy", "controls", "ties"]
"""The predictions that count; those that are reported beside them; or how many of the former are ties."""

Counted = Literal["half", "failure"]
"""A tie that no coin has settled counts half, or as the failure that it is by the letter of the formula."""

Observed = Literal["prediction", "set"]
"""One observation is a prediction, or a set with the mean of its predictions."""

Where = Mapping[str, Attribute | Sequence[Attribute]]
"""Columns and the levels of each that are kept: as they are (`True`) or as tables write them (`"yes"`)."""

TITLES: Mapping[Show, Bilingual] = {
    "accuracy": Bilingual("Suite accuracy", "套件准确率"),
    "controls": Bilingual("Controls", "对照公式"),
    "ties": Bilingual("Ties", "平局"),
}
EXPLANATIONS: Mapping[Show, Bilingual] = {
    "accuracy": Bilingual(
        "The share of predictions that hold; guessing gives 50 %. Intervals resample items; one without width comes "
        "from items that are all alike and is no certainty.",
        "成立的预测所占比例；随机猜测为 50 %。区间按条目重抽样得到；"
        "宽度为零的区间只说明各条目结果相同，并不表示确定无疑。",
    ),
    "controls": Bilingual(
        "The share of control formulas that hold: those that cancel what the simple comparison cannot keep equal.",
        "成立的对照公式所占比例：这些公式抵消了简单比较中无法保持一致的因素。",
    ),
    "ties": Bilingual(
        "The share of predictions whose two sides are equal, and between which values the accuracy lies if they are "
        "settled one way or the other.",
        "两侧相等的预测所占比例，以及平局全部判负或全部判胜时准确率的取值范围。",
    ),
}
COUNTING: Mapping[Counted, Bilingual] = {
    "half": Bilingual("A tie counts half.", "平局按一半计。"),
    "failure": Bilingual("A tie counts as a failure.", "平局按不成立计。"),
}
SET_WEIGHTS = Bilingual(
    "Each set of sentences counts once, however many comparisons it has; what is missing are comparisons.",
    "每个句组只计一次，不论其含有几项比较；缺失数按比较计。",
)
ALIKE = "all clusters are alike, so that the interval has no width and says nothing of other items"
CLASS_TITLES: Mapping[str, Bilingual] = {
    "classifier–noun": Bilingual("classifier–noun", "量词与名词"),
    "garden path object": Bilingual("garden path object", "花园幽径（宾语）"),
    "garden path subject": Bilingual("garden path subject", "花园幽径（主语）"),
    "verb–noun": Bilingual("verb–noun", "动词与名词"),
    "missing object": Bilingual("missing object", "宾语缺失"),
    "subordination": Bilingual("subordination", "从属"),
    "none": Bilingual("none", "无修饰语"),
    "adjective": Bilingual("adjective", "形容词"),
    "object relative": Bilingual("object relative", "宾语关系从句"),
    "subject relative": Bilingual("subject relative", "主语关系从句"),
    "coordinated relatives": Bilingual("coordinated relatives", "并列关系从句"),
    "embedded relatives": Bilingual("embedded relatives", "嵌套关系从句"),
    "syntactic": Bilingual("syntactic", "句法"),
    "semantic": Bilingual("semantic", "语义"),
    "hybrid": Bilingual("hybrid", "混合"),
    OURS: Bilingual(OURS, "本包套件"),
    PUBLISHED: Bilingual(PUBLISHED, "论文套件"),
    "yes": Bilingual("yes", "是"),
    "no": Bilingual("no", "否"),
    f"{CONTROL}interaction": Bilingual("interaction", "交互作用"),
    f"{CONTROL}mean": Bilingual("mean", "平均"),
    f"{CONTROL}per character": Bilingual("per character", "按字平均"),
    f"{CONTROL}SLOR": Bilingual("SLOR", "SLOR"),
}
MODIFIED_TITLES: Mapping[str, Bilingual] = {
    "yes": Bilingual("with a modifier", "有修饰语"),
    "no": Bilingual("without a modifier", "无修饰语"),
}
SUITE_FACTORS: Mapping[str, Bilingual] = {
    **FACTOR_TITLES,
    "class": Bilingual("Class", "类别"),
    "modifier": Bilingual("Modifier", "修饰语"),
    "suite": Bilingual("Suite", "套件"),
    "domain": Bilingual("Domain", "领域"),
    "modified": Bilingual("Modifier present", "有修饰语"),
    "part": Bilingual("Prediction", "预测"),
}
add_terms(SUITE_FACTORS, CLASS_TITLES)


@register("suite accuracy")
class SuiteAccuracy(ClusteredAnalysis):
    """The mean of the judgements `prediction`, by system and by further factors (class, modifier, part, a trait …)."""

    conventions: Mapping[str, str] = {"unscored": "left out and counted", "seeds": "pooled"}

    def __init__(
        self,
        by: str | Sequence[str] = (),
        show: Show = "accuracy",
        where: Where | None = None,
        ties: Counted = "half",
        observation: Observed = "prediction",
        cluster: str = "frame",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        measure: str = "prediction",
        name: str = "",
    ) -> None:
        super().__init__(cluster, draws, seed, level, interval)
        self.by = (by,) if isinstance(by, str) else tuple(by)
        self.show: Show = show
        self.where = {name: _level_names(levels) for name, levels in (where or {}).items()}
        self.ties: Counted = ties
        self.observation: Observed = observation
        self.measure = measure
        ending = " by " + " and ".join(self.by) if self.by else ""
        chosen = [level for levels in self.where.values() for level in levels]
        only = f" ({', '.join(chosen)})" if chosen else ""
        self.name = name or f"{TITLES.get(show, TITLES['accuracy']).en.lower()}{ending}{only}"
        titles = [SUITE_FACTORS.get(factor, Bilingual(factor, factor)) for factor in self.by]
        title = TITLES.get(show, TITLES["accuracy"])
        self.title = Bilingual(
            title.en + (" by " + " and ".join(each.en.lower() for each in titles) if titles else "") + only,
            title.zh + (f"（按{'、'.join(each.zh for each in titles)}）" if titles else "") + _chinese(chosen),
        )

    @property
    def explanation(self) -> Bilingual:  # type: ignore[override]
        """What the table shows."""
        parts = [EXPLANATIONS.get(self.show, EXPLANATIONS["accuracy"])]
        if self.show != "ties":
            parts.append(COUNTING.get(self.ties, COUNTING["half"]))
            parts += [SET_WEIGHTS] if self.observation == "set" else []
        return Bilingual(" ".join(part.en for part in parts), "".join(part.zh for part in parts))

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return one row for each system, combination of levels and statistic."""
        if self.show not in get_args(Show):
            raise unknown_name("table", self.show, get_args(Show))
        if self.ties not in get_args(Counted):
            raise unknown_name("treatment of ties", self.ties, get_args(Counted))
        if self.observation not in get_args(Observed):
            raise unknown_name("observation", self.observation, get_args(Observed))
        rows = self._rows(tables)
        return estimates_frame(
            estimate for by, cell in outcomes.cells(rows, self.by) for estimate in self._of_cell(by, cell)
        )

    def _rows(self, tables: Tables) -> pl.DataFrame:
        wanted = self.show == "controls"
        parts = [part for part in parts_of(tables, self.measure) if part.startswith(CONTROL) == wanted]
        if not parts:
            raise UserError(
                f"The measure '{self.measure}' judged no {'control' if wanted else 'prediction that counts'}.",
                valid="Suites say which formulas are controls: `control NAME: …`.",
            )
        columns = list(dict.fromkeys([*self.by, self.cluster, *self.where]))
        rows = observations(tables, self.measure, columns=columns, parts=parts)
        for name, levels in self.where.items():
            rows = _with_levels(rows, name, levels)
        self._check_rows(rows)
        return outcomes.in_order(rows.with_columns(cluster=pl.col(self.cluster)), tables, self.by)

    def _check_rows(self, rows: pl.DataFrame) -> None:
        other = rows.drop_nulls("value").filter(~pl.col("value").is_in([0.0, 1.0]))
        if other.height:
            raise UserError(
                f"'{self.measure}' says {other['value'][0]:g} of the set '{other['set'][0]}', which is neither success "
                "(1) nor failure (0).",
                valid="A measure of success, such as prediction.",
            )
        nobody = rows.filter(pl.col("system").is_null())
        if nobody.height:
            raise UserError(f"The judgement of the set '{nobody['set'][0]}' does not say which system it is about.")
        empty = rows.filter(pl.col(self.cluster).is_null())
        if empty.height:
            raise UserError(
                f"The attribute '{self.cluster}' is empty for the set '{empty['set'][0]}'.",
                remedy="Name another attribute as cluster; cluster='set' takes every set by itself.",
            )

    def _of_cell(self, by: Mapping[str, str], cell: pl.DataFrame) -> Iterator[Estimate]:
        judged = cell.drop_nulls("value")
        counts = (judged.height, cell.height - judged.height)
        labels = judged["label"].fill_null("") if "label" in judged.columns else pl.Series([""] * judged.height)
        if self.show != "ties":
            yield from self._accuracy(by, cell, labels == UNSETTLED)
            return
        tie = labels.str.starts_with(UNSETTLED)
        lowest = ((judged["value"] == 1) & ~tie).mean() if judged.height else None
        shares = {"ties": tie.mean() if judged.height else None, "lowest": lowest}
        shares["highest"] = lowest + shares["ties"] if judged.height else None  # type: ignore[operator]
        for statistic, value in shares.items():
            yield Estimate(
                self.name,
                by,
                statistic,
                None if value is None else float(value),  # type: ignore[arg-type]
                n=counts[0],
                n_missing=counts[1],
                method=f"share of '{self.measure}', every tie settled one way",
                signature=str(self.signature()),
            )

    def _accuracy(self, by: Mapping[str, str], cell: pl.DataFrame, open_ties: pl.Series) -> Iterator[Estimate]:
        judged = cell.drop_nulls("value")
        if self.ties == "half":
            judged = judged.with_columns(value=pl.col("value") + 0.5 * open_ties)
        counts = (judged.height, cell.height - judged.height)
        note = f"mean of '{self.measure}'"
        if self.observation == "set":
            same_set = ["set", "seed", "cluster"]
            # A set with one comparison left has a mean; that must not hide the comparisons it lost.
            counts = (judged.select(same_set).n_unique(), counts[1])
            judged = judged.group_by(same_set, maintain_order=True).agg(pl.col("value").mean())
            note += ", each set the mean of its predictions"
        note += f", ties counted as {self.ties}" if open_ties.any() else ""
        mean = mean_with_interval(judged["value"], judged["cluster"], self.resampling())
        note += f"; {ALIKE}" if mean is not None and (mean.high - mean.low)[0] < 1e-12 else ""
        yield from self.cell_estimates(by, ["accuracy"], mean, counts, note)

    def sentences(self, estimates: pl.DataFrame) -> Sequence[Bilingual]:
        """Say of each system with ties how many there are and what they could come to."""
        if self.show != "ties":
            return ()
        totals: dict[str, dict[str, float]] = {}
        for row in estimate_records(estimates):
            sums = totals.setdefault(row.by["system"], {"n": 0.0, "ties": 0.0, "lowest": 0.0, "highest": 0.0})
            sums[row.statistic] += (row.value or 0.0) * (row.n or 0)
            sums["n"] += (row.n or 0) if row.statistic == "ties" else 0
        return [_told(system, sums) for system, sums in totals.items() if sums["ties"]]

    def layout(self) -> Layout:
        """Return systems as rows; with further factors these are the rows and the systems the columns."""
        across = bool(self.by) and self.show != "ties"
        named = {
            "accuracy": Bilingual("Accuracy", "准确率"),
            "ties": Bilingual("Ties", "平局"),
            "lowest": Bilingual("Lowest accuracy", "最低准确率"),
            "highest": Bilingual("Highest accuracy", "最高准确率"),
        }
        return Layout(
            rows=self.by if across else ("system", *self.by),
            columns="system" if across else "statistic",
            statistics={name: StatisticLabel(title, "percent", 1) for name, title in named.items()},
            factors={name: SUITE_FACTORS[name] for name in ("system", *self.by) if name in SUITE_FACTORS},
            levels={**LEVEL_TITLES, **CLASS_TITLES, **(MODIFIED_TITLES if "modified" in self.by else {})},
            figure="none" if self.show == "ties" else "intervals",
        )


def _told(system: str, held: Mapping[str, float]) -> Bilingual:
    n, ties = round(held["n"]), round(held["ties"])
    low, high = (f"{100 * held[bound] / held['n']:.1f} %" for bound in ("lowest", "highest"))
    return Bilingual(
        f"{system}: {ties} of {n} predictions are ties; settled one way or the other they put its accuracy between "
        f"{low} and {high}.",
        f"{system}：{n} 条预测中有 {ties} 条为平局；视其判定方式，准确率在 {low} 与 {high} 之间。",
    )


def _chinese(levels: Sequence[str]) -> str:
    return (
        f"：{'、'.join(CLASS_TITLES[level].zh if level in CLASS_TITLES else level for level in levels)}"
        if levels
        else ""
    )


def _level_names(levels: Attribute | Sequence[Attribute]) -> tuple[str, ...]:
    listed = levels if isinstance(levels, list | tuple | set | frozenset) else [levels]
    return tuple(outcomes.level_name(level) for level in listed)


def _with_levels(rows: pl.DataFrame, name: str, levels: Sequence[str]) -> pl.DataFrame:
    """Return the rows with these levels of a column, each of which has to occur."""
    known = {outcomes.level_name(level): level for level in rows[name].unique(maintain_order=True)}
    for level in levels:
        if level not in known:
            raise unknown_name(f"level of '{name}'", level, known)
    if not levels:
        raise UserError(f"No level of '{name}' is named.", valid=f"Levels: {', '.join(known)}.")
    return rows.filter(pl.col(name).is_in(pl.Series([known[level] for level in levels]).implode(), nulls_equal=True))


# What users write among the analyses of a study.
suite_accuracy = SuiteAccuracy


# --- ties and coin tosses ---------------------------------------------------------------------------------------------
# Where a model finds both sides of a comparison equally surprising there is neither success nor failure. Some authors
# toss a fair coin [1, section 3.3], and print one number of the many that the coins could have given. Here the whole
# distribution of that number is computed, exactly: it is the number of successes, plus a sum of independent coins. A
# coin may settle one tied comparison, or all tied comparisons of an item together (`coins` says which share one).

Numbers = npt.NDArray[np.float64]

_SLACK = 1e-9
"""For sums of probabilities and for fractions that were divided in another way."""


@dataclass(frozen=True, slots=True, eq=False)
class CoinTosses:
    """The accuracy over all tosses: the comparisons that succeed and fail without one, and what the coins add.

    `probabilities[k]` is the probability that `k` of the ties turn into successes, from 0 to all of them.
    """

    successes: int
    comparisons: int
    coins: int
    probabilities: Numbers

    @property
    def ties(self) -> int:
        """How many comparisons are tied."""
        return len(self.probabilities) - 1

    @property
    def accuracies(self) -> Numbers:
        """The accuracy for each number of ties that turn into successes."""
        return (self.successes + np.arange(self.ties + 1)) / self.comparisons

    @property
    def lowest(self) -> float:
        """The accuracy when every tie fails."""
        return self.successes / self.comparisons

    @property
    def highest(self) -> float:
        """The accuracy when every tie succeeds."""
        return (self.successes + self.ties) / self.comparisons

    @property
    def expected(self) -> float:
        """The mean over all tosses, in which a tie counts half."""
        return (self.successes + self.ties / 2) / self.comparisons

    def central(self, level: float = 0.95) -> tuple[float, float]:
        """Return the shortest central interval of accuracies that holds at least `level` of all tosses."""
        if not 0 < level < 1:
            raise UserError(f"The level {level} is no probability.", valid="0 < level < 1, for example 0.95.")
        tail = (1 - level) / 2
        below = np.concatenate([[0.0], np.cumsum(self.probabilities)[:-1]])
        first = int(np.flatnonzero(below <= tail + _SLACK * tail)[-1])
        # A coin is fair, so that the distribution is its own mirror image.
        return float(self.accuracies[first]), float(self.accuracies[self.ties - first])

    def place(self, value: float, decimals: int | None = None, level: float = 0.95) -> Place:
        """Say where an accuracy, printed to so many decimals (exact if none are given), lies among the tosses."""
        half_unit = 0.5 * 10.0**-decimals if decimals is not None else 0.0
        possible = self.probabilities > 0
        reached, weights = self.accuracies[possible], self.probabilities[possible]
        nearest = float(reached[np.argmin(np.abs(reached - value))])
        slack = half_unit + _SLACK
        # Rounding is not a distance; but a value that no coins give is as far out as it was printed.
        meant = nearest if abs(nearest - value) <= slack else value
        far = np.abs(reached - self.expected) >= abs(meant - self.expected) - _SLACK
        low, high = self.central(level)
        return Place(
            value,
            nearest,
            inside=self.lowest - slack <= value <= self.highest + slack,
            central=low - slack <= value <= high + slack,
            possible=abs(nearest - value) <= slack,
            probability=min(1.0, float(weights[far].sum())),
        )


@dataclass(frozen=True, slots=True)
class Place:
    """Where a printed accuracy lies: between all ties lost and all won (`inside`), and in the `central` interval.

    `nearest` is the value of the coins that is nearest to it; it is `possible` that the coins gave it if the two are
    the same to the printed digit. `probability` is that of a value at least as far from the expected one.
    """

    value: float
    nearest: float
    inside: bool
    central: bool
    possible: bool
    probability: float


def coin_tosses(outcomes: npt.ArrayLike, coins: Sequence[Hashable] | None = None) -> CoinTosses:
    """Return the accuracy over all tosses of fair coins for the ties among these outcomes.

    An outcome is 1 (success), 0 (failure), 0.5 (tie) or NaN (unscored, left out). `coins` names the coin of each
    outcome: ties with one name fall together. Without it each tie has a coin of its own.

    >>> tosses = coin_tosses([1, 0, 0.5, 0.5])
    >>> tosses.lowest, tosses.expected, tosses.highest, tosses.probabilities.tolist()
    (0.25, 0.5, 0.75, [0.25, 0.5, 0.25])
    """
    values = np.asarray(outcomes, np.float64)
    if values.ndim != 1 or (coins is not None and len(coins) != len(values)):
        raise UserError(
            f"There are {len(coins) if coins is not None else 'no'} names of coins for outcomes of shape "
            f"{values.shape}.",
            valid="A list of outcomes, and as many names.",
        )
    known = ~np.isnan(values)
    wrong = values[known & ~np.isin(values, (FAILURE, TIE, SUCCESS))]
    if len(wrong):
        raise UserError(f"{wrong[0]:g} is no outcome.", valid="1 success, 0 failure, 0.5 tie, NaN unscored.")
    if not known.any():
        raise UserError("There is no scored comparison, and so no accuracy.", remedy="See the reasons in the run.")
    tied = np.flatnonzero(values == TIE)
    names = [row if coins is None else coins[row] for row in tied.tolist()]
    sizes = np.array(list(Counter(names).values()), np.int64)
    return CoinTosses(int((values == SUCCESS).sum()), int(known.sum()), len(sizes), _sum_of_coins(sizes))


def _sum_of_coins(sizes: npt.NDArray[np.int64]) -> Numbers:
    """Return the distribution of the sum of independent fair coins that are worth these sizes."""
    parts = []
    for size, count in zip(*np.unique(sizes, return_counts=True), strict=True):
        part = np.zeros(size * count + 1)
        part[::size] = _heads(int(count))
        parts.append(part)
    return reduce(np.convolve, parts, np.ones(1))


def _heads(coins: int) -> list[float]:
    """Return the probability of each number of heads; whole numbers keep both halves the same to the last bit."""
    row = [1]
    for coin in range(coins):
        row.append(row[-1] * (coins - coin) // (coin + 1))
    return [ways / 2**coins for ways in row]
