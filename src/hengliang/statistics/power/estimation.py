"""Power and false-positive rate of a planned experiment, by simulation.

Experiments are drawn from the plan and tested as planned. The share of them with p ≤ α is the power; the same with all
effects set to zero is the rate of false positives, which should be α. A test that takes ratings of one rater or one
item for independent shows itself here.

Each simulation has a seed of its own, and the results of every ten are kept in the cache: work that was stopped goes
on, and a plan with more simulations, or more sizes, simulates only those.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import numpy as np
import polars as pl
import scipy

from hengliang.core import places
from hengliang.core.engine.cache import BatchCache
from hengliang.core.engine.mapping import LOCAL, Engine
from hengliang.core.errors import UserError
from hengliang.core.progress import Silent, Watcher
from hengliang.core.records import Estimate
from hengliang.core.signature import Signature, code_checksum
from hengliang.core.terms import Bilingual
from hengliang.statistics.models.comparison import likelihood_ratio
from hengliang.statistics.models.design import Design, RandomTerm
from hengliang.statistics.models.ordinal import OrdinalFit, fit_design, refit
from hengliang.statistics.power.plan import PlannedExperiment, simulate_ratings
from hengliang.statistics.ranks.sign import sign_test
from hengliang.statistics.ranks.wilcoxon import signed_rank_test
from hengliang.statistics.results import signed

# --- decisions of the planned test ------------------------------------------------------------------------------------
# `p_values` tests each compared system in one simulated experiment, by the test that the plan names.


def p_values(plan: PlannedExperiment, ratings: pl.DataFrame) -> list[float | None]:
    """Return the two-sided p of each compared system; nothing where the data do not allow the test."""
    try:
        return _by_model(plan, ratings) if plan.test == "ordinal" else _by_pairs(plan, ratings)
    except UserError:
        # A small experiment may leave one answer only, or no difference at all: then nothing is found.
        return [None] * (len(plan.systems) - 1)


def _by_model(plan: PlannedExperiment, ratings: pl.DataFrame) -> list[float | None]:
    fit = fit_design(ordinal_design(plan, ratings))
    if not fit.model.converged:
        # An effect so strong that it parts the answers has no finite estimate: Wald's p is then 1, whatever the effect.
        return [_by_likelihood(fit, index) for index in range(len(plan.systems) - 1)]
    coefficients = fit.model.coefficients
    return [None if math.isnan(coefficient.p) else coefficient.p for coefficient in coefficients]


def _by_likelihood(fit: OrdinalFit, place: int) -> float | None:
    """Return p of one system by likelihood ratio, which has a limit where the estimate has none."""
    kept = [other for other in range(len(fit.design.fixed_names)) if other != place]
    smaller = replace(
        fit.design,
        fixed=np.ascontiguousarray(fit.design.fixed[:, kept]),
        fixed_names=tuple(fit.design.fixed_names[other] for other in kept),
        terms={"system": tuple(range(len(kept)))},
    )
    return likelihood_ratio(refit(fit, design=smaller).model, fit.model).p


def ordinal_design(plan: PlannedExperiment, ratings: pl.DataFrame) -> Design:
    """Return `rating ~ system + (1 | rater) + (1 | item)`, without the detour of a formula."""
    compared = plan.systems[1:]
    fixed = np.column_stack([(ratings["system"] == system).to_numpy().astype(np.float64) for system in compared])
    return Design(
        formula="rating ~ system + (1 | rater) + (1 | item)",
        response_name="rating",
        response=ratings["rating"],
        fixed=fixed,
        fixed_names=tuple(f"system[{system}]" for system in compared),
        terms={"system": tuple(range(len(compared)))},
        random=tuple(_intercepts(ratings, group) for group in ("rater", "item")),
        rows=np.arange(ratings.height),
        n_missing=0,
        frame=ratings,
    )


def _intercepts(ratings: pl.DataFrame, group: str) -> RandomTerm:
    levels = ratings[group].unique().sort()
    codes = ratings[group].rank("dense").cast(pl.Int64).to_numpy() - 1
    return RandomTerm(group, ("(Intercept)",), np.ones((ratings.height, 1)), codes, tuple(levels.to_list()))


def _by_pairs(plan: PlannedExperiment, ratings: pl.DataFrame) -> list[float | None]:
    # Rows come rater by rater, item by item, system by system: each column is one system.
    table = ratings["rating"].to_numpy().reshape(-1, len(plan.systems)).astype(np.float64)
    test = signed_rank_test if plan.test == "wilcoxon" else sign_test
    return [test(table[:, column], table[:, 0]).p for column in range(1, len(plan.systems))]


# --- estimation of power ----------------------------------------------------------------------------------------------


_BATCH = 10
_OUTCOME = {"ratings": pl.Int64(), "found": pl.List(pl.Float64), "false": pl.List(pl.Float64)}
"""A simulation a row: how many ratings were drawn, and the p of each compared system; NaN where there is none."""


@dataclass(frozen=True, slots=True)
class PowerCell:
    """How one comparison fares with so many raters and items; `unfit` counts simulations without a p."""

    raters: int
    items: int
    ratings: float
    system: str
    effect: float
    found: int
    false: int
    simulations: int
    unfit: int

    @property
    def power(self) -> float:
        """The share of simulated experiments that found the effect."""
        return self.found / self.simulations

    @property
    def false_positives(self) -> float:
        """The share of simulated experiments without any effect that found one."""
        return self.false / self.simulations

    def interval(self, count: int, level: float = 0.95) -> tuple[float, float]:
        """Return the exact interval of a share, which is the error of the simulation."""
        bounds = scipy.stats.binomtest(count, self.simulations).proportion_ci(level, method="exact")
        return float(bounds.low), float(bounds.high)


_INDEPENDENT = Bilingual(
    "it takes ratings of one rater or one item for independent", "它把同一评分者或同一条目的评分当作独立观测"
)
_NO_SLOPES = Bilingual(
    "its model has no random slopes, so that raters and items may not differ in how they take a system",
    "其模型没有随机斜率，不允许各评分者、各条目对系统的反应有所不同",
)


@dataclass(frozen=True, slots=True)
class PowerResult:
    """The power of every planned size of the experiment."""

    plan: PlannedExperiment
    cells: tuple[PowerCell, ...]

    def enough(self, system: str) -> PowerCell | None:
        """Return the size with the fewest ratings whose power reaches the plan's, or nothing."""
        reached = [cell for cell in self.cells if cell.system == system and cell.power >= self.plan.power]
        return min(reached, key=_size) if reached else None

    def table(self) -> pl.DataFrame:
        """Return one row per size and comparison."""
        rows = []
        for cell in self.cells:
            low, high = cell.interval(cell.found)
            false_low, false_high = cell.interval(cell.false)
            rows.append(
                {
                    "raters": cell.raters,
                    "items": cell.items,
                    "ratings": cell.ratings,
                    "system": cell.system,
                    "effect": cell.effect,
                    "power": cell.power,
                    "low": low,
                    "high": high,
                    "false positives": cell.false_positives,
                    "false low": false_low,
                    "false high": false_high,
                    "unfit": cell.unfit,
                }
            )
        return pl.DataFrame(rows)

    def warnings(self) -> tuple[Bilingual, ...]:
        """Say where the test finds more false positives than it promises, beyond the error of the simulation."""
        inflated = [cell for cell in self.cells if cell.interval(cell.false)[0] > self.plan.alpha]
        if not inflated:
            return ()
        worst = max(inflated, key=_false_positives)
        share = f"{worst.false_positives:.0%}"
        why = _NO_SLOPES if self.plan.test == "ordinal" else _INDEPENDENT
        return (
            Bilingual(
                f"The test '{self.plan.test}' finds an effect that is not there in {share} of the experiments with "
                f"{worst.raters} raters and {worst.items} items, not in {self.plan.alpha:.0%}: {why.en}. Its power is "
                "not to be trusted.",
                f"在 {worst.raters} 名评分者、{worst.items} 个条目的实验中，检验“{self.plan.test}”有 {share} "
                f"会发现并不存在的效应，而不是 {self.plan.alpha:.0%}：{why.zh}。其检验力不可信。",
            ),
        )

    def sentence(self) -> Bilingual:
        """Say for each comparison which size is enough."""
        english, chinese = [], []
        for system in self.plan.systems[1:]:
            cell = self.enough(system)
            effect = signed(f"{self.plan.effects[system]:+g}")
            pair = f"{system} − {self.plan.systems[0]}"
            if cell is None:
                english.append(f"No planned size finds {pair} ({effect}) with power {self.plan.power:g}.")
                chinese.append(f"计划中的规模均不能以 {self.plan.power:g} 的检验力发现 {pair}（{effect}）。")
            else:
                english.append(
                    f"{cell.raters} raters and {cell.items} items ({cell.ratings:.0f} ratings) find {pair} ({effect}) "
                    f"in {cell.power:.0%} of the simulated experiments."
                )
                chinese.append(
                    f"{cell.raters} 名评分者和 {cell.items} 个条目（{cell.ratings:.0f} 个评分）在 {cell.power:.0%} "
                    f"的模拟实验中发现 {pair}（{effect}）。"
                )
        warnings = self.warnings()
        return Bilingual(
            " ".join([*english, *(warning.en for warning in warnings)]),
            "".join([*chinese, *(warning.zh for warning in warnings)]),
        )

    def summary(self) -> str:
        """Return the table and the sentences as text."""
        lines = [f"Power by simulation · 模拟检验力: {self.plan.test}, α = {self.plan.alpha:g}"]
        for cell in self.cells:
            low, high = cell.interval(cell.found)
            lines.append(
                f"  {cell.raters:>4} raters × {cell.items:>4} items, {cell.system}: power {cell.power:.3f} "
                f"[{low:.3f}, {high:.3f}], false positives {cell.false_positives:.3f}"
            )
        return "\n".join([*lines, "  " + self.sentence().en, "  " + self.sentence().zh])

    def signature(self) -> Signature:
        """Return the plan."""
        return self.plan.signature()

    def estimates(self, analysis: str, by: Mapping[str, str] | None = None) -> Iterator[Estimate]:
        """Give power and false positives of each size and comparison."""
        signature = str(self.signature())
        method = f"{self.plan.simulations} simulated experiments, seed {self.plan.seed}; exact binomial interval"
        for cell in self.cells:
            where = {**(by or {}), "raters": str(cell.raters), "items": str(cell.items), "system": cell.system}
            for statistic, count in (("power", cell.found), ("false positives", cell.false)):
                low, high = cell.interval(count)
                value = count / cell.simulations
                yield Estimate(
                    analysis, where, statistic, value, low, high, n=cell.simulations, method=method, signature=signature
                )

    def __str__(self) -> str:
        return self.summary()


def _size(cell: PowerCell) -> tuple[float, int]:
    return cell.ratings, cell.raters


def _false_positives(cell: PowerCell) -> float:
    return cell.false_positives


def estimate_power(plan: PlannedExperiment, *, engine: Engine = LOCAL, watcher: Watcher | None = None) -> PowerResult:
    """Simulate every size of the plan; the same plan gives the same numbers on any engine."""
    plan.check()
    sizes = list(dict.fromkeys(product(plan.raters, plan.items)))
    parts = [(start, min(start + _BATCH, plan.simulations)) for start in range(0, plan.simulations, _BATCH)]
    batches = [(*size, *part) for size in sizes for part in parts]
    # Of these settings an experiment of one size knows nothing.
    drawn = replace(plan, raters=(), items=(), simulations=1, alpha=0.5, power=0.5).signature()
    cache = BatchCache(places.cache() / "simulations", drawn.and_(code=code_checksum(_simulate)))
    keyed = (("-".join(map(str, batch)), batch) for batch in batches)
    outcomes: dict[tuple[int, int], list[pl.DataFrame]] = {size: [] for size in sizes}
    with (watcher or Silent()).watch("Simulating experiments", len(batches)) as steps:
        results = cache.worked(partial(_simulate, plan), keyed, engine=engine, schema=_OUTCOME)
        for (raters, items, _, _), outcome in zip(batches, results, strict=True):
            outcomes[raters, items].append(outcome)
            steps.advance()
    return PowerResult(plan, tuple(_cells(plan, outcomes)))


def _simulate(plan: PlannedExperiment, batch: tuple[int, int, int, int]) -> pl.DataFrame:
    raters, items, start, stop = batch
    rows = []
    for number in range(start, stop):
        row: dict[str, object] = {}
        for null, kept in ((False, "found"), (True, "false")):
            generator = np.random.default_rng([plan.seed, raters, items, number, int(null)])
            drawn = simulate_ratings(plan, raters, items, generator, null=null)
            row |= {} if null else {"ratings": drawn.height}
            row[kept] = [np.nan if p is None else p for p in p_values(plan, drawn)]
        rows.append(row)
    return pl.DataFrame(rows, schema=_OUTCOME)


def _cells(plan: PlannedExperiment, outcomes: Mapping[tuple[int, int], Sequence[pl.DataFrame]]) -> Iterator[PowerCell]:
    for (raters, items), parts in outcomes.items():
        table = pl.concat(parts)
        found, false = (np.array(table[name].to_list()) for name in ("found", "false"))
        for index, system in enumerate(plan.systems[1:]):
            yield PowerCell(
                raters=raters,
                items=items,
                ratings=int(table["ratings"].sum()) / plan.simulations,
                system=system,
                effect=plan.effects[system],
                found=int((found[:, index] <= plan.alpha).sum()),
                false=int((false[:, index] <= plan.alpha).sum()),
                simulations=plan.simulations,
                unfit=int(np.isnan(found[:, index]).sum() + np.isnan(false[:, index]).sum()),
            )
