"""Linear and logistic mixed models against lme4 and lmerTest (tests/oracles/mixed.R), and their mistakes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.statistics.models.comparison import likelihood_ratio
from hengliang.statistics.models.mixed import MixedFit, contrast, fit_mixed
from hengliang.statistics.models.ordinal import fit_design
from tests.statistics.models.oracle_mixed import cases, fitted, names, plain, table

LINEAR, BINOMIAL = names("gaussian"), names("binomial")
EVERY = [*LINEAR, *BINOMIAL]


def test_the_oracle_holds_cases_of_both_families() -> None:
    assert len(LINEAR) >= 8
    assert len(BINOMIAL) >= 4


@pytest.mark.parametrize("name", EVERY)
def test_log_likelihood_is_never_below_that_of_lme4(name: str) -> None:
    ours, theirs = fitted(name).model, cases()[name]
    assert ours.log_likelihood >= theirs["log_likelihood"] - 1e-6
    assert ours.log_likelihood == pytest.approx(theirs["log_likelihood"], abs=1e-4)
    assert ours.parameters == theirs["parameters"]
    assert ours.n == theirs["n"]
    assert ours.converged


@pytest.mark.parametrize("name", EVERY)
def test_coefficients_and_standard_errors_are_those_of_lme4(name: str) -> None:
    ours = {plain(c.name): c for c in fitted(name).model.coefficients}
    for theirs in cases()[name]["coefficients"]:
        coefficient = ours[theirs["name"]]
        # The estimate of an effect near zero is compared on the scale of its standard error.
        assert coefficient.estimate == pytest.approx(theirs["estimate"], rel=1e-4, abs=1e-5 * theirs["error"])
        assert coefficient.error == pytest.approx(theirs["error"], rel=1e-4)
    assert len(ours) == len(cases()[name]["coefficients"])


@pytest.mark.parametrize("name", LINEAR)
def test_degrees_of_freedom_and_p_are_those_of_lmer_test(name: str) -> None:
    # lmerTest differentiates numerically at an optimum that is right to about 1e-5: 5e-4 is what its digits allow.
    ours = {plain(c.name): c for c in fitted(name).model.coefficients}
    for theirs in cases()[name]["coefficients"]:
        assert ours[theirs["name"]].df == pytest.approx(theirs["df"], rel=5e-4)
        assert ours[theirs["name"]].p == pytest.approx(theirs["p"], rel=2e-3)


@pytest.mark.parametrize("name", BINOMIAL)
def test_wald_p_is_that_of_lme4(name: str) -> None:
    ours = {plain(c.name): c for c in fitted(name).model.coefficients}
    for theirs in cases()[name]["coefficients"]:
        assert ours[theirs["name"]].p == pytest.approx(theirs["p"], rel=1e-3)


@pytest.mark.parametrize("name", BINOMIAL)
def test_an_ordinal_model_of_two_categories_says_the_same(name: str) -> None:
    # Independent code: a threshold instead of an intercept, and its own modes, gradient and curvature.
    ordinal, logistic = fit_design(fitted(name).design), fitted(name).model
    assert ordinal.model.log_likelihood == pytest.approx(logistic.log_likelihood, abs=1e-7)
    for coefficient in ordinal.model.coefficients:
        ours = logistic.coefficient(coefficient.name)
        assert ours.estimate == pytest.approx(coefficient.estimate, abs=1e-5)
        assert ours.error == pytest.approx(coefficient.error, rel=1e-4)


@pytest.mark.parametrize("name", EVERY)
def test_variances_and_correlations_are_those_of_lme4(name: str) -> None:
    components = [c for c in fitted(name).model.components if c.group != "residual"]
    blocks = cases()[name]["components"]
    expected = {}
    for block in blocks:
        deviations = np.sqrt(np.diag(block["covariance"]))
        for place, effect in enumerate(block["names"]):
            group = ":".join(sorted(block["group"].split(":")))
            with np.errstate(invalid="ignore", divide="ignore"):
                correlations = np.asarray(block["covariance"])[place, :place] / deviations[place] / deviations[:place]
            expected[(group, effect)] = (deviations[place], correlations)
    assert len(components) == len(expected)
    for component in components:
        group = ":".join(sorted(component.group.split(":")))
        deviation, correlations = expected[(group, plain(component.name))]
        assert component.deviation == pytest.approx(deviation, rel=2e-4, abs=1e-6)
        assert component.correlations == pytest.approx(correlations, abs=1e-3)


@pytest.mark.parametrize("name", LINEAR)
def test_the_residual_variance_is_that_of_lme4(name: str) -> None:
    residual = fitted(name).model.components[-1]
    assert residual.group == "residual"
    assert residual.variance == pytest.approx(cases()[name]["residual"], rel=1e-4)


@pytest.mark.parametrize("name", EVERY)
def test_conditional_modes_are_those_of_lme4(name: str) -> None:
    expected = {}
    for group, held in cases()[name]["modes"].items():
        for level, values in zip(held["levels"], held["values"], strict=True):
            for effect, value in zip(held["names"], values, strict=True):
                expected[(_unordered(group), _unordered(level), effect)] = value
    ours = fitted(name).conditional_modes()
    assert ours.height == len(expected)
    spread = max(abs(value) for value in expected.values())
    for group, level, effect, mode in ours.iter_rows():
        assert mode == pytest.approx(expected[(_unordered(group), _unordered(level), plain(effect))], abs=2e-4 * spread)


def _unordered(name: str) -> str:
    return ":".join(sorted(name.split(":")))  # lme4 calls school/class `class:school`


@pytest.mark.parametrize("name", EVERY)
def test_a_singular_fit_is_said_to_be_one(name: str) -> None:
    warned = [warning for warning in fitted(name).model.warnings if "Singular" in warning.en]
    assert bool(warned) == cases()[name]["singular"]
    assert all("奇异" in warning.zh for warning in warned)


def test_the_singular_group_is_named() -> None:
    (warning,) = [w for w in fitted("singular").model.warnings if "Singular" in w.en]
    assert "'rater'" in warning.en
    assert "two to four levels" in warning.en


def test_predictions_repeat_the_fit_and_follow_new_data() -> None:
    fit = fitted("factor slope")
    frame = fit.design.frame
    assert fit.predict(frame).to_numpy() == pytest.approx(fit.predict().to_numpy(), abs=1e-10)
    stranger = frame.head(1).with_columns(pl.lit("never seen").alias("rater"), pl.lit("nor this").alias("sentence"))
    average = fit.predict(stranger, groups=False)[0]
    assert fit.predict(stranger)[0] == pytest.approx(average)
    names_ = dict(zip(fit.design.fixed_names, fit.coefficients.tolist(), strict=True))
    row = frame.row(0, named=True)
    by_hand = (
        names_["(Intercept)"]
        + names_.get(f"system[{row['system']}]", 0)
        + names_.get(f"modifier[{row['modifier']}]", 0)
    )
    assert average == pytest.approx(by_hand)


def test_probabilities_are_the_logistic_of_log_odds() -> None:
    fit = fitted("binomial crossed")
    chance, odds = fit.predict().to_numpy(), fit.predict(scale="link").to_numpy()
    assert chance == pytest.approx(1 / (1 + np.exp(-odds)))


def test_a_row_with_an_empty_cell_has_no_prediction() -> None:
    fit = fitted("unbalanced, 30 % missing")
    frame = fit.design.frame.head(3).with_columns(pl.Series("length", [None, 4, 5]))
    predicted = fit.predict(frame)
    assert predicted[0] is None
    assert predicted.null_count() == 1


def test_without_random_effects_it_is_least_squares() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=30)
    y = 1 + 2 * x + rng.normal(size=30)
    fit = fit_mixed("y ~ x", pl.DataFrame({"x": x, "y": y})).model
    columns = np.column_stack([np.ones(30), x])
    by_hand, rest, *_ = np.linalg.lstsq(columns, y, rcond=None)
    errors = np.sqrt(np.diag(np.linalg.inv(columns.T @ columns)) * rest[0] / 28)
    assert [c.estimate for c in fit.coefficients] == pytest.approx(by_hand)
    assert [c.error for c in fit.coefficients] == pytest.approx(errors)
    assert [c.df for c in fit.coefficients] == pytest.approx([28, 28])  # n − p


def test_p_values_may_be_wald_or_none() -> None:
    case = cases()["sleepstudy slopes"]
    wald = fit_mixed(case["formula"], table(case), p_values="wald").model.coefficient("Days")
    none = fit_mixed(case["formula"], table(case), p_values="none").model.coefficient("Days")
    assert wald.df is None
    assert wald.p < fitted("sleepstudy slopes").model.coefficient("Days").p  # a normal has thinner tails than t(17)
    assert np.isnan(none.p)


def test_conventions_and_signature_say_what_was_done() -> None:
    linear, logistic = fitted("sleepstudy slopes").model, fitted("binomial crossed").model
    assert linear.conventions["estimation"] == "REML"
    assert linear.conventions["p"] == "t, Satterthwaite"
    assert logistic.conventions["success"] == "1"
    assert not linear.comparable
    assert logistic.comparable
    assert "Laplace" in str(logistic.signature())


def test_the_signature_follows_the_predictors() -> None:
    case = cases()["sleepstudy slopes"]
    moved = table(case).with_columns(pl.col("Days") + 1)
    other = fit_mixed(case["formula"], moved).signature()
    assert other.hash != fitted("sleepstudy slopes").signature().hash


@settings(max_examples=10, deadline=None)
@given(st.permutations(range(144)), st.floats(-1e4, 1e4), st.floats(1e-3, 1e3))
def test_order_of_rows_shift_and_unit_do_not_matter(order: list[int], shift: float, unit: float) -> None:
    case = cases()["Penicillin crossed"]
    first = fitted("Penicillin crossed").model
    moved = table(case)[order].with_columns(pl.col("diameter") * unit + shift)
    second = fit_mixed(case["formula"], moved).model
    expected = first.coefficients[0].estimate * unit + shift
    assert second.coefficients[0].estimate == pytest.approx(expected, rel=1e-6, abs=1e-6 * unit)
    assert second.coefficients[0].error == pytest.approx(first.coefficients[0].error * unit, rel=1e-5)
    assert second.coefficients[0].df == pytest.approx(first.coefficients[0].df, rel=1e-4)


def test_renaming_success_turns_the_signs() -> None:
    case = cases()["binomial crossed"]
    turned = table(case).with_columns((1 - pl.col("correct")).alias("correct"))
    other = fit_mixed(case["formula"], turned, family="binomial").model
    first = fitted("binomial crossed").model
    assert other.log_likelihood == pytest.approx(first.log_likelihood, abs=1e-7)
    for one, two in zip(first.coefficients, other.coefficients, strict=True):
        assert one.estimate == pytest.approx(-two.estimate, abs=1e-5)


def test_answers_may_be_words() -> None:
    case = cases()["binomial crossed"]
    words = table(case).with_columns(pl.col("correct").replace_strict({0: "no", 1: "yes"}))
    fit = fit_mixed(case["formula"], words, family="binomial")
    assert fit.outcomes == ("no", "yes")
    assert fit.model.log_likelihood == pytest.approx(fitted("binomial crossed").model.log_likelihood, abs=1e-8)


GROUPS = np.repeat(np.arange(8), 6)
STEPS = np.tile(np.arange(6.0), 8)


@pytest.mark.parametrize(
    ("response", "settings_", "message"),
    [
        (["a", "b", "c"] * 16, {}, "Column 'y', row 1: 'a' is text where a number belongs"),
        (["a", "b", "c"] * 16, {"family": "binomial"}, "'c' in row 3"),
        (STEPS, {"family": "poisson"}, "gaussian, binomial"),
        (STEPS % 2, {"family": "binomial", "p_values": "satterthwaite"}, "wald, none"),
        (STEPS, {"level": 1.5}, "level = 1.5"),
        (STEPS, {"alpha": 0}, "alpha = 0"),
        (2 * STEPS + 1, {}, "explain the response without rest"),
        (GROUPS.astype(float), {}, "does not vary within the levels"),
        (np.ones(48), {}, "is '1' in all 48 rows"),
    ],
)
def test_mistakes_are_explained(response: object, settings_: dict[str, object], message: str) -> None:
    data = pl.DataFrame({"y": response, "g": GROUPS, "x": STEPS})
    with pytest.raises(UserError, match=message.replace("(", r"\(")):
        fit_mixed("y ~ x + (1 | g)", data, **settings_)  # type: ignore[arg-type]


def test_as_many_levels_as_rows_is_refused() -> None:
    data = pl.DataFrame({"y": [1.0, 3.0, 2.0, 5.0], "g": [1, 2, 3, 4]})
    with pytest.raises(UserError, match="cannot be told from the residuals"):
        fit_mixed("y ~ 1 + (1 | g)", data)


def test_two_groups_beyond_a_dense_matrix_are_refused_and_one_is_not() -> None:
    row = np.arange(20_000)
    data = pl.DataFrame({"y": np.sin(row), "g": row % 6001, "h": row % 6007, "k": row % 7})
    with pytest.raises(UserError, match="has 6001 random effects over all levels of all groups but the largest"):
        fit_mixed("y ~ 1 + (1 | g) + (1 | h)", data)
    assert fit_mixed("y ~ 1 + (1 | h) + (1 | k)", data).model.groups == {"h": 6007, "k": 7}


def test_a_level_without_variation_is_reported_as_separation() -> None:
    rng = np.random.default_rng(2)
    answers = np.where(STEPS == 5, 1, rng.integers(0, 2, 48))
    data = pl.DataFrame({"y": answers, "g": GROUPS, "x": STEPS.astype(int).astype(str)})
    fit = fit_mixed("y ~ x + (1 | g)", data, family="binomial").model
    assert any("Separation: x[5] " in warning.en for warning in fit.warnings)


def without_error(raters: int, items: int, formula: str = "y ~ cond + (1 | r) + (1 | i)", **names: str) -> MixedFit:
    """Three conditions with 1/2, 3/4 and 3/4 right, the same for all raters and items, and one with no mistake at all.

    `names` renames conditions. `x` is a number that goes a little with the answers.
    """
    rows = [
        (
            f"r{r:02}",
            f"i{i:02}",
            names.get(cond, cond),
            int(divisor == 1 or (r + i) % divisor != 0),
            float((i * i + 3 * r) % 7),
        )
        for r in range(raters)
        for i in range(items)
        for cond, divisor in (("c0", 2), ("c1", 4), ("c2", 4), ("c3", 1))
    ]
    data = pl.DataFrame(rows, schema=["r", "i", "cond", "y", "x"], orient="row")
    return fit_mixed(formula, data, family="binomial")


@pytest.mark.parametrize(("raters", "items"), [(8, 12), (12, 8)])
def test_a_separated_level_leaves_the_other_standard_errors_alone(raters: int, items: int) -> None:
    fit = without_error(raters, items)
    assert [component.variance for component in fit.model.components] == [0.0, 0.0]
    # Without variances it is logistic regression: the variance of a condition's log-odds is 1/(n p (1 − p)), n = 96,
    # that of a difference the sum of two: c0 1/24, c1 and c2 1/24 + 1/18.
    errors = [coefficient.error for coefficient in fit.model.coefficients]
    assert errors[:3] == pytest.approx([24**-0.5, (1 / 24 + 1 / 18) ** 0.5, (1 / 24 + 1 / 18) ** 0.5], rel=1e-4)
    assert np.isnan(errors[3])
    told = fit.coefficient("cond[c3]").describe()
    assert "SE = —, p not defined, CI [—, —]" in told
    assert any("Separation: cond[c3] predict" in warning.en for warning in fit.model.warnings)
    # A contrast does not ask for what it gives no weight: 1/18 twice.
    assert contrast(fit, {"cond[c1]": 1.0, "cond[c2]": -1.0}).error == pytest.approx(3**-1, rel=1e-4)


def test_a_separated_reference_leaves_what_does_not_depend_on_it() -> None:
    formula = "y ~ cond + x + (1 | r)"
    fit = without_error(8, 12, formula, c3="a")
    # The answers of condition a say nothing about x: the same model without them has the same slope and error.
    rest = fit_mixed("y ~ cond + x", fit.design.frame.filter(pl.col("cond") != "a"), family="binomial")
    x, alone = fit.coefficient("x"), rest.coefficient("x")
    assert (x.estimate, x.error) == pytest.approx((alone.estimate, alone.error), rel=1e-4)
    assert all(np.isnan(coefficient.error) for coefficient in fit.model.coefficients if coefficient.name != "x")
    assert any("Separation: cond[c0], cond[c1], cond[c2] predict" in warning.en for warning in fit.model.warnings)


def test_a_refit_keeps_the_rows_of_the_larger_model() -> None:
    fit = fitted("unbalanced, 30 % missing")
    smaller = fit.refit("score ~ system + (1 | rater) + (1 | sentence)")
    assert smaller.model.n == fit.model.n
    assert smaller.settings == fit.settings
    assert smaller.settings == replace(fit.settings)


def test_without_a_random_term_it_is_not_called_mixed() -> None:
    data = pl.DataFrame({"y": [1.0, 2.0, 2.5, 4.0, 3.5, 1.5], "x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    assert fit_mixed("y ~ x", data).model.title.en == "linear model"
    # R: coef(summary(lm(y ~ x))): t with n − 2 = 4 degrees of freedom.
    assert fit_mixed("y ~ x", data).coefficient("x").df == pytest.approx(4, rel=1e-4)


def test_answers_of_other_rows_are_other_data_though_they_look_alike() -> None:
    # Without row 3 or without row 4 the answers are the same series of 0 and 1, but not the same answers.
    data = pl.DataFrame(
        {
            "y": [0, 1, 1, 1, 0, 1, 0, 0, 1, 0],
            "a": [0.1, 0.5, None, 0.3, 0.2, 0.9, 0.4, 0.6, 0.8, 0.7],
            "b": [0.3, 0.1, 0.2, None, 0.6, 0.4, 0.9, 0.8, 0.5, 0.7],
        }
    )
    smaller, larger = (fit_mixed(formula, data, family="binomial") for formula in ("y ~ a", "y ~ b + I(b^2)"))
    assert smaller.model.n == larger.model.n
    with pytest.raises(UserError, match="different observations"):
        likelihood_ratio(smaller.model, larger.model)
    # A refit keeps the rows, and what it left out before.
    again = smaller.refit("y ~ 1")
    assert again.model.data == smaller.model.data
    assert again.model.n_missing == 1
