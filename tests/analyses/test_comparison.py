"""Are systems compared in pairs, corrected as a family, and told in a table and in words?"""

from __future__ import annotations

from typing import Any

import pytest

from hengliang import Estimate, Tables, UserError
from hengliang.analyses.comparison import AGAINST, CHOSEN, CompareSystems, compare_systems
from hengliang.core import code_checksum, estimate_records, sample_tables
from hengliang.report import estimate_table, figure_plan
from hengliang.statistics import adjust, sign_test
from tests.analyses.answers import tables
from tests.analyses.shared_answers import rated_tables, reversed_tables

RATED = rated_tables()
GOLD = tuple("个本张只" * 5)
THREE = tables(
    GOLD,
    {
        "A": ("个",) * 20,  # right 5 times
        "B": tuple("个本个个" * 5),  # right 10 times, wherever A is and elsewhere
        "C": tuple("个本张只" * 4) + ("只",) * 4,  # right 17 times
    },
    blocks=[f"b{number // 2}" for number in range(20)],
)
QUICK: dict[str, Any] = {"draws": 100, "permutations": 99}


def rows_of(analysis: compare_systems, held: Tables, **wanted: str) -> list[Estimate]:
    rows = estimate_records(analysis.estimate(held))
    return [row for row in rows if all(row.by.get(factor) == level for factor, level in wanted.items())]


def test_every_pair_is_compared_once_the_later_name_first() -> None:
    found = rows_of(compare_systems("match", **QUICK), THREE, test="mean difference")
    # (10 − 5) / 20, (17 − 5) / 20, (17 − 10) / 20
    assert {(row.by["system"], row.by["reference"]): row.value for row in found} == {
        ("B", "A"): 0.25,
        ("C", "A"): pytest.approx(0.6),
        ("C", "B"): pytest.approx(0.35),
    }


def test_with_a_reference_every_other_system_is_compared_with_it() -> None:
    found = rows_of(compare_systems("match", reference="B", **QUICK), THREE, test="mean difference")
    assert [(row.by["system"], row.by["reference"], row.value) for row in found] == [
        ("A", "B", -0.25),
        ("C", "B", pytest.approx(0.35)),
    ]
    with pytest.raises(UserError, match="No system is called 'D'"):
        compare_systems("match", reference="D").estimate(THREE)


@pytest.mark.parametrize("method", ["holm", "bonferroni", "benjamini-hochberg", "none"])
def test_the_comparisons_by_one_test_are_a_family(method: str) -> None:
    analysis = compare_systems("match", family=method, **QUICK)  # type: ignore[arg-type]
    rows = rows_of(analysis, THREE, test="sign", convention=CHOSEN)
    raw = [row.p for row in rows if row.statistic == "test statistic"]
    corrected = [row.value for row in rows if row.statistic == "adjusted p"]
    # B beats A on 5 items of 20; C beats A on 13 and loses on one; C beats B on 9 and loses on 2.
    expected = [sign_test([1.0] * won + [-1.0] * lost).p for won, lost in ((5, 0), (13, 1), (9, 2))]
    assert raw == pytest.approx(expected)
    assert corrected == pytest.approx(adjust(raw, method))  # type: ignore[arg-type]


def test_a_test_that_could_not_be_run_counts_in_the_family_and_is_told() -> None:
    held = tables(("个",) * 6, {"A": ("个",) * 6, "B": ("个",) * 6, "C": ("本",) * 6}, blocks=list("abcdef"))
    found = compare_systems("match", tests="sign", **QUICK).conclude(held)
    rows = [row for row in estimate_records(found.estimates) if row.by["test"] == "sign"]
    (empty,) = [row for row in rows if row.value is None]
    assert (empty.by["system"], empty.by["reference"], empty.n, empty.n_missing) == ("B", "A", 6, 0)
    assert empty.method == "no test: All 6 pairs are equal: no sign can be counted."
    # Six wins of six: p = 2/2⁶; Holm in a family of three, the third of which is not known: 3 · 2/64.
    assert [row.value for row in rows if row.statistic == "adjusted p"] == [pytest.approx(6 / 64)] * 2
    assert any("B − A: no sign test" in sentence.en for sentence in found.sentences)


def test_a_margin_says_whether_systems_are_equivalent() -> None:
    found = compare_systems("match", margin=0.9, reference="A", **QUICK).conclude(THREE)
    held = [row for row in estimate_records(found.estimates) if row.by["test"] == "equivalence"]
    assert [(row.by["system"], row.statistic) for row in held] == [("B", AGAINST), ("C", AGAINST)]
    # Its interval is not that of the other rows, and its title says so.
    assert "90 % interval" in compare_systems("match", margin=0.9).layout().statistics[AGAINST].title.en
    assert all("90 percentile" in row.method or "0.9 percentile" in row.method for row in held)
    assert all("margin ±0.9: different and equivalent" in row.method for row in held)
    assert sum("equivalent within the margin ±0.90" in sentence.en for sentence in found.sentences) == 2


def test_people_are_compared_on_unique_ratings_with_the_way_of_papers_beside_it() -> None:
    unique = compare_systems("fluency", **QUICK).estimate(RATED)
    both = compare_systems("fluency", shared="both", tests=("signed ranks", "permutation"), **QUICK).estimate(RATED)
    kinds = {(row.by["ratings"], row.by["test"]) for row in estimate_records(unique)}
    assert kinds == {("unique ratings", "system-difference")}
    kinds = {(row.by["ratings"], row.by["test"]) for row in estimate_records(both)}
    assert kinds == {
        ("unique ratings", "system-difference"),
        ("copies", "signed-rank"),
        ("copies", "paired-permutation"),
    }
    means = [row for row in estimate_records(unique) if row.statistic == "mean difference"]
    assert len(means) == 3
    assert all(row.p is not None and row.low is not None and row.n == 24 for row in means)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({}, "A measure is wanted"),
        ({"measure": "mach"}, "No measure is called 'mach'. Did you mean match?"),
        ({"measure": "match", "tests": "t"}, "No test is called 't'"),
        ({"measure": "match", "family": "sidak"}, "The family 'sidak' does not exist"),
        ({"measure": "match", "shared": "twice"}, "The shared 'twice' does not exist"),
        ({"measure": "match", "shared": "both"}, "shared='both' belongs to people's ratings"),
        ({"measure": "match", "alpha": 2.0}, "alpha = 2.0 is no probability of error"),
    ],
)
def test_what_does_not_exist_is_refused(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError) as caught:
        compare_systems(**settings).estimate(THREE)
    assert problem in caught.value.problem


def test_people_are_not_clustered_by_attributes_and_one_system_is_not_compared() -> None:
    with pytest.raises(UserError, match="cluster belongs to a machine's judgements"):
        compare_systems("fluency", cluster="block").estimate(RATED)
    with pytest.raises(UserError, match="There is nothing to compare: systems are A"):
        compare_systems("match").estimate(tables(("个",), {"A": ("个",)}, blocks=("a",)))


@pytest.mark.parametrize(
    "analysis",
    [
        compare_systems(),
        compare_systems("match", tests=("mcnemar", "signed ranks", "sign", "permutation"), margin=0.5, **QUICK),
        compare_systems("match", tests="permutation", cluster="block", **QUICK),
    ],
)
def test_it_keeps_the_promises_of_an_analysis(analysis: compare_systems) -> None:
    assert [finding for finding in analysis.conformance() if not finding.kept] == []


def test_the_order_of_ratings_does_not_matter() -> None:
    analysis = compare_systems("fluency", shared="both", margin=0.5, **QUICK)
    assert analysis.estimate(RATED).equals(analysis.estimate(reversed_tables(RATED)))


def test_every_number_is_in_the_table_and_the_differences_are_drawn() -> None:
    analysis = compare_systems("fluency", shared="both", margin=0.5, **QUICK)
    found = analysis.conclude(RATED)
    table = estimate_table(found.estimates, analysis.layout())
    assert table.to_polars().height == found.estimates.height
    plan = figure_plan(found.estimates, analysis.layout())
    assert plan is not None
    assert all(sentence.en and sentence.zh for sentence in found.sentences)


def test_a_convention_that_decides_otherwise_has_a_row() -> None:
    # Six wins and no loss: exact p = 2/2⁶ = .031; asymptotic with continuity correction z = (6 − 3 − ½)/√1.5 = 2.04,
    # p = .041; α = .035 lies between.
    held = tables(("个",) * 6, {"A": ("本",) * 6, "B": ("个",) * 6}, blocks=list("abcdef"))
    found = compare_systems("match", tests="sign", alpha=0.035, **QUICK).conclude(held)
    rows = [row for row in estimate_records(found.estimates) if row.by["test"] == "sign"]
    assert {row.by["convention"] for row in rows if row.statistic == "test statistic"} > {CHOSEN}
    assert any("Other conventions decide otherwise" in sentence.en for sentence in found.sentences)


def test_the_signature_holds_the_test_and_the_code() -> None:
    for row in estimate_records(compare_systems("match", **QUICK).estimate(sample_tables())):
        assert f"|code:{code_checksum(CompareSystems)}|" in row.signature
        assert "|data:" not in row.signature  # the run adds the hash of its data
        assert "|result.data:" in row.signature or "|family.data:" in row.signature


def test_two_comparisons_with_other_settings_are_other_analyses() -> None:
    one, two = compare_systems("match"), compare_systems("match", family="none")
    assert one.signature() != two.signature()
    assert one.name == "comparison of systems match"
