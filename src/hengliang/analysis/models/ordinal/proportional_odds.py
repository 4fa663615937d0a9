"""Does an effect shift all answers alike, or some borders of the scale more than others?

The model says that an effect moves every threshold by the same amount (proportional odds, with the logit link). Here
each term is allowed to move each threshold by an amount of its own, and the two fits are compared by likelihood ratio,
as R's `nominal_test` does for models without random effects.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hengliang.analysis.models.ordinal.fit import OrdinalFit
from hengliang.analysis.models.ordinal.fitting import refit
from hengliang.analysis.models.results import likelihood_ratio
from hengliang.analysis.results import TestResult
from hengliang.bilingual import Bilingual
from hengliang.errors import UserError

TITLE = Bilingual("likelihood-ratio test of proportional odds", "比例优势的似然比检验")


def proportional_odds(fit: OrdinalFit) -> dict[str, TestResult]:
    """Test for each fixed term whether its effect is the same at all thresholds.

    Where a level lacks some answer, thresholds of the freer model run away; its likelihood still has a limit, and the
    notes hold what the freer fit warns of.
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
    freer = refit(fit, nominal=(*fit.settings.nominal, *columns))
    found = likelihood_ratio(fit.model, freer.model, alpha=fit.settings.alpha)
    notes = tuple(warning for warning in freer.model.warnings if warning not in fit.model.warnings)
    return replace(
        found,
        test="proportional-odds",
        title=TITLE,
        significant=Bilingual(
            f"The effect of '{term}' differs between the borders of the scale",
            f"“{term}”的效应在量表各阈值处不同",
        ),
        otherwise=Bilingual(
            f"The effect of '{term}' was not found to differ between the borders of the scale",
            f"未发现“{term}”的效应在量表各阈值处不同",
        ),
        conventions={"smaller": fit.model.formula, "larger": f"{term} with an effect at each threshold"},
        notes=notes,
    )
