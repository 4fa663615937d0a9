"""What is a Mandarin clause said of, and what does it leave for the next one?

A subject that is left out is the topic, or what 其中 refers to, unless nothing could have both properties: then all
things are meant. 所有, 都 and 不 make the quantity together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hengliang.materials.quantified_expressions import Expression
from hengliang.materials.quantified_properties import OBJECT, Property, both
from hengliang.materials.scene_domains import Domain
from hengliang.systems.readers.mandarin_discourse import Discourse
from hengliang.systems.readers.mandarin_patterns import ADVERBS, Found
from hengliang.systems.readers.mandarin_quantities import UNIVERSAL, Quantity

PRONOUNS = frozenset(("它们", "他们", "它"))


@dataclass(frozen=True, slots=True)
class Telling:
    """An expression that a clause adds, what it makes the topic, and whether it takes up what was there before.

    With `replaces` it takes the place of the last one: *the rest are red* goes into the expression before it.
    """

    expression: Expression
    topic: Property
    anaphoric: bool = False
    replaces: bool = False


Rule = Callable[[Found, Discourse], list[Telling] | None]


def subject(found: Found, discourse: Discourse, second: Property | None) -> tuple[Property, bool]:
    """Return what a clause is said of, and whether that was taken up from before."""
    if found.parts.get("A") in PRONOUNS:
        return discourse.antecedent, True
    named = found.property_of("A")
    if named is None:
        return compatible(discourse.topic, second, discourse), discourse.chained
    if discourse.taken_up:
        among = both(discourse.base, named, discourse.domain)
        return (among, True) if among.terms else (named, False)
    return named, False


def compatible(first: Property, second: Property | None, discourse: Discourse) -> Property:
    """Return the first property if 其中 says so or something can have it together with the second, else any object."""
    fits = second is None or discourse.taken_up or both(first, second, discourse.domain).terms
    return first if fits else OBJECT


def alone(expression: Expression, topic: Property, anaphoric: bool = False) -> list[Telling]:
    """Return one expression as all that a clause adds."""
    return [Telling(expression, topic, anaphoric)]


def with_adverb(found: Found) -> Quantity | None:
    """Return the quantity that 所有, 都, 不 and their like make together."""
    said = ADVERBS[found.parts["dou"]] if found.has("dou") else ""
    if not found.has("Q"):
        return Quantity(said or "all")
    quantity = found.quantity
    if quantity is None or said in {"", "all", "everything"}:
        return quantity
    return Quantity(said) if quantity.name in UNIVERSAL else None


def lacking(what: Property, domain: Domain) -> Property | None:
    """Return what has another value in place of one of a property's: not a red circle is blue, or a square."""
    if not what.single:
        return None
    attributes = [domain.attributes[domain.attribute_of[name]] for name in what.terms[0]]
    named = {value.name for attribute in attributes for value in attribute.values}
    others = [name for name in domain.values if name in named and name not in what.terms[0]]
    return Property(tuple((name,) for name in others)) if others else None


def either(one: Property, other: Property) -> Property:
    """Return what has one property or the other."""
    return Property((*one.terms, *(term for term in other.terms if term not in one.terms)))
