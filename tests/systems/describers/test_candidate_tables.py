"""Does the table tell the truth, and the strongest truth?"""

from __future__ import annotations

import itertools
from math import gcd

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.materials.quantified_expressions import Expression, denotation, is_true
from hengliang.materials.quantifiers import QUANTIFIERS, READINGS, Numbers, Reading
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.materials.scenes import Scene, read_scene, scene_space
from hengliang.systems.describers import candidate_tables
from hengliang.systems.describers.candidate_tables import DENOMINATORS, CandidateTable, candidate_table
from hengliang.systems.describers.candidates import Candidate, candidates
from tests.systems.describers.scene_strategies import scenes

EVERYTHING = tuple(QUANTIFIERS)


def table_of(scene: Scene, reading: Reading = "pragmatic", names: tuple[str, ...] = EVERYTHING) -> CandidateTable:
    return candidate_table(scene.domain, scene.size, names, reading)


def expressions(scene: Scene, reading: Reading = "pragmatic", names: tuple[str, ...] = EVERYTHING) -> list[Expression]:
    table = table_of(scene, reading, names)
    return [table.expression(statement) for statement in table.true_of(scene.counts).tolist()]


def said_numbers(candidate: Candidate, size: int) -> list[Numbers]:
    """Return the numbers with which a candidate may be said, found without the table."""
    held = QUANTIFIERS[candidate.quantifier]
    if held.numbers == 2:
        # Two quarters are a half, which has a word of its own.
        return [(part, whole) for whole in DENOMINATORS for part in range(1, whole) if gcd(part, whole) == 1]
    least = 2 if held.name in ("number", "times") else 1
    most = size - 1 if held.name == "at most" else size
    return [(number,) for number in range(least, most + 1)] if held.numbers else [()]


@settings(max_examples=60)
@given(scenes(largest=9), st.sampled_from(READINGS), st.integers(0, 10**6))
def test_what_is_true_is_what_brute_force_finds(scene: Scene, reading: Reading, start: int) -> None:
    held = candidates(scene.domain, EVERYTHING)
    some = [held[(start + 37 * step) % len(held)] for step in range(60)]
    found = expressions(scene, reading)
    by_candidate = {Candidate(one.quantifier, one.first, one.second, one.rest): one for one in found}
    assert len(by_candidate) == len(found)
    true = {
        candidate: [
            candidate.expression(numbers)
            for numbers in said_numbers(candidate, scene.size)
            if is_true(candidate.expression(numbers), scene, reading)
        ]
        for candidate in some
    }
    # Whatever is true is there, with one of the numbers that make it true, and nothing else is.
    assert {candidate for candidate, held in true.items() if held} == {one for one in some if one in by_candidate}
    assert [one for one in true if true[one] and by_candidate[one] not in true[one]] == []


@settings(max_examples=25)
@given(scenes(largest=8, domains=(DEFAULT_DOMAIN,)), st.sampled_from(READINGS))
def test_no_other_number_would_have_said_more(scene: Scene, reading: Reading) -> None:
    space = scene_space(scene.domain, scene.size)
    numbered = tuple(name for name, one in QUANTIFIERS.items() if one.numbers)
    weaker = [
        (str(found), str(other))
        for found in expressions(scene, reading, numbered)
        for other in (
            Expression(found.quantifier, found.first, found.second, numbers, found.rest)
            for numbers in said_numbers(Candidate(found.quantifier), scene.size)
        )
        if is_true(other, scene, reading) and denotation(found, space, reading) & ~denotation(other, space, reading)
    ]
    assert weaker == []


@settings(max_examples=40)
@given(scenes(largest=9), st.sampled_from(READINGS))
def test_sets_are_denotations_and_each_is_kept_once(scene: Scene, reading: Reading) -> None:
    table, space = table_of(scene, reading), scene_space(scene.domain, scene.size)
    bit = space.bit(scene)
    wrong = []
    for statement in table.true_of(scene.counts).tolist()[::5]:
        held = table.sets[table.set_number(statement)]
        if held != denotation(table.expression(statement), space, reading) or not held & bit:
            wrong.append(str(table.expression(statement)))
    assert wrong == []
    assert len(set(table.sets)) == len(table.sets) == len(table.sizes)
    assert table.sizes == [held.bit_count() for held in table.sets]


def test_an_example_by_hand() -> None:
    # One blue square and three red circles: three of four objects are red circles, the one square is blue.
    found = {str(one) for one in expressions(read_scene("BS=1 RC=3"), names=("fraction", "the", "exactly", "times"))}
    assert {"fraction(3/4; object, red circle)", "fraction(1/4; object, blue)", "the(square, blue)"} <= found
    assert {
        "exactly(3; circle, red)",
        "times(3; circle, square)",
        "fraction(1/4; object, square, rest red circle)",
    } <= found
    assert not [text for text in found if text.startswith("fraction(1/2") or "exactly(0" in text]


def test_halves_are_no_fractions_and_one_is_no_bare_number() -> None:
    found = expressions(read_scene("BS=2 BC=1 RS=1"), names=("fraction", "number", "half"))
    assert {one.numbers for one in found if one.quantifier == "fraction"} == {(1, 4), (3, 4), (1, 3), (2, 3)}
    assert {one.numbers for one in found if one.quantifier == "number"} == {(2,), (3,)}
    assert "half(object, blue square)" in set(map(str, found))


def test_synonyms_share_a_set() -> None:
    scene = read_scene("BS=3 RS=1")
    table = table_of(scene)
    by_name = {str(table.expression(one)): table.set_number(one) for one in table.true_of(scene.counts).tolist()}
    assert len({by_name[f"{name}(object, square)"] for name in ("all", "every", "everything")}) == 1
    assert len({by_name[f"{name}(object, blue)"] for name in ("most", "majority", "more than half")}) == 1
    # More blue than red things, and fewer red than blue ones, in scenes that have both.
    assert by_name["more(blue, red)"] == by_name["fewer(red, blue)"]


def test_sets_are_forgotten_when_they_take_too_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    space = scene_space(DEFAULT_DOMAIN, 7)
    table = CandidateTable(space, candidates(DEFAULT_DOMAIN, EVERYTHING), "pragmatic")
    counts = space.counts.tolist()
    first = {one: table.sets[table.set_number(one)] for one in table.true_of(counts[40]).tolist()}
    monkeypatch.setattr(candidate_tables, "MOST_BYTES", 10)
    again = {one: table.sets[table.set_number(one)] for one in table.true_of(counts[40]).tolist()}
    assert first == again
    table.true_of(counts[41])
    assert table.sets == table.sizes == []


def test_tables_are_made_once() -> None:
    assert table_of(read_scene("BS=3")) is table_of(read_scene("RC=3"))
    different: list[tuple[Reading, tuple[str, ...]]]
    different = [("pragmatic", ("all",)), ("semantic", ("all",)), ("pragmatic", ("no",))]
    made = [candidate_table(DEFAULT_DOMAIN, 3, names, reading) for reading, names in different]
    assert not any(one is other for one, other in itertools.combinations(made, 2))
