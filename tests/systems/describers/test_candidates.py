"""Are candidates all that can be said, and nothing that goes without saying?"""

from __future__ import annotations

from collections import Counter

import pytest

from hengliang import UserError
from hengliang.materials.quantified_expressions import Expression
from hengliang.materials.quantified_properties import OBJECT, Property, prop
from hengliang.materials.quantifiers import QUANTIFIERS, READINGS, Reading
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import scene_space
from hengliang.systems.describers.candidate_tables import CandidateTable
from hengliang.systems.describers.candidates import CRISP, INVENTORIES, Candidate, candidates, quantifiers_of
from tests.systems.describers.scene_strategies import COLOURS, DOMAINS, TWO_BY_THREE

EVERYTHING = tuple(QUANTIFIERS)


def test_predications_of_circles_and_squares() -> None:
    found = [(str(one.first), str(one.second)) for one in candidates(DEFAULT_DOMAIN, ("all",))]
    # Of any object one can say four values and four kinds; of a shape two colours, of a colour two shapes.
    assert found == [
        *(("object", said) for said in ("square", "circle", "blue", "red")),
        *(("object", said) for said in ("blue square", "blue circle", "red square", "red circle")),
        *((shape, colour) for shape in ("square", "circle") for colour in ("blue", "red")),
        *((colour, shape) for colour in ("blue", "red") for shape in ("square", "circle")),
    ]


def test_how_many_candidates_each_quantifier_has() -> None:
    counted = Counter(one.pattern for one in candidates(DEFAULT_DOMAIN, CRISP))
    # Eight of the predications are about objects, eight about those of a shape or a colour.
    assert counted["all"] == counted["only"] == counted["some"] == 16
    assert counted["everything"] == counted["the"] == 8
    # Two values of either attribute and any two of four kinds, in both orders: 2 (1 + 1 + 6).
    assert counted["more"] == counted["fewer"] == 16 and counted["equal"] == 8
    # One or two shapes, one or two colours, one to four kinds: 3 + 3 + (4 + 6 + 4 + 1).
    assert counted["there are"] == 21 and counted["all kinds"] == 1
    # After a value the rest is one of two kinds of the other value; after a kind it is one of the three other kinds,
    # or what has not one of its values: 4 · 2 + 4 · (3 + 2). Of squares the rest is of the other colour in any case.
    assert counted["half + rest"] == counted["only one + rest"] == 28


def test_the_rest_of_some_squares_can_differ_where_there_are_three_colours() -> None:
    found = {str(one.expression(())) for one in candidates(TWO_BY_THREE, ("half",)) if one.first == prop("square")}
    assert "half(square, blue, rest red)" in found and "half(square, green, rest blue)" in found
    # Two squares or objects are not said to be squares again.
    assert not any("square, blue square" in text or "rest red square" in text for text in found)


def test_a_domain_without_nouns_has_candidates_too() -> None:
    held = candidates(COLOURS, ("all", "more", "there are", "half"))
    assert {str(one.expression(())) for one in held if one.quantifier == "all"} == {
        "all(object, blue)",
        "all(object, red)",
        "all(object, green)",
    }
    assert sum(one.quantifier == "there are" for one in held) == 3 + 3 + 1


@pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: domain.name)
def test_no_candidate_says_a_thing_twice_or_comes_twice(domain: Domain) -> None:
    held = candidates(domain, EVERYTHING)
    assert len(set(held)) == len(held)
    assert [one for one in held if _repeats(one, domain)] == []


def _repeats(candidate: Candidate, domain: Domain) -> bool:
    def attributes(place: Property) -> set[int]:
        return {domain.attribute_of[value] for term in place.terms for value in term}

    form = QUANTIFIERS[candidate.quantifier].form
    if form in ("comparison", "kinds"):
        return candidate.first == candidate.second != OBJECT
    said = attributes(candidate.second) | (attributes(candidate.rest) if candidate.rest else set())
    return bool(attributes(candidate.first) & said)


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: domain.name)
def test_every_candidate_can_be_true_and_none_is_true_of_all_scenes(domain: Domain, reading: Reading) -> None:
    names = tuple(name for name, one in QUANTIFIERS.items() if not one.vague)
    space = scene_space(domain, 12 if domain is DEFAULT_DOMAIN else 6 if len(domain.kinds) < 8 else 4)
    table = CandidateTable(space, candidates(domain, names), reading)
    said: set[Candidate] = set()
    trivial: list[Expression] = []
    # Every scene of the smaller spaces, every seventh of the larger ones.
    for counts in space.counts[:: 1 if space.number < 600 else 7].tolist():
        for statement in table.true_of(counts).tolist():
            candidate = table.candidate_of(statement)
            if candidate not in said:
                said.add(candidate)
                if table.sizes[table.set_number(statement)] == space.number:
                    trivial.append(table.expression(statement))
    # Four things of eight kinds cannot be all kinds; three of six kinds cannot each be there twice.
    never = {one.quantifier for one in candidates(domain, names) if one not in said}
    assert never <= {"all kinds", "of each kind", "there are", "fraction", "times", "over", "all but", "under"}
    assert trivial == []


def test_inventories_are_found_by_name_or_listed() -> None:
    assert quantifiers_of("crisp") == CRISP
    assert set(quantifiers_of("with numbers")) > set(CRISP) < set(quantifiers_of("with vague"))
    assert quantifiers_of(("all", "no", "all")) == ("all", "no")
    assert not [name for name in CRISP if QUANTIFIERS[name].vague or QUANTIFIERS[name].numbers == 1]
    assert {name for names in INVENTORIES.values() for name in names} <= set(QUANTIFIERS)
    with pytest.raises(UserError, match="Did you mean crisp"):
        quantifiers_of("crispy")
    with pytest.raises(UserError, match="Did you mean most"):
        quantifiers_of(("mosst",))
