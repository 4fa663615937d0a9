"""Are the errors of taggers counted right?"""

from __future__ import annotations

import polars as pl

from hengliang import Tables
from hengliang.core import estimate_records
from hengliang.tagging.errors import candidates, error_instances
from hengliang.tagging.quality import EVERYBODY, error_counts
from tests.tagging.tagged_answers import answers, sentences

GOLD = ["我/r 就/p 此/r 打住/v", "他/r 过去/v 了/u", "学习/v 好/a"]
# Two taggers run 就此 together as d; one of them takes 过去 for t, and the third nothing at all.
GIVEN = {
    "one": ["我/r 就此/d 打住/v", "他/r 过去/t 了/u", "学习/v 好/a"],
    "two": ["我/r 就此/d 打住/v", "他/r 过去/v 了/u", "学习/n 好/a"],
    "three": GOLD,
}


def counted(times: int = 1, least: int = 2) -> dict[tuple[str, str, str], float | None]:
    items = sentences({f"s{number}": gold for number, gold in enumerate(GOLD)})
    responses = answers(
        {system: {f"s{number}": text for number, text in enumerate(given)} for system, given in GIVEN.items()}
    )
    tables = Tables(items, pl.DataFrame({"name": list(GIVEN)}), {"tagging": responses}, pl.DataFrame())
    found = error_counts(share=0.5, least=least, times=times).estimate(tables)
    # An independent count by way of the tables that mining writes.
    kept = candidates(error_instances(items, responses), list(GIVEN), 0.5, least, times).filter("kept")
    rows = {(row.by["system"], row.by["pair"], row.statistic): row.value for row in estimate_records(found)}
    assert rows[EVERYBODY, "all pairs", "candidates"] == kept.height
    return rows


def test_instances_and_pairs() -> None:
    found = counted()
    # one: p+r:d and v:t; two: p+r:d and v:n; three: none.
    assert [found[system, "all pairs", "instances"] for system in (*GIVEN, EVERYBODY)] == [2, 2, 0, 4]
    assert [found[system, "all pairs", "error pairs"] for system in (*GIVEN, EVERYBODY)] == [2, 2, 0, 3]


def test_what_most_make_is_a_candidate() -> None:
    found = counted()
    assert found[EVERYBODY, "all pairs", "candidates"] == 1
    assert found[EVERYBODY, "all pairs", "candidates about words"] == 1
    assert [found[system, "p+r:d", "instances"] for system in GIVEN] == [1, 1, 0]
    assert ("one", "v:t", "instances") not in found


def test_an_error_must_be_made_often_enough() -> None:
    assert counted(times=2)[EVERYBODY, "all pairs", "candidates"] == 0
