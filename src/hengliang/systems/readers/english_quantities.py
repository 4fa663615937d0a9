"""Which quantifier do the words before a noun or a verb name?

*All but one*, *75%*, *two thirds*, *only a few*: a quantity is the name of a quantifier and its numbers. What follows
it (*of the circles*, *of them*, or nothing) is read elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from hengliang.materials.quantifiers import Numbers
from hengliang.systems.readers.english_lexer import Sentence, remembered
from hengliang.systems.readers.english_words import fraction_named, number_named, part_named


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantifier and its numbers; `counted` are those that count things rather than weigh a part against a whole.

    `among` is the number of all things of which it speaks, where it is said: six in *three out of six*.
    """

    name: str
    numbers: Numbers = ()
    counted: bool = False
    among: int | None = None


ALL = Quantity("all")
THE = Quantity("the")
NO = Quantity("no")
ONE = Quantity("number", (1,), counted=True)
SOME = Quantity("some", counted=True)

_WORDS = (
    ("not all|every|each", Quantity("not all")),
    ("almost all", Quantity("almost all")),
    ("all", ALL),
    ("both", Quantity("both")),
    ("neither", Quantity("neither")),
    ("every|each single?", Quantity("every")),
    ("no|none", NO),
    ("only|just? about half", Quantity("about half")),
    ("more than half", Quantity("more than half")),
    ("fewer|less than half", Quantity("less than half")),
    ("only|just|exactly? half", Quantity("half")),
    ("a|one half", Quantity("half")),
    ("most", Quantity("most")),
    ("mostly", Quantity("most")),
    ("majority", Quantity("majority")),
    ("minority", Quantity("minority")),
    ("only|just one|1|a single?", Quantity("only one", counted=True)),
    ("a|one single one?", Quantity("only one", counted=True)),
    ("single", Quantity("only one", counted=True)),
    ("only|just? a few", Quantity("a few", counted=True)),
    ("only|just? few", Quantity("few", counted=True)),
    ("only|just? couple", Quantity("a couple", counted=True)),
    ("several", Quantity("several", counted=True)),
    ("many", Quantity("many", counted=True)),
    ("some", SOME),
)
_BOUNDS = (
    ("exactly|precisely|only|just", "exactly"),
    ("at least", "at least"),
    ("no|not fewer|less than", "at least"),
    ("at most", "at most"),
    ("no|not more than", "at most"),
    ("more than", "over"),
    ("over", "over"),
    ("fewer|less than", "under"),
    ("under", "under"),
    ("all but|except", "all but"),
)


@remembered
def quantities(sentence: Sentence, start: int) -> list[tuple[Quantity, int]]:
    """Return what can be read as a quantity from a place on, the longest first."""
    found: list[tuple[Quantity, int]] = []
    for pattern, quantity in _WORDS:
        end = sentence.follow(start, pattern)
        if end is not None:
            found.append((quantity, end))
    found += _fractions(sentence, start)
    found += _numbers(sentence, start)
    found.sort(key=lambda pair: -pair[1])
    return found


def _fractions(sentence: Sentence, start: int) -> list[tuple[Quantity, int]]:
    at = sentence.follow(start, "only|just|exactly?")
    begin = start if at is None else at
    written = fraction_named(sentence.at(begin))
    if written is not None:
        part, whole = written
        if sentence.at(begin).endswith("%"):
            shared = gcd(part, whole)
            part, whole = part // shared, whole // shared
            if (part, whole) == (1, 2):
                return [(Quantity("half"), begin + 1)]
            if part == whole:
                return [(ALL, begin + 1)]
        return [(Quantity("fraction", (part, whole)), begin + 1)]
    article = sentence.follow(begin, "a|an|the")
    part_at = article if article is not None else begin + 1
    number = 1 if article is not None else number_named(sentence.at(begin))
    whole_named = part_named(sentence.at(part_at))
    if number is None or whole_named is None or whole_named == 2:
        return []
    return [(Quantity("fraction", (number, whole_named)), part_at + 1)]


def _numbers(sentence: Sentence, start: int) -> list[tuple[Quantity, int]]:
    found: list[tuple[Quantity, int]] = []
    number = number_named(sentence.at(start))
    if number is not None:
        found.append((Quantity("number", (number,), counted=True), start + 1))
        found += _out_of(sentence, start, number)
    for pattern, name in _BOUNDS:
        end = sentence.follow(start, pattern)
        number = number_named(sentence.at(end)) if end is not None else None
        if end is None or number is None:
            continue
        if part_named(sentence.at(end + 1)) is not None and sentence.at(end + 1) not in ("half",):
            continue
        # *Only one* has a quantifier of its own.
        if sentence.at(start) in ("only", "just") and number == 1:
            continue
        found.append((Quantity(name, (number,), counted=True), end + 1))
    return found


def _out_of(sentence: Sentence, start: int, number: int) -> list[tuple[Quantity, int]]:
    """Read *three out of six*, *one of the four*."""
    end = sentence.follow(start + 1, "out? of the?")
    whole = number_named(sentence.at(end)) if end is not None else None
    if end is None or whole is None:
        return []
    return [(Quantity("number", (number,), True, whole), end + 1)]
