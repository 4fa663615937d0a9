"""Is a set judged by its formulas, are ties told, and does a coin fall the same way each time?"""

from __future__ import annotations

import polars as pl
import pytest

from hengliang import Response, UserError
from hengliang.core import Finding, ScoredUnit, check_judgements, closure, responses_frame, with_response_ids
from hengliang.grammar.prediction import PredictionMeasure, prediction, surprisal_difference
from hengliang.grammar.suites.formulas import Formula
from hengliang.grammar.suites.library import suite_items
from hengliang.grammar.suites.text_format import parse_suite
from hengliang.language_models import RegionScores

NUMBER = 40
SUITE = "class: c\nconditions: good *bad\nregions: rest stop\npredict: bad.stop > good.stop\n\n" + "\n\n".join(
    f"{number}  A gloss.\n   good  好{number} | 。\n   bad   坏{number} | 。" for number in range(1, NUMBER + 1)
)
ITEMS = suite_items([parse_suite(SUITE, "s")])


def scored(stops: dict[str, float]) -> pl.DataFrame:
    """Return answers in which the stop of each sentence costs as many nats as the id of its item says, else 1."""
    rows = []
    for item, content in ITEMS.select("id", "content").iter_rows():
        edge, end = len(content.encode()) - 3, len(content.encode())
        units = (ScoredUnit(0, edge, -2.0, None), ScoredUnit(edge, end, -stops.get(item, 1.0), None))
        rows.append(Response("", item, "A", None, "", "units", units))
    return with_response_ids(responses_frame(rows, "units"), "units")


def test_success_failure_and_tie() -> None:
    found = prediction().judge(ITEMS, scored({"s/1/bad": 3.0, "s/2/good": 2.5}))
    check_judgements(found)
    first, second, third = found.head(3).iter_rows(named=True)
    assert (first["about"], first["value"], first["label"]) == ("s/1", 1.0, "success")
    assert (second["value"], second["label"]) == (0.0, "failure")
    assert (third["value"], third["label"], third["status"]) == (0.0, "tie", "ok")
    difference = surprisal_difference().judge(ITEMS, scored({"s/1/bad": 3.0, "s/2/good": 2.5}))
    check_judgements(difference)
    assert difference["value"].to_list()[:3] == [2.0, -1.5, 0.0]
    assert set(difference["measure"]) == {"surprisal difference"}


def test_a_coin_settles_ties_only_and_by_its_seed() -> None:
    answers = scored({"s/1/bad": 3.0, "s/2/good": 2.5})
    tossed = prediction("coin", coin_seed=1).judge(ITEMS, answers)
    assert tossed["value"].to_list()[:2] == [1.0, 0.0]
    assert tossed["label"].to_list()[:2] == ["success", "failure"]
    labels = {1.0: "tie won", 0.0: "tie lost"}
    assert tossed["label"].to_list()[2:] == [labels[value] for value in tossed["value"][2:]]
    # 38 fair coins: fewer than 6 or more than 32 heads have a probability below 1e-5.
    assert 6 <= tossed["value"][2:].sum() <= 32
    assert tossed.equals(
        prediction("coin", coin_seed=1)
        .judge(ITEMS, answers.reverse())
        .sort("about")
        .join(tossed.select("about"), on="about", maintain_order="right")
        .select(tossed.columns)
    )
    assert not tossed.equals(prediction("coin", coin_seed=2).judge(ITEMS, answers))


def test_a_coin_does_not_depend_on_the_other_sets() -> None:
    answers = scored({})
    whole = prediction("coin").judge(ITEMS, answers)
    part = prediction("coin").judge(ITEMS.tail(6), answers)
    assert part.equals(whole.filter(pl.col("about").is_in(part["about"].to_list())))


def test_an_unscored_set_is_missing() -> None:
    answers = scored({}).with_columns(
        content=pl.when(pl.col("item") != "s/1/bad").then("content"),
        reason=pl.when(pl.col("item") == "s/1/bad").then(pl.lit("too long")).otherwise(pl.lit("")),
    )
    for measure in (prediction(), prediction("coin"), surprisal_difference()):
        row = check_judgements(measure.judge(ITEMS, answers)).row(0, named=True)
        assert (row["value"], row["label"], row["status"], row["reason"]) == (None, None, "missing", "too long")


def test_an_unknown_treatment_of_ties_is_refused() -> None:
    with pytest.raises(UserError, match="treatment of ties"):
        PredictionMeasure(ties="half").judge(ITEMS, scored({}))  # type: ignore[arg-type]


def test_the_measures_keep_their_promises() -> None:
    for measure in (prediction(), prediction("coin"), surprisal_difference()):
        findings: list[Finding] = list(measure.conformance())
        assert findings and all(finding.kept for finding in findings), findings


def test_the_code_of_formulas_and_regions_is_in_the_signature() -> None:
    for measure in (prediction(), surprisal_difference()):
        reached = closure(type(measure))
        assert dict(measure.signature().pairs)["code"] == reached.checksum
        assert reached.reaches(Formula) and reached.reaches(RegionScores)


# --- what a report shows ----------------------------------------------------------------------------------------------


def test_items_that_fail_are_a_view_of_the_first_measure_of_this_kind() -> None:
    answers = scored({"s/1/bad": 3.0, "s/2/good": 2.5})
    measures = prediction(name="holds"), prediction("coin"), surprisal_difference()
    judged = pl.concat([measure.judge(ITEMS, answers) for measure in measures])
    # A stranger's measure may have the same words for its labels, and stand before ours.
    strange = judged.head(1).with_columns(measure=pl.lit("strange"), judge=pl.lit("somebody"), about=pl.lit("x"))
    given = [measure.views(ITEMS, {"units": answers}, pl.concat([strange, judged])) for measure in measures]
    assert [len(views) for views in given] == [1, 0, 0]
    ((view,), *_) = given
    (suite,) = view.data
    # One set of 40 holds, one fails, and a tie does not satisfy `>` either.
    assert (suite["name"], suite["n_items"], suite["n_failing"]) == ("s", NUMBER, NUMBER - 1)


def test_where_no_model_was_asked_nothing_is_shown() -> None:
    judged = prediction().judge(ITEMS, scored({}))
    assert prediction().views(ITEMS, {}, judged) == ()
    assert prediction().views(ITEMS, {"units": scored({})}, judged.clear()) == ()


def test_what_a_report_shows_is_no_part_of_the_signature() -> None:
    assert not any(name.startswith("hengliang.report") for name in closure(PredictionMeasure).modules)
