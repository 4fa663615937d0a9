"""Which logical forms do clauses have, given what was said before them?

A `Discourse` takes the clauses of a description in their order, keeps what was said last, and resolves to what each
refers. A clause that it cannot resolve it refuses; after a clause that nobody could read, *them* and *the rest* have
nothing sure to refer to, and are refused as well.
"""

from __future__ import annotations

from dataclasses import replace

from hengliang.materials.quantified_expressions import Expression
from hengliang.materials.quantified_properties import OBJECT, Property, Term, both
from hengliang.materials.quantifiers import quantifier
from hengliang.materials.scene_domains import Domain
from hengliang.systems.readers.anaphora import UNIVERSAL, about, left_of, property_of, simplified, spoken_of, them
from hengliang.systems.readers.english_forms import Item, Predicate, Reference
from hengliang.systems.readers.english_nouns import predicated
from hengliang.systems.readers.english_quantities import ALL, NO, THE, Quantity
from hengliang.systems.readers.english_words import vocabulary


class Refused(Exception):
    """A clause does not fit what was said before it."""


class Discourse:
    """What has been said so far."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.expressions: list[Expression] = []
        self.lost = False
        self.base: Property = OBJECT
        self.told: list[Property] = []
        self.topic: Property | None = None
        self.introduced = False
        self.told_before = 0
        self.group: Property | None = None

    @property
    def last(self) -> Expression | None:
        """What was said last."""
        return self.expressions[-1] if self.expressions else None

    def lose_thread(self) -> None:
        """Take note that something was said that could not be read."""
        self.lost = True
        self.topic = None

    def begin_sentence(self) -> None:
        """Take note that a sentence begins: *the rest* after a comma is that of its own sentence."""
        self.told_before = len(self.expressions)

    # --- saying -----------------------------------------------------------------------------------------------------

    def say(self, quantity: Quantity, first: Property, second: Property) -> None:
        """Add an expression, and remember of what something has now been said."""
        if quantity.name == "both":
            self.add(Expression("number", OBJECT, first, (2,)))
            quantity = ALL
        elif quantity.name == "neither":
            self.add(Expression("number", OBJECT, first, (2,)))
            quantity = NO
        self.add(Expression(quantity.name, first, second, quantity.numbers))

    def add(self, expression: Expression) -> None:
        """Add an expression, and remember of what something has now been said."""
        self.expressions.append(expression)
        self.lost = False
        self.introduced = False
        self.group = None
        if quantifier(expression.quantifier).form != "proportion" or expression.quantifier in UNIVERSAL:
            return
        domain = self.domain
        second = expression.second.mask(domain)
        goes_on = expression.first.mask(domain) == self.base.mask(domain)
        if not goes_on:
            self.base, self.told = expression.first, []
        self.told = [*(one for one in self.told if not one.mask(domain) & second), expression.second]

    def say_items(self, listed: tuple[Item, ...], among: Property) -> None:
        """Say how many of some things there are of each item."""
        for item in listed:
            if item.quantity is None:
                raise Refused
            if item.phrase.every:
                for term in item.phrase.terms:
                    self.say(item.quantity, among, Property((term,)))
            else:
                self.say(item.quantity, among, item.phrase.property)

    def say_each(self, terms: tuple[Term, ...], among: Property) -> None:
        """Say that there is something of each term: *circles in both colours*."""
        for term in terms:
            self.add(Expression("at least", among, Property((term,)), (1,)))
        # *They* are then all of these things, not the last of them.
        self.group = simplified(self.narrowed(among, Property(terms)), self.domain)

    # --- referring --------------------------------------------------------------------------------------------------

    def scope(self, predicate: Predicate) -> Property:
        """Return what a predicate says."""
        if predicate.opposite:
            return self.opposite()
        if predicate.same and self.last is not None and not self.lost:
            return self.last.second
        if predicate.phrase is None:
            raise Refused
        said = predicated(predicate.phrase, vocabulary(self.domain))
        if not predicate.negated:
            return said
        denied = property_of(self.domain.everything & ~said.mask(self.domain), self.domain)
        if denied is None:
            raise Refused
        return denied

    def opposite(self) -> Property:
        """Return what has no value in common with what was said last, where every attribute has two."""
        if self.last is None or self.lost or not self.last.second.single:
            raise Refused
        term: list[str] = []
        for value in self.last.second.terms[0]:
            attribute = self.domain.attributes[self.domain.attribute_of[value]]
            others = [one.name for one in attribute.values if one.name != value]
            if len(others) != 1:
                raise Refused
            term += others
        return Property((tuple(term),))

    def referent(self, reference: Reference, scope: Property) -> Property:
        """Return the things to which the subject of a clause refers."""
        if reference.kind == "named":
            return reference.phrase.property if reference.phrase is not None else OBJECT
        if self.lost:
            raise Refused
        if reference.kind == "which":
            if self.last is None:
                raise Refused
            return spoken_of(self.last, self.domain)
        if self.topic is not None:
            return self.topic
        if self.group is not None:
            return self.group
        if reference.kind == "elided":
            return self.elided(scope)
        return them(self.last, scope, self.domain)

    def elided(self, scope: Property) -> Property:
        """Return to what a quantity alone refers (*most are red*).

        It is what the last expression was about, or what was just introduced (*there are three circles*).
        """
        if self.last is None:
            return OBJECT
        if self.introduced and spoken_of(self.last, self.domain).mask(self.domain) & scope.mask(self.domain):
            return spoken_of(self.last, self.domain)
        found = about(self.last, self.domain)
        return found if found.mask(self.domain) & scope.mask(self.domain) else OBJECT

    def narrowed(self, first: Property, second: Property) -> Property:
        """Return what has both properties."""
        found = both(first, second, self.domain)
        if not found.terms:
            raise Refused
        return found

    def enter(self, topic: Reference | None) -> None:
        """Take what a clause is said to be about for what is left out in it: *of the squares, half are red*."""
        if topic is None:
            return
        rest = topic.kind in ("rest", "others")
        self.topic = self.remainder(topic) if rest else self.referent(topic, OBJECT)
        self.lost = False

    # --- the rest ---------------------------------------------------------------------------------------------------

    def remainder(self, reference: Reference) -> Property:
        """Return to what *the rest* refers, as a property."""
        base, told = self.rest_base(reference)
        left = left_of(base, told, self.domain)
        if left is None:
            raise Refused
        return left

    def rest_said(self, reference: Reference, said: Property) -> tuple[Property, list[Property]]:
        """Return the same where it fits what is said of the rest, else all things but those of which it is the rest."""
        base, told = self.rest_base(reference)
        left = left_of(base, told, self.domain)
        if left is not None and not left.mask(self.domain) & said.mask(self.domain):
            return (OBJECT, [base]) if base != OBJECT else (base, told)
        return base, told

    def rest_base(self, reference: Reference) -> tuple[Property, list[Property]]:
        """Return of which things *the rest* is the rest, and those of which something was said."""
        last = self.last
        if last is None or self.lost:
            raise Refused
        named = reference.phrase.property if reference.phrase is not None else None
        form = quantifier(last.quantifier).form
        if form == "comparison":
            return named or OBJECT, [last.first, last.second]
        if last.rest is not None:
            return spoken_of(last, self.domain), []
        if form != "proportion":
            raise Refused
        spoken = both(last.first, last.second, self.domain)
        if last.quantifier in UNIVERSAL:
            if last.quantifier in ("no", "not all"):
                raise Refused
            return named or OBJECT, [last.first]
        if named is not None and named.mask(self.domain) != self.base.mask(self.domain):
            return named, [self.base if reference.definite else spoken]
        inside = len(self.expressions) - self.told_before
        told = self.told[-inside:] if inside else self.told
        return (self.base, told) if left_of(self.base, told, self.domain) else (OBJECT, [self.base])

    def _just_said(self, last: Expression) -> bool:
        """Whether the last expression is all that the sentence has said so far, and can have a rest."""
        alone = len(self.expressions) - self.told_before == 1 and not self.lost
        return alone and quantifier(last.quantifier).rest and last.rest is None

    def _rest_of(self, last: Expression, base: Property, told: list[Property]) -> bool:
        """Whether the rest is that of the last expression alone."""
        return told == [last.second] and base.mask(self.domain) == last.first.mask(self.domain)

    def say_rest(self, reference: Reference, said: Property, quantity: Quantity | None, singular: bool) -> Property:
        """Say something of the rest; where the last expression can hold it, it becomes part of that."""
        last = self.last
        plain = quantity in (None, ALL) and reference.count is None and last is not None
        if plain and last is not None and self._just_said(last) and reference.phrase is None:
            self.expressions[-1] = replace(last, rest=said)
            return said
        base, told = self.rest_said(reference, said)
        if plain and last is not None and quantifier(last.quantifier).rest and self._rest_of(last, base, told):
            self.expressions[-1] = replace(last, rest=said)
            return said
        left = left_of(base, told, self.domain)
        if left is None:
            raise Refused
        if reference.count is not None:
            self.add(Expression("number", base, left, (reference.count,)))
        self.say(quantity or (THE if singular else ALL), left, said)
        return left
