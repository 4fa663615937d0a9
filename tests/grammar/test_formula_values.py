"""Are the two sides of a prediction summed from the right units of the right conditions?"""

from __future__ import annotations

import math

import polars as pl
import pytest

from hengliang import Response, UserError
from hengliang.core import CONTROL, ScoredUnit, responses_frame, with_response_ids
from hengliang.grammar.prediction import NO_UNIGRAMS, NO_UNIT, verdicts
from hengliang.grammar.suites.library import suite_items
from hengliang.grammar.suites.text_format import parse_suite
from hengliang.language_models.regions import CROSSED

# 他成为了医生。 is 21 bytes: 他 0–3, 成为了 3–12, 医生 12–18, 。 18–21. 他成为了。 is 15 bytes.
SUITE = """\
class: missing object
conditions: complete *missing
regions: subject verb object stop
predict: missing.stop > complete.stop
control span: missing.object:stop > complete.object:stop
control mean: mean(missing.verb:stop) > mean(complete.verb:stop)
control characters: per_character(missing.*) > per_character(complete.*)
control slor: slor(complete.*) > slor(missing.*)

1  He became a doctor.
   complete   他 | 成为 了 | 医生 | 。
   missing    他 | 成为 了 |      | 。
"""
ITEMS = suite_items([parse_suite(SUITE, "small")])
COMPLETE = (
    ScoredUnit(0, 3, -1.0, -2.0),
    ScoredUnit(3, 9, -5.0, -6.0),
    ScoredUnit(9, 12, -1.0, -2.0),
    ScoredUnit(12, 18, -4.0, -8.0),
    ScoredUnit(18, 21, -0.5, -1.0),
    ScoredUnit(21, 21, -0.25, -1.0),
)
MISSING = (
    ScoredUnit(0, 3, -1.0, -2.0),
    ScoredUnit(3, 9, -5.0, -6.0),
    ScoredUnit(9, 12, -1.0, -2.0),
    ScoredUnit(12, 15, -3.5, -1.0),
    ScoredUnit(15, 15, -0.25, -1.0),
)


def answers(
    complete: tuple[ScoredUnit, ...] | None = COMPLETE,
    missing: tuple[ScoredUnit, ...] | None = MISSING,
    *,
    seed: int | None = None,
) -> pl.DataFrame:
    rows = [
        Response("", f"small/1/{name}", "A", seed, "", "units", units)
        if units is not None
        else Response("", f"small/1/{name}", "A", seed, "", "units", None, "failed", "it broke")
        for name, units in (("complete", complete), ("missing", missing))
    ]
    return with_response_ids(responses_frame(rows, "units"), "units")


def margins(frame: pl.DataFrame) -> dict[str, float]:
    return dict(frame.select("part", "margin").iter_rows())


def test_regions_spans_sentences_and_their_quantities() -> None:
    found = margins(verdicts(ITEMS, answers()))
    assert found["1"] == pytest.approx(3.5 - 0.5)
    # 医生。 costs 4.5 nats; where the object is empty the stretch is the stop alone.
    assert found[f"{CONTROL}span"] == pytest.approx(3.5 - 4.5)
    # 9.5 nats over three units against 10.5 over four.
    assert found[f"{CONTROL}mean"] == pytest.approx(9.5 / 3 - 10.5 / 4)
    # 10.75 nats over five characters and the end, 11.75 over seven and the end.
    assert found[f"{CONTROL}characters"] == pytest.approx(10.75 / 6 - 11.75 / 8)
    # −11.75 + 20 over six units, −10.75 + 12 over five.
    assert found[f"{CONTROL}slor"] == pytest.approx(8.25 / 6 - 1.25 / 5)


def test_seeds_are_judged_apart() -> None:
    both = pl.concat([answers(seed=1), answers(missing=(*COMPLETE[:3], ScoredUnit(12, 15, -0.1, -1.0)), seed=2)])
    assert set(verdicts(ITEMS, both)["scored_system"]) == {"A (seed 1)", "A (seed 2)"}


def test_a_unit_across_an_edge_is_refused_or_treated_as_said() -> None:
    across = (*MISSING[:2], ScoredUnit(9, 15, -4.0, -3.0), MISSING[4])
    refused = verdicts(ITEMS, answers(missing=across)).filter(pl.col("part") == "1")
    assert refused["reason"].to_list() == [CROSSED]
    assert math.isnan(refused["margin"][0]) and math.isnan(refused["outcome"][0])
    assert margins(verdicts(ITEMS, answers(missing=across), "include"))["1"] == pytest.approx(4.0 - 0.5)
    # Without the unit that crosses its edge the stop has none left, and no surprisal is not a surprisal of zero.
    excluded = verdicts(ITEMS, answers(missing=across), "exclude").filter(pl.col("part") == "1")
    assert excluded["reason"].to_list() == [NO_UNIT] and math.isnan(excluded["outcome"][0])
    # 成为 了 keeps 成为: 5 nats over one unit.
    suite = parse_suite(SUITE.replace("mean(missing.verb:stop)", "mean(missing.verb)"), "small")
    kept = verdicts(suite_items([suite]), answers(missing=across), "exclude")
    assert margins(kept)[f"{CONTROL}mean"] == pytest.approx(5 - 10.5 / 4)
    # Within a stretch there is no edge to cross.
    assert margins(verdicts(ITEMS, answers(missing=across)))[f"{CONTROL}mean"] == pytest.approx(9 / 2 - 10.5 / 4)


def test_what_was_not_answered_has_a_reason() -> None:
    failed = verdicts(ITEMS, answers(missing=None))
    assert set(failed["reason"]) == {"it broke"}
    lost = verdicts(ITEMS, answers().head(1))
    assert set(lost["reason"]) == {"no answer to the condition missing"}
    assert lost["outcome"].is_nan().all()


def test_unknown_unigrams_leave_only_slor_unscored() -> None:
    bare = tuple(ScoredUnit(unit.start, unit.end, unit.logprob, None) for unit in COMPLETE)
    found = verdicts(ITEMS, answers(complete=bare))
    assert found.filter(pl.col("reason") != "").select("part", "reason").rows() == [(f"{CONTROL}slor", NO_UNIGRAMS)]


def test_a_mean_over_no_units_is_no_number() -> None:
    suite = parse_suite(SUITE.replace("mean(missing.verb:stop)", "mean(missing.object)"), "small")
    found = verdicts(suite_items([suite]), answers()).filter(pl.col("part") == f"{CONTROL}mean")
    assert found["reason"].to_list() == [NO_UNIT]


def test_items_without_predictions_are_not_judged() -> None:
    assert verdicts(ITEMS.drop("predictions"), answers()).is_empty()
    assert verdicts(ITEMS.with_columns(predictions=pl.lit(None, dtype=pl.String)), answers()).is_empty()


def test_a_prediction_about_a_region_that_is_not_there() -> None:
    without = ITEMS.with_columns(
        spans=pl.col("spans").list.eval(pl.element().filter(pl.element().struct.field("name") != "stop"))
    )
    with pytest.raises(UserError, match="no region 'stop'"):
        verdicts(without, answers())


def test_an_empty_region_adds_nothing() -> None:
    suite = parse_suite(SUITE.replace("predict: missing.stop", "predict: missing.object + missing.stop"), "small")
    assert margins(verdicts(suite_items([suite]), answers()))["1"] == pytest.approx(0 + 3.5 - 0.5)


def test_units_that_leave_out_a_region_do_not_score_it() -> None:
    found = verdicts(ITEMS, answers(complete=COMPLETE[:4])).filter(pl.col("part") == "1")
    assert found["reason"].to_list() == [NO_UNIT]


@pytest.mark.parametrize("items", [ITEMS.drop("tolerance"), ITEMS.with_columns(tolerance=pl.lit(None, pl.Float64))])
def test_items_that_name_no_tolerance_have_the_usual_one(items: pl.DataFrame) -> None:
    assert verdicts(items, answers()).equals(verdicts(ITEMS, answers()))


def test_two_sentences_of_one_condition_are_refused() -> None:
    twice = pl.concat([ITEMS, ITEMS.with_columns(id=pl.col("id") + " again")])
    responses = pl.concat([answers(), answers().with_columns(item=pl.col("item") + " again")])
    with pytest.raises(UserError, match="two answers of A to the condition 'complete'"):
        verdicts(twice, responses)
    with pytest.raises(UserError, match="two answers of A"):
        verdicts(ITEMS, pl.concat([answers(), answers()]))


def test_the_order_of_items_and_responses_is_no_matter() -> None:
    both = pl.concat([answers(seed=1), answers(seed=2)])
    keys = ["scored_system", "part"]
    expected = verdicts(ITEMS, both).sort(keys)
    assert verdicts(ITEMS.reverse(), both.sample(fraction=1, shuffle=True, seed=5)).sort(keys).equals(expected)
    assert verdicts(ITEMS, both).equals(verdicts(ITEMS, both))
