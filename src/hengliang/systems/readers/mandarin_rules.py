"""What does each kind of Mandarin clause say, given what was said before?

A rule takes the parts of a clause and the discourse so far, and gives the expressions that it adds; None means that the
clause cannot be meant so, and the next kind is tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hengliang.materials.chinese_numerals import numeral_value
from hengliang.materials.quantified_expressions import Expression
from hengliang.materials.quantified_properties import OBJECT, Property
from hengliang.materials.scene_domains import Domain
from hengliang.systems.readers.mandarin_contrasts import CONTRASTS
from hengliang.systems.readers.mandarin_discourse import Discourse
from hengliang.systems.readers.mandarin_patterns import Found
from hengliang.systems.readers.mandarin_quantities import AMOUNTS, UNIVERSAL, Quantity, quantity_of
from hengliang.systems.readers.mandarin_tellings import (
    Rule,
    Telling,
    alone,
    compatible,
    either,
    lacking,
    subject,
    with_adverb,
)


def tellings(found: Found, discourse: Discourse) -> list[Telling] | None:
    """Return what a clause of a kind adds to the discourse, None if it cannot be meant so."""
    return RULES[found.kind](found, discourse)


# --- parts and all --------------------------------------------------------------------------------------------------


def _portion(found: Found, discourse: Discourse) -> list[Telling] | None:
    second = found.property_of("B")
    quantity = with_adverb(found)
    if quantity is None and second is not None and found.parts.get("dou") in {"不", "并不"}:
        quantity, second = found.quantity, lacking(second, discourse.domain)
    if second is None or quantity is None:
        return None
    if found.has("bare") and quantity.name in AMOUNTS and not _is_quality(second, discourse.domain):
        return None  # 红色圆形四个蓝色圆形两个: two amounts, of which each stands after its noun.
    first, anaphoric = subject(found, discourse, second)
    if (found.has("in") or found.has("bare")) and not anaphoric:
        discourse.go_on_about(first)
    return alone(Expression(quantity.name, first, second, quantity.numbers), first, anaphoric)


def _is_quality(what: Property, domain: Domain) -> bool:
    """Whether a property is one of adjectives only."""
    return not any(domain.attributes[domain.attribute_of[name]].noun for term in what.terms for name in term)


def _so_many_and(found: Found, discourse: Discourse) -> list[Telling] | None:
    """*Squares, three, all blue*; *of four objects three are blue*: how many there are, and what they are."""
    counted, named, second = quantity_of(found.parts["N"]), found.property_of("A"), found.property_of("B")
    quantity = with_adverb(found)
    if counted is None or named is None or second is None or quantity is None:
        return None
    how_many = Expression(counted.name, compatible(discourse.base, named, discourse), named, counted.numbers)
    said = Expression(quantity.name, named, second, quantity.numbers)
    return [Telling(how_many, named), Telling(said, named)]


def _without_exception(found: Found, discourse: Discourse) -> list[Telling] | None:
    """*There is none that is not blue*."""
    second = found.property_of("B")
    if second is None:
        return None
    first, anaphoric = subject(found, discourse, second)
    return alone(Expression("all", first, second), first, anaphoric)


def _one_by_one(found: Found, discourse: Discourse) -> list[Telling] | None:
    """*There is only one red one, it is a circle*: said of what was just mentioned."""
    second = found.property_of("B")
    if second is None or len(discourse.told) == discourse.since:
        return None
    last = discourse.told[-1]
    single = last.quantifier == "only one" or last.numbers == (1,)
    first = discourse.antecedent
    return alone(Expression("the" if single else "all", first, second), first, True)


# --- amounts --------------------------------------------------------------------------------------------------------


def _amount(found: Found, discourse: Discourse) -> list[Telling] | None:
    """*Three red circles*, *half red*: so many among all things, or such a part of the topic."""
    second, quantity = found.property_of("P"), found.quantity
    if second is None or quantity is None or quantity.name in (UNIVERSAL | {"the", "not all"}) - {"everything"}:
        return None
    counts = quantity.name in AMOUNTS
    first = compatible(discourse.base if counts else discourse.topic, second, discourse)
    expression = Expression(quantity.name, first, second, quantity.numbers)
    return alone(expression, _topic_after(expression, discourse), discourse.chained)


def _topic_after(expression: Expression, discourse: Discourse) -> Property:
    """Return what goes on being spoken of: what was counted, but all of it where several are counted one by one."""
    last = discourse.told[-1] if len(discourse.told) > discourse.since else None
    parallel = last is not None and last.quantifier in AMOUNTS and last.first == expression.first
    counts = expression.quantifier in AMOUNTS
    return expression.first if discourse.chained or parallel or not counts else expression.second


def _amount_of(found: Found, discourse: Discourse) -> list[Telling] | None:
    """*Of squares there are six*, *blue make up three quarters*, and without subject *make up three quarters*."""
    quantity, second = found.quantity, found.property_of("P") or discourse.topic
    if quantity is None or quantity.name in UNIVERSAL | {"the", "not all"} or (second == OBJECT and not found.has("P")):
        return None
    counts = quantity.name in AMOUNTS or not found.has("P")
    first = found.property_of("A") or compatible(discourse.base if counts else discourse.topic, second, discourse)
    expression = Expression(quantity.name, first, second, quantity.numbers)
    return alone(expression, _topic_after(expression, discourse), discourse.chained)


def _total(found: Found, discourse: Discourse) -> list[Telling] | None:
    quantity = found.quantity
    return alone(Expression("number", OBJECT, OBJECT, quantity.numbers), OBJECT) if quantity else None


def _each(found: Found, discourse: Discourse) -> list[Telling] | None:
    """*Red and blue are half each*."""
    listed = found.property_of("P")
    quantity = Quantity("half") if found.kind == "each half" else found.quantity
    if listed is None or quantity is None or quantity.name in UNIVERSAL or listed.single:
        return None
    first = found.property_of("A") or compatible(discourse.base, listed, discourse)
    seconds = [Property((term,)) for term in listed.terms]
    return [Telling(Expression(quantity.name, first, one, quantity.numbers), first) for one in seconds]


def _both_count(found: Found, discourse: Discourse) -> list[Telling] | None:
    """*They are equally many, three each*."""
    quantity = quantity_of(found.parts["N"])
    last = discourse.told[-1] if len(discourse.told) > discourse.since else None
    if quantity is None or last is None or last.quantifier != "equal":
        return None
    return [Telling(Expression("number", OBJECT, one, quantity.numbers), OBJECT) for one in (last.first, last.second)]


def _mainly(found: Found, discourse: Discourse) -> list[Telling] | None:
    second = found.property_of("P")
    if second is None:
        return None
    first = found.property_of("A") or compatible(discourse.base, second, discourse)
    return alone(Expression("majority", first, second), first, discourse.chained)


# --- none, only, there are --------------------------------------------------------------------------------------------


def _none(found: Found, discourse: Discourse) -> list[Telling] | None:
    second = found.property_of("P")
    if second is None:
        return None
    first = compatible(discourse.base, second, discourse)
    return alone(Expression("no", first, second), first, discourse.chained)


def _none_of(found: Found, discourse: Discourse) -> list[Telling] | None:
    second = found.property_of("B")
    if second is None:
        return None
    first, anaphoric = subject(found, discourse, second)
    return alone(Expression("no", first, second), first, anaphoric)


def _only(found: Found, discourse: Discourse) -> list[Telling] | None:
    first, second = found.property_of("A"), found.property_of("B")
    return alone(Expression("only", first, second), OBJECT) if first and second else None


def _only_these(found: Found, discourse: Discourse) -> list[Telling] | None:
    first = found.property_of("P")
    if first is None or not _so_many_kinds(found, first):
        return None
    second = found.property_of("A") or discourse.base
    return alone(Expression("only", first, second), OBJECT)


def _there_are(found: Found, discourse: Discourse) -> list[Telling] | None:
    """*There are A and B*; of a subject: some of them are A and some B."""
    listed = found.property_of("P")
    if listed is None or not _so_many_kinds(found, listed):
        return None
    besides = found.property_of("B")
    listed = listed if besides is None else either(listed, besides)
    subject = found.property_of("A") or discourse.base
    if subject != OBJECT:
        seconds = [Property((term,)) for term in listed.terms]
        return [Telling(Expression("some", subject, one), subject, discourse.chained) for one in seconds]
    last = discourse.told[-1] if len(discourse.told) > discourse.since else None
    alike = last is not None and _attributes(last.first, discourse.domain) == _attributes(listed, discourse.domain)
    if last is not None and last.quantifier == "there are" and alike:
        # *There are A, there are B as well*: each alone would say that there is nothing else.
        return [Telling(Expression("there are", either(last.first, listed)), OBJECT, replaces=True)]
    return alone(Expression("there are", listed), OBJECT)


def _so_many_kinds(found: Found, listed: Property) -> bool:
    """Whether 两种 after a list, if it is there, says how many are listed."""
    return not found.has("num") or numeral_value(found.parts["num"]) == len(listed.terms)


def _attributes(what: Property, domain: Domain) -> set[int]:
    return {domain.attribute_of[name] for term in what.terms for name in term}


def _either_or(found: Found, discourse: Discourse) -> list[Telling] | None:
    one, other = found.property_of("P"), found.property_of("B")
    quantity = with_adverb(found)
    if one is None or other is None or quantity is None or quantity.name not in UNIVERSAL:
        return None
    second = either(one, other)
    first, anaphoric = subject(found, discourse, second)
    return alone(Expression(quantity.name, first, second), first, anaphoric)


RULES: Mapping[str, Rule] = MappingProxyType({
    **CONTRASTS,
    "portion": _portion,
    "one by one": _one_by_one,
    "amount": _amount,
    "amount of": _amount_of,
    "each": _each,
    "each half": _each,
    "both count": _both_count,
    "total": _total,
    "so many and": _so_many_and,
    "without exception": _without_exception,
    "mainly": _mainly,
    "none": _none,
    "none of": _none_of,
    "only": _only,
    "only these": _only_these,
    "there are": _there_are,
    "either": _either_or,
})  # fmt: skip
"""The rule of each kind of clause."""
