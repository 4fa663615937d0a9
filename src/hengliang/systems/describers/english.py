"""How is a description in logical form said in English?

Each quantifier has several determiners that say the same; number, agreement and articles follow from the determiner and
the words of the domain. Without a source of randomness the first wording is taken, which is the plainest. Whatever is
written here, the reader of English (`systems/readers/english_grammar.py`) gives back as the same logical forms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from hengliang.core.errors import UserError
from hengliang.materials.quantified_expressions import Expression
from hengliang.materials.quantified_properties import OBJECT, Property
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.systems.describers.english_phrases import last_named, noun_phrase, predicate
from hengliang.systems.readers.anaphora import spoken_of
from hengliang.systems.readers.english_words import NUMBERS, PARTS

SHARE_OF_PRONOUNS = 0.7
SHARE_OF_COORDINATION = 0.3


@dataclass(frozen=True, slots=True)
class Determiner:
    """The words before a noun; `of` says that *of the circles* or *of them* follows, `plural` which verb it takes."""

    words: str
    of: bool = False
    plural: bool = True


def _plurals(*words: str) -> tuple[Determiner, ...]:
    """Return determiners of plurals; those that end in *of* are followed by *the*."""
    return tuple(Determiner(one.removesuffix(" of"), one.endswith(" of")) for one in words)


DETERMINERS: dict[str, tuple[Determiner, ...]] = {
    "all": _plurals("all", "all of", "all the"),
    "every": (Determiner("every", plural=False), Determiner("each", plural=False)),
    "the": (Determiner("the only", plural=False),),
    "no": (Determiner("no", plural=False), *_plurals("none of", "no")),
    "not all": (*_plurals("not all", "not all of"), Determiner("not every", plural=False)),
    "half": _plurals("half of", "half the"),
    "most": _plurals("most", "most of"),
    "more than half": _plurals("more than half of", "over half of"),
    "majority": _plurals("a majority of", "the majority of"),
    "minority": _plurals(
        "a minority of",
    ),
    "less than half": _plurals("less than half of", "fewer than half of"),
    "some": _plurals("some", "some of"),
    "only one": (Determiner("only one", plural=False), Determiner("only one", True, False)),
    "a few": _plurals("a few", "a few of"),
    "few": _plurals("few", "few of"),
    "a couple": _plurals(
        "a couple of",
    ),
    "several": _plurals("several", "several of"),
    "many": _plurals("many", "many of"),
    "almost all": _plurals("almost all", "almost all of", "nearly all of"),
    "about half": _plurals("about half of", "roughly half of"),
}
"""The determiners of the quantifiers that take no number."""
BOUNDS = {
    "number": ("",),
    "exactly": ("exactly ",),
    "at least": ("at least ",),
    "at most": ("at most ",),
    "over": ("more than ", "over "),
    "under": ("fewer than ", "less than "),
}
"""What stands before a number."""
RESTS = (", the rest are ", ", the others are ", ", and the rest are ", " and the rest are ")


def number_words(number: int) -> str:
    """Return a number in words up to twenty, in figures above."""
    return next((word for word, value in NUMBERS.items() if value == number), str(number))


def fraction_words(part: int, whole: int) -> str:
    """Return a fraction in words where they are clear, else in figures: *a quarter*, *two thirds*, 5/12."""
    name = next((word for word, value in PARTS.items() if value == whole and value > 2), None)
    if name is None or not 0 < part < whole:
        return f"{part}/{whole}"
    return f"a {name}" if part == 1 else f"{number_words(part)} {name}s"


@dataclass(frozen=True, slots=True)
class _Said:
    """A clause in words, whether *and* may join it to others, and the things that it named last, in the plural."""

    words: str
    joins: bool = False
    named: Property | None = None


_Option = TypeVar("_Option")


class _Choice:
    """The plainest of several wordings, or one at random."""

    def __init__(self, random: Random | None) -> None:
        self.random = random

    def of(self, options: Sequence[_Option]) -> _Option:
        return options[0] if self.random is None else self.random.choice(list(options))

    def happens(self, share: float) -> bool:
        return self.random is not None and self.random.random() < share


def realise_english(
    expressions: Sequence[Expression], domain: Domain = DEFAULT_DOMAIN, random: Random | None = None
) -> str:
    """Return a description in English; without `random` in the plainest wording.

    >>> from hengliang.materials.quantified_properties import prop
    >>> half = Expression("half", second=prop("blue", "square"), rest=prop("red", "circle"))
    >>> realise_english((half,))
    'Half of the objects are blue squares, the rest are red circles.'
    """
    choice = _Choice(random)
    sentences: list[str] = []
    open_ended = False
    # What *them* would be taken for: the things named last, where the reader takes it for the same.
    antecedent: Property | None = None
    for expression in expressions:
        said = _clause(expression, antecedent, domain, choice)
        joined = open_ended and said.joins and expression.first.single and choice.happens(SHARE_OF_COORDINATION)
        if joined:
            sentences[-1] += choice.of((" and ", ", and ")) + said.words
        else:
            sentences.append(said.words)
        # Where things are listed, what follows *and* could be thought to belong to the list; two clauses are enough.
        open_ended = said.joins and expression.second.single and not joined
        antecedent = said.named if said.named == spoken_of(expression, domain) else None
    return " ".join(f"{words[0].upper()}{words[1:]}." for words in sentences)


def _clause(expression: Expression, antecedent: Property | None, domain: Domain, choice: _Choice) -> _Said:
    """Return an expression in words."""
    name = expression.quantifier
    if name in _FRAMES:
        named = last_named(expression.first, None, domain, True) if name == "there are" else None
        return _Said(choice.of(_FRAMES[name](expression, domain)), named=named)
    wordings = _statements(expression, antecedent, domain, choice)
    if _counts(expression) and expression.first == OBJECT and (expression.rest or not choice.happens(0.5)):
        wordings = [_existence(expression, domain, choice)]
    said = choice.of(wordings)
    if expression.rest is None:
        return said
    return _Said(said.words + _rest(expression, expression.rest, domain, choice))


def _rest(expression: Expression, rest: Property, domain: Domain, choice: _Choice) -> str:
    wordings = list(RESTS)
    if expression.quantifier == "half":
        wordings.append(", the other half are ")
    return choice.of(wordings) + predicate(rest, domain, True)


# --- subject and predicate ------------------------------------------------------------------------------------------


def _statements(expression: Expression, antecedent: Property | None, domain: Domain, choice: _Choice) -> list[_Said]:
    found = []
    for determiner in _determiners(expression):
        subject = _subject(determiner, expression, domain)
        if determiner.of and _can_be_them(expression, antecedent, domain) and choice.happens(SHARE_OF_PRONOUNS):
            subject = f"{determiner.words} of them"
        verb = "are" if determiner.plural else "is"
        words = f"{subject} {verb} {predicate(expression.second, domain, determiner.plural)}"
        named = last_named(expression.second, expression.first, domain, determiner.plural)
        found.append(_Said(words, True, named))
    return found


def _subject(determiner: Determiner, expression: Expression, domain: Domain) -> str:
    if determiner.of:
        return f"{determiner.words} of the {noun_phrase(expression.first, domain, True)}"
    conjunction = "and" if determiner.plural else "or"
    return f"{determiner.words} {noun_phrase(expression.first, domain, determiner.plural, conjunction)}"


def _can_be_them(expression: Expression, antecedent: Property | None, domain: Domain) -> bool:
    """Whether *them* is what the expression is about, and what is said of it can be true but need not be."""
    if antecedent is None or antecedent != expression.first:
        return False
    held, said = antecedent.mask(domain), expression.second.mask(domain)
    return bool(held & said) and bool(held & ~said)


def _determiners(expression: Expression) -> tuple[Determiner, ...]:
    name, numbers = expression.quantifier, expression.numbers
    if name == "fraction":
        return (Determiner(fraction_words(*numbers), of=True),)
    if name == "all but":
        return (Determiner(f"all but {number_words(numbers[0])}", of=True),)
    if name in BOUNDS:
        words = [f"{bound}{number_words(numbers[0])}" for bound in BOUNDS[name]]
        several = numbers[0] != 1
        return tuple(Determiner(one, of, several) for one in words for of in (False, True))
    if name not in DETERMINERS:
        raise UserError(f"Nobody knows how to say '{name}' in English.", valid=", ".join([*DETERMINERS, *BOUNDS]))
    return DETERMINERS[name]


def _counts(expression: Expression) -> bool:
    return expression.quantifier in BOUNDS or expression.quantifier == "only one"


def _existence(expression: Expression, domain: Domain, choice: _Choice) -> _Said:
    """Return *there are two red circles* for things that are counted among all."""
    one = expression.quantifier == "only one" or expression.numbers == (1,)
    bounds = ("only one",) if expression.quantifier == "only one" else tuple(
        f"{bound}{number_words(expression.numbers[0])}" for bound in BOUNDS[expression.quantifier]
    )  # fmt: skip
    things = noun_phrase(expression.second, domain, not one, "or" if one else "and")
    words = f"there {'is' if one else 'are'} {choice.of(bounds)} {things}"
    return _Said(words, named=last_named(expression.second, None, domain, not one))


# --- clauses of their own form --------------------------------------------------------------------------------------


def _only(expression: Expression, domain: Domain) -> list[str]:
    first, second = expression.first, expression.second
    if second == OBJECT:
        # *Only circles are objects* is no English, and *there are only circles* says it of all objects.
        things = noun_phrase(first, domain, True, "or")
        return [f"the only {noun_phrase(second, domain, True)} are {things}"]
    return [
        f"only {noun_phrase(first, domain, True)} are {predicate(second, domain, True)}",
        f"the only {noun_phrase(second, domain, True)} are {predicate(first, domain, True)}",
    ]


def _everything(expression: Expression, domain: Domain) -> list[str]:
    said = predicate(expression.second, domain, False)
    if expression.first == OBJECT:
        return [f"everything is {said}"]
    return [f"everything that is {predicate(expression.first, domain, False)} is {said}"]


def _compared(words: str, than: str) -> Callable[[Expression, Domain], list[str]]:
    def wordings(expression: Expression, domain: Domain) -> list[str]:
        first, second = (noun_phrase(one, domain, True) for one in (expression.first, expression.second))
        found = [f"there are {one} {first} {than} {second}" for one in words.split("|")]
        return [*found, f"{first} outnumber {second}"] if words == "more" else found

    return wordings


def _equal(expression: Expression, domain: Domain) -> list[str]:
    found = _compared("as many|just as many", "as")(expression, domain)
    first, second = expression.first, expression.second
    if first.single and second.single and first != second:
        both = Property((*first.terms, *second.terms))
        found.append(f"there are equally many {noun_phrase(both, domain, True)}")
    return found


def _times(expression: Expression, domain: Domain) -> list[str]:
    number = expression.numbers[0]
    first, second = (noun_phrase(one, domain, True) for one in (expression.first, expression.second))
    words = ["twice", "two times"] if number == 2 else [f"{number_words(number)} times"]
    return [f"there are {one} as many {first} as {second}" for one in words]


def _there_are(expression: Expression, domain: Domain) -> list[str]:
    return [f"there are {noun_phrase(expression.first, domain, True)}"]


def _all_kinds(expression: Expression, domain: Domain) -> list[str]:
    things = noun_phrase(expression.first, domain, True)
    return [f"all possible kinds of {things} are there", f"there are all possible kinds of {things}"]


def _of_each_kind(expression: Expression, domain: Domain) -> list[str]:
    number = expression.numbers[0]
    verb, words = "is" if number == 1 else "are", number_words(number)
    things: Property = expression.first
    found = [f"there {verb} {words} of each kind of {noun_phrase(things, domain, things != OBJECT)}"]
    if things == OBJECT:
        found = [f"there {verb} {words} {noun_phrase(things, domain, number != 1)} of each kind", *found]
    return found


_FRAMES: dict[str, Callable[[Expression, Domain], list[str]]] = {
    "only": _only,
    "everything": _everything,
    "more": _compared("more", "than"),
    "fewer": _compared("fewer", "than"),
    "equal": _equal,
    "times": _times,
    "there are": _there_are,
    "all kinds": _all_kinds,
    "of each kind": _of_each_kind,
}
"""Quantifiers that are not said by a determiner."""
