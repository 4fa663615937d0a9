"""Do scores and ratings of the same sentence find each other, and is nothing missing forgotten?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from hengliang import Judgement, UserError
from hengliang.analysis.rating_rows import Asked, problem_of, rating_rows, scored_cells
from hengliang.core import judgements_frame
from tests.analysis.rated_scores import rated, turned

ASKED = Asked(parts=("SLOR",))


def test_one_row_a_system_and_sentence_with_what_is_missing() -> None:
    tables = rated(
        [1.0, 2.0, None, 4.0], {"B": [0.1, None, 0.3, 0.4], "A": [4, 3, 2, 1]}, sources=["x", "x", "y", None]
    )
    rows = rating_rows(tables, ASKED)
    assert rows.columns == ["system", "seed", "part", "item", "score", "rating", "cluster", "dataset", "mode"]
    # Systems as the run names them, not by the alphabet; a sentence without a source stands for itself.
    assert rows.select("system", "item", "score", "rating", "cluster").rows() == [
        ("B", "s0000", 0.1, 1.0, "cluster x"),
        ("B", "s0001", None, 2.0, "cluster x"),
        ("B", "s0002", 0.3, None, "cluster y"),
        ("B", "s0003", 0.4, 4.0, "item s0003"),
        ("A", "s0000", 4.0, 1.0, "cluster x"),
        ("A", "s0001", 3.0, 2.0, "cluster x"),
        ("A", "s0002", 2.0, None, "cluster y"),
        ("A", "s0003", 1.0, 4.0, "item s0003"),
    ]
    assert rating_rows(turned(tables), ASKED).equals(rows)


def test_cells_hold_the_sentences_of_each_combination_of_levels() -> None:
    tables = rated(
        [1, 2, 3, 4], {"A": [1, None, 3, 4]}, dataset=["BNC", "BNC", "ADGER", "ADGER"], mode=["m2", "m4", "m2", "m2"]
    )
    cells = list(scored_cells(rating_rows(tables, ASKED), ASKED.by))
    # Datasets in the order in which the items have them.
    assert [by for by, _ in cells] == [
        {"dataset": "BNC", "mode": "m2"},
        {"dataset": "BNC", "mode": "m4"},
        {"dataset": "ADGER", "mode": "m2"},
    ]
    assert [cell.items for _, cell in cells] == [("s0000",), ("s0001",), ("s0002", "s0003")]
    assert cells[1][1].complete(("A", "SLOR")).tolist() == []
    assert cells[2][1].scores["A", "SLOR"].tolist() == [[3.0, 4.0]]
    ((by, whole),) = scored_cells(rating_rows(tables, replace(ASKED, by=())), ())
    assert by == {} and len(whole.items) == 4


def test_seeds_are_rows_of_a_table() -> None:
    tables = rated([1, 2, 3], {"a": [1, 2, 3], "b": [4, 5, None]}, seeds={"a": ("LSTM", 1), "b": ("LSTM", 2)})
    ((_, cell),) = scored_cells(rating_rows(tables, ASKED), ASKED.by)
    assert np.nan_to_num(cell.scores["LSTM", "SLOR"], nan=-1).tolist() == [[1, 2, 3], [4, 5, -1]]
    assert cell.complete(("LSTM", "SLOR")).tolist() == [0, 1]
    by = (*ASKED.by, "seed")
    cells = list(scored_cells(rating_rows(tables, replace(ASKED, by=by)), by))
    assert [place["seed"] for place, _ in cells] == ["1", "2"]


def test_ratings_of_single_people_are_averaged_and_repeated_ones_count_once() -> None:
    tables = rated([None, None, 3.0], {"A": [1, 2, 3]})
    single = [
        Judgement("s0000", "", "rating", "mean", "person", judge, value) for judge, value in (("p", 1.0), ("q", 2.0))
    ]
    again = judgements_frame([*single, single[0], Judgement("s0001", "", "rating", "mean", "person", "p", 5.0)])
    rows = rating_rows(replace(tables, judgements=pl.concat([tables.judgements, again])), ASKED)
    assert rows["rating"].to_list() == [1.5, 5.0, 3.0]


def test_a_part_of_the_ratings_can_be_named() -> None:
    tables = rated([1, 2, 3], {"A": [1, 2, 3]})
    z = judgements_frame(Judgement(f"s000{k}", "", "rating", "z", "people", "r", float(-k)) for k in range(3))
    both = replace(tables, judgements=pl.concat([tables.judgements, z]))
    assert rating_rows(both, ASKED)["rating"].to_list() == [1, 2, 3]
    assert rating_rows(both, replace(ASKED, rating="rating:z"))["rating"].to_list() == [0, -1, -2]
    with pytest.raises(UserError, match="No part of 'rating' is called 'y'"):
        rating_rows(both, replace(ASKED, rating="rating:y"))


def test_where_keeps_levels() -> None:
    tables = rated([1, 2, 3], {"A": [1, 2, 3]}, dataset=["BNC", "ADGER", "BNC"])
    assert rating_rows(tables, replace(ASKED, where={"dataset": "BNC"}))["item"].to_list() == ["s0000", "s0002"]
    with pytest.raises(UserError, match="No level of 'dataset' is called 'ENWIKI'"):
        rating_rows(tables, replace(ASKED, where={"dataset": "ENWIKI"}))


def test_mistakes_are_named() -> None:
    tables = rated([1, 2, 3], {"A": [1, 2, 3]})
    with pytest.raises(UserError, match="There are no ratings: nobody judged 'stars'"):
        rating_rows(tables, replace(ASKED, rating="stars"))
    with pytest.raises(UserError, match=r"Put acceptability\(\) among the measures"):
        rating_rows(tables, replace(ASKED, measure="surprise"))
    with pytest.raises(UserError, match=r"No part of 'acceptability' is called 'SLORR'\. Did you mean SLOR"):
        rating_rows(tables, replace(ASKED, parts=("SLORR",)))
    with pytest.raises(UserError, match="No column is called 'story'"):
        rating_rows(tables, replace(ASKED, cluster="story"))
    with pytest.raises(UserError, match="No sentence with a score has a rating"):
        rating_rows(rated([None, None], {"A": [1, 2]}), ASKED)
    with pytest.raises(UserError, match="does not judge the answers of systems"):
        rating_rows(tables, Asked(measure="rating", parts=("mean",)))
    stray = judgements_frame([Judgement("lost", "", "rating", "mean", "people", "r", 1.0)])
    with pytest.raises(UserError, match="'lost', which is no sentence of this run"):
        rating_rows(replace(tables, judgements=pl.concat([tables.judgements, stray])), ASKED)
    together = replace(tables, items=tables.items.with_columns(set=pl.lit("s0000")))
    with pytest.raises(UserError):
        rating_rows(together, ASKED)


def test_problems_of_cells() -> None:
    three = np.array([1.0, 2.0, 3.0])
    assert problem_of(three, {"A": three[None, :]}) is None
    few, flat, same = (
        problem_of(three[:2], {"A": three[None, :2]}),
        problem_of(np.ones(3), {"A": three[None, :]}),
        problem_of(three, {"A": np.array([three, np.full(3, 0.5)])}),
    )
    assert few and few.en == "too few sentences have a score and a rating (2)"
    assert flat and flat.en == "all 3 ratings are 1"
    assert same and (same.en, same.zh) == ("all 3 scores of A are 0.5", "A 的全部 3 个分数均为 0.5")
