"""Are two models compared on the same predictions, item by item?"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Estimate, Tables, UserError
from hengliang.core import estimate_records
from hengliang.grammar.differences import ADJUSTED, DIFFERENCE, SuiteDifferences, suite_differences
from hengliang.grammar.published import published_accuracies
from tests.grammar.judged_suites import tables_of
from tests.grammar.structured_suites import USUAL, structured_run
from tests.grammar.test_suite_models import recorded_tables


def rows_of(tables: Tables, statistic: str = DIFFERENCE, **settings: Any) -> dict[tuple[str, ...], Estimate]:
    held = estimate_records(suite_differences(draws=200, **settings).estimate(tables))
    return {tuple(row.by.values()): row for row in held if row.statistic == statistic}


def test_a_difference_is_that_of_the_accuracies() -> None:
    """LSTM (3 + 3 + 2 + 1) / 16, RNNG (3 + 3 + 3 + 2) / 16."""
    found = rows_of(structured_run(), pairs=[("RNNG", "LSTM")])
    assert list(found) == [("RNNG", "LSTM")]
    row = found["RNNG", "LSTM"]
    assert row.value == pytest.approx(11 / 16 - 9 / 16)
    # Thirty-two predictions: eight items under four modifiers, four trainings of each averaged.
    assert (row.n, row.n_missing) == (32, 0)


def test_groups_come_in_the_order_of_the_items() -> None:
    found = rows_of(structured_run(), pairs=[("RNNG", "LSTM"), ("PLM", "Transformer")], by="modifier")
    assert [key[0] for key in found][::2] == ["none", "subject relative", "coordinated relatives", "embedded relatives"]
    assert found["embedded relatives", "PLM", "Transformer"].value == pytest.approx(0.25)
    adjusted = rows_of(structured_run(), ADJUSTED, pairs=[("RNNG", "LSTM"), ("PLM", "Transformer")], by="modifier")
    assert list(adjusted) == list(found)
    assert "family of 8" in next(iter(adjusted.values())).method


def test_without_pairs_all_are_taken_once() -> None:
    assert list(rows_of(structured_run())) == [
        (later, earlier) for place, earlier in enumerate(USUAL) for later in list(USUAL)[place + 1 :]
    ]


def test_ties_count_half_or_not_at_all() -> None:
    run = structured_run({"LSTM": (2, 2, 2, 2), "RNNG": (0, 0, 0, 0)}, ties=("RNNG",))
    assert rows_of(run)["RNNG", "LSTM"].value == pytest.approx(0.0)
    assert rows_of(run, ties="failure")["RNNG", "LSTM"].value == pytest.approx(-0.5)


def one_modifier(first: list[int], second: list[int]) -> Tables:
    """Return a run of two systems with one training each, an answer an item."""
    held = [("LSTM", False, first), ("RNNG", True, second)]
    return tables_of(
        pl.DataFrame(
            [
                {
                    "class": "object", "modifier": "none", "frame": f"object {frame}", "model": model, "seed": 1,
                    "structured": structured, "value": float(value),
                }
                for model, structured, values in held
                for frame, value in enumerate(values)
            ]
        )
    )  # fmt: skip


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=7))
@settings(max_examples=25)
def test_p_counts_all_ways_to_exchange_the_two_item_by_item(pairs: list[tuple[int, int]]) -> None:
    """Brute force: of all signs of the differences, how many give a mean as far from zero."""
    first, second = [list(side) for side in zip(*pairs, strict=True)]
    row = rows_of(one_modifier(first, second), pairs=[("RNNG", "LSTM")])["RNNG", "LSTM"]
    differences = np.array(second) - np.array(first)
    means = [abs(np.dot(signs, differences)) for signs in product((-1, 1), repeat=len(differences))]
    assert row.p == pytest.approx(np.mean([mean >= abs(differences.sum()) - 1e-9 for mean in means]))
    turned = rows_of(one_modifier(first, second), pairs=[("LSTM", "RNNG")])["LSTM", "RNNG"]
    assert turned.value == pytest.approx(-(row.value or 0)) and turned.p == pytest.approx(row.p)


def test_a_prediction_that_one_of_them_lacks_is_missing() -> None:
    run = one_modifier([1, 0, 1], [1, 1, 1])
    lost = pl.when((pl.col("about") == "object 0 none") & pl.col("scored_system").str.starts_with("RNNG"))
    judgements = run.judgements.with_columns(value=lost.then(None).otherwise(pl.col("value")))
    row = rows_of(Tables(run.items, run.systems, run.responses, judgements))["RNNG", "LSTM"]
    assert (row.n, row.n_missing, row.value) == (2, 1, 0.5)


def test_what_cannot_be_compared_is_refused() -> None:
    run = structured_run()
    with pytest.raises(UserError, match="'GRU'"):
        rows_of(run, pairs=[("GRU", "LSTM")])
    with pytest.raises(UserError, match="with itself"):
        rows_of(run, pairs=[("LSTM", "LSTM")])
    with pytest.raises(UserError, match="'coin'"):
        rows_of(run, ties="coin")


def test_it_is_an_analysis_like_others() -> None:
    analysis = SuiteDifferences(by="class", where={"material": "published suites"})
    assert [finding for finding in analysis.conformance() if not finding.kept] == []
    assert analysis.name == "suite differences by class (published suites)"


@pytest.mark.untraced
@pytest.mark.mirror
def test_differences_of_the_papers_models_are_those_of_table_6(mirror: Path) -> None:
    """All trainings of a model judged the same sets, so that the mean difference is that of the printed accuracies."""
    found = rows_of(
        recorded_tables(mirror / "wang2021" / "surprisals"),
        pairs=[("RNNG", "LSTM"), ("PLM", "Transformer")],
        by="class",
    )
    assert len(found) == 12
    printed = published_accuracies()
    for (class_, first, second), row in found.items():
        expected = float(printed[first, class_]) - float(printed[second, class_])
        assert row.value == pytest.approx(expected, abs=0.0011)
