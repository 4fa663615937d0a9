"""Is what a model says in one group what R says, and is what it cannot say told?"""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest

from hengliang.analyses.grouped_models import GroupModel, gathered_warnings
from hengliang.analyses.subsets import Group, grouped
from hengliang.statistics import parse_model_formula as parse
from tests.grammar.judged_suites import ORACLE, oracle_rows, oracle_tables, simulated_rows, tables_of

RUN = oracle_tables()
LEVELS = {"modifier1": "modifier[adjective]", "modifier2": "modifier[relative]", "structuredTRUE": "structured[true]"}


def model(
    formula: str, family: str = "binomial", reference: dict[str, str] | None = None, summed: tuple[str, ...] = ()
) -> GroupModel:
    settings = {"family": family, "p_values": "", "level": 0.95, "alpha": 0.05}
    return GroupModel(parse(formula), "prediction", (), reference or {}, summed, settings)


def own_name(name: str) -> str:
    return ":".join(LEVELS.get(piece, piece) for piece in name.split(":"))


CASES: list[tuple[str, GroupModel]] = [
    ("crossed", model("prediction ~ structured + (1 | frame) + (1 | modifier) + (1 | seed)")),
    (
        "nested",
        model(
            "prediction ~ structured * modifier + (1 | frame) + (1 | model:seed)",
            reference={"modifier": "none"},
            summed=("modifier",),
        ),
    ),
    (
        "linear",
        model("value ~ modifier + (1 | frame) + (1 | model:seed)", family="gaussian", reference={"modifier": "none"}),
    ),
]


@pytest.mark.parametrize(("name", "fitted"), CASES)
@pytest.mark.parametrize("place", [0, 1])
def test_numbers_are_those_of_lme4(name: str, fitted: GroupModel, place: int) -> None:
    expected: dict[str, Any] = ORACLE["fits"][place]
    group = grouped(RUN, "prediction", ("class",)).groups[place]
    found = fitted.fit(group)
    assert found.fit is not None
    assert (group.levels["class"], found.n) == (expected["class"], expected["n"])
    assert len(found.fit.coefficients) == len(expected[name])
    for row in expected[name]:
        held = found.fit.coefficient(own_name(row["name"]))
        assert held.estimate == pytest.approx(row["estimate"], abs=2e-4)
        assert held.error == pytest.approx(row["error"], rel=5e-4)
        assert held.p == pytest.approx(row["p"], abs=3e-4)
        if "df" in row:
            assert held.df == pytest.approx(row["df"], rel=1e-3)


def test_sum_coding_says_so_and_averages_over_levels() -> None:
    group = grouped(RUN, "prediction", ("class",)).groups[0]
    summed = CASES[1][1].fit(group).fit
    plain = model("prediction ~ structured * modifier + (1 | frame) + (1 | model:seed)").fit(group).fit
    assert summed is not None and plain is not None
    assert summed.conventions["coding"] == "sum for modifier, treatment for all others"
    assert plain.conventions["coding"] == "treatment"
    # The same model in other words: the mean of the effects of structure at each of three modifiers.
    assert summed.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-5)
    effect = {c.name: c.estimate for c in plain.coefficients}
    shifts = [0.0, *(value for name, value in effect.items() if name.startswith("structured[true]:"))]
    mean = effect["structured[true]"] + sum(shifts) / 3
    assert summed.coefficient("structured[true]").estimate == pytest.approx(mean, abs=1e-3)


def test_systems_can_be_sum_coded() -> None:
    rows = oracle_rows().filter(pl.col("class") == "object")
    formula = "prediction ~ modifier * model + (1 | frame)"
    found = model(formula, "gaussian", {"modifier": "none"}, ("model",)).fit(Group({}, tables_of(rows))).fit
    assert found is not None
    # A balanced linear model: the mean over models of each model's own difference of means.
    means: dict[tuple[str, str], float] = {}
    for model_ in ("LSTM", "RNNG"):
        for modifier in ("none", "adjective"):
            own = rows.filter((pl.col("model") == model_) & (pl.col("modifier") == modifier))["value"].to_list()
            means[model_, modifier] = sum(own) / len(own)
    gaps = [means[name, "adjective"] - means[name, "none"] for name in ("LSTM", "RNNG")]
    assert found.coefficient("modifier[adjective]").estimate == pytest.approx(sum(gaps) / 2, abs=1e-9)


def test_random_terms_of_one_level_are_left_out_and_told() -> None:
    rows = simulated_rows().filter(pl.col("seed") == 0)
    found = model("prediction ~ structured + (1 | frame) + (1 | seed)").fit(Group({}, tables_of(rows)))
    plain = model("prediction ~ structured + (1 | frame)").fit(Group({}, tables_of(rows)))
    assert found.fit is not None and plain.fit is not None
    assert found.fit.log_likelihood == pytest.approx(plain.fit.log_likelihood, abs=1e-7)
    assert found.fit.conventions["left out"] == "random terms of seed (one level)"
    assert found.fit.warnings[0].en == "seed has one level here, so that no random term of it is in the model."


def test_a_boolean_can_have_another_reference() -> None:
    group = Group({}, tables_of(simulated_rows()))
    one = model("prediction ~ structured + (1 | frame)").fit(group).fit
    two = model("prediction ~ structured + (1 | frame)", reference={"structured": "true"}).fit(group).fit
    assert one is not None and two is not None
    assert two.coefficient("structured[false]").estimate == pytest.approx(
        -one.coefficient("structured[true]").estimate, abs=1e-4
    )


def test_missing_values_are_counted() -> None:
    rows = simulated_rows().with_columns(value=pl.when(pl.col("frame") != "object 1").then("value"))
    found = model("prediction ~ structured + (1 | frame)").fit(Group({}, tables_of(rows)))
    # Frame object 1 has 2 modifiers x 2 models x 2 seeds.
    assert (found.n, found.n_missing) == (88, 8)
    assert "(N = 88, 8 missing left out)" in found.sentence([]).en


@pytest.mark.parametrize(
    ("formula", "settings", "reason"),
    [
        ("prediction ~ class + (1 | frame)", {}, "The factor 'class' has one level only"),
        ("prediction ~ modifier + (1 | frame)", {"reference": {"modifier": "long"}}, "The reference 'long' of"),
        ("prediction ~ seed + (1 | frame)", {"reference": {"seed": "2"}}, "'seed' cannot be coded in another way"),
        ("prediction ~ class + structured", {"summed": ("class",)}, "The factor 'class' has one level only"),
    ],
)
def test_what_cannot_be_fitted_has_a_reason(formula: str, settings: dict[str, Any], reason: str) -> None:
    rows = simulated_rows().filter(pl.col("class") == "object")
    found = model(formula, **settings).fit(Group({"class": "object"}, tables_of(rows)))
    assert found.fit is None
    assert found.reason.startswith(reason)
    assert found.n == 48
    assert found.sentence([]).en == f"object: no model ({found.reason})"


def test_answers_that_never_vary_are_named() -> None:
    rows = simulated_rows().with_columns(value=pl.lit(1.0))
    found = model("prediction ~ structured + (1 | frame)").fit(Group({}, tables_of(rows)))
    assert found.reason == "The response 'prediction' is '1' in all 96 rows that are used."


def test_separation_is_named_and_has_no_p() -> None:
    rows = simulated_rows().with_columns(value=pl.when(pl.col("structured")).then(1.0).otherwise("value"))
    found = model("prediction ~ structured + modifier + (1 | frame)").fit(Group({}, tables_of(rows)))
    assert found.fit is not None
    structured, modifier = (found.fit.coefficient(name) for name in ("structured[true]", "modifier[none]"))
    assert found.p(structured) is None
    assert found.p(modifier) == modifier.p
    assert not math.isnan(modifier.p)
    said = found.sentence([structured, modifier])
    assert "structured[true]: no finite estimate, separation (all 48 answers with structured = true are 1)" in said.en
    assert "structured[true]：完全分离，无有限估计（structured = true 的 48 个回答全部为 1）" in said.zh
    assert "modifier[none]: b = " in said.en


def test_marks_of_significance_stand_at_the_name() -> None:
    found = CASES[2][1].fit(grouped(RUN, "prediction", ("class",)).groups[0])
    assert found.fit is not None
    adjective, relative = (found.fit.coefficient(f"modifier[{name}]") for name in ("adjective", "relative"))
    said = found.sentence([adjective, relative]).en
    # Each modifier has 80 answers, and one more is right with an adjective: 1/80, half way between 0.012 and 0.013, so
    # that the last bit of a processor's sum decides which of the two is written. R: p = .858 and p = .0015.
    assert adjective.estimate == pytest.approx(1 / 80, abs=1e-12)
    written = f"{adjective.estimate:.3f}"
    assert written in ("0.012", "0.013")
    assert said.startswith(
        f"object (N = 240): modifier[adjective]: b = {written}, SE = 0.070, t(218) = 0.18, p = .858,"
    )
    assert "modifier[relative]**: b = −0.225" in said


def test_a_warning_is_given_once_with_its_groups() -> None:
    rows = simulated_rows()
    found = [
        model("prediction ~ structured + (1 | frame) + (1 | seed)").fit(group)
        for group in grouped(tables_of(rows), "prediction", ("class",)).groups
    ]
    told = [warning.en for warning in gathered_warnings(found)]
    assert len(told) == len(set(told))
    assert any(warning.startswith("Warning for all groups: 'seed' has 2 levels only") for warning in told)
    assert next(gathered_warnings(found[:1])).en.startswith("Warning: ")
