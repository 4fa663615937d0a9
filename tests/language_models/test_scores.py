"""Do scores keep what belongs to a text together, in memory and in a response table?"""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import CONTENT_TYPES, ScoredUnit
from hengliang.language_models.scores import Scores, concat, scores_of, scores_of_content
from tests.language_models.score_strategies import ROW, scores


def equal(one: Scores, other: Scores, *left_out: str) -> bool:
    """Say whether two scores are the same, column for column and type for type."""
    pairs = [(getattr(one, f.name), getattr(other, f.name)) for f in fields(Scores) if f.name not in left_out]
    return all(
        left == right
        if isinstance(left, tuple)
        else left.dtype == right.dtype and np.array_equal(left, right, equal_nan=np.issubdtype(left.dtype, np.floating))
        for left, right in pairs
    )


@given(st.lists(ROW, max_size=5))
def test_units_come_back_as_they_were_given(rows: list[list[ScoredUnit] | str]) -> None:
    found = scores_of(rows)
    assert len(found) == len(rows)
    assert [list(found.units(row)) for row in range(len(rows))] == [[] if isinstance(row, str) else row for row in rows]
    assert found.problems == tuple(row if isinstance(row, str) else "" for row in rows)
    assert found.scored.tolist() == [not isinstance(row, str) for row in rows]
    assert found.counts.tolist() == [0 if isinstance(row, str) else len(row) for row in rows]
    assert found.rows.tolist() == [place for place, row in enumerate(rows) if not isinstance(row, str) for _ in row]
    assert not found.unknown.any()


def test_an_empty_text_is_scored_and_a_problem_is_not() -> None:
    # The one has no units because there are none, the other because nobody knows them.
    found = scores_of([[], "too long"])
    assert found.scored.tolist() == [True, False]
    assert found.content().to_list() == [[], None]


@given(scores(), st.data())
def test_taking_rows_takes_their_units(found: Scores, data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.integers(0, len(found) - 1), max_size=8)) if len(found) else []
    taken = found.take(wanted)
    assert [taken.units(row) for row in range(len(wanted))] == [found.units(row) for row in wanted]
    assert taken.problems == tuple(found.problems[row] for row in wanted)
    unknown = [found.unknown[found.offsets[row] : found.offsets[row + 1]].tolist() for row in wanted]
    assert taken.unknown.tolist() == [flag for flags in unknown for flag in flags]
    assert equal(found.take(np.arange(len(found))), found)


@given(st.lists(scores(), max_size=4))
def test_joined_scores_can_be_taken_apart(parts: list[Scores]) -> None:
    whole = concat(parts)
    place = 0
    for part in parts:
        assert equal(whole.take(np.arange(place, place + len(part))), part)
        place += len(part)
    assert len(whole) == place


@given(scores())
def test_a_response_table_gives_the_scores_back(found: Scores) -> None:
    content = found.content()
    assert content.dtype == CONTENT_TYPES["units"]
    assert content.is_null().to_list() == [bool(problem) for problem in found.problems]
    back = scores_of_content(content)
    # The table holds neither which units were unknown nor, in this column, the reason.
    assert equal(back, found, "unknown", "problems")
    assert back.scored.tolist() == found.scored.tolist()


@given(scores())
def test_a_table_holds_the_units_of_each_text(found: Scores) -> None:
    for row, cell in enumerate(found.content().to_list()):
        if found.scored[row]:
            assert [ScoredUnit(**unit) for unit in cell] == list(found.units(row))


def test_an_unknown_unigram_is_a_null_and_not_a_number() -> None:
    content = scores_of([[ScoredUnit(0, 3, -1.0, None), ScoredUnit(3, 3, -np.inf, -2.0)]]).content()
    unigrams = content.explode().struct.field("unigram_logprob")
    assert unigrams.to_list() == [None, -2.0]
    assert content.explode().struct.field("logprob").to_list() == [-1.0, -np.inf]
    assert np.isnan(scores_of_content(content).unigram_logprobs).tolist() == [True, False]


def test_units_may_be_unknown() -> None:
    unit = ScoredUnit(0, 3, -1.0, None)
    rows: list[list[ScoredUnit] | str] = [[unit], "too long", [unit, unit]]
    assert scores_of(rows, [True, False, True]).unknown.tolist() == [True, False, True]
    with pytest.raises(UserError, match="said of 2 units whether they are unknown, and there are 3"):
        scores_of(rows, [True, False])


def test_no_texts_have_no_scores() -> None:
    nothing = scores_of([])
    assert len(nothing) == 0
    assert nothing.content().to_list() == []
    assert equal(concat([]), nothing)
    assert equal(scores_of_content(pl.Series([], dtype=CONTENT_TYPES["units"])), nothing)
    assert equal(nothing.take([]), nothing)
