"""Do the paper's analyses, by name, ask what the paper asked?"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from hengliang import Estimate, Tables, UserError
from hengliang.analyses import ModelsBy
from hengliang.core import estimate_records
from hengliang.grammar.models import (
    DOMAINS,
    TREE_CONTROLS,
    data_size,
    domains,
    intervening_content,
    kinds_of_trees,
    structural_supervision,
)
from hengliang.grammar.prediction import prediction
from hengliang.grammar.recorded_surprisals import recorded_study
from hengliang.report import estimate_table
from tests.grammar.judged_suites import oracle_rows, simulated_rows, tables_of
from tests.grammar.structured_suites import USUAL, structured_run

CLASSES = {"object": "missing object", "subject": "verb–noun"}


def renamed(rows: pl.DataFrame) -> Tables:
    return tables_of(
        rows.with_columns(pl.col("class").replace(CLASSES), pl.col("frame").str.replace("subject", "verb"))
    )


RUN = renamed(oracle_rows())


def effects(analysis: ModelsBy, tables: Tables = RUN) -> dict[tuple[str, ...], Estimate]:
    return {tuple(row.by.values()): row for row in estimate_records(analysis.estimate(tables))}


@pytest.mark.parametrize("convention", ["paper", "nested"])
def test_structure_is_compared_within_class_data_and_network(convention: Any) -> None:
    analysis = structural_supervision(convention)
    found = effects(analysis)
    assert list(found) == [(name, "small", "recurrent", "structured[true]") for name in CLASSES.values()]
    assert all(row.n == 240 and row.value is not None for row in found.values())
    table = estimate_table(analysis.estimate(RUN), analysis.layout())
    assert "recurrent" in table.frame.columns


def test_the_papers_convention_may_take_seeds_by_number_or_by_count() -> None:
    one, two = structural_supervision("paper"), structural_supervision("paper", seeds="seed")
    assert one.formula == "prediction ~ structured + (1 | frame) + (1 | modifier) + (1 | trial)"
    assert two.formula == "prediction ~ structured + (1 | frame) + (1 | modifier) + (1 | seed)"
    # Seeds 0 and 2 are the first and second trial of both models here, so that nothing changes.
    run = tables_of(simulated_rows())
    by = ("class",)
    values = [
        [row.value for row in effects(structural_supervision("paper", by=by, seeds=seeds), run).values()]
        for seeds in ("trial", "seed")
    ]
    assert values[0] == pytest.approx(values[1], abs=1e-6)


def test_the_nested_effect_is_a_mean_over_modifiers() -> None:
    analysis = structural_supervision(by=("class",))
    assert (analysis.sum_coded, analysis.terms) == (("modifier",), ("structured",))
    # R, contr.sum, class object of the oracle.
    assert effects(analysis)["missing object", "structured[true]"].value == pytest.approx(0.4658, abs=2e-3)


@pytest.mark.parametrize("convention", ["paper", "nested"])
def test_modifiers_are_compared_with_none_in_the_class_with_growing_ones(convention: Any) -> None:
    analysis = intervening_content(convention)
    found = effects(analysis)
    assert list(found) == [
        (system, f"modifier[{name}]") for system in ("LSTM", "RNNG") for name in ("adjective", "relative")
    ]
    assert [row.n for row in found.values()] == [144, 144, 96, 96]
    rows = oracle_rows().filter((pl.col("class") == "object") & (pl.col("model") == "LSTM"))
    means = dict(rows.group_by("modifier").agg(pl.col("value").mean()).iter_rows())
    if convention == "paper":  # a balanced linear model: differences of means
        expected = means["relative"] - means["none"]
        assert found["LSTM", "modifier[relative]"].value == pytest.approx(expected, abs=1e-6)
    assert analysis.layout().columns == "term"


@pytest.mark.parametrize("convention", ["paper", "nested"])
def test_syntactic_classes_are_compared_with_semantic_ones(convention: Any) -> None:
    ((key, row),) = effects(domains(convention)).items()
    assert key == ("domain[syntactic]",)
    assert row.n == 480
    assert set(DOMAINS.values()) == {"syntactic", "semantic", "hybrid"}


def test_what_the_suites_say_of_their_domain_counts_first() -> None:
    items = RUN.items.with_columns(
        domain=pl.when(pl.col("class") == "verb–noun").then(pl.lit("syntactic")).otherwise(pl.lit("semantic"))
    )
    turned = Tables(items, RUN.systems, RUN.responses, RUN.judgements)
    one, two = (effects(domains("paper"), run)["domain[syntactic]",].value for run in (RUN, turned))
    assert one is not None and two is not None
    assert two == pytest.approx(-one, abs=1e-6)


@pytest.mark.parametrize("convention", ["paper", "nested"])
def test_sizes_are_compared_within_an_architecture(convention: Any) -> None:
    rows = oracle_rows()
    large = rows.with_columns(model=pl.col("model") + "-large", value=1 - pl.col("value"))
    run = renamed(pl.concat([rows, large]))
    systems = run.systems.with_columns(
        architecture=pl.col("name").str.replace("-large", ""),
        data=pl.when(pl.col("name").str.ends_with("-large")).then(pl.lit("large")).otherwise(pl.lit("small")),
    )
    run = Tables(run.items, systems, run.responses, run.judgements)
    found = effects(data_size(convention, smaller="small"), run)
    assert list(found) == [("LSTM", "data[large]"), ("RNNG", "data[large]")]
    assert all(row.value is not None for row in found.values())


def test_one_size_is_no_comparison() -> None:
    found = effects(data_size())
    assert [row.value for row in found.values()] == [None, None]
    assert {row.method for row in found.values()} == {"no model: The factor 'data' has one level only: 'small'."}


def test_titles_say_which_convention_it_is() -> None:
    makers: list[Any] = [structural_supervision, data_size, domains, intervening_content]
    for maker in makers:
        ours, theirs = maker(), maker("paper")
        assert theirs.title.en == f"{ours.title.en}, as in the paper"
        assert theirs.title.zh == f"{ours.title.zh}（论文做法）"
        assert ours.name != theirs.name
        assert [finding for finding in ours.conformance() if not finding.kept] == []
        with pytest.raises(UserError, match="The convention 'crossed' does not exist"):
            maker("crossed")


CONTROLLED = {**USUAL, "RNNG, right-branching": (1, 1, 1, 1), "RNNG, shuffled": (2, 2, 1, 1), "5-gram": (2, 2, 2, 2)}


def test_trees_without_syntax_can_be_left_out() -> None:
    """Eight items under four modifiers, four trainings each of an RNNG and an LSTM; a PLM and a Transformer as well."""
    run, plain = structured_run(CONTROLLED), structured_run()
    for analysis in (
        structural_supervision(without=TREE_CONTROLS),
        intervening_content(without={**TREE_CONTROLS, "architecture": "ngram"}),
        data_size(without={**TREE_CONTROLS, "architecture": "ngram"}),
        domains(where={"domain": "syntactic"}, without={**TREE_CONTROLS, "architecture": "ngram"}),
    ):
        found, expected = effects(analysis, run), effects(analysis, plain)
        assert {key: (row.value, row.n) for key, row in found.items()} == {
            key: (row.value, row.n) for key, row in expected.items()
        }
    found = effects(structural_supervision(without=TREE_CONTROLS), run)
    assert {row.n for row in found.values()} == {2 * 4 * 4 * 8}
    mixed_up = effects(structural_supervision(), run)
    assert mixed_up["missing object", "small", "recurrent", "structured[true]"].n == 4 * 4 * 4 * 8


def test_trees_are_compared_with_those_that_were_given() -> None:
    """Neither items nor trainings differ, so that effects are means of differences of log-odds from the counts."""
    found = effects(kinds_of_trees(), structured_run(CONTROLLED))

    def logits(system: str) -> float:
        return sum(math.log(count / (4 - count)) for count in CONTROLLED[system]) / 4

    for trees in ("right-branching", "shuffled"):
        row = found["missing object", "recurrent", f"trees[{trees}]"]
        assert row.value == pytest.approx(logits(f"RNNG, {trees}") - logits("RNNG"), abs=2e-3)
        assert row.n == 3 * 4 * 4 * 8
    # PLM has only learned from trees that were given: there is nothing to compare.
    assert found["missing object", "transformer", "trees[shuffled]"].value is None


def test_an_analysis_of_one_material_says_so() -> None:
    ours, theirs = structured_run(), structured_run(dict.fromkeys(USUAL, (1, 2, 1, 2)), "published suites")
    items = theirs.items.with_columns(
        pl.format("published {}", pl.col(name)).alias(name) for name in ("id", "set", "frame")
    )
    judgements = theirs.judgements.with_columns(about=pl.format("published {}", "about"))
    run = Tables(pl.concat([ours.items, items]), ours.systems, {}, pl.concat([ours.judgements, judgements]))
    for material, alone in (("test suites", ours), ("published suites", theirs)):
        analysis = structural_supervision(where={"material": material})
        assert analysis.name == f"structural supervision ({material})"
        found, expected = (effects(analysis, tables) for tables in (run, alone))
        assert {key: row.value for key, row in found.items()} == pytest.approx(
            {key: row.value for key, row in expected.items()}, abs=1e-6
        )
    assert intervening_content("paper", where={"material": "published suites"}).title.zh.endswith(
        "（论文做法）（论文套件）"
    )


# --- the paper's own surprisals -------------------------------------------------------------------------------------

# Table 1, columns CTB: where structure helps significantly; there is no class in which it hurts.
PUBLISHED = {("garden path object", "transformer"), ("verb–noun", "recurrent"), ("subordination", "recurrent")}


def recorded_tables(folder: Path) -> Tables:
    """Return what a run of the recorded models would leave, without the responses, which no model needs."""
    held = recorded_study(folder)
    items = held.materials.items()
    answers = [
        system.answer(items).with_columns(system=pl.lit(system.name), seed=pl.lit(system.seed, dtype=pl.Int64))
        for system in held.systems
    ]
    systems = [{"name": system.name, "seed": system.seed, **system.traits()} for system in held.systems]
    return Tables(items, pl.DataFrame(systems), {}, prediction().judge(items, pl.concat(answers)))


@pytest.mark.untraced
@pytest.mark.mirror
def test_table_1_follows_from_the_recorded_surprisals(mirror: Path) -> None:
    run = recorded_tables(mirror / "wang2021" / "surprisals")
    found = effects(structural_supervision("paper"), run)
    assert len(found) == 12
    assert significant(found) == PUBLISHED
    assert all((row.value or 0) > 0 for key, row in found.items() if (key[0], key[2]) in PUBLISHED)
    # By the numbers of the folders (RNNG: 0 and 2) another class is significant, and subordination is not.
    numbered = significant(effects(structural_supervision("paper", seeds="seed"), run))
    assert numbered == PUBLISHED - {("subordination", "recurrent")} | {("garden path subject", "recurrent")}
    # With seeds that belong to their model, subordination is not, either.
    assert significant(effects(structural_supervision(), run)) == PUBLISHED - {("subordination", "recurrent")}


def significant(found: dict[tuple[str, ...], Estimate]) -> set[tuple[str, str]]:
    return {(key[0], key[2]) for key, row in found.items() if row.p is not None and row.p <= 0.05}
