"""To which things does a word refer that names none: *them*, *which*, *the rest*?

*Them* is what the last expression was about and said: after *all objects are squares*, *half of them are red* speaks of
the squares. Where that cannot be (*most objects are red, some of them are blue*) or would say nothing (*most are red,
but not all of them are red*), it is what the last expression was about. *The rest* is what is left of that. Readers of
descriptions go by these rules; writers say *them* only of what was named last, and only where the first rule is enough.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from hengliang.materials.quantified_expressions import Expression
from hengliang.materials.quantified_properties import OBJECT, Property, both, single_properties
from hengliang.materials.quantifiers import quantifier
from hengliang.materials.scene_domains import Domain

UNIVERSAL = frozenset({"all", "every", "everything", "the", "no", "not all", "only"})
"""Quantifiers that leave no rest of what they are about to speak of."""
_DENYING = frozenset({"no", "not all"})


@lru_cache(maxsize=4096)
def property_of(mask: int, domain: Domain) -> Property | None:
    """Return a property that exactly the kinds of a mask have, in as few terms as are found; None for no kind."""
    if mask == 0:
        return None
    singles = [(one, one.mask(domain)) for one in single_properties(domain)]
    exact = next((one for one, held in singles if held == mask), None)
    if exact is not None:
        return exact
    terms, left = [], mask
    for one, held in singles:
        if held & ~mask == 0 and held & left:
            terms += list(one.terms)
            left &= ~held
    return Property(tuple(terms))


def simplified(found: Property, domain: Domain) -> Property:
    """Return OBJECT for a property that every kind has, else the property."""
    return OBJECT if found.mask(domain) == domain.everything else found


def union(properties: Iterable[Property]) -> Property:
    """Return the property of having one of several, each term once."""
    terms = tuple(dict.fromkeys(term for one in properties for term in one.terms))
    return Property(terms)


def about(last: Expression, domain: Domain) -> Property:
    """Return what an expression is about: of most expressions the first property."""
    form = quantifier(last.quantifier).form
    if form == "comparison":
        return simplified(union((last.first, last.second)), domain)
    return simplified(last.second if form == "only" else last.first, domain)


def spoken_of(last: Expression, domain: Domain) -> Property:
    """Return what an expression is about and says: *half of the objects are squares* speaks of the squares."""
    form = quantifier(last.quantifier).form
    if form in ("comparison", "kinds") or last.quantifier in _DENYING:
        return about(last, domain)
    if last.rest is not None:
        left = last.first.mask(domain) & ~last.second.mask(domain) & last.rest.mask(domain)
        return simplified(_narrowest(last.rest, left, domain), domain)
    found = both(last.first, last.second, domain)
    return simplified(found, domain) if found.terms else about(last, domain)


def _narrowest(named: Property, mask: int, domain: Domain) -> Property:
    return named if named.mask(domain) == mask else property_of(mask, domain) or named


def them(last: Expression | None, scope: Property, domain: Domain) -> Property:
    """Return to what *them* refers after an expression, when something is said of it."""
    if last is None:
        return OBJECT
    said = scope.mask(domain)
    candidates = [spoken_of(last, domain), about(last, domain)]
    fitting = [one for one in candidates if one.mask(domain) & said]
    telling = [one for one in fitting if one.mask(domain) & ~said]
    return next(iter([*telling, *fitting]), OBJECT)


def left_of(base: Property, told: Iterable[Property], domain: Domain) -> Property | None:
    """Return what is left of some things without those of which something was said; None where nothing is."""
    mask = base.mask(domain)
    for one in told:
        mask &= ~one.mask(domain)
    return property_of(mask, domain)
