"""Test suites: items, conditions, regions, predictions and classifier facts, and the checks of a suite.

An item is one set of sentences that differ in the thing under test, one sentence per condition. Every sentence is cut
into the same named regions; a region may be empty. A prediction is a formula over regions and conditions
(`hengliang.grammar.suites.formulas`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import NamedTuple

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.terms import Bilingual
from hengliang.core.text.segmentation import Segmented, join_words
from hengliang.grammar.suites.formulas import DEFAULT_TOLERANCE, Formula, Measured, parse_formula

Words = tuple[str, ...]
Sentence = tuple[Words, ...]
"""The words of each region, in the order of the suite's regions."""

WORD = "word"
"""What no region may be called, because the spans of words are."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One version of an item; `acceptable` is whether a speaker should find it good."""

    name: str
    acceptable: bool = True


@dataclass(frozen=True, slots=True)
class Prediction:
    """A named formula; one that `counts` makes up the suite's accuracy, a control is reported beside it."""

    name: str
    formula: Formula
    counts: bool = True


class Place(NamedTuple):
    """A region of a condition."""

    condition: str
    region: str

    def __str__(self) -> str:
        return f"{self.condition}.{self.region}"


@dataclass(frozen=True, slots=True)
class ClassifierFact:
    """A claim about every item: the classifier in one place fits the noun in another, or clashes with it."""

    classifier: Place
    noun: Place
    fits: bool


@dataclass(frozen=True, slots=True)
class SuiteItem:
    """One item: its id within the suite, an English gloss, and the sentence of each condition."""

    id: str
    gloss: str
    sentences: Mapping[str, Sentence]
    line: int = field(default=0, compare=False)
    """Where it stands in its file, for messages; 0 where it comes from none."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A test suite. `class_` and `modifier` place it among others; `balanced` regions have words of like frequency."""

    name: str
    class_: Bilingual
    modifier: Bilingual
    conditions: tuple[Condition, ...]
    regions: tuple[str, ...]
    predictions: tuple[Prediction, ...]
    items: tuple[SuiteItem, ...]
    facts: tuple[ClassifierFact, ...] = ()
    balanced: tuple[str, ...] = ()
    tolerance: float = DEFAULT_TOLERANCE
    segmented: bool = True
    """Whether the words are as a segmenter would give them; if not, each model finds words of its own."""
    remarks: tuple[str, ...] = ()
    domain: str = ""
    """What kind of knowledge is asked for: syntactic, semantic, or hybrid; empty where nobody said."""

    def item(self, id: str) -> SuiteItem:
        """Return the item of this id."""
        for item in self.items:
            if item.id == id:
                return item
        raise unknown_name(f"item of the suite {self.name}", id, [item.id for item in self.items])

    def words(self, item: SuiteItem, place: Place) -> Words:
        """Return the words of a region of a condition of an item."""
        return item.sentences[place.condition][self.regions.index(place.region)]


def content_of(sentence: Sentence) -> tuple[Segmented, list[tuple[int, int]]]:
    """Join the words of a sentence; return it with the spans of its words, and the span of each region in bytes."""
    joined = join_words(word for region in sentence for word in region)
    ends = [0, *(end for _, end in joined.spans)]
    counts = accumulate((len(region) for region in sentence), initial=0)
    return joined, [(ends[first], ends[last]) for first, last in pairwise(counts)]


def check_suite(suite: Suite) -> Suite:
    """Refuse a suite that contradicts itself: names twice, sentences of another shape, formulas about nothing."""
    conditions = [condition.name for condition in suite.conditions]
    for what, names in (
        ("condition", conditions),
        ("region", list(suite.regions)),
        ("prediction", [prediction.name for prediction in suite.predictions]),
        ("item", [item.id for item in suite.items]),
    ):
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise UserError(f"The suite {suite.name} has two of the {what} '{twice[0]}'.", remedy="Rename one of them.")
        if not names:
            raise UserError(
                f"The suite {suite.name} has no {what}.", remedy="See an example: hengliang suites show verb_noun.none"
            )
    if WORD in suite.regions:
        raise UserError(
            f"A region of the suite {suite.name} is called '{WORD}'.",
            valid=f"Any other name: the words of every sentence are marked by spans called '{WORD}'.",
        )
    for place, where in _places(suite):
        if place.condition not in conditions:
            raise unknown_name(f"condition of the suite {suite.name} (in {where})", place.condition, conditions)
        if place.region and place.region not in suite.regions:
            raise unknown_name(f"region of the suite {suite.name} (in {where})", place.region, suite.regions)
    for item in suite.items:
        _check_item(suite, item, conditions)
    return suite


def _places(suite: Suite) -> Iterator[tuple[Place, str]]:
    for prediction in suite.predictions:
        for term in prediction.formula.terms:
            yield Place(term.condition, term.first), f"the prediction '{prediction.name}'"
            yield Place(term.condition, term.last), f"the prediction '{prediction.name}'"
            _check_order(suite, term)
    for fact in suite.facts:
        for place in (fact.classifier, fact.noun):
            if not place.region:
                raise UserError(
                    f"A classifier fact of the suite {suite.name} names no region of the condition {place.condition}.",
                    valid=f"Regions: {' '.join(suite.regions)}.",
                )
            yield place, "a classifier fact"
    for region in suite.balanced:
        yield Place(suite.conditions[0].name, region), "the line 'balanced'"


def _check_order(suite: Suite, term: Measured) -> None:
    known = [region for region in (term.first, term.last) if region in suite.regions]
    if len(known) == 2 and suite.regions.index(term.first) > suite.regions.index(term.last):
        raise UserError(
            f"In the suite {suite.name}, '{term}' ends before it begins.",
            valid=f"Order of the regions: {' '.join(suite.regions)}.",
        )


def _check_item(suite: Suite, item: SuiteItem, conditions: Sequence[str]) -> None:
    where = f"Item {item.id} of the suite {suite.name}" + (f" (line {item.line})" if item.line else "")
    if list(item.sentences) != list(conditions):
        raise UserError(
            f"{where} has the conditions {', '.join(item.sentences)}.",
            valid=f"In this order: {', '.join(conditions)}.",
        )
    for name, sentence in item.sentences.items():
        if len(sentence) != len(suite.regions):
            raise UserError(
                f"{where} has {len(sentence)} regions in the condition {name}.",
                valid=f"{len(suite.regions)} regions apart by |: {' '.join(suite.regions)}.",
            )
        if not any(sentence):
            raise UserError(f"{where} has no words in the condition {name}.")


def predictions_as_text(suite: Suite) -> str:
    """Return the predictions as they travel with the items of a run: a line each, `predict NAME: FORMULA`."""
    return "\n".join(
        f"{'predict' if prediction.counts else 'control'} {prediction.name}: {prediction.formula}"
        for prediction in suite.predictions
    )


def predictions_of_text(text: str) -> tuple[Prediction, ...]:
    """Read what `predictions_as_text` wrote."""
    predictions = []
    for line in text.splitlines():
        head, _, formula = line.partition(": ")
        kind, _, name = head.partition(" ")
        predictions.append(Prediction(name, parse_formula(formula), kind == "predict"))
    return tuple(predictions)
