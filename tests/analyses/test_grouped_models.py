"""Does each group get the model that it would get alone, and does every group keep its row?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hengliang import Estimate, Tables, UserError
from hengliang.analyses.grouped_models import ModelsBy, models_by
from hengliang.analyses.model_analysis import mixed
from hengliang.analyses.subsets import restricted
from hengliang.core import estimate_records, sample_tables
from hengliang.report import estimate_table
from tests.analyses.shared_answers import reversed_tables
from tests.grammar.judged_suites import oracle_tables, simulated_rows, tables_of

RUN = oracle_tables()
FORMULA = "prediction ~ structured + (1 | frame)"


def effects(analysis: ModelsBy, tables: Tables) -> dict[tuple[str, ...], Estimate]:
    rows = estimate_records(analysis.estimate(tables))
    return {tuple(row.by.values()): row for row in rows if row.statistic == "coefficient"}


def numbers(row: Estimate) -> tuple[Any, ...]:
    return row.value, row.low, row.high, row.p, row.n, row.n_missing


def test_it_is_the_mixed_model_of_each_part_of_the_run() -> None:
    found = effects(models_by(FORMULA, by="class", family="binomial"), RUN)
    assert list(found) == [("object", "structured[true]"), ("subject", "structured[true]")]
    for (level, term), row in found.items():
        alone = mixed(FORMULA, family="binomial").fit(restricted(RUN, "prediction", {"class": level})).coefficient(term)
        assert (row.value, row.low, row.high, row.p) == (alone.estimate, alone.low, alone.high, alone.p)
        assert row.n == 240


def test_without_groups_it_is_one_model() -> None:
    (row,) = effects(models_by(FORMULA, family="binomial"), RUN).values()
    alone = mixed(FORMULA, family="binomial").fit(RUN).coefficient("structured[true]")
    assert (row.value, row.p, row.by) == (alone.estimate, alone.p, {"term": "structured[true]"})


@given(dropped=st.sampled_from(["object", "subject"]), seed=st.integers(0, 1000))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_group_does_not_depend_on_the_others(dropped: str, seed: int) -> None:
    rows = simulated_rows(seed)
    analysis = models_by(FORMULA, by=("class", "modifier"))
    whole = effects(analysis, tables_of(rows))
    part = effects(analysis, tables_of(rows.filter(pl.col("class") != dropped)))
    assert part
    assert all(numbers(part[key]) == numbers(whole[key]) for key in part)


@given(seed=st.integers(0, 1000))
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    run = tables_of(simulated_rows(seed))
    analysis = models_by("prediction ~ modifier + (1 | frame)", by="system", reference={"modifier": "none"})
    one, two = effects(analysis, run), effects(analysis, reversed_tables(run))
    assert {key: numbers(row) for key, row in one.items()} == {key: numbers(row) for key, row in two.items()}


def test_where_and_without_say_what_is_looked_at() -> None:
    one = effects(models_by(FORMULA, where={"class": "object", "modifier": ["none", "adjective"]}), RUN)
    two = effects(models_by(FORMULA, without={"class": "subject", "modifier": "relative"}), RUN)
    assert [numbers(row) for row in one.values()] == [numbers(row) for row in two.values()]
    assert [row.n for row in one.values()] == [160]


def test_terms_are_named_whole_or_level_by_level_in_the_order_of_the_run() -> None:
    formula = "value ~ structured * modifier + (1 | frame)"
    reference = {"modifier": "none"}
    whole = effects(models_by(formula, terms="modifier", reference=reference), RUN)
    assert list(whole) == [("modifier[adjective]",), ("modifier[relative]",)]
    one = effects(models_by(formula, terms="modifier[relative]", reference=reference), RUN)
    assert list(one) == [("modifier[relative]",)]
    every = effects(models_by(formula, reference={"modifier": "relative"}), RUN)
    # none comes before adjective among the items, whatever the order of code points.
    assert [key[0] for key in every] == [
        "structured[true]", "modifier[none]", "modifier[adjective]",
        "structured[true]:modifier[none]", "structured[true]:modifier[adjective]",
    ]  # fmt: skip


def test_the_measure_is_the_response_or_prediction_or_named() -> None:
    by_name = effects(models_by("prediction ~ structured + (1 | frame)"), RUN)
    assert [numbers(row) for row in effects(models_by("value ~ structured + (1 | frame)"), RUN).values()] == [
        numbers(row) for row in by_name.values()
    ]
    assert effects(models_by("match ~ system + (1 | block)"), sample_tables()).keys() == {("system[two]",)}
    with pytest.raises(UserError, match="No measure is called 'prediction'"):
        models_by("right ~ system").estimate(sample_tables())


def test_parts_that_count_are_pooled_and_controls_left_out() -> None:
    run = tables_of(simulated_rows(), parts=("1", "2", "control: interaction"))
    assert [row.n for row in effects(models_by(FORMULA), run).values()] == [2 * 96]
    assert [row.n for row in effects(models_by(FORMULA, part="control: interaction"), run).values()] == [96]
    assert set(effects(models_by(FORMULA, by="part"), run)) == {("1", "structured[true]"), ("2", "structured[true]")}
    assert "part[2]" in str(list(effects(models_by("prediction ~ part + structured"), run)))


def test_a_group_that_cannot_be_fitted_keeps_its_row() -> None:
    rows = simulated_rows().filter((pl.col("class") != "subject") | ~pl.col("structured"))
    analysis = models_by(FORMULA, by="class", family="binomial", correction="holm")
    found = analysis.conclude(tables_of(rows))
    held = effects(analysis, tables_of(rows))
    blank, kept = held["subject", "structured[true]"], held["object", "structured[true]"]
    assert (blank.value, blank.p, blank.n, blank.n_missing) == (None, None, 24, 0)
    assert blank.method == "no model: The factor 'structured' has one level only: 'false'."
    assert kept.value is not None
    # It was planned and counts: Holm's p is twice the one that is known.
    (adjusted,) = [row for row in estimate_records(found.estimates) if row.statistic == "adjusted p"]
    assert kept.p is not None
    assert adjusted.value == pytest.approx(min(1.0, 2 * kept.p))
    assert any("未能拟合" in sentence.zh for sentence in found.sentences)


def test_where_nothing_can_be_fitted_the_terms_are_those_of_the_formula() -> None:
    rows = simulated_rows().filter(~pl.col("structured"))
    assert list(effects(models_by("prediction ~ structured + (1 | frame)", by="class"), tables_of(rows))) == [
        ("object", "structured"),
        ("subject", "structured"),
    ]


def test_separation_leaves_the_number_away_and_names_the_cell() -> None:
    perfect = (pl.col("class") == "object") & pl.col("structured")
    run = tables_of(simulated_rows().with_columns(value=pl.when(perfect).then(1.0).otherwise("value")))
    found = effects(models_by(FORMULA, by="class", family="binomial"), run)
    assert found["object", "structured[true]"].value is None
    assert found["object", "structured[true]"].method == (
        "no finite estimate, separation: all 24 answers with structured = true are 1"
    )
    assert found["subject", "structured[true]"].value is not None
    # A linear model has an estimate all the same.
    assert effects(models_by(FORMULA, by="class"), run)["object", "structured[true]"].value is not None


def test_derived_columns_and_trials_may_stand_in_the_formula() -> None:
    analysis = models_by(
        "prediction ~ long + (1 | frame) + (1 | trial)",
        derived={"long": {"modifier": {"none": "no", "relative": "yes"}}},
    )
    ((key, row),) = effects(analysis, RUN).items()
    assert key == ("long[yes]",)
    # 2 classes x 16 frames x 2 of the 3 modifiers x 5 trainings; adjectives have no level and are missing.
    assert (row.n, row.n_missing) == (320, 160)


def test_correction_is_over_all_groups_and_effects() -> None:
    analysis = models_by(
        "prediction ~ modifier + (1 | frame)", by="class", reference={"modifier": "none"}, correction="bonferroni"
    )
    rows = list(estimate_records(analysis.estimate(RUN)))
    adjusted = {tuple(row.by.values()): row.value for row in rows if row.statistic == "adjusted p"}
    assert len(adjusted) == 4
    for key, row in effects(analysis, RUN).items():
        assert row.p is not None
        assert adjusted[key] == pytest.approx(min(1.0, 4 * row.p))
    assert "family of 4" in analysis.conclude(RUN).sentences[-1].en


def test_the_table_reads_as_in_a_paper() -> None:
    analysis = models_by("value ~ modifier + (1 | frame)", by="system", reference={"modifier": "none"}, columns="term")
    table = estimate_table(analysis.estimate(RUN), analysis.layout())
    assert table.frame["system"].to_list() == ["LSTM", "RNNG"]
    assert {"modifier[adjective]", "modifier[relative]"} <= set(table.frame.columns)
    assert analysis.layout().levels["modifier[adjective]"].zh == "形容词"


def test_every_group_has_a_sentence_in_both_languages() -> None:
    said = models_by(FORMULA, by=("class", "modifier"), family="binomial").conclude(RUN).sentences
    assert said[0].en.startswith(f"Logistic mixed model of {FORMULA}, fitted in 6 of 6 groups")
    groups = [one for one in said if "N = " in one.en]
    assert [one.en.partition(" (N")[0] for one in groups] == [
        f"{level}, {modifier}" for level in ("object", "subject") for modifier in ("none", "adjective", "relative")
    ]
    assert groups[1].zh.startswith("object，形容词（N = 80）：structured[true]：b = ")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"formula": ""}, "Models by group want a formula"),
        (
            {"formula": "prediction ~ strctured + (1 | frame)"},
            "No column is called 'strctured'. Did you mean structured",
        ),
        ({"terms": "modifier"}, "No term of the formula is called 'modifier'"),
        ({"reference": {"modifier": "none"}}, "No column of the formula is called 'modifier'"),
        ({"sum_coded": "modifier"}, "No column of the formula is called 'modifier'"),
        ({"by": "clas"}, "No column is called 'clas'. Did you mean class"),
        ({"where": {"class": "verb"}}, "No level of 'class' is called 'verb'"),
        ({"correction": "tukey"}, "The correction 'tukey' does not exist"),
        ({"family": "poisson"}, "The family 'poisson' does not exist"),
        ({"columns": "class"}, "The columns 'class' does not exist"),
        ({"measure": "predicton"}, "No measure is called 'predicton'. Did you mean prediction"),
    ],
)
def test_mistakes_are_told_before_anything_is_fitted(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        models_by(**{"formula": FORMULA, **arguments}).estimate(RUN)


@pytest.mark.parametrize(
    "analysis",
    [models_by(), models_by("match ~ system + (1 | block)"), models_by("match ~ 1 + (1 | block)", by="system")],
)
def test_it_keeps_the_promises_of_every_analysis(analysis: ModelsBy) -> None:
    assert [finding for finding in analysis.conformance() if not finding.kept] == []


def test_the_signature_holds_all_arguments_and_the_data() -> None:
    one = models_by(FORMULA, where={"class": ["object"]}, reference={"structured": "true"})
    two = models_by(FORMULA, where={"class": ["subject"]}, reference={"structured": "true"})
    assert one.signature() != two.signature()
    assert "where:{class=[object]}" in str(one.signature())
    assert {row.signature for row in effects(one, RUN).values()} != {
        row.signature for row in effects(two, RUN).values()
    }


def with_ties(tables: Tables, frames: tuple[str, ...]) -> Tables:
    """Let the predictions of some frames be ties, which have the value 0."""
    tied = pl.any_horizontal(pl.col("about").str.starts_with(f"{frame} ") for frame in frames)
    return replace(
        tables,
        judgements=tables.judgements.with_columns(
            value=pl.when(tied).then(0.0).otherwise("value"),
            label=pl.when(tied).then(pl.lit("tie")).otherwise(pl.lit("success")),
        ),
    )


def test_ties_are_no_failures_unless_that_is_said() -> None:
    run = with_ties(tables_of(simulated_rows()), ("object 1", "subject 2"))
    without = restricted(run, "prediction", without={"frame": ("object 1", "subject 2")})
    left = models_by(FORMULA, family="binomial").conclude(run)
    plain = models_by(FORMULA, family="binomial").conclude(without)
    assert left.estimates["value"].to_list() == pytest.approx(plain.estimates["value"].to_list(), abs=1e-6)
    # Two of the twelve frames, with two modifiers, two models and two seeds each.
    said = "16 of 96 observations are ties and are left out, for they have no side."
    assert said in [sentence.en for sentence in left.sentences]
    assert not any("ties" in sentence.en for sentence in plain.sentences)
    failures = models_by(FORMULA, family="binomial", ties="failure").conclude(run)
    assert failures.estimates["n"].to_list() == [96]
    assert any("count as failures" in sentence.en for sentence in failures.sentences)


def test_a_linear_model_may_count_ties_half_and_a_logistic_one_may_not() -> None:
    run = with_ties(tables_of(simulated_rows()), ("object 1",))
    halves = replace(
        run,
        judgements=run.judgements.with_columns(
            value=pl.when(pl.col("label") == "tie").then(0.5).otherwise("value"), label=None
        ),
    )
    found = models_by(FORMULA, ties="half").estimate(run)
    assert found["value"].to_list() == models_by(FORMULA).estimate(halves)["value"].to_list()
    with pytest.raises(UserError, match="half"):
        models_by(FORMULA, family="binomial", ties="half").estimate(run)


def test_a_group_of_ties_only_keeps_its_row() -> None:
    frames = tuple(f"object {number}" for number in range(6))
    run = with_ties(tables_of(simulated_rows()), frames)
    analysis = models_by(FORMULA, by="class", family="binomial")
    assert effects(analysis, run)["object", "structured[true]"].method == "no model: All 48 observations are ties."
    assert any("全部 48 个观测均为平局" in sentence.zh for sentence in analysis.conclude(run).sentences)


def test_reasons_are_said_in_chinese() -> None:
    rows = simulated_rows().filter((pl.col("class") != "subject") | ~pl.col("structured"))
    told = models_by(FORMULA, by="class", family="binomial").conclude(tables_of(rows)).sentences
    assert "subject：未能拟合（因子“structured”只有一个水平）" in [sentence.zh for sentence in told]
