"""Is what a judge says written down as a judgement, and what it does not say as missing with its reason?"""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core import (
    Response,
    Status,
    check_judgements,
    first_problem,
    items_frame,
    judgements,
    responses_frame,
    with_response_ids,
)
from hengliang.core.judging import NO_GOLD, NO_ITEM, NO_LABEL, NOTHING, labels_of, with_each_part, with_gold, with_seed
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
    apart = check_judgements(judgements(rows, "m", "j", scored_system=with_seed()))
    assert apart.select("scored_system", "value").rows() == [("A (seed 1)", 1.0), ("A (seed 2)", 2.0), ("B", 7.0)]
    together = judgements(rows.with_columns(value=pl.lit(1)), "m", "j")
    assert together["scored_system"].to_list() == ["A", "B"]


def test_a_problem_takes_value_and_label_away() -> None:
    rows = found(even("no gold", "个"), even("books", "个")).with_columns(value=pl.lit(0.5), why=pl.lit("why"))
    table = judgements(rows, "m", "j", label="why", part="p")
    assert table.select("part", "value", "label", "status", "reason").rows() == [
        ("p", None, None, "missing", NO_GOLD),
        ("p", 0.5, "why", "ok", ""),
    ]


# --- part by part -----------------------------------------------------------------------------------------------------


def answers(*rows: tuple[str, str, str]) -> pl.DataFrame:
    return pl.DataFrame([("r1", *row) for row in rows], ["id", "system", "status", "reason"], orient="row")


def test_values_reasons_and_answers_that_are_not_there() -> None:
    rows = answers(("one", "ok", ""), ("one", "failed", "too tired"))
    said: list[dict[str, Any]] = [{"long": 3, "wide": "it has no width"}, {"long": 3}]
    labels = [{"long": "in words", "wide": "in words"}, {"long": "in words"}]
    parts = with_each_part(rows, ("long", "wide", "high"), said, labels)
    table = check_judgements(judgements(parts, "length", "ruler", label="label", part=pl.col("part")))
    assert table.select("part", "value", "label", "status", "reason").rows() == [
        ("long", 3.0, "in words", "ok", ""),
        ("wide", None, None, "missing", "it has no width"),
        ("high", None, None, "missing", NOTHING),
        ("long", None, None, "failed", "too tired"),
        ("wide", None, None, "failed", "too tired"),
        ("high", None, None, "failed", "too tired"),
    ]
    assert set(table.select("measure", "judge", "judge_kind").rows()) == {("length", "ruler", "machine")}


def test_zero_is_a_value_and_equal_judgements_of_one_system_are_one() -> None:
    rows = answers(("one", "ok", ""), ("one", "ok", ""), ("two", "ok", "")).with_columns(value=pl.lit(0))
    table = judgements(rows, "length", "ruler", problem=pl.lit(""))
    assert table.select("scored_system", "value").rows() == [("one", 0.0), ("two", 0.0)]


def test_nothing_gives_an_empty_table() -> None:
    rows = with_each_part(answers().cast(pl.String), ("long",), [])
    assert check_judgements(judgements(rows, "length", "ruler", part=pl.col("part"))).height == 0


def test_sets_have_no_status_of_their_own() -> None:
    sets = pl.DataFrame({"set": ["a", "b"], "value": [1.0, 2.0], "problem": ["", "a tie"]})
    table = judgements(
        sets, "m", pl.lit("mean"), about="set", scored_system=pl.lit(""), judge_kind="people"
    )  # fmt: skip
    assert check_judgements(table).select("about", "value", "status", "reason").rows() == [
        ("a", 1.0, "ok", ""),
        ("b", None, "missing", "a tie"),
    ]


def test_the_first_problem_is_the_one_that_is_named() -> None:
    frame = pl.DataFrame({"x": [0, 1, 2], "why": ["", "own reason", "own reason"]})
    problem = first_problem((pl.col("x") == 1, pl.col("why")), (pl.col("x") > 0, "not zero"))
    assert frame.select(problem=problem)["problem"].to_list() == ["", "own reason", "not zero"]


STATUSES = st.sampled_from([("ok", ""), ("missing", "no answer"), ("failed", "broke")])
VALUES = st.one_of(st.none(), st.floats(allow_nan=False), st.just("cannot be measured"))


@given(st.lists(st.tuples(STATUSES, VALUES, VALUES), max_size=8))
def test_any_table_is_right_and_has_a_row_for_each_answer_and_part(
    told: list[tuple[tuple[Status, str], float | str | None, float | str | None]],
) -> None:
    rows = pl.DataFrame(
        [(f"r{place}", "one", *status) for place, (status, _, _) in enumerate(told)],
        {"id": pl.String, "system": pl.String, "status": pl.String, "reason": pl.String},
        orient="row",
    )
    parts = with_each_part(rows, ("a", "b"), [{"a": first, "b": second} for _, first, second in told])
    table = check_judgements(judgements(parts, "m", "j", part=pl.col("part")))
    assert table.height == 2 * len(told)
    # A value is there exactly where the answer is and a number was said of it.
    expected = [
        one if status == "ok" and isinstance(one, float) else None
        for (status, _), first, second in told
        for one in (first, second)
    ]
    assert table["value"].to_list() == expected
