"""Which adjectives and which noun belong together between two commas or conjunctions?

*Red and blue circles and squares* has three segments: *red*, *blue circles*, *squares*. How they belong together is
decided by `english_nouns`; this reads one segment with what follows its noun (*circles of both colours*).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hengliang.materials.quantified_properties import Term
from hengliang.systems.readers.english_lexer import Sentence

_LOOKS = frozenset(
    ["coloured", "colored", "shaped", "sized", "small", "tiny", "little", "colour", "mixed", "lonely", "lone"]
)


@dataclass(frozen=True, slots=True)
class Segment:
    """Values by adjectives, the value of the noun, and whether there is a noun at all.

    `fixed` says that it takes no adjective from the segment before it: it has its own article, or *of any colour*.
    `spread` is what a term is multiplied with: *of both colours*, *in each colour*.
    """

    values: Term = ()
    noun: str | None = None
    headed: bool = False
    plural: bool | None = None
    article: bool = False
    fixed: bool = False
    spread: tuple[str, ...] = ()
    every: bool = False
    pronoun: bool = False

    @property
    def term(self) -> Term:
        """All values, that of the noun last."""
        return (*self.values, *((self.noun,) if self.noun else ()))


def segments(sentence: Sentence, start: int, listed: bool = False) -> list[tuple[Segment, int]]:
    """Return what can be read as a segment from a place on, the longest first.

    Within a list an adjective does not follow its noun: *squares are blue and circles red* is no list of nouns.
    """
    at, article = start, False
    after = sentence.follow(at, "a|an single?")
    if after is not None:
        at, article = after, True
    core = _core(sentence, at)
    if core is None:
        return []
    segment, end = replace(core[0], article=article, fixed=article), core[1]
    found = [(segment, end)]
    if segment.headed:
        found = [*_with_modifiers(sentence, segment, end, listed), *found]
    return found


def _core(sentence: Sentence, start: int) -> tuple[Segment, int] | None:
    held = sentence.vocabulary
    values: list[str] = []
    named = _whole_attribute(sentence, start)
    if named is not None:
        return named
    at = start
    colour = sentence.follow(at, "the? colour")
    at = colour if colour is not None and sentence.at(colour) in held.adjectives else at
    while True:
        word = sentence.at(at)
        if word in held.adjectives and not _clashes(values, held.adjectives[word], sentence):
            values.append(held.adjectives[word])
        elif not (word in _LOOKS and word not in held.words and (values or word not in held.attributes)):
            break
        at += 1
    noun = held.nouns.get(sentence.at(at))
    if noun is not None:
        return _headed(sentence, values, at)
    after = sentence.follow(at, "one|ones")
    if after is not None and values and sentence.at(after) not in held.adjectives:
        plural = sentence.at(at) == "ones"
        return Segment(tuple(values), headed=True, plural=plural, pronoun=True), after
    return (Segment(tuple(values)), at) if values else None


def _whole_attribute(sentence: Sentence, start: int) -> tuple[Segment, int] | None:
    """Read *both shapes*, *different colours*: as many terms as the attribute has values."""
    held = sentence.vocabulary
    end = sentence.follow(start, "both|different")
    place = held.attributes.get(sentence.at(end)) if end is not None else None
    if end is None or place is None or len(held.values_of(place)) != 2:
        return None
    return Segment(headed=True, plural=True, spread=held.values_of(place), every=True), end + 1


def _headed(sentence: Sentence, values: list[str], at: int) -> tuple[Segment, int] | None:
    """Read the noun: *squares*, but also *square objects* and *round shapes*."""
    held = sentence.vocabulary
    noun = held.nouns[sentence.at(at)]
    end = at + 1
    if noun.value is not None:
        while sentence.at(end) in ("shaped", "shape", "coloured") and sentence.at(end) not in held.adjectives:
            end += 1
        thing = held.nouns.get(sentence.at(end))
        # *Squares form* is no noun: the first of two is singular.
        if thing is not None and thing.value is None and noun.plural is not True:
            return Segment(tuple(values), noun.value, True, thing.plural), end + 1
        if sentence.at(end) in ("one", "ones"):
            return Segment(tuple(values), noun.value, True, sentence.at(end) == "ones"), end + 1
    return Segment(tuple(values), noun.value, True, noun.plural), end


def _clashes(values: list[str], value: str, sentence: Sentence) -> bool:
    """Whether a thing cannot have a value besides those that it has."""
    places = sentence.vocabulary.domain.attribute_of
    return any(places[value] == places[other] for other in values)


def _with_modifiers(sentence: Sentence, segment: Segment, at: int, listed: bool) -> list[tuple[Segment, int]]:
    """Return the readings with what follows the noun."""
    found: list[tuple[Segment, int]] = []
    modifiers = (_of_any, _of_each, _in_colour, _relative)
    for modifier in modifiers if listed else (*modifiers, _postposed):
        for longer, end in modifier(sentence, segment, at):
            found += [*_with_modifiers(sentence, longer, end, listed), (longer, end)]
    return found


def _of_any(sentence: Sentence, segment: Segment, at: int) -> list[tuple[Segment, int]]:
    """Read *of any colour and size*: it takes no adjectives from elsewhere."""
    attributes = sentence.vocabulary.domain.attributes
    places = sentence.vocabulary.attributes
    named = {word for word, place in places.items() if not attributes[place].noun}
    end = sentence.follow(at, "of any|either|whatever")
    while end is not None and sentence.at(end) in named:
        further = sentence.follow(end + 1, "and|or") or sentence.follow(end + 1, ",")
        if further is None or sentence.at(further) not in named:
            return [(replace(segment, fixed=True), end + 1)]
        end = further
    return []


def _of_each(sentence: Sentence, segment: Segment, at: int) -> list[tuple[Segment, int]]:
    """Read *of both colours*, *in each colour*: as many terms as the attribute has values."""
    held = sentence.vocabulary
    each = sentence.follow(at, "of|in|with|for|from each|every")
    both = sentence.follow(at, "of|in|with|for|from both|all|different|the_two|varying unique?")
    end = each or both
    place = held.attributes.get(sentence.at(end)) if end is not None else None
    if end is None or place is None or segment.spread:
        return []
    values = held.values_of(place)
    if both is not None and sentence.at(at + 1) in ("both", "different") and len(values) != 2:
        return []
    return [(replace(segment, spread=values, every=True), end + 1)]


def _in_colour(sentence: Sentence, segment: Segment, at: int) -> list[tuple[Segment, int]]:
    """Read *in red*, *of the colour blue*, *in red and blue*, *coloured blue or red*."""
    end = sentence.follow(at, "in|of|with both|either|the|a? same? colour|colours?") or sentence.follow(
        at, "coloured|colored either|both?"
    )
    if end is None or segment.values:
        return []
    values, last = _colours(sentence, end)
    if not values or (segment.spread and len(values) > 1):
        return []
    if segment.spread:
        return [(replace(segment, values=tuple(values)), last)]
    return [(replace(segment, spread=tuple(values)), last)]


def _colours(sentence: Sentence, at: int) -> tuple[list[str], int]:
    """Read *red*, *red and blue*, *blue or red colour*."""
    held = sentence.vocabulary
    values: list[str] = []
    last = at
    end: int | None = at
    while end is not None and sentence.at(end) in held.adjectives:
        values.append(held.adjectives[sentence.at(end)])
        last = end + 1
        if sentence.at(last) in ("colour", "colours", "coloured"):
            last += 1
        end = sentence.follow(last, ",? and|or")
    return values, last


def _relative(sentence: Sentence, segment: Segment, at: int) -> list[tuple[Segment, int]]:
    """Read *that are red*, *which is a circle*, *that are red and blue*."""
    end = sentence.follow(at, ",? that|which is|are either|both?")
    values, last = _colours(sentence, end) if end is not None else ([], at)
    if len(values) > 1 and not segment.values and not segment.spread:
        return [(replace(segment, spread=tuple(values)), last)]
    core = _core(sentence, end) if end is not None else None
    if core is None or segment.spread:
        return []
    inner, end = core
    if not sentence.vocabulary.compatible(segment.term, inner.term):
        return []
    return [(replace(segment, values=(*segment.values, *inner.values), noun=segment.noun or inner.noun), end)]


def _postposed(sentence: Sentence, segment: Segment, at: int) -> list[tuple[Segment, int]]:
    """Read *circles blue*."""
    held = sentence.vocabulary
    word = sentence.at(at)
    if segment.values or segment.spread or word not in held.adjectives or sentence.at(at + 1) in held.nouns:
        return []
    return [(replace(segment, values=(held.adjectives[word],)), at + 1)]
