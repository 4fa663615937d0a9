"""Do the analyses of a study give what the analysis of a file gives?"""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from hengliang import Analysis, Signature, Tables, UserError
from hengliang.analysis.reconstruction.battery import Settings, analyse_reconstructions
from hengliang.analysis.reconstruction.spread import SUM
from hengliang.analysis.reconstruction.study_analyses import (
    AlgorithmsAndPeople,
    ExpertRegression,
    SpreadOfAnswers,
    SwapTable,
)
from hengliang.analysis.reconstruction.swap_table import SHARE, TOTAL
from hengliang.core import ESTIMATE_SCHEMA, Layout, estimate_records, from_json, to_json
from hengliang.core import find_registered as find
from hengliang.report import estimate_table
from tests.analysis.reconstruction.made_answers import PAPER, made, spread_answers, swap_answers
from tests.analysis.reconstruction.made_runs import run_of, with_scores

ANALYSES: tuple[Analysis, ...] = (
    SwapTable(draws=50),
    SpreadOfAnswers(draws=50),
    ExpertRegression(scores="informativity"),
    AlgorithmsAndPeople(draws=99),
)


def run() -> Tables:
    tables = run_of(spread_answers("4"))
    shares = made(spread_answers("4")).given.group_by("pair", maintain_order=True).agg(pl.col("share").mean())
    scores = {pair: 5 - 6 * share + (int(pair) % 3) / 10 for pair, share in shares.iter_rows()}
    return with_scores(tables, scores)


def test_the_swap_table_of_a_run_is_that_of_its_answers() -> None:
    found = SwapTable(draws=50).estimate(run_of(swap_answers("2")))
    values = {
        (row.by["condition"], row.by["scene_size"]): row.value
        for row in estimate_records(found)
        if row.statistic == SHARE
    }
    printed = PAPER.tables["2"]
    shown = [f"{100 * (values[model, str(size)] or 0):.4g}%" for model in printed["cells"] for size in printed["sizes"]]
    # Four digits; Table 2 has two decimals and leaves zeros away.
    assert shown[:6] == ["8.333%", "6.25%", "15%", "0%", "11.81%", "18.33%"]
    whole = analyse_reconstructions(made(swap_answers("2")), settings=Settings(draws=50)).experiments[0]
    assert values[TOTAL, TOTAL] == pytest.approx(whole.cell(TOTAL, TOTAL).values[SHARE][0])


def test_seeds_of_a_system_are_its_readers() -> None:
    tables = run_of(spread_answers("4"), system="MODEL READER", seeds=True)
    rows = [row for row in estimate_records(SpreadOfAnswers(draws=50).estimate(tables)) if row.statistic == SUM]
    assert [(row.by["system"], row.by["scene_size"], round(row.value or 0, 3)) for row in rows] == [
        ("MODEL READER", "4", 0.111),
        ("MODEL READER", "9", 0.984),
        ("MODEL READER", "20", 4.841),
    ]


def test_the_spread_has_the_tests_of_the_paper() -> None:
    found = SpreadOfAnswers(draws=50).conclude(run())
    tests = {
        (row.by.get("test"), row.by.get("comparison")): row.p
        for row in estimate_records(found.estimates)
        if row.p is not None
    }
    assert tests["ANOVA", None] == pytest.approx(2.2167e-06, abs=1e-10)
    assert tests["Tukey", "4 − 9"] == pytest.approx(0.456, abs=5e-4)
    assert tests["Games–Howell", "4 − 9"] == pytest.approx(0.034, abs=5e-4)
    assert any("The means of 4, 9 and 20 differ" in said.en for said in found.sentences)


def test_experts_of_a_study() -> None:
    found = ExpertRegression(scores=("informativity",)).conclude(run())
    rows = {(row.by["regression"], row.statistic): row for row in estimate_records(found.estimates)}
    assert rows["score on swaps", "R²"].value == pytest.approx(rows["swaps on score", "R²"].value)
    assert rows["score on swaps", "R²"].n == 30
    assert found.sentences[0].en.startswith("people: The higher the informativity, the fewer swaps (30 pairs)")


def test_algorithms_of_a_study() -> None:
    found = AlgorithmsAndPeople(draws=99).conclude(run())
    comparisons = {row.by.get("comparison") for row in estimate_records(found.estimates)} - {None}
    # In the order of their names.
    assert comparisons == {"QDG-IA − Human", "QDG-GREEDY − Human"}
    assert any(row.by.get("term") == "describer[QDG-IA]" for row in estimate_records(found.estimates))
    with pytest.raises(UserError, match="is known to be people"):
        AlgorithmsAndPeople().estimate(run_of(spread_answers("5")))


@pytest.mark.parametrize("analysis", ANALYSES, ids=lambda held: held.name)
def test_estimates_are_right_signed_and_can_be_laid_out(analysis: Analysis) -> None:
    found = analysis.estimate(run())
    assert dict(found.schema) == ESTIMATE_SCHEMA and found.height
    assert set(found["analysis"]) == {analysis.name} and all(found["signature"])
    layout = analysis.layout()
    assert from_json(Layout, to_json(layout), "It") == layout
    assert estimate_table(found, layout).frame.height


@pytest.mark.parametrize("analysis", ANALYSES, ids=lambda held: held.name)
def test_the_order_of_the_tables_does_not_matter(analysis: Analysis) -> None:
    one = run()
    other = replace(
        one,
        items=one.items.reverse(),
        responses={"counts": one.responses["counts"].reverse()},
        judgements=one.judgements.reverse(),
    )
    frames = [analysis.estimate(tables) for tables in (one, other)]
    rows = [sorted(map(str, frame.select("by", "statistic", "n", "n_missing").rows())) for frame in frames]
    assert rows[0] == rows[1]
    values = [sorted(value for value in frame["value"].to_list() if value is not None) for frame in frames]
    assert values[0] == pytest.approx(values[1])


@pytest.mark.parametrize("analysis", ANALYSES, ids=lambda held: held.name)
def test_the_promises_of_every_analysis_are_kept(analysis: Analysis) -> None:
    broken = [finding for finding in analysis.conformance() if not finding.kept]
    assert broken == []
    assert isinstance(find("analysis", analysis.name).make(), type(analysis))


def test_sentences_of_the_swap_table() -> None:
    analysis = SwapTable(draws=50)
    told = analysis.sentences(analysis.estimate(run_of(swap_answers("3"))))
    # (2/72·12 …): 1.39, 8.33 and 7.81 % in 12 answers each are 5.84 %, QDG-IA 1.39, 10 and 10.42 % are 7.27 %.
    assert [said.en for said in told] == [
        "Swaps of n, people, sizes 6, 10, 16 weighted alike: QDG-GREEDY 5.84 %, QDG-IA 7.27 %."
    ]
    assert told[0].zh.startswith("交换占 n 的比例，people，规模 6, 10, 16 等权：QDG-GREEDY")


def test_signatures_follow_the_arguments() -> None:
    assert str(SwapTable(seed=1).signature()) != str(SwapTable(seed=2).signature())
    assert str(SwapTable().signature()) == str(SwapTable().signature())


@pytest.mark.parametrize("analysis", ANALYSES, ids=lambda held: held.name)
def test_a_study_can_sign_every_row(analysis: Analysis) -> None:
    """A run adds the checksum of its data to each row, so no row may have one of its own at the top."""
    lines = analysis.estimate(run())["signature"].to_list()
    assert all(dict(Signature.parse(line).pairs).get("code") for line in lines)
    assert not any("data" in dict(Signature.parse(line).pairs) for line in lines)
