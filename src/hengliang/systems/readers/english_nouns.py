"""Which property does a noun phrase name, and which terms do its adjectives and nouns make?

In *red and blue circles and squares* both adjectives belong to both nouns. A noun without an adjective takes those of
the noun before it, unless it has an article of its own, or says *of any colour*; an adjective without a noun takes the
next noun.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from hengliang.materials.quantified_properties import Property, Term
from hengliang.systems.readers.english_lexer import Sentence, remembered
from hengliang.systems.readers.english_segments import Segment, segments
from hengliang.systems.readers.english_words import Vocabulary

Joined = Literal["", "and", "or"]
MOST_READINGS = 200
"""How many ways to read a list are tried: nobody writes one that needs more, but a text may be anything."""


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """The terms of a noun phrase and how they were said.

    `every` says that there is something of each term (*circles in both colours*); `groups` are the terms by the segment
    in which they were said, `articles` how many of these have an article; `singulars` says that every noun is singular.
    """

    terms: tuple[Term, ...]
    groups: tuple[tuple[Term, ...], ...]
    joined: Joined = ""
    headed: bool = False
    plural: bool | None = None
    articles: int = 0
    every: bool = False
    pronoun: bool = False
    singulars: bool = False

    @property
    def property(self) -> Property:
        """The property of having one of the terms."""
        return Property(self.terms)


@remembered
def noun_phrases(sentence: Sentence, start: int) -> list[tuple[NounPhrase, int]]:
    """Return what can be read as a noun phrase from a place on, the longest first."""
    found: dict[int, NounPhrase] = {}
    both = sentence.follow(start, "both")
    either = sentence.follow(start, "either")
    begin = both or either or start
    for parts, seps, end in islice(_coordinated(sentence, begin, (), ()), MOST_READINGS):
        if both is not None and len(parts) < 2:
            continue
        phrase = _phrase(parts, seps, sentence.vocabulary, both is not None)
        if phrase is not None and end not in found:
            found[end] = phrase
    return [(found[end], end) for end in sorted(found, reverse=True)]


def _coordinated(
    sentence: Sentence, start: int, parts: tuple[Segment, ...], seps: tuple[str, ...]
) -> Iterator[tuple[tuple[Segment, ...], tuple[str, ...], int]]:
    for segment, end in segments(sentence, start, listed=bool(parts)):
        read = (*parts, segment)
        after = sentence.follow(end, ",? and|or both|either? the?") or sentence.follow(end, ",")
        if after is not None:
            said = next((word for word in sentence.words[end:after] if word in ("and", "or")), ",")
            yield from _coordinated(sentence, after, read, (*seps, said))
        yield read, seps, end


def _phrase(parts: tuple[Segment, ...], seps: tuple[str, ...], held: Vocabulary, both: bool) -> NounPhrase | None:
    groups: list[tuple[Term, ...]] = []
    shared: tuple[Term, ...] = ()
    waiting: list[tuple[Segment, str]] = []
    for place, segment in enumerate(parts):
        sep = seps[place - 1] if place else ""
        if not segment.headed:
            waiting.append((segment, sep))
            continue
        adjectives = _adjectives(waiting, segment, sep, held)
        if not waiting and not segment.values and not segment.fixed and shared and not segment.spread:
            adjectives = shared
        shared = adjectives if any(adjectives) else ()
        waiting = []
        terms = tuple(held.merged(term, (segment.noun,) if segment.noun else ()) for term in adjectives)
        groups.append(_spread(terms, _spreading(parts, place), held))
    groups += [(segment.term,) for segment, _ in waiting]
    terms = tuple(term for group in groups for term in group)
    joined: Joined = "or" if "or" in seps else "and" if seps else ""
    every = both or any(segment.every for segment in parts)
    return NounPhrase(
        terms,
        tuple(groups),
        joined,
        any(segment.headed for segment in parts),
        parts[-1].plural if len(parts) == 1 else True,
        sum(segment.article for segment in parts),
        every,
        parts[-1].pronoun,
        all(segment.plural is False for segment in parts if segment.headed),
    )


def _adjectives(waiting: list[tuple[Segment, str]], segment: Segment, sep: str, held: Vocabulary) -> tuple[Term, ...]:
    """Return the adjectives of a noun with those that wait for it: *red and blue circles*, *big and red circles*."""
    found: list[Term] = [held.merged(other.values) for other, _ in waiting]
    own = held.merged(segment.values)
    if not found:
        return (own,)
    if sep != "or" and all(held.compatible(term, own) for term in found) and len(found) == 1:
        return (held.merged(found[0], own),)
    return (*found, own)


def _spreading(parts: tuple[Segment, ...], place: int) -> tuple[str, ...]:
    """Return the values with which a term is multiplied: those of its own, or those said of a whole list at its end."""
    last = parts[-1]
    listed = last.headed and not any(part.values or part.spread or not part.headed for part in parts[:-1])
    return parts[place].spread or (last.spread if listed else ())


def _spread(terms: tuple[Term, ...], values: tuple[str, ...], held: Vocabulary) -> tuple[Term, ...]:
    if not values:
        return terms
    return tuple(held.merged(term, (value,)) for term in terms for value in values if held.compatible(term, (value,)))


def predicated(phrase: NounPhrase, held: Vocabulary) -> Property:
    """Return what is said of things by a predicate: *squares and blue* is both at once, *red and blue* one of both."""
    if phrase.joined != "and" or phrase.every or len(phrase.groups) < 2:
        return phrase.property
    terms = [phrase.terms[0]]
    for term in phrase.terms[1:]:
        if held.compatible(terms[-1], term):
            terms[-1] = held.merged(terms[-1], term)
        else:
            terms.append(term)
    return Property(tuple(terms))
