"""Is the second system called better or worse only where it is, and on the sentences that both scored?"""

from __future__ import annotations

from typing import Any

import pytest

from hengliang import Estimate, Item, Tables, UserError
from hengliang.analysis.discrimination import AUC, discrimination
from hengliang.analysis.discrimination_differences import (
    ADJUSTED,
    DIFFERENCE,
    OF_SYSTEM,
    REFERENCE,
    discrimination_differences,
)
from hengliang.core import estimate_records
from hengliang.report import estimate_table
from hengliang.statistics import Resampling, area_difference
from tests.analysis.perturbed_runs import Scores, run, sentence, simulated


def estimates(tables: Tables, **options: Any) -> dict[tuple[str | None, str], Estimate]:
    analysis = discrimination_differences(**{"parts": "SLOR", "draws": 300, **options})
    rows = estimate_records(analysis.estimate(tables))
    return {(row.by.get("perturbation"), row.statistic): row for row in rows}


TABLES = simulated(60)


def test_the_difference_is_that_of_the_two_areas() -> None:
    found = estimates(TABLES)
    rows = estimate_records(discrimination("SLOR", draws=300).estimate(TABLES))
    areas = {(row.by["system"], row.by.get("perturbation")): row for row in rows if row.statistic == AUC}
    for kind in ("word order", "classifier", None):
        first, second = areas["fine", kind], areas["coarse", kind]
        assert found[kind, REFERENCE].value == first.value
        assert found[kind, OF_SYSTEM].value == second.value
        # The same draws: also the intervals of the two are those that each has by itself.
        assert (found[kind, OF_SYSTEM].low, found[kind, OF_SYSTEM].high) == (second.low, second.high)
        assert found[kind, DIFFERENCE].value == pytest.approx(second.value - first.value)  # type: ignore[operator]
        assert found[kind, DIFFERENCE].n == first.n
    by = found["classifier", DIFFERENCE].by
    assert by == {"system": "coarse", "reference": "fine", "part": "SLOR", "perturbation": "classifier"}


def test_better_worse_and_undecided() -> None:
    told = discrimination_differences([("fine", "coarse")], "SLOR", draws=300).conclude(TABLES).sentences
    assert len(told) == 1
    english, chinese = told[0].en, told[0].zh
    assert english.startswith("SLOR, coarse against fine. Better: classifier (+.")
    assert "Worse: word order (−." in english
    assert chinese.startswith("SLOR，coarse 与 fine 相比。较优：量词（+.")
    assert "较差：语序（−." in chinese
    # Turned round, better is worse.
    back = discrimination_differences([("coarse", "fine")], "SLOR", draws=300).conclude(TABLES).sentences[0].en
    assert "Better: word order (+." in back
    assert "Worse: classifier (−." in back


def alike(sources: int) -> tuple[list[Item], Scores]:
    """Return sentences with one version each, and two systems with the same scores."""
    scores: dict[str, float | None] = {}
    for source in range(sources):
        scores |= {f"s{source}": float(source % 5 + 1), f"s{source}/x": float(source % 3)}
    items = [sentence(name, "x" if "/" in name else "") for name in scores]
    return items, {("A", None, "SLOR"): scores, ("B", None, "SLOR"): dict(scores)}


def test_few_sources_have_an_interval_but_no_verdict() -> None:
    items, scores = alike(19)
    better = {name: (score or 0) + 9 * ("/" not in name) for name, score in scores["B", None, "SLOR"].items()}
    held = run(items, {**scores, ("B", None, "SLOR"): better})
    row = estimates(held)["x", DIFFERENCE]
    assert row.low is not None
    assert row.low > 0
    assert row.p is None
    assert "no p from fewer than 20 clusters" in row.method
    told = discrimination_differences(parts="SLOR", draws=100).conclude(held).sentences[0].en
    assert told.startswith("SLOR, B against A. Undecided: x (+.")
    assert "], too few source sentences for a test)" in told
    assert "Better" not in told


def test_equal_systems_are_undecided() -> None:
    held = run(*alike(20))
    found = estimates(held)
    assert (found["x", DIFFERENCE].value, found["x", DIFFERENCE].p) == (0, 1)
    told = discrimination_differences(parts="SLOR", draws=100).conclude(held).sentences
    assert told[0].en == (
        "SLOR, B against A. Undecided: x (.000 [.000, .000], p = 1.000, corrected p = 1.000); "
        "all kinds (.000 [.000, .000], p = 1.000)."
    )


def test_only_sentences_that_both_scored() -> None:
    first: dict[str, float | None] = {"a": 3, "a/x": 1, "b": 2, "b/x": None, "c": 5, "c/x": 4}
    second: dict[str, float | None] = {"a": 1, "a/x": 3, "b": 2, "b/x": 9, "c": None, "c/x": 1}
    items = [sentence(name, "x" if "/" in name else "") for name in first]
    found = estimates(run(items, {("A", None, "SLOR"): first, ("B", None, "SLOR"): second}))
    row = found["x", DIFFERENCE]
    # Both scored a, a/x, b and c/x. A: 3 and 2 against 1 and 4: 2 of 4. B: 1 and 2 against 3 and 1: .5 + 1 = 1.5 of 4.
    assert (row.value, row.n, row.n_missing) == (-0.125, 4, 2)


def test_p_and_interval_are_those_of_the_paired_bootstrap() -> None:
    found = estimates(TABLES)["classifier", DIFFERENCE]
    rows = TABLES.judgements.join(TABLES.responses["units"].select("item", about="id"), on="about")
    rows = rows.join(TABLES.items.select("acceptable", "perturbation", "set", item="id"), on="item").sort("item")
    rows = rows.filter(rows["perturbation"] != "word order")
    fine, coarse = (rows.filter(rows["scored_system"] == name) for name in ("fine", "coarse"))
    expected = area_difference(fine["acceptable"], fine["value"], coarse["value"], fine["set"], Resampling(300))
    assert found.p == expected.p
    assert [found.low, found.high] == pytest.approx([expected.intervals.low[2], expected.intervals.high[2]])


def test_the_kinds_are_a_family() -> None:
    plain, held = (estimates(TABLES, correction=how) for how in ("none", "bonferroni"))
    for kind in ("word order", "classifier"):
        assert plain[kind, ADJUSTED].value == plain[kind, DIFFERENCE].p
        assert held[kind, ADJUSTED].value == min(1, 2 * held[kind, DIFFERENCE].p)  # type: ignore[operator]
        assert "family of 2" in held[kind, ADJUSTED].method
    # All kinds together summarise the others and are none of the family.
    assert held[None, ADJUSTED].value == held[None, DIFFERENCE].p


def test_by_further_factors_and_some_sentences_only() -> None:
    analysis = discrimination_differences(parts="SLOR", by=["perturbation", "has_entity"], draws=100)
    rows = list(estimate_records(analysis.estimate(TABLES)))
    split = {(row.by.get("perturbation"), row.by["has_entity"]): row for row in rows if row.statistic == DIFFERENCE}
    only = estimates(TABLES, where={"has_entity": True}, draws=100)
    assert split["classifier", "yes"].value == only["classifier", DIFFERENCE].value
    assert split["classifier", "yes"].n == 60
    assert any("Has an entity: yes" in told.en for told in analysis.sentences(analysis.estimate(TABLES)))


def test_where_nothing_was_scored_there_is_no_number_and_no_verdict() -> None:
    scores: dict[str, float | None] = {"a": 1, "a/x": 0, "b": 1, "b/x": 0}
    items = [sentence(name, "x" if "/" in name else "") for name in scores]
    nothing: dict[str, float | None] = {"a": None, "a/x": 1, "b": None, "b/x": 1}
    held = run(items, {("A", None, "SLOR"): scores, ("B", None, "SLOR"): nothing})
    analysis = discrimination_differences(parts="SLOR", draws=50)
    conclusion = analysis.conclude(held)
    assert conclusion.sentences == ()
    assert conclusion.estimates["value"].null_count() == conclusion.estimates.height
    assert conclusion.estimates["n_missing"].unique().to_list() == [2]


def test_it_is_laid_out_with_a_row_a_comparison() -> None:
    analysis = discrimination_differences(parts="SLOR", draws=50)
    table = estimate_table(analysis.estimate(TABLES), analysis.layout())
    titles = [column.title.en for column in table.columns]
    assert titles[:4] == ["Measure", "Perturbation", "System", "Compared with"]
    assert len(table) == 3
    assert not [finding for finding in analysis.conformance() if not finding.kept]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pairs": [("fine", "course")]}, "No system is called 'course'"),
        ({"pairs": [("fine", "fine")]}, "cannot be compared with itself"),
        ({"correction": "tukey"}, "tukey"),
        ({"where": {"system": "fine"}}, "nothing to compare"),
    ],
)
def test_what_cannot_be_compared_is_said(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        estimates(TABLES, **options)


def test_titles_tell_the_tables_of_one_study_apart() -> None:
    kinds = discrimination_differences([("a", "a RNE"), ("b", "b RNE")], parts="SLOR").title
    assert kinds.en == "Differences in telling acceptable from perturbed (SLOR; by: perturbation)"
    assert kinds.zh == "区分可接受句与扰动句的差异（SLOR；按扰动类型分）"
    forms = discrimination_differences([("a", "POS"), ("a", "classes")], parts="SLOR", by="has_entity").title
    assert forms.en.endswith("(POS and classes against a; SLOR; by: has an entity)")
    assert forms.zh.endswith("（POS和classes 与 a 相比；SLOR；按含实体分）")
