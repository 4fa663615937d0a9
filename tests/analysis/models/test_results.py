"""Does a fitted model say everything, and are two of them compared rightly?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from hengliang.analysis.models.results import Coefficient, ModelFit, VarianceComponent, likelihood_ratio
from hengliang.bilingual import Bilingual
from hengliang.errors import UserError

# The wine ratings without and with contact, as R prints them (ordinal 2022.11-16):
# clmm(rating ~ temp + contact + (1 | judge)): logLik −81.565413, AIC 177.13.
LARGER = ModelFit(
    family="ordinal",
    title=Bilingual("cumulative-link mixed model", "累积链接混合模型"),
    formula="rating ~ temp + contact + (1 | judge)",
    coefficients=(
        Coefficient("temp[warm]", 3.0630, 0.5954, 5.145, 2.68e-07, 1.896, 4.230),
        Coefficient("contact[yes]", 1.8349, 0.5125, 3.580, 0.000344, 0.830, 2.839),
    ),
    components=(VarianceComponent("judge", "(Intercept)", 1.2795, 9),),
    thresholds=(Coefficient("1|2", -1.6237, 0.6824, float("nan"), float("nan"), -2.961, -0.286),),
    log_likelihood=-81.565413,
    parameters=7,
    n=72,
    n_missing=2,
    groups={"judge": 9},
    warnings=(Bilingual("Few judges.", "评委太少。"),),
    conventions={"link": "logit", "approximation": "Laplace"},
    data="wine",
)
SMALLER = replace(LARGER, formula="rating ~ temp + (1 | judge)", log_likelihood=-89.0, parameters=6)


def test_information_criteria() -> None:
    # AIC = 2 · 7 + 2 · 81.565413 = 177.130826; BIC = 7 ln 72 + 163.130826 = 29.936665 + 163.130826
    assert LARGER.aic == pytest.approx(177.130826)
    assert LARGER.bic == pytest.approx(193.067491, abs=1e-5)


def test_a_coefficient_is_found_by_name_or_the_names_are_listed() -> None:
    assert LARGER.coefficient("1|2").estimate == -1.6237
    with pytest.raises(UserError, match=r"no coefficient 'temp'. Coefficients: temp\[warm\], contact\[yes\], 1\|2"):
        LARGER.coefficient("temp")


def test_the_summary_holds_everything() -> None:
    summary = str(LARGER)
    for part in ("log-likelihood -81.5654", "72 observations (2 missing left out)", "groups: judge 9", "SD 1.1311"):
        assert part in summary
    for part in ("convention link: logit", "warning: Few judges.", "thresholds:", "p not defined"):
        assert part in summary


def test_sentences_in_both_languages_carry_the_warning() -> None:
    sentence = LARGER.sentence()
    assert "temp[warm]: b = 3.063, SE = 0.595, z = 5.14, p < .001, CI [1.896, 4.230]" in sentence.en
    assert "Warning: Few judges." in sentence.en
    assert "累积链接混合模型" in sentence.zh
    assert "警告：评委太少。" in sentence.zh


def test_estimates_name_the_term() -> None:
    rows = list(LARGER.estimates("fit", {"measure": "bitterness"}))
    kinds = ["coefficient", "coefficient", "threshold", "standard deviation", "log-likelihood"]
    assert [row.statistic for row in rows] == kinds
    assert rows[0].by == {"measure": "bitterness", "term": "temp[warm]"}
    assert rows[2].p is None
    assert rows[3].value == pytest.approx(1.2795**0.5)
    assert all("link:logit" in row.signature for row in rows)


def test_the_likelihood_ratio_of_nested_models() -> None:
    result = likelihood_ratio(SMALLER, LARGER)
    # 2 (89 − 81.565413) = 14.869174; pchisq(14.869174, 1, lower.tail = FALSE) = 0.00011523
    assert result.statistic == pytest.approx(14.869174)
    assert result.p == pytest.approx(0.00011523, rel=1e-3)
    assert (result.df, result.notes) == ((1.0,), ())


def test_a_variance_on_the_border_is_noted() -> None:
    more = replace(LARGER, components=(*LARGER.components, VarianceComponent("bottle", "(Intercept)", 0.0, 8)))
    assert "border" in likelihood_ratio(SMALLER, more).notes[0].en


@pytest.mark.parametrize(
    ("change", "said"),
    [({"data": "other"}, "different observations"), ({"comparable": False}, "REML"), ({"parameters": 6}, "no more")],
)
def test_models_that_cannot_be_compared_are_refused(change: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        likelihood_ratio(SMALLER, replace(LARGER, **change))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("smaller", "larger", "said"),
    [
        ({"family": "binomial"}, {}, "different kinds"),
        ({"conventions": {"link": "probit"}}, {}, "link probit and ordinal, link logit"),
        ({"conventions": {"link": "logit", "thresholds_by": "judge"}}, {}, "thresholds by 'judge'"),
        ({}, {"log_likelihood": -90.0}, "fits worse"),
    ],
)
def test_models_that_do_not_hold_each_other_are_refused(
    smaller: dict[str, object], larger: dict[str, object], said: str
) -> None:
    with pytest.raises(UserError, match=said):
        likelihood_ratio(replace(SMALLER, **smaller), replace(LARGER, **larger))  # type: ignore[arg-type]


def test_alpha_is_a_probability() -> None:
    with pytest.raises(UserError, match="alpha = 5"):
        likelihood_ratio(SMALLER, LARGER, alpha=5)


def test_the_comparison_tells_what_changes_the_likelihood() -> None:
    # The same formulas and ratings, but another link or other predictors: another number, so another signature.
    signatures = set()
    for conventions in ({"link": "logit"}, {"link": "probit"}, {"link": "logit", "predictors": "other"}):
        models = [replace(model, conventions=conventions) for model in (SMALLER, LARGER)]
        signatures.add(str(likelihood_ratio(*models).signature()))
    assert len(signatures) == 3
