"""Which clauses compare how many things there are, say that all kinds are there, or how values are spread?"""

from __future__ import annotations

from collections.abc import Iterator

from hengliang.systems.readers.english_forms import Comparison, Evenness, Kinds, Reference, Relation, Spread
from hengliang.systems.readers.english_lexer import Sentence
from hengliang.systems.readers.english_nouns import NounPhrase, noun_phrases
from hengliang.systems.readers.english_references import subjects
from hengliang.systems.readers.english_words import Vocabulary, number_named

_LEAD = "there is|are|in|seem? also?"
_MIXED: tuple[tuple[str, Evenness], ...] = (
    ("equal_of", "equal"),
    ("about_equal_of", "about equal"),
    ("mix_of", "present"),
)
_EVENLY: tuple[tuple[str, Evenness], ...] = (("equally", "equal"), ("about_equally", "about equal"))
_EVEN: tuple[tuple[str, Evenness], ...] = (("a|an? equal|even", "equal"), ("about_equally", "about equal"))


def comparisons(sentence: Sentence, start: int) -> list[tuple[Comparison, int]]:
    """Return the clauses that compare two noun phrases from a place on."""
    lead = sentence.follow(start, _LEAD) or sentence.follow(start, "there also") or start
    found: list[tuple[Comparison, int]] = []
    for at in {lead, start}:
        found += [*_degrees(sentence, at), *_as_many(sentence, at), *_multiples(sentence, at), *_equal(sentence, at)]
    found += [*_outnumbering(sentence, start), *_counts(sentence, start), *_more_are(sentence, start)]
    return found


def _pairs(sentence: Sentence, at: int, middle: str) -> Iterator[tuple[NounPhrase, NounPhrase, int]]:
    """Yield two noun phrases with words between them; the second may leave out its noun: *red circles than blue*."""
    for first, end in noun_phrases(sentence, at):
        between = sentence.follow(end, middle)
        if between is None:
            continue
        inner = sentence.follow(between, "there is|are") or between
        inner = sentence.follow(inner, "the? number|amount of") or inner
        inner = sentence.follow(inner, "the") or inner
        for second, last in noun_phrases(sentence, inner):
            one, other = _with_noun(first, second, sentence.vocabulary)
            yield one, other, last


def _with_noun(first: NounPhrase, second: NounPhrase, held: Vocabulary) -> tuple[NounPhrase, NounPhrase]:
    """Give the one that has no noun that of the other: *more red circles than blue*, *more red than blue circles*."""
    if second.headed and not second.pronoun and not first.headed:
        return _borrowed(first, second, held), second
    if first.headed and (not second.headed or second.pronoun):
        return first, _borrowed(second, first, held)
    return first, second


def _borrowed(phrase: NounPhrase, lender: NounPhrase, held: Vocabulary) -> NounPhrase:
    """Give the adjectives of one the values of the other that do not clash with them."""
    places = held.domain.attribute_of
    terms = []
    for term in phrase.terms:
        taken = {places[value] for value in term}
        for other in lender.terms:
            new = held.merged(term, tuple(value for value in other if places[value] not in taken))
            terms += [new] if new not in terms else []
    return NounPhrase(tuple(terms), (tuple(terms),), "and", True, phrase.plural)


def _degrees(sentence: Sentence, at: int) -> Iterator[tuple[Comparison, int]]:
    for word in ("more", "fewer"):
        begin = sentence.follow(at, f"{word} of? the?")
        if begin is None:
            continue
        relation: Relation = "more" if word == "more" else "fewer"
        for first, second, end in _pairs(sentence, begin, ",? than|as|compared to?"):
            yield Comparison(relation, first, second), end
        for phrase, end in noun_phrases(sentence, begin):
            if sentence.at(end) in ("", ",", "and", "but") and len(phrase.terms) == 1:
                yield Comparison(relation, phrase), end


def _as_many(sentence: Sentence, at: int) -> Iterator[tuple[Comparison, int]]:
    begin = sentence.follow(at, "as|equally many|equal") or sentence.follow(at, "equally|equal")
    if begin is None:
        return
    for first, second, end in _pairs(sentence, begin, ",? as|to|with"):
        yield Comparison("equal", first, second), end
    yield from _listed(sentence, begin, "equal")


def _equal(sentence: Sentence, at: int) -> Iterator[tuple[Comparison, int]]:
    for word in ("equal", "about_equal"):
        begin = sentence.follow(at, f"{word}_of")
        if begin is None:
            continue
        relation: Relation = "equal" if word == "equal" else "about equal"
        for first, second, end in _pairs(sentence, begin, "as|to"):
            yield Comparison(relation, first, second), end
        yield from _listed(sentence, begin, relation)
        for phrase, end in noun_phrases(sentence, begin):
            if len(phrase.terms) == 1 and phrase.terms[0] and relation == "equal":
                yield Comparison(relation, phrase), end


def _listed(sentence: Sentence, at: int, relation: Relation) -> Iterator[tuple[Comparison, int]]:
    """Read *of circles and squares*: what is equal is listed in one noun phrase."""
    for phrase, end in noun_phrases(sentence, at):
        if len(phrase.terms) > 1 and not phrase.every:
            yield Comparison(relation, phrase), end
            verb = sentence.follow(end, "is|are")
            for said, last in noun_phrases(sentence, verb) if verb is not None else ():
                yield Comparison(relation, phrase, topic=Reference("named", said)), last


def _multiples(sentence: Sentence, at: int) -> Iterator[tuple[Comparison, int]]:
    number, begin = _multiple(sentence, at)
    if begin is None:
        return
    for first, second, end in _pairs(sentence, begin, "as|than|of"):
        if number == 0.5:
            yield Comparison("times", second, first, 2), end
        else:
            yield Comparison("times", first, second, int(number)), end


def _multiple(sentence: Sentence, at: int) -> tuple[float, int | None]:
    """Read *three times as many*, *twice as many*, *double the number of*, *half as many*."""
    for pattern, number in (("twice|double", 2), ("triple|thrice", 3), ("half", 0.5)):
        end = sentence.follow(at, f"{pattern} as|the many|number|amount|more of?")
        if end is not None:
            return number, end
    named = number_named(sentence.at(at))
    end = sentence.follow(at + 1, "times|time as? many|more") if named is not None else None
    return (named or 0, end)


def _outnumbering(sentence: Sentence, start: int) -> Iterator[tuple[Comparison, int]]:
    at = sentence.follow(start, "the? number|amount of the?") or sentence.follow(start, "the") or start
    for first, second, end in _pairs(sentence, at, "outnumber"):
        yield Comparison("more", first, second), end
    for first, second, end in _pairs(sentence, at, "are|is more|higher than|in_than"):
        yield Comparison("more", first, second), end
    for first, second, end in _pairs(sentence, at, "are|is fewer than"):
        yield Comparison("fewer", first, second), end
    for first, second, end in _pairs(sentence, at, "are|is half the? number|amount of"):
        yield Comparison("times", second, first, 2), end
    yield from _ratios(sentence, start)
    for first, second, end in _pairs(sentence, at, "are|is as many as"):
        yield Comparison("equal", first, second), end


def _ratios(sentence: Sentence, start: int) -> Iterator[tuple[Comparison, int]]:
    """Read *the ratio of circles to squares is four to one*."""
    begin = sentence.follow(start, "the? ratio of|between")
    for first, second, end in _pairs(sentence, begin, "to|and") if begin is not None else ():
        verb = sentence.follow(end, "is|are")
        number = number_named(sentence.at(verb)) if verb is not None else None
        last = sentence.follow(verb + 1, "to one|1") if verb is not None else None
        if number is not None and last is not None:
            yield Comparison("times", first, second, number), last


def _counts(sentence: Sentence, start: int) -> Iterator[tuple[Comparison, int]]:
    """Read *the number of circles is equal to the number of squares*, *… is double that of …*."""
    at = sentence.follow(start, "the number|amount of the?") or sentence.follow(start, "number|amount of the?")
    if at is None:
        return
    there = "the? number|amount|that|those? of? the?"
    for words in (f"equals to? {there}", f"is|are equal to|with {there}", f"is|are as? the? same as {there}"):
        for first, second, end in _pairs(sentence, at, words):
            yield Comparison("equal", first, second), end
    for words, number in ((f"is|are twice|double {there}", 2), (f"is|are triple {there}", 3)):
        for first, second, end in _pairs(sentence, at, words):
            yield Comparison("times", first, second, number), end
    for first, end in noun_phrases(sentence, at):
        between = sentence.follow(end, "is|are as?")
        times = number_named(sentence.at(between)) if between is not None else None
        inner = sentence.follow(between + 1, f"times as? {there}") if between is not None and times else None
        for second, last in noun_phrases(sentence, inner) if inner is not None else ():
            yield Comparison("times", first, second, times or 1), last


def _more_are(sentence: Sentence, start: int) -> Iterator[tuple[Comparison, int]]:
    """Read *more objects are red than blue*, *more are red than blue*."""
    begin = sentence.follow(start, "more of? the|them?")
    if begin is None:
        return
    heads: list[tuple[NounPhrase | None, int]] = [(None, begin), *noun_phrases(sentence, begin)]
    for head, end in heads:
        verb = sentence.follow(end, "are|is")
        for first, second, last in _pairs(sentence, verb, "than") if verb is not None else ():
            if head is None:
                yield Comparison("more", first, second), last
            else:
                held = sentence.vocabulary
                yield Comparison("more", _borrowed(first, head, held), _borrowed(second, head, held)), last


def kinds(sentence: Sentence, start: int) -> list[tuple[Kinds, int]]:
    """Return the clauses that speak of all kinds from a place on."""
    lead = sentence.follow(start, "there is|are also?") or start
    found: list[tuple[Kinds, int]] = []
    for end, phrase in _kind_phrases(sentence, lead, "all of? the?", "kinds|types|sorts|combinations|possible"):
        found.append((Kinds(None, phrase), _existing(sentence, end)))
    for end, phrase in _kind_phrases(sentence, lead, "each|every", "kind|type|sort|combination"):
        after = sentence.follow(end, "exist? once")
        found += [(Kinds(1, phrase), after)] if after is not None else [(Kinds(None, phrase), _existing(sentence, end))]
    number = 1 if sentence.at(lead) in ("a", "an") else number_named(sentence.at(lead))
    if number is None and sentence.at(lead) == "only":
        number, lead = number_named(sentence.at(lead + 1)), lead + 1
    if number is not None:
        found += _of_each(sentence, lead + 1, number)
    return [pair for pair in found if pair[1] > lead]


def _of_each(sentence: Sentence, at: int, number: int) -> list[tuple[Kinds, int]]:
    """Read *two of each kind of object*, *two objects of each kind*, *one instance of every combination*."""
    found: list[tuple[Kinds, int]] = []
    starts: list[tuple[NounPhrase | None, int]] = [(None, at), *noun_phrases(sentence, at)]
    instance = sentence.follow(at, "instance|example|copy")
    starts += [(None, instance)] if instance is not None else []
    for phrase, end in starts:
        for last, named in _kind_phrases(sentence, end, "of|in|for each|every", "kind|type|sort|combination"):
            found.append((Kinds(number, phrase or named), _existing(sentence, last)))
    return found


def _kind_phrases(sentence: Sentence, at: int, lead: str, names: str) -> Iterator[tuple[int, NounPhrase | None]]:
    """Yield where *all possible kinds of objects* and the like end, and the noun phrase in them."""
    begin = sentence.follow(at, lead)
    if begin is None:
        return
    if number_named(sentence.at(begin)) is not None:
        begin += 1
    begin = sentence.follow(begin, "possible|different|available?") or begin
    begin = _past_attributes(sentence, begin)
    end = sentence.follow(begin, names)
    if end is None and sentence.at(begin - 1) == "possible":
        end = begin
    if end is None:
        return
    inner = sentence.follow(end, "of the?") or end
    for phrase, after in noun_phrases(sentence, inner):
        yield after, phrase
    yield _past_attributes(sentence, inner), None


def _past_attributes(sentence: Sentence, at: int) -> int:
    """Skip *colour and shape*."""
    while sentence.at(at) in sentence.vocabulary.attributes or sentence.at(at) == "object":
        further = sentence.follow(at + 1, "and|or|in|,") or at + 1
        if sentence.at(further) not in sentence.vocabulary.attributes:
            return at + 1 if sentence.at(at) in sentence.vocabulary.attributes else at
        at = further
    return at


def _existing(sentence: Sentence, at: int) -> int:
    held = sentence.vocabulary
    everywhere = sentence.follow(at, "exist? in all|both|every|each")
    if everywhere is not None and sentence.at(everywhere) in held.attributes:
        return everywhere + 1
    return sentence.follow(at, "exist once?") or sentence.follow(at, "is|are there|here?") or at


def spreads(sentence: Sentence, start: int) -> list[tuple[Spread, int]]:
    """Return the clauses on how values are spread: *the colours are equally distributed*, *all different*."""
    found: list[tuple[Spread, int]] = []
    for word, relation in _MIXED:
        lead = sentence.follow(start, _LEAD) or start
        begin = sentence.follow(lead, f"{word} all|both|different?")
        for places, end in _attribute_lists(sentence, begin) if begin is not None else ():
            found.append((Spread(places, relation), end))
    begin = sentence.follow(start, "all|both|the? of? the?") or start
    for places, end in _attribute_lists(sentence, begin):
        for words, relation in _EVENLY:
            after = sentence.follow(end, f"are|is|exist {words} distributed|divided|represented|split|spread?")
            found += [(Spread(places, relation), after)] if after is not None else []
        after = sentence.follow(end, "exist") if sentence.at(start) in ("all", "both") else None
        found += [(Spread(places, "present"), after)] if after is not None else []
    found += [*_each_value(sentence, start), *_divided(sentence, start)]
    return found


def _each_value(sentence: Sentence, start: int) -> Iterator[tuple[Spread, int]]:
    """Read *each shape has at least one object*, *two kinds of shapes*, *equal colour distribution*."""
    held = sentence.vocabulary
    lead = sentence.follow(start, _LEAD) or start
    each = sentence.follow(start, "each|every")
    place = held.attributes.get(sentence.at(each)) if each is not None else None
    if each is not None and place is not None:
        end = sentence.follow(each + 1, "have|has at least one|1 object?")
        if end is not None:
            yield Spread((place,), "present"), end
    place = held.attributes.get(sentence.at(lead))
    end = sentence.follow(lead + 1, "balance")
    if end is not None and place is not None:
        yield Spread((place,), "about equal"), end
    end = sentence.follow(lead + 1, "different? kinds|types|sorts of")
    place = held.attributes.get(sentence.at(end)) if end is not None else None
    if end is not None and place is not None and number_named(sentence.at(lead)) == len(held.values_of(place)):
        yield Spread((place,), "present"), end + 1
    for words, relation in _EVEN:
        end = sentence.follow(lead, words)
        place = held.attributes.get(sentence.at(end)) if end is not None else None
        last = sentence.follow(end + 1, "distribution|split|division|balance") if end is not None else None
        if place is not None and last is not None:
            yield Spread((place,), relation), last


def _divided(sentence: Sentence, start: int) -> Iterator[tuple[Spread, int]]:
    """Read *they are evenly split into red and blue*, *the circles have different colours*, *all different*."""
    every = tuple(range(len(sentence.vocabulary.domain.attributes)))
    for pattern in (
        "they|these|objects? are|is? all different|unique",
        "all the? objects are different|unique",
        "every|each object is|are different|unique",
        "every|each object has|have a? unique|different shape|colour? colour|shape? combination",
    ):
        end = sentence.follow(start, pattern)
        if end is not None:
            yield Spread(every, "different"), end
    for subject, end in subjects(sentence, start):
        if subject.quantity is not None and subject.quantity.name not in ("all", "both"):
            continue
        yield from _divided_subject(sentence, subject.reference, end)


def continued_spreads(sentence: Sentence, start: int) -> list[tuple[Spread, int]]:
    """Return how values are spread over what was spoken of last: *… and have different colours*."""
    return list(_divided_subject(sentence, Reference("which"), start))


def _divided_subject(sentence: Sentence, reference: Reference, end: int) -> Iterator[tuple[Spread, int]]:
    held = sentence.vocabulary
    for words, relation in _EVENLY:
        after = sentence.follow(end, f"is|are {words} divided|distributed|split|spread? in|into|between|over|among?")
        for phrase, last in noun_phrases(sentence, after) if after is not None else ():
            places = {held.domain.attribute_of[value] for term in phrase.terms for value in term}
            if len(places) == 1 and len(phrase.terms) == len(held.values_of(min(places))):
                yield Spread(tuple(places), relation, reference), last
        for places_named, last in _attribute_lists(sentence, after) if after is not None else ():
            yield Spread(places_named, relation, reference), last
    mixed = sentence.follow(end, "is|are mix_of")
    for places_named, last in _attribute_lists(sentence, mixed) if mixed is not None else ():
        yield Spread(places_named, "present", reference), last
    after = sentence.follow(end, "have|has different|both unique?") or sentence.follow(end, "are|is of different|both")
    after = after or sentence.follow(end, "not have the? same")
    place = held.attributes.get(sentence.at(after)) if after is not None else None
    if after is not None and place is not None and len(held.values_of(place)) == 2:
        yield Spread((place,), "present", reference), after + 1


def _attribute_lists(sentence: Sentence, start: int) -> list[tuple[tuple[int, ...], int]]:
    """Read *shapes*, *shapes and colours*."""
    named = sentence.vocabulary.attributes
    if sentence.at(start) not in named:
        return []
    first = named[sentence.at(start)]
    second = sentence.follow(start + 1, "and|, both|the?")
    if second is not None and sentence.at(second) in named and named[sentence.at(second)] != first:
        return [((first, named[sentence.at(second)]), second + 1), ((first,), start + 1)]
    return [((first,), start + 1)]
