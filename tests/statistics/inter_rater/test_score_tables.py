"""Are scores of two judges put side by side as they should be, and shared answers counted once?"""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from hengliang import Item, Judgement, Response, Tables, UserError
from hengliang.core import SYSTEM_SCHEMA, ScoredUnit, items_frame, judgements_frame, responses_frame, with_response_ids
from hengliang.statistics.inter_rater.score_tables import ScoreTable, paired_scores, scores_of_run


def table(name: str = "", **columns: Any) -> ScoreTable:
    return ScoreTable.of(pl.DataFrame(columns), name=name)


# --- one table ------------------------------------------------------------------------------------------------------


def test_columns_that_are_there_are_used() -> None:
    held = table("fluency", item=[1, 1, 2], system=["A", "A", "A"], rater=["x", "y", "x"], score=[3, 4, None])
    assert (held.has_systems, held.has_raters, held.has_responses) == (True, True, False)
    assert held.frame["item"].to_list() == ["1", "1"]
    assert held.n_missing == 1
    assert held.means()["score"].to_list() == [3.5]


def test_columns_can_have_other_names() -> None:
    frame = pl.DataFrame({"id": ["a"], "who": ["x"], "model": ["M"], "clarity": ["5.5"]})
    held = ScoreTable.of(frame, score="clarity", item="id", system="model", rater="who")
    assert held.name == "clarity"
    assert held.frame.row(0) == ("a", "M", "", "x", 5.5)


def test_ratings_without_names_are_numbered() -> None:
    frame = pl.DataFrame({"item": ["a", "a", "b"], "score": [1, 2, 3]})
    held = ScoreTable.of(frame, anonymous=True)
    assert held.frame["rater"].to_list() == ["1", "2", "1"]


@pytest.mark.parametrize(
    ("columns", "settings", "problem"),
    [
        ({"item": ["a"], "score": [1]}, {"score": "fluency"}, "No column is called 'fluency'"),
        ({"item": ["a"], "score": [1]}, {"system": "model"}, "No column is called 'model'"),
        ({"item": ["a", "b"], "score": ["1", "good"]}, {}, "Row 2 has the score 'good'"),
        ({"item": ["a", "b"], "score": [1.0, float("inf")]}, {}, "Row 2 has an infinite score"),
        ({"item": ["a"], "score": [None]}, {}, "has no number"),
        ({"item": ["a", "a"], "score": [1, 2]}, {}, "2 scores of item 'a'"),
        ({"item": ["a", "a"], "rater": ["x", "x"], "score": [1, 2]}, {}, "2 scores of item 'a', rater 'x'"),
    ],
)
def test_mistakes_are_named(columns: dict[str, Any], settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        ScoreTable.of(pl.DataFrame(columns), **settings)


def test_duplicates_without_raters_tell_what_to_do() -> None:
    with pytest.raises(UserError) as error:
        table(item=["a", "a"], score=[1, 2])
    assert "--rater NAME" in error.value.remedy
    assert "--anonymous" in error.value.remedy


def test_the_checksum_sees_scores_and_not_the_order_of_rows() -> None:
    frame = pl.DataFrame({"item": ["a", "b", "c"], "score": [1, 2, 3]})
    one, two = ScoreTable.of(frame).checksum(), ScoreTable.of(frame.reverse()).checksum()
    assert one == two
    assert one != table(item=["a", "b", "c"], score=[1, 2, 4]).checksum()


# --- two tables -----------------------------------------------------------------------------------------------------


def test_common_items_are_paired_and_the_rest_counted() -> None:
    first = table("length", item=["a", "b", "c"], score=[1, 2, 3])
    second = table("fluency", item=["b", "b", "c", "d"], rater=["x", "y", "x", "x"], score=[4, 6, 5, 7])
    both = paired_scores(first, second)
    assert both.units.select("item", "first", "second").rows() == [("b", 2, 5), ("c", 3, 5)]
    assert both.left_out == 2
    assert both.cells.height == 0
    assert list(both.ratings) == ["second"]
    lists = both.ratings["second"]
    assert (lists.values.tolist(), lists.counts.tolist()) == ([4, 6, 5], [2, 1])
    assert lists.means().tolist() == [5, 5]
    assert both.clusters.tolist() == [0, 1]


def test_an_answer_that_two_systems_share_is_one_observation() -> None:
    people = table(
        "fluency",
        item=["a"] * 4 + ["b"] * 2,
        system=["M", "M", "N", "N", "M", "N"],
        response=["r1", "r1", "r1", "r1", "r2", "r3"],
        rater=["x", "y", "x", "y", "x", "x"],
        score=[5, 7, 5, 7, 2, 3],
    )
    machine = table(
        "logprob", item=["a", "a", "b", "b"], system=["M", "N"] * 2, response=["r1", "r1", "r2", "r3"],
        score=[-1, -3, -4, -5],
    )  # fmt: skip
    both = paired_scores(machine, people)
    # r1 once, with the mean of what the machine says of it under the two systems.
    assert both.units.select("response", "system", "first", "second").rows() == [
        ("r1", "M, N", -2, 6),
        ("r2", "M", -4, 2),
        ("r3", "N", -5, 3),
    ]
    assert both.ratings["second"].counts.tolist() == [2, 1, 1]
    # For comparing systems each has its own.
    assert both.cells.rows() == [("a", "M", -1, 6), ("b", "M", -4, 2), ("a", "N", -3, 6), ("b", "N", -5, 3)]


def test_responses_known_to_one_side_only() -> None:
    people = table(item=["a", "a"], system=["M", "N"], response=["r", "r"], rater=["x", "x"], score=[5, 5])
    machine = table(item=["a", "a"], system=["M", "N"], score=[1, 2])
    for both in (paired_scores(people, machine), paired_scores(machine, people)):
        assert both.units["response"].to_list() == ["r"]
        assert both.cells.height == 2


@pytest.mark.parametrize(
    ("second", "problem"),
    [
        ({"item": ["x", "y"], "score": [1, 2]}, "no item in common"),
        ({"item": ["a", "b"], "system": ["M", "M"], "score": [1, 2]}, "names systems and"),
    ],
)
def test_tables_that_do_not_fit(second: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        paired_scores(table("one", item=["a", "b"], score=[1, 2]), table("two", **second))


def test_other_names_of_systems_are_told() -> None:
    one = table("one", item=["a"], system=["LSTM"], score=[1])
    with pytest.raises(UserError, match=r"no answer of the same system \(LSTM; lstm\)"):
        paired_scores(one, table("two", item=["a"], system=["lstm"], score=[1]))


# --- of a run -------------------------------------------------------------------------------------------------------


def run_tables() -> Tables:
    """Two systems on two items; they answer the first alike, and two readers rate every distinct answer."""
    items = items_frame(Item(f"i{n}", f"i{n}", "made up", "", "句") for n in range(2))
    answers = {"M": ("甲", "乙"), "N": ("甲", "丙")}
    rows = [
        Response("", f"i{n}", system, None, "", "text", text)
        for system, texts in answers.items()
        for n, text in enumerate(texts)
    ]
    responses = with_response_ids(responses_frame(rows, "text"), "text")
    judgements: list[Judgement] = []
    for about, system in responses.select("id", "system").rows():
        value = float(len(judgements))
        judgements.append(Judgement(about, system, "logprob", "", "machine", system, value))
        judgements.append(Judgement(about, system, "parts", "one", "machine", "m", value))
        judgements.append(Judgement(about, system, "parts", "two", "machine", "m", -value))
    for place, about in enumerate(sorted(set(responses["id"].to_list()))):
        people = ("p1", "p2")
        judgements += [Judgement(about, "", "fluency", "", "person", rater, float(place)) for rater in people]
    judgements.append(Judgement("set-1", "M", "suite", "", "machine", "suite", 1.0))
    systems = pl.DataFrame({"name": ["M", "N"], "seed": [None, None]}, schema=SYSTEM_SCHEMA)
    return Tables(items, systems, {"text": responses}, judgements_frame(judgements))


def test_people_judge_a_shared_answer_once_and_for_both_systems() -> None:
    held = scores_of_run(run_tables(), "fluency")
    assert held.has_raters
    assert held.frame.height == 8  # four answers of systems, two raters
    both = paired_scores(scores_of_run(run_tables(), "logprob"), held)
    assert both.units.height == 3
    assert both.ratings["second"].counts.tolist() == [2, 2, 2]


def test_parts_and_sets() -> None:
    tables = run_tables()
    assert scores_of_run(tables, "parts", "two").name == "parts:two"
    assert not scores_of_run(tables, "parts", "two").has_raters
    assert scores_of_run(tables, "suite").frame.select("item", "system").rows() == [("set-1", "M")]
    with pytest.raises(UserError, match="No part of 'parts' is called ''") as error:
        scores_of_run(tables, "parts")
    assert "parts:one" in str(error.value)
    with pytest.raises(UserError, match="No measure is called 'clarity'"):
        scores_of_run(tables, "clarity")


def test_labels_are_no_scores() -> None:
    tables = run_tables()
    labels = judgements_frame([Judgement("x", "M", "verdict", "", "machine", "m", None, "Correct")])
    with pytest.raises(UserError, match="'verdict' has no numbers"):
        scores_of_run(Tables(tables.items, tables.systems, tables.responses, labels), "verdict")


def test_units_of_a_model_are_an_answer_as_any_other() -> None:
    content = (ScoredUnit(0, 3, -1.5, None),)
    rows = [Response("", "i0", "M", seed, "", "units", content) for seed in (1, 2)]
    responses = with_response_ids(responses_frame(rows, "units"), "units")
    about = responses["id"][0]
    judgements = judgements_frame([Judgement(about, "M", "slor", "", "machine", "slor", 0.5)])
    tables = run_tables()
    # Two seeds with the very same answer share its id: it is scored once.
    held = scores_of_run(Tables(tables.items, tables.systems, {"units": responses}, judgements), "slor")
    assert held.frame["score"].to_list() == [0.5]
