"""Does the model need this term: what is lost when each fixed term is taken out?

Each term that is part of no interaction is left out in turn, both models are fitted by maximum likelihood to the same
rows, and compared by likelihood ratio, as R's `drop1(fit, test = "Chisq")` does.
"""

from __future__ import annotations

from dataclasses import replace

from hengliang.analysis.models.coding import outer_terms
from hengliang.analysis.models.comparing import likelihood_ratio
from hengliang.analysis.models.mixed import MixedFit
from hengliang.analysis.models.syntax import Formula
from hengliang.analysis.results import TestResult
from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual


def drop_terms(fitted: MixedFit, *, alpha: float | None = None) -> dict[str, TestResult]:
    """Test each fixed term by likelihood ratio; the random effects stay as they are.

    A main effect is not tested beside its own interaction: with factors the interaction would take its place.
    """
    terms = outer_terms(fitted.formula.fixed)
    if not terms:
        raise UserError(
            f"'{fitted.model.formula}' has no fixed term that could be taken out.",
            valid="A fixed effect besides the intercept.",
        )
    larger = fitted if fitted.model.comparable else fitted.refit(fitted.formula, reml=False)
    border = fitted.model.alpha if alpha is None else alpha
    results = {}
    for term, places in terms.items():
        smaller = larger.refit(_without(fitted.formula, term, places), reml=False)
        found = likelihood_ratio(smaller.model, larger.model, alpha=border)
        results[term] = replace(
            found,
            conventions={**found.conventions, "estimation": str(larger.model.conventions["estimation"])},
            significant=Bilingual(f"'{term}' improves the model", f"“{term}”改善了模型"),
            otherwise=Bilingual(f"'{term}' was not found to improve the model", f"未发现“{term}”改善模型"),
        )
    return results


def _without(formula: Formula, term: str, places: str) -> Formula:
    written = ":".join(formula.fixed.atoms[int(place[1:])].source for place in places.split(":"))
    random = "".join(f" + {text}" for text in dict.fromkeys(part.text for part in formula.random))
    fixed = replace(
        formula.fixed, text=f"{formula.fixed.text} - {written}", algebra=f"{formula.fixed.algebra} - ({places})"
    )
    return replace(formula, text=f"{formula.response.source} ~ {fixed.text}{random}", fixed=fixed)
