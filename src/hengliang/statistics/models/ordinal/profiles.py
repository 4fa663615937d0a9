"""Profile-likelihood intervals and likelihood-ratio tests of ordinal models, proportional odds among them.

A Wald interval takes the log-likelihood for a parabola. A profile interval follows it: the parameter is held at a
value, all others are fitted again, and the bound is where twice the log-likelihood has fallen by the quantile of χ²
with one degree of freedom [1]. With few raters, near a border and for standard deviations it is the better interval.
The same refitting tests whether effects are the same at all thresholds, and whether the model needs a term.

[1] Venzon, D. J., Moolgavkar, S. H. (1988). A method for computing profile-likelihood-based confidence intervals.
    Applied Statistics 37.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.linear_algebra import on_one_thread
from hengliang.core.terms import Bilingual
from hengliang.statistics.models.comparison import WORSE, likelihood_ratio
from hengliang.statistics.models.design import Design, Floats, Integers
from hengliang.statistics.models.ordinal.checks import crossing_warning
from hengliang.statistics.models.ordinal.fit import OrdinalFit
from hengliang.statistics.models.ordinal.fitting import refit
from hengliang.statistics.models.ordinal.optimisation import approach
from hengliang.statistics.models.results import Coefficient
from hengliang.statistics.results import TestResult

# --- profile-likelihood intervals -------------------------------------------------------------------------------------


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
        reached = approach(self.fit.problem, self._start(value), self.metric, self.place, self.fit.optimum.mode)
        self.evaluations += 1
        if reached is None:
            return math.inf
        self.parameters, mode = reached
        return math.sqrt(max(0.0, 2 * (self.fit.log_likelihood - mode.log_likelihood)))

    def _start(self, value: float) -> Floats:
        """Move the other parameters as the curvature at the maximum foresees."""
        moved = value - self.parameters[self.place]
        others = [index for index in self.fit.optimum.free if index != self.place]
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
    index = fit.names.index(name)
    spread = index >= fit.problem.n_location
    _check_spread(fit, index)
    estimate, error = float(fit.parameters[index]), _error(fit, index)
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
        profile = _Profile(fit, index, metric, fit.parameters.copy())
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
    """Refuse Λ of several effects: only its first entry is a parameter that anybody could read."""
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
    # The search may have ended at the mirror image of Λ; the fit gives it with positive diagonals.
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
    coefficients = tuple(_with_interval(fit, coefficient, chosen) for coefficient in fit.model.coefficients)
    conventions = {**fit.model.conventions, "intervals": f"profile for fixed effects, else Wald, {chosen:g}"}
    thresholds = tuple(_at_level(threshold, chosen) for threshold in fit.model.thresholds)
    model = replace(fit.model, coefficients=coefficients, thresholds=thresholds, level=chosen, conventions=conventions)
    parameters = tuple(_at_level(parameter, chosen) for parameter in fit.threshold_parameters)
    return replace(fit, model=model, settings=replace(fit.settings, level=chosen), threshold_parameters=parameters)


def _at_level(coefficient: Coefficient, level: float) -> Coefficient:
    reach = float(scipy.stats.norm.ppf(0.5 + level / 2)) * coefficient.error
    return replace(coefficient, low=coefficient.estimate - reach, high=coefficient.estimate + reach)


def _with_interval(fit: OrdinalFit, coefficient: Coefficient, level: float) -> Coefficient:
    if math.isnan(coefficient.error):
        return coefficient
    interval = profile_interval(fit, coefficient.name, level=level)
    return replace(coefficient, low=interval.low, high=interval.high)


# --- test of proportional odds ----------------------------------------------------------------------------------------
# The model says that an effect moves every threshold by the same amount (proportional odds, with the logit link). Here
# each term is allowed to move each threshold by an amount of its own, and the two fits are compared by likelihood
# ratio, as R's `nominal_test` does for models without random effects.
#
# A level of a factor that lacks an inner answer needs care. If its thresholds round that answer may change places, the
# probabilities of its answers add up to more than one, and the test finds far too much (R's does). Such a level has
# here a set of thresholds of its own, of which those round an unused answer coincide. A numeric column whose thresholds
# cross has no p.

TITLE = Bilingual("likelihood-ratio test of proportional odds", "比例优势的似然比检验")


def proportional_odds(fit: OrdinalFit) -> dict[str, TestResult]:
    """Test for each fixed term whether its effect is the same at all thresholds.

    The degrees of freedom count all thresholds, also those of answers that a level lacks; the notes hold what the freer
    fit warns of.
    """
    if fit.settings.threshold != "flexible":
        raise UserError(
            f"With {fit.settings.threshold} thresholds the check would test the thresholds too.",
            remedy='Fit the model with threshold="flexible" first.',
        )
    if len(fit.problem.thresholds.categories) < 3:
        raise UserError("With two categories there is one threshold, and nothing to check.")
    return dict(_tests(fit))


def _tests(fit: OrdinalFit) -> Iterator[tuple[str, TestResult]]:
    for term, places in fit.design.terms.items():
        columns = tuple(fit.design.fixed_names[index] for index in places)
        columns = tuple(column for column in columns if column in fit.problem.fixed_names)
        if columns:
            yield term, _test(fit, term, columns)


def _test(fit: OrdinalFit, term: str, columns: tuple[str, ...]) -> TestResult:
    freer = _freer(fit, term, columns)
    added = len(columns) * (fit.problem.thresholds.borders - 1)
    larger = replace(freer.model, parameters=fit.model.parameters + added, conventions=fit.model.conventions)
    worse = freer.log_likelihood < fit.log_likelihood - WORSE
    untestable = worse or any(crossing_warning(freer.problem, freer.parameters))
    # A likelihood that is wrong is replaced by that of the fit, so that nothing but the degrees of freedom remains.
    result = likelihood_ratio(
        fit.model,
        replace(larger, log_likelihood=fit.log_likelihood) if untestable else larger,
        alpha=fit.settings.alpha,
    )
    notes = tuple(warning for warning in freer.model.warnings if warning not in fit.model.warnings)
    return replace(
        result,
        statistic=math.nan if untestable else result.statistic,
        p=None if untestable else result.p,
        test="proportional-odds",
        title=TITLE,
        significant=Bilingual(
            f"The effect of '{term}' differs between the borders of the scale",
            f"“{term}”的效应在量表各阈值处不同",
        ),
        otherwise=_untestable(term) if untestable else _same(term),
        conventions={**result.conventions, "larger": f"{term} with an effect at each threshold"},
        notes=notes,
    )


def _same(term: str) -> Bilingual:
    return Bilingual(
        f"The effect of '{term}' was not found to differ between the borders of the scale",
        f"未发现“{term}”的效应在量表各阈值处不同",
    )


def _untestable(term: str) -> Bilingual:
    return Bilingual(
        f"Whether the effect of '{term}' differs between the borders of the scale cannot be tested with these ratings",
        f"用这些评分无法检验“{term}”的效应在量表各阈值处是否不同",
    )


def _freer(fit: OrdinalFit, term: str, columns: tuple[str, ...]) -> OrdinalFit:
    """Let the columns move each threshold by an amount of its own."""
    sets = None if fit.settings.nominal or fit.settings.thresholds_by else _sets(fit, columns)
    if sets is None:
        return refit(fit, nominal=(*fit.settings.nominal, *columns))
    return refit(fit, design=_without(fit.design, columns), by=(term, sets))


def _sets(fit: OrdinalFit, columns: tuple[str, ...]) -> tuple[Integers, tuple[str, ...]] | None:
    """Return a set of thresholds for each value of a factor; nothing where the columns have more values.

    Nor where all ratings of a value are equal: it has no threshold to estimate.
    """
    places = [fit.problem.fixed_names.index(column) for column in columns]
    values, codes = np.unique(fit.problem.fixed[:, places], axis=0, return_inverse=True)
    used = np.zeros((len(values), fit.problem.thresholds.borders + 1), dtype=bool)
    used[codes.ravel(), fit.problem.codes] = True
    if len(values) > len(columns) + 1 or (used.sum(axis=1) < 2).any():
        return None
    names = tuple(
        ", ".join(f"{column} = {value:g}" for column, value in zip(columns, row, strict=True)) for row in values
    )
    return codes.ravel().astype(np.int64), names


def _without(design: Design, columns: tuple[str, ...]) -> Design:
    kept = [index for index, name in enumerate(design.fixed_names) if name not in columns]
    return replace(
        design,
        fixed=np.ascontiguousarray(design.fixed[:, kept]),
        fixed_names=tuple(design.fixed_names[index] for index in kept),
        terms={},
    )


# --- single-term deletions --------------------------------------------------------------------------------------------
# Each fixed term that is part of no interaction, and each random term, is left out in turn; both models are fitted to
# the same ratings and compared by likelihood ratio.


def drop_ordinal_terms(fit: OrdinalFit, *, random: bool = False) -> dict[str, TestResult]:
    """Test each fixed term by likelihood ratio, and with `random` each random term too."""
    tests = dict(_fixed(fit))
    if random:
        tests |= dict(_random(fit))
    if not tests:
        raise UserError(
            f"'{fit.model.formula}' has no term that could be taken out.", valid="At least one fixed effect."
        )
    return tests


def _fixed(fit: OrdinalFit) -> Iterator[tuple[str, TestResult]]:
    terms = fit.design.terms
    for term, places in terms.items():
        parts = set(term.split(":"))
        within = any(parts < set(other.split(":")) for other in terms)
        dropped = {fit.design.fixed_names[index] for index in places}
        if not within and dropped <= set(fit.problem.fixed_names):
            yield term, _compare(fit, _without_columns(fit.design, term), term)


def _random(fit: OrdinalFit) -> Iterator[tuple[str, TestResult]]:
    for index, term in enumerate(fit.design.random):
        name = f"({' + '.join(term.names)} | {term.group})"
        kept = tuple(other for other in fit.design.random if other is not fit.design.random[index])
        yield name, _compare(fit, replace(fit.design, random=kept, formula=f"{fit.design.formula} - {name}"), name)


def _without_columns(design: Design, term: str) -> Design:
    dropped = set(design.terms[term])
    kept = [index for index in range(len(design.fixed_names)) if index not in dropped]
    moved = {old: new for new, old in enumerate(kept)}
    terms = {name: tuple(moved[index] for index in places) for name, places in design.terms.items() if name != term}
    return replace(
        design,
        formula=f"{design.formula} - {term}",
        fixed=np.ascontiguousarray(design.fixed[:, kept]),
        fixed_names=tuple(design.fixed_names[index] for index in kept),
        terms=terms,
    )


def _compare(fit: OrdinalFit, smaller: Design, term: str) -> TestResult:
    result = likelihood_ratio(refit(fit, design=smaller).model, fit.model, alpha=fit.settings.alpha)
    return replace(
        result,
        significant=Bilingual(f"'{term}' improves the model", f"“{term}”改善了模型"),
        otherwise=Bilingual(f"'{term}' was not found to improve the model", f"未发现“{term}”改善模型"),
    )
