"""Of which things does a quantified expression speak?

A property is a list of terms of which a thing has one: `blue square`, `circle or square`. A term is a list of values
that a thing has all; the empty term is every thing. What counts in the end is the mask: which kinds have the property.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from hengliang.core.errors import UserError
from hengliang.materials.scene_domains import Domain

Term = tuple[str, ...]
OBJECT_NAME = "object"
NOTHING_NAME = "nothing"


@dataclass(frozen=True, slots=True)
class Property:
    """One term or several; a thing has the property when it has all values of one of its terms."""

    terms: tuple[Term, ...] = ((),)

    def __str__(self) -> str:
        return " or ".join(" ".join(term) or OBJECT_NAME for term in self.terms) or NOTHING_NAME

    @property
    def single(self) -> bool:
        """Whether it is one term: such properties can be the filler of a generated expression."""
        return len(self.terms) == 1

    def mask(self, domain: Domain) -> int:
        """Return which kinds have the property."""
        return _mask(self.terms, domain)


OBJECT = Property()
"""What every thing is."""


@lru_cache(maxsize=4096)
def _mask(terms: tuple[Term, ...], domain: Domain) -> int:
    found = 0
    for term in terms:
        kinds = domain.everything
        for value in term:
            kinds &= domain.masks[value]
        found |= kinds
    return found


def prop(*values: str) -> Property:
    """Return the property of having all these values: `prop("blue", "square")`, `prop()` is any object."""
    return Property((values,))


def ordered(values: set[str] | frozenset[str], domain: Domain) -> Term:
    """Return the values of a term in the order of the domain's attributes."""
    return tuple(name for name in domain.values if name in values)


def both(one: Property, other: Property, domain: Domain) -> Property:
    """Return what has both properties, as terms in the order of the domain; a term that nothing can have is dropped."""
    terms: list[Term] = []
    for first in one.terms:
        for second in other.terms:
            values = {*first, *second}
            attributes = [domain.attribute_of[value] for value in values]
            term = ordered(values, domain)
            if len(set(attributes)) == len(attributes) and term not in terms:
                terms.append(term)
    return Property(tuple(terms))


def read_property(text: str, domain: Domain) -> Property:
    """Return the property that its name writes: `object`, `blue square`, `red circle or blue square`, `nothing`."""
    if text.strip() == NOTHING_NAME:
        return Property(())
    terms = []
    for written in text.split(" or "):
        if not written.strip():
            raise UserError("A property has no name.", valid=f"{OBJECT_NAME}, or values: {', '.join(domain.values)}.")
        values = [name for name in written.split() if name != OBJECT_NAME]
        wrong = next((name for name in values if name not in domain.values), None)
        if wrong:
            raise UserError(f"Nothing is '{wrong}' in {domain.name}.", valid=f"Values: {', '.join(domain.values)}.")
        terms.append(ordered(set(values), domain))
    return Property(tuple(terms))


@lru_cache(maxsize=64)
def single_properties(domain: Domain) -> tuple[Property, ...]:
    """Return all properties of one term, from any object to the kinds, nouns before adjectives.

    This is the order in which they are preferred: fewer values first, and of those the noun's (shape before colour).
    """
    terms: list[Term] = [()]
    for attribute in domain.attributes:
        terms += [ordered({*term, value.name}, domain) for term in list(terms) for value in attribute.values]
    nouns = {value.name for value in domain.noun.values} if domain.noun else set()
    place = {name: spot for spot, name in enumerate(domain.values)}
    ranked = sorted(terms, key=lambda term: (len(term), not nouns & set(term), [place[name] for name in term]))
    return tuple(Property((term,)) for term in ranked)
