"""What each quantifier says of two numbers, in both readings."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.materials.quantified_expressions import Expression
from hengliang.materials.quantified_properties import OBJECT, prop
from hengliang.materials.quantifiers import QUANTIFIERS, READINGS, Numbers, Quantifier, Reading, quantifier
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.materials.vague_quantifiers import borders, fitted_meanings
from tests import ROOT
from tests.quantifiers_in_words import IN_WORDS, Thing, kinds_of, true_in_words

COUNTED = [held for held in QUANTIFIERS.values() if held.form != "kinds"]
NUMBERS: dict[int, list[Numbers]] = {0: [()], 1: [(0,), (1,), (2,), (3,)], 2: [(0, 1), (1, 2), (2, 4), (1, 3), (3, 1)]}
LARGEST = 7
BS, BC, RS, RC = kinds_of(DEFAULT_DOMAIN)


def name_of(held: Quantifier) -> str:
    return held.name


def pairs(held: Quantifier) -> list[tuple[int, int]]:
    """Return the pairs x, y that can be: a part is no larger than its whole."""
    free = held.form == "comparison"
    every = itertools.product(range(LARGEST + 1), repeat=2)
    return [(x, y) for x, y in every if (x + y <= LARGEST if free else y <= x)]


def things_with(held: Quantifier, x: int, y: int) -> list[Thing]:
    """Return a scene in which an expression about circles and blue things looks at just these two numbers."""
    if held.form == "comparison":  # circles against squares, so that none is both
        return [RC] * x + [RS] * y
    if held.form == "only":  # of x blue things y are circles
        return [BC] * y + [BS] * (x - y)
    return [BC] * y + [RC] * (x - y)


@pytest.mark.parametrize("held", COUNTED, ids=name_of)
def test_every_quantifier_says_what_its_definition_in_words_says(held: Quantifier) -> None:
    second = prop("square") if held.form == "comparison" else prop("blue")
    kinds = kinds_of(DEFAULT_DOMAIN)
    wrong = []
    for (x, y), numbers, reading in itertools.product(pairs(held), NUMBERS[held.numbers], READINGS):
        things = things_with(held, x, y)
        if not things:
            continue
        expression = Expression(held.name, prop("circle"), second, numbers)
        if bool(held.holds(x, y, numbers, len(things), reading)) != true_in_words(expression, things, kinds, reading):
            wrong.append((x, y, numbers, reading))
    assert wrong == []


@pytest.mark.parametrize("held", COUNTED, ids=name_of)
def test_arrays_are_judged_as_single_numbers_are(held: Quantifier) -> None:
    x, y = (np.array(column, np.int16) for column in zip(*pairs(held), strict=True))
    differing = [
        (numbers, reading)
        for numbers, reading in itertools.product(NUMBERS[held.numbers], READINGS)
        if held.holds(x, y, numbers, 9, reading).tolist()
        != [bool(held.holds(a, b, numbers, 9, reading)) for a, b in pairs(held)]
    ]
    assert differing == []


@pytest.mark.parametrize("held", [held for held in COUNTED if not held.vague], ids=name_of)
def test_what_is_conveyed_never_contradicts_what_is_said(held: Quantifier) -> None:
    dead = [
        numbers
        for numbers in NUMBERS[held.numbers]
        if any(held.holds(x, y, numbers, 9, "semantic") for x, y in pairs(held))
        and not any(held.holds(x, y, numbers, 9, "pragmatic") for x, y in pairs(held))
    ]
    assert dead == []


@pytest.mark.parametrize("name", sorted(fitted_meanings()))
def test_every_vague_word_can_be_said_of_some_share_of_twenty(name: str) -> None:
    assert any(quantifier(name).holds(20, y, (), 20) for y in range(21))


@given(st.sampled_from(COUNTED), st.integers(0, 400), st.integers(0, 400), st.integers(0, 10**8), st.integers(0, 10**8))
def test_the_pragmatic_reading_implies_the_semantic_one(held: Quantifier, x: int, y: int, n: int, m: int) -> None:
    if held.form != "comparison":
        y = min(x, y)
    numbers = (n % 7, m % 9, n, m)[: held.numbers] if n % 2 else (n, m)[: held.numbers]
    assert held.holds(x, y, numbers, 20, "semantic") or not held.holds(x, y, numbers, 20, "pragmatic")


@pytest.mark.parametrize(
    "numbers", [(1, 100_000), (99_999, 100_000), (50_000, 100_000), (10**8, 10**8), (3, 0), (0, 0)]
)
def test_fractions_of_large_numbers_do_not_run_over(numbers: tuple[int, int]) -> None:
    held = quantifier("fraction")
    x, y = np.full(401, 400, np.int16), np.arange(401, dtype=np.int16)
    # A fraction in lowest terms p/q is true of 400 things only where q divides 400: 1/2 at y = 200 and 1/1 at y = 400.
    right = {(50_000, 100_000): [200], (10**8, 10**8): [400]}.get(numbers, [])
    assert np.flatnonzero(held.holds(x, y, numbers, 400)).tolist() == right


@pytest.mark.parametrize(("times", "right"), [(2, [200]), (100, [4]), (400, [1]), (401, []), (10**8, [])])
def test_many_times_as_many_do_not_run_over(times: int, right: list[int]) -> None:
    x, y = np.full(401, 400, np.int16), np.arange(401, dtype=np.int16)
    assert np.flatnonzero(quantifier("times").holds(x, y, (times,), 400)).tolist() == right


# What people take the words to convey, a line each: of how many of five things may it be said?
@pytest.mark.parametrize(
    ("name", "numbers", "semantic", "pragmatic"),
    [
        ("all", (), [5], [5]),
        ("no", (), [0], [0]),
        ("not all", (), [0, 1, 2, 3, 4], [1, 2, 3, 4]),
        ("most", (), [3, 4, 5], [3, 4]),
        ("some", (), [1, 2, 3, 4, 5], [2, 3, 4]),
        ("less than half", (), [0, 1, 2], [1, 2]),
        ("minority", (), [1, 2], [1, 2]),
        ("only one", (), [1], [1]),
        ("number", (2,), [2, 3, 4, 5], [2]),
        ("number", (0,), [0], [0]),
        ("exactly", (2,), [2], [2]),
        ("at least", (2,), [2, 3, 4, 5], [2, 3, 4, 5]),
        ("at most", (2,), [0, 1, 2], [1, 2]),
        ("at most", (0,), [0], [0]),
        ("over", (3,), [4, 5], [4, 5]),
        ("under", (3,), [0, 1, 2], [1, 2]),
        ("under", (1,), [0], [0]),
        ("all but", (1,), [4], [4]),
        ("all but", (2,), [3], [3]),
        ("all but", (3,), [2], []),
        ("all but", (5,), [0], []),
        ("fraction", (2, 5), [2], [2]),
        ("fraction", (1, 2), [], []),
    ],
)
def test_of_how_many_of_five(name: str, numbers: Numbers, semantic: list[int], pragmatic: list[int]) -> None:
    def found(reading: Reading) -> list[int]:
        return [y for y in range(6) if quantifier(name).holds(5, y, numbers, 5, reading)]

    assert (found("semantic"), found("pragmatic")) == (semantic, pragmatic)


# Existential import: what is said of things that are not there.
@pytest.mark.parametrize("name", ["all", "every", "everything", "no", "only", "equal"])
def test_nothing_is_conveyed_about_things_that_are_not_there(name: str) -> None:
    held = quantifier(name)
    assert held.holds(0, 0, (), 4, "semantic")
    assert not held.holds(0, 0, (), 4, "pragmatic")


@pytest.mark.parametrize(
    "name", ["half", "most", "minority", "some", "the", "not all", "less than half", *fitted_meanings()]
)
@pytest.mark.parametrize("reading", READINGS)
def test_no_share_is_taken_of_nothing(name: str, reading: Reading) -> None:
    assert not quantifier(name).holds(0, 0, (), 4, reading)


@pytest.mark.parametrize(
    "name", ["all", "every", "everything", "most", "majority", "more than half", "some", "only one"]
)
def test_a_plural_is_not_said_of_a_single_thing(name: str) -> None:
    assert quantifier(name).holds(1, 1, (), 4, "semantic")
    assert not quantifier(name).holds(1, 1, (), 4, "pragmatic")


@pytest.mark.parametrize("name", sorted(fitted_meanings()))
@pytest.mark.parametrize("size", [4, 9, 20])
def test_vague_words_convey_that_it_is_not_all_and_most_of_them_that_it_is_not_one(name: str, size: int) -> None:
    held = quantifier(name)
    said_of = [(x, y) for x in range(1, size + 1) for y in range(x + 1) if held.holds(x, y, (), size)]
    least = 1 if name in {"few", "about half"} else 2
    assert [pair for pair in said_of if not least <= pair[1] < pair[0]] == []


# What nobody doubts, whatever was fitted: numbers of which a word is taken as true, and others of which it is not.
@pytest.mark.parametrize(
    ("name", "size", "taken", "not_taken"),
    [
        ("a couple", 20, [2, 3], [1, 6, 20]),
        ("a couple", 100, [2, 3], [1, 12, 29]),
        ("a couple", 6, [2, 3], [1, 6]),
        ("a few", 6, [3], [1, 6]),
        ("a few", 100, [3], [1, 15]),
        ("several", 100, [3, 4, 5], [1, 24, 67]),
        ("few", 20, [1, 2], [0, 10, 20]),
        ("few", 4, [1], [0, 2, 3, 4]),
        ("many", 20, [15, 18, 19], [2, 20]),
        ("almost all", 20, [17, 18, 19], [10, 20]),
        ("almost all", 100, [90, 99], [60, 100]),
        ("about half", 20, [9, 10, 11], [2, 18]),
    ],
)
def test_vague_words_are_not_absurd(name: str, size: int, taken: list[int], not_taken: list[int]) -> None:
    found = {y for y in range(size + 1) if quantifier(name).holds(size, y, (), size)}
    assert set(taken) <= found
    assert not found & set(not_taken)


@pytest.mark.parametrize("size", [1, 4, 6, 9, 20, 100])
def test_by_their_meaning_alone_vague_words_are_open_to_one_side(size: int) -> None:
    def found(name: str) -> list[bool]:
        return [bool(quantifier(name).holds(size, y, (), size, "semantic")) for y in range(size + 1)]

    upwards = ("a few", "a couple", "several", "many", "almost all")
    assert [name for name in upwards if found(name) != sorted(found(name))] == []
    assert found("few") == sorted(found("few"), reverse=True)
    assert found("few")[0]
    # Of all things many are, almost all are, and where there are three or more a few are.
    assert [name for name in upwards if not found(name)[-1]] == ([] if size > 2 else ["a few", "a couple", "several"])


def test_a_count_stays_what_it_is_in_larger_scenes() -> None:
    for name in ("a few", "few", "a couple", "several"):
        at_twenty, at_hundred = (
            [y for y in range(size + 1) if quantifier(name).holds(size, y, (), size)] for size in (20, 100)
        )
        assert at_twenty == at_hundred


def test_the_table_in_words_and_the_program_have_the_same_quantifiers() -> None:
    assert list(QUANTIFIERS) == list(IN_WORDS)
    assert {name for name, held in QUANTIFIERS.items() if held.vague} == set(fitted_meanings())


def test_every_quantifier_has_a_title_of_its_own_in_both_languages() -> None:
    for language in ("en", "zh"):
        titles = [held.title[language] for held in QUANTIFIERS.values()]
        assert all(titles)
        assert len(set(titles)) == len(titles)


def test_only_proportions_leave_a_rest() -> None:
    assert {held.form for held in QUANTIFIERS.values() if held.rest} == {"proportion"}


def test_an_unknown_quantifier_is_told_with_those_there_are() -> None:
    with pytest.raises(UserError, match=r"No quantifier is called 'mosst'\. Did you mean most\?"):
        quantifier("mosst")


def test_expressions_about_any_object_are_what_they_are_by_default() -> None:
    assert Expression("all").first == OBJECT == prop()


# --- the table in the documentation ---------------------------------------------------------------------------------

PAGE = ROOT / "docs" / "scenes.md"


def documented() -> dict[str, tuple[str, str, str]]:
    """Return what the page says of each quantifier: its Chinese, where it is true, what is conveyed besides."""
    text = PAGE.read_text(encoding="utf-8").partition("## All quantifiers")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in text.splitlines() if line[:2] == "| "]
    return {row[0]: (row[2], row[3], row[4].rstrip(" |") if len(row) > 4 else "") for row in rows[1:]}


def said_by(cell: str, x: int, y: int, numbers: Numbers, name: str) -> bool:
    """Return what a condition of the table, written as code, says of two numbers in a scene of nine."""
    if not cell.startswith("`"):
        return True
    n, m = (*numbers, 0, 0)[:2]
    held = borders(name, 9) if name in fitted_meanings() else None
    low, high = (held.low, held.high) if held else (0, 0)
    return bool(eval(cell.strip("`"), {}, {"x": x, "y": y, "n": n, "m": m, "low": low, "high": high}))  # our own page


def test_the_documentation_names_all_quantifiers_with_their_chinese_words() -> None:
    assert {name: row[0] for name, row in documented().items()} == {
        name: held.title.zh for name, held in QUANTIFIERS.items()
    }


@pytest.mark.parametrize("held", COUNTED, ids=name_of)
def test_the_documentation_says_what_the_program_does(held: Quantifier) -> None:
    _, semantic, conveyed = documented()[held.name]
    assert semantic.startswith("`")
    wrong = [
        (x, y, numbers)
        for (x, y), numbers in itertools.product(pairs(held), NUMBERS[held.numbers])
        if bool(held.semantic(x, y, numbers, 9)) != said_by(semantic, x, y, numbers, held.name)
        or bool(held.conveyed(x, y, numbers, 9)) != said_by(conveyed, x, y, numbers, held.name)
    ]
    assert wrong == []
