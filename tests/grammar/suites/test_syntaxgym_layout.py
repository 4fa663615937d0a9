"""Is a suite of SyntaxGym read as it stands in real files, and is what is wrong with it said with its path?"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from hengliang import UserError
from hengliang.core.io import Value
from hengliang.grammar.suites.syntaxgym import ReadSuite, read_layout

SUITE: dict[str, Any] = {
    "meta": {"name": "our agreement", "metric": "sum", "author": "us", "comment": "one\ntwo"},
    "region_meta": {"1": "Subject NP", "2": "verb", "3": "", "4": "verb"},
    "predictions": [{"type": "formula", "formula": "(2;%match%) < (2;%mis match%)"}],
    "items": [
        {
            "item_number": 7,
            "conditions": [
                {
                    "condition_name": "match",
                    "regions": [
                        {"region_number": 1, "content": "The neighbour", "metric_value": {"sum": 3.5}},
                        {"region_number": 2, "content": "waters"},
                        {"region_number": 3, "content": ""},
                        {"region_number": 4, "content": " the roses. "},
                    ],
                },
                {
                    "condition_name": "mis match",
                    "regions": [
                        {"region_number": 1, "content": "The neighbour"},
                        {"region_number": 2, "content": "water"},
                        {"region_number": 4, "content": "the roses."},
                    ],
                },
            ],
        }
    ],
}


def read(document: dict[str, Any]) -> ReadSuite:
    return read_layout(Value(document, "s.json").object(), "unnamed")


def test_regions_are_named_uniquely_and_without_spaces() -> None:
    assert read(SUITE).regions == {1: "Subject_NP", 2: "verb", 3: "region_3", 4: "verb_4"}


def test_a_made_up_name_is_made_unique_as_well() -> None:
    document = {**SUITE, "region_meta": {"1": "a", "2": "a_3", "3": "a", "4": "a"}}
    assert list(read(document).regions.values()) == ["a", "a_3", "a_3_", "a_4"]


def test_sentences_by_condition() -> None:
    assert read(SUITE).items == (
        (
            7,
            {
                "match": ["The neighbour", "waters", "", "the roses."],
                "mis match": ["The neighbour", "water", "", "the roses."],
            },
        ),
    )
    assert read(SUITE).conditions == ("match", "mis match")


def test_meta_becomes_remarks() -> None:
    assert read(SUITE).remarks == ("author: us", "one", "two")
    assert read({**SUITE, "meta": {}}).name == "unnamed"
    assert read({**SUITE, "meta": {"comments": "x"}}).remarks == ("x",)


def test_predictions_may_be_texts_or_stand_in_meta() -> None:
    formula = "[(2;%match%) < (2;%mis match%)]"
    plain = read({**SUITE, "predictions": [formula]})
    assert [value.text() for value in plain.formulas] == [formula]
    inside = read({**SUITE, "predictions": [], "meta": {"string_predictions": [formula]}})
    assert [value.text() for value in inside.formulas] == [formula]
    assert inside.remarks == ("The predictions are those of meta.string_predictions.",)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("meta.metric", "median", r"\$\.meta\.metric: the metric 'median' cannot be translated"),
        ("region_meta", {"1": "a", "3": "b"}, r"\$\.region_meta: the regions are numbered 1, 3"),
        ("region_meta", {}, "numbered not at all"),
        ("predictions.0.type", "lambda", r"\$\.predictions\[0\]\.type: the type 'lambda' is unknown"),
        ("predictions", [3], r"\$\.predictions\[0\]: a number stands here"),
        ("items", [], r"\$\.items: the array has 0 elements"),
        ("items.0.item_number", "7", r"\$\.items\[0\]\.item_number: a text stands here"),
        ("items.0.conditions.1.condition_name", "match", "the condition 'match' stands here a second time"),
        ("items.0.conditions.1.condition_name", 'a"b', "is no name"),
        ("items.0.conditions.0.regions.1.region_number", 9, "there is no region 9 in region_meta"),
        ("items.0.conditions.0.regions.1.region_number", 1, "region 1 stands after region 1"),
        ("items.0.conditions.0.regions.0.content", None, r"regions\[0\]\.content: null stands here"),
    ],
)
def test_what_is_wrong_is_said_with_its_path(path: str, value: object, problem: str) -> None:
    document = copy.deepcopy(SUITE)
    at: Any = document
    *keys, last = path.split(".")
    for key in keys:
        at = at[int(key)] if isinstance(at, list) else at[key]
    at[last] = value
    with pytest.raises(UserError, match=problem):
        read(document)


def test_items_have_the_same_conditions() -> None:
    document = copy.deepcopy(SUITE)
    document["items"].append(copy.deepcopy(document["items"][0]))
    del document["items"][1]["conditions"][0]
    with pytest.raises(UserError, match=r"\$\.items\[1\]: the conditions are mis match"):
        read(document)
