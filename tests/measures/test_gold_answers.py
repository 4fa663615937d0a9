from __future__ import annotations

import polars as pl
import pytest

from hengliang.measures.gold_answers import judgements, labels_of, with_gold
from hengliang.measures.label_match import NO_GOLD, NO_ITEM, NO_LABEL
from hengliang.records import Response, check_judgements, items_frame, responses_frame, with_response_ids
from tests.measures.rankings import even, slot, unanswered

ITEMS = items_frame([slot("books", "书", "本"), slot("no gold", "物", None)])


def found(*responses: Response) -> pl.DataFrame:
    return with_gold(ITEMS, with_response_ids(responses_frame(responses, "ranking"), "ranking"))


def test_labels_are_the_same_of_rankings_and_of_single_labels() -> None:
    rankings = responses_frame([even("books", "本", "\uf9d7")], "ranking")["content"]
    # U+F9D7 is a compatibility form of 輪; NFC makes the two one.
    assert labels_of(rankings).to_list() == [["本", "輪"]]
    assert labels_of(pl.Series(["\uf9d7"])).to_list() == [["輪"]]


@pytest.mark.parametrize(
    ("response", "problem"),
    [
        (even("books", "本"), ""),
        (even("no gold", "个"), NO_GOLD),
        (even("nowhere", "个"), NO_ITEM),
        (even("books"), NO_LABEL),
        (unanswered("books", "failed", "out of memory"), "out of memory"),
    ],
)
def test_what_cannot_be_judged_has_a_reason(response: Response, problem: str) -> None:
    row = found(response).row(0, named=True)
    assert row["problem"] == problem
    assert row["gold"] == ("本" if response.item == "books" else None)


def test_seeds_are_named_apart_where_there_are_several_and_where_it_is_wanted() -> None:
    rows = found(even("books", "本", seed=1), even("books", "本", seed=2), even("books", "本", system="B", seed=7))
    rows = rows.with_columns(value=pl.col("seed"))
    apart = check_judgements(judgements(rows, "m", "j", seeds=True))
    assert apart.select("scored_system", "value").rows() == [("A (seed 1)", 1.0), ("A (seed 2)", 2.0), ("B", 7.0)]
    together = judgements(rows.with_columns(value=pl.lit(1)), "m", "j")
    assert together["scored_system"].to_list() == ["A", "B"]


def test_a_problem_takes_value_and_label_away() -> None:
    rows = found(even("no gold", "个"), even("books", "个")).with_columns(value=pl.lit(0.5), explained=pl.lit("why"))
    assert judgements(rows, "m", "j", "p").select("part", "value", "label", "status", "reason").rows() == [
        ("p", None, None, "missing", NO_GOLD),
        ("p", 0.5, "why", "ok", ""),
    ]
