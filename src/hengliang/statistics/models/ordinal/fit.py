"""Fitted ordinal models: estimates, their uncertainty, conditional modes, and predicted probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
import scipy

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.signature import Value
from hengliang.core.terms import Bilingual
from hengliang.statistics.models.design import (
    INTERCEPT,
    Design,
    Floats,
    Integers,
    RandomTerm,
    level_text,
    model_columns,
)
from hengliang.statistics.models.formula import Formula, RandomPart, parse
from hengliang.statistics.models.ordinal import checks
from hengliang.statistics.models.ordinal.laplace import OrdinalProblem
from hengliang.statistics.models.ordinal.links import CodedResponse, LinkName, ThresholdKind, describe_categories
from hengliang.statistics.models.ordinal.optimisation import GRADIENT, Estimation, Optimum
from hengliang.statistics.models.results import Coefficient, Fitted, ModelFit, VarianceComponent
from hengliang.statistics.results import checksum

# --- predicted probabilities ------------------------------------------------------------------------------------------
# Predictions are made for given observations, and for observations not seen yet. With random effects the modes of the
# levels are used, and a level that the fit has not seen counts as typical (its effects are 0). Without them every level
# counts as typical; that is the prediction for a typical rater and item, not the average over raters, whose
# probabilities are closer to each other.


def category_probabilities(
    problem: OrdinalProblem,
    parameters: Floats,
    cells: Integers,
    nominal: Floats,
    predictor: Floats,
) -> Floats:
    """Return the probability of each category, one row per observation, one column per category."""
    borders = problem.thresholds.at(parameters[: problem.n_alpha], cells, nominal) - predictor[:, None]
    below = problem.link.cumulative(borders)
    # Above the middle the difference is taken between the tails, which keeps small probabilities exact.
    above = problem.link.cumulative(-borders)
    edge = np.zeros((len(predictor), 1))
    low = np.diff(np.hstack([edge, below, edge + 1]), axis=1)
    high = -np.diff(np.hstack([edge + 1, above, edge]), axis=1)
    middle = np.hstack([edge - 1, borders])
    return np.maximum(np.where(middle > 0, high, low), 0.0)


def random_predictor(terms: tuple[RandomTerm, ...], effects: tuple[Floats, ...]) -> Floats:
    """Return zb of each observation; `effects` has one row per level of each term, code −1 is an unseen level."""
    total = np.zeros(len(terms[0].codes) if terms else 0)
    for term, modes in zip(terms, effects, strict=True):
        known = np.vstack([modes, np.zeros((1, term.width))])
        total = total + np.einsum("na,na->n", term.columns, known[term.codes])
    return total


def new_design(design: Design, data: pl.DataFrame, *, random: bool = True) -> Design:
    """Code new observations as those of the fit were: the same levels, centres and scales; no response is needed.

    Without `random` no random term is made, and no column of one is needed.
    """
    formula = parse(design.formula)
    parts = formula.random if random else ()
    atoms = [*formula.fixed.atoms, *(atom for part in parts for atom in (*part.group, *part.terms.atoms))]
    for column in dict.fromkeys(atom.column for atom in atoms):
        if column not in data.columns:
            raise unknown_name("column", column, data.columns)
    rows = np.arange(data.height, dtype=np.int64)
    fixed = model_columns(formula.fixed, data, rows, design.frame)
    return replace(
        design,
        response=pl.Series(design.response_name, [], dtype=pl.Float64),
        fixed=fixed.values,
        random=_random(formula, design, data, rows) if random else (),
        rows=rows,
        n_missing=0,
        frame=data,
    )


def _random(formula: Formula, design: Design, data: pl.DataFrame, rows: Integers) -> tuple[RandomTerm, ...]:
    terms, index = [], 0
    for part in formula.random:
        columns = model_columns(part.terms, data, rows, design.frame).values
        pieces = [columns] if part.correlated else [columns[:, [column]] for column in range(columns.shape[1])]
        for piece in pieces:
            known = design.random[index]
            terms.append(replace(known, columns=piece, codes=_group_codes(part, known, data)))
            index += 1
    return tuple(terms)


def _group_codes(part: RandomPart, known: RandomTerm, data: pl.DataFrame) -> Integers:
    places = {level: code for code, level in enumerate(known.levels)}
    columns = [data[atom.column].to_list() for atom in part.group]
    names = (":".join(map(level_text, row)) for row in zip(*columns, strict=True))
    return np.array([places.get(name, -1) for name in names], dtype=np.int64)


def without_intercept(design: Design) -> tuple[Floats, tuple[str, ...]]:
    """Return the fixed columns but the intercept: thresholds stand in its place."""
    kept = [index for index, name in enumerate(design.fixed_names) if name != INTERCEPT]
    return design.fixed[:, kept], tuple(design.fixed_names[index] for index in kept)


def cell_codes(by: pl.Series, cells: tuple[str, ...], prefix: str) -> Integers:
    """Return which set of thresholds each observation has."""
    places = {cell: code for code, cell in enumerate(cells)}
    names = [f"{prefix} {level_text(value)}" for value in by.to_list()]
    for row, name in enumerate(names):
        if name not in places:
            raise UserError(
                f"Row {row + 1}: no thresholds were estimated for '{name}'.", valid=f"Known: {', '.join(cells)}."
            )
    return np.array([places[name] for name in names], dtype=np.int64)


# --- the fit ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a fit."""

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
        """Return the conditional modes of each random term, one row per level, one column per effect."""
        structure = self.problem.structure
        by_term: dict[int, Floats] = {}
        for block, factor, u in zip(
            structure.blocks, self.optimum.mode.factors, structure.by_block(self.optimum.mode.u), strict=True
        ):
            by_term.update(_split(self.problem, block.terms, u @ factor.T))
        return tuple(by_term[index] for index in range(len(self.problem.random)))

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
        by_term: dict[int, Floats] = {}
        for block, factor, square in zip(self.problem.structure.blocks, mode.factors, squares, strict=True):
            variances = np.einsum("ab,lbc,ac->la", factor, square, factor)
            by_term.update(_split(self.problem, block.terms, np.sqrt(np.maximum(variances, 0.0))))
        return tuple(by_term[index] for index in range(len(self.problem.random)))

    def predict(self, data: pl.DataFrame | None = None, *, random: bool = True) -> pl.DataFrame:
        """Return the probability of each category, one row per observation, one column per category.

        Without `data` the observations of the fit are used. `random=False` is the prediction for a typical level of
        every group.
        """
        problem = self.problem
        terms, fixed, nominal, cells = problem.random, problem.fixed, problem.nominal, problem.cells
        if data is not None:
            new = new_design(self.design, data, random=random)
            columns, names = without_intercept(new)
            fixed = columns[:, [names.index(name) for name in problem.fixed_names]]
            nominal = columns[:, [names.index(name) for name in problem.thresholds.columns]]
            terms, cells = new.random, np.zeros(data.height, dtype=np.int64)
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
    parts, start = {}, 0
    for term in terms:
        width = problem.random[term].width
        parts[term] = whole[:, start : start + width]
        start += width
    return parts


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
    inverse, flat = checks.flat_directions(optimum.hessian, [problem.names[index] for index in optimum.free])
    signs = np.where(problem.canonical(optimum.parameters) == optimum.parameters, 1.0, -1.0)
    covariance = np.full((problem.size, problem.size), np.nan)
    covariance[np.ix_(optimum.free, optimum.free)] = inverse
    covariance *= np.outer(signs, signs)
    shown = _without(covariance, [index for index, name in enumerate(problem.names) if name in apart])
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
    blanked = covariance.copy()
    blanked[places, :] = np.nan
    blanked[:, places] = np.nan
    return blanked


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
    coefficients = []
    for name, value, error in zip(names, values, errors, strict=True):
        known = bool(error > 0) and bool(np.isfinite(value))
        statistic = float(value / error) if known else float("nan")
        p = float(2 * scipy.stats.norm.sf(abs(statistic))) if known and tested else float("nan")
        shown = float(error) if known else float("nan")
        coefficients.append(
            Coefficient(
                name, float(value), shown, statistic, p, float(value - reach * shown), float(value + reach * shown)
            )
        )
    return tuple(coefficients)


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
        for index, name in enumerate(term.names):
            correlations = []
            for other in range(index):
                both = deviations[index] * deviations[other]
                correlations.append(
                    float(np.clip(covariance[index, other] / both, -1, 1)) if both > 0 else float("nan")
                )
            yield VarianceComponent(
                term.group, name, float(covariance[index, index]), len(term.levels), tuple(correlations)
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
