"""Which suites are drawn at random for tests of their exchange?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from hypothesis import strategies as st

from hengliang import Bilingual
from hengliang.grammar.suites.formulas import (
    Expression,
    Formula,
    Measured,
    Number,
    Numbers,
    Operation,
    Quantity,
    parse_formula,
)
from hengliang.grammar.suites.suite import ClassifierFact, Condition, Place, Prediction, Suite, SuiteItem, check_suite

NAMES = ("match", "no-match", "条件一", "two words", "a.b", "6", "mean", "条:件", "x|y", "50%")
WORDS = ("他", "看见", "了", "马", "。", "Windows", "XP", "don't", "3.5%", "，")


def names(least: int, most: int) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(NAMES), min_size=least, max_size=most, unique=True)


@st.composite
def terms(draw: st.DrawFn, conditions: list[str], regions: list[str], quantities: tuple[Quantity, ...]) -> Measured:
    quantity = draw(st.sampled_from(quantities))
    first = draw(st.integers(-1, len(regions) - 1))
    last = draw(st.integers(first, len(regions) - 1)) if first >= 0 else -1
    condition = draw(st.sampled_from(conditions))
    if first < 0:
        return Measured(condition, quantity=quantity)
    return Measured(condition, regions[first], regions[last], quantity)


numbers = st.one_of(st.integers(-9, 9).map(float), st.floats(0, 100, allow_subnormal=False)).map(Number)


def amounts(term: st.SearchStrategy[Measured], signs: str = "+-") -> st.SearchStrategy[Expression]:
    def longer(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        joined = st.builds(Operation, st.sampled_from(signs), inner, inner)
        return st.one_of(
            joined, st.builds(Operation, st.just("*"), st.integers(-3, 3).filter(bool).map(float).map(Number), inner)
        )

    return st.recursive(st.one_of(term, term, numbers), longer, max_leaves=4)


def formulas(term: st.SearchStrategy[Measured]) -> st.SearchStrategy[Formula]:
    amount = amounts(term)
    comparison = st.builds(Operation, st.sampled_from([">", "<", "=", ">=", "<="]), term, amount)

    def longer(inner: st.SearchStrategy[Operation]) -> st.SearchStrategy[Operation]:
        return st.builds(Operation, st.sampled_from("&|"), inner, inner)

    return st.recursive(comparison, longer, max_leaves=3).map(str).map(parse_formula)


texts = st.text(st.sampled_from("ab 好/:"), max_size=6)
titles = st.sampled_from(["none", "missing object", "a / b"])


@st.composite
def suites(draw: st.DrawFn, quantities: tuple[Quantity, ...] = ("surprisal",)) -> Suite:
    """Draw a suite; `quantities` are those of its predictions that count, controls may have any."""
    conditions, regions = draw(names(1, 3)), draw(names(1, 4))
    counted = draw(st.lists(formulas(terms(conditions, regions, quantities)), min_size=1, max_size=2))
    controls = draw(
        st.lists(formulas(terms(conditions, regions, ("surprisal", "mean", "per_character", "slor"))), max_size=1)
    )
    predictions = [Prediction(f"p {place}", formula) for place, formula in enumerate(counted)]
    predictions += [Prediction("control", formula, counts=False) for formula in controls]
    words = st.lists(st.sampled_from(WORDS), max_size=3).map(tuple)
    sentence = st.lists(words, min_size=len(regions), max_size=len(regions)).filter(any).map(tuple)
    ids = draw(st.lists(st.sampled_from(["1", "2", "10", "007", "a b", "三"]), min_size=1, max_size=3, unique=True))
    items = [SuiteItem(id, draw(texts), {name: draw(sentence) for name in conditions}) for id in ids]
    place = st.builds(Place, st.sampled_from(conditions), st.sampled_from(regions))
    return check_suite(
        Suite(
            draw(st.sampled_from(["suite.none", "一 个 套件"])),
            draw(st.builds(Bilingual, titles, titles)),
            draw(st.builds(Bilingual, titles, titles)),
            tuple(Condition(name, draw(st.booleans())) for name in conditions),
            tuple(regions),
            tuple(draw(st.permutations(predictions))),
            tuple(items),
            tuple(draw(st.lists(st.builds(ClassifierFact, place, place, st.booleans()), max_size=2))),
            tuple(draw(st.lists(st.sampled_from(regions), max_size=2))),
            draw(st.sampled_from([0.0, 1e-9, 1e-5, 0.5])),
            draw(st.booleans()),
            tuple(draw(st.lists(texts, max_size=2))),
            draw(st.sampled_from(["", "syntactic"])),
        )
    )


def region_values(suite: Suite, seed: int, size: int = 20) -> dict[tuple[str, str], Numbers]:
    """Return random surprisals of every region of every condition, and under the region "" of the whole sentence.

    They are small whole numbers, so that ties occur and sums are exact.
    """
    random = np.random.default_rng(seed)
    places = [(condition.name, region) for condition in suite.conditions for region in ("", *suite.regions)]
    return {place: random.integers(0, 4, size).astype(np.float64) for place in places}


def term_values(formula: Formula, suite: Suite, held: Mapping[tuple[str, str], Numbers]) -> dict[Measured, Numbers]:
    """Return the value of each term: of a stretch the sum of its regions; quantities do not matter here."""
    found = {}
    for term in formula.terms:
        if not term.first:
            found[term] = held[term.condition, ""]
        else:
            stretch = suite.regions[suite.regions.index(term.first) : suite.regions.index(term.last) + 1]
            found[term] = np.sum([held[term.condition, region] for region in stretch], axis=0)
    return found
