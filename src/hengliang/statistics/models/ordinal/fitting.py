"""Fitting of cumulative-link mixed models: `fit_ordinal` from a formula, `fit_design` from a design.

`fit_ordinal("fluency ~ system + (1 | rater) + (1 | sentence)", data)` fits a cumulative-link mixed model by maximum
likelihood with the Laplace approximation; `fit_design` does the same for a design that is made already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.linear_algebra import on_one_thread
from hengliang.statistics.models.design import Design, Floats, Integers, level_text, levels_of
from hengliang.statistics.models.design import design as make_design
from hengliang.statistics.models.ordinal.checks import check_columns, is_suspicious, separated
from hengliang.statistics.models.ordinal.fit import OrdinalFit, Settings, cell_codes, make_fit, without_intercept
from hengliang.statistics.models.ordinal.laplace import OrdinalProblem, make_problem
from hengliang.statistics.models.ordinal.links import CodedResponse, LinkName, Scale, ThresholdKind, code_response
from hengliang.statistics.models.ordinal.optimisation import estimate
from hengliang.statistics.results import check_alpha, check_choice

Cells = tuple[Integers, tuple[str, ...]]


def fit_ordinal(
    formula: str,
    data: pl.DataFrame,
    *,
    link: LinkName = "logit",
    threshold: ThresholdKind = "flexible",
    thresholds_by: str | None = None,
    scale: Scale = None,
    level: float = 0.95,
    alpha: float = 0.05,
    start: ArrayLike | None = None,
) -> OrdinalFit:
    """Fit a cumulative-link (mixed) model: P(rating ≤ k) = F(θₖ − xβ − zb).

    `thresholds_by` names a column (the raters) whose levels each have thresholds of their own. `scale` is the lowest
    and highest rating, or the categories in their order; without it, numbers are ordered by value.
    """
    if thresholds_by is None:
        return fit_design(
            make_design(formula, data),
            link=link,
            threshold=threshold,
            scale=scale,
            level=level,
            alpha=alpha,
            start=start,
        )
    if thresholds_by not in data.columns:
        raise unknown_name("column", thresholds_by, data.columns)
    known = data[thresholds_by].is_not_null()
    if data.schema[thresholds_by].is_float():
        known = known & data[thresholds_by].is_not_nan().fill_null(False)
    kept = np.flatnonzero(known.to_numpy())
    design = make_design(formula, data[kept])
    design = replace(
        design, rows=kept[design.rows].astype(np.int64), n_missing=design.n_missing + data.height - len(kept)
    )
    by = data[thresholds_by][design.rows]
    return fit_design(design, link=link, threshold=threshold, by=by, scale=scale, level=level, alpha=alpha, start=start)


def fit_design(
    design: Design,
    *,
    link: LinkName = "logit",
    threshold: ThresholdKind = "flexible",
    by: pl.Series | None = None,
    nominal: Sequence[str] = (),
    scale: Scale = None,
    level: float = 0.95,
    alpha: float = 0.05,
    start: ArrayLike | None = None,
) -> OrdinalFit:
    """Fit a design.

    `by` holds the level of each observation whose thresholds it has. `nominal` names fixed columns that shift each
    threshold by an amount of its own instead of having one coefficient (no proportional odds for them).
    """
    check_choice("link", link, get_args(LinkName))
    check_choice("threshold", threshold, get_args(ThresholdKind))
    check_alpha(alpha)
    if not 0 < level < 1:
        raise UserError(f"The level {level} is no probability.", valid="0 < level < 1, for example 0.95.")
    coded = code_response(design, scale)
    settings = Settings(link, threshold, "" if by is None else by.name, tuple(nominal), level, alpha)
    return _fit(design, coded, settings, _cells(by), start)


def refit(
    fit: OrdinalFit,
    *,
    design: Design | None = None,
    nominal: Sequence[str] | None = None,
    by: tuple[str, Cells] | None = None,
) -> OrdinalFit:
    """Fit again to the same ratings under the same settings, with another design or other nominal columns.

    `by` gives sets of thresholds under a name: the set of each observation, and what the sets are called.
    """
    settings = fit.settings if nominal is None else replace(fit.settings, nominal=tuple(nominal))
    cells = (fit.problem.cells, fit.problem.thresholds.cells) if fit.settings.thresholds_by else None
    if by is not None:
        settings, cells = replace(settings, thresholds_by=by[0]), by[1]
    return _fit(fit.design if design is None else design, fit.coded, settings, cells)


@on_one_thread
def _fit(
    design: Design, coded: CodedResponse, settings: Settings, cells: Cells | None, start: ArrayLike | None = None
) -> OrdinalFit:
    problem = _problem(design, coded, settings, cells)
    check_columns(problem)
    fitted = estimate(problem, _start(problem, start))
    apart = separated(problem) if is_suspicious(problem, fitted.location, fitted.curvature) else ()
    return make_fit(design, coded, problem, fitted, settings, apart)


def _cells(by: pl.Series | None) -> Cells | None:
    """Return the set of thresholds of each observation, and their names."""
    if by is None:
        return None
    names = tuple(f"{by.name} {level_text(value)}" for value in levels_of(by))
    if len(names) < 2:
        raise UserError(
            f"The column '{by.name}' has one level only, so thresholds cannot differ by it.",
            remedy="Leave thresholds_by out.",
        )
    return cell_codes(by, names, by.name), names


def _problem(design: Design, coded: CodedResponse, settings: Settings, cells: Cells | None) -> OrdinalProblem:
    nominal = settings.nominal
    columns, names = without_intercept(design)
    for name in nominal:
        if name not in names:
            raise unknown_name("column", name, names)
    shifting = [index for index, name in enumerate(names) if name in nominal]
    staying = [index for index, name in enumerate(names) if name not in nominal]
    return make_problem(
        coded.codes,
        coded.categories,
        columns[:, staying],
        [names[index] for index in staying],
        design.random,
        link=settings.link,
        threshold=settings.threshold,
        cells=None if cells is None else cells[0],
        cell_names=("",) if cells is None else cells[1],
        nominal=columns[:, shifting],
        nominal_names=[names[index] for index in shifting],
    )


def _start(problem: OrdinalProblem, start: ArrayLike | None) -> Floats | None:
    if start is None:
        return None
    begin = np.asarray(start, dtype=np.float64)
    if begin.shape != (problem.size,) or not np.isfinite(begin).all():
        raise UserError(
            f"The start has {begin.size} numbers, the model {problem.size} parameters.",
            valid=f"A finite number for each of: {', '.join(problem.names)}.",
        )
    return begin
