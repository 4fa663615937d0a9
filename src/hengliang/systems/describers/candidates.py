"""Which expressions can be said of the things of a domain at all?

A candidate is a quantifier whose places are filled with properties, and whose number, where it takes one, is left to
the scene: of all *exactly n* only one is true there, and of all *at least n* the strongest one is as good as the
others or better. Fillers are informative: nothing is said twice (*blue squares are blue*), nothing follows from the
words alone, and what is compared is of one sort.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from hengliang.core.errors import unknown_name
from hengliang.materials.quantified_expressions import Expression
from hengliang.materials.quantified_properties import OBJECT, Property, single_properties
from hengliang.materials.quantifiers import QUANTIFIERS, Numbers, quantifier
from hengliang.materials.scene_domains import Domain

CRISP = (
    *("all", "every", "everything", "the", "no", "not all", "only", "half", "most", "more than half", "majority"),
    *("minority", "less than half", "fraction", "some", "only one", "more", "fewer", "equal", "there are", "all kinds"),
)
"""Without numerals and without vagueness: people who are asked to describe a scene rarely count."""
NUMBERS = ("number", "exactly", "all but", "times", "of each kind")
VAGUE = tuple(name for name, one in QUANTIFIERS.items() if one.vague)
INVENTORIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"crisp": CRISP, "with numbers": (*CRISP, *NUMBERS), "with vague": (*CRISP, *VAGUE)}
)
"""Which quantifiers a describer knows, by the name of the inventory."""
Inventory = str | tuple[str, ...]

MOST_TERMS = 4
"""How many kinds *there are …* lists at most."""
REST = " + rest"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A quantifier with filled places, its numbers still open."""

    quantifier: str
    first: Property = OBJECT
    second: Property = OBJECT
    rest: Property | None = None

    @property
    def pattern(self) -> str:
        """The name of its pattern: the quantifier, and whether something is said of the rest."""
        return pattern_name(self.quantifier, self.rest is not None)

    def expression(self, numbers: Numbers) -> Expression:
        """Return the expression that it becomes with these numbers."""
        return Expression(self.quantifier, self.first, self.second, numbers, self.rest)


def pattern_name(name: str, rest: bool) -> str:
    """Return the name of the pattern of a quantifier, with *the rest are …* or without."""
    return name + REST if rest else name


def quantifiers_of(inventory: Inventory) -> tuple[str, ...]:
    """Return the quantifiers of an inventory, by its name or as they are, or say which there are."""
    if isinstance(inventory, str):
        if inventory not in INVENTORIES:
            raise unknown_name("inventory of quantifiers", inventory, list(INVENTORIES))
        return INVENTORIES[inventory]
    for name in inventory:
        quantifier(name)
    return tuple(dict.fromkeys(inventory))


@lru_cache(maxsize=64)
def candidates(domain: Domain, names: tuple[str, ...]) -> tuple[Candidate, ...]:
    """Return all candidates of some quantifiers, in their order.

    Fillers with fewer values come first, and nouns before adjectives; what says something of the rest comes after what
    does not.
    """
    found: list[Candidate] = []
    for name in names:
        found += [Candidate(name, first, second) for first, second in _fillers(name, domain)]
        if quantifier(name).rest:
            found += [Candidate(name, *filler) for filler in _with_rest(domain)]
    return tuple(found)


def _fillers(name: str, domain: Domain) -> Iterable[tuple[Property, Property]]:
    form = quantifier(name).form
    if form == "kinds":
        listed = _listings(domain) if name == "there are" else [OBJECT]
        return ((first, OBJECT) for first in listed)
    if form == "comparison":
        return _compared(domain, either_way=name != "equal")
    pairs = _predications(domain)
    if form == "only":
        # Only blue things are squares; there are only blue squares.
        return [(second, first) for first, second in pairs]
    if name == "everything":
        return [pair for pair in pairs if pair[0] == OBJECT]
    if name == "the":
        return [pair for pair in pairs if pair[0] != OBJECT]
    return pairs


def _attributes(filler: Property, domain: Domain) -> frozenset[int]:
    return frozenset(domain.attribute_of[value] for term in filler.terms for value in term)


@lru_cache(maxsize=64)
def _predications(domain: Domain) -> tuple[tuple[Property, Property], ...]:
    """Return what can be said of what: the two speak of different attributes, so that neither decides the other."""
    held = single_properties(domain)
    attributes = {one: _attributes(one, domain) for one in held}
    return tuple(
        (first, second)
        for first in held
        for second in held
        if second != OBJECT and not attributes[first] & attributes[second]
    )


@lru_cache(maxsize=64)
def _with_rest(domain: Domain) -> tuple[tuple[Property, Property, Property], ...]:
    """Return what can be said of what, and of the rest; the rest could also be something else."""
    found = []
    for first, second in _predications(domain):
        others = domain.everything & first.mask(domain) & ~second.mask(domain)
        for rest in (said for of, said in _predications(domain) if of == first):
            mask = first.mask(domain) & rest.mask(domain)
            # A rest that is part of the others, and not all of them.
            if not mask & ~others and mask != others:
                found.append((first, second, rest))
    return tuple(found)


def _compared(domain: Domain, either_way: bool) -> Iterator[tuple[Property, Property]]:
    """Yield what can be compared: squares with circles, blue squares with red ones, not squares with red circles."""
    held = [one for one in single_properties(domain) if one != OBJECT]
    for (place, one), (spot, other) in itertools.product(enumerate(held), repeat=2):
        alike = _attributes(one, domain) == _attributes(other, domain)
        if alike and one != other and (either_way or place < spot):
            yield one, other


def _listings(domain: Domain) -> Iterator[Property]:
    """Yield what *there are …* can list: values of one attribute, or kinds."""
    sorts: dict[frozenset[int], list[Property]] = {}
    for one in single_properties(domain)[1:]:
        sorts.setdefault(_attributes(one, domain), []).append(one)
    for attributes, held in sorts.items():
        if len(attributes) not in (1, len(domain.attributes)):
            continue
        for count in range(1, min(MOST_TERMS, len(held)) + 1):
            for chosen in itertools.combinations(held, count):
                yield Property(tuple(term for one in chosen for term in one.terms))
