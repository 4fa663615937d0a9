"""Likelihood-ratio tests of nested mixed models, and of single fixed terms.

Twice the difference of the log-likelihoods is compared with χ², with as many degrees of freedom as parameters were
added. What cannot be compared in this way (other rows, another link, REML, models of which neither contains the other)
is refused.
"""

from __future__ import annotations

from dataclasses import replace

import scipy

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.models.design import outer_terms
from hengliang.statistics.models.formula import Formula
from hengliang.statistics.models.mixed import MixedFit
from hengliang.statistics.models.results import ModelFit
from hengliang.statistics.results import TestResult, check_alpha

# --- comparison of two nested fits ------------------------------------------------------------------------------------


WORSE = 1e-3
"""Log-likelihood that a larger model may lose by rounding."""


SHARED = ("link", "threshold", "thresholds_by", "nominal", "estimation", "approximation", "categories", "predictors")
"""Conventions of the larger model that change the likelihood, and so belong to the comparison."""


def _refuse_other_kind(smaller: ModelFit, larger: ModelFit) -> None:
    """Refuse to compare what differs in more than its terms: no such model holds the other."""
    kinds = [(model.family, model.conventions.get("link")) for model in (smaller, larger)]
    if kinds[0] != kinds[1]:
        descriptions = [f"{family}, link {link}" for family, link in kinds]
        raise UserError(
            f"The models are of different kinds ({descriptions[0]} and {descriptions[1]}), so neither holds the other.",
            valid="Two models of one family and one link.",
            remedy="Fit both with the same family and link.",
        )
    by = [model.conventions.get("thresholds_by", "none") for model in (smaller, larger)]
    if by[0] not in ("none", by[1]):
        raise UserError(
            f"The smaller model has thresholds by '{by[0]}', the larger one has not.",
            remedy="Fit the larger model with the same thresholds_by.",
        )


def _refuse_other_data(smaller: ModelFit, larger: ModelFit) -> None:
    if smaller.data != larger.data or smaller.n != larger.n:
        raise UserError(
            f"The models were fitted to different observations ({smaller.n} and {larger.n}).",
            valid="Two models are compared on the same rows and the same response.",
            remedy="Drop the rows in which any column of the larger model is missing, then fit both again.",
        )
    if not (smaller.comparable and larger.comparable):
        raise UserError(
            "A REML criterion cannot be compared between models with other fixed effects.",
            remedy="Fit both with maximum likelihood (reml=False).",
        )


def _refuse_unnested(smaller: ModelFit, larger: ModelFit) -> None:
    if larger.parameters <= smaller.parameters:
        raise UserError(
            f"'{larger.formula}' has no more parameters than '{smaller.formula}'.",
            valid="The second model holds the first and more.",
        )
    gained = larger.log_likelihood - smaller.log_likelihood
    if gained < -WORSE:
        raise UserError(
            f"'{larger.formula}' fits worse than '{smaller.formula}' (log-likelihood {larger.log_likelihood:.3f} and "
            f"{smaller.log_likelihood:.3f}), so it does not hold that model, or its fit did not reach the maximum.",
            valid="The second model has every term of the first, and more.",
            remedy="Compare nested models only, and look at the warnings of both fits.",
        )


def likelihood_ratio(smaller: ModelFit, larger: ModelFit, *, alpha: float = 0.05) -> TestResult:
    """Compare two nested fits to the same observations; p from χ² with as many degrees as parameters were added.

    A variance that is tested against zero lies on the border of what it may be: p is then too large, twice for a single
    variance, and a note says so.
    """
    check_alpha(alpha)
    _refuse_other_kind(smaller, larger)
    _refuse_other_data(smaller, larger)
    _refuse_unnested(smaller, larger)
    df = larger.parameters - smaller.parameters
    gained = larger.log_likelihood - smaller.log_likelihood
    statistic = max(0.0, 2 * gained)
    variances = len(larger.components) > len(smaller.components)
    border = Bilingual(
        "A variance is tested on the border of its range: the true p is smaller, about half of this one for a single "
        "variance.",
        "所检验的方差位于取值范围的边界：真实的 p 值更小；只检验一个方差时，约为此值的一半。",
    )
    return TestResult(
        test="likelihood-ratio",
        title=Bilingual("likelihood-ratio test", "似然比检验"),
        symbol="χ²",
        statistic=statistic,
        p=float(scipy.stats.chi2.sf(statistic, df)),
        alternative="undirected",
        n=larger.n,
        n_missing=larger.n_missing,
        significant=Bilingual(
            f"{larger.formula} fits better than {smaller.formula}",
            f"{larger.formula} 的拟合优于 {smaller.formula}",
        ),
        otherwise=Bilingual(
            f"{larger.formula} was not found to fit better than {smaller.formula}",
            f"未发现 {larger.formula} 的拟合优于 {smaller.formula}",
        ),
        df=(float(df),),
        conventions={
            "smaller": smaller.formula,
            "larger": larger.formula,
            "reference": "chi-squared",
            **{name: larger.conventions[name] for name in SHARED if name in larger.conventions},
        },
        notes=(border,) if variances else (),
        alpha=alpha,
        data=larger.data,
    )


# --- single-term deletions --------------------------------------------------------------------------------------------
# Each term that is part of no interaction is left out in turn, both models are fitted by maximum likelihood to the same
# rows, and compared by likelihood ratio, as R's `drop1(fit, test = "Chisq")` does.


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
        result = likelihood_ratio(smaller.model, larger.model, alpha=border)
        results[term] = replace(
            result,
            conventions={**result.conventions, "estimation": str(larger.model.conventions["estimation"])},
            significant=Bilingual(f"'{term}' improves the model", f"“{term}”改善了模型"),
            otherwise=Bilingual(f"'{term}' was not found to improve the model", f"未发现“{term}”改善模型"),
        )
    return results


def _without(formula: Formula, term: str, places: str) -> Formula:
    written = ":".join(formula.fixed.atoms[int(symbol[1:])].source for symbol in places.split(":"))
    random = "".join(f" + {text}" for text in dict.fromkeys(part.text for part in formula.random))
    fixed = replace(
        formula.fixed, text=f"{formula.fixed.text} - {written}", algebra=f"{formula.fixed.algebra} - ({places})"
    )
    return replace(formula, text=f"{formula.response.source} ~ {fixed.text}{random}", fixed=fixed)
