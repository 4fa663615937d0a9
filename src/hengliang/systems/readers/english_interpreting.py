"""What does each form of clause say in a discourse?"""

from __future__ import annotations

from copy import copy
from dataclasses import replace

from hengliang.materials.quantified_expressions import Expression
from hengliang.materials.quantified_properties import OBJECT, Property
from hengliang.systems.readers.anaphora import left_of, them, union
from hengliang.systems.readers.english_comparing import say_comparison, say_kinds, say_spread
from hengliang.systems.readers.english_discourse import Discourse, Refused
from hengliang.systems.readers.english_forms import (
    Clause,
    Comparison,
    Existence,
    Item,
    Kinds,
    Predicate,
    Reference,
    Statement,
    Subject,
)
from hengliang.systems.readers.english_quantities import ALL, SOME, THE, Quantity

_WHOLE = (None, ALL, Quantity("every"), Quantity("everything"))
_BOTH = Quantity("both")
_OF_TWO = (_BOTH, Quantity("neither"))


def interpret(clause: Clause, discourse: Discourse) -> bool:
    """Add what a clause says to a discourse; return False, and add nothing, where it does not fit."""
    before = copy(vars(discourse))
    discourse.expressions = list(discourse.expressions)
    try:
        _say(clause, discourse)
    except Refused:
        vars(discourse).update(before)
        return False
    return True


def _say(clause: Clause, discourse: Discourse) -> None:
    if isinstance(clause, Statement):
        _statement(clause, discourse)
    elif isinstance(clause, Existence):
        _existence(clause, discourse)
    elif isinstance(clause, Comparison):
        say_comparison(clause, discourse)
    elif isinstance(clause, Kinds):
        say_kinds(clause, discourse)
    else:
        say_spread(clause, discourse)


# --- statements -----------------------------------------------------------------------------------------------------


def _statement(clause: Statement, discourse: Discourse) -> None:
    topic = clause.topic
    if topic is not None and topic.each and topic.phrase is not None:
        for term in topic.phrase.terms:
            discourse.topic = Property((term,))
            _subjects(clause, discourse)
        return
    discourse.enter(topic)
    _subjects(clause, discourse)


def _subjects(clause: Statement, discourse: Discourse) -> None:
    for subject in clause.subjects:
        if subject.reference.kind == "named":
            discourse.topic = None
        if clause.exceptions:
            _excepting(clause, subject, discourse)
        elif clause.predicate.parts:
            _divided(subject, clause.predicate.parts, discourse)
        elif clause.predicate.listed:
            _made_up(subject, clause.predicate, discourse)
        else:
            _stated(subject, clause.predicate, discourse)


def _stated(subject: Subject, predicate: Predicate, discourse: Discourse) -> None:
    said = discourse.scope(predicate)
    if subject.reference.kind in ("rest", "others"):
        told = _rest(subject, predicate, said, discourse)
    else:
        told = None
        verbless = predicate.verbless and predicate.phrase is not None and not predicate.phrase.headed
        for first in _referents(subject, said, verbless, discourse):
            told = _quantified(subject, predicate, first, said, discourse)
    if predicate.phrase is not None and predicate.phrase.every and told is not None:
        discourse.say_each(predicate.phrase.terms, told)


def _rest(subject: Subject, predicate: Predicate, said: Property, discourse: Discourse) -> Property:
    last = discourse.last
    if subject.reference.kind == "others" and last is not None and last.quantifier == "some":
        discourse.say(SOME, last.first, said)
        return last.first
    quantity = predicate.floated if subject.quantity in _WHOLE and predicate.floated else subject.quantity
    phrase = predicate.phrase
    one = predicate.singular and phrase is not None and bool(phrase.articles)
    told = discourse.say_rest(subject.reference, said, quantity, one)
    return OBJECT if told is said else told


def _referents(subject: Subject, said: Property, verbless: bool, discourse: Discourse) -> list[Property]:
    reference = subject.reference
    if reference.kind == "named" and reference.phrase is not None and reference.each:
        return [Property((term,)) for term in reference.phrase.terms]
    quantity = subject.quantity
    if reference.kind == "elided" and verbless and quantity is not None and quantity.counted and quantity.numbers:
        # *One red, one blue* counts among what was spoken of last.
        reference = Reference("them")
    first = discourse.referent(reference, said)
    if reference.kind == "which" and not first.mask(discourse.domain) & said.mask(discourse.domain):
        raise Refused
    return [first]


def _quantified(
    subject: Subject, predicate: Predicate, first: Property, said: Property, discourse: Discourse
) -> Property:
    """Say it of the referent with the quantity of the subject, or with that at the verb; return what it is said of."""
    quantity, reference = subject.quantity, subject.reference
    if predicate.floated is not None:
        if quantity not in _WHOLE:
            raise Refused
        quantity = predicate.floated
    phrase = reference.phrase
    if quantity == _BOTH and phrase is not None and len(phrase.terms) > 1:
        quantity = ALL
    apart = not first.mask(discourse.domain) & said.mask(discourse.domain)
    if quantity is not None and quantity.name == "all but" and apart and not reference.definite:
        # *All but two blue squares are red*: the blue squares are what is left out.
        discourse.add(Expression("all but", OBJECT, said, quantity.numbers))
        discourse.add(Expression("number", OBJECT, first, quantity.numbers))
        return first
    plural = phrase is not None and phrase.plural is True
    if quantity == THE and plural and not predicate.singular:
        discourse.say(Quantity("only"), said, first)
        return first
    if quantity is None:
        quantity = THE if predicate.singular and _one(reference) else ALL
    several = quantity.name == "number" and quantity.numbers[0] > 1
    if several and predicate.singular and predicate.phrase is not None and predicate.phrase.articles:
        raise Refused
    if quantity in _OF_TWO and reference.count not in (None, 2):
        raise Refused
    if reference.count is not None and quantity not in (THE, *_OF_TWO):
        _taken_for_granted(reference, first, discourse)
    discourse.say(quantity, first, said)
    return first


def _one(reference: Reference) -> bool:
    phrase = reference.phrase
    if reference.kind == "them":
        return True
    return phrase is not None and phrase.plural is not True and len(phrase.terms) == 1


def _taken_for_granted(reference: Reference, first: Property, discourse: Discourse) -> None:
    """*All four squares are blue* also says that there are four squares."""
    if reference.count is not None:
        discourse.add(Expression("number", OBJECT, first, (reference.count,)))


def _divided(subject: Subject, parts: tuple[Item, ...], discourse: Discourse) -> None:
    """Say *half red and half blue* of the referent."""
    if subject.quantity not in _WHOLE:
        raise Refused
    if subject.reference.kind in ("rest", "others"):
        first = discourse.remainder(subject.reference)
    else:
        first = discourse.referent(subject.reference, union(item.phrase.property for item in parts))
    discourse.say_items(parts, first)


def _made_up(subject: Subject, predicate: Predicate, discourse: Discourse) -> None:
    """Say *are a square and a circle* of the referent."""
    if subject.quantity not in _WHOLE:
        raise Refused
    said = union(item.phrase.property for item in predicate.listed)
    if subject.reference.kind in ("rest", "others"):
        first = discourse.remainder(subject.reference)
        discourse.say_rest(subject.reference, said, None, False)
    else:
        first = discourse.referent(subject.reference, said)
        _taken_for_granted(subject.reference, first, discourse)
        discourse.say(ALL, first, said)
    discourse.say_items(predicate.listed, first)


def _excepting(clause: Statement, subject: Subject, discourse: Discourse) -> None:
    said = discourse.scope(clause.predicate)
    quantity = clause.predicate.floated or subject.quantity
    if subject.reference.kind in ("rest", "others"):
        first = discourse.remainder(subject.reference)
        quantity = None if quantity is None else quantity
    else:
        first = discourse.referent(subject.reference, said)
    _taken_for_granted(subject.reference, first, discourse)
    _say_excepting(quantity, first, said, clause.exceptions, discourse)


def _say_excepting(
    quantity: Quantity | None, first: Property, said: Property, left_out: tuple[Item, ...], discourse: Discourse
) -> None:
    """Say something of all things but some, and what these are where it is told."""
    named = [item for item in left_out if item.phrase.property != OBJECT]
    counts = [item.quantity.numbers[0] for item in left_out if item.quantity and item.quantity.name == "number"]
    counts += [1 for item in left_out if item.quantity == Quantity("only one", counted=True)]
    if quantity in _WHOLE:
        if len(counts) == len(left_out):
            discourse.add(Expression("all but", first, said, (sum(counts),)))
        elif len(named) == len(left_out):
            others = left_of(first, (item.phrase.property for item in named), discourse.domain)
            if others is None:
                raise Refused
            discourse.say(ALL, others, said)
        else:
            raise Refused
    elif quantity is not None and quantity.name in ("almost all", "most", "majority", "many"):
        discourse.say(quantity, first, said)
    else:
        raise Refused
    discourse.say_items(tuple(named), first)


# --- what there is --------------------------------------------------------------------------------------------------


def _existence(clause: Existence, discourse: Discourse) -> None:
    discourse.enter(clause.topic)
    phrases = [item.phrase for item in clause.items]
    everything = discourse.topic is None
    if clause.exceptions:
        first = clause.items[0]
        if len(clause.items) > 1:
            raise Refused
        _say_excepting(first.quantity, OBJECT, first.phrase.property, clause.exceptions, discourse)
    elif clause.only:
        discourse.say(ALL, _among(discourse, everything), union(phrase.property for phrase in phrases))
    elif all(item.quantity is None for item in clause.items):
        _bare(clause, discourse, everything)
    else:
        for item in clause.items:
            _listed(item, discourse, everything)
        discourse.introduced = len(clause.items) == 1


def _among(discourse: Discourse, everything: bool) -> Property:
    return discourse.topic if discourse.topic is not None and not everything else OBJECT


def _bare(clause: Existence, discourse: Discourse, everything: bool) -> None:
    """Say that there are things of these kinds: *there are red circles and blue squares*."""
    if any(item.phrase.every for item in clause.items) or not everything:
        terms = tuple(term for item in clause.items for term in item.phrase.terms)
        discourse.say_each(terms, _among(discourse, everything))
        return
    said = Property(tuple(term for item in clause.items for term in item.phrase.terms))
    last = discourse.last
    if clause.also and last is not None and last.quantifier == "there are":
        discourse.expressions[-1] = replace(last, first=union((last.first, said)))
        return
    if clause.also:
        for term in said.terms:
            discourse.say(SOME, OBJECT, Property((term,)))
        return
    discourse.add(Expression("there are", said))


def _listed(item: Item, discourse: Discourse, everything: bool) -> None:
    among = _among(discourse, everything)
    quantity = item.quantity
    if quantity is None:
        if item.phrase.every:
            discourse.say_each(item.phrase.terms, among)
            return
        if item.phrase.property.mask(discourse.domain) == discourse.domain.everything:
            discourse.say_each(item.phrase.terms, among)
            return
        for group in item.phrase.groups:
            discourse.say(SOME, among, Property(group))
        return
    if item.phrase.every:
        discourse.say_items((item,), among)
        return
    said = item.phrase.property
    if among == OBJECT and discourse.last is not None and not discourse.lost:
        if quantity.counted and not item.phrase.headed and quantity.numbers:
            among = them(discourse.last, said, discourse.domain)
        elif not quantity.counted and quantity.name not in ("no",):
            among = discourse.elided(said)
    discourse.say(quantity, among, said)
