"""Linear and logistic mixed-effects models from lme4 formulas, and contrasts of their coefficients.

A mixed model shows whether an effect holds beyond the raters and items at hand.

`fit_mixed("accuracy ~ model + (1 + model | modifier) + (1 | item)", data)` fits by restricted maximum likelihood and
gives t-tests with Satterthwaite's degrees of freedom, as lmerTest does; lme4 alone prints no p for linear models. With
`family="binomial"` the response has two values, the fit is by Laplace's approximation, and tests are Wald's z. Terms
are tested by likelihood ratio with `hengliang.statistics.models.comparison`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl
import scipy

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.linear_algebra import on_one_thread
from hengliang.core.signature import Value
from hengliang.core.terms import Bilingual
from hengliang.statistics.models.binomial import BinomialModel
from hengliang.statistics.models.design import (
    Design,
    Floats,
    Formula,
    design,
    level_text,
    levels_of,
    numeric_response,
    parse,
    prediction_columns,
)
from hengliang.statistics.models.diagnosis import run_away, separated, warnings_of
from hengliang.statistics.models.linear import LinearModel
from hengliang.statistics.models.problem import Problem, search, unscaled
from hengliang.statistics.models.results import Coefficient, Fitted, ModelFit, VarianceComponent, coefficients_of
from hengliang.statistics.results import check_alpha, check_choice, checksum

# --- fitting and prediction -------------------------------------------------------------------------------------------


Family = Literal["gaussian", "binomial"]
FAMILIES: tuple[Family, ...] = ("gaussian", "binomial")
P_VALUES: Mapping[str, tuple[str, ...]] = {"gaussian": ("satterthwaite", "wald", "none"), "binomial": ("wald", "none")}
"""How p is computed, for each family; the first is the usual one."""
TITLES: Mapping[str, Bilingual] = {
    "gaussian": Bilingual("linear mixed model", "线性混合模型"),
    "binomial": Bilingual("logistic mixed model", "逻辑斯谛混合模型"),
}
PLAIN_TITLES: Mapping[str, Bilingual] = {
    "gaussian": Bilingual("linear model", "线性模型"),
    "binomial": Bilingual("logistic model", "逻辑斯谛模型"),
}
"""What the models are called without a random term."""
LARGEST = 6000
"""How many random effects all groups but the largest may have over all levels: their matrix is dense, and this fills
300 MB. The largest group is eliminated level by level."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a fit."""

    family: str = "gaussian"
    reml: bool = True
    p_values: str = "satterthwaite"
    level: float = 0.95
    alpha: float = 0.05

    @property
    def linear(self) -> bool:
        """Whether the response is measured on a scale."""
        return self.family == "gaussian"

    def check(self) -> None:
        """Refuse what does not exist."""
        check_choice("family", self.family, FAMILIES)
        check_choice(f"p-value of family {self.family}", self.p_values, P_VALUES[self.family])
        check_alpha(self.alpha)
        if not 0 < self.level < 1:
            raise UserError(
                f"level = {self.level} is no level of an interval.", valid="0 < level < 1, for example 0.95."
            )


@dataclass(frozen=True, slots=True, eq=False)
class MixedFit(Fitted):
    """A fitted linear or logistic mixed model.

    `model` holds the numbers of a report. `coefficients` are the fixed effects in the order of the design and
    `covariance` theirs; `modes` the conditional modes of each random term, one row per level, one column per effect.
    """

    model: ModelFit
    design: Design
    formula: Formula
    settings: Settings
    coefficients: Floats
    covariance: Floats
    modes: tuple[Floats, ...]
    outcomes: tuple[str, ...] = ()
    """What counts as failure and success, in a logistic model."""

    def conditional_modes(self) -> pl.DataFrame:
        """Return how far each level of each group lies from the average: group, level, effect, mode."""
        rows = [
            {"group": term.group, "level": level, "effect": name, "mode": float(value)}
            for term, modes in zip(self.design.random, self.modes, strict=True)
            for level, effects in zip(term.levels, modes, strict=True)
            for name, value in zip(term.names, effects, strict=True)
        ]
        return pl.DataFrame(
            rows, schema={"group": pl.String, "level": pl.String, "effect": pl.String, "mode": pl.Float64}
        )

    def predict(self, data: pl.DataFrame | None = None, *, groups: bool = True, scale: str = "response") -> pl.Series:
        """Return the expected response of each row of `data`, else of the rows that were fitted.

        With `groups` the modes of raters, items and the like are added; a level that the model has not seen counts as
        average. Without, the prediction is for an average level of every group. The scale of a logistic model is
        `response` (probability) or `link` (log-odds). A row with an empty cell gets none.
        """
        check_choice("scale", scale, ("response", "link"))
        if data is None:
            fixed, random, rows, height = self.design.fixed, self.design.random, None, self.design.n
        else:
            fixed, random, rows = prediction_columns(self.formula, self.design, data, groups)
            height = data.height
        predictor = fixed @ self.coefficients
        for term, modes in zip(random, self.modes, strict=False) if groups else ():
            known = np.where(term.codes[:, None] >= 0, modes[term.codes], 0.0)
            predictor = predictor + np.sum(term.columns * known, axis=1)
        values = scipy.special.expit(predictor) if not self.settings.linear and scale == "response" else predictor
        if rows is None or len(rows) == height:
            return pl.Series("prediction", values)
        whole = np.full(height, np.nan)
        whole[rows] = values
        return pl.Series("prediction", whole).fill_nan(None)

    def refit(self, formula: str | Formula, *, reml: bool | None = None) -> MixedFit:
        """Fit another formula to the same rows; its columns must be among those of this model."""
        settings = self.settings if reml is None else replace(self.settings, reml=reml)
        chosen = parse(formula) if isinstance(formula, str) else formula
        return _fit(chosen, self.design.frame, settings, self.design)


@dataclass(frozen=True, slots=True, eq=False)
class _Solution:
    """What either family gives: on the user's scale, except `theta`."""

    theta: Floats
    coefficients: Floats
    covariance: Floats
    freedoms: Floats | None
    variance: float
    modes: tuple[Floats, ...]
    criterion: float
    converged: bool


def fit_mixed(
    formula: str | Formula,
    data: pl.DataFrame,
    *,
    family: str = "gaussian",
    reml: bool = True,
    p_values: str | None = None,
    level: float = 0.95,
    alpha: float = 0.05,
) -> MixedFit:
    """Fit a mixed model.

    `reml` belongs to the gaussian family: restricted maximum likelihood for estimates, plain (`False`) for comparing
    models. `p_values` is `satterthwaite` (gaussian, t), `wald` (z) or `none`; left out, it is the first of `P_VALUES`.
    Intervals use the same distribution as p.
    """
    check_choice("family", family, FAMILIES)
    settings = Settings(family, reml, p_values or P_VALUES[family][0], level, alpha)
    settings.check()
    return _fit(parse(formula) if isinstance(formula, str) else formula, data, settings)


@on_one_thread
def _fit(formula: Formula, data: pl.DataFrame, settings: Settings, within: Design | None = None) -> MixedFit:
    """Fit to `data`, which are the rows of the design `within` if that is given."""
    model_design = design(formula, data)
    if within is not None:
        model_design = replace(
            model_design, rows=within.rows[model_design.rows], n_missing=within.n_missing + model_design.n_missing
        )
    _refuse_too_many(model_design, settings)
    problem = Problem.of(model_design)
    response, outcomes = (numeric_response(model_design), ()) if settings.linear else _two_outcomes(model_design)
    solution = _solve_linear(problem, response, settings) if settings.linear else _solve_binomial(problem, response)
    model = _report(model_design, problem, solution, settings, outcomes, checksum(response, model_design.rows))
    return MixedFit(
        model, model_design, formula, settings, solution.coefficients, solution.covariance, solution.modes, outcomes
    )


def _refuse_too_many(held: Design, settings: Settings) -> None:
    sizes: dict[str, int] = {}
    for term in held.random:
        sizes[term.group] = sizes.get(term.group, 0) + len(term.levels) * term.width
    rest = sum(sizes.values()) - max(sizes.values(), default=0)
    if rest > LARGEST:
        raise UserError(
            f"'{held.formula}' has {rest} random effects over all levels of all groups but the largest.",
            valid=f"Up to {LARGEST} can be fitted here.",
            remedy="Leave out the random slopes of the group with most levels, or fit this model with lme4 in R.",
        )
    for term in held.random if settings.linear else ():
        if len(term.levels) * term.width >= held.n:
            raise UserError(
                f"'{term.group}' has {len(term.levels)} levels with {term.width} effects each, but there are only "
                f"{held.n} observations: the random effects cannot be told from the residuals.",
                valid="Fewer random effects than observations in each group.",
                remedy=f"Simplify or leave out the random term of '{term.group}'.",
            )
    if held.n <= held.fixed.shape[1]:
        raise UserError(f"There are {held.fixed.shape[1]} fixed effects and only {held.n} observations.")


def _two_outcomes(held: Design) -> tuple[Floats, tuple[str, ...]]:
    """Return 1 for success: the larger of the two values in their order."""
    levels = levels_of(held.response)
    if len(levels) != 2:
        row = int(np.flatnonzero(~held.response.is_in(list(levels[:2])).to_numpy())[0])
        raise UserError(
            f"The response '{held.response_name}' has {len(levels)} values, among them "
            f"'{level_text(held.response[row])}' in row {held.rows[row] + 1}.",
            valid="Family binomial needs two values, for example 0 and 1.",
            remedy="Use family ordinal for ratings on a scale, family gaussian for measurements.",
        )
    return (held.response == levels[1]).to_numpy().astype(np.float64), tuple(map(level_text, levels))


def _solve_linear(problem: Problem, response: Floats, settings: Settings) -> _Solution:
    model = LinearModel(problem, response, settings.reml)
    if model.exact:
        raise UserError(
            "The fixed effects explain the response without rest: nothing is left for a mixed model.",
            remedy="Check that the response is not computed from a column of the formula.",
        )
    optimum = search(model.criterion, problem, problem.start())
    point = model.at(optimum.parameters)
    back = problem.back()
    variance = model.variance(point)
    return _Solution(
        optimum.parameters,
        back @ (model.plain + model.scale * point.coefficients),
        variance * unscaled(problem, point.inverse),
        model.freedoms(optimum.parameters, back) if settings.p_values == "satterthwaite" else None,
        variance,
        tuple(model.scale * effects for effects in problem.effects(optimum.parameters, point.unit)),
        optimum.criterion,
        optimum.converged,
    )


def _solve_binomial(problem: Problem, response: Floats) -> _Solution:
    model = BinomialModel(problem, response)
    optimum = search(model.criterion, problem, model.start())
    theta, coefficients = optimum.parameters[: model.covariances], optimum.parameters[model.covariances :]
    unit = model.at(optimum.parameters).unit
    return _Solution(
        theta,
        problem.back() @ coefficients,
        model.covariance(optimum.parameters),
        None,
        1.0,
        tuple(problem.effects(theta, unit)),
        optimum.criterion,
        optimum.converged,
    )


def _report(
    held: Design, problem: Problem, solution: _Solution, settings: Settings, outcomes: tuple[str, ...], data: str
) -> ModelFit:
    restricted = settings.linear and settings.reml
    components = list(_components(problem, solution))
    if settings.linear:
        components.append(VarianceComponent("residual", "error", solution.variance, held.n))
    warnings = warnings_of(problem, solution.theta, solution.converged)
    if not settings.linear:
        largest = [max(np.sqrt(np.diag(block))) for block in problem.covariances(solution.theta)]
        lost = np.isnan(np.diag(solution.covariance))
        undefined = [name for name, is_lost in zip(held.fixed_names, lost, strict=True) if is_lost]
        warnings += (*run_away(held, largest), *separated(held, solution.coefficients, undefined))
    with_p = settings.p_values != "none"
    return ModelFit(
        family=settings.family,
        title=(TITLES if held.random else PLAIN_TITLES)[settings.family],
        formula=held.formula,
        coefficients=coefficients_of(
            held.fixed_names, solution.coefficients, solution.covariance, solution.freedoms, settings.level, with_p
        ),
        components=tuple(components),
        log_likelihood=-solution.criterion / 2,
        parameters=problem.width + len(solution.theta) + settings.linear,
        n=held.n,
        groups={term.group: len(term.levels) for term in held.random},
        n_missing=held.n_missing,
        level=settings.level,
        alpha=settings.alpha,
        converged=solution.converged,
        comparable=not restricted,
        warnings=warnings,
        conventions=_conventions(held, settings, outcomes),
        data=data,
    )


def _components(problem: Problem, solution: _Solution) -> Iterator[VarianceComponent]:
    for term, block in zip(problem.terms, problem.covariances(solution.theta, solution.variance), strict=True):
        deviations = np.sqrt(np.diag(block))
        with np.errstate(divide="ignore", invalid="ignore"):
            correlations = block / np.outer(deviations, deviations)
        for index, name in enumerate(term.names):
            before = tuple(float(value) for value in correlations[index, :index])
            yield VarianceComponent(term.group, name, float(block[index, index]), len(term.levels), before)


def _conventions(held: Design, settings: Settings, outcomes: tuple[str, ...]) -> dict[str, Value]:
    tests = {"satterthwaite": "t, Satterthwaite", "wald": "z, Wald", "none": "none"}
    conventions: dict[str, Value]
    if settings.linear:
        conventions = {"link": "identity", "estimation": "REML" if settings.reml else "ML"}
    else:
        conventions = {"link": "logit", "estimation": "ML, Laplace", "success": outcomes[1]}
    conventions["p"] = tests[settings.p_values]
    conventions["interval"] = f"{settings.level:g}, {'t' if settings.p_values == 'satterthwaite' else 'normal'}"
    conventions["errors"] = "given the variances" if settings.linear else "curvature in all parameters"
    conventions["coding"] = "treatment"
    parts = [held.fixed, *(part for term in held.random for part in (term.columns, term.codes))]
    conventions["predictors"] = checksum(*parts)
    return conventions


# --- contrasts and odds ratios ----------------------------------------------------------------------------------------
# Many hypotheses concern more than one coefficient: the mean of two effects, or an effect at another level of a factor
# than the reference. Such a combination is estimated by the same combination of the estimates, its variance follows
# from their covariance, and Wald's z tests it. On the scale of odds it is a ratio.


@dataclass(frozen=True, slots=True)
class OddsRatio:
    """A ratio of odds with its interval and the p of the hypothesis that it is 1."""

    value: float
    low: float
    high: float
    p: float


def contrast(fit: MixedFit, weights: Mapping[str, float], name: str = "") -> Coefficient:
    """Return the sum of coefficients, each times its weight, on the scale of log-odds.

    The linear model has degrees of freedom of its own for each coefficient, which do not carry over to a sum.
    """
    if fit.settings.linear:
        raise UserError("A contrast of a linear mixed model has no degrees of freedom here.", valid="family='binomial'")
    if not weights:
        raise UserError("A contrast names no coefficient.", valid=f"Coefficients: {', '.join(fit.design.fixed_names)}.")
    for effect in weights:
        if effect not in fit.design.fixed_names:
            raise unknown_name("coefficient", effect, fit.design.fixed_names)
    row = np.array([weights.get(effect, 0.0) for effect in fit.design.fixed_names])
    label = name or " + ".join(f"{weight:g} × {effect}" for effect, weight in weights.items())
    # A coefficient that is not asked for may have no variance, and NaN times 0 would spoil the sum.
    asked = np.flatnonzero(row)
    estimate, variance = row @ fit.coefficients, row[asked] @ fit.covariance[np.ix_(asked, asked)] @ row[asked]
    (coefficient,) = coefficients_of((label,), np.array([estimate]), np.array([[variance]]), None, fit.settings.level)
    return coefficient


def odds_ratio(effect: Coefficient) -> OddsRatio:
    """Return an effect in log-odds as a ratio of odds.

    >>> odds_ratio(Coefficient("b", 0.0, 1.0, 0.0, 1.0, -1.0, 1.0)).value
    1.0
    """
    return OddsRatio(math.exp(effect.estimate), math.exp(effect.low), math.exp(effect.high), effect.p)
