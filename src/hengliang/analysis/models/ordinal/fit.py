"""What does a fitted ordinal model know: estimates, their uncertainty, the levels' own effects, predictions?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
import scipy

from hengliang.analysis.models.design import Design, Floats
from hengliang.analysis.models.ordinal import checks
from hengliang.analysis.models.ordinal.estimation import Estimation
from hengliang.analysis.models.ordinal.links import LinkName
from hengliang.analysis.models.ordinal.optimisation import GRADIENT, Optimum
from hengliang.analysis.models.ordinal.prediction import (
    category_probabilities,
    cell_codes,
    new_design,
    random_predictor,
    without_intercept,
)
from hengliang.analysis.models.ordinal.problem import OrdinalProblem
from hengliang.analysis.models.ordinal.responses import CodedResponse, describe_categories
from hengliang.analysis.models.ordinal.thresholds import ThresholdKind
from hengliang.analysis.models.results import Coefficient, Fitted, ModelFit, VarianceComponent
from hengliang.analysis.results import checksum
from hengliang.core.errors import unknown_name
from hengliang.core.signature import Value
from hengliang.core.terms import Bilingual


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model was asked to be fitted."""

    link: LinkName
    threshold: ThresholdKind
    thresholds_by: str
    nominal: tuple[str, ...]
    level: float
    alpha: float


@dataclass(frozen=True, slots=True, eq=False)
class OrdinalFit(Fitted):
    """A fitted cumulative-link mixed model.

    `model` holds the numbers to report. `parameters` is the vector (α, β, λ) of `problem.names`, with λ the Cholesky
    factors of the random terms, and `covariance` its covariance matrix; rows of a parameter at its border (a variance
    at zero) or without information are NaN. `threshold_parameters` are α, from which `model.thresholds` follow.
    `problem` can be fitted again under restrictions with `estimation.estimate`, the design with `fitting.refit`.
    """

    model: ModelFit
    design: Design
    coded: CodedResponse
    problem: OrdinalProblem
    settings: Settings
    optimum: Optimum
    parameters: Floats
    covariance: Floats
    threshold_parameters: tuple[Coefficient, ...]

    @property
    def log_likelihood(self) -> float:
        """The Laplace log-likelihood."""
        return self.model.log_likelihood

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return self.problem.names

    def effects(self) -> tuple[Floats, ...]:
        """Return the conditional modes of each random term, a row a level, a column an effect."""
        structure = self.problem.structure
        held: dict[int, Floats] = {}
        for block, factor, u in zip(
            structure.blocks, self.optimum.mode.factors, structure.by_block(self.optimum.mode.u), strict=True
        ):
            held.update(_split(self.problem, block.terms, u @ factor.T))
        return tuple(held[place] for place in range(len(self.problem.random)))

    def conditional_modes(self) -> pl.DataFrame:
        """Return what is expected of each level: group, level, effect, mode and its conditional standard deviation.

        The deviation takes the parameters as known, as R's `ranef` with `condVar` does.
        """
        modes, deviations = self.effects(), self._deviations()
        rows = [
            {"group": term.group, "level": level, "effect": name, "mode": float(mode), "deviation": float(deviation)}
            for term, mode_rows, deviation_rows in zip(self.problem.random, modes, deviations, strict=True)
            for level, mode_row, deviation_row in zip(term.levels, mode_rows, deviation_rows, strict=True)
            for name, mode, deviation in zip(term.names, mode_row, deviation_row, strict=True)
        ]
        texts = {"group": pl.String, "level": pl.String, "effect": pl.String}
        return pl.DataFrame(rows, schema={**texts, "mode": pl.Float64, "deviation": pl.Float64})

    def _deviations(self) -> tuple[Floats, ...]:
        mode = self.optimum.mode
        if mode.factor is None:
            return ()
        squares, _ = mode.factor.inverse()
        held: dict[int, Floats] = {}
        for block, factor, square in zip(self.problem.structure.blocks, mode.factors, squares, strict=True):
            variances = np.einsum("ab,lbc,ac->la", factor, square, factor)
            held.update(_split(self.problem, block.terms, np.sqrt(np.maximum(variances, 0.0))))
        return tuple(held[place] for place in range(len(self.problem.random)))

    def predict(self, data: pl.DataFrame | None = None, *, random: bool = True) -> pl.DataFrame:
        """Return the probability of each category, a row an observation, a column a category.

        Without `data` the observations of the fit are used. `random=False` is the prediction for a typical level of
        every group.
        """
        problem = self.problem
        terms, fixed, nominal, cells = problem.random, problem.fixed, problem.nominal, problem.cells
        if data is not None:
            held = new_design(self.design, data, random=random)
            columns, names = without_intercept(held)
            fixed = columns[:, [names.index(name) for name in problem.fixed_names]]
            nominal = columns[:, [names.index(name) for name in problem.thresholds.columns]]
            terms, cells = held.random, np.zeros(data.height, dtype=np.int64)
            if by := self.settings.thresholds_by:
                if by not in data.columns:
                    raise unknown_name("column", by, data.columns)
                cells = cell_codes(data[by], problem.thresholds.cells, by)
        predictor = fixed @ self.parameters[problem.n_alpha : problem.n_location]
        if random and terms:
            predictor = predictor + random_predictor(terms, self.effects())
        shares = category_probabilities(problem, self.parameters, cells, nominal, predictor)
        return pl.DataFrame(shares, schema=list(problem.thresholds.categories))


def _split(problem: OrdinalProblem, terms: tuple[int, ...], whole: Floats) -> dict[int, Floats]:
    """Cut the columns of a block into those of its terms."""
    held, place = {}, 0
    for term in terms:
        width = problem.random[term].width
        held[term] = whole[:, place : place + width]
        place += width
    return held


def make_fit(
    design: Design,
    coded: CodedResponse,
    problem: OrdinalProblem,
    fitted: Estimation,
    settings: Settings,
    apart: tuple[str, ...],
) -> OrdinalFit:
    """Put what was estimated into words and tables."""
    optimum = fitted.optimum
    inverse, flat = checks.flat_directions(optimum.hessian, [problem.names[place] for place in optimum.free])
    signs = np.where(problem.canonical(optimum.parameters) == optimum.parameters, 1.0, -1.0)
    covariance = np.full((problem.size, problem.size), np.nan)
    covariance[np.ix_(optimum.free, optimum.free)] = inverse
    covariance *= np.outer(signs, signs)
    shown = _without(covariance, [place for place, name in enumerate(problem.names) if name in apart])
    crossed = tuple(checks.crossing_warning(problem, optimum.parameters))
    warnings = (
        *checks.unused_warning(coded.unused),
        *checks.cell_warnings(problem, settings.thresholds_by),
        *checks.group_warnings(problem.random, problem.n, len(coded.categories)),
        *checks.separation_warning(apart),
        *checks.variance_warnings(problem, fitted),
        *checks.optimum_warnings(problem, fitted, () if apart else flat),
        *crossed,
    )
    parameters = problem.canonical(optimum.parameters)
    location = slice(problem.n_alpha, problem.n_location)
    model = ModelFit(
        family="ordinal",
        title=_title(problem),
        formula=design.formula,
        coefficients=_coefficients(problem.fixed_names, parameters[location], shown[location, location], settings),
        components=tuple(_components(problem, parameters)),
        log_likelihood=optimum.log_likelihood,
        parameters=problem.size,
        n=problem.n,
        groups={term.group: len(term.levels) for term in problem.random},
        thresholds=_thresholds(problem, parameters, shown, settings),
        n_missing=design.n_missing,
        level=settings.level,
        alpha=settings.alpha,
        converged=not apart and not flat and not crossed and optimum.steepest < 100 * GRADIENT * _size(optimum),
        warnings=warnings,
        conventions=_conventions(design, coded, problem, settings),
        data=checksum(coded.codes, design.rows),
    )
    own = slice(0, problem.n_alpha)
    alphas = _coefficients(problem.thresholds.names, parameters[own], shown[own, own], settings, tested=False)
    return OrdinalFit(model, design, coded, problem, settings, optimum, parameters, covariance, alphas)


def _without(covariance: Floats, places: list[int]) -> Floats:
    """Return a covariance without that of parameters that run to infinity, whose curvature is rounding error."""
    held = covariance.copy()
    held[places, :] = np.nan
    held[:, places] = np.nan
    return held


def _size(optimum: Optimum) -> float:
    return max(1.0, 1e-4 * abs(optimum.log_likelihood))


def _title(problem: OrdinalProblem) -> Bilingual:
    if problem.random:
        return Bilingual("cumulative-link mixed model", "累积链接混合模型")
    return Bilingual("cumulative-link model", "累积链接模型")


def _coefficients(
    names: tuple[str, ...], values: Floats, covariance: Floats, settings: Settings, *, tested: bool = True
) -> tuple[Coefficient, ...]:
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0)) if len(values) else np.zeros(0)
    reach = float(scipy.stats.norm.ppf(0.5 + settings.level / 2))
    held = []
    for name, value, error in zip(names, values, errors, strict=True):
        known = bool(error > 0) and bool(np.isfinite(value))
        statistic = float(value / error) if known else float("nan")
        p = float(2 * scipy.stats.norm.sf(abs(statistic))) if known and tested else float("nan")
        shown = float(error) if known else float("nan")
        held.append(
            Coefficient(
                name, float(value), shown, statistic, p, float(value - reach * shown), float(value + reach * shown)
            )
        )
    return tuple(held)


def _thresholds(
    problem: OrdinalProblem, parameters: Floats, covariance: Floats, settings: Settings
) -> tuple[Coefficient, ...]:
    """Return θ = Jα with standard errors by the delta method, which is exact for a linear function."""
    thresholds = problem.thresholds
    alpha, own = parameters[: problem.n_alpha], covariance[: problem.n_alpha, : problem.n_alpha]
    values = np.concatenate([thresholds.values(alpha).ravel(), thresholds.shifts(alpha).ravel()])
    names = [f"{cell}: {border}" if cell else border for cell in thresholds.cells for border in thresholds.border_names]
    names += [f"{border}: {column}" for column in thresholds.columns for border in thresholds.border_names]
    matrix = np.vstack([thresholds.matrix.toarray(), thresholds.nominal.toarray()])
    # NaN times 0 would spoil the thresholds that do not depend on the parameter in question.
    known = np.nan_to_num(own, nan=0.0)
    lost = np.abs(matrix) @ np.isnan(np.diag(own)).astype(np.float64) > 0
    variances = np.where(lost, np.nan, np.einsum("ka,ab,kb->k", matrix, known, matrix))
    return _coefficients(tuple(names), values, np.diag(variances), settings, tested=False)


def _components(problem: OrdinalProblem, parameters: Floats) -> Iterator[VarianceComponent]:
    for term, factor in zip(problem.random, problem.parts(parameters)[2], strict=True):
        covariance = factor @ factor.T
        deviations = np.sqrt(np.diag(covariance))
        for place, name in enumerate(term.names):
            correlations = []
            for other in range(place):
                both = deviations[place] * deviations[other]
                correlations.append(
                    float(np.clip(covariance[place, other] / both, -1, 1)) if both > 0 else float("nan")
                )
            yield VarianceComponent(
                term.group, name, float(covariance[place, place]), len(term.levels), tuple(correlations)
            )


def _conventions(design: Design, coded: CodedResponse, problem: OrdinalProblem, settings: Settings) -> dict[str, Value]:
    parts = [design.fixed, problem.cells, *(part for term in design.random for part in (term.columns, term.codes))]
    return {
        "link": settings.link,
        "threshold": settings.threshold,
        "thresholds_by": settings.thresholds_by or "none",
        "nominal": ", ".join(settings.nominal) or "none",
        "approximation": "Laplace" if problem.random else "none needed",
        "parameterisation": "P(y ≤ k) = F(θₖ − xβ − zb)",
        "categories": describe_categories(coded),
        "dropped_categories": ", ".join(coded.unused) or "none",
        "standard_errors": "observed Hessian",
        "intervals": f"Wald, {settings.level:g}",
        "predictors": checksum(*parts),
    }
