"""SyntaxGym format of test suites: formulas, layout, reading and writing.

Formulas are translated first, then the layout of a file is read as it stands; the last sections write and read whole
suites.

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
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from hengliang.core.errors import UserError
from hengliang.core.io.files import write_text
from hengliang.core.io.json_values import Value, read_value
from hengliang.core.terms import Bilingual
from hengliang.core.text.segmentation import join_words
from hengliang.grammar.suites.formulas import (
    DEFAULT_TOLERANCE,
    Expression,
    Formula,
    Measured,
    Number,
    Operation,
    parse_formula,
)
from hengliang.grammar.suites.json_format import header_as_json, suite_of_value
from hengliang.grammar.suites.suite import Condition, Prediction, Sentence, Suite, SuiteItem, check_suite, content_of

# --- formulas ---------------------------------------------------------------------------------------------------------
# Predictions are translated both ways. SyntaxGym [1] names a region by number and condition: `(6;%mismatch%) >
# (6;%match%)`, `(*;%match%)` for all regions of a sentence. It knows `+ - < > = & |`, numbers and parentheses; suites
# of its first years have square brackets. `&` and `|` bind alike there, from the left, while ours lets `&` bind more
# tightly: formulas are translated by structure, not letter by letter.

Metric = Literal["sum", "mean"]
_MOST_COPIES = 20

# --- reading formulas -------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"\s*(?:(?P<term>\(\s*(?P<region>\d+|\*)\s*;\s*%(?P<condition>[^%]*)%\s*\))"
    r"|(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)"
    r"|(?P<sign>>=|<=|==|[<>=&|+*/()\[\]-]))"
)
_LEVELS = (("&", "|"), (">", ">=", "<", "<=", "="), ("+", "-"), ("*", "/"))
_COMPARISONS = 1
_CLOSES = {"(": ")", "[": "]"}


class _Token(NamedTuple):
    kind: Literal["term", "number", "sign", "end"]
    text: str
    start: int
    region: str = ""
    condition: str = ""


def formula_of_syntaxgym(
    text: str, regions: Mapping[int, str], conditions: Mapping[str, str], metric: Metric = "sum"
) -> Formula:
    """Translate a prediction; `regions` gives our names of its numbers, `conditions` ours of its condition names.

    With the metric `mean` a region stands for its surprisal by unit, and the whole sentence for the sum of those.
    """
    reader = _Reader(text, _tokens(text), regions, conditions, metric)
    expression = reader.level(0)
    if reader.token.kind != "end":
        raise reader.error("nothing was expected here")
    return parse_formula(str(expression))


def _tokens(text: str) -> list[_Token]:
    tokens, position = [], 0
    while text[position:].strip():
        match = _TOKEN.match(text, position)
        if match is None:
            raise _mistake(text, position + len(text[position:]) - len(text[position:].lstrip()), "it cannot be read")
        kind: Literal["term", "number", "sign"] = "term" if match["term"] else "number" if match["number"] else "sign"
        sign = {"==": "="}.get(match[kind], match[kind])
        tokens.append(_Token(kind, sign, match.start(kind), match["region"] or "", (match["condition"] or "").strip()))
        position = match.end()
    return [*tokens, _Token("end", "", len(text))]


@dataclass(slots=True)
class _Reader:
    text: str
    tokens: Sequence[_Token]
    regions: Mapping[int, str]
    conditions: Mapping[str, str]
    metric: Metric
    place: int = 0

    @property
    def token(self) -> _Token:
        return self.tokens[self.place]

    def error(self, what: str) -> UserError:
        return _mistake(self.text, self.token.start, what)

    def level(self, rank: int) -> Expression:
        if rank == len(_LEVELS):
            return self.signed()
        left = self.level(rank + 1)
        compared = False
        while self.token.kind == "sign" and self.token.text in _LEVELS[rank]:
            if compared:
                raise self.error("SyntaxGym compares two sides only")
            compared = rank == _COMPARISONS
            sign = self.token.text
            self.place += 1
            left = Operation(sign, left, self.level(rank + 1))
        return left

    def signed(self) -> Expression:
        if self.token.text != "-":
            return self.atom()
        self.place += 1
        inner = self.signed()
        return Number(-inner.value) if isinstance(inner, Number) else Operation("-", Number(0.0), inner)

    def atom(self) -> Expression:
        token = self.token
        if token.kind == "term":
            term = self.term(token)
            self.place += 1
            return term
        if token.kind == "number":
            self.place += 1
            return Number(float(token.text))
        if token.text not in _CLOSES:
            raise self.error("a region (number;%condition%), a number or a bracket was expected here")
        self.place += 1
        inner = self.level(0)
        if self.token.text != _CLOSES[token.text]:
            raise self.error(f"{_CLOSES[token.text]} was expected here")
        self.place += 1
        return inner

    def term(self, token: _Token) -> Expression:
        if token.condition not in self.conditions:
            raise self.error(f"there is no condition '{token.condition}'; there are: {', '.join(self.conditions)}")
        condition = self.conditions[token.condition]
        if token.region == "*":
            return Measured(condition) if self.metric == "sum" else self.all_means(condition)
        if int(token.region) not in self.regions:
            raise self.error(f"there is no region {token.region}; there are {min(self.regions)}–{max(self.regions)}")
        region = self.regions[int(token.region)]
        return Measured(condition, region, region, "surprisal" if self.metric == "sum" else "mean")

    def all_means(self, condition: str) -> Expression:
        terms: list[Expression] = [Measured(condition, name, name, "mean") for name in self.regions.values()]
        total = terms[0]
        for term in terms[1:]:
            total = Operation("+", total, term)
        return total


def _mistake(text: str, place: int, what: str) -> UserError:
    flat = text.replace("\n", " ")
    return UserError(
        f"The formula cannot be read at character {place + 1}: {flat[:place]}⟨here⟩{flat[place:]} ({what}).",
        valid="Regions as (number;%condition%) or (*;%condition%); numbers; + - * / > < = & |; ( ) and [ ].",
    )


# --- writing formulas -------------------------------------------------------------------------------------------------


class Unsayable(UserError):
    """A formula that SyntaxGym has no way to say."""


def formula_as_syntaxgym(
    formula: Formula, regions: Mapping[str, int], conditions: Mapping[str, str], metric: Metric = "sum"
) -> str:
    """Translate a formula, or raise `Unsayable`: SLOR, surprisal by character, division, products of regions.

    What SyntaxGym says in another way is put so: a stretch of regions as their sum, `a >= b` as `a > b` or `a = b`.
    """
    return _Writer(regions, conditions, metric).written(formula.expression)


@dataclass(frozen=True, slots=True)
class _Writer:
    regions: Mapping[str, int]
    conditions: Mapping[str, str]
    metric: Metric

    def written(self, expression: Expression) -> str:
        if isinstance(expression, Number):
            size = repr(abs(expression.value)).removesuffix(".0")
            return f"(0 - {size})" if expression.value < 0 else size
        if isinstance(expression, Measured):
            return self.term(expression)
        left, right = self.inner(expression.left), self.inner(expression.right)
        if expression.sign in {">=", "<="}:
            return f"({left} {expression.sign[0]} {right}) | ({left} = {right})"
        if expression.sign == "*":
            return self.product(expression)
        if expression.sign == "/":
            raise Unsayable(f"SyntaxGym cannot divide, as in '{expression}'.")
        return f"{left} {expression.sign} {right}"

    def inner(self, expression: Expression) -> str:
        written = self.written(expression)
        return f"({written})" if isinstance(expression, Operation) else written

    def term(self, term: Measured) -> str:
        condition = self.conditions[term.condition]
        wanted = "surprisal" if self.metric == "sum" else "mean"
        if term.quantity != wanted or (self.metric == "mean" and (not term.first or term.first != term.last)):
            raise Unsayable(f"SyntaxGym cannot say '{term}' in a suite with the metric '{self.metric}'.")
        if not term.first:
            return f"(*;%{condition}%)"
        numbers = range(self.regions[term.first], self.regions[term.last] + 1)
        parts = [f"({number};%{condition}%)" for number in numbers]
        return parts[0] if len(parts) == 1 else f"({' + '.join(parts)})"

    def product(self, expression: Operation) -> str:
        """Write a multiple of something as a sum of copies; SyntaxGym does not multiply."""
        sides = (expression.left, expression.right)
        times = next((side.value for side in sides if isinstance(side, Number)), None)
        if times is None or times != int(times) or not 0 < abs(times) <= _MOST_COPIES:
            raise Unsayable(f"SyntaxGym cannot multiply, as in '{expression}'.")
        other = sides[1] if isinstance(sides[0], Number) else sides[0]
        copies = " + ".join([self.inner(other)] * int(abs(times)))
        return copies if times > 0 else f"0 - ({copies})"


# --- layout of files --------------------------------------------------------------------------------------------------
# What a suite of SyntaxGym says by itself, and where it departs from its description. Real files differ from it in some
# ways: names of regions are empty or occur twice, formulas stand as plain texts, or only in `meta.string_predictions`;
# regions carry surprisals of some model beside their content.

_METRICS: tuple[Metric, ...] = ("sum", "mean")


class ReadSuite(NamedTuple):
    """What stands in a suite of SyntaxGym; `items` are number and contents of regions by condition."""

    name: str
    metric: Metric
    regions: Mapping[int, str]
    conditions: tuple[str, ...]
    formulas: tuple[Value, ...]
    items: tuple[tuple[int, dict[str, list[str]]], ...]
    remarks: tuple[str, ...]


def read_layout(root: Mapping[str, Value], default: str) -> ReadSuite:
    """Read the four parts of a suite; it is called `default` where it has no name."""
    meta = root["meta"].object()
    metric = meta["metric"].text() if "metric" in meta else "sum"
    if metric not in _METRICS:
        raise meta["metric"].error(f"the metric '{metric}' cannot be translated", f"{', '.join(_METRICS)}.")
    regions = _regions(root["region_meta"])
    items = tuple(_sentences(item, regions) for item in root["items"].array(at_least=1))
    remarks = _remarks(meta)
    formulas = _formulas(root["predictions"], meta)
    if not root["predictions"].array() and formulas:
        remarks.append("The predictions are those of meta.string_predictions.")
    conditions = tuple(items[0][1])
    for number, (_, sentences) in enumerate(items):
        if set(sentences) != set(conditions):
            named = ", ".join(sentences)
            raise root["items"].array()[number].error(f"the conditions are {named}", f"{', '.join(conditions)}.")
    name = meta["name"].text().strip() if "name" in meta else ""
    return ReadSuite(
        name or default, "mean" if metric == "mean" else "sum", regions, conditions, formulas, items, tuple(remarks)
    )


def _regions(value: Value) -> dict[int, str]:
    """Return the names by number, in order: without spaces, none empty and none twice."""
    by_number = value.object()
    if sorted(by_number, key=_as_number) != [str(number) for number in range(1, len(by_number) + 1)] or not by_number:
        raise value.error(f"the regions are numbered {', '.join(by_number) or 'not at all'}", "1, 2, 3 and so on.")
    names: dict[int, str] = {}
    for number in range(1, len(by_number) + 1):
        plain = re.sub(r'[\s"\x00-\x1f]+', "_", by_number[str(number)].text().strip()) or f"region_{number}"
        name = plain
        while name in names.values():
            name = f"{plain}_{number}" if name == plain else f"{name}_"
        names[number] = name
    return names


def _as_number(key: str) -> int:
    return int(key) if key.isascii() and key.isdigit() else -1


def _sentences(value: Value, regions: Mapping[int, str]) -> tuple[int, dict[str, list[str]]]:
    """Return number and sentences of an item: by condition the contents of its regions."""
    parts = value.object(("item_number", "conditions"))
    sentences: dict[str, list[str]] = {}
    for condition in parts["conditions"].array(at_least=1):
        named = condition.object(("condition_name", "regions"))
        name = named["condition_name"].name()
        if name in sentences:
            raise condition.error(f"the condition '{name}' stands here a second time")
        sentences[name] = _contents(named["regions"], regions)
    return parts["item_number"].whole(), sentences


def _contents(value: Value, regions: Mapping[int, str]) -> list[str]:
    contents, last = dict.fromkeys(regions, ""), 0
    for region in value.array():
        parts = region.object(("region_number", "content"))
        number = parts["region_number"].whole()
        if number not in regions:
            raise region.error(f"there is no region {number} in region_meta", f"1–{len(regions)}.")
        if number <= last:
            raise region.error(f"region {number} stands after region {last}", "Every region once, in order.")
        contents[number], last = " ".join(parts["content"].text().split()), number
    return list(contents.values())


def _formulas(value: Value, meta: Mapping[str, Value]) -> tuple[Value, ...]:
    """Return the formulas; early suites give them as texts, or among the meta information only."""
    written = value.array() or (meta["string_predictions"].array() if "string_predictions" in meta else [])
    formulas = []
    for prediction in written:
        if isinstance(prediction.held, str):
            formulas.append(prediction)
            continue
        parts = prediction.object(("type", "formula"))
        if parts["type"].text() != "formula":
            raise parts["type"].error(f"the type '{parts['type'].text()}' is unknown", "formula.")
        formulas.append(parts["formula"])
    return tuple(formulas)


def _remarks(meta: Mapping[str, Value]) -> list[str]:
    remarks = [f"{key}: {meta[key].text()}" for key in ("author", "reference") if key in meta and meta[key].text()]
    for key in ("comment", "comments"):
        remarks += meta[key].text().splitlines() if key in meta else []
    return [remark.strip() for remark in remarks if remark.strip()]


# --- the exchange of suites -------------------------------------------------------------------------------------------


OURS = "hengliang"
VERSION = 1
EQUAL_WITHIN = 1e-3 * math.log(2)
"""Nats within which SyntaxGym holds two surprisals equal (it says 0.001 bits), used where a prediction has `=`."""

_NO_END = "A whole sentence has its end with it where a model scores the end; SyntaxGym adds up the regions alone."
_SAFE_NAME = re.compile(r"[A-Za-z0-9_-]+")


# --- writing suites ---------------------------------------------------------------------------------------------------


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
    names = [condition.name for condition in suite.conditions]
    written = {name: name for name in names if _SAFE_NAME.fullmatch(name)}
    for number, name in enumerate(names, 1):
        if name not in written:
            safe = f"condition_{number}"
            while safe in written.values():
                safe += "_"
            written[name] = safe
            notes.append(f"The condition '{name}' is called {safe}: SyntaxGym knows letters, digits, _ and - only.")
    return written


def _metric(suite: Suite) -> Metric:
    terms = [term for prediction in suite.predictions if prediction.counts for term in prediction.formula.terms]
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
        matching = [remark for remark in suite.remarks if remark.startswith(f"{key}: ")]
        if matching:
            meta[key] = matching[0].removeprefix(f"{key}: ")
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


# --- reading suites ---------------------------------------------------------------------------------------------------


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
    written = [entry.text() for entry in ours["conditions"].array()]
    names = [entry.object(("name",))["name"].name() for entry in header["conditions"].array()]
    regions = [entry.name() for entry in header["regions"].array()]
    beside = {
        entry["item_number"].whole(): entry for entry in (two.object(("item_number",)) for two in ours["items"].array())
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
    ours = [each.object(("name", "formula")) for each in value.array()]
    counted = [each for each in ours if "counts" not in each or each["counts"].truth()]
    if len(counted) != len(read.formulas):
        theirs_alone = [
            {"name": str(number), "formula": str(_translated(read, each, conditions, regions))}
            for number, each in enumerate(read.formulas, 1)
        ]
        kept = [{key: part.held for key, part in each.items()} for each in ours if each not in counted]
        return theirs_alone + kept, ["The number of predictions has changed: they are those of SyntaxGym."]
    written = {name: safe for safe, name in conditions.items()}
    numbers = {name: number for number, name in enumerate(regions, 1)}
    changed = []
    formulas = {id(each): each["formula"].text() for each in ours}
    for each, theirs in zip(counted, read.formulas, strict=True):
        if _as_they_say(each["formula"], numbers, written, read.metric) != theirs.text():
            formulas[id(each)] = str(_translated(read, theirs, conditions, regions))
            changed.append(f"The prediction '{each['name'].text()}' has changed: it is that of SyntaxGym.")
    return [{**{key: part.held for key, part in each.items()}, "formula": formulas[id(each)]} for each in ours], changed


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
    by_condition = {}
    for written, contents in sentences.items():
        name = conditions[written]
        ours = [entry.text() for entry in words[name].array()] if name in words else []
        if len(ours) != len(contents):
            ours = list(contents)
        by_condition[name] = [_words(content, apart) for content, apart in zip(contents, ours, strict=True)]
    id = beside["id"].text() if "id" in beside else str(number)
    return {"id": id, "gloss": beside["gloss"].text() if "gloss" in beside else "", "sentences": by_condition}


def _words(content: str, apart: str) -> list[str]:
    words = apart.split()
    return words if join_words(words).content == join_words(content.split()).content else content.split()
