"""Which differences does the planned test find in one simulated experiment?"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import polars as pl

from hengliang.analysis.models.comparing import likelihood_ratio
from hengliang.analysis.models.design import Design, RandomTerm
from hengliang.analysis.models.ordinal import OrdinalFit, fit_design, refit
from hengliang.analysis.power.plan import PlannedExperiment
from hengliang.analysis.ranks.sign import sign_test
from hengliang.analysis.ranks.signed_ranks import signed_rank_test
from hengliang.core.errors import UserError


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
        return [_by_likelihood(fit, place) for place in range(len(plan.systems) - 1)]
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
    return [test(table[:, place], table[:, 0]).p for place in range(1, len(plan.systems))]
