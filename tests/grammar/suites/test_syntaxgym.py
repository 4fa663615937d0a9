"""Do suites survive the exchange with SyntaxGym, and is what it cannot say noted or refused?"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.grammar.suites.formulas import DEFAULT_TOLERANCE, parse_formula
from hengliang.grammar.suites.suite import Prediction, Suite, content_of
from hengliang.grammar.suites.syntaxgym import (
    EQUAL_WITHIN,
    read_syntaxgym,
    suite_of_syntaxgym,
    syntaxgym_of_suite,
    write_syntaxgym,
)
from hengliang.grammar.suites.text_format import parse_suite

from .suite_strategies import region_values, suites, term_values
from .test_syntaxgym_layout import SUITE

TEXT = """\
# author: us
class:      missing object / 宾语缺失
modifier:   none / 无修饰语
conditions: complete *missing
regions:    subject verb object stop
predict:    missing.object:stop > complete.stop
control:    slor(complete.*) > slor(missing.*)

1  She became a doctor.
   complete   她 | 成为 了 | 医生 | 。
   missing    她 | 成为 了 |      | 。
"""


def example() -> Suite:
    suite = parse_suite(TEXT, "missing_object.none")
    return replace(suite, items=tuple(replace(item, line=0) for item in suite.items))


def sentences(suite: Suite) -> list[list[str]]:
    return [[content_of(one)[0].content for one in item.sentences.values()] for item in suite.items]


# --- written --------------------------------------------------------------------------------------------------------


def test_a_suite_for_syntaxgym() -> None:
    document = syntaxgym_of_suite(example())
    assert document["meta"]["name"] == "missing_object.none"
    assert document["meta"]["metric"] == "sum"
    assert document["meta"]["author"] == "us"
    assert document["region_meta"] == {"1": "subject", "2": "verb", "3": "object", "4": "stop"}
    assert document["predictions"] == [
        {"type": "formula", "formula": "((3;%missing%) + (4;%missing%)) > (4;%complete%)"}
    ]
    assert document["items"][0]["item_number"] == 1
    assert document["items"][0]["conditions"][1] == {
        "condition_name": "missing",
        "regions": [
            {"region_number": 1, "content": "她"},
            {"region_number": 2, "content": "成为了"},
            {"region_number": 3, "content": ""},
            {"region_number": 4, "content": "。"},
        ],
    }


def test_what_is_put_otherwise_is_noted() -> None:
    notes = syntaxgym_of_suite(example())["hengliang"]["notes"]
    assert notes == [
        "Controls are not among the predictions, as SyntaxGym would count them.",
        "SyntaxGym puts a space between regions, also where the sentence has none.",
    ]
    assert all(note in syntaxgym_of_suite(example())["meta"]["comment"] for note in notes)


def test_what_counts_and_cannot_be_said_is_refused() -> None:
    suite = replace(example(), predictions=(Prediction("1", parse_formula("slor(complete.*) > 0")),))
    with pytest.raises(UserError, match="in its prediction '1', SyntaxGym cannot say") as caught:
        syntaxgym_of_suite(suite)
    assert "our own JSON" in caught.value.remedy


def test_a_suite_of_means_has_the_metric_mean() -> None:
    formula = parse_formula("mean(missing.stop) > mean(complete.stop)")
    suite = replace(example(), predictions=(Prediction("1", formula),))
    document = syntaxgym_of_suite(suite)
    assert document["meta"]["metric"] == "mean"
    assert document["predictions"][0]["formula"] == "(4;%missing%) > (4;%complete%)"
    assert suite_of_syntaxgym(document) == suite


def test_names_that_syntaxgym_does_not_know_are_replaced(tmp_path: Path) -> None:
    suite = parse_suite(
        TEXT.replace("complete", "完整")
        .replace("missing.", "condition_1.")
        .replace("*missing", "*condition_1")
        .replace("missing  ", "condition_1  "),
        "x",
    )
    document = syntaxgym_of_suite(suite)
    names = [one["condition_name"] for one in document["items"][0]["conditions"]]
    assert names == ["condition_1_", "condition_1"]
    assert document["predictions"][0]["formula"].endswith("(4;%condition_1_%)")
    assert "'完整' is called condition_1_" in document["hengliang"]["notes"][0]
    assert [one.name for one in suite_of_syntaxgym(document).conditions] == ["完整", "condition_1"]


# --- there and back -------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(suites())
def test_a_suite_comes_back_as_it_was(suite: Suite) -> None:
    document = json.loads(json.dumps(syntaxgym_of_suite(suite)))
    assert suite_of_syntaxgym(document) == suite


@settings(max_examples=40)
@given(suites(), st.integers(0, 2**32))
def test_without_our_key_sentences_order_and_meaning_come_back(suite: Suite, seed: int) -> None:
    document = syntaxgym_of_suite(suite)
    conditions = document.pop("hengliang")["conditions"]
    back = suite_of_syntaxgym(document)
    assert [len(item.sentences) for item in back.items] == [len(suite.conditions)] * len(suite.items)
    assert [one.name for one in back.conditions] == conditions
    # Contents lose the spaces inside; a mark at the end of a Latin word is no word of its own any more.
    assert [[one.replace(" ", "") for one in row] for row in sentences(back)] == [
        [one.replace(" ", "") for one in row] for row in sentences(suite)
    ]
    held = region_values(suite, seed)
    renamed = {
        (written, there): held[one.name, here]
        for written, one in zip(conditions, suite.conditions, strict=True)
        for here, there in zip(("", *suite.regions), ("", *back.regions), strict=True)
    }
    counted = [one for one in suite.predictions if one.counts]
    for ours, theirs in zip(counted, back.predictions, strict=True):
        first = ours.formula.verdicts(term_values(ours.formula, suite, held), tolerance=0.25)
        second = theirs.formula.verdicts(term_values(theirs.formula, back, renamed), tolerance=0.25)
        np.testing.assert_array_equal(first.outcomes, second.outcomes)


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    notes = write_syntaxgym(example(), file)
    assert len(notes) == 2
    assert read_syntaxgym(file) == example()


# --- changed by others ----------------------------------------------------------------------------------------------


def test_a_changed_formula_wins_over_ours() -> None:
    document = syntaxgym_of_suite(example())
    document["predictions"][0]["formula"] = "(4;%missing%) > (4;%complete%)"
    back = suite_of_syntaxgym(document)
    assert [str(one.formula) for one in back.predictions] == [
        "missing.stop > complete.stop",
        "slor(complete.*) > slor(missing.*)",
    ]
    assert back.remarks[-1] == "The prediction '1' has changed: it is that of SyntaxGym."


def test_another_number_of_formulas_wins_over_ours() -> None:
    document = syntaxgym_of_suite(example())
    document["predictions"].append({"type": "formula", "formula": "(1;%missing%) = (1;%complete%)"})
    back = suite_of_syntaxgym(document)
    assert [(one.name, one.counts) for one in back.predictions] == [("1", True), ("2", True), ("control 1", False)]
    assert "number of predictions has changed" in back.remarks[-1]


def test_a_changed_content_wins_over_our_words() -> None:
    document = syntaxgym_of_suite(example())
    document["items"][0]["conditions"][0]["regions"][2]["content"] = "老师"
    item = suite_of_syntaxgym(document).items[0]
    assert item.sentences["complete"] == (("她",), ("成为", "了"), ("老师",), ("。",))
    assert item.gloss == "She became a doctor."


@pytest.mark.parametrize("change", ["region", "item", "condition"])
def test_our_key_is_passed_over_when_it_is_about_something_else(change: str) -> None:
    document = syntaxgym_of_suite(example())
    if change == "region":
        document["region_meta"]["5"] = "more"
    elif change == "item":
        document["items"][0]["item_number"] = 99
    else:
        document["items"][0]["conditions"][0]["condition_name"] = "whole"
        document["predictions"][0]["formula"] = "(4;%missing%) > (4;%whole%)"
    back = suite_of_syntaxgym(document)
    assert "was passed over" in back.remarks[-1]
    assert not back.segmented


# --- written by others ----------------------------------------------------------------------------------------------


def test_a_suite_of_others() -> None:
    suite = suite_of_syntaxgym(SUITE)
    assert suite.name == suite.class_.en == "our agreement"
    assert suite.modifier.en == "none"
    assert suite.regions == ("Subject_NP", "verb", "region_3", "verb_4")
    assert [str(one.formula) for one in suite.predictions] == ['match.verb < "mis match".verb']
    assert sentences(suite) == [["The neighbour waters the roses.", "The neighbour water the roses."]]
    assert suite.items[0].id == "7"
    assert not suite.segmented
    assert suite.tolerance == DEFAULT_TOLERANCE
    assert all(one.acceptable for one in suite.conditions)


def test_equality_brings_the_tolerance_of_syntaxgym() -> None:
    suite = suite_of_syntaxgym({**SUITE, "predictions": ["(2;%match%) = (2;%mis match%)"]})
    # A thousandth of a bit: 0.001 × ln 2.
    assert suite.tolerance == EQUAL_WITHIN == pytest.approx(0.000693147, rel=1e-6)
    assert "0.001 bits" in suite.remarks[-1]


def test_the_mean_is_noted() -> None:
    suite = suite_of_syntaxgym({**SUITE, "meta": {"name": "x", "metric": "mean"}})
    assert str(suite.predictions[0].formula) == 'mean(match.verb) < mean("mis match".verb)'
    assert "surprisal by unit" in suite.remarks[-1]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"predictions": []}, "has no prediction"),
        ({"predictions": ["(9;%match%) > 0"]}, r"s\.json, at \$\.predictions\[0\]: .*there is no region 9"),
        ({"items": None}, r"\$\.items: null stands here"),
        ({"meta": {"name": 3}}, r"\$\.meta\.name: a number stands here"),
        ({"hengliang": {"version": 1}}, r"\$\.hengliang: there is no 'suite'"),
    ],
)
def test_what_is_wrong_is_said_with_its_path(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        suite_of_syntaxgym({**SUITE, **change}, "s.json")


def test_a_part_that_is_missing_is_named() -> None:
    with pytest.raises(UserError, match="there is no 'region_meta'"):
        suite_of_syntaxgym({"meta": {}})


def test_that_a_whole_sentence_has_its_end_is_noted() -> None:
    whole = suite_of_syntaxgym({**SUITE, "predictions": ["(*;%match%) < (*;%mis match%)"]})
    assert any("SyntaxGym adds up the regions alone" in remark for remark in whole.remarks)
    assert any(
        "SyntaxGym adds up the regions alone" in note for note in syntaxgym_of_suite(whole)["hengliang"]["notes"]
    )
    assert not any("the regions alone" in remark for remark in suite_of_syntaxgym(SUITE).remarks)
