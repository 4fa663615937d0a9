"""Of which things an expression speaks."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.materials.quantified_properties import OBJECT, Property, both, prop, read_property, single_properties
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from tests.quantifiers_in_words import ANIMALS, has, kinds_of

DOMAINS = (DEFAULT_DOMAIN, ANIMALS)


@st.composite
def some(draw: st.DrawFn, domain: Domain) -> Property:
    several = draw(st.lists(st.sampled_from(single_properties(domain)), min_size=1, max_size=3, unique=True))
    return Property(tuple(one.terms[0] for one in several))


def mask_in_words(held: Property, domain: Domain) -> int:
    return sum(1 << place for place, kind in enumerate(kinds_of(domain)) if has(kind, held))


@given(st.sampled_from(DOMAINS), st.data())
def test_the_mask_holds_the_kinds_that_have_the_property(domain: Domain, data: st.DataObject) -> None:
    held = data.draw(some(domain))
    assert held.mask(domain) == mask_in_words(held, domain)


@given(st.sampled_from(DOMAINS), st.data())
def test_both_properties_are_the_kinds_that_have_the_one_and_the_other(domain: Domain, data: st.DataObject) -> None:
    one, other = data.draw(some(domain)), data.draw(some(domain))
    joined = both(one, other, domain)
    assert joined.mask(domain) == one.mask(domain) & other.mask(domain)
    assert len(set(joined.terms)) == len(joined.terms)
    assert read_property(str(joined), domain) == joined


@given(st.sampled_from(DOMAINS), st.data())
def test_a_name_is_read_back(domain: Domain, data: st.DataObject) -> None:
    held = data.draw(some(domain))
    assert read_property(str(held), domain) == held
    assert held.single == (len(held.terms) == 1)


def test_the_order_in_which_properties_are_preferred() -> None:
    # Fewer values first; of those the noun, as paper 001 says: shape before colour.
    assert [str(one) for one in single_properties(DEFAULT_DOMAIN)] == [
        *("object", "square", "circle", "blue", "red"),
        *("blue square", "blue circle", "red square", "red circle"),
    ]


@pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: domain.name)
def test_single_properties_are_a_value_or_none_of_each_attribute(domain: Domain) -> None:
    choices = [[None, *(value.name for value in one.values)] for one in domain.attributes]
    expected = {tuple(name for name in chosen if name) for chosen in itertools.product(*choices)}
    found = [one.terms[0] for one in single_properties(domain)]
    assert set(found) == expected
    assert len(found) == len(expected)


def test_any_object_is_every_thing() -> None:
    assert prop() == OBJECT
    assert str(OBJECT) == "object"
    assert OBJECT.mask(DEFAULT_DOMAIN) == DEFAULT_DOMAIN.everything


def test_values_are_read_in_any_order_and_kept_in_the_domains() -> None:
    assert read_property("square blue", DEFAULT_DOMAIN) == prop("blue", "square")
    assert read_property("blue object", DEFAULT_DOMAIN) == prop("blue")
    assert read_property("red circle or blue", DEFAULT_DOMAIN) == Property((("red", "circle"), ("blue",)))


def test_what_is_blue_and_red_is_nothing() -> None:
    nothing = both(prop("blue"), prop("red"), DEFAULT_DOMAIN)
    assert nothing.mask(DEFAULT_DOMAIN) == 0 == prop("blue", "red").mask(DEFAULT_DOMAIN)
    assert str(nothing) == "nothing"
    assert read_property("nothing", DEFAULT_DOMAIN) == nothing


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("green", "Nothing is 'green' in circles and squares. Values: blue, red, square, circle."),
        ("blue or green", "Nothing is 'green'"),
        ("", "A property has no name. object, or values: blue, red, square, circle."),
        ("blue or  or red", "A property has no name"),
    ],
)
def test_an_unknown_property_is_told(text: str, told: str) -> None:
    with pytest.raises(UserError) as error:
        read_property(text, DEFAULT_DOMAIN)
    assert told in str(error.value)
