"""What do clauses about the rest, about exceptions, comparisons and kinds say, given what was said before?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType

from hengliang.materials.chinese_numerals import numeral_value
from hengliang.materials.quantified_expressions import Expression
from hengliang.materials.quantified_properties import OBJECT, Property, both
from hengliang.materials.quantifiers import quantifier
from hengliang.systems.readers.mandarin_discourse import Discourse
from hengliang.systems.readers.mandarin_patterns import ADVERBS, Found
from hengliang.systems.readers.mandarin_quantities import AMOUNTS, UNIVERSAL, quantity_of
from hengliang.systems.readers.mandarin_tellings import PRONOUNS, Rule, Telling, alone, either, subject, with_adverb


def _except(found: Found, discourse: Discourse) -> list[Telling] | None:
    """*Except for one, all are B*; with a noun it is said what the one is."""
    second, number = found.property_of("B"), quantity_of(found.parts["N"])
    quantity = with_adverb(found)
    if second is None or number is None or quantity is None or quantity.name not in UNIVERSAL:
        return None
    first, anaphoric = subject(found, discourse, second)
    excepted = found.property_of("P")
    rest = None if excepted in {None, OBJECT, first} else excepted
    return alone(Expression("all but", first, second, number.numbers, rest), first, anaphoric)


def _except_kind(found: Found, discourse: Discourse) -> list[Telling] | None:
    """*Except for the circles all are B*: all are circles or B."""
    excepted, second, quantity = found.property_of("P"), found.property_of("B"), with_adverb(found)
    if excepted is None or second is None or quantity is None or quantity.name not in UNIVERSAL:
        return None
    first, anaphoric = subject(found, discourse, None)
    return alone(Expression("all", first, either(excepted, second)), first, anaphoric)


def _rest(found: Found, discourse: Discourse) -> list[Telling] | None:
    """*The rest are C*: part of the expression before it where that leaves a rest, else all are that or C."""
    second = found.property_of("B")
    if second is None or not discourse.told or ADVERBS.get(found.parts.get("dou", "都"), "") not in UNIVERSAL:
        return None
    last = discourse.told[-1]
    if quantifier(last.quantifier).form != "proportion" or (found.has("Q") and found.quantity is None):
        return None
    named = found.property_of("A")
    if named not in {None, OBJECT, last.first}:
        return None
    fits = named == last.first or both(last.first, second, discourse.domain).terms
    if quantifier(last.quantifier).rest and last.rest is None and fits:
        rest = second
        for told in _parallel(discourse, last):
            rest = either(told.second, rest)
        added = [Telling(replace(last, rest=rest), last.first, discourse.chained, replaces=True)]
    else:
        covered = last.second if last.first == OBJECT else last.first
        nothing_left = last.quantifier in UNIVERSAL | {"no"} and last.first == OBJECT
        if covered == OBJECT or nothing_left:
            return None
        added = alone(Expression("all", OBJECT, either(covered, second)), OBJECT)
    return added + _counted_rest(found, last, second)


def _parallel(discourse: Discourse, last: Expression) -> list[Expression]:
    """Return the expressions of the sentence before the last one that share out the same things as it does."""
    earlier = discourse.told[discourse.since : -1]
    shared = [one for one in reversed(earlier) if one.first == last.first and one.second != OBJECT]
    return [one for one in shared if quantifier(one.quantifier).rest]


def _counted_rest(found: Found, last: Expression, second: Property) -> list[Telling]:
    """Return what a number says besides: *the other four are blue*."""
    quantity = found.quantity if found.has("Q") else None
    if quantity is None or quantity.name not in AMOUNTS:
        return []
    return alone(Expression(quantity.name, last.first, second, quantity.numbers), last.first, True)


# --- comparisons and kinds ------------------------------------------------------------------------------------------


def _comparison(found: Found, discourse: Discourse) -> list[Telling] | None:
    first, second = found.property_of("J1") or discourse.topic, found.property_of("J2")
    numbers = (numeral_value(found.parts["num"]),) if found.has("num") else ()
    if second is None or None in numbers or (first == OBJECT and not found.has("J1")):
        return None
    taken = tuple(number for number in numbers if number is not None)
    return alone(Expression(found.kind, first, second, taken), OBJECT)


def _equal_list(found: Found, discourse: Discourse) -> list[Telling] | None:
    named = found.property_of("A") if found.parts.get("A") not in PRONOUNS else None
    listed = [Property((term,)) for term in named.terms] if named is not None else _last_mentioned(discourse)
    if len(listed) < 2:
        return None
    return [Telling(Expression("equal", one, other), OBJECT) for one, other in pairwise(listed)]


def _last_mentioned(discourse: Discourse) -> list[Property]:
    """Return the two or more properties that the sentence has just named side by side."""
    told = discourse.told[discourse.since :]
    if not told:
        return []
    last = told[-1].first if quantifier(told[-1].quantifier).form == "kinds" else told[-1].second
    if not last.single:
        return [Property((term,)) for term in last.terms]
    return [one.second for one in told if one.first == told[-1].first and one.second.single]


def _all_kinds(found: Found, discourse: Discourse) -> list[Telling] | None:
    first = found.property_of("A") or OBJECT
    kinds = first.mask(discourse.domain).bit_count()
    if found.has("num") and numeral_value(found.parts["num"]) != kinds:
        return None
    return alone(Expression("all kinds", first), OBJECT)


def _each_kind(found: Found, discourse: Discourse) -> list[Telling] | None:
    quantity = quantity_of(found.parts["N"])
    first = found.property_of("A") or OBJECT
    return alone(Expression("of each kind", first, OBJECT, quantity.numbers), OBJECT) if quantity else None


def _within(found: Found, discourse: Discourse) -> list[Telling] | None:
    """*Among the squares*, alone: nothing is said yet, but the rest of the sentence is about them."""
    named = found.property_of("A")
    if named is None or found.parts["A"] in PRONOUNS:
        return None
    discourse.go_on_about(named)
    return []


CONTRASTS: Mapping[str, Rule] = MappingProxyType({
    "except": _except,
    "except kind": _except_kind,
    "rest": _rest,
    "more": _comparison,
    "fewer": _comparison,
    "equal": _comparison,
    "times": _comparison,
    "equal list": _equal_list,
    "all kinds": _all_kinds,
    "each kind": _each_kind,
    "within": _within,
})  # fmt: skip
"""The rules of these kinds of clauses."""
