"""What do clauses say in a discourse that compare, speak of all kinds, or of how values are spread?

What has no quantifier of its own is said with several: *all different* with at most one of each kind, *about as many*
with about half of both.
"""

from __future__ import annotations

from itertools import pairwise

from hengliang.materials.quantified_expressions import Expression
from hengliang.materials.quantified_properties import OBJECT, Property
from hengliang.systems.readers.anaphora import left_of, spoken_of, union
from hengliang.systems.readers.english_discourse import Discourse, Refused
from hengliang.systems.readers.english_forms import Comparison, Kinds, Spread
from hengliang.systems.readers.english_quantities import Quantity

_ABOUT_HALF = Quantity("about half")


def say_comparison(clause: Comparison, discourse: Discourse) -> None:
    """Say how many there are of some things against others."""
    discourse.enter(clause.topic)
    first = clause.first.property
    if clause.second is None and len(clause.first.terms) == 1 and clause.topic is None:
        pairs = [(first, _compared_to(clause, discourse))]
    elif clause.second is None:
        if not clause.first.headed and clause.relation == "equal" and discourse.last is not None:
            discourse.topic = spoken_of(discourse.last, discourse.domain)
        pairs = _compared(clause, discourse)
    else:
        pairs = [(first, clause.second.property)]
    for one, other in pairs:
        if discourse.topic is not None:
            one, other = discourse.narrowed(discourse.topic, one), discourse.narrowed(discourse.topic, other)
        if clause.relation == "about equal":
            discourse.say(_ABOUT_HALF, union((one, other)), one)
        else:
            numbers = (clause.number,) if clause.relation == "times" else ()
            discourse.add(Expression(clause.relation, one, other, numbers))


def _compared_to(clause: Comparison, discourse: Discourse) -> Property:
    """Return with what is compared where only one side is said: *more squares* than other things."""
    domain = discourse.domain
    if clause.relation in ("more", "fewer") and len(clause.first.terms[0]) == 1:
        others = left_of(OBJECT, (clause.first.property,), domain)
        if others is not None:
            return others
    if discourse.last is None or discourse.lost:
        raise Refused
    others = spoken_of(discourse.last, domain)
    if others.mask(domain) & clause.first.property.mask(domain):
        raise Refused
    return others


def _compared(clause: Comparison, discourse: Discourse) -> list[tuple[Property, Property]]:
    """Return what is compared where it stands in one noun phrase."""
    domain = discourse.domain
    terms = clause.first.terms
    if len(terms) == 2:
        return [(Property((terms[0],)), Property((terms[1],)))]
    values: dict[int, list[str]] = {}
    for term in terms:
        for value in term:
            held = values.setdefault(domain.attribute_of[value], [])
            held += [value] if value not in held else []
    product = 1
    for listed in values.values():
        product *= len(listed)
    if product != len(terms):
        raise Refused
    return [
        (Property(((one,),)), Property(((other,),))) for listed in values.values() for one, other in pairwise(listed)
    ]


def say_kinds(clause: Kinds, discourse: Discourse) -> None:
    """Say that all kinds are there, or how many of each."""
    first = clause.phrase.property if clause.phrase is not None else OBJECT
    if clause.number is None:
        discourse.add(Expression("all kinds", first))
    else:
        discourse.add(Expression("of each kind", first, OBJECT, (clause.number,)))


def say_spread(clause: Spread, discourse: Discourse) -> None:
    """Say how the values of attributes are spread over some things."""
    domain = discourse.domain
    if clause.relation == "different":
        for kind in domain.kinds:
            held = Property((tuple(value.name for value in kind),))
            discourse.add(Expression("at most", OBJECT, held, (1,)))
        return
    for among in _spread_over(clause, discourse):
        _spread_among(clause, among, discourse)


def _spread_among(clause: Spread, among: Property, discourse: Discourse) -> None:
    domain = discourse.domain
    for place in clause.attributes:
        values = [Property(((value.name,),)) for value in domain.attributes[place].values]
        if clause.relation == "present":
            for value in values:
                discourse.add(Expression("at least", among, value, (1,)))
        elif clause.relation == "equal":
            for one, other in pairwise(values):
                discourse.add(Expression("equal", discourse.narrowed(among, one), discourse.narrowed(among, other)))
        elif len(values) == 2:
            discourse.say(_ABOUT_HALF, among, values[0])
        else:
            raise Refused


def _spread_over(clause: Spread, discourse: Discourse) -> list[Property]:
    reference = clause.reference
    if reference.kind == "elided":
        return [OBJECT]
    if reference.kind in ("rest", "others"):
        return [discourse.remainder(reference)]
    if reference.kind == "them" and discourse.last is not None and not discourse.lost:
        return [spoken_of(discourse.last, discourse.domain)]
    if reference.phrase is not None and reference.each:
        return [Property((term,)) for term in reference.phrase.terms]
    return [discourse.referent(reference, OBJECT)]
