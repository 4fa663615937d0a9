"""Which English words does the grammar know: those of the domain, numbers, and the words between them?

The words for things come from the domain; those for an attribute from its name. Numbers and fractions are spelled out
or written in figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from hengliang.materials.quantified_properties import Term, ordered
from hengliang.materials.scene_domains import Domain

_NAMES = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty
"""
NUMBERS = {name: number for number, name in enumerate(_NAMES.split())}
PARTS = {
    "half": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
}
"""The names of parts of a whole: a third, two fifths."""
THINGS = ("object", "item", "thing", "element", "figure", "shape", "form", "symbol", "entity", "subject", "piece")
"""Words for a thing of any kind, whatever the domain calls it."""
ATTRIBUTE_NAMES = {"colour": ("color", "hue"), "color": ("colour", "hue"), "shape": ("form",), "size": ()}


def plural_of(noun: str) -> str:
    """Return the regular plural of a noun."""
    if noun.endswith("y") and noun[-2:-1] not in tuple("aeiou"):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "z", "ch", "sh")) else "s")


@dataclass(frozen=True, slots=True)
class Noun:
    """A word that can head a noun phrase: which value it names (none: any thing), and its number if it shows one."""

    value: str | None
    plural: bool | None


@dataclass(frozen=True)
class Vocabulary:
    """The words of a domain by what they are in the grammar; all in small letters."""

    domain: Domain

    @cached_property
    def adjectives(self) -> dict[str, str]:
        """The value that each adjective names."""
        held: dict[str, str] = {}
        for attribute in self.domain.attributes:
            for value in attribute.values if not attribute.noun else ():
                for word in (value.english, value.name, *value.other_english):
                    held.setdefault(word.lower(), value.name)
        return held

    @cached_property
    def nouns(self) -> dict[str, Noun]:
        """The nouns of the domain, and those for a thing of any kind."""
        held: dict[str, Noun] = {}
        for value in self.domain.noun.values if self.domain.noun else ():
            same = value.plural.lower() == value.english.lower()
            held.setdefault(value.english.lower(), Noun(value.name, None if same else False))
            held.setdefault(value.plural.lower(), Noun(value.name, True))
            for word in value.other_english:
                others = {other.lower() for other in value.other_english} - {word.lower()}
                singular, plural = f"{word}s".lower() in others, word.lower().removesuffix("s") in others
                held.setdefault(word.lower(), Noun(value.name, False if singular else True if plural else None))
        for word in self._things:
            held.setdefault(word, Noun(None, self._things[word]))
        return held

    @cached_property
    def _things(self) -> dict[str, bool | None]:
        domain = self.domain
        held: dict[str, bool | None] = {domain.english.lower(): False}
        held.setdefault(domain.plural.lower(), True)
        if domain.plural.lower() == domain.english.lower():
            held[domain.english.lower()] = None
        for word in THINGS:
            held.setdefault(word, False)
            held.setdefault(plural_of(word), True)
        for word in domain.other_english:
            held.setdefault(word.lower(), word.lower().endswith("s"))
        return {word: plural for word, plural in held.items() if word not in self.adjectives}

    @cached_property
    def attributes(self) -> dict[str, int]:
        """The place of the attribute that a word such as *colours* names."""
        held: dict[str, int] = {}
        for place, attribute in enumerate(self.domain.attributes):
            for name in (attribute.name, *ATTRIBUTE_NAMES.get(attribute.name, ())):
                held.setdefault(name.lower(), place)
                held.setdefault(plural_of(name.lower()), place)
        return held

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the domain."""
        return frozenset({*self.adjectives, *self.nouns, *self.attributes})

    def values_of(self, attribute: int) -> tuple[str, ...]:
        """Return the names of the values of an attribute."""
        return tuple(value.name for value in self.domain.attributes[attribute].values)

    def compatible(self, one: Term, other: Term) -> bool:
        """Return whether a thing can have all values of both terms, as far as no attribute is named twice."""
        places = self.domain.attribute_of
        return not {places[value] for value in one} & {places[value] for value in other}

    def merged(self, *terms: Term) -> Term:
        """Return the term of all values, in the order of the domain."""
        return ordered({value for term in terms for value in term}, self.domain)


@lru_cache(maxsize=32)
def vocabulary(domain: Domain) -> Vocabulary:
    """Return the words of a domain."""
    return Vocabulary(domain)


def number_named(word: str) -> int | None:
    """Return the number that a word or figures name."""
    return int(word) if word.isdecimal() else NUMBERS.get(word)


def fraction_named(word: str) -> tuple[int, int] | None:
    """Return the fraction that figures name: 3/4, 75%."""
    part, slash, whole = word.partition("/")
    if slash and part.isdecimal() and whole.isdecimal() and int(whole) > 0:
        return int(part), int(whole)
    if word.endswith("%") and word[:-1].isdecimal():
        return int(word[:-1]), 100
    return None


def part_named(word: str) -> int | None:
    """Return how many such parts make a whole: 3 for *third* and *thirds*."""
    if word in PARTS:
        return PARTS[word]
    return 2 if word == "halves" else PARTS.get(word.removesuffix("s"))
