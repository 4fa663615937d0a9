"""Does an effect shift all answers alike, or some borders of the scale more than others?

The model says that an effect moves every threshold by the same amount (proportional odds, with the logit link). Here
each term is allowed to move each threshold by an amount of its own, and the two fits are compared by likelihood ratio,
as R's `nominal_test` does for models without random effects.

A level of a factor that lacks an inner answer needs care. If its thresholds round that answer may change places, the
probabilities of its answers add up to more than one, and the test finds far too much (R's does). Such a level has here
a set of thresholds of its own, of which those round an unused answer are one. A number whose thresholds cross has no p.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hengliang.analysis.models.comparing import WORSE, likelihood_ratio
from hengliang.analysis.models.design import Design, Integers
from hengliang.analysis.models.ordinal.checks import crossing_warning
from hengliang.analysis.models.ordinal.fit import OrdinalFit
from hengliang.analysis.models.ordinal.fitting import refit
from hengliang.analysis.results import TestResult
from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual

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
        columns = tuple(fit.design.fixed_names[place] for place in places)
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
    found = likelihood_ratio(
        fit.model,
        replace(larger, log_likelihood=fit.log_likelihood) if untestable else larger,
        alpha=fit.settings.alpha,
    )
    notes = tuple(warning for warning in freer.model.warnings if warning not in fit.model.warnings)
    return replace(
        found,
        statistic=math.nan if untestable else found.statistic,
        p=None if untestable else found.p,
        test="proportional-odds",
        title=TITLE,
        significant=Bilingual(
            f"The effect of '{term}' differs between the borders of the scale",
            f"“{term}”的效应在量表各阈值处不同",
        ),
        otherwise=_untestable(term) if untestable else _same(term),
        conventions={**found.conventions, "larger": f"{term} with an effect at each threshold"},
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
    kept = [place for place, name in enumerate(design.fixed_names) if name not in columns]
    return replace(
        design,
        fixed=np.ascontiguousarray(design.fixed[:, kept]),
        fixed_names=tuple(design.fixed_names[place] for place in kept),
        terms={},
    )
