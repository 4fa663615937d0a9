"""To what does the subject of a clause refer: to what it names, to *them*, to *the rest*, or to what it leaves out?"""

from __future__ import annotations

from dataclasses import replace

from hengliang.systems.readers.english_forms import ELIDED, Item, Kind, Reference, Subject
from hengliang.systems.readers.english_lexer import Sentence, remembered
from hengliang.systems.readers.english_nouns import MOST_READINGS, NounPhrase, noun_phrases
from hengliang.systems.readers.english_quantities import ONE, THE, Quantity, quantities
from hengliang.systems.readers.english_words import number_named

_THEM = "them|they|these|those|it"
_REST = (
    "the|all? rest|remainder|remainders",
    "the|all? others",
    "the|its? other half|part|side",
    "the|all? remaining half|part|third|quarter|fourth|fifth",
    "other half",
    "the|this|that|its last|final|other|remaining one|1?",
    "others|remaining|other",
)


@remembered
def subjects(sentence: Sentence, start: int) -> list[tuple[Subject, int]]:
    """Return what can be read as a subject from a place on."""
    found = [*_quantified(sentence, start), *_plain(sentence, start)]
    found.sort(key=lambda pair: -pair[1])
    return found


def _quantified(sentence: Sentence, start: int) -> list[tuple[Subject, int]]:
    found: list[tuple[Subject, int]] = []
    for quantity, end in quantities(sentence, start):
        if quantity.among is not None:
            found += [
                (Subject(quantity, Reference("named", phrase, quantity.among)), after)
                for phrase, after in noun_phrases(sentence, end)
            ]
            continue
        found += [(Subject(quantity, reference), after) for reference, after in _of(sentence, end, quantity)]
        found.append((Subject(quantity, ELIDED), end))
    more = sentence.follow(start, "more")
    if more is not None:
        half = Quantity("more than half")
        referred = [*_of(sentence, more, half), (ELIDED, more)]
        found += [(Subject(half, one), end) for one, end in referred if sentence.at(end) in ("is", "are")]
    after = sentence.follow(start, "everything|everyone")
    if after is not None:
        found += _everything(sentence, after)
    return found


def _everything(sentence: Sentence, at: int) -> list[tuple[Subject, int]]:
    whole = Quantity("everything")
    end = sentence.follow(at, "that is|are a|an?")
    if end is None:
        return [(Subject(whole, Reference("named", None)), at)]
    return [
        (Subject(whole, Reference("named", phrase)), after)
        for phrase, after in noun_phrases(sentence, sentence.follow(at, "that is|are") or end)
    ]


def _of(sentence: Sentence, at: int, quantity: Quantity) -> list[tuple[Reference, int]]:
    """Return what stands after a quantity: *of them*, *of the circles*, *circles*, *of the other half*."""
    end = sentence.follow(at, "of?")
    begin = at if end is None else end
    found: list[tuple[Reference, int]] = []
    pronoun = sentence.follow(begin, f"all? {_THEM}")
    if pronoun is not None and (begin > at or sentence.at(begin) == "them"):
        found.append((Reference("them"), pronoun))
    which = sentence.follow(begin, "which|whom")
    if which is not None and begin > at:
        found.append((Reference("which"), which))
    found += _rest(sentence, begin) if begin > at else _others(sentence, at)
    found += _named(sentence, begin)
    return found


def _others(sentence: Sentence, at: int) -> list[tuple[Reference, int]]:
    """Return *all others*, *all the others*, *all other objects*."""
    end = sentence.follow(at, "the? others|rest") or sentence.follow(at, "the? remaining|other")
    if end is None:
        return []
    named = [(Reference("rest", phrase), after) for phrase, after in noun_phrases(sentence, end)]
    return [*named, (Reference("rest"), end)]


def _named(sentence: Sentence, at: int) -> list[tuple[Reference, int]]:
    """Return the noun phrases from a place on, with *the*, *both the*, and a number before them."""
    both = sentence.follow(at, "both|each of? the?")
    begin = both if both is not None else sentence.follow(at, "all? of? the|these|those|their? all|total?")
    begin = at if begin is None else begin
    definite = begin > at
    found: list[tuple[Reference, int]] = []
    number = number_named(sentence.at(begin))
    if number is not None and definite | (at == begin):
        for phrase, end in noun_phrases(sentence, begin + 1):
            found.append((Reference("named", phrase, number, definite), end))
    for phrase, end in noun_phrases(sentence, begin):
        if both is not None and len(phrase.terms) == 1:
            found.append((Reference("named", phrase, 2, True), end))
        else:
            found.append((Reference("named", phrase, None, definite, each=both is not None), end))
    return found


def _rest(sentence: Sentence, at: int) -> list[tuple[Reference, int]]:
    """Return *the rest*, *the other half*, *the remaining objects*, *the rest of the objects*."""
    found: list[tuple[Reference, int]] = []
    for pattern in _REST:
        end = sentence.follow(at, pattern)
        if end is None:
            continue
        inner = sentence.follow(end, "of the|these|all? the?")
        kind: Kind = "others" if sentence.words[at:end] == ("others",) else "rest"
        remaining = "remaining" in sentence.words[at:end]
        if inner is not None and sentence.at(inner) in ("them", "these", "those"):
            found.append((Reference("rest"), inner + 1))
        elif inner is not None:
            found += [
                (Reference("rest", phrase, definite=remaining), after)
                for phrase, after in noun_phrases(sentence, inner)
            ]
        found.append((Reference(kind), end))
    found += _remaining(sentence, at)
    return found


def _remaining(sentence: Sentence, at: int) -> list[tuple[Reference, int]]:
    """Return *the remaining objects*, *the other two circles*, *the two other circles*."""
    end = sentence.follow(at, "the? remaining|other|last|final")
    number: int | None = None
    if end is None:
        first = sentence.follow(at, "the")
        number = number_named(sentence.at(first)) if first is not None else None
        end = sentence.follow(first + 1, "remaining|other") if first is not None and number is not None else None
    elif number_named(sentence.at(end)) is not None and sentence.at(end) != "one":
        number, end = number_named(sentence.at(end)), end + 1
    if end is None:
        return []
    found = [(Reference("rest", phrase, number, definite=True), after) for phrase, after in noun_phrases(sentence, end)]
    return [*found, (Reference("rest", None, number), end)] if number is not None else found


def _plain(sentence: Sentence, start: int) -> list[tuple[Subject, int]]:
    """Return subjects without a quantity: *they*, *the rest*, *the only circle*, *the circles*, *circles*."""
    found: list[tuple[Subject, int]] = []
    end = sentence.follow(start, _THEM)
    if end is not None:
        found.append((Subject(None, Reference("them")), end))
    end = sentence.follow(start, "which|who|whom")
    if end is not None:
        found.append((Subject(None, Reference("which")), end))
    found += [(Subject(None, reference), after) for reference, after in _rest(sentence, start)]
    end = sentence.follow(start, "the only|single|lone one?")
    if end is not None:
        found += [
            (Subject(THE, Reference("named", phrase, None, True)), after)
            for phrase, after in noun_phrases(sentence, end)
        ]
    end = sentence.follow(start, "only the?")
    if end is not None:
        only = Quantity("only")
        found += [(Subject(only, Reference("named", phrase)), after) for phrase, after in noun_phrases(sentence, end)]
        pronoun = sentence.follow(end, _THEM)
        found += [(Subject(only, Reference("them")), pronoun)] if pronoun is not None else []
    for reference, after in _named(sentence, start):
        if reference.count is None or reference.definite:
            found.append((Subject(_count_of(reference), reference), after))
    return found


def _count_of(reference: Reference) -> Quantity | None:
    """A noun with an article of its own stands for one thing."""
    phrase = reference.phrase
    return ONE if phrase is not None and phrase.articles and not reference.definite and len(phrase.terms) == 1 else None


@remembered
def items(sentence: Sentence, start: int) -> list[tuple[tuple[Item, ...], int]]:
    """Return the lists of things from a place on, the longest first."""
    found: list[tuple[tuple[Item, ...], int]] = []
    for item, end in single_items(sentence, start):
        after = sentence.follow(end, ", and|with|but|or? also?") or sentence.follow(end, "and|with|but also?")
        if after is not None:
            listed = sentence.at(end) == ","
            found += [
                ((item if listed else _completed(item, others[0], sentence), *others), last)
                for others, last in items(sentence, after)
            ]
        found.append(((item,), end))
    found.sort(key=lambda pair: (-pair[1], len(pair[0])))
    return found[:MOST_READINGS]


def _completed(item: Item, following: Item, sentence: Sentence) -> Item:
    """Give an item without a noun that of the next one: *one blue and one red square*."""
    if item.phrase.headed or not following.phrase.headed or not (item.quantity and item.quantity.counted):
        return item
    held = sentence.vocabulary
    attribute = held.domain.attribute_of
    said = {attribute[value] for term in item.phrase.terms for value in term}
    nouns = dict.fromkeys(
        tuple(value for value in term if attribute[value] not in said) for term in following.phrase.terms
    )
    terms = tuple(held.merged(term, noun) for term in item.phrase.terms for noun in nouns)
    return Item(item.quantity, NounPhrase(terms, (terms,), item.phrase.joined, True))


@remembered
def single_items(sentence: Sentence, start: int) -> list[tuple[Item, int]]:
    """Return the things with their quantity that can be read from a place on, the longest first."""
    found: list[tuple[Item, int]] = []
    begin = sentence.follow(start, "the|another|other|additional?")
    begin = start if begin is None else begin
    definite = sentence.at(start) == "the"
    for quantity, end in quantities(sentence, begin):
        if quantity.name in ("both", "neither"):
            continue
        inner = sentence.follow(end, "of? more|additional?") or end
        found += [
            (Item(quantity, phrase), after) for phrase, after in noun_phrases(sentence, inner) if not phrase.articles
        ]
        found += _described(sentence, quantity, end)
    for phrase, end in noun_phrases(sentence, begin):
        if (phrase.articles or (definite and singular(phrase))) and len(phrase.groups) == 1:
            found.append((Item(ONE, phrase), end))
        elif phrase.articles and phrase.singulars and phrase.joined == "and":
            found.append((Item(ONE, replace(phrase, every=True)), end))
        elif not phrase.articles:
            found.append((Item(None, phrase), end))
    found.sort(key=lambda pair: -pair[1])
    return found


def _described(sentence: Sentence, quantity: Quantity, at: int) -> list[tuple[Item, int]]:
    """Read *a couple that are red*, *one of each shape*."""
    begin = sentence.follow(at, "that|which are|is")
    found = (
        [(Item(quantity, phrase), end) for phrase, end in noun_phrases(sentence, begin)] if begin is not None else []
    )
    held = sentence.vocabulary
    each = sentence.follow(at, "of|in|for each|every|both")
    place = held.attributes.get(sentence.at(each)) if each is not None else None
    if each is not None and place is not None:
        terms = tuple((value,) for value in held.values_of(place))
        found.append((Item(quantity, NounPhrase(terms, (terms,), "and", True, True, every=True)), each + 1))
    return found


def singular(phrase: NounPhrase | None) -> bool:
    """Return whether a noun phrase names one thing by its form."""
    return phrase is not None and phrase.plural is False and len(phrase.terms) == 1
