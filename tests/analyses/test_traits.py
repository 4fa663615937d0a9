"""Are the traits of systems told as they are, averaged over seeds?"""

from __future__ import annotations

import polars as pl
import pytest

from hengliang import Tables, UserError
from hengliang.analyses.traits import traits
from hengliang.core import estimate_records, sample_tables

SYSTEMS = pl.DataFrame(
    {
        "name": ["a", "a", "b"],
        "seed": [1, 2, None],
        "training_seconds": [10.0, 20.0, None],
        "parameters": [5, 5, None],
        "family": ["x", "x", "y"],
    }
)


def tables() -> Tables:
    sample = sample_tables()
    return Tables(sample.items, SYSTEMS, sample.responses, sample.judgements)


def test_seeds_are_averaged_and_what_is_unknown_is_missing() -> None:
    rows = list(estimate_records(traits(["training_seconds", "parameters"]).estimate(tables())))
    found = {(row.by["system"], row.statistic): (row.value, row.n, row.n_missing) for row in rows}
    assert found == {
        ("a", "training_seconds"): (15.0, 2, 0),
        ("a", "parameters"): (5.0, 2, 0),
        ("b", "training_seconds"): (None, 0, 1),
        ("b", "parameters"): (None, 0, 1),
    }


@pytest.mark.parametrize("name", ["no_such", "family", "seed"])
def test_a_trait_that_is_no_number_is_refused(name: str) -> None:
    with pytest.raises(UserError, match=f"No numeric trait is called '{name}'"):
        traits([name]).estimate(tables())


def test_it_keeps_the_promises_of_an_analysis() -> None:
    assert [finding for finding in traits().conformance() if not finding.kept] == []
    assert set(traits().layout().statistics) == {"parameters", "training_seconds"}
