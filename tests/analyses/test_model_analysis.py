"""Does a study's mixed model fit what its measures said, each judgement once?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from hengliang import Item, Judgement, Tables, UserError
from hengliang.analyses.model_analysis import MixedModel, mixed
from hengliang.core import code_checksum, estimate_records, items_frame, judgements_frame, sample_tables
from hengliang.report import estimate_table
from hengliang.statistics import fit_mixed, fit_ordinal
from tests.analyses.shared_answers import rated_tables, reversed_tables

RATED = rated_tables()


def numbers(analysis: Any, tables: Tables) -> dict[tuple[str, str], float | None]:
    return {(row.statistic, row.by["term"]): row.value for row in estimate_records(analysis.estimate(tables))}


def by_hand(tables: Tables) -> pl.DataFrame:
    """Build the table of unique ratings with shares from the records alone, with no help of the package."""
    givers: dict[str, list[str]] = {}
    places: dict[str, str] = {}
    for row in tables.responses["label"].iter_rows(named=True):
        givers.setdefault(row["id"], []).append(row["system"])
        places[row["id"]] = row["item"]
    rows = []
    for row in tables.judgements.iter_rows(named=True):
        own = givers[row["about"]]
        shares = {f"share_{name}": own.count(name) / len(own) for name in ("BERT", "GE", "RULE")}
        rows.append({"fluency": row["value"], "item": places[row["about"]], "rater": row["judge"], **shares})
    return pl.DataFrame(rows)


# --- a machine's judgements -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
def test_it_is_the_model_of_the_table_of_judgements(family: str) -> None:
    held = sample_tables()
    items = held.responses["ranking"].select("id", "item", "system")
    table = held.judgements.join(items, left_on=["about", "scored_system"], right_on=["id", "system"])
    table = table.select("item", match="value", system="scored_system")
    expected = fit_mixed("match ~ system + (1 | item)", table, family=family).model
    found = mixed("match ~ system + (1 | item)", family=family).fit(held)  # type: ignore[arg-type]
    assert found.log_likelihood == pytest.approx(expected.log_likelihood, abs=1e-6)
    for name in ("(Intercept)", "system[two]"):
        assert found.coefficient(name).estimate == pytest.approx(expected.coefficient(name).estimate, abs=1e-4)
        assert found.coefficient(name).p == pytest.approx(expected.coefficient(name).p, abs=1e-4)
    assert "systems" not in found.conventions


def test_the_response_may_be_called_value_or_anything_with_a_measure() -> None:
    held = sample_tables()
    named = numbers(mixed("match ~ system + (1 | block)"), held)
    assert numbers(mixed("value ~ system + (1 | block)"), held) == named
    assert numbers(mixed("right ~ model + (1 | block)", measure="match"), held) == {
        (statistic, term.replace("system", "model")): value for (statistic, term), value in named.items()
    }


def test_the_reference_can_be_chosen() -> None:
    one = mixed("match ~ system + (1 | block)").fit(sample_tables()).coefficient("system[two]")
    two = mixed("match ~ system + (1 | block)", reference="two").fit(sample_tables()).coefficient("system[one]")
    assert two.estimate == pytest.approx(-one.estimate, abs=1e-6)
    with pytest.raises(UserError, match="No system is called 'three'"):
        mixed("match ~ system + (1 | block)", reference="three").fit(sample_tables())


def suite(structured: bool | None = False) -> Tables:
    """Return 12 sets judged for an n-gram without a seed and two models with three seeds each; parts 1 and 2."""
    generator = np.random.default_rng(3)
    sets = [f"s{number:02}" for number in range(12)]
    items = items_frame(
        Item(f"{name}{condition}", name, "suite", condition, "物", attributes={"modifier": "yes" if n % 2 else "no"})
        for n, name in enumerate(sets)
        for condition in "ab"
    )
    systems = [
        ("gram", None, structured),
        *((name, seed, name == "rnng") for name in ("lstm", "rnng") for seed in (1, 2, 3)),
    ]
    easy = generator.normal(0, 1, len(sets))
    judgements = [
        Judgement(
            name, system if seed is None else f"{system} (seed {seed})", "success", part, "machine", "criterion",
            float(generator.random() < 1 / (1 + np.exp(-easy[n] - (system == "rnng")))),
        )
        for system, seed, _ in systems
        for n, name in enumerate(sets)
        for part in "12"
    ]  # fmt: skip
    table = pl.DataFrame(systems, schema={"name": pl.String, "seed": pl.Int64, "structured": pl.Boolean}, orient="row")
    return Tables(items, table, {}, judgements_frame(judgements))


def test_sets_seeds_traits_and_attributes_meet_in_one_formula() -> None:
    formula = "success ~ structured * modifier + (1 | item) + (1 | model:seed)"
    found = mixed(formula, family="binomial", part="1").fit(suite())
    assert found.n == 7 * 12
    assert found.groups == {"item": 12, "model:seed": 7}
    assert [c.name for c in found.coefficients] == [
        "(Intercept)",
        "structured[true]",
        "modifier[yes]",
        "structured[true]:modifier[yes]",
    ]
    assert found.warnings == ()


def test_parts_are_chosen_or_stand_in_the_formula() -> None:
    with pytest.raises(UserError, match="'success' has 2 parts: 1, 2"):
        mixed("success ~ structured + (1 | item)", family="binomial").fit(suite())
    assert mixed("success ~ part + (1 | item)", family="binomial").fit(suite()).n == 2 * 7 * 12
    assert mixed("success ~ system + (1 | item)", family="binomial", part=("1", "2")).fit(suite()).n == 2 * 7 * 12


def test_a_system_that_falls_out_of_the_model_is_named() -> None:
    found = mixed("success ~ structured + (1 | item)", family="binomial", part="1").fit(suite(structured=None))
    assert found.n_missing == 12
    assert found.warnings[0].en == "gram is not in the model: a column of the formula is empty there."
    assert "警告：模型不含gram" in found.sentence().zh


# --- people's ratings -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["gaussian", "ordinal"])
def test_shared_ratings_count_once_and_systems_have_shares(family: str) -> None:
    formula = "fluency ~ share_BERT + share_RULE + (1 | item) + (1 | rater)"
    table = by_hand(RATED)
    expected = fit_ordinal(formula, table).model if family == "ordinal" else fit_mixed(formula, table).model
    analysis = mixed("fluency ~ system + (1 | item) + (1 | rater)", family=family, reference="GE")  # type: ignore[arg-type]
    found = analysis.fit(RATED)
    assert found.n == RATED.judgements.height == 384
    assert found.log_likelihood == pytest.approx(expected.log_likelihood, abs=1e-5)
    for name in ("share_BERT", "share_RULE"):
        assert found.coefficient(name).estimate == pytest.approx(expected.coefficient(name).estimate, rel=1e-4)
        assert found.coefficient(name).error == pytest.approx(expected.coefficient(name).error, rel=1e-4)
    assert found.conventions["ratings"] == "unique, 48 of them of a response that several systems gave"
    assert found.conventions["reference"] == "GE"


def test_the_coefficients_are_those_of_the_truth() -> None:
    # Ratings were made with RULE one point and BERT two points above GE, rounded and cut to 1 to 7.
    found = mixed("fluency ~ system + (1 | item) + (1 | rater)", reference="GE").fit(RATED)
    for name, truth in (("share_BERT", 2.0), ("share_RULE", 1.0)):
        held = found.coefficient(name)
        assert abs(held.estimate - truth) < 3 * held.error


def test_another_reference_turns_the_difference_round() -> None:
    one = mixed("fluency ~ system + (1 | item)", reference="GE").fit(RATED)
    two = mixed("fluency ~ system + (1 | item)", reference="BERT").fit(RATED)
    assert one.log_likelihood == pytest.approx(two.log_likelihood, abs=1e-6)
    assert one.coefficient("share_BERT").estimate == pytest.approx(-two.coefficient("share_GE").estimate, abs=1e-5)


def test_where_nothing_is_shared_the_system_is_an_ordinary_factor() -> None:
    alone = RATED.responses["label"].filter(pl.col("system") != "RULE")
    rated = RATED.judgements.join(alone.select(about="id"), on="about", how="semi")
    held = replace(RATED, responses={"label": alone}, judgements=rated)
    found = mixed("fluency ~ system + (1 | item) + (1 | rater)").fit(held)
    assert "systems" not in found.conventions
    expected = fit_mixed("fluency ~ share_GE + (1 | item) + (1 | rater)", by_hand(held)).model
    assert found.coefficient("system[GE]").estimate == pytest.approx(
        expected.coefficient("share_GE").estimate, rel=1e-5
    )
    # An interaction is then allowed.
    assert "system[GE]:odd" in [c.name for c in mixed("fluency ~ system * odd + (1 | item)").fit(held).coefficients]


def test_the_report_says_that_ratings_count_once() -> None:
    found = mixed("fluency ~ system + (1 | item)", reference="GE").conclude(RATED)
    (said,) = found.sentences
    assert "Each rating counts once. The effects of systems are by multiple membership" in said.en
    assert said.en.endswith("against GE.")
    assert "每个评分只计一次" in said.zh
    assert found.estimates["method"].str.contains("ratings unique, 48 of them").all()


@pytest.mark.parametrize(
    ("formula", "problem"),
    [
        ("fluency ~ system * odd + (1 | item)", "needs one system for each rating"),
        ("fluency ~ odd + (1 | system)", "needs one system for each rating"),
        ("fluency ~ system + (1 | item:seed)", "The seed of a rating is not known"),
        ("fluency ~ neural + (1 | item)", "Systems that differ in 'neural' gave the same response"),
        ("fluency ~ sistem + (1 | item)", "No column is called 'sistem'. Did you mean system?"),
        ("fluency ~ share_MLM + (1 | item)", "No column is called 'share_MLM'"),
        ("fluncy ~ system + (1 | item)", "No measure is called 'fluncy'. Did you mean fluency?"),
        ("item ~ system", "The response of 'item ~ system' is 'item', which is no judgement"),
        ("fluency system", "has no '~'"),
        ("", "A mixed model wants a formula"),
    ],
)
def test_what_cannot_be_fitted_is_refused_with_a_reason(formula: str, problem: str) -> None:
    with pytest.raises(UserError) as caught:
        mixed(formula).estimate(RATED)
    assert problem in caught.value.problem


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"family": "poisson"}, "The family 'poisson' does not exist"),
        ({"link": "probit"}, "link and threshold belong to ordinal models"),
        ({"family": "ordinal", "p_values": "satterthwaite"}, "An ordinal model has no p-values 'satterthwaite'"),
        ({"p_values": "exact"}, "'exact' does not exist"),
    ],
)
def test_settings_that_do_not_exist_are_refused(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError) as caught:
        mixed("fluency ~ system + (1 | item)", **settings).estimate(RATED)
    assert problem in caught.value.problem


# --- as an analysis of a study --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "analysis",
    [mixed(), mixed("match ~ system + (1 | item)"), mixed("match ~ system + (1 | block)", family="binomial")],
)
def test_it_keeps_the_promises_of_an_analysis(analysis: mixed) -> None:
    assert [finding for finding in analysis.conformance() if not finding.kept] == []


@pytest.mark.parametrize("family", ["gaussian", "ordinal"])
def test_the_order_of_ratings_does_not_matter(family: str) -> None:
    analysis = mixed("fluency ~ system + (1 | item)", family=family)  # type: ignore[arg-type]
    assert analysis.estimate(RATED).equals(analysis.estimate(reversed_tables(RATED)))


def test_every_number_is_in_the_table_of_the_report() -> None:
    analysis = mixed("fluency ~ system + (1 | item) + (1 | rater)", family="ordinal", name="fluency")
    estimates = analysis.estimate(RATED)
    table = estimate_table(estimates, analysis.layout())
    assert table.to_polars().height == estimates.height == 2 + 6 + 2 + 1
    assert analysis.title.en == "Ordinal mixed model: fluency ~ system + (1 | item) + (1 | rater)"
    assert set(estimates["analysis"]) == {"fluency"}


def test_the_signature_holds_the_fit_and_the_code() -> None:
    line = mixed("fluency ~ system + (1 | item)").estimate(RATED)["signature"][0]
    assert "fit.estimation:REML" in line
    assert f"|code:{code_checksum(MixedModel)}|" in line
    assert "|data:" not in line  # the run adds the hash of its data
