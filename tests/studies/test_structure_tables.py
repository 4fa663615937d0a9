"""Do the tables on the page of structural supervision follow from the results of the study?"""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.studies.structure_tables import (
    MATERIALS,
    PAGE,
    RESULTS,
    TABLES,
    effect,
    estimates,
    page_tables,
    percent,
    table,
)


def test_the_page_has_a_place_for_every_table() -> None:
    marks = set(re.findall(r"<!-- table: (.+?) -->", PAGE.read_text(encoding="utf-8")))
    assert marks == {"printed", *(f"{name}, {short}" for name in TABLES for short in MATERIALS)}


@pytest.mark.skipif(not RESULTS.exists(), reason="the study was not run in full yet")
def test_the_tables_of_the_page_are_those_of_the_study() -> None:
    page = PAGE.read_text(encoding="utf-8")
    found = page_tables(estimates())
    assert [name for name, text in found.items() if f"<!-- table: {name} -->\n{text}<!-- end -->" not in page] == []
    assert len(found) == 1 + len(MATERIALS) * len(TABLES)


def row(**held: Any) -> dict[str, Any]:
    return {"value": None, "low": None, "high": None, "p": None, **held}


def test_numbers_are_written_with_what_is_known_of_them() -> None:
    assert percent(row(value=0.5, low=0.25, high=0.75)) == "50.0 [25.0, 75.0]"
    assert percent(row(value=0.5)) == "50.0"
    assert percent(None) == effect(row()) == "–"
    assert effect(row(value=1.0, low=0.5, high=2.0, p=0.0004)) == "1.00 [0.50, 2.00], p < .001"
    assert effect(row(value=1.0, p=0.25)) == "1.00, p = .250"
    assert table(["a", "b"], [["1", "2"]]) == "| a | b |\n|---|---|\n| 1 | 2 |\n"
