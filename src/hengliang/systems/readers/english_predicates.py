"""What can be said of a subject: *are red*, *half red and half blue*, *a square and a circle*, *the opposite*?

Each function returns every predicate that can be read from a place on, with the place where it ends.
"""

from __future__ import annotations

from dataclasses import replace

from hengliang.systems.readers.english_forms import ELIDED, Item, Predicate, Subject
from hengliang.systems.readers.english_lexer import Sentence
from hengliang.systems.readers.english_nouns import NounPhrase, noun_phrases
from hengliang.systems.readers.english_quantities import ONE, SOME, Quantity, quantities
from hengliang.systems.readers.english_references import items, single_items

_VERB = ",? is|are|being|be|have|has|having"
_FLOATED = frozenset({"all", "most", "almost all", "majority", "minority", "half", "about half", "every"})
_DIVIDING = frozenset(
    {"half", "about half", "fraction", "most", "some", "number", "only one", "many", "a few", "majority"}
)
_OPPOSITE = (
    "the|a|an|completely|exactly? complete|direct|exact? opposite|opposites in|of? each|both|all? feature|features?",
    "completely different",
)


def predicates(sentence: Sentence, start: int, subject: Subject) -> list[tuple[Predicate, int]]:
    """Return what can be said of a subject from a place on; without a verb only after a quantity or *the rest*."""
    verb = sentence.follow(start, _VERB)
    if verb is None and subject.quantity is not None:
        verb = sentence.follow(start, "as")
    if verb is None and not _verbless(subject):
        return []
    at = start if verb is None else verb
    singular = verb is not None and "is" in sentence.words[start:verb]
    comma = sentence.follow(at, ",")
    if verb is not None and comma is not None and sentence.at(comma) in sentence.vocabulary.adjectives:
        at = comma
    found = _plain(sentence, at, subject, Predicate(singular=singular, verbless=verb is None))
    if verb is not None or subject.reference.kind in ("rest", "them", "which"):
        found += _compound(sentence, at, subject, singular)
    found += [(Predicate(opposite=True), end) for end in _opposites(sentence, at)]
    if subject.quantity == Quantity("not all") and sentence.at(start) in ("", ",", "and", "but"):
        found.append((Predicate(same=True), start))
    return found


def _plain(sentence: Sentence, at: int, subject: Subject, form: Predicate) -> list[tuple[Predicate, int]]:
    """Read a noun phrase or adjectives, perhaps denied, perhaps with a quantity before them: *are mostly red*."""
    negated = sentence.follow(at, "not|no")
    begin = at if negated is None else negated
    floats: list[tuple[Quantity | None, int]] = [(None, begin)]
    if negated is None and not form.verbless:
        floats += [(one, end) for one, end in quantities(sentence, begin) if one.name in _FLOATED]
        only = sentence.follow(begin, "only|just|either|of|a|the|in|simply")
        floats += [(None, only)] if only is not None else []
    found: list[tuple[Predicate, int]] = []
    for floated, end in floats:
        named = subject.reference.kind == "named"
        if form.verbless and named and not _adjective_follows(sentence, begin, end):
            continue
        inner = sentence.follow(end, "of|in the? colour|colours?")
        phrases = [*noun_phrases(sentence, end), *(noun_phrases(sentence, inner) if inner is not None else ())]
        for phrase, after in phrases:
            if (
                _enumerates(subject, phrase, form)
                or (form.verbless and _is_item(subject, phrase))
                or (phrase.articles > 1 and floated is not None)
            ):
                continue
            said = replace(form, phrase=phrase, negated=negated is not None, floated=floated)
            found.append((said, _past_colour(sentence, after)))
    return found


def _compound(sentence: Sentence, at: int, subject: Subject, singular: bool) -> list[tuple[Predicate, int]]:
    """Read what divides the subject, what makes it up, and mixtures."""
    found = [(Predicate(parts=parts), end) for parts, end in _parts(sentence, at)]
    rest = subject.reference.kind == "rest"
    if not singular:
        found += [(Predicate(listed=listed), end) for listed, end in _enumerated(sentence, at, subject)]
    if rest or not singular:
        found += [(Predicate(listed=listed), end) for listed, end in _listed(sentence, at, rest)]
    mixed = sentence.follow(at, "mix_of")
    mixtures = noun_phrases(sentence, mixed) if mixed is not None else []
    found += [(Predicate(replace(phrase, every=True)), end) for phrase, end in mixtures if len(phrase.terms) > 1]
    return found


def _is_item(subject: Subject, phrase: NounPhrase) -> bool:
    """*Many blue squares* is read as an item in a list of what there is."""
    quantity = subject.quantity
    counted = quantity is not None and quantity.counted and phrase.headed
    return subject.reference.kind == "elided" and (counted or bool(phrase.articles))


def _past_colour(sentence: Sentence, at: int) -> int:
    """Skip *in colour* after *red*: it names the attribute of the value that was said."""
    return sentence.follow(at, "in colour|shape") or sentence.follow(at, "colour|coloured|shaped|shape?") or at


def _verbless(subject: Subject) -> bool:
    """*Half red*, *half of them blue*, *the rest circles*, *all circles blue*, *circles red* need no verb."""
    if subject == Subject(Quantity("both"), ELIDED):
        return False
    phrase = subject.reference.phrase
    bare = phrase is not None and phrase.plural is True and len(phrase.terms) == 1 and not any(phrase.terms[0][:-1])
    return subject.quantity is not None or subject.reference.kind in ("rest", "others") or bare


def _adjective_follows(sentence: Sentence, begin: int, at: int) -> bool:
    """A noun needs an adjective, or *not*, where there is no verb."""
    held = sentence.vocabulary
    alone = sentence.at(at) in held.adjectives and sentence.at(at + 1) not in held.nouns
    return alone or (sentence.at(begin - 1) == "not" and begin == at)


def _parts(sentence: Sentence, start: int) -> list[tuple[tuple[Item, ...], int]]:
    """Read *half red and half blue*, *one red and one blue*."""
    found: list[tuple[tuple[Item, ...], int]] = []
    for first, end in single_items(sentence, start):
        if first.quantity is None or first.quantity.name not in _DIVIDING or _article(sentence, start):
            continue
        after = sentence.follow(end, ",? and|but|, with|while?")
        for second, last in single_items(sentence, after) if after is not None else ():
            if second.quantity is not None and second.quantity.name in _DIVIDING:
                found.append(((first, second), last))
    return found


def _article(sentence: Sentence, at: int) -> bool:
    return sentence.at(at) in ("a", "an")


def _listed(sentence: Sentence, start: int, rest: bool) -> list[tuple[tuple[Item, ...], int]]:
    """Read *a square and a circle*, *a blue square, a red square and a red circle*, *two circles and a square*."""
    begin = sentence.follow(start, ",")
    return [
        (listed, end)
        for listed, end in items(sentence, start if begin is None else begin)
        if all(item.quantity and item.quantity.counted for item in listed)
        and (len(listed) > 1 or (rest and listed[0].quantity not in (ONE, SOME)))
    ]


def _enumerates(subject: Subject, phrase: NounPhrase, form: Predicate) -> bool:
    """Whether each noun names one thing: *the two objects are: red circle, red square*, but not *… or red square*."""
    reference = subject.reference
    whole = reference.count is not None or (subject.quantity is None and reference.definite)
    several = len(phrase.groups) > 1 and len(phrase.groups) == len(phrase.terms)
    alone = phrase.singulars and phrase.headed and not phrase.articles and phrase.joined == "and" and not phrase.every
    return whole and several and alone and not (form.singular or form.verbless)


def _enumerated(sentence: Sentence, start: int, subject: Subject) -> list[tuple[tuple[Item, ...], int]]:
    """Read nouns in the singular without an article as one thing each."""
    return [
        (tuple(Item(ONE, NounPhrase((term,), ((term,),), headed=True)) for term in phrase.terms), end)
        for phrase, end in noun_phrases(sentence, start)
        if _enumerates(subject, phrase, Predicate())
    ]


def _opposites(sentence: Sentence, start: int) -> list[int]:
    found = [end for pattern in _OPPOSITE if (end := sentence.follow(start, pattern)) is not None]
    different = sentence.follow(start, "of|a|an|have|has? different|opposite")
    named = {**sentence.vocabulary.attributes}
    ends = []
    for end in [*found, *([different] if different is not None else [])]:
        first = sentence.follow(end, "in? the?")
        at = end if first is None else first
        if sentence.at(at) in named and sentence.at(at + 1) == "and" and sentence.at(at + 2) in named:
            ends.append(at + 3)
    return [*ends, *found]
