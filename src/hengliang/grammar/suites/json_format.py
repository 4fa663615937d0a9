"""JSON format of test suites: an exchange format for programs, which need not read the text format.

The layout is described by a JSON Schema that comes with the package (`suite_schema()`). The reader checks the same by
itself, needs no library for it, and says at which path something is wrong.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hengliang.core.closure import package_data
from hengliang.core.errors import UserError
from hengliang.core.io.files import write_text
from hengliang.core.io.json_values import Value, read_value
from hengliang.core.terms import Bilingual
from hengliang.grammar.suites.formulas import DEFAULT_TOLERANCE, Formula, parse_formula
from hengliang.grammar.suites.suite import (
    ClassifierFact,
    Condition,
    Place,
    Prediction,
    Sentence,
    Suite,
    SuiteItem,
    check_suite,
)

FORMAT = "hengliang suite"
VERSION = 1
NEEDED = ("format", "version", "name", "class", "modifier", "conditions", "regions", "predictions", "items")
OPTIONAL = ("domain", "classifier_facts", "balanced", "tolerance", "segmented", "remarks")


def suite_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the layout."""
    text = package_data(__name__, "suite.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


# --- writing --------------------------------------------------------------------------------------------------------


def suite_as_json(suite: Suite) -> dict[str, Any]:
    """Return a suite as a JSON object; reading it gives the suite again."""
    return {**header_as_json(suite), "items": [_item_as_json(item) for item in suite.items]}


def header_as_json(suite: Suite) -> dict[str, Any]:
    """Return everything but the items."""
    header: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "name": suite.name,
        "class": suite.class_.to_json(),
        "modifier": suite.modifier.to_json(),
        "domain": suite.domain,
        "conditions": [{"name": part.name, "acceptable": part.acceptable} for part in suite.conditions],
        "regions": list(suite.regions),
        "predictions": [
            {"name": part.name, "formula": str(part.formula), "counts": part.counts} for part in suite.predictions
        ],
        "classifier_facts": [
            {"classifier": fact.classifier._asdict(), "noun": fact.noun._asdict(), "fits": fact.fits}
            for fact in suite.facts
        ],
        "balanced": list(suite.balanced),
        "tolerance": suite.tolerance,
        "segmented": suite.segmented,
        "remarks": list(suite.remarks),
    }
    kept = {"tolerance", "segmented"}
    return {key: value for key, value in header.items() if value or key in kept or key not in OPTIONAL}


def _item_as_json(item: SuiteItem) -> dict[str, Any]:
    sentences = {name: [list(region) for region in sentence] for name, sentence in item.sentences.items()}
    return {"id": item.id, "gloss": item.gloss, "sentences": sentences}


def write_json_suite(suite: Suite, path: Path | str) -> None:
    """Write a suite as a JSON file, one sentence per line."""
    write_text(Path(path), _readable(suite_as_json(suite)))


def _readable(document: Mapping[str, Any]) -> str:
    """Return JSON that people can read: indented, but what is short on one line."""
    return _lines(document, 0) + "\n"


def _lines(value: Any, depth: int) -> str:
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or len(flat) + depth <= 120:
        return flat
    edge, inner = "\n" + " " * depth, "\n" + " " * (depth + 1)
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {_lines(member, depth + 1)}" for key, member in value.items()]
        return "{" + inner + f",{inner}".join(parts) + edge + "}"
    return "[" + inner + f",{inner}".join(_lines(member, depth + 1) for member in value) + edge + "]"


# --- reading --------------------------------------------------------------------------------------------------------


def read_json_suite(path: Path | str) -> Suite:
    """Read a suite from a JSON file."""
    return suite_of_value(read_value(path))


def suite_of_json(document: object, where: str = "the suite") -> Suite:
    """Read a suite from a JSON object; `where` names it in messages."""
    return suite_of_value(Value(document, where))


def suite_of_value(value: Value) -> Suite:
    """Read a suite from a JSON value."""
    root = value.object(NEEDED, OPTIONAL)
    _check_version(root)
    suite = Suite(
        root["name"].name(),
        _bilingual(root["class"]),
        _bilingual(root["modifier"]),
        tuple(_condition(element) for element in root["conditions"].array(at_least=1)),
        tuple(element.name() for element in root["regions"].array(at_least=1)),
        tuple(_prediction(element) for element in root["predictions"].array(at_least=1)),
        tuple(_item(element) for element in root["items"].array(at_least=1)),
        tuple(_fact(element) for element in _array(root, "classifier_facts")),
        tuple(element.name() for element in _array(root, "balanced")),
        root["tolerance"].number(at_least=0) if "tolerance" in root else DEFAULT_TOLERANCE,
        root["segmented"].truth() if "segmented" in root else True,
        tuple(element.text() for element in _array(root, "remarks")),
        root["domain"].text() if "domain" in root else "",
    )
    return check_suite(_in_order(suite))


def _check_version(root: Mapping[str, Value]) -> None:
    if root["format"].text() != FORMAT:
        raise root["format"].error(f"the format is '{root['format'].text()}'", f"'{FORMAT}'.")
    if root["version"].number() != VERSION:
        raise root["version"].error(f"the version is {root['version'].held}", f"{VERSION}.")


def _array(root: Mapping[str, Value], key: str) -> list[Value]:
    return root[key].array() if key in root else []


def _bilingual(value: Value) -> Bilingual:
    texts = value.object(("en", "zh"), ())
    return Bilingual(texts["en"].name(), texts["zh"].name())


def _condition(value: Value) -> Condition:
    parts = value.object(("name",), ("acceptable",))
    return Condition(parts["name"].name(), parts["acceptable"].truth() if "acceptable" in parts else True)


def _prediction(value: Value) -> Prediction:
    parts = value.object(("name", "formula"), ("counts",))
    name = parts["name"].name()
    if ":" in name:
        raise parts["name"].error(f"'{name}' is no name of a prediction", "A name without a colon.")
    return Prediction(name, formula_of(parts["formula"]), parts["counts"].truth() if "counts" in parts else True)


def formula_of(value: Value) -> Formula:
    """Read a formula; a mistake is shown with its path."""
    try:
        return parse_formula(value.text())
    except UserError as error:
        raise value.error(error.problem.rstrip("."), error.valid) from error


def _fact(value: Value) -> ClassifierFact:
    parts = value.object(("classifier", "noun", "fits"), ())
    return ClassifierFact(_place(parts["classifier"]), _place(parts["noun"]), parts["fits"].truth())


def _place(value: Value) -> Place:
    parts = value.object(("condition", "region"), ())
    return Place(parts["condition"].name(), parts["region"].name())


def _item(value: Value) -> SuiteItem:
    parts = value.object(("id", "sentences"), ("gloss",))
    by_condition = parts["sentences"].object()
    sentences = {unicodedata.normalize("NFC", name): _sentence(words) for name, words in by_condition.items()}
    return SuiteItem(parts["id"].name(), parts["gloss"].text() if "gloss" in parts else "", sentences)


def _sentence(value: Value) -> Sentence:
    return tuple(tuple(word.word() for word in region.array()) for region in value.array(at_least=1))


def _in_order(suite: Suite) -> Suite:
    """Put the sentences of every item into the order of the conditions, as the keys of a JSON object have none."""
    names = [condition.name for condition in suite.conditions]
    items = []
    for item in suite.items:
        same = sorted(item.sentences) == sorted(names)
        ordered = {name: item.sentences[name] for name in names} if same else item.sentences
        items.append(SuiteItem(item.id, item.gloss, ordered, item.line))
    return replace(suite, items=tuple(items))
