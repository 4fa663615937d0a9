"""Do *them* and *the rest* refer to what one would take them to refer to?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hengliang.materials.quantified_expressions import Expression, read_expression
from hengliang.materials.quantified_properties import OBJECT, Property, prop
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.systems.readers.anaphora import about, left_of, property_of, simplified, spoken_of, them, union
from tests.systems.readers.english_domains import DOMAINS, expressions, properties


def read(form: str) -> Expression:
    return read_expression(form, DEFAULT_DOMAIN)


@given(st.sampled_from(DOMAINS), st.data())
def test_a_property_of_a_mask_has_that_mask(domain: Domain, data: st.DataObject) -> None:
    mask = data.draw(st.integers(0, domain.everything))
    found = property_of(mask, domain)
    assert (found is None and mask == 0) or (found is not None and found.mask(domain) == mask)


def test_the_simplest_property_is_found() -> None:
    masks = DEFAULT_DOMAIN.masks
    assert property_of(DEFAULT_DOMAIN.everything, DEFAULT_DOMAIN) == OBJECT
    assert property_of(masks["red"], DEFAULT_DOMAIN) == prop("red")
    assert property_of(masks["red"] | masks["circle"], DEFAULT_DOMAIN) == Property((("circle",), ("red",)))
    assert simplified(Property((("red",), ("blue",))), DEFAULT_DOMAIN) == OBJECT
    assert union((prop("red"), prop("red"), prop("circle"))) == Property((("red",), ("circle",)))


def test_what_is_spoken_of() -> None:
    assert spoken_of(read("all(object, square)"), DEFAULT_DOMAIN) == prop("square")
    assert spoken_of(read("half(square, blue)"), DEFAULT_DOMAIN) == prop("blue", "square")
    # What is denied is not there to be spoken of.
    assert spoken_of(read("no(circle, blue)"), DEFAULT_DOMAIN) == prop("circle")
    assert spoken_of(read("more(red circle, blue circle)"), DEFAULT_DOMAIN).mask(DEFAULT_DOMAIN) == prop("circle").mask(
        DEFAULT_DOMAIN
    )
    # The rest was mentioned last: objects that are no squares, and red, are the red circles.
    assert spoken_of(read("half(object, square, rest red)"), DEFAULT_DOMAIN) == prop("red", "circle")
    assert about(read("only(circle, red)"), DEFAULT_DOMAIN) == prop("red")


def test_them() -> None:
    squares = read("all(object, square)")
    assert them(squares, prop("red"), DEFAULT_DOMAIN) == prop("square")
    # Red things that are blue cannot be: *them* are the objects.
    assert them(read("most(object, red)"), prop("blue"), DEFAULT_DOMAIN) == OBJECT
    # *Not all of them are red* would be false of red things: *them* are the circles.
    assert them(read("most(circle, red)"), prop("red"), DEFAULT_DOMAIN) == prop("circle")
    assert them(None, prop("red"), DEFAULT_DOMAIN) == OBJECT


@given(st.sampled_from(DOMAINS), st.data())
def test_them_can_always_be_what_is_said(domain: Domain, data: st.DataObject) -> None:
    last, scope = data.draw(expressions(domain)), data.draw(properties(domain))
    found = them(last, scope, domain)
    assert found.mask(domain) & scope.mask(domain)


@given(st.sampled_from(DOMAINS), st.data())
def test_what_is_left_is_the_difference(domain: Domain, data: st.DataObject) -> None:
    base, told = data.draw(properties(domain)), data.draw(st.lists(properties(domain), max_size=3))
    found = left_of(base, told, domain)
    expected = {kind for kind in range(len(domain.kinds)) if base.mask(domain) >> kind & 1} - {
        kind for kind in range(len(domain.kinds)) for one in told if one.mask(domain) >> kind & 1
    }
    mask = found.mask(domain) if found else 0
    assert {kind for kind in range(len(domain.kinds)) if mask >> kind & 1} == expected
