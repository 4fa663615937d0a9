"""Which domains, fillers and descriptions try the Mandarin realiser and the Mandarin grammar?"""

from __future__ import annotations

from hypothesis import strategies as st

from hengliang.materials.quantified_expressions import Description, Expression
from hengliang.materials.quantified_properties import OBJECT, Property, both, single_properties
from hengliang.materials.quantifiers import QUANTIFIERS
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Attribute, Domain, Value

ANIMALS = Domain(
    "animals",
    (
        Attribute("size", (Value("large", "L", "large", "大"), Value("small", "M", "small", "小"))),
        # An adjective that cannot stand before a noun without 的.
        Attribute("mood", (Value("happy", "H", "happy", "高兴"), Value("sad", "S", "sad", "难过"))),
        Attribute("colour", (Value("black", "B", "black", "黑色"), Value("white", "W", "white", "白色"))),
        Attribute(
            "animal",
            (
                Value("horse", "Ho", "horse", "马", "horses"),
                Value("dog", "D", "dog", "狗", "dogs"),
                Value("cat", "C", "cat", "猫", "cats"),
            ),
            noun=True,
        ),
    ),
    "animal",
    "animals",
    "动物",
    (),
    (),
)
WITHOUT_NOUN = Domain(
    "things",
    (
        Attribute(
            "colour",
            (
                Value("black", "B", "black", "黑色"),
                Value("white", "W", "white", "白色"),
                Value("red", "R", "red", "红色"),
            ),
        ),
        Attribute("size", (Value("large", "L", "large", "大"), Value("small", "M", "small", "小"))),
    ),
    chinese="东西",
    other_chinese=(),
)
DOMAINS = (DEFAULT_DOMAIN, ANIMALS, WITHOUT_NOUN)


@st.composite
def properties(draw: st.DrawFn, domain: Domain) -> Property:
    """Return a property of one term or of up to three."""
    singles = [one.terms[0] for one in single_properties(domain)]
    terms = draw(st.lists(st.sampled_from(singles), min_size=1, max_size=3, unique=True))
    # Any object, or something else, is any object: nobody says that.
    return Property(tuple(terms)) if len(terms) == 1 or () not in terms else OBJECT


@st.composite
def descriptions(draw: st.DrawFn, domain: Domain) -> Description:
    """Return up to three expressions, often about what the one before left behind."""
    found: list[Expression] = []
    for _ in range(draw(st.integers(1, 3))):
        held = QUANTIFIERS[draw(st.sampled_from(sorted(QUANTIFIERS)))]
        numbers = tuple(draw(st.integers(1, 120)) for _ in range(held.numbers))
        first = draw(properties(domain))
        taken_up = draw(st.booleans())
        if found and taken_up:
            behind = both(found[-1].first, found[-1].second, domain)
            first = behind if behind.terms else first
        second = OBJECT if held.form == "kinds" else draw(properties(domain))
        rest = draw(properties(domain)) if held.rest and draw(st.booleans()) else None
        found.append(Expression(held.name, first, second, numbers, rest))
    return tuple(found)
