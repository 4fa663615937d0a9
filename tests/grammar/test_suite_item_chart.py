"""Does the terminal show every word, number and verdict of an item, in any width?"""

from __future__ import annotations

import math
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hengliang.core import JUDGEMENT_SCHEMA
from hengliang.grammar.terminal import draw_suite_item
from hengliang.grammar.views import ConditionView, Grid, ModelRow, SuiteItemView, suite_item_view
from tests.grammar.toy_suites import NAME, answers, pair_answers, pair_items, toy_items, toy_tables

DRAWN = """\
toys.none/3  I became a singer.

complete  我成为了歌手。
                 first           second
  subject  我    1.0  █          1.0  █
  verb     成为  2.0  ██         2.0  ██
           了    0.5  ▌          0.5  ▌
  object   歌手  4.0  ████       4.0  ████
▼ stop     。    1.5  █▌         1.5  █▌

*missing  我成为了。
                 first
  subject  我    1.0  █
  verb     成为  2.0  ██
           了    0.5  ▌
▼ stop     。    1.5  █▌
  second: not scored: the model is out

Surprisal in nats. ▼ compared by a prediction, * meant to be bad.

predict 1: missing.stop > complete.stop
  first   1.50 > 1.50  0.00  tie
  second  not judged: the model is out

control total: missing.* > complete.subject:verb
  first   5.25 > 3.50  1.75  success
  second  not judged: the model is out"""


def toy_view(number: int = 1) -> SuiteItemView:
    return suite_item_view(*toy_tables(), f"{NAME}/{number}")


def grid_of(*numbers: float) -> Grid:
    pieces = tuple("他她买来了书车米"[: len(numbers)])
    return Grid("words", pieces, ("r",) * len(pieces), (False,) * len(pieces), (ModelRow("m", numbers),))


def test_an_item_is_drawn_with_ties_and_what_was_not_scored() -> None:
    # Of 47 cells 15 are for mark, region and word, and 7 for each number and the gaps: 9 are left for each bar.
    # The control: missing.* is 1 + 2 + 0.5 + 1.5 + 0.25 = 5.25.
    assert draw_suite_item(toy_view(3), width=47) == DRAWN


def test_conditions_share_one_scale() -> None:
    conditions = tuple(ConditionView(name, "", True, (grid_of(number),)) for name, number in (("a", 60.0), ("b", 30.0)))
    drawn = draw_suite_item(SuiteItemView("i", "s", "", conditions, ()), width=40)
    bars = [line.count("█") for line in drawn.split("\n") if "█" in line]
    # Of 40 cells 2 are for the mark, 1 + 2 for the region, 4 for the word, 4 for the number, 4 between: 23 are left.
    assert bars == [23, 11]


def test_what_is_not_there_has_no_bar_and_what_is_impossible_a_full_one() -> None:
    view = SuiteItemView("i", "s", "", (ConditionView("a", "", True, (grid_of(math.nan, math.inf, 2.0),)),), ())
    lines = draw_suite_item(view, width=80).split("\n")
    rows = [line for line in lines if line.startswith("  r") or line.startswith("     ")][1:]
    assert [row.split() for row in rows] == [["r", "他", "—"], ["她", "∞", "█" * 40], ["买", "2.0", "██"]]


def test_the_end_is_drawn_where_a_prediction_measures_the_sentence() -> None:
    items = pair_items({"p": 1})
    none = pl.DataFrame(schema=JUDGEMENT_SCHEMA)
    view = suite_item_view(items, pair_answers(items, "a", {"p/0": -1.0}), none, "p/0")
    drawn = draw_suite_item(view)
    assert drawn.count("</s>") == 2
    # Ten nats and three of one, and the end of a half: 13.5; the bad sentence has one less.
    assert "  a  12.50 > 13.50  −1.00  failure" in drawn


def test_a_tie_that_a_coin_settled_says_so() -> None:
    view = toy_view(3)
    first, *others = view.predictions[0].outcomes
    won = replace(view.predictions[0], outcomes=(replace(first, value=1.0, label="tie won"), *others))
    assert "  first   1.50 > 1.50  0.00  tie won\n" in draw_suite_item(replace(view, predictions=(won,)))


def test_models_that_do_not_fit_stand_below() -> None:
    items = toy_items()
    numbers = {id.removeprefix(f"{NAME}/"): (1.0,) * 6 if "complete" in id else (1.0,) * 5 for id in items["id"]}
    responses = pl.concat([answers(items, f"model-{number}", numbers) for number in range(5)])
    view = suite_item_view(items, responses, pl.DataFrame(schema=JUDGEMENT_SCHEMA), f"{NAME}/1")
    heads = [line.split() for line in draw_suite_item(view, width=44).split("\n") if line.startswith("    ")]
    names = [names for names in heads if names[0].startswith("model")]
    # 17 cells are for region and word, and 13 at least for a model: two fit.
    assert names == [["model-0", "model-1"], ["model-2", "model-3"], ["model-4"]] * 2


@pytest.mark.untraced
@given(st.integers(30, 160), st.sampled_from([1, 2, 3]))
def test_no_line_of_a_table_is_wider_than_the_terminal(width: int, number: int) -> None:
    tables = draw_suite_item(toy_view(number), width).split("Surprisal in nats")[0]
    assert max(cell_len(line) for line in tables.split("\n")[1:]) <= max(
        width, cell_len("  second: not scored: the model is out")
    )


@pytest.mark.parametrize("width", [1, 10])
def test_a_terminal_that_is_too_narrow_breaks_nothing(width: int) -> None:
    assert "1.0" in draw_suite_item(toy_view(), width)


def test_names_cannot_command_the_terminal() -> None:
    view = replace(toy_view(), gloss="\x1b[2J", id="a\x1bb")
    assert "\x1b" not in draw_suite_item(view)
