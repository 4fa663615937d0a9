"""Do predictions of SyntaxGym and ours say the same after translation, both ways?"""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.grammar.suites.formulas import SUCCESS, parse_formula
from hengliang.grammar.suites.suite import Suite
from hengliang.grammar.suites.syntaxgym import Unsayable, formula_as_syntaxgym, formula_of_syntaxgym

from .suite_strategies import region_values, suites, term_values

REGIONS = {1: "subject", 2: "verb", 3: "rest"}
CONDITIONS = {"match": "match", "mis-match": "mis-match", "c": "两 词"}


def ours(text: str) -> str:
    return str(formula_of_syntaxgym(text, REGIONS, CONDITIONS))


def theirs(text: str) -> str:
    numbers = {name: number for number, name in REGIONS.items()}
    return formula_as_syntaxgym(parse_formula(text), numbers, {ours: name for name, ours in CONDITIONS.items()})


@pytest.mark.parametrize(
    ("syntaxgym", "formula"),
    [
        ("(2;%match%) < (2;%mis-match%)", 'match.verb < "mis-match".verb'),
        ("(2;%c%)>(1;%match%)", '"两 词".verb > match.subject'),
        ("(*;%match%) < ( * ; %c% )", 'match.* < "两 词".*'),
        # The square brackets of the first suites, with the structure of the garden-path suites.
        (
            "[(2;%match%) > (2;%c%)] & [[(2;%match%) - (1;%c%) ] > [(3;%match%) - (3;%c%)]]",
            'match.verb > "两 词".verb & match.verb - "两 词".subject > match.rest - "两 词".rest',
        ),
        (
            "((1;%match%)-(1;%c%))+((2;%match%)-(2;%c%))>0",
            'match.subject - "两 词".subject + (match.verb - "两 词".verb) > 0',
        ),
        ("(1;%match%) = (1;%c%)", 'match.subject = "两 词".subject'),
        # & and | bind alike in SyntaxGym, from the left; ours binds & first and needs parentheses.
        (
            "(1;%match%) > 1 | (2;%match%) > 2 & (3;%match%) > 3",
            "(match.subject > 1 | match.verb > 2) & match.rest > 3",
        ),
        ("(1;%match%) - 2 - 1 > -.5".replace("-.5", "-0.5"), "match.subject - 2 - 1 > -0.5"),
        ("[(1;%match%) + (2;%match%)] / 2 < (1;%c%)", '(match.subject + match.verb) / 2 < "两 词".subject'),
    ],
)
def test_predictions_in_our_formulas(syntaxgym: str, formula: str) -> None:
    assert ours(syntaxgym) == formula


def test_the_mean_of_a_sentence_is_the_sum_of_those_of_its_regions() -> None:
    found = formula_of_syntaxgym("(*;%match%) > (2;%match%)", REGIONS, CONDITIONS, "mean")
    assert str(found) == "mean(match.subject) + mean(match.verb) + mean(match.rest) > mean(match.verb)"


@pytest.mark.parametrize(
    ("syntaxgym", "problem"),
    [
        ("(4;%match%) > 0", "there is no region 4; there are 1–3"),
        ("(1;%macth%) > 0", "there is no condition 'macth'"),
        ("(1;%match%) > 1 > 0", "compares two sides only"),
        ("((1;%match%) > 0", r"\) was expected"),
        ("[(1;%match%)) > 0", "] was expected"),
        ("(1;%match%) > ", "a region"),
        ("(1;%match%) 3 > 2", "nothing was expected"),
        ("abs((1;%match%)) > 3", r"character 1: ⟨here⟩abs"),
        ("~[(1;%match%) > 3]", "⟨here⟩~"),
        ("(1;%match%)", "compares nothing"),
        ("1 > 0", "names no region"),
        ("(1;%match%) & 3 > 2", "joins something else"),
    ],
)
def test_what_cannot_be_read_is_shown(syntaxgym: str, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        ours(syntaxgym)


@pytest.mark.parametrize(
    ("formula", "syntaxgym"),
    [
        ("match.verb > match.subject", "(2;%match%) > (1;%match%)"),
        ("match.subject:rest > match.*", "((1;%match%) + (2;%match%) + (3;%match%)) > (*;%match%)"),
        ('"两 词".verb >= 0.5', "((2;%c%) > 0.5) | ((2;%c%) = 0.5)"),
        ("-match.verb < -1", "(0 - ((2;%match%))) < (0 - 1)"),
        ("2 * match.verb > match.rest", "((2;%match%) + (2;%match%)) > (3;%match%)"),
        (
            "match.verb > 1 & (match.rest > 2 | match.rest < 1)",
            "((2;%match%) > 1) & (((3;%match%) > 2) | ((3;%match%) < 1))",
        ),
    ],
)
def test_our_formulas_in_those_of_syntaxgym(formula: str, syntaxgym: str) -> None:
    assert theirs(formula) == syntaxgym


@pytest.mark.parametrize(
    "formula",
    [
        "slor(match.*) > 0",
        "per_character(match.verb) > 0",
        "mean(match.verb) > match.rest",
        "match.verb / 2 > 0",
        "0.5 * match.verb > 0",
        "match.verb * match.rest > 0",
        "100 * match.verb > 0",
    ],
)
def test_what_syntaxgym_cannot_say(formula: str) -> None:
    with pytest.raises(Unsayable, match="SyntaxGym cannot"):
        theirs(formula)


def test_a_suite_of_means_says_single_regions_only() -> None:
    numbers = {name: number for number, name in REGIONS.items()}
    names = {ours: name for name, ours in CONDITIONS.items()}
    assert formula_as_syntaxgym(parse_formula("mean(match.verb) > 1"), numbers, names, "mean") == "(2;%match%) > 1"
    for formula in ("mean(match.subject:verb) > 1", "mean(match.*) > 1", "match.verb > 1"):
        with pytest.raises(Unsayable):
            formula_as_syntaxgym(parse_formula(formula), numbers, names, "mean")


def numbered(suite: Suite) -> tuple[dict[str, int], dict[str, str]]:
    regions = {name: number for number, name in enumerate(suite.regions, 1)}
    return regions, {one.name: f"c{place}" for place, one in enumerate(suite.conditions)}


@pytest.mark.untraced
@settings(max_examples=40)
@given(suites(), st.integers(0, 2**32))
def test_there_and_back_a_formula_says_the_same(suite: Suite, seed: int) -> None:
    regions, conditions = numbered(suite)
    held = region_values(suite, seed)
    for prediction in suite.predictions:
        if not prediction.counts:
            continue
        written = formula_as_syntaxgym(prediction.formula, regions, conditions)
        back = formula_of_syntaxgym(
            written,
            {number: name for name, number in regions.items()},
            {safe: name for name, safe in conditions.items()},
        )
        first, second = (
            formula.verdicts(term_values(formula, suite, held), tolerance=0.25)
            for formula in (prediction.formula, back)
        )
        np.testing.assert_array_equal(first.outcomes, second.outcomes)
        np.testing.assert_allclose(first.margins, second.margins, rtol=1e-12, atol=1e-12)


@pytest.mark.untraced
@settings(max_examples=40)
@given(suites(), st.integers(0, 2**32))
def test_python_reads_a_written_prediction_alike(suite: Suite, seed: int) -> None:
    """Everything is in parentheses, so that Python's own rules read a prediction as SyntaxGym does.

    A tie is what differs: it is no success there.
    """
    regions, conditions = numbered(suite)
    held = region_values(suite, seed, size=1)
    numbers = {
        (conditions[condition], str(regions.get(region, "*"))): float(value[0])
        for (condition, region), value in held.items()
    }
    for prediction in suite.predictions:
        if not prediction.counts:
            continue
        written = formula_as_syntaxgym(prediction.formula, regions, conditions)
        shown = re.sub(r"\(([\d*]+);%(\w+)%\)", lambda match: repr(numbers[match[2], match[1]]), written)
        truth = bool(eval(shown.replace(" = ", " == ")))
        outcome = prediction.formula.verdicts(term_values(prediction.formula, suite, held), tolerance=0.0).outcomes[0]
        assert truth == (outcome == SUCCESS)
