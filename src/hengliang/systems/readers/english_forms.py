"""What forms can a clause of a description have, before it is known what it refers to?

The grammar makes these from words; a discourse makes logical forms from them, when it knows what was said before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hengliang.systems.readers.english_nouns import NounPhrase
from hengliang.systems.readers.english_quantities import Quantity

Kind = Literal["named", "them", "which", "elided", "rest", "others"]
Relation = Literal["more", "fewer", "equal", "about equal", "times"]
Evenness = Literal["equal", "about equal", "present", "different"]


@dataclass(frozen=True, slots=True)
class Reference:
    """What a clause is about: things that are named, *them*, *which*, nothing at all, or *the rest* (of what is named).

    `count` is a number of things that is taken for granted (*all four squares*); `each` speaks of every term by itself
    (*half of both the circles and the squares*).
    """

    kind: Kind
    phrase: NounPhrase | None = None
    count: int | None = None
    definite: bool = False
    each: bool = False


ELIDED = Reference("elided")


@dataclass(frozen=True, slots=True)
class Subject:
    """How many of what."""

    quantity: Quantity | None
    reference: Reference


@dataclass(frozen=True, slots=True)
class Item:
    """A noun phrase in a list, with its quantity; without one it is a bare plural."""

    quantity: Quantity | None
    phrase: NounPhrase


@dataclass(frozen=True, slots=True)
class Predicate:
    """What is said of the subject.

    `parts` divide it (*half red and half blue*); `floated` is a quantity that stands by the verb (*are mostly red*);
    `listed` are things that make it up (*the rest are a square and a circle*); `opposite` has no value in common with
    what was said last, and `same` repeats it (*but not all of them*).
    """

    phrase: NounPhrase | None = None
    negated: bool = False
    floated: Quantity | None = None
    parts: tuple[Item, ...] = ()
    listed: tuple[Item, ...] = ()
    opposite: bool = False
    singular: bool = False
    verbless: bool = False
    same: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """Subjects and their predicate, perhaps with exceptions, within a topic (*of the squares, half are red*)."""

    subjects: tuple[Subject, ...]
    predicate: Predicate
    exceptions: tuple[Item, ...] = ()
    topic: Reference | None = None


@dataclass(frozen=True, slots=True)
class Existence:
    """A list of what there is; `only` says that there is nothing else, `also` that it goes on with the last list."""

    items: tuple[Item, ...]
    only: bool = False
    also: bool = False
    exceptions: tuple[Item, ...] = ()
    topic: Reference | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two noun phrases and how many there are of one against the other; without `second`, against all others."""

    relation: Relation
    first: NounPhrase
    second: NounPhrase | None = None
    number: int = 1
    topic: Reference | None = None


@dataclass(frozen=True, slots=True)
class Kinds:
    """All kinds are there, or so many of each kind."""

    number: int | None
    phrase: NounPhrase | None = None


@dataclass(frozen=True, slots=True)
class Spread:
    """How the values of attributes are spread over what is referred to: equally, about equally, or each is there."""

    attributes: tuple[int, ...]
    relation: Evenness
    reference: Reference = ELIDED


Clause = Statement | Existence | Comparison | Kinds | Spread
