"""Of which clauses that state something or say what there is can a sentence consist?

Each function returns every clause that can be read from a place on, with the place where it ends.
"""

from __future__ import annotations

from dataclasses import replace

from hengliang.systems.readers.english_forms import Existence, Item, Reference, Statement, Subject
from hengliang.systems.readers.english_lexer import Sentence, remembered
from hengliang.systems.readers.english_nouns import NounPhrase, noun_phrases
from hengliang.systems.readers.english_predicates import predicates
from hengliang.systems.readers.english_quantities import Quantity, quantities
from hengliang.systems.readers.english_references import items, subjects
from hengliang.systems.readers.english_words import number_named

_ANY = NounPhrase(((),), (((),),), headed=True)


def statements(sentence: Sentence, start: int) -> list[tuple[Statement, int]]:
    """Return the clauses of subject and predicate from a place on."""
    found: list[tuple[Statement, int]] = []
    for left_out, end in exceptions(sentence, start):
        begin = sentence.follow(end, ",") or end
        for said, middle in _subject_lists(sentence, begin):
            found += [(Statement(said, one, left_out), last) for one, last in predicates(sentence, middle, said[-1])]
    for said, end in _subject_lists(sentence, start):
        for left_out, middle in exceptions(sentence, end):
            found += [(Statement(said, one, left_out), last) for one, last in predicates(sentence, middle, said[-1])]
        for predicate, after in predicates(sentence, end, said[-1]):
            plain = Statement(said, predicate)
            found += [(Statement(said, predicate, rest), last) for rest, last in exceptions(sentence, after)]
            found.append((plain, after))
    return found


def _subject_lists(sentence: Sentence, start: int) -> list[tuple[tuple[Subject, ...], int]]:
    """Return one subject or several: *the squares and half of the circles*."""
    found: list[tuple[tuple[Subject, ...], int]] = []
    for subject, end in subjects(sentence, start):
        found.append(((subject,), end))
        after = sentence.follow(end, "and|, as? well? as?")
        if after is None or subject.reference.kind != "named":
            continue
        for other, last in subjects(sentence, after):
            if other.reference.kind == "named" and (other.quantity or subject.quantity) is not None:
                found.append(((subject, other), last))
    return found


@remembered
def exceptions(sentence: Sentence, start: int) -> list[tuple[tuple[Item, ...], int]]:
    """Return what is said to be left out: *except for two blue circles*, *except one*."""
    begin = sentence.follow(start, ",? but? except")
    if begin is None:
        return []
    found = list(items(sentence, begin))
    for quantity, end in quantities(sentence, begin):
        if quantity.name in ("number", "only one", "a couple", "a few"):
            verb = sentence.follow(end, "which|that? is|are")
            named = noun_phrases(sentence, verb) if verb is not None else []
            found += [((Item(quantity, phrase),), last) for phrase, last in named]
            found.append(((Item(quantity, _ANY),), sentence.follow(end, "of them|these|those") or end))
    return [pair for pair in found if all(item.quantity is not None for item in pair[0])]


def existences(sentence: Sentence, start: int) -> list[tuple[Existence, int]]:
    """Return the lists of what there is: *there are …*, *… are present*, or a list alone."""
    found: list[tuple[Existence, int]] = []
    lead = sentence.follow(start, "there is|are|in|as|a? also?") or sentence.follow(start, "there also")
    lead = lead or sentence.follow(start, "these|those|this|it is|are")
    begin = start if lead is None else lead
    also = lead is not None and "also" in sentence.words[start:lead]
    only = sentence.follow(begin, "only|just|exclusively|solely")
    mixed = sentence.follow(only if only is not None else begin, "mix_of")
    if only is not None and mixed is None:
        found += [
            (Existence((Item(None, phrase),), only=True, also=also), after)
            for phrase, after in noun_phrases(sentence, only)
        ]
    found += [(Existence(listed, also=also), end) for listed, end in items(sentence, mixed or begin)]
    found += [
        (Existence(one.items, True, also), end + 1)
        for one, end in found
        if len(one.items) == 1 and one.items[0].quantity is None and sentence.at(end) in ("only", "exclusively")
    ]
    found += [(one, after) for one, end in found if (after := sentence.follow(end, "exist|present")) is not None]
    found += _dominating(sentence, begin)
    for one, end in list(found):
        too = sentence.follow(end, ",? also")
        found += [(replace(one, also=True), too)] if too is not None else []
    found += [
        (Existence(one.items, one.only, one.also, left), last)
        for one, end in found
        for left, last in exceptions(sentence, end)
    ]
    return [pair for pair in found if lead is not None or _stands_alone(sentence, pair, start)]


def _dominating(sentence: Sentence, start: int) -> list[tuple[Existence, int]]:
    """Read *the dominance of blue*, *blue predominance*, *red squares dominate*, *the squares are the majority*."""
    found: list[tuple[Existence, int]] = []
    begin = sentence.follow(start, "the|a? slight|clear? dominance|predominance of the?")
    most = Quantity("most")
    for phrase, end in noun_phrases(sentence, begin) if begin is not None else ():
        found.append((Existence((Item(most, phrase),)), end))
    begin = sentence.follow(start, "the|more|a?")
    for phrase, end in noun_phrases(sentence, start if begin is None else begin):
        after = sentence.follow(end, "dominance|predominance|dominate|dominates")
        found += [(Existence((Item(most, phrase),)), after)] if after is not None else []
        for name in ("majority", "minority"):
            after = sentence.follow(end, f"is|are|form {name}")
            found += [(Existence((Item(Quantity(name), phrase),)), after)] if after is not None else []
    begin = sentence.follow(start, "the predominant|primary|main|dominant|prevailing")
    if begin is not None and sentence.at(begin) in sentence.vocabulary.attributes:
        verb = sentence.follow(begin + 1, "is|are")
        for phrase, end in noun_phrases(sentence, verb) if verb is not None else ():
            found.append((Existence((Item(most, phrase),)), end))
    return found


def _stands_alone(sentence: Sentence, pair: tuple[Existence, int], start: int) -> bool:
    """A list without *there are* has a noun, or a quantity, or several adjectives."""
    existence, _ = pair
    first = existence.items[0]
    return first.phrase.headed or first.quantity is not None or len(first.phrase.terms) > 1 or existence.only


def conditionals(sentence: Sentence, start: int) -> list[tuple[Statement, int]]:
    """Read *if there is a circle, it is small*."""
    begin = sentence.follow(start, "if there is|are a|an?")
    found: list[tuple[Statement, int]] = []
    for phrase, end in noun_phrases(sentence, begin) if begin is not None else ():
        after = sentence.follow(end, ",? then? it|they")
        if after is not None:
            subject = Subject(Quantity("all"), Reference("named", phrase))
            found += [(Statement((subject,), one), last) for one, last in predicates(sentence, after, subject)]
    return found


@remembered
def topics(sentence: Sentence, start: int) -> list[tuple[Reference, int]]:
    """Return what a clause is said to be about before it begins: *of the squares, …*."""
    begin = sentence.follow(start, "of|among|for|in|from")
    if begin is None:
        return []
    found = [
        (subject.reference, sentence.follow(end, ",?") or end)
        for subject, end in subjects(sentence, begin)
        if subject.quantity is None or number_named(subject.quantity.name) is not None
    ]
    return [(reference, end) for reference, end in found if reference.kind != "elided"]
