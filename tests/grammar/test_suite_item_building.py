"""Do the tables of a run say of each word what the model said, and of each prediction what was judged?"""

from __future__ import annotations

import math
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import JUDGEMENT_SCHEMA
from hengliang.grammar.suites.library import suite_items
from hengliang.grammar.suites.text_format import parse_suite
from hengliang.grammar.views import (
    ConditionView,
    Grid,
    SuiteItemView,
    prediction_measure,
    suite_item_view,
    suite_item_views,
)
from tests.grammar.toy_suites import (
    FIRST,
    NAME,
    SECOND,
    Units,
    answers,
    judged,
    pair_items,
    toy_items,
    toy_tables,
    unit_answers,
)

NO_JUDGEMENTS = pl.DataFrame(schema=JUDGEMENT_SCHEMA)


def toy_view(number: int = 1) -> SuiteItemView:
    return suite_item_view(*toy_tables(), f"{NAME}/{number}")


def only_grid(condition: ConditionView) -> Grid:
    (grid,) = condition.grids
    return grid


# --- sentences --------------------------------------------------------------------------------------------------------


def test_a_sentence_is_cut_into_its_words_with_their_regions() -> None:
    complete, missing = toy_view().conditions
    assert (complete.name, complete.content, complete.acceptable) == ("complete", "他成为了医生。", True)
    assert (missing.name, missing.acceptable) == ("missing", False)
    grid = only_grid(complete)
    assert grid.division == "words"
    assert grid.pieces == ("他", "成为", "了", "医生", "。")
    assert grid.regions == ("subject", "verb", "verb", "object", "stop")
    assert [row.model for row in grid.rows] == ["first", "second"]
    assert grid.rows[0].surprisals == (1.0, 2.0, 0.5, 4.0, 3.0)
    assert only_grid(missing).rows[1].surprisals == (1.0, 2.0, 0.5, 2.0)


def test_the_failed_prediction_marks_its_targets_and_the_end_is_not_of_a_region() -> None:
    for condition in toy_view().conditions:
        grid = only_grid(condition)
        # The prediction that counts compares the stops alone; the control, which measures whole sentences, does not.
        assert [piece for piece, target in zip(grid.pieces, grid.targets, strict=True) if target] == ["。"]
        assert not grid.has_end


def test_where_everything_holds_all_predictions_that_count_mark_their_targets() -> None:
    grid = only_grid(toy_view(2).conditions[0])
    assert grid.targets == (False, False, False, False, True)


def test_a_sentence_without_a_score_says_why() -> None:
    rows = only_grid(toy_view(3).conditions[1]).rows
    assert (rows[0].surprisals, rows[0].reason) == ((1.0, 2.0, 0.5, 1.5), "")
    assert (rows[1].surprisals, rows[1].reason) == ((), "the model is out")


CROSSING: Units = {
    "1/complete": [("他成".encode(), 3.0), ("为了".encode(), 1.0), ("医生".encode(), 4.0), ("。".encode(), 3.0)],
    "1/missing": [("他".encode(), 1.0), ("成为".encode(), 2.0), ("了".encode(), 1.0), ("。".encode(), 2.0)],
}


def test_a_model_whose_units_cross_words_is_shown_by_its_own_units() -> None:
    items = toy_items().filter(pl.col("set") == f"{NAME}/1")
    responses = pl.concat([answers(items, "first", FIRST), unit_answers(items, "pieces", CROSSING)])
    complete, missing = suite_item_view(items, responses, NO_JUDGEMENTS, f"{NAME}/1").conditions
    words, own = complete.grids
    assert (words.division, [row.model for row in words.rows]) == ("words", ["first"])
    assert (own.division, [row.model for row in own.rows]) == ("crossing units", ["pieces"])
    assert own.pieces == ("他成", "为了", "医生", "。")
    assert own.regions == ("subject+verb", "verb", "object", "stop")
    assert own.rows[0].surprisals == (3.0, 1.0, 4.0, 3.0)
    # In the other sentence the units of both models are the words.
    assert [row.model for row in only_grid(missing).rows] == ["first", "pieces"]


def test_a_unit_that_holds_part_of_a_character_is_shown_with_the_rest_of_it() -> None:
    items = toy_items().filter(pl.col("set") == f"{NAME}/1")
    raw = "他成".encode()
    halves: Units = {
        "1/complete": [(raw[:4], 3.0), (raw[4:] + "为了".encode(), 1.0), ("医生。".encode(), 7.0)],
        "1/missing": "no bytes",
    }
    view = suite_item_view(items, unit_answers(items, "bytes", halves), NO_JUDGEMENTS, f"{NAME}/1")
    grid = only_grid(view.conditions[0])
    assert grid.pieces == ("他成为了", "医生。")
    assert grid.rows[0].surprisals == (4.0, 7.0)


def test_without_words_models_are_shown_by_their_units_and_share_a_grid_where_they_agree() -> None:
    items = pair_items({"order": 1})
    split = {"order/0/good": [("他".encode(), 1.0), ("来了。".encode(), 2.0), (b"", 0.5)]}
    whole = {"order/0/good": [("他来了。".encode(), 2.5), (b"", 0.25)]}
    bad = {"order/0/bad": "it is too hot"}
    responses = pl.concat(
        [
            unit_answers(items, "a", {**split, **bad}),
            unit_answers(items, "b", {**whole, **bad}),
            unit_answers(items, "c", {**split, **bad}),
            unit_answers(items, "d", {"order/0/good": "no answer", **bad}),
        ]
    )
    good, unscored = suite_item_view(items, responses, NO_JUDGEMENTS, "order/0").conditions
    assert [(grid.pieces, [row.model for row in grid.rows]) for grid in good.grids] == [
        (("他", "来了。"), ["a", "c", "d"]),
        (("他来了。",), ["b"]),
    ]
    assert {grid.division for grid in good.grids} == {"units"}
    # The prediction measures the whole sentence, to which its end belongs; nothing in it is marked.
    assert [row.end for row in good.grids[0].rows[:2]] == [0.5, 0.5]
    assert good.grids[0].rows[2].reason == "no answer"
    assert not any(good.grids[0].targets)
    assert [row.reason for row in only_grid(unscored).rows] == ["it is too hot"] * 4
    assert only_grid(unscored).pieces == ("他了来。",)


def test_trainings_of_a_model_are_told_apart() -> None:
    items = toy_items()
    responses = pl.concat([answers(items, "lstm", FIRST, seed=1), answers(items, "lstm", SECOND, seed=2)])
    view = suite_item_view(items, responses, judged(items, responses), f"{NAME}/1")
    assert view.models == ("lstm (seed 1)", "lstm (seed 2)")
    assert [row.model for row in only_grid(view.conditions[0]).rows] == list(view.models)


@st.composite
def divisions(draw: st.DrawFn) -> tuple[list[str], list[tuple[bytes, float]]]:
    """Return a text in words, and its bytes in units with surprisals, cut where the words are not."""
    words = draw(st.lists(st.text("他来abé。", min_size=1, max_size=4), min_size=1, max_size=5))
    raw = "".join(words).encode()
    cuts = sorted(draw(st.sets(st.integers(0, len(raw)))) | {0, len(raw)})
    numbers = st.integers(0, 80)
    return words, [(raw[a:b], draw(numbers) / 4) for a, b in pairwise(cuts)]


@given(divisions())
def test_no_surprisal_is_lost_however_a_model_cuts_the_text(
    division: tuple[list[str], list[tuple[bytes, float]]],
) -> None:
    words, units = division
    text = f"class: c\nconditions: a\nregions: r\npredict: a.r > 0\n\n1  x\n   a  {' '.join(words)}\n"
    items = suite_items([parse_suite(text, NAME)])
    content = items["content"][0]
    if content != "".join(words):  # Latin words are joined by spaces, and are not what is tried here
        return
    view = suite_item_view(items, unit_answers(items, "m", {"1/a": units}), NO_JUDGEMENTS, f"{NAME}/1")
    grid = only_grid(view.conditions[0])
    assert "".join(grid.pieces) == content
    assert sum(grid.rows[0].surprisals) == sum(number for _, number in units)
    assert all(grid.targets)


# --- predictions ------------------------------------------------------------------------------------------------------


def test_an_outcome_has_margin_sides_and_label() -> None:
    counted, control = toy_view().predictions
    assert (counted.name, counted.formula, counted.counts) == ("1", "missing.stop > complete.stop", True)
    first, second = counted.outcomes
    assert (first.label, first.value, first.margin, first.sides) == ("failure", 0.0, -0.5, ((2.5, 3.0),))
    assert (second.margin, second.sides) == (-1.0, ((2.0, 3.0),))
    # missing.*: 1 + 2 + 0.5 + 2.5 + 0.25 = 6.25; complete.subject:verb: 1 + 2 + 0.5 = 3.5.
    assert (control.name, control.counts, control.outcomes[0].sides) == ("total", False, ((6.25, 3.5),))
    assert (control.outcomes[0].label, control.outcomes[0].margin) == ("success", 2.75)


def test_a_tie_is_a_tie_and_what_could_not_be_judged_has_a_reason() -> None:
    first, second = toy_view(3).predictions[0].outcomes
    assert (first.label, first.value, first.margin, first.fails) == ("tie", 0.0, 0.0, True)
    assert (second.label, second.reason, second.fails) == ("", "the model is out", False)
    assert math.isnan(second.value) and math.isnan(second.margin)


@pytest.mark.parametrize(("label", "value"), [("tie won", 1.0), ("tie lost", 0.0)])
def test_a_coin_that_settled_a_tie_is_believed(label: str, value: float) -> None:
    items, responses, _ = toy_tables()
    seeds = (judged(items, responses, "coin", coin_seed=seed) for seed in range(40))
    # Of forty coins one falls either way, but for two chances in 2⁴⁰.
    settled = next(found for found in seeds if label in found["label"])
    outcome = suite_item_view(items, responses, settled, f"{NAME}/3").predictions[0].outcomes[0]
    assert (outcome.label, outcome.value, outcome.fails, outcome.is_tie) == (label, value, not value, True)
    assert prediction_measure(settled.filter(pl.col("label") == label)) == "prediction"


@pytest.mark.parametrize("number", [1, 2, 3])
def test_without_judgements_the_same_is_judged_here(number: int) -> None:
    items, responses, judgements = toy_tables()
    assert repr(suite_item_view(items, responses, NO_JUDGEMENTS, f"{NAME}/{number}")) == repr(
        suite_item_view(items, responses, judgements, f"{NAME}/{number}")
    )


def test_comparisons_joined_by_logic_have_their_sides_in_order() -> None:
    text = "class: c\nconditions: a\nregions: x y\npredict: a.x > a.y > 2 * 3 | a.y = 1\n\n1  g\n   a  来 | 了\n"
    items = suite_items([parse_suite(text, NAME)])
    units = {"1/a": [("来".encode(), 5.0), ("了".encode(), 4.0)]}
    (prediction,) = suite_item_view(items, unit_answers(items, "m", units), NO_JUDGEMENTS, f"{NAME}/1").predictions
    assert prediction.signs == (">", ">", "=")
    # 5 > 4 & 4 > 6 | 4 = 1: the conjunction holds by min(1, −2), the disjunction by max(−2, −3).
    assert prediction.outcomes[0].sides == ((5.0, 4.0), (4.0, 6.0), (4.0, 1.0))
    assert prediction.outcomes[0].margin == -2.0


def test_edges_of_the_measure_decide_what_a_crossed_region_is_worth() -> None:
    items = toy_items().filter(pl.col("set") == f"{NAME}/1")
    units = {**CROSSING, "1/complete": [("他成为了医".encode(), 5.0), ("生。".encode(), 3.0)]}
    responses = unit_answers(items, "pieces", units)
    refused = suite_item_view(items, responses, NO_JUDGEMENTS, f"{NAME}/1").predictions[0].outcomes[0]
    assert (refused.label, refused.reason) == ("", "a unit of the model crosses the edge of the region")
    included = suite_item_view(items, responses, NO_JUDGEMENTS, f"{NAME}/1", "include").predictions[0].outcomes[0]
    assert (included.label, included.sides) == ("failure", ((2.0, 3.0),))


def test_an_impossible_word_is_infinitely_surprising() -> None:
    items = toy_items()
    numbers = {**FIRST, "1/missing": (1.0, 2.0, 0.5, math.inf, 0.25)}
    responses = answers(items, "m", numbers)
    view = suite_item_view(items, responses, judged(items, responses), f"{NAME}/1")
    assert only_grid(view.conditions[1]).rows[0].surprisals[-1] == math.inf
    assert view.predictions[0].outcomes[0].margin == math.inf
    assert view.predictions[0].outcomes[0].label == "success"


# --- what is asked for ------------------------------------------------------------------------------------------------


def test_views_come_in_the_order_asked_for() -> None:
    wanted = [f"{NAME}/{number}" for number in (3, 1)]
    assert [view.id for view in suite_item_views(*toy_tables(), wanted)] == wanted


def test_an_unknown_item_is_refused_with_some_that_are_known() -> None:
    with pytest.raises(UserError, match=r"'toys\.none/9'") as caught:
        suite_item_view(*toy_tables(), f"{NAME}/9")
    assert f"{NAME}/1" in str(caught.value)


def test_items_without_predictions_are_refused() -> None:
    items, responses, judgements = toy_tables()
    with pytest.raises(UserError, match="No item with predictions"):
        suite_item_view(items.drop("predictions"), responses, judgements, f"{NAME}/1")


def test_the_measure_is_found_by_what_it_says() -> None:
    items, responses, judgements = toy_tables()
    assert prediction_measure(judgements) == "prediction"
    assert prediction_measure(judged(items, responses, name="does it hold")) == "does it hold"
    assert prediction_measure(NO_JUDGEMENTS) == ""


def test_no_answers_are_no_rows() -> None:
    items, responses, _ = toy_tables()
    view = suite_item_view(items, responses.clear(), NO_JUDGEMENTS, f"{NAME}/1")
    assert view.models == ()
    assert [condition.grids for condition in view.conditions] == [(), ()]
