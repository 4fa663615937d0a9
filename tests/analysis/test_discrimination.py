"""Are areas, pairs and correlations those of the sentences that were scored, with intervals by source sentence?"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import polars as pl
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from hengliang import Estimate, Tables, UserError
from hengliang.analysis.discrimination import AUC, PAIRS, STATISTICS, discrimination
from hengliang.core import estimate_records
from hengliang.core import find_registered as find
from hengliang.report import estimate_table
from tests.analysis.perturbed_runs import run, sentence, simulated

ITEMS = [
    sentence("a"),
    sentence("a/order", "word order"),
    sentence("a/classifier", "classifier"),
    sentence("b"),
    sentence("b/order", "word order"),
    sentence("c"),
]
SCORES: dict[str, float | None] = {"a": 3, "a/order": 1, "a/classifier": 4, "b": 1, "b/order": 2, "c": 9}


def estimates(tables: Tables, **options: Any) -> dict[tuple[str, ...], Estimate]:
    analysis = discrimination(**{"parts": "SLOR", "draws": 200, **options})
    return {(*row.by.values(), row.statistic): row for row in estimate_records(analysis.estimate(tables))}


def test_by_hand() -> None:
    found = estimates(run(ITEMS, {("A", None, "SLOR"): SCORES}))
    # Originals 3 and 1 against versions 1 and 2: 3>1, 3>2, 1=1, 1<2, so 2.5 of 4.
    area = found["A", "SLOR", "word order", AUC]
    assert (area.value, area.n, area.n_missing) == (0.625, 4, 0)
    # Pairs: 3>1, 1<2.
    pairs = found["A", "SLOR", "word order", PAIRS]
    assert (pairs.value, pairs.n, pairs.n_missing) == (0.5, 2, 0)
    assert found["A", "SLOR", "classifier", AUC].value == 0
    # Together 3 and 1 against 1, 2, 4: 3>1, 3>2, 3<4, 1=1, 1<2, 1<4: 2.5 of 6; pairs 3>1, 3<4, 1<2.
    assert found["A", "SLOR", AUC].value == pytest.approx(2.5 / 6)
    assert found["A", "SLOR", PAIRS].value == pytest.approx(1 / 3)
    # r of (1, 1, 0, 0) with (3, 1, 1, 2): centred (±.5) and (1.25, −.75, −.75, .25), so .5 / √(1 · 2.75).
    assert found["A", "SLOR", "word order", "Pearson"].value == pytest.approx(0.5 / 2.75**0.5)
    ranks = stats.spearmanr([1, 1, 0, 0], [3, 1, 1, 2]).statistic
    assert found["A", "SLOR", "word order", "Spearman"].value == pytest.approx(ranks)


def test_unscored_sentences_are_counted_and_never_zero() -> None:
    found = estimates(run(ITEMS, {("A", None, "SLOR"): {**SCORES, "b": None}}))
    area, pairs = (found["A", "SLOR", "word order", name] for name in (AUC, PAIRS))
    # Only 3 is left against 1 and 2.
    assert (area.value, area.n, area.n_missing) == (1, 3, 1)
    assert (pairs.value, pairs.n, pairs.n_missing) == (1, 1, 1)


def test_where_one_side_was_not_scored_there_is_no_number() -> None:
    none = {**SCORES, "a": None, "b": None}
    found = estimates(run(ITEMS, {("A", None, "SLOR"): none}))
    for statistic in STATISTICS:
        row = found["A", "SLOR", "word order", statistic]
        assert (row.value, row.low, row.high) == (None, None, None)
        assert "no sentence of one side was scored" in row.method
    assert (found["A", "SLOR", "word order", AUC].n, found["A", "SLOR", "word order", AUC].n_missing) == (2, 2)


def test_scores_that_do_not_differ() -> None:
    found = estimates(run(ITEMS, {("A", None, "SLOR"): dict.fromkeys(SCORES, 1.0)}))
    assert found["A", "SLOR", AUC].value == found["A", "SLOR", PAIRS].value == 0.5
    assert found["A", "SLOR", "Pearson"].value is None
    assert "do not differ" in found["A", "SLOR", "Pearson"].method


def test_seeds_are_averaged_and_never_thrown_together() -> None:
    # The second seed scores on another scale and the other way round.
    other = {item: None if score is None else -100 * score for item, score in SCORES.items()}
    found = estimates(run(ITEMS, {("A", 1, "SLOR"): SCORES, ("A", 2, "SLOR"): other}))
    row = found["A", "SLOR", "word order", AUC]
    assert (row.value, row.n) == (0.5, 4)
    assert found["A", "SLOR", "word order", PAIRS].value == 0.5


def test_against_scikit_learn_on_a_larger_run() -> None:
    tables = simulated(40)
    found = estimates(tables)
    rows = tables.judgements.join(tables.responses["units"].select("item", about="id"), on="about")
    rows = rows.join(tables.items.select("acceptable", "perturbation", item="id"), on="item")
    for system, kind in product(("fine", "coarse"), ("word order", "classifier")):
        own = rows.filter((rows["scored_system"] == system) & rows["perturbation"].is_in(["", kind]))
        expected = roc_auc_score(own["acceptable"], own["value"])
        row = found[system, "SLOR", kind, AUC]
        assert row.value == pytest.approx(expected)
        assert row.low is not None
        assert row.high is not None
        assert row.low < expected < row.high
    assert found["fine", "SLOR", "word order", AUC].value > 0.8  # type: ignore[operator]


def test_the_interval_resamples_sources_or_what_is_named() -> None:
    tables = simulated(40)
    plain = estimates(tables)["fine", "SLOR", "classifier", AUC]
    apart = estimates(tables, cluster="item")["fine", "SLOR", "classifier", AUC]
    assert plain.value == apart.value
    # A version and its original share what their source gives both, which the resampling of sources knows.
    assert plain.high - plain.low < apart.high - apart.low  # type: ignore[operator]
    assert "40 clusters (set)" in plain.method
    assert "80 clusters (item)" in apart.method
    again = estimates(tables)["fine", "SLOR", "classifier", AUC]
    assert (again.low, again.high) == (plain.low, plain.high)


def test_parts_and_statistics_that_are_asked_for() -> None:
    tables = simulated(10, part="LogProb")
    found = estimates(tables, parts="LogProb", statistics=[AUC])
    assert {row.statistic for row in found.values()} == {AUC}
    with pytest.raises(UserError, match="No statistic of discrimination is called 'F1'"):
        estimates(tables, parts="LogProb", statistics=["F1"])


def test_it_says_between_which_areas_the_systems_lie() -> None:
    tables = simulated(40)
    analysis = discrimination("SLOR", draws=50)
    told = analysis.conclude(tables).sentences
    assert len(told) == 3
    assert told[0].en.startswith("SLOR, word order: AUC from .")
    assert told[0].en.endswith("(fine).")
    assert told[1].zh.startswith("SLOR，量词：AUC 从 .")
    one = discrimination("SLOR", draws=50, where={"system": "fine"}).conclude(tables).sentences
    assert "to" not in one[0].en.split(": ")[1]


def test_it_is_laid_out_with_a_column_a_system() -> None:
    analysis = discrimination("SLOR", draws=50)
    table = estimate_table(analysis.estimate(simulated(20)), analysis.layout())
    headings = [column.title.en for column in table.columns]
    assert headings[:5] == ["Statistic", "Measure", "Perturbation", "fine", "coarse"]
    assert len(table) == 4 * 3


def test_it_is_registered_and_keeps_its_promises() -> None:
    assert find("analysis", "discrimination").kind is discrimination
    broken = [finding for finding in discrimination(draws=20).conformance() if not finding.kept]
    assert not broken


def test_numbers_do_not_depend_on_the_order_of_tables() -> None:
    tables = simulated(15)
    turned = Tables(
        tables.items.reverse(),
        tables.systems.reverse(),
        {kind: frame.reverse() for kind, frame in tables.responses.items()},
        tables.judgements.reverse(),
    )
    one, two = (estimates(held) for held in (tables, turned))
    assert {key: (row.value, row.low, row.high) for key, row in one.items()} == {
        key: (row.value, row.low, row.high) for key, row in two.items()
    }


def test_scores_on_another_scale_give_the_same_areas() -> None:
    tables = simulated(15)
    scaled = replace(tables, judgements=tables.judgements.with_columns(pl.col("value").exp()))
    one, two = (estimates(held, statistics=[AUC, PAIRS, "Spearman"]) for held in (tables, scaled))
    for key, row in one.items():
        assert two[key].value == pytest.approx(row.value)


def test_titles_tell_the_tables_of_one_study_apart() -> None:
    assert discrimination("SLOR").title.en == "Acceptable against perturbed sentences (SLOR; by: perturbation)"
    whole = discrimination(by=()).title
    assert whole.en == "Acceptable against perturbed sentences (by measure; all kinds)"
    assert whole.zh == "可接受句与扰动句的区分（按指标；全部类型）"


def test_ties_and_intervals_are_told() -> None:
    items = [item for name in "abc" for item in (sentence(name), sentence(f"{name}/x", "x"))]
    scores = {"a": 2.0, "a/x": 1.0, "b": 1.5, "b/x": 1.5, "c": 0.0, "c/x": 3.0}
    conclusion = discrimination("SLOR", by=(), draws=50).conclude(run(items, {("A", None, "SLOR"): scores}))
    (pairs,) = (row for row in estimate_records(conclusion.estimates) if row.statistic == "pairs")
    # One pair won, one tied, one lost.
    assert pairs.value == 0.5 and "ties half (1 tied)" in pairs.method
    (area,) = (row for row in estimate_records(conclusion.estimates) if row.statistic == "AUC")
    assert f"[{area.low:.3f}, {area.high:.3f}] (A)".replace("0.", ".") in conclusion.sentences[0].en
