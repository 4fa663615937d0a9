"""How are the things of a domain called in English: as a noun phrase, and as a predicate?

Adjectives stand before the noun in the order of the attributes; a domain without nouns calls everything by its word for
a thing. Number and article follow from the words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hengliang.materials.quantified_properties import Property, Term
from hengliang.materials.scene_domains import Domain

_VOWEL = re.compile(r"(?!uni(?!n|m)|use|usu|eu|ewe|one|once|ut[ie])[aeiou]|hour|hono[u]?r|honest|heir", re.IGNORECASE)


def with_article(words: str) -> str:
    """Return the words with *a* or *an*, by the sound with which they begin.

    >>> with_article("ox"), with_article("blue ox"), with_article("unicorn")
    ('an ox', 'a blue ox', 'a unicorn')
    """
    return f"{'an' if _VOWEL.match(words) else 'a'} {words}"


def listed(parts: Sequence[str], conjunction: str) -> str:
    """Return a list in words: a, b and c."""
    if len(parts) == 1:
        return parts[0]
    return f"{', '.join(parts[:-1])} {conjunction} {parts[-1]}"


def _adjectives(term: Term, domain: Domain) -> list[str]:
    noun = domain.noun
    nouns = {value.name for value in noun.values} if noun else set()
    named = (value.name for attribute in domain.attributes for value in attribute.values)
    return [domain.values[name].english for name in named if name in term and name not in nouns]


def _noun(term: Term, domain: Domain, plural: bool) -> str:
    held = domain.noun
    value = next((one for one in held.values if one.name in term), None) if held else None
    if value is None:
        return domain.plural if plural else domain.english
    return value.plural if plural else value.english


def _of_any(before: Term, domain: Domain) -> str:
    """Return *of any colour*: a noun in a list would else share the adjectives of the one before it."""
    noun = domain.noun
    places = {domain.attribute_of[value] for value in before}
    names = [one.name for place, one in enumerate(domain.attributes) if place in places and one is not noun]
    return f" of any {listed(names, 'and')}"


def noun_phrase(said: Property, domain: Domain, plural: bool, conjunction: str = "and") -> str:
    """Return the things that have a property: *blue squares and red circles*."""
    parts: list[str] = []
    for place, term in enumerate(said.terms):
        adjectives = _adjectives(term, domain)
        words = " ".join([*adjectives, _noun(term, domain, plural)])
        before = said.terms[place - 1] if place else ()
        shares = not adjectives and _adjectives(before, domain)
        parts.append(words + (_of_any(before, domain) if shares else ""))
    return listed(parts, conjunction)


def _adjectives_alone(said: Property, domain: Domain) -> bool:
    """Whether a predicate says adjectives without a noun: *red*, *red or blue*."""
    return all(len(term) == 1 and len(_adjectives(term, domain)) == 1 for term in said.terms)


def last_named(said: Property, subject: Property | None, domain: Domain, plural: bool) -> Property | None:
    """Return what is named last by a noun in the plural: by the predicate, or else by the subject; None for a list.

    After *half of the objects are squares* it is the squares, after *half of the squares are blue* the squares as well.
    """
    if subject is not None and _adjectives_alone(said, domain):
        said = subject
    return said if plural and said.single else None


def predicate(said: Property, domain: Domain, plural: bool) -> str:
    """Return what is said of things after *is* or *are*: *red*, *blue squares*, *a blue square or a circle*."""
    if _adjectives_alone(said, domain):
        return listed([_adjectives(term, domain)[0] for term in said.terms], "or")
    if plural:
        return noun_phrase(said, domain, True, "or")
    return listed([with_article(noun_phrase(Property((term,)), domain, False)) for term in said.terms], "or")
