"""Between which values does a parameter lie, when the likelihood itself says so?

A Wald interval takes the log-likelihood for a parabola. A profile interval follows it: the parameter is held at a
value, all others are fitted again, and the bound is where twice the log-likelihood has fallen by the quantile of χ²
with one degree of freedom [1]. With few raters, near a border and for standard deviations it is the better interval.

[1] Venzon, D. J., Moolgavkar, S. H. (1988). A method for computing profile-likelihood-based confidence intervals.
    Applied Statistics 37.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import scipy

from hengliang.analysis.models.design import Floats
from hengliang.analysis.models.ordinal.fit import OrdinalFit
from hengliang.analysis.models.ordinal.optimisation import approach
from hengliang.analysis.models.results import Coefficient
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.linear_algebra import on_one_thread

PRECISION = 1e-4
"""How near a bound is found, in units of the root of the deviance."""
STEPS = 40
FARTHEST = 60.0
"""Standard errors from the estimate at which the search for a bound gives up: there is none."""


@dataclass(frozen=True, slots=True)
class ProfileInterval:
    """The interval of one parameter; a bound that does not exist is infinite (or 0 for a standard deviation)."""

    name: str
    estimate: float
    low: float
    high: float
    level: float
    evaluations: int

    def __str__(self) -> str:
        bounds = f"[{self.low:.4f}, {self.high:.4f}]"
        return f"{self.name}: {self.estimate:.4f}, {self.level * 100:g} % profile interval {bounds}"


@dataclass(slots=True)
class _Profile:
    """Follows the likelihood along one parameter, each point starting from the one before."""

    fit: OrdinalFit
    place: int
    metric: Floats
    parameters: Floats
    evaluations: int = 0

    def depth(self, value: float) -> float:
        """Return the root of twice the loss of log-likelihood with the parameter held at `value`."""
        found = approach(self.fit.problem, self._start(value), self.metric, self.place, self.fit.optimum.mode)
        self.evaluations += 1
        if found is None:
            return math.inf
        self.parameters, mode = found
        return math.sqrt(max(0.0, 2 * (self.fit.log_likelihood - mode.log_likelihood)))

    def _start(self, value: float) -> Floats:
        """Move the other parameters as the curvature at the maximum foresees."""
        moved = value - self.parameters[self.place]
        others = [place for place in self.fit.optimum.free if place != self.place]
        start = self.parameters.copy()
        start[self.place] = value
        if others:
            inner = self.metric[np.ix_(others, others)]
            start[others] -= np.linalg.lstsq(inner, self.metric[others, self.place] * moved, rcond=None)[0]
        return start


@on_one_thread
def profile_interval(fit: OrdinalFit, name: str, *, level: float | None = None) -> ProfileInterval:
    """Return the profile interval of a coefficient, a threshold parameter, or the spread of a random intercept.

    Names are those of `fit.names`: `system[BERT]`, `1|2`, `rater: (Intercept)`.
    """
    chosen = fit.settings.level if level is None else level
    if not 0 < chosen < 1:
        raise UserError(f"The level {chosen} is no probability.", valid="0 < level < 1, for example 0.95.")
    if name not in fit.names:
        raise unknown_name("parameter", name, fit.names)
    place = fit.names.index(name)
    spread = place >= fit.problem.n_location
    _check_spread(fit, place)
    estimate, error = float(fit.parameters[place]), _error(fit, place)
    if math.isnan(error):
        if not spread:
            raise UserError(
                f"'{name}' has no standard error, so its profile cannot be followed.",
                remedy="Mend what the warnings of the fit say first.",
            )
        error = 0.1 * math.sqrt(fit.problem.link.spread)
    target = math.sqrt(float(scipy.stats.chi2.ppf(chosen, 1)))
    metric = _metric(fit)
    bounds, evaluations = [], 0
    for side in (-1.0, 1.0):
        profile = _Profile(fit, place, metric, fit.parameters.copy())
        floor = 0.0 if spread else -math.inf
        bounds.append(_bound(profile, estimate, side * error, target, floor))
        evaluations += profile.evaluations
    return ProfileInterval(name, estimate, bounds[0], bounds[1], chosen, evaluations)


def _error(fit: OrdinalFit, place: int) -> float:
    """Return a standard error as the fit reports it; that of an effect that runs to infinity is rounding error."""
    if place < fit.problem.n_location:
        return (*fit.threshold_parameters, *fit.model.coefficients)[place].error
    return math.sqrt(float(fit.covariance[place, place]))


def _check_spread(fit: OrdinalFit, place: int) -> None:
    """Λ of several effects is no parameter that anybody could read, except its first entry."""
    start = fit.problem.n_location
    for term in fit.problem.random:
        count = term.width * (term.width + 1) // 2
        if start < place < start + count:
            raise UserError(
                f"'{fit.names[place]}' is an entry of a Cholesky factor and no standard deviation.",
                valid="Fixed effects, thresholds, and the first effect of each random term have profile intervals.",
            )
        start += count


def _metric(fit: OrdinalFit) -> Floats:
    """Return minus the Hessian over all parameters; those at a border get the curvature of a unit normal."""
    metric = np.eye(fit.problem.size)
    metric[np.ix_(fit.optimum.free, fit.optimum.free)] = -fit.optimum.hessian
    # The search may have ended at the mirror image of Λ; the fit tells it with positive diagonals.
    signs = np.where(fit.parameters == fit.optimum.parameters, 1.0, -1.0)
    return np.asarray(metric * np.outer(signs, signs))


def _bound(profile: _Profile, estimate: float, step: float, target: float, floor: float) -> float:
    """Find where the profile reaches the target, by regula falsi on a function that is nearly a line."""
    inner, inner_depth = estimate, 0.0
    outer = estimate + target * step
    outer_depth = -1.0
    for _ in range(STEPS):
        if outer <= floor:
            outer = floor
        if abs(outer - estimate) > FARTHEST * abs(step):
            return math.copysign(math.inf, step)
        outer_depth = profile.depth(outer)
        if outer_depth >= target:
            break
        if outer == floor:
            return floor
        inner, inner_depth = outer, outer_depth
        outer = estimate + (outer - estimate) * max(1.1, min(2.0, 1.05 * target / max(outer_depth, 1e-9)))
    for _ in range(STEPS):
        if abs(outer_depth - target) < PRECISION:
            return outer
        share = (target - inner_depth) / (outer_depth - inner_depth) if math.isfinite(outer_depth) else 0.5
        middle = inner + min(0.98, max(0.02, share)) * (outer - inner)
        depth = profile.depth(middle)
        if abs(depth - target) < PRECISION:
            return middle
        if depth < target:
            inner, inner_depth = middle, depth
        else:
            outer, outer_depth = middle, depth
    return outer


def with_profile_intervals(fit: OrdinalFit, *, level: float | None = None) -> OrdinalFit:
    """Return the fit with profile intervals of its fixed effects in place of Wald intervals; p stays Wald's."""
    chosen = fit.settings.level if level is None else level
    held = tuple(_with_interval(fit, coefficient, chosen) for coefficient in fit.model.coefficients)
    conventions = {**fit.model.conventions, "intervals": f"profile for fixed effects, else Wald, {chosen:g}"}
    thresholds = tuple(_at_level(threshold, chosen) for threshold in fit.model.thresholds)
    model = replace(fit.model, coefficients=held, thresholds=thresholds, level=chosen, conventions=conventions)
    parameters = tuple(_at_level(parameter, chosen) for parameter in fit.threshold_parameters)
    return replace(fit, model=model, settings=replace(fit.settings, level=chosen), threshold_parameters=parameters)


def _at_level(coefficient: Coefficient, level: float) -> Coefficient:
    reach = float(scipy.stats.norm.ppf(0.5 + level / 2)) * coefficient.error
    return replace(coefficient, low=coefficient.estimate - reach, high=coefficient.estimate + reach)


def _with_interval(fit: OrdinalFit, coefficient: Coefficient, level: float) -> Coefficient:
    if math.isnan(coefficient.error):
        return coefficient
    found = profile_interval(fit, coefficient.name, level=level)
    return replace(coefficient, low=found.low, high=found.high)
