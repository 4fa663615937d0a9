"""Does a formula say what it says, whatever the names, and is a mistake in it shown where it is?"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.grammar.suites.formulas import (
    FAILURE,
    SUCCESS,
    TIE,
    Expression,
    Formula,
    Measured,
    Number,
    Operation,
    Verdicts,
    parse_formula,
)


def judged(formula: str, **values: float) -> tuple[float, float]:
    """Evaluate a formula whose terms are all `name.x`, and return outcome and margin."""
    parsed = parse_formula(formula)
    held = {term: np.array([values[term.condition]]) for term in parsed.terms}
    found = parsed.verdicts(held, tolerance=0.01)
    return float(found.outcomes[0]), float(found.margins[0])


@pytest.mark.parametrize(
    ("formula", "values", "outcome", "margin"),
    [
        ("a.x > b.x", {"a": 3, "b": 1}, SUCCESS, 2),
        ("a.x > b.x", {"a": 1, "b": 3}, FAILURE, -2),
        ("a.x > b.x", {"a": 1, "b": 1.005}, TIE, -0.005),
        ("a.x < b.x", {"a": 1, "b": 3}, SUCCESS, 2),
        ("a.x >= b.x", {"a": 1, "b": 1.005}, SUCCESS, -0.005),
        ("a.x >= b.x", {"a": 1, "b": 1.5}, FAILURE, -0.5),
        ("a.x <= b.x", {"a": 1, "b": 1.5}, SUCCESS, 0.5),
        ("a.x = b.x", {"a": 1, "b": 1.005}, SUCCESS, -0.005),
        ("a.x = b.x", {"a": 1, "b": 4}, FAILURE, -3),
        # Precedence by hand: 2 × 3 − 1 = 5, 5 / 2 = 2.5.
        ("2 * a.x - b.x > 4", {"a": 3, "b": 1}, SUCCESS, 1),
        ("(2 * a.x - b.x) / 2 > 2", {"a": 3, "b": 1}, SUCCESS, 0.5),
        ("a.x - (b.x - c.x) > 0", {"a": 1, "b": 5, "c": 4.5}, SUCCESS, 0.5),
        ("-a.x > -b.x", {"a": 1, "b": 3}, SUCCESS, 2),
        # A conjunction holds by the least of its margins, a disjunction by the greatest.
        ("a.x > b.x & b.x > c.x", {"a": 5, "b": 3, "c": 2}, SUCCESS, 1),
        ("a.x > b.x > c.x", {"a": 5, "b": 3, "c": 2}, SUCCESS, 1),
        ("a.x > b.x > c.x", {"a": 5, "b": 1, "c": 2}, FAILURE, -1),
        ("a.x > b.x | b.x > c.x", {"a": 0, "b": 3, "c": 2}, SUCCESS, 1),
        ("a.x > b.x & b.x > c.x", {"a": 5, "b": 3, "c": 3}, TIE, 0),
        ("a.x > b.x & b.x > c.x", {"a": 1, "b": 3, "c": 3}, FAILURE, -2),
        ("a.x > b.x | b.x > c.x", {"a": 1, "b": 3, "c": 3}, TIE, 0),
        ("a.x > b.x | b.x > c.x & a.x > c.x", {"a": 4, "b": 3, "c": 9}, SUCCESS, 1),
        ("(a.x > b.x | b.x > c.x) & a.x > c.x", {"a": 4, "b": 3, "c": 9}, FAILURE, -5),
    ],
)
def test_values(formula: str, values: dict[str, float], outcome: float, margin: float) -> None:
    found, by = judged(formula, **values)
    assert found == outcome
    assert by == pytest.approx(margin)


def test_unscored_is_neither_true_nor_false() -> None:
    for formula in ("a.x > b.x", "a.x = b.x", "a.x >= b.x", "a.x > b.x & b.x > 0", "a.x > b.x | b.x > 0"):
        outcome, margin = judged(formula, a=math.nan, b=1)
        assert math.isnan(outcome) and math.isnan(margin), formula


def test_two_infinite_sides_are_a_tie() -> None:
    assert judged("a.x > b.x", a=math.inf, b=math.inf) == (TIE, 0.0)
    assert judged("a.x > b.x", a=math.inf, b=1)[0] == SUCCESS


def test_terms_are_found_once_in_order() -> None:
    formula = parse_formula('slor(good.*) > slor(bad.*) & 主语.动词:句号 < 2 * "a b"."c d" & good.* > bad.6')
    assert formula.terms == (
        Measured("good", quantity="slor"),
        Measured("bad", quantity="slor"),
        Measured("主语", "动词", "句号"),
        Measured("a b", "c d", "c d"),
        Measured("good"),
        Measured("bad", "6", "6"),
    )


def test_signs_of_print_are_read_as_those_of_keyboards() -> None:
    assert parse_formula("2 × a.x − b.x ≥ 1 ÷ c.x") == parse_formula("2 * a.x - b.x >= 1 / c.x")
    assert parse_formula("a.x == b.x") == parse_formula("a.x = b.x")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "a region"),
        ("a.x + > 3", "character 7"),
        ("a.x > b.x)", "character 10"),
        ("(a.x > b.x", ") was expected"),
        ("a.x", "compares nothing"),
        ("a.x + b.x", "compares nothing"),
        ("1 > 2", "names no region"),
        ("stop > 2", "character 1"),
        ("a.x & b.x", "joins something else than comparisons"),
        ("(a.x > b.x) + 1 > 2", "joins something else than amounts"),
        ("slor(3) > 2", "slor() takes one region"),
        ("a.x > 1e999", "too large"),
        ("a.x / 0 > b.x", "divides by zero"),
        ("a.x @ b.x > 1", "cannot be read"),
    ],
)
def test_mistakes_are_shown(text: str, part: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_formula(text)
    assert part in str(caught.value)


# --- properties -----------------------------------------------------------------------------------------------------

names = st.text(st.sampled_from("ab名词0 _-"), min_size=1, max_size=4).filter(lambda name: name.strip() == name)
quantities = st.sampled_from(["surprisal", "mean", "per_character", "slor"])
terms = st.one_of(
    st.builds(lambda condition, quantity: Measured(condition, quantity=quantity), names, quantities),
    st.builds(Measured, names, names, names, quantities),
)
amounts = st.recursive(
    terms | st.integers(0, 9).map(lambda number: Number(float(number))),
    lambda inner: st.builds(Operation, st.sampled_from("+-*"), inner, inner),
    max_leaves=4,
)
comparisons = st.builds(Operation, st.sampled_from([">", ">=", "<", "<=", "="]), terms, amounts)
statements = st.recursive(
    comparisons, lambda inner: st.builds(Operation, st.sampled_from("&|"), inner, inner), max_leaves=4
)


@given(statements)
def test_what_is_written_is_read_again(expression: Expression) -> None:
    formula = Formula(expression)
    assert parse_formula(str(formula)) == formula


finite = st.floats(-50, 50, allow_nan=False)


@given(statements, st.data())
def test_outcome_and_margin_agree(expression: Expression, data: st.DataObject) -> None:
    """A margin above the tolerance is a success and one below it, negated, a failure, whatever the formula."""
    formula = Formula(expression)
    values = {term: np.array([data.draw(finite)]) for term in formula.terms}
    found = formula.verdicts(values, tolerance=0.5)
    margin, outcome = found.margins.item(), found.outcomes.item()
    if margin > 0.5:
        assert outcome == SUCCESS
    if margin < -0.5:
        assert outcome == FAILURE


@given(st.lists(st.tuples(finite, finite), min_size=1, max_size=5))
def test_swapping_the_sides_swaps_success_and_failure(pairs: list[tuple[float, float]]) -> None:
    a, b = Measured("a", "x", "x"), Measured("b", "x", "x")
    values: Mapping[Measured, np.ndarray] = {a: np.array([x for x, _ in pairs]), b: np.array([y for _, y in pairs])}
    forward: Verdicts = parse_formula("a.x > b.x").verdicts(values)
    backward: Verdicts = parse_formula("b.x > a.x").verdicts(values)
    assert np.array_equal(forward.outcomes, 1 - backward.outcomes)
    assert np.array_equal(forward.margins, -backward.margins)


def test_names_are_read_in_nfc() -> None:
    assert parse_formula("cafe\u0301.x > b.x") == parse_formula("caf\u00e9.x > b.x")


@pytest.mark.parametrize("text", ["(" * 5000 + "a.x > b.x" + ")" * 5000, "+".join(["a.x"] * 5000) + " > b.x"])
def test_a_formula_without_end_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="too long or has too many parentheses"):
        parse_formula(text)
