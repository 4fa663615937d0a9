"""What would the ratings of a planned experiment look like?

A rating is drawn from a cumulative-link model: raters, items, and their liking for a system vary normally around the
stated effect. The thresholds are chosen so that the answers to the first system have the stated shares over all raters
and items; they lie wider apart than those of an average rater, because the spread of raters and items flattens the
shares.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from hengliang.analysis.power.plan import PlannedExperiment

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
    """Draw one experiment: a row a rating, with rater, item and system; `null` sets all effects to zero.

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
    """Return who judges which item in which version."""
    n_systems = len(plan.systems)
    if plan.assignment == "all":
        grid = np.meshgrid(np.arange(raters), items, np.arange(n_systems), indexing="ij")
        rater, item, system = (axis.ravel() for axis in grid)
        return rater, item, system
    rater, place = (axis.ravel() for axis in np.meshgrid(np.arange(raters), np.arange(len(items)), indexing="ij"))
    return rater, items[place], (rater + place) % n_systems
