"""How are test suites exchanged with SyntaxGym, both ways?

A suite of SyntaxGym [1] is one JSON object: `meta`, `region_meta` (names of regions by number), `predictions` and
`items`. It has no place for class and modifier, for glosses, for words, or for what is reported but not counted.
When we write one, these stand beside it under the key `hengliang`, which SyntaxGym passes over, and are used again
when it is read, as far as nobody has changed what they are about. What SyntaxGym cannot say is refused if it counts
towards the accuracy, and else left to that key with a note.

[1] Gauthier, J., Hu, J., Wilcox, E., Qian, P., & Levy, R. (2020). SyntaxGym: An online platform for targeted evaluation
    of language models. ACL 2020, system demonstrations, 70-76.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hengliang.core.errors import UserError
from hengliang.core.io.files import write_text
from hengliang.core.io.json_values import Value, read_value
from hengliang.core.terms import Bilingual
from hengliang.core.text.segmentation import join_words
from hengliang.materials.suites.formulas import DEFAULT_TOLERANCE, Formula, parse_formula
from hengliang.materials.suites.json_format import header_as_json, suite_of_value
from hengliang.materials.suites.suite import (
    Condition,
    Prediction,
    Sentence,
    Suite,
    SuiteItem,
    check_suite,
    content_of,
)
from hengliang.materials.suites.syntaxgym_formulas import (
    Metric,
    Unsayable,
    formula_as_syntaxgym,
    formula_of_syntaxgym,
)
from hengliang.materials.suites.syntaxgym_layout import ReadSuite, read_layout

OURS = "hengliang"
VERSION = 1
EQUAL_WITHIN = 1e-3 * math.log(2)
"""Nats within which SyntaxGym holds two surprisals equal (it says 0.001 bits), used where a prediction has `=`."""

_NO_END = "A whole sentence has its end with it where a model scores the end; SyntaxGym adds up the regions alone."
_SAFE_NAME = re.compile(r"[A-Za-z0-9_-]+")


# --- writing --------------------------------------------------------------------------------------------------------


def syntaxgym_of_suite(suite: Suite) -> dict[str, Any]:
    """Return a suite as a JSON object of SyntaxGym; notes on what was put otherwise are under `hengliang.notes`."""
    notes: list[str] = []
    conditions = _written_names(suite, notes)
    metric = _metric(suite)
    numbers = _item_numbers(suite)
    predictions = [
        {"type": "formula", "formula": _counted(suite, one, conditions, metric)}
        for one in suite.predictions
        if one.counts
    ]
    if any(not one.counts for one in suite.predictions):
        notes.append("Controls are not among the predictions, as SyntaxGym would count them.")
    if any(not term.first for one in suite.predictions if one.counts for term in one.formula.terms):
        notes.append(_NO_END)
    if any(_spaced_by_syntaxgym(sentence) for item in suite.items for sentence in item.sentences.values()):
        notes.append("SyntaxGym puts a space between regions, also where the sentence has none.")
    return {
        "meta": _meta(suite, metric, notes),
        "region_meta": {str(number): name for number, name in enumerate(suite.regions, 1)},
        "predictions": predictions,
        "items": [_item(item, numbers[item.id], conditions) for item in suite.items],
        OURS: {
            "version": VERSION,
            "suite": header_as_json(suite),
            "conditions": [conditions[one.name] for one in suite.conditions],
            "items": [_ours(item, numbers[item.id]) for item in suite.items],
            "notes": notes,
        },
    }


def _written_names(suite: Suite, notes: list[str]) -> dict[str, str]:
    """Return the names of conditions for SyntaxGym, whose formulas know ASCII letters, digits, _ and - only."""
    names = [one.name for one in suite.conditions]
    written = {name: name for name in names if _SAFE_NAME.fullmatch(name)}
    for place, name in enumerate(names, 1):
        if name not in written:
            safe = f"condition_{place}"
            while safe in written.values():
                safe += "_"
            written[name] = safe
            notes.append(f"The condition '{name}' is called {safe}: SyntaxGym knows letters, digits, _ and - only.")
    return written


def _metric(suite: Suite) -> Metric:
    terms = [term for one in suite.predictions if one.counts for term in one.formula.terms]
    return "mean" if terms and all(term.quantity == "mean" for term in terms) else "sum"


def _counted(suite: Suite, prediction: Prediction, conditions: Mapping[str, str], metric: Metric) -> str:
    regions = {name: number for number, name in enumerate(suite.regions, 1)}
    try:
        return formula_as_syntaxgym(prediction.formula, regions, conditions, metric)
    except Unsayable as error:
        raise UserError(
            f"The suite {suite.name} cannot be written for SyntaxGym: in its prediction '{prediction.name}', "
            f"{error.problem}",
            valid="Sums and differences of the surprisal of regions, compared by > < =, joined by & |.",
            remedy="Write it as our own JSON instead, or make it a control.",
        ) from error


def _item_numbers(suite: Suite) -> dict[str, int]:
    """Return the ids as numbers where all of them are, else count."""
    ids = [item.id for item in suite.items]
    if all(id.isascii() and id.isdigit() and str(int(id)) == id for id in ids):
        return {id: int(id) for id in ids}
    return {id: number for number, id in enumerate(ids, 1)}


def _spaced_by_syntaxgym(sentence: Sentence) -> bool:
    contents = [join_words(region).content for region in sentence if region]
    return " ".join(contents) != content_of(sentence)[0].content


def _meta(suite: Suite, metric: Metric, notes: Sequence[str]) -> dict[str, str]:
    meta = {"name": suite.name, "metric": metric}
    for key in ("author", "reference"):
        found = [remark for remark in suite.remarks if remark.startswith(f"{key}: ")]
        if found:
            meta[key] = found[0].removeprefix(f"{key}: ")
    comment = "\n".join([*suite.remarks, *notes])
    return {**meta, "comment": comment} if comment else meta


def _item(item: SuiteItem, number: int, conditions: Mapping[str, str]) -> dict[str, Any]:
    return {
        "item_number": number,
        "conditions": [
            {
                "condition_name": conditions[name],
                "regions": [
                    {"region_number": place, "content": join_words(region).content}
                    for place, region in enumerate(sentence, 1)
                ],
            }
            for name, sentence in item.sentences.items()
        ],
    }


def _ours(item: SuiteItem, number: int) -> dict[str, Any]:
    words = {name: [" ".join(region) for region in sentence] for name, sentence in item.sentences.items()}
    return {"item_number": number, "id": item.id, "gloss": item.gloss, "words": words}


def write_syntaxgym(suite: Suite, path: Path | str) -> tuple[str, ...]:
    """Write a suite as a JSON file of SyntaxGym; return the notes on what was put otherwise."""
    document = syntaxgym_of_suite(suite)
    write_text(Path(path), json.dumps(document, ensure_ascii=False, indent=1) + "\n")
    return tuple(document[OURS]["notes"])


# --- reading --------------------------------------------------------------------------------------------------------


def read_syntaxgym(path: Path | str) -> Suite:
    """Read a suite from a JSON file of SyntaxGym."""
    return _suite_of_value(read_value(path), Path(path).stem)


def suite_of_syntaxgym(document: object, where: str = "the suite") -> Suite:
    """Read a suite from a JSON object of SyntaxGym; `where` names it in messages."""
    return _suite_of_value(Value(document, where), "syntaxgym")


def _suite_of_value(value: Value, default: str) -> Suite:
    root = value.object(("meta", "region_meta", "predictions", "items"))
    read = read_layout(root, default)
    if OURS in root:
        suite = _with_ours(read, root[OURS])
        if suite is not None:
            return suite
        changed = "What stood under 'hengliang' was passed over: conditions, regions or items have changed since."
        read = read._replace(remarks=(*read.remarks, changed))
    return _foreign(read)


def _translated(read: ReadSuite, value: Value, conditions: Mapping[str, str], regions: Sequence[str]) -> Formula:
    names = dict(zip(read.regions, regions, strict=True))
    try:
        return formula_of_syntaxgym(value.text(), names, conditions, read.metric)
    except UserError as error:
        raise value.error(error.problem.rstrip("."), error.valid) from error


def _foreign(read: ReadSuite) -> Suite:
    """Return the suite of which nothing is known but what SyntaxGym says: all conditions good, words unknown."""
    same = {name: name for name in read.conditions}
    formulas = [_translated(read, value, same, tuple(read.regions.values())) for value in read.formulas]
    remarks, tolerance = list(read.remarks), DEFAULT_TOLERANCE
    if read.metric == "mean":
        remarks.append("The metric is the mean: the formulas compare surprisal by unit.")
    if any(not term.first for formula in formulas for term in formula.terms):
        remarks.append(_NO_END)
    if any(re.search(r"(?<![<>])=", str(formula)) for formula in formulas):
        tolerance = EQUAL_WITHIN
        remarks.append("The tolerance is that of SyntaxGym for '=': 0.001 bits, without its share of the value.")
    items = [
        SuiteItem(str(number), "", {name: _split(sentences[name]) for name in read.conditions})
        for number, sentences in read.items
    ]
    return check_suite(
        Suite(
            read.name,
            Bilingual(read.name, read.name),
            Bilingual("none", "无修饰语"),
            tuple(Condition(name) for name in read.conditions),
            tuple(read.regions.values()),
            tuple(Prediction(str(number), formula) for number, formula in enumerate(formulas, 1)),
            tuple(items),
            tolerance=tolerance,
            segmented=False,
            remarks=tuple(remarks),
        )
    )


def _split(contents: Sequence[str]) -> Sentence:
    return tuple(tuple(content.split()) for content in contents)


# --- what we wrote beside it ----------------------------------------------------------------------------------------


def _with_ours(read: ReadSuite, value: Value) -> Suite | None:
    """Return the suite with what stands under our key, or None where that is about other conditions, regions, items."""
    ours = value.object(("version", "suite", "conditions", "items"))
    header = ours["suite"].object(("conditions", "regions", "predictions"))
    written = [one.text() for one in ours["conditions"].array()]
    names = [one.object(("name",))["name"].name() for one in header["conditions"].array()]
    regions = [one.name() for one in header["regions"].array()]
    beside = {
        one["item_number"].whole(): one for one in (two.object(("item_number",)) for two in ours["items"].array())
    }
    known = set(written) == set(read.conditions) and len(written) == len(names) and len(regions) == len(read.regions)
    if not known or any(number not in beside for number, _ in read.items):
        return None
    conditions = dict(zip(written, names, strict=True))
    predictions, changed = _predictions(read, header["predictions"], conditions, regions)
    remarks = [*(header["remarks"].held if "remarks" in header else []), *changed]
    items = [_mended(number, sentences, conditions, beside[number]) for number, sentences in read.items]
    document = {**ours["suite"].held, "name": read.name, "predictions": predictions, "items": items}
    if remarks:
        document["remarks"] = remarks
    return suite_of_value(Value(document, value.where, f"{value.path}.suite"))


def _predictions(
    read: ReadSuite, value: Value, conditions: Mapping[str, str], regions: Sequence[str]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the predictions: ours where they say what SyntaxGym's say, else those, and remarks on what has changed."""
    held = [one.object(("name", "formula")) for one in value.array()]
    counted = [one for one in held if "counts" not in one or one["counts"].truth()]
    if len(counted) != len(read.formulas):
        found = [
            {"name": str(number), "formula": str(_translated(read, one, conditions, regions))}
            for number, one in enumerate(read.formulas, 1)
        ]
        kept = [{key: part.held for key, part in one.items()} for one in held if one not in counted]
        return found + kept, ["The number of predictions has changed: they are those of SyntaxGym."]
    written = {name: safe for safe, name in conditions.items()}
    numbers = {name: number for number, name in enumerate(regions, 1)}
    changed = []
    formulas = {id(one): one["formula"].text() for one in held}
    for one, theirs in zip(counted, read.formulas, strict=True):
        if _as_they_say(one["formula"], numbers, written, read.metric) != theirs.text():
            formulas[id(one)] = str(_translated(read, theirs, conditions, regions))
            changed.append(f"The prediction '{one['name'].text()}' has changed: it is that of SyntaxGym.")
    return [{**{key: part.held for key, part in one.items()}, "formula": formulas[id(one)]} for one in held], changed


def _as_they_say(value: Value, regions: Mapping[str, int], conditions: Mapping[str, str], metric: Metric) -> str:
    try:
        return formula_as_syntaxgym(parse_formula(value.text()), regions, conditions, metric)
    except (UserError, KeyError):
        return ""


def _mended(
    number: int, sentences: Mapping[str, Sequence[str]], conditions: Mapping[str, str], beside: Mapping[str, Value]
) -> dict[str, Any]:
    """Return an item with the id, the gloss and the words that we wrote, as far as the words still make its content."""
    words = beside["words"].object() if "words" in beside else {}
    found = {}
    for written, contents in sentences.items():
        name = conditions[written]
        ours = [one.text() for one in words[name].array()] if name in words else []
        if len(ours) != len(contents):
            ours = list(contents)
        found[name] = [_words(content, apart) for content, apart in zip(contents, ours, strict=True)]
    id = beside["id"].text() if "id" in beside else str(number)
    return {"id": id, "gloss": beside["gloss"].text() if "gloss" in beside else "", "sentences": found}


def _words(content: str, apart: str) -> list[str]:
    words = apart.split()
    return words if join_words(words).content == join_words(content.split()).content else content.split()
