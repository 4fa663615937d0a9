"""Do suites survive as JSON, and do the schema and the reader agree on what is one?"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from hengliang import UserError
from hengliang.grammar.suites.formulas import DEFAULT_TOLERANCE, Number, Quantity, parse_formula
from hengliang.grammar.suites.json_format import (
    NEEDED,
    OPTIONAL,
    read_json_suite,
    suite_as_json,
    suite_of_json,
    suite_schema,
    write_json_suite,
)
from hengliang.grammar.suites.suite import Suite
from hengliang.grammar.suites.text_format import parse_suite

from .suite_strategies import suites

VALIDATOR = Draft202012Validator(suite_schema())
ALL: tuple[Quantity, ...] = get_args(Quantity)

TEXT = """\
# A remark.
class:      missing object / 宾语缺失
modifier:   none / 无修饰语
conditions: complete *missing
regions:    subject verb object stop
predict:    missing.stop > complete.stop
control 差: missing.verb:stop - complete.verb:stop > 0.1234567
fits:       complete.verb complete.object
balanced:   object
tolerance:  0.01

1  She became a doctor.
   complete   她 | 成为 了 | 医生 | 。
   missing    她 | 成为 了 |      | 。
"""


def example() -> Suite:
    suite = parse_suite(TEXT, "missing_object.none")
    return replace(suite, items=tuple(replace(item, line=0) for item in suite.items))


def test_the_schema_is_a_schema_and_knows_the_keys_of_the_reader() -> None:
    Draft202012Validator.check_schema(suite_schema())
    assert suite_schema()["required"] == list(NEEDED)
    assert set(suite_schema()["properties"]) == {*NEEDED, *OPTIONAL}


def test_a_suite_as_json() -> None:
    document = suite_as_json(example())
    assert document["conditions"] == [
        {"name": "complete", "acceptable": True},
        {"name": "missing", "acceptable": False},
    ]
    assert document["items"] == [
        {
            "id": "1",
            "gloss": "She became a doctor.",
            "sentences": {
                "complete": [["她"], ["成为", "了"], ["医生"], ["。"]],
                "missing": [["她"], ["成为", "了"], [], ["。"]],
            },
        }
    ]
    assert document["classifier_facts"] == [
        {
            "classifier": {"condition": "complete", "region": "verb"},
            "noun": {"condition": "complete", "region": "object"},
            "fits": True,
        }
    ]
    assert suite_of_json(document) == example()


def test_a_file_is_readable_and_read_again(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    write_json_suite(example(), file)
    text = file.read_text(encoding="utf-8")
    assert json.loads(text) == suite_as_json(example())
    assert '"complete": [["她"], ["成为", "了"], ["医生"], ["。"]]' in text
    assert max(map(len, text.splitlines())) < 140
    assert read_json_suite(file) == example()


@settings(max_examples=40)
@given(suites(ALL))
def test_every_suite_survives_and_is_valid(suite: Suite) -> None:
    document = suite_as_json(suite)
    VALIDATOR.validate(document)
    assert suite_of_json(json.loads(json.dumps(document))) == suite


def test_what_may_be_left_out() -> None:
    document = suite_as_json(example())
    for key in OPTIONAL:
        document.pop(key, None)
    del document["items"][0]["gloss"], document["conditions"][0]["acceptable"], document["predictions"][0]["counts"]
    VALIDATOR.validate(document)
    read = suite_of_json(document)
    assert (read.tolerance, read.segmented, read.remarks, read.facts) == (DEFAULT_TOLERANCE, True, (), ())
    assert read.items[0].gloss == ""
    assert read.conditions[0].acceptable
    assert read.predictions[0].counts


def test_the_order_of_sentences_is_that_of_the_conditions() -> None:
    document = suite_as_json(example())
    sentences = document["items"][0]["sentences"]
    document["items"][0]["sentences"] = dict(reversed(sentences.items()))
    assert suite_of_json(document) == example()


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=0))
def test_numbers_in_formulas_keep_all_their_digits(value: float) -> None:
    again = parse_formula(f"a.x > {Number(value)}").expression
    assert not isinstance(again, Number)
    assert str(parse_formula(str(parse_formula(f"a.x > {Number(value)}")))) == f"a.x > {Number(value)}"
    assert float(str(Number(value))) == value


# --- what is no suite -----------------------------------------------------------------------------------------------

STRUCTURE: list[tuple[str, Any]] = [
    ("format", "another"),
    ("version", 2),
    ("version", "1"),
    ("version", True),
    ("name", ""),
    ("name", 'a"b'),
    ("class", "missing object"),
    ("class", {"en": "x"}),
    ("conditions", []),
    ("conditions", ["complete"]),
    ("conditions.0.acceptable", 1),
    ("conditions.0.name", " complete"),
    ("conditions.0.more", 1),
    ("regions", "subject"),
    ("regions.0", "sub\nject"),
    ("predictions", []),
    ("predictions.0.name", "a: b"),
    ("predictions.0.formula", 3),
    ("predictions.0.counts", None),
    ("items", {}),
    ("items", []),
    ("items.0.id", 1),
    ("items.0.gloss", []),
    ("items.0.sentences", []),
    ("items.0.sentences.complete", "她成为了医生。"),
    ("items.0.sentences.complete", []),
    ("items.0.sentences.complete.0", "她"),
    ("items.0.sentences.complete.0.0", "她 们"),
    ("items.0.sentences.complete.0.0", ""),
    ("classifier_facts.0.fits", "yes"),
    ("classifier_facts.0.noun", {"condition": "complete"}),
    ("balanced", "object"),
    ("tolerance", -1),
    ("tolerance", "0"),
    ("segmented", 0),
    ("remarks", "x"),
    ("domain", None),
    ("unknown", 1),
]


def changed(document: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """Return the document with another value at a path like `items.0.id`."""
    copied = copy.deepcopy(document)
    at: Any = copied
    *keys, last = path.split(".")
    for key in keys:
        at = at[int(key)] if isinstance(at, list) else at[key]
    at[int(last) if isinstance(at, list) else last] = value
    return copied


@pytest.mark.parametrize(("path", "value"), STRUCTURE)
def test_another_structure_is_refused_by_schema_and_reader(path: str, value: object) -> None:
    document = changed(suite_as_json(example()), path, value)
    assert not VALIDATOR.is_valid(document)
    with pytest.raises(UserError, match=r"^x\.json, at \$"):
        suite_of_json(document, "x.json")


@pytest.mark.parametrize("key", NEEDED)
def test_a_missing_key_is_refused_by_schema_and_reader(key: str) -> None:
    document = suite_as_json(example())
    del document[key]
    assert not VALIDATOR.is_valid(document)
    with pytest.raises(UserError, match=f"there is no '{key}'"):
        suite_of_json(document)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("predictions.0.formula", "missing.stop", r"\$\.predictions\[0\]\.formula: .* compares nothing"),
        ("predictions.0.formula", "missing.stop > (", r"\$\.predictions\[0\]\.formula: .*⟨here⟩"),
        ("predictions.0.formula", "mising.stop > complete.stop", "is called 'mising'"),
        ("predictions.0.name", "差", "two of the prediction"),
        ("regions", ["a", "b", "c"], "is called"),
        ("items.0.sentences.complete", [["她"]], "has 1 regions"),
        ("items.0.sentences.more", [[], [], [], ["。"]], "has the conditions"),
        ("items.0.sentences.missing", [[], [], [], []], "has no words"),
        ("balanced", ["nothing"], "is called 'nothing'"),
    ],
)
def test_what_a_schema_cannot_say_is_refused_by_the_reader(path: str, value: object, problem: str) -> None:
    document = changed(suite_as_json(example()), path, value)
    VALIDATOR.validate(document)
    with pytest.raises(UserError, match=problem):
        suite_of_json(document)


def paths(value: Any, path: str = "") -> Iterator[str]:
    """Yield the path of everything in a document but the root."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, held in pairs:
        yield f"{path}{key}"
        yield from paths(held, f"{path}{key}.")


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 2), st.floats(-1, 1), st.text(max_size=3), st.just([]), st.just({})
)


@given(st.data())
def test_nothing_that_the_reader_takes_is_refused_by_the_schema(data: st.DataObject) -> None:
    document = suite_as_json(example())
    wrong = changed(document, data.draw(st.sampled_from(sorted(paths(document)))), data.draw(scalars))
    try:
        suite_of_json(wrong)
    except UserError:
        return
    assert VALIDATOR.is_valid(wrong)


@given(st.data())
def test_what_the_schema_refuses_is_refused_with_its_path(data: st.DataObject) -> None:
    document = suite_as_json(example())
    wrong = changed(document, data.draw(st.sampled_from(sorted(paths(document)))), data.draw(scalars))
    if not VALIDATOR.is_valid(wrong):
        with pytest.raises(UserError, match=r"^the suite, at \$"):
            suite_of_json(wrong)
