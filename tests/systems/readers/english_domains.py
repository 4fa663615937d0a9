"""Which domains, properties and descriptions try the English realiser and the English grammar?"""

from __future__ import annotations

from hypothesis import strategies as st

from hengliang.materials.quantified_expressions import Description, Expression
from hengliang.materials.quantified_properties import OBJECT, Property, single_properties
from hengliang.materials.quantifiers import QUANTIFIERS
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Attribute, Domain, Value
from hengliang.systems.readers.anaphora import spoken_of
from hengliang.systems.readers.parsing import parse_description

FUR = Attribute(
    "fur",
    (Value("black", "K", "black", "黑色"), Value("white", "W", "white", "白色"), Value("grey", "G", "grey", "灰色")),
)
SIZE = Attribute("size", (Value("big", "B", "big", "大"), Value("small", "M", "small", "小")))
KIND = Attribute(
    "animal",
    (
        Value("cat", "C", "cat", "猫", "cats", other_english=("kitten", "kittens")),
        Value("dog", "D", "dog", "狗", "dogs"),
        Value("ox", "O", "ox", "牛", "oxen"),
    ),
    noun=True,
)
ANIMALS = Domain("animals", (FUR, KIND), "animal", "animals")
FURS = Domain("furs", (FUR, SIZE), "animal", "animals")
"""Without a noun: everything is an animal."""
NOUN_FIRST = Domain("noun first", (KIND, SIZE, FUR), "animal", "animals")
ICE = Domain(
    "words with a space",
    (
        Attribute("colour", (Value("light blue", "L", "light blue", "浅蓝"), Value("red", "R", "red", "红色"))),
        Attribute(
            "animal", (Value("polar bear", "P", "polar bear", "北极熊", "polar bears"), KIND.values[1]), noun=True
        ),
    ),
    "animal",
    "animals",
)
DOMAINS = (DEFAULT_DOMAIN, ANIMALS, FURS, NOUN_FIRST, ICE)


def forms(text: str, domain: Domain = DEFAULT_DOMAIN) -> list[str]:
    """Return the logical forms of a text as they are written, and what was not read after a question mark."""
    parse = parse_description(text, domain, "en")
    return [*map(str, parse.expressions), *(f"? {one}" for one in parse.unread)]


@st.composite
def properties(draw: st.DrawFn, domain: Domain) -> Property:
    """Draw a property of one term or of up to three."""
    singles = [one.terms[0] for one in single_properties(domain)]
    return Property(tuple(draw(st.lists(st.sampled_from(singles), min_size=1, max_size=3, unique=True))))


@st.composite
def expressions(draw: st.DrawFn, domain: Domain, last: Expression | None = None) -> Expression:
    """Draw an expression of any quantifier, often about what the last one spoke of."""
    held = QUANTIFIERS[draw(st.sampled_from(sorted(QUANTIFIERS)))]
    numbers = tuple(draw(st.integers(0, 30)) for _ in range(held.numbers))
    if held.name == "fraction":
        numbers = (numbers[0], max(1, numbers[1]))
    first = draw(properties(domain))
    if last is not None and draw(st.booleans()):
        first = spoken_of(last, domain)
    second = OBJECT if held.form == "kinds" else draw(properties(domain))
    rest = draw(properties(domain)) if held.rest and draw(st.booleans()) else None
    return Expression(held.name, first, second, numbers, rest)


@st.composite
def descriptions(draw: st.DrawFn) -> tuple[Description, Domain]:
    """Draw up to three expressions of one of the domains."""
    domain = draw(st.sampled_from(DOMAINS))
    found: list[Expression] = []
    for _ in range(draw(st.integers(1, 3))):
        found.append(draw(expressions(domain, found[-1] if found else None)))
    return tuple(found), domain
