"""Plans of rating experiments for power analysis, and the simulation of their ratings.

A plan says which systems are compared, by how many raters on how many items, and which effects are expected. It is a
TOML file of four tables, which `hengliang power --template` prints. Everything in it ends up in the signature of the
result.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.settings import (
    FINITE,
    NOT_NEGATIVE,
    SHARES,
    Key,
    Must,
    OneOrMany,
    Within,
    check_settings,
    read_settings,
    settings_from,
)
from hengliang.core.signature import Signature, Value, version

# --- the plan ---------------------------------------------------------------------------------------------------------


Assignment = Literal["all", "latin square"]
PowerTest = Literal["ordinal", "wilcoxon", "sign"]

TEMPLATE = """\
# How many raters and items are needed?  hengliang power plan.toml
[design]
systems = ["corpus", "model"]      # the first is the one that the others are compared with
raters = [8, 16, 32]               # every number of raters is combined with every number of items
items = [20, 40]
assignment = "all"                 # each rater judges each item in all versions; or "latin square": in one version each
identical = 0.0                    # share of items on which all systems answer alike, so that there is nothing to judge

[answers]
shares = [0.10, 0.08, 0.07, 0.07, 0.15, 0.25, 0.28]    # of each answer, for the first system; as many as the scale has

[effects]
model = -0.4                       # difference from the first system in log-odds; −0.4 is about 0.4 points of 7

[spread]                           # standard deviations in log-odds
rater = 1.0                        # some raters are milder than others
item = 0.8                         # some items are better than others
rater_by_system = 0.3              # raters differ in how they value a system
item_by_system = 0.5               # a system does better on some items than on others

[test]
test = "ordinal"                   # or "wilcoxon", "sign" (paired; they need the assignment "all")
alpha = 0.05
power = 0.8                        # how often the effect should be found
simulations = 200
seed = 1
"""


def _not_two_names(names: Sequence[str]) -> str | None:
    return "" if len(names) < 2 or len(set(names)) < len(names) else None


def _not_counts(counts: Sequence[int]) -> str | None:
    return "" if not counts or any(count < 2 for count in counts) else None


TWO_NAMES = Must(_not_two_names, "At least two systems with different names.")
COUNTS = Must(_not_counts, "One or more whole numbers, each 2 or more.")
BELOW_ONE = Within("A share: 0 or more, below 1.", 0.0, math.nextafter(1, 0))
PROBABILITY = Within("A probability between 0 and 1.", 0.0, 1.0, open=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedExperiment:
    """Everything that the power of an experiment depends on.

    `shares` are the answers to the first system over all raters and items. `effects` and the standard deviations are on
    the scale of log-odds.
    """

    systems: Annotated[tuple[str, ...], Key("design.systems"), TWO_NAMES]
    raters: Annotated[tuple[int, ...], Key("design.raters"), OneOrMany(), COUNTS]
    items: Annotated[tuple[int, ...], Key("design.items"), OneOrMany(), COUNTS]
    shares: Annotated[tuple[float, ...], Key("answers.shares"), SHARES]
    effects: Mapping[str, Annotated[float, FINITE]] = field(default_factory=dict)
    assignment: Annotated[Assignment, Key("design.assignment")] = "all"
    identical: Annotated[float, Key("design.identical"), BELOW_ONE] = 0.0
    rater: Annotated[float, Key("spread.rater"), NOT_NEGATIVE] = 1.0
    item: Annotated[float, Key("spread.item"), NOT_NEGATIVE] = 0.8
    rater_by_system: Annotated[float, Key("spread.rater_by_system"), NOT_NEGATIVE] = 0.0
    item_by_system: Annotated[float, Key("spread.item_by_system"), NOT_NEGATIVE] = 0.0
    test: Annotated[PowerTest, Key("test.test")] = "ordinal"
    alpha: Annotated[float, Key("test.alpha"), PROBABILITY] = 0.05
    power: Annotated[float, Key("test.power"), PROBABILITY] = 0.8
    simulations: Annotated[int, Key("test.simulations"), Within("A whole number, 1 or more.", 1)] = 200
    seed: Annotated[int, Key("test.seed"), Within("A whole number, 0 or more.", 0)] = 1

    def check(self) -> None:
        """Refuse what cannot be simulated."""
        check_settings(self, "the plan")
        self._check_together()

    def _check_together(self) -> None:
        for system in self.effects:
            if system not in self.systems[1:]:
                raise unknown_name("compared system", system, self.systems[1:])
        for system in self.systems[1:]:
            if system not in self.effects:
                raise UserError(f"No effect is stated for '{system}'.", remedy=f"Write {system} = 0.0 under [effects].")
        if self.test != "ordinal" and self.assignment != "all":
            raise UserError(
                f"The test '{self.test}' compares pairs, and in a latin square no rater judges a pair.",
                remedy='Choose test = "ordinal" or assignment = "all".',
            )

    def with_(self, **changes: int) -> Self:
        """Return the plan with some settings changed."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def signature(self) -> Signature:
        """Return every part of the plan."""
        parts: dict[str, Value | Signature] = {"hengliang": version()}
        for part in fields(self):
            value = getattr(self, part.name)
            if isinstance(value, Mapping):
                value = ", ".join(f"{name}={setting}" for name, setting in value.items())
            parts[part.name] = value if isinstance(value, str | int | float) else ", ".join(map(str, value))
        return Signature.of(**parts)


_EXAMPLE = "hengliang power --template prints an example."


def read_plan(path: Path) -> PlannedExperiment:
    """Read a plan; a mistake is named with its file, line and entry."""
    plan = read_settings(PlannedExperiment, path, remedy=_EXAMPLE)
    plan._check_together()
    return plan


def plan_from(tables: Mapping[str, Any], where: str = "the plan") -> PlannedExperiment:
    """Return the plan that the tables of a TOML file state."""
    plan = settings_from(PlannedExperiment, tables, where, remedy=_EXAMPLE)
    plan._check_together()
    return plan


# --- simulation of ratings --------------------------------------------------------------------------------------------
# A rating is drawn from a cumulative-link model: raters, items, and their liking for a system vary normally around the
# stated effect. The thresholds are chosen so that the answers to the first system have the stated shares over all
# raters and items; they lie wider apart than those of an average rater, because the spread of raters and items flattens
# the shares.

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(61)


def thresholds_for(shares: tuple[float, ...], spread: float) -> Floats:
    """Return the thresholds under which a logistic variable with normal spread has these shares of answers."""
    cumulative = np.cumsum(shares)[:-1] / sum(shares)
    bound = 40.0 + 10.0 * spread
    return np.array(
        [scipy.optimize.brentq(_share_below, -bound, bound, args=(spread, share), xtol=1e-10) for share in cumulative]
    )


def _share_below(threshold: float, spread: float, share: float) -> float:
    below = scipy.special.expit(threshold - spread * _NODES)
    return float(below @ _WEIGHTS / _WEIGHTS.sum() - share)


def total_spread(plan: PlannedExperiment) -> float:
    """Return the standard deviation of the log-odds between ratings of the first system."""
    return float(np.sqrt(plan.rater**2 + plan.item**2 + plan.rater_by_system**2 + plan.item_by_system**2))


def simulate_ratings(
    plan: PlannedExperiment, raters: int, items: int, generator: np.random.Generator, *, null: bool = False
) -> pl.DataFrame:
    """Draw one experiment: one row per rating, with rater, item and system; `null` sets all effects to zero.

    Items on which all systems answer alike hold nothing to compare and have no rows.
    """
    judged = np.flatnonzero(generator.random(items) >= plan.identical)
    rater, item, system = _assigned(plan, raters, judged)
    effects = np.array([0.0, *(0.0 if null else plan.effects[name] for name in plan.systems[1:])])
    n_systems = len(plan.systems)
    latent = effects[system] + generator.logistic(size=len(rater))
    latent += plan.rater * generator.standard_normal(raters)[rater]
    latent += plan.item * generator.standard_normal(items)[item]
    latent += plan.rater_by_system * generator.standard_normal((raters, n_systems))[rater, system]
    latent += plan.item_by_system * generator.standard_normal((items, n_systems))[item, system]
    ratings = np.searchsorted(thresholds_for(plan.shares, total_spread(plan)), latent) + 1
    return pl.DataFrame(
        {
            "rater": pl.Series([f"r{number:04d}" for number in range(raters)])[rater],
            "item": pl.Series([f"i{number:04d}" for number in range(items)])[item],
            "system": pl.Series(list(plan.systems))[system],
            "rating": ratings.astype(np.int64),
        }
    )


def _assigned(plan: PlannedExperiment, raters: int, items: Integers) -> tuple[Integers, Integers, Integers]:
    """Return which rater rates which item in which version."""
    n_systems = len(plan.systems)
    if plan.assignment == "all":
        grid = np.meshgrid(np.arange(raters), items, np.arange(n_systems), indexing="ij")
        rater, item, system = (axis.ravel() for axis in grid)
        return rater, item, system
    rater, index = (axis.ravel() for axis in np.meshgrid(np.arange(raters), np.arange(len(items)), indexing="ij"))
    return rater, items[index], (rater + index) % n_systems
