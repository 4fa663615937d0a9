"""Are the failing items counted right, and are the hardest of them shown, and not too many?"""

from __future__ import annotations

import json

import polars as pl
import pytest

from hengliang import Bilingual
from hengliang.core import JUDGEMENT_SCHEMA, from_json, to_json
from hengliang.grammar.views import Limits, ModelTally, SuiteView, class_title, suite_title, suite_views, tally_remark
from tests.grammar.toy_suites import NAME, judged, pair_answers, pair_items, toy_suites, toy_tables


def shown(suites: tuple[SuiteView, ...]) -> dict[str, list[str]]:
    return {suite.name: [item.id for item in suite.items] for suite in suites}


def pair_suites(
    sizes: dict[str, int], margins: dict[str, dict[str, float]], limits: Limits | None = None
) -> tuple[SuiteView, ...]:
    items = pair_items(sizes)
    responses = pl.concat([pair_answers(items, model, held) for model, held in margins.items()])
    return suite_views(items, responses, judged(items, responses), limits)


def test_a_suite_counts_what_each_model_fails_ties_and_was_not_judged_in() -> None:
    (suite,) = toy_suites()
    assert (suite.name, suite.class_, suite.modifier) == (NAME, "missing object", "none")
    # Item 1 fails for both, item 2 for none; item 3 is a tie for the first, and the second did not answer.
    assert (suite.n_items, suite.n_failing) == (3, 2)
    assert suite.models == (
        ModelTally("first", 3, 2, tied=1),
        ModelTally("second", 3, 1, unscored=1, reason="the model is out"),
    )


def test_items_that_all_pass_are_not_shown_and_the_hardest_come_first() -> None:
    # Two models fail item 1, one fails item 3.
    assert shown(toy_suites()) == {NAME: [f"{NAME}/1", f"{NAME}/3"]}
    margins = {"a": {"p/0": -1.0, "p/1": -3.0, "p/2": -1.0}, "b": {"p/2": -0.1, "p/3": 0.0}}
    # 2 fails for both; 1 by 3 nats, 0 by 1; 3 is a tie, by nothing; the others hold.
    assert shown(pair_suites({"p": 6}, margins)) == {"p": ["p/2", "p/1", "p/0", "p/3"]}


def test_without_margins_items_stand_in_their_order() -> None:
    items = pair_items({"p": 3})
    responses = pair_answers(items, "a", {"p/0": -1.0, "p/2": -3.0})
    judgements = judged(items, responses).filter(pl.col("measure") == "prediction")
    assert shown(suite_views(items, responses, judgements)) == {"p": ["p/0", "p/2"]}


def test_a_tie_that_a_coin_settled_as_a_success_does_not_fail() -> None:
    items, responses, judgements = toy_tables()
    tie = pl.col("label") == "tie"
    settled = judgements.with_columns(
        value=pl.when(tie).then(1.0).otherwise("value"), label=pl.when(tie).then(pl.lit("tie won")).otherwise("label")
    )
    (suite,) = suite_views(items, responses, settled)
    assert shown((suite,)) == {NAME: [f"{NAME}/1"]}
    assert suite.models[0] == ModelTally("first", 3, 1, tied=1)


def test_a_measure_of_another_name_is_found() -> None:
    items, responses, _ = toy_tables()
    assert shown(suite_views(items, responses, judged(items, responses, name="holds"))) == shown(toy_suites())


def test_a_control_that_fails_is_no_failing_item() -> None:
    items, responses, judgements = toy_tables()
    control = pl.col("part").str.starts_with("control: ") & (pl.col("measure") == "prediction")
    failing = judgements.with_columns(
        value=pl.when(control).then(0.0).otherwise("value"),
        label=pl.when(control).then(pl.lit("failure")).otherwise("label"),
    )
    assert shown(suite_views(items, responses, failing)) == shown(toy_suites())


def test_every_suite_is_counted_also_where_nothing_fails() -> None:
    first, second = pair_suites({"p": 2, "q": 2}, {"a": {"q/1": -1.0}})
    assert (first.name, first.n_failing, first.items) == ("p", 0, ())
    assert first.models == (ModelTally("a", 2, 0),)
    assert (second.name, second.n_failing, len(second.items)) == ("q", 1, 1)


@pytest.mark.parametrize(
    ("limits", "lengths"),
    [
        (Limits(), [6, 3]),
        (Limits(suite=2), [2, 2]),
        (Limits(large=5, large_suite=4), [4, 3]),
        (Limits(large=2, large_suite=4, large_suites=4), [2, 2]),  # 4 // 2 suites
        (Limits(large=2, large_suites=1), [1, 0]),  # at least one a suite, and no more than one in all
        # Two sentences of four characters to an item are 72 numbers; for half of them, half of each suite.
        (Limits(numbers=36), [3, 1]),
        (Limits(numbers=1), [1, 1]),
    ],
)
def test_no_more_are_shown_than_the_limits_allow(limits: Limits, lengths: list[int]) -> None:
    failing = {**{f"p/{number}": -1.0 for number in range(6)}, **{f"q/{number}": -1.0 for number in range(3)}}
    suites = pair_suites({"p": 8, "q": 3}, {"a": failing}, limits)
    assert [len(suite.items) for suite in suites] == lengths
    assert [suite.n_failing for suite in suites] == [6, 3]


def test_where_nothing_was_predicted_or_judged_there_is_nothing() -> None:
    items, responses, judgements = toy_tables()
    assert suite_views(items, responses, pl.DataFrame(schema=JUDGEMENT_SCHEMA)) == ()
    assert suite_views(items.drop("predictions"), responses, judgements) == ()


def test_a_material_without_suites_is_one_suite() -> None:
    items = pair_items({"p": 2})
    responses = pair_answers(items, "a", {"p/1": -1.0})
    (suite,) = suite_views(items.drop("suite"), responses, judged(items, responses))
    assert (suite.name, suite.class_, suite.modifier, suite.n_failing) == ("pairs", "", "", 1)


def test_suites_come_back_from_json() -> None:
    suites = toy_suites()
    written = json.loads(json.dumps(to_json(suites), allow_nan=False))
    assert repr(tuple(from_json(SuiteView, each, "It") for each in written)) == repr(suites)


def test_titles_and_remarks_are_in_both_languages() -> None:
    (suite,) = toy_suites()
    assert class_title(suite.class_) == Bilingual("missing object", "宾语缺失")
    assert class_title("a class of mine") == Bilingual("a class of mine", "a class of mine")
    assert suite_title(suite) == Bilingual("Modifier: none", "修饰语：无修饰语")
    assert tally_remark(suite.models[0]) == Bilingual("2 of 3 fail, 1 with a tie", "3 条中 2 条未通过，1 条有平局")
    assert tally_remark(suite.models[1]) == Bilingual(
        "1 of 3 fail, 1 not judged: the model is out", "3 条中 1 条未通过，1 条未评判：the model is out"
    )
    (pairs,) = pair_suites({"p": 1}, {"a": {}})
    assert suite_title(pairs) == Bilingual("p", "p")
