"""Does the ordinal model need this term: what is lost when it is taken out?

Each fixed term that is part of no interaction, and each random term, is left out in turn; both models are fitted to the
same ratings and compared by likelihood ratio.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hengliang.analysis.models.comparing import likelihood_ratio
from hengliang.analysis.models.design import Design
from hengliang.analysis.models.ordinal.fit import OrdinalFit
from hengliang.analysis.models.ordinal.fitting import refit
from hengliang.analysis.results import TestResult
from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual


def drop_ordinal_terms(fit: OrdinalFit, *, random: bool = False) -> dict[str, TestResult]:
    """Test each fixed term by likelihood ratio, and with `random` each random term too."""
    found = dict(_fixed(fit))
    if random:
        found |= dict(_random(fit))
    if not found:
        raise UserError(
            f"'{fit.model.formula}' has no term that could be taken out.", valid="At least one fixed effect."
        )
    return found


def _fixed(fit: OrdinalFit) -> Iterator[tuple[str, TestResult]]:
    terms = fit.design.terms
    for term, places in terms.items():
        parts = set(term.split(":"))
        within = any(parts < set(other.split(":")) for other in terms)
        dropped = {fit.design.fixed_names[place] for place in places}
        if not within and dropped <= set(fit.problem.fixed_names):
            yield term, _compare(fit, _without_columns(fit.design, term), term)


def _random(fit: OrdinalFit) -> Iterator[tuple[str, TestResult]]:
    for place, term in enumerate(fit.design.random):
        name = f"({' + '.join(term.names)} | {term.group})"
        kept = tuple(other for other in fit.design.random if other is not fit.design.random[place])
        yield name, _compare(fit, replace(fit.design, random=kept, formula=f"{fit.design.formula} - {name}"), name)


def _without_columns(design: Design, term: str) -> Design:
    dropped = set(design.terms[term])
    kept = [place for place in range(len(design.fixed_names)) if place not in dropped]
    moved = {old: new for new, old in enumerate(kept)}
    terms = {name: tuple(moved[place] for place in places) for name, places in design.terms.items() if name != term}
    return replace(
        design,
        formula=f"{design.formula} - {term}",
        fixed=np.ascontiguousarray(design.fixed[:, kept]),
        fixed_names=tuple(design.fixed_names[place] for place in kept),
        terms=terms,
    )


def _compare(fit: OrdinalFit, smaller: Design, term: str) -> TestResult:
    found = likelihood_ratio(refit(fit, design=smaller).model, fit.model, alpha=fit.settings.alpha)
    return replace(
        found,
        significant=Bilingual(f"'{term}' improves the model", f"“{term}”改善了模型"),
        otherwise=Bilingual(f"'{term}' was not found to improve the model", f"未发现“{term}”改善模型"),
    )
